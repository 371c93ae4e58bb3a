"""What cannot be of a combatant, whoever writes it down: marks of his items, what his hands hold, what he has left.

Play keeps to it by itself. Whatever comes from outside (somebody who joins, an edit, a ruling) is held against it at
the door. A ruleset puts its own `misfits` together from the pieces here.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from app.engine.state import Combatant, Item

Bounds = tuple[int | None, int | None]
"""The least and the most that a figure may be; None where there is no such bound."""
Pools = Mapping[str, Callable[[Combatant], tuple[int, int | None]]]


class Misfit(msgspec.Struct, frozen=True):
    """One thing that cannot be. `at` is a JSON Pointer into the combatant as clients write him."""

    code: str
    at: str
    need: str = ""


def marks_within(items: Mapping[str, Item], known: Callable[[Item], Mapping[str, Bounds]]) -> Iterator[Misfit]:
    """Marks that their item cannot have (`unknown_word`), or not so many of (`out_of_bounds`)."""
    for key, item in items.items():
        bounds = known(item)
        for mark, value in item.marks.items():
            at = f"/items/{_escaped(key)}/marks/{_escaped(mark)}"
            if mark not in bounds:
                yield Misfit("unknown_word", at, ", ".join(bounds))
                continue
            least, most = bounds[mark]
            if (least is not None and value < least) or (most is not None and value > most):
                yield Misfit("out_of_bounds", at, bounds_told(least, most))


def hands_within(items: Mapping[str, Item], room: int = 1) -> Iterator[Misfit]:
    """Items that are in a hand which holds more than `room` (`hand_full`), each at its `held`; `both` takes of both."""
    for hand in ("main", "off"):
        holding = [key for key, item in items.items() if item.held in (hand, "both")]
        if len(holding) > room:
            for key in holding:
                yield Misfit("hand_full", f"/items/{_escaped(key)}/held", hand)


def pools_within(body: Combatant, pools: Pools) -> Iterator[Misfit]:
    """Resources of which he has more than his sheet lets him have (`below_present`), at `/sheet`."""
    for pool, figures in pools.items():
        value, most = figures(body)
        if most is not None and value > most:
            yield Misfit("below_present", "/sheet", f"{pool} {value}")


def ordinary_misfits(rules: object, body: Combatant) -> Iterator[Misfit]:
    """For a ruleset that says nothing else: no item has marks, and a hand holds one thing."""
    yield from marks_within(body.items, lambda item: {})
    yield from hands_within(body.items)


def bounds_told(least: int | None, most: int | None) -> str:
    """Bounds as a finding tells them."""
    if least is None or most is None:
        return f"<= {most}" if least is None else f">= {least}"
    return f"{least}..{most}"


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
