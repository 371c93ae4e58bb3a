"""What a preview tells of an attack: what most likely comes, not what one rare way would bring."""

from typing import Any

import pytest

from app.engine.preview import MILLION, Preview, preview
from tests.rulesets.wh40k_d100.fights import begin, fight, held
from tests.support.play import PlayTable


def foretold(table: PlayTable, action: str, *targets: str, **fields: Any) -> Preview:
    """The preview of whoever has the turn."""
    return preview(table.rules, table.state, table.submission(action, table.turn or "", *targets, **fields))


@pytest.mark.clause("WH-240")
@pytest.mark.parametrize(("ag", "target"), [(36, 36), (12, 12)])
def test_the_defence_is_not_that_against_a_critical_success(ag: int, target: int) -> None:
    table = fight(apart=1, grash={"ws": 45}, varro={"ag": ag, "ws": 1})

    found = foretold(table, "attack", "varro", weapon="great_cleaver")

    defence = next(one for one in found.checks if one.purpose != "attack")
    assert defence.target == target
    assert [term.id for term in defence.terms if term.id == "critical_hit"] == []
    assert [(one.combatant, one.chance) for one in found.defence] == [("varro", target * MILLION // 100)]


@pytest.mark.clause("WH-160")
def test_an_attack_that_fails_by_itself_is_told_to_hit_nothing() -> None:
    table = fight(varro={"items": held("laspistol")}, trooper={"minor": 0})
    begin(table, "varro", "blinded", 1)

    found = foretold(table, "attack", "trooper", said={"bands": {"trooper": "short"}})

    assert (found.legal, found.checks) == (True, ())
    assert found.odds is not None
    assert (found.odds.hits, found.odds.drops) == ({0: MILLION}, 0)
