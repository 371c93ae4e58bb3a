"""Active defence: dodge, parry, block, with a retreat or by dropping, and a second one. Clauses GU-300 to GU-395,
GU-790, GU-950, GU-1110 to GU-1150, GU-1220, GU-1870, GU-2050, GU-2160.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.engine.asks import Answer, Barred, Option, Question
from app.engine.events import DefenceResolved, Term
from app.engine.forms import Field, Form
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason, in_order
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import PARRYING, SHIELD_BASH, SHOT, STRIKE, THROW, Blow
from rulesets.gurps_4e.checks import (
    PER,
    Check,
    chance,
    is_trained,
    level,
    succeeds,
    take_test,
    total_of,
    unarmed_skill,
    unspoken_test,
)
from rulesets.gurps_4e.circumstances import DEFEND, given_terms
from rulesets.gurps_4e.conditions import is_out, is_shaky
from rulesets.gurps_4e.criticals import critical_miss
from rulesets.gurps_4e.figures import (
    YARD,
    figure,
    half_up,
    has_trait,
    is_reeling,
    posture_of,
    posture_row,
    tables_of,
)
from rulesets.gurps_4e.holding_on import knocked_down, stay_conscious, tell_used
from rulesets.gurps_4e.reach import REAR, SIDE, arc_of, can_see, distance, is_side_of
from rulesets.gurps_4e.retreating import (
    has_retreated_from,
    retreat,
    throw_oneself_down,
    why_not_drop,
    why_not_retreat,
)
from rulesets.gurps_4e.weapons import (
    BOTH,
    MAIN,
    OFF,
    THRUST,
    damage_text,
    free_hands,
    hand_is_lame,
    held,
    is_usable,
    min_st_penalty,
    modes_of,
    weapon_of,
)

DODGE, PARRY, BLOCK, NONE = "dodge", "parry", "block", "none"
DROP = "dodge_and_drop"
KINDS = (DODGE, PARRY, BLOCK, DROP)
WITH, RETREAT = "with", "retreat"
HAND = "hand"
"""A parry with an empty hand: `hand_main` or `hand_off`."""
NIMBLE = ("boxing", "karate", "judo")
"""Unarmed skills that parry the better for a step back. Clause: GU-370."""
HALVES = 2


class Defence(msgspec.Struct, frozen=True):
    """One way to defend: what is done, with which item or empty hand, stepping back or falling."""

    kind: str
    item: ItemId | None = None
    hand: str | None = None
    retreats: bool = False
    drops: bool = False


# Whether at all


def why_no_defence(table: Table, who: CombatantId, blow: Blow) -> Iterator[Reason]:
    """Every reason why he cannot defend at all. Clauses: GU-080, GU-390, GU-790, GU-1650."""
    reason = table.rules.reason
    if is_out(table, who):
        yield reason("cannot_act", "GU-080")
    if table.has(who, "no_active_defense"):
        yield reason("no_active_defense", "GU-790")
    behind = arc_of(table, who, blow.attacker, blow.arc) == REAR
    if table.has(who, "bound") or behind or not is_aware(table, who, blow):
        yield reason("no_active_defense", "GU-390")


def is_aware(table: Table, who: CombatantId, blow: Blow) -> bool:
    """Whether he knows that he is attacked: as somebody has said, else unless the attacker is hidden from him.

    Clause: GU-390.
    """
    return blow.attacker not in table.unknown_to(who) if blow.aware is None else blow.aware


# Which


def parry_ways(table: Table, who: CombatantId) -> Iterator[Defence]:
    """Everything he could parry with if it were allowed: weapons in hand, then empty hands. Clause: GU-330."""
    for key, _, weapon in held(table, who):
        if weapon.kind == "melee":
            yield Defence(PARRY, key)
    full = {item.held for item in table.who(who).items.values()}
    empty = [hand for hand in (MAIN, OFF) if full.isdisjoint((hand, BOTH)) and not hand_is_lame(table, who, hand)]
    for hand in empty[: max(0, free_hands(table, who))]:
        yield Defence(PARRY, None, hand)


def block_ways(table: Table, who: CombatantId) -> Iterator[Defence]:
    """Every shield or cloak in his hands. Clause: GU-340."""
    for key, _, weapon in held(table, who):
        if weapon.is_shield:
            yield Defence(BLOCK, key)


def why_no_way(table: Table, who: CombatantId, kind: str) -> Reason:
    """Why somebody cannot parry or block who has nothing to do it with. Clauses: GU-330, GU-340."""
    if kind == BLOCK:
        return table.rules.reason("no_ready_shield", "GU-340")
    others = tuple(key for key, _, _ in held(table, who))
    code = "weapon_cannot_parry" if others else "weapon_not_ready"
    return table.rules.reason(code, "GU-330", names=others)


def why_not_parry(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Iterator[Reason]:
    """What keeps him from parrying with that. Clauses: GU-290, GU-330, GU-360, GU-390, GU-950."""
    reason = table.rules.reason
    if table.has(who, "moved_and_attacked"):
        yield reason("parry_not_allowed", "GU-950")
    if blow.form == SHOT:
        yield reason("cannot_parry_this_attack", "GU-330")
    if blow.unheard:
        yield reason("cannot_parry_this_attack", "GU-390")
    if way.item is None:
        return
    weapon, names = weapon_of(table, who, way.item), (way.item,)
    if weapon.parry is None:
        yield reason("weapon_cannot_parry", "GU-330", names=names)
    if weapon.no_default and not is_trained(table, who, weapon.skill):
        yield reason("untrained", "GU-290", names=(weapon.skill,))
    if not is_usable(table, who, way.item):
        yield reason("weapon_not_ready", "GU-330", names=names)
    if any(one.item == way.item for one in table.effects(who, "unbalanced_by_attack")):
        yield reason("unbalanced_after_attack", "GU-360", names=names)
    if _too_close(table, who, blow) and not any(0 in mode.reach for mode in modes_of(table, who, way.item).values()):
        yield reason("cannot_parry_this_attack", "GU-330", names=names)


def why_not_block(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Iterator[Reason]:
    """What keeps him from blocking with that. Clauses: GU-290, GU-330, GU-340, GU-390, GU-2240."""
    reason = table.rules.reason
    assert way.item is not None
    weapon, names = weapon_of(table, who, way.item), (way.item,)
    if not is_usable(table, who, way.item):
        yield reason("no_ready_shield", "GU-340", names=names)
    if weapon.no_default and not is_trained(table, who, weapon.skill):
        yield reason("untrained", "GU-290", names=(weapon.skill,))
    if any(one.item == way.item for one in table.effects(who, "blocked")):
        yield reason("block_already_used", "GU-340", names=names)
    if (blow.form == SHOT and blow.weapon.is_firearm) or _too_close(table, who, blow):
        yield reason("cannot_block_this_attack", "GU-340", names=names)
    if blow.unheard:
        yield reason("cannot_block_this_attack", "GU-390", names=names)


def _too_close(table: Table, who: CombatantId, blow: Blow) -> bool:
    """Whether they are at distance 0, where the attacker has not come just now. Clause: GU-330."""
    return distance(table, who, blow.attacker) == 0 and not blow.came_close


# Against what number


def defence_terms(table: Table, who: CombatantId, blow: Blow, way: Defence) -> tuple[Term, ...]:
    """Every term of a defence roll. Clauses: GU-310 to GU-390, GU-1110, GU-1640, GU-1740, GU-2150, GU-2610."""
    core, back = tables_of(table).core, not way.drops and _steps_back(table, who, blow, way)
    terms = [*_base(table, who, way, back)]
    if has_trait(table, who, "combat_reflexes") and way.kind != DODGE:
        terms.append(Term("combat_reflexes", core.combat_reflexes, ClauseId("GU-310")))
    terms.append(Term("shield", _db(table, who, blow), ClauseId("GU-350")))
    stance = table.effect(who, "all_out_defending")
    if stance is not None and stance.word == f"increased_{way.kind}":
        terms.append(Term(stance.word, core.increased_defense, ClauseId("GU-1110")))
    terms.append(Term("posture", posture_row(table, posture_of(table, who)).defense, ClauseId("GU-1740")))
    if is_shaky(table, who):
        terms.append(Term("stunned", core.stunned, ClauseId("GU-1640")))
    if table.has(who, "off_balance"):
        terms.append(Term("off_balance", core.off_balance, ClauseId("GU-2610")))
    terms.append(Term("feint", -blow.feint, ClauseId("GU-850")))
    if arc_of(table, who, blow.attacker, blow.arc) == SIDE:
        terms.append(Term("side", core.side, ClauseId("GU-390")))
    if not can_see(table, who, blow.attacker):
        terms.append(Term("unseen_attacker", core.unseen_attacker, ClauseId("GU-390")))
    if way.kind == PARRY:
        terms += _parrying(table, who, blow, way)
    if way.drops:
        terms.append(Term(DROP, core.drop, ClauseId("GU-380")))
    elif back:
        terms.append(Term(RETREAT, _retreat_bonus(table, who, way), ClauseId("GU-370")))
    terms += given_terms(table, blow.given, DEFEND, {way.kind})
    return (terms[0], *(term for term in terms[1:] if term.value))


def _base(table: Table, who: CombatantId, way: Defence, back: bool) -> Iterator[Term]:
    """What a defence rests on: Dodge, or half the skill; a skill that is lowered lowers it, shock does not.

    Clauses: GU-320 to GU-340, GU-2060, GU-2130, GU-2150, GU-2230.
    """
    if way.kind == DODGE:
        dodge = dodge_of(table, who)
        yield Term("dodge", dodge, ClauseId("GU-320"))
        if is_reeling(table, who):
            yield Term("reeling", half_up(dodge) - dodge, ClauseId("GU-2150"))
        return
    skill = level(table, who, defence_skill(table, who, way, back)) or 0
    clause = ClauseId("GU-330" if way.kind == PARRY else "GU-340")
    yield Term(way.kind, tables_of(table).core.defense_base + skill // HALVES, clause)
    for lowered in _lowering(table, who, way):
        less = skill + lowered.value
        yield Term(lowered.id, less // HALVES - skill // HALVES, lowered.clause)
        skill = less


def _lowering(table: Table, who: CombatantId, way: Defence) -> Iterator[Term]:
    """What lowers the skill itself: being held, a weapon that is too heavy. Clauses: GU-2060, GU-2230."""
    if table.has(who, "grappled"):
        yield Term("grappled", tables_of(table).core.grappled, ClauseId("GU-2230"))
    if way.item is not None:
        yield Term("min_st", min_st_penalty(table.who(who), weapon_of(table, who, way.item)), ClauseId("GU-2060"))


def dodge_of(table: Table, who: CombatantId) -> int:
    """Base Dodge, before it is halved by wounds. Clauses: GU-320, GU-2150."""
    body, core = table.who(who), tables_of(table).core
    reflexes = core.combat_reflexes if has_trait(table, who, "combat_reflexes") else 0
    return figure(body, "basic_speed") // YARD + core.defense_base - figure(body, "encumbrance") + reflexes


def defence_skill(table: Table, who: CombatantId, way: Defence, back: bool) -> str:
    """The skill that a parry or block rests on. A bare hand parries by what parries best, stepping `back` counted.

    Clauses: GU-290, GU-330, GU-340, GU-370.
    """
    if way.item is not None:
        return weapon_of(table, who, way.item).skill
    best = unarmed_skill(table, who, (*NIMBLE, "brawling"))
    nimble = unarmed_skill(table, who, NIMBLE)
    if back and nimble in NIMBLE:
        bonus = tables_of(table).core.retreat
        halves = [(level(table, who, skill) or 0) // HALVES for skill in (best, nimble)]
        return nimble if halves[1] + bonus.fencing > halves[0] + bonus.parry else best
    return best


def _db(table: Table, who: CombatantId, blow: Blow) -> int:
    """Defence bonus of the best ready shield, from the front and its own side. Clause: GU-350."""
    if blow.form == SHOT and blow.weapon.is_firearm:
        return 0
    aside = arc_of(table, who, blow.attacker, blow.arc) == SIDE
    return max(
        (
            weapon.db
            for key, item, weapon in held(table, who)
            if is_usable(table, who, key)
            and not (aside and not is_side_of(table, item.held, who, blow.attacker, blow.arc))
        ),
        default=0,
    )


def _parrying(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Iterator[Term]:
    """The weapon's own modifier, repeated parries, the off hand, bare hands, thrown weapons. Clause: GU-330."""
    core = tables_of(table).core
    weapon = None if way.item is None else weapon_of(table, who, way.item)
    if weapon is not None and weapon.parry:
        yield Term("weapon", weapon.parry, ClauseId("GU-330"))
    repeats = sum(1 for one in table.effects(who, "parried") if (one.item, one.word) == (way.item, way.hand))
    if repeats:
        step = core.repeated_parry
        for eased in (weapon is not None and weapon.fencing, has_trait(table, who, "weapon_master")):
            step = step // HALVES if eased else step
        yield Term("repeated_parry", repeats * step, ClauseId("GU-330"))
    carried = table.carried(who, way.item)
    if carried is not None and carried.held == OFF and not has_trait(table, who, "ambidexterity"):
        yield Term("off_hand", core.off_hand_parry, ClauseId("GU-330"))
    if weapon is None and not blow.is_unarmed and not _is_thrust(blow):
        yield Term("bare_hand", core.bare_hand_parry, ClauseId("GU-330"))
    if blow.form == THROW and blow.thrown is not None:
        worth = core.thrown_knife_parry if blow.thrown.knife else core.thrown_parry
        yield Term("thrown_weapon", worth, ClauseId("GU-330"))


