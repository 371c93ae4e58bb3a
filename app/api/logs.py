"""Logs: one JSON line an event, secrets taken out, written by a thread of its own so that no request waits."""

import atexit
import contextlib
import logging
import queue
import re
import sys
import threading
import time
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec
import structlog

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_SECRET_KEYS = re.compile(r"authorization|token$|secret|password|cookie|ticket", re.IGNORECASE)
_SECRETS = re.compile(r"(twt?_(?:[0-9a-z]+_)?)[0-9A-Za-z_-]{8,}|(Bearer\s+)\S+|(://[^:/@\s]*:)[^@/\s]+(?=@)")
_QUEUE_LIMIT = 20_000
GATHER_S = 0.02
"""How long a line may wait for others."""


def redact(value: Any, key: str = "") -> Any:
    """The value without secrets: by the name of their key, and tokens anywhere in text."""
    if isinstance(value, str):
        if key and _SECRET_KEYS.search(key):
            return "[redacted]"
        if "tw_" in value or "twt_" in value or "Bearer" in value or "://" in value:
            return _SECRETS.sub(lambda m: f"{m[1] or m[2] or m[3]}[redacted]", value)
        return value
    if isinstance(value, dict):
        return {name: redact(one, str(name)) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [redact(one, key) for one in value]
    return value


class Pen:
    """Renders and writes lines in its own thread; beyond its limit they are counted and dropped, never waited for."""

    def __init__(self, stream: TextIO | None, *, as_json: bool) -> None:
        self._stream = stream
        self._as_json = as_json
        self._lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._dropped = 0
        self._thread = threading.Thread(target=self._write_on, name="log", daemon=True)
        self._thread.start()

    def put(self, **line: Any) -> None:
        """Take a line over."""
        if self._lines.qsize() >= _QUEUE_LIMIT:
            self._dropped += 1
            return
        self._lines.put(line)

    debug = info = warning = warn = error = critical = fatal = exception = msg = put

    def close(self) -> None:
        """Write what is still there and stop."""
        if self._thread.is_alive():
            self._lines.put(None)
            self._thread.join(timeout=5)

    def _write_on(self) -> None:
        is_open = True
        while is_open:
            lines = [self._lines.get()]
            # A thread that wakes for every line takes the interpreter from those that answer: a few lines at a time.
            if lines[0] is not None:
                time.sleep(GATHER_S)
            while not self._lines.empty():
                lines.append(self._lines.get())
            is_open = None not in lines
            self._write([line for line in lines if line is not None])

    def _write(self, lines: list[dict[str, Any]]) -> None:
        if self._dropped and lines:
            lines[0]["dropped_lines"], self._dropped = self._dropped, 0
        rendered: list[str] = []
        for line in lines:
            with contextlib.suppress(ValueError):
                rendered.append(self.render(line) + "\n")
        with contextlib.suppress(OSError, ValueError):
            stream = self._stream or sys.stderr
            stream.write("".join(rendered))
            stream.flush()

    def render(self, line: dict[str, Any]) -> str:
        """One line of text."""
        stamp = line.pop("at", 0.0)
        moment = datetime.fromtimestamp(stamp, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        level, event = line.pop("level", "info"), line.pop("event", "")
        rest = {key: redact(value, key) for key, value in line.items()}
        if self._as_json:
            told = {"time": moment, "level": level, "event": redact(event), **rest}
            return msgspec.json.encode(told, enc_hook=str).decode()
        details = " ".join(
            f"{key}={value!r}" if isinstance(value, str) else f"{key}={value}" for key, value in rest.items()
        )
        return f"{moment} {level:7} {redact(event)} {details}".rstrip()


def _stamp(_logger: Any, method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    line["at"] = time.time()
    line["level"] = method
    failure = line.pop("exc_info", None)
    if failure:
        error = sys.exc_info()[1] if failure is True else failure
        if isinstance(error, BaseException):
            line["error"] = type(error).__name__
            line["traceback"] = "".join(traceback.format_exception(error))
    return line


class _Forward(logging.Handler):
    """What libraries log through the standard library goes the same way."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger()
        level = "error" if record.levelno >= 40 else "warning" if record.levelno >= 30 else "info"
        getattr(logger, level)(record.getMessage(), logger=record.name, exc_info=record.exc_info and record.exc_info[1])


def set_up(level: str, *, as_json: bool, stream: TextIO | None = None) -> Pen:
    """Configure logging for this process; returns the pen, to be closed at the end."""
    pen = Pen(stream, as_json=as_json)
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, _stamp],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: pen,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [_Forward()]
    root.setLevel(max(LEVELS[level], logging.INFO))
    for name, least in (("psycopg", logging.ERROR), ("alembic", logging.WARNING), ("httpx", logging.WARNING)):
        logging.getLogger(name).setLevel(least)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers[:] = []
        logging.getLogger(name).propagate = name != "uvicorn.access"
    atexit.register(pen.close)
    return pen
