"""Forms: a field that the game has and that is barred now, and lists of numbers."""

import pytest

from app.engine.asks import Option, Question, judged_answer
from app.engine.forms import Field, fill
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import BadAnswer, Reason, Refused

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


SHARES = (Field("shots", "integers", minimum=5, maximum=9),)


@pytest.mark.parametrize("given", [[], [5], [9, 5, 5]])
def test_a_list_of_numbers_keeps_their_order(given: list[int]) -> None:
    assert fill(SHARES, {"shots": given}, "/options") == {"shots": tuple(given)}


@pytest.mark.parametrize(
    ("given", "at"),
    [
        (5, "/options/shots"),
        ("55", "/options/shots"),
        ([5] * 201, "/options/shots"),
        ([5, 4], "/options/shots/1"),
        ([10], "/options/shots/0"),
        ([5.0], "/options/shots/0"),
        ([True], "/options/shots/0"),
    ],
)
def test_what_is_no_list_of_such_numbers_is_told_by_its_place(given: object, at: str) -> None:
    with pytest.raises(BadAnswer) as bad:
        fill(SHARES, {"shots": given}, "/options")

    assert bad.value.at == at
