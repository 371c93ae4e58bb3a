"""Server dice are HMAC-SHA256 of the seed, as anybody can check who has been told it."""

import hashlib
import hmac

import pytest

from app.engine.dice import named_faces, roll_name, server_faces


@pytest.mark.parametrize("seed", [b"", b"short", b"0123456789abcdef" * 2, b"x" * 64, b"longer than a block " * 5])
@pytest.mark.parametrize("key", ["attack/to_hit", "удар/dodge"])
def test_a_face_is_drawn_from_the_librarys_hmac(seed: bytes, key: str) -> None:
    name = hmac.digest(seed, f"roll\n3\n17\n{key}".encode(), hashlib.sha256).hex()[:16]
    digest = hmac.digest(seed, f"0\n{name}".encode(), hashlib.sha256)

    faces = server_faces(seed, 3, 17, key, 2, 100)

    assert roll_name(seed, 3, 17, key) == name
    assert faces == tuple(int.from_bytes(digest[at : at + 4], "big") % 100 + 1 for at in (0, 4))


def test_many_dice_take_further_blocks() -> None:
    blocks = b"".join(hmac.digest(b"seed", b"%d\nburst" % block, hashlib.sha256) for block in range(3))

    faces = named_faces(b"seed", "burst", 20, 16)

    assert faces == tuple(int.from_bytes(blocks[at : at + 4], "big") % 16 + 1 for at in range(0, 80, 4))
