"""How large an area is, in yards. Clause GU-1510."""

import math
from itertools import pairwise

from app.engine.commands import Submission
from app.engine.space.model import Area, Sector
from rulesets.gurps_4e.figures import YARD

_SQUARE = YARD * YARD


def yards_of(area: Area) -> int:
    """Square yards that it holds, the started one counted, at least 1."""
    if isinstance(area, Sector):
        full = math.isqrt(31416**2 * area.reach**4 * area.arc**2) // (10_000 * 360)
    else:
        corners = (*area.points, area.points[0])
        full = abs(sum(one[0] * other[1] - other[0] * one[1] for one, other in pairwise(corners))) // 2
    return max(1, -(-full // _SQUARE))


def covered_yards(sub: Submission) -> int:
    """Yards that a submission covers: as stated, else what its area measures; 0 without either. Clause: GU-1510."""
    stated = sub.options.get("yards")
    if isinstance(stated, int):
        return stated
    return 0 if sub.area is None else yards_of(sub.area)
