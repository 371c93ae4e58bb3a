"""The named modifiers to hit, and how they are gained. Clauses DH-5110, DH-5130, DH-5135, DH-5150."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, Place, Region
from tests.rulesets.dark_heresy_2e.firing import cited, result, terms, weapon
from tests.rulesets.dark_heresy_2e.going import both_ways, engaged, fight
from tests.support.play import PlayTable, combatant, duel, length, ruleset, table_of

SWORD: dict[str, Any] = {"sample": "vane", "held": {"sword": "main"}}
GUN: dict[str, Any] = {"sample": "vane"}


def striking(**foe: Any) -> PlayTable:
    """Ann with a sword, Bob 1 m off."""
    return duel(1, ann=SWORD, bob={"sample": "vane", **foe})


def shooting(distance: float = 60, **foe: Any) -> PlayTable:
    """Ann with an autogun, Bob normally at normal range."""
    return duel(distance, ann=GUN, bob={"sample": "vane", **foe})


def on(table: PlayTable, name: str, kind: str, value: int = 0) -> PlayTable:
    """The same with a condition on somebody."""
    table.rule(cmd.AddEffect(CombatantId(name), kind, value))
    return table


def attack(table: PlayTable, **fields: Any) -> dict[str, int]:
    """The terms of Ann's Standard Attack on Bob, which misses."""
    return terms(table.play("standard_attack", "ann", "bob", to_hit=100, **fields))


BLOW = {"ws": 35, "standard_attack": 10}
SHOT = {"bs": 45, "standard_attack": 10}


@pytest.mark.clause("DH-5110")
@pytest.mark.parametrize(
    ("who", "condition", "blow", "shot"),
    [
        ("bob", "running", {"target_running": 20}, {"target_running": -20}),
        ("bob", "stunned", {"target_stunned": 20}, {"target_stunned": 20}),
        ("bob", "surprised", {"target_surprised": 30}, {"target_surprised": 30}),
        ("bob", "unaware", {"target_unaware": 30}, {"target_unaware": 30}),
        ("bob", "prone", {"target_prone": 10}, {"target_prone": -10}),
        ("ann", "prone", {"attacker_prone": -10}, {}),
    ],
)
def test_conditions_of_either_change_the_test(
    who: str, condition: str, blow: dict[str, int], shot: dict[str, int]
) -> None:
    assert attack(on(striking(), who, condition, 1)) == BLOW | blow
    assert attack(on(shooting(), who, condition, 1)) == SHOT | shot


@pytest.mark.clause("DH-5110", "DH-5640")
def test_somebody_pinned_shoots_at_minus_20() -> None:
    from app.engine.space.model import Cover, CoverPiece

    table = shooting()
    table.rule(cmd.SetCover(CombatantId("ann"), Cover(50, (CoverPiece("sandbags", 8, ("body",)),))))

    assert attack(on(table, "ann", "pinned")) == SHOT | {"attacker_pinned": -20}


@pytest.mark.clause("DH-5110", "DH-5040", "DH-5050")
@pytest.mark.parametrize("options", [{}, {"aware": False}])
def test_surprised_and_unaware_do_not_add_up(options: dict[str, Any]) -> None:
    table = on(on(shooting(), "bob", "surprised"), "bob", "unaware")

    assert sum(attack(table, options=options).values()) == 45 + 10 + 30


@pytest.mark.clause("DH-5040")
def test_the_ledgers_shot_at_somebody_surprised() -> None:
    table = on(duel(60, vane=GUN, brok={"sample": "brok"}), "brok", "surprised")

    done = table.play("standard_attack", "vane", "brok", to_hit=85, damage=9)

    assert result(done) == (85, "success", 1)
    assert not done.questions("defend")


