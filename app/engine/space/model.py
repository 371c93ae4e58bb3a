"""What space is made of: places, walls, regions, areas, and the facts stated where there is no map.

Everything here is a value. Lengths and coordinates are whole hundredths of the ruleset's unit, angles whole degrees:
0 is up (north), clockwise. The x axis grows to the right and the y axis down, as on virtual tabletops.
"""

from collections.abc import Collection, Mapping
from typing import Literal, NoReturn, TypeAlias, TypeVar

import msgspec

from app.engine.ids import Length

Id: TypeAlias = str
"""Id of a combatant, wall, region or area."""
Degrees: TypeAlias = int
"""Whole degrees: 0 is up, clockwise."""
Point: TypeAlias = tuple[Length, Length]
"""(x, y) in hundredths of the unit; on a hex grid see `Grid`."""
Kind: TypeAlias = str
"""What a region is: smoke, dark, difficult ..."""
Metric: TypeAlias = Literal["euclid", "chebyshev", "hex_steps"]
"""How a ruleset counts distance: straight line, diagonals as one, or steps from hex to hex."""
GridKind: TypeAlias = Literal["none", "square", "hex"]
CrossingKind: TypeAlias = Literal["starts_inside", "enters", "leaves"]

T = TypeVar("T")


class Unknown(msgspec.Struct, frozen=True, gc=False):
    """Nobody has said it. Not a "no": used as a truth value it raises, so that no rule is silently off."""

    fact: str
    """Name of the missing fact, in the engine's words: distance, sees, crosses ..."""
    of: tuple[Id, ...] = ()
    """Whom or what it is about, in the order of the question."""
    ask: Literal["client", "gm"] = "client"
    """Who may know: what would give a hidden thing away is never asked of the client."""

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self.fact} of {', '.join(self.of)} is unknown: look for Unknown before using it")


Fact: TypeAlias = T | Unknown
"""An answer, or that nobody knows it. A map never answers Unknown."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a body is: its centre, also on a grid, and where it looks."""

    x: Length
    """Hundredths of the unit, to the right; on a hex grid hundredths of q."""
    y: Length
    """Hundredths of the unit, downwards; on a hex grid hundredths of r."""
    facing: int | None = None
    """Whole degrees, 0 up, clockwise; null where no facing is kept, which counts as looking everywhere."""

    @property
    def point(self) -> Point:
        """The place without its facing."""
        return (self.x, self.y)


class CoverValue(msgspec.Struct, frozen=True, gc=False):
    """What a wall gives to somebody behind it."""

    ap: int = 0
    """Armour points given to the hidden locations."""
    locations: tuple[str, ...] = ()
    """Hit locations it hides; empty where the ruleset counts only the hidden share."""
    rating: str = ""
    """The ruleset's own word for it (light, heavy ...), or empty."""
    near: Length | None = None
    """How near the target must be for it to count, in hundredths of the unit; null is any distance."""


class Wall(msgspec.Struct, frozen=True, gc=False):
    """A straight piece of wall, door, low cover or edge."""

    a: Point
    """One end, in hundredths of the unit (hex grid: see `Grid`)."""
    b: Point
    """The other end."""
    id: Id = ""
    """Name, needed for whatever changes in play: doors, cover that wears down."""
    move: bool = True
    """Stops whoever walks."""
    sight: bool = True
    """Stops sight."""
    cover: CoverValue | None = None
    """Cover it gives; low cover stops neither movement nor sight."""
    drop: Length | None = None
    """An edge one can be pushed over: depth in hundredths of the unit."""
    open: bool = False
    """An open door: it stops nothing and covers nothing."""


class Region(msgspec.Struct, frozen=True, gc=False):
    """A piece of ground or air of one kind: terrain, smoke, darkness."""

    id: Id
    kind: Kind
    shape: tuple[Point, ...]
    """Corners of a simple polygon in hundredths of the unit (hex grid: see `Grid`); the border belongs to it."""


