"""Where the GM wants to be asked: players propose, and nothing happens before he says yes."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from app.persistence.verify import verify
from app.services import decisions
from tests.api.table import Table, fighter, table
from tests.support import play

Json = dict[str, Any]
RULESETS = ("dark_heresy_2e", "gurps_4e", "manewry_ap", "shadowrun_5e", "wh40k_d100")


@pytest.fixture(params=["sqlite_url", "migrated_postgres_url"])
async def duel(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    """A fight on either database in which players propose; it is Ann's turn. Afterwards everything must fit."""
    url = request.getfixturevalue(request.param)
    async with table(url) as opened:
        await opened.duel(
            fighter("ann", "blue", dice="client"), fighter("orc", "red"), fighter("bob", "blue"), approval="actions"
        )
        yield opened
    assert verify(url).findings == ()


async def propose(duel: Table, who: str = "ann", **fields: Any) -> Json:
    """Ann proposes to strike the orc."""
    told: Json = await duel.made(f"{duel.encounter}/actions", duel.strike(**fields), who)
    return told


async def answer(duel: Table, asked: Json, who: str = "gm", **fields: Any) -> httpx.Response:
    """Somebody answers."""
    return await duel.post(f"{duel.encounter}/decisions/{asked['id']}", fields, who)


async def withdraw(duel: Table, asked: Json, who: str) -> httpx.Response:
    """Somebody takes it back."""
    return await duel.post(f"{duel.encounter}/decisions/{asked['id']}/withdraw", None, who)


async def state(duel: Table) -> Json:
    """How everybody stands."""
    view = (await duel.get(duel.encounter)).json()
    return {name: view[name] for name in ("combatants", "turn", "round", "status", "waiting_for")}


async def test_a_proposal_waits_and_goes_on_as_if_it_had_just_been_submitted(duel: Table) -> None:
    before = await state(duel)
    told = await propose(duel)
    asked = told["waiting_for"][0]

    assert told["status"] == "waiting"
    assert [event["type"] for event in told["events"]] == ["decision_opened"]
    assert (asked["kind"], asked["for"], asked["about"]) == ("approve", "gm", await duel.id_of("ann"))
    assert [one["id"] for one in asked["options"]] == ["confirm", "refuse"]
    assert (await state(duel)) == before | {"waiting_for": (await state(duel))["waiting_for"]}
    went = (await answer(duel, asked, option="confirm")).json()
    types = [event["type"] for event in went["events"]]
    assert types[:2] == ["decision_answered", "proposal_settled"]
    dice = next(event for event in went["events"] if event["type"] == "check_rolled")["dice"]
    assert [(die["value"], die["source"]) for die in dice] == [(1, "brought")]
    back = {"to_version": went["version"] - 2, "reason": "once more"}
    await duel.made(f"{duel.encounter}/rewind", back)
    direct = [event["type"] for event in (await duel.made(f"{duel.encounter}/actions", duel.strike()))["events"]]
    until = types.index("check_rolled") + 1
    assert types[2:until] == direct[: until - 2]


async def test_a_refusal_leaves_everything_as_it_was_and_says_so(duel: Table) -> None:
    before = await state(duel)
    asked = (await propose(duel))["waiting_for"][0]

    went = (await answer(duel, asked, option="refuse", fields={"note": "not through the wall"})).json()

    assert went["status"] == "done"
    assert await state(duel) == before
    log = (await duel.get(f"{duel.encounter}/log", "watcher", params={"limit": 200})).json()["items"]
    settled = log[-1]
    assert (settled["type"], settled["verdict"], settled["by"]) == ("proposal_settled", "refused", "gm")
    assert settled["note"] == "not through the wall"
    assert "Not through the wall" in settled["text"]
    assert "action" not in settled


@pytest.mark.parametrize(("language", "words"), [("en", "allow"), ("ru", "разрешить"), ("pl", "zgoda")])
async def test_it_is_asked_in_the_readers_language(duel: Table, language: str, words: str) -> None:
    await propose(duel)
    headers = {"accept-language": language}

    asked = (await duel.get(f"{duel.encounter}/decisions", headers=headers)).json()["items"][0]

    assert words in asked["prompt"].lower()
    assert "Ann" in asked["prompt"]
    assert asked["options"][0]["form"]["properties"]["note"]["title"] != "note"


