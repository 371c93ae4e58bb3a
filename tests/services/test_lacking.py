"""What a submission lacks is called by its name."""

import pytest

from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.state import Combatant, Sheet
from app.services.narration import Book
from app.services.narration.numbers import LANGUAGES
from app.services.words import Words
from tests.support import play

OTTO = CombatantId("cmb_o1")
BODIES = {OTTO: Combatant(OTTO, "Otto", "red", Sheet({}))}


def told(ruleset: str, language: str, at: str | None) -> str:
    book = play.book(ruleset)
    words = Words(language, book.texts, Book(book.name, "m"), BODIES, sees_hidden=False)
    return words.reason(Reason("missing_input", ClauseId("X-1"), at=at))


@pytest.mark.parametrize("ruleset", play.catalog().ids)
@pytest.mark.parametrize(
    ("at", "en", "ru", "pl"),
    [
        ("/weapon", "Weapon", "Оружие", "Broń"),
        ("/said/distance", "Distance", "Расстояние", "Odległość"),
        (f"/said/distance/{OTTO}", "Distance (Otto)", "Расстояние (Otto)", "Odległość (Otto)"),
    ],
)
def test_an_input_is_called_by_its_title_and_for_whom(ruleset: str, at: str, en: str, ru: str, pl: str) -> None:
    assert told(ruleset, "en", at) == f"Still needed: {en}."
    assert told(ruleset, "ru", at) == f"Ещё нужно указать: {ru}."
    assert told(ruleset, "pl", at) == f"Trzeba jeszcze podać: {pl}."


def test_a_rulesets_own_input_has_the_rulesets_own_title() -> None:
    assert told("wh40k_d100", "en", "/options/called") == "Still needed: Called part."
    assert told("dark_heresy_2e", "pl", "/options/radius") == "Trzeba jeszcze podać: Promień (m)."


@pytest.mark.parametrize("ruleset", play.catalog().ids)
@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_place_something_is_missing_all_the_same(ruleset: str, language: str) -> None:
    text = told(ruleset, language, None)

    assert text.endswith(".")
    assert not set("{}:") & set(text)


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", "A talent is missing: Two Weapon Wielder."),
        ("ru", "Нет нужного Таланта: Бой двумя оружиями."),
        ("pl", "Brakuje talentu: Walka dwiema broniami."),
    ],
)
def test_a_word_of_the_ruleset_is_called_by_its_name(language: str, named: str) -> None:
    words = Words(
        language, play.book("wh40k_d100").texts, Book(play.book("wh40k_d100").name, "m"), {}, sees_hidden=False
    )

    text = words.reason(Reason("missing_talent", ClauseId("WH-620"), names=("two_weapon_wielder",)))

    assert text == named
