"""Free actions: speech, keeping something up, dropping things, crouching and rising again. Clauses GU-500 to GU-560."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from rulesets.gurps_4e.figures import posture_of
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import alone, both_ways, gone, spot, way
from tests.support.play import PlayTable, length

R, X, P = CombatantId("r"), CombatantId("x"), CombatantId("p")


# With any maneuver


@both_ways
@pytest.mark.clause("GU-500")
def test_several_free_actions_go_with_one_maneuver(on_map: bool) -> None:
    table = alone(on_map, "x")

    table.play("drop_item", "x", weapon="axe")
    table.play("talk", "x", note="I yield!")
    table.play("do_nothing", "x")

    assert [one.action for one in table.who("x").done] == ["drop_item", "talk", "do_nothing"]
    assert table.who("x").budget["maneuver"] == 0


@pytest.mark.clause("GU-500")
@pytest.mark.parametrize("action", ["move", "all_out_defense", "do_nothing", "change_posture", "evaluate", "wait"])
def test_they_come_before_and_after_any_of_them(action: str) -> None:
    table = fight(x={}, s={}, apart={"xs": 1})
    every: dict[str, dict[str, Any]] = {
        "move": {"said": {"length": 1}},
        "all_out_defense": {"options": {"option": "double_defense"}},
        "change_posture": {"options": {"posture": "kneeling"}},
        "wait": {"weapon": "axe", "options": {"trigger": "comes_within", "distance": 1, "response": "attack"}},
    }
    given = every.get(action, {})
    targets = ("s",) if action == "evaluate" else ()

    table.play("talk", "x", note="Now!")
    table.play(action, "x", *targets, **given)

    assert table.why_not("drop_item", "x", weapon="axe") == []
    assert table.turn == "x"


# Talking


@both_ways
@pytest.mark.clause("GU-510")
def test_one_speaks_out_of_ones_slot_but_once_a_second(on_map: bool) -> None:
    spots: dict[str, Any] = {"p": {"at": (0, 0, 0)}, "s": {"at": (1, 0, 0)}} if on_map else {"p": {}, "s": {}}
    table = fight(**spots)
    table.end_turn()
    assert table.turn == "s"

    done = table.play("talk", "p", note="Behind you!")

    taken = done.one(ev.ActionTaken)
    assert (taken.combatant, taken.note, taken.clause) == ("p", "Behind you!", "GU-510")
    found = table.reasons("talk", "p", note="Left!")
    assert [(one.code, one.clause, one.need, one.got) for one in found] == [("speech_limit_reached", "GU-510", 1, 0)]
    table.end_turn()
    assert table.turn == "p"
    assert table.why_not("talk", "p", note="Left!") == []


@pytest.mark.clause("GU-510")
def test_he_is_still_to_be_heard_in_a_slot_that_is_not_his_turn_to_act() -> None:
    table = fight(p={}, s={})
    table.play("talk", "p", note="Here!")
    table.end_turn()

    assert table.why_not("talk", "p", note="Here!") == ["speech_limit_reached"]
    assert table.why_not("drop_item", "p", weapon="spear") == ["not_your_turn"]


@both_ways
@pytest.mark.clause("GU-510")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental"])
def test_the_stunned_speak_too(on_map: bool, kind: str) -> None:
    table = alone(on_map, "p")
    table.rule(cmd.AddEffect(P, kind))

    assert table.why_not("talk", "p", note="Ow!") == []


@pytest.mark.clause("GU-510")
def test_the_unconscious_do_not() -> None:
    table = fight(p={}, s={})
    table.rule(cmd.AddEffect(P, "unconscious"))

    assert table.why_not("talk", "p", note="Ow!") == ["cannot_act"]


@pytest.mark.clause("GU-510")
def test_by_option_one_may_say_more() -> None:
    table = fight(p={}, s={}, options={"speech_per_turn": 2})

    table.play("talk", "p", note="One.")
    table.play("talk", "p", note="Two.")

    (told,) = table.reasons("talk", "p", note="Three.")
    assert (told.code, told.need, told.got) == ("speech_limit_reached", 2, 0)


@pytest.mark.clause("GU-510")
def test_the_gm_may_allow_more() -> None:
    table = fight(p={}, s={})
    table.play("talk", "p", note="One.")

    table.rule(cmd.SetBudget(P, "speech", 1))

    assert table.why_not("talk", "p", note="Two.") == []


# Keeping something up


def keeping_up(**options: Any) -> PlayTable:
    """The swordsman keeps a light spell up."""
    table = fight(s={}, x={}, apart={"sx": 1}, **options)
    table.play("maintain_effect", "s", options={"effect": "light"})
    return table


@pytest.mark.clause("GU-520")
def test_a_spell_goes_on_whatever_maneuver_is_taken() -> None:
    table = keeping_up()
    table.play(
        "all_out_attack",
        "s",
        "x",
        weapon="thrusting_broadsword",
        options={"option": "strong", "mode": "swing"},
        to_hit=(6, 6, 4),
    )
    table.end_turn()
    table.end_turn()

    done = table.play("maintain_effect", "s", options={"effect": "light"})

    assert [one.word for one in table.table.effects(CombatantId("s"), "sustaining")] == ["light"]
    noted = done.one(ev.Noted)
    assert (noted.fact, noted.words, noted.clause) == ("maintained", ("light",), "GU-520")


@pytest.mark.clause("GU-520")
def test_it_goes_on_while_he_is_stunned() -> None:
    table = keeping_up()

    table.rule(cmd.AddEffect(CombatantId("s"), "stunned_mental"))

    assert table.has("s", "sustaining")
    assert table.why_not("maintain_effect", "s", options={"effect": "light"}) == []


@pytest.mark.clause("GU-520")
@pytest.mark.parametrize("kind", ["unconscious", "mortally_wounded", "dead"])
def test_it_ends_when_he_is_out_of_action(kind: str) -> None:
    table = keeping_up()

    done = table.rule(cmd.AddEffect(CombatantId("s"), kind))

    ended = [one for one in done.of(ev.EffectEnded) if one.kind == "sustaining"]
    assert [(one.combatant, one.why, one.clause) for one in ended] == [("s", kind, "GU-520")]


@pytest.mark.clause("GU-520")
def test_several_spells_are_kept_up_side_by_side_and_have_to_be_named() -> None:
    table = keeping_up()

    table.play("maintain_effect", "s", options={"effect": "shield of force"})

    assert [one.word for one in table.table.effects(CombatantId("s"), "sustaining")] == ["light", "shield of force"]
    assert table.why_not("maintain_effect", "s") == ["missing_input"]


# Dropping


@both_ways
@pytest.mark.clause("GU-530")
def test_a_ready_item_is_dropped_where_he_is(on_map: bool) -> None:
    table = alone(on_map, "r")

    done = table.play("drop_item", "r", weapon="assault_rifle")

    moved = done.one(ev.ItemMoved)
    assert (moved.item, moved.held, moved.on_ground, moved.clause) == ("assault_rifle", None, True, "GU-530")
    lies = table.who("r").items["assault_rifle"].lies
    assert (lies.point if lies is not None else None) == ((0, 0) if on_map else None)


@pytest.mark.clause("GU-530")
@pytest.mark.parametrize(
    ("item", "marks", "codes"),
    [
        ("auto_pistol", {}, ["item_not_ready"]),
        ("axe", {"unready": 1}, ["item_not_ready"]),
        (None, {}, ["missing_input"]),
    ],
)
def test_only_what_is_ready_can_be_dropped(item: str | None, marks: dict[str, int], codes: list[str]) -> None:
    table = fight(r={"items": {"auto_pistol": Item("auto_pistol"), "axe": Item("axe", held="main", marks=marks)}})

    found = table.reasons("drop_item", "r", weapon=item)

    assert [(one.code, one.clause) for one in found] == [(code, "GU-530") for code in codes]


@both_ways
@pytest.mark.clause("GU-530")
def test_it_may_be_dropped_on_the_way_and_lies_there(on_map: bool) -> None:
    table = alone(on_map, "r")

    done = table.play("move", "r", options={"drop": "assault_rifle", "drop_at": length(2)}, **way(on_map, 6))

    assert gone(done, "r") == 6
    kinds = [type(one).__name__ for one in done.events if isinstance(one, ev.Moved | ev.ItemMoved)]
    assert kinds == ["Moved", "ItemMoved", "Moved"]
    item = table.who("r").items["assault_rifle"]
    assert item.on_ground
    if on_map:
        assert item.lies is not None
        assert item.lies.point == (200, 0)
    else:
        assert item.marks["away"] == 400


@both_ways
@pytest.mark.clause("GU-530")
@pytest.mark.parametrize(("at", "codes"), [(0, []), (6, []), (6.01, ["not_on_path"]), (9, ["not_on_path"])])
def test_the_point_lies_on_the_way(on_map: bool, at: float, codes: list[str]) -> None:
    table = alone(on_map, "r")

    found = table.reasons("move", "r", options={"drop": "assault_rifle", "drop_at": length(at)}, **way(on_map, 6))

    assert [(one.code, one.clause, one.at) for one in found] == [(code, "GU-530", "/options/drop_at") for code in codes]


@both_ways
@pytest.mark.clause("GU-530")
@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({"drop": "auto_pistol"}, ["item_not_ready"]),
        ({"drop": "nothing"}, ["item_not_carried"]),
        ({"drop_at": 100}, ["missing_input"]),
    ],
)
def test_on_the_way_too_it_has_to_be_ready_and_named(on_map: bool, options: dict[str, Any], codes: list[str]) -> None:
    assert alone(on_map, "r").why_not("move", "r", options=options, **way(on_map, 6)) == codes


@both_ways
@pytest.mark.clause("GU-530")
def test_somebody_stopped_before_that_point_still_has_it(on_map: bool) -> None:
    spots = {"r": {"at": (0, 0, 90)}, "x": {"at": (3, 0, 270)}} if on_map else {"r": {}, "x": {}}
    table = fight(apart=None if on_map else {"rx": 3}, **spots)

    table.play(
        "move",
        "r",
        options={"drop": "assault_rifle", "drop_at": length(4)},
        **way(on_map, 6, met=("x",)),
        let_pass="oppose",
        r__evade=(6, 5, 5),
        x__evade=(3, 3, 3),
    )

    assert table.who("r").items["assault_rifle"].held == "both"


@both_ways
@pytest.mark.clause("GU-530")
@pytest.mark.parametrize(("at", "first"), [(0, True), (1, False)])
def test_it_is_dropped_before_or_after_the_rest_of_the_maneuver(on_map: bool, at: float, first: bool) -> None:
    # The step comes after the blow; the knife is in the other hand.
    spots: dict[str, dict[str, Any]] = {"x": {}, "s": {}}
    if on_map:
        spots = {"x": {"at": (0, 0, 90)}, "s": {"at": (1, 0, 270)}}
    spots["x"]["held"] = {"axe": "main", "large_knife": "off"}
    table = fight(apart=None if on_map else {"xs": 1}, **spots)

    done = table.play(
        "attack",
        "x",
        "s",
        weapon="axe",
        options={"act_at": 0, "drop": "large_knife", "drop_at": length(at)},
        **way(on_map, 1, 270),
        to_hit=(6, 6, 4),
    )

    kinds = [type(event) for event in done.events]
    assert (kinds.index(ev.ItemMoved) < kinds.index(ev.AttackMade)) == first
    lies = table.who("x").items["large_knife"].lies
    assert (lies.point if lies is not None else None) == ((-100 * at, 0) if on_map else None)


@both_ways
@pytest.mark.clause("GU-530")
def test_what_is_dropped_first_cannot_be_used(on_map: bool) -> None:
    spots = {"x": {"at": (0, 0, 90)}, "s": {"at": (1, 0, 270)}} if on_map else {"x": {}, "s": {}}
    table = fight(apart=None if on_map else {"xs": 1}, **spots)

    assert table.why_not("attack", "x", "s", weapon="axe", options={"drop": "axe"}) == ["weapon_not_ready"]


@pytest.mark.clause("GU-530")
def test_without_a_map_every_further_movement_takes_him_farther_from_it() -> None:
    table = fight(r={"held": {"auto_pistol": "main"}}, x={}, apart={"rx": 8})
    table.play("drop_item", "r", weapon="auto_pistol")
    assert "away" not in table.who("r").items["auto_pistol"].marks

    done = table.play("move", "r", said={"length": 4})
    assert [(one.mark, one.value, one.clause) for one in done.of(ev.ItemMarked)] == [("away", 400, "GU-530")]

    table.until_turn_of("x")
    table.until_turn_of("r")
    table.play("all_out_defense", "r", options={"option": "double_defense"}, said={"length": 1})
    assert table.who("r").items["auto_pistol"].marks["away"] == 500


@pytest.mark.clause("GU-530")
def test_a_retreat_takes_him_farther_from_it_too() -> None:
    table = fight(r={"held": {"auto_pistol": "main"}}, s={}, apart={"rs": 1})
    table.play("drop_item", "r", weapon="auto_pistol")
    table.end_turn()

    table.play(
        "attack",
        "s",
        "r",
        weapon="thrusting_broadsword",
        options={"mode": "swing"},
        to_hit=(4, 3, 4),
        defend=("dodge", {"retreat": True}),
        dodge=(4, 4, 4),
    )

    assert table.who("r").items["auto_pistol"].marks["away"] == 100


@pytest.mark.clause("GU-530")
def test_on_a_map_it_lies_where_it_lies() -> None:
    table = alone(True, "r")
    table.play("drop_item", "r", weapon="assault_rifle")

    table.play("move", "r", path=[(6, 0)])

    item = table.who("r").items["assault_rifle"]
    assert item.lies is not None
    assert (item.lies.point, item.marks.get("away"), spot(table, "r")) == ((0, 0), None, (6, 0))


# Crouching


@both_ways
@pytest.mark.clause("GU-540")
@pytest.mark.parametrize(("yards", "reasons"), [(4, []), (4.01, ["move_too_far"])])
def test_whoever_crouches_has_two_thirds_of_his_move(on_map: bool, yards: float, reasons: list[str]) -> None:
    table = alone(on_map, "r")

    done = table.play("crouch", "r")

    assert done.one(ev.EffectBegan).effect.clause == "GU-540"
    assert posture_of(table.table, R) == "crouching"
    assert table.why_not("move", "r", **way(on_map, yards)) == reasons


@both_ways
@pytest.mark.clause("GU-540")
def test_shots_at_him_are_harder_by_2(on_map: bool) -> None:
    spots = {"r": {"at": (0, 0, 90)}, "r2": {"at": (10, 0, 270)}} if on_map else {"r": {}, "r2": {}}
    table = fight(apart=None if on_map else {"r-r2": 10}, **spots)
    table.play("crouch", "r")
    table.end_turn()

    done = table.play("attack", "r2", "r", weapon="assault_rifle", to_hit=(6, 5, 4))

    assert [(one.id, one.value) for one in done.check.terms if one.id == "target_posture"] == [("target_posture", -2)]
    assert done.check.target == 15 - 4 - 2


@both_ways
@pytest.mark.clause("GU-540")
@pytest.mark.parametrize("posture", ["crouching", "kneeling", "sitting", "crawling", "lying_prone", "lying_face_up"])
def test_only_who_stands_crouches(on_map: bool, posture: str) -> None:
    table = alone(on_map, "r")
    table.rule(cmd.AddEffect(R, posture))

    found = table.reasons("crouch", "r")

    assert [(one.code, one.clause) for one in found] == [("not_standing", "GU-540")]


@both_ways
@pytest.mark.clause("GU-540")
def test_nobody_crouches_once_he_has_chosen_his_maneuver(on_map: bool) -> None:
    table = alone(on_map, "r")
    table.play("talk", "r", note="Down!")
    assert table.why_not("crouch", "r") == []
    table.play("move", "r", **way(on_map, 1))

    found = table.reasons("crouch", "r")

    assert [(one.code, one.clause) for one in found] == [("only_at_start_of_turn", "GU-540")]


# Rising


def crouched(on_map: bool) -> PlayTable:
    """The rifleman, who has crouched the turn before."""
    table = alone(on_map, "r")
    table.play("crouch", "r")
    table.end_turn()
    return table


@both_ways
@pytest.mark.clause("GU-550")
def test_rising_at_the_start_gives_the_full_move(on_map: bool) -> None:
    table = crouched(on_map)
    assert table.why_not("move", "r", **way(on_map, 6)) == ["move_too_far"]

    done = table.play("rise_from_crouch", "r")

    assert [(one.kind, one.clause) for one in done.of(ev.EffectEnded)] == [("crouching", "GU-550")]
    assert gone(table.play("move", "r", **way(on_map, 6)), "r") == 6


@both_ways
@pytest.mark.clause("GU-550")
@pytest.mark.parametrize("posture", [None, "kneeling", "lying_prone"])
def test_only_who_crouches_rises_so(on_map: bool, posture: str | None) -> None:
    table = alone(on_map, "r")
    if posture is not None:
        table.rule(cmd.AddEffect(R, posture))

    found = table.reasons("rise_from_crouch", "r")

    assert [(one.code, one.clause) for one in found] == [("not_crouching", "GU-550")]


@both_ways
@pytest.mark.clause("GU-550")
def test_nobody_rises_once_he_has_chosen_his_maneuver(on_map: bool) -> None:
    table = crouched(on_map)
    table.play("do_nothing", "r")

    found = table.reasons("rise_from_crouch", "r")

    assert [(one.code, one.clause) for one in found] == [("only_at_start_of_turn", "GU-550")]


# One of the two


@both_ways
@pytest.mark.clause("GU-560")
def test_only_one_of_the_two_fits_in_a_slot(on_map: bool) -> None:
    table = crouched(on_map)
    table.play("rise_from_crouch", "r")

    found = table.reasons("crouch", "r")
    assert [(one.code, one.clause) for one in found] == [("crouch_change_already_used", "GU-560")]

    table.end_turn()
    table.play("crouch", "r")
    assert table.why_not("rise_from_crouch", "r") == ["crouch_change_already_used"]
