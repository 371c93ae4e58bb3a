"""Playing through the services: from the first submission to the last answer, on both databases."""

import itertools
from typing import Any

import pytest

from app.engine.reasons import BadAnswer
from app.services.caller import Attempt
from app.services.errors import AlreadyAnswered, AnswerAwaited, KeyReused, NotFound, NotPermitted, Refusal, Stale
from tests.services.game import ANN, GM, ORC, STRANGER, WATCHER, Game, fighter, types

pytestmark = pytest.mark.anyio


async def test_a_fight_from_its_beginning_to_somebody_down(game: Game) -> None:
    await game.duel()

    hit = None
    struck: Any = None
    for _ in range(40):
        view = await game.read()
        turn = view["turn"]["combatant"]
        other = next(body["id"] for body in view["combatants"] if body["id"] != turn)
        struck = await game.act(GM, turn, "strike", other)
        while struck["status"] == "waiting":
            hit = struck["waiting_for"][0]
            struck = await game.answer(GM, hit["id"], option="none")
        if any(event["type"] == "status_changed" for event in struck["events"]):
            break
        await game.act(GM, turn, "end_turn")

    assert hit is not None
    assert hit["kind"] == "defend"
    assert struck["events"][-1]["status"] == "down"
    log = await game.whole_log()
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
    assert all(event["text"] is not None for event in log)


async def test_dice_of_the_table_are_decisions(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red", dice="server"))

    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc")
    roll = struck["waiting_for"][0]
    done = await game.answer(ANN, roll["id"], dice=[30])
    question = done["waiting_for"][0]
    taken = await game.answer(ORC, question["id"], option="none")
    damage = taken["waiting_for"][0]
    end = await game.answer(ANN, damage["id"], dice=[7])

    assert (roll["kind"], roll["dice"], roll["target"], roll["for"]) == ("roll", "1d100", 60, game.ids["ann"])
    assert types(done) == ["decision_answered", "check_rolled", "decision_opened"]
    assert types(taken) == ["decision_answered", "defence_resolved", "decision_opened"]
    assert types(end) == ["decision_answered", "damage_dealt", "pool_changed"]
    assert (end["status"], end["waiting_for"]) == ("done", [])
    assert (await game.combatant("ref:orc"))["resources"] == [{"id": "hits", "name": "Hits", "value": 3, "max": 10}]


async def test_dice_brought_along_are_used_and_the_rest_is_named(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))

    rolls = {"to_hit": [30], "damage": [7], "luck": [3]}
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls)
    end = await game.answer(ORC, struck["waiting_for"][0]["id"], option="none")

    check = next(event for event in struck["events"] if event["type"] == "check_rolled")
    (die,) = check["dice"]
    assert (die["sides"], die["value"], die["source"], die["by"]) == (100, 30, "brought", "tok_ann")
    assert struck["unused_rolls"] == []
    assert (end["status"], end["unused_rolls"]) == ("done", ["luck"])


async def test_dice_brought_along_are_not_used_where_the_server_rolls(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}))

    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1]})

    assert struck["status"] == "done"
    assert struck["unused_rolls"] == ["to_hit"]


async def test_dice_that_cannot_be_leave_the_decision_open(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    roll = (await game.act(ANN, "ref:ann", "strike", "ref:orc"))["waiting_for"][0]["id"]

    with pytest.raises(BadAnswer, match="die_out_of_range"):
        await game.answer(ANN, roll, dice=[101])
    with pytest.raises(BadAnswer, match="wrong_number_of_dice"):
        await game.answer(ANN, roll, dice=[1, 2])
    with pytest.raises(BadAnswer, match="dice_wanted"):
        await game.answer(ANN, roll, option="none")

    assert [one["id"] for one in await game.open()] == [roll]
    assert (await game.answer(ANN, roll, dice=[99]))["status"] == "done"


async def test_a_policy_answers_at_once(quick_game: Game) -> None:
    game = quick_game
    await game.duel(
        fighter("ann", "blue", dice="client"), fighter("orc", "red", policy={"defend": "best"}), dice="server"
    )

    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [1]})

    assert struck["status"] == "done"
    assert "decision_opened" not in types(struck)
    resolved = next(event for event in struck["events"] if event["type"] == "defence_resolved")
    assert resolved["option"] == "dodge"


