"""Jams, clearing them, and rounds. Clauses DH-5390 to DH-5410."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.state import Item
from tests.rulesets.dark_heresy_2e.firing import cited, fired, jammed, places, result, weapon
from tests.support.play import PlayTable, duel

SINGLE, SEMI, FULL = "standard_attack", "semi_auto_burst", "full_auto_burst"


def shooting(items: dict[str, Item] | None = None, bs: int = 45, **options: Any) -> PlayTable:
    """Somebody with an autogun or with these, 60 m from Vane."""
    gun = {"sample": "vane", "bs": bs, "items": items or weapon("autogun", ammo=30)}
    return duel(60, ann=gun, bob={"sample": "vane"}, options=options)


def quality(name: str) -> dict[str, Item]:
    """An autogun with that quality alone."""
    return weapon("autogun", ammo=30, changes={"qualities": {name: True}})


@pytest.mark.clause("DH-5390")
@pytest.mark.parametrize(
    ("action", "kind", "from_die"),
    [
        (SINGLE, None, 96),
        (SEMI, None, 94),
        (FULL, None, 94),
        (SINGLE, "reliable", 100),
        (SEMI, "reliable", 100),
        (FULL, "reliable", 100),
        (SINGLE, "unreliable", 91),
        (SEMI, "unreliable", 91),
        (FULL, "unreliable", 91),
    ],
)
def test_a_weapon_jams_from_a_die_by_its_mode_and_quality(action: str, kind: str | None, from_die: int) -> None:
    items = None if kind is None else quality(kind)

    below = shooting(items).play(action, "ann", "bob", to_hit=from_die - 1)
    there = shooting(items).play(action, "ann", "bob", to_hit=from_die)

    assert (jammed(below), jammed(there)) == (False, True)


@pytest.mark.clause("DH-5390")
def test_a_jam_is_never_a_hit_however_good_the_shot() -> None:
    table = shooting(bs=87)

    hit = table.play(SINGLE, "ann", "bob", to_hit=95, defend=...)
    jam = table.play(SINGLE, "ann", "bob", to_hit=96)

    assert result(hit) == (97, "success", 1)
    assert not jammed(hit)
    assert jam.check.outcome == "success"
    assert not jam.of(ev.HitsScored)


@pytest.mark.clause("DH-5390")
def test_the_ledgers_lasgun() -> None:
    lasgun = weapon("lasgun", ammo=60)

    assert result(shooting(lasgun).play(SEMI, "ann", "bob", to_hit=99)) == (45, "failure", 6)
    assert not jammed(shooting(lasgun).play(SEMI, "ann", "bob", to_hit=99))
    assert jammed(shooting(lasgun).play(SEMI, "ann", "bob", to_hit=100))


@pytest.mark.clause("DH-5390", "DH-5410")
@pytest.mark.parametrize(("action", "rounds"), [(SINGLE, 1), (SEMI, 3), (FULL, 10)])
def test_the_rounds_of_a_jam_are_spent(action: str, rounds: int) -> None:
    done = shooting().play(action, "ann", "bob", to_hit=100)

    assert (jammed(done), fired(done)) == (True, rounds)


@pytest.mark.clause("DH-5390")
def test_a_melee_weapon_never_jams() -> None:
    table = duel(1, sable={"sample": "sable"}, bob={"sample": "vane"})

    assert not jammed(table.play(SINGLE, "sable", "bob", to_hit=100))


@pytest.mark.clause("DH-5390")
def test_what_is_thrown_never_jams() -> None:
    star = weapon("knife", "main", changes={"class_": "thrown", "range": 2000})

    assert not jammed(shooting(star).play(SINGLE, "ann", "bob", to_hit=100))


@pytest.mark.clause("DH-5390")
@pytest.mark.parametrize("action", [SINGLE, SEMI, FULL, "called_shot"])
def test_a_jammed_weapon_fires_no_more_till_it_is_cleared(action: str) -> None:
    table = shooting()
    table.play(SINGLE, "ann", "bob", to_hit=96)
    table.end_turn()
    table.end_turn()
    place = {"location": "head"} if action == "called_shot" else {}

    assert table.why_not(action, "ann", "bob", **place) == ["weapon_jammed"]


@pytest.mark.clause("DH-5390")
def test_another_weapon_may_be_fired_in_its_place() -> None:
    table = shooting({**weapon("laspistol", "main", ammo=30, jammed=1), **weapon("autopistol", "off", ammo=18)})

    assert table.why_not(SINGLE, "ann", "bob", weapon="laspistol") == ["weapon_jammed"]
    assert table.why_not(SINGLE, "ann", "bob", weapon="autopistol") == []


@pytest.mark.clause("DH-5400")
@pytest.mark.parametrize(
    ("die", "outcome", "marks"),
    [
        (12, ("success", 4), {"jammed": 0, "ammo": 0}),
        (45, ("success", 1), {"jammed": 0, "ammo": 0}),
        (46, ("failure", 1), {"jammed": 1, "ammo": 20}),
    ],
)
def test_clearing_a_jam_is_a_test_of_ballistic_skill_and_costs_the_ammunition(
    die: int, outcome: tuple[str, int], marks: dict[str, int]
) -> None:
    table = shooting(weapon("autogun", ammo=20, jammed=1))

    done = table.play("clear_jam", "ann", clear_jam=die)

    assert result(done) == (45, *outcome)
    assert table.who("ann").items["autogun"].marks == marks


@pytest.mark.clause("DH-5400")
def test_clearing_a_jam_takes_the_whole_turn_and_may_be_tried_again() -> None:
    table = shooting(weapon("autogun", ammo=20, jammed=1))

    table.play("clear_jam", "ann", clear_jam=46)
    assert table.who("ann").budget["half_action"] == 0
    table.end_turn()
    table.end_turn()

    assert table.why_not("clear_jam", "ann") == []


@pytest.mark.clause("DH-5400")
def test_after_clearing_it_must_be_reloaded() -> None:
    table = shooting(weapon("autogun", ammo=20, jammed=1))
    table.play("clear_jam", "ann", clear_jam=12)
    table.end_turn()
    table.end_turn()

    assert table.why_not(SINGLE, "ann", "bob") == ["not_enough_ammo"]
    table.play("reload", "ann")

    assert table.who("ann").items["autogun"].marks["ammo"] == 30


@pytest.mark.clause("DH-5400")
@pytest.mark.parametrize(("jam", "reasons"), [(1, []), (0, [("not_jammed", "DH-5400")])])
def test_only_a_jammed_weapon_is_cleared(jam: int, reasons: list[tuple[str, str]]) -> None:
    table = shooting(weapon("autogun", ammo=20, jammed=jam))

    assert cited(table.reasons("clear_jam", "ann")) == reasons
    assert cited(table.reasons("clear_jam", "ann", weapon="autogun")) == reasons


@pytest.mark.clause("DH-5410")
@pytest.mark.parametrize(("action", "rounds"), [(SINGLE, 1), ("called_shot", 1), (SEMI, 3), (FULL, 10)])
@pytest.mark.parametrize("die", [20, 80])
def test_each_mode_spends_its_rounds_hit_or_miss(action: str, rounds: int, die: int) -> None:
    given: dict[str, Any] = {"defend": ...} if die == 20 else {}
    given |= {"location": "head"} if action == "called_shot" else {}

    assert fired(shooting().play(action, "ann", "bob", to_hit=die, **given)) == rounds


@pytest.mark.clause("DH-5410")
def test_with_fewer_rounds_what_is_left_is_fired_and_caps_the_hits() -> None:
    """The ledger's autogun with four rounds: seven degrees, four hits."""
    table = shooting(weapon("autogun", ammo=4), bs=75)

    done = table.play(FULL, "ann", "bob", to_hit=2, defend=...)

    assert result(done) == (65, "success", 7)
    assert (fired(done), len(places(done))) == (4, 4)


