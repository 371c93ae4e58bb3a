"""Whatever happens in a fight of these tests can be told, and whatever is asked can be asked, in every language."""

from typing import Any

import pytest

from app.engine import commands as cmd
from tests.rulesets.gurps_4e.telling import flaws, flaws_of_prompt
from tests.support.play import Played, PlayTable

_plain = PlayTable.command


def _told(self: PlayTable, command: cmd.Command, **answers: Any) -> Played:
    before = self.state.combatants
    done = _plain(self, command, **answers)
    bodies = {**before, **done.outcome.state.combatants}
    found = [flaw for event in done.events for flaw in flaws(event, bodies)]
    assert not found, found
    assert not [flaw for ask in done.asked for flaw in flaws_of_prompt(ask, bodies)]
    return done


@pytest.fixture(autouse=True)
def everything_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law of this folder."""
    monkeypatch.setattr(PlayTable, "command", _told)
