"""Active defence: dodge, parry, block, with a retreat or by dropping, and a second one. Clauses GU-300 to GU-395,
GU-790, GU-950, GU-1110 to GU-1150, GU-1220, GU-1870, GU-2050, GU-2160.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from app.engine.asks import Answer, Barred, Option, Question
from app.engine.events import DefenceResolved, Term
from app.engine.forms import Field, Form
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.modifiers import collect, tagged
from app.engine.reasons import Reason, in_order
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import SHOT, STRIKE, THROW, Blow
from rulesets.gurps_4e.checks import Check, chance, level, total_of, unarmed_skill, unspoken_test
from rulesets.gurps_4e.conditions import fall, is_out, is_shaky
from rulesets.gurps_4e.criticals import critical_miss
from rulesets.gurps_4e.figures import (
    CROUCHING,
    STANDING,
    YARD,
    figure,
    half_up,
    has_trait,
    is_reeling,
    posture_of,
    posture_row,
    tables_of,
)
from rulesets.gurps_4e.holding_on import stay_conscious, tell_used
from rulesets.gurps_4e.reach import REAR, SIDE, arc_of, can_see, distance
from rulesets.gurps_4e.retreating import retreat, throw_oneself_down, why_not_retreat
from rulesets.gurps_4e.weapons import MAIN, OFF, Weapon, free_hand, held, is_ready, modes_of, weapon_of

DODGE, PARRY, BLOCK, NONE = "dodge", "parry", "block", "none"
DROP = "dodge_and_drop"
WITH, RETREAT = "with", "retreat"
HAND = "hand"
"""A parry with an empty hand: `hand_main` or `hand_off`."""
MELEE_UNARMED = ("boxing", "karate", "judo")


@dataclass(frozen=True, slots=True)
class Defence:
    """One way to defend: what is rolled, with what, and how likely it is."""

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
    if table.has(who, "bound") or not blow.aware or arc_of(table, who, blow.attacker, blow.arc) == REAR:
        yield reason("no_active_defense", "GU-390")


# Which


def parry_ways(table: Table, who: CombatantId) -> Iterator[Defence]:
    """Everything he could parry with if it were allowed: weapons in hand, then empty hands. Clause: GU-330."""
    taken: set[str] = set()
    for key, item, weapon in held(table, who):
        taken.update((MAIN, OFF) if item.held == "both" else (item.held or "",))
        if weapon.kind == "melee":
            yield Defence(PARRY, key)
    for hand in (MAIN, OFF):
        if hand not in taken and free_hand(table, who) is not None:
            yield Defence(PARRY, None, hand)


def block_ways(table: Table, who: CombatantId) -> Iterator[Defence]:
    """Every shield or cloak in his hands. Clause: GU-340."""
    for key, _, weapon in held(table, who):
        if weapon.is_shield:
            yield Defence(BLOCK, key)


def why_not_parry(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Iterator[Reason]:
    """What keeps him from parrying with that. Clauses: GU-330, GU-360, GU-950."""
    reason = table.rules.reason
    if table.has(who, "moved_and_attacked"):
        yield reason("parry_not_allowed", "GU-950")
    if blow.form == SHOT:
        yield reason("cannot_parry_this_attack", "GU-330")
    close = distance(table, who, blow.attacker) == 0 and not blow.came_close and not blow.is_ranged
    if way.item is None:
        return
    weapon = weapon_in(table, who, way.item)
    if weapon.parry is None:
        yield reason("weapon_cannot_parry", "GU-330", names=(way.item,))
    if not is_ready(table, who, way.item):
        yield reason("weapon_not_ready", "GU-330", names=(way.item,))
    if any(one.item == way.item for one in table.effects(who, "unbalanced_by_attack")):
        yield reason("unbalanced_after_attack", "GU-360", names=(way.item,))
    if close and not any(0 in mode.reach for mode in modes_of(table, who, way.item).values()):
        yield reason("cannot_parry_this_attack", "GU-330", names=(way.item,))


def why_not_block(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Iterator[Reason]:
    """What keeps him from blocking with that. Clauses: GU-330, GU-340, GU-2240."""
    reason = table.rules.reason
    assert way.item is not None
    if not is_ready(table, who, way.item):
        yield reason("no_ready_shield", "GU-340", names=(way.item,))
    if any(one.item == way.item for one in table.effects(who, "blocked")):
        yield reason("block_already_used", "GU-340", names=(way.item,))
    close = distance(table, who, blow.attacker) == 0 and not blow.came_close and not blow.is_ranged
    if (blow.form == SHOT and blow.weapon.is_firearm) or close:
        yield reason("cannot_block_this_attack", "GU-340", names=(way.item,))


def why_not_drop(table: Table, who: CombatantId, blow: Blow) -> Iterator[Reason]:
    """Throwing oneself down: against shots and throws, from standing or crouching. Clause: GU-380."""
    if not blow.is_ranged or posture_of(table, who) not in (STANDING, CROUCHING):
        yield table.rules.reason("retreat_not_allowed", "GU-380")
        return
    yield from why_not_retreat(table, who, blow, "GU-380")


# Against what number


def defence_terms(table: Table, who: CombatantId, blow: Blow, way: Defence) -> tuple[Term, ...]:
    """Every term of a defence roll. Clauses: GU-310 to GU-390, GU-1110, GU-1640, GU-1740, GU-2150, GU-2610."""
    core = tables_of(table).core
    terms = [*_base(table, who, way)]
    if has_trait(table, who, "combat_reflexes") and way.kind != DODGE:
        terms.append(Term("combat_reflexes", 1, ClauseId("GU-310")))
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
    elif way.retreats or has_retreated_from(table, who, blow):
        terms.append(Term(RETREAT, _retreat_bonus(table, who, way), ClauseId("GU-370")))
    tags = {way.kind, *(f"given.{one.id}" for one in blow.given if one.value is None)}
    terms += collect(table.rules.modifiers, "defend", tags | tagged("actor", table.active(who)))
    return (terms[0], *(term for term in terms[1:] if term.value))


def _base(table: Table, who: CombatantId, way: Defence) -> Iterator[Term]:
    if way.kind == DODGE:
        dodge = dodge_of(table, who)
        if is_reeling(table, who):
            yield Term("dodge", dodge, ClauseId("GU-320"))
            yield Term("reeling", half_up(dodge) - dodge, ClauseId("GU-2150"))
        else:
            yield Term("dodge", dodge, ClauseId("GU-320"))
        return
    skill = defence_skill(table, who, way)
    clause = ClauseId("GU-330" if way.kind == PARRY else "GU-340")
    yield Term(way.kind, 3 + skill // 2, clause)


def dodge_of(table: Table, who: CombatantId) -> int:
    """Base Dodge, before it is halved by wounds. Clauses: GU-320, GU-2150."""
    body = table.who(who)
    reflexes = 1 if has_trait(table, who, "combat_reflexes") else 0
    return figure(body, "basic_speed") // YARD + 3 - figure(body, "encumbrance") + reflexes


def defence_skill(table: Table, who: CombatantId, way: Defence) -> int:
    """The skill that a parry or block rests on; a grapple lowers it, shock does not.

    Clauses: GU-330, GU-2130, GU-2230.
    """
    tested = unarmed_skill(table, who) if way.item is None else weapon_in(table, who, way.item).skill
    found = level(table, who, tested) or 0
    return found + (tables_of(table).core.grappled if table.has(who, "grappled") else 0)


def _db(table: Table, who: CombatantId, blow: Blow) -> int:
    """Defence bonus of the best ready shield, from the front and its own side. Clause: GU-350."""
    if blow.weapon.is_firearm and blow.form == SHOT:
        return 0
    return max((weapon.db for key, _, weapon in held(table, who) if is_ready(table, who, key)), default=0)


def _parrying(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Iterator[Term]:
    """The weapon's own modifier, repeated parries, the off hand, bare hands, thrown weapons. Clause: GU-330."""
    core = tables_of(table).core
    weapon = None if way.item is None else weapon_in(table, who, way.item)
    if weapon is not None and weapon.parry:
        yield Term("weapon", weapon.parry, ClauseId("GU-330"))
    repeats = sum(1 for one in table.effects(who, "parried") if (one.item, one.word) == (way.item, way.hand))
    if repeats:
        step = core.repeated_parry
        for eased in (weapon is not None and weapon.fencing, has_trait(table, who, "weapon_master")):
            step = step // 2 if eased else step
        yield Term("repeated_parry", repeats * step, ClauseId("GU-330"))
    hand = way.hand if way.item is None else table.who(who).items[way.item].held
    if hand == OFF and not has_trait(table, who, "ambidexterity") and (weapon is None or not weapon.is_shield):
        yield Term("off_hand", core.off_hand_parry, ClauseId("GU-330"))
    thrust = blow.form == STRIKE and blow.mode.type == "imp"
    if weapon is None and not blow.is_unarmed and not thrust:
        yield Term("bare_hand", core.bare_hand_parry, ClauseId("GU-330"))
    if blow.form == THROW and blow.thrown is not None:
        worth = core.thrown_knife_parry if blow.thrown.knife else core.thrown_parry
        yield Term("thrown_weapon", worth, ClauseId("GU-330"))