@pytest.mark.clause("DH-5410", "DH-5490")
@pytest.mark.parametrize(("ammo", "spent", "hits"), [(8, 8, 4), (5, 5, 4), (3, 3, 3), (1, 1, 1)])
def test_storm_with_fewer_rounds_hits_no_oftener_than_it_fires(ammo: int, spent: int, hits: int) -> None:
    table = shooting(weapon("storm_bolter", ammo=ammo))

    done = table.play(FULL, "ann", "bob", to_hit=15, defend=...)

    assert (fired(done), len(places(done))) == (spent, hits)


@pytest.mark.clause("DH-5410")
@pytest.mark.parametrize(
    ("option", "ammo", "refused"), [("allow", 9, False), ("forbid", 10, False), ("forbid", 9, True)]
)
@pytest.mark.parametrize(("action", "clause", "short"), [(FULL, "DH-3400", 10)])
def test_a_table_may_forbid_a_short_burst(
    option: str, ammo: int, refused: bool, action: str, clause: str, short: int
) -> None:
    table = shooting(weapon("autogun", ammo=ammo), short_burst=option)

    reasons = table.reasons(action, "ann", "bob")

    assert cited(reasons) == ([("not_enough_ammo", clause)] if refused else [])
    assert [(reason.need, reason.got) for reason in reasons] == ([(short, ammo)] if refused else [])


@pytest.mark.clause("DH-5410")
@pytest.mark.parametrize("option", ["allow", "forbid"])
@pytest.mark.parametrize(("action", "clause"), [(SINGLE, "DH-4550"), (SEMI, "DH-3720"), (FULL, "DH-3400")])
def test_without_a_round_nothing_is_fired(option: str, action: str, clause: str) -> None:
    table = shooting(weapon("autogun", ammo=0), short_burst=option)

    assert cited(table.reasons(action, "ann", "bob")) == [("not_enough_ammo", clause)]


@pytest.mark.clause("DH-5400", "DH-5110")
def test_a_modifier_of_the_gm_counts_in_clearing_a_jam_and_a_circumstance_of_attacks_is_refused() -> None:
    table = shooting(weapon("autogun", ammo=20, jammed=1))

    assert table.why_not("clear_jam", "ann", modifiers=("darkness",)) == ["unknown_option"]
    assert result(table.play("clear_jam", "ann", clear_jam=45, modifiers=(-10,))) == (35, "failure", 2)
