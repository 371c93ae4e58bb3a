"""The movement of a maneuver: a step, half or the whole Move, before or after the rest of it. Clauses GU-100, GU-110,
GU-400 to GU-490, GU-530, GU-780, GU-900, GU-1020 to GU-1040, GU-1140, GU-1440, GU-1730.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import msgspec

from app.engine.asks import Answer
from app.engine.blocks.distances import own_distance
from app.engine.blocks.walk import Walk, go
from app.engine.commands import Submission
from app.engine.events import ItemMoved, Moved, Turned
from app.engine.fold import fold
from app.engine.ids import ClauseId, CombatantId, EffectId, ItemId, Length
from app.engine.moments import Passing
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Said
from app.engine.state import Effect
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.gurps_4e.bracing import once_moved
from rulesets.gurps_4e.conditions import drop, is_out, is_stunned, loses_the_slot, take_posture
from rulesets.gurps_4e.evading import evading, foes_in_the_way, is_stopped, why_unsaid_where
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
from rulesets.gurps_4e.going import AFTER, BEFORE, Extent, Going, MovementParams, going_of, known_at
from rulesets.gurps_4e.headings import AHEAD, is_forward, is_off, turned
from rulesets.gurps_4e.moving_events import after_moving, count_speed
from rulesets.gurps_4e.remainder import other_way
from rulesets.gurps_4e.riding import carried_by, is_mounted
from rulesets.gurps_4e.running import SPRINTING, keep_run, why_not_sprint
from rulesets.gurps_4e.weapons import is_ready

FIRST_OF_ALL = (-1_000_000,)
"""What he does himself at a point of the way comes before what others do there."""
HINDERED = "grappled"


# Whether he may


def allowance(table: Table, who: CombatantId, extent: Extent, *, sprint: bool = False) -> int:
    """Yards that a maneuver lets him go as he is now; one sprints on foot only. Clauses: GU-410 to GU-440, GU-1030."""
    match extent:
        case "full":
            sprints = sprint and posture_of(table, who) == STANDING
            return sprint_move(table, who) if sprints else current_move(table, who)
        case "half":
            return half_move(table, who)
        case "step":
            return step_of(table, who)
        case _:
            return 0


def how_far(table: Table, going: Going) -> Length:
    """How far this movement may lead now, with what the maneuver has of its own. Clauses: GU-410 to GU-440, GU-1030."""
    given = allowance(table, going.who, going.params.extent, sprint=going.sprint) * YARD
    return own_distance(given, going.params.beyond, going.params.most)


def why_not_go(table: Table, going: Going) -> Iterator[Reason]:
    """Every reason against the movement.

    Clauses: GU-410 to GU-490, GU-530, GU-780, GU-900, GU-1020, GU-1030, GU-1730, GU-2230.
    """
    reason, params = table.rules.reason, going.params
    at = "/path" if table.has_map else "/said/length"
    if params.extent == "none":
        if going.moves:
            yield reason("movement_not_allowed", params.clause, at=at if going.length else "/facing")
        return
    yield from _why_too_far(table, going, at)
    yield from _why_split(table, going)
    yield from _why_not_rise(table, going)
    if going.length and table.has(going.who, HINDERED):
        yield reason("movement_not_allowed", "GU-2230", at=at)
    if (going.length or going.facing is not None) and is_mounted(table, going.who):
        yield reason("mount_moves_instead", "GU-1020", at=at if going.length else "/facing")
    yield from _why_blocked(table, going)
    yield from why_unsaid_where(table, going)
    yield from why_not_sprint(table, going)
    if params.forward and not is_forward(table, going):
        yield reason("not_forward", "GU-450", at=at if going.away is None else "/options/away_from")
    yield from _why_not_face(table, going)
    yield from _why_not_named(table, going)
    yield from _why_not_drop(table, going)


def _why_too_far(table: Table, going: Going, at: str) -> Iterator[Reason]:
    most = how_far(table, going)
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


def _why_blocked(table: Table, going: Going) -> Iterator[Reason]:
    """A wall in the way, or a way that ends on one or off the map; people are passed or evaded. Clause: GU-470."""
    run = going.run
    if run is None or not run.length or not table.has_map:
        return
    reason, at = table.rules.reason, "/path"
    if run.blocked_at is not None:
        yield reason("path_blocked", "GU-470", at=at, got_length=run.blocked_at)
        return
    nobody: dict[str, None] = {body.id: None for body in table.state.combatants.values() if body.id != going.who}
    if table.space.ends_free(run) is False and table.space.after(nobody).ends_free(run) is False:
        yield reason("destination_blocked", "GU-470", at=at)


def _why_not_face(table: Table, going: Going) -> Iterator[Reason]:
    """After more than half the allowance of a longer way he looks within 60 degrees of where he went; without a map
    nobody keeps a facing. Clause: GU-480.
    """
    if going.facing is None:
        return
    if not table.has_map:
        yield table.rules.reason("unused_input", "GU-480", at="/facing", names=("facing",))
        return
    if going.params.extent == "step" or going.run is None or going.run.heading is None:
        return
    most = how_far(table, going)
    if going.length * 2 > most and is_off(going.facing, going.run.heading):
        off = turned(going.facing, going.run.heading)
        yield table.rules.reason("facing_too_far", "GU-480", at="/facing", need=AHEAD // 2, got=off)


def _why_not_named(table: Table, going: Going) -> Iterator[Reason]:
    """Whom he goes to or from, or that he goes straight ahead, is said only where no map shows it. Clause: GU-490."""
    reason = table.rules.reason
    for name, other in (("toward", going.toward), ("away_from", going.away)):
        if other is not None and not table.known(other):
            yield reason("unknown_combatant", at=f"/options/{name}", names=(other,))
        elif other is not None and table.has_map:
            yield reason("unused_input", "GU-490", at=f"/options/{name}", names=(name,))
    if going.ahead and table.has_map:
        yield reason("unused_input", "GU-490", at="/options/ahead", names=("ahead",))


def _why_not_drop(table: Table, going: Going) -> Iterator[Reason]:
    """Dropping something on the way. Clause: GU-530."""
    reason, who = table.rules.reason, going.owner
    if going.drop is None:
        if going.drop_at:
            yield reason("missing_input", "GU-530", at="/options/drop")
        return
    if going.drop not in table.who(who).items:
        yield reason("item_not_carried", at="/options/drop", names=(going.drop,))
    elif not is_ready(table, who, going.drop):
        yield reason("item_not_ready", "GU-530", at="/options/drop", names=(going.drop,))
    if not 0 <= going.drop_at <= going.length:
        yield reason("not_on_path", "GU-530", at="/options/drop_at", need_length=going.length, got_length=going.drop_at)


# How all stand when the rest of the maneuver comes


def when_acting(table: Table, going: Going) -> Table:
    """The table as it will be at that moment if nothing comes between: moved, turned and risen, or not yet."""
    state, said = table.state, table.said
    if going.length and going.at:
        assert going.run is not None
        place, before = table.space.place(going.run, going.at), table.who(going.who).place
        if going.params.extent == "step" and place is not None and before is not None:
            place = msgspec.structs.replace(place, facing=before.facing)
        state = fold(state, Moved(going.who, going.at, place=place, distances=known_at(going, going.at)))
        said = said if table.has_map else msgspec.structs.replace(said, distance=None, bands=None)
    if going.comes_first and going.facing is not None:
        state = fold(state, Turned(going.who, going.facing))
    if going.drops_first and going.drop in table.who(going.owner).items:
        state = fold(state, ItemMoved(going.owner, ItemId(str(going.drop)), None, True))
    after = Table(table.rules, state, said, table.viewer)
    if going.length and going.at:
        after = once_moved(after, going.who)
    return _risen(after, going.who) if going.rise == BEFORE else after


def _risen(table: Table, who: CombatantId) -> Table:
    """The table once he has risen from his knees, or by option knelt. Clause: GU-1730."""
    body = table.who(who)
    effects = {key: effect for key, effect in body.effects.items() if effect.kind != KNEELING}
    if posture_of(table, who) == STANDING:
        key = EffectId(f"{who}.{body.serial + 1}")
        effects[key] = Effect(key, KNEELING, ClauseId("GU-1730"))
    combatants = {**table.state.combatants, who: msgspec.structs.replace(body, effects=effects)}
    return Table(table.rules, msgspec.structs.replace(table.state, combatants=combatants), table.said, table.viewer)


# Going


def go_before(scene: Scene, going: Going) -> bool:
    """The part of the movement before the rest. Tells whether he can go on with the maneuver.

    Clauses: GU-100, GU-110, GU-430, GU-530, GU-1030.
    """
    if _is_over(scene, going):
        return False
    if going.sprint:
        scene.begin(going.who, SPRINTING)
    if going.rise == BEFORE:
        rise(scene, going.who)
    forward, gone, walks = _runs_forward(scene, going), 0, going.length > 0 and going.at > 0
    if walks:
        gone = _walk(scene, going, 0, going.at)
    elif going.drops_first:
        _drop_now(scene, going)
    if going.comes_first:
        _face(scene, going)
    _keep_run(scene, going, gone, forward=forward)
    return not _is_over(scene, going)


def go_after(scene: Scene, going: Going) -> None:
    """What is left of the movement once the rest is done. Clauses: GU-110, GU-430, GU-530, GU-900."""
    if _is_over(scene, going) or is_stopped(scene, going.who):
        return
    if going.length and going.at < going.length:
        forward = _runs_forward(scene, going)
        gone = _walk(scene, going, going.at, going.length)
        _keep_run(scene, going, gone, forward=forward)
    elif going.drop is not None and not going.drops_first:
        _drop_now(scene, going)
    if not going.comes_first:
        _face(scene, going)
    if going.rise == AFTER and not _is_over(scene, going):
        rise(scene, going.who)


def _runs_forward(table: Table, going: Going) -> bool:
    """Whether a run leads forward; where nobody keeps a facing every run does. Clauses: GU-450, GU-1030."""
    return not table.has_map or is_forward(table, going)


def _keep_run(scene: Scene, going: Going, gone: Length, *, forward: bool) -> None:
    """Only a Move of one's own, or a Move and Attack, is a run-up. Clauses: GU-1020, GU-1030."""
    if going.params.extent == "full" and going.rider is None:
        keep_run(scene, going, gone, forward=forward)


