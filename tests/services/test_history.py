"""Looking back: branches, versions, forks, and figures; on both databases, and afterwards everything fits together."""

import pytest

from app.services import forking, history, statistics
from app.services.bodies import ForkIn
from app.services.branches import Rewind, Stretch, stretches
from app.services.caller import Attempt, Caller
from app.services.errors import BadInput, LimitReached, NotFound, NotPermitted
from tests.services.game import ANN, GM, ORC, STRANGER, WATCHER, Game, Json, fighter, seen, types
from tests.services.test_dice_trust import seeds

DUEL = (fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}))


async def branches(game: Game, caller: Caller = GM) -> list[Json]:
    items: list[Json] = seen(await history.branches(game.service, caller, game.encounter))["items"]
    return items


async def version(game: Game, number: int, caller: Caller = GM) -> Json:
    view: Json = seen(await history.version(game.service, caller, game.encounter, number))
    return view


async def fork(game: Game, caller: Caller = GM, attempt: Attempt | None = None, **fields: object) -> Json:
    body = ForkIn(**fields)  # type: ignore[arg-type]
    view: Json = seen(await forking.fork(game.service, caller, game.encounter, body, attempt or Attempt()))
    return view


async def figures(game: Game, caller: Caller = GM) -> Json:
    view: Json = seen(await statistics.read(game.service, caller, game.encounter))
    return view


async def texts(game: Game, caller: Caller) -> list[str]:
    return [one["text"] for one in (await game.log(caller, limit=200))["items"]]


@pytest.mark.parametrize(
    ("newest", "rewinds", "expected"),
    [
        (4, [], [(1, 4, False)]),
        (6, [(5, 2)], [(1, 2, False), (3, 4, True), (5, 6, False)]),
        # back to what was left behind: it counts again, and what came of the first rewind does not
        (8, [(5, 2), (8, 4)], [(1, 4, False), (5, 7, True), (8, 8, False)]),
        # twice to the same place
        (7, [(5, 2), (7, 2)], [(1, 2, False), (3, 6, True), (7, 7, False)]),
        (5, [(5, 4)], [(1, 4, False), (5, 5, False)]),
    ],
)
def test_what_counts_is_found_from_the_end(
    newest: int, rewinds: list[tuple[int, int]], expected: list[tuple[int, int, bool]]
) -> None:
    found = stretches(newest, [Rewind(*one) for one in rewinds])

    assert found == [Stretch(*one) for one in expected]


async def test_an_abandoned_branch_stays_readable(game: Game) -> None:
    await game.duel(*DUEL, fighter("spy", "red", hidden=True))
    then = await game.read()
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    await game.rule({"combatant": "ref:spy", "resource": "hits", "set": 3})
    left_behind = await game.whole_log()
    await game.rewind(then["version"])

    found, hers = await branches(game), await branches(game, ANN)

    assert (await game.whole_log())[: len(left_behind)] == left_behind
    assert [one["abandoned"] for one in found] == [one["abandoned"] for one in hers] == [False, True, False]
    assert found[1]["first_version"] == then["version"] + 1
    assert (found[1]["first"], found[1]["last"]) == (then["cursor"] + 1, len(left_behind))
    assert (hers[1]["first"], "first_version" in hers[0]) == (hers[0]["last"] + 1, False)
    page = await game.log(ANN, after=hers[1]["first"] - 1, limit=1)
    assert page["items"][0] == next(one for one in left_behind if one["seq"] > then["cursor"]) | {
        name: page["items"][0][name] for name in ("seq", "version")
    }
    assert hers[-1]["last"] == (await game.read(ANN))["cursor"]


async def test_whoever_came_in_an_abandoned_branch_keeps_his_name_there(game: Game) -> None:
    await game.duel(*DUEL)
    then = await game.read()
    await game.add(fighter("zed", "blue"), fighter("spy", "red", hidden=True))
    await game.rule({"combatant": "ref:zed", "resource": "hits", "set": 3})
    await game.rule({"combatant": "ref:spy", "resource": "hits", "set": 2})
    of_gm, hers = await texts(game, GM), await texts(game, ANN)
    await game.rewind(then["version"])

    assert (await texts(game, GM))[: len(of_gm)] == of_gm
    assert (await texts(game, ANN))[: len(hers)] == hers
    assert "Zed" in str(of_gm)
    assert "Spy" in str(of_gm)
    assert "Zed" in str(hers)
    assert "Spy" not in str(hers)


