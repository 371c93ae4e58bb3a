"""Sent again: idempotency keys, and versions that one expects."""

import asyncio
from typing import Any

import pytest

from tests.api.table import Table, fighter

SHOUT = {"actor": "ref:ann", "action": "shout", "targets": ["ref:orc"]}


async def test_the_same_key_acts_once_and_gets_the_same_bytes(duel: Table) -> None:
    path, headers = f"{duel.encounter}/actions", {"idempotency-key": "01kb9g7w5q"}

    first = await duel.post(path, SHOUT, headers=headers)
    again = await duel.post(path, SHOUT, headers=headers)

    assert first.status_code == again.status_code == 201
    assert again.content == first.content
    assert again.headers["etag"] == first.headers["etag"]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert f'"{(await duel.get(duel.encounter)).json()["version"]}"' == first.headers["etag"]


async def test_many_at_once_act_once(duel: Table) -> None:
    path, headers = f"{duel.encounter}/actions", {"idempotency-key": "crowd"}

    answers = await asyncio.gather(*(duel.post(path, SHOUT, headers=headers) for _ in range(20)))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1


async def test_a_key_belongs_to_its_request_and_its_token(duel: Table) -> None:
    path, headers = f"{duel.encounter}/actions", {"idempotency-key": "k"}
    await duel.post(path, SHOUT, headers=headers)

    other_body = await duel.post(path, {**SHOUT, "note": "louder"}, headers=headers)
    other_path = await duel.post(f"{duel.encounter}/end-turn", SHOUT["actor"] and {}, headers=headers)
    other_token = await duel.post(path, SHOUT, "ann", headers=headers)

    for answer in (other_body, other_path):
        assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert other_token.status_code == 201
    assert "idempotency-replayed" not in other_token.headers


async def test_a_refused_request_is_not_kept(duel: Table) -> None:
    path, headers = f"{duel.encounter}/actions", {"idempotency-key": "early"}
    watch = {"actor": "ref:orc", "action": "shout", "targets": ["ref:ann"]}
    assert (await duel.post(path, watch, headers=headers)).status_code == 409

    await duel.made(f"{duel.encounter}/end-turn")

    assert (await duel.post(path, watch, headers=headers)).status_code == 201


@pytest.mark.parametrize("key", [b"", b"a b", b"x" * 256, b"\xe9", b"x" * 60_000, b"a\tb"])
async def test_a_key_is_visible_ascii(duel: Table, key: bytes) -> None:
    for method, path in (
        ("POST", f"{duel.encounter}/actions"),
        ("POST", f"{duel.encounter}/end-turn"),
        ("DELETE", f"{duel.encounter}/combatants/ref:orc"),
    ):
        headers = {b"idempotency-key": key, b"authorization": f"Bearer {duel.tokens['gm']}".encode()}
        answer = await duel.client.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_header"), (method, path)


async def test_every_change_takes_a_key(seats: Table) -> None:
    await seats.create(fighter("ann", "blue"), fighter("orc", "red"))
    for method, path, body in (
        ("PATCH", seats.encounter, {"name": "Bridge by night"}),
        ("POST", f"{seats.encounter}/start", None),
        ("PATCH", f"{seats.encounter}/combatants/ref:orc", {"name": "Grub"}),
        ("DELETE", f"{seats.encounter}/combatants/ref:orc", None),
        ("POST", f"{seats.encounter}/end", None),
        ("DELETE", seats.encounter, None),
    ):
        headers = {"idempotency-key": f"{method}-{path[-6:]}"}
        first = await seats.send(method, path, json=body, headers=headers)
        again = await seats.send(method, path, json=body, headers=headers)
        assert first.is_success, (path, first.text)
        assert (again.status_code, again.content) == (first.status_code, first.content)
        assert again.headers["idempotency-replayed"] == "true"


