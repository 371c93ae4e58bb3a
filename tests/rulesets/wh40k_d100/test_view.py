"""Field of view, turning to follow, Unseen, surprise and alarm. Clauses WH-520 to WH-590."""

from math import cos, radians, sin
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, PairFact
from rulesets.wh40k_d100.view import field_of_view, sees
from tests.rulesets.wh40k_d100.fights import begin, fight, held, noted, wall
from tests.support.play import Played, PlayTable

A, B, C = CombatantId("a"), CombatantId("b"), CombatantId("c")
SWORD = {"items": held("sword"), "ag": 90}


def at(bearing: float, far: float = 1.5, facing: int = 0) -> dict[str, Any]:
    """So far from the origin in that direction, where north is up."""
    return {"at": (round(far * sin(radians(bearing)), 2), round(-far * cos(radians(bearing)), 2), facing)}


def spot(bearing: float, far: float = 1.5) -> tuple[float, float]:
    """The point of a path."""
    x, y, _ = at(bearing, far)["at"]
    return x, y


def around(bearing: float, far: float = 1.5, **target: Any) -> PlayTable:
    """An attacker at that bearing of a target who faces north, the attacker's turn."""
    return fight(a={**SWORD, **at(bearing, far)}, b={"at": (0, 0, 0), **SWORD, **target})


def is_unseen(done: Played) -> bool:
    """Whether the attack was unseen, as the log and the types of the action tell."""
    return "unseen" in noted(done)


# WH-520


@pytest.mark.clause("WH-520", "WH-590")
def test_from_behind_all_turn_long_an_attack_is_unseen_and_not_evaded() -> None:
    table = around(180)
    table.play("move", "a", path=[spot(160), spot(140)])

    done = table.play("attack", "a", "b", to_hit=20, damage=5)

    assert is_unseen(done)
    assert "unseen" in done.one(ev.ActionTaken).tags
    assert not done.questions("defend")
    assert table.who("b").budget["reaction"] == 1


@pytest.mark.clause("WH-520", "WH-530")
def test_one_moment_in_view_spoils_it() -> None:
    table = around(60)
    done = table.play("full_move", "a", path=[spot(90), spot(130), spot(170)])

    turned = done.one(ev.Turned)
    assert (turned.combatant, turned.facing, turned.clause) == ("b", 170, "WH-530")
    table.until_turn_of("b")
    table.until_turn_of("a")
    table = around(60, wp=30)
    table.play("move", "a", path=[spot(90), spot(130), spot(170)])
    done = table.play("attack", "a", "b", to_hit=20, defend="dodge", dodge=20)
    assert not is_unseen(done)
    assert "unseen" not in done.one(ev.ActionTaken).tags


@pytest.mark.clause("WH-520", "WH-530")
def test_passing_through_the_view_counts_though_it_begins_and_ends_outside() -> None:
    table = around(150)

    done = table.play("full_move", "a", path=[spot(90), spot(0), spot(-90), spot(-150)])

    assert done.one(ev.Turned).facing == 210


@pytest.mark.clause("WH-520", "WH-530")
def test_a_stunned_target_does_not_turn_but_has_seen_him_this_turn() -> None:
    table = around(60)
    begin(table, "b", "stunned", 3)
    moved = table.play("move", "a", path=[spot(90), spot(130), spot(170)])
    assert not moved.of(ev.Turned)
    done = table.play("attack", "a", "b", to_hit=20, damage=5)
    assert not is_unseen(done)
    table.end_turn()
    table.end_turn()

    done = table.play("attack", "a", "b", to_hit=20, damage=5)

    assert is_unseen(done)


@pytest.mark.clause("WH-530")
def test_turning_after_one_puts_another_out_of_view() -> None:
    table = fight(
        a={**SWORD, **at(60), "side": "us"},
        b={"at": (0, 0, 0), **SWORD},
        c={**SWORD, **at(0, 1.4), "side": "us"},
    )
    table.play("move", "a", path=[spot(90), spot(130), spot(170)])
    place = table.who("b").place
    assert place is not None
    assert place.facing == 170
    done = table.play("attack", "a", "b", to_hit=99)
    assert not is_unseen(done)
    table.until_turn_of("c")

    done = table.play("attack", "c", "b", to_hit=20, damage=5)

    assert is_unseen(done)


@pytest.mark.clause("WH-530")
def test_who_follows_keeps_the_mover_in_view_next_turn() -> None:
    table = around(60)
    table.play("full_move", "a", path=[spot(90), spot(130), spot(170)])
    table.end_turn()
    table.end_turn()

    assert not is_unseen(table.play("attack", "a", "b", to_hit=99))


