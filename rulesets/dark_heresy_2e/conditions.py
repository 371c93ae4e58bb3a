"""Conditions and what comes with them: stunned, prone, pinned, fatigue, out of action. Clauses DH-5540 to DH-5660."""

from app.engine.events import EngagementEnded, Noted, StatusChanged
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Chain, Effect, Tick
from app.engine.table import Table
from rulesets.dark_heresy_2e.braces import stirred
from rulesets.dark_heresy_2e.figures import MOST_FATIGUE, bonus

BEARER = CombatantId("bearer")
HALTS = ("unconscious", "helpless", "stunned", "prone", "grappled", "immobilised")
"""Conditions that end a movement or a charge under way; being pinned does not. Clauses: DH-3330, DH-3900, DH-3990."""
OUT = ("stunned", "unconscious", "helpless", "surprised")
"""Conditions that leave no actions, in the order their reasons are told. Clause: DH-1210."""
RESUMED = "resumed"
"""The rest of a turn that a late half action has come between. Clause: DH-3260."""
GRAPPLED, CONTROLLER = "grappled", "grapple_controller"
IN_A_GRAPPLE = (GRAPPLED, CONTROLLER)
"""Either side of a grapple. Clauses: DH-3340, DH-3920."""
GRAPPLE_ENDED = "grapple_ended"


def is_out(table: Table, who: CombatantId) -> bool:
    """Whether he is dead or lies unconscious."""
    return table.who(who).status != "up"


def can_go_on(table: Table, who: CombatantId) -> bool:
    """Whether a movement or action he has begun may go on."""
    return not is_out(table, who) and not table.has(who, *HALTS)


def has_own_turn(table: Table, who: CombatantId) -> bool:
    """Whether it is his turn, a late half action included, or one that somebody else's late action has come between.

    Clauses: DH-1120, DH-3260, DH-3270.
    """
    return table.is_turn_of(who) or any(one.owner == who and one.kind == RESUMED for one in table.state.clock.queue)


def stun(scene: Scene, who: CombatantId, rounds: int, clause: str = "DH-5620") -> None:
    """Stun him: his next turns are skipped, not counting one already begun; of two stuns the longer counts.

    Clause: DH-5620.
    """
    if rounds <= 0 or is_out(scene, who):
        return
    held = scene.effect(who, "stunned")
    if held is not None and turns_left(held) >= rounds:
        return
    waits = (Tick("turn_end", BEARER, times=rounds + 1 if has_own_turn(scene, who) else rounds),)
    scene.begin(who, "stunned", clause=clause, value=rounds, until=(waits,))
    lose_preparations(scene, who, "stunned")


def turns_left(effect: Effect) -> int:
    """How many ends of turns an effect still waits for."""
    return sum(tick.times for tick in effect.until[0]) if effect.until else 0


def lose_preparations(scene: Scene, who: CombatantId, why: str) -> None:
    """Aim, Overwatch, Delay are lost, and an extended action if this interrupts one.

    Clauses: DH-1160, DH-3920, DH-5620.
    """
    scene.end(who, "aiming", "overwatching", "delaying", why=why)
    interrupt_extended(scene, who, why)


def interrupt_extended(scene: Scene, who: CombatantId, why: str) -> None:
    """An extended action loses all its progress, if the table's rules count this as an interruption.

    Clause: DH-1160.
    """
    causes = scene.option("extended_interrupts")
    if isinstance(causes, tuple) and why in causes:
        scene.end(who, "extended_action", why=why, clause="DH-1160")


def fall_prone(scene: Scene, who: CombatantId, clause: str = "DH-5610", until: tuple[Chain, ...] | None = None) -> None:
    """He lies on the ground. Clause: DH-5610."""
    if not scene.has(who, "prone") and not is_out(scene, who):
        scene.begin(who, "prone", clause=clause, until=until)
        interrupt_extended(scene, who, "prone")
        stirred(scene, who)


def pin(scene: Scene, who: CombatantId, clause: str = "DH-5640", until: tuple[Chain, ...] | None = None) -> None:
    """He is pinned; if he is locked in melee he is not. Clauses: DH-5640, DH-5650."""
    if not scene.has(who, "pinned") and not is_out(scene, who):
        own = has_own_turn(scene, who)
        scene.begin(who, "pinned", clause=clause, value=scene.state.clock.round if own else 0, until=until)
        if own and _used_a_half(scene, who):
            scene.set_budget(who, "half_action", 0, "DH-5640")


