"""Seeded fault 13: no secret is compared in a time that tells how much of it was right."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repository import ROOT

TELLING = {"hash", "digest", "hexdigest", "hmac", "secret", "secrets", "signature", "signatures", "ticket", "password"}
"""Words in names of what nobody may guess piece by piece, or of what stands for it."""
HARMLESS = {
    # Looked up by the hash of what was sent, in an index: whoever would learn of the hash by the time knows it already.
    "held.hash == _hash(ticket)",
    "held.hash == known.hash",
    # A secret that was made this moment, against those there are.
    "held.secret == secret",
    "secret in (row.secret, row.old_secret)",
    # Hashes of logs, files and requests, which their readers may know.
    "known.head.hash == head.hash",
    "request_hash != once.request_hash",
    "stored.request_hash == once.request_hash",
    "stored_hash != self.chain",
    # What is secret of a fight, by name.
    "body.secret_rolls != origin.secret_rolls",
    "field.name not in secret",
    "name not in _SECRET",
}
"""Comparisons that are none of that kind, word for word."""
_TIMED = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def words_of(node: ast.expr) -> set[str]:
    """The words of the name under which a value is compared."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return set(name.lower().split("_"))
        case ast.Call(func=inner) | ast.Subscript(value=inner) | ast.Await(value=inner):
            return words_of(inner)
        case ast.IfExp(body=one, orelse=other):
            return words_of(one) | words_of(other)
        case ast.BoolOp(values=several):
            return {word for one in several for word in words_of(one)}
        case _:
            return set()


def suspects(source: str) -> Iterator[str]:
    """Comparisons of what may be a secret, as they are written."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            is_timed = any(isinstance(operator, _TIMED) for operator in node.ops)
            # Against a word of the program itself nothing can be guessed.
            is_fixed = any(isinstance(side, ast.Constant) for side in sides)
            if is_timed and not is_fixed and any(TELLING & words_of(side) for side in sides):
                yield ast.unparse(node)


def sources() -> list[Path]:
    """All of the service but the engine, which is given no secret of anybody."""
    return sorted(path for path in (ROOT / "app").rglob("*.py") if "engine" not in path.relative_to(ROOT).parts)


def test_no_secret_is_compared_in_a_time_that_tells_of_it() -> None:
    found = {one: path.name for path in sources() for one in suspects(path.read_text(encoding="utf-8"))}

    assert {one: where for one, where in found.items() if one not in HARMLESS} == {}
    assert set(found) >= HARMLESS, "a comparison that was excused is no longer there"


@pytest.mark.parametrize(
    "line",
    [
        "is_right = digest == row.hash",
        "is_right = digest == (row.hash if row is not None else _DUMMY)",
        "if given != self.secret: raise Refused",
        "return signature in (sign(one) for one in secrets)",
        "ok = hmac.new(key, body, sha256).hexdigest() == sent",
    ],
)
def test_such_a_comparison_is_found(line: str) -> None:
    assert list(suspects(line))


def test_what_tells_nothing_is_not() -> None:
    assert not list(suspects("ok = hmac.compare_digest(digest, row.hash)"))
    assert not list(suspects("if kind == 'secret' or secret is None: pass"))
