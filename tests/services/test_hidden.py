"""What is hidden is in nothing that anybody but the GM gets, and answers like what does not exist."""

from typing import Any

import msgspec
import pytest

from app.services import actions, combatants, decisions, encounters, history, log, stream, turns, wire
from app.services.caller import Attempt, Caller
from app.services.changes import words_for
from app.services.cut import eyes_of
from app.services.errors import NotFound, NotTheTime, Refusal
from tests.services.game import ANN, GM, ORC, WATCHER, Game, fighter, seen, types

pytestmark = pytest.mark.anyio

CANARY = "Zzcanary"
READERS = (ANN, ORC, WATCHER)


def spy(**fields: Any) -> dict[str, Any]:
    """Somebody hidden, with marks all over him."""
    whole = {
        "sample": "orc",
        "name": CANARY,
        "side": "red",
        "external_ref": "zzref",
        "hidden": True,
        "notes": "zznotes",
        "items": {"zzbow": {"kind": "bow", "held": "both"}},
    }
    return whole | fields


async def everything(game: Game, caller: Caller) -> bytes:
    """All that a reader can get at."""
    service, encounter = game.service, game.encounter
    got = [
        (await encounters.read(service, caller, encounter)).body,
        (await encounters.page(service, caller)).body,
        (await combatants.page(service, caller, encounter)).body,
        (await decisions.page(service, caller, encounter)).body,
        (await log.page(service, caller, encounter, limit=200)).body,
        (await log.page(service, caller, encounter, before=10_000, limit=200)).body,
    ]
    if caller.role == "player":
        own = next(iter(caller.combatants))
        got.append((await actions.possible(service, caller, encounter, own)).body)
    kinds: tuple[stream.Format, ...] = ("sse", "ndjson")
    for kind in kinds:
        frames = await stream.open_stream(service, caller, encounter, format=kind, max_events=1)
        got.append(await anext(frames))
        last = (await game.read(caller))["cursor"]
        again = await stream.open_stream(service, caller, encounter, format=kind, after=0, max_events=last)
        got += [frame async for frame in again]
    return b"\n".join(got)


def marks(game: Game) -> tuple[bytes, ...]:
    """Whatever would give the hidden one away."""
    return (CANARY.encode(), b"zz", game.ids["zzref"].encode())


async def test_a_hidden_combatant_is_nowhere(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy(policy={"watch_fire": "ask"}))
    hidden = game.ids["zzref"]
    await game.rule({"combatant": hidden, "resource": "hits", "set": 9}, reason="zzruling")
    await game.rule({"combatant": hidden, "add_effect": {"id": "prone"}}, reason="zzruling")
    await game.rule({"combatant": hidden, "engaged_with": "ref:orc", "engaged": True}, reason="zzruling")
    await game.rule({"fact": {"from": hidden, "to": "ref:ann", "distance": 3}}, reason="zzruling")

    for caller in READERS:
        got = await everything(game, caller)
        for mark in marks(game):
            assert mark not in got, (caller.role, mark)
    assert CANARY.encode() in await everything(game, GM)