@pytest.mark.clause("WH-530", "WH-520")
@pytest.mark.parametrize("condition", ["hidden", "invisible"])
def test_nobody_turns_after_the_hidden_or_invisible(condition: str) -> None:
    table = around(60)
    begin(table, "a", condition)
    table.until_turn_of("b")
    table.until_turn_of("a")

    done = table.play("move", "a", path=[spot(90), spot(130), spot(170)])

    assert not done.of(ev.Turned)
    assert is_unseen(table.play("attack", "a", "b", to_hit=99))


@pytest.mark.clause("WH-520")
def test_hiding_in_mid_turn_does_not_undo_having_been_seen() -> None:
    table = around(60)
    begin(table, "a", "invisible")

    assert not is_unseen(table.play("attack", "a", "b", to_hit=99))


@pytest.mark.clause("WH-520", "WH-540")
def test_a_wall_hides_too() -> None:
    table = fight(
        ground=Ground(walls=(wall(-5, -10, 5, -10),)),
        a={"at": (0, -20, 180), "items": held("lasgun", "both")},
        b={"at": (0, 0, 0), **SWORD},
    )
    assert sees(table.table, B, A) is False
    assert table.why_not("attack", "a", "b") == ["no_line_of_sight"]


@pytest.mark.clause("WH-520")
def test_without_a_map_it_is_claimed_and_the_gm_says() -> None:
    table = fight(apart=1, a=SWORD, b=SWORD)
    assert not is_unseen(table.play("attack", "a", "b", to_hit=99))

    for says in ("yes", "no"):
        table = fight(apart=1, a=SWORD, b=SWORD)
        done = table.play("attack", "a", "b", options={"unseen": True}, is_unseen__b=says, to_hit=99)
        assert [one.kind for one in done.questions()] == ["is_unseen"]
        assert is_unseen(done) is (says == "yes")


@pytest.mark.clause("WH-520", "WH-530", "WH-400")
def test_without_a_map_what_is_stated_counts_and_a_claim_against_it_is_refused() -> None:
    table = fight(a=SWORD, b=SWORD)
    table.rule(cmd.SetFact(B, A, PairFact(sees=False)))
    done = table.play("attack", "a", "b", to_hit=99)
    assert is_unseen(done)
    assert not done.questions()

    table = fight(a=SWORD, b=SWORD)
    table.rule(cmd.SetFact(B, A, PairFact(sees=True)))
    assert table.why_not("attack", "a", "b", options={"unseen": True}) == ["contradicting_modifiers"]
    table.until_turn_of("b")
    table.until_turn_of("a")
    assert not is_unseen(table.play("attack", "a", "b", to_hit=99))
    table = around(0)
    assert table.why_not("attack", "a", "b", options={"unseen": True}) == ["contradicting_modifiers"]
    assert around(180).why_not("attack", "a", "b", options={"unseen": True}) == []


@pytest.mark.clause("WH-520", "WH-980")
def test_an_area_may_be_unseen_to_one_and_seen_by_another() -> None:
    table = fight(
        a={**at(180, 8), "s": 60, "bs": 90, "items": held("frag_grenade")},
        b={"at": (0, 0, 0), **SWORD},
        c={"at": (1, 0, 180), **SWORD},
    )

    done = table.play("area_attack", "a", "b", to_hit=20, c__defend="none", damage=(3, 4))

    unseen = [one.target for one in done.of(ev.Noted) if one.fact == "unseen"]
    assert unseen == ["b"]
    assert [one.to for one in done.questions("defend")] == ["c"]


# WH-540, WH-550


@pytest.mark.clause("WH-540")
@pytest.mark.parametrize(
    ("bearing", "seen"), [(0, True), (105, True), (105.1, False), (255, True), (250, False), (180, False)]
)
def test_half_of_210_degrees_to_each_side(bearing: float, seen: bool) -> None:
    if bearing in (105, 255):
        # No lattice point lies exactly on that edge: just inside of it.
        bearing += 0.05 if bearing == 255 else -0.05
    table = around(bearing, 60)

    assert sees(table.table, B, A) is seen


@pytest.mark.clause("WH-540")
def test_exactly_on_the_edge_is_in_view() -> None:
    table = around(90, 60, fov_deg=180)
    assert sees(table.table, B, A) is True

    table = fight(a=SWORD, b=SWORD)
    for bearing, seen in ((105, True), (106, False), (-105, True)):
        table.rule(cmd.SetFact(B, A, PairFact(bearing=bearing, sees=True)))
        assert sees(table.table, B, A) is seen