async def test_a_barred_option_is_refused_with_its_reason_and_the_question_stays(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1]})
    question = struck["waiting_for"][0]

    with pytest.raises(Refusal) as refused:
        await game.answer(ORC, question["id"], option="parry")
    with pytest.raises(BadAnswer, match="unknown_option"):
        await game.answer(ORC, question["id"], option="flee")
    with pytest.raises(BadAnswer, match="option_wanted at /dice: dodge"):
        await game.answer(ORC, question["id"], dice=[1])

    assert [view["code"] for view in refused.value.views] == ["cannot_parry"]
    assert question["unavailable"][0]["reasons"][0]["code"] == "cannot_parry"
    assert question["options"][0]["chance"] == 0.3
    assert [one["id"] for one in await game.open()] == [question["id"]]


async def test_only_who_is_asked_or_the_gm_answers_and_only_once(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    rolls = {"to_hit": [1], "damage": [1]}
    question = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls))["waiting_for"][0]["id"]

    for caller in (ANN, WATCHER):
        with pytest.raises(NotPermitted):
            await game.answer(caller, question, option="none")
    with pytest.raises(NotFound):
        await game.answer(STRANGER, question, option="none")
    with pytest.raises(NotFound):
        await game.answer(ORC, "dec_nothing", option="none")
    await game.answer(GM, question, option="none")
    with pytest.raises(AlreadyAnswered):
        await game.answer(ORC, question, option="dodge")

    answered = [event for event in await game.whole_log() if event["type"] == "decision_answered"][-1]
    assert (answered["by"], answered["option"]) == ("gm", "none")


async def test_nothing_else_happens_while_somebody_must_answer(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    roll = (await game.act(ANN, "ref:ann", "strike", "ref:orc"))["waiting_for"][0]["id"]

    with pytest.raises(AnswerAwaited) as refused:
        await game.act(ANN, "ref:ann", "end_turn")
    await game.answer(ANN, roll, dice=[1])
    with pytest.raises(AnswerAwaited) as again:
        await game.end()

    assert ([reason.code for reason in refused.value.reasons], refused.value.decisions) == (["roll_pending"], (roll,))
    assert refused.value.reasons[0].clause == "TOY-001"
    assert [reason.code for reason in again.value.reasons] == ["decision_pending"]


async def test_a_refusal_tells_every_reason_in_words_and_changes_nothing(game: Game) -> None:
    await game.duel(space={"mode": "stated", "facts": [{"from": "ref:orc", "to": "ref:ann", "distance": 31.5}]})
    before = await game.read()

    with pytest.raises(Refusal) as refused:
        await game.act(ORC, "ref:orc", "strike", "ref:ann", weapon="bow")

    assert refused.value.views == (
        {
            "code": "not_your_turn",
            "kind": "turn",
            "clause": "TOY-020",
            "message": "It is not your turn.",
        },
        {
            "code": "out_of_range",
            "kind": "range",
            "clause": "TOY-110",
            "at": "/targets/0",
            "need": 30.0,
            "got": 31.5,
            "message": "Out of range: at most 30 m, here 31.5 m.",
        },
    )
    assert await game.read() == before


async def test_a_stale_version_is_refused_in_the_readers_own_count(game: Game) -> None:
    await game.duel()
    version = (await game.read(ANN))["version"]

    with pytest.raises(Stale) as stale:
        await game.act(ANN, "ref:ann", "end_turn", attempt=Attempt(if_match=version - 1))
    done = await game.act(ANN, "ref:ann", "end_turn", attempt=Attempt(if_match=version))

    assert stale.value.current == version
    assert done["version"] == done["events"][-1]["seq"] == (await game.read(ANN))["version"]


async def test_a_retry_gets_the_same_bytes(game: Game) -> None:
    await game.duel()
    attempt = Attempt("key-1", b"hash")

    first = await game.act(ANN, "ref:ann", "end_turn", attempt=attempt)
    second = await game.act(ANN, "ref:ann", "end_turn", attempt=attempt)
    with pytest.raises(KeyReused):
        await game.act(ANN, "ref:ann", "end_turn", attempt=Attempt("key-1", b"other"))

    assert first == second


async def test_several_are_asked_at_once_and_answer_in_any_order(game: Game) -> None:
    crowd = [fighter(f"orc{number}", "red") for number in range(3)]
    logs = []
    for order in ((0, 1, 2), (2, 0, 1)):
        # The same people under the same ids: then the same dice fall for them.
        numbers = itertools.count(1)
        game.service.new_id = lambda prefix, numbers=numbers, order=order: (  # type: ignore[misc]
            f"{prefix}{next(numbers):04d}" if prefix == "cmb_" else f"{prefix}{order[0]}"
        )
        await game.duel(fighter("ann", "blue"), *crowd)
        version = (await game.read())["version"]
        targets = [f"ref:orc{number}" for number in range(3)]
        asked = (await game.act(ANN, "ref:ann", "blast", *targets))["waiting_for"]
        ends = []
        for place in order:
            choice = "none" if place == 1 else "dodge"
            ends.append((await game.answer(GM, asked[place]["id"], option=choice))["status"])
        assert len(asked) == 3
        assert ends == ["waiting", "waiting", "done"]
        told = [event for event in await game.whole_log() if event["version"] > version]
        names = {who: name for name, who in game.ids.items()}
        facts = [
            (event["type"], names.get(event.get("combatant", ""), ""), event.get("dice"), event.get("value"))
            for event in told
            if not event["type"].startswith("decision_")
        ]
        logs.append(facts)

    assert [fact[0] for fact in logs[0]] == [fact[0] for fact in logs[1]]


async def test_a_choice_stays_sealed_while_others_still_choose(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), fighter("orc2", "red"))
    asked = (await game.act(ANN, "ref:ann", "blast", "ref:orc", "ref:orc2"))["waiting_for"]

    first = await game.answer(GM, asked[0]["id"], option="none")
    second = await game.answer(GM, asked[1]["id"], option="none")

    assert "option" not in first["events"][0]
    assert second["events"][0]["option"] == "none"


