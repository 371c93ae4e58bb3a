"""Whether a request is Discord's: Ed25519 over the time and the body, exactly as they were sent."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FRESH_S = 300
"""A request that was signed longer ago, or as far ahead, is somebody's who has kept it."""
_SIGNATURE = re.compile(rb"[0-9a-fA-F]{128}")
_TIME = re.compile(rb"[0-9]{1,12}")


@lru_cache(maxsize=8)
def _key(public: str) -> "Ed25519PublicKey":
    # Whoever uses no Discord need not load it.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))


def is_good(public: str, signature: bytes, signed_at: bytes, raw: bytes, now_ms: int) -> bool:
    """Whether the owner of that key signed this body, just now."""
    from cryptography.exceptions import InvalidSignature

    if not _SIGNATURE.fullmatch(signature) or not _TIME.fullmatch(signed_at):
        return False
    if abs(now_ms // 1000 - int(signed_at)) > FRESH_S:
        return False
    try:
        _key(public).verify(bytes.fromhex(signature.decode()), signed_at + raw)
    except (InvalidSignature, ValueError):
        return False
    return True
