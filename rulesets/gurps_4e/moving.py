"""The movement of a maneuver: a step, half or the whole Move, before or after the rest of it. Clauses GU-400 to
GU-490, GU-530, GU-780, GU-900, GU-1030, GU-1140, GU-1440, GU-1730.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Literal

import msgspec

from app.engine.blocks.walk import Walk, go
from app.engine.commands import Submission
from app.engine.events import ItemMoved, Moved, Turned
from app.engine.fold import fold
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.space.model import Point, Run, Unknown, said_after
from app.engine.space.predicates import in_arc
from app.engine.table import Table
from rulesets.gurps_4e.conditions import forget_item, is_out, is_stunned, loses_the_slot, take_posture
from rulesets.gurps_4e.figures import (
    KNEELING,
    STANDING,
    YARD,
    current_move,
    half_move,
    posture_of,
    sprint_move,
    step_of,
)
from rulesets.gurps_4e.moving_events import after_moving
from rulesets.gurps_4e.weapons import is_ready

Extent = Literal["none", "step", "half", "full"]
BEFORE, AFTER = "before", "after"
AHEAD = 120
"""Full width of the arc that counts as forward: 60 degrees either way. Clause: GU-450."""
SLACK = 1
"""Hundredths of a yard by which a corner may be off because places are rounded."""
_NEIGHBOURS = tuple((dx, dy) for dx in (0, -SLACK, SLACK) for dy in (0, -SLACK, SLACK))


class MovementParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a maneuver lets one go and by which clause; `forward` and `split` as All-Out Attack and Move and
    Attack have it.

    `split` is the reason where the rest of the maneuver comes in the midst of the way.
    """

    extent: Extent = "none"
    clause: str = "GU-460"
    split: str = "step_split"
    split_clause: str = "GU-430"
    forward: bool = False
    last: bool = False
    """Whether the rest comes at the end of the way only."""


@dataclass(frozen=True, slots=True)
class Going:
    """The movement a submission asks for. `at` is how far along it the rest of the maneuver comes, `facing` where he
    looks afterwards, `rise` whether he rises instead, `ends` what is known without a map of where the way ends.
    """

    who: CombatantId
    action: ActionId
    params: MovementParams
    run: Run | None = None
    at: Length = 0
    facing: int | None = None
    rise: str = ""
    sprint: bool = False
    toward: CombatantId | None = None
    away: CombatantId | None = None
    start: Mapping[CombatantId, Length] = field(default_factory=dict)
    ends: Mapping[CombatantId, Length] = field(default_factory=dict)
    drop: ItemId | None = None
    drop_at: Length = 0

    @property
    def length(self) -> Length:
        """Length of the way in hundredths of a yard."""
        return 0 if self.run is None else self.run.length

    @property
    def moves(self) -> bool:
        """Whether he goes anywhere, turns or rises."""
        return self.length > 0 or self.facing is not None or bool(self.rise)

    @property
    def comes_first(self) -> bool:
        """Whether the movement comes before the rest of the maneuver."""
        return self.at >= self.length


def going_of(table: Table, sub: Submission, action: Action | ActionId, params: MovementParams) -> Going:
    """The movement of a submission, without judging it. Clauses: GU-430, GU-450, GU-490."""
    options, who = sub.options, sub.actor
    found = table.space.run(who, sub.path) if (sub.path or not table.has_map) else None
    run = None if found is None or isinstance(found, Unknown) else found
    length = 0 if run is None else run.length
    at = options.get("act_at")
    toward, away = _named(options.get("toward")), _named(options.get("away_from"))
    start, ends = _distances(table, sub, toward, away, length)
    return Going(
        who,
        action if isinstance(action, str) else action.id,
        params,
        run,
        length if at is None else int(at),
        sub.facing,
        str(options.get("rise") or ""),
        options.get("sprint") is True,
        toward,
        away,
        start,
        ends,
        None if options.get("drop") is None else ItemId(str(options["drop"])),
        int(options.get("drop_at") or 0),
    )


def _named(value: object) -> CombatantId | None:
    return CombatantId(value) if isinstance(value, str) else None