async def test_the_gm_and_who_acts_for_her_see_what_it_is_and_everybody_that_it_waits(duel: Table) -> None:
    orc = await duel.id_of("orc")
    asked = (await propose(duel, note="for the king"))["waiting_for"][0]
    seen = {}
    for who in ("gm", "ann", "orc", "watcher"):
        view = (await duel.get(duel.encounter, who)).json()
        listed = (await duel.get(f"{duel.encounter}/decisions", who)).json()["items"]
        one = (await duel.get(f"{duel.encounter}/decisions/{asked['id']}", who)).json()
        assert view["waiting_for"] == listed == [one]
        seen[who] = one

    proposal = seen["gm"]["proposal"]
    assert (proposal["action"], proposal["targets"], proposal["weapon"]) == ("strike", [orc], "sword")
    assert (proposal["note"], proposal["said"]["distance"]) == ("for the king", {orc: 1.0})
    assert seen["ann"]["proposal"] == proposal == asked["proposal"]
    assert "proposal" not in seen["orc"]
    assert "proposal" not in seen["watcher"]
    assert seen["watcher"]["about"] == await duel.id_of("ann")


async def test_what_the_rules_refuse_is_refused_at_once_dice_too(duel: Table) -> None:
    too_far = await duel.post(f"{duel.encounter}/actions", duel.strike(said={"distance": {"ref:orc": 50}}), "ann")
    no_die = await duel.post(f"{duel.encounter}/actions", duel.strike(rolls={"to_hit": [101]}), "ann")

    assert (too_far.status_code, too_far.json()["code"]) == (409, "illegal_action")
    assert too_far.json()["reasons"]
    assert (no_die.status_code, no_die.json()["errors"][0]["at"]) == (422, "/rolls/to_hit/0")
    assert (await duel.get(duel.encounter)).json()["waiting_for"] == []


async def test_the_gm_and_the_end_of_a_turn_need_no_yes(duel: Table) -> None:
    told = await duel.made(f"{duel.encounter}/actions", duel.strike())
    assert "proposal_settled" not in [event["type"] for event in told["events"]]
    assert all(one["kind"] != "approve" for one in told["waiting_for"])
    while waiting := (await duel.get(f"{duel.encounter}/decisions")).json()["items"]:
        given: Json = {"dice": [1]} if "dice" in waiting[0] else {"option": waiting[0]["default"]}
        assert (await answer(duel, waiting[0], **given)).status_code == 201

    ended = await duel.made(f"{duel.encounter}/end-turn", None, "ann")

    assert ended["status"] == "done"


async def test_only_a_gm_says_yes(duel: Table) -> None:
    asked = (await propose(duel))["waiting_for"][0]

    for who, status in (("ann", 403), ("orc", 403), ("watcher", 403), ("stranger", 404)):
        assert (await answer(duel, asked, who, option="confirm")).status_code == status
    name = duel.encounter.rsplit("/", 1)[-1]
    made = await duel.made(f"/v1/campaigns/{duel.campaign}/tokens", {"role": "co_gm", "name": "Co", "encounter": name})
    duel.tokens["co"] = made["token"]
    assert (await answer(duel, asked, "co", option="confirm")).status_code == 201


async def test_it_is_taken_back_by_whoever_acts_for_her(duel: Table) -> None:
    before = await state(duel)
    asked = (await propose(duel))["waiting_for"][0]

    assert (await withdraw(duel, asked, "orc")).status_code == 403
    assert (await withdraw(duel, asked, "watcher")).status_code == 403
    assert (await answer(duel, asked, option="withdraw")).status_code == 422
    gone = await withdraw(duel, asked, "ann")
    again = await withdraw(duel, asked, "ann")

    assert [(event["type"], event.get("verdict")) for event in gone.json()["events"]] == [
        ("decision_answered", None),
        ("proposal_settled", "withdrawn"),
    ]
    assert await state(duel) == before
    assert (again.status_code, again.json()["code"]) == (409, "already_answered")


async def test_who_acts_for_her_no_more_cannot_take_it_back_and_her_new_player_can(duel: Table) -> None:
    asked = (await propose(duel))["waiting_for"][0]
    path = f"/v1/campaigns/{duel.campaign}/tokens/tok_"
    await duel.send("PATCH", path + duel.tokens["ann"].split("_")[1], json={"combatants": ["ref:bob"]})
    await duel.send("PATCH", path + duel.tokens["orc"].split("_")[1], json={"combatants": ["ref:ann", "ref:orc"]})

    assert (await withdraw(duel, asked, "ann")).status_code == 403
    assert "proposal" in (await duel.get(f"{duel.encounter}/decisions/{asked['id']}", "orc")).json()
    assert (await withdraw(duel, asked, "orc")).status_code == 201