class Grid(msgspec.Struct, frozen=True, gc=False):
    """How the map is divided.

    On squares, centres lie at whole cells from the origin and walls usually at halves. On hexes, places, paths and
    centres are axial: x and y are hundredths of q and r (q to the right, r down and to the right, pointed tops);
    shapes (walls, regions, polygons) are in the hex plane, in which the hex (q, r) has its centre at
    (600q + 300r, 300r) and all its corners at whole numbers: (0, 200) and (300, 100) off the centre, with either sign.
    In decimals that is (6q + 3r, 3r), (0, 2) and (3, 1).
    """

    kind: GridKind = "none"
    cell: Length = 100
    """Side of a square, or distance between neighbouring hexes, in hundredths of the unit."""
    origin: Point = (0, 0)
    """Centre of some square, in hundredths of the unit; hexes count from their own (0, 0)."""


class Ground(msgspec.Struct, frozen=True, gc=False):
    """One version of a map, without the people on it."""

    grid: Grid = Grid()
    size: Point | None = None
    """Width and height in hundredths of the unit, from (0, 0); null is without bounds."""
    walls: tuple[Wall, ...] = ()
    regions: tuple[Region, ...] = ()


class Sector(msgspec.Struct, frozen=True, gc=False, tag="sector", tag_field="kind"):
    """A disc (arc 360) or a slice of one; edges, rim and centre belong to it."""

    centre: Point
    """Hundredths of the unit."""
    reach: Length
    """Radius in hundredths of the unit."""
    facing: int = 0
    """Direction of its middle in whole degrees, 0 up, clockwise."""
    arc: int = 360
    """Full width in whole degrees; 360 is everything."""
    needs_sight: bool = False
    """Only what the centre has in sight is inside."""
    id: Id = ""
    """Name by which a submission without a map refers to it: of the zone, or of whoever watches it."""


class Polygon(msgspec.Struct, frozen=True, gc=False, tag="polygon", tag_field="kind"):
    """An area with corners: strips, lanes, rooms; its border belongs to it."""

    points: tuple[Point, ...]
    """Corners in hundredths of the unit (hex grid: see `Grid`)."""
    id: Id = ""
    """Name by which a submission without a map refers to it."""


Area: TypeAlias = Sector | Polygon


class CoverPiece(msgspec.Struct, frozen=True, gc=False):
    """One cover that the line to the target meets."""

    id: Id
    ap: int = 0
    """Armour points given to the hidden locations."""
    locations: tuple[str, ...] = ()
    rating: str = ""


class Cover(msgspec.Struct, frozen=True, gc=False):
    """How far somebody is hidden from somebody else. Without arguments: not at all."""

    hidden: int = 0
    """Whole per cent of the target's width."""
    pieces: tuple[CoverPiece, ...] = ()
    """The covers that the line from eye to eye meets, sorted by id."""


class Run(msgspec.Struct, frozen=True, gc=False):
    """A way somebody goes. Kept as it was drawn, also after a stop."""

    actor: Id
    length: Length
    """By the ruleset's metric, in hundredths of the unit; measured to the target by `run_to`."""
    straight_end: Fact[Length]
    """Length of the straight piece that ends it, in hundredths; as far as the target by `run_to`."""
    cost: Length
    """What it costs of a movement allowance, in hundredths: its length, until a rule charges for terrain."""
    walked: Length
    """Length of what is really walked: less than `length` only by `run_to`, which ends beside the target."""
    blocked_at: Length | None = None
    """How far one gets before touching a wall, in hundredths along the way; null if nothing is in the way."""
    heading: int | None = None
    """Direction of the last step in whole degrees; null without a map or without a step."""
    points: tuple[Point, ...] = ()
    """Start, corners and end; empty without a map."""
    target: Id | None = None
    """Whom `run_to` runs to."""


class Crossing(msgspec.Struct, frozen=True, gc=False):
    """A moment of a run at which somebody is in an area from the start, comes in or goes out."""

    at: Length
    """Hundredths of the unit along the run."""
    kind: CrossingKind
    point: Point | None = None
    """Where he is then; null without a map."""


class Landing(msgspec.Struct, frozen=True, gc=False):
    """Where a push ends."""

    where: Place | None
    """Null without a map."""
    blocked_by: Id | None = None
    """Wall or combatant that stopped it."""
    over: Id | None = None
    """Edge over which it went."""
    drop: Length = 0
    """Depth of the fall behind that edge, in hundredths of the unit."""


class Exit(msgspec.Struct, frozen=True, gc=False):
    """The shortest way out of an area."""

    length: Length
    """As far as the edge, in hundredths of the unit; who takes it ends one hundredth (or one cell) beyond."""
    place: Place | None
    """Null without a map, or if no way is free."""
    possible: bool
    """A free way that is no longer than the limit."""


