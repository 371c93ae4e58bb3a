"""Called Shot: at -20, and one hit where it was aimed. Clauses DH-3800 to DH-3820."""

from typing import Any

import pytest

from app.engine import events as ev
from tests.rulesets.dark_heresy_2e.firing import cited, fired, jammed, places, result, terms, weapon
from tests.rulesets.dark_heresy_2e.going import both_ways
from tests.support.play import PlayTable, duel

LOCATIONS = ("head", "right_arm", "left_arm", "body", "right_leg", "left_leg")


def shooting(distance: float = 60, **gun: Any) -> PlayTable:
    """Vane shoots at Gorm, normally at normal range."""
    return duel(distance, vane={"sample": "vane", **gun}, gorm={"sample": "gorm"})


@pytest.mark.clause("DH-3800")
@pytest.mark.parametrize(("die", "outcome"), [(17, ("success", 3)), (35, ("success", 1)), (36, ("failure", 1))])
def test_a_called_shot_is_at_minus_20_without_the_bonus_of_a_standard_attack(
    die: int, outcome: tuple[str, int]
) -> None:
    given: dict[str, Any] = {"defend": ...} if outcome[0] == "success" else {}

    done = shooting().play("called_shot", "vane", "gorm", location="head", to_hit=die, **given)

    assert terms(done) == {"bs": 45, "called_shot": -20, "size": 10}
    assert result(done) == (35, *outcome)


@pytest.mark.clause("DH-3800")
@both_ways
def test_hand_to_hand_it_is_weapon_skill_at_minus_20(on_map: bool) -> None:
    table = duel(1, on_map=on_map, sable={"sample": "sable"}, bob={"sample": "vane"})

    done = table.play("called_shot", "sable", "bob", location="head", to_hit=33)

    assert (done.check.check, *result(done)) == ("ws", 32, "failure", 1)


@pytest.mark.clause("DH-3800")
@pytest.mark.parametrize("location", LOCATIONS)
def test_a_success_is_one_hit_on_the_location_named(location: str) -> None:
    done = shooting().play("called_shot", "vane", "gorm", location=location, to_hit=1, defend=...)

    assert places(done) == [location]


@pytest.mark.clause("DH-3800")
@pytest.mark.parametrize(
    ("location", "reasons"),
    [
        *((one, []) for one in LOCATIONS),
        ("tail", [("unknown_location", "DH-3800")]),
        (None, [("missing_input", "DH-3800")]),
    ],
)
def test_the_location_must_be_one_that_a_body_has(location: str | None, reasons: list[tuple[str, str]]) -> None:
    assert cited(shooting().reasons("called_shot", "vane", "gorm", location=location)) == reasons


@pytest.mark.clause("DH-3800")
@both_ways
@pytest.mark.parametrize(("distance", "reasons"), [(1.5, []), (1.6, [("not_engaged", "DH-3800")])])
def test_a_blow_needs_a_foe_within_reach(on_map: bool, distance: float, reasons: list[tuple[str, str]]) -> None:
    table = duel(distance, on_map=on_map, sable={"sample": "sable"}, bob={"sample": "vane"})

    assert cited(table.reasons("called_shot", "sable", "bob", location="head")) == reasons


@pytest.mark.clause("DH-3800")
@pytest.mark.parametrize(
    ("items", "reasons"),
    [
        (weapon("autogun", ammo=1), []),
        (weapon("autogun", ammo=0), [("not_enough_ammo", "DH-3800")]),
        (weapon("heavy_stubber", ammo=80, braced=1), [("fire_mode_not_available", "DH-3800")]),
        (weapon("autogun", ammo=1, jammed=1), [("weapon_jammed", "DH-4550")]),
        (weapon("autogun", None, ammo=1), [("weapon_not_ready", "DH-4550")]),
        (
            weapon("hand_flamer", "main", ammo=2),
            [("weapon_quality_forbids", "DH-3800"), ("missing_input", "DH-5700")],
        ),
    ],
)
def test_the_weapon_must_be_able_to_fire_a_single_aimed_shot(
    items: dict[str, Any], reasons: list[tuple[str, str]]
) -> None:
    table = shooting(9, items=items)

    assert cited(table.reasons("called_shot", "vane", "gorm", weapon=next(iter(items)), location="head")) == reasons


