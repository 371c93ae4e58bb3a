"""Unknown slots, veiled figures, secret rolls and notes: who gets what, then and later."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from app.engine.asks import GM as GAME_MASTER
from app.engine.asks import Option, Question
from app.engine.forms import Field
from app.engine.ids import CombatantId
from app.engine.listing import TargetView
from app.engine.visibility import Secrets
from app.services import actions, stream
from app.services.bodies import SubmissionIn
from app.services.caller import Caller
from app.services.cut import ALL_SEEING, Eyes, ask_known, target_known
from app.services.errors import NotFound, Refusal
from tests.services.game import ANN, GM, ORC, WATCHER, Game, Json, as_body, fighter, seen, types
from tests.services.test_hidden import everything, marks, spy

pytestmark = pytest.mark.anyio

OTHERS = (ANN, ORC, WATCHER)
DIE = {"die": 4, "hits": 2}


async def frames(game: Game, caller: Caller) -> list[Json]:
    """The events of the whole stream, as somebody gets them."""
    last = (await game.read(caller))["cursor"]
    opened = await stream.open_stream(game.service, caller, game.encounter, format="ndjson", after=0, max_events=last)
    lines = b"".join([frame async for frame in opened]).splitlines()
    return [msgspec.json.decode(line) for line in lines if line]


def of(log: list[Json], kind: str) -> list[Json]:
    """The events of one kind."""
    return [event for event in log if event["type"] == kind]


# Unknown slots


async def test_an_unknown_slot_is_in_the_order_and_nothing_else(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy(hidden="slot"))
    hidden = await game.combatant("ref:zzref")
    slot = hidden["slot"]

    assert hidden["hidden"] == "slot"
    for caller in OTHERS:
        view = await game.read(caller)
        assert view["unknown_slots"] == [{"id": slot}]
        assert slot in [one["combatant"] for one in view["upcoming"]]
        assert [body["id"] for body in view["combatants"]] == [game.ids["ann"], game.ids["orc"]]
        got = await everything(game, caller)
        for mark in marks(game):
            assert mark not in got, (caller.role, mark)
        with pytest.raises(NotFound):
            await game.combatant(slot, caller)
    assert (await game.read())["unknown_slots"] == []
    assert slot[4:] not in game.ids["zzref"]


async def test_the_turn_of_an_unknown_slot_is_seen(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy(hidden="slot"))
    slot = (await game.combatant("ref:zzref"))["slot"]
    seen_at: set[str] = set()
    for _ in range(3):
        turn = (await game.read())["turn"]["combatant"]
        view = await game.read(ANN)
        assert view["turn"]["combatant"] == (slot if turn == game.ids["zzref"] else turn)
        seen_at.add(view["turn"]["combatant"])
        before = view["version"]
        await game.act(GM, turn, "end_turn")
        assert (await game.read(ANN))["version"] > before

    assert seen_at == {slot, game.ids["ann"], game.ids["orc"]}
    began = [event for event in await game.whole_log(ANN) if event["type"] == "turn_began"]
    told = [event["text"] for event in began if event["combatant"] == slot]
    assert told
    assert all("omeone" in text for text in told)


async def test_a_slot_comes_and_goes_and_is_another_one_each_time(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    hidden = game.ids["zzref"]
    cursor = (await game.read(ANN))["cursor"]

    await game.edit(GM, hidden, hidden="slot")
    first = (await game.combatant(hidden))["slot"]
    await game.edit(GM, hidden, hidden="slot", notes="still there")
    assert (await game.combatant(hidden))["slot"] == first
    await game.edit(GM, hidden, hidden=True)
    await game.edit(GM, hidden, hidden="slot")
    second = (await game.combatant(hidden))["slot"]
    await game.edit(GM, hidden, hidden=False)
    log = (await game.log(ANN, after=cursor))["items"]

    assert [(one["type"], one.get("fact"), one.get("combatant")) for one in log] == [
        ("noted", "unknown_present", first),
        ("noted", "unknown_gone", first),
        ("noted", "unknown_present", second),
        ("appeared", None, None),
    ]
    assert log[-1]["slot"] == second != first
    assert (await game.read(ANN))["unknown_slots"] == []
    assert "slot" not in await game.combatant(hidden)


async def test_an_old_cursor_shows_what_was_to_be_seen_then(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), spy())
    hidden = game.ids["zzref"]
    await game.rule({"combatant": hidden, "resource": "hits", "set": 9}, reason="zzruling")
    await game.rule({"combatant": hidden, "engaged_with": "ref:orc", "engaged": True}, reason="zzruling")
    await game.edit(GM, "ref:orc", name="Grim")
    before = await game.whole_log(ANN)

    await game.edit(GM, hidden, hidden=False)

    after = await game.whole_log(ANN)
    assert after[: len(before)] == before
    assert types({"events": after[len(before) :]}) == ["appeared"]
    assert [one["seq"] for one in after] == list(range(1, len(after) + 1))
    assert await frames(game, ANN) == after


# Values


VEILED_EVENTS = {
    "pool_changed": ("delta", "value"),
    "budget_changed": ("delta", "value"),
    "standing_set": ("standing", "dice"),
}


async def test_a_band_instead_of_figures(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", values="band"))
    most = (await game.combatant("ref:orc"))["resources"][0]["max"]

    async def looks(value: int) -> Any:
        await game.rule({"combatant": "ref:orc", "resource": "hits", "set": value})
        views = [await game.combatant("ref:orc", caller) for caller in (ANN, WATCHER)]
        assert views[0] == views[1]
        return views[0]

    view = await looks(most)
    assert (view["shown"], view["condition"]) == ("band", {"id": "unhurt", "name": "unhurt"})
    assert (view["sheet"], view["resources"], view["budgets"], view["initiative"], view["sample"]) == (
        None,
        [],
        [],
        [],
        None,
    )
    assert all(set(item) <= {"kind", "name", "held", "on_ground", "lies"} for item in view["items"].values())
    assert (await looks(most - 1))["condition"]["id"] == "wounded"
    assert (await looks(most // 2))["condition"]["id"] == "badly_wounded"
    own = await game.combatant("ref:orc", ORC)
    assert own["shown"] == "exact"
    assert own["resources"] == (await game.combatant("ref:orc"))["resources"]
    assert own["sheet"]
    polish = msgspec.structs.replace(ANN, language="pl")
    assert (await game.combatant("ref:orc", polish))["condition"]["name"] == "ciężko ranny"


async def test_nothing_instead_of_figures(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", values="none"))

    view = await game.combatant("ref:orc", ANN)

    assert view["shown"] == "none"
    assert "condition" not in view
    assert view["resources"] == []


async def test_the_encounter_has_it_by_side(game: Game) -> None:
    await game.duel(values={"red": "band"})
    assert (await game.combatant("ref:orc", ANN))["shown"] == "band"
    assert (await game.combatant("ref:ann", ORC))["shown"] == "exact"
    tag = (await game.read(ANN))["version"]

    await game.set_up(values={"*": "none", "red": "exact"})

    assert (await game.read(ANN))["version"] > tag
    assert (await game.combatant("ref:orc", ANN))["shown"] == "exact"
    assert (await game.combatant("ref:ann", ORC))["shown"] == "none"
    assert (await game.combatant("ref:ann", ANN))["shown"] == "exact"
    for caller in OTHERS:
        assert "values" not in await game.read(caller)
        assert b'"values"' not in await everything(game, caller)
    assert (await game.read())["values"] == {"*": "none", "red": "exact"}
    await game.edit(GM, "ref:ann", values="band")
    assert (await game.combatant("ref:ann", ORC))["shown"] == "band"
    await game.edit(GM, "ref:ann", values=None)
    assert (await game.combatant("ref:ann", ORC))["shown"] == "none"


async def test_events_are_cut_and_counted_alike(game: Game) -> None:
    orc = fighter("orc", "red", values="band", policy={"defend": "decline"}, dice="client")
    await game.duel(fighter("ann", "blue", dice="client"), orc)
    struck = await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [3]})
    assert struck["status"] == "done"
    await game.rule({"combatant": "ref:orc", "resource": "hits", "change": -1})

    logs = {caller.token: await game.whole_log(caller) for caller in OTHERS}

    mine, his, hers = logs["tok_ann"], logs["tok_orc"], logs["tok_watcher"]
    assert len(mine) == len(his) == len(hers)
    assert mine == hers
    assert mine == await frames(game, ANN) == await frames(game, WATCHER)
    assert his == await frames(game, ORC)
    orc_id = game.ids["orc"]
    for event, whole in zip(mine, his, strict=True):
        assert (event["seq"], event["version"], event["type"]) == (whole["seq"], whole["version"], whole["type"])
        if event.get("combatant") == orc_id:
            for name in VEILED_EVENTS.get(event["type"], ()):
                assert name not in event
            assert not set(VEILED_EVENTS.get(event["type"], ())) - {"dice"} - set(whole)
    check = of(mine, "check_rolled")[-1]
    assert check["combatant"] == game.ids["ann"]
    assert check["dice"][0]["value"] == 1
    assert check["target"] > 0
    damage, whole_damage = of(mine, "damage_dealt")[0], of(his, "damage_dealt")[0]
    assert not {"through", "soak"} & set(damage)
    assert "through" in whole_damage
    assert damage["dice"] == whole_damage["dice"]
    joined = next(event for event in of(mine, "joined") if event["body"]["id"] == orc_id)
    assert not {"sheet", "pools", "budget", "sample"} & set(joined["body"])


async def test_figures_shown_later_are_not_shown_of_then(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", values="none"))
    await game.rule({"combatant": "ref:orc", "resource": "hits", "change": -1})
    before = await game.whole_log(ANN)

    await game.edit(GM, "ref:orc", values="exact")
    await game.rule({"combatant": "ref:orc", "resource": "hits", "change": -1})

    after = await game.whole_log(ANN)
    assert after[: len(before)] == before
    edited = after[len(before)]
    assert (edited["type"], edited.get("fields", [])) == ("edited", [])
    assert edited["body"]["sheet"]
    assert "value" in after[-1]


async def test_odds_against_the_veiled_are_not_told(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", values="band"))

    async def odds(caller: Caller) -> Any:
        body = as_body(SubmissionIn, {"actor": "ref:ann", "action": "strike", "targets": ["ref:orc"]})
        return seen(await actions.preview(game.service, caller, game.encounter, body))

    mine, whole = await odds(ANN), await odds(GM)
    assert {"hits", "damage"} <= set(whole)
    assert not {"hits", "damage"} & set(mine)
    assert [one["combatant"] for one in mine["checks"]] == [game.ids["ann"]]
    assert mine["checks"] == whole["checks"][:1]


def test_a_chance_against_the_veiled_is_not_listed() -> None:
    orc, ann = CombatantId("orc"), CombatantId("ann")
    eyes = Eyes(secrets=Secrets(veiled=frozenset({orc})))

    assert target_known(TargetView(orc, True, chance=5), eyes).chance is None
    assert target_known(TargetView(ann, True, chance=5), eyes).chance == 5


async def test_what_a_veiled_one_is_asked_is_known_only_as_such(game: Game) -> None:
    orc = fighter("orc", "red", values="band")
    await game.duel(fighter("ann", "blue", dice="client"), orc)
    await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [3]})

    (mine,), (his,), (whole,) = [await game.open(caller) for caller in (ANN, ORC, GM)]

    assert his == whole
    assert his["options"]
    assert (mine["id"], mine["kind"], mine["for"]) == (his["id"], his["kind"], his["for"])
    assert (mine["options"], mine["unavailable"]) == ([], [])
    assert "figures" not in mine
    await game.answer(ORC, mine["id"], option=his["default"])


@pytest.mark.parametrize("own", [True, False])
def test_ones_own_chance_is_told_where_it_hangs_on_nobody_else(own: bool) -> None:
    ann, orc = CombatantId("ann"), CombatantId("orc")
    field = Field("retreat", "bool", chance=7)
    asked = Question("k", "defend", "defend", ann, (Option("dodge", 5, form=(field,), own=own),), "dodge", about=orc)
    eyes = Eyes(secrets=Secrets(veiled=frozenset({orc})))

    told = ask_known(asked, eyes)

    assert isinstance(told, Question)
    (option,) = told.options
    assert (option.chance, option.form[0].chance) == ((5, 7) if own else (None, None))


# Secret rolls


@pytest.mark.parametrize("name", ["ann", "orc"])
async def test_whoever_rolls_in_secret_answers_without_what_it_shows(game: Game, name: str) -> None:
    await game.duel()
    state = (await game.service.store.live(game.encounter)).state
    ann, orc = CombatantId(game.ids["ann"]), CombatantId(game.ids["orc"])
    asked = Question("k", "reroll", "reroll", orc, (Option("again", 5), Option("no", declines=True)), "no", figures=DIE)
    about = replace(asked, to=ann, about=orc)
    ruling = replace(about, to=GAME_MASTER)
    bodies, open_eyes = state.combatants, Eyes({"ann": ANN, "orc": ORC}[name], state.combatants)
    held = Eyes({"ann": ANN, "orc": ORC}[name], bodies, Secrets(rolls=frozenset({orc})))

    for eyes, rolls in ((held, None), (open_eyes, orc)):
        his, mine, gms = (ask_known(one, eyes, rolls) for one in (asked, about, ruling))
        assert isinstance(his, Question)
        assert isinstance(mine, Question)
        assert isinstance(gms, Question)
        assert (his.figures, gms.figures) == ({"hits": 2} if name == "orc" else {}, {})
        assert mine.figures == {"hits": 2}
        assert [option.id for option in his.options] == (["again", "no"] if name == "orc" else [])
        assert [(option.id, option.chance) for option in mine.options] == [("again", None), ("no", None)]
        assert (gms.options, gms.default) == ((), "")
    assert ask_known(asked, open_eyes) == asked
    assert ask_known(asked, ALL_SEEING, orc) == asked


async def test_a_secret_roll_is_told_without_what_it_was(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}))
    await game.act(ANN, "ref:ann", "end_turn")
    before = (await game.read(ANN))["cursor"]

    await game.act(GM, "ref:orc", "strike", "ref:ann", secret=True)
    for asked in await game.open():
        await game.answer(GM, asked["id"], option="decline")

    log = (await game.log(ANN, after=before))["items"]
    whole = of(await game.whole_log(GM), "check_rolled")[-1]
    check = of(log, "check_rolled")[0]
    assert {"target", "dice", "outcome", "degrees"} <= set(whole)
    assert not {"target", "dice", "outcome", "degrees", "terms"} & set(check)
    assert check["text"]
    assert str(whole["target"]) not in check["text"]
    assert of(await frames(game, WATCHER), "check_rolled")[-1] == of(await game.whole_log(ANN), "check_rolled")[-1]


async def test_nobody_need_learn_of_a_secret_roll(game: Game) -> None:
    people = (fighter("ann", "blue", dice="client"), fighter("orc", "red", rolls="secret", dice="client"))
    await game.duel(*people, secret_rolls="silent")
    await game.act(ANN, "ref:ann", "end_turn")
    before = (await game.read(ANN))["cursor"]

    asked = await game.act(GM, "ref:orc", "strike", "ref:ann")
    roll = asked["waiting_for"][0]
    assert roll["kind"] == "roll"
    for caller in OTHERS:
        assert await game.open(caller) == []
        with pytest.raises(NotFound):
            await game.answer(caller, roll["id"], dice=[1])
    await game.answer(GM, roll["id"], dice=[1])
    while open_ := await game.open():
        one = open_[0]
        given: Any = {"dice": [3]} if one["kind"] == "roll" else {"option": "none"}
        await game.answer(GM, one["id"], **given)

    log = (await game.log(ANN, after=before))["items"]
    assert not of(log, "check_rolled")
    hurt = of(log, "pool_changed")
    assert [event["combatant"] for event in hurt] == [game.ids["ann"]]
    assert "value" in hurt[0]
    assert of(await game.whole_log(GM), "check_rolled")
    numbers = [event["seq"] for event in await game.whole_log(ANN)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_only_the_gm_rolls_in_secret(game: Game) -> None:
    await game.duel()

    with pytest.raises(Exception, match=r"gm") as refused:
        await game.act(ANN, "ref:ann", "end_turn", secret=True)

    assert not isinstance(refused.value, Refusal)


async def test_how_rolls_are_kept_is_nobodys_business(game: Game) -> None:
    await game.duel()
    tag = (await game.read(ANN))["version"]

    await game.set_up(secret_rolls="silent")
    await game.edit(GM, "ref:orc", rolls="secret")

    assert (await game.read())["secret_rolls"] == "silent"
    assert (await game.combatant("ref:orc"))["rolls"] == "secret"
    assert (await game.read(ANN))["version"] == tag
    assert "rolls" not in await game.combatant("ref:orc", ORC)


# Notes


async def test_the_notes_of_an_encounter_are_the_gms(game: Game) -> None:
    await game.create(notes="zznotes")
    tag, version = (await game.read(ANN))["version"], (await game.read())["version"]
    assert (await game.read())["notes"] == "zznotes"

    await game.set_up(notes="zznotes, more")

    assert (await game.read())["notes"] == "zznotes, more"
    assert (await game.read())["version"] == version + 1
    for caller in OTHERS:
        assert b"zznotes" not in await everything(game, caller)
        assert (await game.read(caller))["version"] == tag
    await game.set_up(notes=None)
    assert (await game.read())["notes"] is None


OPEN_SETTINGS: tuple[Json, ...] = (
    {"approval": "actions"},
    {"dice_reveal": "gm"},
    {"name": "Ford"},
    {"decision_timeout_s": 60},
)


NOTES, SILENCE = {"notes": "zznotes"}, {"secret_rolls": "silent"}


@pytest.mark.parametrize(("secret", "waits"), [({}, True), (NOTES, False), (NOTES, True), (SILENCE, False)])
@pytest.mark.parametrize("open_", OPEN_SETTINGS)
async def test_what_others_see_of_settings_moves_their_tag_whatever_goes_along(
    game: Game, open_: Json, secret: Json, waits: bool
) -> None:
    await game.duel(fighter("ann", "blue", dice="client" if waits else "server"), fighter("orc", "red"))
    if waits:
        assert (await game.act(ANN, "ref:ann", "strike", "ref:orc"))["status"] == "waiting"
    before = {caller.token: await game.read(caller) for caller in (*OTHERS, GM)}

    await game.set_up(**open_, **secret)

    ((name, value),) = open_.items()
    for caller in OTHERS:
        view, then = await game.read(caller), before[caller.token]
        assert (view[name], then[name] == value) == (value, False)
        assert (view["version"], view["cursor"]) == (then["version"] + 1, then["cursor"] + 1)
        assert b"zznotes" not in await everything(game, caller)
    assert (await game.read())["version"] == before[GM.token]["version"] + 1


@pytest.mark.parametrize(
    "secret", [{"notes": "zz"}, {"secret_rolls": "silent"}, {"notes": "zz", "secret_rolls": "told"}]
)
async def test_what_is_the_gms_of_settings_moves_nobody_elses(game: Game, secret: Json) -> None:
    await game.duel()
    before = {caller.token: await game.read(caller) for caller in OTHERS}

    await game.set_up(**secret)

    for caller in OTHERS:
        assert await game.read(caller) == before[caller.token]
