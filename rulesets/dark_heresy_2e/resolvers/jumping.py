"""Jump or Leap: up, down and over, from where one stands or after a run-up. Clauses DH-4400 to DH-4470."""

from collections.abc import Iterator
from math import isqrt
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.events import Figure, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.names import StatName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Fact, Place, Run, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.checks import Check, additional, take_test
from rulesets.dark_heresy_2e.conditions import fall_prone
from rulesets.dark_heresy_2e.falling import fall
from rulesets.dark_heresy_2e.figures import bonus, half_up, reach_of
from rulesets.dark_heresy_2e.melee import part
from rulesets.dark_heresy_2e.moving import (
    go_along,
    leave_melee,
    left_behind,
    way_of,
    why_blocked,
    why_too_far,
    why_unsaid_whom_he_leaves,
)
from rulesets.dark_heresy_2e.reach import engagement_range
from rulesets.dark_heresy_2e.tags import given_terms, why_not_given
from rulesets.dark_heresy_2e.turns import TURN_OVER

UP, UP_RUNNING = "vertical_standing", "vertical_running"
DOWN = "jump_down"
OVER, OVER_RUNNING = "leap_standing", "leap_running"
RUNNING = {UP_RUNNING: "DH-4430", OVER_RUNNING: "DH-4460"}
LEAPS = {OVER: "DH-4450", OVER_RUNNING: "DH-4460"}
KIND, HEIGHT, EDGE, STATURE, PULL_UP = "kind", "height", "edge", "stature", "pull_up"
DIRECTION, GAP, DEPTH = "direction", "gap", "depth"
STOPPED = "DH-3900"
FULL_MOVE = "full"
METRE = 100
SHORTER = 50
"""By so much less a leap is tried if one cannot come down where it would end, in hundredths."""
WIDEST = 60
DEEPEST = 100_000


class JumpParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is tested, and every figure of the jumps; lengths in metres.

    `rise` is a standing jump, `arm` how far one reaches above one's head, which is at `stature` if nobody says more;
    `step` is what a degree after the first adds or takes, `least` the shortest leap, `safe` what a degree is worth in a
    jump down. A run-up is at least `run_up`; each further `run_up_step` is worth `run_up_bonus`, at most
    `run_up_most`. A leap is one part in `height_part` of its length high.
    """

    test: StatName
    power: StatName
    pull_up: StatName
    laden: StatName
    rise: Length
    arm: Length
    stature: Length
    step: Length
    least: Length
    safe: Length
    run_up: Length
    run_up_step: Annotated[Length, Meta(ge=1)]
    run_up_bonus: int
    run_up_most: int
    height_part: int


# What it needs


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """The kind of jump and what must be known of it, and a run-up that is long and straight enough."""
    kind, reason = sub.options.get(KIND), table.rules.reason
    yield from why_not_given(table, sub.modifiers)
    if kind is None:
        yield reason("missing_input", "DH-4400", at=f"/options/{KIND}")
    if kind == DOWN and sub.options.get(HEIGHT) is None:
        yield reason("missing_input", "DH-4420", at=f"/options/{HEIGHT}")
    if kind == OVER and table.has_map and sub.options.get(DIRECTION) is None:
        yield reason("missing_input", "DH-4450", at=f"/options/{DIRECTION}")
    if kind in RUNNING:
        yield from _why_no_run_up(table, sub, action.params, str(kind))
    if kind in LEAPS:
        yield from why_unsaid_whom_he_leaves(table, sub.actor)


def _why_no_run_up(table: Table, sub: Submission, params: JumpParams, kind: str) -> Iterator[Reason]:
    """Clauses: DH-4430, DH-4440, DH-4460, DH-5700."""
    reason, clause, at = table.rules.reason, RUNNING[kind], "/path" if table.has_map else "/said/length"
    run = _run_up(table, sub)
    if isinstance(run, Unknown):
        yield reason("missing_input", at=at)
        return
    yield from why_too_far(table, run, longest_run_up(table, sub.actor), "DH-4440", at)
    yield from why_blocked(table, run, clause, at)
    straight = run.straight_end
    if run.length < params.run_up:
        yield reason("run_up_too_short", clause, at=at, need_length=params.run_up, got_length=run.length)
    elif isinstance(straight, Unknown):
        yield reason("missing_input", at="/said/path_straight")
    elif straight < params.run_up:
        code = "path_not_straight" if kind == OVER_RUNNING else "run_up_too_short"
        yield reason(code, clause, at=at, need_length=params.run_up, got_length=straight)


def _run_up(table: Table, sub: Submission) -> Fact[Run]:
    """The way to where he jumps, as drawn or of the stated length."""
    if table.has_map and not sub.path:
        return Unknown("length", (sub.actor,))
    return table.space.run(sub.actor, sub.path)


def longest_run_up(table: Table, who: CombatantId) -> Length:
    """How far a run-up may go: a full move, unless the table plays it otherwise. Clause: DH-4440."""
    limit = str(table.option("run_up_limit"))
    return reach_of(table, who, FULL_MOVE if limit == "full_move" else limit)


# Resolving


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Each kind in its own way."""
    params: JumpParams = action.params
    match sub.options[KIND]:
        case "vertical_standing":
            _jump_up(scene, sub, action, params)
        case "vertical_running":
            _run_and_jump_up(scene, sub, action, params)
        case "jump_down":
            _jump_down(scene, sub, action, params)
        case "leap_standing":
            direction = sub.options.get(DIRECTION)
            _leap(scene, sub, action, params, direction if isinstance(direction, int) else None, ())
        case _:
            _run_and_leap(scene, sub, action, params)


