"""Stand, Mount or Dismount: on one's feet, onto a beast or into a vehicle, off it again. Clauses DH-3210 to DH-3230."""

from collections.abc import Iterator

import msgspec

from app.engine.blocks.walk import Walk
from app.engine.commands import Submission
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Place, Point, Run, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.moving import go_along, leave_melee, left_behind, way_of
from rulesets.dark_heresy_2e.reach import engagement_range
from rulesets.dark_heresy_2e.resolvers.preparing import NoParams

STANDING = "DH-3210"
CLAUSE = "DH-3220"
LEAVING = "DH-3230"
MOUNTED = "mounted"
STAND, MOUNT, DISMOUNT, INSIDE = "stand", "mount", "dismount", "move_inside"
DOWN = ("prone", "sitting")


def _mode(table: Table, sub: Submission) -> str:
    """What he means to do: as he says, or what his mount, his posture and where he sits leave open."""
    chosen = sub.options.get("mode")
    if chosen is not None:
        return str(chosen)
    if "mount" in sub.options or "vehicle" in sub.options:
        return MOUNT
    if table.has(sub.actor, MOUNTED) and not table.has(sub.actor, *DOWN):
        return DISMOUNT
    return STAND


def _beast(sub: Submission) -> CombatantId | None:
    """The combatant that he mounts."""
    named = sub.options.get("mount")
    return None if named is None else CombatantId(str(named))


def _carried_by(table: Table, who: CombatantId) -> CombatantId | None:
    """The beast that he sits on."""
    seat = table.effect(who, MOUNTED)
    return None if seat is None else seat.against


# May he


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Somebody who lies or sits may stand, who stands may mount what is next to him, who is mounted may get off."""
    reason = table.rules.reason
    match _mode(table, sub):
        case "mount":
            yield from _why_not_mount(table, sub)
        case "dismount":
            if not table.has(sub.actor, MOUNTED):
                yield reason("not_mounted", CLAUSE)
                return
            yield from _why_not_down_there(table, sub)
            yield from _why_unsaid_whom_he_leaves(table, sub)
        case "move_inside":
            seat = table.effect(sub.actor, MOUNTED)
            if seat is None or seat.word is None:
                yield reason("not_mounted", CLAUSE)
        case _:
            if not table.has(sub.actor, *DOWN):
                yield reason("not_prone", STANDING)


def _why_not_mount(table: Table, sub: Submission) -> Iterator[Reason]:
    reason, beast, reach = table.rules.reason, _beast(sub), engagement_range(table)
    if table.has(sub.actor, *DOWN):
        yield reason("prone", CLAUSE)
    yield from _why_unsaid_whom_he_leaves(table, sub)
    if beast is None:
        distance = sub.options.get("distance")
        if not sub.options.get("vehicle"):
            yield reason("missing_input", CLAUSE, at="/options/mount")
        elif isinstance(distance, int) and distance > reach:
            yield reason("out_of_reach", CLAUSE, at="/options/distance", need_length=reach, got_length=distance)
    elif not table.known(beast):
        yield reason("unknown_combatant", at="/options/mount", names=(beast,))
    elif beast == sub.actor or table.who(beast).status != "up":
        yield reason("invalid_target", at="/options/mount", names=(beast,))
    else:
        apart = table.space.distance(sub.actor, beast)
        if isinstance(apart, Unknown):
            yield reason("missing_input", at="/said/distance", names=(beast,))
        elif apart > reach:
            yield reason("out_of_reach", CLAUSE, at="/options/mount", need_length=reach, got_length=apart)


def _why_unsaid_whom_he_leaves(table: Table, sub: Submission) -> Iterator[Reason]:
    """Only a map on which he really goes somewhere tells whom he leaves. Clauses: DH-3230, DH-5700."""
    engaged = table.who(sub.actor).engaged
    if engaged and table.said.leaves is None and not _is_measured(table, sub):
        yield table.rules.reason("missing_input", at="/said/leaves", names=engaged)


def _is_measured(table: Table, sub: Submission) -> bool:
    on_a_beast = _beast(sub) if _mode(table, sub) == MOUNT else _carried_by(table, sub.actor)
    return table.has_map and (on_a_beast is not None or bool(sub.path))


def _why_not_down_there(table: Table, sub: Submission) -> Iterator[Reason]:
    """A place next to what carried him, free, on a free way: his own choice or the nearest."""
    if not table.has_map:
        return
    reason, where = table.rules.reason, _ground_under(table, sub)
    run = None if where is None else table.space.run(sub.actor, (where,))
    if run is None or isinstance(run, Unknown) or run.blocked_at is not None or table.space.ends_free(run) is not True:
        yield reason("destination_blocked", CLAUSE, at="/path")
        return
    reach, beast = engagement_range(table), _carried_by(table, sub.actor)
    there = table.space.after({sub.actor: Place(*run.points[-1])})
    apart = run.length if beast is None else there.distance(sub.actor, beast)
    if not isinstance(apart, Unknown) and apart > reach:
        yield reason("out_of_reach", CLAUSE, at="/path", need_length=reach, got_length=apart)


def _ground_under(table: Table, sub: Submission) -> Point | None:
    """Where he comes to stand: as drawn, else a free place next to his beast, else where a vehicle has let him off."""
    if sub.path:
        return sub.path[-1]
    beast, place = _carried_by(table, sub.actor), table.who(sub.actor).place
    if beast is None:
        return None if place is None else place.point
    found = table.space.beside(sub.actor, beast)
    return found.point if isinstance(found, Place) else None


# What comes of it


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Standing up leaves nobody. Getting on or off may take him out of melee, and then they strike as he goes.

    Clauses: DH-3210 to DH-3230.
    """
    match _mode(scene, sub):
        case "mount":
            if _goes(scene, sub, action):
                vehicle = sub.options.get("vehicle")
                word = None if vehicle is None else str(vehicle)
                scene.begin(sub.actor, MOUNTED, against=_beast(sub), word=word, words=_position(sub))
        case "dismount":
            if _goes(scene, sub, action):
                scene.end(sub.actor, MOUNTED, why="dismounted", clause=CLAUSE)
        case "move_inside":
            seat = scene.effect(sub.actor, MOUNTED)
            assert seat is not None
            scene.begin(sub.actor, MOUNTED, word=seat.word, words=_position(sub))
        case _:
            scene.end(sub.actor, *DOWN, why="stood_up", clause=STANDING)


