"""Whole numbers for angles and distances: sines, directions, roundings, and the plane in which each grid is judged.

The C library may differ in the last digit from machine to machine and a replay promises bytes, so sine and cosine
come from integer arithmetic. Floats find candidates here and there; they never judge.
"""

from functools import cache, lru_cache
from math import atan2, isqrt, pi

from app.engine.ids import Length
from app.engine.space.model import Degrees, Grid, Metric, Place, Point

FULL_TURN = 720
"""Angles are counted in half degrees here: half of an arc of 45 degrees is a whole number of them."""
_UNIT = 1 << 90
_QUARTER = 180
_BUCKET_UNITS = 500
HEX_STEP = 600
"""Distance between the centres of neighbouring hexes in the hex plane."""
HEX_ROW = 300
"""Distance between two rows of hexes in the hex plane, in which heights are shortened by the root of three."""


@cache
def _half_degree() -> int:
    """Half a degree in radians, in units of 2**-90: pi by Machin's formula over 360."""

    def arctan(n: int) -> int:
        """Arc tangent of 1/n, with spare digits."""
        power, total, k = (_UNIT << 20) // n, 0, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power //= n * n
            k += 2
        return total

    return (4 * (4 * arctan(5) - arctan(239)) // 360) >> 20


@cache
def _sine(half_degrees: int) -> int:
    """Sine of an angle of the first quarter turn, in units of 2**-90, by its series."""
    if half_degrees == _QUARTER:
        return _UNIT
    x = _half_degree() * half_degrees
    term, total, k = x, x, 1
    while term:
        term = -(term * x // _UNIT) * x // (_UNIT * (k + 1) * (k + 2))
        if term == -1:
            break
        total += term
        k += 2
    return total


def sine(half_degrees: int) -> int:
    """Sine of any whole number of half degrees, in units of 2**-90."""
    quarter, rest = divmod(half_degrees % FULL_TURN, _QUARTER)
    return (_sine(rest), _sine(_QUARTER - rest), -_sine(rest), -_sine(_QUARTER - rest))[quarter]


_SQUARE_EXACT = {
    0: (0, -1),
    90: (1, -1),
    180: (1, 0),
    270: (1, 1),
    360: (0, 1),
    450: (-1, 1),
    540: (-1, 0),
    630: (-1, -1),
}
_HEX_EXACT = {
    0: (0, -1),
    60: (1, -1),
    120: (3, -1),
    180: (1, 0),
    240: (3, 1),
    300: (1, 1),
    360: (0, 1),
    420: (-1, 1),
    480: (-3, 1),
    540: (-1, 0),
    600: (-3, -1),
    660: (-1, -1),
}


@lru_cache(maxsize=2 * FULL_TURN)
def direction(half_degrees: int, hexes: bool) -> Point:
    """A vector of that direction in the plane of the grid; only its direction means something.

    A point of the lattice can lie exactly on the line of a small whole vector and on no other: all the other
    directions are irrational there, so that scaled sines judge them just as well.
    """
    angle = half_degrees % FULL_TURN
    exact = (_HEX_EXACT if hexes else _SQUARE_EXACT).get(angle)
    if exact is not None:
        return exact
    across, down = sine(angle), -sine(angle + _QUARTER)
    if not hexes:
        return (across, down)
    return (across, round_half_up(down * _UNIT, isqrt(3 * _UNIT * _UNIT)))


def round_half_up(over: int, under: int) -> int:
    """The quotient rounded to the nearest whole number, halves upwards; under is positive."""
    return (2 * over + under) // (2 * under)


class Plane:
    """The plane in which one grid is judged: whole numbers, and squares of lengths as x*x + weight*y*y.

    Without hexes it is the map itself. With hexes heights are shortened by the root of three, which makes centres
    and corners whole numbers and leaves every straight line straight.
    """

    __slots__ = ("bucket", "cell", "grid", "hexes", "num", "den", "square", "weight", "xo", "yo")  # noqa: RUF023

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.hexes = grid.kind == "hex"
        self.square = grid.kind == "square"
        self.weight = 3 if self.hexes else 1
        self.num, self.den = (grid.cell, HEX_STEP) if self.hexes else (1, 1)
        """A length in the plane times num/den is one in hundredths of the unit."""
        self.cell = HEX_STEP if self.hexes else grid.cell
        self.bucket = 5 * HEX_STEP if self.hexes else _BUCKET_UNITS
        self.xo, self.yo = grid.origin

    def into(self, point: Point) -> Point:
        """A place or a corner of a path, in the plane."""
        if not self.hexes:
            return point
        q, r = point
        return (6 * q + 3 * r, 3 * r)

    def out(self, point: Point) -> Point:
        """A point of the plane as a place; on hexes it must be the centre of one."""
        if not self.hexes:
            return point
        x, y = point
        return ((x - y) // 6, y // 3)

    def settle(self, x: int, y: int, scale: int = 1) -> Point:
        """The place nearest to (x, y)/scale at which somebody can be: lattice point, or centre of a cell."""
        if self.hexes:
            return self._settle_hex(x, y, scale)
        if self.square:
            cell = self.cell
            return (
                round_half_up(x - self.xo * scale, cell * scale) * cell + self.xo,
                round_half_up(y - self.yo * scale, cell * scale) * cell + self.yo,
            )
        if scale == 1:
            return (x, y)
        return (round_half_up(x, scale), round_half_up(y, scale))

    def _settle_hex(self, x: int, y: int, scale: int) -> Point:
        """Round to the nearest hex: each of the three axes by itself, then the worst follows from the others."""
        under = HEX_STEP * scale
        q_over, r_over = x - y, 2 * y
        s_over = -q_over - r_over
        q, r, s = (round_half_up(over, under) for over in (q_over, r_over, s_over))
        q_off, r_off, s_off = abs(q * under - q_over), abs(r * under - r_over), abs(s * under - s_over)
        if q_off > r_off and q_off > s_off:
            q = -r - s
        elif r_off > s_off:
            r = -q - s
        return (HEX_STEP * q + HEX_ROW * r, HEX_ROW * r)

    def square_of(self, dx: int, dy: int) -> int:
        """Square of the length of a vector of the plane."""
        return dx * dx + self.weight * dy * dy

    def length_of(self, n: int) -> Length:
        """The length whose square in the plane is n, rounded once to the nearest hundredth: *the* distance."""
        if self.hexes:
            return (isqrt(4 * n * self.num * self.num // (self.den * self.den)) + 1) // 2
        return (isqrt(4 * n) + 1) // 2

    def within(self, n: int, reach: Length, scale: int = 1) -> bool:
        """Whether the length whose square is n, in a plane so many times finer, is at most reach when rounded."""
        bound = (2 * reach + 1) * self.den * scale
        return reach >= 0 and 4 * n * self.num * self.num < bound * bound

    def measure(self, dx: int, dy: int, metric: Metric) -> Length:
        """Length of a vector of the plane by a metric, in hundredths."""
        if metric == "euclid":
            return self.length_of(self.square_of(dx, dy))
        if metric == "chebyshev":
            return max(abs(dx), abs(dy))
        return round_half_up(self.steps_over(dx, dy) * self.num, self.den)

    @staticmethod
    def steps_over(dx: int, dy: int) -> int:
        """Steps from hex to hex along a vector of the plane, times 600."""
        return max(abs(dx) + abs(dy), 2 * abs(dy))

    def myriadths(self, dx: int, dy: int, metric: Metric) -> int:
        """Length of one leg of a path in ten-thousandths of the unit: legs are summed finer than they are told."""
        if metric == "euclid":
            n = self.square_of(dx, dy) * 40000 * self.num * self.num
            return (isqrt(n // (self.den * self.den)) + 1) // 2
        if metric == "chebyshev":
            return 100 * max(abs(dx), abs(dy))
        return round_half_up(100 * self.steps_over(dx, dy) * self.num, self.den)

    def radius(self, reach: Length) -> float:
        """Radius in the plane of what is within reach, for finding: half a hundredth more, as `within` judges."""
        return (reach + 0.5) * self.den / self.num

    def on_grid(self, point: Point, extra: Length = 0) -> bool:
        """Whether a body may stand there: in a whole cell, or, if it is big, also on a corner or a border."""
        if self.grid.kind == "none":
            return True
        step = (100 if self.hexes else self.cell) if extra == 0 else (50 if self.hexes else max(self.cell // 2, 1))
        x, y = point if self.hexes else (point[0] - self.xo, point[1] - self.yo)
        return x % step == 0 and y % step == 0

    def bearing(self, dx: int, dy: int) -> Degrees:
        """Whole-degree direction of a vector of the plane; of none, 0.

        `atan2` guesses and the arc test decides among the neighbours, a half going to the clockwise one.
        """
        if dx == 0 and dy == 0:
            return 0
        guess = round(atan2(dx, -dy * (3**0.5 if self.hexes else 1.0)) * 180 / pi)
        for degrees in (guess, guess + 1, guess - 1, guess + 2, guess - 2):
            low, high = direction(2 * degrees - 1, self.hexes), direction(2 * degrees + 1, self.hexes)
            if low[0] * dy - low[1] * dx >= 0 and dx * high[1] - dy * high[0] > 0:
                return degrees % 360
        return guess % 360

    def rounded(self, half_degrees: int, length: Length, metric: Metric) -> Point:
        """The vector of a direction and a length in hundredths by a metric, in the plane and 1024 times finer."""
        across, down = sine(half_degrees), -sine(half_degrees + _QUARTER)
        if metric == "chebyshev":
            longest = max(abs(across), abs(down))
            return (round_half_up(across * length * 1024, longest), round_half_up(down * length * 1024, longest))
        x = round_half_up(across * length * 1024 * self.den, _UNIT * self.num)
        if not self.hexes:
            return (x, round_half_up(down * length * 1024, _UNIT))
        flat = isqrt(3 * _UNIT * _UNIT)
        y = round_half_up(down * length * 1024 * self.den, flat * self.num)
        if metric == "hex_steps":
            # A step along a row of corners is longer than one from side to side: stretch until the steps agree.
            steps = self.steps_over(x, y)
            if steps:
                want = length * 1024 * self.den // self.num
                return (round_half_up(x * want, steps), round_half_up(y * want, steps))
        return (x, y)


@lru_cache(maxsize=64)
def plane_of(grid: Grid) -> Plane:
    """The plane of a grid; it depends on nothing else."""
    return Plane(grid)


def metric_fits(grid: Grid, metric: Metric) -> bool:
    """Whether a ruleset's metric can be used on a grid: steps need hexes, diagonals that count 1 anything else."""
    return (metric != "hex_steps" or grid.kind == "hex") and (metric != "chebyshev" or grid.kind != "hex")


def at_place(point: Point, facing: Degrees | None) -> Place:
    """A place from its parts, the facing brought into 0 to 359."""
    return Place(point[0], point[1], None if facing is None else facing % 360)
