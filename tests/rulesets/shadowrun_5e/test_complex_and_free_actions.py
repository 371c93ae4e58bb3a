"""Complex and Free Actions. Clauses SR-415 to SR-475, SR-820."""

from typing import Any

import msgspec
import pytest

from app.engine import events as ev
from app.engine.reasons import Refused
from app.engine.space.model import Polygon, Sector
from app.engine.state import Item
from rulesets.shadowrun_5e.weapons import Weapon
from tests.rulesets.shadowrun_5e.fights import done, fight, held, order, pool, pools_of, rolls, score, terms_of
from tests.support.play import Played, PlayTable

# Blows


@pytest.mark.clause("SR-415", "SR-610")
@pytest.mark.parametrize(("apart", "codes"), [(2, []), (2.01, ["out_of_reach"]), (2.5, ["out_of_reach"])])
def test_a_blow_reaches_a_metre_and_the_reach(apart: float, codes: list[str]) -> None:
    table = fight(apart=apart, razor={"score": 20, "items": held(katana="both")}, b=10)

    assert table.why_not("melee_attack", "razor", "b", weapon="katana") == codes


@pytest.mark.clause("SR-415")
@pytest.mark.parametrize(("metres", "codes"), [(2, []), (2.01, ["out_of_reach"])])
def test_and_so_on_a_map(metres: float, codes: list[str]) -> None:
    table = fight(razor={"score": 20, "items": held(katana="both"), "at": (0, 0)}, b={"score": 10, "at": (metres, 0)})

    assert table.why_not("melee_attack", "razor", "b", weapon="katana") == codes


@pytest.mark.clause("SR-415", "SR-610", "SR-215")
def test_it_is_agility_and_the_skill_of_the_weapon_in_hand() -> None:
    table = fight(apart=1, razor={"score": 20, "items": held(katana="both")}, b=10)
    assert table.why_not("melee_attack", "razor", "b", weapon="spurs") == ["item_not_carried"]

    blow = table.play(
        "melee_attack",
        "razor",
        "b",
        weapon="katana",
        defend="plain",
        attack__dice=rolls(12, 3),
        defense__dice=rolls(5, 1),
        soak__dice=rolls(11, 10),
    )

    assert terms_of(blow, "attack") == {"agility": 7, "blades": 5}
    assert blow.check.limit == 7
    assert terms_of(blow, "defend") == {"reaction": 3, "intuition": 3, "reach": -1}
    dealt = blow.one(ev.DamageDealt)
    assert ({term.id: term.value for term in dealt.terms}, dealt.raw) == (
        {"weapon": 3, "strength": 5, "net_hits": 2},
        10,
    )


@pytest.mark.clause("SR-415")
def test_a_stowed_weapon_strikes_nobody() -> None:
    table = fight(apart=1, razor={"score": 20, "items": held(katana="")}, b=10)

    assert table.why_not("melee_attack", "razor", "b", weapon="katana") == ["weapon_not_ready"]


# Hacking


def hacker(protection: int | None = 3, **more: Any) -> PlayTable:
    """Wren with her deck, and a file that somebody keeps."""
    marks = {} if protection is None else {"protection": protection}
    return fight(
        wren={"score": 20, **more}, b={"score": 10, "items": {"plans": Item("file", on_ground=True, marks=marks)}}
    )


@pytest.mark.clause("SR-420", "SR-215")
def test_a_file_is_opened_by_one_hit_more_than_protects_it() -> None:
    table = hacker()

    hacked = table.play(
        "hack_file",
        "wren",
        options={"file": "plans"},
        hack__dice=(6, 6, 5, 5, 5, 5, 4, 3, 2, 2, 1, 1),
        protect__dice=(5, 5, 4, 3, 2, 1),
    )

    assert (hacked.check.limit, hacked.one(ev.ContestSettled).margin) == (5, 3)
    assert table.who("b").items["plans"].marks["cracked"] == 1


