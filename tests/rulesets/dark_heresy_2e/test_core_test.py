"""The test: a d100 at most the target number, counted in degrees; two against each other.

Clauses DH-2010 to DH-2140.
"""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer
from app.engine.scene import Scene
from rulesets.dark_heresy_2e.checks import Side, additional, base_terms, contest, judge
from rulesets.dark_heresy_2e.figures import bonus, half_up
from tests.rulesets.dark_heresy_2e.firing import result, terms, weapon
from tests.support.play import PlayTable, Script, combatant, duel, ruleset

SUCCESS, FAILURE = True, False


@pytest.mark.clause("DH-2010")
@pytest.mark.parametrize(("die", "success"), [(1, True), (44, True), (45, True), (46, False), (99, False)])
def test_a_roll_of_at_most_the_target_number_succeeds(die: int, success: bool) -> None:
    assert judge(45, die)[0] == success


@pytest.mark.clause("DH-2010")
def test_the_target_number_is_the_characteristic_and_every_modifier_by_name() -> None:
    table = duel(60, vane={"sample": "vane"}, gorm={"sample": "gorm"})

    done = table.play("standard_attack", "vane", "gorm", to_hit=99)

    assert terms(done) == {"bs": 45, "standard_attack": 10, "size": 10}
    assert done.check.target == 65


@pytest.mark.clause("DH-2020")
def test_difficulties_have_the_names_and_figures_of_the_ledger() -> None:
    ladder = {row.name: row.value for row in ruleset().tables.difficulty}

    assert ladder == {
        "trivial": 60,
        "elementary": 50,
        "simple": 40,
        "easy": 30,
        "routine": 20,
        "ordinary": 10,
        "challenging": 0,
        "difficult": -10,
        "hard": -20,
        "very_hard": -30,
        "arduous": -40,
        "punishing": -50,
        "hellish": -60,
    }


@pytest.mark.clause("DH-2020")
@pytest.mark.parametrize(("target", "die", "outcome"), [(55, 55, (SUCCESS, 1)), (15, 16, (FAILURE, 1))])
def test_a_difficulty_is_a_modifier_like_any_other(target: int, die: int, outcome: tuple[bool, int]) -> None:
    assert judge(target, die) == outcome


@pytest.mark.clause("DH-2030")
def test_all_modifiers_together_add_at_most_60_and_stay_in_the_log() -> None:
    """BS 40: standard +10, point blank +30, full aim +20, twin-linked +20 make 80, of which 60 count."""
    twin = weapon("autogun", changes={"qualities": {"twin_linked": True, "reliable": True}}, ammo=30)
    table = duel(2, ann={"sample": "vane", "bs": 40, "items": twin}, bob={"sample": "vane"})
    table.play("aim", "ann", type="full")
    table.end_turn()
    table.end_turn()

    done = table.play("standard_attack", "ann", "bob", to_hit=99, defend=...)

    assert terms(done) == {
        "bs": 40,
        "standard_attack": 10,
        "aim_full": 20,
        "range_point_blank": 30,
        "twin_linked": 20,
        "modifier_cap": -20,
    }
    assert result(done) == (100, "success", 2)


@pytest.mark.clause("DH-2030", "DH-2040")
def test_all_modifiers_together_take_at_most_60() -> None:
    """BS 43, unbraced -30, extreme range -30, full auto -10 make -70, of which 60 count."""
    table = duel(350, brok={"sample": "brok"}, bob={"sample": "vane"})

    done = table.play("full_auto_burst", "brok", "bob", to_hit=1, defend=...)

    assert terms(done)["modifier_cap"] == 10
    assert result(done) == (-17, "success", 1)


@pytest.mark.clause("DH-2030")
@pytest.mark.parametrize(
    ("more", "target", "capped"), [(50, 105, False), (51, 105, True), (-70, -15, False), (-71, -15, True)]
)
def test_the_cap_is_met_exactly(more: int, target: int, capped: bool) -> None:
    table = duel(60, vane={"sample": "vane"}, bob={"sample": "vane"})

    done = table.play("standard_attack", "vane", "bob", modifiers=(more,), to_hit=100)

    assert (done.check.target, "modifier_cap" in terms(done)) == (target, capped)


