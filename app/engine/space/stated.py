"""Space without a map: what the client or the GM has stated, and Unknown for the rest.

A stated "no" is a no, an empty list is none, and what nobody has said is Unknown: never taken for a no.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, TypeAlias

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
    PairFact,
    Place,
    Point,
    Run,
    Said,
    Unknown,
    facts_after,
    pair_key,
)

Engaged: TypeAlias = Callable[[Id, Id], bool] | Mapping[Id, Collection[Id]]
"""Who is engaged with whom: a question, or for each combatant those he is engaged with."""

_NOTHING = PairFact()


class StatedSpace:
    """One moment of a fight without a map, as one reader knows it.

    What a submission says for itself goes before what is kept. A distance holds both ways, under either key; all
    other facts of a pair are directed.
    """

    __slots__ = ("_covers", "_engaged", "_everybody", "_facts", "_hidden", "_said", "_secret", "_underfoot", "_zones")

    def __init__(
        self,
        facts: Mapping[str, PairFact],
        engaged: Engaged,
        said: Said | None = None,
        covers: Mapping[Id, Cover | None] | None = None,
        *,
        zones: Mapping[Id, Collection[Id]] | None = None,
        underfoot: Mapping[Id, Collection[Kind]] | None = None,
        everybody: Collection[Id] = (),
        secret: Collection[Id] = frozenset(),
    ) -> None:
        """Take the facts by `pair_key`, who is engaged, and what the submission states.

        `covers` is what hides somebody from everybody, where no pair says otherwise; `zones` who stands in an area
        that lasts, by its id; `underfoot` the terrain and air about somebody; `everybody` allows lists to be derived
        from distances when all are known; `secret` are ids of which the submitter cannot know, so that what concerns
        them is asked of the GM.
        """
        self._facts = facts
        self._engaged = engaged
        self._said = said if said is not None else Said()
        self._covers = covers or {}
        self._zones = zones or {}
        self._underfoot = underfoot or {}
        self._everybody = frozenset(everybody)
        self._secret = frozenset(secret)
        self._hidden: frozenset[Id] = frozenset()

    def _copy(self) -> "StatedSpace":
        other = object.__new__(StatedSpace)
        for name in StatedSpace.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    def known_to(self, hidden: Collection[Id]) -> "StatedSpace":
        """The same without these bodies and zones: no list names them, and no way crosses them."""
        other = self._copy()
        other._hidden = self._hidden | frozenset(hidden)
        return other

    def after(self, moves: Mapping[Id, Place | None]) -> "StatedSpace":
        """The same once these have moved: old facts about them are gone, but for the new distances that were named."""
        other = self._copy()
        said = self._said
        facts: Mapping[str, PairFact] = self._facts
        for who in sorted(moves):
            facts = facts_after(facts, who, (said.distance_after or {}) if who == said.by else {})
        other._facts = facts
        other._zones = {zone: [who for who in inside if who not in moves] for zone, inside in self._zones.items()}
        if said.by in moves:
            other._said = Said(by=said.by)
        return other

    def _unknown(self, fact: str, *of: Id) -> Unknown:
        """Not said. Of what the submitter cannot know, or what does not concern him, only the GM can tell."""
        return Unknown(fact, of, self._ask(*of))

    def _ask(self, *of: Id) -> Literal["client", "gm"]:
        by = self._said.by
        if any(who in self._secret for who in of) or (by and of and by not in of):
            return "gm"
        return "client"

    def _of(self, a: Id, b: Id) -> PairFact:
        return self._facts.get(pair_key(a, b), _NOTHING)

    def distance(self, a: Id, b: Id) -> Fact[Length]:
        """As stated, whichever of the two it was stated from."""
        said = self._said
        if said.distance is not None and said.by in (a, b):
            stated = said.distance.get(b if said.by == a else a)
            if stated is not None:
                return stated
        length = self._of(a, b).distance
        if length is None:
            length = self._of(b, a).distance
        return self._unknown("distance", a, b) if length is None else length

    def engaged(self, a: Id, b: Id) -> bool:
        """Whether they are a stated pair in melee."""
        engaged = self._engaged
        if isinstance(engaged, Mapping):
            return b in engaged.get(a, ()) or a in engaged.get(b, ())
        return engaged(a, b) or engaged(b, a)

    def adjacent(self, a: Id, b: Id, within: Length) -> Fact[bool]:
        """Engaged people are; otherwise by the distance."""
        if self.engaged(a, b):
            return True
        length = self.distance(a, b)
        return length if isinstance(length, Unknown) else length <= within

    def sees(self, a: Id, b: Id, fov: Degrees = 360) -> Fact[bool]:
        """As stated; a stated bearing outside the field of view is not seen."""
        said, fact = self._said, self._of(a, b)
        stated = said.sees.get(b) if said.sees is not None and said.by == a else None
        stated = fact.sees if stated is None else stated
        if stated is False or (fact.bearing is not None and not _ahead(fact.bearing, fov)):
            return False
        return self._unknown("sees", a, b) if stated is None else stated

    def arc_of(self, a: Id, b: Id, arcs: Sequence[tuple[str, Degrees]]) -> Fact[str]:
        """As stated, or by a stated bearing."""
        fact = self._of(a, b)
        if fact.arc is not None:
            return fact.arc
        if fact.bearing is None:
            return self._unknown("arc", a, b)
        bearing = fact.bearing
        return next((name for name, width in arcs if _ahead(bearing, width)), arcs[-1][0])

    def bearing(self, a: Id | Point, b: Id | Point) -> Fact[Degrees]:
        """As stated, seen from where a looks; points have no direction here."""
        if isinstance(a, str) and isinstance(b, str):
            bearing = self._of(a, b).bearing
            return self._unknown("bearing", a, b) if bearing is None else bearing % 360
        return self._unknown("bearing", *(who for who in (a, b) if isinstance(who, str)))

    def band(self, a: Id, b: Id, bands: Sequence[tuple[str, Length]]) -> Fact[str]:
        """From the distance if one is known, else as stated."""
        length = self.distance(a, b)
        if not isinstance(length, Unknown):
            return next((name for name, reach in bands if length <= reach), "")
        said = self._said
        stated = said.bands.get(b) if said.bands is not None and said.by == a else None
        stated = self._of(a, b).band if stated is None else stated
        return self._unknown("range_band", a, b) if stated is None else stated

    def cover(self, a: Id | Point, b: Id) -> Fact[Cover]:
        """As stated for the pair, else what hides b from everybody; from a point nobody but the GM knows."""
        if not isinstance(a, str):
            return self._unknown("cover", b)
        said = self._said
        stated = said.cover.get(b) if said.cover is not None and said.by == a else None
        if stated is None:
            stated = self._of(a, b).cover
        if stated is None:
            stated = self._covers.get(b)
        return self._unknown("cover", a, b) if stated is None else stated

    def between(self, a: Id, b: Id) -> Fact[frozenset[Kind]]:
        """As stated under either key: a line is the same both ways."""
        stated = self._of(a, b).between
        if stated is None:
            stated = self._of(b, a).between
        return Unknown("between", (a, b), "gm") if stated is None else frozenset(stated)

    def at(self, where: Id | Point) -> Fact[frozenset[Kind]]:
        """What was stated about somebody's ground and air."""
        stated = self._underfoot.get(where) if isinstance(where, str) else None
        if stated is None:
            return Unknown("at", (where,) if isinstance(where, str) else (), "gm")
        return frozenset(stated)

    def near(self, centre: Id | Point, reach: Length) -> Fact[tuple[Id, ...]]:
        """The stated list; without one, from the distances if all of them are known."""
        if self._said.near is not None:
            return self._shown([who for who in self._said.near if who != centre])
        if isinstance(centre, str) and self._everybody:
            found: list[Id] = []
            for who in self._everybody - self._hidden - {centre}:
                is_near = self.adjacent(centre, who, reach)
                if isinstance(is_near, Unknown):
                    break
                if is_near:
                    found.append(who)
            else:
                return tuple(sorted(found))
        of = (centre,) if isinstance(centre, str) else ()
        return Unknown("near", of, "gm" if any(who in self._secret for who in of) else "client")

    def inside(self, area: Area) -> Fact[tuple[Id, ...]]:
        """Who was stated to be in it: for a lasting zone, or for the area that the submission names."""
        if area.id and area.id in self._zones:
            return self._shown(self._zones[area.id])
        if self._said.inside is not None:
            return self._shown(self._said.inside)
        return Unknown("inside", (area.id,) if area.id else (), "gm" if area.id in self._secret else "client")

    def _shown(self, ids: Collection[Id]) -> tuple[Id, ...]:
        return tuple(sorted(set(ids) - self._hidden))

    def run(self, actor: Id, path: Sequence[Point]) -> Fact[Run]:
        """The stated length; a path of points says nothing without a map."""
        length = self._said.length if self._said.by in ("", actor) else None
        if length is None:
            return self._unknown("length", actor)
        return self._run(actor, length, None)

    def run_to(self, actor: Id, target: Id, via: Sequence[Point] = ()) -> Fact[Run]:
        """The stated length, else the distance to the target."""
        length: Fact[Length] | None = self._said.length if self._said.by in ("", actor) else None
        if length is None:
            length = self.distance(actor, target)
        return length if isinstance(length, Unknown) else self._run(actor, length, target)

    def _run(self, actor: Id, length: Length, target: Id | None) -> Run:
        said = self._said
        straight: Fact[Length] = self._unknown("straight_end", actor)
        if said.by in ("", actor):
            if said.straight_end is not None:
                straight = min(said.straight_end, length)
            elif said.path_straight is not None:
                straight = length if said.path_straight else 0
        return Run(actor, length, straight, cost=length, walked=length, target=target)

    def met(self, run: Run) -> Fact[tuple[tuple[Length, Id], ...]]:
        """Who was stated to be in the way. A stated length is that of a way one can walk: nobody else is."""
        stated = self._said.met if self._said.by in ("", run.actor) else None
        shown = [who for who in stated or () if who not in self._hidden]
        free = self._said.units_free
        return tuple((run.walked if free is None else min(free, run.walked), who) for who in shown)

    def free_length(self, run: Run) -> Fact[Length]:
        """As stated."""
        free = self._said.units_free if self._said.by in ("", run.actor) else None
        return self._unknown("units_free", run.actor) if free is None else free

    def ends_free(self, run: Run) -> Fact[bool]:
        """As stated."""
        stated = self._said.destination_free if self._said.by in ("", run.actor) else None
        return self._unknown("destination_free", run.actor) if stated is None else stated

    def crossings(self, run: Run, area: Area, since: Length = 0) -> Fact[tuple[Crossing, ...]]:
        """By the stated list of areas whose border the way crosses: absent is unknown, empty is none.

        Who is in a lasting zone from the start leaves it where he crosses its border. Without a stated place a
        crossing is told at the end of the way.
        """
        if area.id in self._hidden:
            return ()
        said = self._said
        stated = said.crosses if said.by in ("", run.actor) else None
        crossed = stated is not None and area.id in stated
        if stated is None or (area.id in self._secret and not crossed):
            ask = "gm" if area.id in self._secret else self._ask(run.actor)
            return Unknown("crosses", (run.actor, area.id), ask)
        at = min((said.crosses_at or {}).get(area.id, run.walked), run.walked)
        started = run.actor in self._zones.get(area.id, ())
        if not crossed:
            return (Crossing(since, "starts_inside"),) if started else ()
        if started:
            return (Crossing(since, "starts_inside"), Crossing(at, "leaves")) if since <= at else ()
        return (Crossing(at, "enters"),) if at > since else (Crossing(since, "starts_inside"),)

    def place(self, run: Run, at: Length) -> Place | None:
        """Nobody has a place without a map."""
        return None

    def push(self, who: Id, direction: Degrees, length: Length) -> Fact[Landing]:
        """As stated."""
        stated = (self._said.landing or {}).get(who)
        return Unknown("landing", (who,), "gm") if stated is None else stated

    def exit(self, who: Id, area: Area, limit: Length) -> Fact[Exit]:
        """As the GM stated it; a way that is longer than the limit is none."""
        stated = (self._said.exits or {}).get(who)
        if stated is None:
            return Unknown("exit", (who,), "gm")
        return Exit(stated.length, None, stated.possible and stated.length <= limit)

    def beside(self, actor: Id, target: Id) -> Fact[Place | bool]:
        """Whether it was stated that a place is free there."""
        stated = self._said.beside_free
        return self._unknown("beside", actor, target) if stated is None else stated

    def scatter(self, point: Point, direction: Degrees, length: Length) -> Fact[tuple[Place, bool]]:
        """Only the GM knows where it lands."""
        return Unknown("landing", (), "gm")


def _ahead(bearing: Degrees, width: Degrees) -> bool:
    """Whether a bearing from straight ahead is within an arc of that full width, edges included."""
    off = bearing % 360
    return 2 * min(off, 360 - off) <= width