async def test_a_version_that_has_passed_is_refused_with_the_present_one(duel: Table) -> None:
    path = f"{duel.encounter}/actions"
    before = (await duel.get(duel.encounter)).headers["etag"]
    done = await duel.post(path, SHOUT, headers={"if-match": before})
    assert done.status_code == 201

    stale = await duel.post(path, SHOUT, headers={"if-match": before})

    assert (stale.status_code, stale.json()["code"]) == (412, "stale_version")
    assert stale.headers["etag"] == done.headers["etag"]
    assert f'"{stale.json()["current_version"]}"' == done.headers["etag"]


@pytest.mark.parametrize(
    ("tag", "status"),
    [
        ("*", 201),
        ('W/"1"', 412),
        ('"abc"', 412),
        ('"' + "9" * 200 + '"', 412),
        ("7", 400),
        ('"1", "2"', 400),
        ('"1', 400),
        ("", 400),
    ],
)
async def test_odd_tags_have_documented_ends(duel: Table, tag: str, status: int) -> None:
    answer = await duel.post(f"{duel.encounter}/actions", SHOUT, headers={"if-match": tag})

    assert answer.status_code == status


async def test_what_one_has_already_is_not_sent_again(duel: Table) -> None:
    for path in (duel.encounter, f"{duel.encounter}/combatants/ref:ann", f"{duel.encounter}/decisions"):
        first = await duel.get(path)
        tag = first.headers["etag"]

        same = await duel.get(path, headers={"if-none-match": tag})
        among = await duel.get(path, headers={"if-none-match": f'"0", W/{tag}'})
        other = await duel.get(path, headers={"if-none-match": '"0"'})

        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
        assert among.status_code == 304
        assert other.status_code == 200


async def test_a_copy_is_its_readers_alone_and_of_one_language(duel: Table) -> None:
    """At one version others see more or less, and other words: whoever asks with their tag is sent his own."""
    path = f"{duel.encounter}/combatants/ref:orc"
    tags = {
        (who, language): (await duel.get(path, who, headers={"accept-language": language})).headers["etag"]
        for who in ("gm", "ann", "orc")
        for language in ("en", "ru", "pl")
    }
    assert len(set(tags.values())) == len(tags)
    for reader, tag in tags.items():
        for other in tags:
            headers = {"accept-language": other[1], "if-none-match": tag}
            answer = await duel.get(path, other[0], headers=headers)
            assert answer.status_code == (304 if other == reader else 200)

    # Every copy says the version, so that each may be named where one is expected.
    done = await duel.post(f"{duel.encounter}/actions", SHOUT, headers={"if-match": tags["gm", "pl"]})
    assert done.status_code == 201


async def test_what_somebody_may_act_for_changes_what_his_copy_is(duel: Table) -> None:
    before = (await duel.get(duel.encounter, "ann")).headers["etag"]
    listed = (await duel.get(f"/v1/campaigns/{duel.campaign}/tokens")).json()["items"]
    mine = next(one for one in listed if "ref:ann" in one["combatants"])
    await duel.send("PATCH", f"/v1/campaigns/{duel.campaign}/tokens/{mine['id']}", json={"combatants": []})
    await asyncio.sleep(0.3)

    answer = await duel.get(duel.encounter, "ann", headers={"if-none-match": before})

    assert answer.status_code == 200


async def test_hidden_things_leave_no_trace_in_a_players_version(duel: Table) -> None:
    before = (await duel.get(duel.encounter, "ann")).headers["etag"]
    gm_before = (await duel.get(duel.encounter)).headers["etag"]

    hidden = {"side": "red", "sample": "orc", "name": "Lurker", "hidden": True}
    await duel.made(f"{duel.encounter}/combatants", {"combatants": [hidden]})

    assert (await duel.get(duel.encounter, "ann")).headers["etag"] == before
    assert (await duel.get(duel.encounter)).headers["etag"] != gm_before
    assert "Lurker" not in (await duel.get(duel.encounter, "ann")).text


