"""Figures that are not for everybody change nothing of what others are told of an attack, before it and after it.

The fight is the same and so are its dice; only the sheet of whoever is struck at is another.
"""

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.table import Table
from tests.reliability.secret_fights import Fight, Json
from tests.support.play import book, catalog

pytestmark = pytest.mark.anyio

SHARES = ("lowest", "low", "middle", "highest")
"""Where in its range every die falls."""
SEEN = {"size", "size_modifier", "height", "weight"}
"""How large somebody is, anybody can see."""
_OF_THIS_TELLING = re.compile(
    r'"(?:command|id|request_id|at|expires_at|roll|seq|version|cursor)":(?:"[^"]*"|null|\d+),?|etag: "[^"]*"'
)


async def begun(town: Table, ruleset: str, how: str, whose: str = "a") -> Fight:
    """Ann's combatant has the turn (or `whose`), beside a foe whose figures she does not get."""
    fight = Fight(town, ruleset, 5, hidden=None)
    sample = sorted(book(ruleset).document["samples"])[0]
    await fight.begin([sample], foe={"values": how, "policy": {"*": "best"}})
    for _ in range(9):
        if (owner := await fight.on_turn()) == whose:
            return fight
        await fight.send("POST", f"{fight.home}/end-turn", {"actor": f"ref:{owner}"})
        await fight.settle()
    raise AssertionError("it is never that turn")


async def other_figures(town: Table, ruleset: str) -> Json:
    """As many figures of the foe's sheet as the rules let be changed, each a little higher or lower."""
    fight = await begun(town, ruleset, "none")
    path = f"{fight.home}/combatants/ref:foe"
    sheet: Json = (await fight.send("GET", path)).json()["sheet"]
    changed = {}
    for key, value in sheet.items():
        for by in (2, 1, -1) if type(value) is int and key not in SEEN else ():
            if (await fight.send("PATCH", path, {"sheet": {key: value + by}})).is_success:
                changed[key] = value + by
                break
    assert len(changed) >= 5, changed
    return changed


async def both(town: Table, ruleset: str, how: str) -> list[Fight]:
    """The same fight twice: the foe with his own figures, and with others."""
    figures = await other_figures(town, ruleset)
    fights = [await begun(town, ruleset, how) for _ in range(2)]
    given = await fights[1].send("PATCH", f"{fights[1].home}/combatants/ref:foe", {"sheet": figures})
    assert given.is_success, given.text
    for fight in fights:
        fight.told = []
    return fights


def same(one: str, other: str) -> None:
    """Whether both were told alike."""
    if one != other:
        apart = difflib.unified_diff(one.split(","), other.split(","), "his", "others", n=2, lineterm="")
        pytest.fail("\n".join(list(apart)[:40]))


def attacks(listed: Json, foe: str) -> Iterator[Json]:
    """A submission of each attack that may be aimed at him."""
    for action in listed["actions"]:
        if "attack" in action["tags"] and any(one["id"] == foe for one in action["targets"]):
            weapon = {"weapon": action["weapons"][0]} if action["weapons"] else {}
            yield {"actor": "ref:a", "action": action["id"], "targets": ["ref:foe"], **weapon}


async def foretold(fight: Fight) -> str:
    """All that Ann is told beforehand."""
    listed = await fight.send("GET", f"{fight.home}/combatants/ref:a/actions", who="ann")
    fight.keep("list", listed)
    for body in attacks(listed.json(), fight.ids["foe"]):
        told = await fight.send("POST", f"{fight.home}/actions/preview", body, "ann")
        fight.keep(f"preview {body['action']}", told)
    assert any('"terms"' in one for one in fight.told)
    return _OF_THIS_TELLING.sub("", fight.story())


@pytest.mark.parametrize("how", ["band", "none"])
@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
async def test_what_may_come_of_an_attack_is_told_alike(town: Table, ruleset: str, how: str) -> None:
    ours, his = await both(town, ruleset, how)
    same(await foretold(ours), await foretold(his))


@pytest.mark.parametrize("how", ["band", "none"])
@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
async def test_whether_he_may_still_react_is_not_foretold(town: Table, ruleset: str, how: str) -> None:
    ready, spent = [await begun(town, ruleset, how) for _ in range(2)]
    foe = (await spent.seen("combatants/ref:foe", "gm")).json()
    changes = [{"combatant": "ref:foe", "budget": one["id"], "set": 0 if one["left"] else 1} for one in foe["budgets"]]
    given = await spent.send("POST", f"{spent.home}/rulings", {"reason": "spent", "changes": changes})
    assert given.is_success, given.text
    for fight in (ready, spent):
        fight.told = []
    told = await foretold(ready)
    same(told, await foretold(spent))
    # Where two pools of dice are compared, or his defence is in what she must reach, her chance is never told.
    own = ruleset not in ("shadowrun_5e", "manewry_ap")
    assert bool(re.search(r'"purpose_name":"[^"]*","chance"', told)) is own


