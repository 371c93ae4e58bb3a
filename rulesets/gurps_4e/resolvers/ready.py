"""Ready: taking things in hand, loading, bringing a weapon under control, its reach, traits, physical tasks.

Clauses GU-1300 to GU-1380.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import msgspec

from app.engine.commands import Submission
from app.engine.ids import CombatantId, ItemId
from app.engine.names import SkillName, TraitName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.conditions import WORKING, unmark
from rulesets.gurps_4e.extents import extent
from rulesets.gurps_4e.handling import (
    put_away,
    take_in_hand,
    thing_of,
    why_no_hand,
    why_not_near,
)
from rulesets.gurps_4e.maneuvers import OPTION
from rulesets.gurps_4e.moving import MovementParams, go_after, go_before, going_of, when_acting, why_not_go
from rulesets.gurps_4e.remainder import resumed
from rulesets.gurps_4e.tasks import SECONDS, SKILL, TASK, Task, finish, task_of, why_not_task, work_on
from rulesets.gurps_4e.weapons import (
    AMMO,
    BROKEN,
    LOADING,
    REACH,
    SWITCHED,
    UNREADY,
    is_ready,
    modes_of,
    profile,
    reloads,
    weapon_of,
)

DRAW, PICK_UP, STOW, RELOAD, RECOVER = "draw", "pick_up", "stow", "reload", "recover_weapon"
CHANGE_REACH, TOGGLE, TASK_OPTION = "change_reach", "toggle_trait", "task"
HAND, FROM, ITEM, ITEM_DISTANCE = "hand", "from", "item", "item_distance"
TRAIT, TURN_ON = "trait", "turn_on"
TRAIT_ON = "trait_on"
OWN_FIELDS = (HAND, FROM, ITEM, ITEM_DISTANCE, REACH, TRAIT, TURN_ON, TASK, SKILL, SECONDS)
USES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        DRAW: (HAND,),
        PICK_UP: (HAND, FROM, ITEM, ITEM_DISTANCE),
        CHANGE_REACH: (REACH,),
        TOGGLE: (TRAIT, TURN_ON),
        TASK_OPTION: (TASK, SKILL, SECONDS),
    }
)
"""The fields of the form that each option looks at."""


class KnownTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A task that the table knows by name: how long it takes, and what is rolled at its end. Clause: GU-1340."""

    seconds: int = 1
    skill: SkillName | None = None


class ReadyParams(MovementParams, frozen=True, forbid_unknown_fields=True):
    """The step, the advantages that a Ready turns on or off, and the tasks known by name.

    Clauses: GU-1340, GU-1350, GU-1360.
    """

    switchable: dict[TraitName, bool] = msgspec.field(default_factory=dict)
    tasks: dict[str, KnownTask] = msgspec.field(default_factory=dict)


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against the step, the inputs and what is to be done. Clauses: GU-1300 to GU-1380."""
    going = going_of(table, sub, action, action.params)
    yield from why_not_go(table, going)
    yield from _why_unused(table, sub)
    yield from _reasons(when_acting(table, going), sub, action)


def option_of(sub: Submission) -> str:
    """What is readied, and how."""
    return str(sub.options.get(OPTION) or "")


def _why_unused(table: Table, sub: Submission) -> Iterator[Reason]:
    """Inputs for which this way of readying has no use. Clause: GU-130."""
    option, reason = option_of(sub), table.rules.reason
    for name in OWN_FIELDS:
        if name in sub.options and name not in USES.get(option, ()):
            yield reason("unused_input", at=f"/options/{name}", names=(name,))
    if sub.weapon is not None and option in (TOGGLE, TASK_OPTION):
        yield reason("unused_input", at="/weapon", names=("weapon",))


def _reasons(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    option = option_of(sub)
    if option in (TOGGLE, TASK_OPTION):
        yield from _CHECKS[option](table, sub, action)
    elif option == PICK_UP:
        yield from _why_not_pick_up(table, sub)
    elif option not in _CHECKS:
        yield table.rules.reason("option_required", "GU-1300", at=f"/options/{OPTION}")
    elif sub.weapon is None or sub.weapon not in table.who(sub.actor).items:
        yield table.rules.reason("missing_input", "GU-1300", at="/weapon")
    else:
        yield from _CHECKS[option](table, sub, action)


# Taking in hand, putting away


def _why_not_draw(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something that he carries, a hand for it, and that it is not ready so already. Clauses: GU-1300, GU-1380."""
    assert sub.weapon is not None
    reason, item = table.rules.reason, table.item(sub.actor, sub.weapon)
    if item.on_ground:
        yield reason("item_not_carried", "GU-1300", at="/weapon", names=(sub.weapon,))
        return
    thing = thing_of(table, sub.actor, sub.weapon, hand=_hand(sub))
    if item.held is not None and thing.goes_to == item.held:
        if item.marks.get(BROKEN):
            yield reason("weapon_not_ready", "GU-1370", at="/weapon", names=(sub.weapon,))
        elif is_ready(table, sub.actor, sub.weapon):
            yield reason("already_ready", "GU-1300", at="/weapon", names=(sub.weapon,))
        return
    yield from why_no_hand(table, sub.actor, thing)