def _is_thrust(blow: Blow) -> bool:
    """Whether a weapon is thrust, not swung or thrown. Clause: GU-330."""
    return blow.form in (STRIKE, SHIELD_BASH) and damage_text(blow.mode.damage)[0] == THRUST


def _steps_back(table: Table, who: CombatantId, blow: Blow, way: Defence) -> bool:
    """Whether the bonus of a retreat counts, made now or before from the same attacker. Clause: GU-370."""
    return way.retreats or has_retreated_from(table, who, blow.attacker)


def _retreat_bonus(table: Table, who: CombatantId, way: Defence) -> int:
    """What stepping back adds: more to a parry by whoever fences or boxes. Clause: GU-370."""
    bonus = tables_of(table).core.retreat
    if way.kind != PARRY:
        return bonus.dodge if way.kind == DODGE else bonus.block
    fences = way.item is not None and weapon_of(table, who, way.item).fencing
    boxes = way.item is None and defence_skill(table, who, way, True) in NIMBLE
    return bonus.fencing if fences or boxes else bonus.parry


# Asking


def defend(scene: Scene, blow: Blow, hits: int) -> int:
    """Ask the target, roll what he chose and what may follow it. Gives how many of the hits stand.

    Clauses: GU-300, GU-310, GU-1120, GU-1130, GU-2050.
    """
    who = blow.target
    if any(True for _ in why_no_defence(scene, who, blow)):
        return hits
    blow = _listening(scene, blow)
    first = _ask(scene, blow, hits, "defend", None)
    if first is None:
        return hits
    standing = _try(scene, blow, hits, first)
    stance = scene.effect(who, "all_out_defending")
    again = stance is not None and stance.word == "double_defense" and standing == hits
    if not again or any(True for _ in why_no_defence(scene, who, blow)):
        return standing
    with scene.within("second"):
        second = _ask(scene, blow, hits, "second_defense", first)
        return hits if second is None else _try(scene, blow, hits, second)


