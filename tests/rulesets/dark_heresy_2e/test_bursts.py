"""Semi-Auto and Full Auto: how many hits, on whom. Clauses DH-3400 to DH-3440, DH-3720 to DH-3740, DH-5490."""

from collections.abc import Iterable
from typing import Any

import pytest

from app.engine import events as ev
from app.engine.reasons import BadAnswer, Refused
from app.engine.space.model import Ground, Place, Wall
from app.engine.state import Item
from tests.rulesets.dark_heresy_2e.firing import barred, cited, fired, jammed, places, result, struck, terms, weapon
from tests.rulesets.dark_heresy_2e.going import both_ways, fight
from tests.support.play import Played, PlayTable, combatant, duel, length, ruleset, table_of

SEMI, FULL = "semi_auto_burst", "full_auto_burst"


def shooting(bs: int = 45, distance: float = 60, items: dict[str, Item] | None = None, **options: Any) -> PlayTable:
    """Somebody of that skill against Vane, normally at normal range and with an autogun."""
    gun = {"sample": "vane", "bs": bs, "items": items or weapon("autogun", ammo=30)}
    return duel(distance, ann=gun, bob={"sample": "vane"}, options=options)


def burst(table: PlayTable, action: str, die: int) -> Played:
    """A burst that hits, up to the question of Evasion."""
    return table.play(action, "ann", "bob", to_hit=die, defend=...)


@pytest.mark.clause("DH-3400")
@pytest.mark.parametrize(
    ("kind", "reasons"),
    [
        ("autogun", []),
        ("heavy_stubber", []),
        ("lasgun", [("fire_mode_not_available", "DH-3400")]),
        ("sword", [("fire_mode_not_available", "DH-3400")]),
    ],
)
def test_full_auto_needs_a_weapon_with_that_rate(kind: str, reasons: list[tuple[str, str]]) -> None:
    table = shooting(items=weapon(kind, ammo=30))

    assert cited(table.reasons(FULL, "ann", "bob", weapon=kind)) == reasons


@pytest.mark.clause("DH-3720")
@pytest.mark.parametrize(
    ("kind", "reasons"),
    [
        ("autogun", []),
        ("lasgun", []),
        ("heavy_stubber", [("fire_mode_not_available", "DH-3720")]),
        ("autopistol", [("fire_mode_not_available", "DH-3720")]),
        ("knife", [("fire_mode_not_available", "DH-3720")]),
    ],
)
def test_semi_auto_needs_a_weapon_with_that_rate(kind: str, reasons: list[tuple[str, str]]) -> None:
    table = shooting(items=weapon(kind, ammo=30))

    assert cited(table.reasons(SEMI, "ann", "bob", weapon=kind)) == reasons


@pytest.mark.clause("DH-3400", "DH-3720")
@pytest.mark.parametrize(("action", "clause"), [(FULL, "DH-3400"), (SEMI, "DH-3720")])
@pytest.mark.parametrize(
    ("held", "marks", "reason"),
    [
        ("both", {"ammo": 1}, None),
        ("both", {"ammo": 0}, "not_enough_ammo"),
        ("both", {"ammo": 30, "jammed": 1}, "weapon_jammed"),
        (None, {"ammo": 30}, "weapon_not_ready"),
    ],
)
def test_the_weapon_must_be_ready_loaded_and_free_of_jams(
    action: str, clause: str, held: str | None, marks: dict[str, int], reason: str | None
) -> None:
    table = shooting(items=weapon("autogun", held, **marks))

    assert cited(table.reasons(action, "ann", "bob", weapon="autogun")) == (
        [] if reason is None else [(reason, clause)]
    )


@pytest.mark.clause("DH-3400", "DH-3720")
@pytest.mark.parametrize(("action", "clause"), [(FULL, "DH-3400"), (SEMI, "DH-3720")])
def test_who_holds_nothing_that_shoots_has_no_weapon_ready(action: str, clause: str) -> None:
    table = duel(60, gorm={"sample": "gorm"}, bob={"sample": "vane"})

    assert cited(table.reasons(action, "gorm", "bob")) == [("weapon_not_ready", clause)]


