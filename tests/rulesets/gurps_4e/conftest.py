"""Whatever happens in a fight of these tests can be told, and whatever is asked can be asked, in every language; all
damage is the sum of its parts.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from tests.rulesets.gurps_4e.telling import flaws, flaws_of_prompt
from tests.support.play import Played, PlayTable

_plain = PlayTable.command


def _told(self: PlayTable, command: cmd.Command, **answers: Any) -> Played:
    before = self.state.combatants
    done = _plain(self, command, **answers)
    bodies = {**before, **done.outcome.state.combatants}
    found = [flaw for event in done.events for flaw in flaws(event, bodies)]
    assert not found, found
    for dealt in done.of(ev.DamageDealt):
        parts = {term.id: term.value for term in dealt.terms}
        assert sum(parts.values()) == dealt.raw, dealt
        assert parts.get("dice", 0) == sum(die.value for die in dealt.dice), dealt
    assert not [flaw for ask in done.asked for flaw in flaws_of_prompt(ask, bodies)]
    return done


@pytest.fixture(autouse=True)
def everything_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law of this folder."""
    monkeypatch.setattr(PlayTable, "command", _told)
