"""Every part of a sum that a ruleset's code names has a name that people read, in each language."""

import ast
from collections.abc import Iterator

import pytest

from app.api.language import LANGUAGES
from app.services.narration.sentences import ABILITIES, TERMS
from tests.support.play import book
from tests.support.repository import ROOT

RULESETS = sorted(path.parent.name for path in (ROOT / "rulesets").glob("*/ruleset.yaml"))


def _terms(ruleset: str) -> Iterator[str]:
    """The ids of terms that its code writes out, as words or as names of the module."""
    for path in sorted((ROOT / "rulesets" / ruleset).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Term" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    yield str(first.value)
                elif isinstance(first, ast.Name) and isinstance(names.get(first.id), str):
                    yield str(names[first.id])
                elif isinstance(first, ast.JoinedStr) and ast.unparse(first) == "f'rank_{rank}'":
                    yield from (f"rank_{rank}" for rank in book(ruleset).ruleset.ranks)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_term_has_a_name(ruleset: str) -> None:
    texts, terms = book(ruleset).texts, set(_terms(ruleset))
    nameless = {
        (language, term)
        for language in LANGUAGES
        for term in terms
        if not any(term in texts.locale[language].get(section, {}) for section in (*TERMS, *ABILITIES))
    }

    assert len(terms) > 3
    assert not nameless