@pytest.mark.clause("DH-3400", "DH-3720", "DH-5140")
@both_ways
@pytest.mark.parametrize("action", [FULL, SEMI])
@pytest.mark.parametrize(("distance", "reasons"), [(400, []), (400.1, [("out_of_range", "DH-5140")])])
def test_a_burst_reaches_as_far_as_a_shot(
    on_map: bool, action: str, distance: float, reasons: list[tuple[str, str]]
) -> None:
    table = duel(distance, on_map=on_map, ann={"sample": "vane"}, bob={"sample": "vane"})

    assert cited(table.reasons(action, "ann", "bob")) == reasons


@pytest.mark.clause("DH-3410")
@pytest.mark.parametrize(("die", "outcome"), [(35, ("success", 1)), (36, ("failure", 1))])
def test_full_auto_is_a_test_at_minus_10(die: int, outcome: tuple[str, int]) -> None:
    given: dict[str, Any] = {"defend": ...} if outcome[0] == "success" else {}

    done = shooting().play(FULL, "ann", "bob", to_hit=die, **given)

    assert terms(done) == {"bs": 45, FULL: -10}
    assert result(done) == (35, *outcome)


@pytest.mark.clause("DH-3720")
@pytest.mark.parametrize(("die", "outcome"), [(45, ("success", 1)), (46, ("failure", 1))])
def test_semi_auto_is_a_test_at_plus_0(die: int, outcome: tuple[str, int]) -> None:
    given: dict[str, Any] = {"defend": ...} if outcome[0] == "success" else {}

    done = shooting().play(SEMI, "ann", "bob", to_hit=die, **given)

    assert terms(done) == {"bs": 45}
    assert result(done) == (45, *outcome)


@pytest.mark.clause("DH-3410", "DH-3720", "DH-5390")
@pytest.mark.parametrize("action", [FULL, SEMI])
@pytest.mark.parametrize(("die", "jam"), [(93, False), (94, True), (100, True)])
def test_a_burst_jams_from_94_and_a_jam_is_never_a_hit(action: str, die: int, jam: bool) -> None:
    """At a target number of 95 every one of these but 100 would hit."""
    table = shooting(100 if action == FULL else 95)
    more: dict[str, Any] = {"modifiers": (5,)} if action == FULL else {}
    given: dict[str, Any] = {} if jam else {"defend": ...}

    done = table.play(action, "ann", "bob", to_hit=die, **more, **given)

    assert done.check.target == 95
    assert jammed(done) == jam
    assert bool(done.of(ev.HitsScored)) != jam


@pytest.mark.clause("DH-3420", "DH-5220")
@pytest.mark.parametrize(
    ("kind", "target", "die", "hits"),
    [
        ("autogun", 35, 35, 1),
        ("autogun", 65, 2, 7),  # seven degrees, seven hits
        ("autogun", 95, 2, 10),  # ten degrees at a rate of 10
        ("autogun", 100, 2, 10),  # eleven degrees at a rate of 10
        ("autopistol", 85, 4, 6),  # nine degrees at a rate of 6
        ("heavy_stubber", 35, 33, 1),
    ],
)
def test_full_auto_hits_once_a_degree_up_to_its_rate(kind: str, target: int, die: int, hits: int) -> None:
    table = shooting(40, items=weapon(kind, ammo=30, braced=1))

    done = table.play(FULL, "ann", "bob", modifiers=(target - 30,), to_hit=die, defend=...)

    assert done.check.target == target
    assert len(places(done)) == hits


@pytest.mark.clause("DH-3730", "DH-2070")
@pytest.mark.parametrize(
    ("target", "die", "degrees", "hits"),
    [(45, 45, 1, 1), (45, 30, 2, 1), (45, 25, 3, 2), (45, 17, 4, 2), (45, 5, 5, 3), (75, 5, 8, 3)],
)
def test_semi_auto_hits_once_and_once_more_for_every_two_degrees_up_to_its_rate(
    target: int, die: int, degrees: int, hits: int
) -> None:
    done = burst(shooting(target), SEMI, die)

    assert result(done) == (target, "success", degrees)
    assert len(places(done)) == hits


