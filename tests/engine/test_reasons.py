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


def test_a_place_may_be_for_one_clause_alone() -> None:
    order = ("XX-010:banana", "apple", "XX-020:cherry", "banana")
    assert told("cherry", "apple", "banana", order=order) == ["banana", "apple", "cherry", "later"]


def test_what_the_rules_list_first_does_not_come_before_an_earlier_clause() -> None:
    assert told("cherry", order=("later", "cherry")) == ["cherry", "later"]


def test_a_ruleset_may_have_its_own_words_for_a_target_that_is_not_there() -> None:
    for name, expected in (("dark_heresy_2e", "unknown_combatant"), ("wh40k_d100", "no_such_target")):
        rules = ruleset(name)
        sample = "vane" if name == "dark_heresy_2e" else "varro"
        table = duel(rules=rules, ann={"sample": sample}, orc={"sample": sample})
        action = "standard_attack" if name == "dark_heresy_2e" else "attack"
        assert expected in table.why_not(action, "ann", "nobody")