async def struck(fight: Fight, share: str) -> tuple[list[tuple[str, Any]], str]:
    """Ann's first attack that is open, with every die fallen so: what came of it, and what she was told of it."""
    listed = (await fight.send("GET", f"{fight.home}/combatants/ref:a/actions?available=true", who="ann")).json()
    for body in attacks(listed, fight.ids["foe"]):
        if (await fight.send("POST", f"{fight.home}/actions/preview", body, "ann")).json().get("legal"):
            break
    before = (await fight.seen("", "gm")).json()["cursor"]
    given = await fight.send("POST", f"{fight.home}/actions", body, "ann")
    assert given.is_success, given.text
    told: list[Json] = [given.json()]
    while waiting := (await fight.send("GET", f"{fight.home}/decisions")).json()["items"]:
        told += (await fight.send("GET", f"{fight.home}/decisions", who="ann")).json()["items"]
        one = waiting[0]
        if one["kind"] == "roll":
            count, sides = (int(part) for part in one["dice"].split("d"))
            face = {"lowest": 1, "low": 1 + sides // 5, "middle": 1 + sides // 2, "highest": sides}[share]
            answer: Json = {"dice": [face] * count}
        else:
            answer = {"option": one["default"]}
        who = "ann" if one["for"] == fight.ids["a"] else "gm"
        given = await fight.send("POST", f"{fight.home}/decisions/{one['id']}", answer, who)
        assert given.is_success, given.text
        told += [given.json()] if who == "ann" else []
    log = (await fight.seen(f"log?limit=200&after={before}", "gm")).json()["items"]
    came = [(one["type"], one.get("outcome")) for one in log]
    told += [one for one in (await fight.seen("log?limit=200", "ann")).json()["items"] if one["type"] != "edited"]
    fight.told = [json.dumps(told, separators=(",", ":"))]
    return came, _OF_THIS_TELLING.sub("", fight.story())


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
async def test_what_came_of_an_attack_is_told_alike(town: Table, ruleset: str) -> None:
    alike = set()
    for share in SHARES:
        ours, his = await both(town, ruleset, "none")
        (came, told), (other, there) = await struck(ours, share), await struck(his, share)
        if came == other:
            assert "check_rolled" in {kind for kind, _ in came}
            same(told, there)
            alike.add(share)
    assert alike, "dice that lie far from what they are held against come out alike against both"


async def wounds(fight: Fight, share: str) -> None:
    """The foe strikes at Ann's combatant with every attack that he can make now, and she has no luck."""
    listed = (await fight.send("GET", f"{fight.home}/combatants/ref:foe/actions?available=true")).json()
    for one in sorted(attacks(listed, fight.ids["a"]), key=lambda one: "attack" not in one["action"]):
        body = one | {"actor": "ref:foe", "targets": ["ref:a"]}
        await fight.send("POST", f"{fight.home}/actions", body)
        while waiting := (await fight.send("GET", f"{fight.home}/decisions")).json()["items"]:
            asked = waiting[0]
            answer: Json = {"option": "none" if asked["kind"] == "defend" else asked.get("default")}
            if asked["kind"] == "roll":
                count, sides = (int(part) for part in asked["dice"].split("d"))
                his = asked["for"] == fight.ids["foe"]
                faces = {"low": 1 + sides // 5, "lowest": 1, "highest": sides}
                answer = {"dice": [faces[share] if his else sides if share != "highest" else 1] * count}
            given = await fight.send("POST", f"{fight.home}/decisions/{asked['id']}", answer)
            if not given.is_success:
                answer = {"option": asked["default"]}
                assert (await fight.send("POST", f"{fight.home}/decisions/{asked['id']}", answer)).is_success


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
async def test_a_blow_of_his_is_told_by_the_wound_alone(town: Table, ruleset: str) -> None:
    whole: list[Json] = []
    for share in ("low", "lowest", "highest"):
        fight = await begun(town, ruleset, "none", "foe")
        await wounds(fight, share)
        logs = {
            who: (await fight.seen("log?limit=200", who)).json()["items"] for who in ("gm", "ann", "watcher", "orc")
        }
        damage = {who: [one for one in log if one["type"] == "damage_dealt"] for who, log in logs.items()}
        for who in ("ann", "watcher"):
            assert len(damage[who]) == len(damage["gm"])
            for told, known in zip(damage[who], damage["gm"], strict=True):
                assert told["through"] == known["through"]
                # What it was made of, and what was taken off it, gives with the wound what he struck for.
                assert not {"raw", "dice", "terms", "soak"} & set(told), told
                assert {int(figure) for figure in re.findall(r"\d+", told["text"])} <= {told["through"]}, told["text"]
        assert [one.get("soak") for one in damage["orc"]] == [one.get("soak") for one in damage["gm"]]
        whole += damage["gm"]
        if any(one["through"] or one.get("soak") for one in whole):
            return
    raise AssertionError("no blow has struck")
