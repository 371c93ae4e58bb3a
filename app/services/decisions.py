"""Decisions: what a waiting command asks, of whom, and what it goes on with."""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from app.catalog import Rulebook
from app.engine.asks import Answer, Input, Question, Roll, judged_answer, judged_faces
from app.engine.proposals import WITHDRAW
from app.engine.reasons import BadAnswer, EngineError
from app.persistence.work import Change, Committed, Decision, Due, Job, Live, PersistenceError, Reply, revision
from app.services import door, lookup, proposals, stated
from app.services.bodies import AnswerIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change, submitted, words_for
from app.services.cut import eyes_of
from app.services.errors import AlreadyAnswered, NotFound, NotPermitted, NotTheTime, ServiceError
from app.services.play import Played, by_default, go_on
from app.services.results import present
from app.services.service import Service
from app.services.turn_limit import timed

_encode = msgspec.json.Encoder().encode


async def page(service: Service, caller: Caller, encounter: str) -> Result:
    """`{"version", "items": [...]}`: the open decisions that the caller may see."""
    live = await lookup.encounter(service.store, caller, encounter)
    version = revision(live.head, caller.audience)
    body = b'{"version":%d,"items":[%b]}' % (version, b",".join(await seen_by(service, caller, live)))
    return present(body, live, caller)


async def seen_by(service: Service, caller: Caller, live: Live) -> list[bytes]:
    """The open decisions that the caller may see, in wire form."""
    if not live.decisions:
        return []
    book = await service.fetch(live.head.pin)
    words = words_for(service, caller, book, live.state)
    return [_encode(one) for one in proposals.waiting_for(caller, book, live, words, eyes_of(caller, live.state))]


async def read(service: Service, caller: Caller, encounter: str, decision: str) -> Result:
    """One open decision. `AlreadyAnswered` if it is open no more."""
    live = await lookup.encounter(service.store, caller, encounter)
    found = _open(live, caller, decision)
    if found is None:
        raise await _closed(service, caller, encounter, decision)
    book = await service.fetch(live.head.pin)
    words = words_for(service, caller, book, live.state)
    view = proposals.waiting(found, caller, book, live, words, eyes_of(caller, live.state))
    return present(_encode(view), live, caller)


async def answer(
    service: Service, caller: Caller, encounter: str, decision: str, body: AnswerIn, attempt: Attempt
) -> Result:
    """Answer an open decision: for whom one acts, or as GM for all. Answers with a command result.

    Raises `NotFound`, `NotPermitted`, `AlreadyAnswered`, `BadAnswer`, `Refusal`; the decision then stays open.
    """
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        found = _open(live, caller, decision)
        if found is None:
            raise _NotOpen
        if not caller.answers_for(found.owner, live.state.combatants.get(found.owner)):
            raise NotPermitted("control of the one who is asked")
        by = "gm" if caller.is_gm else "player"
        return go_on(book.ruleset, live, now=now, answered=(found, _given(live, caller, found, body, by), by))

    try:
        return await change(service, caller, encounter, attempt, act)
    except _NotOpen:
        raise await _closed(service, caller, encounter, decision) from None


async def withdraw(service: Service, caller: Caller, encounter: str, decision: str, attempt: Attempt) -> Result:
    """Take back what was proposed and waits for the GM's yes. Whoever acts for the actor. A command result.

    Raises `NotFound`, `NotPermitted`, `AlreadyAnswered`, and `NotTheTime` for what is no proposal.
    """
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        found = _open(live, caller, decision)
        if found is None:
            raise _NotOpen
        proposed = proposals.proposed(live, found)
        if proposed is None:
            raise NotTheTime("no_proposal")
        actor = live.state.combatants.get(proposed.actor)
        if not caller.answers_for(proposed.actor, actor):
            raise NotPermitted("control of the actor")
        by = "gm" if caller.is_gm else "player"
        return go_on(book.ruleset, live, now=now, answered=(found, Answer(WITHDRAW, by=by), by))

    try:
        return await change(service, caller, encounter, attempt, act)
    except _NotOpen:
        raise await _closed(service, caller, encounter, decision) from None


class _NotOpen(Exception):
    """No such decision is open: whether there ever was one is looked up outside the writer."""


def _open(live: Live, caller: Caller, decision: str) -> Decision | None:
    for one in live.decisions:
        if one.id == decision and (caller.is_gm or not one.hidden):
            return one
    return None


async def _closed(service: Service, caller: Caller, encounter: str, decision: str) -> ServiceError:
    known = await service.store.decision(encounter, decision)
    if known is None or (known.hidden and not caller.is_gm):
        return NotFound("decision", decision)
    return AlreadyAnswered(decision)


def _given(live: Live, caller: Caller, decision: Decision, body: AnswerIn, by: str) -> Input:
    """What was sent, as an answer to that question or as the dice of that roll. Raises `BadAnswer`, `Refused`."""
    ask = decision.ask
    if isinstance(ask, Roll):
        if body.option is not None or body.fields:
            at = "/option" if body.option is not None else "/fields"
            raise BadAnswer("dice_wanted", at, need=f"{ask.count}d{ask.sides}")
        if body.dice is None:
            raise BadAnswer("missing_input", "/dice", need=f"{ask.count}d{ask.sides}")
        return replace(judged_faces(ask, body.dice, "client"), by=caller.token)
    options = ", ".join(option.id for option in ask.options)
    if body.dice is not None:
        raise BadAnswer("option_wanted", "/dice", need=options)
    if body.option is None:
        raise BadAnswer("missing_input", "/option", need=options)
    return _answer(ask, live, caller, body.option, body, by)


def _answer(ask: Question, live: Live, caller: Caller, option: str, body: AnswerIn, by: str) -> Answer:
    form = next((one.form for one in ask.options if one.id == option), ())
    fields = door.fields(form, body.fields, live.state, caller) if form else body.fields
    naming = stated.Naming(live.state, caller, ask.to)
    for flaw in stated.names_fit(naming, form, body.fields, "/fields"):
        raise BadAnswer(flaw.code, flaw.at, need=flaw.need)
    return judged_answer(ask, option, fields, by)


async def expire_due(service: Service, now: int) -> int:
    """Answer with its default every decision whose time is up at `now` (UTC milliseconds). Tells how many.

    Each is one command of its own. One that cannot be answered so (its encounter is gone, its command no longer runs)
    is left to the GM, and looked at again when its lease has run out.
    """
    answered = 0
    for due in await service.writer.due_decisions():
        try:
            await submitted(service, Job(encounter=due.encounter, decide=_expiry(service, due, now)))
        except (_NotOpen, ServiceError, EngineError, PersistenceError):
            continue
        answered += 1
    return answered


def _expiry(service: Service, due: Due, now: int) -> Callable[[Live], tuple[Change, Callable[[Committed], Reply]]]:
    def decide(live: Live) -> tuple[Change, Callable[[Committed], Reply]]:
        found = next((one for one in live.decisions if one.id == due.decision), None)
        if found is None or live.pending is None or found.expires_at is None or found.expires_at > now:
            raise _NotOpen
        given = by_default(found.ask, live, live.pending)
        rules = service.rulebook(live.head.pin).ruleset
        played = go_on(rules, live, now=now, answered=(found, given, "timeout"))
        return timed(rules, live, played.change, now, by_clock=True), lambda committed: Reply(0, {}, b"")

    return decide