async def test_a_version_is_read_as_it_stood(game: Game) -> None:
    await game.duel(*DUEL)
    then = await game.read()
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    struck = await game.read()
    await game.rewind(then["version"])

    assert await version(game, then["version"]) == then
    assert await version(game, struck["version"]) == struck
    with pytest.raises(NotFound):
        await version(game, 99)
    with pytest.raises(NotPermitted):
        await version(game, 1, ANN)
    with pytest.raises(NotFound):
        await version(game, 1, STRANGER)


async def test_a_fork_is_a_fight_of_its_own(game: Game) -> None:
    game.service.new_seed = seeds()
    await game.duel(*DUEL)
    then = await game.read()
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    source, log, now = game.encounter, await game.whole_log(), await game.read()

    made = await fork(game, at_version=then["version"], name="What if")
    game.encounter = made["id"]
    told = await game.whole_log()
    public = await game.whole_log(ANN)
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc")
    await game.end()
    over = await game.read(ANN)

    assert (made["name"], made["version"], made["combatants"]) == ("What if", 1, then["combatants"])
    assert made["dice_commitment"] != now["dice_commitment"]
    assert [event["type"] for event in told] == ["forked", "encounter_set"]
    assert (told[0]["encounter"], told[0]["at_version"]) == (source, then["version"])
    assert "at_version" not in public[0]
    assert told[1]["dice_commitment"] == made["dice_commitment"]
    assert struck["status"] == "done"
    assert over["dice_seed"] == "02" * 32
    for who in (GM, ANN):
        found = seen(await history.verify(game.service, who, game.encounter))
        assert (found["ok"], found["dice"]["unchecked"]) == (True, 0)
        assert found["dice"]["checked"] > 0
    game.encounter = source
    assert (await game.whole_log(), await game.read()) == (log, now)


async def test_a_fork_in_the_middle_of_a_command_goes_on_there(game: Game) -> None:
    game.service.new_seed = seeds()
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    asked = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1]})
    source = game.encounter
    question = asked["waiting_for"][0]["id"]

    made = await fork(game)
    game.encounter = made["id"]
    again = made["waiting_for"][0]
    done = await game.answer(ORC, again["id"], option="none")
    done = await game.answer(ANN, done["waiting_for"][0]["id"], dice=[4])
    report = seen(await history.verify(game.service, GM, game.encounter))
    watched = seen(await history.verify(game.service, WATCHER, game.encounter))
    game.encounter = source
    there = await game.answer(ORC, question, option="none")
    there = await game.answer(ANN, there["waiting_for"][0]["id"], dice=[5])

    assert made["waiting"] is True
    assert (again["kind"], again["id"] != question) == ("defend", True)
    assert done["status"] == there["status"] == "done"
    assert "damage_dealt" in types(done)
    assert (report["findings"], watched["findings"]) == ([], [])


async def test_in_the_figures_of_a_fork_people_have_their_names(game: Game) -> None:
    await game.duel(*DUEL, fighter("spy", "red", hidden=True))
    game.encounter = (await fork(game))["id"]
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    await game.rule({"combatant": "ref:spy", "resource": "hits", "set": 3})

    told = {one["name"]: one["side"] for one in (await figures(game))["combatants"]}
    hers = {one["name"]: one["side"] for one in (await figures(game, ANN))["combatants"]}

    assert told == {"Ann": "blue", "Spy": "red"}
    assert hers == {"Ann": "blue"}


