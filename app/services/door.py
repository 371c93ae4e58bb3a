"""From what a client writes to what the engine takes: decimals to hundredths, names to ids. Judges nothing else."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from app.catalog import Rulebook, Unfit
from app.engine.commands import GivenModifier, Submission
from app.engine.forms import Form
from app.engine.ids import ActionId, CombatantId, ItemId, Length
from app.engine.rules import Ruleset
from app.engine.space.model import (
    Area,
    Cover,
    CoverPiece,
    CoverValue,
    Grid,
    Ground,
    PairFact,
    Place,
    Point,
    Polygon,
    Region,
    Said,
    Sector,
    Wall,
)
from app.engine.state import Item, State
from app.services.bodies import (
    FACTS,
    CoverIn,
    FactIn,
    ItemIn,
    MapIn,
    PlaceIn,
    PolygonIn,
    SaidIn,
    SectorIn,
    Spot,
    SubmissionIn,
    WallIn,
)
from app.services.caller import Caller
from app.services.errors import BadInput, Finding
from app.services.lookup import find, id_of

V = TypeVar("V")
_ONE = Decimal(1)


def hundredths(value: float) -> Length:
    """A decimal of the unit as whole hundredths, half up: 1.005 is 101, as it was written, not as a float holds it."""
    if isinstance(value, int) or value.is_integer():
        return int(value) * 100
    return int(Decimal(repr(value)).scaleb(2).quantize(_ONE, ROUND_HALF_UP))


def maybe_hundredths(value: float | None) -> Length | None:
    """The same where nothing may be said."""
    return None if value is None else hundredths(value)


def point(spot: Spot) -> Point:
    """A point of the map."""
    return (hundredths(spot[0]), hundredths(spot[1]))


def place(given: PlaceIn | Spot) -> Place:
    """A place on the map; written as a point it keeps no facing."""
    if isinstance(given, PlaceIn):
        return Place(hundredths(given.x), hundredths(given.y), given.facing)
    return Place(*point(given))


def cover(given: CoverIn) -> Cover:
    """What somebody stands behind."""
    pieces = (CoverPiece(piece.id, piece.ap, piece.locations, piece.rating) for piece in given.pieces)
    return Cover(given.hidden, tuple(sorted(pieces, key=lambda piece: piece.id)))


def area(given: SectorIn | PolygonIn) -> Area:
    """An area of the map."""
    if isinstance(given, PolygonIn):
        return Polygon(tuple(map(point, given.points)), given.id)
    return Sector(point(given.centre), hundredths(given.reach), given.facing, given.arc, given.needs_sight, given.id)


def ground(given: MapIn) -> Ground:
    """A map. A wall written as its corners becomes one wall a side; a region without an id gets one by its place."""
    grid = Grid(
        given.grid,
        100 if given.cell is None else hundredths(given.cell),
        (0, 0) if given.origin is None else point(given.origin),
    )
    walls: list[Wall] = []
    for one in given.walls:
        if isinstance(one, WallIn):
            walls.append(_wall(one))
        else:
            corners = [point(spot) for spot in one]
            walls += [Wall(a, b) for a, b in pairwise(corners)]
    regions = (
        Region(one.id or f"region_{place + 1}", one.kind, tuple(map(point, one.shape)))
        for place, one in enumerate(given.regions)
    )
    return Ground(grid, None if given.size is None else point(given.size), tuple(walls), tuple(regions))


def _wall(given: WallIn) -> Wall:
    gives = given.cover
    return Wall(
        point(given.a),
        point(given.b),
        given.id or "",
        given.move,
        given.sight,
        None if gives is None else CoverValue(gives.ap, gives.locations, gives.rating, maybe_hundredths(gives.near)),
        maybe_hundredths(given.drop),
        given.open,
    )


def fact(given: FactIn, held: PairFact | None = None) -> PairFact:
    """How one combatant stands to another: what was known, with what is said now.

    Distance and band say the same: where the one is given, the other holds no longer.
    """
    said = {name: given.says(name) for name in FACTS if given.names(name)}
    if "distance" in said:
        said["distance"] = maybe_hundredths(said["distance"])
    if said.get("cover") is not None:
        said["cover"] = Cover() if said["cover"] == "none" else cover(said["cover"])
    for one, other in (("distance", "band"), ("band", "distance")):
        if said.get(one) is not None:
            said.setdefault(other, None)
    return replace(held or PairFact(), **said)


def seen_back(given: FactIn, held: PairFact) -> PairFact:
    """What is known from the second to the first once that is said: a distance is the same both ways."""
    now, gone = fact(given), set[str]()
    if (given.names("distance") or now.band is not None) and held.distance != now.distance:
        gone.add("distance")
    if now.distance is not None:
        gone.add("band")
    return replace(held, **dict.fromkeys(gone))


def submission(rules: Ruleset, state: State, caller: Caller, actor: CombatantId, body: SubmissionIn) -> Submission:
    """The submission as the engine takes it. Who is not here, or may not be known of, gets an id that nobody has."""
    action = rules.actions.get(ActionId(body.action))
    options = body.options
    if options and action is not None:
        options = fields(action.form, options, state, caller)
    path = body.path if body.destination is None else (*body.path, body.destination)
    return Submission(
        actor=actor,
        action=ActionId(body.action),
        type=body.type,
        targets=tuple([id_of(state, caller, name) for name in body.targets]),
        weapon=None if body.weapon is None else ItemId(body.weapon),
        second_weapon=None if body.second_weapon is None else ItemId(body.second_weapon),
        path=tuple([point(spot) for spot in path]),
        facing=body.facing,
        area=None if body.area is None else area(body.area),
        location=body.location,
        options=options,
        modifiers=tuple([GivenModifier(one.id, one.value, one.reason) for one in body.modifiers]),
        said=_NOTHING if body.said is None else said(state, caller, body.said),
        rolls=body.rolls,
        note=body.note,
        secret=body.secret,
    )


_NOTHING = Said()


def said(state: State, caller: Caller, body: SaidIn) -> Said:
    """What a submission states instead of measuring it."""

    def who(names: Iterable[str] | None) -> tuple[str, ...] | None:
        return None if names is None else tuple(id_of(state, caller, name) for name in names)

    def by_who(given: Mapping[str, V] | None) -> dict[str, V] | None:
        return None if given is None else {id_of(state, caller, name): value for name, value in given.items()}

    def lengths(given: Mapping[str, float] | None) -> dict[str, Length] | None:
        named = by_who(given)
        return None if named is None else {name: hundredths(value) for name, value in named.items()}

    def zone(name: str) -> str:
        """A zone: whoever it belongs to, and which of several it is (`gorm/2`)."""
        whose, slash, number = name.rpartition("/")
        if not slash or not number.isdigit() or find(state, caller, name) is not None:
            return id_of(state, caller, name)
        return f"{id_of(state, caller, whose)}/{number}"

    crossed = None if body.crosses_at is None else {zone(name): at for name, at in body.crosses_at.items()}
    covers = by_who(body.cover)
    return Said(
        distance=lengths(body.distance),
        sees=by_who(body.sees),
        cover=None if covers is None else {name: cover(value) for name, value in covers.items()},
        bands=by_who(body.bands),
        length=maybe_hundredths(body.length),
        path_straight=body.path_straight,
        straight_end=maybe_hundredths(body.straight_end),
        crosses=None if body.crosses is None else tuple(map(zone, body.crosses)),
        crosses_at=None if crossed is None else {name: hundredths(at) for name, at in crossed.items()},
        met=who(body.met),
        leaves=who(body.leaves),
        engage=who(body.engage),
        distance_after=lengths(body.distance_after),
        near=who(body.near),
        inside=who(body.inside),
        units_free=maybe_hundredths(body.units_free),
        destination_free=body.destination_free,
        beside_free=body.beside_free,
    )


def item(book: Rulebook, given: ItemIn, at: str) -> Item:
    """Something carried. Raises `BadInput` with everything that does not fit the ruleset."""
    with fitting():
        found = book.read_item(item_document(given), at)
    return found


def item_document(given: ItemIn) -> dict[str, Any]:
    """An item as the catalog reads it."""
    document: dict[str, Any] = msgspec.to_builtins(given)
    return document


@contextmanager
def fitting() -> Iterator[None]:
    """What does not fit the ruleset becomes `BadInput`."""
    try:
        yield
    except Unfit as unfit:
        raise BadInput(findings_of(unfit)) from None


def findings_of(unfit: Unfit) -> list[Finding]:
    """What does not fit the ruleset, as findings of ours."""
    return [Finding(one.code, one.place, dict(one.figures).get("need", "")) for one in unfit.findings]


def fields(form: Form, given: Mapping[str, Any], state: State, caller: Caller) -> dict[str, Any]:
    """The fields of a form: lengths in hundredths, combatants by id. What has the wrong shape is left to the form."""
    kinds = {field.name: field.type for field in form}
    filled: dict[str, Any] = {}
    for name, value in given.items():
        match kinds.get(name):
            case "length" if isinstance(value, int | float) and not isinstance(value, bool):
                filled[name] = hundredths(value)
            case "path" if isinstance(value, list):
                filled[name] = [_spot(one) for one in value]
            case "combatant" if isinstance(value, str):
                filled[name] = id_of(state, caller, value)
            case "combatants" if isinstance(value, list):
                filled[name] = [id_of(state, caller, one) if isinstance(one, str) else one for one in value]
            case "allocation" if isinstance(value, dict):
                filled[name] = {_key(state, caller, key): share for key, share in value.items()}
            case _:
                filled[name] = value
    return filled


def _spot(given: Any) -> Any:
    """A point of a path in hundredths; what is none is left to the form."""
    if not isinstance(given, list) or any(isinstance(one, bool) or not isinstance(one, int | float) for one in given):
        return given
    return [hundredths(one) for one in given]


def _key(state: State, caller: Caller, name: str) -> str:
    """A key of an allocation: a combatant where it is one, else a word of the ruleset's own."""
    found = id_of(state, caller, name)
    return name if found not in state.combatants else found
