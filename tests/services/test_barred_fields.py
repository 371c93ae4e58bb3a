"""A field of an answer that is barred for now stands beside the form, with why."""

import pytest

from app.engine.forms import Field, fill
from app.engine.ids import ClauseId
from app.engine.reasons import Reason, Refused
from app.services import wire
from app.services.words import Words
from tests.rulesets.gurps_4e.telling import words as voice
from tests.support.play import book

WORDS = Words("en", book("gurps_4e").texts, voice(), {}, sees_hidden=True)
WITH = Field("with", "word", choices=("axe", "hand_off"))
RETREAT = Field("retreat", "bool", required=True)
WHY = Reason("no_room_to_retreat", ClauseId("GU-370"), "range")


def test_a_form_without_barred_fields_says_nothing_of_them() -> None:
    view = wire.form((WITH, RETREAT), WORDS)

    assert list(view["properties"]) == ["with", "retreat"]
    assert view["required"] == ["retreat"]
    assert "x-unavailable" not in view


def test_a_barred_field_is_none_of_the_form_and_has_its_reasons_in_words() -> None:
    barred = Field("retreat", "bool", required=True, barred=(WHY,))

    view = wire.form((WITH, barred), WORDS)

    assert (list(view["properties"]), view["required"]) == (["with"], [])
    assert view["x-names"] == {"retreat": WORDS.field(Field("retreat", "bool"))}
    reason = view["x-unavailable"]["retreat"][0]
    assert (reason["code"], reason["clause"]) == ("no_room_to_retreat", "GU-370")
    assert reason["message"]


def test_a_barred_choice_stands_beside_those_that_may_be_given() -> None:
    field = Field("with", "word", choices=("hand_off",), barred_choices={"axe": (WHY,)})

    schema = wire.form((field,), WORDS)["properties"]["with"]

    assert schema["enum"] == ["hand_off"]
    assert [(why["code"], why["clause"]) for why in schema["x-unavailable"]["axe"]] == [
        ("no_room_to_retreat", "GU-370")
    ]


def test_whoever_gives_a_barred_choice_is_told_why() -> None:
    field = Field("with", "word", choices=("hand_off",), barred_choices={"axe": (WHY,)})

    with pytest.raises(Refused) as refused:
        fill((field,), {"with": "axe"}, "/fields")

    assert refused.value.reasons == (WHY,)
    assert fill((field,), {"with": "hand_off"}, "/fields") == {"with": "hand_off"}
