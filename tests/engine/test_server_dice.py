"""Server dice are HMAC-SHA256 of the seed, as anybody can check who has been told it."""

import hashlib
import hmac

import pytest

from app.engine.dice import server_faces


@pytest.mark.parametrize("seed", [b"", b"short", b"0123456789abcdef" * 2, b"x" * 64, b"longer than a block " * 5])
@pytest.mark.parametrize("key", ["attack/to_hit", "удар/dodge"])
def test_a_face_is_drawn_from_the_librarys_hmac(seed: bytes, key: str) -> None:
    digest = hmac.digest(seed, f"0\n3\n17\n{key}".encode(), hashlib.sha256)

    faces = server_faces(seed, 3, 17, key, 2, 100)

    assert faces == tuple(int.from_bytes(digest[at : at + 4], "big") % 100 + 1 for at in (0, 4))


def test_many_dice_take_further_blocks() -> None:
    blocks = b"".join(hmac.digest(b"seed", b"%d\n0\n1\nburst" % block, hashlib.sha256) for block in range(3))

    faces = server_faces(b"seed", 0, 1, "burst", 20, 16)

    assert faces == tuple(int.from_bytes(blocks[at : at + 4], "big") % 16 + 1 for at in range(0, 80, 4))
