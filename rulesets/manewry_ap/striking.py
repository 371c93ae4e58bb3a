"""Carrying out an attack, in the order of MA-060. Clauses MA-060, MA-110 to MA-165, MA-220 to MA-260, MA-310 to MA-370,
MA-420, MA-460, MA-500 to MA-590, MA-740, MA-750, MA-810, MA-830.
"""

from functools import partial

import msgspec
from msgspec.structs import replace

from app.engine.events import AttackMade, Die, Hit, HitsScored, ItemChanged, ItemMoved, Term, Turned
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.engine.modifiers import collect
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.manewry_ap.attack import CHARGE, GRAB, STRIKE, TIGHTEN, Attack, Hand, is_heavy
from rulesets.manewry_ap.checks import base_st, chance, take_test
from rulesets.manewry_ap.classes import DEALT, HIT, ST, TAKEN, class_terms, stat_terms, tags_of, total_of, use
from rulesets.manewry_ap.figures import MEL, RNG, STR, TURN_OVER, is_fatigued, share_of, tables_of
from rulesets.manewry_ap.harm import deal, roll_damage, tire
from rulesets.manewry_ap.hiding import reveal, reveal_by_attack
from rulesets.manewry_ap.holds import are_in_one_hold, captive_of, take_hold
from rulesets.manewry_ap.responding import best_value, defend, respond
from rulesets.manewry_ap.weapons import AMMO, LEAP, MELEE, SHOT, THROW

DROPPED, SECOND, FATIGUED, SURPRISE = "dropped", "second_hand", "fatigued", "surprise"
TO_HIT = "to_hit"


class Source(msgspec.Struct, frozen=True):
    """One weapon's damage before it arrives: its dice and what they make. Clause: MA-140."""

    hand: Hand
    dice: tuple[Die, ...]
    terms: tuple[Term, ...]


def strike(scene: Scene, attack: Attack) -> bool:
    """One attack, to its last consequence. Tells whether it succeeded. Clause: MA-060."""
    who, target = attack.attacker, attack.target
    _declare(scene, attack)
    dropped = respond(scene, attack)
    if attack.form == TIGHTEN and not are_in_one_hold(scene, who, target):
        _finish(scene, attack)
        return False
    difficulty = _difficulty(scene, attack, dropped=dropped)
    success = _tests(scene, attack, difficulty)
    use(scene, who, HIT, tested_on(attack))
    if success:
        hits = tuple(Hit(number, target) for number in range(1, len(attack.hands) + 1))
        scene.emit(HitsScored(who, hits, ClauseId("MA-060")))
        _land(scene, attack)
    _finish(scene, attack)
    return success


def tested_on(attack: Attack) -> str:
    """The characteristic of the hit test. Clauses: MA-200, MA-210."""
    return MEL if attack.kind == MELEE else RNG


def _declare(scene: Scene, attack: Attack) -> None:
    """He looks at the target, who is hidden no more once he is struck at; a grab ends the attacker's hiding.

    Clauses: MA-740, MA-750, MA-830.
    """
    who, target = attack.attacker, attack.target
    _face(scene, who, target)
    first = attack.hands[0]
    scene.emit(AttackMade(who, target, ActionId(attack.action), first.item, first.made_with, ClauseId("MA-060")))
    reveal(scene, target, "struck_at", "MA-750")
    if attack.form == GRAB:
        reveal(scene, who, "grabbed", "MA-750")
    for hand in attack.hands:
        _use_up(scene, attack, hand)


def _face(scene: Scene, who: CombatantId, target: CombatantId) -> None:
    """An attack turns him to its target. Clause: MA-830."""
    place, direction = scene.who(who).place, scene.space.bearing(who, target)
    apart = scene.who(target).place
    if place is None or apart is None or place.point == apart.point or isinstance(direction, Unknown):
        return
    if place.facing != direction:
        scene.emit(Turned(who, direction, ClauseId("MA-830")))


def _use_up(scene: Scene, attack: Attack, hand: Hand) -> None:
    """A shot is gone, a thrown weapon lies where the target is, hit or miss; what a ruling has taken is gone already.

    Clauses: MA-210, MA-510.
    """
    who, item = attack.attacker, hand.item
    carried = scene.carried(who, item)
    if item is None or carried is None or carried.kind != hand.made_with or attack.form != STRIKE:
        return
    if hand.kind == SHOT and hand.weapon.ammo is not None:
        scene.mark_item(who, item, AMMO, carried.marks.get(AMMO, 0) - 1, "MA-210")
    elif hand.kind == THROW:
        _leave_hand(scene, who, item, attack.target)


def _leave_hand(scene: Scene, who: CombatantId, item: ItemId, target: CombatantId) -> None:
    carried, clause = scene.item(who, item), ClauseId("MA-210")
    if carried.count > 1:
        scene.emit(ItemChanged(who, item, replace(carried, count=carried.count - 1), clause))
    else:
        scene.emit(ItemMoved(who, item, None, True, clause, lies=scene.who(target).place))


# The ST


def _difficulty(scene: Scene, attack: Attack, *, dropped: bool) -> tuple[Term, ...]:
    """Base and defence, its modifiers, then what manoeuvre and posture change. Clauses: MA-060, MA-110, MA-130."""
    changes = _changes(scene, attack, dropped=dropped)
    needed_more = total_of(changes) - total_of(_added(scene, attack))
    terms = defend(scene, attack, needed_more)
    return (*terms, *changes)


