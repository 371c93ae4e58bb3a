"""Why something is refused. The engine knows four errors and no HTTP."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from app.engine.ids import ClauseId, Length

NO_ORDER: Mapping[str, int] = MappingProxyType({})
KINDS = ("turn", "economy", "target", "range", "resource", "state", "input", "permission")


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason against a command, with the clause that gives it.

    `code` is the same word for the same thing in every ruleset; `kind` groups codes for clients that know no ruleset;
    `at` is a JSON Pointer into the submission. `need` and `got` are plain figures, `need_length` and `got_length`
    lengths in hundredths of the unit; `names` are ids the message may mention. One that is `to_fill_in` only says what
    a submission still lacks: what is given at `at` may take it away.
    """

    code: str
    clause: ClauseId
    kind: str = "state"
    at: str | None = None
    need: int | None = None
    got: int | None = None
    need_length: Length | None = None
    got_length: Length | None = None
    names: tuple[str, ...] = ()
    to_fill_in: bool = False


class EngineError(Exception):
    """Root of what the engine raises on purpose."""


class Refused(EngineError):
    """Understood, and the rules or the state of play do not allow it now. Nothing has happened."""

    def __init__(self, reasons: Iterable[Reason]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(", ".join(f"{r.code} ({r.clause})" for r in self.reasons))


class BadAnswer(EngineError):
    """The answer cannot be an answer to that question (an 11 on a d10, an option nobody offered)."""

    def __init__(self, code: str, at: str, *, need: str = "", clause: str = "") -> None:
        self.code, self.at, self.need, self.clause = code, at, need, clause
        super().__init__(f"{code} at {at}: {need}")


class TooDeep(EngineError):
    """Reactions to reactions went beyond any limit that rules could mean, in depth or in number of events."""

    def __init__(self, code: str, limit: int) -> None:
        self.code, self.limit = code, limit
        super().__init__(f"{code}: {limit}")


class BadRuleset(EngineError):
    """Ruleset data that cannot be used; carries every finding with file and place."""

    def __init__(self, findings: Iterable[str]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(self.findings))


class ReplayMismatch(EngineError):
    """A stored command no longer replays to what was shown. Our bug or changed code; never continue."""


def in_order(
    reasons: Iterable[Reason], alone: frozenset[str] = frozenset(), order: Mapping[str, int] = NO_ORDER
) -> tuple[Reason, ...]:
    """Each code once, under its lowest clause, in ascending clause id; within one clause by `order`, then alphabetical.

    A place in `order` may be for one clause alone (`SR-320:no_line_of_sight`), and then goes before that of the code.

    A reason whose code is in `alone` leaves nothing else to be judged and stands by itself.
    """
    best: dict[str, Reason] = {}
    for reason in reasons:
        held = best.get(reason.code)
        if held is None or reason.clause < held.clause:
            best[reason.code] = reason
    if len(best) < 2:  # as a rule there is none at all
        return tuple(best.values())
    ordered = sorted(best.values(), key=lambda one: (one.clause, _place(one, order), one.code))
    for reason in ordered:
        if reason.code in alone:
            return (reason,)
    return tuple(ordered)


def _place(reason: Reason, order: Mapping[str, int]) -> int:
    return order.get(f"{reason.clause}:{reason.code}", order.get(reason.code, len(order)))
