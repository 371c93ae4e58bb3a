"""Aim. Clauses GU-1800 to GU-1890."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.at_hand import with_weapon
from rulesets.gurps_4e.attack import SHOT, THROW, blow_of, why_not_usable
from rulesets.gurps_4e.bracing import BRACED, REST, can_brace
from rulesets.gurps_4e.conditions import AIMING
from rulesets.gurps_4e.extents import extent
from rulesets.gurps_4e.figures import posture_of
from rulesets.gurps_4e.maneuvers import DETECTED, DEVICE
from rulesets.gurps_4e.moving import Going, MovementParams, go_after, go_before, going_of, when_acting, why_not_go
from rulesets.gurps_4e.reach import can_see
from rulesets.gurps_4e.weapons import HANDS, weapon_of


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A ready ranged weapon and one target that is seen; no step with a braced two-handed weapon.

    Clauses: GU-1370, GU-1800, GU-1840, GU-1850.
    """
    reason = table.rules.reason
    going = going_of(table, sub, action, action.params)
    yield from why_not_go(table, going)
    then = when_acting(table, going)
    if not sub.targets:
        yield reason("aim_needs_target", "GU-1800", at="/targets")
    elif table.known(sub.targets[0]) and not _is_detected(then, sub):
        yield reason("target_not_detected", "GU-1800", at="/targets/0", names=sub.targets[:1])
    if sub.options.get(DEVICE):
        yield from _why_not_device(table, sub)
    else:
        yield from _why_not_weapon(table, then, sub, going)


def _why_not_device(table: Table, sub: Submission) -> Iterator[Reason]:
    """A camera or telescope is no weapon, and nothing braces it. Clauses: GU-1800, GU-1840."""
    reason = table.rules.reason
    if sub.weapon is not None:
        yield reason("unused_input", "GU-1800", at="/weapon", names=("weapon",))
    if sub.options.get(BRACED) is True:
        yield reason("cannot_brace", "GU-1840", at="/options/braced")
    elif sub.options.get(REST) is True:
        yield reason("unused_input", "GU-1840", at="/options/rest", names=(REST,))


def _why_not_weapon(table: Table, then: Table, sub: Submission, going: Going) -> Iterator[Reason]:
    """Ranged or thrown, ready and loaded; braced only where it rests on something.

    Clauses: GU-1800, GU-1840, GU-1850.
    """
    reason = table.rules.reason
    item = sub.weapon if sub.weapon in table.who(sub.actor).items else None
    weapon = weapon_of(table, sub.actor, item)
    if item is None or (not weapon.is_ranged and weapon.throw is None):
        yield reason("aim_needs_ranged_weapon", "GU-1800", at="/weapon")
        return
    form = SHOT if weapon.is_ranged else THROW
    yield from why_not_usable(table, blow_of(table, replace(sub, options={"form": form}), "aim"), "GU-1800")
    rest = sub.options.get(REST) is True
    if sub.options.get(BRACED) is not True:
        if rest:
            yield reason("unused_input", "GU-1840", at="/options/rest", names=(REST,))
    elif not can_brace(then, sub.actor, item, rest=rest):
        yield reason("cannot_brace", "GU-1840", at="/options/braced")
    elif weapon.hands == HANDS and going.rise:
        yield reason("posture_change_needs_step", "GU-1730", at="/options/rise")
    elif weapon.hands == HANDS and (going.length or going.facing is not None):
        yield reason("braced_cannot_step", "GU-1850", at="/path" if table.has_map else "/said/length")


def _is_detected(table: Table, sub: Submission) -> bool:
    """Whether he sees the target, or says how else he has made him out. Clause: GU-1800."""
    return can_see(table, sub.actor, sub.targets[0]) or sub.options.get(DETECTED) is True


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """One second more on the same target with the same weapon, or a new aim. Clauses: GU-1810, GU-1820, GU-1860."""
    going = going_of(scene, sub, action, action.params)
    if not go_before(scene, going):
        return
    record, device = scene.effect(sub.actor, AIMING), sub.options.get(DEVICE)
    scene.begin(
        sub.actor,
        AIMING,
        value=1 if record is None else record.value + 1,
        item=sub.weapon,
        against=sub.target,
        declared=_declared(scene, sub),
        word=None if device is None else str(device),
    )
    go_after(scene, going)


def _declared(table: Table, sub: Submission) -> dict[str, bool | str]:
    """How it is aimed: braced, and what it rests on in which posture; made out otherwise than by sight."""
    declared: dict[str, bool | str] = {}
    if sub.options.get(BRACED) is True:
        declared[BRACED] = True
        if sub.options.get(REST) is True:
            declared[REST] = posture_of(table, sub.actor)
    if sub.options.get(DETECTED) is True:
        declared[DETECTED] = True
    return declared


AIM = Resolver(MovementParams, check, resolve, becomes=with_weapon, extent=extent)
