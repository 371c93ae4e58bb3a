"""What is possible and what would happen: judged as a submission is, and changing nothing."""

import contextlib
from typing import Any

import msgspec
import pytest

from app.engine.reasons import BadAnswer
from app.services import actions
from app.services.bodies import SubmissionIn
from app.services.caller import Caller
from app.services.errors import AnswerAwaited, NotFound, NotPermitted, Refusal
from tests.services.game import ANN, GM, ORC, WATCHER, Game, as_body, fighter, seen

pytestmark = pytest.mark.anyio


async def listed(game: Game, caller: Caller, who: str, **fields: bool) -> dict[str, Any]:
    """The actions by their ids."""
    view = seen(await actions.possible(game.service, caller, game.encounter, who, **fields))
    return {action["id"]: action for action in view["actions"]}


async def preview(game: Game, caller: Caller, actor: str, action: str, *targets: str, **fields: Any) -> Any:
    """A preview."""
    body = as_body(SubmissionIn, {"actor": actor, "action": action, "targets": list(targets), **fields})
    return seen(await actions.preview(game.service, caller, game.encounter, body))


async def test_every_action_is_listed_with_what_it_takes_and_why_not(quick_game: Game) -> None:
    game = quick_game
    await game.duel()

    mine, theirs = await listed(game, ANN, "ref:ann"), await listed(game, ORC, "ref:orc")

    strike = mine["strike"]
    assert (strike["name"], strike["available"], strike["cost"]) == ("Strike", True, [{"budget": "act", "amount": 1}])
    assert strike["targets"] == [{"id": game.ids["orc"], "relation": "foe", "available": True}]
    assert (strike["weapons"], strike["clauses"]) == (["sword"], ["TOY-100", "TOY-110"])
    assert strike["form"] == {"href": "/v1/rulesets/toy/actions/strike#form"}
    assert theirs["strike"]["available"] is False
    assert theirs["strike"]["reasons"] == [
        {"code": "not_your_turn", "kind": "turn", "clause": "TOY-020", "message": "It is not your turn."}
    ]
    assert await listed(game, ORC, "ref:orc", available_only=True) == {}


async def test_what_the_list_offers_is_accepted_and_what_it_refuses_is_refused_alike(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), fighter("spy", "red", hidden=True))
    await game.act(GM, "ref:ann", "shout", "ref:orc")
    version = (await game.read())["version"]

    for name, action in (await listed(game, ANN, "ref:ann")).items():
        targets = [target["id"] for target in action["targets"] if target["available"]][:1]
        try:
            await game.act(ANN, "ref:ann", name, *targets)
        except Refusal as refused:
            told = [view["code"] for view in refused.views if view["code"] != "missing_input"]
            assert told == [reason["code"] for reason in action["reasons"]], name
        except BadAnswer:
            assert action["available"]
        else:
            assert action["available"], name
        await game.rewind(version)


async def test_only_who_may_act_for_him_gets_the_list(quick_game: Game) -> None:
    game = quick_game
    await game.duel()

    for caller in (ORC, WATCHER):
        with pytest.raises(NotPermitted):
            await listed(game, caller, "ref:ann")
    with pytest.raises(NotFound):
        await listed(game, ANN, "cmb_nobody")
    assert await listed(game, GM, "ref:ann")


async def test_a_preview_tells_the_odds_and_changes_nothing(game: Game) -> None:
    await game.duel()
    before = await game.read()

    view = await preview(game, ANN, "ref:ann", "strike", "ref:orc", weapon="sword")

    assert view["legal"] is True
    assert (view["checks"][0]["target"], view["checks"][0]["chance"]) == (60, 0.6)
    assert view["defence"][0]["option"] == "dodge"
    assert view["damage"]["method"] in ("exact", "sampled")
    assert view["hits_error"] <= view["damage"]["error"]
    assert 0 < view["damage"]["drops"] < 1
    assert await game.read() == before


async def test_a_preview_refuses_as_the_submission_would(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))

    cases: list[tuple[Caller, str, str, tuple[str, ...]]] = [
        (ORC, "ref:orc", "strike", ("ref:ann",)),
        (ANN, "ref:ann", "dance", ()),
        (ANN, "ref:ann", "strike", ("cmb_nobody",)),
        (ANN, "cmb_nobody", "strike", ()),
    ]
    for caller, actor, action, targets in cases:
        view = await preview(game, caller, actor, action, *targets)
        with pytest.raises(Refusal) as refused:
            await game.act(caller, actor, action, *targets)
        assert view["legal"] is False
        assert view["reasons"] == msgspec.json.decode(msgspec.json.encode(refused.value.views))
    with pytest.raises(NotPermitted):
        await preview(game, ORC, "ref:ann", "strike", "ref:orc")
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    assert (await preview(game, ANN, "ref:ann", "end_turn"))["reasons"][0]["code"] == "roll_pending"


