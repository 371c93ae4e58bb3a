"""Making encounters, and who is in them."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine.ids import CombatantId
from app.engine.space.model import Place
from app.services import combatants, encounters
from app.services.caller import Attempt, Caller
from app.services.errors import BadInput, LimitReached, NotFound, NotPermitted, Refusal
from app.services.views import Viewer
from tests.services.game import ANN, CAMPAIGN, GM, STRANGER, WATCHER, Game, fighter, seen, types

pytestmark = pytest.mark.anyio

MAP = {
    "mode": "map",
    "grid": "none",
    "size": [40, 25],
    "walls": [[[22, 14], [22, 25]], {"a": [1.5, 2], "b": [4.25, 2], "id": "crate", "sight": False, "cover": {"ap": 4}}],
    "regions": [{"kind": "smoke", "shape": [[12, 2], [18, 2], [18, 9], [12, 9]]}],
}
ADMIN = Caller("tok_admin", "admin")


async def test_an_encounter_is_made_whole_in_one_call(game: Game) -> None:
    view = await game.create(
        {"sample": "ann", "side": "acolytes", "position": {"x": 2, "y": 3, "facing": 90}, "external_ref": "Token.a1"},
        {"sample": "orc", "name": "Brok", "side": "cult", "count": 3, "positions": [[11, 3], [2, 6.2], [20, 12]]},
        {"name": "Watcher", "side": "cult", "hidden": True, "sheet": {"skill": 30}, "position": {"x": 30, "y": 12}},
        space=MAP,
        options={"lethal": True},
        decision_timeout_s=120,
    )

    assert (view["status"], view["version"], view["campaign"]) == ("setup", 1, CAMPAIGN)
    assert [body["name"] for body in view["combatants"]] == ["Ann", "Brok 1", "Brok 2", "Brok 3", "Watcher"]
    assert view["combatants"][0]["position"] == {"x": 2.0, "y": 3.0, "facing": 90}
    assert view["combatants"][2]["position"] == {"x": 2.0, "y": 6.2, "facing": None}
    assert view["combatants"][4]["sheet"] == {"skill": 30, "speed": 3, "toughness": 10}
    assert view["options"] == {"lethal": True, "walk_m": 8}
    assert view["space"]["walls"][1]["a"] == [1.5, 2.0]
    assert view["space"]["regions"][0]["shape"][0] == [12.0, 2.0]
    assert view["space"]["size"] == [40.0, 25.0]
    assert len(view["dice_commitment"]) == 64
    assert [body["name"] for body in (await game.read(WATCHER))["combatants"]] == ["Ann", "Brok 1", "Brok 2", "Brok 3"]
    assert (await game.combatant("ref:Token.a1", WATCHER))["id"] == view["combatants"][0]["id"]


async def test_all_that_is_wrong_with_a_body_is_told_at_once(quick_game: Game) -> None:
    game = quick_game

    with pytest.raises(BadInput) as people:
        await game.create(
            {"sample": "nobody", "side": "red"},
            {"side": "red", "name": "X"},
            {"side": "red", "sheet": {"skill": "much", "luck": 1}, "name": "Y"},
            {"sample": "orc", "side": "red", "count": 2, "positions": [[1, 1]], "external_ref": "a"},
            fighter("ann", "blue"),
            fighter("ann", "blue"),
            {"sample": "orc", "side": "red", "items": {"x": {"kind": "spoon"}}},
        )
    with pytest.raises(Refusal) as options:
        await game.create(options={"lethal": 3, "weather": "rain"})
    with pytest.raises(BadInput, match="region_not_simple at /space/regions/0/shape"):
        await game.create(space=MAP | {"regions": [{"kind": "smoke", "shape": [[0, 0], [4, 4], [4, 0], [0, 4]]}]})
    with pytest.raises(BadInput, match="outside_map at /combatants/0/position"):
        await game.create(fighter("ann", "blue", position=[41, 3]), space=MAP)
    with pytest.raises(BadInput, match="no_map at /combatants/0/position"):
        await game.create(fighter("ann", "blue", position=[4, 3]))
    with pytest.raises(BadInput, match="unknown_ruleset at /ruleset"):
        await game.create(ruleset="chess")
    with pytest.raises(LimitReached):
        await game.create({"sample": "orc", "side": "red", "count": 200}, fighter("ann", "blue"))

    assert {(one.code, one.at) for one in people.value.findings} == {
        ("unknown_sample", "/combatants/0/sample"),
        ("missing_input", "/combatants/1/sheet"),
        ("wrong_type", "/combatants/2/sheet/skill"),
        ("unknown_field", "/combatants/2/sheet/luck"),
        ("wrong_length", "/combatants/3/positions"),
        ("no_map", "/combatants/3/positions/0"),
        ("not_for_several", "/combatants/3/external_ref"),
        ("external_ref_taken", "/combatants/5/external_ref"),
        ("unknown_name", "/combatants/6/items/x/kind"),
    }
    (known,) = [one.need for one in people.value.findings if one.code == "unknown_sample"]
    assert "orc" in known.split(", ")
    assert sorted(view["code"] for view in options.value.views) == ["invalid_option_value", "unknown_option_key"]
    assert seen(await encounters.page(game.service, GM))["items"] == []


async def test_only_the_gm_of_the_campaign_makes_encounters(game: Game) -> None:
    for caller, error in ((ANN, NotPermitted), (STRANGER, NotFound)):
        with pytest.raises(error):
            await game.create(caller=caller)
    with pytest.raises(NotFound):
        await game.create(caller=ADMIN, campaign="cmp_nothing")

    await game.create(caller=ADMIN)

    for caller in (STRANGER, Caller("tok_x", "player", campaign=CAMPAIGN, encounter="enc_other")):
        with pytest.raises(NotFound):
            await game.read(caller)


async def test_a_retry_makes_no_second_encounter(game: Game) -> None:
    first = await game.create(attempt=Attempt("key", b"hash"))
    second = await game.create(attempt=Attempt("key", b"hash"))

    assert first == second
    assert len(seen(await encounters.page(game.service, GM))["items"]) == 1


async def test_a_list_of_encounters_goes_page_by_page(game: Game) -> None:
    made = [(await game.create(name=f"Fight {number}"))["id"] for number in range(5)]
    await game.start()

    found: list[Any] = []
    cursor = None
    while True:
        page = seen(await encounters.page(game.service, ANN, after=cursor, limit=2))
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    running = seen(await encounters.page(game.service, ADMIN, campaign=CAMPAIGN, status="running"))["items"]

    assert [one["id"] for one in found] == made
    assert found[-1]["version"] == (await game.read(ANN))["version"]
    assert [one["id"] for one in running] == made[-1:]
    assert seen(await encounters.page(game.service, STRANGER))["items"] == []
    with pytest.raises(BadInput):
        await encounters.page(game.service, STRANGER, after=made[0])


async def test_settings_change_before_the_start_and_the_map_at_any_time(game: Game) -> None:
    await game.create()

    await game.set_up(options={"lethal": True})
    changed = await game.set_up(
        options={"walk_m": 6.5, "lethal": False}, dice="client", name="Bridge at night", decision_timeout_s=30
    )
    await game.start()
    for asked in await game.open():
        await game.answer(GM, asked["id"], dice=[5])
    with pytest.raises(Refusal, match="option_locked"):
        await game.set_up(options={"walk_m": 5})
    mapped = await game.set_up(space=MAP, decision_timeout_s=None)
    with pytest.raises(NotPermitted):
        await game.set_up(caller=ANN, name="Mine")

    view = await game.read()
    assert types(changed) == ["encounter_set"]
    assert types(mapped) == ["map_changed"]
    assert mapped["events"][0]["ground"]["size"] == [40.0, 25.0]
    assert (view["name"], view["options"]["walk_m"], view["dice"]) == ("Bridge at night", 6.5, "client")
    assert view["options"]["lethal"] is False
    assert (view["decision_timeout_s"], view["space"]["mode"]) == (None, "map")


async def test_the_name_changes_also_while_somebody_must_answer(game: Game) -> None:
    await game.create(dice="client")
    asked = (await game.start())["waiting_for"]

    told = await game.set_up(name="Bridge at night")

    assert types(told) == ["encounter_set"]
    assert (told["status"], [one["id"] for one in told["waiting_for"]]) == ("waiting", [one["id"] for one in asked])
    for one in asked:
        await game.answer(GM, one["id"], dice=[5])
    assert (await game.read())["turn"] is not None


async def test_people_enter_in_mid_fight(game: Game) -> None:
    await game.duel()

    told = await game.add(fighter("late", "red", count=1), {"sample": "orc", "side": "red", "count": 2})
    rolled = await game.add(fighter("slow", "red", dice="client"))

    assert types(told) == ["joined", "joined", "joined", "standing_set", "standing_set", "standing_set"]
    assert [event["body"]["name"] for event in told["events"][:3]] == ["Late", "Orc 1", "Orc 2"]
    assert rolled["status"] == "waiting"
    await game.answer(GM, rolled["waiting_for"][0]["id"], dice=[4])
    assert (await game.combatant("ref:slow"))["initiative"] == [7]
    with pytest.raises(BadInput, match="external_ref_taken"):
        await game.add(fighter("late", "red"))


async def test_more_of_the_same_are_fresh_and_numbered_on(game: Game) -> None:
    await game.create(fighter("ann", "blue"), {"sample": "orc", "name": "Brok", "side": "red", "count": 2})
    brok = game.ids["Brok 2"]
    await game.rule({"combatant": brok, "resource": "hits", "set": 1})

    told = seen(await combatants.duplicate(game.service, GM, game.encounter, brok, 2, Attempt()))

    made = [event["body"] for event in told["events"]]
    assert [body["name"] for body in made] == ["Brok 3", "Brok 4"]
    assert [body["pools"]["hits"] for body in made] == [10, 10]
    assert len({body["id"] for body in made} | {brok}) == 3


async def test_an_edit_changes_what_it_names_and_nothing_else(game: Game) -> None:
    await game.duel(fighter("ann", "blue", position=[1, 1]), fighter("orc", "red"), space=MAP)
    before = await game.combatant("ref:ann")

    told = await game.edit(
        GM,
        "ref:ann",
        sheet={"skill": 70},
        items={"sword": None, "club": {"kind": "sword", "held": "off"}},
        position={"x": 3.25, "y": 1, "facing": 45},
        external_ref="Token.9",
    )
    after = await game.combatant("ref:Token.9")

    assert told["events"][0]["fields"] == ["sheet", "external_ref", "place", "items"]
    assert after["sheet"] == before["sheet"] | {"skill": 70}
    assert (list(after["items"]), after["position"]) == (["club"], {"x": 3.25, "y": 1.0, "facing": 45})
    assert (after["resources"], after["budgets"]) == (before["resources"], before["budgets"])
    with pytest.raises(BadInput) as wrong:
        await game.edit(GM, "ref:Token.9", external_ref="orc", sheet={"skill": -1}, position=[99, 1])
    assert [one.code for one in wrong.value.findings] == ["out_of_bounds", "external_ref_taken", "outside_map"]
    with pytest.raises(NotPermitted):
        await game.edit(ANN, "ref:Token.9", sheet={"skill": 99})
    with pytest.raises(NotPermitted):
        await game.edit(ANN, "ref:Token.9", dice="client")


async def test_where_a_dropped_item_lies_is_shown(quick_game: Game) -> None:
    await quick_game.create()
    live = await quick_game.service.store.live(quick_game.encounter)
    held = live.state.combatants[CombatantId(quick_game.ids["ann"])]
    sword = replace(held.items["sword"], held=None, on_ground=True, lies=Place(150, 275))
    dropped = replace(held, items={"sword": sword})
    viewer = Viewer(quick_game.service, WATCHER, await quick_game.service.fetch(live.head.pin), live)

    assert "lies" not in viewer.combatant(held)["items"]["sword"]
    assert viewer.combatant(dropped)["items"]["sword"]["lies"] == {"x": 1.5, "y": 2.75, "facing": None}


async def test_who_is_taken_out_is_gone_and_his_turn_passes_on(game: Game) -> None:
    await game.duel()
    ann = game.ids["ann"]

    told = seen(await combatants.remove(game.service, GM, game.encounter, "ref:ann", Attempt()))

    assert types(told)[0] == "left"
    assert (await game.read())["turn"]["combatant"] == game.ids["orc"]
    for name in (ann, "ref:ann"):
        with pytest.raises(NotFound):
            await game.combatant(name)
    assert [body["name"] for body in seen(await combatants.page(game.service, GM, game.encounter))["items"]] == ["Orc"]
    await game.add(fighter("ann", "blue"))


async def test_a_campaign_holds_so_many_encounters_and_a_deleted_one_makes_room(game: Game) -> None:
    game.service.encounters_per_campaign = 2
    await game.create()
    retried = Attempt("key", b"hash")
    last = await game.create(attempt=retried)

    with pytest.raises(LimitReached) as refused:
        await game.create()
    again = await game.create(attempt=retried)
    await encounters.delete(game.service, GM, game.encounter, Attempt())
    await game.create()

    assert (refused.value.code, refused.value.limit) == ("too_many_encounters", 2)
    assert again["id"] == last["id"]