class PairFact(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What has been stated about one combatant as seen from another, where there is no map. Null is unknown."""

    distance: Length | None = None
    """Hundredths of the unit; the same both ways, so it is enough under one of the two keys."""
    sees: bool | None = None
    """The first sees the second."""
    cover: Cover | None = None
    """What hides the second from the first; an empty `Cover` states that nothing does."""
    bearing: int | None = None
    """Direction of the second from where the first looks: whole degrees clockwise, 0 is straight ahead."""
    band: str | None = None
    """Range band, in the ruleset's word, where bands are stated in place of distances."""
    between: tuple[Kind, ...] | None = None
    """Smoke, darkness ... on the line; an empty list states that there is none."""
    arc: str | None = None
    """Side of the first on which the second is (front, side, rear), in the ruleset's word."""


class Said(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a submission states for itself where there is no map. Null is unknown, an empty list is none."""

    by: Id = ""
    """Whose submission it is; what is stated per target holds between him and the target."""
    distance: dict[Id, Length] | None = None
    """Distance to each target now, in hundredths of the unit."""
    sees: dict[Id, bool] | None = None
    """Whether he sees each target."""
    cover: dict[Id, Cover] | None = None
    """What hides each target from him."""
    bands: dict[Id, str] | None = None
    """Range band of each target."""
    length: Length | None = None
    """Length of the way he goes, in hundredths; it is taken to be one that can be walked."""
    path_straight: bool | None = None
    """The whole way is one straight line; "no" without a `straight_end` is a straight end of 0."""
    straight_end: Length | None = None
    """Length of the straight piece that ends the way, in hundredths."""
    crosses: tuple[Id, ...] | None = None
    """Areas whose border the way crosses."""
    crosses_at: dict[Id, Length] | None = None
    """How far along the way each of them is, in hundredths; not stated counts as the end of the way."""
    met: tuple[Id, ...] | None = None
    """Who stands in the way, in order."""
    leaves: tuple[Id, ...] | None = None
    """Opponents he is engaged with and leaves."""
    engage: tuple[Id, ...] | None = None
    """Opponents he engages at the end."""
    distance_after: dict[Id, Length] | None = None
    """New distances after the movement, in hundredths."""
    near: tuple[Id, ...] | None = None
    """Who is near enough to the target or point that the submission names."""
    inside: tuple[Id, ...] | None = None
    """Who is inside the area that the submission names."""
    units_free: Length | None = None
    """Free length ahead on the line of a charge, in hundredths."""
    destination_free: bool | None = None
    """The place where the movement ends is free."""
    beside_free: bool | None = None
    """There is a free place beside the target."""
    exits: dict[Id, Exit] | None = None
    """Way out of the area for each combatant, as the GM states it; `place` is null."""
    landing: dict[Id, Landing] | None = None
    """Where each pushed combatant ends; `where` is null."""


def pair_key(a: Id, b: Id) -> str:
    """The key under which a `PairFact` of b as seen from a is kept."""
    return f"{a}>{b}"


def facts_after(facts: Mapping[str, PairFact], mover: Id, named: Mapping[Id, int]) -> dict[str, PairFact]:
    """The facts once somebody has moved: what was known between him and others is gone, but for what is named.

    No ledger says whether old distances still hold; one that silently stayed would be a wrong "yes" or "no".
    """
    kept = {key: fact for key, fact in facts.items() if mover not in key.split(">", 1)}
    kept.update((pair_key(mover, other), PairFact(distance=length)) for other, length in named.items())
    return kept


def said_after(said: Said, mover: Id, named: Collection[Id]) -> Said:
    """What a submission states once somebody has moved: where a new distance is known, the stated one holds no longer.

    What it states of others goes on until somebody says better: nothing newer is known.
    """
    changed = named if said.by == mover else (mover,) if said.by in named else ()
    if not changed or (said.distance is None and said.bands is None):
        return said
    kept = {who: length for who, length in (said.distance or {}).items() if who not in changed}
    bands = {who: band for who, band in (said.bands or {}).items() if who not in changed}
    return msgspec.structs.replace(said, distance=kept or None, bands=bands or None)


def distance_fits(old: Length, new: Length, moved: Length) -> bool:
    """Whether a stated new distance can come from the old one by that much movement. Clause: SR-590."""
    return abs(new - old) <= moved
