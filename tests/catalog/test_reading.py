"""YAML says what it looks like, or is refused with its line."""

from typing import Any

import pytest

from app.catalog.findings import Findings
from app.catalog.reading import MAX_BYTES, MAX_DEPTH, read_yaml


def read(text: str | bytes) -> tuple[Any, list[str]]:
    findings = Findings()
    raw = text if isinstance(text, bytes) else text.encode()
    value, _ = read_yaml(raw, "rules.yaml", "/rules", findings)
    return value, [f"{finding.line} {finding.place} {finding.code}" for finding in findings]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1", {"a": 1}),
        ("a: -20", {"a": -20}),
        ("a: 0", {"a": 0}),
        ("a: 1.5", {"a": 1.5}),
        ("a: 2.0", {"a": 2}),
        ("a: 0.25", {"a": 0.25}),
        ("a: true", {"a": True}),
        ("a: false", {"a": False}),
        ("a: null", {"a": None}),
        ('a: "no"', {"a": "no"}),
        ("a: '010'", {"a": "010"}),
        ("a: 1d10+3", {"a": "1d10+3"}),
        ("a: 0.1.0", {"a": "0.1.0"}),
        ("a: none", {"a": "none"}),
        ("a: DH-3950", {"a": "DH-3950"}),
        ("a: two words", {"a": "two words"}),
        ("a: |\n  text\n", {"a": "text\n"}),
        ("a: []\nb: {}", {"a": [], "b": {}}),
        ("- 1\n- {a: [2]}", [1, {"a": [2]}]),
        ('"off": 1', {"off": 1}),
        ("имя: Ёж", {"имя": "Ёж"}),
    ],
)
def test_a_value_is_what_it_looks_like(text: str, value: Any) -> None:
    found, findings = read(text)

    assert found == value
    assert type(found) is type(value)
    assert findings == []


@pytest.mark.parametrize(
    "scalar",
    [
        *("no", "No", "NO", "yes", "on", "On", "off", "OFF", "y", "n", "Y", "N"),
        *("True", "FALSE", "Null", "NULL", "~"),
        *("010", "00", "0x1F", "0o17", "0b11", "1_000", "+5", "-0", "1.", ".5", "1e3", "1.5e3", "1234567890"),
        *(".inf", "-.inf", ".NaN", "1:30", "190:20:30", "1:30.5", "2024-01-01", "2024-01-01 12:00:00", "=", "<<"),
    ],
)
def test_a_plain_scalar_that_some_reader_takes_for_something_else_is_refused(scalar: str) -> None:
    assert read(f"x: 1\na: {scalar}")[1] == ["2 /rules/a ambiguous"]
    assert read(f"a: [{scalar}]")[1] == ["1 /rules/a/0 ambiguous"]
    assert read(f'a: "{scalar}"')[1] == []


def test_a_number_has_at_most_two_decimals() -> None:
    assert read("a: 0.25\nb: -1.125")[1] == ["2 /rules/b not_hundredths"]


@pytest.mark.parametrize("key", ["no", "on", "1", "010", "true", "null", "1.5"])
def test_a_key_that_is_no_plain_word_is_refused(key: str) -> None:
    assert read(f"a: 1\n{key}: 2")[1] == [f"2 /rules/{key} ambiguous"]


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("a: 1\nb: 2\na: 3", ["3 /rules/a repeated_key"]),
        ("x: {a: 1, a: 1}", ["1 /rules/x/a repeated_key"]),
        ("a: &x 1\nb: *x", ["1 /rules/a anchor", "2 /rules/b alias"]),
        ("a: &x {b: 1}\nc: {<<: *x}", ["1 /rules/a anchor", "2 /rules/c/<< alias", "2 /rules/c/<< ambiguous"]),
        ("a: !!str 1", ["1 /rules/a tag"]),
        ("a: !x [1]", ["1 /rules/a tag"]),
        ("a: !!python/object:os.system x", ["1 /rules/a tag"]),
        ("a:\nb: 1", ["1 /rules/a empty"]),
        ("? [a]\n: 1", ["1 /rules bad_key"]),
        ("a: 1\n---\nb: 2", ["1 /rules bad_yaml"]),
        ("a: [1", ["2 /rules bad_yaml"]),
        ("a: 1\n\tb: 2", ["2 /rules bad_yaml"]),
        (b"a: \xff", ["1 /rules not_utf8"]),
        (b"a: \x00", ["1 /rules bad_yaml"]),
        ("a/b: {c~d: no}", ["1 /rules/a~1b/c~0d ambiguous"]),
    ],
)
def test_what_yaml_could_hide_is_refused_with_its_line(text: str | bytes, findings: list[str]) -> None:
    assert read(text)[1] == findings


def test_all_findings_of_a_file_are_told_at_once() -> None:
    assert read("a: no\nb:\n  - 010\n  - 1:30\nc: +5")[1] == [
        "1 /rules/a ambiguous",
        "3 /rules/b/0 ambiguous",
        "4 /rules/b/1 ambiguous",
        "5 /rules/c ambiguous",
    ]


def test_a_file_has_a_size_and_a_depth() -> None:
    assert read("a: " + "x" * (MAX_BYTES - 3))[1] == []
    assert read("a: " + "x" * MAX_BYTES)[1] == ["1 /rules too_big"]
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH)[1] == []
    assert [one.rpartition(" ")[2] for one in read("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))[1]] == ["too_deep"]
    assert [one.rpartition(" ")[2] for one in read("[" * 100_000)[1]] in (["bad_yaml"], ["too_deep"])
