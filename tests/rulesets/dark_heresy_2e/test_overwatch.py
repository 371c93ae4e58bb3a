"""Overwatch: declaring it, its triggers, who is first, what comes of it, what ends it.

Clauses DH-3880 to DH-3940, DH-5340, DH-5700 to DH-5720.
"""

from math import cos, radians, sin
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Question
from app.engine.blocks.walk import Walk, walk
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Cover, CoverPiece, CoverValue, Ground, Place, Polygon, Sector, Unknown, Wall
from app.engine.state import Item
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, path, point, spot_of, told
from tests.support.play import Played, PlayTable, Script, combatant, length, ruleset, table_of

HERE: Spot = (0, 0)
OUTSIDE: Spot = (60, -26)
INSIDE: Spot = (60, -24)
"""Sixty metres off the border of a zone of 45 degrees to the right is at 24.85 metres aside."""
NEAR_BORDER: Spot = (60, -25)
SEMI: dict[str, Any] = {"attack": "semi_auto_burst", "trigger": "enters_zone"}
SINGLE: dict[str, Any] = {"attack": "standard_attack", "trigger": "enters_zone"}


def zone(reach: float = 100, facing: int = 90, arc: int = 45) -> Sector:
    """A slice around where its watcher stands."""
    return Sector((0, 0), length(reach), facing, arc)


def watched(
    on_map: bool, spots: dict[str, Spot] | None = None, *, watch: dict[str, Any] | None = None, **more: Any
) -> PlayTable:
    """Vane on Overwatch over what lies to the right of him; the next in order has the turn."""
    table = fight(on_map, {"vane": HERE, **(spots or {"brok": OUTSIDE})}, **more)
    return declare(table, watch=watch)


def declare(table: PlayTable, who: str = "vane", watch: dict[str, Any] | None = None, **fields: Any) -> PlayTable:
    """Go on Overwatch and end the turn."""
    table.play("overwatch", who, options=watch or SINGLE, area=zone(), facing=90, **fields)
    table.end_turn()
    return table


def enter(table: PlayTable, on_map: bool, who: str = "brok", action: str = "move", **given: Any) -> Played:
    """Come in over the border, by two metres."""
    stated = {"crosses": ("vane",), "distance_after": {"vane": 64.6}}
    way = path(on_map, OUTSIDE, INSIDE, **stated)
    return table.play(action, who, **way, **given)


def effect(table: PlayTable, name: str, kind: str, value: int = 0) -> None:
    """Put a condition on somebody by ruling."""
    table.rule(cmd.AddEffect(CombatantId(name), kind, value))


def asked(done: Played) -> list[str]:
    """Kinds of the questions, in order."""
    return [question.kind for question in done.questions()]


# Declaring


@both_ways
@pytest.mark.clause("DH-3880", "DH-5710")
def test_he_names_a_zone_an_attack_and_a_trigger(on_map: bool) -> None:
    table = fight(on_map, {"vane": HERE})

    done = table.play("overwatch", "vane", options=SEMI, area=zone(), facing=90)

    watching = done.one(ev.EffectBegan).effect
    assert (watching.kind, watching.clause, watching.item) == ("overwatching", "DH-3880", "autogun")
    assert (watching.word, watching.words) == ("semi_auto_burst", ("enters_zone",))
    assert watching.area == Sector((0, 0), 10000, 90, 45, needs_sight=True, id="vane")
    assert table.who("vane").budget["half_action"] == 0
    if on_map:
        assert done.one(ev.Turned).clause == "DH-5710"
        assert table.who("vane").place == Place(0, 0, 90)


@both_ways
@pytest.mark.clause("DH-3880")
@pytest.mark.parametrize(
    ("facing", "middle", "arc", "reasons"),
    [
        (90, 90, 45, []),
        (90, 90, 46, ["zone_arc_exceeded"]),
        (90, 101, 23, []),
        (90, 101, 24, ["zone_arc_exceeded"]),
        (90, 79, 23, []),
        # From 60 to 112.5 degrees.
        (90, 86, 53, ["zone_arc_exceeded"]),
        (350, 10, 5, []),
        (350, 10, 6, ["zone_arc_exceeded"]),
        (None, 200, 45, []),
        (None, 200, 46, ["zone_arc_exceeded"]),
        (90, 270, 10, ["zone_arc_exceeded"]),
        (90, 90, 360, ["zone_arc_exceeded"]),
    ],
)
def test_the_zone_lies_in_an_arc_of_45_degrees_where_he_faces(
    on_map: bool, facing: int | None, middle: int, arc: int, reasons: list[str]
) -> None:
    table = fight(on_map, {"vane": HERE})

    given: dict[str, Any] = {"options": SEMI, "area": zone(50, middle, arc), "facing": facing}

    assert table.why_not("overwatch", "vane", **given) == reasons


@pytest.mark.clause("DH-3880")
@pytest.mark.parametrize(
    ("corners", "reasons"),
    [
        ([(0, 0), (30, -10), (30, 10)], []),
        ([(10, -4.14), (30, -10), (30, 10)], []),
        ([(10, -4.15), (30, -10), (30, 10)], ["zone_arc_exceeded"]),
        ([(-1, 0), (30, -10), (30, 10)], ["zone_arc_exceeded"]),
        ([(10, 0), (100, -2), (100, 0)], ["out_of_range"]),
        ([(10, 0), (99.99, -1), (100, 0)], []),
    ],
)
def test_a_zone_may_have_any_shape_inside_that_arc(corners: list[Spot], reasons: list[str]) -> None:
    table = fight(True, {"vane": HERE})
    area = Polygon(tuple(point(corner) for corner in corners))

    assert table.why_not("overwatch", "vane", options=SEMI, area=area, facing=90) == reasons


@both_ways
@pytest.mark.clause("DH-3880")
@pytest.mark.parametrize(
    ("option", "reach", "reasons"),
    [
        ("published", 100, []),
        ("published", 100.01, ["out_of_range"]),
        ("unlimited", 400, []),
    ],
)
def test_the_zone_reaches_as_far_as_the_weapon(on_map: bool, option: str, reach: float, reasons: list[str]) -> None:
    table = fight(on_map, {"vane": HERE}, options={"kill_zone_range": option})

    assert table.why_not("overwatch", "vane", options=SEMI, area=zone(reach), facing=90) == reasons


@both_ways
@pytest.mark.clause("DH-3880")
@pytest.mark.parametrize(
    ("attack", "reasons"),
    [
        ("standard_attack", []),
        ("semi_auto_burst", []),
        ("full_auto_burst", []),
        ("called_shot", ["attack_not_allowed_in_overwatch"]),
        ("suppressing_fire", ["attack_not_allowed_in_overwatch"]),
        ("all_out_attack", ["attack_not_allowed_in_overwatch"]),
    ],
)
def test_only_a_standard_attack_and_the_two_bursts_can_be_kept_ready(
    on_map: bool, attack: str, reasons: list[str]
) -> None:
    table = fight(on_map, {"vane": HERE})
    options = {"attack": attack, "trigger": "enters_zone"}

    assert table.why_not("overwatch", "vane", options=options, area=zone(), facing=90) == reasons


