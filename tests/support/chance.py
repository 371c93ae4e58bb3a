"""Chance that can be had again: a test tells its seed, and takes one from TURNWRIGHT_TEST_SEED."""

import os
import random

from tests.support.sizes import IS_LONG

VARIABLE = "TURNWRIGHT_TEST_SEED"


def chance() -> random.Random:
    """A new source. By hand and where a change is judged it is always the same, at night another each time."""
    seed = int(os.environ.get(VARIABLE) or (random.SystemRandom().getrandbits(32) if IS_LONG else 1))
    print(f"{VARIABLE}={seed}")
    return random.Random(seed)