async def test_another_decision_is_not_taken_back(duel: Table) -> None:
    asked = (await propose(duel, rolls={}))["waiting_for"][0]
    rolled = (await answer(duel, asked, option="confirm")).json()["waiting_for"][0]

    refused = await withdraw(duel, rolled, "ann")

    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert rolled["kind"] == "roll"


async def test_time_running_out_refuses_it(duel: Table) -> None:
    await duel.send("PATCH", duel.encounter, json={"decision_timeout_s": 60})
    before = await state(duel)
    service, real = duel.app.state.parts.service, duel.app.state.parts.service.clock
    asked = (await propose(duel))["waiting_for"][0]
    assert (asked["default"], asked["expires_at"] is None) == ("refuse", False)

    service.clock = service.writer.clock = lambda: real() + 61_000
    answered = await decisions.expire_due(service, service.clock())
    service.clock = service.writer.clock = real

    assert answered <= 1  # the server's own clock may have been quicker
    assert await state(duel) == before
    last = (await duel.get(f"{duel.encounter}/log", params={"limit": 200})).json()["items"][-1]
    assert (last["verdict"], last["by"]) == ("refused", "timeout")


async def test_a_ruling_before_the_answer_counts_when_it_is_given(duel: Table) -> None:
    asked = (await propose(duel))["waiting_for"][0]
    down = {"reason": "a rock falls", "changes": [{"combatant": "ref:ann", "status": "down"}]}
    assert (await duel.post(f"{duel.encounter}/rulings", down)).status_code == 201

    refused = await answer(duel, asked, option="confirm")

    assert (refused.status_code, refused.json()["code"]) == (409, "illegal_action")
    assert [one["id"] for one in (await duel.get(f"{duel.encounter}/decisions")).json()["items"]] == [asked["id"]]
    assert (await answer(duel, asked, option="refuse")).status_code == 201
    view = (await duel.get(f"{duel.encounter}/combatants/ref:ann")).json()
    assert view["status"] == "down"


async def test_who_hides_after_it_is_named_no_more(duel: Table) -> None:
    asked = (await propose(duel))["waiting_for"][0]
    orc = await duel.id_of("orc")
    await duel.send("PATCH", f"{duel.encounter}/combatants/ref:orc", json={"hidden": True})

    seen = (await duel.get(f"{duel.encounter}/decisions/{asked['id']}", "ann")).text

    assert orc not in seen
    assert orc in (await duel.get(f"{duel.encounter}/decisions/{asked['id']}")).text


async def test_going_back_asks_again_and_cancelling_ends_it(duel: Table) -> None:
    told = await propose(duel)
    await answer(duel, told["waiting_for"][0], option="refuse")
    version = (await duel.get(duel.encounter)).json()["version"]
    back = await duel.made(f"{duel.encounter}/rewind", {"to_version": version - 1, "reason": "think again"})
    asked = back["waiting_for"][0]
    assert (asked["kind"], asked["proposal"]["action"]) == ("approve", "strike")

    changes = [{"cancel": asked["id"]}]
    cancelled = await duel.made(f"{duel.encounter}/rulings", {"reason": "enough", "changes": changes})

    assert cancelled["status"] == "done"
    assert "command_cancelled" in [event["type"] for event in cancelled["events"]]


async def test_it_is_switched_on_and_off_in_mid_fight(duel: Table) -> None:
    assert (await duel.get(duel.encounter, "watcher")).json()["approval"] == "actions"
    asked = (await propose(duel))["waiting_for"][0]
    off = await duel.send("PATCH", duel.encounter, json={"approval": "none"})
    assert off.status_code == 200
    assert (await duel.get(f"{duel.encounter}/decisions")).json()["items"][0]["id"] == asked["id"]
    await answer(duel, asked, option="refuse")

    at_once = await propose(duel)

    assert "action_taken" in [event["type"] for event in at_once["events"]]
    assert (await duel.send("PATCH", duel.encounter, "ann", json={"approval": "none"})).status_code == 403


async def test_a_retry_proposes_once(duel: Table) -> None:
    headers = {"idempotency-key": "k1"}
    first = await duel.post(f"{duel.encounter}/actions", duel.strike(), "ann", headers=headers)
    again = await duel.post(f"{duel.encounter}/actions", duel.strike(), "ann", headers=headers)
    meanwhile = await duel.post(f"{duel.encounter}/actions", duel.strike(), "ann")

    assert again.content == first.content
    assert (meanwhile.status_code, meanwhile.json()["code"]) == (409, "answer_awaited")


