"""The kinds of question that a ruleset declares are those that its code asks, and whom it says is who is asked.

A client learns from the declaration what a policy may speak of; a kind left out could not be spoken of, a kind too many
would be taken and never asked. The code is read, not run: what is asked once in a hundred fights counts too.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import play, toy
from tests.support.repository import ROOT

CATALOG = play.catalog()


class Code:
    """The modules of a ruleset, as far as words are passed about in them."""

    def __init__(self, paths: list[Path]) -> None:
        self.trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
        self.words: dict[str, set[str]] = {}
        for tree in self.trees.values():
            for one in tree.body:
                word = _word(one.value) if isinstance(one, ast.Assign) else None
                if isinstance(one, ast.Assign) and word is not None:
                    for target in one.targets:
                        self.words.setdefault(ast.unparse(target), set()).add(word)

    def asked(self) -> Iterator[tuple[str, str]]:
        """(kind, whom) of every question that is put together anywhere."""
        for path, tree in self.trees.items():
            for function in ast.walk(tree):
                if not isinstance(function, ast.FunctionDef):
                    continue
                for call in _calls(function, "Question"):
                    given = {one.arg: one.value for one in call.keywords}
                    assert {"kind", "to"} <= set(given), f"{path}:{call.lineno}: name `kind` and `to`"
                    whom = "gm" if ast.unparse(given["to"]) == "GM" else "combatant"
                    for kind in self._meant(given["kind"], function):
                        yield kind, whom

    def _meant(self, value: ast.expr, function: ast.FunctionDef) -> Iterator[str]:
        """What an expression may be: a word, the name of one, or what the function is called with."""
        if (word := _word(value)) is not None:
            yield word
            return
        name = ast.unparse(value)
        parameters = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
        if name not in parameters:
            (word,) = self.words[name]
            yield word
            return
        place = parameters.index(name)
        for tree in self.trees.values():
            for caller in ast.walk(tree):
                if isinstance(caller, ast.FunctionDef):
                    for call in _calls(caller, function.name):
                        named = next((one.value for one in call.keywords if one.arg == name), None)
                        yield from self._meant(call.args[place] if named is None else named, caller)


def _word(value: ast.expr) -> str | None:
    """A word, perhaps as a type of its own: `"ruling"`, `ActionId("ruling")`."""
    if isinstance(value, ast.Call) and len(value.args) == 1:
        value = value.args[0]
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _calls(inside: ast.AST, name: str) -> Iterator[ast.Call]:
    for one in ast.walk(inside):
        if isinstance(one, ast.Call) and ast.unparse(one.func).rsplit(".", 1)[-1] == name:
            yield one


@pytest.mark.parametrize("ruleset", CATALOG.ids)
def test_a_ruleset_declares_every_kind_of_question_that_it_asks_and_no_other(ruleset: str) -> None:
    book = CATALOG.get(ruleset)
    assert book is not None
    code = Code(sorted((ROOT / "rulesets" / ruleset).rglob("*.py")))

    assert sorted(set(code.asked())) == sorted(book.ruleset.questions.items())


def test_so_does_the_toy() -> None:
    assert sorted(set(Code([Path(toy.__file__)]).asked())) == sorted(toy.CODE.questions.items())
