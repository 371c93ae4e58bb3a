"""Looking back: is it all true, what was left behind, how did it stand, what if, and what came of it in figures."""

import tempfile
from typing import Annotated

from fastapi import Path, Query
from starlette.responses import Response, StreamingResponse

from app.api.answers import answered
from app.api.asking import Asked
from app.api.history_shapes import BranchList, Statistics, Verification
from app.api.operations import Operations
from app.api.parameters import AsDigits, EncounterId
from app.api.problem_texts import Code
from app.api.shapes import EncounterView
from app.api.strict_json import NDJSON, check_line
from app.services import forking, history, statistics, transfer
from app.services.bodies import ForkIn

operations = Operations("history", "Looking back: proofs, branches, earlier versions, forks and figures of a fight.")
_BASE = "/v1/encounters"
_ONE = f"{_BASE}/{{encounter}}"

_LINES = {
    NDJSON: {
        "schema": {"type": "string", "format": "binary", "maxLength": 64 * 1024 * 1024},
        "example": '{"line": "head", "format": 1, "id": "enc_e7k2m9q4xw", "name": "Bridge"}\n',
    }
}
InCampaign = Annotated[
    str,
    Query(
        pattern=r"^cmp_[0-9a-z]{1,22}$",
        max_length=26,
        description="The campaign that it is to be part of.",
        examples=["cmp_7h2k9m4q1x"],
    ),
]
NewName = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=80,
        pattern=r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$",
        description="What it is to be called; left out, as it was.",
        examples=["Bridge"],
    ),
]
VersionNumber = Annotated[
    int,
    Path(ge=1, le=2**53 - 1, description="A version of the encounter, in the GM's count.", examples=[4]),
    AsDigits,
]


@operations.get(f"{_ONE}/verify", answers=Verification, told="What was looked at, and what is wrong.")
async def verify_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Verify an encounter.

    For the GM: the numbers and the chain of hashes of the log, the state against the fold of its events, every die
    against the roll it rests on, and every roll against the seed. Others get the dice in their log checked against
    the seed, once the fight is over and the table shows it to them.
    """
    return answered(asker, await history.verify(asker.service, asker.caller, encounter))


@operations.get(f"{_ONE}/branches", answers=BranchList, told="The stretches, oldest first.")
async def list_branches(asker: Asked, encounter: EncounterId) -> Response:
    """List the branches of a log.

    Going back leaves a stretch of the log behind; it stays readable where it stands. This tells which events count
    and which do not any more, in the reader's own numbers, for `read_log`.
    """
    return answered(asker, await history.branches(asker.service, asker.caller, encounter))


@operations.get(f"{_ONE}/versions/{{version}}", answers=EncounterView, told="The encounter as it stood.")
async def read_version(asker: Asked, encounter: EncounterId, version: VersionNumber) -> Response:
    """Read an encounter as it stood.

    At any version, also one that was left behind by going back. Needs the GM.
    """
    return answered(asker, await history.version(asker.service, asker.caller, encounter, version))


@operations.post(
    f"{_ONE}/fork",
    body=ForkIn,
    body_required=False,
    answers=EncounterView,
    status=201,
    located=True,
    versioned=True,
    problems=(Code.LIMIT_REACHED,),
    told="The new encounter.",
)
async def fork_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Try what would have come of it.

    Makes an encounter of its own that stands as this one did at a version, also in the middle of a waiting command.
    It has its own log, seed and commitment; this one stays as it is. Needs the campaign's GM.
    """
    body, attempt = await asker.maybe_body(ForkIn, ForkIn())
    result = await forking.fork(asker.service, asker.caller, encounter, body, attempt)
    return answered(asker, result, 201, at=f"{_BASE}/{result.created}")


@operations.get(f"{_ONE}/statistics", answers=Statistics, told="The figures.")
async def read_statistics(asker: Asked, encounter: EncounterId) -> Response:
    """Read the figures of a fight.

    Counted from the events that the reader may know of, whatever the ruleset. What was left behind by going back is
    not in them.
    """
    return answered(asker, await statistics.read(asker.service, asker.caller, encounter))


@operations.get(f"{_ONE}/export", media_types=_LINES, told="The encounter, one JSON document a line.")
async def export_encounter(asker: Asked, encounter: EncounterId) -> Response:
    """Export an encounter.

    With its rules, its whole log with the hashes, every roll, and what waits, as lines of JSON that `import_encounter`
    takes. The seed of the dice is in it only once the fight is over; tokens never are. Needs the GM.
    """
    lines = await transfer.export(asker.service, asker.caller, encounter)
    headers = {"content-disposition": f'attachment; filename="{encounter}.ndjson"'}
    return StreamingResponse(lines, 200, headers, NDJSON)


@operations.post(
    f"{_BASE}/import",
    takes=_LINES,
    answers=EncounterView,
    status=201,
    located=True,
    versioned=True,
    problems=(Code.LIMIT_REACHED,),
    told="The new encounter.",
)
async def import_encounter(asker: Asked, campaign: InCampaign, name: NewName = None) -> Response:
    """Import an encounter.

    The lines of an export, as `application/x-ndjson`. Everything is checked on the way in: the chain of hashes, the
    state against the log, dice as far as their seed is known, the rules; the first line that is wrong is named.
    A new seed takes over from there, and it can be played on at once. Needs the campaign's GM.
    """
    with tempfile.TemporaryFile() as file:
        attempt = await asker.lines(file)
        result = await transfer.bring_in(asker.service, asker.caller, campaign, name, file, attempt, check_line)
    return answered(asker, result, 201, at=f"{_BASE}/{result.created}")