@both_ways
@pytest.mark.clause("DH-3880")
@pytest.mark.parametrize(
    ("item", "attack", "options", "reasons"),
    [
        (Item("sword", held="main"), "standard_attack", {}, ["attack_not_allowed_in_overwatch"]),
        (Item("lasgun", held="both", marks={"ammo": 60}), "full_auto_burst", {}, ["fire_mode_not_available"]),
        (Item("heavy_stubber", held="both", marks={"ammo": 9}), "standard_attack", {}, ["fire_mode_not_available"]),
        (Item("autogun", held="both", marks={"ammo": 0}), "standard_attack", {}, ["not_enough_ammo"]),
        (Item("autogun", held="both", marks={"ammo": 2}), "semi_auto_burst", {}, []),
        (
            Item("autogun", held="both", marks={"ammo": 2}),
            "semi_auto_burst",
            {"short_burst": "forbid"},
            ["not_enough_ammo"],
        ),
        (Item("autogun", held="both", marks={"ammo": 9, "jammed": 1}), "standard_attack", {}, ["weapon_jammed"]),
        (Item("autogun", marks={"ammo": 9}), "standard_attack", {}, ["weapon_not_ready"]),
        (
            Item("lasgun", held="both", marks={"ammo": 0, "jammed": 1}),
            "full_auto_burst",
            {},
            ["fire_mode_not_available", "not_enough_ammo", "weapon_jammed"],
        ),
    ],
)
def test_the_weapon_must_be_able_to_make_that_attack(
    on_map: bool, item: Item, attack: str, options: dict[str, Any], reasons: list[str]
) -> None:
    table = fight(on_map, {"vane": HERE}, vane={"items": {"gun": item}}, options=options)

    found = table.reasons(
        "overwatch",
        "vane",
        weapon="gun",
        options={"attack": attack, "trigger": "enters_zone"},
        area=zone(50),
        facing=90,
    )

    assert [reason.code for reason in found] == reasons
    assert {reason.clause for reason in found} <= {"DH-3880"}


@both_ways
@pytest.mark.clause("DH-3880")
@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({}, {"/options/attack", "/options/trigger"}),
        ({"attack": "standard_attack"}, {"/options/trigger"}),
        ({"trigger": "attacks"}, {"/options/attack"}),
        ({"attack": "standard_attack", "trigger": "text"}, {"/options/text"}),
        ({"attack": "standard_attack", "trigger": "text", "text": "when he waves"}, set()),
    ],
)
def test_attack_and_trigger_must_be_named(on_map: bool, options: dict[str, Any], missing: set[str]) -> None:
    table = fight(on_map, {"vane": HERE})

    found = table.reasons("overwatch", "vane", options=options, area=zone(), facing=90)

    # Of one code only the first is told.
    assert [reason.code for reason in found] == ["missing_input"] * bool(missing)
    assert {reason.at for reason in found} <= missing


@pytest.mark.clause("DH-3880", "DH-5700")
def test_on_a_map_the_zone_is_drawn_and_without_one_it_need_not_be() -> None:
    drawn, stated = fight(True, {"vane": HERE}), fight(False, {"vane": HERE})

    assert drawn.why_not("overwatch", "vane", options=SEMI) == ["missing_input"]
    assert stated.why_not("overwatch", "vane", options=SEMI) == []


@both_ways
@pytest.mark.clause("DH-3880")
def test_the_action_list_offers_it_to_whoever_has_a_gun(on_map: bool) -> None:
    for who, offered in (("vane", True), ("brok", True), ("sable", False)):
        table = fight(on_map, {who: HERE})
        found = {code for code in table.why_not("overwatch", who) if code != "missing_input"}

        assert not found if offered else found


# The trigger is met


@both_ways
@pytest.mark.clause("DH-3890", "DH-3900", "DH-3910")
def test_who_comes_in_is_shot_at_the_border_and_goes_on(on_map: bool) -> None:
    table = watched(on_map)

    done = enter(table, on_map, overwatch_fire="fire", to_hit=99, pinning=34)

    shot = ["AttackMade", "ItemMarked", "CheckRolled", "EffectBegan", "ItemMarked", "EffectEnded"]
    way_on = ["Moved"] if on_map else []
    assert told(done.events) == ["ActionTaken", "BudgetChanged", "Moved", *shot, "CheckRolled", *way_on]
    if on_map:
        # The first hundredth inside: 24.85 aside at 60 metres.
        assert [moved.distance for moved in done.of(ev.Moved)] == [115, 85]
        assert done.of(ev.Moved)[0].place == Place(6000, -2485, 180)
        assert spot_of(table, "brok") == INSIDE
    made = done.one(ev.AttackMade)
    assert (made.combatant, made.target, made.action, made.clause) == ("vane", "brok", "overwatch", "DH-3890")


@both_ways
@pytest.mark.clause("DH-3890")
def test_it_is_the_attack_that_was_chosen_with_its_own_figures(on_map: bool) -> None:
    for attack, target, ammo in (
        ("standard_attack", 55, 29),
        ("semi_auto_burst", 45, 27),
        ("full_auto_burst", 35, 20),
    ):
        table = watched(on_map, watch={"attack": attack, "trigger": "enters_zone"})

        done = enter(table, on_map, overwatch_fire="fire", to_hit=93, pinning=1)

        assert done.check.target == target
        assert table.who("vane").items["autogun"].marks["ammo"] == ammo


@both_ways
@pytest.mark.clause("DH-3890")
def test_the_watcher_chooses_fire_or_hold_and_holds_by_default(on_map: bool) -> None:
    table = watched(on_map)

    done = enter(table, on_map, overwatch_fire="hold")

    (question,) = done.questions()
    assert isinstance(question, Question)
    assert (question.kind, question.to, question.about) == ("overwatch_fire", "vane", "brok")
    assert (question.default, question.best, question.clause) == ("hold", "fire", "DH-3890")
    assert question.options[0].chance == 550_000


@both_ways
@pytest.mark.clause("DH-3890", "DH-3910")
@pytest.mark.parametrize("hidden", [False, True])
def test_holding_leaves_the_log_as_if_nobody_had_watched(on_map: bool, hidden: bool) -> None:
    watching = watched(on_map, vane={"hidden": hidden})
    alone = watched(on_map, vane={"hidden": hidden})
    alone.rule(cmd.RemoveEffect(CombatantId("vane"), "overwatching"))  # type: ignore[arg-type]

    held = enter(watching, on_map, overwatch_fire="hold")

    assert held.events == enter(alone, on_map).events
    assert watching.has("vane", "overwatching")


@both_ways
@pytest.mark.clause("DH-3890")
def test_two_who_come_in_their_own_turns_are_two_attacks(on_map: bool) -> None:
    table = watched(on_map, {"brok": OUTSIDE, "gorm": (61, -26)}, watch=SEMI, brok={"side": "x"}, gorm={"side": "x"})

    enter(table, on_map, overwatch_fire="fire", to_hit=90, pinning=1)
    assert table.who("vane").items["autogun"].marks["ammo"] == 27
    table.end_turn()
    way = path(on_map, (61, -26), (61, -24), crosses=("vane",), distance_after={"vane": 65})
    table.play("move", "gorm", **way, overwatch_fire="fire", to_hit=90, pinning=1)

    assert table.who("vane").items["autogun"].marks["ammo"] == 24


