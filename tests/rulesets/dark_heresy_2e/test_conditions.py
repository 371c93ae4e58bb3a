"""Prone, stunned, pinned, and standing up again. Clauses DH-3210 to DH-3230, DH-5610 to DH-5660."""

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from tests.support.play import PlayTable, duel
from tests.support.telling import told


def two(**options: object) -> PlayTable:
    """Vane to move, his twin 20 m off."""
    return duel(20, vane={"sample": "vane"}, foe={"sample": "vane"}, options=options)


def put(table: PlayTable, name: str, kind: str, value: int = 0) -> None:
    """A condition by ruling."""
    table.rule(cmd.AddEffect(CombatantId(name), kind, value))


@pytest.mark.clause("DH-3210")
@pytest.mark.parametrize("lying", ["prone", "sitting"])
def test_standing_up_is_a_half_action(lying: str) -> None:
    table = two()
    put(table, "vane", lying)

    table.play("stand_mount_dismount", "vane", options={"mode": "stand"})

    assert not table.has("vane", lying)
    assert table.who("vane").budget["half_action"] == 1


@pytest.mark.clause("DH-3210")
def test_who_stands_cannot_stand_up() -> None:
    assert two().why_not("stand_mount_dismount", "vane") == ["not_prone"]


@pytest.mark.clause("DH-3230")
def test_standing_up_gives_nobody_a_free_attack() -> None:
    table = duel(1, brok={"sample": "brok"}, gorm={"sample": "gorm", "held": {"great_weapon": "both"}})
    table.rule(cmd.SetEngaged(CombatantId("brok"), CombatantId("gorm"), True))
    put(table, "brok", "prone")

    done = table.play("stand_mount_dismount", "brok")

    assert done.questions() == []
    assert table.who("brok").engaged == ("gorm",)


@pytest.mark.clause("DH-5610")
@pytest.mark.parametrize(("distance", "target"), [(20, 55), (2, 85)])
def test_shots_at_somebody_lying_are_harder_but_not_at_point_blank(distance: float, target: int) -> None:
    table = duel(distance, vane={"sample": "vane"}, foe={"sample": "vane"})
    put(table, "foe", "prone")

    done = table.play("standard_attack", "vane", "foe", to_hit=99)

    assert done.check.target == target


@pytest.mark.clause("DH-5610")
def test_blows_at_somebody_lying_are_easier_and_his_own_are_harder() -> None:
    table = duel(1, sable={"sample": "sable"}, foe={"sample": "sable"})
    put(table, "foe", "prone")

    assert table.play("standard_attack", "sable", "foe", to_hit=99).check.target == 72
    table.end_turn()
    assert table.play("standard_attack", "foe", "sable", to_hit=99).check.target == 52


@pytest.mark.clause("DH-5620")
def test_a_stun_skips_so_many_of_the_next_turns() -> None:
    table = two()
    put(table, "foe", "stunned", 2)

    turns = []
    for _ in range(3):
        table.end_turn()
        turns.append((table.state.clock.round, table.turn))

    assert turns == [(2, "vane"), (3, "vane"), (3, "foe")]


@pytest.mark.clause("DH-5620")
@pytest.mark.parametrize("who", ["vane", "foe"])
@pytest.mark.parametrize(("value", "rounds"), [(0, 2), (2, None), (5, 2)])
def test_of_a_stun_by_ruling_the_text_the_figure_and_the_turns_agree(who: str, value: int, rounds: int | None) -> None:
    table = two()
    done = table.rule(cmd.AddEffect(CombatantId(who), "stunned", value, rounds))

    began = done.one(ev.EffectBegan)
    assert began.effect.value == 2
    assert told(table, began) == f"{table.who(who).name} is stunned for 2 turns."
    table.end_turn()  # of whoever gained it in his own turn, this one does not count
    table.until_turn_of(who)
    assert (table.state.clock.round, table.turn) == ((4, "vane") if who == "vane" else (3, "foe"))


@pytest.mark.clause("DH-5610", "DH-5630", "DH-5640", "DH-4340")
@pytest.mark.parametrize(("kind", "aims"), [("prone", True), ("pinned", True), ("helpless", False)])
def test_for_a_round_by_ruling_a_condition_does_what_it_always_does_and_ends(kind: str, aims: bool) -> None:
    table = two()
    table.play("aim", "vane", type="half")
    table.rule(cmd.AddEffect(CombatantId("vane"), kind, rounds=1))

    assert table.has("vane", kind)
    assert table.has("vane", "aiming") is aims
    assert (table.who("vane").budget["half_action"] == 0) is (kind == "pinned")
    table.end_turn(recover_from_pinning=100) if kind == "pinned" else table.end_turn()
    assert not table.has("vane", kind)