@pytest.mark.clause("SR-420")
def test_a_tie_opens_nothing_and_without_protection_one_hit_is_enough() -> None:
    table = hacker(1)
    table.play("hack_file", "wren", options={"file": "plans"}, hack__dice=rolls(12, 2), protect__dice=rolls(2, 2))
    assert "cracked" not in table.who("b").items["plans"].marks

    table = hacker(0)
    table.play("hack_file", "wren", options={"file": "plans"}, hack__dice=rolls(12, 1))
    assert table.who("b").items["plans"].marks["cracked"] == 1


@pytest.mark.clause("SR-420")
def test_the_gm_says_what_protects_it_where_nobody_has() -> None:
    table = hacker(None)

    hacked = table.play(
        "hack_file",
        "wren",
        options={"file": "plans"},
        file_protection=("rating", {"rating": 2}),
        hack__dice=rolls(12, 1),
        protect__dice=rolls(4, 0),
    )

    assert hacked.questions("file_protection")[0].to == "gm"


@pytest.mark.clause("SR-420")
def test_there_must_be_a_deck_and_a_file() -> None:
    assert hacker(items={}).why_not("hack_file", "wren", options={"file": "plans"}) == ["no_device"]
    assert hacker().why_not("hack_file", "wren", options={"file": "maps"}) == ["file_not_found"]


@pytest.mark.clause("SR-420", "SR-570", "SR-750")
def test_running_and_wounds_make_it_harder() -> None:
    table = hacker(0, pools={"stun": 3})
    table.play("run", "wren")

    hacked = table.play("hack_file", "wren", options={"file": "plans"}, hack__dice=rolls(7, 0))

    assert {"running": -4, "wounds": -1}.items() <= terms_of(hacked, "hack").items()


# Reloading


@pytest.mark.clause("SR-430")
def test_an_internal_magazine_takes_as_many_rounds_as_the_hands_are_quick() -> None:
    items = {"defiance_t250": Item("defiance_t250", held="both", marks={"ammo": 0})}
    table = fight(a={"score": 20, "agility": 4, "items": items}, b=9)

    table.play("reload_complex", "a", weapon="defiance_t250")
    assert table.who("a").items["defiance_t250"].marks["ammo"] == 4
    order(table, 2)
    table.play("reload_complex", "a", weapon="defiance_t250")

    assert table.who("a").items["defiance_t250"].marks["ammo"] == 5
    assert "no_change" in table.why_not("reload_complex", "a", weapon="defiance_t250")


@pytest.mark.clause("SR-430")
@pytest.mark.parametrize(("feed", "loaded"), [("break_action", 2), ("belt", 20), ("cylinder", 4)])
def test_a_break_action_takes_two_a_belt_all(feed: str, loaded: int) -> None:
    gun = Weapon("firearm", modes=("SS",), feed=feed, capacity=20, range_table="smg")  # type: ignore[arg-type]
    item = Item("own", held="main", marks={"ammo": 0}, custom=msgspec.json.encode(gun).decode())
    table = fight(a={"score": 20, "agility": 4, "items": {"own": item}}, b=9)

    table.play("reload_complex", "a", weapon="own")

    assert table.who("a").items["own"].marks["ammo"] == loaded


@pytest.mark.clause("SR-430")
def test_a_clip_is_not_reloaded_so() -> None:
    assert fight(a=20, b=9).why_not("reload_complex", "a", weapon="ak_97") == ["wrong_feed"]


# Suppressive fire


def suppressed(hits: int = 3, inside: tuple[str, ...] = ("b",), **more: Any) -> tuple[PlayTable, Played]:
    """An AK in full auto sweeps a zone with those in it, who trust to luck."""
    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 2})}
    people: dict[str, Any] = {"a": {"score": 20, "items": items}, "b": {"score": 15, "reaction": 4, "edge": 2}, "c": 5}
    answers = more.pop("answers", {"suppression_response": "test", "suppressed__dice": rolls(6, 3)})
    table = fight(apart=5, **people, **more)
    fire = table.play(
        "suppressive_fire", "a", weapon="ak_97", said={"inside": inside}, suppress__dice=rolls(6, hits), **answers
    )
    return table, fire