def _listening(scene: Scene, blow: Blow) -> Blow:
    """Somebody who cannot see the attacker hears the attack come, or can neither parry nor block it.

    It is rolled where he could do either. Clause: GU-390, table 5.11.
    """
    who = blow.target
    ways = [(way, why_not_parry) for way in parry_ways(scene, who)]
    ways += [(way, why_not_block) for way in block_ways(scene, who)]
    if can_see(scene, who, blow.attacker) or all(any(why_not(scene, who, blow, way)) for way, why_not in ways):
        return blow
    hearing = Term("hearing", tables_of(scene).core.hearing, ClauseId("GU-390"))
    check = take_test(scene, who, PER, "hearing", (hearing,), clause="GU-390", against=blow.attacker, sees=succeeds)
    return replace(blow, unheard=not check.success)


def _ask(scene: Scene, blow: Blow, hits: int, kind: str, first: Defence | None) -> Defence | None:
    """The choice of one defence; None for none. Clauses: GU-300, GU-1120."""
    who = blow.target
    options, barred = _offers(scene, blow, first)
    if not options:
        return None
    best = max((one for one in options if one.id != DROP), key=lambda option: (option.chance or 0, option.id))
    question = Question(
        key="",
        name=kind,
        kind=kind,
        to=who,
        options=(*options, Option(NONE, declines=True)),
        default=NONE,
        best=best.id,
        about=blow.attacker,
        barred=barred,
        informed=True,
        figures={"hits": hits},
        clause=ClauseId("GU-300" if first is None else "GU-1120"),
    )
    answer = scene.ask(question, lambda given: _why_not_so(scene, blow, given, first))
    return None if answer.option == NONE else _chosen(scene, blow, answer, first)


