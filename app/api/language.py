"""Which of our languages a reader gets: `Accept-Language` with its weights, else the default."""

from functools import lru_cache

LANGUAGES = ("en", "ru", "pl")
MAX_HEADER = 500


@lru_cache(maxsize=1024)
def negotiate(header: str, default: str) -> str:
    """The first of our languages by weight, then by place; a header that makes no sense asks for nothing."""
    best, best_weight = default, 0.0
    for part in header[:MAX_HEADER].split(","):
        tag, _, parameters = part.strip().partition(";")
        language = tag.strip().lower().split("-")[0]
        weight = _weight(parameters)
        if language == "*":
            language = default
        if language in LANGUAGES and weight > best_weight:
            best, best_weight = language, weight
    return best


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if not name:
        return 1.0
    if name.strip().lower() != "q" or len(value) > 6:
        return 0.0
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if 0.0 <= weight <= 1.0 else 0.0
