"""The order in which reasons are told, and a ruleset's own words for a target that is not there."""

from app.engine.ids import ClauseId
from app.engine.reasons import Reason, in_order
from tests.support.play import duel, ruleset


def told(*codes: str, order: tuple[str, ...] = ()) -> list[str]:
    """Codes of one clause and of a later one, as they are told."""
    reasons = [Reason(code, ClauseId("XX-010")) for code in codes] + [Reason("later", ClauseId("XX-020"))]
    return [one.code for one in in_order(reasons, order={code: place for place, code in enumerate(order)})]


def test_within_one_clause_it_is_the_alphabet_unless_the_rules_list_them_otherwise() -> None:
    assert told("cherry", "apple", "banana") == ["apple", "banana", "cherry", "later"]
    assert told("cherry", "apple", "banana", order=("banana", "cherry")) == ["banana", "cherry", "apple", "later"]


def test_what_the_rules_list_first_does_not_come_before_an_earlier_clause() -> None:
    assert told("cherry", order=("later", "cherry")) == ["cherry", "later"]


def test_a_target_that_is_not_there_is_an_unknown_combatant() -> None:
    table = duel(rules=ruleset("dark_heresy_2e"), ann={"sample": "vane"}, orc={"sample": "vane"})

    assert "unknown_combatant" in table.why_not("standard_attack", "ann", "nobody")