Judged = tuple[Defence, tuple[Reason, ...]]


def _judged(table: Table, blow: Blow, kind: str, first: Defence | None) -> list[Judged]:
    """Every way of that kind, with what stands against it."""
    who = blow.target
    found: list[tuple[Defence, Iterator[Reason]]]
    match kind:
        case "parry":
            found = [(way, why_not_parry(table, who, blow, way)) for way in parry_ways(table, who)]
        case "block":
            found = [(way, why_not_block(table, who, blow, way)) for way in block_ways(table, who)]
        case "dodge_and_drop":
            found = [(Defence(DODGE, drops=True), why_not_drop(table, who, blow))]
        case _:
            found = [(Defence(DODGE), iter(()))]
    return [(way, in_order((*reasons, *_why_same(table, first, way)))) for way, reasons in found]


def _offers(table: Table, blow: Blow, first: Defence | None) -> tuple[tuple[Option, ...], tuple[Barred, ...]]:
    """What may be chosen, each with the chance of the best way, and what may not. Clauses: GU-300 to GU-395."""
    who = blow.target
    no_retreat = in_order(why_not_retreat(table, who, blow))
    options: list[Option] = []
    barred: list[Barred] = []
    for kind in KINDS:
        judged = _judged(table, blow, kind, first)
        free = [way for way, reasons in judged if not reasons]
        if free:
            works = max(_chance(table, blow, way) for way in free)
            options.append(Option(kind, works, form=_form(table, blow, judged, kind, no_retreat), own=True))
        else:
            against = [reason for _, reasons in judged for reason in reasons]
            barred.append(Barred(kind, in_order(against or (why_no_way(table, who, kind),))))
    return tuple(options), tuple(barred)