def _distances(
    table: Table, sub: Submission, toward: CombatantId | None, away: CombatantId | None, length: Length
) -> tuple[dict[CombatantId, Length], dict[CombatantId, Length]]:
    """Without a map: how far those are whom he goes to or from, and how far whoever is named is at the end.

    Clause: GU-490.
    """
    if table.has_map or not length:
        return {}, {}
    start: dict[CombatantId, Length] = {}
    ends: dict[CombatantId, Length] = {}
    for other, sign in ((toward, -1), (away, 1)):
        if other is None or not table.known(other):
            continue
        far = table.space.distance(sub.actor, other)
        if not isinstance(far, Unknown):
            start[other] = far
            ends[other] = max(0, far + sign * length)
    ends.update({CombatantId(other): far for other, far in (sub.said.distance_after or {}).items()})
    return start, ends


# Whether he may


def allowance(table: Table, who: CombatantId, extent: Extent, *, sprint: bool = False) -> int:
    """Yards that a maneuver lets him go as he is now. Clauses: GU-410 to GU-440, GU-1030."""
    match extent:
        case "full":
            return sprint_move(table, who) if sprint else current_move(table, who)
        case "half":
            return half_move(table, who)
        case "step":
            return step_of(table, who)
        case _:
            return 0


def why_not_go(table: Table, going: Going) -> Iterator[Reason]:
    """Every reason against the movement. Clauses: GU-410 to GU-480, GU-780, GU-900, GU-1030, GU-1730, GU-2230."""
    reason, params = table.rules.reason, going.params
    at = "/path" if table.has_map else "/said/length"
    if params.extent == "none":
        if going.moves:
            yield reason("movement_not_allowed", params.clause, at=at)
        return
    yield from _why_too_far(table, going, at)
    yield from _why_split(table, going)
    yield from _why_not_rise(table, going)
    if going.length and table.has(going.who, "grappled"):
        yield reason("movement_not_allowed", "GU-2230", at=at)
    if going.run is not None and going.run.blocked_at is not None:
        yield reason("path_blocked", "GU-470", at=at, got_length=going.run.blocked_at)
    if params.forward:
        yield from _why_not_forward(table, going, at)
    yield from _why_not_face(table, going)
    for where, other in (("toward", going.toward), ("away_from", going.away)):
        if other is not None and not table.known(other):
            yield reason("unknown_combatant", at=f"/options/{where}", names=(other,))
        elif other is not None and table.has_map:
            yield reason("unused_input", at=f"/options/{where}", names=(where,))
    yield from _why_not_drop(table, going)


def _why_too_far(table: Table, going: Going, at: str) -> Iterator[Reason]:
    most = allowance(table, going.who, going.params.extent, sprint=going.sprint) * YARD
    if going.length > most:
        code = "step_too_far" if going.params.extent == "step" else "move_too_far"
        yield table.rules.reason(code, going.params.clause, at=at, need_length=most, got_length=going.length)


def _why_split(table: Table, going: Going) -> Iterator[Reason]:
    """The rest of the maneuver in the midst of the way, or before it where it has to come after.

    Clauses: GU-430, GU-900.
    """
    params, anywhere = going.params, table.flag("attack_during_move")
    inside = 0 < going.at < going.length
    early = params.last and going.at < going.length and not anywhere
    if going.at > going.length or (inside and not (params.last and anywhere)) or early:
        yield table.rules.reason(params.split, params.split_clause, at="/options/act_at", got_length=going.at)


def _why_not_rise(table: Table, going: Going) -> Iterator[Reason]:
    """From kneeling to standing in place of a step, and by option the other way. Clause: GU-1730."""
    if not going.rise:
        return
    reason, posture = table.rules.reason, posture_of(table, going.who)
    fits = posture == KNEELING or (posture == STANDING and table.flag("kneel_as_step"))
    if going.params.extent != "step" or not fits or not step_of(table, going.who):
        yield reason("posture_change_needs_step", "GU-1730", at="/options/rise")
    elif going.length or going.facing is not None:
        yield reason("step_already_used", "GU-1730", at="/options/rise")


def _why_not_forward(table: Table, going: Going, at: str) -> Iterator[Reason]:
    """Each piece lies within 60 degrees of where he looks as it begins. Clause: GU-450."""
    run = going.run
    if run is None or not run.length:
        return
    reason = table.rules.reason
    if not table.has_map:
        if going.away is not None or (going.toward is None and going.params.forward and _recedes(table, going)):
            yield reason("not_forward", "GU-450", at="/options/away_from" if going.away else at)
        return
    place = table.who(going.who).place
    facings = {None if place is None else place.facing}
    hexes = _is_hex(table)
    for one, other in pairwise(run.points):
        dx, dy = _plane(other[0] - one[0], other[1] - one[1], hexes)
        if not any(facing is None or _ahead(dx, dy, facing, hexes) for facing in facings):
            yield reason("not_forward", "GU-450", at=at)
            return
        heading = table.space.bearing(one, other)
        facings.add(None if isinstance(heading, Unknown) else heading)


