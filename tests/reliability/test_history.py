"""The judge of histories: it passes what one order explains, and finds each thing that none does."""

import pytest

from tests.reliability.history import Asked, Entry, starved, violations


def write(mark: str, version: int, began: float, ended: float, **fields: object) -> Asked:
    return Asked(1, "enc", "write", began, ended, "done", version, mark)._replace(**fields)  # type: ignore[arg-type]


def read(version: int, began: float, ended: float) -> Asked:
    return Asked(2, "enc", "read", began, ended, "done", version)


GOOD = [
    write("a", 2, 0, 2),
    write("b", 3, 1, 3, expected=2),
    read(2, 0.5, 2.5),
    read(3, 1.5, 2.8),
    write("lost", 0, 3.5, 4, outcome="unknown"),
    write("no", 0, 3.5, 4, outcome="refused"),
    write("c", 5, 5, 6),
    read(5, 6.5, 7),
]
LOG = [Entry(2, "a"), Entry(3, "b"), Entry(4, "lost"), Entry(5, "c")]


def test_what_one_order_explains_passes() -> None:
    assert violations(GOOD, {"enc": LOG}) == []


@pytest.mark.parametrize(
    ("history", "log", "told"),
    [
        (GOOD, [*LOG[:2], Entry(5, "c")], "not one after another"),
        (GOOD, [*LOG, Entry(6, "a")], "done twice"),
        (GOOD, [Entry(2, "a"), Entry(3, "b"), Entry(4, "c")], "acknowledged as version 5 and is at 4"),
        (GOOD, [*LOG[:2], Entry(4, "no"), Entry(5, "c")], "no is in the log and was refused"),
        ([*GOOD[1:], write("a", 2, 3.5, 4)], LOG, "a made version 2 after b had made 3"),
        ([*GOOD, read(4, 6.5, 7)], LOG, "read version 4 when 5 had been seen"),
        ([*GOOD, read(3, 2.9, 3.5), read(2, 3.6, 4)], LOG, "read version 2 when 3 had been seen"),
        ([*GOOD, read(6, 7, 8)], LOG, "which never was"),
        ([*GOOD, read(5, 4.2, 4.5)], LOG, "before anybody had asked for it"),
        ([*GOOD[:1], write("b", 3, 1, 3, expected=1), *GOOD[2:]], LOG, "was to follow version 1 and made 3"),
    ],
)
def test_what_no_order_explains_is_told(history: list[Asked], log: list[Entry], told: str) -> None:
    assert any(told in one for one in violations(history, {"enc": log})), violations(history, {"enc": log})


def test_who_never_got_anything_done_is_named() -> None:
    assert starved(GOOD, [1, 2]) == [2]
