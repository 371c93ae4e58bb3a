"""Simple Actions. Clauses SR-300 to SR-370, SR-650 to SR-658."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.commands import Submission
from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.listing import listing
from app.engine.reasons import Refused
from app.engine.space.model import CoverValue, Wall
from app.engine.state import Item
from tests.rulesets.shadowrun_5e.fights import done, fight, held, order, pool, rolls, terms_of
from tests.support.play import Played, PlayTable


def shoot(table: PlayTable, action: str, dice: int, defense: int, weapon: str = "ak_97", **given: Any) -> Played:
    """A shot that hits nothing: so many dice of attack and of defence."""
    return table.play(
        action,
        str(table.turn),
        "b",
        weapon=weapon,
        defend="plain",
        attack__dice=rolls(dice, 0),
        **({"defense__dice": rolls(defense, 0)} if defense else {}),
        **given,
    )


def gunner(mode: int = 0, ammo: int | None = None, gun: str = "ak_97", **more: Any) -> PlayTable:
    """Grisha with a weapon set to a mode, five metres from b."""
    marks = {"mode": mode} | ({} if ammo is None else {"ammo": ammo})
    hand = "main" if gun in ("ares_predator_v", "colt_america_l36", "defiance_ex_shocker") else "both"
    items = {gun: Item(gun, held=hand, marks=marks)}
    return fight(apart=5, a={"score": 20, "items": items, **more}, b={"score": 10})


def ammo(table: PlayTable, gun: str = "ak_97", who: str = "a") -> int:
    """Rounds left in it."""
    return table.who(who).items[gun].marks["ammo"]


# Firing


@pytest.mark.clause("SR-300", "SR-320")
@pytest.mark.parametrize(("action", "mode"), [("fire_single_shot", 0), ("fire_short_burst", 1), ("take_aim", 0)])
def test_the_only_firearm_that_is_ready_need_not_be_named(action: str, mode: int) -> None:
    table = gunner(mode=mode)
    (listed,) = [one for one in listing(table.table, CombatantId("a")) if one.id == action]
    target = next(one for one in listed.targets if one.id == "b")

    assert table.why_not(action, "a", "b") == table.why_not(action, "a", "b", weapon="ak_97") == []
    assert target.available
    assert not target.missing
    assert (target.chance is not None) == action.startswith("fire")


@pytest.mark.clause("SR-300", "SR-530")
def test_the_list_tells_the_chance_that_the_preview_of_the_shot_tells() -> None:
    table = gunner()
    named = next(view for view in listing(table.table, CombatantId("a")) if view.id == "fire_single_shot").targets[0]
    shot = Submission(
        CombatantId("a"), ActionId("fire_single_shot"), targets=(CombatantId("b"),), weapon=ItemId("ak_97")
    )
    action = table.rules.actions[shot.action]

    assert action.chance is not None
    assert named.chance == action.chance(table.table, shot, action)


@pytest.mark.clause("SR-300")
def test_of_two_firearms_one_is_named() -> None:
    table = gunner(gun="ares_predator_v")
    second = {"colt_america_l36": Item("colt_america_l36", held="off", marks={"mode": 0})}
    two = fight(apart=5, a={"score": 20, "items": {**table.who("a").items, **second}}, b={"score": 10})

    assert two.why_not("fire_single_shot", "a", "b") == ["missing_input"]
    assert two.why_not("fire_single_shot", "a", "b", weapon="colt_america_l36") == []


@pytest.mark.clause("SR-300", "SR-650")
def test_a_single_shot_is_one_round_and_leaves_the_defence_alone() -> None:
    table = gunner(gun="ares_predator_v")

    shoot(table, "fire_single_shot", 6, 6, "ares_predator_v")

    assert (ammo(table, "ares_predator_v"), pool(table, "a", "recoil")) == (14, 1)


@pytest.mark.clause("SR-305", "SR-310", "SR-400", "SR-405", "SR-410", "SR-640", "SR-650")
@pytest.mark.parametrize(
    ("action", "mode", "rounds", "defense", "cost"),
    [
        ("fire_single_shot", 0, 1, 6, 1),
        ("fire_semi_auto_burst", 0, 3, 4, 2),
        ("fire_short_burst", 1, 3, 4, 1),
        ("fire_long_burst", 1, 6, 1, 2),
        ("fire_short_full_auto", 2, 6, 1, 1),
        ("fire_long_full_auto", 2, 10, 0, 2),
    ],
)
def test_each_way_to_fire_has_its_rounds_its_price_and_what_it_takes_off_the_defence(
    action: str, mode: int, rounds: int, defense: int, cost: int
) -> None:
    table = gunner(mode, strength=15)
    recoil = min(0, 6 - rounds)

    shoot(table, action, 6 + recoil, defense)

    assert ammo(table) == 38 - rounds
    assert pool(table, "a", "recoil") == rounds
    assert table.who("a").budget["simple"] == 2 - cost


@pytest.mark.clause("SR-300", "SR-650")
@pytest.mark.parametrize(
    ("mode", "legal"),
    [
        (0, {"fire_single_shot", "fire_semi_auto_burst"}),
        (1, {"fire_short_burst", "fire_long_burst"}),
        (2, {"fire_short_full_auto", "fire_long_full_auto", "suppressive_fire"}),
    ],
)
def test_the_mode_decides_which_of_them_are_legal(mode: int, legal: set[str]) -> None:
    table = gunner(mode)
    ways = ["fire_single_shot", "fire_semi_auto_burst", "fire_short_burst", "fire_long_burst"]
    ways += ["fire_short_full_auto", "fire_long_full_auto"]

    for way in ways:
        assert table.why_not(way, "a", "b", weapon="ak_97") == ([] if way in legal else ["wrong_fire_mode"])
    expected = [] if mode == 2 else ["wrong_fire_mode"]
    assert table.why_not("suppressive_fire", "a", weapon="ak_97") == expected


@pytest.mark.clause("SR-650", "SR-658")
def test_a_single_shot_in_mode_ss_has_no_recoil() -> None:
    table = gunner(gun="defiance_t250")

    shoot(table, "fire_single_shot", 2, 6, "defiance_t250")

    assert (ammo(table, "defiance_t250"), pool(table, "a", "recoil")) == (4, 0)


@pytest.mark.clause("SR-300", "SR-600", "SR-960")
def test_everything_that_can_be_refused_is_refused_at_once_and_nothing_is_spent() -> None:
    items = {"ak_97": Item("ak_97", held=None, marks={"mode": 1, "ammo": 0, "magazine": 0})}
    table = fight(apart=600, a={"score": 20, "items": items}, b=10)

    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97") == ["weapon_not_ready", "out_of_range"]

    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 1, "ammo": 0, "magazine": 0})}
    table = fight(apart=600, a={"score": 20, "items": items}, b=10)
    reasons = table.reasons("fire_single_shot", "a", "b", weapon="ak_97", said={"sees": {"b": False}})
    assert [(one.code, one.clause) for one in reasons] == [
        ("wrong_fire_mode", "SR-300"),
        ("no_magazine", "SR-300"),
        ("out_of_range", "SR-300"),
        ("no_line_of_sight", "SR-300"),
    ]
    with pytest.raises(Refused):
        table.play("fire_single_shot", "a", "b", weapon="ak_97")
    assert table.who("a").budget["simple"] == 2


@pytest.mark.clause("SR-300")
def test_an_empty_magazine_is_no_ammunition() -> None:
    assert gunner(ammo=0).why_not("fire_single_shot", "a", "b", weapon="ak_97") == ["not_enough_ammo"]


@pytest.mark.clause("SR-300")
def test_a_wall_in_between_hides_the_target() -> None:
    wall = Wall((250, -300), (250, 300))
    table = fight(a={"score": 20, "at": (0, 0)}, b={"score": 10, "at": (5, 0)}, walls=(wall,))

    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97") == ["no_line_of_sight"]


@pytest.mark.clause("SR-652")
@pytest.mark.parametrize(
    ("action", "mode", "left", "defense", "recoil"),
    [
        ("fire_short_full_auto", 2, 4, -3, 4),
        ("fire_short_burst", 1, 1, 0, 1),
        ("fire_semi_auto_burst", 0, 2, -1, 2),
        ("fire_long_full_auto", 2, 1, 0, 1),
    ],
)
def test_with_too_few_rounds_all_that_are_left_are_fired(
    action: str, mode: int, left: int, defense: int, recoil: int
) -> None:
    table = gunner(mode, ammo=left, strength=15)

    shot = shoot(table, action, 6, 6 + defense)

    assert terms_of(shot, "defend").get("rate_of_fire", 0) == defense
    assert (ammo(table), pool(table, "a", "recoil")) == (0, recoil)


@pytest.mark.clause("SR-652")
def test_suppressive_fire_takes_all_of_its_rounds() -> None:
    assert gunner(2, ammo=19).why_not("suppressive_fire", "a", weapon="ak_97") == ["not_enough_ammo"]
    assert gunner(2, ammo=20).why_not("suppressive_fire", "a", weapon="ak_97") == []


# Recoil


@pytest.mark.clause("SR-655")
@pytest.mark.parametrize(
    ("strength", "gun", "mode", "action", "recoil"),
    [
        (3, "hk_227", 1, "fire_short_burst", 0),
        (3, "hk_227", 2, "fire_short_full_auto", -3),
        (6, "ak_97", 1, "fire_short_burst", 0),
        (3, "ak_97", 1, "fire_short_burst", -1),
        (4, "ak_97", 1, "fire_short_burst", 0),
    ],
)
def test_recoil_is_what_strength_and_weapon_do_not_hold(
    strength: int, gun: str, mode: int, action: str, recoil: int
) -> None:
    table = gunner(mode, gun=gun, strength=strength)
    defense = {"fire_short_burst": 4, "fire_short_full_auto": 1}[action]

    shot = shoot(table, action, 6 + recoil, defense, gun)

    assert terms_of(shot, "attack").get("recoil", 0) == recoil


@pytest.mark.clause("SR-658", "SR-955")
def test_recoil_adds_up_over_passes_and_turns_until_a_phase_without_it() -> None:
    table = gunner(1, gun="hk_227", strength=3)
    shoot(table, "fire_short_burst", 6, 4, "hk_227")
    done(table)
    done(table)
    assert table.turn == "a"
    shoot(table, "fire_short_burst", 3, 4, "hk_227")
    done(table, a__score=6, b__score=1)
    assert (table.state.clock.round, pool(table, "a", "recoil")) == (2, 6)

    table.play("take_aim", "a", "b", weapon="hk_227")
    assert pool(table, "a", "recoil") == 6
    done(table)

    assert pool(table, "a", "recoil") == 0


@pytest.mark.clause("SR-658")
def test_a_shot_in_mode_ss_forgets_it_too() -> None:
    items = {"defiance_t250": Item("defiance_t250", held="both")}
    table = fight(apart=5, a={"score": 20, "items": items, "pools": {"recoil": 6}, "strength": 15}, b=5)

    shoot(table, "fire_single_shot", 2, 6, "defiance_t250")
    done(table)

    assert pool(table, "a", "recoil") == 0


# Modes and aim


@pytest.mark.clause("SR-315")
def test_changing_the_mode_by_hand_takes_a_simple_action() -> None:
    table = gunner(0, strength=15)
    change = {"weapon": "ak_97", "options": {"mode": "bf"}}

    table.play("change_fire_mode", "a", **change)
    shoot(table, "fire_short_burst", 6, 4)

    assert table.who("a").budget["simple"] == 0


@pytest.mark.clause("SR-315")
@pytest.mark.parametrize(
    ("gun", "mode", "code"),
    [("ak_97", "sa", "no_change"), ("ak_97", "ss", "fire_mode_not_available"), ("defiance_t250", "sa", None)],
)
def test_only_to_another_mode_that_it_has(gun: str, mode: str, code: str | None) -> None:
    found = gunner(gun=gun).why_not("change_fire_mode", "a", weapon=gun, options={"mode": mode})

    assert found == ([code] if code else [])


@pytest.mark.clause("SR-315")
def test_and_only_of_a_weapon_in_hand() -> None:
    table = fight(a={"score": 20, "items": held(ak_97="")}, b=10)

    found = table.why_not("change_fire_mode", "a", weapon="ak_97", options={"mode": "bf"})

    assert found == ["weapon_not_ready"]


@pytest.mark.clause("SR-320")
def test_aim_adds_up_over_passes_to_half_the_willpower_and_is_gone_with_the_shot() -> None:
    table = fight(apart=5, a={"score": 20, "willpower": 3}, b=12)
    aim = {"weapon": "ak_97", "options": {"bonus": "pool"}}
    table.play("take_aim", "a", "b", **aim)
    table.play("take_aim", "a", "b", **aim)
    order(table, 2)

    assert table.why_not("take_aim", "a", "b", **aim) == ["aim_capped"]
    shot = shoot(table, "fire_single_shot", 8, 6)

    assert terms_of(shot, "attack")["aim"] == 2
    assert not table.has("a", "aiming")


@pytest.mark.clause("SR-320", "SR-215")
def test_aim_may_go_into_accuracy_instead() -> None:
    table = fight(apart=5, a={"score": 20, "willpower": 4}, b=12)
    table.play("take_aim", "a", "b", weapon="ak_97", options={"bonus": "accuracy"})

    shot = shoot(table, "fire_single_shot", 6, 6)

    assert shot.check.limit == 6


@pytest.mark.clause("SR-320")
@pytest.mark.parametrize(
    ("action", "given", "lost"),
    [
        ("drop_prone", {}, True),
        ("run", {}, True),
        ("full_defense", {}, True),
        ("speak_phrase", {}, True),
        ("walk", {"said": {"length": 1, "distance_after": {"b": 5}}}, False),
        ("call_shot", {"options": {"place": "vitals"}}, False),
        ("multiple_attacks", {}, False),
    ],
)
def test_any_other_action_loses_the_aim_but_walking_and_what_belongs_to_the_attack(
    action: str, given: dict[str, Any], lost: bool
) -> None:
    table = fight(apart=5, a={"score": 20}, b=12)
    table.play("take_aim", "a", "b", weapon="ak_97")

    table.play(action, "a", **given)

    assert table.has("a", "aiming") is not lost


@pytest.mark.clause("SR-320")
def test_a_defence_leaves_the_aim_alone_unless_an_interrupt_is_bought_for_it() -> None:
    table = fight(apart=5, a={"score": 20}, b=12)
    table.play("take_aim", "a", "b", weapon="ak_97")
    done(table)

    table.play(
        "fire_single_shot",
        "b",
        "a",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 0),
        defense__dice=rolls(6, 0),
    )
    assert table.has("a", "aiming")
    done(table)
    order(table, 1)
    table.play(
        "fire_single_shot",
        "b",
        "a",
        weapon="ak_97",
        defend="full_defense",
        attack__dice=rolls(6, 0),
        defense__dice=rolls(9, 0),
    )
    assert not table.has("a", "aiming")


@pytest.mark.clause("SR-320", "SR-955")
def test_it_survives_the_end_of_a_combat_turn() -> None:
    table = fight(apart=5, a=9, b=8)
    table.play("take_aim", "a", "b", weapon="ak_97")

    done(table)
    done(table, a__score=6, b__score=1)

    assert (table.state.clock.round, table.has("a", "aiming")) == (2, True)


@pytest.mark.clause("SR-320")
def test_it_is_for_one_weapon_and_one_target() -> None:
    table = fight(apart=5, a={"score": 20}, b=12, c=11)
    table.play("take_aim", "a", "c", weapon="ak_97")

    shot = shoot(table, "fire_single_shot", 6, 6)

    assert "aim" not in terms_of(shot, "attack")


@pytest.mark.clause("SR-320")
def test_a_target_out_of_sight_and_a_weapon_not_in_hand_cannot_be_aimed() -> None:
    table = fight(apart=5, a={"score": 20, "items": held(ak_97="")}, b=12)

    found = table.why_not("take_aim", "a", "b", weapon="ak_97", said={"sees": {"b": False}})

    assert found == ["no_line_of_sight", "weapon_not_ready"]


# Hands


@pytest.mark.clause("SR-325", "SR-465")
def test_a_drawn_weapon_needs_free_hands() -> None:
    table = fight(apart=5, razor={"score": 20}, b=10)
    draw = {"weapon": "ares_predator_v"}
    assert table.why_not("ready_weapon", "razor", **draw) == ["no_free_hand"]

    table.play("drop_object", "razor", weapon="ares_alpha")
    table.play("ready_weapon", "razor", **draw)
    shoot(table, "fire_single_shot", 13, 6, "ares_predator_v")

    assert table.who("razor").items["ares_alpha"].on_ground
    assert table.who("razor").items["ares_predator_v"].held == "main"


@pytest.mark.clause("SR-325")
@pytest.mark.parametrize(("weapon", "code"), [("ares_alpha", "already_ready"), ("sword", "item_not_carried")])
def test_what_is_in_hand_or_not_carried_cannot_be_drawn(weapon: str, code: str) -> None:
    assert fight(razor=20, b=10).why_not("ready_weapon", "razor", weapon=weapon) == [code]


@pytest.mark.clause("SR-325")
def test_a_two_handed_weapon_takes_both_hands() -> None:
    table = fight(a={"score": 20, "items": held(combat_knife="main", katana="", club="")}, b=10)

    assert table.why_not("ready_weapon", "a", weapon="katana") == ["no_free_hand"]
    table.play("ready_weapon", "a", weapon="club")
    assert table.who("a").items["club"].held == "off"


@pytest.mark.clause("SR-345", "SR-350")
def test_out_with_one_magazine_and_in_with_another() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"ammo": 4, "spare_1": 38})}
    table = fight(a={"score": 20, "items": items}, b=10)
    assert table.why_not("insert_magazine", "a", weapon="ak_97") == ["magazine_already_in"]

    table.play("remove_magazine", "a", weapon="ak_97")
    marks = table.who("a").items["ak_97"].marks
    assert (marks["ammo"], marks["magazine"], marks["spare_1"], marks["spare_2"]) == (0, 0, 38, 4)
    assert table.why_not("remove_magazine", "a", weapon="ak_97") == ["no_magazine"]
    table.play("insert_magazine", "a", weapon="ak_97")

    marks = table.who("a").items["ak_97"].marks
    assert (marks["ammo"], marks["magazine"], marks["spare_1"], marks["spare_2"]) == (38, 1, 0, 4)
    assert table.who("a").budget["simple"] == 0


@pytest.mark.clause("SR-345")
def test_an_empty_magazine_is_thrown_away() -> None:
    table = gunner(ammo=0)

    table.play("remove_magazine", "a", weapon="ak_97")

    assert table.why_not("insert_magazine", "a", weapon="ak_97") == ["no_spare_magazine"]


@pytest.mark.clause("SR-345", "SR-350")
def test_only_clips_come_in_magazines() -> None:
    table = gunner(gun="defiance_t250")

    assert table.why_not("remove_magazine", "a", weapon="defiance_t250") == ["wrong_feed"]
    assert table.why_not("insert_magazine", "a", weapon="defiance_t250") == ["wrong_feed"]


@pytest.mark.clause("SR-350")
def test_it_needs_a_hand() -> None:
    pistol = Item("ares_predator_v", held="main", marks={"ammo": 0, "magazine": 0, "spare_1": 15})
    full = {"ares_predator_v": pistol, "combat_knife": Item("combat_knife", held="off")}
    table = fight(a={"score": 20, "items": full}, b=10)

    assert table.why_not("insert_magazine", "a", weapon="ares_predator_v") == ["no_free_hand"]


@pytest.mark.clause("SR-360")
@pytest.mark.parametrize(("hits", "fired"), [(3, True), (2, False)])
def test_a_quick_draw_draws_either_way_and_fires_if_it_was_quick(hits: int, fired: bool) -> None:
    stats = {"reaction": 4, "skills": {"pistols": 4}, "items": held(colt_america_l36="")}
    table = fight(apart=5, a={"score": 20, **stats}, b=10)
    shot = {"defend": "plain", "attack__dice": rolls(7, 0), "defense__dice": rolls(6, 0)} if fired else {}

    drawn = table.play("quick_draw", "a", "b", weapon="colt_america_l36", quick_draw__dice=rolls(8, hits), **shot)

    assert drawn.check.target == 3
    assert (table.who("a").items["colt_america_l36"].held, bool(drawn.of(ev.AttackMade))) == ("main", fired)
    assert table.why_not("fire_single_shot", "a", "b", weapon="colt_america_l36") == ["attack_limit"]


@pytest.mark.clause("SR-360")
def test_only_what_is_of_the_size_of_a_pistol() -> None:
    table = fight(apart=5, a={"score": 20, "items": held(ak_97="")}, b=10)

    assert table.why_not("quick_draw", "a", "b", weapon="ak_97") == ["weapon_not_ready"]


@pytest.mark.clause("SR-370")
@pytest.mark.parametrize(("away", "codes"), [(100, []), (150, ["out_of_reach"])])
def test_an_item_within_a_metre_is_picked_up_and_ready_at_once(away: int, codes: list[str]) -> None:
    rifle = Item("ak_97", on_ground=True, marks={"away": away})
    table = fight(apart=5, a={"score": 20, "items": {"ak_97": rifle}}, b=10)
    assert table.why_not("pick_up_object", "a", weapon="ak_97") == codes
    if codes:
        return

    table.play("pick_up_object", "a", weapon="ak_97")

    shoot(table, "fire_single_shot", 6, 6)


@pytest.mark.clause("SR-370")
def test_and_what_is_in_hand_is_laid_down_or_put_away() -> None:
    table = fight(a={"score": 20, "items": held(combat_knife="main", club="off")}, b=10)

    table.play("pick_up_object", "a", weapon="club", options={"where": "ground"})
    table.play("pick_up_object", "a", weapon="combat_knife")

    items = table.who("a").items
    assert (items["club"].on_ground, items["combat_knife"].held, items["combat_knife"].on_ground) == (True, None, False)


@pytest.mark.clause("SR-370")
def test_it_needs_a_free_hand_and_on_a_map_its_place_counts() -> None:
    items = {"club": Item("club", on_ground=True), **held(ak_97="both")}
    table = fight(a={"score": 20, "items": items}, b=10)
    assert table.why_not("pick_up_object", "a", weapon="club") == ["no_free_hand"]

    table = fight(razor={"score": 20, "at": (0, 0), "agility": 7}, b={"score": 10, "at": (30, 0)})
    table.play("drop_object", "razor", weapon="ares_alpha")
    table.play("walk", "razor", path=[(0, 1.5)])
    assert table.why_not("pick_up_object", "razor", weapon="ares_alpha") == ["out_of_reach"]
    assert "ares_alpha" not in to_pick_up(table, "razor")
    table.play("walk", "razor", path=[(0, 1)])
    assert table.why_not("pick_up_object", "razor", weapon="ares_alpha") == []
    assert "ares_alpha" in to_pick_up(table, "razor")


def to_pick_up(table: PlayTable, who: str) -> tuple[ItemId, ...]:
    """What the list offers him to pick up."""
    return next(view.weapons for view in listing(table.table, CombatantId(who)) if view.id == "pick_up_object")


# Posture and cover


@pytest.mark.clause("SR-340", "SR-450")
def test_standing_up_is_sure_unhurt_and_a_test_wounded() -> None:
    table = fight(a=20, b=10)
    assert table.why_not("stand_up", "a") == ["not_prone"]
    table.play("drop_prone", "a")
    table.play("stand_up", "a")
    assert not table.has("a", "prone")

    table = fight(a={"score": 20, "body": 5, "willpower": 3, "pools": {"physical": 3}}, b=10)
    table.play("drop_prone", "a")
    tried = table.play("stand_up", "a", stand_up__dice=(5, 4, 3, 3, 2, 2, 1))
    assert table.has("a", "prone")
    assert (table.who("a").budget["simple"], tried.check.target) == (1, 2)
    table.play("stand_up", "a", stand_up__dice=rolls(7, 2))
    assert not table.has("a", "prone")


@pytest.mark.clause("SR-355", "SR-640")
@pytest.mark.parametrize(("quality", "bonus"), [("partial", 2), ("good", 4)])
def test_cover_as_the_gm_judges_it_helps_against_those_he_names(quality: str, bonus: int) -> None:
    table = fight(apart=5, b=20, a={"score": 15}, c={"score": 10})

    table.play("take_cover", "b", cover_quality=(quality, {"against": ("a",)}))
    done(table)
    shoot(table, "fire_single_shot", 6, 6 + bonus)
    done(table)
    shoot(table, "fire_single_shot", 6, 5)


@pytest.mark.clause("SR-355")
@pytest.mark.parametrize("how", ["walk", "knocked_down"])
def test_it_ends_when_he_moves_or_is_knocked_down(how: str) -> None:
    table = fight(apart=5, b=20, a={"score": 15})
    table.play("take_cover", "b", cover_quality=("good", {}))

    if how == "walk":
        table.play("walk", "b", said={"length": 1})
    else:
        table.rule(cmd.AddEffect(CombatantId("b"), "prone"))

    assert not table.has("b", "in_cover_good")


@pytest.mark.clause("SR-355")
@pytest.mark.parametrize(("half", "kind", "bonus"), [(0, "in_cover_partial", 2), (20, "in_cover_good", 4)])
def test_on_a_map_the_hidden_share_decides(half: int, kind: str, bonus: int) -> None:
    crate = Wall((450, -100), (450, half), id="crate", move=False, sight=False, cover=CoverValue())
    table = fight(b={"score": 20, "at": (5, 0)}, a={"score": 15, "at": (0, 0)}, walls=(crate,))

    table.play("take_cover", "b")

    assert table.has("b", kind)
    done(table)
    shoot(table, "fire_single_shot", 6, 6 + bonus)


@pytest.mark.clause("SR-355")
@pytest.mark.parametrize("hidden", [True, False])
def test_cover_that_only_stands_before_a_foe_whom_nobody_knows_of_is_not_taken(hidden: bool) -> None:
    crate = Wall((450, -100), (450, 20), id="crate", move=False, sight=False, cover=CoverValue())
    lurker = {"score": 10, "at": (0, 0), "side": "lurkers", "hidden": hidden}
    table = fight(b={"score": 20, "at": (5, 0)}, a={"score": 15, "at": (9, 0)}, c=lurker, walls=(crate,))

    table.play("take_cover", "b")

    assert table.has("b", "in_cover_good") is not hidden


@pytest.mark.clause("SR-355")
def test_lying_down_is_no_cover() -> None:
    table = fight(apart=5, b=20, a={"score": 15})
    table.play("drop_prone", "b")
    done(table)

    shoot(table, "fire_single_shot", 6, 4)


# Devices


def lever(**marks: int) -> dict[str, Item]:
    """A lever that lies about, kept with b."""
    return {"lift": Item("simple_device", on_ground=True, marks=marks)}


@pytest.mark.clause("SR-330")
@pytest.mark.parametrize(("metres", "codes"), [(1, []), (1.01, ["device_out_of_reach"]), (2, ["device_out_of_reach"])])
def test_a_lever_within_a_metre_is_pulled(metres: float, codes: list[str]) -> None:
    table = fight(a=20, b={"score": 10, "items": lever()})
    pull = {"options": {"device": "lift", "distance": int(metres * 100)}}

    assert table.why_not("use_simple_device", "a", **pull) == codes
    if not codes:
        pulled = table.play("use_simple_device", "a", **pull)
        assert [(one.item, one.mark, one.value) for one in pulled.of(ev.ItemMarked)] == [("lift", "state", 1)]


@pytest.mark.clause("SR-330", "SR-425")
def test_a_device_must_be_there_and_no_more_complex_than_the_action() -> None:
    safe = {"safe": Item("complex_device", on_ground=True, marks={"away": 50})}
    table = fight(a=20, b={"score": 10, "items": safe})

    assert table.why_not("use_simple_device", "a", options={"device": "door"}) == ["unknown_device"]
    assert table.why_not("use_complex_device", "a", options={"device": "door"}) == ["unknown_device"]
    assert table.why_not("use_simple_device", "a", options={"device": "safe"}) == ["device_is_complex"]
    assert table.why_not("use_complex_device", "a", options={"device": "safe"}) == []
    far = {"device": "safe", "distance": 101}
    assert table.why_not("use_complex_device", "a", options=far) == ["device_out_of_reach"]


@pytest.mark.clause("SR-330")
@pytest.mark.parametrize(("hits", "state"), [(2, 5), (1, 0)])
def test_the_gm_may_set_a_test_for_it(hits: int, state: int) -> None:
    table = fight(a={"score": 20, "agility": 3}, b={"score": 10, "items": lever(away=0, tested=1, state=0)})

    table.play(
        "use_simple_device",
        "a",
        options={"device": "lift", "state": 5},
        device_test=("test", {"attribute": "agility", "threshold": 2}),
        improvise__dice=rolls(3, hits),
    )

    assert table.who("b").items["lift"].marks["state"] == state


@pytest.mark.clause("SR-330")
def test_on_a_map_its_place_counts() -> None:
    on_map: Any = {"razor": {"score": 20, "at": (0, 0)}, "b": {"score": 10, "at": (1, 0), "items": lever()}}
    table = fight(**on_map)

    assert table.why_not("use_simple_device", "razor", options={"device": "lift"}) == []
    table.play("walk", "razor", path=[(0, 1)], intercept_choice="decline")
    assert table.why_not("use_simple_device", "razor", options={"device": "lift"}) == ["device_out_of_reach"]


@pytest.mark.clause("SR-360", "SR-660")
@pytest.mark.parametrize(("metres", "codes"), [(60, ["missing_input"]), (61, ["out_of_range", "missing_input"])])
def test_before_it_is_said_which_pistol_is_drawn_the_one_that_reaches_farthest_counts(
    metres: int, codes: list[str]
) -> None:
    table = fight(apart=metres, a={"score": 20, "items": held(ares_predator_v="", colt_america_l36="")}, b=10)

    assert table.why_not("quick_draw", "a", "b") == codes
