"""The words in which a ruleset lets space be stated. A word that it does not know would change nothing, unnoticed."""

from typing import Any

import msgspec


class Vocabulary(msgspec.Struct, frozen=True):
    """What a ruleset has no word for cannot be stated under it at all."""

    bands: tuple[str, ...] = ()
    """Range bands, nearest first."""
    arcs: tuple[str, ...] = ()
    """Sides of somebody on which another may be."""
    air: tuple[str, ...] = ()
    """What may lie between two: smoke, darkness. On a map also a kind of region."""
    ground: tuple[str, ...] = ()
    """Kinds of region that count only for who stands in them."""
    cover_ratings: tuple[str, ...] = ()
    """Words for how good a cover is."""
    locations: tuple[str, ...] = ()
    """Hit locations that a cover may hide. Taken from the data of the sheet."""


def no_words(tables: Any) -> Vocabulary:
    """For a ruleset in which space is stated in figures alone."""
    return Vocabulary()
