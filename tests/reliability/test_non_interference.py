"""T11: the same public story with and without hidden combatants acting in between reads the same, byte for byte."""

import difflib
import json

import msgspec
import pytest

from tests.api.table import Table
from tests.reliability.secret_fights import HIDDEN, MARK, Fight
from tests.support.play import book, catalog
from tests.support.sizes import IS_LONG, sized

pytestmark = pytest.mark.anyio

STORIES = sized(20, 20, 500)
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


def same(ruleset: str, seed: int, alone: str, beside: str) -> None:
    """Whether both read the same."""
    assert MARK not in beside
    if alone != beside:
        lines = difflib.unified_diff(alone.splitlines(), beside.splitlines(), "alone", "beside", n=0, lineterm="")
        pytest.fail(f"{ruleset}, story {seed}:\n" + "\n".join(line[:1500] for line in list(lines)[:14]))


async def offered(town: Table, ruleset: str, seed: int, hidden: bool | None) -> str:
    """What Ann's combatant is offered and refused, the hidden standing between him and everybody else."""
    fight = Fight(town, ruleset, seed, hidden=hidden)
    spots = {"a": [2, 2], "b": [2, 6], "foe": [4, 2], HIDDEN[0]: [3, 2], HIDDEN[1]: [2, 3]}
    await fight.begin(sorted(book(ruleset).document["samples"]), on_map=True, spots=spots)
    fight.told = []
    listed = await fight.send("GET", f"{fight.home}/combatants/ref:a/actions", who="ann")
    fight.keep("list", listed)
    for action in listed.json()["actions"]:
        if "path" in action["needs"]:
            for spot in ([3, 2], [2, 3], [3, 3], [5, 2]):
                body = {"actor": "ref:a", "action": action["id"], "targets": ["ref:foe"], "destination": spot}
                told = await fight.send("POST", f"{fight.home}/actions/preview", body, "ann")
                fight.keep(f"preview {action['id']} {spot}", told)
    return fight.story()


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
async def test_whoever_stands_hidden_in_the_way_changes_no_offer_and_no_refusal(town: Table, ruleset: str) -> None:
    for seed in range(sized(2, 2, 20)):
        alone = await offered(town, ruleset, seed, None)
        beside = await offered(town, ruleset, seed, True)
        assert "preview" in alone
        same(ruleset, seed, alone, beside)


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
@pytest.mark.timeout(0 if IS_LONG else 600)
async def test_whoever_is_hidden_changes_nothing_that_others_read(town: Table, ruleset: str) -> None:
    for seed in range(STORIES):
        alone = await told(town, ruleset, seed, None)
        beside = await told(town, ruleset, seed, True)

        same(ruleset, seed, alone, beside)