@pytest.mark.clause("WH-540", "WH-590", "WH-430")
def test_the_blinded_see_nothing_and_every_attack_on_them_is_unseen() -> None:
    table = around(0)
    begin(table, "b", "blinded", 3)
    assert sees(table.table, B, A) is False

    done = table.play("attack", "a", "b", to_hit=20, damage=5)

    assert is_unseen(done)
    assert not done.questions("defend")


@pytest.mark.clause("WH-550")
@pytest.mark.parametrize(
    ("changes", "worn", "wider", "degrees"),
    [
        ({}, (), 0, 210),
        ({}, ("carapace_sealed",), 0, 150),
        ({"fov_bonus": 60}, ("carapace_sealed",), 0, 210),
        ({"fov_cap": 100}, ("carapace_sealed",), 0, 100),
        ({"fov_deg": 360, "fov_bonus": 60}, (), 0, 360),
        ({"fov_deg": 90}, (), 0, 90),
        ({}, (), 60, 270),
    ],
)
def test_the_narrowest_and_then_what_widens_it(
    changes: dict[str, int], worn: tuple[str, ...], wider: int, degrees: int
) -> None:
    import msgspec

    table = fight(b=changes)
    body = table.who("b")
    sheet = msgspec.structs.replace(body.sheet, worn=worn)
    table.command(cmd.Edit(msgspec.structs.replace(body, sheet=sheet), ("sheet",)))
    if wider:
        begin(table, "b", "wider_view", wider)

    assert field_of_view(table.table, B) == degrees


@pytest.mark.clause("WH-550", "WH-540")
def test_a_sealed_helm_narrows_the_view() -> None:
    table = around(80, 60, fov_cap=150)
    assert sees(table.table, B, A) is False
    assert sees(around(74.9, 60, fov_cap=150).table, B, A) is True
    assert sees(around(180, 60, fov_deg=360).table, B, A) is True


# WH-560 to WH-580


@pytest.mark.clause("WH-560", "WH-590", "WH-120")
def test_the_unaware_are_surprised_and_evade_nothing() -> None:
    table = fight(apart=100, a={"bs": 55, "items": held("long_las", "both")}, b=SWORD)
    begin(table, "b", "unaware")

    done = table.play("attack", "a", "b", to_hit=31, damage=9)

    assert (done.check.target, done.check.degrees) == (85, 6)
    assert not done.questions("defend")
    assert not is_unseen(done)


@pytest.mark.clause("WH-560")
def test_stepping_into_view_ends_it() -> None:
    table = fight(a={**at(150, 60), "ag": 90, "bs": 55, "items": held("lasgun", "both")}, b={"at": (0, 0, 0), **SWORD})
    begin(table, "b", "unaware")
    done = table.play("move", "a", path=[spot(143, 60)])
    assert table.has("b", "unaware")
    assert not done.of(ev.EffectEnded)
    table = fight(a={**at(106, 60), "ag": 90, "bs": 55, "items": held("lasgun", "both")}, b={"at": (0, 0, 0), **SWORD})
    begin(table, "b", "unaware")

    table.play("move", "a", path=[spot(100, 60)])
    assert not table.has("b", "unaware")

    done = table.play("attack", "a", "b", to_hit=31, defend="dodge", dodge=20)
    assert done.check.target == 55


@pytest.mark.clause("WH-560")
def test_whoever_comes_upon_an_enemy_is_unaware_no_longer() -> None:
    table = fight(b={**at(0, 60), "ag": 90, **SWORD}, a={"at": (60, -60, 270), "items": held("lasgun", "both")})
    begin(table, "b", "unaware")

    table.play("move", "b", path=[(3, -60)])

    assert not table.has("b", "unaware")


@pytest.mark.clause("WH-560")
def test_surprise_against_somebody_who_is_not_unaware_is_the_gms_to_say() -> None:
    table = fight(apart=100, a={"bs": 55, "items": held("long_las", "both")}, b=SWORD)

    done = table.play("attack", "a", "b", options={"surprise": True}, is_surprised__b="yes", to_hit=86)
    assert done.check.target == 85

    table = fight(apart=100, a={"bs": 55, "items": held("long_las", "both")}, b=SWORD)
    done = table.play("attack", "a", "b", options={"surprise": True}, is_surprised__b="no", to_hit=86)
    assert done.check.target == 55
    begin(table, "b", "unaware")
    table.until_turn_of("b")
    table.until_turn_of("a")
    assert not table.play("attack", "a", "b", options={"surprise": True}, to_hit=99).questions()


@pytest.mark.clause("WH-560")
def test_whoever_the_gm_names_at_the_start_is_unaware_and_nobody_else() -> None:
    from tests.rulesets.wh40k_d100.fights import set_up

    table = set_up(a={}, b={})
    table.command(cmd.Start((B,)), a__initiative=5, b__initiative=4)

    assert table.has("b", "unaware")
    assert not table.has("a", "unaware")


