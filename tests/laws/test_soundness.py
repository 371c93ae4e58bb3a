"""Play never leads to what a GM may not write: what is judged at the door is what the rules themselves keep to."""

import pytest

from app.engine.ids import CombatantId
from tests.laws.cases import golden_cases
from tests.support import play

CATALOG = play.catalog()


def test_nobody_comes_out_of_a_golden_fight_as_he_cannot_be() -> None:
    for case in golden_cases():
        for body in case.outcome.state.combatants.values():
            assert list(case.rules.misfits(body)) == [], (case, body.name)


@pytest.mark.parametrize("ruleset", CATALOG.ids)
def test_no_sample_is_as_nobody_can_be(ruleset: str) -> None:
    book = CATALOG.get(ruleset)
    assert book is not None
    for sample in book.document["samples"]:
        body = book.sample(sample, CombatantId("cmb_1"), "red", sample)
        assert body is not None
        assert list(book.ruleset.misfits(book.ruleset.prepare(book.ruleset, body))) == [], sample