def rise(scene: Scene, who: CombatantId) -> None:
    """He rises from his knees, or by option kneels. Clause: GU-1730."""
    take_posture(scene, who, STANDING if posture_of(scene, who) == KNEELING else KNEELING, "GU-1730")


def _is_over(table: Table, going: Going) -> bool:
    """Whether the slot is lost to him who moves, or to him who controls what moves. Clauses: GU-110, GU-1020."""
    return loses_the_slot(table, going.who) or loses_the_slot(table, going.owner)


def _walk(scene: Scene, going: Going, start: Length, end: Length) -> Length:
    """Go along the way from there to there, whoever may come between. Gives how far along it he comes in all.

    Clauses: GU-100, GU-110, GU-470.
    """
    assert going.run is not None
    carried, began = carried_by(scene, going.who), len(scene.events)
    limit = _reach(scene, going, end)
    if limit <= start or not _able(scene, going, began):
        if going.drops_first and not going.drop_at:
            _drop_now(scene, going)
        return start
    way = Walk(
        going.who,
        going.run,
        going.action,
        ClauseId(going.params.clause),
        partial(_able, scene, going, began),
        keeps_facing=going.params.extent == "step",
        distances=going.ends if limit >= going.length else {},
        reach=partial(_reach, scene, going, end),
        distances_at=partial(_distances_at, going, {} if scene.has_map else dict(foes_in_the_way(scene, going))),
        start=start,
        until=limit,
        own=partial(_own, scene, going, end),
        carries=carried,
    )
    go(scene, way)
    gone = start + _walked(scene, going.who, began)
    for who in (going.who, *carried):
        count_speed(scene, who, began, carried=who in carried)
        after_moving(scene, who)
    if gone < end and _was_displaced(scene, going.who, began) and not _is_over(scene, going):
        return _go_another_way(scene, going, gone, end)
    return gone