@pytest.mark.clause("DH-3400", "DH-3720", "DH-5410")
@pytest.mark.parametrize(("action", "rounds"), [(SEMI, 3), (FULL, 10)])
@pytest.mark.parametrize("die", [20, 80])
def test_a_burst_spends_its_rate_hit_or_miss(action: str, rounds: int, die: int) -> None:
    table = shooting()
    given: dict[str, Any] = {"defend": ...} if die == 20 else {}

    assert fired(table.play(action, "ann", "bob", to_hit=die, **given)) == rounds


@pytest.mark.clause("DH-3740", "DH-5220")
def test_the_first_hit_lands_by_the_reversed_die_and_the_rest_by_the_table() -> None:
    done = burst(shooting(), SEMI, 17)

    assert (result(done), places(done)) == ((45, "success", 4), ["right_leg", "right_leg"])


@pytest.mark.clause("DH-3440", "DH-4510")
@pytest.mark.parametrize(("braced", "target", "degrees"), [(0, 3, 1), (1, 33, 4)])
def test_an_unbraced_heavy_weapon_fires_at_minus_30(braced: int, target: int, degrees: int) -> None:
    table = duel(
        60,
        brok={"sample": "brok", "items": weapon("heavy_stubber", ammo=80, braced=braced)},
        bob={"sample": "vane"},
    )

    assert result(table.play(FULL, "brok", "bob", to_hit=3, defend=...)) == (target, "success", degrees)


@pytest.mark.clause("DH-4510", "DH-3440")
@pytest.mark.parametrize(
    ("option", "braced", "reasons"),
    [
        ("penalty", 0, []),
        ("forbid", 1, []),
        ("forbid", 0, [("weapon_not_ready", "DH-4510")]),
    ],
)
def test_a_table_may_forbid_firing_unbraced(option: str, braced: int, reasons: list[tuple[str, str]]) -> None:
    table = shooting(items=weapon("heavy_stubber", ammo=80, braced=braced), unbraced_burst=option)

    assert cited(table.reasons(FULL, "ann", "bob")) == reasons


@pytest.mark.clause("DH-4510")
def test_only_a_heavy_weapon_must_be_braced() -> None:
    assert shooting(unbraced_burst="forbid").why_not(FULL, "ann", "bob") == []


# Further hits on others


def all_like_vane(names: Iterable[str]) -> dict[str, Any]:
    """Each of these is another Vane."""
    return {name: {"sample": "vane"} for name in names}


def group(on_map: bool = False, *, gun: tuple[float, float] = (0, 0), **options: Any) -> PlayTable:
    """Bob 60 m off, Cid exactly 2 m from him, Dan 2.1 m from him."""
    spots = {"ann": gun, "bob": (60.0, 0.0), "cid": (60.0, 2.0), "dan": (60.0, -2.1)}
    return fight(on_map, spots, **all_like_vane(spots), options=options)


@pytest.mark.clause("DH-3430")
@both_ways
def test_further_hits_may_go_to_others_within_2_m_of_the_target(on_map: bool) -> None:
    done = group(on_map).play(FULL, "ann", "bob", to_hit=12, allocate_hits=...)

    question = done.questions("allocate_hits")[0]
    assert (question.to, question.figures, question.default) == ("ann", {"hits": 3}, "primary")
    assert barred(question) == {"dan": [("target_too_far_from_primary", "DH-3430")]}


@pytest.mark.clause("DH-3430")
@both_ways
def test_somebody_exactly_2_m_off_takes_his_share(on_map: bool) -> None:
    share = ("allocate", {"hits": {"bob": 1, "cid": 2}})

    done = group(on_map).play(FULL, "ann", "bob", to_hit=12, allocate_hits=share, defend=...)

    assert struck(done) == ["bob", "cid", "cid"]
    assert {ask.to for ask in done.questions("defend")} == {"bob", "cid"}


@pytest.mark.clause("DH-3430")
@both_ways
def test_somebody_farther_off_is_refused_and_the_question_stays_open(on_map: bool) -> None:
    table = group(on_map)

    with pytest.raises(Refused) as refused:
        table.play(FULL, "ann", "bob", to_hit=12, allocate_hits=("allocate", {"hits": {"bob": 2, "dan": 1}}))

    assert cited(refused.value.reasons) == [("target_too_far_from_primary", "DH-3430")]
    assert table.who("ann").items["autogun"].marks["ammo"] == 30


