"""A word that a form leaves open says where its words come from, or no client could offer any."""

import pytest

from tests.support.play import book, catalog

INVENTED = {("focus_power", "power"), ("focus_power", "test")}
"""What only the table knows: a power that no list of ours has, and what it is tested with."""


@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
def test_an_open_word_says_where_its_words_come_from(ruleset: str) -> None:
    told = book(ruleset).describe_ruleset("en")
    for action in told["actions"]:
        for name, schema in action["form"]["properties"].items():
            if schema["x-type"] == "word" and "oneOf" not in schema and (action["id"], name) not in INVENTED:
                assert schema["x-of"] == "modes" or told[schema["x-of"]], (action["id"], name)