@pytest.mark.clause("SR-435", "SR-655")
def test_suppressive_fire_is_twenty_rounds_without_recoil() -> None:
    table, fire = suppressed()

    assert table.who("a").items["ak_97"].marks["ammo"] == 18
    assert pool(table, "a", "recoil") == 0
    assert fire.check.limit == 5
    assert table.has("b", "suppressed")
    assert not table.has("c", "suppressed")


@pytest.mark.clause("SR-435")
@pytest.mark.parametrize(("dice", "hit"), [((5, 6, 4, 3, 2, 1), True), ((5, 6, 5, 3, 2, 1), False)])
def test_whoever_is_in_it_gets_out_of_the_way_or_takes_the_base_damage(dice: tuple[int, ...], hit: bool) -> None:
    soak = {"soak__dice": rolls(12, 10)} if hit else {}

    _, fire = suppressed(answers={"suppression_response": "test", "suppressed__dice": dice, **soak})

    assert [one.raw for one in fire.of(ev.DamageDealt)] == ([10] if hit else [])
    assert fire.questions("defend") == []


@pytest.mark.clause("SR-435", "SR-545")
def test_hitting_the_dirt_spares_the_test_for_five_initiative() -> None:
    table, fire = suppressed(answers={"suppression_response": "hit_the_dirt"})

    assert (score(table, "b"), table.has("b", "prone")) == (10, True)
    assert pools_of(fire, "suppressed") == []


@pytest.mark.clause("SR-435")
def test_dropping_prone_needs_the_free_action() -> None:
    with pytest.raises(Refused) as refused:
        suppressed(answers={"suppression_response": "drop_prone"})
    assert [one.code for one in refused.value.reasons] == ["no_action_phase_yet"]

    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 2})}
    table = fight(apart=5, b={"score": 25}, a={"score": 20, "items": items}, c=5)
    done(table)
    table.play(
        "suppressive_fire",
        "a",
        weapon="ak_97",
        said={"inside": ("b",)},
        suppress__dice=rolls(6, 3),
        suppression_response="drop_prone",
    )
    assert table.has("b", "prone")
    assert table.why_not("speak_phrase", "b") == ["free_action_limit"]


@pytest.mark.clause("SR-435")
def test_those_in_it_have_fewer_dice_on_their_actions() -> None:
    table, _ = suppressed()
    done(table)

    looked = table.play("observe_in_detail", "b", suppression_response="test", suppressed__dice=rolls(6, 3))

    assert terms_of(looked, "observe")["suppressed"] == -3


@pytest.mark.clause("SR-435")
def test_acting_in_it_without_lying_is_a_test_once_in_each_phase() -> None:
    table, _ = suppressed()
    done(table)
    first = table.play(
        "take_cover", "b", cover_quality="none", suppression_response="test", suppressed__dice=rolls(6, 3)
    )
    assert len(first.questions("suppression_response")) == 1

    second = table.play("take_cover", "b", cover_quality="none")

    assert second.questions("suppression_response") == []


@pytest.mark.clause("SR-435")
@pytest.mark.parametrize(
    ("action", "given", "stops"),
    [
        ("speak_phrase", {}, True),
        ("full_defense", {}, True),
        ("walk", {"said": {"length": 1}}, True),
        ("end_phase", {}, False),
    ],
)
def test_it_lasts_until_the_shooter_does_anything_else(action: str, given: dict[str, Any], stops: bool) -> None:
    table, _ = suppressed()

    table.play(action, "a", **given)

    assert table.has("a", "suppressing") is not stops
    assert table.has("b", "suppressed") is not stops


@pytest.mark.clause("SR-435")
def test_the_zone_is_ten_metres_wide_at_most_and_on_a_map_it_has_a_place() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 2})}
    table = fight(
        a={"score": 20, "items": items, "at": (0, 0)}, b={"score": 15, "at": (20, 0)}, c={"score": 5, "at": (20, 9)}
    )
    wide = Polygon(((1900, -600), (2900, -600), (2900, 600), (1900, 600)))
    assert table.why_not("suppressive_fire", "a", weapon="ak_97") == ["missing_input"]
    assert table.why_not("suppressive_fire", "a", weapon="ak_97", area=Sector((2000, 0), 501)) == ["out_of_range"]
    assert table.why_not("suppressive_fire", "a", weapon="ak_97", area=wide) == []

    fire = table.play(
        "suppressive_fire",
        "a",
        weapon="ak_97",
        area=Sector((2000, 0), 500),
        suppress__dice=rolls(6, 2),
        suppression_response="test",
        suppressed__dice=rolls(4, 2),
    )

    assert [one.to for one in fire.questions("suppression_response")] == ["b"]


