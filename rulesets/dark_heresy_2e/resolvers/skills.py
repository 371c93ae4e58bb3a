"""Use a Skill: a test in a half, a full or an extended action. Clauses DH-3700, DH-3710."""

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

from app.engine.asks import GM, Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import Noted
from app.engine.forms import Field
from app.engine.ids import ClauseId
from app.engine.names import ClauseName, EffectName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e import fate
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.resolvers.preparing import tell_progress
from rulesets.dark_heresy_2e.skill_use import (
    CLAUSE,
    DIFFICULTY,
    GM_MODIFIER,
    MODIFIER,
    SKILL,
    TURNS,
    is_testable,
    is_tested_now,
    put_to_use,
    use_from,
)

HALF, EXTENDED = "half", "extended"
TYPE = "type"
WIDEST = 60
FEWEST, MOST = 2, 100


class KnownUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A use of a skill that the rules describe: on somebody with that condition, which a success ends."""

    stops: EffectName
    type: Literal["half", "full"]
    modifier: int
    clause: ClauseName


class SkillParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Known uses by skill; what else a skill is used for the submission or the GM describes."""

    known: dict[str, KnownUse] = {}


def known_use(table: Table, sub: Submission, params: SkillParams) -> KnownUse | None:
    """The known use that this is. Clause: DH-5550."""
    found = params.known.get(str(sub.options.get(SKILL)))
    return found if found is not None and table.has(sub.target or sub.actor, found.stops) else None


def type_for(table: Table, sub: Submission, action: Action) -> str:
    """What the known use takes, else the ordinary half action."""
    known = known_use(table, sub, action.params)
    return HALF if known is None else known.type


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A skill that there is, in the time that it takes. Clauses: DH-3700, DH-3710."""
    reason, tested = table.rules.reason, sub.options.get(SKILL)
    if tested is None:
        yield reason("missing_input", CLAUSE, at=f"/options/{SKILL}", names=tuple(table.rules.skills))
    elif not is_testable(table, str(tested)):
        yield reason("unknown_skill", CLAUSE, at=f"/options/{SKILL}", names=(str(tested),))
    known = known_use(table, sub, action.params)
    if known is not None and sub.type != known.type:
        yield reason("wrong_action_type", known.clause, at="/type", names=(known.type,))
    yield from _why_not_so_long(table, sub)
    for place, one in enumerate(sub.modifiers):
        if one.id != GM_MODIFIER:
            yield reason("unknown_option", at=f"/modifiers/{place}", names=(one.id,))


def _why_not_so_long(table: Table, sub: Submission) -> Iterator[Reason]:
    """An extended use takes a number of turns, and Fate goes into it when it is tested. Clauses: DH-3710, DH-5680."""
    if sub.type != EXTENDED:
        return
    if not isinstance(sub.options.get(TURNS), int):
        yield table.rules.reason("missing_input", "DH-3710", at=f"/options/{TURNS}")
    if sub.options.get(fate.FIELD) is True and not is_tested_now(table, complete=False):
        yield table.rules.reason("unknown_option", fate.CLAUSE, at=f"/options/{fate.FIELD}")


def ask_for_parameters(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """The GM says how long a use takes and how hard it is, if neither the rules nor the submission do.

    A submission that states a difficulty or a modifier is taken to say what was agreed. Clause: DH-3700.
    """
    stated = any(sub.options.get(name) is not None for name in (DIFFICULTY, MODIFIER)) or sub.modifiers
    if stated or known_use(scene, sub, action.params) is not None:
        return sub
    question = _parameters_question(scene, sub, action)
    answer = scene.ask(question, lambda given: _why_not_then(scene, _with(sub, given), action))
    if answer.option == "deny":
        scene.emit(Noted(sub.actor, "gm_refused", words=(str(sub.options.get(SKILL)),), clause=ClauseId(CLAUSE)))
        return None
    return _with(sub, answer)


def _with(sub: Submission, answer: Answer) -> Submission:
    """The submission with what the GM has said."""
    said = {name: value for name, value in answer.fields.items() if name != TYPE}
    return replace(sub, type=answer.word(TYPE, sub.type or HALF), options={**sub.options, **said})


def _why_not_then(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """What stands against it as the GM would have it. Clause: DH-3700."""
    yield from table.rules.turns.may(table, sub, action)
    yield from _why_not_so_long(table, sub)


def _parameters_question(table: Table, sub: Submission, action: Action) -> Question:
    form = (
        Field(TYPE, "word", choices=tuple(action.costs)),
        Field(TURNS, "integer", minimum=FEWEST, maximum=MOST, clause=ClauseId("DH-3710")),
        Field(DIFFICULTY, "word", choices=tuple(row.name for row in tables_of(table).difficulty)),
        Field(MODIFIER, "integer", minimum=-WIDEST, maximum=WIDEST),
    )
    return Question(
        key="",
        name="gm_skill_parameters",
        kind="gm_skill_parameters",
        to=GM,
        options=(Option("allow", form=form), Option("deny", declines=True)),
        default="allow",
        best="allow",
        about=sub.actor,
        clause=ClauseId(CLAUSE),
    )


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The test; what takes longer is begun, and tested when it is done. Clauses: DH-1150, DH-3700, DH-3710."""
    known = known_use(scene, sub, action.params)
    use = use_from(sub) if known is None else use_from(sub, known.stops, known.modifier)
    if sub.type != EXTENDED:
        put_to_use(scene, sub.actor, use)
        return
    turns = int(sub.options[TURNS])
    scene.begin(sub.actor, "extended_action", value=1, against=use.target, word=action.id, words=use.words(turns))
    tell_progress(scene, sub.actor, 1, turns)
    if is_tested_now(scene, complete=False):
        put_to_use(scene, sub.actor, use, complete=False)


USE_SKILL = Resolver(SkillParams, check, resolve, before=ask_for_parameters, type_for=type_for)
