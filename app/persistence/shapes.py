"""Old stored bodies brought to today's form. Each step is one numbered function with a stored sample as its test.

A body says in its row's `shape` by which form it was written. When a Struct changes so that old JSON no longer fits,
`SHAPE` goes up by one and `STEPS` gets a function from the shape before; rows are raised when they are read, never
rewritten.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

SHAPE = 1
"""The form in which bodies are written now."""

Kind = Literal["part", "event", "pending", "decisions", "state"]
Step = Callable[[Kind, Any], Any]
STEPS: Mapping[int, Step] = {}
"""By the shape they start from: what turns the JSON value of a body into that of the next shape."""


def raised(kind: Kind, body: str, shape: int) -> str:
    """A body in today's form. Raises `ValueError` for one from the future."""
    if shape == SHAPE:
        return body
    if shape > SHAPE:
        raise ValueError(f"a {kind} of shape {shape}; this version knows {SHAPE}")
    value = msgspec.json.decode(body)
    for step in range(shape, SHAPE):
        value = STEPS[step](kind, value)
    return msgspec.json.encode(value).decode()