def _recedes(table: Table, going: Going) -> bool:
    """Whether every distance that was named grows: nobody goes forward who only goes away."""
    grows = []
    for other, far in going.ends.items():
        was = table.space.distance(going.who, other)
        grows.append(not isinstance(was, Unknown) and far > was)
    return bool(grows) and all(grows)


def _is_hex(table: Table) -> bool:
    ground = table.state.scenery.ground
    return ground is not None and ground.grid.kind == "hex"


def _plane(dx: int, dy: int, hexes: bool) -> Point:
    return (6 * dx + 3 * dy, 3 * dy) if hexes else (dx, dy)


def _ahead(dx: int, dy: int, facing: int, hexes: bool) -> bool:
    return any(in_arc(dx + x, dy + y, facing, AHEAD, hexes) for x, y in _NEIGHBOURS)


def _why_not_face(table: Table, going: Going) -> Iterator[Reason]:
    """After more than half the allowance of a longer way he looks within 60 degrees of where he went.

    Clause: GU-480.
    """
    if going.facing is None or going.params.extent in ("none", "step"):
        return
    most = allowance(table, going.who, going.params.extent, sprint=going.sprint) * YARD
    if going.length * 2 <= most or going.run is None or going.run.heading is None:
        return
    turned = abs((going.facing - going.run.heading + 180) % 360 - 180)
    if turned > AHEAD // 2:
        yield table.rules.reason("facing_too_far", "GU-480", at="/facing", need=AHEAD // 2, got=turned)


def _why_not_drop(table: Table, going: Going) -> Iterator[Reason]:
    """Dropping something on the way. Clause: GU-530."""
    reason = table.rules.reason
    if going.drop is None:
        if going.drop_at:
            yield reason("missing_input", "GU-530", at="/options/drop")
        return
    if going.drop not in table.who(going.who).items:
        yield reason("item_not_carried", at="/options/drop", names=(going.drop,))
    elif not is_ready(table, going.who, going.drop):
        yield reason("item_not_ready", "GU-530", at="/options/drop", names=(going.drop,))
    if going.drop_at > going.length or going.drop_at < 0:
        yield reason("not_on_path", "GU-530", at="/options/drop_at", need_length=going.length, got_length=going.drop_at)


# How all stand when the rest of the maneuver comes


def when_acting(table: Table, going: Going) -> Table:
    """The table as it will be at that moment if nothing comes between: moved, turned and risen, or not yet."""
    state, said = table.state, table.said
    if going.length and going.at:
        place = None if going.run is None else table.space.place(going.run, going.at)
        state = fold(state, Moved(going.who, going.at, place=place, distances=dict(_known_at(going, going.at))))
        said = said if table.has_map else said_after(said, going.who)
    if going.comes_first and going.facing is not None:
        state = fold(state, Turned(going.who, going.facing))
    after = Table(table.rules, state, said, table.viewer)
    if going.rise == BEFORE:
        return _risen(after, going.who)
    return after


def _risen(table: Table, who: CombatantId) -> Table:
    body = table.who(who)
    postures = (STANDING, KNEELING)
    effects = {key: effect for key, effect in body.effects.items() if effect.kind not in postures}
    combatants = {**table.state.combatants, who: msgspec.structs.replace(body, effects=effects)}
    return Table(table.rules, msgspec.structs.replace(table.state, combatants=combatants), table.said, table.viewer)


def _known_at(going: Going, at: Length) -> Mapping[CombatantId, Length]:
    """Without a map: what is known of distances at a point of the way. Clause: GU-490."""
    if at >= going.length:
        return going.ends
    known: dict[CombatantId, Length] = {}
    if going.toward in going.start:
        known[going.toward] = max(0, going.start[going.toward] - at)  # type: ignore[index]
    if going.away in going.start:
        known[going.away] = going.start[going.away] + at  # type: ignore[index]
    return known


# Going


def go_before(scene: Scene, going: Going) -> bool:
    """The part of the movement before the rest. Tells whether he can go on with the maneuver.

    Clauses: GU-100, GU-110, GU-430.
    """
    if going.rise == BEFORE:
        rise(scene, going.who)
    if going.length and going.at:
        _walk(scene, going, going.at)
    if going.comes_first:
        _face(scene, going)
    if going.drop is not None and (going.drop_at <= going.at or not going.length):
        _drop_on_the_way(scene, going)
    return not loses_the_slot(scene, going.who)


def go_after(scene: Scene, going: Going) -> None:
    """What is left of the movement once the rest is done."""
    who = going.who
    if loses_the_slot(scene, who):
        return
    if going.length and going.at < going.length:
        if going.at == 0:
            _walk(scene, going, going.length)
        else:
            _walk(scene, _rest(scene, going), going.length - going.at)
    if not going.comes_first:
        _face(scene, going)
    if going.rise == AFTER and not loses_the_slot(scene, who):
        rise(scene, who)
    if going.drop is not None and going.drop_at > going.at:
        _drop_on_the_way(scene, going)


def rise(scene: Scene, who: CombatantId) -> None:
    """He rises from his knees, or by option kneels. Clause: GU-1730."""
    take_posture(scene, who, STANDING if posture_of(scene, who) == KNEELING else KNEELING, "GU-1730")


def _walk(scene: Scene, going: Going, end: Length) -> None:
    """Go along the way up to there, whoever may come between. Clauses: GU-100, GU-110."""
    assert going.run is not None
    way = Walk(
        going.who,
        going.run,
        going.action,
        ClauseId(going.params.clause),
        partial(_able, scene, going.who),
        keeps_facing=going.params.extent == "step",
        distances=going.ends if end >= going.length else {},
        reach=partial(_reach, scene, going, end),
        distances_at=partial(_known_at, going),
        until=end,
    )
    go(scene, way)
    after_moving(scene, going.who)


def _able(scene: Scene, who: CombatantId) -> bool:
    """Whether he can go on walking: not when held, nor when the slot is lost. Clause: GU-110."""
    return not loses_the_slot(scene, who) and not scene.has(who, "grappled") and f"stopped/{who}" not in scene.met


def _reach(scene: Scene, going: Going, end: Length) -> Length:
    """How far he gets in all as he is now: knocked down or reeling he gets less far. Clause: GU-110."""
    if is_out(scene, going.who) or is_stunned(scene, going.who):
        return 0
    return min(end, allowance(scene, going.who, going.params.extent, sprint=going.sprint) * YARD)


def _rest(scene: Scene, going: Going) -> Going:
    """The way from where he stands to its end. Clause: GU-900 by option."""
    assert going.run is not None
    if not scene.has_map:
        run = msgspec.structs.replace(going.run, length=going.length - going.at, walked=going.length - going.at)
        return replace(going, run=run, at=0)
    done, points = 0, list(going.run.points)
    left: list[Point] = []
    for one, other in pairwise(points):
        leg = scene.space.run(going.who, (other,))
        assert not isinstance(leg, Unknown)
        piece = int(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5 + 0.5)
        done += piece
        if done > going.at:
            left.append(other)
    run_left = scene.space.run(going.who, tuple(left))
    assert not isinstance(run_left, Unknown)
    return replace(going, run=run_left, at=0)


def _face(scene: Scene, going: Going) -> None:
    """He looks that way. Clauses: GU-430, GU-480."""
    place = scene.who(going.who).place
    if (
        going.facing is not None
        and place is not None
        and place.facing != going.facing
        and not loses_the_slot(scene, going.who)
    ):
        scene.emit(Turned(going.who, going.facing, ClauseId("GU-430" if going.params.extent == "step" else "GU-480")))


def _drop_on_the_way(scene: Scene, going: Going) -> None:
    """The item lies at that point of the way. Clause: GU-530."""
    assert going.drop is not None
    item = scene.who(going.who).items.get(going.drop)
    if item is None or item.held is None:
        return
    place = scene.who(going.who).place
    if going.run is not None and scene.has_map and going.length:
        place = _point_of(scene, going)
    scene.emit(ItemMoved(going.who, going.drop, None, True, ClauseId("GU-530"), lies=place))
    if not scene.has_map and going.length > going.drop_at:
        scene.mark_item(going.who, going.drop, "away", going.length - going.drop_at, "GU-530")
    forget_item(scene, going.who, going.drop, "dropped")


def _point_of(scene: Scene, going: Going):  # type: ignore[no-untyped-def]
    assert going.run is not None
    return scene.space.place(going.run, going.drop_at)
