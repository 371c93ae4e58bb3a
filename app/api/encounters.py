"""Encounters: made in one call, read, started, ended; and the GM's hand over them."""

from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from app.api.answers import answered, paged
from app.api.asking import Asked
from app.api.bodies import FactsIn
from app.api.operations import DECIDES, PLAY, Operations
from app.api.parameters import ID, After, EncounterId, Limit
from app.api.problem_texts import Code
from app.api.shapes import CommandResult, EncounterPage, EncounterView
from app.services import encounters, rewind, rulings
from app.services.bodies import ChangeIn, EncounterIn, EndIn, RewindIn, RulingIn, SetupIn, StartIn

operations = Operations("encounters", "Encounters: one fight each, under one ruleset.")
_BASE = "/v1/encounters"
_ONE = f"{_BASE}/{{encounter}}"

Status = Annotated[
    Literal["setup", "running", "ended"] | None, Query(description="Only those in this state.", examples=["running"])
]
InCampaign = Annotated[
    str | None,
    Query(
        pattern=f"^cmp_{ID}$", max_length=26, description="Only those of this campaign.", examples=["cmp_7h2k9m4q1x"]
    ),
]


@operations.post(
    _BASE,
    body=EncounterIn,
    answers=EncounterView,
    status=201,
    located=True,
    versioned=True,
    problems=(Code.ILLEGAL_ACTION, Code.LIMIT_REACHED),
    told="The encounter as its reader may see it.",
)
async def create_encounter(asker: Asked) -> Response:
    """Make an encounter.

    In one call: the ruleset with its options, the map or none, whose dice are rolled, and who is there. A combatant
    is a sample of the ruleset or carries a sheet of its own. The body may be up to 1 MB. Needs the campaign's GM.
    """
    body, attempt = await asker.body(EncounterIn, large=True)
    result = await encounters.create(asker.service, asker.caller, body, attempt)
    return answered(asker, result, 201, at=f"{_BASE}/{result.created}")


@operations.get(_BASE, answers=EncounterPage, told="A page of encounters.")
async def list_encounters(
    asker: Asked, limit: Limit = 50, after: After = None, campaign: InCampaign = None, status: Status = None
) -> Response:
    """List encounters.

    Those that the token may see, newest first.
    """
    result = await encounters.page(
        asker.service, asker.caller, campaign=campaign, status=status, after=after, limit=limit
    )
    return paged(asker, result)


@operations.get(_ONE, answers=EncounterView, versioned=True, lean=True, told="The encounter as its reader may see it.")
async def read_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Read an encounter.

    Everything at once, as its reader may see it: whose turn it is, the place, the combatants, what waits. The way to
    join is one such snapshot, and the events after its cursor.
    """
    return answered(asker, await encounters.read(asker.service, asker.caller, encounter))


@operations.patch(_ONE, body=SetupIn, answers=CommandResult, versioned=True, problems=PLAY, told="What came of it.")
async def set_up_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Change how an encounter is played.

    Options and dice before the start; map, name, the time limit of decisions and whether players only propose
    (`approval`) at any time; a proposal that waits already goes on waiting. Needs the GM.
    """
    body, attempt = await asker.body(SetupIn, large=True)
    return answered(asker, await encounters.set_up(asker.service, asker.caller, encounter, body, attempt))


@operations.delete(_ONE, status=204, versioned=True, problems=PLAY, told="It is gone, with its log.")
async def delete_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Delete an encounter.

    With its log, for good. Needs a GM of the whole campaign.
    """
    result = await encounters.delete(asker.service, asker.caller, encounter, asker.attempt())
    return answered(asker, result, 204)


@operations.post(
    f"{_ONE}/start",
    body=StartIn,
    body_required=False,
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=(*PLAY, *DECIDES),
    told="The first events, and what waits.",
)
async def start_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Start the fight.

    Rolls initiative and begins the first turn; waits for those who roll their own dice. Needs the GM.
    """
    body, attempt = await asker.maybe_body(StartIn, StartIn())
    return answered(asker, await encounters.start(asker.service, asker.caller, encounter, body, attempt), 201)


@operations.post(
    f"{_ONE}/end",
    body=EndIn,
    body_required=False,
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=PLAY,
    told="The last events.",
)
async def end_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """End the fight.

    What waits must be answered or cancelled first. Needs the GM.
    """
    body, attempt = await asker.maybe_body(EndIn, EndIn())
    return answered(asker, await encounters.end(asker.service, asker.caller, encounter, body, attempt), 201)


@operations.post(
    f"{_ONE}/facts",
    body=FactsIn,
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=(*PLAY, *DECIDES),
    told="What was stated, as events.",
)
async def state_facts(asker: Asked, encounter: EncounterId) -> Response:
    """State how combatants stand to each other.

    Where there is no map: distance, sight, cover, who is locked in melee with whom. What is left out of a pair stays as
    it was stated before, null takes it back. A submission may bring its own in `said`. Needs the GM; it is a ruling
    like any other.
    """
    body, attempt = await asker.body(FactsIn, large=True)
    changes = tuple(ChangeIn(combatant=fact.from_, fact=fact) for fact in body.facts)
    ruling = RulingIn(reason=body.reason, changes=changes)
    return answered(asker, await rulings.rule(asker.service, asker.caller, encounter, ruling, attempt, facts=True), 201)


@operations.post(
    f"{_ONE}/rulings",
    body=RulingIn,
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=(*PLAY, *DECIDES),
    told="What the ruling changed, as events.",
)
async def make_ruling(asker: Asked, encounter: EncounterId) -> Response:
    """Overrule the game.

    Set a value, begin or end an effect, move somebody, cancel what waits: always with a reason, always in the log,
    also in the middle of a waiting command. Needs the GM.
    """
    body, attempt = await asker.body(RulingIn)
    return answered(asker, await rulings.rule(asker.service, asker.caller, encounter, body, attempt), 201)


@operations.post(
    f"{_ONE}/rewind",
    body=RewindIn,
    answers=CommandResult,
    status=201,
    versioned=True,
    problems=PLAY,
    told="The event that says so, and what waits again.",
)
async def rewind_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Go back to an earlier version.

    What came between stays in the log, and what waited then waits again. Needs the GM.
    """
    body, attempt = await asker.body(RewindIn)
    return answered(asker, await rewind.rewind(asker.service, asker.caller, encounter, body, attempt), 201)