@pytest.mark.clause("SR-435")
def test_whoever_walks_into_it_comes_under_fire() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 2})}
    table = fight(a={"score": 20, "items": items, "at": (0, 0)}, razor={"score": 15, "at": (20, 9)})
    table.play("suppressive_fire", "a", weapon="ak_97", area=Sector((2000, 0), 500), suppress__dice=rolls(6, 2))
    done(table)

    went = table.play("walk", "razor", path=[(20, 1)], suppression_response="test", suppressed__dice=rolls(9, 2))

    assert table.has("razor", "suppressed")
    assert [one.distance for one in went.of(ev.Moved)] == [400, 400]


# Free Actions


@pytest.mark.clause("SR-450")
def test_nobody_lies_down_twice() -> None:
    table = fight(a=20, b=10)
    table.play("drop_prone", "a")

    assert "already_prone" in table.why_not("drop_prone", "a")


@pytest.mark.clause("SR-450", "SR-110")
def test_it_may_be_done_in_the_phase_of_another() -> None:
    table = fight(a=20, b=10)
    done(table)

    table.play("drop_prone", "a")

    assert table.has("a", "prone")


def thought(command: str, item: str = "ares_alpha", **options: Any) -> dict[str, Any]:
    """A command by thought."""
    return {"weapon": item, "options": {"command": command, **options}}


@pytest.mark.clause("SR-455", "SR-350")
def test_a_magazine_is_ejected_by_thought_another_put_in_and_a_shot_fired_in_one_phase() -> None:
    table = fight(apart=5, razor=20, b=10)

    table.play("mental_command", "razor", **thought("eject_magazine"))
    assert table.why_not("mental_command", "razor", **thought("switch_fire_mode", mode="bf")) == ["free_action_limit"]
    table.play("insert_magazine", "razor", weapon="ares_alpha")
    table.play(
        "fire_single_shot",
        "razor",
        "b",
        weapon="ares_alpha",
        defend="plain",
        attack__dice=rolls(14, 0),
        defense__dice=rolls(6, 0),
    )

    assert table.who("razor").items["ares_alpha"].marks["ammo"] == 41


@pytest.mark.clause("SR-455", "SR-315")
@pytest.mark.parametrize(
    ("given", "codes"),
    [
        (thought("switch_fire_mode", mode="bf"), []),
        (thought("switch_fire_mode", mode="sa"), ["no_change"]),
        (thought("switch_fire_mode", mode="ss"), ["fire_mode_not_available"]),
        (thought("activate_cyberweapon", "spurs"), []),
        (thought("activate_cyberweapon"), ["device_not_linked"]),
        (thought("eject_magazine", "spurs"), ["wrong_feed"]),
        (thought("eject_magazine", "katana"), ["device_not_linked", "wrong_feed"]),
        ({"options": {"command": "detonate"}}, ["device_not_linked"]),
    ],
)
def test_only_what_is_linked_and_can_change(given: dict[str, Any], codes: list[str]) -> None:
    assert fight(razor=20, b=10).why_not("mental_command", "razor", **given) == codes


@pytest.mark.clause("SR-455")
def test_and_only_for_nerves_that_reach_it() -> None:
    table = fight(okoye=20, b=10)

    assert table.why_not("mental_command", "okoye", **thought("eject_magazine", "hk_227")) == ["device_not_linked"]


@pytest.mark.clause("SR-455")
def test_no_magazine_cannot_be_ejected() -> None:
    items = {"ares_alpha": Item("ares_alpha", held="both", marks={"magazine": 0, "ammo": 0})}
    table = fight(razor={"score": 20, "items": items}, b=10)

    assert table.why_not("mental_command", "razor", **thought("eject_magazine")) == ["no_magazine"]


