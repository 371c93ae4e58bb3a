"""A fight over HTTP: list, preview, submit, answer, follow. Every answer is held to the document on its way."""

import json

from tests.api.table import Table


async def test_a_blow_waits_for_the_defender_and_goes_on_with_his_answer(duel: Table) -> None:
    struck = await duel.made(f"{duel.encounter}/actions", duel.strike(), "ann")

    assert struck["status"] == "waiting", struck
    asked = struck["waiting_for"][0]
    assert asked["for"] == await duel.id_of("orc")

    answered = await duel.made(f"{duel.encounter}/decisions/{asked['id']}", {"option": "none"}, "orc")

    assert answered["version"] > struck["version"]
    assert [event["seq"] for event in answered["events"]] == list(
        range(answered["events"][0]["seq"], answered["events"][-1]["seq"] + 1)
    )


async def test_what_the_list_refuses_a_submission_refuses_with_the_same_reasons(duel: Table) -> None:
    listed = (await duel.get(f"{duel.encounter}/combatants/ref:orc/actions", "orc")).json()["actions"]
    refused = await duel.post(f"{duel.encounter}/actions", {"actor": "ref:orc", "action": "watch"}, "orc")

    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    problem = refused.json()
    assert problem["code"] == "illegal_action"
    assert problem["reasons"] == next(one for one in listed if one["id"] == "watch")["reasons"]
    assert problem["reasons"][0]["kind"] == "turn"


async def test_only_what_is_possible_is_listed_where_that_is_asked(duel: Table) -> None:
    path = f"{duel.encounter}/combatants/ref:ann/actions"

    every, possible = (await duel.get(path)).json(), (await duel.get(path, params={"available": "true"})).json()

    assert {one["id"] for one in possible["actions"]} == {one["id"] for one in every["actions"] if one["available"]}


async def test_an_action_that_nobody_knows_cannot_mean_anything(duel: Table) -> None:
    refused = await duel.post(f"{duel.encounter}/actions", {"actor": "ref:ann", "action": "moonwalk"}, "ann")

    assert refused.status_code == 422
    assert refused.json()["reasons"][0]["code"] == "unknown_action"


async def test_while_a_decision_is_open_nobody_acts(duel: Table) -> None:
    struck = await duel.made(f"{duel.encounter}/actions", duel.strike())

    refused = await duel.post(f"{duel.encounter}/actions", {"actor": "ref:ann", "action": "watch"})

    assert refused.status_code == 409
    assert refused.json()["code"] == "answer_awaited"
    assert refused.json()["decisions"] == [struck["waiting_for"][0]["id"]]


async def test_an_answer_that_cannot_be_one_leaves_the_question_open(duel: Table) -> None:
    asked = (await duel.made(f"{duel.encounter}/actions", duel.strike()))["waiting_for"][0]
    path = f"{duel.encounter}/decisions/{asked['id']}"

    refused = await duel.post(path, {"option": "fly"})

    assert (refused.status_code, refused.json()["code"]) == (422, "bad_answer")
    assert refused.json()["errors"][0]["at"] == "/option"
    assert (await duel.get(path)).json() == asked
    assert (await duel.post(path, {"option": "none"})).status_code == 201
    again = await duel.post(path, {"option": "none"})
    assert (again.status_code, again.json()["code"]) == (409, "already_answered")


async def test_a_preview_changes_nothing(duel: Table) -> None:
    before = (await duel.get(duel.encounter)).json()

    told = await duel.post(f"{duel.encounter}/actions/preview", duel.strike(), "ann")

    assert told.status_code == 200
    assert told.json()["legal"]
    assert told.headers["etag"] == f'"{(await duel.get(duel.encounter, "ann")).json()["version"]}"'
    assert (await duel.get(duel.encounter)).json() == before


async def test_a_turn_ends_without_saying_whose(duel: Table) -> None:
    told = await duel.made(f"{duel.encounter}/end-turn", who="ann")

    assert "turn_began" in [event["type"] for event in told["events"]]
    refused = await duel.post(f"{duel.encounter}/end-turn", who="ann")
    assert refused.status_code == 403


async def test_before_the_start_it_is_nobodys_turn(seats: Table) -> None:
    await seats.create()

    refused = await seats.post(f"{seats.encounter}/end-turn")

    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


async def test_the_log_and_the_stream_tell_the_same_events(duel: Table) -> None:
    await duel.made(f"{duel.encounter}/actions", {"actor": "ref:ann", "action": "shout", "targets": ["ref:orc"]})

    log = (await duel.get(f"{duel.encounter}/log", "watcher", params={"limit": 200})).json()
    stream = await duel.get(f"{duel.encounter}/stream", "watcher", params={"after": 0, "max_events": len(log["items"])})
    lines = await duel.get(
        f"{duel.encounter}/stream",
        "watcher",
        params={"after": 0, "max_events": len(log["items"])},
        headers={"accept": "application/x-ndjson"},
    )

    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.headers["x-accel-buffering"] == "no"
    told = [json.loads(line[6:]) for line in stream.text.splitlines() if line.startswith("data: ")]
    assert told == log["items"]
    assert [json.loads(line) for line in lines.text.splitlines()] == log["items"]
    assert [int(line[4:]) for line in stream.text.splitlines() if line.startswith("id: ")] == [
        event["seq"] for event in log["items"]
    ]


async def test_a_stream_begins_with_a_snapshot_or_behind_the_last_event_seen(duel: Table) -> None:
    snapshot = await duel.get(f"{duel.encounter}/stream", params={"max_events": 1})
    resumed = await duel.get(f"{duel.encounter}/stream", params={"max_events": 1}, headers={"last-event-id": "2"})
    bad = await duel.get(f"{duel.encounter}/stream", headers={"last-event-id": "abc"})
    ahead = await duel.get(f"{duel.encounter}/stream", params={"after": 10_000})

    assert "event: snapshot" in snapshot.text
    assert "id: 3" in resumed.text
    assert (bad.status_code, bad.json()["errors"][0]["code"]) == (422, "bad_cursor")
    assert (ahead.status_code, ahead.json()["code"]) == (410, "cursor_gone")


async def test_the_log_comes_in_pages_that_lead_on(duel: Table) -> None:
    first = await duel.get(f"{duel.encounter}/log", params={"limit": 3})
    link = first.headers["link"]

    second = await duel.get(link[1 : link.index(">")])

    assert second.json()["items"][0]["seq"] == 4
    last = await duel.get(f"{duel.encounter}/log", params={"limit": 200})
    assert "link" not in last.headers


async def test_a_long_poll_ends_empty_when_its_time_is_up(duel: Table) -> None:
    newest = (await duel.get(duel.encounter)).json()["cursor"]

    told = await duel.get(f"{duel.encounter}/log", params={"after": newest, "wait": 0.05})

    assert told.json()["items"] == []


async def test_a_token_may_have_only_so_many_streams(duel: Table) -> None:
    streams = duel.app.state.streams
    token = duel.tokens["gm"].split("_")[1]
    for _ in range(10):
        streams.enter(f"tok_{token}")

    refused = await duel.get(f"{duel.encounter}/stream", params={"max_events": 1})

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
    assert refused.headers["retry-after"]
    for _ in range(10):
        streams.leave(f"tok_{token}")
    assert (await duel.get(f"{duel.encounter}/stream", params={"max_events": 1})).status_code == 200