def _position(sub: Submission) -> tuple[str, ...]:
    named = sub.options.get("position")
    return () if named is None else (str(named),)


def _goes(scene: Scene, sub: Submission, action: Action) -> bool:
    """He gets on or off, if those whom he leaves by it let him. Clause: DH-3230."""
    way = _way(scene, sub, action)
    return leave_melee(scene, way) and go_along(scene, way, LEAVING, CLAUSE)


def _way(scene: Scene, sub: Submission, action: Action) -> Walk:
    """The step to where he sits or stands then; none where nobody knows it, and in a vehicle none but as drawn."""
    run, leaves = Run(sub.actor, 0, 0, 0, 0), _said_to_leave(scene, sub)
    if scene.has_map:
        drawn = scene.space.run(sub.actor, _steps(scene, sub))
        assert not isinstance(drawn, Unknown)
        run = drawn
        leaves = left_behind(scene, run) if _is_measured(scene, sub) else leaves
    return msgspec.structs.replace(way_of(scene, sub, action, run, leaves), clause=ClauseId(CLAUSE))


def _said_to_leave(table: Table, sub: Submission) -> tuple[CombatantId, ...]:
    named = table.said.leaves or ()
    return tuple(other for other in table.who(sub.actor).engaged if other in named)


def _steps(table: Table, sub: Submission) -> tuple[Point, ...]:
    if _mode(table, sub) == DISMOUNT:
        under = _ground_under(table, sub)
        return () if under is None else (under,)
    beast = _beast(sub)
    seat = None if beast is None else table.who(beast).place
    return sub.path[-1:] if seat is None else (seat.point,)


STAND_MOUNT_DISMOUNT = Resolver(NoParams, check, resolve)
