"""Under every ruleset its own words may be stated, and no other."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from app.engine.ids import CombatantId
from app.engine.rules import Ruleset
from app.services import stated
from app.services.bodies import CoverIn, FactIn, MapIn
from app.services.errors import Finding
from tests.support import play, toy

BOOKS = play.catalog()
RULESETS = [toy.rules(), *(book.ruleset for book in map(BOOKS.get, BOOKS.ids) if book is not None)]
each_ruleset = pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.id)
ANN, ORC = CombatantId("ann"), CombatantId("orc")


def told(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """What was found, and where."""
    return [(one.code, one.at) for one in findings]


def fact(rules: Ruleset, **fields: Any) -> list[tuple[str, str]]:
    """What is wrong with a fact."""
    given = msgspec.convert({"from": "ann", "to": "orc", **fields}, FactIn)
    return told(stated.facts_fit(rules.vocabulary, [(ANN, ORC, given, "")]))


@each_ruleset
@pytest.mark.parametrize(("field", "words"), [("band", "bands"), ("arc", "arcs")])
def test_a_fact_is_stated_in_the_words_of_the_ruleset(rules: Ruleset, field: str, words: str) -> None:
    for word in getattr(rules.vocabulary, words):
        assert fact(rules, **{field: word}) == []
    assert fact(rules, **{field: "xyzzy"}) == [("unknown_word", f"/{field}")]


@each_ruleset
def test_so_is_what_lies_between_two(rules: Ruleset) -> None:
    assert fact(rules, between=rules.vocabulary.air) == []
    assert fact(rules, between=("xyzzy",)) == [("unknown_word", "/between/0")]
    for word in rules.vocabulary.ground:
        assert fact(rules, between=(word,)) == [("unknown_word", "/between/0")]


@each_ruleset
def test_so_are_regions(rules: Ruleset) -> None:
    words = rules.vocabulary
    kinds = [*words.air, *words.ground, "xyzzy"]
    regions = [{"kind": kind, "shape": [(0, 0), (1, 0), (1, 1)]} for kind in kinds]
    given = msgspec.convert({"mode": "map", "regions": regions}, MapIn)

    assert told(stated.map_fits(words, given, "")) == [("unknown_word", f"/regions/{len(kinds) - 1}/kind")]


@each_ruleset
def test_so_is_cover(rules: Ruleset) -> None:
    words = rules.vocabulary

    def wrong(**piece: Any) -> list[tuple[str, str]]:
        given = msgspec.convert({"pieces": [{"id": "crate", **piece}]}, CoverIn)
        return told(stated.cover_fits(words, given, ""))

    assert wrong(ap=4, locations=words.locations) == []
    assert wrong(ap=4) == ([("missing_input", "/pieces/0/locations")] if words.locations else [])
    assert wrong(locations=("xyzzy",)) == [("unknown_word", "/pieces/0/locations/0")]
    assert (
        wrong(locations=words.locations[:1] * 2) == [("given_twice", "/pieces/0/locations/1")][: len(words.locations)]
    )
    assert wrong(rating="xyzzy") == [("unknown_word", "/pieces/0/rating")]
    for rating in words.cover_ratings:
        assert wrong(rating=rating) == []
