"""Walking a path: who may strike at the mover as he leaves, who may act at a point of the way, and where he ends."""

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec.structs import replace

from app.engine.events import Moved
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.moments import Leaving, Passing
from app.engine.scene import Scene
from app.engine.space.model import Run
from app.engine.triggers import Cue


class Walk(msgspec.Struct, frozen=True):
    """A way to go: the run, for which action and by which clause, whom it leaves, and whether leaving provokes
    them.

    `able` tells after each interruption whether the mover can go on, `reach` how far he then gets at most of the whole
    way; he is `start` along it already, and `until` is how far he means to go of it for now. Who `keeps_facing` goes on
    looking where he looked. `beside` is whom he ends next to, `distances` what is stated of where he ends when there is
    no map, and `distances_at` what is known there of any point of the way. `own` is what he himself does on the way, or
    what stops him, and `carries` who is taken along and comes to stand where he does.
    """

    mover: CombatantId
    run: Run
    action: ActionId
    clause: ClauseId
    able: Callable[[], bool]
    leaves: tuple[CombatantId, ...] = ()
    provokes: bool = True
    forced: bool = False
    keeps_facing: bool = False
    beside: CombatantId | None = None
    distances: Mapping[CombatantId, Length] = msgspec.field(default_factory=dict)
    reach: Callable[[], Length] | None = None
    until: Length | None = None
    distances_at: Callable[[Length], Mapping[CombatantId, Length]] | None = None
    start: Length = 0
    own: Callable[[Passing], Iterable[Cue]] | None = None
    carries: tuple[CombatantId, ...] = ()


def walk(scene: Scene, way: Walk) -> bool:
    """Set out and go along it. Tells whether the mover came to its end; otherwise he stands where he was stopped."""
    return set_out(scene, way) and go(scene, way)


def set_out(scene: Scene, way: Walk) -> bool:
    """Turn his back on those he leaves. Tells whether he can still go once they have reacted."""
    if way.leaves:
        with scene.within("leaving"):
            scene.announce(Leaving(way.mover, way.run, way.leaves, way.action, way.provokes))
    return way.able()


def go(scene: Scene, way: Walk) -> bool:
    """Go along it, whoever may react on the way. Tells whether the mover came to its end, or as far as he meant to.

    A reaction is offered before the movement up to it is told: one that is not taken leaves the log as if nobody
    had watched.
    """
    done = since = way.start
    end = way.run.walked if way.until is None else way.until
    seen: set[str] = set()
    while True:
        cues = _cues(scene, way, done, since)
        fitting = (entry for entry in cues if entry[0] not in seen and since <= entry[1].at <= end)
        key, cue = min(fitting, key=lambda entry: (entry[1].at, entry[1].rank, entry[0]), default=("", None))
        if cue is None:
            break
        seen.add(key)
        with scene.within(key):
            told = len(scene.events)
            answer = cue.offer()
            if answer is None and len(scene.events) == told:
                continue
            if answer is not None:
                if cue.at > done:
                    _leg(scene, way, done, cue.at)
                    done = cue.at
                since = cue.at
                cue.run(answer)
        if not way.able():
            return False
        if way.reach is not None:
            end = max(done, min(end, way.reach()))
    if end > done:
        _leg(scene, way, done, end)
    return end == (way.run.walked if way.until is None else way.until)


def _cues(scene: Scene, way: Walk, done: Length, since: Length) -> list[tuple[str, Cue]]:
    """What could happen from here on, by key: to the mover, by himself, and to those he carries."""
    moment = Passing(way.mover, way.run, done, since, way.action, way.forced, way.distances)
    found = [(cue.key, cue) for cue in scene.cues(moment)]
    if way.own is not None:
        found += [(cue.key, cue) for cue in way.own(moment)]
    for who in way.carries:
        taken = Passing(who, replace(way.run, actor=who), done, since, way.action, way.forced, way.distances)
        found += [(f"{who}/{cue.key}", cue) for cue in scene.cues(taken)]
    return found


def _leg(scene: Scene, way: Walk, start: Length, end: Length) -> None:
    """Tell one piece of the way. A piece that ends it carries where he comes to stand."""
    last = end >= way.run.walked
    place, before = scene.space.place(way.run, end), scene.who(way.mover).place
    if (way.forced or way.keeps_facing) and place is not None and before is not None:
        place = replace(place, facing=before.facing)
    known = {} if way.distances_at is None else dict(way.distances_at(end))
    distances = {**known, **way.distances} if last else known
    scene.emit(
        Moved(
            way.mover,
            end - start,
            path=way.run.points if last and start == 0 else (),
            place=place,
            forced=way.forced,
            beside=way.beside if last else None,
            distances=distances,
            clause=way.clause,
        )
    )
    together = {} if scene.has_map else dict.fromkeys((way.mover, *way.carries), 0)
    for who in way.carries:
        apart = {other: far for other, far in {**distances, **together}.items() if other != who}
        scene.emit(Moved(who, end - start, place=place, forced=True, distances=apart, clause=way.clause))