async def test_hidden_events_leave_no_gap_and_move_no_tag(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    before, gm_before = await game.read(ANN), await game.read()

    told = await game.rule({"combatant": game.ids["zzref"], "resource": "hits", "set": 9})

    after = await game.read(ANN)
    assert after == before
    assert (await game.read())["version"] == gm_before["version"] + 1 == told["version"]
    numbers = [event["seq"] for event in await game.whole_log(ANN)]
    assert numbers == list(range(1, after["cursor"] + 1))
    assert after["version"] == after["cursor"]


async def test_an_answer_tells_its_sender_no_more_than_his_log(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    told: list[Any] = []
    # Everybody's turn ends once, by an answer that may tell what comes after it.
    for _ in range(3):
        turn = (await game.read())["turn"]["combatant"]
        caller = {game.ids["ann"]: ANN, game.ids["orc"]: ORC}.get(turn, GM)
        after = (await game.read(caller))["cursor"]
        answer = await game.act(caller, turn, "end_turn")
        assert answer["events"] == (await game.log(caller, after=after, limit=200))["items"]
        told += [] if caller is GM else answer["events"]

    assert told
    for mark in marks(game):
        assert mark not in msgspec.json.encode(told)


async def test_the_turn_of_somebody_hidden_is_nobodys(quick_game: Game) -> None:
    """Neither is it told whose it is, nor that he comes, and nobody else ends it."""
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    visible = {game.ids["ann"], game.ids["orc"]}
    while (turn := (await game.read())["turn"]["combatant"]) != game.ids["zzref"]:
        for caller in READERS:
            assert {one and one["combatant"] for one in (await game.read(caller))["upcoming"]} <= visible
        await game.act(GM, turn, "end_turn")

    for caller in READERS:
        assert (await game.read(caller))["turn"] is None
        for mark in marks(game):
            assert mark not in await everything(game, caller)
    for caller in (ANN, ORC):
        with pytest.raises(NotTheTime) as refused:
            await turns.end(game.service, caller, game.encounter, None, Attempt())
        assert refused.value.code == "nobodys_turn"


async def test_whoever_is_met_by_somebody_hidden_is_told_of_without_him(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    hidden = game.ids["zzref"]
    await game.rule({"combatant": hidden, "engaged_with": "ref:orc", "engaged": True}, reason="zzruling")
    await game.edit(GM, "ref:orc", name="Grim")

    for caller in READERS:
        (edited,) = [event for event in await game.whole_log(caller) if event["type"] == "edited"]
        assert (edited["body"]["name"], edited["body"].get("engaged", [])) == ("Grim", [])
        for mark in marks(game):
            assert mark not in await everything(game, caller)
    # Also later, when he is hidden no more: what was told then is not told anew.
    await game.edit(GM, hidden, hidden=False)
    (edited,) = [event for event in await game.whole_log(ANN) if event["type"] == "edited"]
    assert edited["body"].get("engaged", []) == []


async def test_a_reason_names_nobody_hidden(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    live = await game.service.store.live(game.encounter)
    book = await game.service.fetch(live.head.pin)
    why = book.ruleset.reason("unknown_combatant", names=(game.ids["zzref"], game.ids["orc"]))

    for caller in (*READERS, GM):
        words = words_for(game.service, caller, book, live.state)
        view = wire.reason(why, words, eyes_of(caller, live.state))
        assert view["names"] == (game.ids["zzref"] if caller is GM else "unknown", game.ids["orc"])
        assert caller is GM or not any(mark in msgspec.json.encode(view) for mark in marks(game))


async def test_nobody_learns_how_many_unknown_ones_a_reason_names(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy(), spy(external_ref="other"))
    live = await game.service.store.live(game.encounter)
    book = await game.service.fetch(live.head.pin)
    named = (game.ids["zzref"], game.ids["orc"], game.ids["other"])
    why = book.ruleset.reason("unknown_combatant", names=named)

    for caller in (*READERS, GM):
        words = words_for(game.service, caller, book, live.state)
        view = wire.reason(why, words, eyes_of(caller, live.state))
        assert view["names"] == (named if caller is GM else ("unknown", game.ids["orc"]))


async def test_a_hidden_id_answers_as_one_that_does_not_exist(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    hidden, nobody = game.ids["zzref"], "cmb_9999"

    refusals = []
    for target in (hidden, nobody, "ref:zzref", "ref:nobody"):
        with pytest.raises(Refusal) as refused:
            await game.act(ANN, "ref:ann", "strike", target)
        with pytest.raises(NotFound):
            await game.combatant(target, ANN)
        with pytest.raises(Refusal) as as_actor:
            await game.act(ANN, target, "end_turn")
        told = msgspec.json.encode((refused.value.views, as_actor.value.views)).decode()
        refusals.append(told.replace(target, "*"))

    assert len(set(refusals)) == 1
    assert seen_code(refusals[0]) == "unknown_combatant"
    await game.act(GM, "ref:ann", "strike", hidden)


def seen_code(text: str) -> str:
    """The code of the first reason."""
    found: str = msgspec.json.decode(text)[0][0]["code"]
    return found


async def test_the_blow_of_a_hidden_one_comes_from_someone(game: Game) -> None:
    await game.duel(fighter("ann", "blue", policy={"defend": "decline"}), spy(dice="client"))
    hidden = game.ids["zzref"]
    await game.act(GM, "ref:ann", "end_turn")

    await game.act(GM, hidden, "strike", "ref:ann", rolls={"to_hit": [1], "damage": [2]})

    log = await game.whole_log(ANN)
    damage = next(event for event in log if event["type"] == "damage_dealt")
    assert damage["combatant"] == "unknown"
    for mark in marks(game):
        assert mark not in await everything(game, ANN)


async def test_a_hidden_watcher_is_asked_where_only_the_gm_sees_it(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}), spy())
    hidden = game.ids["zzref"]
    await game.act(GM, "ref:ann", "end_turn")
    while (turn := (await game.read())["turn"]["combatant"]) != hidden:
        await game.act(GM, turn, "end_turn")
    await game.act(GM, hidden, "watch")
    await game.act(GM, hidden, "end_turn")
    while (turn := (await game.read())["turn"]["combatant"]) != game.ids["ann"]:
        await game.act(GM, turn, "end_turn")

    struck = await game.act(ANN, "ref:ann", "shout", "ref:orc")
    question = (await game.open())[0]

    assert (struck["status"], struck["waiting_for"]) == ("waiting", [])
    assert await game.open(ANN) == []
    assert (question["kind"], question["for"]) == ("watch_fire", hidden)
    with pytest.raises(NotFound):
        await game.answer(ANN, question["id"], option="hold")
    for mark in (*marks(game), question["id"].encode(), b"watch"):
        assert mark not in await everything_but_actions(game, ANN)
    await game.answer(GM, question["id"], option="hold")
    assert types({"events": await game.whole_log(ANN)})[-1] == "effect_began"


async def everything_but_actions(game: Game, caller: Caller) -> bytes:
    """All but the list of actions, which names `watch` itself."""
    return await everything(game, msgspec.structs.replace(caller, role="spectator"))


async def test_a_hidden_effect_is_its_owners_and_the_gms(game: Game) -> None:
    await game.duel()
    await game.act(ANN, "ref:ann", "watch")

    own = (await game.combatant("ref:ann", ANN))["effects"]

    assert [effect["kind"] for effect in own] == ["watching"]
    assert (await game.combatant("ref:ann", ORC))["effects"] == []
    assert "effect_began" not in types({"events": await game.whole_log(ORC)})
    assert "effect_began" in types({"events": await game.whole_log(GM)})


async def test_whoever_is_shown_appears_as_he_then_is(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    hidden = game.ids["zzref"]
    cursor = (await game.read(ANN))["cursor"]

    await game.edit(GM, hidden, hidden=False)
    shown = (await game.log(ANN, after=cursor))["items"]
    there = await game.combatant(hidden, ANN)
    await game.edit(GM, hidden, hidden=True)
    gone = (await game.log(ANN, after=cursor + 1))["items"]

    assert types({"events": shown}) == ["appeared"]
    assert "notes" not in shown[0]["body"]
    assert "hidden" not in shown[0]["body"]
    assert there["name"] == CANARY
    assert [(event["type"], event["fact"]) for event in gone] == [("noted", "vanished")]
    with pytest.raises(NotFound):
        await game.combatant(hidden, ANN)


async def test_only_the_gm_reads_notes(quick_game: Game) -> None:
    game = quick_game
    await game.create(fighter("ann", "blue", notes="zznotes"), fighter("orc", "red"))

    assert (await game.combatant("ref:ann"))["notes"] == "zznotes"
    for caller in READERS:
        assert b"zznotes" not in await everything(game, caller)
    tag = (await game.read(ANN))["version"]
    await game.edit(GM, "ref:ann", notes="zznotes too", policy={"defend": "best"})
    assert (await game.read(ANN))["version"] == tag
    await game.edit(GM, "ref:ann", notes="zznotes again", name="Anna")
    edited = (await game.log(ANN, after=tag))["items"]
    assert [event["fields"] for event in edited] == [["name"]]
    assert b"zznotes" not in await everything(game, ANN)
    assert "policy" in await game.combatant("ref:ann", ANN)
    assert "policy" not in await game.combatant("ref:ann", ORC)


async def test_a_list_of_actions_leaves_the_hidden_out(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())

    mine = seen(await actions.possible(game.service, ANN, game.encounter, "ref:ann"))
    all_of_them = seen(await actions.possible(game.service, GM, game.encounter, "ref:ann"))

    def targets(view: Any) -> list[str]:
        return [one["id"] for action in view["actions"] if action["id"] == "strike" for one in action["targets"]]

    assert targets(mine) == [game.ids["orc"]]
    assert sorted(targets(all_of_them)) == sorted((game.ids["orc"], game.ids["zzref"]))


async def test_a_rewind_of_hidden_things_alone_tells_that_it_was_and_no_more(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    version, count = (await game.read())["version"], (await game.read(ANN))["version"]
    await game.edit(GM, "ref:zzref", name=f"{CANARY} the second")
    assert (await game.read(ANN))["version"] == count

    await game.rewind(version)

    for caller in READERS:
        (told,) = (await game.log(caller, after=count))["items"]
        assert (told["type"], told["to_version"]) == ("rewound", count)
        stretches = seen(await history.branches(game.service, caller, game.encounter))["items"]
        assert [one["first"] for one in stretches] == [1, count + 1]
        assert not any(one["abandoned"] for one in stretches)
        told_all = await everything(game, caller)
        assert not [mark for mark in marks(game) if mark in told_all]
