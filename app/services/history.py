"""Looking back at an encounter: whether everything in it is true, what was left behind, how it stood at a version."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, select

from app.engine.dice import commitment, named_faces
from app.engine.events import AnyEvent, Die, EncounterSet, Forked
from app.persistence.audit import Why, came_along, dice_of, rolls_of
from app.persistence.reading import entry_of, head_of
from app.persistence.statements import ENTRY_COLUMNS, HEAD_COLUMNS
from app.persistence.tables import encounter as encounters
from app.persistence.tables import event, pause, roll
from app.persistence.verify import Report, examine, pending_of, unproven_dice, unproven_times
from app.persistence.work import Head, Live
from app.persistence.work import NotFound as NoRow
from app.services import lookup
from app.services.branches import numbered, rewinds_of, stretches
from app.services.caller import Caller, Result
from app.services.cut import Eyes, event_seen, eyes_of
from app.services.errors import NotFound
from app.services.rerun import Rerun
from app.services.service import Service
from app.services.views import Viewer, reveals, seeds

_encode = msgspec.json.Encoder().encode
MOST_FINDINGS = 200
_PAGE = 500


async def verify(service: Service, caller: Caller, encounter: str) -> Result:
    """Whether the encounter is what its log says, and its dice what the seed gives.

    The GM has everything looked at. Others get the dice they know of checked, as soon as they may know the seed.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    eyes = eyes_of(caller, live.state)
    again = Rerun(service.catalog)

    def work(connection: Connection) -> tuple[Head, Report]:
        head = head_in(connection, live.head)
        whole = examine(connection, head, again)
        return head, whole if caller.is_gm else _visible(connection, head, caller, eyes, is_well=not whole.findings)

    head, report = await service.store.examine(work)
    view: dict[str, Any] = {
        "ok": not report.findings,
        "verdict": report.verdict,
        "complete": caller.is_gm,
        "events": report.events,
        "dice": {
            "checked": report.dice_checked,
            "unchecked": report.dice_unchecked,
            "reported": report.dice_reported,
        },
        "unproven": report.unproven,
        "seeds": seeds(head, caller),
        "findings": report.findings[:MOST_FINDINGS],
    }
    if caller.is_gm:
        view["hash"] = head.hash.hex()
    return Result(_encode(view))


def head_in(connection: Connection, known: Head) -> Head:
    """The row as this transaction sees it. Raises `NotFound`."""
    query = select(*(encounters.c[name] for name in HEAD_COLUMNS)).where(encounters.c.id == known.id)
    row = connection.execute(query).first()
    if row is None:
        raise NotFound("encounter", known.public_id)
    return head_of(tuple(row))


def _visible(connection: Connection, head: Head, caller: Caller, eyes: Eyes, *, is_well: bool) -> Report:
    """The dice of everybody's log against the seeds that this reader is shown. A die is drawn again by its own name.

    Whether all that he must not see is well too he is told, and nothing more of it.
    """
    held = [(one["since"], one["commitment"], one["seed"]) for one in seeds(head, caller)]
    findings = [
        f"the seed in force since rewind {since} is not the one that was committed to"
        for since, told, seed in held
        if seed is not None and told and commitment(bytes.fromhex(seed)) != told
    ]
    published: set[str] = set()
    counts: dict[Why, int] = {"nameless": 0, "elsewhere": 0, "seed_unknown": 0, "uncommitted": 0}
    checked = reported = events = times = last = 0
    along, epochs = _came_along(connection, head), _epochs(connection, head)
    for number, at, happened in _public_events(connection, head, eyes):
        times += at < last
        events, last = number, at
        if isinstance(happened, EncounterSet) and happened.dice_commitment is not None:
            published.add(happened.dice_commitment)
        for die in dice_of(happened):
            if die.source != "server":
                reported += 1
                continue
            if die.roll is msgspec.UNSET:
                counts["nameless"] += 1
                continue
            if die.roll in along:
                counts["elsewhere"] += 1
                if die.value != along[die.roll]:
                    findings.append(f"event {number} shows die {die.roll}, which did not come along so")
                continue
            epoch = epochs.get(die.roll.partition(".")[0], -1)
            told, seed = next(((told, seed) for since, told, seed in reversed(held) if since <= epoch), ("", ""))
            if seed is None:
                counts["seed_unknown"] += 1
            elif not seed or not is_drawn(bytes.fromhex(seed), die):
                findings.append(f"event {number} shows die {die.roll}, which no seed gives")
            else:
                checked += told in published
                counts["uncommitted"] += told not in published
    if not is_well:
        findings.append("something that is kept of it is not as it was: the game master is told what")
    unproven = (*unproven_dice(counts), *unproven_times(times))
    return Report(1, max(events, head.public_seq), tuple(findings), checked, sum(counts.values()), reported, unproven)


