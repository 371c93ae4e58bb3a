"""How much of everything a test run tries: little every day, more where a change is judged, most at night."""

import os
from typing import TypeVar

import pytest

T = TypeVar("T")
PROFILES = ("everyday", "ci", "long")
PROFILE = os.environ.get("TURNWRIGHT_TEST_PROFILE") or "everyday"
assert PROFILE in PROFILES, f"TURNWRIGHT_TEST_PROFILE is one of {PROFILES}"
IS_LONG = PROFILE == "long"
not_everyday = pytest.mark.skipif(PROFILE == "everyday", reason="TURNWRIGHT_TEST_PROFILE=ci, or make soak")
"""On tests that take longer than a change can wait for."""


def sized(everyday: T, ci: T, long: T) -> T:
    """The one of the three that this run is for: `make test`, `.ci/run`, `make soak`."""
    return dict(zip(PROFILES, (everyday, ci, long), strict=True))[PROFILE]
