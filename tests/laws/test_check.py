"""A check and a run say the same: what the check passes is carried out, what it refuses is refused at once."""

import pytest
from hypothesis import given

from app.engine import commands as cmd
from app.engine.actions import why_not
from app.engine.asks import Ask, Input
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer, Reason, Refused
from app.engine.run import run
from app.engine.table import table_for
from tests.laws.cases import encoded, settled
from tests.laws.generate import Table, rulesets, standing, submission
from tests.laws.tape import Tape, examples, tapes

TRIES = 8


def agree(table: Table, sub: cmd.Submission, salt: bytes) -> None:
    """One submission, checked and tried."""
    before = encoded(table.state)
    judged = judgement(table, sub)
    if isinstance(judged, tuple) and not judged:
        settled(table.rules, table.state, cmd.Act(sub), salt)
    else:
        assert tried(table, sub) == judged
    assert encoded(table.state) == before


def judgement(table: Table, sub: cmd.Submission) -> tuple[Reason, ...] | str:
    """Every reason against it; in words, if it cannot mean anything."""
    try:
        return why_not(table_for(table.rules, table.state, sub), sub)
    except BadAnswer as bad:
        return str(bad)


def tried(table: Table, sub: cmd.Submission) -> tuple[Reason, ...] | str:
    """The same from a run, which must not have asked for anything."""
    try:
        run(table.rules, table.state, cmd.Act(sub), inputs={}, source=_nobody)
    except Refused as refused:
        return refused.reasons
    except BadAnswer as bad:
        return str(bad)
    return "carried out"


def _nobody(ask: Ask) -> Input | None:
    raise AssertionError(f"a refused submission asked for {ask.key}")


@pytest.mark.parametrize("name", rulesets())
@examples(everyday=150, long=10_000)
@given(tape=tapes(1600))
def test_what_the_check_passes_is_carried_out_and_nothing_else(name: str, tape: Tape) -> None:
    table = standing(tape, name, tape.below(5))
    for number in range(TRIES):
        who = CombatantId(tape.pick(sorted(table.state.combatants))) if tape.is_one_in(4) else None
        agree(table, submission(tape, table.rules, table.state, who), bytes([number]))
