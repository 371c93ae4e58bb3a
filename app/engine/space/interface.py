"""The questions that rules put to space. `MapSpace` answers them from a map, `StatedSpace` from what was stated."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from app.engine.ids import Length
from app.engine.space.model import (
    Area,
    Cover,
    Crossing,
    Degrees,
    Exit,
    Fact,
    Id,
    Kind,
    Landing,
    Place,
    Point,
    Run,
)


class Space(Protocol):
    """One moment of a fight in space, as one reader knows it. Lists of ids are sorted."""

    def known_to(self, hidden: Collection[Id]) -> "Space":
        """The same moment without the bodies, regions, walls and zones that a reader may not know of."""

    def after(self, moves: Mapping[Id, Place | None]) -> "Space":
        """The moment after these combatants have moved, over the same ground. Places are ignored without a map."""

    def distance(self, a: Id, b: Id) -> Fact[Length]:
        """Distance by the ruleset's metric, in hundredths, with what big bodies reach beyond a man's taken off."""

    def adjacent(self, a: Id, b: Id, within: Length) -> Fact[bool]:
        """Whether they are no farther apart than that. Engagement and reach are this, each with its own figure."""

    def sees(self, a: Id, b: Id, fov: Degrees = 360) -> Fact[bool]:
        """Whether b is in a's field of view (its full width) and no wall is between. Darkness is in `between`."""

    def arc_of(self, a: Id, b: Id, arcs: Sequence[tuple[str, Degrees]]) -> Fact[str]:
        """The first of the named arcs around a's facing (full widths, growing) that holds b.

        The last is the answer if none holds him; the first if a keeps no facing.
        """

    def bearing(self, a: Id | Point, b: Id | Point) -> Fact[Degrees]:
        """Direction of b from a in whole degrees, 0 to 359. Without a map a is taken to face 0."""

    def band(self, a: Id, b: Id, bands: Sequence[tuple[str, Length]]) -> Fact[str]:
        """The first band whose reach (included) holds the distance; empty beyond the last.

        Without a map a stated band is the answer where no distance is known. Clause: WH-510.
        """

    def cover(self, a: Id | Point, b: Id) -> Fact[Cover]:
        """How far b is hidden from a combatant or a point, and the covers that the line meets."""

    def between(self, a: Id, b: Id) -> Fact[frozenset[Kind]]:
        """Kinds of the regions at a, at b or on the line between them."""

    def at(self, where: Id | Point) -> Fact[frozenset[Kind]]:
        """Kinds of the regions in which somebody stands, or a point lies."""

    def near(self, centre: Id | Point, reach: Length) -> Fact[tuple[Id, ...]]:
        """Who is within that distance of a combatant (himself left out) or of a point."""

    def inside(self, area: Area) -> Fact[tuple[Id, ...]]:
        """Who is inside the area, by his position; whoever stands at its centre is."""

    def run(self, actor: Id, path: Sequence[Point]) -> Fact[Run]:
        """The way along these points from where the actor is (which may be the first of them)."""

    def run_to(self, actor: Id, target: Id, via: Sequence[Point] = ()) -> Fact[Run]:
        """The way to a target, measured to the target; what is walked of it ends in a free place beside him.

        Clauses: DH-3950, MA-540.
        """

    def met(self, run: Run) -> Fact[tuple[tuple[Length, Id], ...]]:
        """Who stands in the way, in order, each with how far one gets before him. Friends too: the caller tells."""

    def free_length(self, run: Run) -> Fact[Length]:
        """How far the run is free of walls and of people who stand. Clause: MA-540 (`free_units`)."""

    def ends_free(self, run: Run) -> Fact[bool]:
        """Whether one may come to stand where the run ends: nobody stands there, and no wall."""

    def crossings(self, run: Run, area: Area, since: Length = 0) -> Fact[tuple[Crossing, ...]]:
        """What the run has to do with the area from `since` on, in order along it.

        `starts_inside` tells that he is inside at `since`; one touch enters and leaves at the same `at`.
        Who stops at a crossing is inside: `at` is the hundredth beside the true line for which that holds.
        """

    def place(self, run: Run, at: Length) -> Place | None:
        """Where he is after that much of the run, facing as he runs. None without a map.

        On a grid it is the last cell whose centre he has reached.
        """

    def push(self, who: Id, direction: Degrees, length: Length) -> Fact[Landing]:
        """Where somebody ends who is pushed; the whole way must be free."""

    def exit(self, who: Id, area: Area, limit: Length) -> Fact[Exit]:
        """A short straight free way out of the area: a proposal, near enough the shortest. Clause: DH-3660."""

    def beside(self, actor: Id, target: Id) -> Fact[Place | bool]:
        """A free place next to the target, near to the actor: a proposal. False if there is none.

        Without a map nobody has a place; True then says that there is one.
        """

    def scatter(self, point: Point, direction: Degrees, length: Length) -> Fact[tuple[Place, bool]]:
        """Where something lands that strays, and whether a wall lay in between: it is ignored, and told to the GM."""
