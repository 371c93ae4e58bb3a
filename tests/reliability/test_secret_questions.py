"""What is asked where a roll is not everybody's: who, whom and what about, but no figure that comes of the roll."""

import re

import pytest

from tests.api.table import Table
from tests.reliability.secret_fights import Fight, Json
from tests.support.play import book

pytestmark = pytest.mark.anyio

KEPT_BACK: dict[str, Json] = {
    "in all he does": {"rolls": "secret"},
    "in silence": {"rolls": "secret"},
    "this time": {},
    "hidden": {"hidden": True},
    "in a slot": {"hidden": "slot"},
}
ROLLS = {"dark_heresy_2e": "die_replacement", "wh40k_d100": "die_replacement", "shadowrun_5e": "defend"}
TOLD = {"hits", "negated"}


def cut_rightly(one: Json, whole: Json, foe: str) -> None:
    """What others than the GM get of a question, beside the whole of it."""
    assert (one["kind"], one["for"]) == (whole["kind"], whole["for"])
    if foe not in (whole["for"], whole.get("about")):
        return
    assert set(one.get("figures", ())) <= TOLD, one
    if whole["for"] == foe:
        assert (one["options"], one["unavailable"]) == ([], [])
        assert "default" not in one
        assert not re.search(r"\d", one["prompt"]), one["prompt"]
    elif whole["for"] != "gm":
        assert [option["id"] for option in one["options"]] == [option["id"] for option in whole["options"]]
        assert one["default"] == whole["default"]


@pytest.mark.parametrize("how", KEPT_BACK)
@pytest.mark.parametrize("ruleset", ROLLS)
async def test_what_comes_of_a_roll_nobody_sees_is_in_no_question(town: Table, ruleset: str, how: str) -> None:
    fight = Fight(town, ruleset, 11, hidden=None)
    sample = "sable" if ruleset == "dark_heresy_2e" else sorted(book(ruleset).document["samples"])[0]
    silence: Json = {"secret_rolls": "silent"} if how == "in silence" else {}
    await fight.begin([sample], foe=KEPT_BACK[how], **silence)
    kinds: set[str] = set()
    seen: set[str] = set()
    for _ in range(12):
        while (owner := await fight.on_turn()) != "foe":
            await fight.send("POST", f"{fight.home}/end-turn", {"actor": f"ref:{owner}"})
            await fight.settle()
        listed = (await fight.send("GET", f"{fight.home}/combatants/ref:foe/actions?available=true")).json()
        attack = next((one for one in listed["actions"] if "attack" in one["tags"] and _reaches(one, fight)), None)
        if attack is not None:
            weapon = {"weapon": attack["weapons"][0]} if attack["weapons"] else {}
            body = {"actor": "ref:foe", "action": attack["id"], "targets": ["ref:a"], **weapon}
            given = await fight.send(
                "POST", f"{fight.home}/actions", body | ({"secret": True} if how == "this time" else {})
            )
            assert given.is_success, given.text
            await _answered(fight, kinds, seen)
        await fight.send("POST", f"{fight.home}/end-turn", {"actor": "ref:foe"})
        await fight.settle()
        if ROLLS[ruleset] in kinds:
            break
    assert ROLLS[ruleset] in kinds
    # Where nobody defends himself against whom he does not see, others are asked nothing at all.
    assert "defend" in seen or (ruleset == "wh40k_d100" and "hidden" in KEPT_BACK[how] and not seen)


def _reaches(action: Json, fight: Fight) -> bool:
    return any(one["id"] == fight.ids["a"] and one["available"] for one in action["targets"])


async def _answered(fight: Fight, kinds: set[str], seen: set[str]) -> None:
    """Everything that waits is looked at by everybody, and answered."""
    while waiting := (await fight.send("GET", f"{fight.home}/decisions")).json()["items"]:
        whole = {one["id"]: one for one in waiting}
        kinds |= {one["kind"] for one in waiting if one.get("figures")}
        for who in ("watcher", "ann"):
            state, page = (await fight.seen("", who)).json(), (await fight.seen("decisions", who)).json()
            assert state["waiting_for"] == page["items"]
            for one in page["items"]:
                seen.add(one["kind"])
                cut_rightly(one, whole[one["id"]], fight.ids["foe"])
                single = await fight.seen(f"decisions/{one['id']}", who)
                assert single.json() == one
        one = waiting[0]
        if one["kind"] == "roll":
            # A hit by many degrees that does little: then the die may be replaced.
            given: Json = {"dice": [1] * int(one["dice"].partition("d")[0])}
        else:
            given = {"option": one["default"]}
        assert (await fight.send("POST", f"{fight.home}/decisions/{one['id']}", given)).is_success
