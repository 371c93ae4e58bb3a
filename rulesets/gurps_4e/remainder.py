"""What an interrupted slot still holds: the rest of it as declared, as changed, or nothing. Clauses GU-100, GU-110."""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from app.engine.asks import Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import ActionStopped
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason, in_order
from app.engine.rules import Action
from app.engine.scene import Scene

CHANGE, STOP = "change_remainder", "stop"


def resumed(
    scene: Scene, sub: Submission, action: Action, why_not: Callable[[Submission], Iterable[Reason]]
) -> Submission | None:
    """The submission as it goes on: as it was if it still can, else as its owner changes it; None if he stops.

    Clause: GU-100.
    """
    if not in_order(why_not(sub)):
        return sub
    with scene.within("resume"):
        answer = scene.ask(_question(scene, sub), lambda given: _judged(sub, given, why_not))
    if answer.option == STOP:
        scene.emit(ActionStopped(sub.actor, action.id, "no_longer_possible", ClauseId("GU-100")))
        return None
    return _changed(sub, answer)


def other_way(
    scene: Scene,
    owner: CombatantId,
    mover: CombatantId,
    action: ActionId,
    why_not: Callable[[Answer], Iterable[Reason]],
) -> Answer | None:
    """Ask by which way the rest of a movement goes when the mover stands no longer on the one he declared.

    None if it stops there. Clause: GU-100.
    """
    clause = ClauseId("GU-100")
    way = (
        Field("path", "path", required=True, clause=clause)
        if scene.has_map
        else Field("length", "length", required=True, minimum=0, clause=clause)
    )
    answer = scene.ask(
        Question(
            key="",
            name="resume_turn",
            kind="resume_turn",
            to=owner,
            options=(Option(CHANGE, form=(way,)), Option(STOP, declines=True)),
            default=STOP,
            best=STOP,
            about=mover,
            informed=True,
            clause=clause,
        ),
        lambda given: () if given.option == STOP else why_not(given),
    )
    if answer.option == CHANGE:
        return answer
    scene.emit(ActionStopped(owner, action, "no_longer_possible", clause))
    return None


def _question(scene: Scene, sub: Submission) -> Question:
    others = tuple(body.id for body in scene.state.combatants.values() if body.status == "up" and body.id != sub.actor)
    known = tuple(one for one in others if one not in scene.unknown_to(sub.actor))
    items = tuple(key for key, item in scene.who(sub.actor).items.items() if item.held)
    targets = (Field("target", "combatant", choices=known, clause=ClauseId("GU-100")),) if known else ()
    weapons = (Field("weapon", "item", choices=items, clause=ClauseId("GU-100")),) if items else ()
    form = (
        *targets,
        *weapons,
        Field("mode", "word", clause=ClauseId("GU-100")),
    )
    return Question(
        key="",
        name="resume_turn",
        kind="resume_turn",
        to=sub.actor,
        options=(Option(CHANGE, form=form), Option(STOP, declines=True)),
        default=STOP,
        best=STOP,
        about=sub.target,
        informed=True,
        clause=ClauseId("GU-100"),
    )


def _changed(sub: Submission, answer: Answer) -> Submission:
    target, weapon, mode = (answer.fields.get(name) for name in ("target", "weapon", "mode"))
    options = {name: value for name, value in sub.options.items() if name != "mode" or weapon is None}
    if mode:
        options["mode"] = mode
    return replace(
        sub,
        targets=sub.targets if target is None else (CombatantId(str(target)),),
        weapon=sub.weapon if weapon is None else ItemId(str(weapon)),
        options=options,
    )


def _judged(sub: Submission, answer: Answer, why_not: Callable[[Submission], Iterable[Reason]]) -> Iterator[Reason]:
    if answer.option == CHANGE:
        yield from why_not(_changed(sub, answer))
