"""RFC 9457 for everything that goes wrong: one shape, one list of codes. The only place that knows statuses.

What is wrong is told by codes, places and figures of ours, never by repeating what was sent.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from app.api.problem_texts import PROBLEMS, Code, conflict_detail, fault_message
from app.engine.reasons import BadAnswer, Reason, Refused, TooDeep
from app.services import errors as failed
from app.services.errors import Finding

MEDIA_TYPE = "application/problem+json"
Figure = int | float


class ReasonOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason of the rules against it."""

    code: str
    kind: str
    clause: str
    message: str
    at: str | None = None
    need: Figure | None = None
    got: Figure | None = None
    names: tuple[str, ...] = ()
    to_fill_in: bool = False
    """That it is no refusal: it says what has yet to be filled in, at `at`."""


class Fault(msgspec.Struct, frozen=True):
    """One place of the request that does not fit."""

    code: str
    at: str
    message: str


class ProblemOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, as RFC 9457 has it. Switch on `code`; `title`, `detail` and messages are for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    instance: str | None = None
    reasons: tuple[ReasonOut, ...] = ()
    errors: tuple[Fault, ...] = ()
    decisions: tuple[str, ...] = ()
    current_version: int | None = None
    retry_after: int | None = None
    limit: int | None = None


class Problem(Exception):
    """A problem on its way out. `reasons` are the rules', with messages already in the reader's language."""

    def __init__(
        self,
        code: Code,
        *,
        findings: Iterable[Finding] = (),
        reasons: Iterable[ReasonOut] = (),
        headers: Mapping[str, str] | None = None,
        decisions: tuple[str, ...] = (),
        current_version: int | None = None,
        retry_after: int | None = None,
        limit: int | None = None,
        conflict: str | None = None,
    ) -> None:
        self.code = code
        self.findings = tuple(findings)
        self.reasons = tuple(reasons)
        self.headers = dict(headers or {})
        self.decisions = decisions
        self.current_version = current_version
        self.retry_after = retry_after
        self.limit = limit
        self.conflict = conflict
        super().__init__(code)

    @property
    def status(self) -> int:
        """Its HTTP status."""
        return PROBLEMS[self.code].status

    def body(self, language: str, request_id: str, instance: str | None) -> ProblemOut:
        """The document that is sent."""
        title, detail = PROBLEMS[self.code].words(language)
        if self.conflict is not None:
            detail = conflict_detail(self.conflict, language) or detail
        elif self.reasons:
            detail = self.reasons[0].message or detail
        elif len(self.findings) == 1:
            detail = _fault(self.findings[0], language)
        return ProblemOut(
            type=type_of(self.code),
            title=title,
            status=self.status,
            code=self.code.value,
            detail=detail,
            request_id=request_id,
            instance=instance,
            reasons=self.reasons,
            errors=tuple(Fault(f.code, f.at, _fault(f, language)) for f in self.findings),
            decisions=self.decisions,
            current_version=self.current_version,
            retry_after=self.retry_after,
            limit=self.limit,
        )

    def response(self, language: str, request_id: str, instance: str | None = None) -> Response:
        """The answer that is sent."""
        headers = dict(self.headers)
        if self.retry_after is not None:
            headers["retry-after"] = str(self.retry_after)
        if self.current_version is not None:
            headers["etag"] = f'"{self.current_version}"'
        if self.status == 401:
            headers["www-authenticate"] = 'Bearer realm="turnwright"'
        content = msgspec.json.encode(self.body(language, request_id, instance))
        return Response(content, self.status, headers, media_type=MEDIA_TYPE)


def _fault(finding: Finding, language: str) -> str:
    return finding.message or fault_message(finding.code, language, finding.need)


def slug_of(code: Code) -> str:
    """Its code as part of an address."""
    return code.value.replace("_", "-")


def type_of(code: Code) -> str:
    """The address of the problem's page."""
    return f"/problems/{slug_of(code)}"


def answer(request: Request, problem: Problem) -> Response:
    """The problem for whoever asked."""
    state: dict[str, Any] = request.scope.get("state", {})
    return problem.response(state.get("language", "en"), state.get("request_id", ""), request.url.path)


def from_error(error: Exception, language: str, *, is_answer: bool = False) -> Problem | None:
    """The problem that one of our own errors is; None for what is nobody's fault but ours.

    `is_answer` tells that a decision was being answered.
    """
    match error:
        case Problem():
            return error
        case failed.Refusal():
            return _refusal(error)
        case Refused():
            return Problem(Code.ILLEGAL_ACTION, reasons=_titled(error.reasons, Code.ILLEGAL_ACTION, language))
        case BadAnswer():
            finding = Finding(error.code, error.at, error.need)
            return Problem(Code.BAD_ANSWER if is_answer else Code.INVALID_REQUEST, findings=(finding,))
        case failed.BadCode():
            return Problem(Code.CODE_INVALID)
        case failed.NotFound():
            return Problem(Code.NOT_FOUND)
        case failed.NotPermitted():
            return Problem(Code.NOT_PERMITTED, reasons=_titled(error.reasons, Code.NOT_PERMITTED, language))
        case failed.AnswerAwaited():
            told = _titled(error.reasons, Code.ANSWER_AWAITED, language)
            return Problem(Code.ANSWER_AWAITED, reasons=told, decisions=error.decisions)
        case failed.AlreadyAnswered():
            return Problem(Code.ALREADY_ANSWERED)
        case failed.NotTheTime():
            return Problem(Code.CONFLICT, conflict=error.code)
        case failed.BadInput():
            return Problem(Code.INVALID_REQUEST, findings=error.findings)
        case failed.LimitReached() | TooDeep():
            return Problem(Code.LIMIT_REACHED, limit=error.limit, findings=(Finding(error.code, "", str(error.limit)),))
        case failed.UrlForbidden():
            return Problem(Code.WEBHOOK_URL_FORBIDDEN)
        case failed.CursorGone():
            return Problem(Code.CURSOR_GONE)
        case failed.ReplayBroken():
            return Problem(Code.RULES_CHANGED)
        case _:
            return _not_stored(error)


def _titled(reasons: Iterable[Reason], code: Code, language: str) -> tuple[ReasonOut, ...]:
    """Reasons that nobody has put into words, under the title of their problem."""
    message = PROBLEMS[code].words(language).title
    return tuple(ReasonOut(one.code, one.kind, one.clause, message) for one in reasons)


def _refusal(error: failed.Refusal) -> Problem:
    """The rules' refusal: 409, or 422 when nothing of it could ever be accepted."""
    told = tuple(msgspec.convert(view, ReasonOut) for view in error.views)
    only_input = bool(told) and all(reason.kind == "input" for reason in told)
    return Problem(Code.INVALID_REQUEST if only_input else Code.ILLEGAL_ACTION, reasons=told)


def _not_stored(error: Exception) -> Problem | None:
    match error:
        case failed.Stale():
            return Problem(Code.STALE_VERSION, current_version=error.current)
        case failed.KeyReused():
            return Problem(Code.IDEMPOTENCY_KEY_REUSED)
        case failed.Busy() | failed.UnknownOutcome():
            return Problem(Code.UNAVAILABLE, retry_after=error.retry_after)
        case failed.StorageFull():
            return Problem(Code.STORAGE_FULL)
        case _:
            return None
