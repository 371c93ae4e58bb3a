"""What clients state of space, held against what there is: words of the ruleset, combatants, lengths.

Whatever the rules would pass over in silence is refused here, at its place.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from app.catalog.findings import child
from app.engine.forms import Form
from app.engine.ids import ActionId, CombatantId
from app.engine.rules import Ruleset
from app.engine.space.model import PairFact, pair_key
from app.engine.state import Combatant, State
from app.engine.vocabulary import Vocabulary
from app.services.bodies import (
    FACTS,
    CoverIn,
    CoverPieceIn,
    CoverValueIn,
    FactIn,
    MapIn,
    PolygonIn,
    SaidIn,
    SectorIn,
    SubmissionIn,
    WallIn,
)
from app.services.caller import Caller
from app.services.errors import Finding
from app.services.lookup import find
from app.services.maps import MOST_POINTS, why_not_simple

MEASURED = (
    "distance",
    "sees",
    "cover",
    "bands",
    "length",
    "path_straight",
    "straight_end",
    "crosses",
    "crosses_at",
    "met",
    "distance_after",
    "inside",
    "units_free",
    "destination_free",
    "beside_free",
)
"""What a map says by itself. Whom somebody leaves, engages or strikes besides is his to say there too."""
Pair = tuple[CombatantId, CombatantId, FactIn, str]
"""Two combatants, what is stated of the second as seen from the first, and where it stands in the body."""


# Words of the ruleset


def word_fits(word: str, known: Collection[str], at: str) -> Iterator[Finding]:
    """Whether the ruleset knows the word."""
    if word not in known:
        yield Finding("unknown_word", at, ", ".join(known))


def words_fit(words: Iterable[str], known: Collection[str], at: str) -> Iterator[Finding]:
    """Whether it knows each of them, and each is there once."""
    seen: set[str] = set()
    for place, word in enumerate(words):
        yield from word_fits(word, known, f"{at}/{place}")
        if word in seen:
            yield Finding("given_twice", f"{at}/{place}")
        seen.add(word)


def cover_fits(words: Vocabulary, given: CoverIn | str | None, at: str) -> Iterator[Finding]:
    """Whether somebody can be behind that: hidden by pieces that hide something, each with an id of its own."""
    if given is None or isinstance(given, str):
        return
    if given.pieces and not given.hidden:
        yield Finding("contradiction", f"{at}/hidden")
    ids: set[str] = set()
    for place, piece in enumerate(given.pieces):
        yield from _piece_fits(words, piece, f"{at}/pieces/{place}")
        if piece.id in ids:
            yield Finding("id_taken", f"{at}/pieces/{place}/id")
        ids.add(piece.id)


def _piece_fits(words: Vocabulary, given: CoverPieceIn | CoverValueIn, at: str) -> Iterator[Finding]:
    """Points go to the locations that are named; where the ruleset knows none, they go to all of him."""
    yield from words_fit(given.locations, words.locations, f"{at}/locations")
    if given.ap and words.locations and not given.locations:
        yield Finding("missing_input", f"{at}/locations", ", ".join(words.locations))
    if given.rating:
        yield from word_fits(given.rating, words.cover_ratings, f"{at}/rating")


def map_fits(words: Vocabulary, given: MapIn, at: str) -> Iterator[Finding]:
    """Whether the ruleset knows what its walls give and of what kind its regions are."""
    for place, wall in enumerate(given.walls):
        if isinstance(wall, WallIn) and wall.cover is not None:
            yield from _piece_fits(words, wall.cover, f"{at}/walls/{place}/cover")
    for place, region in enumerate(given.regions):
        yield from word_fits(region.kind, (*words.air, *words.ground), f"{at}/regions/{place}/kind")


def facts_fit(words: Vocabulary, pairs: Iterable[Pair], *, has_map: bool = False) -> Iterator[Finding]:
    """Whether that can be said of these pairs together: each once, and as far one way as the other."""
    said: dict[tuple[str, str], FactIn] = {}
    for one, other, given, at in pairs:
        yield from _fact_fits(words, given, at, has_map=has_map)
        back = said.get((other, one))
        far = {each.says("distance") for each in (back, given) if each is not None} - {None}
        if one == other:
            yield Finding("named_twice", f"{at}/to")
        elif (one, other) in said:
            yield Finding("given_twice", at)
        elif len(far) > 1:
            yield Finding("contradiction", f"{at}/distance")
        said[one, other] = given


def _fact_fits(words: Vocabulary, given: FactIn, at: str, *, has_map: bool) -> Iterator[Finding]:
    """Whether it can be so. On a map nothing but who is engaged with whom is stated."""
    if has_map:
        yield from (Finding("map_measures", f"{at}/{name}") for name in FACTS if given.says(name) is not None)
        return
    if (distance := given.says("distance")) is not None:
        yield from _length_fits(distance, f"{at}/distance")
    yield from cover_fits(words, given.says("cover"), f"{at}/cover")
    if (band := given.says("band")) is not None:
        yield from word_fits(band, words.bands, f"{at}/band")
        if distance is not None:  # which says in what band they are
            yield Finding("contradiction", f"{at}/band")
    if (arc := given.says("arc")) is not None:
        yield from word_fits(arc, words.arcs, f"{at}/arc")
    yield from words_fit(given.says("between") or (), words.air, f"{at}/between")


def _length_fits(length: float, at: str, most: float | None = None) -> Iterator[Finding]:
    if length < 0 or (most is not None and length > most):
        yield Finding("out_of_bounds", at, ">= 0" if most is None else f"0..{most:g}")


# Submissions


class Naming:
    """Who is named by the caller, as far as he can know of them."""

    def __init__(self, state: State, caller: Caller, myself: CombatantId | None) -> None:
        self.state, self.caller, self.myself = state, caller, myself

    def one(self, name: str, at: str, *, others: bool = False) -> Iterator[Finding]:
        """Whether there is such a combatant, and another than the one who acts where it must be."""
        found = find(self.state, self.caller, name)
        if found is None:
            yield Finding("unknown_combatant", at)
        elif others and found.id == self.myself:
            yield Finding("named_twice", at)

    def all(self, names: Mapping[str, Any] | Iterable[str], at: str, *, others: bool = False) -> Iterator[Finding]:
        """The same of each of them; one combatant by two names is named twice."""
        seen: set[str] = set()
        for place, name in enumerate(names):
            where = child(at, name) if isinstance(names, Mapping) else f"{at}/{place}"
            yield from self.one(name, where, others=others)
            yield from self._once(name, where, seen)

    def areas(self, names: Mapping[str, Any] | Iterable[str], known: Collection[str], at: str) -> Iterator[Finding]:
        """Areas go by their own ids, or by whoever watches them."""
        seen: set[str] = set()
        for place, name in enumerate(names):
            where = child(at, name) if isinstance(names, Mapping) else f"{at}/{place}"
            if name not in known:
                yield from self.one(name, where)
            yield from self._once(name, where, seen)

    def is_among(self, name: str, others: Iterable[str]) -> bool:
        """Whether somebody is one of these, by whatever name."""
        meant = find(self.state, self.caller, name)
        return meant is not None and any(find(self.state, self.caller, other) is meant for other in others)

    def _once(self, name: str, at: str, seen: set[str]) -> Iterator[Finding]:
        found = find(self.state, self.caller, name)
        key = name if found is None else found.id
        if key in seen:
            yield Finding("given_twice", at)
        seen.add(key)


def submission_fits(
    rules: Ruleset, state: State, caller: Caller, actor: Combatant, body: SubmissionIn
) -> Iterator[Finding]:
    """What a submission states or draws that cannot be, whatever the rules make of the rest of it."""
    has_map = state.scenery.ground is not None
    action = rules.actions.get(ActionId(body.action))
    if not has_map and action is not None and "path" in action.needs and not action.targets.or_place:
        for name in ("path", "destination"):
            if getattr(body, name):
                yield Finding("no_map", f"/{name}")
    if body.area is not None:
        yield from _area_fits(body.area, "/area")
    if body.said is None:
        return
    if has_map:
        given = [name for name in MEASURED if getattr(body.said, name) is not None]
        yield from (Finding("map_measures", f"/said/{name}") for name in given)
    naming = Naming(state, caller, actor.id)
    yield from _said_fits(rules.vocabulary, naming, body.said, _areas_known(state, caller, body))
    if not has_map:
        yield from _way_fits(naming, body)


def _area_fits(given: SectorIn | PolygonIn, at: str) -> Iterator[Finding]:
    if isinstance(given, SectorIn):
        yield from _length_fits(given.reach, f"{at}/reach")
    elif not 3 <= len(given.points) <= MOST_POINTS or why_not_simple(given.points):
        yield Finding("bad_shape", f"{at}/points")


def _areas_known(state: State, caller: Caller, body: SubmissionIn) -> frozenset[str]:
    """Ids of the areas there are, as far as the caller can know of them."""
    seen = [one for one in state.combatants.values() if caller.is_gm or not one.hidden]
    effects = (effect for one in seen for effect in one.effects.values() if caller.is_gm or not effect.hidden)
    found = {effect.area.id for effect in effects if effect.area is not None}
    own = "" if body.area is None else body.area.id
    return frozenset(found | {own}) - {""}


def _said_fits(words: Vocabulary, naming: Naming, said: SaidIn, areas: Collection[str]) -> Iterator[Finding]:
    for name in ("distance", "sees", "cover", "bands", "distance_after", "met", "leaves", "engage"):
        yield from naming.all(getattr(said, name) or (), f"/said/{name}", others=True)
    for name in ("near", "inside"):
        yield from naming.all(getattr(said, name) or (), f"/said/{name}")
    for name in ("crosses", "crosses_at"):
        yield from naming.areas(getattr(said, name) or (), areas, f"/said/{name}")
    for who, cover in (said.cover or {}).items():
        yield from cover_fits(words, cover, child("/said/cover", who))
    for who, band in (said.bands or {}).items():
        yield from word_fits(band, words.bands, child("/said/bands", who))
        if naming.is_among(who, said.distance or ()):  # which says in what band he is
            yield Finding("contradiction", child("/said/bands", who))
    for name in ("distance", "distance_after"):
        for who, length in (getattr(said, name) or {}).items():
            yield from _length_fits(length, child(f"/said/{name}", who))
    for name in ("length", "units_free"):
        if getattr(said, name) is not None:
            yield from _length_fits(getattr(said, name), f"/said/{name}")


def _way_fits(naming: Naming, body: SubmissionIn) -> Iterator[Finding]:
    """What lies on a way lies no farther than it goes, as far as that is known."""
    said = body.said or SaidIn()
    length = _length_of_way(naming, body)
    length = None if length is None or length < 0 else length
    for name, far in (said.crosses_at or {}).items():
        at = child("/said/crosses_at", name)
        if name not in (said.crosses or ()):
            yield Finding("unknown_word", at, ", ".join(said.crosses or ()))
        yield from _length_fits(far, at, length)
    if said.straight_end is not None:
        yield from _length_fits(said.straight_end, "/said/straight_end", length)
        straight = None if length is None else said.straight_end >= length
        if straight is not None and said.path_straight is not None and straight != said.path_straight:
            yield Finding("contradiction", "/said/straight_end")


def _length_of_way(naming: Naming, body: SubmissionIn) -> float | None:
    """How far he goes: as stated, else as far as to his target."""
    said = body.said or SaidIn()
    if said.length is not None or len(body.targets) != 1 or naming.myself is None:
        return said.length
    target = find(naming.state, naming.caller, body.targets[0])
    if target is None:
        return None
    for name, far in (said.distance or {}).items():
        if find(naming.state, naming.caller, name) is target:
            return far
    facts, nothing = naming.state.scenery.facts, PairFact()
    for one, other in ((naming.myself, target.id), (target.id, naming.myself)):
        far_apart = facts.get(pair_key(one, other), nothing).distance
        if far_apart is not None:
            return far_apart / 100
    return None


# Forms


def names_fit(naming: Naming, form: Form, given: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """Whether combatants and items exist that a form asks for without naming those that may be given.

    An item is that of the one who is asked, or of somebody else whom the form names.
    """
    fields = {field.name: field for field in form if not field.choices}
    people = [naming.myself]
    for name, value in given.items():
        kind = fields[name].type if name in fields else ""
        if kind == "combatant" and isinstance(value, str):
            yield from naming.one(value, child(at, name))
            found = find(naming.state, naming.caller, value)
            people.append(None if found is None else found.id)
        elif kind == "combatants" and isinstance(value, list):
            words = [one for one in value if isinstance(one, str)]
            yield from naming.all(words, child(at, name))
    owners = [naming.state.combatants[who] for who in people if who in naming.state.combatants]
    for name, value in given.items():
        kind = fields[name].type if name in fields else ""
        if kind == "item" and isinstance(value, str) and not any(value in one.items for one in owners):
            yield Finding("unknown_item", child(at, name))
