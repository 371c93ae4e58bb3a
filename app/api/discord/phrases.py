"""How pieces of the API read within a line: a pool's end, a chance, why not, what may be typed."""

from app.api.discord.parts import Json


def most(pool: Json) -> str:
    """The end of a pool, behind what it holds."""
    return "" if pool["max"] is None else f"/{pool['max']}"


def chance(option: Json) -> str:
    """The chance of an answer, behind its name."""
    return f" ({round(option['chance'] * 100)}%)" if "chance" in option else ""


def why(barred: Json) -> str:
    """Everything that stands against an answer."""
    return " ".join(str(reason["message"]) for reason in barred["reasons"])


def hint(at: str) -> str:
    """What stands in an empty field of a form."""
    return "2,3 4,3" if at == "/path" else at
