"""The fight through the client that openapi-python-client makes."""

import json
import os
import uuid
from typing import TypeVar

from turnwright_client import AuthenticatedClient
from turnwright_client.api.campaigns import create_campaign
from turnwright_client.api.combatants import list_actions
from turnwright_client.api.encounters import create_encounter, start_encounter
from turnwright_client.api.follow import read_log
from turnwright_client.api.play import answer_decision, submit_action
from turnwright_client.models import (
    Answer,
    CommandResult,
    DamageDealt,
    Decision,
    DiceSource,
    NewCampaign,
    NewCombatant,
    NewCombatantPolicy,
    NewEncounter,
    NewMap,
    NewMapMode,
    NewPlace,
    Policy,
    Problem,
    StartEncounter,
    Submission,
    SubmissionOptions,
    SubmissionRolls,
)
from turnwright_client.types import Unset

T = TypeVar("T")
URL = os.environ["TURNWRIGHT_URL"]


def seat(token: str) -> AuthenticatedClient:
    """A client with that token."""
    return AuthenticatedClient(base_url=URL, token=token, raise_on_unexpected_status=True)


def good(answer: T | Problem | None) -> T:
    """The answer, which must not be a problem."""
    if answer is None or isinstance(answer, Problem):
        raise RuntimeError(answer)
    return answer


def key() -> str:
    """A new idempotency key."""
    return uuid.uuid4().hex


policy = NewCombatantPolicy()
policy["defend"] = Policy.ASK
campaign = good(create_campaign.sync(client=seat(os.environ["TURNWRIGHT_TOKEN"]), body=NewCampaign(name="Thursday")))
gm = seat(campaign.gm_token)
encounter = good(
    create_encounter.sync(
        client=gm,
        idempotency_key=key(),
        body=NewEncounter(
            campaign=campaign.id,
            name="Manufactorum",
            ruleset="dark_heresy_2e",
            space=NewMap(mode=NewMapMode.MAP, size=[40, 25], walls=[[[22, 14], [22, 25]]]),
            combatants=[
                NewCombatant(
                    sample="sable",
                    side="acolytes",
                    position=NewPlace(x=2, y=3),
                    external_ref="Token.a1",
                    dice=DiceSource.CLIENT,
                ),
                NewCombatant(
                    sample="brok",
                    side="cult",
                    position=[11, 3],
                    external_ref="Token.b1",
                    dice=DiceSource.CLIENT,
                    policy=policy,
                ),
            ],
        ),
    )
)
sable = next(one.id for one in encounter.combatants if one.external_ref == "Token.a1")


def answer(asked: Decision) -> CommandResult:
    """Somebody chooses, or rolls."""
    if isinstance(asked.dice, Unset):
        body = Answer(option="none")
    else:
        body = Answer(dice=[1 if asked.name == "initiative" and asked.for_ != sable else 7])
    return good(answer_decision.sync(encounter.id, asked.id, client=gm, body=body, idempotency_key=key()))


def settle(result: CommandResult) -> list[CommandResult]:
    """Go on until nobody is asked any more."""
    every = [result]
    while every[-1].waiting_for:
        every.append(answer(every[-1].waiting_for[0]))
    return every


settle(good(start_encounter.sync(encounter.id, client=gm, body=StartEncounter(), idempotency_key=key())))
listed = good(list_actions.sync(encounter.id, "ref:Token.a1", client=gm, available=True))
options, rolls = SubmissionOptions(), SubmissionRolls()
options["mode"], rolls["to_hit"] = "strike", [41]
submission = Submission(
    actor="ref:Token.a1", action="charge", targets=["ref:Token.b1"], weapon="sword", options=options, rolls=rolls
)
charged = settle(good(submit_action.sync(encounter.id, client=gm, body=submission, idempotency_key=key())))
again = submit_action.sync(encounter.id, client=gm, body=submission, idempotency_key=key())
if not isinstance(again, Problem):
    raise RuntimeError(again)
log = good(read_log.sync(encounter.id, client=gm, after=0, limit=200))
print(
    json.dumps(
        {
            "offered": [one.id for one in listed.actions],
            "asked": [decision.kind for one in charged for decision in one.waiting_for],
            "damage": [event.through for event in log.items if isinstance(event, DamageDealt)],
            "events": len(log.items),
            "refusal": again.code.value,
            "reasons": [] if isinstance(again.reasons, Unset) else [reason.clause for reason in again.reasons],
        }
    )
)
