"""Parameters of paths and queries, named once with their bounds."""

import re
from typing import Annotated

from fastapi import Path, Query
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

ID = r"[0-9a-z]{1,22}"
_WHOLE = re.compile(r"-?[0-9]{1,20}")


def _as_digits(value: object) -> object:
    if isinstance(value, str) and not _WHOLE.fullmatch(value):
        raise PydanticCustomError("int_parsing", "no whole number")
    return value


AsDigits = BeforeValidator(_as_digits)
"""A whole number is written in digits: `1.0`, `1_0` and `+1`, which Python reads as numbers too, are none."""

CampaignId = Annotated[
    str, Path(pattern=f"^cmp_{ID}$", max_length=26, description="Id of a campaign.", examples=["cmp_7h2k9m4q1x"])
]
TokenId = Annotated[
    str, Path(pattern=f"^tok_{ID}$", max_length=26, description="Id of a token.", examples=["tok_3k8w5n2p9d6t"])
]
InviteId = Annotated[
    str, Path(pattern=f"^inv_{ID}$", max_length=26, description="Id of an invite.", examples=["inv_5n2p9d6t3k"])
]
EncounterId = Annotated[
    str, Path(pattern=f"^enc_{ID}$", max_length=26, description="Id of an encounter.", examples=["enc_e7k2m9q4xw"])
]
CombatantName = Annotated[
    str,
    Path(
        pattern=f"^(cmb_{ID}|ref:.{{1,200}})$",
        max_length=204,
        description="Id of a combatant, or `ref:TOKEN` with its `external_ref`.",
        examples=["ref:Token.a1"],
    ),
]
DecisionId = Annotated[
    str, Path(pattern=f"^dec_{ID}$", max_length=26, description="Id of a decision.", examples=["dec_77k2m9q4xw"])
]
WebhookId = Annotated[
    str, Path(pattern=f"^whk_{ID}$", max_length=26, description="Id of a webhook.", examples=["whk_5c8w2n7p4d"])
]
DeliveryId = Annotated[
    str, Path(pattern=f"^msg_{ID}$", max_length=26, description="Id of a message.", examples=["msg_2m9q4xw7k1"])
]
HouseRulesName = Annotated[
    str,
    Path(pattern=r"^[a-z][a-z0-9_-]{0,63}$", max_length=64, description="Name of house rules.", examples=["our_table"]),
]
HouseRulesVersion = Annotated[
    int | None,
    Query(ge=1, le=1_000_000, description="An older version; left out, the one that counts.", examples=[1]),
    AsDigits,
]
RulesetId = Annotated[
    str,
    Path(pattern=r"^[a-z][a-z0-9_]{0,63}$", max_length=64, description="Id of a ruleset.", examples=["dark_heresy_2e"]),
]
ActionName = Annotated[
    str, Path(pattern=r"^[a-z][a-z0-9_]{0,63}$", max_length=64, description="Id of an action.", examples=["charge"])
]
Clause = Annotated[
    str,
    Path(pattern=r"^[A-Z]{2,4}-[0-9]{1,5}$", max_length=10, description="Id of a rule clause.", examples=["DH-3950"]),
]

Limit = Annotated[int, Query(ge=1, le=200, description="How many at most.", examples=[50]), AsDigits]
After = Annotated[
    str | None,
    Query(
        max_length=40,
        pattern=r"^[0-9A-Za-z_-]+$",
        description="The `next_cursor` of the page before.",
        examples=["cmp_7h2k9m4q1x"],
    ),
]
LogCursor = Annotated[
    int | None,
    Query(ge=0, le=2**53 - 1, description="What comes after this cursor; 0 is the beginning.", examples=[0]),
    AsDigits,
]
LogBefore = Annotated[
    int | None,
    Query(ge=1, le=2**53 - 1, description="What comes before this cursor, newest first.", examples=[100]),
    AsDigits,
]