@pytest.mark.clause("DH-5110", "DH-5610")
@pytest.mark.parametrize(("distance", "prone"), [(2, 0), (2.1, -10), (60, -10)])
def test_lying_down_does_not_help_against_a_shot_at_point_blank(distance: float, prone: int) -> None:
    assert attack(on(shooting(distance), "bob", "prone")).get("target_prone", 0) == prone


@pytest.mark.clause("DH-5110")
@pytest.mark.parametrize(
    ("given", "blow", "shot"),
    [
        ("higher_ground", {"higher_ground": 10}, {}),
        ("difficult_terrain", {"difficult_terrain": -10}, {}),
        ("arduous_terrain", {"arduous_terrain": -30}, {}),
        ("darkness", {"darkness": -20}, {"darkness": -30}),
        ("fog", {}, {"fog": -20}),
        ("rain", {"rain": -20}, {}),
        ("no_training", {"no_training": -20}, {"no_training": -20}),
    ],
)
def test_circumstances_are_stated_by_their_name(given: str, blow: dict[str, int], shot: dict[str, int]) -> None:
    assert attack(striking(), modifiers=(given,)) == BLOW | blow
    assert attack(shooting(), modifiers=(given,)) == SHOT | shot


@pytest.mark.clause("DH-5110")
def test_of_two_kinds_of_terrain_the_worse_one_counts() -> None:
    assert attack(striking(), modifiers=("difficult_terrain", "arduous_terrain")) == BLOW | {"arduous_terrain": -30}


@pytest.mark.clause("DH-5110")
def test_the_gm_may_add_any_figure() -> None:
    assert attack(shooting(), modifiers=(-15, 5))["gm"] == 5
    assert shooting().play("standard_attack", "ann", "bob", modifiers=(-15, 5), to_hit=99).check.target == 45


@pytest.mark.clause("DH-5110", "DH-1220")
def test_a_circumstance_that_no_rule_knows_is_refused() -> None:
    assert cited(shooting().reasons("standard_attack", "ann", "bob", modifiers=("moonlight", "fog"))) == [
        ("unknown_option", "DH-1220")
    ]


@pytest.mark.clause("DH-5110")
def test_a_known_circumstance_keeps_its_own_figure() -> None:
    table = striking()
    stated = cmd.GivenModifier("higher_ground", 50)
    sub = cmd.Submission(
        CombatantId("ann"), table.submission("standard_attack", "ann").action, targets=(CombatantId("bob"),),
        modifiers=(stated,),
    )  # fmt: skip

    assert terms(table.command(cmd.Act(sub), to_hit=100)) == BLOW | {"higher_ground": 10}


@pytest.mark.clause("DH-5110", "DH-3610")
def test_heavy_rain_hinders_the_parry_too() -> None:
    table = duel(1, ann=SWORD, sable={"sample": "sable"})

    done = table.play("standard_attack", "ann", "sable", modifiers=("rain",), to_hit=20, defend="parry", parry=1)

    assert done.of(ev.CheckRolled)[1].target == 52


def on_ground(distance: float, *regions: tuple[str, float, float], **people: dict[str, Any]) -> PlayTable:
    """On a map: the first at x 0, the others so far to the right, strips of ground of some kind from x to x."""
    rules = ruleset()
    bodies = [
        combatant(rules, name, place=Place(length(distance * place), 0, 0), **fields)
        for place, (name, fields) in enumerate(people.items())
    ]
    strips = tuple(
        Region(f"strip_{n}", kind, tuple((length(x), length(y)) for x, y in ((a, -5), (b, -5), (b, 5), (a, 5))))
        for n, (kind, a, b) in enumerate(regions)
    )
    return table_of(*bodies, ground=Ground(regions=strips))


