"""The way of every change: who may, what the rules say, the writer, and the answer that is stored with it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from app.catalog import Rulebook
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.state import Combatant, State
from app.persistence.work import Change, Committed, Decide, Job, Live, Reply, revision
from app.persistence.work import NotFound as NoRow
from app.services import lookup, proposals, wire
from app.services.caller import Attempt, Caller, Result
from app.services.cut import eyes_of
from app.services.errors import NotFound, Refusal
from app.services.play import Played
from app.services.results import once, reply, result, still_his
from app.services.service import Service, Unpinned
from app.services.turn_limit import timed
from app.services.words import Words

Act = Callable[[Rulebook, Live], Played]
_encode = msgspec.json.Encoder().encode


async def change(service: Service, caller: Caller, encounter: str, attempt: Attempt, act: Act) -> Result:
    """Let `act` make a change of the live encounter, store it, and answer with the command result.

    `act` runs in the writer's thread, perhaps more than once. What it refuses comes out with its messages in words.
    """

    def decide(live: Live) -> tuple[Change, Callable[[Committed], Reply]]:
        lookup.admit_change(caller, live.head, attempt)
        book = service.rulebook(live.head.pin)
        try:
            played = act(book, live)
        except Refused as refused:
            raise in_words(service, caller, book, live.state, refused) from None
        timely = timed(book.ruleset, live, played.change, service.clock())
        return timely, lambda committed: _told(service, caller, book, played, committed)

    stored = await submitted(service, Job(encounter=encounter, decide=decide, once=once(caller, attempt)))
    if stored.replayed:
        # Nothing was judged this time, and both he and the encounter may be others by now.
        live = await lookup.encounter(service.store, caller, encounter)
        still_his(stored, caller, live.state)
    return result(stored)


async def submitted(service: Service, job: Job) -> Reply:
    """What the writer answers. Rules that are not at hand are fetched first."""
    noted = replace(job, decide=_noting(service, job.decide))
    try:
        try:
            return await service.writer.submit(noted)
        except Unpinned as missing:
            await service.fetch(missing.pin)
            return await service.writer.submit(noted)
    except NoRow:
        raise NotFound("encounter", job.encounter) from None


def _noting(service: Service, decide: Decide) -> Decide:
    """The same, and when it is stored it is remembered when the time of the turn is up."""

    def noting(live: Live) -> tuple[Change, Callable[[Committed], Reply]]:
        change, told = decide(live)

        def reply_of(committed: Committed) -> Reply:
            service.note_turn(committed.head)
            return told(committed)

        return change, reply_of

    return noting


def _told(service: Service, caller: Caller, book: Rulebook, played: Played, committed: Committed) -> Reply:
    head, live, audience = committed.head, committed.live, caller.audience
    words = words_for(service, caller, book, live.state)
    eyes = eyes_of(caller, live.state)
    body = wire.command_result(
        played.command,
        revision(head, audience),
        is_done=played.is_done,
        entries=wire.told(committed.told, audience, words, eyes),
        waiting_for=[_encode(one) for one in proposals.waiting_for(caller, book, live, words, eyes)],
        unused_rolls=played.unused_rolls,
    )
    return reply(body, head, caller, state=live.state)


def words_for(
    service: Service,
    caller: Caller,
    book: Rulebook,
    state: State,
    also: Mapping[CombatantId, Combatant] = MappingProxyType({}),
) -> Words:
    """Names and messages for this caller in this encounter; `also` are people who are not in its state."""
    return Words(
        caller.language,
        book.texts,
        service.voice(book),
        {**also, **state.combatants} if also else state.combatants,
        sees_hidden=caller.is_gm,
        lacking=book.ruleset.to_fill_in,
    )


def in_words(service: Service, caller: Caller, book: Rulebook, state: State, refused: Refused) -> Refusal:
    """What the rules refuse, each reason with its message, cut for the caller."""
    words, eyes = words_for(service, caller, book, state), eyes_of(caller, state)
    return Refusal(refused.reasons, tuple(wire.reason(why, words, eyes) for why in refused.reasons))
