"""Delayed phases: before, after or together with somebody's, at the end of the pass, carried into the next.

Clauses SR-140 to SR-198.
"""

from functools import partial

from app.engine.asks import Answer, Option, Question
from app.engine.events import Noted
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Slot
from app.engine.table import Table
from app.engine.turns import commit
from rulesets.shadowrun_5e.figures import is_out
from rulesets.shadowrun_5e.score import foremost, ordered

PHASE, DELAYED, LAST, CARRIED, TOGETHER = "phase", "delayed", "last", "carried", "together"
"""Kinds of slots: the ordinary phase, one that cuts in, one at the end of the pass, one carried over, several."""
DUE = "_due"
"""Ending of the kind of a slot at whose start everybody has been asked already."""
DELAYING, INTERVENING, ACTING_LAST, CARRIED_DELAY = "delaying", "intervening", "acting_last", "carried_delay"
BEFORE, AFTER, SIMULTANEOUS, WAIT = "before", "after", "simultaneous", "wait"
ACT, CARRY_OVER, FORFEIT = "act", "carry_over", "forfeit"


def is_due(slot: Slot) -> bool:
    """Whether everybody was asked at its start."""
    return slot.kind.endswith(DUE)


def kind_of(slot: Slot) -> str:
    """The kind, asked or not."""
    return slot.kind.removesuffix(DUE)


def waiting(table: Table) -> list[CombatantId]:
    """Everybody who delays and has not committed himself. Clause: SR-150."""
    return [body.id for body in table.in_order() if table.has(body.id, DELAYING) and not is_out(table, body.id)]


# Cutting in


def somebody_cuts_in(scene: Scene, slot: Slot) -> bool:
    """Ask everybody who delays whether he acts before, after or together with this phase, and queue them so.

    Before first, the highest score first, then the phase with those who act at once, then after. Clauses: SR-150 to
    SR-165, SR-187.
    """
    asked = [who for who in waiting(scene) if who != slot.owner and not scene.has(who, "surprised")]
    # Of a phase of somebody whom he cannot know of nobody may learn.
    asked = [who for who in asked if slot.owner not in scene.unknown_to(who)]
    if not asked:
        return False
    asked = ordered(scene, asked)
    with scene.within("intervene"):
        answers = scene.gather({who: partial(_ask, scene, who, slot.owner) for who in asked})
    chosen = {way: [who for who in asked if answers[who].option == way] for way in (BEFORE, SIMULTANEOUS, AFTER)}
    if not any(chosen.values()):
        return False
    for way, whom in chosen.items():
        for who in whom:
            scene.end(who, DELAYING, why="used", clause="SR-150")
            scene.begin(who, INTERVENING, word=way)
    main = Slot(slot.owner, slot.kind + DUE, tuple(chosen[SIMULTANEOUS]))
    late = [Slot(who, DELAYED) for who in chosen[AFTER]]
    for one in reversed([*(Slot(who, DELAYED) for who in chosen[BEFORE]), main, *late]):
        commit(scene, one, "SR-150", front=True)
    return True


def _ask(scene: Scene, who: CombatantId, owner: CombatantId) -> Answer:
    return scene.ask(
        Question(
            key="",
            name="delayed_intervention",
            kind="delayed_intervention",
            to=who,
            options=(Option(BEFORE), Option(AFTER), Option(SIMULTANEOUS), Option(WAIT, declines=True)),
            default=WAIT,
            best=WAIT,
            about=owner,
            clause=ClauseId("SR-150"),
        )
    )


def without_the_owner(scene: Scene, slot: Slot) -> None:
    """The phase that was to be cut into does not take place: who was to act together with it acts all the same.

    Clause: SR-150.
    """
    left = [who for who in slot.others if not is_out(scene, who)]
    if len(left) == 1:
        commit(scene, Slot(left[0], DELAYED), "SR-150", front=True)
    elif left:
        commit(scene, Slot(left[0], DELAYED + DUE, tuple(left[1:])), "SR-150", front=True)


# The end of the pass


def asked_about_the_end(scene: Scene) -> bool:
    """Everybody who still delays acts at the end of the pass or carries over; tells whether anybody was asked.

    All answer before the first of them acts. Clauses: SR-170, SR-175.
    """
    asked = ordered(scene, waiting(scene))
    if not asked:
        return False
    with scene.within("end_of_pass"):
        answers = scene.gather({who: partial(_ask_about_the_end, scene, who) for who in asked})
    for who in asked:
        scene.end(who, DELAYING, why="used", clause="SR-170")
        scene.begin(who, ACTING_LAST if answers[who].option == ACT else CARRIED_DELAY)
    return True


def _ask_about_the_end(scene: Scene, who: CombatantId) -> Answer:
    return scene.ask(
        Question(
            key="",
            name="delayed_end_of_pass",
            kind="delayed_end_of_pass",
            to=who,
            options=(Option(ACT), Option(CARRY_OVER, declines=True)),
            default=CARRY_OVER,
            best=ACT,
            clause=ClauseId("SR-170"),
        )
    )


def next_of_the_last(scene: Scene) -> CombatantId | None:
    """Who acts next at the end of the pass: the lowest first, the highest last. Clause: SR-170."""
    whom = [body.id for body in scene.in_order() if scene.has(body.id, ACTING_LAST) and not is_out(scene, body.id)]
    return foremost(scene, whom, last=True)


# Carried over


def next_carrier(scene: Scene) -> CombatantId | None:
    """Who acts first in this pass with what he has carried over: the highest of them. Clause: SR-175."""
    whom = [body.id for body in scene.in_order() if scene.has(body.id, CARRIED_DELAY)]
    return foremost(scene, whom)


def takes_it(scene: Scene, who: CombatantId) -> bool:
    """Now or never: he uses the carried phase, or it is gone. Who is out or surprised loses it.

    Clauses: SR-180, SR-187.
    """
    able = not is_out(scene, who) and not scene.has(who, "surprised")
    taken = able and _ask_whether(scene, who).option == ACT
    scene.end(who, CARRIED_DELAY, why="used" if taken else "forfeit", clause="SR-180" if able else "SR-187")
    if not taken:
        scene.emit(Noted(who, "delay_lost", clause=ClauseId("SR-180" if able else "SR-187")))
    return taken


def _ask_whether(scene: Scene, who: CombatantId) -> Answer:
    return scene.ask(
        Question(
            key="",
            name="carried_delay",
            kind="carried_delay",
            to=who,
            options=(Option(ACT), Option(FORFEIT, declines=True)),
            default=ACT,
            best=ACT,
            clause=ClauseId("SR-180"),
        )
    )


def burn_carried(scene: Scene) -> None:
    """Where nothing is carried into another Combat Turn, what was to be is lost. Clause: SR-195."""
    for body in scene.in_order():
        if any(effect.kind == CARRIED_DELAY for effect in body.effects.values()):
            scene.end(body.id, CARRIED_DELAY, why="forfeit", clause="SR-195")
            scene.emit(Noted(body.id, "delay_lost", clause=ClauseId("SR-195")))
