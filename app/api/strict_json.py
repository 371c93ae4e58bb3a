"""The door for bodies: read within a limit, one meaning only, then decoded into the type that the operation takes.

What is no JSON, or JSON that two readers could understand differently, is refused before anything is built of it.
What is JSON of the wrong shape is refused with every place that does not fit.
"""

import asyncio
import contextlib
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NoReturn, TypeVar

import msgspec
from starlette.types import Receive

from app.api.faults import faults_of
from app.api.problem_texts import Code
from app.api.problems import Problem
from app.services.errors import Finding
from app.services.texts import BAD, LINE_BREAKS, is_visible

T = TypeVar("T")
MAX_DEPTH = 32
NDJSON = "application/x-ndjson"
MAX_WHOLE = 2**53 - 1
MAX_FAULTS = 50
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_LONG_NUMBER = re.compile(r"[0-9]{16}|[eE][+-]?[0-9]{3}")
_NEEDS_A_LOOK = re.compile(
    r"\\[u]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\\[bfnrt]"
)
_PROSE = frozenset({"note", "notes", "reason", "why", "text"})
"""Fields in which a person writes lines of text; everywhere else a line break is a control character."""
SWALLOWED, SWALLOW_S = 1_100_000, 2.0
"""Bytes read beyond a limit and seconds spent on it, so that the refusal arrives."""


Headers = dict[bytes, bytes]
"""The headers that matter, by their lower-case names."""


async def read_body(receive: Receive, headers: Headers, limit: int, timeout: float) -> bytes:
    """The whole body. Raises 413, 415, 408; reads little more than the limit."""
    kind = headers.get(b"content-type", b"")
    if kind != b"application/json" and not _is_json(kind.decode("latin-1")):
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE)
    chunks: list[bytes] = []
    await read_chunks(receive, headers, limit, timeout, chunks.append)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def read_lines(receive: Receive, headers: Headers, limit: int, timeout: float, file: BinaryIO) -> bytes:
    """A body of JSON lines into a file; gives its hash. Raises 413, 415, 408."""
    kind = headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
    if kind != NDJSON:
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE)
    digest = hashlib.sha256()

    def keep(chunk: bytes) -> None:
        digest.update(chunk)
        file.write(chunk)

    await read_chunks(receive, headers, limit, timeout, keep)
    return digest.digest()


async def read_chunks(
    receive: Receive, headers: Headers, limit: int, timeout: float, take: Callable[[bytes], object]
) -> None:
    """Hand a body on piece by piece, as it comes. Raises 413, 415 for a compressed one, 408."""
    if headers.get(b"content-encoding", b"identity").strip().lower() not in (b"", b"identity"):
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE)
    announced = headers.get(b"content-length", b"")
    if announced.isdigit() and (len(announced) > 12 or int(announced) > limit):
        if b"expect" not in headers:
            await _swallow(receive)
        raise _too_large(limit)
    size = 0
    try:
        async with asyncio.timeout(timeout):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Problem(Code.INVALID_JSON, headers={"connection": "close"})
                chunk = message.get("body", b"")
                size += len(chunk)
                if size > limit:
                    if message.get("more_body", False):
                        await _swallow(receive)
                    raise _too_large(limit)
                take(chunk)
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        raise Problem(Code.BODY_TIMEOUT, headers={"connection": "close"}) from None


async def _swallow(receive: Receive) -> None:
    """Read on for a little and forget it.

    A connection that is closed while something of the body still comes in is reset, and a reset destroys the answer on
    its way: most clients would never learn why they were refused.
    """
    left = SWALLOWED
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SWALLOW_S):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _is_json(kind: str) -> bool:
    name, _, parameters = kind.partition(";")
    return name.strip().lower() == "application/json" and _charset(parameters) in ("", "utf-8", "utf8")


def _charset(parameters: str) -> str:
    name, _, value = parameters.strip().partition("=")
    return value.strip().strip('"').lower() if name.strip().lower() == "charset" else ""


def _too_large(limit: int) -> Problem:
    return Problem(Code.BODY_TOO_LARGE, headers={"connection": "close"}, limit=limit)


def parse(raw: bytes, kind: type[T]) -> T:
    """The body as that type. Raises 400 for what is no JSON of ours, 422 with every place that does not fit."""
    text, tree = _tree(raw)
    faults = list(_text_faults(tree)) if _NEEDS_A_LOOK.search(text) else []
    if _LONG_NUMBER.search(text):
        faults += _number_faults(tree, "")
    try:
        value: T = _decoder(kind).decode(raw)
    except msgspec.ValidationError as error:
        faults += faults_of(tree, kind) or [_first(error)]
    except (msgspec.DecodeError, RecursionError):
        # Half a surrogate pair is JSON and no text: it has been found already, with its place.
        if not faults:
            raise Problem(Code.INVALID_JSON) from None
    else:
        if not faults:
            _names(tree, faults)
        if not faults:
            return value
    raise Problem(Code.INVALID_REQUEST, findings=tuple(faults[:MAX_FAULTS]))


