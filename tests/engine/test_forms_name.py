"""Combatants and items that an action's form asks for: who or what is not there is a reason with its place."""

from typing import Any

import pytest

from app.engine.actions import why_not
from app.engine.commands import Submission
from app.engine.ids import ActionId, CombatantId
from app.engine.rules import Ruleset
from app.engine.state import Item
from app.engine.table import Table
from tests.support import toy

FORM = {"who": {"type": "combatant"}, "all": {"type": "combatants"}, "what": {"type": "item"}}


def asking() -> Ruleset:
    """The toy, where whoever pleads may name anybody and anything."""
    plead = toy.DOCUMENT["actions"]["plead"] | {"form": FORM}
    return toy.rulebook(toy.DOCUMENT | {"actions": toy.DOCUMENT["actions"] | {"plead": plead}}).ruleset


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({"who": "orc", "all": ("ann", "orc"), "what": "sword"}, []),
        ({"who": "nobody"}, [("unknown_combatant", "/options/who", ("nobody",))]),
        ({"all": ("ann", "nobody")}, [("unknown_combatant", "/options/all/1", ("nobody",))]),
        ({"what": "bow"}, [("item_not_carried", "/options/what", ("bow",))]),
        ({"what": "bow", "who": "orc"}, []),  # his, who is named beside it
        ({"what": "bow", "who": "nobody"}, [("unknown_combatant", "/options/who", ("nobody",))]),
    ],
)
def test_whom_and_what_a_form_names_is_there(options: dict[str, Any], reasons: list[Any]) -> None:
    ann = toy.body("ann", items={"sword": Item("sword")})
    state = toy.duel(ann, toy.body("orc", "red", items={"bow": Item("bow")}))
    sub = Submission(CombatantId("ann"), ActionId("plead"), options=options)

    found = why_not(Table(asking(), state, viewer=CombatantId("ann")), sub)

    assert [(one.code, one.at, one.names) for one in found] == reasons