@pytest.mark.clause("DH-3430")
def test_the_first_hit_is_the_targets_own() -> None:
    with pytest.raises(Refused) as refused:
        group().play(FULL, "ann", "bob", to_hit=12, allocate_hits=("allocate", {"hits": {"cid": 3}}))

    assert cited(refused.value.reasons) == [("invalid_target", "DH-3430")]


@pytest.mark.clause("DH-3430")
@pytest.mark.parametrize("share", [{"bob": 1, "cid": 1}, {"bob": 4}, {"bob": 2, "ann": 1}])
def test_all_hits_are_given_out_and_none_to_anybody_else(share: dict[str, int]) -> None:
    with pytest.raises(BadAnswer):
        group().play(FULL, "ann", "bob", to_hit=12, allocate_hits=("allocate", {"hits": share}))


@pytest.mark.clause("DH-3430")
def test_all_of_them_may_stay_with_the_target() -> None:
    done = group().play(FULL, "ann", "bob", to_hit=12, allocate_hits="primary", defend=...)

    assert struck(done) == ["bob", "bob", "bob"]


@pytest.mark.clause("DH-3430")
@pytest.mark.parametrize(("action", "die"), [(FULL, 33), (SEMI, 45), (SEMI, 38)])
def test_a_single_hit_is_not_shared(action: str, die: int) -> None:
    done = group().play(action, "ann", "bob", to_hit=die, defend=...)

    assert not done.questions("allocate_hits")
    assert struck(done) == ["bob"]


@pytest.mark.clause("DH-3430")
@both_ways
def test_nothing_is_asked_where_nobody_else_could_be_hit(on_map: bool) -> None:
    table = fight(
        on_map,
        {"ann": (0, 0), "bob": (60, 0), "dan": (60, 2.01)},
        ann={"sample": "vane"},
        bob={"sample": "vane"},
        dan={"sample": "vane"},
    )

    assert not table.play(FULL, "ann", "bob", to_hit=12, defend=...).questions("allocate_hits")


@pytest.mark.clause("DH-3430", "DH-5140")
@both_ways
def test_somebody_farther_away_in_a_worse_range_band_is_harder_to_hit(on_map: bool) -> None:
    """The target at short range, another just at half the range."""
    spots = {"ann": (0.0, 0.0), "bob": (49.9, 0.0), "cid": (50.0, 0.0), "dan": (49.9, 1.0)}
    table = fight(on_map, spots, **all_like_vane(spots))

    done = table.play(FULL, "ann", "bob", to_hit=12, allocate_hits=...)

    # Dan is 49.91 m off, still nearer than half of 100 m.
    assert barred(done.questions("allocate_hits")[0]) == {"cid": [("target_harder_to_hit", "DH-3430")]}


@pytest.mark.clause("DH-3430", "DH-5150")
@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        ({"size": 4}, None),
        ({"size": 5}, None),
        ({"size": 3}, [("target_harder_to_hit", "DH-3430")]),
        ({"engaged": ("eve",)}, [("target_harder_to_hit", "DH-3430")]),
    ],
)
def test_whoever_is_no_harder_to_hit_may_be_hit(changes: dict[str, Any], reasons: list[tuple[str, str]] | None) -> None:
    spots = {"ann": (0.0, 0.0), "bob": (60.0, 0.0), "cid": (60.0, 1.0), "dan": (60.0, -1.0), "eve": (60.0, 9.0)}
    people = all_like_vane(spots)
    people["cid"] = {**people["cid"], **{key: value for key, value in changes.items() if key != "engaged"}}
    melee = (("cid", "eve"),) if "engaged" in changes else ()
    table = fight(False, spots, melee=melee, **people)

    done = table.play(FULL, "ann", "bob", to_hit=12, allocate_hits=...)

    assert barred(done.questions("allocate_hits")[0]).get("cid") == reasons


@pytest.mark.clause("DH-3430", "DH-5050")
def test_that_the_target_expects_nothing_makes_nobody_else_easier() -> None:
    done = group().play(FULL, "ann", "bob", options={"aware": False}, to_hit=12, damage=9)

    assert not done.questions("allocate_hits")


