"""An encounter out of one installation and into another: written line by line, read with trust in nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import BinaryIO

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from app.catalog import Rulebook
from app.catalog.house.trial import odds, samples_of
from app.engine.dice import commitment
from app.engine.events import Emitted, EncounterSet, Imported
from app.engine.state import Combatant
from app.persistence.bringing import Bringing
from app.persistence.lines import (
    BrokenLine,
    Brought,
    EventLine,
    Reader,
    end,
    event_in,
    exported,
    exported_events,
)
from app.persistence.work import Change, Committed, Head, Live, PastSeed, Reply
from app.services import lookup
from app.services.caller import Attempt, Caller, Result
from app.services.encounters import own_campaign, room_for_one_more
from app.services.errors import BadInput, Finding
from app.services.history import head_in
from app.services.limits import event_flaws, is_encounter, state_flaws
from app.services.newcomers import room_for
from app.services.play import expires
from app.services.rerun import flaws
from app.services.results import once, reply, result
from app.services.service import Service
from app.services.settings import Settings
from app.services.texts import is_name
from app.services.views import Viewer

_encode = msgspec.json.Encoder().encode
LONGEST_LINE = 8 * 1024 * 1024
"""Bytes: a rules document takes about one."""
_WITNESS = Caller("", "gm")
_STRANGER = Caller("", "spectator")

Check = Callable[[bytes], None]
"""Whether a line is JSON that two readers would not understand differently. Raises `ValueError`."""


async def export(service: Service, caller: Caller, encounter: str) -> AsyncIterator[bytes]:
    """The encounter as lines. GM. Everything but the log is of one moment, and the log goes up to it."""
    live = await lookup.encounter(service.store, caller, encounter)
    lookup.need_gm(caller)

    def first(connection: Connection) -> tuple[Head, list[bytes]]:
        head = head_in(connection, live.head)
        return head, list(exported(head, Settings.of(head), connection))

    head, lines = await service.store.examine(first)
    return _lines(service, head, lines)


async def _lines(service: Service, head: Head, first: list[bytes]) -> AsyncIterator[bytes]:
    count, seq = len(first), 0
    yield b"\n".join(first) + b"\n"
    while seq < head.seq:
        page = await service.store.examine(partial(exported_events, head, seq))
        if not page:
            return  # deleted meanwhile: without its last line nobody takes the file for whole
        count, seq = count + len(page), seq + len(page)
        yield b"\n".join(page) + b"\n"
    yield end(count) + b"\n"


async def bring_in(
    service: Service,
    caller: Caller,
    campaign: str,
    name: str | None,
    file: BinaryIO,
    attempt: Attempt,
    check: Check,
) -> Result:
    """Make an encounter from exported lines. GM of the campaign. Answers as `read` does.

    Raises `BadInput` that names the first wrong line, `LimitReached`.
    """
    await own_campaign(service, caller, campaign)
    try:
        brought = await asyncio.to_thread(_read, file, check)
    except BrokenLine as broken:
        raise BadInput((Finding(broken.code, f"/lines/{broken.number}", broken.need),)) from None
    book = await _book(service, brought)
    now, seed, made = service.clock(), service.new_seed(), service.new_id("enc_")
    head, settings = _head(brought, campaign, name, seed, made, now)
    await asyncio.to_thread(_playable, service, book, brought, head)

    def decide(live: Live) -> tuple[Change, Callable[[Committed], Reply]]:
        due = expires(live, now)
        pending = None if live.pending is None else replace(live.pending, epoch=head.epoch)
        change = Change(
            state=live.state,
            events=(
                Emitted(Imported(brought.head.id)),
                Emitted(EncounterSet(dice_commitment=settings.commitment)),
            ),
            pending=pending,
            base=live.base,
            decisions=tuple(replace(one, expires_at=due) for one in live.decisions),
            commands=live.head.commands + 1,
        )
        return change, render

    def render(committed: Committed) -> Reply:
        view = Viewer(service, caller, book, committed.live).encounter()
        return reply(_encode(view), committed.head, caller, created=made)

    await service.keep(book)
    service.hold(book)
    bringing = Bringing(
        head=head,
        brought=brought,
        events=lambda: _events(file),
        decide=decide,
        once=once(caller, attempt),
        admit=lambda connection: room_for_one_more(connection, campaign, service.encounters_per_campaign),
    )
    return result(await service.writer.bring(bringing))


def _read(file: BinaryIO, check: Check) -> Brought:
    reader = Reader(event_flaws)
    for raw in _raw_lines(file):
        if len(raw) > LONGEST_LINE:
            raise BrokenLine(reader.number + 1, "line_too_long", str(LONGEST_LINE))
        try:
            check(raw)
        except ValueError as bad:
            raise BrokenLine(reader.number + 1, "bad_line") from bad
        reader.take(raw)
    return reader.finish()


def _raw_lines(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while raw := file.readline(LONGEST_LINE + 2):
        yield raw.rstrip(b"\r\n")


def _events(file: BinaryIO) -> Iterator[EventLine]:
    for raw in _raw_lines(file):
        found = event_in(raw)
        if found is not None:
            yield found


async def _book(service: Service, brought: Brought) -> Rulebook:
    """The rules that came along: those of this installation where they are the same, else judged like house rules."""
    known = service.catalog.by_pin(brought.head.pin)
    if known is not None:
        return known
    if service.catalog.get(brought.head.ruleset) is None:
        raise BadInput((Finding("unknown_ruleset", "/lines/1/ruleset", ", ".join(service.catalog.ids)),))
    try:
        book = await asyncio.to_thread(_restored, service, brought.document)
    except Exception as bad:  # whatever a made-up document does to the compiler, it is its fault
        raise BadInput((Finding("not_playable", "/lines/2/document"),)) from bad
    if book.ruleset.pin != brought.head.pin or book.id != brought.head.ruleset:
        raise BadInput((Finding("log_broken", "/lines/2/document", "another fingerprint than the head names"),))
    return book


def _restored(service: Service, document: bytes) -> Rulebook:
    told = msgspec.json.decode(document)
    if not isinstance(told, dict):
        raise TypeError(document[:20])
    book = service.catalog.restore(told)
    for _ in odds(book, samples_of(book)):
        pass
    return book


def _head(brought: Brought, campaign: str, name: str | None, seed: bytes, made: str, now: int) -> tuple[Head, Settings]:
    """The row that is to be, and its settings: another seed is in force from here on."""
    told, state = brought.head, brought.state
    epoch = told.epoch + 1
    settings = Settings(
        told.decision_timeout_s,
        told.approval,
        commitment(seed),
        dice_reveal=told.dice_reveal,
        past_seeds=tuple(PastSeed(one.epoch, one.commitment, one.seed) for one in told.dice_seeds),
        seed_epoch=epoch,
        forked=told.forked,
        notes=told.notes,
    )
    slot = state.clock.slot
    head = Head(
        id=0,
        public_id=made,
        campaign_id=campaign,
        name=told.name if name is None else name,
        ruleset=told.ruleset,
        pin=told.pin,
        status=state.status,
        round=state.clock.round,
        active=None if slot is None else slot.owner,
        version=told.version,
        seq=told.seq,
        public_seq=told.public_seq,
        epoch=epoch,
        commands=max(told.commands, 0 if brought.pending is None else brought.pending.number),
        seed=seed,
        hash=bytes.fromhex(told.hash),
        settings=settings.text,
        created_at=now,
        updated_at=now,
    )
    return head, settings


def _playable(service: Service, book: Rulebook, brought: Brought, head: Head) -> None:
    """Whether today's rules can go on from there: everybody fits the ruleset, can be shown, and what waits still runs.

    Raises `BadInput`, `LimitReached`.
    """
    state = brought.state
    room_for(state, 0)
    try:
        strange = any(True for one in (brought.origin, state) for _ in state_flaws(one))
        strange |= not is_encounter(brought.head.id) or not is_name(brought.head.name)
        wrong = next((who for who, body in state.combatants.items() if not _fits(book, who, body)), None)
        live = Live(head=head, state=state, pending=brought.pending, base=brought.base, decisions=brought.decisions)
        for reader in (_WITNESS, _STRANGER):
            _encode(Viewer(service, reader, book, live).encounter())
        same = not any(True for _ in _flaws(book, live, brought))
    except Exception as bad:
        # The figures are made up, and whatever they make of the rules is no fault of ours.
        raise BadInput((Finding("not_playable", "/lines"),)) from bad
    if strange or wrong is not None or not same:
        raise BadInput((Finding("not_playable", "/lines"),))


def _fits(book: Rulebook, who: str, body: Combatant) -> bool:
    book.read_sheet(book.write_sheet(body.sheet), "")
    book.read_items({name: book.write_item(item) for name, item in body.items.items()}, "")
    return body.id == who and not any(True for _ in book.ruleset.misfits(body))


def _flaws(book: Rulebook, live: Live, brought: Brought) -> Iterator[str]:
    """Whether the waiting command comes out as it was shown, and asks what is open; in a fork also what waited then."""
    if live.pending is not None and live.base is not None:
        if live.pending.pin != book.ruleset.pin:
            yield "what waits began under other rules"
        yield from flaws(book, live.state, live.base, live.pending, live.decisions)
    if brought.waited is not None:
        pending, base, decisions = brought.waited
        yield from flaws(book, brought.origin, base, pending, decisions)