def _retreat_bonus(table: Table, who: CombatantId, way: Defence) -> int:
    bonus = tables_of(table).core.retreat
    if way.kind != PARRY:
        return bonus.dodge if way.kind == DODGE else bonus.block
    fences = weapon_in(table, who, way.item).fencing if way.item is not None else False
    boxes = way.item is None and unarmed_skill(table, who, (*MELEE_UNARMED, "brawling")) in MELEE_UNARMED
    return bonus.fencing if fences or boxes else bonus.parry


def has_retreated_from(table: Table, who: CombatantId, blow: Blow) -> bool:
    """Whether a retreat of this turn counts against this attacker's melee attack too. Clause: GU-370."""
    return not blow.is_ranged and any(one.against == blow.attacker for one in table.effects(who, "retreated"))


def weapon_in(table: Table, who: CombatantId, item: ItemId) -> Weapon:
    """The weapon an item of his is."""
    return weapon_of(table, who, item)


# Asking


def defend(scene: Scene, blow: Blow, hits: int) -> int:
    """Ask the target, roll what he chose and what may follow it. Gives how many of the hits stand.

    Clauses: GU-300, GU-310, GU-1120, GU-1130, GU-2050.
    """
    who = blow.target
    if any(True for _ in why_no_defence(scene, who, blow)):
        return hits
    first = _ask(scene, blow, hits, "defend", None)
    if first is None:
        return hits
    standing, _ = _try(scene, blow, hits, first)
    stance = scene.effect(who, "all_out_defending")
    again = stance is not None and stance.word == "double_defense" and standing == hits
    if not again or any(True for _ in why_no_defence(scene, who, blow)):
        return standing
    with scene.within("second"):
        second = _ask(scene, blow, hits, "second_defense", first)
        return hits if second is None else _try(scene, blow, hits, second)[0]