@pytest.mark.clause("DH-3890")
def test_one_action_of_one_man_triggers_once_however_often_he_crosses_the_border() -> None:
    table = watched(True)

    done = table.play(
        "run", "brok", path=[(60, -24), (60, -26), (60, -24)], overwatch_fire="fire", to_hit=95, pinning=1
    )

    assert asked(done) == ["overwatch_fire"]


@pytest.mark.clause("DH-3890")
def test_who_held_is_not_asked_again_in_that_action() -> None:
    table = watched(True)

    done = table.play("run", "brok", path=[(60, -24), (60, -26), (60, -24)], overwatch_fire="hold")

    assert asked(done) == ["overwatch_fire"]


@both_ways
@pytest.mark.clause("DH-3890")
def test_a_friend_triggers_nothing(on_map: bool) -> None:
    table = watched(on_map, brok={"side": "vane"})

    assert not enter(table, on_map).asked


@both_ways
@pytest.mark.clause("DH-3890")
def test_who_stays_outside_triggers_nothing(on_map: bool) -> None:
    table = watched(on_map)

    assert not table.play("move", "brok", **path(on_map, OUTSIDE, NEAR_BORDER, crosses=())).asked


@pytest.mark.clause("DH-3890")
def test_nobody_watches_for_whom_he_cannot_see() -> None:
    table = watched(True, brok={"hidden": True})

    assert not enter(table, True).asked


# Zones


@pytest.mark.clause("DH-5720")
@pytest.mark.parametrize(
    ("bearing", "distance", "inside"),
    [(67.5, 30, True), (67.4, 30, False), (112.5, 30, True), (112.6, 30, False), (90, 100, True), (90, 100.01, False)],
)
def test_edges_and_reach_belong_to_the_zone(bearing: float, distance: float, inside: bool) -> None:
    end = (round(distance * sin(radians(bearing)), 2), round(-distance * cos(radians(bearing)), 2))
    aside = -1 if bearing <= 90 else 1
    start = (end[0] + (1.5 if distance > 99 else 0), end[1] + 1.5 * aside * (distance < 99))
    table = watched(True, {"brok": start})

    done = table.play("move", "brok", path=[end], **({"overwatch_fire": "hold"} if inside else {}))

    assert bool(done.questions()) is inside


@pytest.mark.clause("DH-5720")
def test_who_is_behind_a_wall_is_not_in_the_zone_until_he_comes_in_sight() -> None:
    table = fight(True, {"vane": HERE, "brok": (60, -2)}, walls=(((30, -40), (30, -0.5)),))
    declare(table)

    done = table.play("move", "brok", path=[(60, 0)], overwatch_fire="fire", to_hit=95, pinning=1)

    # The wall's end throws its shadow to (60, -1).
    assert done.of(ev.Moved)[0].place.y in (-100, -99)


@pytest.mark.clause("DH-3880", "DH-5720")
def test_a_zone_of_another_shape_counts_as_drawn_and_only_where_it_is_in_sight() -> None:
    for walls, where in (((), -200), ((((30, -40), (30, -0.5)),), -100)):
        table = fight(True, {"vane": HERE, "brok": (60, -3)}, walls=walls)
        strip = Polygon((point((50, -2)), point((70, -2)), point((70, 2)), point((50, 2))))
        table.play("overwatch", "vane", options=SINGLE, area=strip, facing=90)
        table.end_turn()

        done = table.play("move", "brok", type="full", path=[(60, 0)], overwatch_fire="fire", to_hit=95, pinning=1)

        assert abs(done.of(ev.Moved)[0].place.y - where) <= 1


@pytest.mark.clause("DH-5720")
def test_who_starts_inside_does_not_come_in() -> None:
    table = watched(True, {"brok": INSIDE})

    assert not table.play("move", "brok", path=[(60, -22)]).asked


# Who is first


@both_ways
@pytest.mark.clause("DH-3900")
def test_who_is_quicker_than_the_watcher_acts_first_and_is_shot_at_where_he_is_then(on_map: bool) -> None:
    table = watched(on_map, {"sable": OUTSIDE})

    extra = {} if on_map else {"overwatch_in_zone": "yes"}
    done = enter(table, on_map, "sable", overwatch_fire="fire", to_hit=99, pinning=1, **extra)

    kinds = told(done.events)
    assert kinds.index("Moved") < kinds.index("AttackMade")
    assert kinds.count("Moved") == 1
    assert [ask.key for ask in done.questions("overwatch_fire")] == ["after/overwatch/vane/sable/overwatch_fire"]


@pytest.mark.clause("DH-3900")
def test_who_is_quick_and_through_is_not_shot_at_and_nobody_is_asked() -> None:
    table = watched(True, {"sable": (10, -6)})

    done = table.play("run", "sable", path=[(10, 6)])

    assert not done.asked
    assert told(done.events).count("Moved") == 1


@pytest.mark.clause("DH-3900")
def test_who_is_quick_and_behind_a_wall_by_then_is_not_shot_at() -> None:
    table = fight(True, {"vane": HERE, "sable": (10, -6)}, walls=(((5, 0), (5, 3)),))
    declare(table)

    assert not table.play("run", "sable", path=[(10, 2)]).asked


@pytest.mark.clause("DH-3900", "DH-5700")
def test_without_a_map_the_gm_tells_whether_the_quick_man_is_still_in_the_zone() -> None:
    table = watched(False, {"sable": OUTSIDE})

    done = enter(table, False, "sable", overwatch_in_zone="no")

    assert [(question.to, question.kind) for question in done.questions()] == [("gm", "ruling")]


@both_ways
@pytest.mark.clause("DH-2110", "DH-3900")
@pytest.mark.parametrize(
    ("dice", "watcher_first"),
    [
        (([12], [33]), True),
        (([33], [12]), False),
        (([77, 12], [91, 33]), True),
        (([77, 33], [91, 12]), False),
        (([12, 12], [12, 33]), True),
    ],
)
def test_with_equal_agility_an_opposed_test_settles_it_rolled_until_it_does(
    on_map: bool, dice: tuple[list[int], list[int]], watcher_first: bool
) -> None:
    table = watched(on_map, brok={"ag": 40, "wp": 34})

    extra = {} if on_map or watcher_first else {"overwatch_in_zone": "yes"}
    rolls: dict[str, Any] = {
        f"overwatch_order{number}__{who}__overwatch_order": die
        for who, row in zip(("vane", "brok"), dice, strict=True)
        for number, die in enumerate(row, 1)
    }
    done = enter(table, on_map, overwatch_fire="fire", to_hit=99, pinning=1, **rolls, **extra)

    kinds = told(done.events)
    last_moved = len(kinds) - kinds[::-1].index("Moved") - 1
    assert (kinds.index("AttackMade") < last_moved or not on_map) is (watcher_first or not on_map)
    assert done.one(ev.ContestSettled).winner == ("vane" if watcher_first else "brok")
    assert done.one(ev.ContestSettled).clause == "DH-3900"
    assert asked(done).count("overwatch_fire") == 1


