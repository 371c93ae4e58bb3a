"""Pools of dice by classes, held against every way in which their faces can fall."""

from collections.abc import Hashable
from itertools import product

import pytest

from app.engine.tally import MOST_CLASSES, Tally


def by_faces(tally: Tally, count: int, sides: int) -> dict[Hashable, int]:
    """How often each class comes up when all faces are gone through, each die shown as the highest of its class."""
    highest = {
        face: max(one for one in range(1, sides + 1) if tally.of_die(one) == tally.of_die(face))
        for face in range(1, sides + 1)
    }
    found: dict[Hashable, int] = {}
    for faces in product(range(1, sides + 1), repeat=count):
        name = tally.seen(tuple(highest[face] for face in faces))
        found[name] = found.get(name, 0) + 1
    return found


HITS = Tally(lambda face: face >= 5, lambda faces: sum(face >= 5 for face in faces))
LIMITED = Tally(lambda face: face >= 5, lambda faces: min(2, sum(face >= 5 for face in faces)))
SIXES = Tally(lambda face: (face >= 5, face == 6), lambda faces: (sum(face >= 5 for face in faces), faces.count(6)))
ONES = Tally(
    lambda face: 0 if face == 1 else 2 if face >= 5 else 1,
    lambda faces: (sum(face >= 5 for face in faces), 2 * faces.count(1) > len(faces)),
)


@pytest.mark.parametrize("tally", [HITS, LIMITED, SIXES, ONES])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
def test_classes_and_their_ways_are_those_of_every_way_the_faces_can_fall(tally: Tally, count: int) -> None:
    classes = tally.classes(count, 6)

    assert classes is not None
    assert {tally(faces): ways for ways, faces in classes} == by_faces(tally, count, 6)
    assert all(len(faces) == count for _, faces in classes)


def test_of_thirty_dice_there_are_thirty_one_counts_of_hits() -> None:
    classes = HITS.classes(30, 6)

    assert classes is not None
    assert len(classes) == 31
    assert sum(ways for ways, _ in classes) == 6**30


def test_what_has_too_many_classes_is_not_gone_through() -> None:
    each = Tally(lambda face: face, lambda faces: faces)

    assert each.classes(3, 6) is not None
    assert each.classes(MOST_CLASSES, 6) is None
