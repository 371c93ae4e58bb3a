"""Charge: run at an enemy and strike it once on arrival. Clauses DH-3950 to DH-3990."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.events import ActionStopped
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Fact, Run, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import Attack, AttackParams, attack_from, hit_chance
from rulesets.dark_heresy_2e.figures import reach_of
from rulesets.dark_heresy_2e.grappling import GRAPPLE, why_not_seize
from rulesets.dark_heresy_2e.moving import (
    Column,
    go_along,
    is_beside_at_the_end,
    leave_melee,
    left_behind,
    way_of,
    why_blocked,
    why_too_far,
)
from rulesets.dark_heresy_2e.reach import is_adjacent
from rulesets.dark_heresy_2e.resolvers.contests import throw_to_the_ground
from rulesets.dark_heresy_2e.resolvers.grapple import ask_before_seizing, bare_handed, seize
from rulesets.dark_heresy_2e.striking import make_attack
from rulesets.dark_heresy_2e.tags import unknown_modifiers
from rulesets.dark_heresy_2e.weapons import weapon_of

STRIKE = "strike"
KNOCK_DOWN = ActionId("knock_down")
STOPPED = "DH-3990"


class ChargeParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far off the target must be and may be, how much of the way is one line, and the blow.

    Clauses: DH-3950, DH-3960, DH-3970.
    """

    min_distance: Length
    straight_run: Length
    reach: Column
    blow: AttackParams


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why this charge is not possible now."""
    for place, name in unknown_modifiers(table, sub.modifiers):
        yield table.rules.reason("unknown_option", at=f"/modifiers/{place}", names=(name,))
    yield from _why_not_so_armed(table, sub)
    if sub.target is not None and sub.target != sub.actor:
        yield from _why_not_there(table, sub, action.params)


def _why_not_so_armed(table: Table, sub: Submission) -> Iterator[Reason]:
    """The blow takes a melee weapon in hand or none; what else an unarmed charger may try, only he may.

    Clauses: DH-3960, DH-3970.
    """
    reason = table.rules.reason
    if sub.weapon is not None:
        weapon = weapon_of(table, sub.actor, sub.weapon)
        if not weapon.is_melee:
            yield reason("melee_weapon_required", "DH-3960", at="/weapon")
        elif not weapon.natural and not table.item(sub.actor, sub.weapon).held:
            yield reason("weapon_not_ready", "DH-3960", at="/weapon")
    mode = sub.options.get("mode") or STRIKE
    if mode == STRIKE:
        return
    armed = any(item.held for item in table.who(sub.actor).items.values())
    if armed and not (mode == KNOCK_DOWN and table.flag("charge_knock_down_armed")):
        yield reason("not_unarmed", "DH-3970", at="/options/mode")
    if mode == GRAPPLE and sub.target is not None:
        yield from why_not_seize(table, sub.actor, sub.target)


def _why_not_there(table: Table, sub: Submission, params: ChargeParams) -> Iterator[Reason]:
    """Far enough and near enough, in one line at the end, nothing in the way. Clauses: DH-3950, DH-5700."""
    reason, target = table.rules.reason, sub.targets[0]
    distance = table.space.distance(sub.actor, target)
    run, reach = way_to_target(table, sub), reach_of(table, sub.actor, params.reach)
    if isinstance(distance, Unknown) or isinstance(run, Unknown):
        where = "/targets/0" if table.has_map else "/said/distance"
        yield reason("missing_input", at=where, names=(target,))
        if reach < params.min_distance:
            need, got = reach, params.min_distance
            yield reason("move_too_far", "DH-3950", at="/targets/0", need_length=need, got_length=got)
        return
    if distance < params.min_distance:
        need, got = params.min_distance, distance
        yield reason("too_close_to_charge", "DH-3950", at="/targets/0", need_length=need, got_length=got)
    yield from why_too_far(table, run, reach, "DH-3950", "/targets/0")
    if isinstance(run.straight_end, Unknown):
        yield reason("missing_input", at="/said/path_straight")
    elif run.straight_end < min(params.straight_run, run.length):
        need, got = params.straight_run, run.straight_end
        yield reason("path_not_straight", "DH-3950", at="/path", need_length=need, got_length=got)
    yield from why_blocked(table, run, "DH-3950", "/path")


def way_to_target(table: Table, sub: Submission) -> Fact[Run]:
    """The way, measured to the target. A path whose last point is next to him is walked to that very point.

    Otherwise he ends beside the target, on the straight line if it is free. Clause: DH-3950.
    """
    target = sub.targets[0]
    if table.has_map and sub.path:
        drawn = table.space.run(sub.actor, sub.path)
        if not isinstance(drawn, Unknown) and is_beside_at_the_end(table, drawn, target) is True:
            return _measured_to(table, drawn, target)
    return table.space.run_to(sub.actor, target, sub.path)


def _measured_to(table: Table, drawn: Run, target: CombatantId) -> Run:
    """A drawn way with the rest of the line to the target, which a wall in between blocks."""
    there = table.space.after({drawn.actor: table.space.place(drawn, drawn.walked)})
    rest, last = there.distance(drawn.actor, target), there.run_to(drawn.actor, target)
    assert not isinstance(rest, Unknown)
    assert not isinstance(last, Unknown)
    assert not isinstance(drawn.straight_end, Unknown)
    walled = drawn.blocked_at is None and last.blocked_at is not None
    return msgspec.structs.replace(
        drawn,
        length=drawn.length + rest,
        cost=drawn.cost + rest,
        straight_end=drawn.straight_end + rest,
        blocked_at=drawn.walked if walled else drawn.blocked_at,
        target=target,
    )


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Out of melee, along the way, and one blow. Clauses: DH-3960, DH-3980, DH-3990."""
    params: ChargeParams = action.params
    target = sub.targets[0]
    run = way_to_target(scene.as_known_to(sub.actor), sub)
    if isinstance(run, Unknown):
        return
    way = way_of(scene, sub, action, run, _left(scene, run))
    if not leave_melee(scene, way) or not go_along(scene, way, STOPPED, STOPPED):
        return
    if scene.who(target).status == "dead" or (scene.has_map and not is_adjacent(scene, sub.actor, target)):
        why = "dead" if scene.who(target).status == "dead" else "out_of_reach"
        scene.emit(ActionStopped(sub.actor, action.id, why, ClauseId(STOPPED)))
        return
    if sub.options.get("mode") == KNOCK_DOWN:
        throw_to_the_ground(scene, sub, scene.rules.actions[KNOCK_DOWN].params, in_a_rush=True)
    elif sub.options.get("mode") == GRAPPLE:
        _seize(scene, sub, params)
    else:
        make_attack(scene, blow(scene, sub, params))


