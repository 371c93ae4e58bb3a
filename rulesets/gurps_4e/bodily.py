"""Attacks with the body alone: slam, shove, grapple, and getting free of one. Clauses GU-2210 to GU-2230."""

from app.engine.dice import Dice, DiceGroup
from app.engine.events import Hit, Moved, Noted, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.checks import DX, ST, Side, base_terms, contest, succeeds, take_test
from rulesets.gurps_4e.conditions import fall, holders_of, release
from rulesets.gurps_4e.figures import YARD, figure, tables_of
from rulesets.gurps_4e.injuries import Harm, deal, roll_damage
from rulesets.gurps_4e.moving_events import after_moving
from rulesets.gurps_4e.weapons import HANDS, Damage, damage_of

D6 = 6
QUARTER, HALF, WHOLE = 25, 50, 100
"""Hundredths of a die. Clause: GU-2210."""
TWICE = 2


# Slam


def slam(scene: Scene, blow: Blow) -> None:
    """Both take crushing damage by HP and speed; the weaker one may fall. Clause: GU-2210."""
    who, foe = blow.attacker, blow.target
    mine = Harm(who, slam_damage(scene, who, blow.moved), "cr", "slam", clause="GU-2210")
    theirs = Harm(foe, slam_damage(scene, foe, blow.moved), "cr", "slam", clause="GU-2210")
    with scene.within("slam"):
        with scene.within(who):
            given, _ = roll_damage(scene, mine)
        with scene.within(foe):
            taken, _ = roll_damage(scene, theirs)
        with scene.within("on", foe):
            deal(scene, mine, Hit(1, foe), given)
        with scene.within("on", who):
            deal(scene, theirs, Hit(1, who), taken)
        if given >= TWICE * taken and given:
            fall(scene, foe, "GU-2210")
        elif given >= taken and given:
            with scene.within("balance"):
                if not take_test(scene, foe, DX, "keep_balance", clause="GU-2210", sees=succeeds).success:
                    fall(scene, foe, "GU-2210")
        elif taken >= TWICE * given and taken:
            fall(scene, who, "GU-2210")


def slam_damage(scene: Scene, who: CombatantId, moved: int) -> Damage:
    """HP times yards over 100, as dice. Clause: GU-2210."""
    worth = figure(scene.who(who), "hp_max") * moved * WHOLE // tables_of(scene).core.slam.divisor
    if worth <= QUARTER:
        return Damage(Dice((DiceGroup(1, D6),), -3))
    if worth <= HALF:
        return Damage(Dice((DiceGroup(1, D6),), -2))
    if worth < WHOLE:
        return Damage(Dice((DiceGroup(1, D6),), -1))
    return Damage(Dice((DiceGroup((worth + HALF) // WHOLE, D6),)))


# Shove


def shove(scene: Scene, blow: Blow) -> None:
    """Thrust crushing that does no injury and, doubled, drives the foe back. Clause: GU-2220."""
    who, foe, core = blow.attacker, blow.target, tables_of(scene).core.shove
    text = "thr" if blow.hands >= HANDS else "thr-1"
    harm = Harm(who, damage_of(scene, who, text), "cr", "shove", clause="GU-2220")
    rolled, dice = roll_damage(scene, harm, "shove")
    yards = rolled * core.multiplier // max(1, figure(scene.who(foe), "st") - core.st_less)
    scene.emit(Noted(who, "shoved", foe, dice=dice, clause=ClauseId("GU-2220")))
    if not yards:
        return
    _driven_back(scene, who, foe, yards)
    modifier = Term("knockback", 1 - yards, ClauseId("GU-2220"))
    with scene.within("balance"):
        if not take_test(scene, foe, DX, "keep_balance", (modifier,), clause="GU-2220", sees=succeeds).success:
            fall(scene, foe, "GU-2220")


def _driven_back(scene: Scene, who: CombatantId, foe: CombatantId, yards: int) -> None:
    """Straight away, as far as nothing stops him. Clause: GU-2220."""
    length = yards * YARD
    if not scene.has_map:
        far = scene.space.distance(who, foe)
        distances = {} if isinstance(far, Unknown) else {who: far + length}
        scene.emit(Moved(foe, length, forced=True, distances=distances, clause=ClauseId("GU-2220")))
        return
    away = scene.space.bearing(who, foe)
    assert not isinstance(away, Unknown)
    landing = scene.space.push(foe, away, length)
    if isinstance(landing, Unknown) or landing.where is None:
        return
    before = scene.who(foe).place
    if landing.where != before:
        scene.emit(Moved(foe, length, place=landing.where, forced=True, clause=ClauseId("GU-2220")))
        after_moving(scene, foe)


# Grapple


def grapple(scene: Scene, blow: Blow) -> None:
    """The foe is held, at distance 0 even if he has stepped away. Clause: GU-2230."""
    who, foe = blow.attacker, blow.target
    scene.begin(who, "grappling", against=foe, value=min(blow.hands, HANDS))
    scene.begin(foe, "grappled", source=who, value=min(blow.hands, HANDS))
    far = scene.space.distance(who, foe)
    if isinstance(far, Unknown) or far < YARD // 2:
        return
    place = scene.who(foe).place
    distances = {} if scene.has_map else {foe: 0}
    held = None if place is None else place
    scene.emit(Moved(who, far, place=held, forced=True, distances=distances, clause=ClauseId("GU-2230")))


def break_free(scene: Scene, blow: Blow) -> bool:
    """A Quick Contest of ST against whoever holds him. Tells whether he is free. Clause: GU-2230."""
    who = blow.attacker
    hold = next((hold for holder, hold in holders_of(scene, who) if holder == blow.target), None)
    if hold is None:
        return False
    plus = tables_of(scene).core.holder_both_hands if hold.value >= HANDS else 0
    both = (Term("both_hands", plus, ClauseId("GU-2230")),) if plus else ()
    mine = Side(who, ST, base_terms(scene, who, ST))
    theirs = Side(blow.target, ST, (*base_terms(scene, blow.target, ST), *both))
    with scene.within("break_free"):
        winner = contest(scene, mine, theirs, "break_free", clause="GU-2230")
    if winner != who:
        return False
    release(scene, blow.target, hold, "broken")
    return True