@both_ways
@pytest.mark.clause("DH-3900")
@pytest.mark.parametrize(
    ("damage", "why", "status"),
    # Autogun 1d10+3 on the body, no armour, toughness bonus 4: one wound and critical damage from there.
    [((5,), "stunned", "up"), ((6,), "stunned", "up")],
)
def test_the_shot_may_end_the_action_where_he_was_shot(
    on_map: bool, damage: tuple[int, ...], why: str, status: str
) -> None:
    table = watched(on_map, brok={"wounds_max": 1, "armour": 0})

    done = enter(table, on_map, overwatch_fire="fire", to_hit=50, damage=damage, pinning=1)

    stopped = done.one(ev.ActionStopped)
    assert (stopped.action, stopped.why, stopped.clause) == ("move", why, "DH-3900")
    assert table.who("brok").status == status
    if on_map:
        assert spot_of(table, "brok") == (60, -24.85)


@both_ways
@pytest.mark.clause("DH-3900", "DH-5640")
def test_being_pinned_does_not_stop_him_but_leaves_no_second_half_action(on_map: bool) -> None:
    table = watched(on_map)

    done = enter(table, on_map, overwatch_fire="fire", to_hit=99, pinning=35)

    assert table.has("brok", "pinned")
    assert sum(moved.distance for moved in done.of(ev.Moved)) == 200
    assert not done.of(ev.ActionStopped)
    assert table.who("brok").budget["half_action"] == 0


# Nerves


@both_ways
@pytest.mark.clause("DH-3910", "DH-5650")
@pytest.mark.parametrize(("die", "pinned"), [(34, False), (35, True)])
def test_hit_or_miss_whoever_met_the_trigger_tests_his_nerve(on_map: bool, die: int, pinned: bool) -> None:
    table = watched(on_map)

    done = enter(table, on_map, overwatch_fire="fire", to_hit=99, pinning=die)

    test = done.of(ev.CheckRolled)[1]
    assert (test.combatant, test.check, test.target, test.clause) == ("brok", "wp", 34, "DH-3910")
    assert table.has("brok", "pinned") is pinned


@both_ways
@pytest.mark.clause("DH-3910")
def test_the_dead_and_the_unconscious_do_not_test(on_map: bool) -> None:
    table = watched(on_map, brok={"wounds_max": 1, "armour": 0, "minion": 1})

    done = enter(table, on_map, overwatch_fire="fire", to_hit=50, damage=9)

    assert table.who("brok").status == "dead"
    assert len(done.of(ev.CheckRolled)) == 1


@both_ways
@pytest.mark.clause("DH-3930")
def test_a_target_shot_in_his_own_turn_cannot_evade(on_map: bool) -> None:
    table = watched(on_map)

    done = enter(table, on_map, overwatch_fire="fire", to_hit=50, damage=1, pinning=1)

    assert asked(done) == ["overwatch_fire"]


@pytest.mark.clause("DH-3930", "DH-3900")
def test_a_target_moved_into_the_zone_by_another_can_evade() -> None:
    table = watched(True, {"gorm": (61, -26), "brok": OUTSIDE})
    given = Script({"overwatch_fire": "fire", "to_hit": 50, "defend": "dodge", "dodge": 5, "pinning": 1})
    scene = Scene(table.rules, table.state, {}, given.source)
    run = scene.space.run("brok", [point(INSIDE)])
    assert not isinstance(run, Unknown)

    walk(
        scene,
        Walk(CombatantId("brok"), run, ActionId("manoeuvre"), ClauseId("DH-3760"), lambda: True, forced=True),
    )

    given.check_used()
    assert not any(isinstance(one.event, ev.DamageDealt) for one in scene.events)


# What ends it


@both_ways
@pytest.mark.clause("DH-3920")
def test_the_attack_itself_does_not_end_it(on_map: bool) -> None:
    table = watched(on_map)

    enter(table, on_map, overwatch_fire="fire", to_hit=50, damage=1, pinning=1)

    assert table.has("vane", "overwatching")


@both_ways
@pytest.mark.clause("DH-3920", "DH-1180")
def test_it_ends_with_the_start_of_his_next_turn(on_map: bool) -> None:
    table = watched(on_map)
    assert table.has("vane", "overwatching")

    done = table.end_turn()

    assert table.turn == "vane"
    assert [event.kind for event in done.of(ev.EffectEnded)] == ["overwatching"]


@both_ways
@pytest.mark.clause("DH-3920")
def test_a_reaction_ends_it_and_the_next_who_comes_in_triggers_nothing(on_map: bool) -> None:
    table = watched(on_map, {"gorm": (62, 0), "brok": OUTSIDE}, gorm={"held": {"autogun": "both"}})
    table.play("standard_attack", "gorm", "vane", to_hit=5, defend="dodge", dodge=5)
    table.until_turn_of("brok")

    assert not table.has("vane", "overwatching")
    assert not enter(table, on_map).asked


@both_ways
@pytest.mark.clause("DH-3920")
def test_letting_himself_be_hit_keeps_it_and_so_does_talking(on_map: bool) -> None:
    table = watched(on_map, {"gorm": (62, 0), "brok": OUTSIDE}, gorm={"held": {"autogun": "both"}})
    table.play("standard_attack", "gorm", "vane", to_hit=5, defend="none", damage=1, die_replacement="keep")
    table.play("free_action", "vane", note="down!")

    assert table.has("vane", "overwatching")


@both_ways
@pytest.mark.clause("DH-3920")
@pytest.mark.parametrize(
    ("condition", "lasts"),
    [("stunned", False), ("unconscious", False), ("helpless", False), ("pinned", True), ("prone", True)],
)
def test_conditions_that_end_it_and_those_that_do_not(on_map: bool, condition: str, lasts: bool) -> None:
    table = watched(on_map)

    effect(table, "vane", condition, 1)

    assert table.has("vane", "overwatching") is lasts


@both_ways
@pytest.mark.clause("DH-3920")
@pytest.mark.parametrize("condition", ["stunned", "helpless", "unconscious", "surprised"])
def test_who_cannot_act_is_not_asked(on_map: bool, condition: str) -> None:
    table = watched(on_map)
    effect(table, "vane", condition, 1)

    assert not enter(table, on_map).asked


@both_ways
@pytest.mark.clause("DH-3920")
def test_a_pinned_watcher_fires_at_minus_20(on_map: bool) -> None:
    table = watched(on_map)
    effect(table, "vane", "pinned")

    assert enter(table, on_map, overwatch_fire="fire", to_hit=95, pinning=1).check.target == 35


@both_ways
@pytest.mark.clause("DH-3920")
@pytest.mark.parametrize(("ammo", "lasts"), [(4, True), (3, False), (2, False)])
def test_running_out_of_ammunition_ends_it(on_map: bool, ammo: int, lasts: bool) -> None:
    gun = Item("autogun", held="both", marks={"ammo": ammo})
    table = watched(on_map, watch=SEMI, vane={"items": {"autogun": gun}})

    enter(table, on_map, overwatch_fire="fire", to_hit=90, pinning=1)

    assert table.has("vane", "overwatching") is lasts


