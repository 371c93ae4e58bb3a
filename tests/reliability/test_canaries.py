"""The canary hunt: nothing of somebody hidden, and no figure of somebody veiled, is in anything that others can fetch.

Hidden combatants carry marks in their name, side, notes, reference and rulings; of the veiled foe the same is told
whatever his figures are. Every channel is searched, in mid-fight, as spectator and as both players, in three languages.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.table import Table
from tests.reliability.secret_fights import HIDDEN, MARK, Fight, Json
from tests.support.play import book, catalog

pytestmark = pytest.mark.anyio

READERS = ("watcher", "ann", "orc")
LANGUAGES = ("en", "ru", "pl")


async def fetched(fight: Fight, who: str, language: str) -> list[tuple[str, str]]:
    """Everything that somebody can get at, bodies and headers."""
    fight.told = []
    await fight.look(who, language)
    header = {"accept-language": language}
    targets = [f"ref:{ref}" for ref in HIDDEN]
    gone = await fight.send("GET", f"{fight.home}/combatants/{fight.ids[HIDDEN[0]]}", who=who, **header)
    nobody = await fight.send("GET", f"{fight.home}/combatants/cmb_9999999999", who=who, **header)
    assert gone.status_code == nobody.status_code == 404
    assert len(gone.content) == len(nobody.content)
    for actor in ("a", "b"):
        listed = await fight.send("GET", f"{fight.home}/combatants/ref:{actor}/actions", who=who, **header)
        fight.keep(f"{who} list", listed)
        for action in [one for one in listed.json().get("actions", ()) if one["targets"]][:6]:
            body = {"actor": f"ref:{actor}", "action": action["id"], "targets": [action["targets"][0]["id"]]}
            fight.keep("preview", await fight.send("POST", f"{fight.home}/actions/preview", body, who, **header))
    for page in ("ruleset", "ruleset/schema"):
        fight.keep(page, await fight.seen(page, who, language))
    for path in ("/v1/encounters", "/v1/meta"):
        fight.keep(path, await fight.send("GET", path, who=who, **header))
    refused = {"actor": "ref:a", "action": "end_turn", "targets": targets}
    told = await fight.send("POST", f"{fight.home}/actions/preview", refused, who, **header)
    # What he named himself comes back to him as what nobody is called.
    fight.told.append(told.text.replace(targets[0][4:], "").replace(targets[1][4:], ""))
    return [(text.partition("\n")[0], text) for text in fight.told]


def found_in(fight: Fight, what: str, text: str) -> Iterator[str]:
    """Marks and ids of the hidden."""
    for mark in (MARK, *(fight.ids[ref] for ref in HIDDEN)):
        for hit in re.finditer(re.escape(mark), text, re.IGNORECASE):
            yield f"{what}: {text[max(0, hit.start() - 120) : hit.end() + 60]}"


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
@pytest.mark.parametrize("hidden", [True, "slot"])
@pytest.mark.timeout(300)
async def test_no_mark_of_anybody_hidden_is_found(
    town: Table, ruleset: str, hidden: bool | str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("INFO")
    for seed, on_map in ((1, True), (2, False)):
        fight = Fight(town, ruleset, seed, hidden=hidden)
        # On the map they stand in the way, within reach and in any blast.
        await fight.begin(
            sorted(book(ruleset).document["samples"]), on_map=on_map, spots={HIDDEN[0]: [3, 2], HIDDEN[1]: [3, 3]}
        )
        found: list[str] = []
        for number in range(3):
            await fight.step()
            for who in READERS:
                for what, text in await fetched(fight, who, LANGUAGES[(number + READERS.index(who)) % 3]):
                    if who == "watcher" and hidden == "slot":
                        assert "unknown_slots" not in text or "combatants" in text
                    found += found_in(fight, what, text)
        for message in await fight.sent("public"):
            found += found_in(fight, "webhook", message)
        assert not found, "\n".join(found[:8])
        assert MARK in (await fight.seen("", "gm")).text
        assert MARK in "".join(await fight.sent("gm"))
    logged = caplog.text + "".join(capfd.readouterr())
    metrics = (await town.client.get("/metrics")).text
    for text in (logged, metrics, Path("openapi/openapi.json").read_text()):
        assert MARK not in text


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
@pytest.mark.timeout(300)
async def test_no_figure_of_anybody_veiled_is_found(town: Table, ruleset: str) -> None:
    """What is known of the foe is the same whatever his figures are: state, lists, previews, what he is asked."""
    told: list[str] = []
    for low in (False, True):
        fight = Fight(town, ruleset, 7, hidden=None)
        samples = sorted(book(ruleset).document["samples"])[:1]
        await fight.begin(samples, values={"red": "band"}, foe={"sheet": _lowered(ruleset, low)})
        fight.told = []
        for who in ("watcher", "ann"):
            fight.keep(f"{who} foe", await fight.seen("combatants/ref:foe", who))
            body = (await fight.seen("combatants/ref:foe", who)).json()
            assert (body["shown"], body["sheet"], body["resources"]) == ("band", None, [])
        listed = await fight.send("GET", f"{fight.home}/combatants/ref:a/actions", who="ann")
        fight.keep("list", listed)
        for action in [one for one in listed.json()["actions"] if one["targets"]][:8]:
            body = {"actor": "ref:a", "action": action["id"], "targets": ["ref:foe"]}
            fight.keep("preview", await fight.send("POST", f"{fight.home}/actions/preview", body, "ann"))
        log = (await fight.seen("log?limit=200", "ann")).json()["items"]
        for event in log:
            if (event.get("combatant") or event.get("body", {}).get("id")) == fight.ids["foe"]:
                assert not {"value", "delta", "target", "dice", "degrees", "standing", "sheet"} & set(event), event
                assert not {"sheet", "pools", "budget", "standing"} & set(event.get("body", {}))
        told.append(re.sub(r'"(?:version|cursor)":\d+|etag: "[^"]*"', "", fight.story()))

    assert json.dumps(told[0]) == json.dumps(told[1])


def _lowered(ruleset: str, low: bool) -> Json:
    """Nearly the same sheet: another skill, another toughness; the order of turns does not hang on these."""
    figures = {
        "dark_heresy_2e": ("ws", "t", "wounds_max"),
        "wh40k_d100": ("ws", "t", "wounds_max"),
        "gurps_4e": ("st", "will", "hp_max"),
        "manewry_ap": ("mel", "end", "hp_max"),
        "shadowrun_5e": ("body", "strength", "willpower"),
    }[ruleset]
    return {name: (9 if name not in ("body", "strength", "willpower") else 3) + (1 if low else 0) for name in figures}
