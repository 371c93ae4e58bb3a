"""Odds of pools of dice, exact. Clauses SR-200 to SR-215, SR-855."""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb

from app.engine.events import CheckRolled, Term

MILLION = 1_000_000
SIDES, HIT_FROM = 6, 5
"""A die, and the least face of it that is a hit. Clause: SR-200."""
HITS = SIDES - HIT_FROM + 1
PUSHED = "push_the_limit"
"""Term of the dice that a point of Edge adds; with it sixes are rolled again."""
ATTACK = "attack"
DEFEND = "defend"
Odds = tuple[Fraction, ...]
"""Chance of each number of hits, from none on."""
MOST_DICE = 200
"""Of one pool: nobody has as many, and the odds of more take long to count."""


def dice_of(terms: Iterable[Term]) -> int:
    """Dice of a pool: its terms summed once, floored at none, and no more than can be counted. Clause: SR-230."""
    return min(max(0, sum(term.value for term in terms)), MOST_DICE)


@lru_cache(maxsize=1024)
def hits_of(pool: int, limit: int | None = None) -> Odds:
    """How many hits so many dice give, those above the limit dropped."""
    every = Fraction(SIDES**pool)
    plain = tuple(comb(pool, hits) * HITS**hits * (SIDES - HITS) ** (pool - hits) / every for hits in range(pool + 1))
    return _limited(plain, limit)


@lru_cache(maxsize=256)
def exploding(pool: int, most: int = 24) -> Odds:
    """The same where every six is rolled again; more hits than `most` count as so many."""
    one = [Fraction(4, 6), Fraction(1, 6) + Fraction(1, 6) * Fraction(4, 6)]
    while len(one) <= most:
        one.append(one[-1] / SIDES)
    found: list[Fraction] = [Fraction(1)] + [Fraction(0)] * most
    for _ in range(pool):
        found = [
            sum((found[have] * one[more - have] for have in range(more + 1)), Fraction(0)) for more in range(most + 1)
        ]
    return (*found[:-1], found[-1] + 1 - sum(found))


def _limited(plain: Odds, limit: int | None) -> Odds:
    if limit is None or limit >= len(plain) - 1:
        return plain
    low = max(limit, 0)
    return (*plain[:low], sum(plain[low:], Fraction(0)))


def of(rolled: CheckRolled) -> Odds:
    """How many hits a test that was rolled could have given."""
    pool = dice_of(rolled.terms)
    if any(term.id == PUSHED for term in rolled.terms):
        return exploding(pool)
    return hits_of(pool, rolled.limit)


def at_least(odds: Odds, threshold: int) -> int:
    """Chance in millionths of so many hits or more."""
    return int(MILLION * sum(odds[max(threshold, 0) :], Fraction(0)))


def beats(one: Odds, other: Odds) -> int:
    """Chance in millionths that the first has more hits than the second: a tie is the second's. Clause: SR-210."""
    below = (Fraction(0), *accumulate(other))
    return int(MILLION * sum((chance * below[min(hits, len(other))] for hits, chance in enumerate(one)), Fraction(0)))


@lru_cache(maxsize=4096)
def beaten_by(pool: int, limit: int | None, attack: int, attack_limit: int | None) -> int:
    """Chance in millionths that a defence of so many dice holds against an attack of so many. Clause: SR-210."""
    return MILLION - beats(hits_of(attack, attack_limit), hits_of(pool, limit))


def chance_of(rolled: CheckRolled) -> int:
    """Chance in millionths of a test by itself: of its threshold, or of a hit where it has none."""
    return at_least(of(rolled), max(1, rolled.target))


def chance_among(rolled: CheckRolled, among: tuple[CheckRolled, ...]) -> int:
    """The same of an attack against the defence that was rolled with it, and of that defence. Clause: SR-530."""
    opposed = next((one for one in among if _answers(rolled, one)), None)
    if opposed is None:
        return chance_of(rolled)
    if rolled.purpose == ATTACK:
        return beats(of(rolled), of(opposed))
    return MILLION - beats(of(opposed), of(rolled))


def _answers(one: CheckRolled, other: CheckRolled) -> bool:
    facing = one.combatant == other.against and one.against == other.combatant
    return facing and {one.purpose, other.purpose} == {ATTACK, DEFEND}