@pytest.mark.clause("DH-3430", "DH-5170")
def test_somebody_behind_a_wall_takes_no_share() -> None:
    rules = ruleset()
    spots = {"ann": (0, 0), "bob": (60, 0), "cid": (60, 1), "dan": (60, -1)}
    bodies = [combatant(rules, name, "vane", place=Place(length(x), length(y), 0)) for name, (x, y) in spots.items()]
    wall = Wall((length(59), length(0.5)), (length(59), length(3)))
    table = table_of(*bodies, ground=Ground(walls=(wall,)))

    done = table.play(FULL, "ann", "bob", to_hit=12, allocate_hits=...)

    assert barred(done.questions("allocate_hits")[0]) == {"cid": [("no_line_of_sight", "DH-5170")]}


@pytest.mark.clause("DH-3430", "DH-5140")
@both_ways
def test_somebody_beyond_the_farthest_range_takes_no_share(on_map: bool) -> None:
    spots = {"ann": (0.0, 0.0), "bob": (400.0, 0.0), "cid": (400.5, 0.5), "dan": (399.5, 1.0)}
    table = fight(on_map, spots, **all_like_vane(spots))

    done = table.play(FULL, "ann", "bob", modifiers=(50,), to_hit=12, allocate_hits=...)

    assert barred(done.questions("allocate_hits")[0]) == {"cid": [("out_of_range", "DH-5140")]}


@pytest.mark.clause("DH-3430", "DH-5700")
def test_without_a_map_a_submission_may_say_who_is_near_the_target() -> None:
    """Nothing else is known of Cid: he is as far from the shooter as the target."""
    table = duel(20, ann={"sample": "vane"}, bob={"sample": "vane"})
    cid = combatant(ruleset(), "cid", "vane")
    table = table_of(*table.state.combatants.values(), cid)
    shot: dict[str, Any] = {"said": {"distance": {"bob": 20}, "near": ("cid",)}}

    done = table.play(FULL, "ann", "bob", **shot, to_hit=12, allocate_hits=...)

    assert barred(done.questions("allocate_hits")[0]) == {}
    assert not table.play(FULL, "ann", "bob", said={"distance": {"bob": 20}}, to_hit=12, defend=...).questions(
        "allocate_hits"
    )


@pytest.mark.clause("DH-3430")
def test_the_unconscious_may_be_hit_and_the_dead_are_left_alone() -> None:
    spots = {"ann": (0.0, 0.0), "bob": (60.0, 0.0), "cid": (60.0, 1.0), "dan": (60.0, -1.0)}
    people = all_like_vane(spots)
    people["cid"]["status"], people["dan"]["status"] = "down", "dead"
    done = fight(False, spots, **people).play(FULL, "ann", "bob", to_hit=12, allocate_hits=...)

    form = done.questions("allocate_hits")[0].options[1].form[0]
    assert form.choices == ("bob", "cid")


@pytest.mark.clause("DH-3430", "DH-3180")
def test_on_somebody_else_the_hits_begin_where_the_first_one_landed() -> None:
    share = ("allocate", {"hits": {"bob": 1, "cid": 2}})

    done = group().play(FULL, "ann", "bob", to_hit=12, allocate_hits=share, defend=...)

    assert places(done) == ["left_arm", "left_arm", "left_arm"]


@pytest.mark.clause("DH-3430", "DH-3180")
def test_a_table_may_roll_where_they_begin_on_somebody_else() -> None:
    share = ("allocate", {"hits": {"bob": 2, "cid": 2}})
    table = group(split_hit_location="roll_d100")

    done = table.play(FULL, "ann", "bob", to_hit=2, allocate_hits=share, location_cid__location=75, defend=...)

    assert places(done)[:2] == ["right_arm", "right_arm"]
    assert places(done)[2:] == ["right_leg", "right_leg"]


@pytest.mark.clause("DH-3430", "DH-3650")
def test_each_of_them_turns_away_only_his_own_hits() -> None:
    share = ("allocate", {"hits": {"bob": 2, "cid": 1}})
    hit: dict[str, Any] = {"to_hit": 12, "allocate_hits": share, "damage": 9}

    done = group().play(
        FULL, "ann", "bob", **hit, bob__defend="dodge", bob__dodge=41, cid__defend="dodge", cid__dodge=40
    )

    assert [event.target for event in done.of(ev.DamageDealt)] == ["bob", "bob"]