def _distances_at(going: Going, fronts: Mapping[Length, CombatantId], at: Length) -> dict[CombatantId, Length]:
    """Without a map: what is known on the way; in front of a foe he is a yard off. Clauses: GU-470, GU-490."""
    known = known_at(going, at)
    return {**known, fronts[at]: YARD} if at in fronts else known


def _walked(scene: Scene, who: CombatantId, began: int) -> Length:
    """How far he has gone by himself since so many events were out."""
    told = [emitted.event for emitted in scene.events[began:]]
    return sum(one.distance for one in told if isinstance(one, Moved) and one.combatant == who and not one.forced)


def _was_displaced(scene: Scene, who: CombatantId, began: int) -> bool:
    """Whether somebody has moved him off his way, or he has given way himself. Clause: GU-100."""
    told = [emitted.event for emitted in scene.events[began:]]
    return any(isinstance(one, Moved) and one.combatant == who and one.forced for one in told)


def _able(scene: Scene, going: Going, began: int) -> bool:
    """Whether he can go on along his way. Clauses: GU-110, GU-470, GU-2230."""
    who = going.who
    stays = scene.has(who, HINDERED) or is_stopped(scene, who) or _was_displaced(scene, who, began)
    return not stays and not _is_over(scene, going)


def _reach(scene: Scene, going: Going, end: Length) -> Length:
    """How far he gets in all as he is now: knocked down or reeling he gets less far. Clause: GU-110."""
    if is_out(scene, going.who) or is_stunned(scene, going.who):
        return 0
    return min(end, how_far(scene, going))


