"""Who stands where: the combatants of one moment, by buckets, and how far they are from each other."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping

from app.engine.ids import Length
from app.engine.space.index import bucket_key, keys_in_box
from app.engine.space.lattice import Plane
from app.engine.space.model import Id, Metric, Place, Point


class Points(Mapping[Id, Point]):
    """Places as points of the plane, each found when it is asked for: most commands look at two people of a crowd."""

    __slots__ = ("_found", "_places", "_plane")

    def __init__(self, plane: Plane, places: Mapping[Id, Place]) -> None:
        self._plane, self._places = plane, places
        self._found: dict[Id, Point] = {}

    def __getitem__(self, who: Id) -> Point:
        point = self._found.get(who)
        if point is None:
            place = self._places[who]
            point = self._found[who] = self._plane.into((place.x, place.y))
        return point

    def __contains__(self, who: object) -> bool:
        return who in self._found or who in self._places

    def __iter__(self) -> Iterator[Id]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Bodies:
    """Places in the plane. `listed` may be found by looking around, the others only by name."""

    __slots__ = (
        "_apart",
        "_buckets",
        "_widest",
        "elbow",
        "extras",
        "listed",
        "metric",
        "places",
        "plane",
        "points",
        "up",
    )

    def __init__(
        self,
        plane: Plane,
        places: Mapping[Id, Place],
        extras: Mapping[Id, Length],
        up: Container[Id],
        metric: Metric,
        elbow: Length,
    ) -> None:
        self.plane = plane
        self.places = places
        self.points: Mapping[Id, Point] = Points(plane, places)
        self.extras = extras
        self.up = up
        self.metric: Metric = metric
        self.elbow = elbow
        self.listed: Mapping[Id, Point] = self.points
        self._buckets: dict[int, tuple[Id, ...]] | None = None
        self._widest: Length | None = None
        self._apart: dict[tuple[Id, Id], Length] = {}

    @property
    def buckets(self) -> dict[int, tuple[Id, ...]]:
        """Who is listed, by bucket of the plane; made when somebody first looks around."""
        if self._buckets is None:
            found: dict[int, list[Id]] = {}
            side = self.plane.bucket
            for who, (x, y) in self.listed.items():
                found.setdefault(bucket_key(x, y, side), []).append(who)
            self._buckets = {key: tuple(here) for key, here in found.items()}
        return self._buckets

    @property
    def widest(self) -> Length:
        """How far the largest of them reaches beyond an ordinary body."""
        if self._widest is None:
            self._widest = max(self.extras.values(), default=0)
        return self._widest

    def _copy(self) -> "Bodies":
        other = object.__new__(Bodies)
        for name in Bodies.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    def without(self, hidden: Collection[Id]) -> "Bodies":
        """The same with some left out of everything that is found by looking around."""
        if not any(who in self.listed for who in hidden):
            return self
        other = self._copy()
        other.listed = {who: point for who, point in self.listed.items() if who not in hidden}
        other.up = frozenset(who for who in other.listed if who in self.up)
        other._buckets = None
        return other

    def moved(self, moves: Mapping[Id, Place | None]) -> "Bodies":
        """The same with some in other places. Who was not to be found stays so; None takes somebody off the map."""
        other = self._copy()
        places, points = dict(self.places), dict(self.points)
        listed = points if self.listed is self.points else dict(self.listed)
        buckets = dict(self.buckets)
        side = self.plane.bucket
        for who, place in moves.items():
            shown = who in listed or who not in points
            old = points.pop(who, None)
            listed.pop(who, None)
            places.pop(who, None)
            if shown and old is not None:
                key = bucket_key(*old, side)
                buckets[key] = tuple(one for one in buckets[key] if one != who)
            if place is not None:
                point = self.plane.into((place.x, place.y))
                places[who], points[who] = place, point
                if shown:
                    listed[who] = point
                    key = bucket_key(*point, side)
                    buckets[key] = (*buckets.get(key, ()), who)
        other.places, other.points, other.listed, other._buckets = places, points, listed, buckets
        other._apart = {}
        return other

    def extra(self, who: Id) -> Length:
        """How far a body reaches beyond an ordinary one."""
        return self.extras.get(who, 0)

    def distance(self, a: Id, b: Id) -> Length:
        """Distance from centre to centre by the metric, rounded once, less what both reach beyond a man's.

        Measured once: one action asks for the same few again and again.
        """
        known = self._apart.get((a, b))
        if known is not None:
            return known
        (ax, ay), (bx, by) = self.points[a], self.points[b]
        length = self.plane.measure(bx - ax, by - ay, self.metric)
        if self.extras:
            length -= self.extra(a) + self.extra(b)
        known = self._apart[a, b] = max(length, 0)
        return known

    def near(self, centre: Point, extra: Length, reach: Length) -> list[Id]:
        """Who is within reach of a point, sorted."""
        if reach < 0:
            return []
        cx, cy = centre
        plane, extras, listed, metric = self.plane, self.extras, self.listed, self.metric
        limit = reach + extra
        far = -(-(limit + self.widest + 1) * plane.den // plane.num)
        found: list[Id] = []
        if metric == "euclid":
            bound, num, w = (2 * limit + 1) * plane.den, 4 * plane.num * plane.num, plane.weight
            square = bound * bound
            for who in self._around(cx, cy, far):
                x, y = listed[who]
                own = extras.get(who, 0) if extras else 0
                n = num * ((x - cx) ** 2 + w * (y - cy) ** 2)
                if n < square if not own else plane.within(n // num, limit + own):
                    found.append(who)
        else:
            for who in self._around(cx, cy, far):
                x, y = listed[who]
                if plane.measure(x - cx, y - cy, metric) <= limit + extras.get(who, 0):
                    found.append(who)
        found.sort()
        return found

    def _around(self, cx: int, cy: int, far: int) -> Iterable[Id]:
        return self.in_box(cx - far, cy - far, cx + far, cy + far)

    def in_box(self, x0: int, y0: int, x1: int, y1: int) -> Iterable[Id]:
        """Who is in the buckets that a box touches, in no order that means anything."""
        side = self.plane.bucket
        if (x1 // side - x0 // side + 1) * (y1 // side - y0 // side + 1) > len(self.buckets):
            return self.listed
        buckets = self.buckets
        return [who for key in keys_in_box(x0, y0, x1, y1, side) if key in buckets for who in buckets[key]]

    def room(self, a: Id, b: Id) -> Length:
        """How far apart two bodies must be not to stand on each other: elbows, or whole cells, and their size."""
        plane = self.plane
        alone = plane.grid.cell if plane.hexes or plane.square else self.elbow
        return alone + self.extra(a) + self.extra(b)

    def overlaps(self, point: Point, actor: Id, other: Id) -> bool:
        """Whether the actor, if he stood at that point, would stand on the other."""
        x, y = self.points[other]
        plane = self.plane
        metric: Metric = "hex_steps" if plane.hexes else "chebyshev" if plane.square else "euclid"
        return plane.measure(point[0] - x, point[1] - y, metric) < self.room(actor, other)

    def standing_at(self, point: Point, actor: Id) -> list[Id]:
        """Who is up and in the way of the actor at that point, sorted."""
        plane = self.plane
        alone = plane.grid.cell if plane.hexes or plane.square else self.elbow
        far = -(-(alone + self.extra(actor) + self.widest + 1) * plane.den // plane.num)
        return sorted(
            who
            for who in self._around(*point, far)
            if who != actor and who in self.up and self.overlaps(point, actor, who)
        )