async def test_a_pause_for_the_gm_alone_changes_the_tag_of_what_tells_of_it(seats: Table) -> None:
    """That something waits is known, so the tag follows; what waits is not, and the count of others stands still."""
    await seats.open_campaign()
    lurker = fighter("lurker", "red", dice="client", hidden=True)
    await seats.create(fighter("ann", "blue"), fighter("orc", "red"), lurker)
    await seats.start()
    while (await seats.get(seats.encounter)).json()["turn"]["combatant"] != await seats.id_of("lurker"):
        await seats.made(f"{seats.encounter}/end-turn")
    home = seats.encounter
    paths = {"ann": [home, f"{home}/combatants/ref:ann/actions"], "watcher": [home], "gm": [home]}
    before = {(who, path): await seats.get(path, who) for who, several in paths.items() for path in several}
    still = await seats.get(f"{home}/log", "watcher")

    struck = await seats.made(f"{home}/actions", seats.strike("lurker", rolls={}))
    assert [one["kind"] for one in struck["waiting_for"]] == ["roll"]

    for (who, path), held in before.items():
        tag = held.headers["etag"]
        now = await seats.get(path, who, headers={"if-none-match": tag})
        assert now.status_code == 200, (who, path)
        assert now.text != held.text
        assert now.headers["etag"] != tag
        again = await seats.get(path, who, headers={"if-none-match": now.headers["etag"]})
        assert again.status_code == 304
        if who != "gm":
            assert now.json()["version"] == held.json()["version"]
    waiting = (await seats.get(home, "watcher")).json()
    assert (waiting["waiting"], waiting["waiting_for"]) == (True, [])
    assert (
        await seats.get(f"{home}/log", "watcher", headers={"if-none-match": still.headers["etag"]})
    ).status_code == 304
    current = (await seats.get(home, "watcher")).headers["etag"]
    stale = await seats.post(f"{home}/end-turn", None, "watcher", headers={"if-match": current})
    assert stale.status_code != 412


async def test_whose_rolls_are_made_secret_while_he_is_asked_changes_the_tag(duel: Table) -> None:
    await duel.made(f"{duel.encounter}/actions", duel.strike(), "ann")
    path = f"{duel.encounter}/decisions"
    before = await duel.get(path, "watcher")

    await duel.send("PATCH", f"{duel.encounter}/combatants/ref:orc", json={"rolls": "secret"})
    after = await duel.get(path, "watcher", headers={"if-none-match": before.headers["etag"]})

    assert after.status_code == 200
    assert before.json()["items"][0]["options"]
    assert after.json()["items"][0]["options"] == []


async def seat(seats: Table, who: str, **fields: object) -> str:
    """A token of one's own for somebody; gives its address."""
    made = await seats.made(f"/v1/campaigns/{seats.campaign}/tokens", {"name": who, **fields})
    seats.tokens[who] = made["token"]
    return f"/v1/campaigns/{seats.campaign}/tokens/{made['id']}"


@pytest.mark.parametrize(
    ("lost", "back"),
    [
        ({"hidden": True}, {"hidden": False}),
        ({"hidden": "slot"}, {"hidden": False}),
        ({"external_ref": "other"}, {"external_ref": "orc"}),
    ],
)
async def test_a_retry_gets_no_figures_of_whom_its_sender_has_lost(
    duel: Table, lost: dict[str, Any], back: dict[str, Any]
) -> None:
    orc = next(one for one in (await duel.get(duel.encounter)).json()["combatants"] if one["external_ref"] == "orc")
    path = f"{duel.encounter}/combatants/{orc['id']}"
    await duel.send("PATCH", path, json={"values": "none"})
    body, headers = {"policy": {"defend": "decline"}}, {"idempotency-key": "k1"}

    async def sent() -> Any:
        return await duel.send("PATCH", path, json=body, headers=headers, who="orc")

    first = await sent()
    assert first.status_code == 200, first.text
    assert (await sent()).content == first.content

    await duel.send("PATCH", path, json=lost)
    late = await sent()
    assert (late.status_code, late.json()["code"]) == (403, "not_permitted")

    await duel.send("PATCH", path, json=back)
    assert (await sent()).content == first.content