# Storm and Twin-Linked


@pytest.mark.clause("DH-5490")
@pytest.mark.parametrize(
    ("action", "target", "die", "hits", "rounds"),
    [
        (SEMI, 45, 5, 2, 4),  # three by degrees, doubled six, a rate of 2
        (SEMI, 45, 45, 2, 4),
        (FULL, 35, 35, 2, 8),
        (FULL, 35, 15, 4, 8),  # three by degrees, doubled six, a rate of 4
        ("standard_attack", 55, 55, 2, 2),
    ],
)
def test_storm_doubles_rounds_and_hits_within_the_rate(
    action: str, target: int, die: int, hits: int, rounds: int
) -> None:
    done = burst(shooting(items=weapon("storm_bolter", ammo=60)), action, die)

    assert done.check.target == target
    assert (len(places(done)), fired(done)) == (hits, rounds)


@pytest.mark.clause("DH-5490")
@pytest.mark.parametrize(
    ("option", "action", "die", "hits"),
    [
        ("after_doubling", SEMI, 5, 2),
        ("before_doubling", SEMI, 5, 4),
        ("after_doubling", FULL, 15, 4),
        ("before_doubling", FULL, 15, 6),
        ("before_doubling", FULL, 1, 8),
        ("before_doubling", "standard_attack", 55, 2),
    ],
)
def test_a_table_may_cap_before_storm_doubles(option: str, action: str, die: int, hits: int) -> None:
    table = shooting(items=weapon("storm_bolter", ammo=60), storm_cap=option)

    assert len(places(burst(table, action, die))) == hits


def twin(kind: str = "autogun", ammo: int = 30, **changes: Any) -> dict[str, Item]:
    """A twin-linked weapon."""
    return weapon(kind, ammo=ammo, changes={"qualities": {"twin_linked": True}, **changes})


@pytest.mark.clause("DH-5490")
@pytest.mark.parametrize(("die", "hits"), [(70, 1), (69, 2), (60, 2), (2, 2)])
def test_twin_linked_adds_20_and_from_two_degrees_a_second_hit(die: int, hits: int) -> None:
    done = burst(shooting(items=twin()), "standard_attack", die)

    assert terms(done) == {"bs": 45, "standard_attack": 10, "twin_linked": 20}
    assert (len(places(done)), fired(done)) == (hits, 2)


@pytest.mark.clause("DH-5490")
@pytest.mark.parametrize(
    ("action", "bs", "die", "hits", "rounds"), [(SEMI, 45, 1, 4, 6), (FULL, 100, 1, 11, 20), (SEMI, 45, 60, 1, 6)]
)
def test_the_second_hit_of_twin_linked_goes_beyond_the_rate(
    action: str, bs: int, die: int, hits: int, rounds: int
) -> None:
    done = burst(shooting(bs, items=twin()), action, die)

    assert (len(places(done)), fired(done)) == (hits, rounds)


@pytest.mark.clause("DH-5490", "DH-5410")
def test_with_one_round_left_twin_linked_hits_once() -> None:
    done = burst(shooting(items=twin(ammo=1)), "standard_attack", 5)

    assert (len(places(done)), fired(done)) == (1, 1)


@pytest.mark.clause("DH-5490", "DH-4150")
@pytest.mark.parametrize(
    ("kind", "steps"), [("laspistol", ["full"]), ("autogun", ["full"] * 2), ("shotgun", ["full"] * 4)]
)
def test_twin_linked_takes_twice_as_long_to_reload(kind: str, steps: list[str]) -> None:
    table = shooting(items=twin(kind, ammo=0))

    for place, way in enumerate(steps):
        action = "reload" if place == 0 else "continue_extended_action"
        assert table.who("ann").items[kind].marks["ammo"] == 0
        table.play(action, "ann", type=way)
        table.end_turn()
        table.end_turn()

    assert table.who("ann").items[kind].marks["ammo"] == ruleset().weapons[kind].clip