@pytest.mark.clause("DH-5110")
@pytest.mark.parametrize(
    ("region", "blow"),
    [
        (("difficult", -1, 0.5), {"difficult_terrain": -10}),
        (("difficult", 0.5, 2), {}),  # under the target only
        (("arduous", -1, 0.5), {"arduous_terrain": -30}),
        (("mud", -1, 0.5), {"rain": -20}),
        (("mud", 0.5, 2), {}),
        (("dark", 0.5, 2), {"darkness": -20}),
        (("smoke", -1, 2), {}),
        (("meadow", -1, 2), {}),
    ],
)
def test_what_a_map_shows_counts_for_a_blow(region: tuple[str, float, float], blow: dict[str, int]) -> None:
    table = on_ground(1, region, ann={"sample": "vane", "held": {"sword": "main"}}, bob={"sample": "vane"})

    assert attack(table) == BLOW | blow


@pytest.mark.clause("DH-5110")
@pytest.mark.parametrize(
    ("region", "shot"),
    [
        (("smoke", 20, 30), {"fog": -20}),
        (("fog", 55, 65), {"fog": -20}),
        (("shadow", -1, 1), {"fog": -20}),
        (("dark", 55, 65), {"darkness": -30}),
        (("smoke", 61, 70), {}),  # behind the target
        (("difficult", -1, 1), {}),
        (("rain", -1, 70), {}),
    ],
)
def test_what_a_map_shows_between_the_two_counts_for_a_shot(
    region: tuple[str, float, float], shot: dict[str, int]
) -> None:
    assert attack(on_ground(60, region, ann={"sample": "vane"}, bob={"sample": "vane"})) == SHOT | shot


@pytest.mark.clause("DH-5110", "DH-3610")
@pytest.mark.parametrize(
    ("region", "option", "target"),
    [
        (("difficult", 0.5, 2), "dodge", 47),
        (("arduous", 0.5, 2), "dodge", 27),
        (("difficult", 0.5, 2), "parry", 62),
        (("difficult", -1, 0.5), "dodge", 57),
        (("mud", 0.5, 2), "parry", 52),
        (("mud", 0.5, 2), "dodge", 57),
    ],
)
def test_bad_ground_hinders_the_evasion_of_who_stands_in_it(
    region: tuple[str, float, float], option: str, target: int
) -> None:
    table = on_ground(1, region, ann={"sample": "vane", "held": {"sword": "main"}}, sable={"sample": "sable"})

    done = table.play("standard_attack", "ann", "sable", to_hit=10, defend=option, **{option: 1})

    assert done.of(ev.CheckRolled)[1].target == target


@pytest.mark.clause("DH-5110", "DH-5320")
@pytest.mark.parametrize(
    ("hand", "talents", "target"), [("main", [], 45), ("off", [], 25), ("off", ["ambidextrous"], 45)]
)
def test_the_off_hand_alone_strikes_at_minus_20_unless_ambidextrous(hand: str, talents: list[str], target: int) -> None:
    table = duel(1, ann={"sample": "vane", "items": weapon("sword", hand), "talents": talents}, bob={"sample": "vane"})

    assert table.play("standard_attack", "ann", "bob", to_hit=100).check.target == target


@pytest.mark.clause("DH-5320")
def test_a_pistol_in_the_off_hand_shoots_at_minus_20_too() -> None:
    table = duel(20, ann={"sample": "vane", "items": weapon("laspistol", "off", ammo=30)}, bob={"sample": "vane"})

    assert attack(table)["off_hand"] == -20


@pytest.mark.clause("DH-5110", "DH-5440")
@pytest.mark.parametrize(
    ("mine", "theirs", "option", "penalty"),
    [
        ({}, {"sword": "main"}, True, -20),
        ({}, {"sword": "main"}, False, 0),
        ({}, {"autogun": "both"}, True, 0),
        ({}, {}, True, 0),
        ({"sword": "main"}, {"sword": "main"}, True, 0),
        ({"laspistol": "main"}, {"sword": "main"}, True, 0),  # he holds a weapon: he is not unarmed
    ],
)
def test_bare_hands_against_a_drawn_blade_are_at_minus_20(
    mine: dict[str, str], theirs: dict[str, str], option: bool, penalty: int
) -> None:
    table = duel(
        1, ann={"sample": "vane", "held": mine}, bob={"sample": "vane", "held": theirs},
        options={"unarmed_vs_armed_penalty": option},
    )  # fmt: skip

    found = terms(table.play("all_out_attack", "ann", "bob", to_hit=100))

    assert found.get("unarmed_vs_armed", 0) == penalty


