"""Evasion: the reaction that cancels hits, by dodging or parrying.

Clauses WH-030, WH-240, WH-590, WH-610, WH-950, WH-960.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from app.engine.asks import GM, Answer, Barred, Cost, Option, Question
from app.engine.events import CheckRolled, DefenceResolved, Hit, Term
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.engine.modifiers import collect, tagged
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.wh40k_d100.checks import Check, chance_against, target_number, unspoken_test
from rulesets.wh40k_d100.conditions import can_act
from rulesets.wh40k_d100.people import REACTION
from rulesets.wh40k_d100.weapons import OFF, Weapon, melee_weapons

DODGE, PARRY, NONE = "dodge", "parry", "none"
CLAUSES = {DODGE: "WH-950", PARRY: "WH-960"}


class Incoming(msgspec.Struct, frozen=True):
    """An attack that has hit, as those it hits see it."""

    attacker: CombatantId
    melee: bool
    critical: bool
    area: bool
    unseen: frozenset[CombatantId]
    surprised: frozenset[CombatantId]


class Evaded(msgspec.Struct, frozen=True):
    """What one target answered and rolled; `negated` are the numbers of the hits he cancels."""

    option: str
    negated: tuple[int, ...] = ()
    told: CheckRolled | None = None


def may_evade(table: Table, who: CombatantId, attack: Incoming) -> bool:
    """Whether he is asked at all: able, with what some reaction costs left, and not taken unseen or by surprise.

    Clauses: WH-030, WH-590, WH-940.
    """
    if not can_act(table, who) or table.has(who, "blinded"):
        return False
    if all(any(_why_not(table, who, one, attack)) for one in (DODGE, PARRY)):
        return False
    if who in attack.surprised and table.option("surprised_evasion") == "forbidden":
        return False
    return who not in attack.unseen or table.option("unseen_evasion") != "forbidden"


def price_of(table: Table, option: str) -> int:
    """Reactions that it costs, by the action of that name. Clauses: WH-030, WH-950, WH-960."""
    action = table.rules.actions.get(ActionId(option))
    if action is None:
        return 1
    return sum(cost.amount for cost in action.costs[action.default_type] if cost.budget == REACTION)


def _why_not(table: Table, who: CombatantId, option: str, attack: Incoming) -> Iterator[Reason]:
    """What bars one of the two. Clauses: WH-030, WH-960."""
    yield from table.rules.why_forbidden(option, "/option")
    if option == PARRY and (not attack.melee or parrying_weapon(table, who) is None):
        yield table.rules.reason("parry_not_possible", "WH-960", at="/option")
    need, left = price_of(table, option), table.who(who).budget.get(REACTION, 0)
    if left < need:
        yield table.rules.reason("no_reaction_left", "WH-030", at="/option", need=need, got=left)


def parrying_weapon(table: Table, who: CombatantId) -> tuple[ItemId, Weapon] | None:
    """The ready melee weapon that parries best, None if he has none. Clauses: WH-610, WH-960."""
    fit = list(melee_weapons(table, who))
    return max(fit, key=lambda one: sum(term.value for term in _parry_terms(table, who, one)), default=None)


def _parry_terms(table: Table, who: CombatantId, held: tuple[ItemId, Weapon]) -> tuple[Term, ...]:
    tags = {PARRY, *tagged("quality", tuple(held[1].qualities))}
    own = table.who(who).sheet.stats.get("off_hand_penalty")
    listed = table.option("off_hand_actions")
    is_off = table.item(who, held[0]).held == OFF and isinstance(listed, tuple) and PARRY in listed
    if is_off and own is None:
        tags.add("off_hand")
    terms = collect(table.rules.modifiers, "evade", tags)
    return (*terms, Term("off_hand", own, ClauseId("WH-610"))) if is_off and own else terms


def evasion_terms(table: Table, who: CombatantId, option: str, attack: Incoming) -> tuple[Term, ...]:
    """Every row of an Evasion test. Clauses: WH-240, WH-590, WH-610, WH-960."""
    terms = list(collect(table.rules.modifiers, "evade", {option, *(("critical",) if attack.critical else ())}))
    weapon = parrying_weapon(table, who) if option == PARRY else None
    if weapon is not None:
        terms.extend(_parry_terms(table, who, weapon))
    penalty = table.option("unseen_evasion_penalty")
    if who in attack.unseen and table.option("unseen_evasion") == "penalty" and isinstance(penalty, int):
        terms.append(Term("unseen", penalty, ClauseId("WH-590")))
    return tuple(terms)


def evade_all(scene: Scene, attack: Incoming, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Ask everybody who is hit, side by side, then tell it in order. Gives the hits that stand. Clause: WH-070."""
    own: dict[CombatantId, tuple[Hit, ...]] = {}
    for hit in hits:
        own[hit.target] = (*own.get(hit.target, ()), hit)
    asked = [who for who in own if may_evade(scene, who, attack)]
    if not asked:
        return tuple(hits)
    answers = scene.gather({who: partial(_ask, scene, who, attack, own[who]) for who in asked})
    gone: set[int] = set()
    for who in (body.id for body in scene.in_order() if body.id in answers):
        gone.update(_tell(scene, who, attack, own[who], answers[who]))
    return tuple(hit for hit in hits if hit.number not in gone)


