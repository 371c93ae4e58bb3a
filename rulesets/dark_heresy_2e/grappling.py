"""Being in a grapple: who holds whom, how it begins, what it bars, how it ends.

Clauses DH-3450, DH-3470, DH-3515, DH-3545, DH-3548.
"""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.events import Noted
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.dark_heresy_2e.conditions import (
    CONTROLLER,
    GRAPPLED,
    IN_A_GRAPPLE,
    add_by_ruling,
    drop_hold,
    interrupt_extended,
    is_out,
    let_go,
)
from rulesets.dark_heresy_2e.melee import engage
from rulesets.dark_heresy_2e.reach import engagement_range
from rulesets.dark_heresy_2e.weapons import free_hands, is_unarmed

GRAPPLE = ActionId("grapple")
FREE = "free"
NOT_MAINTAINED, RELEASED, BROKEN, APART = "not_maintained", "released", "broken", "apart"
"""Why a grapple is over, beside what puts somebody out of action."""


# Who holds whom


def held_by(table: Table, who: CombatantId) -> CombatantId | None:
    """Who has him in a grapple."""
    return _partner(table, who, GRAPPLED)


def held(table: Table, who: CombatantId) -> CombatantId | None:
    """Whom he has in a grapple."""
    return _partner(table, who, CONTROLLER)


def _partner(table: Table, who: CombatantId, kind: str) -> CombatantId | None:
    for effect in table.effects(who, kind):
        if effect.against is not None and _stands(table, who, effect):
            return effect.against
    return None


def _stands(table: Table, who: CombatantId, effect: Effect) -> bool:
    """Whether there still is another side to it, able to fight and near enough. Clause: DH-3548."""
    other = effect.against
    if other is None or is_out(table, who) or is_out(table, other):
        return False
    mirror = GRAPPLED if effect.kind == CONTROLLER else CONTROLLER
    return any(one.against == who for one in table.effects(other, mirror)) and not _apart(table, who, other)


