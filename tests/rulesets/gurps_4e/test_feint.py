"""Feint: when it can be made, its contest, and what is left of it for the next turn. Clauses GU-800 to GU-890."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from rulesets.gurps_4e.feinting import penalty, resists_with
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable, length

SWORD, SHIELD = "thrusting_broadsword", "medium_shield"
BY_FOUR: dict[str, Any] = {"s__feint": (4, 4, 3), "x__feint": (5, 5, 4)}
"""S 15 rolls 11, X 13 fails."""
TWICE = {"trait_values": {"altered_time_rate": 1}}
HIT, MISS, FAILS = (4, 4, 4), (6, 6, 4), (4, 4, 5)


def feint(table: PlayTable, who: str = "s", foe: str = "x", weapon: str | None = SWORD, **given: Any) -> Played:
    """A feint of S against X, with the weapon."""
    return table.play("feint", who, foe, weapon=weapon, **given)


def record(table: PlayTable, who: str = "s") -> dict[str, int]:
    """What his feints are worth, by foe."""
    return {str(one.against): one.value for one in table.table.effects(CombatantId(who), "feinted")}


def next_slot(table: PlayTable, who: str = "s") -> None:
    """On to his next slot."""
    table.end_turn()
    table.until_turn_of(who)


def attack(table: PlayTable, defend: str = "dodge", **given: Any) -> Played:
    """S strikes at X, who defends himself and fails."""
    rolls = {defend: FAILS} if defend != "none" else {}
    return table.play("attack", "s", "x", weapon=SWORD, to_hit=HIT, defend=defend, damage=1, **rolls, **given)


def defence(done: Played) -> ev.CheckRolled:
    """The defence roll."""
    found: ev.CheckRolled = next(event for event in done.of(ev.CheckRolled) if event.purpose == "defend")
    return found


# Conditions


@pytest.mark.clause("GU-800")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(
    ("far", "step", "reasons"),
    [(3, 1, []), (3, 0, ["out_of_reach"]), (4, 1, ["out_of_reach"]), (2, 0, []), (1, 0, ["reach_not_set"])],
)
def test_the_foe_must_be_in_reach_after_the_step(on_map: bool, far: int, step: int, reasons: list[str]) -> None:
    table = fight(
        p={"at": (0, 0, 90)} if on_map else {},
        x={"at": (far, 0, 270)} if on_map else {},
        apart=None if on_map else {"px": far},
    )
    way: dict[str, Any] = {}
    if step:
        way = {"path": [(step, 0)]} if on_map else {"said": {"length": step}, "options": {"toward": "x"}}

    assert table.why_not("feint", "p", "x", weapon="spear", **way) == reasons


@pytest.mark.clause("GU-800")
def test_a_feint_after_a_step_is_made() -> None:
    table = fight(p={"at": (0, 0, 90)}, x={"at": (3, 0, 270)})

    done = feint(table, "p", "x", "spear", path=[(1, 0)], p__feint=(4, 4, 3), x__feint=(4, 4, 4))

    assert done.one(ev.Moved).distance == length(1)
    assert record(table, "p") == {"x": 2}


@pytest.mark.clause("GU-800")
@pytest.mark.parametrize(
    ("items", "weapon", "reasons"),
    [
        ({SWORD: Item(SWORD)}, SWORD, ["weapon_not_ready"]),
        ({SWORD: Item(SWORD, held="main", marks={"unready": 1})}, SWORD, ["weapon_not_ready"]),
        ({"longbow": Item("longbow", held="both")}, "longbow", ["feint_needs_melee_weapon"]),
        ({"auto_pistol": Item("auto_pistol", held="main")}, "auto_pistol", ["feint_needs_melee_weapon"]),
        ({SWORD: Item(SWORD, held="main")}, SWORD, []),
    ],
)
def test_it_takes_a_ready_melee_weapon(items: Mapping[str, Item], weapon: str, reasons: list[str]) -> None:
    table = fight(s={"items": items}, x={}, apart={"sx": 1})

    refused = table.reasons("feint", "s", "x", weapon=weapon)

    assert [one.code for one in refused] == reasons
    assert {one.clause for one in refused} <= {"GU-800"}


@pytest.mark.clause("GU-800", "GU-820")
def test_an_empty_hand_feints_with_the_unarmed_skill() -> None:
    table = fight(s={"items": {}}, x={}, apart={"sx": 0})

    done = feint(table, weapon=None, s__feint=(4, 3, 3), x__feint=(6, 5, 5))

    assert (done.check.check, done.check.target) == ("brawling", 12)


@pytest.mark.clause("GU-800", "GU-240")
@pytest.mark.parametrize(("modifier", "reasons"), [(-12, []), (-13, ["skill_too_low"])])
def test_a_feint_that_is_too_hard_cannot_be_tried(modifier: int, reasons: list[str]) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    assert table.why_not("feint", "s", "x", weapon=SWORD, modifiers=[modifier]) == reasons


# Not an attack


@pytest.mark.clause("GU-810")
def test_it_is_no_attack_and_leaves_the_weapon_ready() -> None:
    axe = {"items": {"great_axe": Item("great_axe", held="both")}, "skills": {"two_handed_axe_mace": 15}}
    table = fight(x=axe, s={}, apart={"sx": 1})

    done = feint(table, "x", "s", "great_axe", x__feint=(4, 4, 3), s__feint=(6, 6, 4))

    assert done.of(ev.AttackMade) == []
    assert done.questions() == []
    assert table.who("x").items["great_axe"].marks.get("unready", 0) == 0
    next_slot(table, "x")
    table.play("attack", "x", "s", weapon="great_axe", to_hit=MISS)
    assert table.who("x").items["great_axe"].marks["unready"] == 1


@pytest.mark.clause("GU-810", "GU-360")
def test_an_unbalanced_weapon_may_still_parry() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    feint(table, "x", "s", "axe", x__feint=(4, 4, 3), s__feint=(6, 6, 4))
    table.end_turn()
    done = table.play("attack", "s", "x", weapon=SWORD, to_hit=HIT, defend="parry", parry=(3, 3, 3))

    assert defence(done).check == "parry"


# The contest


@pytest.mark.clause("GU-820")
@pytest.mark.parametrize(
    ("mine", "their_skill", "theirs", "won"),
    [
        ((4, 4, 4), 13, (6, 6, 6), 3),
        ((4, 3, 3), 14, (4, 4, 4), 3),
        ((4, 4, 4), 14, (4, 4, 3), 0),
        ((5, 5, 5), 13, (6, 6, 6), 0),
        ((6, 6, 4), 13, (6, 6, 6), 0),
        ((4, 4, 4), 14, (4, 4, 2), 0),
        ((1, 1, 1), 14, (6, 6, 3), 12),
    ],
)
def test_the_examples_of_the_contest(
    mine: tuple[int, ...], their_skill: int, theirs: tuple[int, ...], won: int
) -> None:
    table = fight(s={}, x={"skills": {"axe_mace": their_skill}}, apart={"sx": 1})

    done = feint(table, s__feint=mine, x__feint=theirs)

    settled = done.one(ev.ContestSettled)
    assert (settled.winner, settled.margin, settled.clause) == ("s" if won else None, won, "GU-820")
    assert record(table) == ({"x": won} if won else {})


@pytest.mark.clause("GU-820")
@pytest.mark.parametrize(
    ("mine", "margin", "theirs", "their_margin", "expected"),
    [
        (True, 3, False, -5, 3),
        (True, 5, True, 2, 3),
        (True, 3, True, 3, 0),
        (True, 0, False, -1, 0),
        (False, -1, False, -5, 0),
        (True, -1, False, -5, 0),
        (True, 4, True, -2, 4),
    ],
)
def test_the_failure_of_the_foe_adds_nothing(
    mine: bool, margin: int, theirs: bool, their_margin: int, expected: int
) -> None:
    assert penalty(mine, margin, theirs, their_margin) == expected


@pytest.mark.clause("GU-820")
def test_both_are_asked_for_their_roll_at_once() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    done = feint(table, s__feint=..., x__feint=...)

    assert [ask.name for ask in done.open] == ["feint", "feint"]


# What the foe rolls


@pytest.mark.clause("GU-830")
@pytest.mark.parametrize(
    ("who", "changes", "skill", "value"),
    [
        ("s", {}, "broadsword", 15),
        ("r", {}, "dx", 13),
        ("r", {"dx": 14, "skills": {"knife": 11}, "items": {"k": Item("large_knife", held="main")}}, "dx", 14),
        ("r", {"skills": {"knife": 13}, "items": {"k": Item("large_knife", held="main")}}, "knife", 13),
        ("s", {"items": {SWORD: Item(SWORD), SHIELD: Item(SHIELD, held="off")}}, "shield", 14),
        ("s", {"items": {SWORD: Item(SWORD), SHIELD: Item(SHIELD)}}, "brawling", 12),
        ("s", {"items": {"cloak": Item("cloak", held="off")}, "skills": {"cloak": 16}}, "cloak", 16),
        ("s", {"items": {"cloak": Item("cloak")}, "skills": {"cloak": 16}}, "brawling", 12),
        ("s", {"items": {}, "skills": {"judo": 17}}, "judo", 17),
        ("s", {"st": 5}, "shield", 14),
    ],
)
def test_the_engine_picks_the_best_that_is_ready(who: str, changes: dict[str, Any], skill: str, value: int) -> None:
    table = fight(
        p={"items": {"it": Item("shortsword", held="main")}, "skills": {"shortsword": 14}},
        apart={f"p{who}": 1},
        **{who: changes},
    )

    done = feint(table, "p", who, "it", p__feint=(4, 4, 4), **{f"{who}__feint": (6, 6, 4)})

    rolled = done.of(ev.CheckRolled)[1]
    assert (rolled.combatant, rolled.check, rolled.target) == (who, skill, value)


@pytest.mark.clause("GU-830")
@pytest.mark.parametrize(("named", "skill"), [("shield", "shield"), ("dx", "dx"), ("brawling", "brawling")])
def test_the_owner_may_name_a_lower_one(named: str, skill: str) -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    table.play("resist_feints", "s", options={"skill": named})
    done = feint(table, "x", "s", "axe", x__feint=(4, 4, 4), s__feint=(6, 6, 4))

    assert done.of(ev.CheckRolled)[1].check == skill


@pytest.mark.clause("GU-830")
def test_what_is_not_open_to_him_cannot_be_named_and_is_passed_over_later() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    refused = table.reasons("resist_feints", "s", options={"skill": "axe_mace"})
    assert [(one.code, one.clause) for one in refused] == [("invalid_option_value", "GU-830")]
    table.play("resist_feints", "s", options={"skill": "shield"})
    assert resists_with(table.table, CombatantId("s")).skill == "shield"
    table.play("drop_item", "s", weapon=SHIELD)
    assert resists_with(table.table, CombatantId("s")).skill == "broadsword"
    table.play("resist_feints", "s")

    assert not table.has("s", "resisting_feints")


# In sight


@pytest.mark.clause("GU-840")
@pytest.mark.parametrize(
    ("facing", "reasons"),
    [(270, []), (60, []), (61, ["target_cannot_see_you"]), (120, []), (119, ["target_cannot_see_you"])],
)
def test_the_foe_must_see_the_feinter_on_a_map(facing: int, reasons: list[str]) -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 0, facing)})

    assert table.why_not("feint", "s", "x", weapon=SWORD) == reasons


@pytest.mark.clause("GU-840")
@pytest.mark.parametrize(("arc", "reasons"), [("front", []), ("side", []), ("rear", ["target_cannot_see_you"])])
def test_without_a_map_the_side_is_stated(arc: str, reasons: list[str]) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    assert table.why_not("feint", "s", "x", weapon=SWORD, options={"arc": arc}) == reasons


@pytest.mark.clause("GU-840")
def test_who_is_unconscious_sees_nothing() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.rule(cmd.AddEffect(CombatantId("x"), "unconscious"))

    assert table.why_not("feint", "s", "x", weapon=SWORD) == ["target_cannot_see_you"]


@pytest.mark.clause("GU-840")
def test_turning_away_afterwards_does_not_help() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 0, 270)})
    feint(table, s__feint=(4, 4, 4), x__feint=(5, 5, 4))
    table.end_turn()
    table.play("evaluate", "x", "s", facing=150)
    table.end_turn()

    done = attack(table)

    terms = {term.id: term.value for term in defence(done).terms}
    assert (terms["feint"], terms["side"], defence(done).target) == (-3, -2, 8 - 3 - 2)


# When it applies


@pytest.mark.clause("GU-850")
def test_it_counts_in_the_next_turn_and_is_used_up() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    next_slot(table)

    first = attack(table)
    assert {term.id: term.value for term in defence(first).terms} == {"dodge": 8, "feint": -4}
    used = next(event for event in first.of(ev.EffectEnded) if event.kind == "feinted")
    assert (used.why, used.clause) == ("used", "GU-850")
    next_slot(table)

    assert defence(attack(table)).target == 8


@pytest.mark.clause("GU-850")
@pytest.mark.parametrize("defend", ["dodge", "parry"])
def test_it_lies_on_every_active_defence(defend: str) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    next_slot(table)

    done = attack(table, defend)

    assert {term.id: term.value for term in defence(done).terms}["feint"] == -4


@pytest.mark.clause("GU-850")
def test_a_miss_uses_it_up_too() -> None:
    table = fight(s=TWICE, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    next_slot(table)

    table.play("attack", "s", "x", weapon=SWORD, to_hit=MISS)

    assert record(table) == {}
    assert defence(attack(table)).target == 8


@pytest.mark.clause("GU-850")
def test_it_vanishes_at_the_end_of_the_next_turn() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    next_slot(table)
    table.play("evaluate", "s", "x")
    assert record(table) == {"x": 4}
    next_slot(table)

    assert record(table) == {}
    assert defence(attack(table)).target == 8


@pytest.mark.clause("GU-850")
@pytest.mark.parametrize(
    ("maneuver", "options"),
    [
        ("attack", {}),
        ("all_out_attack", {"option": "determined"}),
        ("all_out_attack", {"option": "strong"}),
        ("move_and_attack", {}),
    ],
)
def test_every_attacking_maneuver_takes_it(maneuver: str, options: dict[str, Any]) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    next_slot(table)

    done = table.play(
        maneuver,
        "s",
        "x",
        weapon=SWORD,
        options=options,
        to_hit=(3, 3, 3),
        defend="dodge",
        dodge=FAILS,
        damage=1,
    )

    assert defence(done).target == 8 - 4
    assert record(table) == {}


@pytest.mark.clause("GU-850")
@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [((4, 4, 3), (4, 4, 4), 4), ((4, 4, 4), (4, 4, 3), 4), ((4, 4, 4), (4, 4, 4), 3)],
)
def test_several_feints_do_not_add_up(first: tuple[int, ...], second: tuple[int, ...], kept: int) -> None:
    table = fight(s=TWICE, x={}, apart={"sx": 1})

    feint(table, s__feint=first, x__feint=(6, 5, 5))
    feint(table, s__feint=second, x__feint=(6, 5, 5))
    next_slot(table)

    done = attack(table)
    assert {term.id: term.value for term in defence(done).terms}["feint"] == -kept


@pytest.mark.clause("GU-850", "GU-1110")
def test_it_adds_to_the_bonus_of_an_all_out_defence() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    table.end_turn()
    table.play("all_out_defense", "x", options={"option": "increased_dodge"})
    table.end_turn()

    assert defence(attack(table)).target == 8 + 2 - 4


@pytest.mark.clause("GU-850", "GU-1120")
def test_both_tries_of_a_double_defence_take_it() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    table.end_turn()
    table.play("all_out_defense", "x", options={"option": "double_defense"})
    table.end_turn()

    done = attack(table, second_defense="parry", second__parry=FAILS)

    rolled = [event for event in done.of(ev.CheckRolled) if event.purpose == "defend"]
    assert [event.target for event in rolled] == [8 - 4, 9 - 4]


# Several blows, and whose it is


@pytest.mark.clause("GU-860")
def test_it_lies_on_both_blows_of_a_double_attack() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, s__feint=(4, 4, 4), x__feint=(5, 5, 4))
    next_slot(table)

    done = table.play(
        "all_out_attack",
        "s",
        "x",
        weapon=SWORD,
        options={"option": "double"},
        first__to_hit=HIT,
        second__to_hit=HIT,
        defend=["dodge", "dodge"],
        dodge=[FAILS, FAILS],
        damage=[1, 1],
    )

    rolled = [event for event in done.of(ev.CheckRolled) if event.purpose == "defend"]
    assert [event.target for event in rolled] == [5, 5]
    assert record(table) == {}


@pytest.mark.clause("GU-870")
def test_allies_gain_nothing() -> None:
    table = fight(s={"side": "us"}, p={"side": "us"}, x={}, apart={"sx": 1, "px": 2})
    feint(table, s__feint=(4, 3, 3), x__feint=(6, 5, 5))
    table.end_turn()

    done = table.play("attack", "p", "x", weapon="spear", to_hit=HIT, defend="dodge", dodge=FAILS, damage=1)

    assert defence(done).target == 8
    assert record(table) == {"x": 5}


@pytest.mark.clause("GU-870", "GU-850")
def test_it_does_not_count_against_anybody_else() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "ps": 1})
    feint(table, **BY_FOUR)
    next_slot(table)

    done = table.play("attack", "s", "p", weapon=SWORD, to_hit=HIT, defend="dodge", dodge=FAILS, damage=1)

    assert defence(done).target == 10
    assert record(table) == {"x": 4}


# With the shield


@pytest.mark.clause("GU-880")
@pytest.mark.parametrize("option", [{}, {"option": "shield"}])
def test_a_shield_feint_takes_a_bash_before(option: dict[str, str]) -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "ps": 1})
    before = table.reasons("feint", "s", "x", weapon=SHIELD, options=option)
    assert [(one.code, one.clause) for one in before] == [("shield_feint_needs_prior_bash", "GU-880")]

    table.play("attack", "s", "x", weapon=SHIELD, to_hit=MISS)
    next_slot(table)

    assert table.why_not("feint", "s", "p", weapon=SHIELD, options=option) == ["shield_feint_needs_prior_bash"]
    done = feint(table, weapon=SHIELD, options=option, s__feint=(4, 4, 4), x__feint=(6, 5, 5))
    assert (done.check.check, done.check.target) == ("shield", 14)


@pytest.mark.clause("GU-880")
@pytest.mark.parametrize(
    ("shield", "weapon"),
    [
        (Item(SHIELD, held="off", marks={"unready": 1}), SHIELD),
        (Item(SHIELD), SHIELD),
        (Item(SHIELD, held="off"), SWORD),
    ],
)
def test_a_shield_feint_takes_a_ready_shield(shield: Item, weapon: str | None) -> None:
    items = {SWORD: Item(SWORD, held="main"), SHIELD: shield}
    table = fight(s={"items": items}, x={}, apart={"sx": 1})
    table.rule(cmd.AddEffect(CombatantId("s"), "bashed", against=CombatantId("x")))

    refused = table.reasons("feint", "s", "x", weapon=weapon, options={"option": "shield"})

    assert [(one.code, one.clause) for one in refused] == [("no_ready_shield", "GU-880")]


@pytest.mark.clause("GU-880")
def test_a_shield_feint_leaves_the_block() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.rule(cmd.AddEffect(CombatantId("s"), "bashed", against=CombatantId("x")))
    feint(table, weapon=SHIELD, s__feint=(4, 4, 4), x__feint=(6, 5, 5))
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="block", block=(4, 4, 4))

    assert defence(done).check == "block"


# Movement and defence


@pytest.mark.clause("GU-890")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(("yards", "reasons"), [(1, []), (2, ["step_too_far"])])
def test_a_feint_goes_with_a_step_before_or_after(on_map: bool, yards: int, reasons: list[str]) -> None:
    table = fight(
        s={"at": (0, 0, 90)} if on_map else {},
        x={"at": (1, 0, 270)} if on_map else {},
        apart=None if on_map else {"sx": 1},
    )
    way: dict[str, Any] = {"path": [(-yards, 0)]} if on_map else {"said": {"length": yards}}
    back = {} if on_map else {"away_from": "x"}

    assert table.why_not("feint", "s", "x", weapon=SWORD, options={"act_at": 0, **back}, **way) == reasons


@pytest.mark.clause("GU-890")
def test_every_defence_is_open_after_a_feint() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    feint(table, **BY_FOUR)
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="parry", parry=(4, 4, 4))

    assert {option.id for option in done.questions("defend")[0].options} == {"dodge", "parry", "block", "none"}


@pytest.mark.clause("GU-890", "GU-360")
def test_parrying_with_an_unbalanced_weapon_wastes_the_feint_but_for_another_weapon() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})
    feint(table, "x", "s", "axe", x__feint=(3, 3, 3), s__feint=(6, 6, 4))
    table.end_turn()
    table.play("attack", "s", "x", weapon=SWORD, to_hit=HIT, defend="parry", parry=(3, 3, 3))
    table.end_turn()

    assert table.why_not("attack", "x", "s", weapon="axe") == ["unbalanced_after_parry"]
    assert record(table, "x") == {"s": 4}
    kick = table.play(
        "attack", "x", "s", options={"mode": "kick"}, to_hit=(3, 3, 3), defend="dodge", dodge=(4, 3, 3), damage=1
    )

    assert defence(kick).target == 9 - 4


@pytest.mark.clause("GU-820", "GU-130")
def test_the_chance_of_a_feint_is_that_of_its_own_roll() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    sub = table.submission("feint", "s", "x", weapon=SWORD)
    action = table.rules.actions[sub.action]

    assert action.chance is not None
    assert action.chance(table.table, sub, action) == 206 * 1_000_000 // 216
