"""Playing: submit, preview, answer, end the turn. The quick path."""

from starlette.responses import Response

from app.api.answers import answered
from app.api.asking import Asked
from app.api.bodies import EndTurnIn
from app.api.operations import DECIDES, PLAY, Operations
from app.api.parameters import DecisionId, EncounterId
from app.api.problem_texts import Code
from app.api.shapes import CommandResult, DecisionPage, DecisionView, Preview
from app.services import actions, decisions, turns
from app.services.bodies import AnswerIn, SubmissionIn

operations = Operations("play", "Playing: actions and decisions.")
_ONE = "/v1/encounters/{encounter}"


@operations.post(
    f"{_ONE}/actions",
    body=SubmissionIn,
    answers=CommandResult,
    status=201,
    versioned=True,
    lean=True,
    problems=PLAY,
    told="What happened, and what waits.",
)
async def submit_action(asker: Asked, encounter: EncounterId) -> Response:
    """Take an action.

    The same body for every ruleset. It is applied whole or refused whole: a refusal (409) lists every reason with its
    clause, and nothing has changed. If somebody must choose or roll first, the answer has `status` `waiting` and says
    whom it waits for. Where the encounter has `approval` `actions`, what a player submits is judged just so and then
    waits for the GM's yes (a decision of the kind `approve`); nothing is paid or rolled before that.
    """
    body, attempt = await asker.body(SubmissionIn)
    return answered(asker, await actions.submit(asker.service, asker.caller, encounter, body, attempt), 201)


@operations.post(
    f"{_ONE}/actions/preview",
    body=SubmissionIn,
    answers=Preview,
    versioned=True,
    problems=(Code.ANSWER_AWAITED, Code.ILLEGAL_ACTION, Code.LIMIT_REACHED),
    told="Whether it is allowed, and what might come of it.",
)
async def preview_action(asker: Asked, encounter: EncounterId) -> Response:
    """Ask what an action would do.

    The same body as a submission, judged alike, dice brought along included. No die is drawn and nothing changes.
    """
    body, _ = await asker.body(SubmissionIn)
    return answered(asker, await actions.preview(asker.service, asker.caller, encounter, body))


@operations.post(
    f"{_ONE}/end-turn",
    body=EndTurnIn,
    body_required=False,
    answers=CommandResult,
    status=201,
    versioned=True,
    lean=True,
    problems=PLAY,
    told="What happened, and whose turn it is.",
)
async def end_turn(asker: Asked, encounter: EncounterId) -> Response:
    """End the turn.

    Of `actor`, or of whoever's turn it is. The same as submitting the action `end_turn`.
    """
    body, attempt = await asker.maybe_body(EndTurnIn, EndTurnIn())
    return answered(asker, await turns.end(asker.service, asker.caller, encounter, body.actor, attempt), 201)


@operations.get(f"{_ONE}/decisions", answers=DecisionPage, versioned=True, told="The open decisions.")
async def list_decisions(asker: Asked, encounter: EncounterId) -> Response:
    """List the open decisions.

    What resolution waits for, of whom, with options, odds and default. There are at most 50.
    """
    return answered(asker, await decisions.page(asker.service, asker.caller, encounter))


@operations.get(
    f"{_ONE}/decisions/{{decision}}",
    answers=DecisionView,
    versioned=True,
    problems=(Code.ALREADY_ANSWERED,),
    told="The decision.",
)
async def read_decision(asker: Asked, encounter: EncounterId, decision: DecisionId) -> Response:
    """Read a decision."""
    return answered(asker, await decisions.read(asker.service, asker.caller, encounter, decision))


@operations.post(
    f"{_ONE}/decisions/{{decision}}",
    body=AnswerIn,
    answers=CommandResult,
    status=201,
    versioned=True,
    lean=True,
    problems=(*PLAY, *DECIDES),
    told="How it goes on.",
)
async def answer_decision(asker: Asked, encounter: EncounterId, decision: DecisionId) -> Response:
    """Answer a decision.

    With an `option`, and the `fields` of its form, or with the `dice` that were rolled at the table. Whoever acts for
    the combatant that is asked, or the GM. It goes on exactly where the rule stood. An answer that cannot be one
    leaves the decision open. What a player proposes (`approve`) the GM answers with `confirm` or `refuse` and, if he
    likes, a `note` that everybody reads; when time runs out it is refused.
    """
    body, attempt = await asker.body(AnswerIn)
    return answered(asker, await decisions.answer(asker.service, asker.caller, encounter, decision, body, attempt), 201)


@operations.post(
    f"{_ONE}/decisions/{{decision}}/withdraw",
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=(*PLAY, *DECIDES),
    told="That it was taken back.",
)
async def withdraw_proposal(asker: Asked, encounter: EncounterId, decision: DecisionId) -> Response:
    """Take back a proposal.

    What waits for the GM's yes does not happen; the state is as it was, and the log says so. Whoever acts for the
    combatant that was to act, or the GM.
    """
    result = await decisions.withdraw(asker.service, asker.caller, encounter, decision, asker.attempt())
    return answered(asker, result, 201)