@pytest.mark.clause("DH-3800", "DH-5140")
@both_ways
@pytest.mark.parametrize(("distance", "reasons"), [(400, []), (400.1, [("out_of_range", "DH-4550")])])
def test_the_target_must_be_in_range(on_map: bool, distance: float, reasons: list[tuple[str, str]]) -> None:
    table = duel(distance, on_map=on_map, vane={"sample": "vane"}, gorm={"sample": "gorm"})

    assert cited(table.reasons("called_shot", "vane", "gorm", location="head")) == reasons


@pytest.mark.clause("DH-3800", "DH-5490", "DH-5220")
@pytest.mark.parametrize(
    ("location", "hits"),
    [("head", ["head", "head"]), ("left_leg", ["left_leg", "left_leg"]), ("body", ["body", "body"])],
)
def test_a_quality_that_gives_a_second_hit_continues_from_the_location_named(location: str, hits: list[str]) -> None:
    table = shooting(60, items=weapon("storm_bolter", ammo=60))

    done = table.play("called_shot", "vane", "gorm", location=location, to_hit=1, defend=...)

    assert places(done) == hits


@pytest.mark.clause("DH-3810")
def test_the_gm_is_asked_about_a_special_part_before_anything_is_spent() -> None:
    table = shooting()

    done = table.play(
        "called_shot", "vane", "gorm", location="eye", options={"special": True}, gm_called_shot_target=...
    )

    question = done.questions()[0]
    assert (question.kind, question.to, question.default) == ("gm_called_shot_target", "gm", "deny")
    assert [[field.name for field in option.form] for option in question.options] == [["modifier", "effect"], []]
    assert done.events == ()


@pytest.mark.clause("DH-3810")
def test_a_denial_spends_nothing() -> None:
    table = shooting()

    done = table.play(
        "called_shot", "vane", "gorm", location="eye", options={"special": True}, gm_called_shot_target="deny"
    )

    assert [(note.fact, note.words, note.clause) for note in done.of(ev.Noted)] == [("gm_refused", ("eye",), "DH-3810")]
    assert table.who("vane").budget["half_action"] == 2
    assert table.who("vane").items["autogun"].marks["ammo"] == 30
    assert table.why_not("called_shot", "vane", "gorm", location="head") == []


@pytest.mark.clause("DH-3810")
def test_a_special_part_of_a_body_may_be_evaded_and_the_gm_says_what_a_hit_does() -> None:
    table = shooting()
    allowed = ("allow", {"modifier": -10, "effect": "blinded"})
    shot: dict[str, Any] = {"location": "eye", "options": {"special": True}, "gm_called_shot_target": allowed}

    done = table.play("called_shot", "vane", "gorm", **shot, to_hit=9, defend="none")

    assert terms(done) == {"bs": 45, "called_shot": -20, "size": 10, "gm": -10}
    assert result(done) == (25, "success", 3)
    assert places(done) == ["eye"]
    assert [(note.fact, note.target, note.words) for note in done.of(ev.Noted)] == [
        ("special_hit", "gorm", ("eye", "blinded"))
    ]
    assert not done.of(ev.DamageDealt)


@pytest.mark.clause("DH-3810")
@pytest.mark.parametrize(("die", "evasion"), [(26, {}), (9, {"defend": "dodge", "dodge": 6})])
def test_a_special_part_that_is_missed_or_evaded_suffers_nothing(die: int, evasion: dict[str, Any]) -> None:
    table = shooting()
    shot: dict[str, Any] = {
        "location": "eye",
        "options": {"special": True},
        "gm_called_shot_target": ("allow", {"modifier": -10}),
    }

    done = table.play("called_shot", "vane", "gorm", **shot, to_hit=die, **evasion)

    assert not done.of(ev.Noted)


@pytest.mark.clause("DH-3810")
def test_a_thing_that_is_nobody_may_be_the_target() -> None:
    """The ledger's door lock: 45-20 and another -10 by the GM."""
    table = shooting()
    allowed = ("allow", {"modifier": -10, "effect": "the lock breaks"})

    done = table.play(
        "called_shot", "vane", location="door_lock", options={"special": True}, gm_called_shot_target=allowed, to_hit=9
    )

    assert terms(done) == {"bs": 45, "called_shot": -20, "gm": -10}
    assert result(done) == (15, "success", 2)
    assert done.check.against is None
    assert [(note.fact, note.target, note.words) for note in done.of(ev.Noted)] == [
        ("special_hit", None, ("door_lock", "the lock breaks"))
    ]
    assert fired(done) == 1


