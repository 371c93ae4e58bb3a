"""Who rides on what, and who controls it. Clause GU-1020."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.conditions import MANEUVER, is_out, is_stunned

MOUNTED, CONTROLLING = "mounted", "controlling_mount"
CLAUSE = ClauseId("GU-1020")
MOVE, DO_NOTHING = "move", "do_nothing"


def mount_of(table: Table, who: CombatantId) -> CombatantId | None:
    """The mount or vehicle that carries him."""
    seat = table.effect(who, MOUNTED)
    return None if seat is None or not table.known(seat.against) else seat.against


def is_mounted(table: Table, who: CombatantId) -> bool:
    """Whether something carries him that can still do so."""
    mount = mount_of(table, who)
    return mount is not None and table.who(mount).status != "dead"


def carried_by(table: Table, mount: CombatantId) -> tuple[CombatantId, ...]:
    """Everybody whom a mount or vehicle carries, and whom its riders carry."""
    found: list[CombatantId] = []
    waiting = [mount]
    for carrier in waiting:
        here = sorted(one.id for one in table.state.combatants.values() if mount_of(table, one.id) == carrier)
        fresh = [who for who in here if who not in (mount, *found)]
        found += fresh
        waiting += fresh
    return tuple(found)


def controller_of(table: Table, mount: CombatantId) -> CombatantId | None:
    """Who controls it in this turn of his; nobody controls what cannot act."""
    if is_out(table, mount) or is_stunned(table, mount):
        return None
    for who in carried_by(table, mount):
        control = table.effect(who, CONTROLLING)
        if control is not None and control.against == mount and table.who(who).status == "up":
            return who
    return None


def controls(sub: Submission) -> bool:
    """Whether a Move is spent on controlling a mount or vehicle."""
    return sub.options.get("control_mount") is True or "mount" in sub.options


def controlled(table: Table, sub: Submission) -> CombatantId | None:
    """The mount that is meant: the one that is named, else the one that carries him."""
    named = sub.options.get("mount")
    return mount_of(table, sub.actor) if named is None else CombatantId(str(named))


def why_not_control(table: Table, sub: Submission) -> Iterator[Reason]:
    """It has to carry him, be able to act, and have nobody else in control nor have moved by itself in this round; he
    adds no running of his own.
    """
    reason, mount = table.rules.reason, controlled(table, sub)
    names = () if mount is None else (mount,)
    if mount is None or mount != mount_of(table, sub.actor) or not _is_free(table, sub.actor, mount):
        yield reason("not_controlling_mount", CLAUSE, at="/options/mount", names=names)
    if sub.options.get("sprint") is True:
        yield reason("mount_moves_instead", CLAUSE, at="/options/sprint")


def _is_free(table: Table, who: CombatantId, mount: CombatantId) -> bool:
    done = [one.action for one in table.who(mount).done if one.form == MANEUVER]
    moved = mount in table.state.clock.acted and any(action != DO_NOTHING for action in done)
    able = not is_out(table, mount) and not is_stunned(table, mount)
    return able and not moved and controller_of(table, mount) in (None, who)


def take_control(scene: Scene, who: CombatantId, mount: CombatantId) -> None:
    """He controls it until his next slot; Move is the maneuver of the mount too."""
    scene.begin(who, CONTROLLING, against=mount)
    scene.begin(mount, MANEUVER, clause=CLAUSE, word=MOVE)
