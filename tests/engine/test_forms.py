"""Forms: a field that the game has and that is barred now."""

import pytest

from app.engine.asks import Option, Question, judged_answer
from app.engine.forms import Field, fill
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason, Refused

WHY = Reason("no_room_to_retreat", ClauseId("GU-370"))
FORM = (Field("retreat", "bool", barred=(WHY,)), Field("with", "word", choices=("sword", "fist")))


@pytest.mark.parametrize("given", [{}, {"retreat": False}, {"with": "fist"}])
def test_a_barred_field_may_be_left_out_or_denied(given: dict[str, object]) -> None:
    assert fill(FORM, given, "/fields") == given


def test_whoever_gives_a_barred_field_is_told_why_not() -> None:
    question = Question("", "defend", "defend", CombatantId("ann"), (Option("dodge", form=FORM),), "dodge")

    with pytest.raises(Refused) as refused:
        judged_answer(question, "dodge", {"retreat": True})

    assert refused.value.reasons == (WHY,)
