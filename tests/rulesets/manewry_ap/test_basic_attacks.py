"""Basic attacks, the four defences, damage, surprise, targets that are down. Clauses MA-200 to MA-260."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import events as ev
from app.engine.reasons import Refused
from app.engine.space.model import Cover, CoverPiece, CoverValue
from tests.rulesets.manewry_ap.fights import (
    ap,
    asked,
    both_ways,
    duel,
    fight,
    held,
    options,
    pool,
    put,
    set_ap,
    set_pool,
    st,
    wall,
)

QUIET: dict[str, Any] = {"immediate_response": "none"}


# Melee


@both_ways
@pytest.mark.clause("MA-200")
@pytest.mark.parametrize(
    ("weapon", "far", "reasons"),
    [
        ("sword", 1, []),
        ("sword", 2, ["out_of_reach"]),
        ("spear", 2, []),
        ("spear", 3, ["out_of_reach"]),
    ],
)
def test_the_target_must_be_within_reach(on_map: bool, weapon: str, far: int, reasons: list[str]) -> None:
    table = duel(on_map, far, borys={"items": held(**{weapon: "main"})}, jagna={})

    assert table.why_not("melee_attack", "borys", "jagna") == reasons


@pytest.mark.clause("MA-200")
def test_diagonals_count_one() -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (1, 1)})

    assert table.why_not("melee_attack", "borys", "jagna") == []


@both_ways
@pytest.mark.clause("MA-200")
@pytest.mark.parametrize(
    ("weapon", "hand", "price"),
    [("dagger", "main", 3), ("sword", "main", 4), ("greatsword", "both", 5), ("club", "both", 5), (None, None, 3)],
)
def test_the_price_is_the_weapons_and_one_more_for_a_heavy_one(
    on_map: bool, weapon: str | None, hand: str | None, price: int
) -> None:
    items = held(**{weapon: hand}) if weapon else {}
    table = duel(on_map, borys={"items": items}, jagna={})

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="none", to_hit=1)

    assert (ap(table, "borys"), done.check.check) == (10 - price, "mel")


@pytest.mark.clause("MA-200")
@pytest.mark.parametrize("target", ["nobody", "hidden", "unseen"])
def test_a_target_that_is_unknown_or_hidden_is_none_and_nothing_else_is_judged(target: str) -> None:
    table = fight(
        borys={"at": (0, 0)},
        hidden={"at": (9, 0), "sample": "jagna"},
        unseen={"at": (8, 0), "sample": "ogr", "hidden": True},
    )
    put(table, "hidden", "hidden")

    found = table.reasons("melee_attack", "borys", target)

    assert [(one.code, one.clause) for one in found] == [("no_such_target", "MA-200")]


@pytest.mark.clause("MA-200")
def test_a_hidden_friend_is_there() -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (1, 0), "side": "borys"}, ogr={"at": (5, 5)})
    put(table, "jagna", "hidden")

    assert table.why_not("melee_attack", "borys", "jagna") == []


@both_ways
@pytest.mark.clause("MA-200")
@pytest.mark.parametrize(
    ("items", "fields", "reasons"),
    [
        ({"sword": None}, {"weapon": "sword"}, ["weapon_not_ready"]),
        ({"greatsword": "main", "shield": "off"}, {"weapon": "greatsword"}, ["weapon_not_ready"]),
        ({"greatsword": "main"}, {"weapon": "greatsword"}, []),
        ({"sword": "main", "shield": "off"}, {"options": {"bare_hands": True}}, ["weapon_not_ready"]),
        ({"sword": "main"}, {"options": {"bare_hands": True}}, []),
        ({"bow": "both"}, {"weapon": "bow"}, ["melee_weapon_required"]),
        ({"shield": "main"}, {"weapon": "shield"}, ["melee_weapon_required"]),
        ({"throwing_knife": "main"}, {"weapon": "throwing_knife"}, []),
    ],
)
def test_the_weapon_must_be_in_hand_and_made_for_melee(
    on_map: bool, items: dict[str, str | None], fields: dict[str, Any], reasons: list[str]
) -> None:
    table = duel(on_map, borys={"items": held(**items)}, jagna={})

    assert table.why_not("melee_attack", "borys", "jagna", **fields) == reasons


# Shots and throws


@both_ways
@pytest.mark.clause("MA-210")
@pytest.mark.parametrize(
    ("weapon", "hand", "action", "far", "reasons"),
    [
        ("bow", "both", "ranged_attack", 30, []),
        ("bow", "both", "ranged_attack", 31, ["out_of_range"]),
        ("hand_crossbow", "main", "ranged_attack", 15, []),
        ("hand_crossbow", "main", "ranged_attack", 16, ["out_of_range"]),
        ("throwing_knife", "main", "throw_attack", 8, []),
        ("throwing_knife", "main", "throw_attack", 9, ["out_of_range"]),
    ],
)
def test_shots_and_throws_have_a_range(
    on_map: bool, weapon: str, hand: str, action: str, far: int, reasons: list[str]
) -> None:
    table = duel(on_map, far, halina={"items": held(**{weapon: hand})}, jagna={})

    assert table.why_not(action, "halina", "jagna", weapon=weapon) == reasons


@pytest.mark.clause("MA-210")
def test_a_wall_takes_the_line_of_sight() -> None:
    table = fight(walls=(wall((2.5, -3), (2.5, 3)),), halina={"at": (0, 0)}, jagna={"at": (5, 0)})

    assert table.why_not("ranged_attack", "halina", "jagna") == ["no_line_of_sight"]


@pytest.mark.clause("MA-210")
@pytest.mark.parametrize(("sees", "reasons"), [(True, []), (False, ["no_line_of_sight"])])
def test_without_a_map_sight_is_stated(sees: bool, reasons: list[str]) -> None:
    table = fight(apart={"halina-jagna": 5}, halina={}, jagna={})

    assert table.why_not("ranged_attack", "halina", "jagna", said={"sees": {"jagna": sees}}) == reasons


@both_ways
@pytest.mark.clause("MA-210")
def test_a_shot_spends_ammunition_hit_or_miss(on_map: bool) -> None:
    table = duel(on_map, 5, jagna={"items": held(hand_crossbow="main")}, borys={})

    done = table.play("ranged_attack", "jagna", "borys", **QUIET, defend="dodge", to_hit=1)

    assert (done.check.check, st(done), ap(table, "jagna")) == ("rng", 62, 6)
    found = table.reasons("ranged_attack", "jagna", "borys")
    assert [(one.code, one.need, one.got) for one in found] == [("not_enough_ammo", 1, 0)]


@both_ways
@pytest.mark.clause("MA-210")
def test_a_thrown_weapon_leaves_the_hand(on_map: bool) -> None:
    table = duel(on_map, 5, jagna={"items": held(throwing_knife="main")}, borys={})

    table.play("throw_attack", "jagna", "borys", **QUIET, defend="none", to_hit=1)

    thrown = table.who("jagna").items["throwing_knife"]
    assert (thrown.held, thrown.on_ground) == (None, True)
    assert thrown.lies == table.who("borys").place
    assert ap(table, "jagna") == 7
    assert table.why_not("throw_attack", "jagna", "borys", weapon="throwing_knife") == ["weapon_not_ready"]


@pytest.mark.clause("MA-210")
def test_of_several_knives_in_hand_one_goes() -> None:
    knives = held(throwing_knife="main")
    table = duel(True, 5, jagna={"items": {"knives": replace(knives["throwing_knife"], count=3)}}, borys={})

    table.play("throw_attack", "jagna", "borys", **QUIET, defend="none", to_hit=1)

    assert (table.who("jagna").items["knives"].count, table.who("jagna").items["knives"].held) == (2, "main")


@pytest.mark.clause("MA-210")
@pytest.mark.parametrize(("action", "weapon"), [("ranged_attack", "sword"), ("throw_attack", "sword")])
def test_a_sword_neither_shoots_nor_flies(action: str, weapon: str) -> None:
    table = duel(True, 1, borys={}, jagna={})

    assert table.why_not(action, "borys", "jagna", weapon=weapon) == ["weapon_not_ready"]


# Defences


@both_ways
@pytest.mark.clause("MA-220")
@pytest.mark.parametrize(
    ("defence", "target", "left"),
    [("dodge", 62, 9), ("block", 76, 9), ("cover", 60, 9), ("parry", 72, 9), ("none", 50, 10)],
)
def test_borys_against_an_axe(on_map: bool, defence: str, target: int, left: int) -> None:
    table = duel(on_map, jagna={"items": held(axe="main")}, borys={})

    done = table.play("melee_attack", "jagna", "borys", **QUIET, defend=defence, to_hit=1)

    assert (st(done), ap(table, "borys")) == (target, left)
    assert done.one(ev.DefenceResolved).option == defence


@both_ways
@pytest.mark.clause("MA-220")
@pytest.mark.parametrize(("defence", "target"), [("dodge", 62), ("cover", 60), ("none", 50)])
def test_borys_against_an_arrow(on_map: bool, defence: str, target: int) -> None:
    table = duel(on_map, 9, halina={}, borys={})

    done = table.play("ranged_attack", "halina", "borys", **QUIET, defend=defence, to_hit=1)

    assert options(done, "defend") == ["dodge", "cover", "none"]
    assert st(done) == target


@pytest.mark.clause("MA-220")
@pytest.mark.parametrize("defence", ["block", "parry"])
def test_block_and_parry_are_no_answer_to_an_arrow(defence: str) -> None:
    table = duel(True, 9, halina={}, borys={})

    with pytest.raises(Refused) as refused:
        table.play("ranged_attack", "halina", "borys", **QUIET, defend=defence)

    assert [one.code for one in refused.value.reasons] == ["defence_not_legal"]


@pytest.mark.clause("MA-220")
@pytest.mark.parametrize(
    ("items", "offered"),
    [
        ({}, ["dodge", "none"]),
        ({"shield": "main"}, ["dodge", "block", "cover", "none"]),
        ({"dagger": "main"}, ["dodge", "parry", "none"]),
        ({"club": "main"}, ["dodge", "parry", "none"]),
        ({"club": "main", "shield": "off"}, ["dodge", "block", "cover", "none"]),
        ({"bow": "both"}, ["dodge", "none"]),
        ({"throwing_knife": "main"}, ["dodge", "parry", "none"]),
        ({"sword": None, "shield": None}, ["dodge", "none"]),
    ],
)
def test_block_and_cover_need_a_shield_and_parry_a_ready_weapon(
    items: dict[str, str | None], offered: list[str]
) -> None:
    table = duel(True, ogr={}, borys={"items": held(**items)})

    done = table.play("melee_attack", "ogr", "borys", **QUIET, defend="none", to_hit=1)

    assert options(done, "defend") == offered


@pytest.mark.clause("MA-220")
def test_the_best_parry_in_hand_counts() -> None:
    table = duel(True, ogr={}, borys={"items": held(dagger="main", sword="off")})

    done = table.play("melee_attack", "ogr", "borys", **QUIET, defend="parry", to_hit=1)

    assert st(done) == 50 + 18 + 4


@pytest.mark.clause("MA-220")
def test_without_a_point_left_nothing_is_asked() -> None:
    table = set_ap(duel(True, ogr={}, borys={}), borys=0)

    done = table.play("melee_attack", "ogr", "borys", to_hit=1)

    assert (asked(done), st(done)) == ([], 50)


@pytest.mark.clause("MA-220")
def test_the_point_may_be_gone_with_the_immediate_action() -> None:
    table = set_ap(duel(True, ogr={}, borys={}), borys=1)

    done = table.play("melee_attack", "ogr", "borys", immediate_response="drop_prone", to_hit=1)

    assert (asked(done), st(done)) == (["immediate_response"], 60)


@pytest.mark.clause("MA-220")
def test_the_price_of_a_defence_is_an_option() -> None:
    table = set_ap(duel(True, options={"defence_ap_cost": 3}, ogr={}, borys={}), borys=5)

    table.play("melee_attack", "ogr", "borys", **QUIET, defend="dodge", to_hit=1)
    assert ap(table, "borys") == 2

    done = table.play("melee_attack", "ogr", "borys", **QUIET, to_hit=1)
    assert "defend" not in asked(done)


@pytest.mark.clause("MA-220")
@pytest.mark.parametrize(
    ("rating", "at", "target"),
    [
        ("low_wall", 3.5, 50 + 12),
        ("wall_edge", 3.5, 50 + 20),
        ("low_wall", 2.5, None),
        ("nonsense", 3.5, None),
    ],
)
def test_an_object_next_to_the_defender_and_in_between_gives_cover(rating: str, at: float, target: int | None) -> None:
    low = wall((at, -1), (at, 1), id="w", move=False, sight=False, cover=CoverValue(rating=rating))
    table = fight(walls=(low,), halina={"at": (0, 0)}, jagna={"at": (4, 0)})

    answer = "none" if target is None else "cover"
    done = table.play("ranged_attack", "halina", "jagna", **QUIET, defend=answer, to_hit=1)

    assert ("cover" in options(done, "defend")) == (target is not None)
    assert st(done) == (target or 50)


@pytest.mark.clause("MA-220")
def test_without_a_map_the_object_is_stated() -> None:
    table = fight(apart={"halina-jagna": 4}, halina={}, jagna={})
    cover = Cover(100, (CoverPiece("w", rating="low_wall"),))

    done = table.play(
        "ranged_attack",
        "halina",
        "jagna",
        said={"sees": {"jagna": True}, "cover": {"jagna": cover}},
        **QUIET,
        defend="cover",
        to_hit=1,
    )

    assert st(done) == 62


# Damage


@both_ways
@pytest.mark.clause("MA-230", "MA-240")
def test_melee_damage_is_dice_and_half_of_strength_less_soak(on_map: bool) -> None:
    table = duel(on_map, borys={}, halina={"soak": 4})

    done = table.play("melee_attack", "borys", "halina", **QUIET, defend="none", to_hit=50, damage=6)

    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.through) == (18, 14)
    assert pool(table, "halina", "hp") == 42 - 14


@both_ways
@pytest.mark.clause("MA-230")
@pytest.mark.parametrize(
    ("weapon", "hand", "action", "raw"),
    [("bow", "both", "ranged_attack", 10), ("throwing_knife", "main", "throw_attack", 7)],
)
def test_shots_and_throws_deal_their_dice_only(on_map: bool, weapon: str, hand: str, action: str, raw: int) -> None:
    table = duel(on_map, 3, halina={"items": held(**{weapon: hand}), "str": 40}, jagna={"soak": 0})

    done = table.play(action, "halina", "jagna", **QUIET, defend="none", to_hit=50, damage=6)

    assert done.one(ev.DamageDealt).raw == raw


@both_ways
@pytest.mark.clause("MA-240")
@pytest.mark.parametrize(("soak", "through"), [(0, 8), (7, 1), (8, 0), (30, 0)])
def test_soak_is_taken_off_every_source_but_never_below_nothing(on_map: bool, soak: int, through: int) -> None:
    table = duel(on_map, jagna={}, borys={"soak": soak})

    done = table.play("melee_attack", "jagna", "borys", **QUIET, defend="none", to_hit=50, damage=1)

    assert (done.one(ev.DamageDealt).through, pool(table, "borys", "hp")) == (through, 46 - through)


# Surprise, and who is down


@both_ways
@pytest.mark.clause("MA-250")
@pytest.mark.parametrize(("crawling", "target"), [(False, 50), (True, 55)])
def test_an_attack_from_hiding_leaves_no_answer_but_posture_counts(on_map: bool, crawling: bool, target: int) -> None:
    table = duel(on_map, 5, halina={}, borys={})
    put(table, "halina", "hidden")
    put(table, "borys", "dodge_modifier", 6)
    if crawling:
        put(table, "borys", "lying")

    done = table.play("ranged_attack", "halina", "borys", to_hit=1)

    assert (asked(done), st(done)) == ([], target)


@pytest.mark.clause("MA-250")
def test_by_option_surprise_is_a_bonus_to_hit_instead() -> None:
    table = duel(True, 5, options={"surprise": "hit_bonus", "surprise_hit_bonus": 15}, halina={}, borys={})
    put(table, "halina", "hidden")

    done = table.play("ranged_attack", "halina", "borys", **QUIET, defend="dodge", to_hit=29, damage=1)

    assert (st(done), done.check.degrees) == (62, 0)


@both_ways
@pytest.mark.clause("MA-260")
def test_who_is_down_has_no_answer(on_map: bool) -> None:
    table = set_pool(duel(on_map, ogr={}, borys={}), "borys", "hp", 0)

    done = table.play("melee_attack", "ogr", "borys", to_hit=1)

    assert (asked(done), st(done)) == ([], 50)


@pytest.mark.clause("MA-260")
def test_the_dead_are_no_targets() -> None:
    table = set_pool(duel(True, ogr={}, borys={}), "borys", "hp", -16)

    assert table.why_not("melee_attack", "ogr", "borys") == ["invalid_target"]
