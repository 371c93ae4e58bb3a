"""House rules of a campaign: documents that change a ruleset, checked whole before they are taken."""

from typing import Any

from starlette.responses import Response

from app.api.answers import answered, paged
from app.api.asking import Asked
from app.api.examples import examples_of
from app.api.house_shapes import HouseRules, HouseRulesDiff, HouseRulesDocument, HouseRulesPage, HouseRulesSummary
from app.api.operations import Operations
from app.api.parameters import After, CampaignId, HouseRulesName, HouseRulesVersion, Limit
from app.api.problem_texts import Code
from app.services import house_rules

operations = Operations("house rules", "House rules: what a campaign plays otherwise than the book, as data.")
_ALL = "/v1/campaigns/{campaign}/house-rules"
_ONE = f"{_ALL}/{{name}}"
_MADE: dict[str, Any] = {
    "description": "The first version under a name that was free.",
    "headers": {
        "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
        "ETag": {"$ref": "#/components/headers/ETag"},
        "Location": {"$ref": "#/components/headers/Location"},
        "Idempotency-Replayed": {"$ref": "#/components/headers/IdempotencyReplayed"},
    },
    "content": {
        "application/json": {
            "schema": {"$ref": "#/components/schemas/HouseRulesSummary"},
            "examples": examples_of("put_house_rules", "response"),
        }
    },
}


@operations.put(
    _ONE,
    body=HouseRulesDocument,
    answers=HouseRulesSummary,
    versioned=True,
    problems=(Code.LIMIT_REACHED, Code.STALE_VERSION),
    told="The version that counts now.",
    others={201: _MADE},
)
async def put_house_rules(asker: Asked, campaign: CampaignId, name: HouseRulesName) -> Response:
    """Put house rules under a name.

    The document `extends` a ruleset and says only what is otherwise: maps merge by id, lists and figures are replaced,
    `null` removes. It is checked whole, together with what it extends, and everything that is wrong comes back at once
    with its place. Each change is a version of its own, and encounters keep theirs; the same document again changes
    nothing; with `If-None-Match: *` only a name that is free is taken. At most 256 KB, 12 levels deep, 8,000 values; at
    most 50 names and 1,000 versions in a campaign. Needs a GM of the whole campaign, or an admin.
    """
    given, flaws, attempt = await asker.document()
    result = await house_rules.put(asker.service, asker.caller, campaign, name, given, flaws, attempt)
    is_new = result.created is not None
    at = f"/v1/campaigns/{campaign}/house-rules/{name}"
    return answered(asker, result, 201 if is_new else 200, at=at if is_new else None)


@operations.get(_ALL, answers=HouseRulesPage, told="A page of house rules, without their documents.")
async def list_house_rules(asker: Asked, campaign: CampaignId, limit: Limit = 50, after: After = None) -> Response:
    """List the house rules of a campaign.

    By name, each in the version that counts. Everybody at the table may read them.
    """
    return paged(asker, await house_rules.page(asker.service, asker.caller, campaign, after=after, limit=limit))


@operations.get(_ONE, answers=HouseRules, versioned=True, told="The house rules with their document.")
async def read_house_rules(
    asker: Asked, campaign: CampaignId, name: HouseRulesName, version: HouseRulesVersion = None
) -> Response:
    """Read house rules.

    The document as it was sent, in the version that counts or in an older one. Everybody at the table may read them.
    """
    return answered(asker, await house_rules.read(asker.service, asker.caller, campaign, name, version))


@operations.get(f"{_ONE}/diff", answers=HouseRulesDiff, versioned=True, told="What they change.")
async def read_house_rules_diff(
    asker: Asked, campaign: CampaignId, name: HouseRulesName, version: HouseRulesVersion = None
) -> Response:
    """Compare house rules with their ruleset.

    Every difference with the clause behind it, as figures and as a sentence in the reader's language, and the actions
    whose chances are no longer what they were. Everybody at the table may read it.
    """
    return answered(asker, await house_rules.diff(asker.service, asker.caller, campaign, name, version))


@operations.delete(
    _ONE, status=204, versioned=True, problems=(Code.STALE_VERSION,), told="No encounter is made with them any more."
)
async def delete_house_rules(asker: Asked, campaign: CampaignId, name: HouseRulesName) -> Response:
    """Take house rules away.

    Encounters that are played by them go on as they began. Needs a GM of the whole campaign, or an admin.
    """
    result = await house_rules.delete(asker.service, asker.caller, campaign, name, asker.attempt())
    return answered(asker, result, 204)
