"""Named places where a test makes the service fail or die, to see that a command is stored whole or not at all, and a
message sent at least once.

`TURNWRIGHT_FAILPOINT=before_commit:7` ends the process, as SIGKILL would, when that place is reached for the seventh
time.
"""

import os
from collections.abc import Callable

POINTS = ("after_state", "after_events", "before_commit", "after_commit", "before_notify", "webhook_sent")

armed: dict[str, Callable[[], None]] = {}
"""What happens at a place. Empty outside tests."""


def reach(point: str) -> None:
    """Somebody is at that place."""
    if armed and point in armed:
        armed[point]()


class _Death:
    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self) -> None:
        self.left -= 1
        if self.left <= 0:
            os._exit(137)


def _arm() -> None:
    named = os.environ.get("TURNWRIGHT_FAILPOINT")
    if named:
        point, _, times = named.partition(":")
        if point not in POINTS:
            raise ValueError(f"there is no failpoint {point}")
        armed[point] = _Death(int(times or "1"))


_arm()