async def test_in_the_figures_of_a_fork_whoever_is_hidden_since_keeps_his_name(game: Game) -> None:
    await game.duel(*DUEL, fighter("spy", "red", hidden=True))
    game.encounter = (await fork(game))["id"]
    await game.rule({"combatant": "ref:orc", "resource": "hits", "change": -1})
    before = [(one["name"], one["side"]) for one in (await figures(game, ANN))["combatants"]]
    await game.edit(GM, "ref:orc", hidden=True)
    await game.edit(GM, "ref:orc", name="zzname")
    await game.rule({"combatant": "ref:spy", "resource": "hits", "set": 3})

    hers = [(one["name"], one["side"]) for one in (await figures(game, ANN))["combatants"]]
    told = [(one["name"], one["side"]) for one in (await figures(game))["combatants"]]

    assert before == hers == [("Orc", "red")]
    assert told == [("zzname", "red"), ("Spy", "red")]


async def test_forks_are_made_by_the_campaigns_game_master(game: Game) -> None:
    await game.create(*DUEL)
    narrowed = Caller("tok_co", "gm", campaign=GM.campaign, encounter=game.encounter)

    for caller in (ANN, WATCHER, narrowed):
        with pytest.raises(NotPermitted):
            await fork(game, caller)
    with pytest.raises(NotFound):
        await fork(game, STRANGER)
    with pytest.raises(BadInput, match="unknown_version"):
        await fork(game, at_version=99)
    first = await fork(game, attempt=Attempt("key", b"same"))
    again = await fork(game, attempt=Attempt("key", b"same"))
    assert first == again
    game.service.encounters_per_campaign = 2
    with pytest.raises(LimitReached):
        await fork(game)


async def test_figures_are_cut_for_their_reader_and_leave_out_what_was_abandoned(game: Game) -> None:
    await game.duel(*DUEL, fighter("canary", "red", hidden=True))
    then = await game.read()
    before = await figures(game)
    await game.act(ANN, "ref:ann", "strike", "ref:orc")
    during = await figures(game)
    await game.rewind(then["version"])

    his, hers = await figures(game), await figures(game, ANN)

    def of(view: Json, name: str) -> Json:
        found: Json = next(one for one in view["combatants"] if one["name"] == name)
        return found

    assert (of(before, "Ann")["attacks"], of(during, "Ann")["checks"]) == (of(his, "Ann")["attacks"], 1)
    assert of(his, "Ann") == of(before, "Ann")
    assert of(his, "Ann")["actions"] == []
    assert {one["name"] for one in his["combatants"]} == {"Ann", "Orc", "Canary"}
    assert {one["name"] for one in hers["combatants"]} == {"Ann", "Orc"}
    assert of(hers, "Ann")["turns"] == of(his, "Ann")["turns"] == 1


async def test_figures_name_whoever_has_appeared(game: Game) -> None:
    await game.duel(*DUEL, fighter("spy", "red", hidden=True))
    assert {one["name"] for one in (await figures(game, ANN))["combatants"]} == {"Ann", "Orc"}
    await game.edit(GM, "ref:spy", hidden=False)
    await game.rule({"combatant": "ref:spy", "resource": "hits", "set": 3})
    seen_then = await figures(game, ANN)
    await game.edit(GM, "ref:spy", hidden=True)
    await game.edit(GM, "ref:spy", name="Baron")

    hers = await figures(game, ANN)

    assert {(one["name"], one["side"]) for one in hers["combatants"]} == {
        ("Ann", "blue"), ("Orc", "red"), ("Spy", "red"),
    }  # fmt: skip
    assert hers["combatants"] == seen_then["combatants"]


async def test_decisions_are_counted_by_who_took_them(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), decision_timeout_s=60)
    asked = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={})
    while not asked["waiting_for"]:
        await game.rewind((await game.read())["version"] - 1)
        asked = await game.act(ANN, "ref:ann", "strike", "ref:orc")
    from app.services import decisions

    game.clock.now += 61_000
    await decisions.expire_due(game.service, game.clock.now)

    view = await figures(game, WATCHER)

    assert view["decisions"] == {"answered": 1, "by_timeout": 1, "by_policy": 0, "by_gm": 0}
    orc = next(one for one in view["combatants"] if one["name"] == "Orc")
    assert orc["decisions"]["by_timeout"] == 1
