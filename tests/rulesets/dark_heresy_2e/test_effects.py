"""What a ruling gives its effects. Clauses DH-4620, DH-5670."""

import pytest

from app.engine import commands as cmd
from app.engine.ids import CombatantId
from rulesets.dark_heresy_2e.figures import tables_of
from tests.support.play import duel, ruleset


@pytest.mark.clause("DH-4620")
def test_a_feint_by_ruling_counts_against_whom_it_names() -> None:
    table = duel(1, ann={"sample": "vane", "held": {"sword": "main"}}, bob={"sample": "gorm"})
    table.rule(cmd.AddEffect(CombatantId("bob"), "feinted", against=CombatantId("ann")))

    done = table.play("standard_attack", "ann", "bob", to_hit=1, damage=[1])

    assert done.questions("defend") == []
    assert not table.has("bob", "feinted")


@pytest.mark.clause("DH-5670")
def test_fear_is_as_bad_as_its_table_goes() -> None:
    value = ruleset().effects["fear"].value

    assert value is not None
    assert value.most == len(tables_of(duel(1, ann={"sample": "vane"}, bob={"sample": "vane"}).table).core.fear)
