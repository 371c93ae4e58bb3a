"""Characters that a text may have, wherever it comes from."""

import re

BAD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
LINE_BREAKS = re.compile(r"[\n\r\t]")
VISIBLE = re.compile(
    r"[^\s\u200b-\u200f\u2060-\u2064\u00ad\u034f\u061c\u180e\u3164\u115f\u1160\u17b4\u17b5\ufe00-\ufe0f]"
)
NAME_BYTES = 320


def is_line(text: str) -> bool:
    """Whether it is one line of characters that a person sees."""
    return not BAD.search(text) and not LINE_BREAKS.search(text)


def is_visible(text: str, more: int = 0) -> bool:
    """Whether there is something to see in a name, and it is no tower of accents; `more` bytes for its number."""
    return VISIBLE.search(text) is not None and len(text.encode()) <= NAME_BYTES + more


def is_name(text: str, more: int = 0) -> bool:
    """Whether that can be a name."""
    return is_line(text) and is_visible(text, more)
