"""Combatants: who is there, and what each of them can do now."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from app.api.answers import answered
from app.api.asking import Asked
from app.api.bodies import CombatantsIn, DuplicateIn
from app.api.operations import PLAY, Operations
from app.api.parameters import CombatantName, EncounterId
from app.api.shapes import ActionList, CombatantPage, CombatantView, CommandResult
from app.services import actions, combatants
from app.services.bodies import CombatantEdit

operations = Operations("combatants", "Combatants: whoever takes part in a fight.")
_ALL = "/v1/encounters/{encounter}/combatants"
_ONE = f"{_ALL}/{{combatant}}"

Available = Annotated[bool, Query(description="Leave out what is not possible now.", examples=[True])]


@operations.post(
    _ALL,
    body=CombatantsIn,
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=PLAY,
    told="Who joined, as events.",
)
async def add_combatants(asker: Asked, encounter: EncounterId) -> Response:
    """Let combatants enter.

    Before the start or in the middle of the fight, as many as you like at once: samples of the ruleset, or sheets of
    their own; `count` makes several of a kind. The body may be up to 1 MB. Needs the GM.
    """
    body, attempt = await asker.body(CombatantsIn, large=True)
    return answered(asker, await combatants.add(asker.service, asker.caller, encounter, body.combatants, attempt), 201)


@operations.get(_ALL, answers=CombatantPage, versioned=True, told="The combatants that the reader may see.")
async def list_combatants(asker: Asked, encounter: EncounterId) -> Response:
    """List the combatants.

    All that the reader may see, each as it stands now; there are at most 200.
    """
    return answered(asker, await combatants.page(asker.service, asker.caller, encounter))


@operations.get(_ONE, answers=CombatantView, versioned=True, told="The combatant.")
async def read_combatant(asker: Asked, encounter: EncounterId, combatant: CombatantName) -> Response:
    """Read a combatant.

    Resources, budgets and effects are lists with id, name and figures, whatever the ruleset; `sheet` is the ruleset's
    own.
    """
    return answered(asker, await combatants.read(asker.service, asker.caller, encounter, combatant))


@operations.patch(
    _ONE, body=CombatantEdit, answers=CommandResult, versioned=True, problems=PLAY, told="What was changed, as events."
)
async def change_combatant(asker: Asked, encounter: EncounterId, combatant: CombatantName) -> Response:
    """Change a combatant.

    A field left out stays. Needs the GM; a player may change `policy` and `dice` of his own combatants.
    """
    body, attempt = await asker.body(CombatantEdit)
    return answered(asker, await combatants.edit(asker.service, asker.caller, encounter, combatant, body, attempt))


@operations.delete(_ONE, answers=CommandResult, versioned=True, problems=PLAY, told="Who left, as events.")
async def remove_combatant(asker: Asked, encounter: EncounterId, combatant: CombatantName) -> Response:
    """Take a combatant out of the encounter.

    Needs the GM.
    """
    return answered(asker, await combatants.remove(asker.service, asker.caller, encounter, combatant, asker.attempt()))


@operations.post(
    f"{_ONE}/duplicate",
    body=DuplicateIn,
    body_required=False,
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=PLAY,
    told="Who joined, as events.",
)
async def duplicate_combatant(asker: Asked, encounter: EncounterId, combatant: CombatantName) -> Response:
    """Make more of the same.

    Fresh and unhurt, each under a name and an id of its own. Needs the GM.
    """
    body, attempt = await asker.maybe_body(DuplicateIn, DuplicateIn())
    result = await combatants.duplicate(asker.service, asker.caller, encounter, combatant, body.count, attempt)
    return answered(asker, result, 201)


@operations.get(f"{_ONE}/actions", answers=ActionList, versioned=True, told="Every action, possible or not.")
async def list_actions(
    asker: Asked, encounter: EncounterId, combatant: CombatantName, available: Available = False
) -> Response:
    """List what a combatant can do now.

    Every action of the ruleset: whether it is possible, each reason against it with its clause, what it costs, whom
    and what it can be done to and with, and a form for its options. What this list refuses, a submission refuses with
    the same reasons. What it offers may still lack something that only the client can say: a target, an item, and
    without a map a distance. A submission that lacks it is refused with `missing_input`, and `at` of that reason is the
    field to fill in. `preview_action` judges one submission whole.
    """
    result = await actions.possible(asker.service, asker.caller, encounter, combatant, available_only=available)
    return answered(asker, result)