@pytest.mark.clause("WH-570", "WH-580", "WH-590")
def test_the_second_shot_of_a_hidden_sniper_is_unseen_but_no_surprise() -> None:
    table = fight(
        a={**at(0, 100), "bs": 55, "items": held("long_las", "both")},
        b={"at": (0, 0, 0), "wounds_max": 40, **SWORD},
        c={"at": (1, 0, 0), "side": "b", **SWORD},
    )
    begin(table, "a", "hidden")
    for who in ("b", "c"):
        begin(table, who, "unaware")
    table.until_turn_of("b")
    table.until_turn_of("a")
    first = table.play("attack", "a", "b", to_hit=20, damage=5)
    assert first.check.target == 85
    assert not table.has("b", "unaware")
    assert not table.has("c", "unaware")
    table.until_turn_of("b")
    table.until_turn_of("a")

    second = table.play("attack", "a", "c", to_hit=20, damage=5)

    assert second.check.target == 55
    assert is_unseen(second)
    assert not second.questions("defend")


@pytest.mark.clause("WH-580")
@pytest.mark.parametrize(
    ("weapon", "far", "behind", "alarmed"),
    [
        ("combat_knife", 50, True, False),
        ("combat_knife", 50, False, True),
        ("laspistol", 99, True, True),
        ("laspistol", 102, True, False),
    ],
)
def test_whoever_sees_the_target_or_hears_the_weapon(weapon: str, far: float, behind: bool, alarmed: bool) -> None:
    table = fight(
        a={"at": (0, 1, 0), "ws": 90, "bs": 90, "items": held(weapon)},
        b={"at": (0, 0, 0), "side": "them", **SWORD},
        c={"at": (0, -far, 0 if behind else 180), "side": "them", **SWORD},
    )
    begin(table, "b", "unaware")
    begin(table, "c", "unaware")

    table.play("attack", "a", "b", to_hit=99 if weapon == "x" else 96)

    assert table.has("c", "unaware") is not alarmed
    assert not table.has("b", "unaware")


@pytest.mark.clause("WH-580")
def test_without_a_map_everybody_is_alarmed_or_whom_the_gm_names() -> None:
    people: dict[str, Any] = {"a": {"items": held("combat_knife")}, "b": SWORD, "c": SWORD}
    table = fight(apart=1, **people)
    for who in ("b", "c"):
        begin(table, who, "unaware")
    table.play("attack", "a", "b", to_hit=99)
    assert not table.has("c", "unaware")

    table = fight(apart=1, options={"alert_on_attack": "gm"}, **people)
    for who in ("b", "c"):
        begin(table, who, "unaware")
    done = table.play("attack", "a", "b", to_hit=99, who_noticed=("these", {"who": ["b"]}))
    assert done.questions("who_noticed")
    assert table.has("c", "unaware")
    assert not table.has("b", "unaware")


@pytest.mark.clause("WH-580")
def test_a_table_may_let_any_attack_alarm_everybody() -> None:
    table = fight(
        options={"alert_on_attack": "everyone"},
        a={"at": (0, 1, 0), "items": held("combat_knife")},
        b={"at": (0, 0, 0), **SWORD},
        c={"at": (0, -500, 0), **SWORD},
    )
    begin(table, "c", "unaware")

    table.play("attack", "a", "b", to_hit=99)

    assert not table.has("c", "unaware")


# WH-590


@pytest.mark.clause("WH-590")
def test_a_table_may_let_the_unseen_be_evaded() -> None:
    def behind(**options: Any) -> PlayTable:
        return fight(a={**SWORD, **at(180)}, b={"at": (0, 0, 0), **SWORD, "ag": 40}, options=options)

    done = behind(unseen_evasion="allowed").play("attack", "a", "b", to_hit=20, defend="dodge", dodge=40)
    assert done.of(ev.CheckRolled)[1].target == 40
    table = behind(unseen_evasion="penalty", unseen_evasion_penalty=-30)
    done = table.play("attack", "a", "b", to_hit=20, defend="dodge", dodge=10)
    assert done.of(ev.CheckRolled)[1].target == 10


@pytest.mark.clause("WH-590")
def test_a_table_may_let_the_surprised_evade() -> None:
    table = fight(apart=1, a=SWORD, b=SWORD, options={"surprised_evasion": "allowed"})
    begin(table, "b", "surprised")

    assert table.play("attack", "a", "b", to_hit=20, defend="dodge", dodge=20).questions("defend")