def _changes(table: Table, attack: Attack, *, dropped: bool) -> tuple[Term, ...]:
    """What manoeuvre and posture add to the ST, which no hold takes away.

    Clauses: MA-310, MA-370, MA-460, MA-530, MA-650.
    """
    own = attack.tags | ({DROPPED} if dropped else set())
    tags = tags_of(table, attack.attacker, attack.target, own, attack.given)
    found = (*collect(table.rules.modifiers, ST, tags), *attack.own(attack.params.st))
    return tuple(term for term in found if term.value)


def foreseen(table: Table, attack: Attack) -> int:
    """The chance in millionths of the first test, if the target answers as well as it can. Clauses: MA-100, MA-220."""
    changes = _changes(table, attack, dropped=False)
    target = base_st(table).value + best_value(table, attack) + total_of(changes)
    return chance(table, target - total_of(_added(table, attack)))


# The tests


def _tests(scene: Scene, attack: Attack, difficulty: tuple[Term, ...]) -> bool:
    """One test, or one for each hand, all of which must pass. Clauses: MA-120, MA-510."""
    who = attack.attacker
    success = True
    for place in range(len(attack.hands)):
        if not success and not scene.flag("roll_second_hand_always"):
            break
        second = place > 0
        check = take_test(
            scene,
            who,
            tested_on(attack),
            SECOND if second else "attack",
            difficulty,
            partial(_added, scene, attack, second=second),
            clause="MA-510" if attack.is_double else "MA-120",
            name=SECOND if second else TO_HIT,
            against=attack.target,
        )
        success = success and check.success
    return success


def _added(table: Table, attack: Attack, *, second: bool = False) -> tuple[Term, ...]:
    """Characteristic and hit modifiers as they are at this moment. Clauses: MA-120, MA-250, MA-490, MA-510, MA-820."""
    who = attack.attacker
    own = set(attack.tags)
    if second:
        own.add(SECOND)
    if is_fatigued(table, who):
        own.add(FATIGUED)
    tags = tags_of(table, who, attack.target, own, attack.given)
    tested = stat_terms(table, who, tested_on(attack), attack.given)
    terms = (*tested, *class_terms(table, who, HIT, tags, attack.given), *attack.own(attack.params.to_hit))
    if attack.surprise and table.option("surprise") == "hit_bonus":
        bonus = table.option("surprise_hit_bonus")
        terms = (*terms, Term(SURPRISE, bonus if isinstance(bonus, int) else 0, ClauseId("MA-250")))
    return terms


# What comes of it


def _land(scene: Scene, attack: Attack) -> None:
    match attack.form:
        case "grab":
            if captive_of(scene, attack.attacker) is None:
                take_hold(scene, attack.attacker, attack.target, attack.hands[0].item)
        case "tighten":
            tire(scene, attack.target, 1, "MA-360")
        case _:
            _hurt(scene, attack)


def _hurt(scene: Scene, attack: Attack) -> None:
    """Every source is computed and arrives, in the order of the hands. Clauses: MA-140, MA-150, MA-510, MA-810."""
    who, target = attack.attacker, attack.target
    for place, hand in enumerate(attack.hands):
        source = _source(scene, attack, hand, "damage" if not place else f"damage_{place + 1}")
        tags = tags_of(scene, who, target, attack.tags, attack.given)
        taken = class_terms(scene, target, TAKEN, tags, attack.given)
        deal(scene, who, target, source.dice, source.terms, taken, hit=place + 1, weapon_kind=hand.made_with)
    use(scene, who, DEALT, STR)
    use(scene, target, TAKEN)


def _source(scene: Scene, attack: Attack, hand: Hand, name: str) -> Source:
    """One weapon's damage: dice, the shares of STR, then modifiers of the damage dealt.

    Clauses: MA-140, MA-160, MA-170, MA-230, MA-520, MA-530, MA-550.
    """
    core, who = tables_of(scene).core, attack.attacker
    dice, terms = roll_damage(scene, name, who, hand.weapon.damage)
    more: list[Term] = []
    if hand.kind == MELEE:
        strength = _strength(scene, attack)
        more.append(Term(STR, share_of(scene, strength, core.melee_share), ClauseId("MA-230")))
        if is_heavy(hand, attack.manoeuvres):
            more.append(Term("heavy", share_of(scene, strength, core.heavy.share), ClauseId("MA-520")))
    if attack.units:
        more.append(Term(CHARGE, attack.units * core.charge.damage, ClauseId("MA-550")))
    tags = tags_of(scene, who, attack.target, attack.tags, attack.given)
    more += [*class_terms(scene, who, DEALT, tags, attack.given), *attack.own(attack.params.damage)]
    return Source(hand, dice, (*terms, *(term for term in more if term.value)))


def _strength(table: Table, attack: Attack) -> int:
    """STR as it counts for damage: as it is now, or by option that of the sheet. Clause: MA-160."""
    if not table.flag("damage_uses_current"):
        return table.who(attack.attacker).sheet.stats.get(STR, 0)
    return total_of(stat_terms(table, attack.attacker, STR, attack.given))


def _finish(scene: Scene, attack: Attack) -> None:
    """A leap ends the turn; an attack from hiding gives him away. Clauses: MA-530, MA-740."""
    if LEAP in attack.manoeuvres:
        scene.begin(attack.attacker, TURN_OVER)
    if attack.surprise and scene.flag("attack_reveals"):
        reveal_by_attack(scene, attack.attacker, attack.target)