@pytest.mark.clause("SR-458")
def test_a_cyberweapon_is_in_hand_at_once() -> None:
    table = fight(apart=1, razor=20, b=10)
    assert table.why_not("melee_attack", "razor", "b", weapon="spurs") == ["weapon_not_ready"]
    table.play("mental_command", "razor", **thought("activate_cyberweapon", "spurs"))

    blow = table.play(
        "melee_attack",
        "razor",
        "b",
        weapon="spurs",
        defend="plain",
        attack__dice=rolls(11, 1),
        defense__dice=rolls(6, 0),
        soak__dice=rolls(12, 12),
    )

    assert blow.one(ev.DamageDealt).raw == 9
    assert "no_change" in table.why_not("mental_command", "razor", **thought("activate_cyberweapon", "spurs"))


@pytest.mark.clause("SR-460")
@pytest.mark.parametrize(("hits", "outcome"), [(2, "success"), (1, "failure")])
def test_a_sign_without_an_agreed_meaning_has_to_be_understood(hits: int, outcome: str) -> None:
    table = fight(a=20, b={"score": 10, "intuition": 4})

    signed = table.play(
        "gesture", "a", "b", note="fall back", options={"agreed": False}, understand__dice=rolls(4, hits)
    )

    assert (signed.check.combatant, signed.check.outcome, signed.check.target) == ("b", outcome, 2)
    assert signed.one(ev.Noted).words == ("fall back",)


@pytest.mark.clause("SR-460")
def test_agreed_signs_and_words_are_only_told() -> None:
    table = fight(a=20, b=10)
    assert table.play("gesture", "a", "b", note="stop").of(ev.CheckRolled) == []
    done(table)

    assert table.play("speak_phrase", "b", note="down!").one(ev.ActionTaken).note == "down!"


@pytest.mark.clause("SR-465")
def test_what_is_dropped_lies_where_he_stands() -> None:
    table = fight(razor={"score": 20, "at": (3, 4)}, b={"score": 10, "at": (9, 9)})
    assert table.why_not("drop_object", "razor", weapon="katana") == ["weapon_not_ready"]

    table.play("drop_object", "razor", weapon="ares_alpha")

    lies = table.who("razor").items["ares_alpha"].lies
    assert lies is not None
    assert (lies.x, lies.y) == (300, 400)


# Called shots


def calling(place: str, **more: Any) -> PlayTable:
    """Okoye with her SMG calls a shot at b."""
    table = fight(apart=5, okoye={"score": 20}, b={"score": 10}, **more)
    table.play("call_shot", "okoye", options={"place": place})
    return table


def called_shot(table: PlayTable, net: int, soak: Any = None) -> Played:
    """The shot itself: nine dice less four."""
    return table.play(
        "fire_single_shot",
        "okoye",
        "b",
        weapon="hk_227",
        defend="plain",
        attack__dice=rolls(5, net),
        defense__dice=rolls(6, 0),
        **({} if soak is None else {"soak__dice": soak}),
    )


@pytest.mark.clause("SR-468", "SR-700")
def test_a_shot_at_the_vitals_is_four_dice_harder_and_two_worse() -> None:
    table = calling("vitals")

    shot = called_shot(table, 2, rolls(14, 14))

    assert terms_of(shot, "attack")["called_shot"] == -4
    assert shot.one(ev.DamageDealt).raw == 7 + 2 + 2
    assert not table.has("okoye", "calling_shot")


@pytest.mark.clause("SR-468")
@pytest.mark.parametrize(("soaked", "left"), [(8, 10 - 5), (9, 10)])
def test_a_shaken_target_loses_five_if_a_box_gets_through(soaked: int, left: int) -> None:
    table = calling("shake_up")

    called_shot(table, 2, rolls(14, soaked))

    assert score(table, "b") == left


@pytest.mark.clause("SR-468")
@pytest.mark.parametrize(("net", "metres"), [(1, 0), (3, 2)])
def test_a_disarming_shot_knocks_the_weapon_away_and_hurts_nobody(net: int, metres: int) -> None:
    table = calling("disarm")

    shot = called_shot(table, net)

    gun = table.who("b").items["ak_97"]
    assert (gun.on_ground, gun.held, gun.marks.get("away", 0)) == (True, None, metres * 100)
    assert shot.of(ev.DamageDealt) == []


