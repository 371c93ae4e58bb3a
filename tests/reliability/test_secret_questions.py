"""What is asked where a roll is not everybody's: who, whom and what about, but no figure that comes of the roll."""

import json
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
    assert await answers_are_kept(fight) or ruleset == "shadowrun_5e"
    # Where nobody defends himself against whom he does not see, others are asked nothing at all.
    assert "defend" in seen or (ruleset == "wh40k_d100" and "hidden" in KEPT_BACK[how] and not seen)


async def answers_are_kept(fight: Fight) -> int:
    """How the foe's questions were answered is known to the GM and to whoever acts for him. Tells how many."""
    logs = [(await fight.seen("log?limit=200", who)).json()["items"] for who in ("gm", "orc", "ann", "watcher")]
    whole, his, *others = [{one["decision"]: one for one in log if one["type"] == "decision_answered"} for log in logs]
    told = {
        name: one["option"] for name, one in whole.items() if one["combatant"] == fight.ids["foe"] and "option" in one
    }
    for name, option in told.items():
        assert name not in his or his[name]["option"] == option
        for log in others:
            assert name not in log or ("option" not in log[name] and not log[name]["text"]), log[name]
    return len(told)


@pytest.mark.parametrize(("choice", "face"), [("add_degree", 3), ("reroll", 99)])
@pytest.mark.parametrize("how", ["in all he does", "in silence", "this time"])
async def test_what_fate_is_spent_on_after_a_secret_roll_is_not_told(
    town: Table, how: str, choice: str, face: int
) -> None:
    fight = Fight(town, "dark_heresy_2e", 11, hidden=None)
    silence: Json = {"secret_rolls": "silent"} if how == "in silence" else {}
    await fight.begin(["sable"], foe={**KEPT_BACK[how], "policy": {"spend_fate": "ask"}}, **silence)
    while (owner := await fight.on_turn()) != "foe":
        await fight.send("POST", f"{fight.home}/end-turn", {"actor": f"ref:{owner}"})
        await fight.settle()
    before = (await fight.seen("", "gm")).json()["cursor"]
    body = {"actor": "ref:foe", "action": "standard_attack", "targets": ["ref:a"], "weapon": "sword"}
    given = await fight.send("POST", f"{fight.home}/actions", body | ({"secret": True} if how == "this time" else {}))
    assert given.is_success, given.text
    asked = False
    while waiting := (await fight.send("GET", f"{fight.home}/decisions")).json()["items"]:
        one = waiting[0]
        answer: Json = {"dice": [face]} if one["kind"] == "roll" else {"option": one["default"]}
        if one["kind"] == "roll" and not one["dice"].endswith("d100"):
            answer = {"dice": [2] * int(one["dice"].partition("d")[0])}
        if one["kind"] == "spend_fate" and not asked:
            asked, answer = True, {"option": choice}
        assert (await fight.send("POST", f"{fight.home}/decisions/{one['id']}", answer)).is_success
    assert asked

    whole = (await fight.seen(f"log?limit=200&after={before}", "gm")).json()["items"]
    # Dice of the table are asked for before anybody learns of the answer that leads to them.
    assert (choice in [one.get("option") for one in whole]) is (choice == "add_degree")
    assert [choice] in [one.get("words") for one in whole if one.get("fact") == "fate_spent"]
    assert await answers_are_kept(fight) or choice == "reroll"
    for who in ("ann", "watcher"):
        for language in ("en", "ru", "pl"):
            log = await fight.seen("log?limit=200", who, language)
            # That a point is gone is told, as every price is, but not on what.
            assert any(one.get("pool") == "fate_points" for one in log.json()["items"])
            assert choice not in log.text
            assert "fate_spent" not in log.text


@pytest.mark.parametrize("how", ["in all he does", "in silence", "this time"])
async def test_what_is_left_of_a_secret_contest_is_its_winners_alone(town: Table, how: str) -> None:
    fight = Fight(town, "gurps_4e", 11, hidden=None)
    silence: Json = {"secret_rolls": "silent"} if how == "in silence" else {}
    await fight.begin(["sample_swordsman"], foe=KEPT_BACK[how], **silence)
    while (owner := await fight.on_turn()) != "foe":
        await fight.send("POST", f"{fight.home}/end-turn", {"actor": f"ref:{owner}"})
        await fight.settle()
    body = {"actor": "ref:foe", "action": "feint", "targets": ["ref:a"], "weapon": "thrusting_broadsword"}
    given = await fight.send("POST", f"{fight.home}/actions", body | ({"secret": True} if how == "this time" else {}))
    assert given.is_success, given.text
    while waiting := (await fight.send("GET", f"{fight.home}/decisions")).json()["items"]:
        one = waiting[0]
        face = 2 if one["for"] == fight.ids["foe"] else 4
        answer: Json = {"dice": [face] * 3} if one["kind"] == "roll" else {"option": one["default"]}
        assert (await fight.send("POST", f"{fight.home}/decisions/{one['id']}", answer)).is_success
    await fight.send("PATCH", f"{fight.home}/combatants/ref:foe", {"name": "Duellist"})

    foe = fight.ids["foe"]
    for who in ("gm", "orc", "ann", "watcher"):
        log = (await fight.seen("log?limit=200", who)).json()["items"]
        (began,) = [
            one["effect"] for one in log if one["type"] == "effect_began" and one["effect"]["kind"] == "feinted"
        ]
        edited = next(one["body"]["effects"] for one in log if one["type"] == "edited" and one["body"]["id"] == foe)
        stands = (await fight.seen("combatants/ref:foe", who)).json()["effects"]
        listed = (await fight.seen("", who)).json()["combatants"]
        stands += next(one["effects"] for one in listed if one["id"] == foe)
        found = [one.get("value", 0) for one in (began, *edited.values(), *stands) if one["kind"] == "feinted"]
        assert len(found) == 4
        if who in ("gm", "orc"):
            assert set(found) == {found[0]} != {0}
        else:
            assert set(found) == {0}
            assert not [one for one in log if one.get("fact") == "feinted"]
            assert "in_secret" not in json.dumps([log, listed])


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
