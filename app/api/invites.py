"""Invites: seats at a table, by a code that can be read out."""

from starlette.responses import Response

from app.api.answers import JSON, answered, paged
from app.api.asking import Asked, Visitor
from app.api.operations import Operations
from app.api.parameters import After, CampaignId, InviteId, Limit
from app.api.problem_texts import Code
from app.services import invites
from app.services.invites import InviteIn, InviteMade, InviteOut, InvitePage, JoinIn
from app.services.tokens import TokenMade

operations = Operations("invites", "Invites: codes that are exchanged for a token.")
_BASE = "/v1/campaigns/{campaign}/invites"


@operations.post(
    _BASE,
    body=InviteIn,
    answers=InviteMade,
    status=201,
    located=True,
    problems=(Code.LIMIT_REACHED,),
    told="The invite with its code, shown this once.",
)
async def create_invite(asker: Asked, campaign: CampaignId) -> Response:
    """Invite somebody.

    The answer holds a code of eight characters, such as `K7Q2-9XMD`, and nothing ever shows it again: whoever sends it
    to `join_table` gets a token with this role, for these combatants or that encounter (which a `co_gm` needs). It
    ends after so many uses, and after so many seconds (a day, if nothing is said). A campaign has at most 100 invites
    that can still be used. Needs a GM of the whole campaign, or an admin.
    """
    body, attempt = await asker.body(InviteIn)
    result = await invites.create(asker.service, asker.caller, campaign, body, attempt, asker.seed())
    return answered(asker, result, 201, at=f"/v1/campaigns/{campaign}/invites/{result.created}", secret=True)


@operations.get(_BASE, answers=InvitePage, told="A page of invites, without their codes.")
async def list_invites(asker: Asked, campaign: CampaignId, limit: Limit = 50, after: After = None) -> Response:
    """List the invites of a campaign.

    Oldest first, with how often each can still be used; those used up or revoked too. The list of tokens tells who
    came by which. Needs a GM of the whole campaign, or an admin.
    """
    return paged(asker, await invites.page(asker.service, asker.caller, campaign, after=after, limit=limit))


@operations.get(f"{_BASE}/{{invite}}", answers=InviteOut, told="The invite, without its code.")
async def read_invite(asker: Asked, campaign: CampaignId, invite: InviteId) -> Response:
    """Read an invite.

    Without its code. Needs a GM of the whole campaign, or an admin.
    """
    return answered(asker, await invites.read(asker.service, asker.caller, campaign, invite))


@operations.delete(f"{_BASE}/{{invite}}", status=204, told="Nobody joins by it any more.")
async def revoke_invite(asker: Asked, campaign: CampaignId, invite: InviteId) -> Response:
    """Revoke an invite.

    Nobody joins by its code from now on; the tokens it has made stay good. Revoking it again changes nothing. Needs a
    GM of the whole campaign, or an admin.
    """
    result = await invites.revoke(asker.service, asker.caller, campaign, invite, asker.attempt())
    return answered(asker, result, 204)


@operations.post(
    "/v1/join",
    body=JoinIn,
    answers=TokenMade,
    status=201,
    is_open=True,
    problems=(Code.CODE_INVALID, Code.LIMIT_REACHED),
    told="The token with its secret, shown this once.",
)
async def join_table(sent: Visitor) -> Response:
    """Join a table.

    Exchanges the code of an invite for a token. Needs no token. A code that is wrong, used up, expired or revoked is
    refused in the same words, and each address may only try so often. With an `Idempotency-Key`, here of at least 16
    characters, a request that is sent again gets the same token and takes no second use.
    """
    body, attempt = await sent.body(JoinIn)
    await sent.parts.rates.count_join(sent.address)
    result = await invites.join(sent.parts.service, body, attempt)
    headers = {"cache-control": "no-store"}
    if result.is_replay:
        headers["idempotency-replayed"] = "true"
    return Response(result.body, 201, headers, JSON)
