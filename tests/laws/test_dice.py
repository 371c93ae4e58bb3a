"""Server dice are a keyed function: of the seed, the epoch, the command and the key, and of nothing else."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.dice import commitment, server_faces
from tests.laws.tape import examples
from tests.support.sizes import sized

SEED = b"a seed of no importance"
SIDES = (2, 3, 4, 5, 6, 8, 10, 12, 20, 100, 1000)
ROLLS = sized(20_000, 20_000, 200_000)


@examples(everyday=100, long=2_000)
@given(st.binary(max_size=40), st.integers(0, 99), st.integers(0, 9999), st.text(max_size=60), st.sampled_from(SIDES))
def test_faces_are_on_the_die_and_fall_the_same_again(
    seed: bytes, epoch: int, command: int, key: str, sides: int
) -> None:
    faces = server_faces(seed, epoch, command, key, 40, sides)

    assert len(faces) == 40
    assert all(1 <= face <= sides for face in faces)
    assert server_faces(seed, epoch, command, key, 40, sides) == faces


@examples(everyday=50, long=1_000)
@given(st.integers(1, 30), st.integers(1, 30))
def test_more_dice_of_one_roll_leave_the_first_as_they_were(few: int, more: int) -> None:
    many = server_faces(SEED, 0, 1, "attack/to_hit", few + more, 100)

    assert server_faces(SEED, 0, 1, "attack/to_hit", few, 100) == many[:few]


@pytest.mark.parametrize(
    ("epoch", "command", "key", "seed"),
    [
        (1, 7, "attack/to_hit", SEED),
        (0, 8, "attack/to_hit", SEED),
        (0, 7, "attack/gorm/dodge", SEED),
        (0, 7, "attack/to_hit", b"the seed of a fork"),
    ],
    ids=["after a rewind", "in another command", "under another key", "in a fork"],
)
def test_other_dice_fall(epoch: int, command: int, key: str, seed: bytes) -> None:
    before = server_faces(SEED, 0, 7, "attack/to_hit", 20, 100)

    assert server_faces(seed, epoch, command, key, 20, 100) != before


@pytest.mark.parametrize("sides", [3, 5, 6, 10, 100])
def test_no_face_is_favoured(sides: int) -> None:
    """Chi square against even chances, at a bound that fair dice pass by once in some ten million seeds."""
    counts = Counter(server_faces(SEED, 0, 0, "many", ROLLS, sides))

    even = ROLLS / sides
    chi = sum((counts[face] - even) ** 2 / even for face in range(1, sides + 1))
    assert chi < (sides - 1) + 5.5 * (2 * (sides - 1)) ** 0.5 + 20


def test_a_commitment_tells_nothing_and_fits_one_seed() -> None:
    assert commitment(SEED) == commitment(bytes(SEED))
    assert commitment(SEED) != commitment(SEED + b"\0")
    assert SEED.hex() not in commitment(SEED)