@both_ways
@pytest.mark.clause("DH-3920")
@pytest.mark.parametrize(("die", "lasts"), [(95, True), (96, False)])
def test_a_jam_ends_it(on_map: bool, die: int, lasts: bool) -> None:
    table = watched(on_map)

    done = enter(table, on_map, overwatch_fire="fire", to_hit=die, pinning=1)

    assert table.has("vane", "overwatching") is lasts
    assert {event.clause for event in done.of(ev.EffectEnded) if event.kind == "overwatching"} <= {"DH-3920"}


@both_ways
@pytest.mark.clause("DH-3920", "DH-5340")
@pytest.mark.parametrize(("weapon", "hand", "asks"), [("autogun", "both", False), ("laspistol", "main", True)])
def test_locked_in_melee_only_a_pistol_fires_and_the_watch_stands(
    on_map: bool, weapon: str, hand: str, asks: bool
) -> None:
    gun = Item(weapon, held=hand, marks={"ammo": 20})
    table = fight(
        on_map,
        {"vane": HERE, "brok": (20, -9), "gorm": (-1, 0)},
        vane={"items": {"gun": gun}},
        melee=(("vane", "gorm"),),
    )
    table.play("overwatch", "vane", options=SINGLE, area=zone(30), facing=90)
    table.end_turn()

    way = path(on_map, (20, -9), (20, -7), crosses=("vane",), distance_after={"vane": 21})
    done = table.play("move", "brok", **way, **({"overwatch_fire": "hold"} if asks else {}))

    assert bool(done.questions()) is asks
    assert table.has("vane", "overwatching")


@both_ways
@pytest.mark.clause("DH-3880", "DH-3890")
def test_who_let_go_of_his_gun_is_not_asked(on_map: bool) -> None:
    table = fight(on_map, {"vane": HERE, "brok": OUTSIDE})
    table.play("overwatch", "vane", options=SINGLE, area=zone(), facing=90)
    table.play("drop_item", "vane", weapon="autogun")
    table.end_turn()

    assert not enter(table, on_map).asked


@both_ways
@pytest.mark.clause("DH-3940")
def test_it_is_renewed_each_turn_by_a_new_full_action(on_map: bool) -> None:
    table = watched(on_map)
    table.until_turn_of("vane")

    declare(table)

    assert [effect.kind for effect in table.who("vane").effects.values()] == ["overwatching"]
    assert asked(enter(table, on_map, overwatch_fire="hold")) == ["overwatch_fire"]


# Aim


@both_ways
@pytest.mark.clause("DH-3935")
def test_an_aim_is_kept_for_the_first_attack(on_map: bool) -> None:
    table = fight(on_map, {"vane": HERE, "brok": OUTSIDE, "gorm": (61, -26)}, brok={"side": "x"}, gorm={"side": "x"})
    table.play("aim", "vane", type="full")
    table.until_turn_of("gorm")
    table.until_turn_of("vane")
    declare(table)

    first = enter(table, on_map, overwatch_fire="fire", to_hit=70, damage=1, pinning=1)
    table.end_turn()
    way = path(on_map, (61, -26), (61, -24), crosses=("vane",), distance_after={"vane": 65})
    second = table.play("move", "gorm", **way, overwatch_fire="fire", to_hit=70, pinning=1)

    # 45 + 10 + 20, then 45 + 10 and 10 for the size of Gorm.
    assert (first.check.target, first.check.degrees) == (75, 1)
    assert second.check.target == 65


@both_ways
@pytest.mark.clause("DH-3935")
def test_an_aim_is_lost_with_the_overwatch(on_map: bool) -> None:
    table = fight(on_map, {"vane": HERE, "brok": OUTSIDE})
    table.play("aim", "vane", type="full")
    table.until_turn_of("brok")
    table.until_turn_of("vane")
    declare(table)
    assert table.has("vane", "aiming")

    table.end_turn()

    assert table.turn == "vane"
    assert not table.has("vane", "aiming")


# Other triggers


@pytest.mark.clause("DH-3880", "DH-3890")
@pytest.mark.parametrize(
    ("start", "end", "asks"),
    [(INSIDE, (60, -22), True), (INSIDE, (60, -26), True), (OUTSIDE, INSIDE, True), (OUTSIDE, NEAR_BORDER, False)],
)
def test_moving_in_the_zone_is_met_inside_it_from_the_first_step(start: Spot, end: Spot, asks: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "moves_in_zone"}
    table = watched(True, {"brok": start}, watch=watch)

    answers = {"overwatch_fire": "fire", "to_hit": 95, "pinning": 1} if asks else {}
    done = table.play("move", "brok", path=[end], **answers)

    assert bool(done.questions()) is asks
    if start == INSIDE:
        kinds = told(done.events)
        assert kinds.index("AttackMade") < kinds.index("Moved")


@pytest.mark.clause("DH-3890", "DH-5700")
@pytest.mark.parametrize(
    ("stated", "questions"),
    [
        ({"crosses": ("vane",)}, ["overwatch_fire"]),
        ({"crosses": (), "inside": ("brok",)}, ["overwatch_fire"]),
        ({"crosses": (), "inside": ()}, []),
        ({"crosses": ()}, ["ruling", "overwatch_fire"]),
        ({}, ["ruling", "overwatch_fire"]),
    ],
)
def test_without_a_map_moving_in_the_zone_is_as_stated_or_as_the_gm_says(
    stated: dict[str, Any], questions: list[str]
) -> None:
    watch = {"attack": "standard_attack", "trigger": "moves_in_zone"}
    table = watched(False, watch=watch)

    answers: dict[str, Any] = {"overwatch_fire": "hold"} if questions else {}
    if "ruling" in questions:
        answers["overwatch_trigger"] = "yes"
    done = table.play("move", "brok", said={"length": 2, **stated}, **answers)

    assert asked(done) == questions


@both_ways
@pytest.mark.clause("DH-3890", "DH-3900")
@pytest.mark.parametrize(("inside", "asks"), [(True, True), (False, False)])
def test_an_attack_out_of_the_zone_comes_after_the_shot(on_map: bool, inside: bool, asks: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "attacks"}
    table = watched(on_map, {"brok": INSIDE if inside else OUTSIDE}, watch=watch)

    answers: dict[str, Any] = {"overwatch_fire": "fire", "vane__to_hit": 99, "pinning": 1} if asks else {}
    given = {} if on_map else {"said": {"inside": ("brok",) if inside else ()}}
    done = table.play("full_auto_burst", "brok", "vane", **answers, **given, full_auto_burst__to_hit=99)

    assert [made.combatant for made in done.of(ev.AttackMade)] == (["vane", "brok"] if asks else ["brok"])


@both_ways
@pytest.mark.clause("DH-3900")
def test_who_is_stunned_by_it_does_not_make_his_attack_and_it_is_spent(on_map: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "attacks"}
    table = watched(on_map, {"brok": INSIDE}, watch=watch, brok={"wounds_max": 1, "armour": 0})

    given = {} if on_map else {"said": {"inside": ("brok",)}}
    done = table.play("full_auto_burst", "brok", "vane", overwatch_fire="fire", to_hit=50, damage=5, pinning=1, **given)

    assert [made.combatant for made in done.of(ev.AttackMade)] == ["vane"]
    stopped = done.one(ev.ActionStopped)
    assert (stopped.action, stopped.why, stopped.clause) == ("full_auto_burst", "stunned", "DH-3900")
    assert table.who("brok").items["heavy_stubber"].marks["ammo"] == 80


