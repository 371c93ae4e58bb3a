"""Every event and every refusal says which clause it comes from, and that clause is there."""

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Ask, Input
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import BadAnswer, Reason, Refused
from app.engine.run import run
from tests.golden.fights import all_fights, play
from tests.laws.cases import Case, clauses_of, drawn, events_of, golden_cases
from tests.laws.generate import Table, fight, rulesets, standing, submission
from tests.laws.tape import Tape, examples, tapes
from tests.support.play import book

BY_THE_TABLE = (cmd.Rule, cmd.Edit, cmd.Join, cmd.Leave, cmd.Finish, cmd.Setup)
"""Commands that come from the table and from no rule."""
WITHOUT_A_RULE = (ev.SlotDropped, ev.EffectCounted, ev.EffectBegan)
"""Events that have no clause of their own: what a slot or an effect is there for says it."""


@cache
def is_clause(name: str, clause: str) -> bool:
    """Whether the ruleset has a clause of that id."""
    return book(name).clause(clause, "en") is not None


def unknown(name: str, value: object) -> list[str]:
    """Clauses cited that are not there."""
    return [clause for clause in clauses_of(value) if not is_clause(name, clause)]


def uncited(case: Case) -> Iterator[ev.AnyEvent]:
    """Events of a rule that do not say which."""
    if isinstance(case.command, BY_THE_TABLE):
        return
    for event in events_of(case.outcome):
        if not isinstance(event, WITHOUT_A_RULE) and getattr(event, "clause", None) is None:
            yield event


def test_golden_fights_cite_clauses_that_exist() -> None:
    for case in golden_cases():
        assert not unknown(case.rules.id, case.outcome.events)
        assert not list(uncited(case))


def test_refusals_in_golden_fights_cite_clauses_that_exist() -> None:
    for one in all_fights():
        for _, step in play(one):
            assert all(is_clause(one.ruleset.id, refused.split()[1]) for refused in step.refused)


@pytest.mark.parametrize("name", rulesets())
@examples(everyday=120, long=5_000)
@given(tape=tapes(1200))
def test_generated_fights_cite_clauses_that_exist(name: str, tape: Tape) -> None:
    for case in fight(tape, name):
        assert not unknown(name, case.outcome.events)
        assert not list(uncited(case))


@pytest.mark.parametrize("name", rulesets())
@examples(everyday=150, long=5_000)
@given(tape=tapes(1600))
def test_a_refusal_has_reasons_with_clauses_and_questions_have_theirs(name: str, tape: Tape) -> None:
    table = standing(tape, name, 2)
    for _ in range(6):
        who = CombatantId(tape.pick(sorted(table.state.combatants)))
        asked, reasons = tried(table, cmd.Act(submission(tape, table.rules, table.state, who)))
        assert not unknown(name, (asked, reasons))
        assert all(reason.kind for reason in reasons)


def tried(table: Table, act: cmd.Act) -> tuple[tuple[Ask, ...], tuple[Reason, ...]]:
    """Everything asked in it, and the reasons if it or an answer is refused."""
    asked: list[Ask] = []

    def source(ask: Ask) -> Input:
        asked.append(ask)
        return drawn(b"salt", ask)

    try:
        run(table.rules, table.state, act, inputs={}, source=source)
    except Refused as refused:
        return tuple(asked), refused.reasons or (Reason("none", ClauseId("no reason at all")),)
    except BadAnswer:
        pass
    return tuple(asked), ()