@pytest.mark.clause("DH-3810", "DH-4370", "DH-5390")
@pytest.mark.parametrize(("die", "jam"), [(36, False), (96, True)])
def test_a_shot_at_a_thing_uses_up_an_aim_and_may_jam(die: int, jam: bool) -> None:
    table = shooting()
    table.play("aim", "vane", type="full")
    table.end_turn()
    table.end_turn()

    done = table.play(
        "called_shot", "vane", location="door_lock", options={"special": True},
        gm_called_shot_target=("allow", {"modifier": -10}), to_hit=die,
    )  # fmt: skip

    assert (done.check.target, jammed(done), done.of(ev.Noted)) == (35, jam, [])
    assert not table.has("vane", "aiming")


@pytest.mark.clause("DH-3810", "DH-3800")
def test_a_thing_is_struck_with_what_is_in_hand() -> None:
    table = duel(5, sable={"sample": "sable"}, vane={"sample": "vane"})
    allowed: tuple[str, dict[str, int]] = ("allow", {})

    done = table.play(
        "called_shot", "sable", location="lamp", options={"special": True}, gm_called_shot_target=allowed, to_hit=32
    )

    assert (done.check.check, *result(done)) == ("ws", 32, "success", 1)


@pytest.mark.clause("DH-3810", "DH-5700")
@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({"location": "door_lock", "options": {"special": True}}, []),
        ({"location": "door_lock"}, [("unknown_location", "DH-3800")]),
        ({"location": "head", "options": {"special": True}}, [("missing_input", "DH-5700")]),
        ({"location": "head"}, [("missing_input", "DH-5700")]),
    ],
)
def test_only_a_special_place_needs_nobody_as_its_target(
    fields: dict[str, Any], reasons: list[tuple[str, str]]
) -> None:
    assert cited(shooting().reasons("called_shot", "vane", **fields)) == reasons


@pytest.mark.clause("DH-3810")
@pytest.mark.parametrize(
    ("items", "reasons"),
    [
        (weapon("autogun", ammo=0), [("not_enough_ammo", "DH-3800")]),
        (weapon("autogun", ammo=9, jammed=1), [("weapon_jammed", "DH-4550")]),
        (weapon("sword", None), [("weapon_not_ready", "DH-4550")]),
    ],
)
def test_at_a_thing_too_the_weapon_must_work(items: dict[str, Any], reasons: list[tuple[str, str]]) -> None:
    table = shooting(60, items=items)
    fields: dict[str, Any] = {"location": "door_lock", "options": {"special": True}, "weapon": next(iter(items))}

    assert cited(table.reasons("called_shot", "vane", **fields)) == reasons


@pytest.mark.clause("DH-3810")
def test_a_location_of_the_body_needs_no_leave_even_if_it_is_called_special() -> None:
    done = shooting().play(
        "called_shot", "vane", "gorm", location="head", options={"special": True}, to_hit=17, defend=...
    )

    assert places(done) == ["head"]


@pytest.mark.clause("DH-3820", "DH-4340")
@pytest.mark.parametrize(("die", "outcome"), [(40, "success"), (46, "failure")])
def test_an_aim_of_the_turn_before_counts(die: int, outcome: str) -> None:
    table = duel(60, vane={"sample": "vane"}, bob={"sample": "vane"})
    table.play("aim", "vane", type="full")
    table.end_turn()
    table.end_turn()
    given: dict[str, Any] = {"defend": ...} if outcome == "success" else {}

    done = table.play("called_shot", "vane", "bob", location="body", to_hit=die, **given)

    assert result(done) == (45, outcome, 1)


@pytest.mark.clause("DH-3820")
def test_it_uses_up_the_attack_and_the_concentration_of_the_turn() -> None:
    table = shooting()

    table.play("called_shot", "vane", "gorm", location="head", to_hit=90)

    assert {"attack", "concentration"} <= set(table.who("vane").done[0].tags)
    assert table.who("vane").budget["half_action"] == 0


@pytest.mark.clause("DH-3820", "DH-5390")
@pytest.mark.parametrize(("die", "jam"), [(95, False), (96, True)])
def test_it_jams_like_a_single_shot(die: int, jam: bool) -> None:
    assert jammed(shooting().play("called_shot", "vane", "gorm", location="head", to_hit=die)) == jam


@pytest.mark.clause("DH-5050")
def test_the_ledgers_shot_from_hiding() -> None:
    table = duel(60, vane={"sample": "vane"}, sable={"sample": "sable"})

    done = table.play("called_shot", "vane", "sable", location="head", options={"aware": False}, to_hit=56)

    assert done.check.target == 55
