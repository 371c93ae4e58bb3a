"""The GM's hand: rulings, also while something waits; cancelling; going back; and time that runs out."""

import pytest

from app.services import decisions
from app.services.errors import AlreadyAnswered, BadInput, NotFound, NotPermitted, NotTheTime, Refusal
from tests.services.game import ANN, GM, ORC, WATCHER, Game, fighter, types

pytestmark = pytest.mark.anyio


async def asked_to_defend(game: Game, **fields: object) -> str:
    """Ann strikes with dice of her own; the orc is asked."""
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), **fields)
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [4]})
    found: str = struck["waiting_for"][0]["id"]
    return found


async def test_a_ruling_changes_figures_with_its_reason_in_the_log(game: Game) -> None:
    await game.duel()

    told = await game.rule(
        {"combatant": "ref:orc", "resource": "hits", "set": 4},
        {"combatant": "ref:orc", "budget": "reaction", "change": 1},
        {"combatant": "ref:orc", "add_effect": {"id": "prone"}},
        reason="the floor gives way",
    )

    assert types(told) == ["ruled", "pool_changed", "budget_changed", "effect_began"]
    assert told["events"][0]["reason"] == "the floor gives way"
    orc = await game.combatant("ref:orc", WATCHER)
    assert orc["resources"][0]["value"] == 4
    assert [effect["kind"] for effect in orc["effects"]] == ["prone"]
    with pytest.raises(NotPermitted):
        await game.rule({"combatant": "ref:orc", "resource": "hits", "set": 4}, caller=ANN)


async def test_a_ruling_that_cannot_be_is_refused_whole(game: Game) -> None:
    await game.duel()
    before = await game.read()

    with pytest.raises(BadInput) as vague:
        await game.rule(
            {"combatant": "ref:orc"}, {"resource": "hits", "set": 1}, {"combatant": "ref:orc", "resource": "hits"}
        )
    with pytest.raises(Refusal) as unknown:
        await game.rule(
            {"combatant": "ref:orc", "resource": "mana", "set": 1}, {"combatant": "cmb_x", "status": "down"}
        )

    assert [(one.code, one.at) for one in vague.value.findings] == [
        ("one_change_each", "/changes/0"),
        ("missing_input", "/changes/1/combatant"),
        ("missing_input", "/changes/2/set"),
    ]
    assert [view["code"] for view in unknown.value.views] == ["unknown_resource", "unknown_combatant"]
    assert await game.read() == before


async def test_a_ruling_while_somebody_must_answer_becomes_a_part_of_the_command(game: Game) -> None:
    question = await asked_to_defend(game)

    told = await game.rule({"combatant": "ref:orc", "resource": "hits", "set": 2})
    done = await game.answer(ORC, question, option="none")

    assert types(told) == ["ruled", "pool_changed"]
    assert told["status"] == "waiting"
    assert [one["id"] for one in told["waiting_for"]] == [question]
    assert types(done)[-2:] == ["pool_changed", "status_changed"]
    assert (await game.combatant("ref:orc"))["status"] == "down"


async def test_a_ruling_may_make_a_question_change(game: Game) -> None:
    question = await asked_to_defend(game)

    told = await game.rule({"combatant": "ref:orc", "budget": "reaction", "set": 0})
    again = (await game.open())[0]

    assert told["status"] == "waiting"
    assert (again["id"], [one["id"] for one in again["options"]]) == (question, ["none"])
    assert again["unavailable"][1]["reasons"][0]["code"] == "no_reaction_left"


async def test_cancelling_ends_the_command_and_keeps_what_was_shown(game: Game) -> None:
    question = await asked_to_defend(game)
    before = len(await game.whole_log())

    told = await game.rule({"cancel": question}, {"combatant": "ref:orc", "resource": "hits", "set": 1})

    assert types(told) == ["command_cancelled", "ruled", "pool_changed"]
    assert told["status"] == "done"
    assert (await game.read())["waiting"] is False
    assert len(await game.whole_log()) == before + 3
    budgets = (await game.combatant("ref:ann"))["budgets"]
    assert budgets[0]["left"] == 1
    with pytest.raises(AlreadyAnswered):
        await game.answer(ORC, question, option="none")
    with pytest.raises(BadInput, match="unknown_decision"):
        await game.rule({"cancel": question})
    await game.act(ANN, "ref:ann", "shout", "ref:orc")


async def test_cancelling_what_was_to_open_a_turn_opens_one_all_the_same(game: Game) -> None:
    await game.create(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    asked = (await game.start())["waiting_for"][0]["id"]

    await game.rule({"cancel": asked})

    assert (await game.read())["turn"] is not None


async def test_going_back_lets_the_encounter_stand_as_it_did(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}))
    then = await game.read()
    for _ in range(2):
        await game.act(ANN, "ref:ann", "strike", "ref:orc")
    await game.act(ANN, "ref:ann", "end_turn")

    told = await game.rewind(then["version"])

    now = await game.read()
    assert (told["status"], types(told)) == ("done", ["rewound"])
    assert told["events"][0]["to_version"] == then["version"]
    for moving in ("version", "cursor"):
        now.pop(moving)
        then.pop(moving)
    assert now == then
    with pytest.raises(BadInput, match="unknown_version"):
        await game.rewind(10_000)
    with pytest.raises(NotPermitted):
        await game.rewind(1, caller=ANN)


