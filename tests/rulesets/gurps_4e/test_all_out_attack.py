"""All-Out Attack: its options, its movement, and that nothing is left to defend with. Clauses GU-700 to GU-790."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable

SWORD, SHIELD = "thrusting_broadsword", "medium_shield"
HIT, MISS, FAILS = (3, 3, 3), (5, 5, 6), (4, 4, 5)
BOW = {"items": {"longbow": Item("longbow", held="both")}, "skills": {"bow": 14}}
SWORDS = {
    "items": {"one": Item("shortsword", held="main"), "two": Item("shortsword", held="off")},
    "skills": {"shortsword": 14},
}


def both(on_map: bool, one: str, other: str, far: float, **more: Any) -> PlayTable:
    """Two so far from each other, on a map or with that stated."""
    first, second = dict(more.pop(one, {})), dict(more.pop(other, {}))
    if not on_map:
        return fight(apart={one + other: far}, **{one: first, other: second}, **more)
    return fight(**{one: {"at": (0, 0, 90), **first}, other: {"at": (far, 0, 270), **second}}, **more)


def all_out(table: PlayTable, who: str, foe: str, weapon: str | None, option: str, **given: Any) -> Played:
    """An All-Out Attack with that option."""
    options = {"option": option, **given.pop("options", {})}
    return table.play("all_out_attack", who, foe, weapon=weapon, options=options, **given)


def rolls(done: Played, who: str) -> list[int]:
    """The numbers he rolled against."""
    return [event.target for event in done.of(ev.CheckRolled) if event.combatant == who]


def refused(table: PlayTable, who: str, *foes: str, option: str | None = None, **fields: Any) -> list[str]:
    """Why that All-Out Attack is refused."""
    options = {**({} if option is None else {"option": option}), **fields.pop("options", {})}
    return table.why_not("all_out_attack", who, *foes, options=options, **fields)


# Declaring


@pytest.mark.clause("GU-700")
def test_exactly_one_option_is_chosen() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    found = table.reasons("all_out_attack", "s", "x", weapon=SWORD)

    assert [(one.code, one.clause) for one in found] == [("option_required", "GU-700")]


@pytest.mark.clause("GU-700")
@pytest.mark.parametrize(
    ("option", "reasons"),
    [
        ("determined", []),
        ("double", ["option_not_for_ranged"]),
        ("feint", ["feint_needs_melee_weapon", "option_not_for_ranged"]),
        ("strong", ["option_not_for_ranged"]),
    ],
)
def test_at_range_only_two_options_fit(option: str, reasons: list[str]) -> None:
    table = fight(r=BOW, x={}, apart={"rx": 10})

    assert sorted(refused(table, "r", "x", option=option, weapon="longbow")) == reasons


@pytest.mark.clause("GU-700")
@pytest.mark.parametrize("option", ["determined", "double", "feint", "strong"])
def test_in_melee_four_options_fit(option: str) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    assert refused(table, "s", "x", option=option, weapon=SWORD) == []


@pytest.mark.clause("GU-700")
def test_nobody_suppresses_with_a_sword() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    assert "option_not_for_melee" in refused(table, "s", "x", option="suppression_fire", weapon=SWORD)


@pytest.mark.clause("GU-700")
def test_one_foe_is_attacked_with_one_weapon_unless_it_is_double() -> None:
    table = fight(x=SWORDS, s={}, p={}, apart={"sx": 1, "px": 1})

    assert refused(table, "x", "s", "p", option="strong", weapon="one") == ["too_many_targets"]
    assert refused(table, "x", "s", option="strong", weapon="one", second_weapon="two") == ["unused_input"]


@pytest.mark.clause("GU-700")
def test_the_weapon_is_ready() -> None:
    table = fight(s={"items": {SWORD: Item(SWORD)}}, x={}, apart={"sx": 1})

    assert refused(table, "s", "x", option="determined", weapon=SWORD) == ["weapon_not_ready"]


# Determined


@pytest.mark.clause("GU-710")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(
    ("dice", "outcome", "degrees", "grade"),
    [((6, 6, 5), "failure", 0, None), ((6, 5, 5), "success", 1, None)],
)
def test_determined_is_four_better(
    on_map: bool, dice: tuple[int, ...], outcome: str, degrees: int, grade: str | None
) -> None:
    table = both(on_map, "x", "s", 1)
    answers: dict[str, Any] = {"defend": "dodge", "dodge": (3, 3, 3)} if outcome == "success" else {}

    done = all_out(table, "x", "s", "axe", "determined", to_hit=dice, **answers)

    assert (done.check.target, done.check.outcome, done.check.degrees, done.check.grade) == (
        17,
        outcome,
        degrees,
        grade,
    )
    assert [(term.id, term.value, term.clause) for term in done.check.terms][1:] == [("determined", 4, "GU-710")]
    assert len(done.of(ev.AttackMade)) == 1


# Double


@pytest.mark.clause("GU-720")
@pytest.mark.parametrize("on_map", [False, True])
def test_double_is_two_full_attacks_on_the_same_foe(on_map: bool) -> None:
    table = both(on_map, "x", "s", 1)

    done = all_out(
        table,
        "x",
        "s",
        "axe",
        "double",
        first__to_hit=(4, 4, 4),
        second__to_hit=(4, 4, 5),
        defend=["dodge", "dodge"],
        dodge=[(3, 3, 3), FAILS],
        damage=(2, 3),
    )

    assert rolls(done, "x") == [13, 13]
    assert rolls(done, "s") == [9, 9]
    assert [event.raw for event in done.of(ev.DamageDealt)] == [2 + 3 + 2]


@pytest.mark.clause("GU-720")
@pytest.mark.parametrize(
    ("st", "reasons"), [(14, ["weapon_needs_readying"]), (17, ["weapon_needs_readying"]), (18, [])]
)
def test_one_weapon_must_need_no_readying(st: int, reasons: list[str]) -> None:
    axe = {"great_axe": Item("great_axe", held="both")}
    table = fight(x={"items": axe, "st": st, "skills": {"two_handed_axe_mace": 13}}, s={}, apart={"sx": 1})

    assert refused(table, "x", "s", option="double", weapon="great_axe") == reasons
    assert refused(table, "x", "s", option="double", weapon="great_axe", second_weapon="great_axe") == reasons


@pytest.mark.clause("GU-720")
def test_both_blows_go_to_the_same_foe() -> None:
    table = fight(x={}, s={}, p={}, apart={"sx": 1, "px": 1})

    found = table.reasons("all_out_attack", "x", "s", "p", weapon="axe", options={"option": "double"})

    assert [(one.code, one.clause, one.at) for one in found] == [("double_needs_same_target", "GU-720", "/targets/1")]
    assert refused(table, "x", "s", "s", option="double", weapon="axe") == []


@pytest.mark.clause("GU-720")
@pytest.mark.parametrize(
    ("second", "reasons"),
    [(Item("shortsword", held="off"), []), (Item("shortsword"), ["weapon_not_ready"])],
)
def test_the_second_weapon_must_be_ready_too(second: Item, reasons: list[str]) -> None:
    items = {"one": Item("shortsword", held="main"), "two": second}
    table = fight(s={"items": items, "skills": {"shortsword": 14}}, x={}, apart={"sx": 1})

    assert refused(table, "s", "x", option="double", weapon="one", second_weapon="two") == reasons


@pytest.mark.clause("GU-720", "GU-2240")
def test_the_second_blow_may_be_a_bash() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    done = all_out(table, "s", "x", SWORD, "double", second_weapon=SHIELD, to_hit=[(5, 5, 6), (5, 5, 6)])

    assert [(event.check, event.target) for event in done.of(ev.CheckRolled)] == [("broadsword", 15), ("shield", 14)]


@pytest.mark.clause("GU-720")
def test_a_foe_who_is_out_after_the_first_gets_no_second() -> None:
    table = fight(x={}, s={"armour": {}}, apart={"sx": 1})

    done = all_out(table, "x", "s", "axe", "double", to_hit=HIT, defend="none", damage=(1, 3), knockdown=(6, 6, 6))

    assert rolls(done, "x") == [13]
    stopped = done.one(ev.ActionStopped)
    assert (stopped.why, stopped.clause) == ("target_out", "GU-720")


@pytest.mark.clause("GU-720", "GU-2610")
def test_a_fumble_costs_the_second_blow() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    done = all_out(table, "s", "x", SWORD, "double", to_hit=(6, 6, 6), critical_miss=(2, 2, 3))

    assert len(done.of(ev.AttackMade)) == 1
    assert done.one(ev.ActionStopped).why == "slot_lost"


@pytest.mark.clause("GU-720")
def test_a_weapon_that_is_dropped_strikes_no_second_time() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    done = all_out(table, "s", "x", SWORD, "double", to_hit=(6, 6, 6), critical_miss=(3, 4, 3))

    assert len(done.of(ev.AttackMade)) == 1
    assert done.one(ev.ActionStopped).why == "no_longer_possible"


@pytest.mark.clause("GU-720", "GU-370")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_retreat_from_the_first_takes_no_second_away(on_map: bool) -> None:
    table = both(on_map, "x", "r", 1, r={"items": {}})

    done = all_out(
        table,
        "x",
        "r",
        "axe",
        "double",
        to_hit=[HIT, HIT],
        defend=[("dodge", {"retreat": True}), "dodge"],
        dodge=[(4, 4, 4), (4, 4, 4)],
    )

    assert rolls(done, "r") == [12, 12]
    assert len(done.of(ev.Moved)) == 1


# The off hand


@pytest.mark.clause("GU-730")
@pytest.mark.parametrize(("talents", "expected"), [([], [14, 10]), (["ambidexterity"], [14, 14])])
def test_the_off_hand_is_four_worse(talents: list[str], expected: list[int]) -> None:
    table = fight(s={**SWORDS, "talents": talents}, x={}, apart={"sx": 1})

    done = all_out(table, "s", "x", "one", "double", second_weapon="two", to_hit=[MISS, (5, 5, 5)])

    assert rolls(done, "s") == expected


@pytest.mark.clause("GU-730")
def test_with_one_weapon_there_is_no_penalty() -> None:
    table = fight(s=SWORDS, x={}, apart={"sx": 1})

    done = all_out(table, "s", "x", "one", "double", to_hit=[MISS, MISS])

    assert rolls(done, "s") == [14, 14]


# Feint and attack


@pytest.mark.clause("GU-740")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_feint_counts_for_this_attack_and_not_for_the_next_turn(on_map: bool) -> None:
    table = both(on_map, "s", "x", 1)

    done = all_out(
        table,
        "s",
        "x",
        SWORD,
        "feint",
        s__feint=(4, 4, 3),
        x__feint=(4, 4, 4),
        to_hit=HIT,
        defend="dodge",
        dodge=FAILS,
        damage=1,
    )

    purposes = [event.purpose for event in done.of(ev.CheckRolled)]
    assert purposes == ["feint", "feint", "attack", "defend"]
    assert done.of(ev.CheckRolled)[-1].target == 8 - 3
    assert not table.has("s", "feinted")


@pytest.mark.clause("GU-740")
def test_a_failed_feint_leaves_a_normal_attack() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    done = all_out(
        table,
        "s",
        "x",
        SWORD,
        "feint",
        s__feint=(6, 5, 5),
        x__feint=(4, 4, 4),
        to_hit=HIT,
        defend="dodge",
        dodge=FAILS,
        damage=1,
    )

    assert done.of(ev.CheckRolled)[-1].target == 8


@pytest.mark.clause("GU-740", "GU-850")
@pytest.mark.parametrize(
    ("before", "now", "counted"), [((4, 4, 4), (4, 4, 5), 3), ((4, 4, 5), (4, 4, 4), 3), ((4, 4, 4), (6, 5, 5), 3)]
)
def test_of_a_feint_before_and_one_now_the_larger_counts(
    before: tuple[int, ...], now: tuple[int, ...], counted: int
) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.play("feint", "s", "x", weapon=SWORD, s__feint=before, x__feint=(6, 5, 5))
    table.end_turn()
    table.end_turn()

    done = all_out(
        table,
        "s",
        "x",
        SWORD,
        "feint",
        s__feint=now,
        x__feint=(6, 5, 5),
        to_hit=HIT,
        defend="dodge",
        dodge=FAILS,
        damage=1,
    )

    assert done.of(ev.CheckRolled)[-1].target == 8 - counted
    assert not table.has("s", "feinted")


@pytest.mark.clause("GU-740")
def test_both_must_be_allowed_before_anything_is_rolled() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    assert refused(table, "s", "x", option="feint", weapon=SWORD, options={"arc": "rear"}) == ["target_cannot_see_you"]
    assert refused(table, "s", "x", option="feint", weapon=SWORD, said={"distance": {"x": 2}}) == ["out_of_reach"]


# Strong


@pytest.mark.clause("GU-750")
@pytest.mark.parametrize(
    ("st", "weapon", "mode", "skill", "dice", "bonus"),
    [
        (12, SWORD, "swing", "broadsword", 1, 2),
        (14, "axe", "swing", "axe_mace", 2, 2),
        (18, SWORD, "swing", "broadsword", 3, 3),
        (25, SWORD, "swing", "broadsword", 5, 5),
        (12, SWORD, "thrust", "broadsword", 1, 2),
    ],
)
def test_strong_adds_two_or_one_for_each_die(
    st: int, weapon: str, mode: str, skill: str, dice: int, bonus: int
) -> None:
    items = {"it": Item(weapon, held="main")}
    table = fight(s={"items": items, "st": st, "skills": {skill: 13}}, x={"hp_max": 100}, apart={"sx": 1})
    faces: Any = 3 if dice == 1 else (3,) * dice

    done = all_out(
        table, "s", "x", "it", "strong", options={"mode": mode}, to_hit=HIT, defend="dodge", dodge=FAILS, damage=faces
    )

    terms = {term.id: term.value for term in done.one(ev.DamageDealt).terms}
    assert (terms["strong"], terms["dice"]) == (bonus, 3 * dice)
    assert rolls(done, "s") == [13]


@pytest.mark.clause("GU-750")
@pytest.mark.parametrize(
    ("items", "weapon", "form", "reasons"),
    [
        ({"it": Item("force_sword", held="main")}, "it", {}, ["strong_needs_st_damage"]),
        ({"it": Item("medium_shield", held="off")}, "it", {}, []),
        ({}, None, {"mode": "kick"}, []),
        ({}, None, {"form": "shove"}, ["strong_needs_st_damage"]),
    ],
)
def test_strong_takes_damage_of_strength(
    items: Mapping[str, Item], weapon: str | None, form: dict[str, str], reasons: list[str]
) -> None:
    table = fight(s={"items": items, "skills": {"force_sword": 12}}, x={}, apart={"sx": 1})

    found = table.reasons("all_out_attack", "s", "x", weapon=weapon, options={"option": "strong", **form})

    assert [one.code for one in found] == reasons
    assert {one.clause for one in found} <= {"GU-750"}


# At range


@pytest.mark.clause("GU-760")
@pytest.mark.parametrize("on_map", [False, True])
def test_determined_at_range_is_one_better_on_top_of_the_aim(on_map: bool) -> None:
    table = both(on_map, "r", "x", 20)
    table.play("aim", "r", "x", weapon="assault_rifle")
    table.end_turn()
    table.end_turn()

    done = all_out(table, "r", "x", "assault_rifle", "determined", to_hit=(6, 5, 5))

    terms = {term.id: term.value for term in done.check.terms}
    assert terms == {"guns_rifle": 15, "determined": 1, "range": -6, "acc": 5}
    assert done.check.target == 15
    assert {term.id: term.clause for term in done.check.terms}["determined"] == "GU-760"


# Movement


@pytest.mark.clause("GU-780")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(("yards", "reasons"), [(3, []), (4, ["move_too_far"])])
def test_half_the_move_before_the_attack(on_map: bool, yards: int, reasons: list[str]) -> None:
    table = both(on_map, "p", "x", yards + 2)
    way: dict[str, Any] = {"path": [(yards, 0)]} if on_map else {"said": {"length": yards}, "options": {"toward": "x"}}

    found = table.reasons(
        "all_out_attack",
        "p",
        "x",
        weapon="spear",
        **{**way, "options": {"option": "determined", **way.get("options", {})}},
    )

    assert [(one.code, one.clause) for one in found] == [(code, "GU-780") for code in reasons]


@pytest.mark.clause("GU-780")
@pytest.mark.parametrize(("at", "reasons"), [(0, []), (100, ["move_split"]), (200, ["move_split"]), (300, [])])
def test_the_move_is_wholly_before_or_wholly_after(at: int, reasons: list[str]) -> None:
    table = fight(r={"at": (0, 0, 0)}, x={"at": (20, 0, 270)})
    way: dict[str, Any] = {"path": [(0, -3)], "options": {"option": "determined", "act_at": at}}

    found = table.reasons("all_out_attack", "r", "x", weapon="assault_rifle", **way)

    assert [(one.code, one.clause) for one in found] == [(code, "GU-780") for code in reasons]


@pytest.mark.clause("GU-780", "GU-450")
@pytest.mark.parametrize(
    ("path", "reasons"),
    [([(1, 0)], []), ([(0, 1)], ["not_forward"]), ([(-1, 0)], ["not_forward"]), ([(0.5, 0.86)], [])],
)
def test_the_move_is_forward_on_a_map(path: list[tuple[float, float]], reasons: list[str]) -> None:
    table = fight(r={"at": (0, 0, 90)}, x={"at": (20, 0, 270)})

    found = table.why_not(
        "all_out_attack", "r", "x", weapon="assault_rifle", path=path, options={"option": "determined"}
    )

    assert found == reasons


@pytest.mark.clause("GU-780", "GU-450")
@pytest.mark.parametrize(("way", "reasons"), [("toward", []), ("away_from", ["not_forward"])])
def test_the_move_is_forward_without_a_map(way: str, reasons: list[str]) -> None:
    table = fight(r={}, x={}, apart={"rx": 20})

    found = table.why_not(
        "all_out_attack",
        "r",
        "x",
        weapon="assault_rifle",
        said={"length": 3},
        options={"option": "determined", way: "x"},
    )

    assert found == reasons


@pytest.mark.clause("GU-780")
def test_he_goes_and_strikes() -> None:
    table = fight(p={}, x={}, apart={"px": 5})

    done = all_out(
        table, "p", "x", "spear", "determined", said={"length": 3}, options={"toward": "x"}, to_hit=(6, 6, 5)
    )

    assert done.one(ev.Moved).distances == {"x": 200}
    kinds = [type(event) for event in done.events]
    assert kinds.index(ev.Moved) < kinds.index(ev.AttackMade)


# No defence


@pytest.mark.clause("GU-790")
@pytest.mark.parametrize("on_map", [False, True])
def test_until_the_next_slot_nobody_is_even_asked(on_map: bool) -> None:
    table = both(on_map, "x", "s", 1)
    all_out(table, "x", "s", "axe", "strong", to_hit=(6, 6, 4))
    table.end_turn()

    done = table.play("attack", "s", "x", weapon=SWORD, to_hit=HIT, damage=1)

    assert done.questions() == []
    assert len(done.of(ev.DamageDealt)) == 1


@pytest.mark.clause("GU-790")
def test_at_the_next_slot_he_can_defend_himself_again() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})
    all_out(table, "x", "s", "axe", "strong", to_hit=(6, 6, 4))
    assert table.has("x", "no_active_defense")
    table.end_turn()
    table.end_turn()
    assert not table.has("x", "no_active_defense")
    table.end_turn()

    done = table.play("attack", "s", "x", weapon=SWORD, to_hit=HIT, defend="dodge", dodge=(3, 3, 2))

    assert len(done.questions("defend")) == 1


@pytest.mark.clause("GU-790", "GU-060")
def test_defences_are_closed_from_the_moment_of_choosing() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    done = all_out(table, "x", "s", "axe", "strong", to_hit=(6, 6, 4))

    places = {
        event.effect.kind: (place, event.effect.clause)
        for place, event in enumerate(done.events)
        if isinstance(event, ev.EffectBegan)
    }
    attacked = next(place for place, event in enumerate(done.events) if isinstance(event, ev.AttackMade))
    chosen, clause = places["no_active_defense"]
    assert chosen < attacked
    assert clause == "GU-790"


@pytest.mark.clause("GU-790")
def test_a_stun_on_top_changes_nothing() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})
    all_out(table, "x", "s", "axe", "strong", to_hit=(6, 6, 4))
    table.rule(cmd.AddEffect(CombatantId("x"), "stunned_physical"))
    table.until_turn_of("s")

    done = table.play("attack", "s", "x", weapon=SWORD, to_hit=HIT, damage=1)

    assert done.questions() == []