def _own(scene: Scene, going: Going, end: Length, moment: Passing) -> Iterator[Cue]:
    """What he does on the way: he drops something, he gets past foes or is stopped. Clauses: GU-470, GU-530."""
    if going.drop is not None and going.drops_first == (end == going.at):
        drops = partial(_drop_now, scene, going)
        yield Cue(going.drop_at, FIRST_OF_ALL, f"drop/{going.drop}", partial(Answer, "drop"), drops)
    yield from evading(scene, going, end, moment)


def _drop_now(scene: Scene, going: Going, answer: Answer | None = None) -> None:
    """It lies where he is. Clause: GU-530."""
    assert going.drop is not None
    item = scene.who(going.owner).items.get(going.drop)
    if item is not None and item.held is not None:
        drop(scene, going.owner, going.drop, "GU-530")


def _go_another_way(scene: Scene, going: Going, gone: Length, end: Length) -> Length:
    """Moved off his way, he may go on by another one as far as his Move still lets him. Clauses: GU-100, GU-110."""
    left = _reach(scene, going, end) - gone
    if left <= 0 or scene.has(going.who, HINDERED) or is_stopped(scene, going.who):
        return gone
    with scene.within("way"):
        given = other_way(scene, going.owner, going.who, going.action, partial(_why_not_so, scene, going, left))
        if given is None:
            return gone
        said, on = _continued(scene, going, given)
        with scene.speaking(said):
            return gone + (_walk(scene, on, 0, on.length) if on.length else 0)


def _continued(table: Table, going: Going, answer: Answer) -> tuple[Said, Going]:
    """The rest of the movement as its owner changes it, with what he states of it. Clause: GU-100."""
    path = tuple((point[0], point[1]) for point in answer.fields.get("path", ()))
    said = Said(by=going.who, length=answer.whole("length") or None)
    options = {"toward": going.toward, "away_from": going.away, "ahead": going.ahead, "sprint": going.sprint}
    sub = Submission(going.who, going.action, path=path, options=options)
    return said, going_of(Table(table.rules, table.state, said), sub, going.action, going.params, going.rider)


def _why_not_so(scene: Scene, going: Going, left: Length, answer: Answer) -> Iterator[Reason]:
    """What speaks against that way. Clauses: GU-100, GU-410 to GU-450, GU-470."""
    said, on = _continued(scene, going, answer)
    table = Table(scene.rules, scene.state, said, going.owner)
    if on.length > left:
        code = "step_too_far" if going.params.extent == "step" else "move_too_far"
        at = "/fields/path" if scene.has_map else "/fields/length"
        yield scene.rules.reason(code, going.params.clause, at=at, need_length=left, got_length=on.length)
    yield from _why_blocked(table, on)
    if going.params.forward and not is_forward(table, on):
        yield scene.rules.reason("not_forward", "GU-450", at="/fields/path")


def _face(scene: Scene, going: Going) -> None:
    """He looks that way; who was stopped looks where he ran. Clauses: GU-430, GU-480."""
    place, is_step = scene.who(going.who).place, going.params.extent == "step"
    if going.facing is None or place is None or place.facing == going.facing or _is_over(scene, going):
        return
    if is_step or not is_stopped(scene, going.who):
        scene.emit(Turned(going.who, going.facing, ClauseId("GU-430" if is_step else "GU-480")))
        for who in carried_by(scene, going.who):
            scene.emit(Turned(who, going.facing, ClauseId("GU-1020")))


__all__ = [
    "Going",
    "MovementParams",
    "allowance",
    "go_after",
    "go_before",
    "going_of",
    "rise",
    "when_acting",
    "why_not_go",
]
