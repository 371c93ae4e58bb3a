"""What people typed, made harmless inside a sentence: no Markdown, no mass mention, no HTML, nothing invisible.

Clients put our sentences into chats and pages as they are. Markdown is escaped with backslashes, angle brackets become
quotation angles (so no tag, no Discord mention by id), and the at sign of a mass mention becomes its full-width twin.
"""

import re
from functools import lru_cache

NAME_LIMIT = 40
TEXT_LIMIT = 160

_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_SPACES = re.compile(r"\s+")
_MASS = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_MARKUP = re.compile(r"[\\*_~`|\[\]]")
_LINE_START = re.compile(r"^(#|[-+](?=[\s#])|\d{1,9}(?=[.)]\s))")
_ANGLES = str.maketrans({"<": "‹", ">": "›"})


@lru_cache(maxsize=8192)
def plain(text: str, limit: int = NAME_LIMIT) -> str:
    """The text as it may stand in a sentence, of at most `limit` visible characters."""
    text = _SPACES.sub(" ", _INVISIBLE.sub("", text)).strip()
    if len(text) > limit:
        text = f"{text[: limit - 1].rstrip()}…"
    text = _MARKUP.sub(r"\\\g<0>", text.translate(_ANGLES))
    text = _MASS.sub("＠", text).replace("://", ":\\//")
    return _LINE_START.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    start = found[0]
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"


def clipped(text: str, limit: int) -> str:
    """A sentence cut to so many characters, never within an escape."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip().rstrip(chr(92))}…"


def sentence(text: str) -> str:
    """A text that ends as a sentence does."""
    return text if not text or text[-1] in ".!?…" else f"{text}."