def _seize(scene: Scene, sub: Submission, params: ChargeParams) -> None:
    """The blow takes hold, if on the way nothing has come between. Clauses: DH-3450, DH-3970, DH-3990."""
    if any(True for _ in why_not_seize(scene, sub.actor, sub.targets[0])):
        scene.emit(ActionStopped(sub.actor, sub.action, "cannot_grapple", ClauseId(STOPPED)))
        return
    seize(scene, bare_handed(scene, blow(scene, sub, params)))


def _left(table: Table, run: Run) -> tuple[CombatantId, ...]:
    """Whom he leaves. Without a map that is everybody he is locked with, unless he names them: he goes at least 4 m.

    Clauses: DH-3980, DH-5700.
    """
    if not table.has_map and table.said.leaves is None:
        return table.who(CombatantId(run.actor)).engaged
    return left_behind(table, run)


def blow(table: Table, sub: Submission, params: ChargeParams) -> Attack:
    """The blow: Weapon Skill, one hit. Clause: DH-3960."""
    return replace(attack_from(table, sub, params.blow), mode="melee")


def chance(table: Table, sub: Submission, action: Action) -> int:
    """Chance that the blow hits."""
    attack = blow(table, sub, action.params)
    return hit_chance(table, bare_handed(table, attack) if sub.options.get("mode") == GRAPPLE else attack)


def extent(table: Table, sub: Submission, action: Action) -> Length:
    """How far a charge leads. Clause: DH-3950."""
    params: ChargeParams = action.params
    return reach_of(table, sub.actor, params.reach)


CHARGE = Resolver(ChargeParams, check, resolve, before=ask_before_seizing, chance=chance, extent=extent)
