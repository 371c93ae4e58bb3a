"""T8: the API fuzzed by its own document, as nobody, as one who looks on, as a player and as the game master.

What is tried everyday is nothing: it takes a process of its own for a minute. `.ci/run` tries a little of everything,
the same each time, so that a change is judged by itself; `make soak` a thousand cases of each operation, for two of the
roles with a seed that is printed.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.routes import operations
from tests.support.fuzzing import PHASES, ROLES, SETTINGS, Report, World, fuzz
from tests.support.served import Served, served, turnwright
from tests.support.sizes import IS_LONG, sized

EXAMPLES = int(os.environ.get("TURNWRIGHT_TEST_FUZZ_EXAMPLES") or sized(0, 2, 1_000))
PHASES_TRIED = PHASES if IS_LONG else ("fuzzing",)
FIXED = 20_261_130
SEED = os.environ.get("TURNWRIGHT_TEST_SEED")
CHANCE = int(SEED or random.SystemRandom().getrandbits(32))

pytestmark = [
    pytest.mark.fuzz,
    pytest.mark.timeout(0 if IS_LONG else 300),
    pytest.mark.skipif(not EXAMPLES, reason="T8 is left out of an everyday run"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the real rulesets."""
    folder: Path = tmp_path_factory.mktemp("fuzz")
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")
    with served(command, folder / "printed", **SETTINGS) as running:
        yield running
    assert "request failed" not in (folder / "printed").read_text()


@pytest.mark.parametrize("role", ROLES)
def test_nothing_that_the_document_allows_or_forbids_breaks_it(server: Served, role: str) -> None:
    # The seed that stays finds again what was found once; the other one looks elsewhere each time.
    seed = CHANCE if SEED or (IS_LONG and ROLES.index(role) % 2) else FIXED
    print(f"TURNWRIGHT_TEST_SEED={seed}")
    world = World(server, seed)
    try:
        report = fuzz(world, role, EXAMPLES, phases=PHASES_TRIED)
    finally:
        world.close()

    print(report, dict(report.excused))
    told(report)
    assert len(report.operations) == len(operations())


def told(report: Report) -> None:
    """Everything that was found, at once, with the requests that found it: they are not made again so soon."""
    print(*report.findings, sep="\n\n")
    assert [str(one) for one in report.findings] == []
    assert report.errors == []
    assert not {status for status in report.statuses if status >= 500 or status == 0}