def _ask(scene: Scene, who: CombatantId, attack: Incoming, hits: tuple[Hit, ...]) -> Evaded:
    answer = scene.ask(_question(scene, who, attack, len(hits)))
    if answer.option == NONE:
        return Evaded(NONE)
    tested, skill = ("ag", "dodge_bonus") if answer.option == DODGE else ("ws", "parry_bonus")
    terms = evasion_terms(scene, who, answer.option, attack)
    if answer.option == PARRY and any(term.id == "off_hand" for term in terms) and not _counts(scene, who):
        terms = tuple(term for term in terms if term.id != "off_hand")
    check, told = unspoken_test(
        scene,
        who,
        tested,
        "evade",
        target_number(scene, who, tested, terms, skill),
        clause=CLAUSES[answer.option],
        name=answer.option,
        against=attack.attacker,
        sees=lambda check: _cancelled(check, attack, len(hits)),
    )
    count = _cancelled(check, attack, len(hits))
    return Evaded(answer.option, tuple(hit.number for hit in hits[len(hits) - count :]), told)


def _cancelled(check: Check, attack: Incoming, hits: int) -> int:
    """How many hits go, the last first: as many as there are successes; out of an area altogether. Clause: WH-950."""
    if not check.success:
        return 0
    return hits if attack.area else min(hits, max(1, check.degrees))


def _counts(scene: Scene, who: CombatantId) -> bool:
    """Whether the off hand tells in this test; the GM is asked where the table wants it. Clause: WH-610."""
    if not scene.flag("ask_off_hand"):
        return True
    return off_hand_applies(scene, who)


def off_hand_applies(scene: Scene, who: CombatantId) -> bool:
    """The GM says whether the off hand tells in a test. Clause: WH-610."""
    answer: Answer = scene.ask(
        Question(
            key="",
            name="off_hand_applies",
            kind="off_hand_applies",
            to=GM,
            options=(Option("yes"), Option("no", declines=True)),
            default="yes",
            best="yes",
            about=who,
            clause=ClauseId("WH-610"),
        )
    )
    return answer.option == "yes"


def _question(scene: Scene, who: CombatantId, attack: Incoming, hits: int) -> Question:
    """Dodge, parry if that is possible, or take it. Clauses: WH-950, WH-960."""
    against = {one: tuple(_why_not(scene, who, one, attack)) for one in (DODGE, PARRY)}
    options = [
        Option(one, _chance(scene, who, one, attack), (Cost(REACTION, price_of(scene, one)),), own=True)
        for one, reasons in against.items()
        if not reasons
    ]
    best = max(options, key=lambda option: (option.chance or 0, option.id))
    return Question(
        key="",
        name="defend",
        kind="defend",
        to=who,
        options=(*options, Option(NONE, declines=True)),
        default=NONE,
        best=best.id,
        about=attack.attacker,
        barred=tuple(Barred(one, reasons) for one, reasons in against.items() if reasons),
        informed=True,
        figures={"hits": hits},
        clause=ClauseId("WH-950"),
    )


def _chance(table: Table, who: CombatantId, option: str, attack: Incoming) -> int:
    tested, skill = ("ag", "dodge_bonus") if option == DODGE else ("ws", "parry_bonus")
    terms = evasion_terms(table, who, option, attack)
    return chance_against(table, target_number(table, who, tested, terms, skill).number)


def _tell(scene: Scene, who: CombatantId, attack: Incoming, hits: tuple[Hit, ...], answer: Evaded) -> tuple[int, ...]:
    if answer.told is None:
        return ()
    spend_reaction(scene, who, price_of(scene, answer.option))
    scene.emit(answer.told)
    left = tuple(hit.number for hit in hits if hit.number not in answer.negated)
    clause = ClauseId(CLAUSES[answer.option])
    scene.emit(DefenceResolved(who, attack.attacker, answer.option, answer.negated, left, clause))
    return answer.negated


def spend_reaction(scene: Scene, who: CombatantId, price: int) -> None:
    """The reaction is gone, and an aim with it. Clauses: WH-030, WH-990."""
    scene.set_budget(who, REACTION, scene.who(who).budget.get(REACTION, 0) - price, "WH-030")
    scene.tick("reaction", who)
