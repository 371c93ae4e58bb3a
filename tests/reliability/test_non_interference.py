"""T11: the same public story with and without hidden combatants acting in between reads the same, byte for byte.

`TURNWRIGHT_STORIES` sets how many stories are told of each ruleset, in place of 20, or 500 by night.
"""

import difflib
import json
import os

import msgspec
import pytest

from tests.api.table import Table
from tests.reliability.secret_fights import MARK, Fight
from tests.support.play import book, catalog
from tests.support.sizes import sized

pytestmark = pytest.mark.anyio

STORIES = int(os.environ.get("TURNWRIGHT_STORIES", "0")) or sized(20, 20, 500)
STEPS = 3
LANGUAGES = ("en", "ru", "pl")


async def told(town: Table, ruleset: str, seed: int, hidden: bool | None) -> str:
    """One story as it was read by a spectator and both players."""
    fight = Fight(town, ruleset, seed, hidden=hidden)
    await fight.begin(sorted(book(ruleset).document["samples"]), on_map=seed % 3 == 0)
    for number in range(STEPS):
        await fight.step()
        fight.keep("state", await fight.seen("", ("watcher", "ann", "orc")[number % 3]))
    for number, who in enumerate(("watcher", "ann", "orc")):
        await fight.look(who, LANGUAGES[(seed + number) % 3])
    # How events are spread over messages shows when a turn ended that nobody knew of, as the time between them does.
    messages = [json.loads(message)["data"] for message in await fight.sent("public")]
    fight.told += [msgspec.json.encode(event).decode() for data in messages for event in data["events"]]
    return fight.story()


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
@pytest.mark.timeout(600)
async def test_whoever_is_hidden_changes_nothing_that_others_read(town: Table, ruleset: str) -> None:
    for seed in range(STORIES):
        alone = await told(town, ruleset, seed, None)
        beside = await told(town, ruleset, seed, True)

        assert MARK not in beside
        if alone != beside:
            lines = difflib.unified_diff(alone.splitlines(), beside.splitlines(), "alone", "beside", n=0, lineterm="")
            pytest.fail(f"{ruleset}, story {seed}:\n" + "\n".join(line[:1500] for line in list(lines)[:14]))
