"""Exact odds held against brute force: every face of every die, counted by the clauses themselves.

Clauses MA-100, MA-110, MA-120, MA-130, MA-220, MA-310, MA-390, MA-400, MA-460, MA-510, MA-700.
"""

from itertools import product
from typing import Any

import pytest

from app.engine.preview import Odds, Preview, preview
from tests.rulesets.manewry_ap.fights import WEST, asked, duel, fight, put, set_ap
from tests.support.play import PlayTable

MILLION = 1_000_000
D100 = range(1, 101)


def foreseen(table: PlayTable, action: str, actor: str, *targets: str, **fields: Any) -> Preview:
    """The preview of a submission that is allowed."""
    found = preview(table.rules, table.state, table.submission(action, actor, *targets, **fields))
    assert found.legal, found.reasons
    return found


def odds_of(found: Preview) -> Odds:
    """Its odds."""
    assert found.odds is not None
    return found.odds


@pytest.mark.clause("MA-100", "MA-110", "MA-120", "MA-130", "MA-230", "MA-240")
def test_a_blow_is_counted_out() -> None:
    table = duel(True, borys={}, jagna={})
    put(table, "borys", "hit_modifier", 7)
    put(table, "jagna", "dodge_modifier", 4)

    found = odds_of(foreseen(table, "melee_attack", "borys", "jagna"))

    # Dodge 18 and 4 is her best; sword 1d10 + 3, half of 18, less 2.
    ways = [(roll + 18 + 7 >= 50 + 18 + 4, die + 3 + 9 - 2) for roll, die in product(D100, range(1, 11))]
    hit = [damage for hits, damage in ways if hits]
    assert found.method == "exact"
    assert found.hits == {0: (len(ways) - len(hit)) * MILLION // len(ways), 1: len(hit) * MILLION // len(ways)}
    assert found.damage_mean == sum(hit) * 1000 // len(ways)
    assert found.damage_at_least == {
        least: sum(damage >= least for damage in hit) * MILLION // len(ways) for least in range(1, 21)
    }


@pytest.mark.clause("MA-100")
@pytest.mark.parametrize(
    ("dice", "count", "sides", "plus"), [("2d10+1", 2, 10, 1), ("3d6", 3, 6, 0), ("1d20", 1, 20, 0)]
)
def test_a_grab_is_counted_out_with_other_dice(dice: str, count: int, sides: int, plus: int) -> None:
    table = duel(True, options={"test_dice": dice, "base_st": 9}, jagna={}, borys={"items": {}})

    found = odds_of(foreseen(table, "grab", "jagna", "borys"))

    ways = [sum(faces) + plus + 15 >= 9 + 12 + 8 for faces in product(range(1, sides + 1), repeat=count)]
    assert (found.method, found.hits.get(1, 0)) == ("exact", sum(ways) * MILLION // len(ways))


@pytest.mark.clause("MA-510", "MA-220")
def test_both_hands_are_counted_out() -> None:
    table = set_ap(duel(True, jagna={}, borys={"items": {}}), borys=1)

    found = odds_of(foreseen(table, "double_attack", "jagna", "borys"))

    ways = [one + 15 >= 62 and other + 15 - 20 >= 62 for one, other in product(D100, D100)]
    assert (found.hits[2], found.hits_error) == (sum(ways) * MILLION // len(ways), 0)


@pytest.mark.clause("MA-130", "MA-220", "MA-510")
@pytest.mark.parametrize("double", [False, True])
def test_every_defence_is_offered_with_its_chance(double: bool) -> None:
    table = duel(True, jagna={}, borys={})
    put(table, "borys", "parry_modifier", -4)
    put(table, "jagna", "hit_modifier", 3)

    dice = {"second_hand": 1} if double else {"damage": 1}
    action = "double_attack" if double else "melee_attack"
    done = table.play(action, "jagna", "borys", immediate_response="none", defend="none", to_hit=99, **dice)

    assert asked(done) == ["immediate_response", "defend"]
    for option in done.questions("defend")[0].options:
        st = {"dodge": 62, "block": 76, "cover": 60, "parry": 72 - 4, "none": 50}[option.id]
        first = sum(roll + 15 + 3 >= st for roll in D100)
        second = sum(roll + 15 + 3 - 20 >= st for roll in D100) if double else 100
        assert option.chance == MILLION - first * second * 100, option.id


@pytest.mark.clause("MA-700", "MA-710")
def test_hiding_is_counted_out() -> None:
    table = fight(jagna={"at": (0, 0)}, borys={"at": (5, 0, WEST)}, halina={"at": (6, 0, WEST)})

    found = foreseen(table, "sneak", "jagna", path=[(0, 1)])

    assert [check.chance for check in found.checks] == [sum(roll + 18 >= 77 for roll in D100) * 10_000]


@pytest.mark.clause("MA-390")
def test_breaking_free_is_counted_out_over_the_rolls_of_the_holder() -> None:
    table = fight(borys={"at": (0, 0)}, ogr={"at": (1, 0)})
    put(table, "borys", "grabbed", against="ogr")
    put(table, "ogr", "str_modifier", -3)

    found = foreseen(table, "break_free", "borys")

    ways = [own + 18 >= other + 25 for own, other in product(D100, D100)]
    assert [check.chance for check in found.checks] == [sum(ways) * MILLION // len(ways)]


def _sum(rolls: tuple[int, ...], strengths: tuple[int, ...]) -> int:
    return sum(rolls) + sum(strengths)


def _highest(rolls: tuple[int, ...], strengths: tuple[int, ...]) -> int:
    totals = [roll + strength for roll, strength in zip(rolls, strengths, strict=True)]
    best = totals.index(max(totals))
    return totals[best] + sum(strength for place, strength in enumerate(strengths) if place != best)


@pytest.mark.clause("MA-400")
@pytest.mark.parametrize(("option", "level"), [("sum", _sum), ("highest_plus_str", _highest)])
@pytest.mark.parametrize(("dice", "sides", "plus"), [("1d20", 20, 0), ("1d12+3", 12, 3)])
@pytest.mark.parametrize("strengths", [(12, 18), (18, 12), (5, 9, 7)])
def test_breaking_free_of_several_is_counted_out(
    option: str, level: Any, dice: str, sides: int, plus: int, strengths: tuple[int, ...]
) -> None:
    places = [(1, 0), (0, 1), (1, 1)]
    holders: dict[str, Any] = {
        f"holder_{number}": {"at": places[number], "sample": "borys", "str": strength, "side": "them"}
        for number, strength in enumerate(strengths)
    }
    options = {"several_holders_st": option, "test_dice": dice}
    table = fight(options=options, prey={"at": (0, 0), "sample": "ogr"}, **holders)
    for holder in holders:
        put(table, "prey", "grabbed", against=holder)

    found = foreseen(table, "break_free", "prey")

    faces = range(1 + plus, sides + plus + 1)
    ways = [own + 28 >= level(tuple(rolls), strengths) for own, *rolls in product(faces, repeat=len(strengths) + 1)]
    assert 0 < sum(ways) < len(ways)
    assert [check.chance for check in found.checks] == [sum(ways) * MILLION // len(ways)]