@both_ways
@pytest.mark.clause("DH-3900", "DH-5640")
def test_who_is_pinned_by_it_attacks_at_minus_20(on_map: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "attacks"}
    table = watched(on_map, {"brok": INSIDE}, watch=watch)

    given = {} if on_map else {"said": {"inside": ("brok",)}}
    done = table.play(
        "full_auto_burst",
        "brok",
        "vane",
        overwatch_fire="fire",
        vane__to_hit=99,
        pinning=35,
        full_auto_burst__to_hit=99,
        **given,
    )

    assert ("attacker_pinned", -20) in [(term.id, term.value) for term in done.of(ev.CheckRolled)[2].terms]


@pytest.mark.clause("DH-3890", "DH-5700")
@pytest.mark.parametrize("met", ["yes", "no"])
def test_without_a_map_the_gm_says_whether_the_attacker_is_in_the_zone(met: str) -> None:
    watch = {"attack": "standard_attack", "trigger": "attacks"}
    table = watched(False, {"brok": INSIDE}, watch=watch)

    more = {"overwatch_fire": "hold"} if met == "yes" else {}
    done = table.play("full_auto_burst", "brok", "vane", overwatch_trigger=met, to_hit=99, **more)

    assert asked(done) == ["ruling", *(["overwatch_fire"] if met == "yes" else [])]


@both_ways
@pytest.mark.clause("DH-3900")
def test_a_quicker_attacker_attacks_first(on_map: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "attacks"}
    table = watched(on_map, {"brok": INSIDE}, watch=watch, brok={"ag": 41})

    given = {} if on_map else {"said": {"inside": ("brok",)}}
    done = table.play(
        "full_auto_burst",
        "brok",
        "vane",
        full_auto_burst__to_hit=93,
        overwatch_fire="fire",
        vane__brok__to_hit=99,
        pinning=1,
        **given,
    )

    assert [made.combatant for made in done.of(ev.AttackMade)] == ["brok", "vane"]


@pytest.mark.clause("DH-3880", "DH-3890")
def test_leaving_cover_is_met_where_nothing_hides_him_any_more() -> None:
    rules = ruleset()
    low = Wall(point((59, -2)), point((59, 0)), id="sandbags", move=False, sight=False, cover=CoverValue(8, ("body",)))
    bodies = [
        combatant(rules, "vane", "vane", place=Place(0, 0, 90)),
        combatant(rules, "brok", "brok", place=Place(6000, -100, 0)),
    ]
    table = table_of(*bodies, rules=rules, ground=Ground(walls=(low,)))
    declare(table, watch={"attack": "standard_attack", "trigger": "leaves_cover"})

    done = table.play("move", "brok", path=[(60, 1)], overwatch_fire="fire", to_hit=95, pinning=1)

    # The line from Vane runs beside the end of the sandbags as soon as he is below the axis.
    first = done.of(ev.Moved)[0]
    assert first.place.y == 1
    assert first.distance == 101


@pytest.mark.clause("DH-3890")
def test_who_was_in_no_cover_leaves_none() -> None:
    table = watched(True, {"brok": INSIDE}, watch={"attack": "standard_attack", "trigger": "leaves_cover"})

    assert not table.play("move", "brok", path=[(60, -22)]).asked


@both_ways
@pytest.mark.clause("DH-3890", "DH-5700")
def test_whether_he_leaves_a_stated_cover_the_gm_says(on_map: bool) -> None:
    cover = Cover(pieces=(CoverPiece("crates", 8, ("body",)),))
    watch = {"attack": "standard_attack", "trigger": "leaves_cover"}
    table = watched(on_map, {"brok": INSIDE}, watch=watch, brok={"cover": cover})

    way = path(on_map, INSIDE, (60, -22))
    done = table.play("move", "brok", **way, overwatch_trigger="yes", overwatch_fire="hold")

    assert asked(done) == ["ruling", "overwatch_fire"]


@both_ways
@pytest.mark.clause("DH-3880", "DH-3890")
@pytest.mark.parametrize("met", ["yes", "no"])
def test_a_trigger_in_words_is_judged_by_the_gm(on_map: bool, met: str) -> None:
    watch = {"attack": "standard_attack", "trigger": "text", "text": "when he reaches for the lever"}
    table = watched(on_map, {"brok": INSIDE}, watch=watch)

    more = {"overwatch_fire": "hold"} if met == "yes" else {}
    given = {} if on_map else {"said": {"inside": ("brok",)}}
    done = table.play("aim", "brok", overwatch_trigger=met, **more, **given)

    assert asked(done) == ["ruling", *(["overwatch_fire"] if met == "yes" else [])]
    assert done.questions()[0].to == "gm"


@both_ways
@pytest.mark.clause("DH-3880", "DH-3890")
def test_a_trigger_in_words_may_be_met_on_the_way(on_map: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "text", "text": "when he comes past the pillar"}
    table = watched(on_map, watch=watch)

    way = path(on_map, OUTSIDE, INSIDE, distance_after={"vane": 64.6})
    done = table.play("move", "brok", **way, overwatch_trigger="yes", overwatch_fire="fire", to_hit=95, pinning=1)

    assert asked(done) == ["ruling", "overwatch_fire"]
    assert done.one(ev.AttackMade).target == "brok"


@both_ways
@pytest.mark.clause("DH-3890")
def test_the_end_of_a_turn_is_no_action_to_be_judged(on_map: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "text", "text": "anything"}
    table = watched(on_map, {"brok": INSIDE, "gorm": (90, 50)}, watch=watch)

    assert not table.end_turn().asked


# Without a map


@pytest.mark.clause("DH-5700")
@pytest.mark.parametrize(
    ("stated", "hidden", "questions"),
    [
        ({}, False, ["ruling", "overwatch_fire"]),
        ({"crosses": ()}, False, []),
        ({"crosses": ("vane",)}, False, ["overwatch_fire"]),
        # Of a hidden watcher the mover can know nothing, so that his "nothing crossed" does not count.
        ({"crosses": ()}, True, ["ruling", "overwatch_fire"]),
        ({}, True, ["ruling", "overwatch_fire"]),
    ],
)
def test_whether_a_way_crosses_the_zone_is_stated_or_the_gm_says(
    stated: dict[str, Any], hidden: bool, questions: list[str]
) -> None:
    table = watched(False, vane={"hidden": hidden})

    answers: dict[str, Any] = {"overwatch_fire": "hold"} if questions else {}
    if "ruling" in questions:
        answers["overwatch_trigger"] = "yes"
    done = table.play("move", "brok", said={"length": 2, **stated}, **answers)

    assert asked(done) == questions


@pytest.mark.clause("DH-5700")
def test_the_gm_may_say_no_and_nothing_happens() -> None:
    table = watched(False)

    done = table.play("move", "brok", said={"length": 2}, overwatch_trigger="no")

    assert told(done.events) == ["ActionTaken", "BudgetChanged", "Moved"]


