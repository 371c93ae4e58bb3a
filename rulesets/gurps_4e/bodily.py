"""Attacks with the body alone: slam, shove, grapple, and getting free of one. Clauses GU-2210 to GU-2230."""

from msgspec.structs import replace

from app.engine.dice import Dice, DiceGroup, parse_dice
from app.engine.events import Hit, Moved, Noted, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Place, Unknown
from app.engine.table import Table
from rulesets.gurps_4e.attack import SLAM, Blow
from rulesets.gurps_4e.checks import ST, Side, base_terms, contest
from rulesets.gurps_4e.conditions import drop_held, holders_of, release, take_hold
from rulesets.gurps_4e.figures import figure, tables_of
from rulesets.gurps_4e.holding_on import knocked_down
from rulesets.gurps_4e.injuries import CRUSHING, Harm, deal, roll_damage
from rulesets.gurps_4e.knockback import keep_balance, knock_back
from rulesets.gurps_4e.moving_events import CLOSE, after_moving
from rulesets.gurps_4e.weapons import HANDS, Damage, damage_of, free_hands

D6 = 6
WHOLE = 100
"""Hundredths of a die. Clause: GU-2210."""
HALF = WHOLE // 2
TWICE = 2


def hands_used(table: Table, blow: Blow) -> int:
    """Hands that a shove or grapple is done with: as many as he means to, and has free. Clauses: GU-2220, GU-2230."""
    return max(1, min(blow.hands, HANDS, free_hands(table, blow.attacker)))


def bodily_harm(table: Table, blow: Blow) -> Harm:
    """What a slam or a shove rolls; a grapple rolls nothing. Clauses: GU-2210 to GU-2230."""
    who = blow.attacker
    if blow.form == SLAM:
        damage = slam_damage(table, who, blow.moved)
    else:
        damage = damage_of(table, who, "thr" if hands_used(table, blow) == HANDS else "thr-1")
    return Harm(who, damage, CRUSHING, blow.form, pushes=False)


# Slam


def slam(scene: Scene, blow: Blow, mine: Harm) -> None:
    """Both take crushing damage by HP and speed; the weaker one may fall. Clause: GU-2210."""
    who, foe = blow.attacker, blow.target
    theirs = replace(bodily_harm(scene, blow), attacker=foe, damage=slam_damage(scene, foe, blow.moved))
    with scene.within("slam"):
        rolled = scene.gather({who: lambda: roll_damage(scene, mine), foe: lambda: roll_damage(scene, theirs)})
        given, taken = rolled[who].basic, rolled[foe].basic
        with scene.within("on", foe):
            deal(scene, mine, Hit(1, foe), rolled[who])
        with scene.within("on", who):
            deal(scene, theirs, Hit(1, who), rolled[foe])
        if given and given >= TWICE * taken:
            knocked_down(scene, foe, "GU-2210")
        elif given and given >= taken:
            keep_balance(scene, foe, "GU-2210")
        elif taken >= TWICE * given and taken:
            knocked_down(scene, who, "GU-2210")


def slam_damage(table: Table, who: CombatantId, moved: int) -> Damage:
    """HP times yards over 100, as dice. Clause: GU-2210."""
    figures = tables_of(table).core.slam
    worth = figure(table.who(who), "hp_max") * moved * WHOLE // figures.divisor
    for row in figures.small:
        if worth <= row.hundredths:
            return Damage(parse_dice(row.dice))
    return Damage(Dice((DiceGroup((worth + HALF) // WHOLE, D6),)))


# Shove


def shove(scene: Scene, blow: Blow, harm: Harm) -> None:
    """Thrust crushing that does no injury and, doubled, drives the foe back. Clause: GU-2220."""
    who, foe = blow.attacker, blow.target
    strength, dice, _ = roll_damage(scene, harm, "shove")
    scene.emit(Noted(who, "shoved", foe, dice=dice, clause=ClauseId("GU-2220")))
    _let_fall(scene, foe, harm)
    knock_back(scene, who, foe, strength * tables_of(scene).core.shove.multiplier, "GU-2220")


def _let_fall(scene: Scene, foe: CombatantId, harm: Harm) -> None:
    """What a critical hit makes him drop, damage or none. Table 5.9."""
    if harm.drops:
        drop_held(scene, foe, "GU-280", strapped_too=True)


# Grapple


def grapple(scene: Scene, blow: Blow, harm: Harm) -> None:
    """The foe is held, drawn back to distance 0 if he has stepped away. Clause: GU-2230."""
    who, foe = blow.attacker, blow.target
    _let_fall(scene, foe, harm)
    take_hold(scene, who, foe, hands_used(scene, blow))
    far = scene.space.distance(who, foe)
    if isinstance(far, Unknown) or far < CLOSE:
        return
    here, there = scene.who(who).place, scene.who(foe).place
    place = None if here is None or there is None else Place(here.x, here.y, there.facing)
    distances = {} if scene.has_map else {who: 0}
    scene.emit(Moved(foe, far, place=place, forced=True, distances=distances, clause=ClauseId("GU-2230")))
    after_moving(scene, foe)


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
