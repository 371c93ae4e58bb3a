"""YAML without its traps: what could be read as something else is refused, and every value knows its line.

The C parser gives events; the values are built here. Only maps, lists, text, whole numbers, decimals with up to two
places, `true`, `false` and `null` exist. A repeated key, an anchor, an alias or a tag is an error, and so is a plain
scalar that some reader of YAML takes for something other than it looks like (`no`, `010`, `1:30`, a date, `+5`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from app.catalog.findings import Findings, child

MAX_BYTES = 512 * 1024
MAX_DEPTH = 24

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,8})\.[0-9]{1,2}")
_TOO_FINE = re.compile(r"-?(?:0|[1-9][0-9]{0,8})\.[0-9]{3,20}")
_LOOKS_OTHERWISE = re.compile(
    r"""
      [yYnN] | [yY]es | YES | [nN]o | NO | [oO]n | ON | [oO]ff | OFF      # truth in YAML 1.1
    | [tT]rue | TRUE | [fF]alse | FALSE | [nN]ull | NULL | ~ | = | <<
    | [-+]? [0-9] [0-9_]* (?: \. [0-9_]* )? (?: [eE] [-+]? [0-9]+ )?      # numbers of every kind
    | [-+]? \. (?: [0-9_]+ (?: [eE] [-+]? [0-9]+ )? | [iI]nf | INF ) | \. [nN]a[nN] | \. NAN
    | [-+]? 0 (?: [xX] [0-9a-fA-F_]+ | [oO] [0-7_]+ | [bB] [01_]+ )
    | [-+]? [0-9] [0-9_]* (?: : [0-5]? [0-9] )+ (?: \. [0-9_]* )?         # base sixty
    | [0-9]{4} - [0-9]{1,2} - [0-9]{1,2} (?: [Tt\ ] .* )?                 # dates
    """,
    re.VERBOSE,
)

_STARTS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
_NODES = (*_STARTS, yaml.ScalarEvent, yaml.AliasEvent)


@dataclass(slots=True)
class _Open:
    """A map or list that is still being read."""

    place: str
    value: dict[str, Any] | list[Any]
    key: str | None = None
    awaits_key: bool = field(default=False)
    place_of_value: str = ""


@dataclass(slots=True)
class _Reader:
    root: str
    lines: dict[str, int]
    findings: Findings

    def note(self, place: str, code: str, **figures: object) -> None:
        self.findings.add(place, code, **figures)

    def scalar(self, event: "yaml.ScalarEvent", place: str) -> Any:
        """The value of a scalar; one that is ambiguous is noted and stands as text."""
        text: str = event.value
        if event.style not in (None, ""):
            return text
        if not text:
            self.note(place, "empty")
            return None
        if text in ("true", "false"):
            return text == "true"
        if text == "null":
            return None
        if _WHOLE.fullmatch(text) and text != "-0":
            return int(text)
        if _DECIMAL.fullmatch(text):
            number = float(text)
            return int(number) if number.is_integer() else number
        if _TOO_FINE.fullmatch(text):
            self.note(place, "not_hundredths", got=text)
        elif _LOOKS_OTHERWISE.fullmatch(text):
            self.note(place, "ambiguous", got=text)
        return text

    def key(self, event: Any, held: _Open) -> str | None:
        """The key of a map; a bad one is noted, and what belongs to it is not looked at."""
        line = _line(event)
        if not isinstance(event, yaml.ScalarEvent):
            self.lines.setdefault(held.place, line)
            self.note(held.place, "bad_key", got="given")
            return None
        text: str = event.value
        place = child(held.place, text)
        repeated = text in held.value
        if not repeated:
            self.lines[place] = line
        if event.style in (None, "") and (not text or _LOOKS_OTHERWISE.fullmatch(text)):
            self.note(place, "bad_key" if not text else "ambiguous", got=text or "(nothing)")
        if repeated:
            self.lines[place] = line
            self.note(place, "repeated_key", got=text)
        return text


def read_yaml(raw: bytes, file: str, root: str, findings: Findings) -> tuple[Any, dict[str, int]]:
    """The value in a YAML file and the line of every place in it; places are pointers below `root`.

    Findings are collected, not raised: a file that is no YAML at all gives None and one finding.
    """
    lines: dict[str, int] = {root: 1}
    findings.sources = {**findings.sources, root: (file, lines)}
    if len(raw) > MAX_BYTES:
        findings.add(root, "too_big", got=len(raw), need=MAX_BYTES)
        return None, lines
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        findings.add(root, "not_utf8")
        return None, lines
    reader = _Reader(root, lines, findings)
    try:
        return _build(reader, yaml.parse(text, Loader=yaml.CSafeLoader)), lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        lines[root] = 1 if mark is None else mark.line + 1
        findings.add(root, "bad_yaml", got=getattr(error, "problem", None) or "unreadable characters")
        return None, lines


def _build(reader: _Reader, events: Iterator[Any]) -> Any:
    open_: list[_Open] = []
    result: Any = None
    documents = 0
    for event in events:
        kind = type(event)
        if kind is yaml.DocumentStartEvent:
            documents += 1
            if documents > 1:
                reader.note(reader.root, "bad_yaml", got="a second document")
                return result
        if kind in _ENDS:
            open_.pop()
            continue
        if kind not in _NODES:
            continue
        held = open_[-1] if open_ else None
        if held is not None and held.awaits_key:
            key = reader.key(event, held)
            held.key, held.awaits_key = key, False
            if key is None:
                return result
            held.place_of_value = child(held.place, key)
            _refuse_extras(reader, event, held.place_of_value)
            continue
        place = _place(reader, held)
        reader.lines.setdefault(place, _line(event))
        _refuse_extras(reader, event, place)
        value: Any = None
        if kind is yaml.ScalarEvent:
            value = reader.scalar(event, place)
        elif kind is yaml.MappingStartEvent:
            value = {}
        elif kind is yaml.SequenceStartEvent:
            value = []
        if held is None:
            result = value
        elif isinstance(held.value, dict):
            held.value[held.key or ""] = value
            held.awaits_key = True
        else:
            held.value.append(value)
        if kind in _STARTS:
            if len(open_) >= MAX_DEPTH:
                reader.note(place, "too_deep", need=MAX_DEPTH)
                return result
            open_.append(_Open(place, value, awaits_key=kind is yaml.MappingStartEvent))
    return result


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _place(reader: _Reader, held: _Open | None) -> str:
    if held is None:
        return reader.root
    return held.place_of_value if isinstance(held.value, dict) else child(held.place, len(held.value))


def _refuse_extras(reader: _Reader, event: Any, place: str) -> None:
    if type(event) is yaml.AliasEvent:
        reader.note(place, "alias", got=event.anchor)
        return
    if event.anchor is not None:
        reader.note(place, "anchor", got=event.anchor)
    if event.tag is not None:
        reader.note(place, "tag", got=event.tag)
