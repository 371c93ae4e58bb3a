"""Evasion: the reaction that turns hits away, by dodging or parrying.

Clauses DH-1110 to DH-1140, DH-3600 to DH-3670.
"""

from collections.abc import Iterator, Sequence

import msgspec

from app.engine.asks import Answer, Barred, Cost, Option, Question
from app.engine.events import DefenceResolved, Hit, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.engine.modifiers import collect, tagged
from app.engine.reasons import Reason, in_order
from app.engine.scene import Scene
from app.engine.space.model import Area, Exit, Point
from app.engine.table import Table
from rulesets.dark_heresy_2e import fate
from rulesets.dark_heresy_2e.checks import Check, Told, target_number, tell, unspoken_test
from rulesets.dark_heresy_2e.conditions import has_own_turn, interrupt_extended
from rulesets.dark_heresy_2e.dodging import choosing, chosen, step_out, way_out, why_not_chosen
from rulesets.dark_heresy_2e.tags import surroundings
from rulesets.dark_heresy_2e.weapons import Weapon, is_unarmed, readied

DODGE, PARRY, NONE = "dodge", "parry", "none"
STORM_PER_DEGREE = 2
PERCENT = 10_000
REACTION = "reaction"
BONUS_REACTION = "bonus_reaction"
FEINTED_ACTION = "standard_attack"
"""The one attack that somebody fooled by a feint cannot evade. Clause: DH-4620."""


class Incoming(msgspec.Struct, frozen=True):
    """An attack that has hit, as those it hits see it: who, with what, in melee or not, and how many hits at each."""

    attacker: CombatantId
    weapon: Weapon
    melee: bool
    unaware: CombatantId | None = None
    """Who does not expect it."""
    area: Area | None = None
    """What it strikes, if that is more than a target: only a step out of it turns it away (DH-3660)."""
    action: ActionId | None = None
    """The action it is the attack of, where that matters to who may evade."""
    given: frozenset[str] = frozenset()
    """Circumstances stated for the attack that its target shares, such as rain."""


class Evaded(msgspec.Struct, frozen=True):
    """What one target answered and rolled; `negated` are the numbers of the hits he turned away."""

    option: str
    negated: tuple[int, ...] = ()
    told: tuple[Told, ...] = msgspec.field(default=())
    fate: bool = False
    """Whether a point of Fate went into the test before it was rolled (DH-5680)."""
    out: Exit | None = None
    """How far the edge of an area is, and whether he gets there (DH-3660)."""
    to: Point | None = None
    """Where to, if he has chosen it."""


def reactions_left(table: Table, who: CombatantId) -> int:
    """Reactions he still has, extra ones included. Clause: DH-1110."""
    budget = table.who(who).budget
    return budget.get(REACTION, 0) + budget.get(BONUS_REACTION, 0)


def why_no_evasion(table: Table, who: CombatantId, attack: Incoming) -> Iterator[Reason]:
    """Every reason why he cannot react to this attack at all. Clauses: DH-1110 to DH-1130, DH-3020, DH-3600."""
    reason = table.rules.reason
    if reactions_left(table, who) < 1:
        yield reason("no_reaction_left", "DH-1110")
    if has_own_turn(table, who):
        yield reason("reaction_in_own_turn", "DH-1120")
    for condition in ("stunned", "unconscious", "helpless", "surprised"):
        if table.has(who, condition):
            yield reason(condition, "DH-1130")
    if attack.unaware == who or table.has(who, "unaware"):
        yield reason("unaware", "DH-1130")
    if table.has(who, "all_out") and table.option("all_out_bars") == "evasion":
        yield reason("evasion_forbidden", "DH-3020")
    feint = table.effect(who, "feinted")
    fooled = feint is not None and feint.against == attack.attacker and attack.action == FEINTED_ACTION
    if fooled or (table.has(who, "grappled", "grapple_controller") and table.flag("grapple_no_evasion")):
        yield reason("evasion_forbidden", "DH-3600")


def why_not_dodge(table: Table, who: CombatantId) -> Iterator[Reason]:
    """What keeps him from dodging only. Clauses: DH-1060, DH-3020."""
    if table.has(who, "immobilised"):
        yield table.rules.reason("immobilised", "DH-1060")
    if table.has(who, "all_out") and table.option("all_out_bars") == "dodge":
        yield table.rules.reason("evasion_forbidden", "DH-3020")


def why_not_parry(table: Table, who: CombatantId, attack: Incoming) -> Iterator[Reason]:
    """What keeps him from parrying only. Clauses: DH-3605, DH-3620, DH-3680, DH-5340."""
    reason = table.rules.reason
    pistol = attack.weapon.class_ == "pistol" and table.engaged(who, attack.attacker)
    at_hand = attack.melee or (pistol and table.flag("parry_pistol_in_melee"))
    if not at_hand:
        yield reason("cannot_parry_ranged", "DH-3605")
    if attack.area:
        yield reason("cannot_parry_area", "DH-3680")
    if at_hand and (attack.weapon.has("flexible") or parrying_weapon(table, who, attack) is None):
        yield reason("cannot_parry", "DH-3620")


