"""Work that takes seconds and may end in a roll: what Concentrate and Ready have in common. Clauses GU-1200, GU-1210,
GU-1340.
"""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.events import Noted, Term
from app.engine.ids import ClauseId, CombatantId, Scalar
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.gurps_4e.checks import CHARACTERISTICS, base_terms, level, total_of, unspoken_test
from rulesets.gurps_4e.figures import tables_of

TASK, SKILL, SECONDS = "task", "skill", "seconds_needed"
MODIFIER = "modifier"


class Task(msgspec.Struct, frozen=True):
    """What is worked on, what is rolled when it is done (nothing if empty), the seconds it takes, and at whom."""

    text: str
    tested: str = ""
    seconds: int = 1
    against: CombatantId | None = None
    modifier: int = 0

    def is_on(self, record: Effect) -> bool:
        """Whether that work is this one, begun before."""
        return (record.word, record.against) == (self.text, self.against) and (
            record.declared.get(SKILL),
            record.declared.get(SECONDS),
        ) == (self.tested, self.seconds)


def task_of(table: Table, sub: Submission, kind: str, seconds: int = 1, tested: str = "") -> Task:
    """The task a submission names; what it leaves out is as it was when it was begun, else `seconds` and `tested`.

    `kind` is the effect that stands for the work. Clauses: GU-1200, GU-1210, GU-1340.
    """
    text = str(sub.options.get(TASK) or "")
    begun = next((one for one in table.effects(sub.actor, kind) if one.word == text), None)
    known: dict[str, object] = {SKILL: tested, SECONDS: seconds} if begun is None else dict(begun.declared)
    against = sub.target or (None if begun is None else begun.against)
    named, needed = sub.options.get(SKILL, known[SKILL]), sub.options.get(SECONDS, known[SECONDS])
    given = sum(one.value for one in sub.modifiers if one.value is not None)
    return Task(text, str(named), int(str(needed)), against, given)


def why_not_task(table: Table, who: CombatantId, task: Task, kind: str, clause: str) -> Iterator[Reason]:
    """Without a name, with a skill that is none or that he cannot try, or too hard as it would be done now.

    Clauses: GU-240, GU-290, GU-1200, GU-1340.
    """
    reason, at = table.rules.reason, f"/options/{SKILL}"
    if not task.text:
        yield reason("missing_input", clause, at=f"/options/{TASK}")
    if not task.tested:
        return
    if task.tested not in CHARACTERISTICS and task.tested not in table.rules.skills:
        yield reason("unknown_skill", clause, at=at, names=(task.tested,))
        return
    if level(table, who, task.tested) is None:
        yield reason("untrained", "GU-290", at=at, names=(task.tested,))
        return
    total, lowest = total_of(_terms(table, who, task.tested, task.modifier)), tables_of(table).core.lowest_skill
    if seconds_done(table, who, task, kind) + 1 >= task.seconds and total < lowest:
        yield reason("skill_too_low", "GU-240", at=at, need=lowest, got=total)


def seconds_done(table: Table, who: CombatantId, task: Task, kind: str) -> int:
    """Seconds that have gone into this very task in a row."""
    return next((record.value for record in table.effects(who, kind) if task.is_on(record)), 0)


def work_on(scene: Scene, who: CombatantId, task: Task, kind: str) -> bool:
    """One second more, or the first of another task. Tells whether it takes no more. Clauses: GU-1210, GU-1340."""
    done = seconds_done(scene, who, task, kind) + 1
    declared: dict[str, Scalar | tuple[str, ...]] = {SKILL: task.tested, SECONDS: task.seconds, MODIFIER: task.modifier}
    scene.begin(who, kind, value=done, word=task.text, against=task.against, declared=declared)
    return done >= task.seconds


def finish(scene: Scene, who: CombatantId, kind: str, clause: str) -> None:
    """The work that has had all its seconds is done; its roll tells how it came out. Clauses: GU-1210, GU-1340."""
    record = scene.effect(who, kind)
    if record is None or record.value < int(str(record.declared.get(SECONDS, 1))):
        return
    scene.end_one(who, record, "done", clause)
    tested, modifier = str(record.declared.get(SKILL, "")), int(str(record.declared.get(MODIFIER, 0)))
    well = not tested or _rolled(scene, who, record, tested, modifier, clause)
    fact = "task_done" if well else "task_failed"
    scene.emit(Noted(who, fact, record.against, words=(record.word or "",), clause=ClauseId(clause)))


def _rolled(scene: Scene, who: CombatantId, record: Effect, tested: str, modifier: int, clause: str) -> bool:
    """Whether the roll succeeds; one that has become too hard cannot even be tried. Clause: GU-240."""
    terms = _terms(scene, who, tested, modifier)
    if total_of(terms) < tables_of(scene).core.lowest_skill:
        return False
    told = unspoken_test(
        scene, who, tested, TASK, terms, clause=clause, against=record.against, sees=lambda check: check.word
    )
    scene.emit(told.event)
    return told.check.success


def _terms(table: Table, who: CombatantId, tested: str, modifier: int) -> tuple[Term, ...]:
    given = (Term("gm", modifier, ClauseId("GU-130")),) if modifier else ()
    return (*base_terms(table, who, tested), *given)