@pytest.mark.clause("DH-5620")
def test_a_stun_gained_in_ones_own_turn_does_not_count_that_turn() -> None:
    table = two()

    put(table, "vane", "stunned", 1)
    assert "stunned" in table.why_not("aim", "vane")
    table.end_turn()

    assert table.turn == "foe"
    table.end_turn()
    assert (table.state.clock.round, table.turn) == (2, "foe")
    table.end_turn()
    assert (table.state.clock.round, table.turn) == (3, "vane")


@pytest.mark.clause("DH-5620")
@pytest.mark.parametrize(("first", "second", "left"), [(2, 1, 2), (1, 3, 3), (2, 2, 2)])
def test_of_two_stuns_the_longer_counts(first: int, second: int, left: int) -> None:
    table = two()

    put(table, "foe", "stunned", first)
    put(table, "foe", "stunned", second)

    values = [one.value for one in table.who("foe").effects.values() if one.kind == "stunned"]
    assert values == [left]


@pytest.mark.clause("DH-5620")
def test_a_stun_costs_aim_overwatch_and_delay() -> None:
    table = two()
    for kind in ("aiming", "overwatching", "delaying"):
        put(table, "foe", kind)

    put(table, "foe", "stunned", 1)

    assert {one.kind for one in table.who("foe").effects.values()} == {"stunned"}


@pytest.mark.clause("DH-5620")
def test_attacks_at_the_stunned_are_easier() -> None:
    table = two()
    put(table, "foe", "stunned", 1)

    assert table.play("standard_attack", "vane", "foe", to_hit=99).check.target == 85


@pytest.mark.clause("DH-5640")
def test_the_pinned_shoot_at_minus_20() -> None:
    table = two(pinned_must_seek_cover=False)
    put(table, "foe", "pinned")
    table.end_turn()

    assert table.play("standard_attack", "foe", "vane", to_hit=99).check.target == 45


@pytest.mark.clause("DH-5640")
@pytest.mark.parametrize(("on", "reasons"), [(True, ["pinned_must_seek_cover"]), (False, [])])
def test_the_pinned_in_the_open_must_seek_cover(on: bool, reasons: list[str]) -> None:
    table = two(pinned_must_seek_cover=on)
    put(table, "foe", "pinned")
    table.end_turn()

    assert table.why_not("standard_attack", "foe", "vane") == reasons


@pytest.mark.clause("DH-5640")
def test_being_locked_in_melee_ends_being_pinned() -> None:
    table = duel(1, gorm={"sample": "gorm", "held": {"great_weapon": "both"}}, foe={"sample": "vane"})
    put(table, "foe", "pinned")

    done = table.play("standard_attack", "gorm", "foe", to_hit=99)

    assert [(event.kind, event.why) for event in done.of(ev.EffectEnded)] == [("pinned", "engaged")]


@pytest.mark.clause("DH-5660")
@pytest.mark.parametrize(
    ("shot_at", "die", "target", "free"), [(False, 64, 64, True), (True, 35, 34, False), (True, 34, 34, True)]
)
def test_recovering_is_easier_for_who_was_not_shot_at(shot_at: bool, die: int, target: int, free: bool) -> None:
    table = duel(60, vane={"sample": "vane"}, brok={"sample": "brok"})
    put(table, "brok", "pinned")
    if shot_at:
        table.play("standard_attack", "vane", "brok", to_hit=99)
    table.end_turn()

    done = table.end_turn(recover_from_pinning=die)

    assert done.check.target == target
    assert table.has("brok", "pinned") is not free


@pytest.mark.clause("DH-5660")
def test_being_shot_at_counts_only_since_the_end_of_the_last_turn() -> None:
    table = duel(60, vane={"sample": "vane"}, brok={"sample": "brok"})
    put(table, "brok", "pinned")
    table.play("standard_attack", "vane", "brok", to_hit=99)
    table.end_turn()
    table.end_turn(recover_from_pinning=90)

    table.end_turn()
    done = table.end_turn(recover_from_pinning=90)

    assert done.check.target == 64