@pytest.mark.clause("DH-2030", "DH-2080")
def test_the_rank_of_a_skill_is_no_modifier_under_the_cap() -> None:
    table = duel(20, vane={"sample": "vane"}, sable={"sample": "sable", "skills": {"dodge": "veteran"}})

    assert [(term.id, term.value) for term in base_terms(table.table, CombatantId("sable"), "dodge")] == [
        ("ag", 47),
        ("rank_veteran", 30),
    ]


@pytest.mark.clause("DH-2040")
@pytest.mark.parametrize(
    ("target", "die", "outcome"),
    [
        (-17, 1, (SUCCESS, 1)),
        (-17, 2, (FAILURE, 1)),
        (0, 1, (SUCCESS, 1)),
        (105, 99, (SUCCESS, 2)),
        (105, 100, (FAILURE, 1)),
        (130, 100, (FAILURE, 1)),
    ],
)
def test_1_always_succeeds_and_100_always_fails(target: int, die: int, outcome: tuple[bool, int]) -> None:
    assert judge(target, die) == outcome


@pytest.mark.clause("DH-2050")
@pytest.mark.parametrize(
    ("target", "die", "outcome"),
    [
        (45, 45, (SUCCESS, 1)),
        (55, 23, (SUCCESS, 4)),
        (55, 50, (SUCCESS, 1)),
        (55, 49, (SUCCESS, 2)),
        (55, 5, (SUCCESS, 6)),
        (112, 8, (SUCCESS, 12)),
        (45, 46, (FAILURE, 1)),
        (40, 59, (FAILURE, 2)),
        (40, 100, (FAILURE, 7)),
        (9, 10, (FAILURE, 2)),
        (-17, 19, (FAILURE, 2)),
    ],
)
def test_degrees_are_counted_by_tens(target: int, die: int, outcome: tuple[bool, int]) -> None:
    assert judge(target, die) == outcome


@pytest.mark.clause("DH-2060")
@pytest.mark.parametrize(
    ("stats", "characteristic", "expected"),
    [({"ag": 40}, "ag", 4), ({"ag": 39}, "ag", 3), ({"s": 58}, "s", 5), ({"ws": 100}, "ws", 10), ({"t": 9}, "t", 0)],
)
def test_a_bonus_is_the_tens_digit(stats: dict[str, int], characteristic: str, expected: int) -> None:
    assert bonus(combatant(ruleset(), "ann", "vane", **stats), characteristic) == expected


@pytest.mark.clause("DH-2060")
@pytest.mark.parametrize(("unnatural", "worth", "degrees"), [(0, 4, 1), (1, 5, 2), (2, 6, 2), (3, 7, 3), (4, 8, 3)])
def test_an_unnatural_bonus_raises_the_bonus_and_half_of_it_the_degrees_of_a_success(
    unnatural: int, worth: int, degrees: int
) -> None:
    table = duel(60, ann={"sample": "vane", "bs": 45, "unnatural_bs": unnatural}, bob={"sample": "vane"})

    done = table.play("semi_auto_burst", "ann", "bob", to_hit=45, defend=...)

    assert bonus(table.who("ann"), "bs") == worth
    assert result(done) == (45, "success", degrees)


@pytest.mark.clause("DH-2060")
def test_an_unnatural_bonus_adds_nothing_to_a_failure() -> None:
    table = duel(60, ann={"sample": "vane", "unnatural_bs": 3}, bob={"sample": "vane"})

    assert result(table.play("semi_auto_burst", "ann", "bob", to_hit=59)) == (45, "failure", 2)


