"""Whole fights, written from the rules: start, commands, dice and answers, and the log that the rules ask for.

A fight that fails here was either written wrongly or shows that the rules were changed. Correct the file by hand from
the rules; never copy our output into it.
"""

import pytest

from app.engine import events as ev
from tests.golden.fights import Fight, all_fights, play
from tests.golden.lines import LINES, WITH_STATE
from tests.support.play import book

FIGHTS = all_fights()


@pytest.mark.parametrize("fight", FIGHTS, ids=lambda fight: fight.name)
def test_a_fight_goes_as_the_rules_say(fight: Fight) -> None:
    for number, (written, step) in enumerate(play(fight), 1):
        where = f"step {number}: {written['do']}"
        assert list(step.refused) == written.get("refused", []), where
        assert step.log == written.get("log", []), where


@pytest.mark.parametrize("fight", FIGHTS, ids=lambda fight: fight.name)
def test_a_fight_names_clauses_that_exist(fight: Fight) -> None:
    rules: list[str] = fight.data["rules"]

    unknown = [clause for clause in rules if book(fight.ruleset.id).clause(clause, "en") is None]

    assert not unknown


def test_every_event_has_its_line() -> None:
    known = {*ev.CHANGES, *ev.FACTS, *ev.TABLE_FACTS}

    assert set(LINES) | set(WITH_STATE) == known
