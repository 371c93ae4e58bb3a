"""Under every ruleset a ruling gives each effect what it declares to take."""

from typing import Any

import msgspec
import pytest

from app.engine.ids import CombatantId
from app.engine.rules import Ruleset
from app.services.bodies import EffectIn
from app.services.effects import effect_fits
from tests.support import play, toy

BOOKS = play.catalog()
RULESETS = [toy.rules(), *(book.ruleset for book in map(BOOKS.get, BOOKS.ids) if book is not None)]


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.id)
def test_an_effect_takes_what_it_declares(rules: Ruleset) -> None:
    for kind in rules.effects.values():
        needed = None if kind.value is None else kind.value.least
        whom = None if kind.against == "none" else "orc"
        given = {"id": kind.id, "value": needed, "against": whom, "rounds": 1 if kind.rounds else None}

        def wrong(kind: Any = kind, given: Any = given, **fields: Any) -> list[tuple[str, str]]:
            effect = msgspec.convert({**given, **fields}, EffectIn)
            return [(one.code, one.at) for one in effect_fits(kind, CombatantId("ann"), effect, effect.against, "")]

        if not kind.ruled:
            assert wrong() == [("only_by_the_rules", "/id")]
            continue
        assert wrong() == [], kind.id
        for other in (10**6, -(10**6)):
            assert wrong(value=other) == [("not_taken" if kind.value is None else "out_of_bounds", "/value")]
        optional = kind.value is None or kind.value.default is not None
        assert wrong(value=None) == ([] if optional else [("missing_input", "/value")])
        assert wrong(rounds=1) == ([] if kind.rounds else [("not_taken", "/rounds")])
        assert wrong(against="orc") == ([("not_taken", "/against")] if kind.against == "none" else [])
        assert wrong(against=None) == ([("missing_input", "/against")] if kind.against == "required" else [])
        if kind.against != "none":
            assert wrong(against="ann") == [("named_twice", "/against")]