def _chance(table: Table, blow: Blow, way: Defence) -> int:
    """In millionths."""
    return chance(total_of(defence_terms(table, blow.target, blow, way)))


def _form(table: Table, blow: Blow, ways: list[Judged], kind: str, no_retreat: tuple[Reason, ...]) -> Form:
    """With what he can defend so, beside what he cannot use now and why; and whether he steps back; each with its
    chance.
    """
    fields: list[Field] = []
    free = [way for way, reasons in ways if not reasons]
    if kind in (PARRY, BLOCK):
        barred = {_name(way): reasons for way, reasons in ways if reasons}
        chances = {_name(way): _chance(table, blow, way) for way in free}
        names, clause = tuple(chances), ClauseId("GU-300")
        fields.append(Field(WITH, "word", choices=names, barred_choices=barred, clause=clause, chances=chances))
    if kind != DROP:
        back = None if no_retreat else _chance(table, blow, _backwards(table, blow, free))
        fields.append(Field(RETREAT, "bool", clause=ClauseId("GU-370"), barred=no_retreat, chance=back))
    return tuple(fields)


def _backwards(table: Table, blow: Blow, ways: list[Defence]) -> Defence:
    """The way that is meant where an answer steps back and does not say with what."""
    return replace(_best(table, blow, ways), retreats=True)


def _best(table: Table, blow: Blow, ways: list[Defence]) -> Defence:
    return max(ways, key=lambda way: total_of(defence_terms(table, blow.target, blow, way)))


def _name(way: Defence) -> str:
    return way.item if way.item is not None else f"{HAND}_{way.hand}"


def _why_same(table: Table, first: Defence | None, way: Defence) -> Iterator[Reason]:
    """A second defence is of another kind, or a parry with another hand. Clause: GU-1120."""
    if first is not None and first.kind == way.kind and (way.kind != PARRY or _name(first) == _name(way)):
        yield table.rules.reason("defense_must_differ", "GU-1120", at="/option")