def _used_a_half(table: Table, who: CombatantId) -> bool:
    return any(done.form != "free" for done in table.who(who).done)


def fatigue(scene: Scene, who: CombatantId, levels: int, clause: str) -> None:
    """Levels of Fatigue; beyond the threshold he passes out. Clause: DH-5560."""
    if levels <= 0 or scene.who(who).status == "dead":
        return
    now = scene.pool(who, "fatigue")
    scene.change_pool(who, "fatigue", min(now + levels, MOST_FATIGUE) - now, clause)
    pass_out(scene, who)


def pass_out(scene: Scene, who: CombatantId) -> None:
    """With more Fatigue than his threshold he is unconscious. Clause: DH-5560."""
    body = scene.who(who)
    if scene.pool(who, "fatigue") > bonus(body, "t") + bonus(body, "wp"):
        knock_out(scene, who, "DH-5560")


def knock_out(scene: Scene, who: CombatantId, clause: str) -> None:
    """He is unconscious and out of action. Clause: DH-5560."""
    if is_out(scene, who):
        return
    scene.begin(who, "unconscious", clause=clause)
    lose_preparations(scene, who, "unconscious")
    scene.emit(StatusChanged(who, "down", "unconscious", ClauseId(clause)))
    let_go(scene, who, "unconscious")
    stirred(scene, who)
    leave_all(scene, who, clause)


def die(scene: Scene, who: CombatantId, clause: str = "DH-5540") -> None:
    """He is dead: his engagements, grapples, overwatch and whatever else he kept up end. Clause: DH-5540."""
    if scene.who(who).status == "dead":
        return
    scene.emit(StatusChanged(who, "dead", "killed", ClauseId(clause)))
    let_go(scene, who, "dead")
    stirred(scene, who)
    for effect in tuple(scene.who(who).effects.values()):
        scene.end_one(who, effect, "dead", "DH-5540")
    leave_all(scene, who, "DH-5540")


def leave_all(scene: Scene, who: CombatantId, clause: str) -> None:
    """He is locked in melee with nobody any more. Clause: DH-5130."""
    for other in scene.who(who).engaged:
        scene.emit(EngagementEnded(who, other, ClauseId(clause)))


def let_go(scene: Scene, who: CombatantId, why: str, clause: str = "DH-3548", other: CombatantId | None = None) -> None:
    """Every grapple he is in is over, or only the one with that other. Clause: DH-3548."""
    for effect in tuple(scene.who(who).effects.values()):
        partner = effect.against
        if effect.kind not in IN_A_GRAPPLE or partner is None or other not in (None, partner):
            continue
        controller, target = (who, partner) if effect.kind == CONTROLLER else (partner, who)
        scene.emit(Noted(controller, GRAPPLE_ENDED, target, words=(why,), clause=ClauseId(clause)))
        drop_hold(scene, controller, target, clause)


def drop_hold(scene: Scene, controller: CombatantId, target: CombatantId, clause: str) -> None:
    """Neither is in that grapple any more."""
    for who, kind, other in ((controller, CONTROLLER, target), (target, GRAPPLED, controller)):
        for effect in tuple(scene.who(who).effects.values()):
            if effect.kind == kind and effect.against == other:
                scene.end_one(who, effect, GRAPPLE_ENDED, clause)


def begin_for_rounds(
    scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None, rounds: int
) -> None:
    """A condition the GM puts on somebody until the so many-th end of a turn of his, with all that the rules do beside
    it. A stun has no other figure than its rounds, and does not count a turn already begun.

    Clauses: DH-5610 to DH-5640.
    """
    turns = Tick("turn_end", BEARER, times=rounds)
    match kind:
        case "stunned":
            stun(scene, who, rounds)
        case "prone" | "pinned":
            begin = fall_prone if kind == "prone" else pin
            begin(scene, who, until=((turns,),))
        case _:
            scene.begin(who, kind, value=value, against=against, until=((turns,),))
            if kind in OUT:
                lose_preparations(scene, who, kind)


def add_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None = None) -> None:
    """A condition the GM puts on somebody, with all that the rules do beside it."""
    match kind:
        case "stunned":
            stun(scene, who, max(1, value))
        case "prone":
            fall_prone(scene, who)
        case "pinned":
            pin(scene, who)
        case "unconscious":
            knock_out(scene, who, "DH-5560")
        case "dead":
            die(scene, who)
        case "helpless":
            scene.begin(who, kind)
            lose_preparations(scene, who, kind)
        case _:
            scene.begin(who, kind, value=value, against=against)