async def test_it_outlives_a_restart(sqlite_url: str) -> None:
    async with table(sqlite_url) as seats:
        await seats.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), approval="actions")
        asked = (await propose(seats))["waiting_for"][0]
        encounter, tokens = seats.encounter, dict(seats.tokens)
    async with table(sqlite_url) as seats:
        seats.encounter, seats.tokens = encounter, tokens
        assert (await seats.get(f"{encounter}/decisions/{asked['id']}", "ann")).json() == asked
        went = (await answer(seats, asked, option="confirm")).json()
    assert "check_rolled" in [event["type"] for event in went["events"]]
    assert verify(sqlite_url).findings == ()


async def something(seats: Table, who: str) -> Json:
    """An action that a player may take as it stands, by trying what his list offers."""
    listed = (await seats.get(f"{seats.encounter}/combatants/ref:{who}/actions?available=true", who)).json()["actions"]
    for one in listed:
        if one["id"] == "end_turn":
            continue
        targets = [target["id"] for target in one["targets"] if target["available"]][:1]
        body = {"actor": f"ref:{who}", "action": one["id"], "targets": targets}
        if one["weapons"]:
            body["weapon"] = one["weapons"][0]
        for tried in (body, {**body, "targets": []}, {"actor": f"ref:{who}", "action": one["id"]}):
            preview = await seats.post(f"{seats.encounter}/actions/preview", tried, who)
            if preview.status_code == 200 and preview.json()["legal"]:
                return tried
    raise AssertionError(f"nothing to do: {[one['id'] for one in listed]}")


async def her_turn(seats: Table, ruleset: str) -> None:
    """A fight under these rules in which it is Ann's turn."""
    samples = [one["id"] for one in (await seats.get(f"/v1/rulesets/{ruleset}")).json()["samples"]]
    people = (
        {"sample": samples[0], "name": "Ann", "side": "blue", "external_ref": "ann"},
        {"sample": samples[-1], "name": "Orc", "side": "red", "external_ref": "orc"},
    )
    await seats.create(*people, ruleset=ruleset, approval="actions")
    await seats.made(f"{seats.encounter}/start")
    ann = await seats.id_of("ann")
    for _ in range(8):
        view = (await seats.get(seats.encounter)).json()
        for asked in view["waiting_for"]:
            await answer(seats, asked, option=asked["default"])
        if view["turn"] is not None and view["turn"]["combatant"] == ann:
            break
        await seats.made(f"{seats.encounter}/end-turn")


@pytest.mark.clause("MA-800", "DH-1210", "WH-050")
@pytest.mark.parametrize("status", ["dead", "down"])
@pytest.mark.parametrize("ruleset", RULESETS)
async def test_nobody_acts_who_has_fallen_while_the_proposal_waited(ruleset: str, status: str, sqlite_url: str) -> None:
    async with table(sqlite_url, catalog=play.catalog()) as seats:
        await her_turn(seats, ruleset)
        body = await something(seats, "ann")
        asked = (await seats.made(f"{seats.encounter}/actions", body, "ann"))["waiting_for"][0]
        fallen = {"reason": "a rock falls", "changes": [{"combatant": "ref:ann", "status": status}]}
        await seats.made(f"{seats.encounter}/rulings", fallen)

        refused = await answer(seats, asked, option="confirm")

        assert (refused.status_code, refused.json()["code"]) == (409, "illegal_action")
        assert (await answer(seats, asked, option="refuse")).status_code == 201


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_it_works_in_every_ruleset(ruleset: str, sqlite_url: str) -> None:
    async with table(sqlite_url, catalog=play.catalog()) as seats:
        await her_turn(seats, ruleset)
        body, before = await something(seats, "ann"), await state(seats)

        asked = (await seats.made(f"{seats.encounter}/actions", body, "ann"))["waiting_for"][0]
        assert asked["kind"] == "approve"
        assert asked["proposal"]["action"] == body["action"]
        assert (await answer(seats, asked, option="refuse")).json()["status"] == "done"
        assert await state(seats) == before

        asked = (await seats.made(f"{seats.encounter}/actions", body, "ann"))["waiting_for"][0]
        went = (await answer(seats, asked, option="confirm")).json()
        types = [event["type"] for event in went["events"]]
        assert types[:2] == ["decision_answered", "proposal_settled"]
        assert len(types) > 2 or went["waiting_for"], types
    assert verify(sqlite_url).findings == ()
