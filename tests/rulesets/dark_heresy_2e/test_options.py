"""House-rule options: each is read by a rule, and has tests of what it is and of what it may be instead."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from app.catalog.registry import FOLDER
from app.engine import events as ev
from tests.support.play import book, duel

HERE = Path(__file__).parent
CODE = FOLDER / "dark_heresy_2e"
DECLARED: dict[str, dict[str, Any]] = book().document["options"]
ANYTHING = object()
"""A value that only running the test would tell."""


# What is read


@cache
def texts_in_code() -> frozenset[str]:
    """Every text in the Python of the ruleset that is no docstring."""
    found = set()
    for path in CODE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        notes = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in notes:
                found.add(node.value)
    return frozenset(found)


@cache
def tags_in_data() -> frozenset[str]:
    """Every tag that a modifier asks for."""
    rows = book().ruleset.modifiers
    return frozenset(tag for row in rows for tag in (*row.all, *row.any, *row.without))


def is_read(option: str) -> bool:
    """Whether a rule looks at it: Python by its name, data by its tag."""
    asked = (f"option.{option}", f"option.{option}.")
    return option in texts_in_code() or any(tag == asked[0] or tag.startswith(asked[1]) for tag in tags_in_data())


@pytest.mark.parametrize("option", sorted(DECLARED))
def test_every_option_is_read_by_a_rule(option: str) -> None:
    assert is_read(option)


def test_one_that_nothing_reads_would_be_found() -> None:
    assert not is_read("no_such_option")


# What is tested


class Setting:
    """One test that sets an option: where, and to which values."""

    def __init__(self, test: str, option: str, values: tuple[Any, ...]) -> None:
        self.test, self.option, self.values = test, option, values


@cache
def settings() -> tuple[Setting, ...]:
    """Every place in the tests of this ruleset where an option is given a value, in what they share too."""
    return tuple(one for path in sorted(HERE.glob("test_*.py")) for one in _settings_of(path))


def _settings_of(path: Path) -> Iterator[Setting]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        given = _parametrized(node) if isinstance(node, ast.FunctionDef) else {}
        for option, value in _pairs(node):
            yield Setting(f"{path.stem}::{getattr(node, 'name', '')}", option, _values(value, given))


def _pairs(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Options with the expression of their value: keyword arguments and entries of literal mappings."""
    for one in ast.walk(node):
        if isinstance(one, ast.keyword) and one.arg in DECLARED:
            yield one.arg or "", one.value
        elif isinstance(one, ast.Dict):
            for key, value in zip(one.keys, one.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in DECLARED:
                    yield str(key.value), value


def _parametrized(node: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """What each parameter of a test is given by its decorators."""
    found: dict[str, list[ast.expr]] = {}
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("parametrize"):
            continue
        names, rows = decorator.args[0], decorator.args[1]
        if not isinstance(rows, ast.List | ast.Tuple):
            continue
        if isinstance(names, ast.Constant):
            found.setdefault(str(names.value), []).extend(rows.elts)
        elif isinstance(names, ast.Tuple):
            for place, name in enumerate(names.elts):
                column = [row.elts[place] for row in rows.elts if isinstance(row, ast.Tuple) and len(row.elts) > place]
                found.setdefault(ast.literal_eval(name), []).extend(column)
    return found


def _values(value: ast.expr, given: dict[str, list[ast.expr]]) -> tuple[Any, ...]:
    """What an expression may come to: itself, or whatever its parameter is given."""
    if isinstance(value, ast.Name) and value.id in given:
        return tuple(found for one in given[value.id] for found in _values(one, {}))
    try:
        return (ast.literal_eval(value),)
    except ValueError:
        return (ANYTHING,)


def set_to(option: str) -> set[Any]:
    """Every value that a test sets it to."""
    values = (value for one in settings() if one.option == option for value in one.values)
    return {as_declared(option) if value is None else plain(value) for value in values if could_be(option, value)}


def could_be(option: str, value: Any) -> bool:
    """Whether that is a setting of it: a question of the same name has answers of its own."""
    match DECLARED[option]["kind"]:
        case "flag":
            return value is None or isinstance(value, bool)
        case "choice":
            return value is None or value in DECLARED[option]["choices"]
        case "dice":
            return isinstance(value, str) or value is ANYTHING
        case "list":
            return isinstance(value, list | tuple) or value is ANYTHING
        case _:
            return isinstance(value, int | float) or value is ANYTHING


def as_declared(option: str) -> Any:
    """What it is unless somebody changes it."""
    return plain(DECLARED[option]["default"])


def plain(value: Any) -> Any:
    """A value that can be kept in a set."""
    return tuple(value) if isinstance(value, list) else value


def instead_of_the_default(option: str) -> set[Any]:
    """What a test must set it to: each other choice, the other side of a flag, something else where it is a figure."""
    declared = DECLARED[option]
    match declared["kind"]:
        case "flag":
            return {not declared["default"]}
        case "choice":
            return set(declared["choices"]) - {declared["default"]}
        case _:
            return set()


@cache
def clauses_under_test() -> dict[str, set[str]]:
    """The tests of each clause."""
    found: dict[str, set[str]] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.clause"):
                        for clause in decorator.args:
                            found.setdefault(str(ast.literal_eval(clause)), set()).add(f"{path.stem}::{node.name}")
    return found


def changed_in(test: str, option: str) -> bool:
    """Whether that test plays with the option set."""
    return any(one.test == test and one.option == option for one in settings())


@pytest.mark.parametrize("option", sorted(DECLARED))
def test_every_option_has_a_test_of_each_of_its_settings(option: str) -> None:
    found, default = set_to(option), as_declared(option)

    assert found - {default}, "nobody sets it to anything else"
    assert instead_of_the_default(option) <= found
    usual = {test for test in clauses_under_test()[DECLARED[option]["clause"]] if not changed_in(test, option)}
    assert default in found or usual, "nobody plays it as it is"


# What no other test sets


@pytest.mark.clause("DH-5470")
@pytest.mark.parametrize(("dice", "sides", "raw"), [("1d10", 10, 5), ("1d5+2", 5, 7), ("2d5", 5, 7)])
def test_a_table_may_have_falls_hurt_by_other_dice(dice: str, sides: int, raw: int) -> None:
    table = duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"}, options={"fall_damage": dice})
    thrown = (2, 2) if dice == "2d5" else 2

    done = table.play(
        "jump_or_leap",
        "vane",
        options={"kind": "jump_down", "height": 300},
        jump=99,
        fall_vane__damage=thrown,
        fall_vane__location=50,
    )

    dealt = done.one(ev.DamageDealt)
    assert (dealt.dice[0].sides, dealt.raw) == (sides, raw)


@pytest.mark.clause("DH-3550", "DH-3340")
@pytest.mark.parametrize(("bars", "asked"), [(True, 0), (False, 1)])
def test_a_table_may_let_somebody_in_a_stance_make_free_attacks(bars: bool, asked: int) -> None:
    table = duel(
        1,
        gorm={"sample": "gorm", "held": {"great_weapon": "both"}, "engaged": ("vane",)},
        vane={"sample": "vane", "engaged": ("gorm",)},
        options={"stance_bars_free_attacks": bars},
    )
    table.play("defensive_stance", "gorm")
    table.end_turn()

    done = table.play(
        "move", "vane", said={"length": 4, "leaves": ["gorm"]}, **({"free_attack": "pass"} if asked else {})
    )

    assert len(done.questions("free_attack")) == asked


@pytest.mark.clause("DH-3570")
@pytest.mark.parametrize(("expires", "lasts"), [("own_turn", True), ("round", False)])
def test_the_stance_ends_with_the_own_next_turn_or_with_the_round(expires: str, lasts: bool) -> None:
    table = duel(20, gorm={"sample": "gorm"}, vane={"sample": "vane"}, options={"defensive_stance_expires": expires})
    table.end_turn()
    table.play("defensive_stance", "vane")

    table.end_turn()

    assert table.turn == "gorm"
    assert table.has("vane", "defensive_stance") is lasts
    table.end_turn()
    assert not table.has("vane", "defensive_stance")
