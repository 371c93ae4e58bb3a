"""Who can get at whom: melee, distance bands, cover, light and ground.

Clauses WH-090, WH-420, WH-460 to WH-510, WH-900.
"""

from collections.abc import Iterator

from app.engine.events import EngagementBegan, EngagementEnded
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.scene import Scene
from app.engine.space.model import CoverPiece, Fact, Place, Point, Unknown
from app.engine.table import Table
from app.engine.vocabulary import Vocabulary
from rulesets.wh40k_d100.figures import armour_location, stat, tables_of, whole_option
from rulesets.wh40k_d100.tables import Tables
from rulesets.wh40k_d100.weapons import Weapon, melee_weapons, range_of

POINT_BLANK, BEYOND = "point_blank", ""
BANDS = (POINT_BLANK, "short", "combat", "long", "extreme")
CENTRE = "centre"
"""Name of where a blast went off among those who stand on the map."""
LIGHT = {"dark": "light.dark", "weak_light": "light.weak"}
STATED_LIGHT = {"darkness": "light.dark", "weak_light": "light.weak"}
SMOKE = ("smoke", "fog")
TERRAIN = {"difficult": "terrain.difficult", "very_difficult": "terrain.very_difficult"}


def vocabulary(tables: Tables) -> Vocabulary:
    """The words in which space may be stated: bands, and regions that count. Clauses: WH-095, WH-410, WH-510."""
    bands = tuple(row.band for row in tables.range_bands)
    return Vocabulary(bands=bands, air=(*LIGHT, *SMOKE), ground=tuple(TERRAIN))