def _ask(scene: Scene, blow: Blow, hits: int, kind: str, first: Defence | None) -> Defence | None:
    """The choice of one defence; None for none. Clauses: GU-300, GU-1120."""
    who = blow.target
    options, barred = _offers(scene, blow, first)
    if not options:
        return None
    best = max(options, key=lambda option: (option.chance or 0, option.id))
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
        stranger=scene.rules.reason("no_active_defense", "GU-300", at="/option"),
    )
    answer = scene.ask(question, lambda given: _why_not_so(scene, blow, given, first))
    return None if answer.option == NONE else _chosen(scene, blow, answer)


def _offers(table: Table, blow: Blow, first: Defence | None) -> tuple[tuple[Option, ...], tuple[Barred, ...]]:
    who = blow.target
    ways: dict[str, list[tuple[Defence, tuple[Reason, ...]]]] = {
        DODGE: [(Defence(DODGE), ())],
        PARRY: [(way, in_order(why_not_parry(table, who, blow, way))) for way in parry_ways(table, who)],
        BLOCK: [(way, in_order(why_not_block(table, who, blow, way))) for way in block_ways(table, who)],
    }
    if blow.is_ranged:
        ways[DROP] = [(Defence(DODGE, drops=True), in_order(why_not_drop(table, who, blow)))]
    may_retreat = not blow.is_ranged and not in_order(why_not_retreat(table, who, blow))
    options: list[Option] = []
    barred: list[Barred] = []
    for name, each in ways.items():
        judged = [(way, (*reasons, *_why_same(table, first, way))) for way, reasons in each]
        free = [way for way, reasons in judged if not reasons]
        if free:
            best = max(free, key=lambda way: chance(total_of(defence_terms(table, who, blow, way))))
            works = chance(total_of(defence_terms(table, who, blow, best)))
            options.append(Option(name, works, form=_form(free, name, may_retreat and name != DROP)))
        elif judged:
            barred.append(Barred(name, judged[0][1]))
    return tuple(options), tuple(barred)


def _form(ways: list[Defence], name: str, may_retreat: bool) -> Form:
    fields: list[Field] = []
    if name in (PARRY, BLOCK) and len(ways) > 1:
        fields.append(Field(WITH, "word", choices=tuple(_name(way) for way in ways), clause=ClauseId("GU-300")))
    if may_retreat:
        fields.append(Field(RETREAT, "bool", clause=ClauseId("GU-370")))
    return tuple(fields)


def _name(way: Defence) -> str:
    return way.item if way.item is not None else f"{HAND}_{way.hand}"