def _jump_up(scene: Scene, sub: Submission, action: Action, params: JumpParams) -> None:
    """So far off the ground without a test, unless the GM wants one of somebody heavily laden. Clause: DH-4400."""
    who = sub.actor
    answer = scene.ask(_jump_test_question(who))
    if answer.option == "test":
        terms = (Term("gm", answer.whole("modifier"), ClauseId("DH-4400")),)
        if not take_test(scene, who, params.laden, "jump", terms, clause="DH-4400").success:
            _tell(scene, who, "jumped", "DH-4400", height_cm=0)
            return
    _reach_up(scene, sub, action, params, params.rise, "DH-4400")


def _jump_test_question(who: CombatantId) -> Question:
    modifier = Field("modifier", "integer", minimum=-WIDEST, maximum=WIDEST, clause=ClauseId("DH-4400"))
    return Question(
        key="",
        name="gm_jump_test",
        kind="gm_jump_test",
        to=GM,
        options=(Option("none", declines=True), Option("test", form=(modifier,))),
        default="none",
        best="none",
        about=who,
        clause=ClauseId("DH-4400"),
    )


def _run_and_jump_up(scene: Scene, sub: Submission, action: Action, params: JumpParams) -> None:
    """Agility, made easier by the run-up; who stumbles tests again to stay on his feet, and his turn is over.

    Clauses: DH-4430, DH-4440.
    """
    who, run = sub.actor, _taken_run_up(scene, sub, action)
    if run is None:
        return
    terms = (*_run_up_terms(run, params), *given_terms(sub.modifiers))
    check = take_test(scene, who, params.test, "jump", terms, clause="DH-4430")
    if check.success:
        strength = half_up(bonus(scene.who(who), params.power)) * METRE
        rise = params.rise + strength + params.step * additional(check.degrees)
        _reach_up(scene, sub, action, params, rise, "DH-4430")
        scene.met[f"{TURN_OVER}/{who}"] = 1
        return
    if not take_test(scene, who, params.test, "jump", terms, clause="DH-4430", name="stumble").success:
        fall_prone(scene, who, "DH-4430")
    _tell(scene, who, "jumped", "DH-4430", height_cm=0)
    scene.met[f"{TURN_OVER}/{who}"] = 1


