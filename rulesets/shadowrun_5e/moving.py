"""Going somewhere within the metres of the Combat Turn, and who may strike at the mover. Clauses SR-545 to SR-590."""

from collections.abc import Iterator, Mapping
from functools import partial

import msgspec
from msgspec.structs import replace

from app.engine.asks import Answer, Cost, Option, Question
from app.engine.blocks.distances import OwnDistance
from app.engine.blocks.nowhere import leads_nowhere
from app.engine.blocks.walk import Walk, go
from app.engine.commands import Submission
from app.engine.events import Moved
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.moments import Passing
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Run, Sector, Unknown, distance_fits
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.shadowrun_5e.attack import Attack
from rulesets.shadowrun_5e.conditions import leave_cover
from rulesets.shadowrun_5e.figures import MOVED, PRONE, SCORE, allowance, are_foes, is_helpless, is_out, moved, score_of
from rulesets.shadowrun_5e.score import change_score, present
from rulesets.shadowrun_5e.steadiness import disturb, stop_suppressing
from rulesets.shadowrun_5e.striking import strike
from rulesets.shadowrun_5e.suppressing import come_under_fire
from rulesets.shadowrun_5e.weapons import melee_weapon, striking_distance, weapon_of
from rulesets.shadowrun_5e.where import part_by_moving

POSITIONS = 0
"""Positions come before damage and conditions where both were held. Clause: SR-165."""
INTERCEPT = "intercept"


def run_of(table: Table, sub: Submission) -> Run | None:
    """The way that a submission goes, None where nothing says how long it is."""
    found = table.space.run(sub.actor, sub.path) if (sub.path or not table.has_map) else None
    return None if found is None or isinstance(found, Unknown) else found


class WalkParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A way of going by its figures: metres at most at once, and metres beyond what the Combat Turn allows."""

    most: OwnDistance | None = None
    beyond: OwnDistance = 0


def metres_left(table: Table, who: CombatantId, params: WalkParams) -> Length:
    """How far he gets now. Clauses: SR-550, SR-590."""
    left = max(0, allowance(table, who) + params.beyond - moved(table, who))
    return left if params.most is None else min(left, params.most)


def why_not_go(table: Table, sub: Submission, params: WalkParams) -> Iterator[Reason]:
    """Lying, too far, blocked, or to where nobody gets by so many metres. Clauses: SR-550, SR-560, SR-590."""
    reason, who = table.rules.reason, sub.actor
    at = "/path" if table.has_map else "/said/length"
    if table.has(who, PRONE):
        yield reason("prone", "SR-550")
    run, left = run_of(table, sub), metres_left(table, who, params)
    if run is None:
        if not left:
            yield reason("move_too_far", "SR-550", at=at, need_length=0)
        yield reason("missing_input", "SR-590", at=at)
        return
    if leads_nowhere(table, sub, run.length):
        yield reason("missing_input", "SR-590", at=at)
    if run.length > left:
        yield reason("move_too_far", "SR-550", at=at, need_length=left, got_length=run.length)
    if run.blocked_at is not None:
        yield reason("path_blocked", "SR-550", at=at, got_length=run.blocked_at)
    elif table.has_map:
        yield from _why_somebody_stands_there(table, run, at)
    yield from _why_not_at_that_distance(table, sub, run)


def _why_somebody_stands_there(table: Table, run: Run, at: str) -> Iterator[Reason]:
    met, free = table.space.met(run), table.space.ends_free(run)
    foes = (
        []
        if isinstance(met, Unknown)
        else [one for one in met if are_foes(table, CombatantId(run.actor), CombatantId(one[1]))]
    )
    if foes:
        yield table.rules.reason("path_blocked", "SR-550", at=at, got_length=foes[0][0], names=(foes[0][1],))
    elif not isinstance(free, Unknown) and not free:
        yield table.rules.reason("path_blocked", "SR-550", at=at, got_length=run.walked)


def _why_not_at_that_distance(table: Table, sub: Submission, run: Run) -> Iterator[Reason]:
    """Without a map each new distance has to come from the old one by so many metres. Clause: SR-590."""
    if table.has_map:
        return
    for other, new in sorted((sub.said.distance_after or {}).items()):
        old = table.space.distance(sub.actor, other)
        if not isinstance(old, Unknown) and not distance_fits(old, new, run.length):
            need = old - run.length if new < old else old + run.length
            at = f"/said/distance_after/{other}"
            yield table.rules.reason("distance_inconsistent", "SR-590", at=at, need_length=max(0, need), got_length=new)


def move(scene: Scene, sub: Submission, action: ActionId, clause: str) -> None:
    """Go there, at once or when positions are released. Clauses: SR-165, SR-550."""
    scene.later(POSITIONS, partial(_go, scene, sub, action, clause))


def _go(scene: Scene, sub: Submission, action: ActionId, clause: str) -> None:
    who = sub.actor
    if is_out(scene, who) or scene.has(who, PRONE):
        return
    heard = scene.hear(replace(sub.said, by=sub.actor))
    run = run_of(scene, sub)
    if run is None or not run.length:
        scene.hear(heard)
        return
    stop_suppressing(scene, who)
    stated = {} if scene.has_map else dict(sub.said.distance_after or {})
    ends = {CombatantId(other): far for other, far in stated.items()}
    start = {other: far for other in stated if not isinstance(far := scene.space.distance(who, other), Unknown)}
    before = len(scene.events)
    way = Walk(
        who,
        run,
        action,
        ClauseId(clause),
        partial(_able, scene, who),
        distances=ends,
        distances_at=partial(_known_at, run, start, ends),
    )
    arrived = go(scene, way)
    walked = sum(
        one.event.distance
        for one in scene.events[before:]
        if isinstance(one.event, Moved) and one.event.combatant == who and not one.event.forced
    )
    scene.change_pool(who, MOVED, walked, "SR-550")
    if walked:
        leave_cover(scene, who)
        part_by_moving(scene, who, tuple(ends) if arrived else tuple(start))  # type: ignore[arg-type]
    scene.hear(heard)


def _able(scene: Scene, who: CombatantId) -> bool:
    """Whether he can go on: not knocked down, not out. Clause: SR-545."""
    return not is_out(scene, who) and not scene.has(who, PRONE)


def _known_at(
    run: Run, start: Mapping[str, Length], ends: Mapping[CombatantId, Length], at: Length
) -> Mapping[CombatantId, Length]:
    """Without a map, where he is stopped: as far off as a straight way would have brought him. Clause: SR-590."""
    known = {}
    for other, before in start.items():
        after = ends[CombatantId(other)]
        known[CombatantId(other)] = min(before + at, after) if after >= before else max(before - at, after)
    return known if at < run.length else {}


# Intercepting


def interceptors(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """Foes within whose reach the way leads out again may strike, once for each move. Clause: SR-545."""
    mover = moment.mover
    for rank, body in enumerate(present(scene)):
        if body.id == mover or not are_foes(scene, mover, body.id) or is_helpless(scene, body.id):
            continue
        if mover in scene.unknown_to(body.id) or f"{INTERCEPT}/{mover}/{body.id}" in scene.met:
            continue
        at = _leaves_at(scene, moment, body.id)
        if at is not None:
            yield Cue(
                at,
                (rank,),
                f"{INTERCEPT}/{body.id}",
                partial(_offer, scene, body.id, mover),
                partial(_strike_at, scene, body.id, mover),
            )


def _leaves_at(scene: Scene, moment: Passing, who: CombatantId) -> Length | None:
    """Where on the way the mover comes out of his reach, None where he does not or nobody knows. Clause: SR-545."""
    reach, run = striking_distance(scene, who, melee_weapon(scene, who)), moment.run
    place = scene.who(who).place
    if scene.has_map and place is not None:
        zone = Sector(place.point, reach + scene.extra(who) + scene.extra(moment.mover))
        crossings = scene.space.crossings(run, zone, moment.since)
        found = [] if isinstance(crossings, Unknown) else [one.at for one in crossings if one.kind == "leaves"]
        return min(found, default=None)
    said = scene.said
    if said.crosses and who in said.crosses:
        return (said.crosses_at or {}).get(who, run.walked)
    before, after = scene.space.distance(moment.mover, who), (said.distance_after or {}).get(who)
    if isinstance(before, Unknown) or before > reach:
        return None
    leaves = who in (said.leaves or ()) or (after is not None and after > reach)
    return min(reach - before, run.walked) if leaves else None


def _offer(scene: Scene, who: CombatantId, mover: CombatantId) -> Answer | None:
    """Strike or let him go; who cannot pay is not asked. Clause: SR-545."""
    price = price_of_intercept(scene)
    if score_of(scene, who) < price or any(scene.rules.why_forbidden(INTERCEPT, "/option")):
        return None
    answer = scene.ask(
        Question(
            key="",
            name="intercept_choice",
            kind="intercept_choice",
            to=who,
            options=(Option(INTERCEPT, cost=(Cost(SCORE, price),)), Option("decline", declines=True)),
            default="decline",
            best="decline",
            about=mover,
            figures={"score": score_of(scene, who)},
            clause=ClauseId("SR-545"),
        )
    )
    return answer if answer.option == INTERCEPT else None


def price_of_intercept(table: Table) -> int:
    """Initiative that it costs. Clause: SR-545."""
    return sum(cost.amount for cost in table.rules.actions[ActionId(INTERCEPT)].costs["interrupt"])


def _strike_at(scene: Scene, who: CombatantId, mover: CombatantId, answer: Answer) -> None:
    """One blow with the weapon in hand, else bare hands; it takes no action. Clause: SR-545."""
    scene.met[f"{INTERCEPT}/{mover}/{who}"] = 1
    change_score(scene, who, -price_of_intercept(scene), "SR-545")
    disturb(scene, who, ActionId(INTERCEPT))
    item = melee_weapon(scene, who)
    attack = Attack(who, mover, ActionId(INTERCEPT), item, weapon_of(scene, who, item), clause="SR-545")
    strike(scene, attack)


def under_fire(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """Whoever comes into a field of suppressive fire, or goes about in it. Clause: SR-435."""
    yield from come_under_fire(scene, moment)
