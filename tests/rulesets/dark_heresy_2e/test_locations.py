"""Where hits land: the reversed die, and the table of Multiple Hits. Clauses DH-5210, DH-5220."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.blocks.d100 import reversed_die
from app.engine.ids import CombatantId
from app.engine.scene import Scene
from rulesets.dark_heresy_2e.locations import first_location, fresh_location, later_locations, location_at
from tests.rulesets.dark_heresy_2e.firing import places, weapon
from tests.support.play import PlayTable, Script, duel

ANN = CombatantId("ann")


def shooting(bs: int = 45, kind: str = "autogun", **options: Any) -> PlayTable:
    """Somebody of that skill 60 m from Vane."""
    gun = {"sample": "vane", "bs": bs, "items": weapon(kind, ammo=30)}
    return duel(60, ann=gun, bob={"sample": "vane"}, options=options)


@pytest.mark.clause("DH-5210")
@pytest.mark.parametrize(("die", "figure"), [(5, 50), (10, 1), (1, 10), (34, 43), (99, 99), (100, 100), (90, 9)])
def test_the_digits_of_the_attack_die_are_exchanged(die: int, figure: int) -> None:
    assert reversed_die(die) == figure


@pytest.mark.clause("DH-5210")
@pytest.mark.parametrize(
    ("die", "location"),
    [
        (1, "head"),
        (10, "head"),
        (11, "right_arm"),
        (2, "right_arm"),
        (12, "left_arm"),
        (3, "left_arm"),
        (13, "body"),
        (7, "body"),
        (17, "right_leg"),
        (58, "right_leg"),
        (68, "left_leg"),
        (99, "left_leg"),
        (100, "left_leg"),
        (23, "body"),
        (41, "right_arm"),
        (55, "body"),
    ],
)
def test_the_first_hit_lands_by_the_reversed_die(die: int, location: str) -> None:
    assert first_location(shooting().table, die) == location


@pytest.mark.clause("DH-5210")
@pytest.mark.parametrize(
    ("figure", "location"),
    [
        (1, "head"),
        (10, "head"),
        (11, "right_arm"),
        (20, "right_arm"),
        (21, "left_arm"),
        (30, "left_arm"),
        (31, "body"),
        (70, "body"),
        (71, "right_leg"),
        (85, "right_leg"),
        (86, "left_leg"),
        (100, "left_leg"),
    ],
)
def test_each_location_has_its_share_of_the_hundred(figure: int, location: str) -> None:
    assert location_at(shooting().table, figure) == location


@pytest.mark.clause("DH-5210")
@pytest.mark.parametrize(("die", "location"), [(55, "body"), (2, "right_arm"), (10, "head")])
def test_an_attack_lands_by_its_own_die(die: int, location: str) -> None:
    done = shooting(95).play("standard_attack", "ann", "bob", to_hit=die, defend=...)

    assert places(done) == [location]


@pytest.mark.clause("DH-5210")
@pytest.mark.parametrize(("die", "location"), [(1, "head"), (12, "right_arm"), (21, "left_arm"), (100, "left_leg")])
def test_without_an_attack_roll_a_d100_says_where_as_it_falls(die: int, location: str) -> None:
    table = shooting()
    scene = Scene(table.rules, table.state, {}, Script({"location": die}).source)

    assert fresh_location(scene, ANN, CombatantId("bob")) == location
    told = scene.events[-1].event
    assert isinstance(told, ev.Noted)
    assert (told.fact, told.target, told.words) == ("hit_location", "bob", (location,))
    assert [(one.value, one.sides) for one in told.dice] == [(die, 100)]


def later(table: PlayTable, die: int, count: int, **given: str) -> list[str]:
    """All of so many hits by that attack die."""
    scene = Scene(table.rules, table.state, {}, Script(dict(given)).source)
    first = first_location(table.table, die)
    return [first, *later_locations(scene, ANN, first, die, count - 1)]


@pytest.mark.clause("DH-5220")
@pytest.mark.parametrize(
    ("die", "hits"),
    [
        (34, ["body", "body", "right_arm", "head"]),
        (35, ["body", "body", "left_arm"]),
        (12, ["left_arm", "left_arm", "body", "head", "body", "left_arm"]),
        (17, ["right_leg", "right_leg", "body", "right_arm", "head"]),
        (10, ["head", "head", "right_arm", "body", "right_arm", "body"]),
        (1, ["head", "head", "left_arm", "body", "left_arm", "body"]),
        (11, ["right_arm", "right_arm", "body", "head", "body", "right_arm"]),
        (68, ["left_leg", "left_leg", "body", "left_arm", "head", "body"]),
        (34, ["body", "body", "right_arm", "head", "right_arm", "body"]),
    ],
)
def test_further_hits_follow_the_row_of_the_first(die: int, hits: list[str]) -> None:
    assert later(shooting(), die, len(hits)) == hits


@pytest.mark.clause("DH-5220")
@pytest.mark.parametrize(("die", "last"), [(10, "body"), (12, "left_arm"), (34, "body"), (17, "body")])
def test_the_sixth_place_of_a_row_holds_for_all_after_it(die: int, last: str) -> None:
    assert later(shooting(), die, 10)[5:] == [last] * 5


@pytest.mark.clause("DH-5220")
def test_a_burst_lands_so() -> None:
    done = shooting(95).play("full_auto_burst", "ann", "bob", to_hit=52, defend=...)

    assert places(done) == ["left_arm", "left_arm", "body", "head"]


@pytest.mark.clause("DH-5220")
@pytest.mark.parametrize(
    ("option", "die", "side"),
    [("parity", 34, "right"), ("parity", 35, "left"), ("right", 34, "right"), ("right", 35, "right")],
)
def test_an_open_side_goes_by_the_die_or_is_always_the_right_one(option: str, die: int, side: str) -> None:
    assert later(shooting(multi_hit_side=option), die, 3) == ["body", "body", f"{side}_arm"]


@pytest.mark.clause("DH-5220")
@pytest.mark.parametrize("option", ["parity", "right", "gm"])
def test_a_side_that_the_first_hit_has_stays(option: str) -> None:
    assert later(shooting(multi_hit_side=option), 12, 2) == ["left_arm", "left_arm"]


@pytest.mark.clause("DH-5220")
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_gm_may_be_asked_for_an_open_side(side: str) -> None:
    table = shooting(95, multi_hit_side="gm")

    done = table.play("full_auto_burst", "ann", "bob", to_hit=64, multi_hit_side=side, defend=...)

    question = done.questions("multi_hit_side")[0]
    assert (question.to, question.default, question.clause) == ("gm", "right", "DH-5220")
    assert places(done) == ["body", "body", f"{side}_arm"]


@pytest.mark.clause("DH-5220")
def test_the_gm_is_not_asked_where_no_side_is_open() -> None:
    table = shooting(95, multi_hit_side="gm")

    assert places(table.play("semi_auto_burst", "ann", "bob", to_hit=74, defend=...)) == ["body", "body"]


@pytest.mark.clause("DH-5220", "DH-5420")
def test_each_hit_meets_the_armour_of_its_own_location() -> None:
    armour = {"head": 0, "right_arm": 1, "left_arm": 2, "body": 3, "right_leg": 4, "left_leg": 5}
    gun = {"sample": "vane", "bs": 75, "items": weapon("autogun", ammo=30)}
    table = duel(60, ann=gun, bob={"sample": "vane", "armour": armour, "wounds_max": 60})

    done = table.play("full_auto_burst", "ann", "bob", to_hit=34, defend="none", damage=9)

    soak = [{term.id: term.value for term in dealt.soak}.get("armour", 0) for dealt in done.of(ev.DamageDealt)]
    assert (places(done), soak) == (["body", "body", "right_arm", "head"], [3, 3, 1, 0])
