"""House-rule options of one encounter: what a client sends, judged against the ruleset's declaration of each."""

from collections.abc import Mapping
from typing import Any

from app.catalog.compile import option_value
from app.catalog.document import entries
from app.catalog.findings import child
from app.catalog.shapes import from_length, to_length
from app.engine.dice import BadDice, parse_dice
from app.engine.ids import Scalar
from app.engine.reasons import Reason, Refused, in_order
from app.engine.rules import Ruleset


def read_options(rules: Ruleset, wire: Mapping[str, Any], at: str = "/options") -> dict[str, Scalar | tuple[str, ...]]:
    """The options that differ from the ruleset's own, in the engine's form.

    Raises `Refused` with every unknown key and every value that cannot be.
    """
    declared = entries(rules.document, "options")
    reasons: list[Reason] = []
    found: dict[str, Scalar | tuple[str, ...]] = {}
    for key in sorted(wire):
        if key not in declared:
            reasons.append(rules.reason("unknown_option_key", at=child(at, key), names=(key,)))
        elif not _fits(declared[key], wire[key]):
            reasons.append(rules.reason("invalid_option_value", at=child(at, key), names=(key,)))
        else:
            value = option_value(declared[key], wire[key])
            if value != rules.options[key]:
                found[key] = value
    if reasons:
        raise Refused(_all_places(reasons, rules))
    return found


def _all_places(reasons: list[Reason], rules: Ruleset) -> tuple[Reason, ...]:
    """Each code once, as refusals are told, naming every key that has it."""
    names = {code: tuple(n for r in reasons if r.code == code for n in r.names) for code in {r.code for r in reasons}}
    return tuple(rules.reason(one.code, at=one.at, names=names[one.code]) for one in in_order(reasons))


def _fits(option: Mapping[str, Any], value: Any) -> bool:
    match option["kind"]:
        case "flag":
            return isinstance(value, bool)
        case "choice":
            return isinstance(value, str) and value in option["choices"]
        case "list":
            return (
                isinstance(value, list | tuple)
                and all(isinstance(one, str) and one in option["choices"] for one in value)
                and len(set(value)) == len(value)
            )
        case "dice":
            return isinstance(value, str) and _is_dice(value, option.get("max"))
        case "length":
            length = to_length(value)
            return length is not None and option.get("min", 0) <= value <= option["max"]
        case "optional_whole" if value in ("none", None):
            return True
        case _:
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole and bool(option["min"] <= value <= option["max"])


def _is_dice(text: str, most: int | None) -> bool:
    try:
        dice = parse_dice(text)
    except BadDice:
        return False
    return most is None or dice.highest <= most


def write_option(rules: Ruleset, key: str, value: Any) -> Any:
    """An option's value as the wire writes it."""
    match rules.document["options"][key]["kind"]:
        case "length":
            return from_length(value)
        case "list":
            return list(value)
        case "optional_whole":
            return "none" if value is None else value
        case _:
            return value


def options_in_force(rules: Ruleset, changed: Mapping[str, Any]) -> dict[str, Any]:
    """Every option with its value in an encounter that changed some of them, in wire form."""
    return {key: write_option(rules, key, changed.get(key, own)) for key, own in rules.options.items()}