@pytest.mark.clause("DH-3900", "DH-5700")
@pytest.mark.parametrize(("where", "legs"), [(None, [200]), (120, [120, 80]), (0, [200])])
def test_the_gm_may_say_where_on_the_way(where: int | None, legs: list[int]) -> None:
    table = watched(False)

    ruled: Any = "yes" if where is None else ("yes", {"at": where})
    more = {} if where == 0 else {"overwatch_distance": ("state", {"distance": 6000})}
    done = table.play(
        "move", "brok", said={"length": 2}, overwatch_trigger=ruled, overwatch_fire="fire", to_hit=95, pinning=1, **more
    )

    assert [moved.distance for moved in done.of(ev.Moved)] == legs


@pytest.mark.clause("DH-5140", "DH-5700")
@pytest.mark.parametrize(
    ("answer", "terms"),
    [
        (("state", {"distance": 3000}), [("range_short", 10)]),
        (("state", {"distance": 6000}), []),
        ("normal_range", []),
    ],
)
def test_how_far_off_he_is_by_then_the_gm_says(answer: Any, terms: list[tuple[str, int]]) -> None:
    table = watched(False)

    done = table.play(
        "move",
        "brok",
        said={"length": 2, "crosses": ("vane",)},
        overwatch_fire="fire",
        overwatch_distance=answer,
        to_hit=95,
        pinning=1,
    )

    assert [(term.id, term.value) for term in done.check.terms if term.id.startswith("range")] == terms


@pytest.mark.clause("DH-5140", "DH-5700")
def test_who_is_out_of_range_by_then_is_not_shot_at() -> None:
    table = watched(False)

    done = table.play(
        "move",
        "brok",
        said={"length": 2, "crosses": ("vane",)},
        overwatch_fire="fire",
        overwatch_distance=("state", {"distance": 40001}),
    )

    assert not done.of(ev.AttackMade)


@pytest.mark.clause("DH-3900", "DH-5700")
def test_a_stated_place_of_the_crossing_is_where_he_is_shot() -> None:
    table = watched(False)

    done = table.play(
        "move",
        "brok",
        said={"length": 2, "crosses": ("vane",), "crosses_at": {"vane": 1.15}},
        overwatch_fire="fire",
        overwatch_distance="normal_range",
        to_hit=95,
        pinning=1,
    )

    assert [moved.distance for moved in done.of(ev.Moved)] == [115, 85]


# Several watchers, and what else comes together


def two_watchers(on_map: bool, **people: Any) -> PlayTable:
    """Vane and Xan side by side over the same ground, Brok to come."""
    table = fight(
        on_map,
        {"vane": HERE, "xan": (0, 0.6), "brok": OUTSIDE},
        vane={"side": "us"},
        xan={"sample": "vane", "side": "us"},
        **people,
    )
    declare(table)
    return declare(table, "xan")


@both_ways
@pytest.mark.clause("DH-3890", "DH-3900")
def test_two_watchers_fire_one_after_the_other(on_map: bool) -> None:
    table = two_watchers(on_map)

    way = path(on_map, OUTSIDE, INSIDE, crosses=("vane", "xan"), distance_after={"vane": 64.6, "xan": 65})
    done = table.play("move", "brok", **way, overwatch_fire="fire", to_hit=95, pinning=1)

    assert [made.combatant for made in done.of(ev.AttackMade)] in (["vane", "xan"], ["xan", "vane"])
    assert sum(moved.distance for moved in done.of(ev.Moved)) == 200


@both_ways
@pytest.mark.clause("DH-3900")
def test_who_was_stopped_by_the_first_does_not_reach_the_second(on_map: bool) -> None:
    table = two_watchers(on_map, brok={"wounds_max": 1, "armour": 0})

    way = path(on_map, OUTSIDE, INSIDE, crosses=("vane", "xan"), distance_after={"vane": 64.6, "xan": 65})
    done = table.play("move", "brok", **way, overwatch_fire="fire", to_hit=50, damage=5, pinning=1)

    assert len(done.of(ev.AttackMade)) == 1
    assert asked(done) == ["overwatch_fire"]


@pytest.mark.clause("DH-3890", "DH-3900")
def test_two_zones_entered_at_one_point_both_fire() -> None:
    table = fight(
        True,
        {"vane": HERE, "xan": HERE, "brok": OUTSIDE},
        vane={"side": "us"},
        xan={"sample": "vane", "side": "us"},
    )
    declare(table)
    declare(table, "xan")

    done = table.play("move", "brok", path=[INSIDE], overwatch_fire="fire", to_hit=95, pinning=1)

    assert [made.combatant for made in done.of(ev.AttackMade)] == ["vane", "xan"]
    assert [moved.distance for moved in done.of(ev.Moved)] == [115, 85]


def charged(on_map: bool, **people: Any) -> PlayTable:
    """Brok, in melee with Gorm, means to charge Sable past Vane's zone, which begins half-way."""
    table = fight(
        on_map,
        {"vane": HERE, "gorm": (20, -15), "sable": (20, -6), "brok": (20, -14)},
        melee=(("brok", "gorm"),),
        vane={"side": "us"},
        gorm={"held": {"great_weapon": "both"}, "side": "us"},
        sable={"side": "us"},
        brok={"ag": 38, "size": 4, "armour": 0, **people.get("brok", {})},
    )
    declare(table)
    table.until_turn_of("brok")
    return table


CHARGE_PAST: dict[str, Any] = {
    "path_straight": True,
    "crosses": ("vane",),
    "crosses_at": {"vane": 5.72},
    "leaves": ("gorm",),
}


def charge_past(table: PlayTable, on_map: bool, **answers: Any) -> Played:
    """Brok charges Sable."""
    said = {} if on_map else {"said": CHARGE_PAST}
    if not on_map and "overwatch_fire" in answers:
        answers["overwatch_distance"] = ("state", {"distance": 2160})
    return table.play("charge", "brok", "sable", **said, **answers)


@both_ways
@pytest.mark.clause("DH-3980", "DH-3990", "DH-3900")
def test_a_charge_out_of_melee_through_a_zone_free_attack_shot_and_blow(on_map: bool) -> None:
    table = charged(on_map)

    done = charge_past(
        table,
        on_map,
        free_attack="take",
        gorm__to_hit=99,
        overwatch_fire="fire",
        vane__to_hit=95,
        pinning=1,
        charge__to_hit=98,
    )

    assert [made.combatant for made in done.of(ev.AttackMade)] == ["gorm", "vane", "brok"]
    assert [moved.distance for moved in done.of(ev.Moved)] == ([572, 128] if on_map else [572, 228])
    # He is locked with Gorm no longer when he is shot at, so that nobody shoots into a melee.
    shot = done.of(ev.CheckRolled)[1]
    assert "shooting_into_melee" not in [term.id for term in shot.terms]
    assert engaged(table, "brok", "sable")
    assert not engaged(table, "brok", "gorm")


