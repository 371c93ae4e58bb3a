"""Reasons stand in one order, in the list as in a refusal."""

import pytest

from app.engine import commands as cmd
from app.engine.actions import why_not
from app.engine.ids import CombatantId, ItemId
from app.engine.listing import listing
from tests.support.play import duel


@pytest.mark.clause("DH-1040", "DH-1210")
def test_what_is_missing_for_good_stands_where_a_refusal_has_it() -> None:
    """Somebody stunned who has nothing to drop."""
    table = duel(sable={}, brok={})
    who = CombatantId("sable")
    table.rule(cmd.AddEffect(who, "stunned"), *(cmd.SetItem(who, ItemId(key), None) for key in table.who(who).items))

    [view] = [one for one in listing(table.table, who) if one.id == "drop_item"]
    refused = why_not(table.table, cmd.Submission(who, view.id))

    assert [one.code for one in view.reasons] == [one.code for one in refused]
    assert {"missing_input", "stunned"} <= {one.code for one in refused}