async def test_a_retry_gets_what_its_sender_may_still_see_and_no_more(duel: Table) -> None:
    co_gm = await seat(duel, "deputy", role="co_gm", encounter=duel.encounter.rpartition("/")[2])
    body, headers = {"combatants": [fighter("lurker", "red", hidden=True)]}, {"idempotency-key": "k1"}
    first = await duel.post(f"{duel.encounter}/combatants", body, "deputy", headers=headers)
    again = await duel.post(f"{duel.encounter}/combatants", body, "deputy", headers=headers)
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)

    await duel.send("PATCH", co_gm, json={"role": "spectator"})
    late = await duel.post(f"{duel.encounter}/combatants", body, "deputy", headers=headers)

    assert (late.status_code, late.json()["code"]) == (403, "not_permitted")
    assert "urker" not in late.text
    await duel.send("PATCH", co_gm, json={"role": "co_gm"})
    assert (await duel.post(f"{duel.encounter}/combatants", body, "deputy", headers=headers)).content == first.content


async def test_a_retry_of_whoever_acts_for_others_by_now_is_refused(duel: Table) -> None:
    address = await seat(duel, "pawn", role="player", combatants=["ref:ann"])
    path, headers = f"{duel.encounter}/actions", {"idempotency-key": "k2"}
    first = await duel.post(path, SHOUT, "pawn", headers=headers)
    assert first.status_code == 201

    told = {}
    for combatants in (["ref:orc", "ref:ann"], ["ref:orc"], [], ["ref:ann"]):
        await duel.send("PATCH", address, json={"combatants": combatants})
        told[tuple(combatants)] = (await duel.post(path, SHOUT, "pawn", headers=headers)).status_code
    await duel.send("PATCH", address, json={"role": "spectator"})
    last = await duel.post(path, SHOUT, "pawn", headers=headers)

    assert told == {("ref:orc", "ref:ann"): 201, ("ref:orc",): 403, (): 403, ("ref:ann",): 201}
    assert last.status_code == 403


async def test_a_retry_where_the_encounter_is_none_of_ones_business_finds_none(duel: Table) -> None:
    address = await seat(duel, "pawn", role="player", combatants=["ref:ann"])
    home, headers = duel.encounter, {"idempotency-key": "k3"}
    assert (await duel.post(f"{home}/actions", SHOUT, "pawn", headers=headers)).status_code == 201
    await duel.create()

    await duel.send("PATCH", address, json={"encounter": duel.encounter.rpartition("/")[2]})
    elsewhere = await duel.post(f"{home}/actions", SHOUT, "pawn", headers=headers)
    await duel.send("PATCH", address, json={"encounter": None})
    back = await duel.post(f"{home}/actions", SHOUT, "pawn", headers=headers)
    manager = await seat(duel, "second", role="gm")
    gone = await duel.send("DELETE", home, who="second", headers=headers)
    once_more = await duel.send("DELETE", home, who="second", headers=headers)
    after = await duel.post(f"{home}/actions", SHOUT, "pawn", headers=headers)
    await duel.send("PATCH", manager, json={"role": "spectator"})
    demoted = await duel.send("DELETE", home, who="second", headers=headers)

    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "not_found")
    assert (back.status_code, after.status_code) == (201, 404)
    assert (gone.status_code, once_more.status_code, demoted.status_code) == (204, 204, 403)
    assert once_more.headers["idempotency-replayed"] == "true"


async def test_what_a_player_sets_for_his_own_changes_his_tag_and_nobody_elses(duel: Table) -> None:
    place = f"{duel.encounter}/combatants/ref:ann"
    hers, others = await duel.get(place, "ann"), await duel.get(place, "watcher")
    set_ = await duel.send("PATCH", place, "ann", json={"policy": {"defend": "decline"}})
    assert set_.status_code == 200, set_.text

    after = await duel.get(place, "ann", headers={"If-None-Match": hers.headers["etag"]})

    assert after.status_code == 200
    assert after.json()["policy"] == {"defend": "decline"}
    assert after.headers["etag"] != hers.headers["etag"]
    same = await duel.get(place, "watcher", headers={"If-None-Match": others.headers["etag"]})
    assert same.status_code == 304