@pytest.mark.clause("DH-2070")
@pytest.mark.parametrize(("degrees", "more", "by_two"), [(1, 0, 0), (2, 1, 0), (3, 2, 1), (4, 3, 1), (5, 4, 2)])
def test_additional_degrees_are_those_after_the_first(degrees: int, more: int, by_two: int) -> None:
    assert (additional(degrees), additional(degrees) // 2) == (more, by_two)


@pytest.mark.clause("DH-2080")
@pytest.mark.parametrize(
    ("rank", "target"), [("untrained", 20), ("known", 40), ("trained", 50), ("experienced", 60), ("veteran", 70)]
)
def test_a_skill_is_its_characteristic_by_rank(rank: str, target: int) -> None:
    table = duel(20, vane={"sample": "vane"}, bob={"sample": "vane", "skills": {"dodge": rank}})

    done = table.play("standard_attack", "vane", "bob", to_hit=30, defend="dodge", dodge=1)

    assert done.of(ev.CheckRolled)[1].target == target


@pytest.mark.clause("DH-2080")
@pytest.mark.parametrize(
    ("sample", "die", "outcome"),
    [("sable", 57, ("success", 1)), ("gorm", 6, ("success", 1)), ("gorm", 7, ("failure", 1))],
)
def test_the_ledgers_dodges(sample: str, die: int, outcome: tuple[str, int]) -> None:
    table = duel(20, vane={"sample": "vane"}, foe={"sample": sample})
    given: dict[str, Any] = {"damage": 9} if outcome[0] == "failure" else {}

    done = table.play("standard_attack", "vane", "foe", to_hit=30, defend="dodge", dodge=die, **given)

    dodge = done.of(ev.CheckRolled)[1]
    assert (dodge.outcome, dodge.degrees) == outcome


def oppose(
    one: dict[str, Any], other: dict[str, Any], *, tested: str = "ws", until_settled: bool = False, **options: Any
) -> tuple[str | None, ev.ContestSettled, int]:
    """An opposed test of Ann against Bob, `dice` one an attempt: who wins, what is told, how often both rolled."""
    rolls = {"ann": list(one.pop("dice")), "bob": list(other.pop("dice"))}
    table: PlayTable = duel(1, ann={"sample": "vane", **one}, bob={"sample": "vane", **other}, options=options)
    script = Script({f"trial{n}__{who}__trial": die for who in rolls for n, die in enumerate(rolls[who], 1)})
    scene = Scene(table.rules, table.state, {}, script.source)
    ann, bob = CombatantId("ann"), CombatantId("bob")
    sides = (Side(ann, tested), Side(bob, tested))
    winner = contest(scene, *sides, "trial", clause="DH-2090", until_settled=until_settled).winner
    script.check_used()
    events = [emitted.event for emitted in scene.events]
    checks = sum(isinstance(event, ev.CheckRolled) for event in events)
    settled = events[-1]
    assert isinstance(settled, ev.ContestSettled)
    return winner, settled, checks // 2


@pytest.mark.clause("DH-2090")
@pytest.mark.parametrize(
    ("mine", "theirs", "winner"),
    [
        (31, 22, "ann"),  # 52 against 38: three degrees against two
        (60, 22, "bob"),  # a failure against a success
        (31, 90, "ann"),
        (51, 22, "bob"),  # one degree against two
        (60, 90, None),  # two failures: nothing happens
        (60, 39, None),
    ],
)
def test_an_opposed_test_is_won_by_success_then_by_degrees(mine: int, theirs: int, winner: str | None) -> None:
    found, settled, attempts = oppose({"ws": 52, "dice": [mine]}, {"ws": 38, "dice": [theirs]})

    assert (found, settled.winner, attempts) == (winner, winner, 1)


@pytest.mark.clause("DH-2090")
def test_a_table_may_roll_again_when_both_fail() -> None:
    found, _, attempts = oppose(
        {"ws": 52, "dice": [60, 99, 31]}, {"ws": 38, "dice": [90, 39, 22]}, opposed_both_fail="reroll"
    )

    assert (found, attempts) == ("ann", 3)


@pytest.mark.clause("DH-2100")
@pytest.mark.parametrize(
    ("one", "other", "winner"),
    [
        ((52, 31), (45, 25), "ann"),  # three degrees each, bonus 5 against 4
        ((45, 25), (52, 31), "bob"),
        ((45, 25), (44, 21), "bob"),  # bonus 4 each, the lower die
        ((44, 21), (45, 25), "ann"),
    ],
)
def test_a_tie_goes_to_the_higher_bonus_then_to_the_lower_die(
    one: tuple[int, int], other: tuple[int, int], winner: str
) -> None:
    found, _, attempts = oppose({"ws": one[0], "dice": [one[1]]}, {"ws": other[0], "dice": [other[1]]})

    assert (found, attempts) == (winner, 1)


@pytest.mark.clause("DH-2100")
def test_what_is_still_equal_is_rolled_again() -> None:
    found, _, attempts = oppose({"ws": 45, "dice": [25, 45]}, {"ws": 44, "dice": [25, 30]})

    assert (found, attempts) == ("bob", 2)


@pytest.mark.clause("DH-2110")
def test_a_contest_for_order_goes_on_until_somebody_wins() -> None:
    found, _, attempts = oppose({"dice": [77, 12]}, {"dice": [91, 33]}, tested="ag", until_settled=True)

    assert (found, attempts) == ("ann", 2)


@pytest.mark.clause("DH-2120")
@pytest.mark.parametrize(("option", "margin"), [("own", 2), ("difference", 1)])
def test_by_how_much_a_contest_is_won_is_the_winners_own_degrees_or_the_difference(option: str, margin: int) -> None:
    _, settled, _ = oppose({"ws": 68, "dice": [51]}, {"ws": 54, "dice": [54]}, opposed_margin=option)

    assert (settled.winner, settled.margin) == ("ann", margin)


@pytest.mark.clause("DH-2120")
@pytest.mark.parametrize("option", ["own", "difference"])
def test_a_loser_who_failed_takes_nothing_from_the_margin(option: str) -> None:
    _, settled, _ = oppose({"ws": 68, "dice": [51]}, {"ws": 54, "dice": [90]}, opposed_margin=option)

    assert settled.margin == 2


@pytest.mark.clause("DH-2130")
@pytest.mark.parametrize(("whole", "half"), [(0, 0), (1, 1), (2, 1), (3, 2), (5, 3), (45, 23), (-3, -1)])
def test_a_half_is_rounded_up(whole: int, half: int) -> None:
    assert half_up(whole) == half


@pytest.mark.clause("DH-2140")
@pytest.mark.parametrize("die", [0, 101, -1])
def test_a_face_that_the_d100_does_not_have_is_refused(die: int) -> None:
    table = duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"})

    with pytest.raises(BadAnswer) as refused:
        table.play("standard_attack", "vane", "gorm", to_hit=die)

    assert (refused.value.code, refused.value.clause) == ("die_out_of_range", "DH-2140")
    assert table.who("vane").budget["half_action"] == 2


@pytest.mark.clause("DH-2140")
@pytest.mark.parametrize("die", [1, 100])
def test_1_and_100_are_faces_of_the_d100(die: int) -> None:
    table = duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"})
    given: dict[str, Any] = {"defend": ...} if die == 1 else {}

    assert table.play("standard_attack", "vane", "gorm", to_hit=die, **given).check.dice[0].value == die


@pytest.mark.clause("DH-2140")
@pytest.mark.parametrize(("die", "fits"), [(5, True), (6, False)])
def test_a_d5_is_rolled_from_1_to_5(die: int, fits: bool) -> None:
    table = duel(1, vane={"sample": "vane", "items": weapon("knife", "main")}, gorm={"sample": "gorm"})
    given: dict[str, Any] = {"to_hit": 39, "defend": "none", "damage": die}

    if fits:
        assert table.play("standard_attack", "vane", "gorm", **given).one(ev.DamageDealt).raw == 8
        return
    with pytest.raises(BadAnswer):
        table.play("standard_attack", "vane", "gorm", **given)


@pytest.mark.clause("DH-2140")
def test_a_roll_says_what_it_is_for_and_who_rolls() -> None:
    table = duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"})

    done = table.play("standard_attack", "vane", "gorm", to_hit=...)

    roll: Any = done.open[0]
    assert (roll.count, roll.sides, roll.by, roll.purpose, roll.target) == (1, 100, "vane", "attack", 75)
