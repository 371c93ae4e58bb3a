"""A skill put to use: what its test is on and what a success does. Clauses DH-2020, DH-3700, DH-3710, DH-5550."""

import msgspec

from app.engine.commands import Submission
from app.engine.events import Term
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.dark_heresy_2e.checks import take_test
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.tags import given_terms

NAME = ActionId("use_skill")
CLAUSE = "DH-3700"
SKILL, DIFFICULTY, MODIFIER, TURNS = "skill", "difficulty", "modifier", "turns"
GM_MODIFIER = "gm"
CHARACTERISTICS = ("ws", "bs", "s", "t", "ag", "int", "per", "wp", "fel")


class Use(msgspec.Struct, frozen=True):
    """What is tested, how hard it is, on whom, and the condition that a success ends on him."""

    skill: str
    difficulty: str = ""
    modifier: int = 0
    target: CombatantId | None = None
    stops: str = ""

    def words(self, turns: int) -> tuple[str, ...]:
        """What an action that runs on keeps of it, the number of its turns first. On whom it keeps by itself."""
        return (str(turns), self.skill, self.difficulty, str(self.modifier), self.stops)


def use_from(sub: Submission, stops: str = "", preset: int = 0) -> Use:
    """The use that a submission asks for, with what a known use of the skill adds."""
    stated = sub.options.get(MODIFIER)
    given = sum(term.value for term in given_terms(sub.modifiers))
    return Use(
        str(sub.options.get(SKILL)),
        str(sub.options.get(DIFFICULTY) or ""),
        (stated if isinstance(stated, int) else 0) + given + preset,
        sub.target,
        stops,
    )


def use_kept(running: Effect) -> Use:
    """The use that an action which runs on is about."""
    _, skill, difficulty, modifier, stops = running.words
    return Use(skill, difficulty, int(modifier), running.against, stops)


def is_testable(table: Table, tested: str) -> bool:
    """Whether it is a skill, or a characteristic that is tested in place of one."""
    return tested in table.rules.skills or tested in CHARACTERISTICS


def is_tested_now(table: Table, complete: bool) -> bool:
    """Whether this turn of an extended use has a test: the last one, or by house rule each. Clause: DH-3710."""
    return complete or table.option("extended_test") == "each_turn"


def put_to_use(scene: Scene, who: CombatantId, use: Use, *, complete: bool = True) -> None:
    """The test, and if the work is done what a success does. Clauses: DH-3700, DH-3710, DH-5550."""
    check = take_test(scene, who, use.skill, NAME, _terms(scene, use), clause=CLAUSE, against=use.target)
    if check.success and complete and use.stops:
        scene.end(use.target or who, use.stops, why="treated", clause=scene.rules.effects[use.stops].clause)


def _terms(table: Table, use: Use) -> tuple[Term, ...]:
    """The named difficulty and the stated modifier. Clause: DH-2020."""
    named = next((row for row in tables_of(table).difficulty if row.name == use.difficulty), None)
    difficulty = () if named is None else (Term(named.name, named.value, ClauseId("DH-2020")),)
    return (*difficulty, Term(GM_MODIFIER, use.modifier, ClauseId(CLAUSE)))