@pytest.mark.clause("DH-5110")
def test_a_defensive_weapon_attacks_at_minus_10() -> None:
    shield = weapon("sword", "main", changes={"qualities": {"defensive": True}})
    table = duel(1, ann={"sample": "vane", "items": shield}, bob={"sample": "vane"})

    assert attack(table) == BLOW | {"defensive": -10}


@pytest.mark.clause("DH-5110", "DH-5150")
def test_the_ledgers_sum_against_gorm_prone_and_stunned() -> None:
    table = duel(1, sable={"sample": "sable"}, gorm={"sample": "gorm"})
    on(on(table, "gorm", "prone"), "gorm", "stunned", 1)

    done = table.play("standard_attack", "sable", "gorm", to_hit=99, damage=9)

    assert terms(done) == {"ws": 52, "standard_attack": 10, "size": 10, "target_prone": 10, "target_stunned": 20}
    assert result(done) == (102, "success", 2)


@pytest.mark.clause("DH-5150")
@pytest.mark.parametrize(
    ("size", "value"),
    [(1, -30), (2, -20), (3, -10), (4, 0), (5, 10), (6, 20), (7, 30), (8, 40), (9, 50), (10, 60)],
)
def test_size_counts_for_blows_and_shots_alike(size: int, value: int) -> None:
    assert attack(shooting(size=size)).get("size", 0) == value
    assert attack(striking(size=size)).get("size", 0) == value


@pytest.mark.clause("DH-5150")
def test_the_table_of_sizes_and_the_modifiers_agree() -> None:
    rows = {row.size: row.to_hit for row in ruleset().tables.sizes}
    modifiers = {int(row.id.removeprefix("size_")): row.value for row in ruleset().modifiers if row.term == "size"}

    assert {size: value for size, value in rows.items() if value} == modifiers


@pytest.mark.clause("DH-5150")
def test_the_ledgers_shot_at_gorm() -> None:
    table = duel(60, vane=GUN, gorm={"sample": "gorm"})

    assert table.play("standard_attack", "vane", "gorm", to_hit=95).check.target == 65


# Ganging up, and being next to somebody


@pytest.mark.clause("DH-5135")
@both_ways
@pytest.mark.parametrize(
    ("friends", "term"), [(0, None), (1, ("gang_2", 10)), (2, ("gang_3", 20)), (3, ("gang_3", 20))]
)
def test_several_of_a_side_on_one_foe_strike_more_easily(
    on_map: bool, friends: int, term: tuple[str, int] | None
) -> None:
    around = [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0)]
    spots = {"gorm": (0.0, 0.0), "ann": (-1.0, 0.0), **{f"f{n}": around[n] for n in range(friends)}}
    people: dict[str, Any] = {name: {**SWORD, "side": "us"} for name in spots if name != "gorm"}
    melee = tuple((name, "gorm") for name in spots if name.startswith("f"))
    table = fight(on_map, {"ann": spots.pop("ann"), **spots}, melee=melee, **people)

    found = terms(table.play("standard_attack", "ann", "gorm", to_hit=100))

    assert {name: value for name, value in found.items() if name.startswith("gang")} == dict([term] if term else [])