def _epochs(connection: Connection, head: Head) -> dict[str, int]:
    """After how many rewinds each roll was made: which seed was in force then."""
    made = connection.execute(select(roll.c.body).where(roll.c.encounter_id == head.id)).scalars()
    return {one.name: one.epoch for body in made for one in rolls_of(body)}


def _came_along(connection: Connection, head: Head) -> dict[str, int]:
    """The server's dice that a fork has from where it was forked: none where the log begins otherwise."""
    begins = connection.execute(select(event.c.type).where(event.c.encounter_id == head.id, event.c.seq == 1)).scalar()
    if begins != Forked.__struct_config__.tag:
        return {}
    made = connection.execute(select(roll.c.body).where(roll.c.encounter_id == head.id, roll.c.version == 1)).scalar()
    columns = (pause.c.shape, pause.c.pending)
    row = connection.execute(select(*columns).where(pause.c.encounter_id == head.id, pause.c.version == 1)).first()
    rolls = () if made is None else rolls_of(made)
    names = came_along({1: rolls}, pending_of(row))
    return {f"{one.name}.{at}": face for one in rolls if one.name in names for at, face in enumerate(one.faces)}


def is_drawn(seed: bytes, die: Die) -> bool:
    """Whether a die of the server fell as the seed has it."""
    name, _, place = str(die.roll).partition(".")
    if not (place.isascii() and place.isdigit() and len(place) <= 4) or die.sides < 2:
        return False
    return named_faces(seed, name, int(place) + 1, die.sides)[-1] == die.value


def _public_events(connection: Connection, head: Head, eyes: Eyes) -> Iterator[tuple[int, int, AnyEvent]]:
    """What this reader knows of, by its number, with its time."""
    columns = [event.c[name] for name in ENTRY_COLUMNS]
    last = 0
    while True:
        rows = connection.execute(
            select(*columns)
            .where(event.c.encounter_id == head.id, event.c.seq > last, event.c.visible_to == "all")
            .order_by(event.c.seq)
            .limit(_PAGE)
        ).all()
        if not rows:
            return
        for row in rows:
            entry = entry_of(tuple(row))
            yield entry.public_seq, entry.at, event_seen(entry.emitted, eyes)
        last = rows[-1].seq


async def branches(service: Service, caller: Caller, encounter: str) -> Result:
    """The stretches of the log in the reader's own numbers: what led to the present, and what was left behind."""
    live = await lookup.encounter(service.store, caller, encounter)
    head, audience = live.head, caller.audience

    def work(connection: Connection) -> list[dict[str, Any]]:
        items = []
        for one in stretches(head.version, rewinds_of(connection, head)):
            events = numbered(connection, head, one, audience)
            if events is None:
                continue
            item: dict[str, Any] = {"first": events[0], "last": events[1], "abandoned": one.abandoned}
            if caller.is_gm:
                item |= {"first_version": one.first, "last_version": one.last}
            items.append(item)
        return items

    return Result(_encode({"items": await service.store.examine(work)}))


async def version(service: Service, caller: Caller, encounter: str, number: int) -> Result:
    """The encounter as it stood at a version, also one that was left behind: as `read` answers. GM."""
    live = await lookup.encounter(service.store, caller, encounter)
    lookup.need_gm(caller)
    book = await service.fetch(live.head.pin)
    try:
        moment = await service.store.moment(encounter, number)
    except NoRow:
        raise NotFound("version", str(number)) from None
    state = moment.state

    def counts(connection: Connection) -> tuple[int, int]:
        query = (
            select(event.c.seq, event.c.public_seq)
            .where(event.c.encounter_id == live.head.id, event.c.version <= number)
            .order_by(event.c.seq.desc())
            .limit(1)
        )
        row = connection.execute(query).one()
        return row.seq, row.public_seq

    seq, public_seq = await service.store.examine(counts)
    slot = state.clock.slot
    head = replace(
        live.head,
        version=number,
        seq=seq,
        public_seq=public_seq,
        status=state.status,
        round=state.clock.round,
        active=None if slot is None else slot.owner,
    )
    stood = Live(head=head, state=state, pending=moment.pending, base=moment.base, decisions=moment.decisions)
    view = Viewer(service, caller, book, stood).encounter()
    # The seed hangs on how the encounter stands now, not on how it stood then.
    view |= {"dice_seed": live.head.seed.hex() if reveals(live.head, caller) else None}
    view |= {"dice_seeds": seeds(live.head, caller)}
    return Result(_encode(view))
