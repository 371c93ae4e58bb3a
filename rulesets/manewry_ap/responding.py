"""What the target of an attack may do: one immediate action before the ST is set, and one defence.

Clauses MA-040, MA-220, MA-250 to MA-260, MA-330 to MA-370, MA-460, MA-590.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.engine.asks import Answer, Barred, Cost, Option, Question
from app.engine.events import ActionTaken, DefenceResolved, Term
from app.engine.forms import Field, Form
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.reasons import Reason, in_order
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.manewry_ap.attack import Attack
from rulesets.manewry_ap.checks import base_st, chance
from rulesets.manewry_ap.classes import CLASSES, class_terms, stat_terms, tags_of, total_of, use
from rulesets.manewry_ap.falling import BACK, DIRECTION, DROP, FREE, PLACE, Fall, fall, fall_of, why_not_drop
from rulesets.manewry_ap.figures import AP, ap_left, is_conscious, tables_of, whole_option
from rulesets.manewry_ap.holds import (
    BREAK_FREE,
    are_in_one_hold,
    break_free,
    captive_of,
    is_grabbed,
    is_in_a_hold,
    let_go,
)
from rulesets.manewry_ap.permission import IMMEDIATE_USED, RELEASE, why_not_immediate
from rulesets.manewry_ap.reach import object_cover
from rulesets.manewry_ap.tables import DefenceRow
from rulesets.manewry_ap.weapons import best_parry, shields

IMMEDIATE = "immediate_response"
DEFEND = "defend"
NONE = "none"
OFFERED = (DROP, BREAK_FREE, RELEASE)


def has_no_answer(table: Table, attack: Attack) -> bool:
    """Whether the target gets neither window nor defence: struck by surprise, or down. Clauses: MA-250, MA-260."""
    surprised = attack.surprise and table.option("surprise") == "no_defence"
    return surprised or not is_conscious(table, attack.target)


# The window


def respond(scene: Scene, attack: Attack) -> bool:
    """Offer the target one immediate action. Tells whether he threw himself down before this attack.

    Clauses: MA-040, MA-460, MA-590.
    """
    who = attack.target
    if has_no_answer(scene, attack):
        return False
    judged = {kind: in_order(_why_not(scene, who, kind), order=scene.rules.order) for kind in OFFERED}
    legal = [kind for kind, reasons in judged.items() if not reasons]
    if not legal:
        return False
    question = Question(
        key="",
        name=IMMEDIATE,
        kind=IMMEDIATE,
        to=who,
        options=(*(_offer(scene, kind) for kind in legal), Option(NONE, declines=True)),
        default=NONE,
        best=NONE,
        about=attack.attacker,
        barred=tuple(Barred(kind, reasons) for kind, reasons in judged.items() if reasons),
        clause=ClauseId("MA-040"),
    )
    answer = scene.ask(question, lambda given: _why_not_so(scene, who, given))
    if answer.option == NONE:
        return False
    _take(scene, who, answer)
    return answer.option == DROP


def _why_not(table: Table, who: CombatantId, kind: str) -> Iterator[Reason]:
    """What speaks against an immediate action now. Clauses: MA-020, MA-040, MA-330, MA-340, MA-350, MA-390, MA-450."""
    action = table.rules.actions.get(ActionId(kind))
    if action is None:
        yield table.rules.reason("unknown_action", names=(kind,))
        return
    yield from table.rules.why_forbidden(kind, "/option")
    need, left = _cost(action), ap_left(table, who)
    if need > left:
        yield table.rules.reason("not_enough_ap", need=need, got=left)
    yield from why_not_immediate(table, who, action)
    if kind == BREAK_FREE and not is_grabbed(table, who):
        yield table.rules.reason("not_grabbed")
    elif kind == RELEASE and captive_of(table, who) is None:
        yield table.rules.reason("not_holding")
    elif kind == DROP:
        yield from why_not_drop(table, who, Fall())


def _cost(action: Action) -> int:
    return sum(cost.amount for cost in action.costs[action.default_type] if cost.budget == AP)


def _offer(table: Table, kind: str) -> Option:
    action = table.rules.actions[ActionId(kind)]
    form: Form = ()
    if kind == DROP and table.has_map:
        form = (Field(PLACE, "path", clause=ClauseId("MA-440")),)
    elif kind == DROP:
        direction = next(field for field in action.form if field.name == DIRECTION)
        never = table.rules.reason("cannot_fall_backwards", at=f"/fields/{DIRECTION}")
        open_ = tuple(one for one in direction.choices if one != BACK)
        direction = replace(direction, choices=open_, barred_choices={BACK: (never,)})
        form = (direction, Field(FREE, "bool", clause=ClauseId("MA-440")))
    return Option(kind, cost=action.costs[action.default_type], form=form)


def _why_not_so(table: Table, who: CombatantId, answer: Answer) -> Iterator[Reason]:
    """Where he means to fall. Clause: MA-440."""
    if answer.option == DROP:
        yield from why_not_drop(table, who, _fall(table, who, answer), at="/fields")


def _fall(table: Table, who: CombatantId, answer: Answer) -> Fall:
    free = answer.fields.get(FREE)
    place = tuple((point[0], point[1]) for point in answer.fields.get(PLACE, ()))
    return fall_of(table, who, place, answer.word(DIRECTION) or None, free if isinstance(free, bool) else None)


def _take(scene: Scene, who: CombatantId, answer: Answer) -> None:
    """It is paid for and done, in the middle of somebody else's action. Clauses: MA-040, MA-350, MA-390, MA-450."""
    action = scene.rules.actions[ActionId(answer.option)]
    own = scene.is_turn_of(who)
    tags = tuple(sorted(action.tags))
    scene.emit(ActionTaken(who, action.id, action.default_type, tags, counts=own, clause=action.clauses[0]))
    spend(scene, who, _cost(action), str(action.clauses[0]))
    scene.begin(who, IMMEDIATE_USED)
    if answer.option == DROP:
        fall(scene, who, _fall(scene, who, answer))
    elif answer.option == BREAK_FREE:
        break_free(scene, who)
    else:
        let_go(scene, who, "released", "MA-350")