def parrying_weapon(table: Table, who: CombatantId, attack: Incoming) -> tuple[ItemId | None, Weapon] | None:
    """The readied weapon that parries best; bare hands against bare hands; None if nothing can. Clause: DH-3620."""
    fit = [(key, weapon) for key, weapon in readied(table, who) if weapon.is_melee and not weapon.has("unwieldy")]
    if fit:
        return max(fit, key=lambda entry: sum(term.value for term in _quality_terms(table, entry[1])))
    if attack.weapon.natural and is_unarmed(table, who):
        bare: Weapon = table.rules.weapons["unarmed"]
        return None, bare
    return None


def _quality_terms(table: Table, weapon: Weapon) -> tuple[Term, ...]:
    return collect(table.rules.modifiers, "evade", {PARRY, *tagged("quality", tuple(weapon.qualities))})


def evasion_terms(table: Table, who: CombatantId, option: str, attack: Incoming) -> tuple[Term, ...]:
    """Modifiers of an Evasion test. Clause: DH-3610."""
    tags = {option, *(f"given.{modifier}" for modifier in attack.given)}
    tags.update(tagged("actor", table.active(who)))
    tags.update(surroundings(table, who, attack.attacker))
    if option == PARRY:
        weapon = parrying_weapon(table, who, attack)
        if weapon is not None:
            tags.update(tagged("quality", tuple(weapon[1].qualities)))
    return collect(table.rules.modifiers, "evade", tags)


def negated_count(table: Table, option: str, degrees: int, attack: Incoming, hits: int) -> int:
    """How many hits a success turns away. Clauses: DH-3610, DH-3630, DH-3635, DH-3640."""
    if hits == 1:
        return 1
    if option == PARRY and table.option("parry_multi") == "one_only":
        return 1
    counted = degrees + 1 if table.option("evasion_multi") == "one_plus_dos" else degrees
    return min(hits, counted * (STORM_PER_DEGREE if attack.weapon.has("storm") else 1))


def chance(table: Table, who: CombatantId, option: str, attack: Incoming) -> int:
    """Chance in millionths that the test succeeds. Clause: DH-2040."""
    number = target_number(table, who, option, evasion_terms(table, who, option, attack)).number
    return min(99, max(1, number)) * PERCENT


