"""Ids that tell nothing: made from the encounter's secret, so that a run repeated gives the same ones, unstored."""

import hashlib

from app.services.service import ALPHABET

_LENGTH = 10


def opaque(prefix: str, seed: bytes, *parts: str | int) -> str:
    """An id for what these parts name. Without the seed nothing can be read from it."""
    text = "\n".join(map(str, parts)).encode()
    number = int.from_bytes(hashlib.blake2b(text, digest_size=8, key=seed, person=prefix.encode()).digest(), "big")
    letters = []
    for _ in range(_LENGTH):
        number, place = divmod(number, 32)
        letters.append(ALPHABET[place])
    return prefix + "".join(letters)
