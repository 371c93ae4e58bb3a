"""All Out Attack: a blow at +30, and no Evasion until the own next turn. Clauses DH-3010 to DH-3030."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.ids import CombatantId
from rulesets.dark_heresy_2e.evasion import Incoming, why_no_evasion
from rulesets.dark_heresy_2e.weapons import weapon_of
from tests.rulesets.dark_heresy_2e.firing import cited, places, result, terms, weapon
from tests.rulesets.dark_heresy_2e.going import both_ways, fight
from tests.support.play import PlayTable, duel

GREAT = {"sample": "gorm", "held": {"great_weapon": "both"}}


def beside(on_map: bool = False, **options: Any) -> PlayTable:
    """Gorm with his great weapon, Vane 1 m off."""
    return fight(on_map, {"gorm": (0, 0), "vane": (1, 0)}, gorm=GREAT, options=options)


@pytest.mark.clause("DH-3010")
@both_ways
@pytest.mark.parametrize(
    ("die", "outcome"), [(41, ("success", 3)), (68, ("success", 1)), (69, ("failure", 1)), (1, ("success", 7))]
)
def test_it_is_a_test_of_weapon_skill_at_plus_30(on_map: bool, die: int, outcome: tuple[str, int]) -> None:
    given: dict[str, Any] = {"defend": ...} if outcome[0] == "success" else {}

    done = beside(on_map).play("all_out_attack", "gorm", "vane", to_hit=die, **given)

    assert terms(done) == {"ws": 38, "all_out_attack": 30}
    assert result(done) == (68, *outcome)


@pytest.mark.clause("DH-3010")
@pytest.mark.parametrize(("die", "place"), [(41, "right_arm"), (1, "head")])
def test_a_success_is_one_hit_however_many_degrees(die: int, place: str) -> None:
    done = beside().play("all_out_attack", "gorm", "vane", to_hit=die, defend=...)

    assert places(done) == [place]


@pytest.mark.clause("DH-3010")
def test_a_failure_is_no_hit() -> None:
    done = beside().play("all_out_attack", "gorm", "vane", to_hit=69)

    assert not done.of(ev.HitsScored)


@pytest.mark.clause("DH-3010")
@both_ways
@pytest.mark.parametrize(("distance", "reasons"), [(1.5, []), (1.6, [("not_engaged", "DH-3010")])])
def test_the_foe_must_be_within_reach(on_map: bool, distance: float, reasons: list[tuple[str, str]]) -> None:
    table = duel(distance, on_map=on_map, gorm=GREAT, vane={"sample": "vane"})

    assert cited(table.reasons("all_out_attack", "gorm", "vane")) == reasons


@pytest.mark.clause("DH-3010")
@pytest.mark.parametrize(
    ("kind", "reasons"),
    [
        ("sword", []),
        ("laspistol", [("melee_weapon_required", "DH-3010")]),
        ("autogun", [("melee_weapon_required", "DH-3010")]),
    ],
)
def test_it_is_made_with_a_melee_weapon(kind: str, reasons: list[tuple[str, str]]) -> None:
    table = duel(1, ann={"sample": "vane", "items": weapon(kind, ammo=9)}, bob={"sample": "vane"})

    assert cited(table.reasons("all_out_attack", "ann", "bob", weapon=kind)) == reasons


@pytest.mark.clause("DH-3010")
def test_it_is_made_with_bare_hands_too() -> None:
    table = duel(1, gorm={"sample": "gorm"}, vane={"sample": "vane"})

    assert table.why_not("all_out_attack", "gorm", "vane") == []


@pytest.mark.clause("DH-3010", "DH-4550")
def test_the_weapon_must_be_in_hand() -> None:
    table = duel(1, gorm={"sample": "gorm"}, vane={"sample": "vane"})

    assert cited(table.reasons("all_out_attack", "gorm", "vane", weapon="great_weapon")) == [
        ("weapon_not_ready", "DH-4550")
    ]


@pytest.mark.clause("DH-3010")
@both_ways
def test_a_knife_is_not_thrown_with_it(on_map: bool) -> None:
    table = duel(5, on_map=on_map, ann={"sample": "vane", "items": weapon("knife", "main")}, bob={"sample": "vane"})

    assert cited(table.reasons("all_out_attack", "ann", "bob")) == [("not_engaged", "DH-3010")]


@pytest.mark.clause("DH-3010", "DH-1230")
def test_a_pistol_at_a_distance_has_both_faults() -> None:
    table = duel(5, ann={"sample": "vane", "items": weapon("laspistol", "main")}, bob={"sample": "vane"})

    assert cited(table.reasons("all_out_attack", "ann", "bob", weapon="laspistol")) == [
        ("melee_weapon_required", "DH-3010"),
        ("not_engaged", "DH-3010"),
    ]


@pytest.mark.clause("DH-3020")
@pytest.mark.parametrize("die", [41, 69])
def test_hit_or_miss_he_does_not_evade_until_his_next_turn(die: int) -> None:
    table = beside()
    given: dict[str, Any] = {"defend": "dodge", "dodge": 1} if die == 41 else {}
    table.play("all_out_attack", "gorm", "vane", to_hit=die, **given)
    assert table.has("gorm", "all_out")
    table.end_turn()

    vane, gorm = CombatantId("vane"), CombatantId("gorm")
    incoming = Incoming(vane, weapon_of(table.table, vane, None), melee=True)
    assert cited(tuple(why_no_evasion(table.table, gorm, incoming))) == [("evasion_forbidden", "DH-3020")]


@pytest.mark.clause("DH-3020")
def test_nobody_asks_him_whether_he_evades() -> None:
    table = fight(
        False, {"gorm": (0, 0), "vane": (1, 0), "brok": (60, 0)}, gorm=GREAT, brok={"held": {"autogun": "both"}}
    )
    table.play("all_out_attack", "gorm", "vane", to_hit=69)
    table.end_turn()
    table.end_turn()

    done = table.play("standard_attack", "brok", "gorm", to_hit=20, damage=9)

    assert done.questions("defend") == []


@pytest.mark.clause("DH-3020")
def test_it_is_over_when_his_next_turn_begins() -> None:
    table = beside()
    table.play("all_out_attack", "gorm", "vane", to_hit=69)
    table.end_turn()

    assert table.has("gorm", "all_out")
    table.end_turn()

    assert not table.has("gorm", "all_out")


@pytest.mark.clause("DH-3020")
def test_an_evasion_earlier_in_the_round_does_not_forbid_it() -> None:
    table = fight(False, {"vane": (0, 0), "gorm": (1, 0)}, vane={"held": {"sword": "main"}}, gorm=GREAT)
    table.play("standard_attack", "vane", "gorm", to_hit=20, defend="dodge", dodge=1)
    table.end_turn()

    assert table.who("gorm").budget["reaction"] == 0
    assert table.why_not("all_out_attack", "gorm", "vane") == []


@pytest.mark.clause("DH-3020")
@pytest.mark.parametrize(("option", "offered"), [("evasion", None), ("dodge", ["parry", "none"])])
def test_a_table_may_bar_only_the_dodge(option: str, offered: list[str] | None) -> None:
    table = fight(
        False, {"gorm": (0, 0), "vane": (1, 0)}, gorm=GREAT, vane={"held": {"sword": "main"}},
        options={"all_out_bars": option},
    )  # fmt: skip
    table.play("all_out_attack", "gorm", "vane", to_hit=69)
    table.end_turn()
    given: dict[str, Any] = {"damage": 9} if offered is None else {"defend": ...}

    done = table.play("standard_attack", "vane", "gorm", to_hit=20, **given)

    asked = done.questions("defend")
    assert [[option.id for option in question.options] for question in asked] == ([] if offered is None else [offered])
    if offered is not None:
        assert [(one.id, cited(one.reasons)) for one in asked[0].barred] == [
            ("dodge", [("evasion_forbidden", "DH-3020")])
        ]


@pytest.mark.clause("DH-3030")
def test_an_aim_is_lost_and_not_added() -> None:
    table = beside()
    table.play("aim", "gorm", type="full")
    table.end_turn()
    table.end_turn()

    done = table.play("all_out_attack", "gorm", "vane", to_hit=69)

    assert done.check.target == 68
    assert not table.has("gorm", "aiming")


@pytest.mark.clause("DH-3030")
@pytest.mark.parametrize(("use_aim", "reasons"), [(False, []), (True, [("aim_not_allowed", "DH-3030")])])
def test_asking_for_the_aim_is_refused(use_aim: bool, reasons: list[tuple[str, str]]) -> None:
    assert cited(beside().reasons("all_out_attack", "gorm", "vane", options={"use_aim": use_aim})) == reasons
