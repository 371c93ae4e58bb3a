"""The import rule (style 2) from the inside: what the engine and the rulesets may use at all.

The contracts in pyproject.toml say what is forbidden, through any number of steps. This says what is allowed, so that a
library nobody thought of is noticed too.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repository import ROOT, repository_files

PURE = {
    "__future__", "abc", "base64", "bisect", "collections", "contextlib", "copy", "dataclasses", "decimal", "enum",
    "fractions", "functools", "hashlib", "heapq", "hmac", "itertools", "json", "keyword", "math", "numbers", "operator",
    "re", "string", "struct", "textwrap", "types", "typing", "unicodedata", "msgspec", "typing_extensions",
}  # fmt: skip
IMPURE_CALLS = {
    "open": "reads or writes a file",
    "input": "waits for a terminal",
    "print": "writes to a terminal",
    "eval": "runs text",
    "exec": "runs text",
    "compile": "runs text",
    "__import__": "imports past this test",
    "hash": "differs from process to process for text",
}


def sources(folder: str) -> list[Path]:
    return [path for path in repository_files() if path.suffix == ".py" and path.is_relative_to(folder)]


def imported(tree: ast.Module, path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a module imports, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.parts[: len(path.parts) - node.level]
            yield from ((node.lineno, ".".join([*package, node.module or "", alias.name])) for alias in node.names)


def offences(path: Path, ours: list[str]) -> Iterator[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for line, name in imported(tree, path):
        is_ours = any(name == package or name.startswith(f"{package}.") for package in ours)
        if not is_ours and name.split(".")[0] not in PURE:
            yield f"{path}:{line}: imports {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield f"{path}:{node.lineno}: {node.func.id}() {IMPURE_CALLS[node.func.id]}"


def test_the_engine_uses_itself_msgspec_and_pure_parts_of_the_standard_library() -> None:
    found = sources("app/engine")

    assert found
    assert [offence for path in found for offence in offences(path, ["app.engine"])] == []


def test_a_ruleset_uses_itself_the_engine_and_what_the_engine_may_use() -> None:
    found = [path for path in sources("rulesets") if len(path.parts) > 2]

    assert found
    assert [offence for path in found for offence in offences(path, ["app.engine", ".".join(path.parts[:2])])] == []


@pytest.mark.parametrize("line", [
    "import random", "from time import monotonic", "import app.services.rewind", "from ..services import rewind",
    "from rulesets.other import x", "import yaml", "open('x')", "hash('x')",
])  # fmt: skip
def test_an_impure_line_is_found(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path("app/engine/probe.py")
    (tmp_path / source.parent).mkdir(parents=True)
    (tmp_path / source).write_text(line)
    monkeypatch.setattr("tests.architecture.test_purity.ROOT", tmp_path)

    assert len(list(offences(source, ["app.engine"]))) == 1