def _apart(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are no longer next to each other; without a map, whether they are no pair in melee any more."""
    if not table.has_map:
        return not table.engaged(one, other)
    return table.whole_space.adjacent(one, other, engagement_range(table)) is False


def is_grappled(table: Table, who: CombatantId) -> bool:
    """Whether somebody has him, or the GM has said that he is held without saying by whom."""
    return any(effect.source is None or _stands(table, who, effect) for effect in table.effects(who, GRAPPLED))


# How it begins


def why_not_seize(table: Table, who: CombatantId, target: CombatantId) -> Iterator[Reason]:
    """Bare hands, one of them free, on somebody whom nobody else has. Clause: DH-3450."""
    reason = table.rules.reason
    needed, free = hands_needed(table), free_hands(table, who)
    yield from table.rules.why_forbidden(GRAPPLE, "/options/mode")
    if not is_unarmed(table, who):
        yield reason("not_unarmed", "DH-3450", at="/options/mode")
    elif free < needed:
        yield reason("no_free_hand", "DH-3450", at="/options/mode", need=needed, got=free)
    if held_by(table, target) not in (None, who):
        yield reason("already_grappled", "DH-3450", at="/targets/0", names=(target,))
    if table.who(target).status == "down":
        yield reason("invalid_target", at="/targets/0", names=(target,))


def hands_needed(table: Table) -> int:
    """How many hands it takes to keep somebody in a grapple. Clause: DH-3450."""
    found = table.option("grapple_free_hands")
    assert isinstance(found, int)
    return found


def hands_holding(table: Table, who: CombatantId) -> int:
    """Hands that are busy with somebody he holds. Clause: DH-3450."""
    return hands_needed(table) if held(table, who) is not None else 0


def take_hold(scene: Scene, controller: CombatantId, target: CombatantId, clause: str = "DH-3450") -> None:
    """One has the other from now on; nobody is pinned in a grapple, keeps watch, or goes on with a long work.

    Clauses: DH-1160, DH-3450, DH-3545, DH-3920.
    """
    if is_out(scene, controller) or is_out(scene, target):
        return
    if (earlier := held(scene, controller)) is not None:
        let_go(scene, controller, RELEASED, other=earlier)
    if (holder := held_by(scene, target)) is not None:
        let_go(scene, target, RELEASED, other=holder)
    if held(scene, target) == controller:
        let_go(scene, target, RELEASED, other=controller)
    engage(scene, controller, target, clause)
    scene.begin(controller, CONTROLLER, clause=clause, source=controller, against=target)
    scene.begin(target, GRAPPLED, clause=clause, source=controller, against=controller)
    interrupt_extended(scene, target, GRAPPLED)
    for who in (controller, target):
        scene.end(who, "overwatching", why=GRAPPLED, clause="DH-3920")


def swap(scene: Scene, controller: CombatantId, target: CombatantId) -> None:
    """The one who was held has the other now. Clause: DH-3520."""
    drop_hold(scene, controller, target, "DH-3520")
    scene.emit(Noted(target, "grapple_reversed", controller, clause=ClauseId("DH-3520")))
    take_hold(scene, target, controller, "DH-3520")


def begin_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None = None) -> None:
    """A condition the GM puts on somebody: naming the other side of a grapple sets up both sides of it."""
    if kind in IN_A_GRAPPLE and against is not None and against != who:
        take_hold(scene, *((who, against) if kind == CONTROLLER else (against, who)))
        return
    add_by_ruling(scene, who, kind, value, against)
    if kind == GRAPPLED:
        interrupt_extended(scene, who, GRAPPLED)
        scene.end(who, "overwatching", why=GRAPPLED, clause="DH-3920")


# What comes first in a turn, and what is barred


def has_acted(table: Table, who: CombatantId) -> bool:
    """Whether he has taken an action in his turn that was no free one."""
    return any(done.form != FREE for done in table.who(who).done)


def why_not_while_held(table: Table, sub: Submission, action: Action, form: str) -> Iterator[Reason]:
    """Who is held first declares Grapple in his turn, and goes nowhere while he is held. Clause: DH-3515."""
    who, reason = sub.actor, table.rules.reason
    if not is_grappled(table, who):
        return
    must = table.is_turn_of(who) and held_by(table, who) is not None and not has_acted(table, who)
    if must and form != FREE and action.id != GRAPPLE:
        yield reason("grapple_must_be_declared_first", "DH-3515")
    if "movement" in action.tags:
        yield reason("grappled", "DH-3515")


def maintain(scene: Scene, who: CombatantId, action: Action, form: str) -> None:
    """Before he acts: the hold that he has is lost by anything first in his turn but Grapple as a full action.

    One that he took in this turn is lost by going somewhere. Clauses: DH-3470, DH-3545.
    """
    target = held(scene, who)
    if target is None or form == FREE or (action.id == GRAPPLE and held_by(scene, who) is None):
        return
    if not has_acted(scene, who):
        let_go(scene, who, NOT_MAINTAINED, "DH-3470", other=target)
    elif "movement" in action.tags:
        let_go(scene, who, RELEASED, "DH-3545", other=target)


def end_turn_without_maintaining(scene: Scene, who: CombatantId) -> None:
    """A turn that is over without Grapple, of somebody stunned too, ends the hold he has. Clause: DH-3470."""
    target = held(scene, who)
    if target is not None and not has_acted(scene, who):
        let_go(scene, who, NOT_MAINTAINED, "DH-3470", other=target)


def settle(scene: Scene) -> None:
    """Grapples that a ruling, or somebody's leaving, has left without another side are over. Clause: DH-3548."""
    for body in tuple(scene.state.combatants.values()):
        for effect in body.effects.values() if body.effects else ():
            of_two = effect.kind in IN_A_GRAPPLE and effect.source is not None
            if of_two and effect.id in scene.who(body.id).effects and not _stands(scene, body.id, effect):
                let_go(scene, body.id, APART, other=effect.against)
