"""What stands around the sentences: prompts, names of inputs, plurals, and what players type made harmless."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.findings import Findings
from app.catalog.registry import read_folder
from app.engine.asks import GM, Option, Question, Roll, judged_answer, judged_faces
from app.engine.forms import Field, fill
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer
from app.engine.state import Combatant, Sheet
from app.services.narration import (
    Book,
    Context,
    fault,
    field_title,
    option_name,
    prompt,
    purpose_name,
    question_title,
    value_name,
)
from app.services.narration.catalogue import catalogue
from app.services.narration.numbers import LANGUAGES, counted, hundredths
from app.services.narration.plain import clipped, plain
from app.services.narration.templates import BadTemplate, compiled, lowered
from tests.support.repository import ROOT

SABLE, BROK, WATCHER = CombatantId("cmb_s4"), CombatantId("cmb_b9"), CombatantId("cmb_w1")
BODIES = {
    SABLE: Combatant(SABLE, "Sable", "acolytes", Sheet({})),
    BROK: Combatant(BROK, "Brok", "cult", Sheet({})),
    WATCHER: Combatant(WATCHER, "Watcher", "cult", Sheet({}), hidden=True),
}
BARE = Context(Book(lambda kind, key, language: None, "m"), BODIES, sees_hidden=False)
DARK_HERESY = Context(
    Book(read_folder(ROOT / "rulesets" / "dark_heresy_2e", Findings())[1].find, "m"), BODIES, sees_hidden=False
)
KINDS = (
    "defend",
    "free_attack",
    "overwatch_fire",
    "delay_use",
    "allocate_hits",
    "negate_hits",
    "die_replacement",
    "engage",
    "ruling",
)


def question(
    kind: str,
    name: str | None = None,
    to: CombatantId = BROK,
    about: CombatantId | None = SABLE,
    figures: dict[str, int] | None = None,
) -> Question:
    return Question("", name or kind, kind, to, (Option("none"),), "none", about=about, figures=figures or {})


# Prompts


@pytest.mark.parametrize(
    ("kind", "figures", "en", "ru", "pl"),
    [
        (
            "defend",
            {"hits": 3},
            "Brok: evade Sable's attack (3 hits)?",
            "Brok: избежать атаки (3 попадания)? Атакует Sable.",
            "Brok: uniknąć ataku (3 trafienia)? Atakuje Sable.",
        ),
        (
            "negate_hits",
            {"hits": 3, "negated": 2},
            "Brok: which hits are evaded (2 of 3)?",
            "Brok: каких попаданий избежать (2 из 3)?",
            "Brok: których trafień uniknąć (2 z 3)?",
        ),
        (
            "free_attack",
            {},
            "Brok: make a free attack on Sable?",
            "Brok: провести свободную атаку? Цель — Sable.",
            "Brok: wykonać atak okazyjny? Cel: Sable.",
        ),
    ],
)
def test_a_prompt_says_who_is_asked_what(kind: str, figures: dict[str, int], en: str, ru: str, pl: str) -> None:
    asked = question(kind, figures=figures)

    assert [prompt(asked, DARK_HERESY, language) for language in ("en", "ru", "pl")] == [en, ru, pl]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question_has_a_prompt_with_and_without_figures(kind: str, language: str) -> None:
    full = {"hits": 3, "negated": 2, "die": 2, "degrees": 4}
    for asked in (question(kind, figures=full), question(kind, about=None)):
        text = prompt(asked, BARE, language)

        assert text.startswith("Brok: ")
        assert not set("{}[]") & set(text)
        assert text.rstrip(")")[-1] in ".?" or text.endswith("(Sable)")


def test_a_question_nobody_has_worded_is_asked_neutrally() -> None:
    assert prompt(question("never_heard_of"), BARE, "en") == "Brok: a decision is needed. (Sable)"
    assert prompt(question("never_heard_of"), BARE, "ru") == "Brok: нужно решение. (Sable)"


def test_a_ruling_is_asked_of_the_gm_by_its_own_name() -> None:
    asked = question("ruling", "straight_run", to=GM)

    assert prompt(asked, DARK_HERESY, "en") == "The GM: Is the run straight? (Sable)"
    assert prompt(asked, DARK_HERESY, "ru") == "Мастер: Идёт ли бег по прямой? (Sable)"


def test_a_hidden_attacker_is_named_to_nobody_who_may_not_know() -> None:
    asked = question("overwatch_fire", about=WATCHER)

    assert prompt(asked, BARE, "pl") == "Brok: otworzyć ogień? Cel: ktoś."


def test_a_roll_is_asked_for_with_dice_purpose_and_target() -> None:
    roll = Roll("to_hit", "to_hit", 1, 100, SABLE, "attack", target=72)

    assert prompt(roll, BARE, "en") == "Sable: roll 1d100 — attack, target 72."
    assert prompt(roll, BARE, "ru") == "Sable: бросок 1к100 — атака, порог 72."
    assert prompt(roll, BARE, "pl") == "Sable: rzut 1k100 — atak, próg 72."
    assert prompt(Roll("d", "d", 3, 6, SABLE, "damage"), BARE, "en") == "Sable: roll 3d6 — damage."


# Names


def test_an_option_is_called_as_its_question_calls_it() -> None:
    assert option_name("defend", "none", DARK_HERESY, "en") == "Take it"
    assert option_name("spend_fate", "none", DARK_HERESY, "en") == "Spend no Fate"
    assert option_name("engage", BROK, DARK_HERESY, "en") == "Brok"
    assert option_name("engage", "never_heard_of", BARE, "ru") == "never heard of"


def test_fields_values_purposes_and_questions_have_names() -> None:
    assert field_title(Field("hits", "words"), BARE, "ru") == "Попадания"
    assert field_title(Field("whatever", "word", title="target"), BARE, "pl") == "Cel"
    assert field_title(Field("use_of_force", "bool"), BARE, "en") == "use of force"
    assert value_name(True, BARE, "pl") == "tak"
    assert value_name(None, BARE, "en") == "nothing"
    assert value_name(3, BARE, "en") == "3"
    assert value_name(SABLE, BARE, "en") == "Sable"
    assert value_name("main", DARK_HERESY, "en") == "Main hand"
    assert purpose_name("recover_from_pinning", DARK_HERESY, "en") == "recovering from pinning"
    assert question_title("defend", DARK_HERESY, "en") == "Evade the hit?"
    assert question_title("never_heard_of", BARE, "en") == "a decision is needed"


def bad_answers() -> list[BadAnswer]:
    form = (
        Field("hits", "integer", True, minimum=1, maximum=3),
        Field("who", "word", choices=("a", "b")),
        Field("share", "allocation", choices=("a", "b"), total=3),
        Field("all", "words"),
    )
    asked = Question("", "q", "q", BROK, (Option("yes"),), "yes")
    roll = Roll("r", "r", 1, 10, BROK, "attack")
    found = []
    for fields in (
        {"odd": 1},
        {},
        {"hits": "x"},
        {"hits": 9},
        {"hits": 1, "who": "c"},
        {"hits": 1, "share": {"a": 1}},
        {"hits": 1, "all": ["x", "x"]},
    ):
        with pytest.raises(BadAnswer) as caught:
            fill(form, fields, "/fields")
        found.append(caught.value)
    for faces in ([1, 2], [11]):
        with pytest.raises(BadAnswer) as caught:
            judged_faces(roll, faces, "client")
        found.append(caught.value)
    with pytest.raises(BadAnswer) as caught:
        judged_answer(asked, "no", {})
    return [*found, caught.value]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_an_answer_is_said_in_the_readers_language(language: str) -> None:
    for bad in bad_answers():
        text = fault(bad.code, language, bad.need or "")

        assert catalogue(language).text("fault", bad.code), bad.code
        assert text.endswith(".")
        assert not set("{}[]") & set(text)
        assert language == "en" or " to " not in text
        assert language == "en" or "number" not in text


def test_a_fault_tells_what_would_have_been_right() -> None:
    assert fault("die_out_of_range", "ru", "1 to 100") == "На кости такого не бывает; возможно: от 1 до 100."
    assert fault("wrong_type", "pl", "a whole number") == "Tu potrzeba czegoś innego: liczba całkowita."
    assert fault("given_twice", "en") == "The same thing is given twice."
    assert fault("never_heard_of", "en") == "This value cannot be used."
    assert fault("missing_input", "xx") == "Something needed is missing."


# Numbers


@pytest.mark.parametrize(
    ("number", "en", "ru", "pl"),
    [
        (0, "degrees", "степеней", "stopni"),
        (1, "degree", "степень", "stopień"),
        (2, "degrees", "степени", "stopnie"),
        (5, "degrees", "степеней", "stopni"),
        (11, "degrees", "степеней", "stopni"),
        (12, "degrees", "степеней", "stopni"),
        (21, "degrees", "степень", "stopni"),
        (22, "degrees", "степени", "stopnie"),
        (25, "degrees", "степеней", "stopni"),
        (101, "degrees", "степень", "stopni"),
        (111, "degrees", "степеней", "stopni"),
    ],
)
def test_a_noun_has_the_form_that_its_number_asks_for(number: int, en: str, ru: str, pl: str) -> None:
    for language, form in (("en", en), ("ru", ru), ("pl", pl)):
        assert counted(language, number, catalogue(language).forms("degree") or ()) == f"{number} {form}"


@pytest.mark.parametrize(
    ("length", "en", "pl"),
    [(0, "0", "0"), (800, "8", "8"), (750, "7.5", "7,5"), (705, "7.05", "7,05"), (-5, "-0.05", "-0,05")],
)
def test_a_decimal_has_the_sign_of_its_language(length: int, en: str, pl: str) -> None:
    assert hundredths("en", length) == en
    assert hundredths("pl", length) == hundredths("ru", length) == pl


def test_a_title_keeps_its_capitals_in_a_sentence() -> None:
    assert lowered("Laspistol") == "laspistol"
    assert lowered("Правая рука") == "правая рука"
    assert lowered("Łańcuchowy miecz") == "łańcuchowy miecz"
    assert lowered("Storm Bolter") == "Storm Bolter"
    assert lowered("AK-97") == "AK-97"
    assert lowered("") == ""


@pytest.mark.parametrize("text", ["{who", "who}", "[a", "a]", "[a [b]]", "{n:unicorn}", "{Who}", "{}"])
def test_a_template_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadTemplate):
        compiled(text, "en", catalogue("en").forms)


# What players type


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Brok", "Brok"),
        ("Żółć Ёж 李", "Żółć Ёж 李"),
        ("O'Hara-Smith (2)", "O'Hara-Smith (2)"),
        ("@everyone", "＠everyone"),
        ("hey @HERE", "hey ＠HERE"),
        ("a@b", "a@b"),
        ("<@123456789012345678>", "‹@123456789012345678›"),
        ("<script>alert(1)</script>", "‹script›alert(1)‹/script›"),
        ("**bold** __x__ ~~y~~ ||z|| `c`", r"\*\*bold\*\* \_\_x\_\_ \~\~y\~\~ \|\|z\|\| \`c\`"),
        ("[link](https://evil.example)", r"\[link\](https:\//evil.example)"),
        ("# Title", r"\# Title"),
        ("- item", r"\- item"),
        ("-5", "-5"),
        ("1. first", r"1\. first"),
        ("> quote", "› quote"),
        ("a\\*b", r"a\\\*b"),
        ("line\nbreak\ttab", "line break tab"),
        ("zero\u200bwidth\u202eflip\x1b[0m", r"zerowidthflip\[0m"),
        ("@\u200beveryone", "＠everyone"),
        ("x" * 80, "x" * 39 + "…"),
    ],
)
def test_what_a_player_types_comes_out_harmless(typed: str, told: str) -> None:
    assert plain(typed) == told


@given(st.text(max_size=120))
def test_nothing_typed_keeps_markup_mentions_tags_or_breaks(typed: str) -> None:
    told = plain(typed)

    bare = re.sub(r"\\[\\*_~`|\[\]#+/.)-]", "", told)
    assert not re.search(r"[*_~`|\[\]<>\n\r\x00-\x1f\u200b\u202e]", bare)
    assert not re.search("@(everyone|here)", told, re.IGNORECASE)
    assert "://" not in told
    assert told == told.strip() or told.endswith("\\")


@given(st.text(alphabet="ab\\*_ ", max_size=60), st.integers(2, 30))
def test_a_cut_sentence_ends_in_no_half_of_an_escape(typed: str, limit: int) -> None:
    cut = clipped(plain(typed), limit)

    assert len(cut) <= limit
    assert not cut.endswith("\\…")
