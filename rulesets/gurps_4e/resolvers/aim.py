"""Aim. Clauses GU-1800 to GU-1890."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import SHOT, THROW, blow_of, why_not_usable
from rulesets.gurps_4e.conditions import AIMING
from rulesets.gurps_4e.figures import LYING, posture_of
from rulesets.gurps_4e.moving import MovementParams, go_after, go_before, going_of, when_acting, why_not_go
from rulesets.gurps_4e.reach import can_see
from rulesets.gurps_4e.weapons import BOTH, HANDS, weapon_of


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
    if sub.options.get("device"):
        return
    weapon = weapon_of(table, sub.actor, sub.weapon if sub.weapon in table.who(sub.actor).items else None)
    if sub.weapon is None or (not weapon.is_ranged and weapon.throw is None):
        yield reason("aim_needs_ranged_weapon", "GU-1800", at="/weapon")
        return
    form = SHOT if weapon.is_ranged else THROW
    yield from why_not_usable(table, _one_shot(table, sub, form), "GU-1800")
    if sub.options.get("braced") is True:
        if not can_brace(then, sub):
            yield reason("cannot_brace", "GU-1840", at="/options/braced")
        elif weapon.hands == HANDS and going.length:
            yield reason("braced_cannot_step", "GU-1850", at="/path" if table.has_map else "/said/length")


def _one_shot(table: Table, sub: Submission, form: str):  # type: ignore[no-untyped-def]
    from msgspec.structs import replace

    return blow_of(table, replace(sub, options={"form": form}), "aim")


def _is_detected(table: Table, sub: Submission) -> bool:
    """Whether he sees the target, or says how else he has made him out. Clause: GU-1800."""
    return can_see(table, sub.actor, sub.targets[0]) or sub.options.get("detected") is True


def can_brace(table: Table, sub: Submission) -> bool:
    """Whether the weapon rests on something. Clause: GU-1840."""
    assert sub.weapon is not None
    weapon = weapon_of(table, sub.actor, sub.weapon)
    if not weapon.braceable:
        return False
    if sub.options.get("rest") is True or weapon.mounted:
        return True
    if weapon.hands < HANDS:
        return table.item(sub.actor, sub.weapon).held == BOTH
    return weapon.bipod and posture_of(table, sub.actor) in LYING


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """One second more on the same target with the same weapon, or a new aim. Clauses: GU-1810, GU-1820, GU-1860."""
    going = going_of(scene, sub, action, action.params)
    if not go_before(scene, going):
        return
    record = scene.effect(sub.actor, AIMING)
    seconds = 0 if record is None else record.value
    braced = sub.options.get("braced") is True
    scene.begin(
        sub.actor,
        AIMING,
        value=seconds + 1,
        item=sub.weapon,
        against=sub.target,
        declared={"braced": braced} if braced else {},
        word=None if sub.options.get("device") is None else str(sub.options["device"]),
    )
    go_after(scene, going)


AIM = Resolver(MovementParams, check, resolve)
