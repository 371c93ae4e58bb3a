"""The core test: dice and what is added to them against a difficulty, the ST. Clauses MA-100, MA-110, MA-120."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from itertools import accumulate
from math import prod
from typing import Literal

import msgspec

from app.engine.dice import Dice, parse_dice
from app.engine.events import CheckRolled, Die, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.manewry_ap.classes import total_of
from rulesets.manewry_ap.figures import whole_option

MILLION = 1_000_000
MOST_LEVELS = 5_000
"""Of so many sums that holders can come to all are counted out; of more only what they did come to."""
TEST: Literal["MA-100"] = "MA-100"
DICE_TERM = "test_dice"
HOLDER, HOLDER_STR = "holder", "holder_str"
"""Of the ST of breaking free: what holders have rolled, and the STR of each."""


class Rolled(msgspec.Struct, frozen=True):
    """Dice of a test as they fell, and what they come to; `plus` is the constant of the expression."""

    dice: tuple[Die, ...]
    natural: int
    plus: tuple[Term, ...]


class Check(msgspec.Struct, frozen=True):
    """How a test came out. `target` is the ST."""

    success: bool
    total: int
    target: int


def test_dice(table: Table) -> Dice:
    """The dice of every test. Clause: MA-100."""
    return parse_dice(str(table.option("test_dice")))


def base_st(table: Table) -> Term:
    """What every ST starts from. Clause: MA-110."""
    return Term("base_st", whole_option(table, "base_st"), ClauseId("MA-110"))


def roll_dice(
    scene: Scene,
    name: str,
    who: CombatantId,
    purpose: str,
    *,
    target: int | None = None,
    added: int = 0,
    others: tuple[int, ...] = (),
    of: Iterable[CombatantId] = (),
) -> Rolled:
    """Roll the dice of a test. `target` and what is `added` only tell the roller what he needs (figures `of` others are
    in it), `others` what else the total is held against. Clause: MA-100.

    A group that is taken away counts turned round, its constant beside it, so that what is shown can be added up.
    """
    expression = test_dice(scene)
    alike = len(expression.groups) == 1 and expression.groups[0].sign > 0
    single = alike and expression.groups[0].count == 1
    need = None if target is None else target - added - _plus(expression)
    needs = () if need is None else (need, *(other - added - _plus(expression) for other in others))
    found: list[Die] = []
    natural = 0
    for place, group in enumerate(expression.groups):
        fallen = scene.roll(
            name if not place else f"{name}_{place + 1}",
            group.count,
            group.sides,
            who,
            purpose,
            target=need if single else None,
            clause=TEST,
            of=of,
            sees=partial(_reaches, needs) if alike and needs else None,
        )
        found += fallen
        natural += sum(die.value if group.sign > 0 else group.sides + 1 - die.value for die in fallen)
    plus = _plus(expression)
    return Rolled(tuple(found), natural, (Term(DICE_TERM, plus, ClauseId(TEST)),) if plus else ())


def _reaches(needs: tuple[int, ...], faces: tuple[int, ...]) -> tuple[bool, ...]:
    return tuple(sum(faces) >= need for need in needs)


def _plus(expression: Dice) -> int:
    return expression.plus - sum(group.count * (group.sides + 1) for group in expression.groups if group.sign < 0)


def take_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    difficulty: tuple[Term, ...],
    added: Callable[[], tuple[Term, ...]],
    *,
    clause: str,
    name: str | None = None,
    against: CombatantId | None = None,
    others: tuple[int, ...] = (),
) -> Check:
    """Roll, add what counts once the dice lie, compare with the ST, and tell it. Clauses: MA-100, MA-120, MA-165.

    `added` gives the characteristic first. It is looked at again after the dice, since what lies on him then counts.
    `others` are STs against which the same total is held as well. The event's terms are those of the ST, then from the
    tested characteristic on those that are added to the dice.
    """
    target = total_of(difficulty)
    first = total_of(added())
    of = dict.fromkeys(term.of for term in difficulty if term.of is not None)
    rolled = roll_dice(scene, name or purpose, who, purpose, target=target, added=first, others=others, of=of)
    terms = (*added(), *rolled.plus)
    total = rolled.natural + total_of(terms)
    success = total >= target
    scene.emit(
        CheckRolled(
            who,
            tested,
            purpose,
            target,
            rolled.dice,
            "success" if success else "failure",
            abs(total - target),
            (*difficulty, *terms),
            against,
            ClauseId(clause),
        )
    )
    return Check(success, total, target)


# Chances


def chance_of(rolled: CheckRolled) -> int:
    """Chance in millionths of a test that was rolled: its terms from the characteristic on are added to the dice.

    The ST of breaking free is itself rolled: its chance is over all that the holders can roll.

    Clauses: MA-390, MA-400.
    """
    ids = [term.id for term in rolled.terms]
    begins = max((place for place, one in enumerate(ids) if one == rolled.check), default=len(ids))
    st, own = rolled.terms[:begins], rolled.terms[begins:]
    sides, added = tuple(sorted(die.sides for die in rolled.dice)), total_of(own)
    strengths = tuple(term.value for term in st if term.id == HOLDER_STR)
    if not strengths or sum(sides) * len(strengths) > MOST_LEVELS:
        return chance_from(sides, rolled.target - added)
    plus = total_of(term for term in own if term.id == DICE_TERM)
    whole = sum(term.id == HOLDER for term in st) == len(strengths)
    return chance_against(sides, added, plus, strengths, whole)


@lru_cache(maxsize=1024)
def chance_against(sides: tuple[int, ...], added: int, plus: int, strengths: tuple[int, ...], whole: bool) -> int:
    """Chance in millionths of dice and what is added against holders of these STRs, whose dice are the same.

    The `whole` sum of their rolls counts, or the highest with the STR of the others. Clause: MA-400.
    """
    rolls = sums_of(sides * len(strengths)) if whole else _highest(sums_of(sides), strengths)
    least, lot = _at_least(sums_of(sides)), sum(sums_of(sides).values())
    pluses = plus * (len(strengths) if whole else 1)
    good = sum(ways * least(level + pluses + sum(strengths) - added) for level, ways in rolls.items())
    return good * MILLION // (lot * sum(rolls.values()))


def _at_least(ways: Mapping[int, int]) -> Callable[[int], int]:
    """In how many ways there are so many or more."""
    levels = sorted(ways)
    above = [*[*accumulate(ways[level] for level in reversed(levels))][::-1], 0]
    return lambda least: above[bisect_left(levels, least)]


def _highest(ways: Mapping[int, int], strengths: tuple[int, ...]) -> dict[int, int]:
    """In how many ways the one with the highest total has rolled that; of equals the first."""
    found: Counter[int] = Counter()
    least, lot = _at_least(ways), sum(ways.values())
    for place, best in enumerate(strengths):
        others = [(strength, other > place) for other, strength in enumerate(strengths) if other != place]
        for rolled, count in ways.items():
            found[rolled] += count * prod(lot - least(rolled + best - strength + later) for strength, later in others)
    return dict(found)


def chance(table: Table, need: int) -> int:
    """Chance in millionths that the dice of a test come to so much."""
    expression = test_dice(table)
    sides = tuple(sorted(group.sides for group in expression.groups for _ in range(group.count)))
    return chance_from(sides, need - _plus(expression))


@lru_cache(maxsize=4096)
def chance_from(sides: tuple[int, ...], need: int) -> int:
    """Chance in millionths that dice of these sides add up to at least that."""
    ways = sums_of(sides)
    every = sum(ways.values())
    return sum(count for total, count in ways.items() if total >= need) * MILLION // every


@lru_cache(maxsize=256)
def sums_of(sides: tuple[int, ...]) -> dict[int, int]:
    """In how many ways dice of these sides add up to each sum."""
    ways = [1]
    for one in sides:
        until = [0, *accumulate(ways), *[sum(ways)] * (one - 1)]
        ways = [until[place + 1] - until[max(0, place + 1 - one)] for place in range(len(ways) + one - 1)]
    return {total: count for total, count in enumerate(ways, len(sides))}
