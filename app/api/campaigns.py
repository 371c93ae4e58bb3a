"""Campaigns and their tokens: who sits at the table."""

from starlette.responses import Response

from app.api.answers import answered, paged
from app.api.asking import Asked
from app.api.operations import Operations
from app.api.parameters import After, CampaignId, Limit, TokenId
from app.api.problem_texts import Code
from app.services import campaigns, tokens
from app.services.campaigns import CampaignIn, CampaignMade, CampaignOut, CampaignPage
from app.services.tokens import TokenEdit, TokenIn, TokenMade, TokenOut, TokenPage

operations = Operations("campaigns", "Campaigns: the tables that this server keeps, and the tokens that open them.")
_BASE = "/v1/campaigns"


@operations.post(
    _BASE,
    body=CampaignIn,
    answers=CampaignMade,
    status=201,
    located=True,
    told="The campaign with the token of its GM, shown this once.",
)
async def create_campaign(asker: Asked) -> Response:
    """Open a campaign.

    Needs an admin's token. The answer holds the token of the campaign's GM, and nothing ever shows it again.
    """
    body, attempt = await asker.body(CampaignIn)
    result = await campaigns.create(asker.service, asker.caller, body, attempt, asker.seed())
    return answered(asker, result, 201, at=f"{_BASE}/{result.created}", secret=True)


@operations.get(_BASE, answers=CampaignPage, told="A page of campaigns.")
async def list_campaigns(asker: Asked, limit: Limit = 50, after: After = None) -> Response:
    """List campaigns.

    Newest first. An admin sees all of them, everybody else the one that the token belongs to.
    """
    return paged(asker, await campaigns.page(asker.service, asker.caller, after=after, limit=limit))


@operations.get(f"{_BASE}/{{campaign}}", answers=CampaignOut, told="The campaign.")
async def read_campaign(asker: Asked, campaign: CampaignId) -> Response:
    """Read a campaign."""
    return answered(asker, await campaigns.read(asker.service, asker.caller, campaign))


@operations.get("/v1/me", answers=TokenOut, told="The token that was sent, without its secret.")
async def read_own_token(asker: Asked) -> Response:
    """Who am I?

    The role of the token that comes with the request, its campaign, the encounter it is narrowed to, and the combatants
    it acts for: what a client needs to decide which controls to show. Anybody with a token.
    """
    return answered(asker, await tokens.own(asker.service, asker.caller))


@operations.post(
    f"{_BASE}/{{campaign}}/tokens",
    body=TokenIn,
    answers=TokenMade,
    status=201,
    located=True,
    problems=(Code.LIMIT_REACHED,),
    told="The token with its secret, shown this once.",
)
async def create_token(asker: Asked, campaign: CampaignId) -> Response:
    """Make a token for somebody at the table.

    A `player` acts for the combatants it names, by id or by `ref:TOKEN`; several players may act for the same one. A
    `spectator` looks on. A `gm` may do everything in the campaign, a `co_gm` everything in the one `encounter` that he
    needs, but no tokens, invites, webhooks or house rules, and no deleting. `encounter` narrows a player's or a
    spectator's token too. A campaign has at most 200 tokens that are not revoked. Needs a GM of the whole campaign, or
    an admin.
    """
    body, attempt = await asker.body(TokenIn)
    result = await tokens.create(asker.service, asker.caller, campaign, body, attempt, asker.seed())
    return answered(asker, result, 201, at=f"{_BASE}/{campaign}/tokens/{result.created}", secret=True)


@operations.get(f"{_BASE}/{{campaign}}/tokens", answers=TokenPage, told="A page of tokens, without their secrets.")
async def list_tokens(asker: Asked, campaign: CampaignId, limit: Limit = 50, after: After = None) -> Response:
    """List the tokens of a campaign.

    Oldest first, revoked ones too, never with their secrets. Needs a GM of the whole campaign, or an admin.
    """
    return paged(asker, await tokens.page(asker.service, asker.caller, campaign, after=after, limit=limit))


@operations.get(f"{_BASE}/{{campaign}}/tokens/{{token}}", answers=TokenOut, told="The token, without its secret.")
async def read_token(asker: Asked, campaign: CampaignId, token: TokenId) -> Response:
    """Read a token.

    Without its secret. Needs a GM of the whole campaign, or an admin.
    """
    return answered(asker, await tokens.read(asker.service, asker.caller, campaign, token))


@operations.patch(
    f"{_BASE}/{{campaign}}/tokens/{{token}}", body=TokenEdit, answers=TokenOut, told="The token as it stands now."
)
async def change_token(asker: Asked, campaign: CampaignId, token: TokenId) -> Response:
    """Change a token.

    Its role and reach, for whom a player's token acts, its name, and how long it is good; a field left out stays. It
    counts at once: lists of actions and decisions say what it may now do, and an open stream ends within a second, so
    that its reader comes back and sees with the new eyes. Needs a GM of the whole campaign, or an admin.
    """
    body, attempt = await asker.body(TokenEdit)
    result = await tokens.edit(asker.service, asker.caller, asker.parts.gate, campaign, token, body, attempt)
    return answered(asker, result)


@operations.delete(f"{_BASE}/{{campaign}}/tokens/{{token}}", status=204, told="It is good no more.")
async def revoke_token(asker: Asked, campaign: CampaignId, token: TokenId) -> Response:
    """Revoke a token.

    It is refused from now on, and its streams are closed. Revoking it again changes nothing. Needs a GM of the whole
    campaign, or an admin.
    """
    result = await tokens.revoke(asker.service, asker.caller, asker.parts.gate, campaign, token, asker.attempt())
    return answered(asker, result, 204)