def _reach_up(scene: Scene, sub: Submission, action: Action, params: JumpParams, rise: Length, clause: str) -> None:
    """How high he gets, and whether he grasps the edge above him and pulls himself up. Clauses: DH-4400, DH-4410."""
    who, edge = sub.actor, sub.options.get(EDGE)
    stature = sub.options.get(STATURE)
    reach = (stature if isinstance(stature, int) else params.stature) + params.arm + rise
    _tell(scene, who, "jumped", clause, height_cm=rise, reach_cm=reach)
    if not isinstance(edge, int) or edge > reach:
        return
    _tell(scene, who, "grasped", "DH-4400")
    if sub.options.get(PULL_UP) is not True:
        return
    pulled = take_test(scene, who, params.pull_up, "pull_up", given_terms(sub.modifiers), clause="DH-4410")
    if pulled.success and _leave_by_height(scene, sub, action, edge):
        _tell(scene, who, "pulled_up", "DH-4410")


def _jump_down(scene: Scene, sub: Submission, action: Action, params: JumpParams) -> None:
    """Agility: as deep as the bonus and the degrees carry he stands; deeper he falls what the bonus does not carry.

    Who fails falls all the way. Clause: DH-4420.
    """
    who, height = sub.actor, int(sub.options[HEIGHT])
    if not _leave_by_height(scene, sub, action, height):
        return
    check = take_test(scene, who, params.test, "jump", given_terms(sub.modifiers), clause="DH-4420")
    carried = bonus(scene.who(who), params.test) * METRE
    safe = carried + params.safe * check.degrees if check.success else 0
    _tell(scene, who, "jumped_down", "DH-4420", height_cm=height, safe_cm=safe)
    if not check.success:
        fall(scene, who, height)
    elif height > safe:
        fall(scene, who, height - carried)


def _leave_by_height(scene: Scene, sub: Submission, action: Action, height: Length) -> bool:
    """Going up or down he leaves those next to him if it is farther than they reach, or whom he says.

    Clauses: DH-4470, DH-5130.
    """
    named = scene.said.leaves
    engaged = scene.who(sub.actor).engaged
    leaves = engaged if height > engagement_range(scene) else ()
    if named is not None and not scene.has_map:
        leaves = tuple(other for other in engaged if other in named)
    way = way_of(scene, sub, action, Run(sub.actor, 0, 0, cost=0, walked=0), leaves)
    if not leave_melee(scene, way):
        return False
    for other in leaves:
        part(scene, sub.actor, other)
    return True


# Leaps


def _run_and_leap(scene: Scene, sub: Submission, action: Action, params: JumpParams) -> None:
    """As from a stand, made easier by the run-up. Clauses: DH-4440, DH-4460."""
    run = _taken_run_up(scene, sub, action)
    if run is not None:
        _leap(scene, sub, action, params, run.heading, _run_up_terms(run, params))


def _taken_run_up(scene: Scene, sub: Submission, action: Action) -> Run | None:
    """He runs to where he jumps; None if somebody stops him on the way. Clauses: DH-4440, DH-4470."""
    run = _run_up(scene.as_known_to(sub.actor), sub)
    assert not isinstance(run, Unknown)
    way = replace(
        way_of(scene, sub, action, run, left_behind(scene, run)),
        clause=ClauseId(RUNNING[str(sub.options[KIND])]),
        distances={},
    )
    with scene.within("run_up"):
        arrived = leave_melee(scene, way) and go_along(scene, way, STOPPED, STOPPED)
    return run if arrived else None


def _run_up_terms(run: Run, params: JumpParams) -> tuple[Term, ...]:
    """What each full metre beyond the least is worth. Clause: DH-4440."""
    straight = 0 if isinstance(run.straight_end, Unknown) else run.straight_end
    steps = max(0, straight - params.run_up) // params.run_up_step
    return (Term("run_up", min(params.run_up_most, steps * params.run_up_bonus), ClauseId("DH-4440")),)