def are_foes(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are on different sides."""
    return table.who(one).side != table.who(other).side


# Melee


def melee_distance(table: Table, reach: int) -> Length:
    """How near a weapon of that reach brings two into melee. Clause: WH-090."""
    rows = tables_of(table).engagement
    return next((row.metres for row in rows if reach <= row.reach), rows[-1].metres)


def longest_reach(table: Table, who: CombatantId) -> int:
    """The greatest reach among his ready melee weapons; bare hands have none. Clause: WH-480."""
    return max((weapon.reach for _, weapon in melee_weapons(table, who)), default=0)


def is_within_melee(table: Table, attacker: CombatantId, target: CombatantId, weapon: Weapon) -> bool:
    """Whether the weapon gets at him. Without a map an attack states it where no distance is known.

    Clauses: WH-090, WH-210.
    """
    found = table.space.adjacent(attacker, target, melee_distance(table, weapon.reach))
    return isinstance(found, Unknown) or found


def opponents(table: Table, who: CombatantId) -> tuple[CombatantId, ...]:
    """Those he is locked in melee with: by distance and weapons on a map, as stated without one. Clause: WH-090."""
    body = table.who(who)
    if body.status != "up":
        return ()
    if not table.has_map:
        return tuple(other for other in body.engaged if table.who(other).status == "up")
    near = table.space.near(who, tables_of(table).engagement[-1].metres)
    if isinstance(near, Unknown):
        return ()
    return tuple(CombatantId(other) for other in near if _are_locked(table, who, CombatantId(other)))


def _are_locked(table: Table, one: CombatantId, other: CombatantId) -> bool:
    if table.who(other).status != "up" or not are_foes(table, one, other):
        return False
    within = max(melee_distance(table, longest_reach(table, who)) for who in (one, other))
    if table.space.adjacent(one, other, within) is not True:
        return False
    armed = any(True for who in (one, other) for _ in melee_weapons(table, who))
    return armed or other in table.who(one).engaged or have_fought(table, one, other)


def have_fought(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether one of them has attacked the other hand to hand in this encounter. Clause: WH-090."""
    return any(
        effect.against == to for who, to in ((one, other), (other, one)) for effect in table.effects(who, "fought")
    )


def is_engaged(table: Table, who: CombatantId) -> bool:
    """Whether he is locked in melee with anybody."""
    return bool(opponents(table, who))


def keep_up_engagements(scene: Scene, *people: CombatantId) -> None:
    """On a map: what is told of who is locked with whom follows what is so. Clause: WH-090."""
    if not scene.has_map:
        return
    for who in people:
        now, held = opponents(scene, who), scene.who(who).engaged
        for other in held:
            if other not in now:
                scene.emit(EngagementEnded(who, other, ClauseId("WH-090")))
        for other in now:
            if other not in held:
                scene.emit(EngagementBegan(who, other, ClauseId("WH-090")))


def fight(scene: Scene, attacker: CombatantId, target: CombatantId) -> None:
    """A melee attack: they have fought, and without a map are locked from now. Clause: WH-090."""
    if not have_fought(scene, attacker, target):
        scene.begin(attacker, "fought", against=target)
    up = scene.who(attacker).status == scene.who(target).status == "up"
    if not scene.has_map and up and are_foes(scene, attacker, target) and not scene.engaged(attacker, target):
        scene.emit(EngagementBegan(attacker, target, ClauseId("WH-090")))


def part_from_all(scene: Scene, who: CombatantId, clause: str = "WH-090") -> None:
    """He is locked with nobody any more."""
    for other in scene.who(who).engaged:
        scene.emit(EngagementEnded(who, other, ClauseId(clause)))


def outnumbering(table: Table, attacker: CombatantId, target: CombatantId) -> int:
    """How many times the attacker's side outnumbers the target's around him, as far as a row looks at it.

    Clause: WH-470.
    """
    foes = {who for who in opponents(table, target) if are_foes(table, who, target)} | {attacker}
    side = table.who(target).side
    friends = {who for foe in foes for who in opponents(table, foe) if table.who(who).side == side} | {target}
    steps = sorted(tables_of(table).core.outnumbering, reverse=True)
    return next((times for times in steps if len(foes) >= times * len(friends)), 0)


def is_higher(table: Table, attacker: CombatantId, target: CombatantId) -> bool:
    """Whether he stands so much higher that it counts. Clause: WH-480."""
    above = stat(table.who(attacker), "elevation") - stat(table.who(target), "elevation")
    return above >= whole_option(table, "height_advantage_m")


def is_into_melee(table: Table, shooter: CombatantId, target: CombatantId) -> bool:
    """Whether the target is locked in melee with somebody else than the shooter. Clause: WH-500."""
    return any(other != shooter for other in opponents(table, target))


# Distance


def band_of(table: Table, shooter: CombatantId, target: CombatantId, weapon: Weapon) -> Fact[str]:
    """The distance band; empty beyond the last. Without a map it may be stated, and a pair in melee is at hand.

    Clauses: WH-095, WH-510.
    """
    distance = table.space.distance(shooter, target)
    if not isinstance(distance, Unknown):
        return band_at(table, distance, range_of(table, shooter, weapon))
    stated = table.space.band(shooter, target, ())
    if isinstance(stated, Unknown) and target in opponents(table, shooter):
        return POINT_BLANK
    return stated


def band_at(table: Table, distance: Length, reach: Length) -> str:
    """The band of a distance for a weapon of that range. Clause: WH-510."""
    for row in tables_of(table).range_bands:
        limit, held = (row.metres, distance) if row.metres is not None else (reach * (row.percent or 0), distance * 100)
        if held < limit or (row.edge and held == limit):
            return row.band
    return BEYOND


def stated_band(table: Table, shooter: CombatantId, target: CombatantId) -> str | None:
    """The band that the submission itself states, if it does. Clause: WH-400."""
    said = table.said
    return said.bands.get(target) if said.bands is not None and said.by == shooter else None


# Light, air and ground


def surroundings(table: Table, attacker: CombatantId, target: CombatantId | None, *, melee: bool) -> Iterator[str]:
    """Light at the target, smoke about either or in between, the ground under the attacker.

    Clauses: WH-095, WH-420, WH-460.
    """
    if not table.has_map:
        yield from _stated_surroundings(table, attacker, target)
        return
    lit = () if target is None else table.space.at(target)
    ground = table.space.at(attacker)
    air = ground if target is None else table.space.between(attacker, target)
    yield from (LIGHT[kind] for kind in sorted(_known(lit)) if kind in LIGHT)
    if any(kind in SMOKE for kind in _known(air)):
        yield "smoke"
    yield from (TERRAIN[kind] for kind in sorted(_known(ground)) if kind in TERRAIN)


def _known(kinds: object) -> frozenset[str]:
    return kinds if isinstance(kinds, frozenset) else frozenset()


def _stated_surroundings(table: Table, attacker: CombatantId, target: CombatantId | None) -> Iterator[str]:
    if target is not None:
        kinds = _known(table.space.between(attacker, target))
        yield from (LIGHT[kind] for kind in sorted(kinds) if kind in LIGHT)
        if any(kind in SMOKE for kind in kinds):
            yield "smoke"
    light, terrain = str(table.option("stated_light")), str(table.option("stated_terrain"))
    if light in STATED_LIGHT:
        yield STATED_LIGHT[light]
    if table.flag("stated_smoke"):
        yield "smoke"
    if terrain in TERRAIN:
        yield TERRAIN[terrain]


# Cover


def cover_at(table: Table, attacker: CombatantId, target: CombatantId, location: str, centre: Point | None) -> int:
    """Armour points that cover gives the location; of several pieces the best. A blast comes from its centre.

    Clauses: WH-900, WH-980.
    """
    pieces: list[CoverPiece] = []
    stated = table.who(target).cover
    if stated is not None and table.has_map:
        pieces.extend(stated.pieces)
    space, eye = table.space, str(attacker)
    if table.has_map and centre is not None:
        eye = CENTRE
        space = space.after({eye: Place(*centre)})
    found = space.cover(eye, target)
    if not isinstance(found, Unknown):
        pieces.extend(found.pieces)
    where = armour_location(location)
    return max((piece.ap for piece in pieces if not piece.locations or where in piece.locations), default=0)
