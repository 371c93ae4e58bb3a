"""Maneuvers that need little more than their movement: Move, All-Out Defense, Do Nothing, Change Posture, Evaluate.

Clauses GU-1000 to GU-1150, GU-1600 to GU-1750, GU-1900 to GU-1940.
"""

from collections.abc import Iterator

import msgspec

from app.engine.blocks.nowhere import leads_nowhere
from app.engine.commands import Submission
from app.engine.ids import CombatantId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.gurps_4e.conditions import last_maneuver, take_posture
from rulesets.gurps_4e.extents import extent, extent_of
from rulesets.gurps_4e.figures import CROUCHING, LYING, STANDING, current_move, posture_of, tables_of
from rulesets.gurps_4e.maneuvers import AGAIN, OPTION
from rulesets.gurps_4e.moving import (
    Going,
    MovementParams,
    go_after,
    go_before,
    going_of,
    how_far,
    when_acting,
    why_not_go,
)
from rulesets.gurps_4e.reach import can_see, distance, missing_distance
from rulesets.gurps_4e.riding import controlled, controls, take_control, why_not_control
from rulesets.gurps_4e.running import RAN
from rulesets.gurps_4e.weapons import held, is_ready, modes_of, reaches

INCREASED_DODGE = "increased_dodge"
EVALUATING = "evaluating"


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing of its own."""


# Do Nothing


def check_nothing(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """No movement of any kind. Clauses: GU-460, GU-1650."""
    yield from why_not_go(table, going_of(table, sub, action, action.params))


def do_nothing(scene: Scene, sub: Submission, action: Action) -> None:
    """That it was chosen is all; coming to oneself follows at the end of the slot. Clauses: GU-1600, GU-1630."""


# Move


def check_move(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he, or what carries him, cannot go there; there is no attack in it. A Move that goes nowhere and
    turns nowhere would be spent for nothing.

    Clauses: GU-410, GU-490, GU-1000, GU-1020, GU-1030.
    """
    reason, lead, rider = table.rules.reason, sub, None
    uncontrolled: tuple[Reason, ...] = ()
    if controls(sub):
        uncontrolled = tuple(why_not_control(table, sub))
        yield from uncontrolled
        if (mount := controlled(table, sub)) is None or not table.known(mount):
            return
        table, lead, rider = _of_the_mount(table, mount), _led(sub, mount), sub.actor
    going = going_of(table, lead, action, action.params, rider)
    yield from why_not_go(table, going)
    if sub.targets or sub.weapon is not None:
        yield reason("move_allows_no_attack", "GU-1000", at="/targets" if sub.targets else "/weapon")
    if not (uncontrolled or going.rise or going.drop) and how_far(table, going) and _is_nothing(table, lead, going):
        yield reason("missing_input", "GU-490", at="/path" if table.has_map else "/said/length")


def _is_nothing(table: Table, lead: Submission, going: Going) -> bool:
    """Whether the maneuver would be spent on it and nothing else. Without a map only a length tells of a movement."""
    if not table.has_map and going.run is None:
        return True
    return leads_nowhere(table, lead, going.length)


def move(scene: Scene, sub: Submission, action: Action) -> None:
    """Go there, or have oneself carried there. Clauses: GU-410, GU-480, GU-1020, GU-1030."""
    mount = controlled(scene, sub) if controls(sub) else None
    if mount is None:
        go_before(scene, going_of(scene, sub, action, action.params))
        return
    scene.end(sub.actor, RAN, why="other_maneuver", clause="GU-1020")
    take_control(scene, sub.actor, mount)
    with scene.speaking(_of_the_mount(scene, mount).said):
        go_before(scene, going_of(scene, _led(sub, mount), action, action.params, sub.actor))


def _of_the_mount(table: Table, mount: CombatantId) -> Table:
    """The same table, with what is stated of a movement stated of the mount. Clause: GU-1020."""
    return Table(table.rules, table.state, msgspec.structs.replace(table.said, by=mount), table.viewer)


def _led(sub: Submission, mount: CombatantId) -> Submission:
    """The movement as one of the mount, which does not sprint. Clause: GU-1020."""
    options = {name: value for name, value in sub.options.items() if name != "sprint"}
    return msgspec.structs.replace(sub, actor=mount, options=options)


# All-Out Defense


class DefenseParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The movement by option: `dodging` with Increased Dodge, `usual` with any other. Clause: GU-1140."""

    usual: MovementParams
    dodging: MovementParams


def _defense_movement(sub: Submission, action: Action) -> MovementParams:
    params: DefenseParams = action.params
    return params.dodging if sub.options.get(OPTION) == INCREASED_DODGE else params.usual


def check_defense(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Exactly one option, and the movement that goes with it. Clauses: GU-1100, GU-1140."""
    if not sub.options.get(OPTION):
        yield table.rules.reason("option_required", "GU-1100", at="/options/option")
    yield from why_not_go(table, going_of(table, sub, action, _defense_movement(sub, action)))


def all_out_defense(scene: Scene, sub: Submission, action: Action) -> None:
    """The defence began with the choice; what is left is the movement. Clauses: GU-1110 to GU-1140."""
    going = going_of(scene, sub, action, _defense_movement(sub, action))
    if go_before(scene, going):
        go_after(scene, going)


def defense_extent(table: Table, sub: Submission, action: Action) -> Length | None:
    """As far as it lets him go whichever way he defends himself. Clause: GU-1140."""
    return extent_of(table, sub, action, _defense_movement(sub, action))


# Change Posture


def check_posture(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Another posture, and one that can be reached from this one. Clauses: GU-1700 to GU-1720."""
    reason, goal, at = table.rules.reason, sub.options.get("posture"), "/options/posture"
    yield from why_not_go(table, going_of(table, sub, action, action.params))
    if goal is None:
        yield reason("missing_input", "GU-1700", at=at)
        return
    now = posture_of(table, sub.actor)
    if goal == CROUCHING:
        yield reason("use_free_crouch", "GU-1700", at=at)
    elif goal == now:
        yield reason("already_in_posture", "GU-1700", at=at)
    elif goal == STANDING and now in LYING:
        yield reason("cannot_stand_from_lying", "GU-1710", at=at)


def change_posture(scene: Scene, sub: Submission, action: Action) -> None:
    """The new posture counts as soon as the maneuver is done. Clauses: GU-1720, GU-1750."""
    take_posture(scene, sub.actor, str(sub.options["posture"]), "GU-1700")


# Evaluate


def check_evaluate(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A foe whom he sees and could reach with one Move and Attack. Clause: GU-1900."""
    reason, who = table.rules.reason, sub.actor
    going = going_of(table, sub, action, action.params)
    yield from why_not_go(table, going)
    then, target = when_acting(table, going), sub.target
    if target is None or not table.known(target):
        return
    if not can_see(then, who, target):
        yield reason("target_not_visible", "GU-1900", at="/targets/0", names=(target,))
    far = distance(then, who, target)
    if isinstance(far, Unknown):
        yield reason("missing_input", "GU-490", at=missing_distance(table), names=(target,))
    elif far > (most := _yards_to_strike(then, who)):
        yield reason("target_too_far_to_evaluate", "GU-1900", at="/targets/0", need=most, got=far)


def _yards_to_strike(table: Table, who: CombatantId) -> int:
    """How far off somebody may be whom he reaches with one Move and Attack; who is held goes nowhere.

    Clauses: GU-1900, GU-2230.
    """
    goes = 0 if table.has(who, "grappled") else current_move(table, who)
    return goes + longest_reach(table, who)


def longest_reach(table: Table, who: CombatantId) -> int:
    """Yards that he strikes at most: unarmed, or with any ready weapon at the reach it is set to. Clause: GU-1900."""
    ready = [key for key, _, weapon in held(table, who) if not weapon.is_ranged and is_ready(table, who, key)]
    return max(
        reach
        for item in (None, *ready)
        for mode in modes_of(table, who, item).values()
        for reach in (0, *reaches(table, who, item, mode))
    )


def evaluate(scene: Scene, sub: Submission, action: Action) -> None:
    """One more for each second spent on the same foe, up to the most. Clauses: GU-1910, GU-1920."""
    going = going_of(scene, sub, action, action.params)
    if not go_before(scene, going):
        return
    target = sub.targets[0]
    record, chosen = scene.effect(sub.actor, EVALUATING), last_maneuver(scene, sub.actor)
    in_a_row = record is not None and chosen is not None and chosen.declared.get(AGAIN) is True
    before = record.value if in_a_row and record is not None else 0
    scene.begin(sub.actor, EVALUATING, against=target, value=min(tables_of(scene).core.evaluate.most, before + 1))
    go_after(scene, going)


DO_NOTHING = Resolver(MovementParams, check_nothing, do_nothing)
MOVE = Resolver(MovementParams, check_move, move, extent=extent)
ALL_OUT_DEFENSE = Resolver(DefenseParams, check_defense, all_out_defense, extent=defense_extent)
CHANGE_POSTURE = Resolver(MovementParams, check_posture, change_posture, extent=extent)
EVALUATE = Resolver(MovementParams, check_evaluate, evaluate, extent=extent)