@pytest.mark.clause("DH-5135")
@pytest.mark.parametrize(
    ("changes", "condition", "worth"),
    [
        ({}, None, 10),
        ({"side": "them"}, None, 0),
        ({}, "stunned", 0),
        ({}, "helpless", 0),
        ({}, "unconscious", 0),
        ({}, "prone", 10),
    ],
)
def test_only_friends_who_can_fight_count(changes: dict[str, Any], condition: str | None, worth: int) -> None:
    """Gorm between Vane and Sable."""
    table = fight(
        False,
        {"sable": (0, 0), "gorm": (1, 0), "vane": (2, 0)},
        melee=(("vane", "gorm"),),
        sable={"side": "us"},
        vane={"side": "us", **changes},
    )
    if condition is not None:
        on(table, "vane", condition, 2)

    done = table.play("standard_attack", "sable", "gorm", to_hit=100)

    assert terms(done).get("gang_2", 0) == worth


@pytest.mark.clause("DH-5135")
def test_a_friend_who_fights_somebody_else_does_not_count() -> None:
    table = fight(
        False,
        {"sable": (0, 0), "gorm": (1, 0), "vane": (2, 0), "brok": (3, 0)},
        melee=(("vane", "brok"),),
        sable={"side": "us"},
        vane={"side": "us"},
    )

    assert "gang_2" not in terms(table.play("standard_attack", "sable", "gorm", to_hit=100))


@pytest.mark.clause("DH-5135")
def test_ganging_up_does_nothing_for_a_shot() -> None:
    table = fight(
        False, {"ann": (0, 0), "gorm": (60, 0), "vane": (61, 0)}, melee=(("vane", "gorm"),),
        ann={"sample": "vane", "side": "us"}, vane={"side": "us"},
    )  # fmt: skip

    assert "gang_2" not in terms(table.play("standard_attack", "ann", "gorm", to_hit=99))


@pytest.mark.clause("DH-5130")
@both_ways
@pytest.mark.parametrize(
    ("option", "distance", "reasons"),
    [(1.5, 1.5, []), (1.5, 1.51, ["not_engaged"]), (3, 3, []), (3, 3.01, ["not_engaged"]), (1, 1.01, ["not_engaged"])],
)
def test_how_near_is_next_to_somebody_is_for_the_table_to_say(
    on_map: bool, option: float, distance: float, reasons: list[str]
) -> None:
    table = duel(
        distance, on_map=on_map, ann=SWORD, bob={"sample": "vane"}, options={"engagement_range_m": length(option)}
    )

    assert table.why_not("standard_attack", "ann", "bob") == reasons


@pytest.mark.clause("DH-5130", "DH-5700")
@pytest.mark.parametrize(("stated", "reasons"), [({"engage": ("bob",)}, []), ({}, ["not_engaged"])])
def test_without_a_map_the_submission_may_state_the_pair(stated: dict[str, Any], reasons: list[str]) -> None:
    rules = ruleset()
    table = table_of(combatant(rules, "ann", **SWORD), combatant(rules, "bob", "vane"))

    assert table.why_not("standard_attack", "ann", "bob", said=stated) == reasons


@pytest.mark.clause("DH-5130")
def test_a_pair_in_melee_needs_nothing_stated() -> None:
    rules = ruleset()
    table = table_of(
        combatant(rules, "ann", engaged=("bob",), **SWORD), combatant(rules, "bob", "vane", engaged=("ann",))
    )

    assert table.why_not("standard_attack", "ann", "bob") == []


@pytest.mark.clause("DH-5130")
@both_ways
def test_who_goes_down_is_locked_with_nobody(on_map: bool) -> None:
    table = fight(on_map, {"sable": (0, 0), "gorm": (1, 0)}, melee=(("sable", "gorm"),))

    on(table, "gorm", "unconscious")

    assert not engaged(table, "sable", "gorm")


@pytest.mark.clause("DH-5130", "DH-5640")
def test_who_is_struck_in_melee_is_pinned_no_more() -> None:
    table = on(striking(), "bob", "pinned")

    table.play("standard_attack", "ann", "bob", to_hit=100)

    assert not table.has("bob", "pinned")