@pytest.mark.clause("SR-468")
def test_neither_with_a_burst_nor_at_several_targets_nor_where_the_table_plays_without() -> None:
    items = {"hk_227": Item("hk_227", held="both", marks={"mode": 1})}
    table = fight(apart=5, okoye={"score": 20, "items": items}, b=10, c=9)
    table.play("call_shot", "okoye", options={"place": "vitals"})
    assert table.why_not("fire_short_burst", "okoye", "b", weapon="hk_227") == ["called_shot_needs_single_attack"]
    several = table.why_not("fire_short_burst", "okoye", "b", "c", weapon="hk_227")
    assert several == ["called_shot_needs_single_attack", "too_many_targets"]

    table = fight(okoye=20, b=10, options={"called_shots": False})
    assert table.why_not("call_shot", "okoye", options={"place": "vitals"}) == ["unknown_action"]


@pytest.mark.clause("SR-468", "SR-475")
def test_it_belongs_to_the_own_phase() -> None:
    table = fight(okoye=20, b=10)
    done(table)

    assert "not_your_turn" in table.why_not("call_shot", "okoye", options={"place": "vitals"})


# Several targets


def burst(**more: Any) -> PlayTable:
    """Razor with his Alpha on bursts against three gangers."""
    items = {"ares_alpha": Item("ares_alpha", held="both", marks={"mode": 1, **more.pop("marks", {})})}
    razor = {"score": 30, "items": items, "smartlink": 0, **more.pop("razor", {})}
    return fight(apart=5, razor=razor, b=10, c=9, d=8, e=7, **more)


@pytest.mark.clause("SR-470", "SR-655")
def test_the_pool_is_split_evenly_and_every_modifier_counts_for_each_share() -> None:
    table = burst()
    table.play("multiple_attacks", "razor")

    shots = table.play(
        "fire_short_burst", "razor", "b", "c", "d", weapon="ares_alpha", defend="plain", defense__dice=[rolls(4, 0)] * 3
    )

    assert [terms_of(shots, "attack", at)["share"] for at in range(3)] == [4, 4, 4]
    assert {terms_of(shots, "attack", at)["recoil"] for at in range(3)} == {5 - 9}
    assert table.who("razor").items["ares_alpha"].marks["ammo"] == 42 - 9
    assert table.why_not("fire_short_burst", "razor", "b", weapon="ares_alpha") == ["attack_limit"]


@pytest.mark.clause("SR-470")
def test_larger_shares_come_first_and_no_more_than_half_the_skill() -> None:
    table = burst(razor={"strength": 15, "agility": 6})
    table.play("multiple_attacks", "razor")
    four = table.why_not("fire_short_burst", "razor", "b", "c", "d", "e", weapon="ares_alpha")
    assert four == ["too_many_attacks"]

    shots = table.play(
        "fire_short_burst",
        "razor",
        "b",
        "c",
        weapon="ares_alpha",
        defend="plain",
        attack__dice=[rolls(6, 0), rolls(5, 0)],
        defense__dice=[rolls(4, 0), rolls(4, 0)],
    )

    assert [terms_of(shots, "attack", at)["share"] for at in range(2)] == [6, 5]


@pytest.mark.clause("SR-470")
def test_the_cap_is_an_option() -> None:
    table = burst(options={"multiple_attacks_cap": "none"})
    table.play("multiple_attacks", "razor")

    assert table.why_not("fire_short_burst", "razor", "b", "c", "d", "e", weapon="ares_alpha") == []


