"""What goes wrong in a use case beyond what the rules refuse. No HTTP: `app.api` alone knows statuses.

The engine's `BadAnswer` passes through the services as it is, its `Refused` as `Refusal` with messages in words. Of
persistence's own errors these reach the edge: `Stale`, `KeyReused`, `Busy`, `UnknownOutcome`, `StorageFull`.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from app.engine.reasons import Reason, Refused
from app.persistence.work import Busy, KeyReused, Stale, StorageFull, UnknownOutcome

__all__ = [
    "AlreadyAnswered",
    "AnswerAwaited",
    "BadCode",
    "BadInput",
    "Busy",
    "CursorGone",
    "Finding",
    "KeyReused",
    "LimitReached",
    "NotFound",
    "NotPermitted",
    "NotTheTime",
    "Refusal",
    "ReplayBroken",
    "ServiceError",
    "Stale",
    "StorageFull",
    "TokenChanged",
    "UnknownOutcome",
    "UrlForbidden",
]


class ServiceError(Exception):
    """Root of them all; `code` is the stable word of the problem."""

    code = "service_error"


class NotFound(ServiceError):
    """There is no such thing, or the caller may not know that there is: both answer alike."""

    code = "not_found"

    def __init__(self, what: str, name: str) -> None:
        self.what, self.name = what, name
        super().__init__(f"no {what} {name}")


class NotPermitted(ServiceError):
    """The caller sees it and may not do this. `need` is the role or entitlement that would be enough.

    `reasons` hold what the ruleset calls it, where it has a word for it.
    """

    code = "not_permitted"

    def __init__(self, need: str, reasons: Iterable[Reason] = ()) -> None:
        self.need, self.reasons = need, tuple(reasons)
        super().__init__(f"needs {need}")


class BadCode(ServiceError):
    """A code that lets nobody in: which is wrong, expired, used up or revoked is not told."""

    code = "code_invalid"


class AnswerAwaited(ServiceError):
    """Somebody must answer before anything else happens.

    `reasons` hold `decision_pending` or `roll_pending` under the ruleset's clause; `decisions` are the ids that the
    caller may see.
    """

    code = "answer_awaited"

    def __init__(self, reasons: Iterable[Reason], decisions: Iterable[str]) -> None:
        self.reasons, self.decisions = tuple(reasons), tuple(decisions)
        super().__init__(", ".join(self.decisions) or "somebody must answer first")


class AlreadyAnswered(ServiceError):
    """The decision was answered, ran out of time, or is asked no more."""

    code = "already_answered"

    def __init__(self, decision: str) -> None:
        self.decision = decision
        super().__init__(decision)


class NotTheTime(ServiceError):
    """The encounter's life does not allow it now: ending one that never started, deleting one that runs."""

    code = "not_the_time"

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class Finding(msgspec.Struct, frozen=True):
    """One thing wrong with a body: a stable code, a JSON Pointer, and what would have been right."""

    code: str
    at: str
    need: str = ""
    message: str = ""
    """What it says to a person, where that hangs on more than code and need."""


class BadInput(ServiceError):
    """The body fits its shape and still cannot mean anything. All findings at once."""

    code = "bad_input"

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__(", ".join(f"{finding.code} at {finding.at}" for finding in self.findings))


class LimitReached(ServiceError):
    """A cap of the service: 200 combatants, 50 pending decisions, 1,000,000 events, encounters of a campaign."""

    code = "limit_reached"

    def __init__(self, code: str, limit: int) -> None:
        self.code, self.limit = code, limit
        super().__init__(f"{code}: {limit}")


class UrlForbidden(ServiceError):
    """Nothing is ever sent to this address. Which of the reasons it is, is told to nobody."""

    code = "webhook_url_forbidden"

    def __init__(self) -> None:
        super().__init__("webhook_url_forbidden")


class CursorGone(ServiceError):
    """A cursor ahead of the log, as after a restored backup. Take a snapshot."""

    code = "cursor_gone"

    def __init__(self, current: int) -> None:
        self.current = current
        super().__init__(f"the log ends at {current}")


class ReplayBroken(ServiceError):
    """A waiting command no longer runs as it did when it was shown: the rules' code changed under it.

    The GM may cancel it, or rewind to the version it started from.
    """

    code = "replay_broken"

    def __init__(self, command: str, base_version: int) -> None:
        self.command, self.base_version = command, base_version
        super().__init__(f"{command} started from version {base_version}")


class TokenChanged(ServiceError):
    """While the caller waited his token was revoked, or says something else about him now."""

    code = "token_changed"


class Refusal(Refused):
    """What the rules refuse; `views` are the reasons in wire form, with messages in the caller's language."""

    def __init__(self, reasons: Iterable[Reason], views: Iterable[dict[str, Any]]) -> None:
        self.views = tuple(views)
        super().__init__(reasons)
