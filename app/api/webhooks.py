"""Webhooks of a campaign: who is told of what happens, and what came of it."""

from starlette.responses import Response

from app.api.answers import answered, paged
from app.api.asking import Asked
from app.api.operations import Operations
from app.api.parameters import After, CampaignId, DeliveryId, Limit, WebhookId
from app.api.problem_texts import Code
from app.services.webhooks import deliveries, hooks
from app.services.webhooks.shapes import (
    DeliveryOut,
    DeliveryPage,
    WebhookEdit,
    WebhookIn,
    WebhookMade,
    WebhookOut,
    WebhookPage,
)

operations = Operations("webhooks", "Webhooks: the events of a campaign, posted to an address of yours and signed.")
_ALL = "/v1/campaigns/{campaign}/webhooks"
_ONE = f"{_ALL}/{{webhook}}"
_SENT = f"{_ONE}/deliveries"


@operations.post(
    _ALL,
    body=WebhookIn,
    answers=WebhookMade,
    status=201,
    located=True,
    problems=(Code.WEBHOOK_URL_FORBIDDEN, Code.LIMIT_REACHED),
    told="The webhook with its secret, shown this once.",
)
async def create_webhook(asker: Asked, campaign: CampaignId) -> Response:
    """Make a webhook.

    From now on each command of the campaign, or of one `encounter`, is posted to `url` as one message with its events,
    exactly as the log has them for a spectator (`audience: gm`: for the GM) in that language, signed as Standard
    Webhooks has it. A command of which nothing is to be seen sends nothing. What fails is tried ten times in about 76
    hours, in order for each encounter. `url` must be https and lead to a public address. Needs a GM of the whole
    campaign, or an admin.
    """
    body, attempt = await asker.body(WebhookIn)
    desk = asker.parts.desk
    result = await hooks.create(asker.service, asker.caller, desk, campaign, body, attempt, asker.seed())
    at = f"/v1/campaigns/{campaign}/webhooks/{result.created}"
    return answered(asker, result, 201, at=at, secret=True)


@operations.get(_ALL, answers=WebhookPage, told="A page of webhooks, without their secrets.")
async def list_webhooks(asker: Asked, campaign: CampaignId, limit: Limit = 50, after: After = None) -> Response:
    """List the webhooks of a campaign.

    Oldest first, never with their secrets. Needs a GM of the whole campaign, or an admin.
    """
    return paged(asker, await hooks.page(asker.service, asker.caller, campaign, after=after, limit=limit))


@operations.get(_ONE, answers=WebhookOut, told="The webhook, without its secret.")
async def read_webhook(asker: Asked, campaign: CampaignId, webhook: WebhookId) -> Response:
    """Read a webhook.

    Without its secret; with the reason, if it was disabled. Needs a GM of the whole campaign, or an admin.
    """
    return answered(asker, await hooks.read(asker.service, asker.caller, campaign, webhook))


@operations.patch(
    _ONE,
    body=WebhookEdit,
    answers=WebhookOut,
    problems=(Code.WEBHOOK_URL_FORBIDDEN,),
    told="The webhook as it stands now.",
)
async def change_webhook(asker: Asked, campaign: CampaignId, webhook: WebhookId) -> Response:
    """Change a webhook.

    A field left out stays. While it is disabled nothing is collected for it; enabled again, it gets what was waiting
    and what happens from then on. Messages already made keep their form, and go to the new address; made public, a
    webhook of the GM's forgets them. Needs a GM of the whole campaign, or an admin.
    """
    body, attempt = await asker.body(WebhookEdit)
    result = await hooks.edit(asker.service, asker.caller, asker.parts.desk, campaign, webhook, body, attempt)
    return answered(asker, result)


@operations.delete(_ONE, status=204, told="Nothing more is sent to it.")
async def delete_webhook(asker: Asked, campaign: CampaignId, webhook: WebhookId) -> Response:
    """Take a webhook away.

    What still waits for it is not sent. Needs a GM of the whole campaign, or an admin.
    """
    result = await hooks.remove(asker.service, asker.caller, campaign, webhook, asker.attempt())
    return answered(asker, result, 204)


@operations.post(f"{_ONE}/rotate-secret", answers=WebhookMade, told="The webhook with its new secret, shown this once.")
async def rotate_webhook_secret(asker: Asked, campaign: CampaignId, webhook: WebhookId) -> Response:
    """Give a webhook a new secret.

    For 24 hours every message carries two signatures, of the new secret and of the one before. Needs a GM of the whole
    campaign, or an admin.
    """
    result = await hooks.rotate(asker.service, asker.caller, campaign, webhook, asker.attempt(), asker.seed())
    return answered(asker, result, secret=True)


@operations.post(
    f"{_ONE}/test", answers=DeliveryOut, status=201, problems=(Code.CONFLICT,), told="The message, about to be sent."
)
async def test_webhook(asker: Asked, campaign: CampaignId, webhook: WebhookId) -> Response:
    """Try a webhook.

    Sends a message of the type `ping`, once; what came of it stands in the list of deliveries a moment later. Needs a
    GM of the whole campaign, or an admin.
    """
    result = await deliveries.test(asker.service, asker.caller, asker.parts.desk, campaign, webhook, asker.attempt())
    return answered(asker, result, 201)


@operations.get(_SENT, answers=DeliveryPage, told="A page of messages.")
async def list_webhook_deliveries(
    asker: Asked, campaign: CampaignId, webhook: WebhookId, limit: Limit = 50, after: After = None
) -> Response:
    """List the messages of a webhook.

    Newest first, those of the last seven days: what was sent, what came of it, and what is still to be sent. Needs a GM
    of the whole campaign, or an admin.
    """
    result = await deliveries.page(asker.service, asker.caller, campaign, webhook, after=after, limit=limit)
    return paged(asker, result)


@operations.post(
    f"{_SENT}/{{delivery}}/resend",
    answers=DeliveryOut,
    problems=(Code.CONFLICT,),
    told="The message, about to be sent again.",
)
async def resend_webhook_delivery(
    asker: Asked, campaign: CampaignId, webhook: WebhookId, delivery: DeliveryId
) -> Response:
    """Send a message again.

    The same bytes under the same `webhook-id`, whatever came of it before. One that waits for its next try is tried at
    once; one that waits for an earlier one of its encounter goes on waiting. Needs a GM of the whole campaign, or an
    admin.
    """
    result = await deliveries.resend(
        asker.service, asker.caller, asker.parts.desk, campaign, webhook, delivery, asker.attempt()
    )
    return answered(asker, result)