@pytest.mark.clause("SR-470")
@pytest.mark.parametrize(
    ("declared", "marks", "targets", "codes"),
    [
        (False, {}, ("b", "c"), ["too_many_targets"]),
        (True, {}, ("b", "b"), ["cannot_split"]),
        (True, {"ammo": 5}, ("b", "c"), ["not_enough_ammo"]),
        (True, {"ammo": 6}, ("b", "c"), []),
    ],
)
def test_what_it_needs(declared: bool, marks: dict[str, int], targets: tuple[str, ...], codes: list[str]) -> None:
    table = burst(marks=marks)
    if declared:
        table.play("multiple_attacks", "razor")

    assert table.why_not("fire_short_burst", "razor", *targets, weapon="ares_alpha") == codes


@pytest.mark.clause("SR-470")
def test_a_single_weapon_on_single_shots_cannot_be_split() -> None:
    table = burst(marks={"mode": 0})
    table.play("multiple_attacks", "razor")

    assert table.why_not("fire_single_shot", "razor", "b", "c", weapon="ares_alpha") == ["cannot_split"]


@pytest.mark.clause("SR-470", "SR-620")
def test_two_weapons_may_share_one_target_and_the_off_hand_is_two_dice_worse() -> None:
    items = {"one": Item("colt_america_l36", held="main"), "two": Item("colt_america_l36", held="off")}
    table = fight(apart=5, a={"score": 20, "items": items, "agility": 6, "skills": {"pistols": 4}}, b=10)
    table.play("multiple_attacks", "a")

    shots = table.play(
        "fire_single_shot",
        "a",
        "b",
        "b",
        weapon="one",
        second_weapon="two",
        defend="plain",
        attack__dice=[rolls(5, 0), rolls(3, 0)],
        defense__dice=[rolls(6, 0), rolls(5, 0)],
    )

    assert terms_of(shots, "attack", 1) == {"share": 5, "off_hand": -2}
    assert [table.who("a").items[key].marks["ammo"] for key in ("one", "two")] == [10, 10]


@pytest.mark.clause("SR-470")
def test_blows_at_several_need_all_of_them_in_reach() -> None:
    people: dict[str, Any] = {"razor": {"score": 20, "items": held(katana="both")}, "b": 10, "c": 9}
    table = fight(apart={"razor-b": 2, "razor-c": 2.5, "b-c": 1}, **people)
    table.play("multiple_attacks", "razor")

    assert table.why_not("melee_attack", "razor", "b", "c", weapon="katana") == ["out_of_reach"]


@pytest.mark.clause("SR-475", "SR-560", "SR-110")
def test_running_takes_the_free_action_and_belongs_to_the_own_phase() -> None:
    table = fight(a=20, b=10)
    table.play("run", "a")
    assert table.why_not("drop_prone", "a") == ["free_action_limit"]
    table = fight(a=20, b=10)
    done(table)

    (reason,) = table.reasons("run", "a")

    assert (reason.code, reason.clause) == ("not_your_turn", "SR-475")


@pytest.mark.clause("SR-455", "SR-330")
@pytest.mark.parametrize(
    ("device", "who", "codes"),
    [
        ("door", "wren", []),
        ("lift", "wren", ["device_not_linked"]),
        ("gate", "wren", ["unknown_device"]),
        ("door", "b", ["device_not_linked"]),
    ],
)
def test_a_linked_device_of_the_encounter_takes_commands_too(device: str, who: str, codes: list[str]) -> None:
    items = {
        "door": Item("simple_device", on_ground=True, marks={"linked": 1, "state": 1}),
        "lift": Item("simple_device", on_ground=True),
    }
    table = fight(wren={"score": 20, "items": {}}, b={"score": 20 if who == "wren" else 30, "items": items})
    shut = {"options": {"command": "device", "device": device}}

    assert table.why_not("mental_command", who, **shut) == codes
    if not codes:
        table.play("mental_command", who, **shut)
        assert table.who("b").items["door"].marks["state"] == 0


@pytest.mark.clause("SR-415")
@pytest.mark.parametrize(("metres", "codes"), [(1, []), (2, ["missing_input"]), (2.5, ["out_of_reach"])])
def test_before_it_is_said_with_what_the_longest_weapon_in_hand_counts(metres: float, codes: list[str]) -> None:
    table = fight(apart=metres, razor={"score": 20, "items": {"katana": Item("katana", held="both")}}, b=10)

    assert table.why_not("melee_attack", "razor", "b") == codes