async def test_an_allocation_is_judged_beside_its_question(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), fighter("orc2", "red"))
    question = (await game.act(ANN, "ref:ann", "volley", "ref:orc", "ref:orc2"))["waiting_for"][0]

    with pytest.raises(Refusal) as refused:
        await game.answer(ANN, question["id"], option="share", fields={"hits": {"ref:orc2": 3}})
    with pytest.raises(BadAnswer, match="wrong_total"):
        await game.answer(ANN, question["id"], option="share", fields={"hits": {"ref:orc": 1}})
    done = await game.answer(ANN, question["id"], option="share", fields={"hits": {"ref:orc2": 1, "ref:orc": 2}})

    assert refused.value.views[0]["code"] == "first_target_left_out"
    hurt = [event["target"] for event in done["events"] if event["type"] == "damage_dealt"]
    assert hurt == [game.ids["orc"], game.ids["orc"], game.ids["orc2"]]


async def test_initiative_waits_for_those_who_roll_their_own(game: Game) -> None:
    await game.create(fighter("ann", "blue", dice="client"), fighter("orc", "red"))

    started = await game.start()
    done = await game.answer(ANN, started["waiting_for"][0]["id"], dice=[10])

    assert started["status"] == "waiting"
    assert [one["for"] for one in started["waiting_for"]] == [game.ids["ann"]]
    assert done["status"] == "done"
    assert (await game.read())["turn"] == {"combatant": game.ids["ann"], "kind": "turn"}


async def test_the_gm_is_asked_where_the_book_leaves_it_to_him(game: Game) -> None:
    await game.duel()
    asked = (await game.act(ANN, "ref:ann", "plead", "ref:orc"))["waiting_for"][0]

    with pytest.raises(NotPermitted):
        await game.answer(ANN, asked["id"], option="yes")
    done = await game.answer(GM, asked["id"], option="yes")

    assert (asked["for"], asked["about"]) == ("gm", game.ids["orc"])
    assert done["events"][-1]["fact"] == "heard"