def how_far(table: Table, who: CombatantId, check: Check, params: JumpParams) -> Length:
    """Metres by the Strength bonus, more or less by the degrees after the first. Clauses: DH-4450, DH-4460."""
    strength = bonus(table.who(who), params.power)
    more = params.step * additional(check.degrees)
    if check.success:
        return strength * METRE + more
    return max(params.least, half_up(strength) * METRE - more)


def _leap(
    scene: Scene, sub: Submission, action: Action, params: JumpParams, direction: int | None, terms: tuple[Term, ...]
) -> None:
    """Agility tells how far. Who does not get over the gap falls into it. Clauses: DH-4450 to DH-4470."""
    who, clause = sub.actor, LEAPS[str(sub.options[KIND])]
    check = take_test(scene, who, params.test, "jump", (*terms, *given_terms(sub.modifiers)), clause=clause)
    distance = how_far(scene, who, check, params)
    height = -(-distance // (METRE * params.height_part)) * METRE
    _tell(scene, who, "leapt", clause, distance_cm=distance, height_cm=height)
    start, run = scene.who(who).place, _line(scene, who, direction, distance)
    if run is None:
        return
    way = replace(way_of(scene, sub, action, run, left_behind(scene, run)), clause=ClauseId(clause))
    with scene.within("leap"):
        if not leave_melee(scene, way):
            return
        arrived = go_along(scene, way, STOPPED, STOPPED)
    gap = sub.options.get(GAP)
    if isinstance(gap, int) and (run.walked if arrived else _gone(scene, who, start)) < gap:
        fall(scene, who, _depth(scene, sub))


def _gone(scene: Scene, who: CombatantId, start: Place | None) -> Length:
    """How far somebody has come who was stopped in the leap; without a map that is not over anything."""
    now = scene.who(who).place
    if start is None or now is None:
        return 0
    return isqrt((now.x - start.x) ** 2 + (now.y - start.y) ** 2)


def _line(scene: Scene, who: CombatantId, direction: int | None, distance: Length) -> Run | None:
    """The line of the leap, ending where he can come down: short of a wall or of somebody in his way. None: nowhere."""
    place = scene.who(who).place
    if not scene.has_map:
        return Run(who, distance, distance, cost=distance, walked=distance)
    if place is None or direction is None:
        return None
    space = scene.space.known_to(_edges(scene))
    for length in range(distance, 0, -SHORTER):
        landed = space.scatter(place.point, direction, length)
        assert not isinstance(landed, Unknown)
        run = space.run(who, (landed[0].point,))
        assert not isinstance(run, Unknown)
        if run.blocked_at is None and space.ends_free(run) is True:
            return run
    return None


def _edges(scene: Scene) -> tuple[str, ...]:
    """Edges of the map, which stop a walk and not a leap."""
    ground = scene.state.scenery.ground
    return () if ground is None else tuple(wall.id for wall in ground.walls if wall.drop is not None and wall.id)


def _depth(scene: Scene, sub: Submission) -> Length:
    """How deep the gap is, as stated or as the GM says. Clause: DH-4470."""
    stated = sub.options.get(DEPTH)
    if isinstance(stated, int):
        return stated
    answer = scene.ask(
        Question(
            key="",
            name="drop_height",
            kind="ruling",
            to=GM,
            options=(Option("drop", form=(Field("drop", "length", True, minimum=0, maximum=DEEPEST),)),),
            default="drop",
            about=sub.actor,
            clause=ClauseId("DH-4470"),
        )
    )
    return answer.whole("drop")


def _tell(scene: Scene, who: CombatantId, fact: str, clause: str, **figures: int) -> None:
    """What came of it, lengths in centimetres."""
    told = tuple(Figure(name, value) for name, value in figures.items())
    scene.emit(Noted(who, fact, figures=told, clause=ClauseId(clause)))


JUMP = Resolver(JumpParams, check, resolve)