def _why_not_so(table: Table, blow: Blow, answer: Answer, first: Defence | None) -> Iterator[Reason]:
    """The answer as it was given: what it is done with. Clauses: GU-330, GU-340, GU-360, GU-1120."""
    if answer.option != NONE:
        way = _chosen(table, blow, answer, first)
        for judged, reasons in _judged(table, blow, answer.option, first):
            if _name(judged) == _name(way):
                yield from reasons


def _chosen(table: Table, blow: Blow, answer: Answer, first: Defence | None) -> Defence:
    """The defence that an answer means: the best of several where it does not say with what."""
    judged = _judged(table, blow, answer.option, first)
    named = answer.word(WITH)
    fit = [way for way, reasons in judged if (_name(way) == named if named else not reasons)]
    best = _best(table, blow, fit or [way for way, _ in judged])
    return replace(best, retreats=answer.fields.get(RETREAT) is True)


# Rolling


def _try(scene: Scene, blow: Blow, hits: int, way: Defence) -> int:
    """Roll one defence. Gives how many hits stand after it. Clauses: GU-310, GU-370 to GU-395, GU-2050, GU-2160.

    The number is that of the moment of the attack: neither the step back nor the fall changes it but by its bonus.
    """
    who = blow.target
    if not stay_conscious(scene, who):
        return hits
    terms, rolled = defence_terms(scene, who, blow, way), DROP if way.drops else way.kind
    if way.drops:
        throw_oneself_down(scene, who, blow.attacker)
    elif way.retreats:
        retreat(scene, who, blow.attacker)
    _spend(scene, who, way)
    told = unspoken_test(
        scene,
        who,
        rolled,
        "defend",
        terms,
        clause="GU-310",
        name=way.kind,
        against=blow.attacker,
        sees=lambda check: negated_count(check, hits),
    )
    scene.emit(told.event)
    negated = negated_count(told.check, hits)
    avoided = tuple(range(hits - negated + 1, hits + 1))
    standing = tuple(range(1, hits - negated + 1))
    clause = ClauseId("GU-2050" if hits > 1 else "GU-310")
    scene.emit(DefenceResolved(who, blow.attacker, rolled, avoided, standing, clause))
    tell_used(scene, who)
    _consequences(scene, blow, way, told.check)
    return hits - negated


def negated_count(check: Check, hits: int) -> int:
    """How many hits a defence avoids: one more than its margin, all for a critical success. Clause: GU-2050."""
    if not check.success:
        return 0
    return hits if check.critical else min(hits, 1 + check.degree)


def _spend(scene: Scene, who: CombatantId, way: Defence) -> None:
    """The defence counts from here on: repeated parries, the block, the balance of the weapon.

    Clauses: GU-330 to GU-360.
    """
    if way.kind == PARRY:
        scene.begin(who, "parried", item=way.item, word=way.hand)
        if way.item is not None and weapon_of(scene, who, way.item).unbalanced:
            scene.begin(who, "unbalanced_by_parry", item=way.item)
    elif way.kind == BLOCK:
        scene.begin(who, "blocked", item=way.item)


def _consequences(scene: Scene, blow: Blow, way: Defence, check: Check) -> None:
    """What a critical result does. Clause: GU-395."""
    if not check.critical:
        return
    who = blow.target
    if check.success:
        if not blow.is_ranged:
            with scene.within("turned"):
                critical_miss(scene, blow.attacker, blow, "GU-395")
    elif way.kind == DODGE:
        knocked_down(scene, who, "GU-395")
    elif way.kind == BLOCK and way.item is not None:
        scene.mark_item(who, way.item, "unready", 1, "GU-395")
    else:
        with scene.within("fumbled"):
            critical_miss(scene, who, _parry_as_blow(scene, who, blow, way), "GU-395")


def _parry_as_blow(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Blow:
    """A parry that went wrong, as the table of critical misses looks at it."""
    weapon = table.rules.weapons["unarmed"] if way.item is None else weapon_of(table, who, way.item)
    modes = modes_of(table, who, way.item)
    name = next(iter(modes), "")
    mode = modes.get(name, blow.mode)
    return Blow(who, blow.attacker, STRIKE, way.item, weapon, name, mode, maneuver=PARRYING)
