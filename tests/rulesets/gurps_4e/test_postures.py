"""Postures: how one is changed for another, what each of them does, and rising in place of a step."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from rulesets.gurps_4e.figures import current_move, posture_of
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable

SWORD = {"weapon": "thrusting_broadsword"}
SWING = {**SWORD, "options": {"mode": "swing"}}
POSTURES = ("standing", "kneeling", "crawling", "sitting", "lying_prone", "lying_face_up")
LYING = ("lying_prone", "lying_face_up")
X = CombatantId("x")
MODES = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])


def duel(*, on_map: bool = False, far: float = 1, options: dict[str, Any] | None = None, **postures: str) -> PlayTable:
    """S and X so far apart, each in the posture given by his letter."""
    if on_map:
        table = fight(s={"at": (0, 0, 90)}, x={"at": (far, 0, 270)}, options=options)
    else:
        table = fight(s={}, x={}, apart={"sx": far}, options=options)
    for who, posture in postures.items():
        if posture != "standing":
            table.rule(cmd.AddEffect(CombatantId(who), posture))
    return table


def posture(table: PlayTable, who: str) -> str:
    return posture_of(table.table, CombatantId(who))


def target_of(done: Any, purpose: str) -> int:
    found: int = next(event for event in done.of(ev.CheckRolled) if event.purpose == purpose).target
    return found


def change(table: PlayTable, goal: str, who: str = "s") -> list[str]:
    return table.why_not("change_posture", who, options={"posture": goal})


# GU-1700 and GU-1710: what can be changed into what


@pytest.mark.clause("GU-1700", "GU-1710")
@pytest.mark.parametrize("goal", POSTURES)
@pytest.mark.parametrize("now", POSTURES)
def test_one_maneuver_changes_any_posture_into_another_but_nobody_stands_up_from_lying(now: str, goal: str) -> None:
    table = duel(s=now)
    expected = []
    if goal == now:
        expected = ["already_in_posture"]
    elif goal == "standing" and now in LYING:
        expected = ["cannot_stand_from_lying"]

    assert change(table, goal) == expected

    if not expected:
        table.play("change_posture", "s", options={"posture": goal})
        assert posture(table, "s") == goal
        assert [kind for kind in POSTURES if table.has("s", kind)] == ([] if goal == "standing" else [goal])


@pytest.mark.clause("GU-1700")
@pytest.mark.parametrize("now", [*POSTURES, "crouching"])
def test_crouching_is_no_goal_of_the_maneuver(now: str) -> None:
    table = duel(s=now)

    refused = table.reasons("change_posture", "s", options={"posture": "crouching"})

    assert [(one.code, one.clause) for one in refused] == [("use_free_crouch", "GU-1700")]


@pytest.mark.clause("GU-1700")
def test_who_crouches_may_change_into_any_of_the_six() -> None:
    for goal in POSTURES:
        table = duel(s="crouching")
        table.play("change_posture", "s", options={"posture": goal})

        assert posture(table, "s") == goal
        assert not table.has("s", "crouching")


@pytest.mark.clause("GU-1700")
def test_it_uses_the_maneuver_of_the_slot() -> None:
    table = duel(s="sitting")
    table.play("change_posture", "s", options={"posture": "standing"})

    assert change(table, "kneeling") == ["maneuver_already_used"]


@pytest.mark.clause("GU-1710")
@pytest.mark.parametrize("lying", LYING)
def test_rising_from_the_ground_takes_two_maneuvers(lying: str) -> None:
    table = duel(far=5, s=lying)
    table.play("change_posture", "s", options={"posture": "kneeling"})
    table.until_turn_of("x")
    table.until_turn_of("s")

    table.play("change_posture", "s", options={"posture": "standing"})

    assert posture(table, "s") == "standing"


@pytest.mark.clause("GU-1710", "GU-1730")
def test_the_second_of_the_two_may_be_a_step() -> None:
    table = duel(far=5, s="lying_prone")
    table.play("change_posture", "s", options={"posture": "kneeling"})
    table.until_turn_of("x")
    table.until_turn_of("s")

    table.play("evaluate", "s", "x", options={"rise": "before"})

    assert posture(table, "s") == "standing"


# GU-1720: falling down


@pytest.mark.clause("GU-1720")
@pytest.mark.parametrize("goal", LYING)
def test_lying_down_takes_the_maneuver(goal: str) -> None:
    table = duel()

    table.play("change_posture", "s", options={"posture": goal})

    assert posture(table, "s") == goal
    assert "maneuver_already_used" in table.why_not("attack", "s", "x", **SWORD)


@pytest.mark.clause("GU-1720", "GU-2140")
def test_a_fall_takes_no_maneuver_of_whoever_falls() -> None:
    table = duel()

    table.play(
        "attack",
        "s",
        "x",
        **SWING,
        to_hit=(4, 3, 4),
        defend="none",
        damage=6,
        knockdown=(5, 5, 4),
    )

    assert posture(table, "x") == "lying_prone"
    table.end_turn()
    assert table.who("x").budget["maneuver"] == 1


# GU-1730: rising as a step


def attacked_from_the_knees(table: PlayTable, rise: str) -> Any:
    options = {"mode": "swing", "rise": rise}
    return table.play("attack", "s", "x", **SWORD, options=options, to_hit=(5, 5, 6))


@pytest.mark.clause("GU-1730", "GU-1740")
@MODES
@pytest.mark.parametrize(("rise", "skill"), [("before", 15), ("after", 13)])
def test_who_rises_first_attacks_without_the_penalty(on_map: bool, rise: str, skill: int) -> None:
    table = duel(on_map=on_map, s="kneeling")

    done = attacked_from_the_knees(table, rise)

    assert target_of(done, "attack") == skill
    assert posture(table, "s") == "standing"
    kinds = [type(event) for event in done.events]
    risen = next(
        place
        for place, event in enumerate(done.events)
        if isinstance(event, ev.EffectEnded) and event.kind == "kneeling"
    )
    assert (risen < kinds.index(ev.CheckRolled)) is (rise == "before")


@pytest.mark.clause("GU-1730")
@pytest.mark.parametrize(
    ("action", "targets", "fields"),
    [
        ("attack", ("x",), SWING),
        ("feint", ("x",), SWORD),
        ("evaluate", ("x",), {}),
        ("all_out_defense", (), {"options": {"option": "increased_parry"}}),
        ("all_out_defense", (), {"options": {"option": "double_defense"}}),
    ],
)
def test_any_maneuver_with_a_step_lets_him_rise(action: str, targets: tuple[str, ...], fields: dict[str, Any]) -> None:
    table = duel(s="kneeling")

    for rise in ("before", "after"):
        options = {**fields.get("options", {}), "rise": rise}
        assert table.why_not(action, "s", *targets, **{**fields, "options": options}) == []


@pytest.mark.clause("GU-1730")
@pytest.mark.parametrize("rise", ["before", "after"])
def test_rising_is_done_in_maneuvers_that_are_nothing_but_movement_too(rise: str) -> None:
    table = duel(s="kneeling")

    table.play("all_out_defense", "s", options={"option": "increased_block", "rise": rise})

    assert posture(table, "s") == "standing"


@pytest.mark.clause("GU-1730")
def test_rising_in_place_of_a_step_is_refused_where_the_movement_is_no_step() -> None:
    table = duel(s="kneeling")

    refused = table.reasons("all_out_defense", "s", options={"option": "increased_dodge", "rise": "before"})

    assert [(one.code, one.clause) for one in refused] == [("posture_change_needs_step", "GU-1730")]


@pytest.mark.clause("GU-1730")
@pytest.mark.parametrize(
    ("action", "targets", "fields"),
    [
        ("move_and_attack", ("x",), SWING),
        ("all_out_attack", ("x",), {**SWORD, "options": {"mode": "swing", "option": "strong"}}),
        ("move", (), {"said": {"length": 1}}),
    ],
)
def test_a_half_or_full_move_lets_nobody_rise(action: str, targets: tuple[str, ...], fields: dict[str, Any]) -> None:
    table = duel(s="kneeling")
    options = {**fields.get("options", {}), "rise": "before"}

    assert table.why_not(action, "s", *targets, **{**fields, "options": options}) == ["posture_change_needs_step"]


@pytest.mark.clause("GU-1730")
@pytest.mark.parametrize("now", ["sitting", "crawling", "lying_prone", "lying_face_up", "crouching", "standing"])
def test_only_from_kneeling_to_standing(now: str) -> None:
    table = duel(s=now)

    assert table.why_not("evaluate", "s", "x", options={"rise": "before"}) == ["posture_change_needs_step"]


@pytest.mark.clause("GU-1730")
def test_together_with_a_step_it_is_refused() -> None:
    table = duel(s="kneeling", far=2)

    with_way = table.reasons("evaluate", "s", "x", options={"rise": "before", "toward": "x"}, said={"length": 1})

    assert [(one.code, one.clause) for one in with_way] == [("step_already_used", "GU-1730")]


@pytest.mark.clause("GU-1730")
@pytest.mark.parametrize("fields", [{"path": [(0, 1)]}, {"facing": 180}])
def test_a_way_or_a_turn_is_a_step_on_a_map(fields: dict[str, Any]) -> None:
    table = duel(on_map=True, s="kneeling", far=2)

    assert table.why_not("evaluate", "s", "x", options={"rise": "before"}, **fields) == ["step_already_used"]


@pytest.mark.clause("GU-1730", "GU-1850")
def test_nobody_rises_where_the_step_is_barred() -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    table.rule(cmd.AddEffect(CombatantId("r"), "kneeling"))
    options = {"braced": True, "rest": True, "rise": "before"}

    refused = table.why_not("aim", "r", "x", weapon="assault_rifle", options=options)

    assert refused == ["posture_change_needs_step"]


@pytest.mark.clause("GU-1730")
def test_by_option_kneeling_down_may_replace_a_step_too() -> None:
    plain, both = duel(), duel(options={"kneel_as_step": True})

    assert plain.why_not("evaluate", "s", "x", options={"rise": "before"}) == ["posture_change_needs_step"]
    both.play("evaluate", "s", "x", options={"rise": "after"})
    assert posture(both, "s") == "kneeling"


@pytest.mark.clause("GU-1730")
@pytest.mark.parametrize(("rise", "skill"), [("before", 13), ("after", 15)])
def test_who_kneels_first_attacks_from_his_knees(rise: str, skill: int) -> None:
    table = duel(options={"kneel_as_step": True})

    sub = table.submission("attack", "s", "x", **SWORD, options={"mode": "swing", "rise": rise})
    done = table.command(cmd.Act(sub), to_hit=(5, 5, 6))

    assert target_of(done, "attack") == skill
    assert posture(table, "s") == "kneeling"


@pytest.mark.clause("GU-1730")
@pytest.mark.parametrize("lying", LYING)
def test_the_option_lets_nobody_rise_from_the_ground(lying: str) -> None:
    table = duel(options={"kneel_as_step": True}, s=lying)

    assert table.why_not("evaluate", "s", "x", options={"rise": "before"}) == ["posture_change_needs_step"]


# GU-1740: what a posture does

TABLE = {
    "standing": (0, 0, 0, 5),
    "crouching": (-2, 0, -2, 3),
    "kneeling": (-2, -2, -2, 1),
    "crawling": (-4, -3, -2, 1),
    "sitting": (-2, -2, -2, 0),
    "lying_prone": (-4, -3, -2, 1),
    "lying_face_up": (-4, -3, -2, 1),
}


EVERY = pytest.mark.parametrize(("held", "figures"), list(TABLE.items()))
Figures = tuple[int, int, int, int]


@pytest.mark.clause("GU-1740", "GU-400")
@MODES
@EVERY
def test_how_far_somebody_gets_in_a_posture(on_map: bool, held: str, figures: Figures) -> None:
    table = duel(on_map=on_map, x=held)

    assert current_move(table.table, X) == figures[3]


@pytest.mark.clause("GU-1740")
@MODES
@EVERY
def test_how_well_somebody_strikes_from_a_posture(on_map: bool, held: str, figures: Figures) -> None:
    table = duel(on_map=on_map, far=0.4 if on_map else 0, s=held)

    done = table.play("attack", "s", "x", options={"mode": "kick"}, to_hit=(5, 4, 4))

    assert target_of(done, "attack") == 12 - 2 + figures[0]


@pytest.mark.clause("GU-1740")
@MODES
@EVERY
def test_how_well_somebody_defends_in_a_posture(on_map: bool, held: str, figures: Figures) -> None:
    table = duel(on_map=on_map, x=held)

    done = table.play("attack", "s", "x", **SWING, to_hit=(3, 3, 4), defend="dodge", dodge=(6, 4, 4), damage=1)

    assert target_of(done, "defend") == 8 + figures[1]


@pytest.mark.clause("GU-1740", "GU-2000")
@MODES
@EVERY
def test_shots_at_a_posture(on_map: bool, held: str, figures: Figures) -> None:
    table = fight(r={"at": (0, 0, 90)}, x={"at": (10, 0, 270)}) if on_map else fight(r={}, x={}, apart={"rx": 10})
    if held != "standing":
        table.rule(cmd.AddEffect(X, held))

    done = table.play("attack", "r", "x", weapon="assault_rifle", to_hit=(6, 6, 4))

    assert target_of(done, "attack") == 15 - 4 + figures[2]


@pytest.mark.clause("GU-1740")
@pytest.mark.parametrize("held", list(TABLE))
def test_who_shoots_takes_no_penalty_for_his_own_posture(held: str) -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    if held != "standing":
        table.rule(cmd.AddEffect(CombatantId("r"), held))

    done = table.play("attack", "r", "x", weapon="assault_rifle", to_hit=(6, 6, 4))

    assert target_of(done, "attack") == 11


@pytest.mark.clause("GU-1740")
def test_a_kneeling_axeman() -> None:
    table = duel(x="kneeling")
    done = table.play("attack", "s", "x", **SWING, to_hit=(4, 3, 4), defend="dodge", dodge=(2, 2, 2))
    assert target_of(done, "defend") == 6

    table.end_turn()
    assert current_move(table.table, X) == 1
    done = table.play("attack", "x", "s", weapon="axe", to_hit=(6, 5, 4))
    assert target_of(done, "attack") == 11


@pytest.mark.clause("GU-1740")
def test_who_crawls_reaches_only_what_is_beside_him() -> None:
    table = duel(s="crawling")

    assert table.why_not("attack", "s", "x", **SWORD) == ["out_of_reach"]


# GU-1750: movement and defence


@pytest.mark.clause("GU-1750", "GU-460")
@pytest.mark.parametrize("fields", [{"path": [(0, 1)]}, {"facing": 180}])
def test_changing_posture_leaves_no_movement_on_a_map(fields: dict[str, Any]) -> None:
    table = duel(on_map=True, s="sitting")

    refused = table.reasons("change_posture", "s", options={"posture": "standing"}, **fields)

    assert [(one.code, one.clause) for one in refused] == [("movement_not_allowed", "GU-460")]


@pytest.mark.clause("GU-1750", "GU-460")
def test_changing_posture_leaves_no_stated_movement() -> None:
    table = duel(s="sitting")

    refused = table.why_not("change_posture", "s", options={"posture": "standing"}, said={"length": 1})

    assert refused == ["movement_not_allowed"]


@pytest.mark.clause("GU-1750")
@MODES
def test_the_new_posture_counts_as_soon_as_the_maneuver_is_done(on_map: bool) -> None:
    table = duel(on_map=on_map, x="lying_prone")
    table.end_turn()
    table.play("change_posture", "x", options={"posture": "kneeling"})
    table.end_turn()

    done = table.play("attack", "s", "x", **SWING, to_hit=(4, 3, 4), defend="dodge", dodge=(2, 2, 2))

    assert target_of(done, "defend") == 6
    assert {option.id for option in done.questions("defend")[0].options} == {"dodge", "parry", "none"}


@pytest.mark.clause("GU-1750")
def test_any_defence_is_open_afterwards() -> None:
    table = duel()
    table.play("change_posture", "s", options={"posture": "kneeling"})
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=(4, 3, 4), defend="block", block=(3, 3, 4))

    assert target_of(done, "defend") == 10