async def test_going_back_into_a_pause_asks_the_same_again(game: Game) -> None:
    question = await asked_to_defend(game)
    version = (await game.read())["version"]
    await game.answer(ORC, question, option="none")
    assert (await game.combatant("ref:orc"))["resources"][0]["value"] == 6

    told = await game.rewind(version)
    again = told["waiting_for"][0]

    assert types(told) == ["rewound", "decision_opened"]
    assert again["kind"] == "defend"
    assert again["id"] != question
    with pytest.raises(AlreadyAnswered):
        await game.answer(ORC, question, option="none")
    done = await game.answer(ORC, again["id"], option="none")
    assert done["status"] == "done"
    assert (await game.combatant("ref:orc"))["resources"][0]["value"] == 6


async def test_dice_fall_anew_after_going_back(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}))
    version = (await game.read())["version"]

    seen = set()
    for _ in range(4):
        struck = await game.act(ANN, "ref:ann", "strike", "ref:orc")
        check = next(event for event in struck["events"] if event["type"] == "check_rolled")
        seen.add(check["dice"][0]["value"])
        await game.rewind(version)

    assert len(seen) > 1


async def test_everybody_is_told_in_his_own_count_where_a_rewind_went(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), fighter("spy", "red", hidden=True))
    await game.rule({"combatant": "ref:spy", "resource": "hits", "set": 3})
    version, public = (await game.read())["version"], (await game.read(ANN))["version"]
    await game.act(ANN, "ref:ann", "shout", "ref:orc")

    await game.rewind(version)

    rewound = [(await game.whole_log(caller))[-1] for caller in (GM, ANN)]
    assert [event["to_version"] for event in rewound] == [version, public]
    assert version != public
    assert "public_version" not in rewound[0]


async def test_a_decision_whose_time_is_up_gets_its_default(game: Game) -> None:
    question = await asked_to_defend(game, decision_timeout_s=120)
    expires = (await game.open())[0]["expires_at"]
    early = await decisions.expire_due(game.service, game.clock.now)

    game.clock.now += 120_000
    late = await decisions.expire_due(game.service, game.clock.now)

    assert expires == "2023-11-14T22:15:20.000Z"
    assert (early, late) == (0, 1)
    assert (await game.read())["waiting"] is False
    answered = [event for event in await game.whole_log() if event["type"] == "decision_answered"][-1]
    assert (answered["by"], answered["option"]) == ("timeout", "none")
    with pytest.raises(AlreadyAnswered):
        await game.answer(ORC, question, option="dodge")
    assert await decisions.expire_due(game.service, game.clock.now) == 0


async def test_a_roll_whose_time_is_up_is_rolled_by_the_server(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), decision_timeout_s=10)
    await game.act(ANN, "ref:ann", "strike", "ref:orc")

    game.clock.now += 10_000
    await decisions.expire_due(game.service, game.clock.now)

    check = next(event for event in await game.whole_log() if event["type"] == "check_rolled")
    assert check["dice"][0]["source"] == "server"


async def test_a_changed_policy_does_not_answer_what_is_already_asked(game: Game) -> None:
    question = await asked_to_defend(game)

    told = await game.edit(ORC, "ref:orc", policy={"defend": "decline"})
    await game.edit(GM, "ref:orc", side="blue", dice="client")
    still = [one["id"] for one in await game.open()]
    done = await game.answer(ORC, question, option="dodge")

    assert (told["status"], types(told)) == ("waiting", [])
    assert still == [question]
    assert done["waiting_for"][0]["purpose"] == "dodge"
    await game.answer(ORC, done["waiting_for"][0]["id"], dice=[99])
    orc = await game.combatant("ref:orc")
    assert (orc["policy"], orc["dice"], orc["side"]) == ({"defend": "decline"}, "client", "blue")
    assert orc["resources"][0]["value"] == 6
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [1]})
    assert struck["status"] == "done"


async def test_ending_a_fight(game: Game) -> None:
    await game.create()
    with pytest.raises(NotTheTime):
        await game.end()
    await game.start()
    with pytest.raises(NotPermitted):
        await game.end(caller=ANN)

    told = await game.end()

    assert types(told) == ["encounter_ended"]
    assert (await game.read())["status"] == "ended"
    with pytest.raises(Refusal, match="encounter_not_running"):
        await game.act(ANN, "ref:ann", "end_turn")


async def test_nothing_is_left_of_a_deleted_encounter(game: Game) -> None:
    from app.services import encounters
    from app.services.caller import Attempt

    await game.duel()
    with pytest.raises(NotPermitted):
        await encounters.delete(game.service, ANN, game.encounter, Attempt())

    await encounters.delete(game.service, GM, game.encounter, Attempt())

    with pytest.raises(NotFound):
        await game.read()
    with pytest.raises(NotFound):
        await game.act(ANN, "ref:ann", "end_turn")
