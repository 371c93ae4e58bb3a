"""How large a house-rules document may be, looked at before anything is made of it."""

from collections.abc import Mapping
from typing import Any

from app.catalog.findings import Findings, child

MOST_BYTES = 256 * 1024
MOST_DEPTH = 12
MOST_VALUES = 8_000
MOST_ENTRIES = 400
LONGEST_TEXT = 400


def check_bounds(tree: Any, findings: Findings) -> bool:
    """Whether it is small enough to go on with; a long text or map is only noted."""
    values = 0
    waiting: list[tuple[str, Any, int]] = [("", tree, 1)]
    while waiting:
        place, value, depth = waiting.pop()
        values += 1
        if values > MOST_VALUES:
            findings.add("", "too_many_values", need=MOST_VALUES)
            return False
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            findings.add(place, "text_too_long", got=len(value), need=LONGEST_TEXT)
        if not isinstance(value, Mapping | list):
            continue
        if depth > MOST_DEPTH:
            findings.add(place, "too_deep", need=MOST_DEPTH)
            return False
        if len(value) > MOST_ENTRIES:
            findings.add(place, "too_long", got=len(value), need=MOST_ENTRIES)
            return False
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, one in pairs:
            if isinstance(key, str) and len(key) > LONGEST_TEXT:
                findings.add(place, "text_too_long", got=len(key), need=LONGEST_TEXT)
                return False
            waiting.append((child(place, key), one, depth + 1))
    return True
