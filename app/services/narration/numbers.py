"""How a language counts and writes figures: plural forms by the rules of CLDR, decimals with its own separator."""

from functools import lru_cache

from babel import Locale

LANGUAGES = ("en", "ru", "pl")
CATEGORIES = {"en": ("one", "other"), "ru": ("one", "few", "many", "other"), "pl": ("one", "few", "many", "other")}
"""The plural categories of each language, in the order in which a catalogue lists the forms of a noun."""


@lru_cache(maxsize=8)
def _locale(language: str) -> Locale:
    return Locale.parse(language)


@lru_cache(maxsize=8192)
def category(language: str, number: float) -> int:
    """Which form of a noun goes with the number, as a place in `CATEGORIES`."""
    return CATEGORIES[language].index(_locale(language).plural_form(abs(number)))


@lru_cache(maxsize=8)
def decimal_sign(language: str) -> str:
    """What stands between the whole and the rest."""
    return str(_locale(language).number_symbols["latn"]["decimal"])


@lru_cache(maxsize=8192)
def hundredths(language: str, length: int) -> str:
    """Hundredths as a decimal number without trailing zeros: 750 -> `7.5` or `7,5`."""
    whole, rest = divmod(abs(length), 100)
    sign = "-" if length < 0 else ""
    if not rest:
        return f"{sign}{whole}"
    return f"{sign}{whole}{decimal_sign(language)}{f'{rest:02d}'.rstrip('0')}"


def counted(language: str, number: int, forms: tuple[str, ...]) -> str:
    """A whole number with the noun it counts."""
    return f"{number} {forms[category(language, number)]}"
