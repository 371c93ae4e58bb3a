"""How a document is written down in one way only, and the fingerprint of that."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def canonical(document: Mapping[str, Any]) -> str:
    """The one way to write a document down: sorted keys, nothing between, whole numbers without a point."""
    return json.dumps(_plain(document), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def pin(document: Mapping[str, Any]) -> str:
    """The document's fingerprint: the same rules have the same one, whatever the order they were written in."""
    return hashlib.sha256(canonical(document).encode()).hexdigest()
