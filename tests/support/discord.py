"""Discord as this server meets it: it signs what it posts, with a key pair of our own."""

import itertools
import json
import time
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Json = dict[str, Any]
PATH = "/v1/integrations/discord/interactions"
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = PRIVATE.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
_numbers = itertools.count(int(time.time() * 1000) << 8)


def signed(raw: bytes, at: int | None = None, key: Ed25519PrivateKey = PRIVATE) -> dict[str, str]:
    """The headers that Discord sends with a body."""
    moment = str(int(time.time()) if at is None else at)
    signature = key.sign(moment.encode() + raw).hex()
    return {
        "content-type": "application/json",
        "x-signature-ed25519": signature,
        "x-signature-timestamp": moment,
    }


def interaction(kind: int, user: str = "1", *, channel: str = "77", locale: str = "en-US", **fields: Any) -> Json:
    """An interaction as Discord builds it, with the fields that we pass over too."""
    return {
        "id": str(next(_numbers)),
        "application_id": "4242",
        "type": kind,
        "token": "a-token-of-discord",
        "version": 1,
        "channel_id": channel,
        "guild_id": "99",
        "locale": locale,
        "guild_locale": "en-US",
        "member": {
            "user": {"id": user, "username": f"user{user}", "global_name": f"User {user}", "discriminator": "0"},
            "permissions": "2147483647" if user == "1" else "0",
        },
        **fields,
    }


def command(
    name: str, user: str = "1", *, focused: str = "", kind: int = 2, locale: str = "en-US", **options: Any
) -> Json:
    """`/turnwright NAME ...`; `focused` is what is being typed, for autocomplete."""
    listed = [
        {"name": key, "type": 3, "value": value, **({"focused": True} if key == focused else {})}
        for key, value in options.items()
    ]
    data = {"id": "1", "name": "turnwright", "type": 1, "options": [{"name": name, "type": 1, "options": listed}]}
    return interaction(kind, user, locale=locale, data=data)


def posted(body: Json) -> tuple[bytes, dict[str, str]]:
    """The body as bytes, and its headers."""
    raw = json.dumps(body, ensure_ascii=False).encode()
    return raw, signed(raw)