def spend(scene: Scene, who: CombatantId, points: int, clause: str) -> None:
    """So many action points are gone. Clause: MA-020."""
    if points:
        scene.set_budget(who, AP, ap_left(scene, who) - points, clause)


# The defence


class Defence(msgspec.Struct, frozen=True):
    """One way to defend: its terms of the ST without modifiers, and what is against it."""

    kind: str
    terms: tuple[Term, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def value(self) -> int:
        """What it adds to the ST."""
        return total_of(self.terms)


def defend(scene: Scene, attack: Attack, needed_more: int) -> tuple[Term, ...]:
    """The ST as the target's choice sets it, with the modifiers of that defence. Clauses: MA-110, MA-130, MA-220.

    `needed_more` is what the ST gains by manoeuvre and posture and loses by what the attacker adds, so that the chance
    of each defence can be shown.
    """
    start = (base_st(scene),)
    if may_not_defend(scene, attack):
        return start
    who = attack.target
    ways = [_judged(scene, attack, row) for row in tables_of(scene).defences]
    open_ways = [way for way in ways if not way.reasons]
    if not open_ways:
        return start
    cost = (Cost(AP, whole_option(scene, "defence_ap_cost")),)
    mods = {way.kind: _modifiers(scene, attack, way.kind) for way in open_ways}
    total = {way.kind: way.value + total_of(mods[way.kind]) for way in open_ways}
    options = tuple(
        Option(way.kind, chance=_fails(scene, attack, start[0].value + total[way.kind] + needed_more), cost=cost)
        for way in open_ways
    )
    best = max(open_ways, key=lambda way: total[way.kind])
    question = Question(
        key="",
        name=DEFEND,
        kind=DEFEND,
        to=who,
        options=(*options, Option(NONE, chance=_fails(scene, attack, start[0].value + needed_more), declines=True)),
        default=NONE,
        best=best.kind if total[best.kind] > 0 else NONE,
        about=attack.attacker,
        barred=tuple(Barred(way.kind, way.reasons) for way in ways if way.reasons),
        clause=ClauseId("MA-220"),
        stranger=scene.rules.reason("defence_not_legal", at="/option"),
    )
    chosen = scene.ask(question).option
    scene.emit(DefenceResolved(who, attack.attacker, chosen, clause=ClauseId("MA-220")))
    if chosen == NONE:
        return start
    spend(scene, who, cost[0].amount, "MA-220")
    way = next(one for one in open_ways if one.kind == chosen)
    terms = (*start, *(replace(term, of=who) for term in (*way.terms, *mods[chosen])))
    row = next(one for one in tables_of(scene).defences if one.id == chosen)
    use(scene, who, chosen, *((row.stat,) if row.stat in CLASSES else ()))
    return terms


def best_value(table: Table, attack: Attack) -> int:
    """What the best defence that the target may choose now adds to the ST. Clauses: MA-130, MA-220."""
    if may_not_defend(table, attack):
        return 0
    ways = [_judged(table, attack, row) for row in tables_of(table).defences]
    values = [way.value + total_of(_modifiers(table, attack, way.kind)) for way in ways if not way.reasons]
    return max((0, *values))


def may_not_defend(table: Table, attack: Attack) -> bool:
    """Whether no defence is offered: surprise, down, or a hold that the attacker has no part in; and by option the
    held against his holder.

    Clauses: MA-250, MA-260, MA-360, MA-370.
    """
    if has_no_answer(table, attack):
        return True
    if not is_in_a_hold(table, attack.target):
        return False
    if are_in_one_hold(table, attack.attacker, attack.target):
        return not table.flag("held_defends_against_holder")
    return True


def _judged(table: Table, attack: Attack, row: DefenceRow) -> Defence:
    """One row of the table of defences against this attack. Table 1.3, clause MA-220."""
    who, reasons = attack.target, []
    added = _added(table, attack, row)
    if attack.kind not in row.against or added is None:
        reasons.append(table.rules.reason("defence_not_legal", at="/option", names=(row.id,)))
    need, left = whole_option(table, "defence_ap_cost"), ap_left(table, who)
    if need > left:
        reasons.append(table.rules.reason("not_enough_ap", at="/option", need=need, got=left))
    clause = ClauseId("MA-220")
    terms = () if row.stat is None else _named(row, stat_terms(table, who, row.stat))
    more = (Term(row.id if row.stat is None else row.adds, added, clause),) if added else ()
    return Defence(row.id, (*terms, *more), in_order(reasons, order=table.rules.order))


def _named(row: DefenceRow, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The characteristic goes by the name of the defence, so that it is not taken for one of the attacker's."""
    return tuple(replace(term, id=row.id) if term.id == row.stat else term for term in terms)


def _added(table: Table, attack: Attack, row: DefenceRow) -> int | None:
    """What shield, weapon or object adds; None where there is none. Table 1.3."""
    who = attack.target
    match row.adds:
        case "shield_block":
            return max((shield.block for shield in shields(table, who)), default=None)
        case "weapon_parry":
            return best_parry(table, who)
        case "cover":
            ratings = [shield.cover for shield in shields(table, who)]
            rating = object_cover(table, attack.attacker, who)
            return max((*ratings, *(() if rating is None else (rating,))), default=None)
        case _:
            return 0


def _modifiers(table: Table, attack: Attack, kind: str) -> tuple[Term, ...]:
    """Modifiers of that defence and of no other. Clause: MA-130."""
    tags = tags_of(table, attack.attacker, attack.target, attack.tags, attack.given)
    return class_terms(table, attack.target, kind, tags, attack.given)


def _fails(table: Table, attack: Attack, need: int) -> int:
    """The chance in millionths that the attack fails against dice that must come to so much."""
    first = chance(table, need)
    if not attack.is_double:
        return 1_000_000 - first
    return 1_000_000 - first * chance(table, need - _second_hand(table, attack)) // 1_000_000


def _second_hand(table: Table, attack: Attack) -> int:
    """What the second hand adds or loses. Clause: MA-510."""
    tags = tags_of(table, attack.attacker, attack.target, attack.tags | {"second_hand"}, attack.given)
    both = tags_of(table, attack.attacker, attack.target, attack.tags, attack.given)
    more = class_terms(table, attack.attacker, "hit", tags, attack.given)
    return total_of(more) - total_of(class_terms(table, attack.attacker, "hit", both, attack.given))
