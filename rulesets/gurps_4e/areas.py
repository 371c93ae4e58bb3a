"""How large an area is, in yards. Clause GU-1510."""

import math
from itertools import combinations, pairwise

from app.engine.commands import Submission
from app.engine.space.model import Area, Sector
from rulesets.gurps_4e.figures import YARD

_SQUARE = YARD * YARD
HALF_TURN = 180


def yards_of(area: Area) -> int:
    """Square yards that it holds, the started one counted, at least 1."""
    if isinstance(area, Sector):
        full = math.isqrt(31416**2 * area.reach**4 * area.arc**2) // (10_000 * 360)
    else:
        corners = (*area.points, area.points[0])
        full = abs(sum(one[0] * other[1] - other[0] * one[1] for one, other in pairwise(corners))) // 2
    return max(1, -(-full // _SQUARE))


def covered_yards(sub: Submission) -> int:
    """Yards that a submission covers: what its area measures, else as stated; 0 without either. Clause: GU-1510."""
    if sub.area is not None:
        return yards_of(sub.area)
    stated = sub.options.get("yards")
    return stated if isinstance(stated, int) else 0


def is_a_line(area: Area) -> bool:
    """Whether it is no wider than a yard, however long. Clause: GU-1510."""
    if isinstance(area, Sector):
        long: float = area.reach * (2 if area.arc > HALF_TURN else 1)
    else:
        long = max(math.dist(one, other) for one, other in combinations(area.points, 2))
    return yards_of(area) <= math.ceil(long / YARD)