async def test_a_preview_knows_no_more_than_its_reader(quick_game: Game) -> None:
    game = quick_game
    people = (fighter("ann", "blue"), fighter("orc", "red"), fighter("spy", "red", hidden=True, sheet={"skill": 100}))
    await game.duel(*people)
    spy = game.ids["spy"]
    alone = await preview(game, ANN, "ref:ann", "strike", "ref:orc")
    await game.rule({"combatant": spy, "add_effect": {"id": "watching"}})

    watched = await preview(game, ANN, "ref:ann", "strike", "ref:orc")
    known = await preview(game, GM, "ref:ann", "strike", "ref:orc")

    assert watched == alone
    assert known != alone
    assert spy not in str(watched)


async def test_a_modifier_of_the_gms_own_is_for_the_gm(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    given = [{"id": "gm", "value": 30, "reason": "high ground"}]

    with pytest.raises(NotPermitted):
        await game.act(ANN, "ref:ann", "strike", "ref:orc", modifiers=given)
    with contextlib.suppress(Refusal):
        await game.act(GM, "ref:ann", "strike", "ref:orc", modifiers=given)


@pytest.mark.parametrize(
    ("rolls", "at"),
    [
        ({"to_hit": [101]}, "/rolls/to_hit/0"),
        ({"to_hit": [0]}, "/rolls/to_hit/0"),
        ({"to_hit": [1], "damage": [11]}, "/rolls/damage/0"),
        ({"to_hit": [100], "damage": [11]}, None),
        ({"to_hit": [1, 2], "damage": [3]}, None),
        ({"luck": [7], "to_hit": []}, None),
    ],
)
async def test_a_preview_judges_dice_brought_along_as_the_submission_does(
    quick_game: Game, rolls: dict[str, list[int]], at: str | None
) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red", policy={"defend": "decline"}))
    places = []

    for way in (preview, Game.act):
        try:
            done = await way(game, ANN, "ref:ann", "strike", "ref:orc", rolls=rolls)
        except BadAnswer as refused:
            places.append(refused.at)
        else:
            assert done.get("legal", True)
            places.append("")

    assert places == [at or "", at or ""]


async def test_a_refusal_does_not_tell_how_dice_of_the_server_would_have_fallen(quick_game: Game) -> None:
    game = quick_game
    slow = fighter("orc", "red", dice="server", policy={"defend": "best"}, sheet={"speed": 1})
    await game.duel(fighter("ann", "blue", dice="client"), slow)
    rolls = {"to_hit": [1], "damage": [11]}

    view = await preview(game, ANN, "ref:ann", "strike", "ref:orc", rolls=rolls)
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls)

    # He fails to dodge: the damage that cannot be is asked for, as it is where somebody answers in between.
    assert view["legal"] is True
    assert [one["name"] for one in struck["waiting_for"]] == ["damage"]
    end = await game.answer(ANN, struck["waiting_for"][0]["id"], dice=[3])
    assert (end["status"], end["unused_rolls"]) == ("done", ["damage"])


async def test_while_somebody_must_answer_the_list_says_so_as_the_submission_does(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    before = await listed(game, ANN, "ref:ann")
    await game.act(ANN, "ref:ann", "strike", "ref:orc")

    after = await listed(game, ANN, "ref:ann")
    with pytest.raises(AnswerAwaited) as refused:
        await game.act(ANN, "ref:ann", "shout", "ref:orc")

    assert set(after) == set(before)
    for action in after.values():
        assert not action["available"]
        assert not any(way["available"] for way in action["types"])
        assert [one["code"] for one in action["reasons"]] == [one.code for one in refused.value.reasons]
        assert action["targets"] == []
    assert await listed(game, ANN, "ref:ann", available_only=True) == {}
    [open_one] = await game.open(ANN)
    await game.answer(ANN, open_one["id"], dice=[1])
    assert [one["code"] for one in (await listed(game, ANN, "ref:ann"))["strike"]["reasons"]] != ["roll_pending"]