def _why_same(table: Table, first: Defence | None, way: Defence) -> Iterator[Reason]:
    """A second defence is of another kind, or a parry with another hand. Clause: GU-1120."""
    if first is not None and first.kind == way.kind and (way.kind != PARRY or _name(first) == _name(way)):
        yield table.rules.reason("defense_must_differ", "GU-1120", at="/option")


def _why_not_so(table: Table, blow: Blow, answer: Answer, first: Defence | None) -> Iterator[Reason]:
    """The answer as it was given: what it is done with, and the retreat."""
    if answer.option == NONE:
        return
    who, way = blow.target, _chosen(table, blow, answer)
    if way.kind == PARRY:
        yield from why_not_parry(table, who, blow, way)
    if way.kind == BLOCK:
        yield from why_not_block(table, who, blow, way)
    yield from _why_same(table, first, way)
    if way.retreats:
        yield from why_not_retreat(table, who, blow)


def _chosen(table: Table, blow: Blow, answer: Answer) -> Defence:
    """The defence that an answer means: the best of several where it does not say with what."""
    who, kind = blow.target, answer.option
    retreats = answer.fields.get(RETREAT) is True
    if kind == DROP:
        return Defence(DODGE, drops=True)
    if kind == DODGE:
        return Defence(DODGE, retreats=retreats)
    judge: Callable[..., Iterator[Reason]] = why_not_parry if kind == PARRY else why_not_block
    ways = list(parry_ways(table, who) if kind == PARRY else block_ways(table, who))
    named = answer.word(WITH)
    fit = [way for way in ways if (_name(way) == named if named else not any(judge(table, who, blow, way)))]
    best = max(fit or ways, key=lambda way: total_of(defence_terms(table, who, blow, way)))
    return replace(best, retreats=retreats)


# Rolling


def _try(scene: Scene, blow: Blow, hits: int, way: Defence) -> tuple[int, Check | None]:
    """Roll one defence. Gives how many hits stand after it. Clauses: GU-310, GU-370 to GU-395, GU-2050, GU-2160."""
    who = blow.target
    if not stay_conscious(scene, who):
        return hits, None
    if way.drops:
        throw_oneself_down(scene, who, blow)
    elif way.retreats and not retreat(scene, who, blow):
        way = replace(way, retreats=False)
    terms = defence_terms(scene, who, blow, way)
    _spend(scene, who, way)
    told = unspoken_test(
        scene,
        who,
        DROP if way.drops else way.kind,
        "defend",
        terms,
        clause="GU-310",
        name=way.kind,
        against=blow.attacker,
        sees=lambda check: (check.word, negated_count(check, hits) if check.success else 0),
    )
    check = told.check
    scene.emit(told.event)
    negated = negated_count(check, hits) if check.success else 0
    gone = tuple(range(hits - negated + 1, hits + 1))
    scene.emit(
        DefenceResolved(
            who,
            blow.attacker,
            DROP if way.drops else way.kind,
            gone,
            tuple(range(1, hits - negated + 1)),
            ClauseId("GU-2050" if hits > 1 else "GU-310"),
        )
    )
    tell_used(scene, who)
    _consequences(scene, blow, way, check)
    return hits - negated, check


def negated_count(check: Check, hits: int) -> int:
    """How many hits a success avoids: one more than its margin, all for a critical success. Clause: GU-2050."""
    return hits if check.critical else min(hits, 1 + max(0, check.margin))


def _spend(scene: Scene, who: CombatantId, way: Defence) -> None:
    """The defence counts from here on: repeated parries, the block, the balance of the weapon.

    Clauses: GU-330 to GU-360.
    """
    if way.kind == PARRY:
        scene.begin(who, "parried", item=way.item, word=way.hand)
        if way.item is not None and weapon_in(scene, who, way.item).unbalanced:
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
        fall(scene, who, "GU-395")
    elif way.kind == BLOCK and way.item is not None:
        scene.mark_item(who, way.item, "unready", 1, "GU-395")
    else:
        with scene.within("fumbled"):
            critical_miss(scene, who, _parry_as_blow(scene, who, blow, way), "GU-395")


def _parry_as_blow(table: Table, who: CombatantId, blow: Blow, way: Defence) -> Blow:
    """A parry that went wrong, as the table of critical misses looks at it."""
    weapon = table.rules.weapons["unarmed"] if way.item is None else weapon_in(table, who, way.item)
    modes = modes_of(table, who, way.item)
    name = next(iter(modes), "")
    return Blow(who, blow.attacker, "strike", way.item, weapon, name, modes.get(name, blow.mode))
