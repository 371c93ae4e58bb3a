"""Space from a map: positions are whole numbers, and so is every answer that judges."""

from collections.abc import Collection, Container, Mapping, Sequence

from msgspec.structs import replace

from app.engine.ids import Length
from app.engine.space.bodies import Bodies
from app.engine.space.crossing import Span, Zone, entered_at, left_at, spans
from app.engine.space.index import GroundIndex, index
from app.engine.space.lattice import at_place, metric_fits
from app.engine.space.model import (
    Area,
    Cover,
    Crossing,
    Degrees,
    Exit,
    Fact,
    Ground,
    Id,
    Kind,
    Landing,
    Metric,
    Place,
    Point,
    Run,
    Unknown,
)
from app.engine.space.paths import Track, stop_before, way_free
from app.engine.space.predicates import in_arc
from app.engine.space.sight import cover_of, kinds_at, kinds_between, open_line
from app.engine.space.ways import (
    Exits,
    Push,
    beside,
    free,
    landing,
    met,
    straight_beside,
    wall_between,
)

_KEPT_SPANS = 256


class MapSpace:
    """People on a ground, as one reader knows them.

    Unknown is answered only about somebody who has no place on the map. What is hidden is left out of whatever is
    found by looking around (lists, who stands in the way, walls and regions); by name it is still answered.
    """

    __slots__ = ("_bodies", "_ground", "_spans")

    _bodies: Bodies
    _ground: GroundIndex
    _spans: dict[tuple[Run, Area], list[Span]]

    def __init__(
        self,
        ground: Ground,
        places: Mapping[Id, Place],
        *,
        sizes: Mapping[Id, Length] | None = None,
        up: Container[Id] = (),
        metric: Metric = "euclid",
        elbow: Length = 50,
        hidden: Collection[Id] = frozenset(),
    ) -> None:
        """Set people on a ground.

        `sizes` tells how far a body reaches beyond a man's, in hundredths (who is not named is ordinary), `up` who
        stands in the way of others, `elbow` how near to each other two ordinary people can be where there is no
        grid. Raises ValueError for a metric that cannot be used on the grid.
        """
        if not metric_fits(ground.grid, metric):
            raise ValueError(f"{metric} cannot be counted on a grid of kind {ground.grid.kind}")
        self._ground = index(ground)
        self._bodies = Bodies(self._ground.plane, places, sizes or {}, up, metric, elbow)
        self._spans = {}
        if hidden:
            self._hide(hidden)

    def _hide(self, hidden: Collection[Id]) -> None:
        self._bodies = self._bodies.without(hidden)
        ground = self._ground.ground
        if any(wall.id in hidden for wall in ground.walls) or any(region.id in hidden for region in ground.regions):
            walls = tuple(wall for wall in ground.walls if wall.id not in hidden)
            regions = tuple(region for region in ground.regions if region.id not in hidden)
            self._ground = index(replace(ground, walls=walls, regions=regions))
            self._spans = {}

    def _copy(self) -> "MapSpace":
        other = object.__new__(MapSpace)
        # What a run has to do with an area depends on the ground alone, so it is found once for all moments over it.
        other._ground, other._bodies, other._spans = self._ground, self._bodies, self._spans
        return other

    def known_to(self, hidden: Collection[Id]) -> "MapSpace":
        """The same without bodies, regions and walls of these ids."""
        other = self._copy()
        other._hide(frozenset(hidden))
        return other

    def after(self, moves: Mapping[Id, Place | None]) -> "MapSpace":
        """The same with some in other places; None takes somebody off the map."""
        other = self._copy()
        other._bodies = self._bodies.moved(moves)
        return other

    def placed(self, who: Id) -> Place | None:
        """Where somebody is; None if he is not on the map."""
        return self._bodies.places.get(who)

    def _unplaced(self, *asked: Id | Point) -> Unknown:
        points = self._bodies.points
        return Unknown("place", tuple(who for who in asked if isinstance(who, str) and who not in points), "gm")

    def _point(self, where: Id | Point) -> Point | None:
        if isinstance(where, str):
            return self._bodies.points.get(where)
        return self._ground.plane.into(where)

    def distance(self, a: Id, b: Id) -> Fact[Length]:
        """By the metric, from centre to centre, rounded once, less what both reach beyond a man's."""
        points = self._bodies.points
        if a not in points or b not in points:
            return self._unplaced(a, b)
        return self._bodies.distance(a, b)

    def adjacent(self, a: Id, b: Id, within: Length) -> Fact[bool]:
        """Whether their distance is at most that."""
        length = self.distance(a, b)
        return length if isinstance(length, Unknown) else length <= within

    def sees(self, a: Id, b: Id, fov: Degrees = 360) -> Fact[bool]:
        """Whether b is in a's field of view and no wall is between. Who keeps no facing looks everywhere."""
        points = self._bodies.points
        if a not in points or b not in points:
            return self._unplaced(a, b)
        start, end = points[a], points[b]
        if fov < 360:
            facing = self._bodies.places[a].facing
            dx, dy = end[0] - start[0], end[1] - start[1]
            if facing is not None and not in_arc(dx, dy, facing, fov, self._ground.plane.hexes):
                return False
        return open_line(self._ground.sight, start, end)

    def arc_of(self, a: Id, b: Id, arcs: Sequence[tuple[str, Degrees]]) -> Fact[str]:
        """The first of the arcs around a's facing that holds b; the last if none does."""
        points = self._bodies.points
        if a not in points or b not in points:
            return self._unplaced(a, b)
        facing = self._bodies.places[a].facing
        if facing is None:
            return arcs[0][0]
        dx, dy = points[b][0] - points[a][0], points[b][1] - points[a][1]
        hexes = self._ground.plane.hexes
        return next((name for name, width in arcs if in_arc(dx, dy, facing, width, hexes)), arcs[-1][0])

    def bearing(self, a: Id | Point, b: Id | Point) -> Fact[Degrees]:
        """Direction of b from a in whole degrees; 0 if they are at one point."""
        start, end = self._point(a), self._point(b)
        if start is None or end is None:
            return self._unplaced(a, b)
        return self._ground.plane.bearing(end[0] - start[0], end[1] - start[1])

    def band(self, a: Id, b: Id, bands: Sequence[tuple[str, Length]]) -> Fact[str]:
        """The first band whose reach, included, holds the distance; empty beyond the last."""
        length = self.distance(a, b)
        if isinstance(length, Unknown):
            return length
        return next((name for name, reach in bands if length <= reach), "")

    def cover(self, a: Id | Point, b: Id) -> Fact[Cover]:
        """How much of b's width is hidden from a, and the covers that the line meets."""
        start, end = self._point(a), self._point(b)
        if start is None or end is None:
            return self._unplaced(a, b)
        return cover_of(self._ground, start, end, self._bodies.elbow + self._bodies.extra(b))

    def between(self, a: Id, b: Id) -> Fact[frozenset[Kind]]:
        """Kinds of the regions at a, at b or on the line."""
        points = self._bodies.points
        if a not in points or b not in points:
            return self._unplaced(a, b)
        return kinds_between(self._ground, points[a], points[b])

    def at(self, where: Id | Point) -> Fact[frozenset[Kind]]:
        """Kinds of the regions there."""
        point = self._point(where)
        return self._unplaced(where) if point is None else kinds_at(self._ground, point)

    def near(self, centre: Id | Point, reach: Length) -> Fact[tuple[Id, ...]]:
        """Who is within reach by the metric: of somebody, himself left out, or of a point."""
        point = self._point(centre)
        if point is None:
            return self._unplaced(centre)
        if isinstance(centre, str):
            found = self._bodies.near(point, self._bodies.extra(centre), reach)
            return tuple(who for who in found if who != centre)
        return tuple(self._bodies.near(point, 0, reach))

    def inside(self, area: Area) -> Fact[tuple[Id, ...]]:
        """Who is inside, by the centre of his body."""
        zone = Zone(self._ground, area)
        listed = self._bodies.listed
        return tuple(sorted(who for who in self._bodies.in_box(*zone.box) if zone.holds(*listed[who])))

    def _track(self, run: Run) -> Track:
        plane = self._ground.plane
        return Track(plane, [plane.into(point) for point in run.points], self._bodies.metric)

    def run(self, actor: Id, path: Sequence[Point]) -> Fact[Run]:
        """The way along the points; without any he stays where he is."""
        start = self._bodies.points.get(actor)
        if start is None:
            return self._unplaced(actor)
        plane = self._ground.plane
        corners = [start, *(plane.into(point) for point in path)]
        track = Track(plane, corners, self._bodies.metric)
        wall = stop_before(track, self._ground.move)
        return Run(
            actor=actor,
            length=track.total,
            straight_end=track.straight_end(),
            cost=track.total,
            walked=track.total,
            blocked_at=None if wall is None else wall[0],
            heading=track.heading(),
            points=self._told(corners),
        )

    def run_to(self, actor: Id, target: Id, via: Sequence[Point] = ()) -> Fact[Run]:
        """The way to a target; what is walked of it ends in a free place beside him, on the straight way if it can.

        Its length is that to the target's centre less what both bodies reach beyond a man's, as a distance is.
        """
        bodies, plane = self._bodies, self._ground.plane
        start, goal = bodies.points.get(actor), bodies.points.get(target)
        if start is None or goal is None:
            return self._unplaced(actor, target)
        corners = [start, *(plane.into(point) for point in via)]
        whole = Track(plane, [*corners, goal], bodies.metric)
        extras = bodies.extra(actor) + bodies.extra(target)
        last = corners[-1]
        end = beside(self._ground, bodies, actor, last, target)
        if end is None:
            end = straight_beside(bodies, actor, last, target)
        walk = Track(plane, [*corners, end], bodies.metric)
        wall = stop_before(walk, self._ground.move)
        blocked_at = None if wall is None else wall[0]
        if wall is None and not way_free(self._ground.move, end, goal):
            blocked_at = walk.total
        length = max(whole.total - extras, 0)
        return Run(
            actor=actor,
            length=length,
            straight_end=max(whole.straight_end() - extras, 0),
            cost=length,
            walked=walk.total,
            blocked_at=blocked_at,
            heading=plane.bearing(goal[0] - end[0], goal[1] - end[1]),
            points=self._told([*corners, end]),
            target=target,
        )

    def _told(self, corners: Sequence[Point]) -> tuple[Point, ...]:
        """Corners of a way as places, without those that repeat the one before."""
        out = self._ground.plane.out
        return tuple(out(point) for n, point in enumerate(corners) if n == 0 or point != corners[n - 1])

    def met(self, run: Run) -> Fact[tuple[tuple[Length, Id], ...]]:
        """Who stands in the way, in order, each with how far one gets before him; the target of the run is not."""
        return tuple(met(self._bodies, run.actor, self._track(run), run.target))

    def free_length(self, run: Run) -> Fact[Length]:
        """How far the run is free of walls and of people who stand."""
        first = min((at for at, _ in met(self._bodies, run.actor, self._track(run), run.target)), default=run.walked)
        return min(first, run.walked if run.blocked_at is None else run.blocked_at)

    def ends_free(self, run: Run) -> Fact[bool]:
        """Whether the actor may come to stand where the run ends; where he already stands he may stay."""
        if len(run.points) == 1:
            return True
        return free(self._ground, self._bodies, run.actor, self._ground.plane.into(run.points[-1]))

    def crossings(self, run: Run, area: Area, since: Length = 0) -> Fact[tuple[Crossing, ...]]:
        """What the run has to do with the area from `since` on. A touch at the end of the run only enters."""
        key = (run, area)
        track, zone = self._track(run), Zone(self._ground, area)
        pieces = self._spans.get(key)
        if pieces is None:
            pieces = spans(zone, track)
            if len(self._spans) >= _KEPT_SPANS:
                self._spans.clear()
            self._spans[key] = pieces
        found: list[Crossing] = []
        least = 0
        for piece in pieces:
            begin = 0 if piece.from_start else entered_at(zone, track, piece.low, least)
            end = track.total if piece.to_end else max(left_at(zone, track, piece.high, begin), begin)
            least = end
            if piece.from_start or begin <= since:
                if since <= end:
                    found.append(self._crossing(track, since, "starts_inside"))
            else:
                found.append(self._crossing(track, begin, "enters"))
            if not piece.to_end and end >= since:
                found.append(self._crossing(track, end, "leaves"))
        return tuple(found)

    def _crossing(self, track: Track, at: Length, kind: str) -> Crossing:
        return Crossing(at, kind, self._ground.plane.out(track.point(at)))  # type: ignore[arg-type]

    def place(self, run: Run, at: Length) -> Place | None:
        """Where he is after that much of the run, facing as he runs."""
        track = self._track(run)
        if not track.legs:
            return self._bodies.places.get(run.actor)
        facing = run.heading if at >= track.total else track.heading(max(at, 1))
        return at_place(self._ground.plane.out(track.point(at)), facing)

    def push(self, who: Id, direction: Degrees, length: Length) -> Fact[Landing]:
        """Where a push ends: the way must be free of walls and of people; edges he goes over."""
        place = self._bodies.places.get(who)
        if place is None:
            return self._unplaced(who)
        pushed = Push(self._ground, self._bodies, who, direction, length)
        where = at_place(self._ground.plane.out(pushed.where), place.facing)
        return Landing(where, pushed.blocked_by, pushed.over, pushed.drop)

    def exit(self, who: Id, area: Area, limit: Length) -> Fact[Exit]:
        """A short straight free way out, and whether it is no longer than the limit."""
        place = self._bodies.places.get(who)
        if place is None:
            return self._unplaced(who)
        length, point = Exits(self._ground, self._bodies, who, area).best()
        where = None if point is None else at_place(self._ground.plane.out(point), place.facing)
        return Exit(length, where, where is not None and length <= limit)

    def beside(self, actor: Id, target: Id) -> Fact[Place | bool]:
        """A free place next to the target, near to the actor and facing the target; False if there is none."""
        points = self._bodies.points
        if actor not in points or target not in points:
            return self._unplaced(actor, target)
        found = beside(self._ground, self._bodies, actor, points[actor], target)
        if found is None:
            return False
        goal = points[target]
        facing = self._ground.plane.bearing(goal[0] - found[0], goal[1] - found[1])
        return at_place(self._ground.plane.out(found), facing)

    def scatter(self, point: Point, direction: Degrees, length: Length) -> Fact[tuple[Place, bool]]:
        """Where something lands that strays, and whether a wall lay in between."""
        plane = self._ground.plane
        start = plane.into(point)
        end = landing(plane, start, direction, length, self._bodies.metric)
        return (at_place(plane.out(end), None), wall_between(self._ground, start, end))
