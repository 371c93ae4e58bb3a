"""Anything that has no name: the GM says what it costs and what is rolled. Clause SR-125."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.asks import GM, Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import Noted
from app.engine.ids import ClauseId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.devices import take_set_test, test_form
from rulesets.shadowrun_5e.resolvers.plain import NoParams

REFUSE = "refuse"
COSTS = ("free", "simple", "complex")
RULED = "ruled_test"


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """It has to be said what it is. Clause: SR-125."""
    if not sub.note and not sub.options.get("description"):
        yield table.rules.reason("missing_input", "SR-125", at="/options/description")


def ruled(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """The GM names the price, which must be one that is left, and perhaps a test; or refuses. Clause: SR-125."""
    form = test_form(scene)
    answer = scene.ask(
        Question(
            key="",
            name="action_cost",
            kind="action_cost",
            to=GM,
            options=(*(Option(cost, form=form) for cost in COSTS), Option(REFUSE, declines=True)),
            default=REFUSE,
            best="simple",
            about=sub.actor,
            clause=ClauseId("SR-125"),
        ),
        judge=lambda given: _why_not_paid(scene, sub, action, given),
    )
    if answer.option == REFUSE:
        scene.emit(Noted(sub.actor, "gm_refused", clause=ClauseId("SR-125")))
        return None
    return replace(sub, type=answer.option, options={**sub.options, RULED: answer.fields})


def _why_not_paid(table: Table, sub: Submission, action: Action, given: Answer) -> Iterator[Reason]:
    if given.option == REFUSE:
        return
    budget = table.who(sub.actor).budget
    for cost in action.costs[given.option]:
        left = budget.get(cost.budget, 0)
        if left < cost.amount:
            code = "free_action_limit" if cost.budget == "free" else "insufficient_actions"
            clause = "SR-110" if cost.budget == "free" else "SR-100"
            yield table.rules.reason(code, clause, need=cost.amount, got=left)


def improvise(scene: Scene, sub: Submission, action: Action) -> None:
    """The test that the GM has set, if any. Clause: SR-125."""
    text = sub.note or str(sub.options.get("description") or "")
    done = take_set_test(scene, sub.actor, Answer("test", sub.options.get(RULED, {})), "SR-125")
    word = "done" if done is None else "succeeded" if done.success else "failed"
    scene.emit(Noted(sub.actor, "improvised", words=(text, word), clause=ClauseId("SR-125")))


IMPROVISE = Resolver(NoParams, check, improvise, before=ruled)