_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    held = _DECODERS.get(kind)
    if held is None:
        held = _DECODERS[kind] = msgspec.json.Decoder(kind)
    return held


def tree_of(raw: bytes) -> tuple[Any, tuple[Finding, ...]]:
    """The body as plain values, with whatever in its texts and numbers cannot be taken. Raises 400."""
    text, tree = _tree(raw)
    faults = list(_text_faults(tree)) if _NEEDS_A_LOOK.search(text) else []
    if _LONG_NUMBER.search(text):
        faults += _number_faults(tree, "")
    return tree, tuple(faults[:MAX_FAULTS])


def check_line(raw: bytes) -> None:
    """Whether a line is JSON of ours: one meaning, no depth, no characters that are none. Raises `ValueError`."""
    try:
        text, tree = _tree(raw)
    except Problem as problem:
        raise ValueError(problem.code) from None
    if not isinstance(tree, dict):
        raise ValueError("no object")
    if _NEEDS_A_LOOK.search(text) and any(BAD.search(one) for one in _texts(tree)):
        raise ValueError("text")


def _texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield key
            yield from _texts(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _texts(value)


def _tree(raw: bytes) -> tuple[str, Any]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Problem(Code.INVALID_JSON) from None
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise Problem(Code.INVALID_JSON)
    # Text that starts with a byte-order mark is refused by the parser, like everything else that is not JSON.
    is_plain = not _LONG_NUMBER.search(text)
    try:
        return text, (_PLAIN if is_plain else _WARY).decode(text)
    except (ValueError, RecursionError):
        raise Problem(Code.INVALID_JSON) from None


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in _STRINGS.sub("", text):
        if character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        raise Problem(Code.DUPLICATE_KEY)
    return built


def _refuse(_constant: str) -> NoReturn:
    raise ValueError


def _whole(digits: str) -> int:
    """A number too long to be meant is cut: it is out of every bound all the same."""
    return int(digits[:20])


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError
    return value


def _number_faults(tree: Any, at: str) -> list[Finding]:
    if isinstance(tree, dict):
        return [fault for key, value in tree.items() for fault in _number_faults(value, f"{at}/{pointed(key)}")]
    if isinstance(tree, list):
        return [fault for place, value in enumerate(tree) for fault in _number_faults(value, f"{at}/{place}")]
    if isinstance(tree, int | float) and abs(tree) > MAX_WHOLE:
        return [Finding("out_of_bounds", at, f"-{MAX_WHOLE}..{MAX_WHOLE}")]
    return []


def _text_faults(tree: Any, at: str = "", field: str = "") -> Iterator[Finding]:
    if isinstance(tree, str):
        if BAD.search(tree) or (field not in _PROSE and LINE_BREAKS.search(tree)):
            yield Finding("bad_text", at)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if BAD.search(key) or LINE_BREAKS.search(key):
                yield Finding("bad_text", at or "/")
            else:
                yield from _text_faults(value, f"{at}/{pointed(key)}", key)
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            yield from _text_faults(value, f"{at}/{place}", field)


def _names(tree: Any, faults: list[Finding], at: str = "", field: str = "") -> None:
    """A name has something to see in it, and is no tower of accents."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(value, dict | list) or key == "name":
                _names(value, faults, f"{at}/{pointed(key)}", key)
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            if isinstance(value, dict | list):
                _names(value, faults, f"{at}/{place}", field)
    elif field == "name" and isinstance(tree, str) and not is_visible(tree):
        faults.append(Finding("bad_text", at))


def pointed(key: str) -> str:
    """A key as a JSON Pointer has it."""
    return key.replace("~", "~0").replace("/", "~1")


_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>.*)`)?$", re.DOTALL)


def _first(error: msgspec.ValidationError) -> Finding:
    """The library's own finding, where ours finds nothing: its place, never its words, which may hold input."""
    match = _AT.match(str(error))
    path = (match and match["path"]) or ""
    return Finding("bad_value", "".join(f"/{part}" for part in re.findall(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+", path)))


_PLAIN = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
_WARY = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
"""For bodies with numbers that could be too large. Made once: `json.loads` makes one for every body."""