def _hand(sub: Submission) -> str | None:
    named = sub.options.get(HAND)
    return None if named is None else str(named)


def _draw(scene: Scene, sub: Submission, action: Action) -> None:
    """It comes in hand; what is in hand already is made ready. Clauses: GU-1300, GU-1320, GU-1370."""
    assert sub.weapon is not None
    item = scene.item(sub.actor, sub.weapon)
    thing = thing_of(scene, sub.actor, sub.weapon, hand=_hand(sub))
    if thing.goes_to != item.held:
        take_in_hand(scene, sub.actor, thing)
    elif item.marks.get(UNREADY):
        unmark(scene, sub.actor, sub.weapon, UNREADY, "GU-1320")
    else:
        scene.mark_item(sub.actor, sub.weapon, SWITCHED, 1, "GU-1370")


def _named(sub: Submission) -> tuple[CombatantId, ItemId | None]:
    """Whose the thing on the ground was, and which it is."""
    owner = sub.options.get(FROM)
    if owner is None:
        return sub.actor, sub.weapon
    item = sub.options.get(ITEM)
    return CombatantId(str(owner)), None if item is None else ItemId(str(item))


def _why_not_pick_up(table: Table, sub: Submission) -> Iterator[Reason]:
    """Something on the ground within reach, his own or another's, and a hand for it. Clauses: GU-1300, GU-1380."""
    reason, who = table.rules.reason, sub.actor
    owner, item = _named(sub)
    foreign = FROM in sub.options
    at = f"/options/{ITEM}" if foreign else "/weapon"
    if foreign and (not table.known(owner) or owner in table.unknown_to(who)):
        yield reason("unknown_combatant", at=f"/options/{FROM}", names=(owner,))
        return
    if foreign and sub.weapon is not None:
        yield reason("unused_input", at="/weapon", names=("weapon",))
    if not foreign and ITEM in sub.options:
        yield reason("missing_input", "GU-1300", at=f"/options/{FROM}")
    if item is None:
        yield reason("missing_input", "GU-1300", at=at)
        return
    if item not in table.who(owner).items:
        yield reason("item_not_carried", "GU-1300", at=at, names=(item,))
        return
    if not table.item(owner, item).on_ground:
        ready = not foreign and is_ready(table, who, item)
        yield reason("already_ready" if ready else "item_out_of_reach", "GU-1300", at=at, names=(item,))
        return
    thing = thing_of(table, owner, item, hand=_hand(sub), taker=who)
    yield from why_not_near(table, who, thing, sub.options.get(ITEM_DISTANCE))
    yield from why_no_hand(table, who, thing)