def evade_all(scene: Scene, attack: Incoming, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Ask everybody who is hit, side by side, then tell it in initiative order. Gives the hits that stand.

    Clause: DH-3650.
    """
    targets = dict.fromkeys(hit.target for hit in hits)
    own = {who: tuple(hit for hit in hits if hit.target == who) for who in targets}
    asked = [who for who in targets if not in_order(why_no_evasion(scene, who, attack))]
    if not asked:
        return tuple(hits)

    def branch(who: CombatantId) -> Evaded:
        return _evade_ask(scene, who, attack, own[who])

    answers = scene.gather({who: (lambda who=who: branch(who)) for who in asked})  # type: ignore[misc]
    gone: set[int] = set()
    for who in _in_order(scene, asked):
        gone.update(_evade_tell(scene, who, attack, own[who], answers[who]))
    return tuple(hit for hit in hits if hit.number not in gone)


def _in_order(table: Table, several: list[CombatantId]) -> list[CombatantId]:
    """Some of those who take part, in initiative order."""
    if len(several) <= 1:
        return several
    order = {body.id: place for place, body in enumerate(table.in_order())}
    return sorted(several, key=lambda one: (order.get(one, 0), one))


def _evade_ask(scene: Scene, who: CombatantId, attack: Incoming, hits: tuple[Hit, ...]) -> Evaded:
    """One target's whole asking: his choice, his die, and which hits go if only some do."""
    can_dodge = not any(True for _ in why_not_dodge(scene, who))
    out = way_out(scene, who, attack.area) if attack.area is not None and can_dodge else None
    question = _defend_question(scene, who, attack, len(hits), out)
    if question is None:
        return Evaded(NONE)
    answer = scene.ask(question, lambda given: _why_not_so(scene, who, attack, given))
    if answer.option == NONE:
        return Evaded(NONE)
    to = chosen(answer)
    if out is not None and not out.possible and to is None:
        return Evaded(answer.option, out=out)
    with_fate = answer.fields.get(fate.FIELD) is True
    terms = evasion_terms(scene, who, answer.option, attack)
    if with_fate:
        terms = (*terms, *fate.bonus_terms(scene))
    check, told = unspoken_test(
        scene,
        who,
        answer.option,
        "evade",
        terms,
        clause="DH-3610",
        name=answer.option,
        against=attack.attacker,
        sees=lambda success, degrees: success and negated_count(scene, answer.option, degrees, attack, len(hits)),
    )
    if not check.success:
        return Evaded(answer.option, told=(told,), fate=with_fate)
    if out is not None:
        return Evaded(answer.option, tuple(hit.number for hit in hits), (told,), with_fate, out, to)
    return Evaded(answer.option, _which(scene, who, attack, hits, answer, check), (told,), with_fate)


def _why_not_so(scene: Scene, who: CombatantId, attack: Incoming, answer: Answer) -> Iterator[Reason]:
    """No point is left to put into the test, or no way leads where he would step. Clauses: DH-3660, DH-5680."""
    if attack.area is not None and answer.option == DODGE:
        yield from why_not_chosen(scene.as_known_to(who), who, attack.area, answer)
    if answer.fields.get(fate.FIELD) is True:
        yield from fate.why_none(scene, who)


def _fate_field(scene: Scene, who: CombatantId) -> Field:
    """A point for the test; whoever has none is told so instead. Clause: DH-5680."""
    return Field(fate.FIELD, "bool", clause=fate.CLAUSE, barred=tuple(fate.why_none(scene, who)))


def _defend_question(
    scene: Scene, who: CombatantId, attack: Incoming, hits: int, out: Exit | None = None
) -> Question | None:
    options, barred = [], []
    for option, reasons in (
        (DODGE, in_order(why_not_dodge(scene, who))),
        (PARRY, in_order(why_not_parry(scene, who, attack))),
    ):
        if reasons:
            barred.append(Barred(option, reasons))
        else:
            pool = REACTION if scene.who(who).budget.get(REACTION, 0) else BONUS_REACTION
            form = (_fate_field(scene, who), *(choosing(scene) if out is not None else ()))
            works = chance(scene, who, option, attack) if out is None or out.possible else 0
            options.append(Option(option, works, (Cost(pool, 1),), form=form, own=True))
    if not options:
        return None
    best = max(options, key=lambda option: (option.chance or 0, option.id))
    return Question(
        key="",
        name="defend",
        kind="defend",
        to=who,
        options=(*options, Option(NONE, declines=True)),
        default=NONE,
        best=best.id if best.chance else NONE,
        about=attack.attacker,
        barred=tuple(barred),
        informed=True,
        lengths={} if out is None else {"exit_distance": out.length},
        figures={"hits": hits} if out is None else {"hits": hits, "escapable": int(out.possible)},
        clause=ClauseId("DH-3600"),
        stranger=scene.rules.reason("unknown_reaction", "DH-1140", at="/option", names=(DODGE, PARRY)),
    )


def _which(
    scene: Scene, who: CombatantId, attack: Incoming, hits: tuple[Hit, ...], answer: Answer, check: Check
) -> tuple[int, ...]:
    """The hits turned away; where only some are, their target says which, the last ones unless he does.

    Clause: DH-3630.
    """
    count = negated_count(scene, answer.option, check.degrees, attack, len(hits))
    last = tuple(hit.number for hit in hits[len(hits) - count :])
    if count >= len(hits):
        return last
    numbers = tuple(str(hit.number) for hit in hits)
    chosen = scene.ask(
        Question(
            key="",
            name="negate_hits",
            kind="negate_hits",
            to=who,
            options=(
                Option("last"),
                Option("choose", form=(Field("hits", "words", True, numbers, minimum=count, maximum=count),)),
            ),
            default="last",
            best="last",
            about=attack.attacker,
            informed=True,
            figures={"hits": len(hits), "negated": count},
            clause=ClauseId("DH-3630"),
        )
    )
    if chosen.option == "last":
        return last
    return tuple(sorted(int(number) for number in chosen.fields["hits"]))


def _evade_tell(
    scene: Scene, who: CombatantId, attack: Incoming, hits: tuple[Hit, ...], answer: Evaded
) -> tuple[int, ...]:
    """Tell how he did. Gives the numbers of the hits that he has turned away."""
    if answer.option == NONE:
        return ()
    spend_reaction(scene, who)
    if answer.fate:
        fate.spend(scene, who, fate.BEFORE)
    for told in answer.told:
        tell(scene, told)
    negated = answer.negated
    if answer.out is not None and not (negated and _steps_out(scene, who, attack, answer)):
        negated = ()
        scene.emit(Noted(who, "evasion_impossible", clause=ClauseId("DH-3660")))
    left = tuple(hit.number for hit in hits if hit.number not in negated)
    scene.emit(DefenceResolved(who, attack.attacker, answer.option, negated, left, ClauseId("DH-3610")))
    return negated


def _steps_out(scene: Scene, who: CombatantId, attack: Incoming, answer: Evaded) -> bool:
    assert attack.area is not None
    assert answer.out is not None
    return step_out(scene, who, attack.area, answer.out.length, answer.to)


def spend_reaction(scene: Scene, who: CombatantId) -> None:
    """The ordinary reaction goes first. It spoils an aim, ends Overwatch, interrupts an extended action.

    Clauses: DH-1110, DH-1160, DH-3920, DH-4360.
    """
    budget = scene.who(who).budget
    pool = REACTION if budget.get(REACTION, 0) else BONUS_REACTION
    scene.set_budget(who, pool, budget.get(pool, 0) - 1, "DH-1110")
    interrupt_extended(scene, who, "reaction")
    scene.tick("reaction", who)