@both_ways
@pytest.mark.clause("DH-3990")
def test_who_is_pinned_half_way_goes_on_and_the_pinning_ends_on_contact(on_map: bool) -> None:
    table = charged(on_map)

    done = charge_past(
        table,
        on_map,
        free_attack="pass",
        overwatch_fire="fire",
        vane__to_hit=95,
        pinning=99,
        charge__to_hit=98,
    )

    blow = done.of(ev.CheckRolled)[-1]
    assert (blow.combatant, blow.target) == ("brok", 50)
    assert [(event.kind, event.why) for event in done.of(ev.EffectEnded) if event.kind == "pinned"] == [
        ("pinned", "engaged")
    ]
    assert not table.has("brok", "pinned")


@both_ways
@pytest.mark.clause("DH-3990")
@pytest.mark.parametrize(("minion", "damage", "why"), [(0, 5, "stunned"), (1, 9, "dead")])
def test_who_is_stunned_or_killed_half_way_stays_there_without_a_blow(
    on_map: bool, minion: int, damage: int, why: str
) -> None:
    table = charged(on_map, brok={"wounds_max": 1, "minion": minion})

    more = {} if minion else {"pinning": 1}
    done = charge_past(table, on_map, free_attack="pass", overwatch_fire="fire", to_hit=50, damage=damage, **more)

    stopped = done.one(ev.ActionStopped)
    assert (stopped.action, stopped.why, stopped.clause) == ("charge", why, "DH-3990")
    assert [made.combatant for made in done.of(ev.AttackMade)] == ["vane"]
    assert not engaged(table, "brok", "sable")
    if on_map:
        assert spot_of(table, "brok") == (20, -8.28)


@both_ways
@pytest.mark.clause("DH-3330", "DH-3980")
def test_who_is_stopped_by_the_free_attack_never_comes_into_the_zone(on_map: bool) -> None:
    table = charged(on_map, brok={"wounds_max": 1})

    done = charge_past(table, on_map, free_attack="take", to_hit=44, damage=(1, 2))

    assert asked(done) == ["free_attack"]
    assert not done.of(ev.Moved)


@both_ways
@pytest.mark.clause("DH-3890")
def test_a_charge_past_a_watcher_who_holds_looks_as_if_nobody_watched(on_map: bool) -> None:
    watching, alone = charged(on_map), charged(on_map)
    alone.rule(cmd.RemoveEffect(CombatantId("vane"), "overwatching"))  # type: ignore[arg-type]

    said = {} if on_map else {"said": CHARGE_PAST}
    held = watching.play("charge", "brok", "sable", free_attack="pass", overwatch_fire="hold", to_hit=98, **said)
    plain = alone.play("charge", "brok", "sable", free_attack="pass", to_hit=98, **said)

    assert held.events == plain.events


@both_ways
@pytest.mark.clause("DH-3910", "DH-5650")
def test_a_target_locked_in_melee_does_not_test_his_nerve(on_map: bool) -> None:
    watch = {"attack": "standard_attack", "trigger": "attacks"}
    table = fight(
        on_map,
        {"vane": HERE, "brok": (60, 0), "sable": (61, 0)},
        melee=(("brok", "sable"),),
        brok={"held": {"knife": "main"}},
        vane={"side": "us"},
        sable={"side": "us"},
    )
    declare(table, watch=watch)

    given = {} if on_map else {"said": {"inside": ("brok",)}}
    done = table.play(
        "standard_attack",
        "brok",
        "sable",
        overwatch_fire="fire",
        vane__to_hit=95,
        standard_attack__to_hit=99,
        **given,
    )

    assert ("shooting_into_melee", -20) in [(term.id, term.value) for term in done.check.terms]
    assert len(done.of(ev.CheckRolled)) == 2


@both_ways
@pytest.mark.clause("DH-3350", "DH-3920")
@pytest.mark.parametrize(("die", "lasts"), [(95, True), (96, False)])
def test_a_pistol_that_jams_in_a_free_attack_watches_no_more(on_map: bool, die: int, lasts: bool) -> None:
    pistol = Item("autopistol", held="main", marks={"ammo": 18})
    table = fight(on_map, {"vane": HERE, "brok": (1, 0)}, melee=(("vane", "brok"),), vane={"items": {"gun": pistol}})
    watch = {"attack": "full_auto_burst", "trigger": "enters_zone"}
    table.play("overwatch", "vane", options=watch, area=zone(30), facing=90)
    table.end_turn()

    way = path(on_map, (1, 0), (3, 0), leaves=("vane",), crosses=())
    table.play("move", "brok", **way, free_attack=("take", {"weapon": "gun"}), to_hit=die)

    assert table.has("vane", "overwatching") is lasts


@pytest.mark.clause("DH-3880", "DH-3890")
@pytest.mark.parametrize(
    ("ruled", "where"),
    [("yes", -2485), (("yes", {"at": 150}), -2450), (("yes", {"at": 50}), None), ("no", None)],
)
def test_the_gm_may_say_where_the_words_are_met_but_only_in_the_zone_is_anybody_shot_at(
    ruled: Any, where: int | None
) -> None:
    watch = {"attack": "standard_attack", "trigger": "text", "text": "when he waves"}
    table = watched(True, watch=watch)

    more: dict[str, Any] = {} if where is None else {"overwatch_fire": "fire", "to_hit": 95, "pinning": 1}
    done = table.play("move", "brok", path=[INSIDE], overwatch_trigger=ruled, **more)

    assert bool(done.of(ev.AttackMade)) is (where is not None)
    if where is not None:
        assert done.of(ev.Moved)[0].place.y == where


@pytest.mark.clause("DH-3890")
def test_words_about_a_way_that_never_comes_into_the_zone_are_not_judged() -> None:
    watch = {"attack": "standard_attack", "trigger": "text", "text": "when he waves"}
    table = watched(True, watch=watch)

    assert not table.play("move", "brok", path=[NEAR_BORDER]).asked


@both_ways
@pytest.mark.clause("DH-3880")
def test_an_overwatch_put_on_somebody_by_a_ruling_watches_nothing(on_map: bool) -> None:
    table = fight(on_map, {"vane": HERE, "brok": OUTSIDE})
    effect(table, "vane", "overwatching")
    table.end_turn()

    assert not enter(table, on_map).asked


@pytest.mark.clause("DH-3900", "DH-3930")
@pytest.mark.parametrize("pusher_agility", [30, 47])
def test_who_is_pushed_in_by_another_is_shot_at_and_may_dodge(pusher_agility: int) -> None:
    table = fight(
        True,
        {"vane": HERE, "gorm": (60, -26.5), "brok": (60, -25.5)},
        melee=(("gorm", "brok"),),
        vane={"side": "us"},
        gorm={"side": "us", "ag": pusher_agility},
    )
    declare(table)

    done = table.play(
        "manoeuvre",
        "gorm",
        "brok",
        options={"direction": 180},
        gorm__manoeuvre=1,
        brok__manoeuvre=99,
        overwatch_fire="fire",
        to_hit=50,
        defend="dodge",
        dodge=1,
        pinning=1,
    )

    moved = [event.distance for event in done.of(ev.Moved)]
    # Who pushes more quickly than Vane shoots has pushed before he is shot at.
    assert moved == ([100] if pusher_agility > 40 else [65, 35])
    assert spot_of(table, "brok") == (60, -24.5)
    assert done.of(ev.DefenceResolved)[0].combatant == "brok"
