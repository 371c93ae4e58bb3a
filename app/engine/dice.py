"""Dice: a bounded notation, and server dice as a keyed function of a secret seed.

A roll has a name, a function of (seed, epoch, number of the command, key of the roll) and of nothing else, and its
server dice are a function of (seed, name): questions answered in any order, retries and refused answers never roll
anything new. The epoch counts rewinds, so that going back does not show the same future twice. The name tells nothing
to whoever has not the seed, so it may stand beside every die; whoever has it can draw the die again by that name alone.
"""

import re
from functools import lru_cache
from hashlib import sha256
from struct import Struct

import msgspec

MAX_TEXT, MAX_TERMS, MAX_DICE, MAX_SIDES = 100, 8, 100, 1000
_TERM = re.compile(r"([+-]?)(?:([0-9]{0,4})d([0-9]{1,4})|([0-9]{1,6}))")


class DiceGroup(msgspec.Struct, frozen=True, gc=False):
    """`sign` times the sum of `count` dice of `sides` sides."""

    count: int
    sides: int
    sign: int = 1


class Dice(msgspec.Struct, frozen=True):
    """A dice expression: groups of dice and a constant."""

    groups: tuple[DiceGroup, ...]
    plus: int = 0

    @property
    def count(self) -> int:
        """How many dice are rolled."""
        return sum(group.count for group in self.groups)

    @property
    def highest(self) -> int:
        """What all the faces come to at most, whether they are added or taken away."""
        return sum(group.count * group.sides for group in self.groups)

    @property
    def text(self) -> str:
        """The notation again."""
        parts = [f"{'+' if g.sign > 0 else '-'}{g.count}d{g.sides}" for g in self.groups]
        if self.plus:
            parts.append(f"{self.plus:+d}")
        return "".join(parts).lstrip("+") or "0"


class BadDice(ValueError):
    """Dice text that is no dice text, or beyond the limits; the message names the limit."""


@lru_cache(maxsize=4096)
def parse_dice(text: str) -> Dice:
    """`2d10+3`, `1d5-3`, `d100`. Raises `BadDice`; a dice bomb is refused, never computed."""
    if len(text) > MAX_TEXT:
        raise BadDice(f"at most {MAX_TEXT} characters")
    compact = text.replace(" ", "").lower()
    groups: list[DiceGroup] = []
    plus = at = terms = 0
    while at < len(compact):
        match = _TERM.match(compact, at)
        if match is None or (at > 0 and not match[1]):
            raise BadDice(f"not dice notation: {text!r}")
        at = match.end()
        terms += 1
        sign = -1 if match[1] == "-" else 1
        if match[3] is None:
            plus += sign * int(match[4])
            continue
        groups.append(DiceGroup(int(match[2] or 1), int(match[3]), sign))
    if not terms or terms > MAX_TERMS:
        raise BadDice(f"between 1 and {MAX_TERMS} terms")
    if sum(group.count for group in groups) > MAX_DICE:
        raise BadDice(f"at most {MAX_DICE} dice")
    if any(not 2 <= group.sides <= MAX_SIDES or group.count < 1 for group in groups):
        raise BadDice(f"a die has 2 to {MAX_SIDES} sides")
    return Dice(tuple(groups), plus)


_INNER, _OUTER = bytes(byte ^ 0x36 for byte in range(256)), bytes(byte ^ 0x5C for byte in range(256))
_BLOCK = 64
_draws = Struct(">8I").unpack
"""A hash as eight draws of 32 bits each."""


@lru_cache(maxsize=4096)
def _pads(seed: bytes) -> tuple[bytes, bytes]:
    """What HMAC-SHA256 (RFC 2104) hashes before the message, and before the hash of that.

    Written out because the library's own lets go of the interpreter each time, and a busy thread gives it back late.
    """
    block = (sha256(seed).digest() if len(seed) > _BLOCK else seed).ljust(_BLOCK, b"\0")
    return block.translate(_INNER), block.translate(_OUTER)


def roll_name(seed: bytes, epoch: int, command: int, key: str) -> str:
    """Under which name a roll is drawn: sixteen hexadecimal digits."""
    return _keyed(seed, f"roll\n{epoch}\n{command}\n{key}".encode()).hex()[:16]


def named_faces(seed: bytes, name: str, count: int, sides: int) -> tuple[int, ...]:
    """The faces of a server roll. Unbiased: a draw that would favour low faces is thrown away and drawn again."""
    inner, outer = _pads(seed)
    limit = (1 << 32) - (1 << 32) % sides
    faces: list[int] = []
    block = 0
    while len(faces) < count:
        digest = sha256(outer + sha256(inner + f"{block}\n{name}".encode()).digest()).digest()
        block += 1
        for draw in _draws(digest):
            if draw < limit:
                faces.append(draw % sides + 1)
                if len(faces) == count:
                    break
    return tuple(faces)


def server_faces(seed: bytes, epoch: int, command: int, key: str, count: int, sides: int) -> tuple[int, ...]:
    """The same for a roll that has no name yet."""
    return named_faces(seed, roll_name(seed, epoch, command, key), count, sides)


def _keyed(seed: bytes, message: bytes) -> bytes:
    inner, outer = _pads(seed)
    return sha256(outer + sha256(inner + message).digest()).digest()


def commitment(seed: bytes) -> str:
    """What is published before the first roll, so that the seed revealed at the end can be checked against it."""
    return sha256(b"turnwright-dice\n" + seed).hexdigest()