def _pick_up(scene: Scene, sub: Submission, action: Action) -> None:
    """It is in his hand, and his. Clause: GU-1300."""
    owner, item = _named(sub)
    assert item is not None
    take_in_hand(scene, sub.actor, thing_of(scene, owner, item, hand=_hand(sub), taker=sub.actor))


def _why_not_stow(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something in his hands. Clause: GU-1380."""
    assert sub.weapon is not None
    if table.item(sub.actor, sub.weapon).held is None:
        yield table.rules.reason("item_not_ready", "GU-1380", at="/weapon", names=(sub.weapon,))


def _stow(scene: Scene, sub: Submission, action: Action) -> None:
    """It is carried and its hands are free. Clauses: GU-1370, GU-1380."""
    assert sub.weapon is not None
    put_away(scene, sub.actor, sub.weapon)


# Loading and bringing under control


def _why_not_held(table: Table, sub: Submission) -> Iterator[Reason]:
    """It is not in hand as it must be, or broken. Clause: GU-1370."""
    assert sub.weapon is not None
    item = table.item(sub.actor, sub.weapon)
    if item.held is None or item.marks.get(BROKEN):
        yield table.rules.reason("weapon_not_ready", "GU-1370", at="/weapon", names=(sub.weapon,))


def _why_not_reload(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something that is loaded at all, and not full. Clause: GU-1310."""
    assert sub.weapon is not None
    reason, item = table.rules.reason, table.item(sub.actor, sub.weapon)
    weapon = profile(table.rules, item)
    if weapon is None or not reloads(weapon):
        yield reason("not_reloadable", "GU-1310", at="/weapon", names=(sub.weapon,))
        return
    yield from _why_not_held(table, sub)
    left = item.marks.get(AMMO, 0)
    if left >= (weapon.shots or 0):
        yield reason("magazine_full", "GU-1310", at="/weapon", need=weapon.shots, got=left)


def _reload(scene: Scene, sub: Submission, action: Action) -> None:
    """One Ready of those that loading takes; with the last the magazine is full. Clause: GU-1310."""
    assert sub.weapon is not None
    weapon = weapon_of(scene, sub.actor, sub.weapon)
    done = scene.item(sub.actor, sub.weapon).marks.get(LOADING, 0) + 1
    if done < weapon.reload:
        scene.mark_item(sub.actor, sub.weapon, LOADING, done, "GU-1310")
        return
    unmark(scene, sub.actor, sub.weapon, LOADING, "GU-1310")
    scene.mark_item(sub.actor, sub.weapon, AMMO, weapon.shots or 0, "GU-1310")


def _why_not_recover(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something in hand that is out of control. Clause: GU-1320."""
    assert sub.weapon is not None
    not_held = tuple(_why_not_held(table, sub))
    yield from not_held
    if not not_held and not table.item(sub.actor, sub.weapon).marks.get(UNREADY):
        yield table.rules.reason("already_ready", "GU-1320", at="/weapon", names=(sub.weapon,))


def _recover(scene: Scene, sub: Submission, action: Action) -> None:
    """It can be used again. Clause: GU-1320."""
    assert sub.weapon is not None
    unmark(scene, sub.actor, sub.weapon, UNREADY, "GU-1320")


def _why_not_change_reach(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A reach that it has as it is held, and is not set to. Clause: GU-1330."""
    assert sub.weapon is not None
    reason, wanted, at = table.rules.reason, sub.options.get(REACH), f"/options/{REACH}"
    not_held = tuple(_why_not_held(table, sub))
    yield from not_held
    if wanted is None:
        yield reason("missing_input", "GU-1330", at=at)
        return
    weapon = weapon_of(table, sub.actor, sub.weapon)
    listed = sorted({reach for mode in modes_of(table, sub.actor, sub.weapon).values() for reach in mode.reach})
    if not weapon.reach_needs_ready or wanted not in listed:
        yield reason("invalid_option_value", "GU-1330", at=at, names=tuple(str(reach) for reach in listed))
    elif not not_held and table.item(sub.actor, sub.weapon).marks.get(REACH, listed[0]) == wanted:
        yield reason("already_ready", "GU-1330", at=at, names=(sub.weapon,))


def _change_reach(scene: Scene, sub: Submission, action: Action) -> None:
    """It strikes at that reach from now; it stays ready. Clause: GU-1330."""
    assert sub.weapon is not None
    scene.mark_item(sub.actor, sub.weapon, REACH, int(sub.options[REACH]), "GU-1330")


# Traits and tasks


def _is_on(table: Table, who: CombatantId, trait: str) -> bool:
    return any(one.word == trait for one in table.effects(who, TRAIT_ON))


def _why_not_toggle(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """An advantage of his that is not always on, and is not so already. Clause: GU-1350."""
    reason, at, trait = table.rules.reason, f"/options/{TRAIT}", sub.options.get(TRAIT)
    params: ReadyParams = action.params
    if trait is None:
        yield reason("missing_input", "GU-1350", at=at)
    elif trait not in table.who(sub.actor).sheet.traits or not params.switchable.get(str(trait)):
        yield reason("trait_not_switchable", "GU-1350", at=at, names=(str(trait),))
    elif sub.options.get(TURN_ON) is _is_on(table, sub.actor, str(trait)):
        yield reason("already_ready", "GU-1350", at=f"/options/{TURN_ON}", names=(str(trait),))


def _toggle(scene: Scene, sub: Submission) -> None:
    """On, or off, from the end of the maneuver. Clause: GU-1350."""
    trait = str(sub.options[TRAIT])
    running = next((one for one in scene.effects(sub.actor, TRAIT_ON) if one.word == trait), None)
    if running is None:
        scene.begin(sub.actor, TRAIT_ON, word=trait)
    else:
        scene.end_one(sub.actor, running, "turned_off", "GU-1350")


def _task(table: Table, sub: Submission, action: Action) -> Task:
    """The task as it is stated, else as the table knows it. Clause: GU-1340."""
    params: ReadyParams = action.params
    known = params.tasks.get(str(sub.options.get(TASK) or ""), KnownTask())
    return task_of(table, sub, WORKING, known.seconds, known.skill or "")


def _why_not_task(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    yield from why_not_task(table, sub.actor, _task(table, sub, action), WORKING, "GU-1340")


def _do_task(scene: Scene, sub: Submission, action: Action) -> None:
    """One second more; with the last it is done. Clause: GU-1340."""
    if work_on(scene, sub.actor, _task(scene, sub, action), WORKING):
        finish(scene, sub.actor, WORKING, "GU-1340")


_CHECKS: Mapping[str, Callable[[Table, Submission, Action], Iterator[Reason]]] = MappingProxyType(
    {
        DRAW: _why_not_draw,
        STOW: _why_not_stow,
        RELOAD: _why_not_reload,
        RECOVER: _why_not_recover,
        CHANGE_REACH: _why_not_change_reach,
        TOGGLE: _why_not_toggle,
        TASK_OPTION: _why_not_task,
    }
)
_STEPS: Mapping[str, Callable[[Scene, Submission, Action], None]] = MappingProxyType(
    {
        DRAW: _draw,
        PICK_UP: _pick_up,
        STOW: _stow,
        RELOAD: _reload,
        RECOVER: _recover,
        CHANGE_REACH: _change_reach,
        TASK_OPTION: _do_task,
    }
)


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The step and what is readied; work of another kind in between is over. Clauses: GU-1300 to GU-1360."""
    going = going_of(scene, sub, action, action.params)
    if not go_before(scene, going):
        return
    whole = resumed(scene, sub, action, lambda one: tuple(_reasons(scene, one, action)))
    if whole is None:
        return
    option = option_of(whole)
    if option != TASK_OPTION:
        scene.end(sub.actor, WORKING, why="other_maneuver", clause="GU-1340")
    if option in _STEPS:
        _STEPS[option](scene, whole, action)
    go_after(scene, going)
    if option == TOGGLE:
        _toggle(scene, whole)


READY = Resolver(ReadyParams, check, resolve, extent=extent)
