"""Actions of a table's own: built on what each ruleset opens, played, and shown on the page about house rules."""

import json
import re
from typing import Any

import pytest

from app.engine import events as ev
from app.engine.blocks.effects import EffectParams
from tests.house.documents import findings, merged
from tests.support.play import book, catalog
from tests.support.repository import ROOT

PAGE = (ROOT / "docs" / "house-rules.md").read_text(encoding="utf-8")
WAYS = {
    "dark_heresy_2e": ("half", {"half_action": 1}, "turn_start"),
    "gurps_4e": ("free", {}, "slot_start"),
    "manewry_ap": ("action", {"ap": 2}, "turn_end"),
    "shadowrun_5e": ("simple", {"simple": 1}, "phase_start"),
    "wh40k_d100": ("half", {"half_action": 1}, "turn_start"),
}
"""A type of action with its price, and a moment that ends an effect."""


def stance(ruleset: str, **requires: Any) -> dict[str, Any]:
    """A stance of the table's own that ends at the bearer's next moment."""
    way, price, moment = WAYS[ruleset]
    return {
        "extends": ruleset,
        "effects": {
            "coiled": {
                "name": {"en": "Coiled", "ru": "Сжат", "pl": "Skulony"},
                "clause": "HR-20",
                "until": [[{"at": moment, "who": "bearer"}]],
            }
        },
        "actions": {
            "coil": {
                "name": {"en": "Coil up"},
                "cost": {way: price},
                "resolver": "effect",
                "params": {"do": {"one": {"kind": "begin", "effect": "coiled", "value": 3}}, **requires},
                "clauses": ["HR-20"],
            }
        },
    }


@pytest.mark.parametrize("ruleset", sorted(WAYS))
def test_an_effect_with_an_end_can_be_added_to_every_ruleset(ruleset: str) -> None:
    made = merged(stance(ruleset))
    action = made.ruleset.actions["coil"]
    assert isinstance(action.params, EffectParams)
    assert made.ruleset.effects["coiled"].until[0][0].at == WAYS[ruleset][2]
    assert made.name("effect", "coiled", "pl") == "Skulony"
    assert made.name("action", "coil", "ru") == "Coil up"
    told = made.clause("HR-20", "en")
    assert told is not None
    assert told.text == "This table's own rule: Coil up, Coiled."
    assert set(WAYS) == set(catalog().ids)


@pytest.mark.parametrize("ruleset", sorted(WAYS))
def test_an_effect_that_nothing_ever_ends_is_told(ruleset: str) -> None:
    document = stance(ruleset)
    document["effects"]["coiled"]["until"] = [[{"at": "doomsday"}]]
    assert findings(document, ruleset) == [("/effects/coiled/until/0/0/at", "unknown_name")]


def test_a_condition_that_nothing_sets_and_an_action_that_does_nothing_are_told() -> None:
    document = stance("dark_heresy_2e", requires={"prone": {"not": ["actor.prune", "actor.prone"]}})
    codes = dict(findings(document))
    assert codes["/actions/coil/params/requires/prone/not/0"] == "unknown_tag"
    empty = stance("dark_heresy_2e")
    empty["actions"]["coil"]["params"] = {"do": {}}
    assert findings(empty) == [("/actions/coil/params/do", "too_few")]


def test_an_own_action_is_played_and_its_effect_ends(played: Any) -> None:
    begun, ended = played
    assert [(one.kind, one.value, one.clause) for one in begun] == [("coiled", 3, "HR-20")]
    assert [one.kind for one in ended] == ["coiled"]


@pytest.fixture
def played() -> tuple[list[Any], list[Any]]:
    """A stance taken in the first turn of a fight, until the next."""
    from app.catalog.house.trial import PlainSource, running
    from app.engine import commands as cmd
    from app.engine.commands import Submission
    from app.engine.ids import ActionId
    from app.engine.run import run

    rules = merged(stance("dark_heresy_2e"))
    state = running(rules, "brok", "sable", 1000)
    events: list[Any] = []
    for action in ("coil", "end_turn", "end_turn"):
        slot = state.clock.slot
        assert slot is not None
        done = run(
            rules.ruleset, state, cmd.Act(Submission(slot.owner, ActionId(action))), inputs={}, source=PlainSource()
        )
        events += [one.event for one in done.events]
        state = done.state
    begun = [one.effect for one in events if isinstance(one, ev.EffectBegan) and one.effect.kind == "coiled"]
    ended = [one for one in events if isinstance(one, ev.EffectEnded) and one.kind == "coiled"]
    return begun, ended


def test_the_documents_of_the_page_are_right() -> None:
    whole = json.loads(re.search(r"<<'JSON'\n(.*?)\nJSON", PAGE, re.DOTALL)[1])  # type: ignore[index]
    part = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])  # type: ignore[index]
    assert findings(whole) == []
    assert findings({"extends": "dark_heresy_2e", **part}) == []


def test_the_page_says_what_can_be_built_on() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|", PAGE, re.MULTILINE)
    told = {row[0]: set(re.findall(r"`(\w+)`", " ".join(row[1:]))) for row in rows}
    assert told == {one.id: set(one.code.open) for one in catalog()}
    assert all(book(name).code.open <= set(book(name).code.resolvers) for name in told)
