"""A voice that keeps figures to itself: the same sentences without what their reader is not to know."""

from collections.abc import Mapping

from app.services.narration.templates import Value
from app.services.narration.voice import Voice

VEILED = "veiled"
_TELLS = {
    "delta": ("delta", "value"),
    "value": ("delta", "value"),
    "effect.value": ("value",),
    "body.count": ("count", "left"),
    "standing": ("value", "hundredths", "second"),
    "dice": ("dice", "rolled", "faces"),
    "raw": ("raw", "absorbed"),
    "through": ("through", "absorbed"),
    "soak": ("soak", "absorbed"),
    "target": ("target", "reached", "needed"),
    "degrees": ("degrees", "reached"),
}
"""Values of a sentence that tell a field, where they are not called as it is."""
_DECIDES = frozenset({"outcome", "through", "winner"})
"""Fields by which the sentence itself is chosen."""
_NO_FIGURES = frozenset({"who", "target", "fact", "words"})
"""What is left of a fact whose figures are kept back, whatever the ruleset calls them."""


class Hushed(Voice):
    """Speaks as another voice does, without the values of `left_out`."""

    def __init__(self, voice: Voice, left_out: tuple[str, ...]) -> None:
        self.__dict__.update(voice.__dict__)  # one memory for both
        self._left_out = frozenset(left_out)

    def say(self, key: str, values: Mapping[str, Value], *variants: str) -> str:
        """The sentence for whoever does not get the figures (`key__veiled`); silent where the whole one is."""
        if self._compiled("message", key, variants) is None:
            return ""
        gone = {name for field in self._left_out for name in _TELLS.get(field, (field,))}
        told = {
            name: value
            for name, value in values.items()
            if name not in gone and ("figures" not in self._left_out or name in _NO_FIGURES)
        }
        if not self._left_out.isdisjoint(_DECIDES):
            variants = ()
        if self._own.text("message", f"{key}__{VEILED}") is None:
            return self._spoken("message", key, variants, told)
        veiled = tuple(f"{VEILED}_{one}" for one in variants)
        return self._spoken("message", key, (*veiled, VEILED), told)
