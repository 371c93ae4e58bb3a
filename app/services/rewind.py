"""Going back to an earlier version, also into the middle of a command that waited. History is kept."""

from msgspec.structs import replace

from app.catalog import Rulebook
from app.engine.events import Emitted, EncounterSet, Rewound
from app.persistence.work import Change, Live
from app.persistence.work import NotFound as NoRow
from app.services import lookup
from app.services.bodies import RewindIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change
from app.services.errors import BadInput, Finding
from app.services.opaque import opaque
from app.services.play import Played, reopened, withdrawn
from app.services.service import Service
from app.services.settings import Settings


async def rewind(service: Service, caller: Caller, encounter: str, body: RewindIn, attempt: Attempt) -> Result:
    """Let the encounter stand as it did at `to_version`. GM. Answers with a command result.

    What was asked then is asked again, under new ids. Dice fall anew: the same ones would make going back a way to
    peek.
    """
    now = service.clock()
    live = await lookup.encounter(service.store, caller, encounter)
    lookup.need_gm(caller)
    try:
        moment = await service.store.moment(encounter, body.to_version)
    except NoRow:
        raise BadInput((Finding("unknown_version", "/to_version", f"1 to {live.head.version}"),)) from None
    public = await _public_version(service, live, body.to_version)
    # Once a fight has ended its seed is known: what comes now must be drawn from another.
    fresh = service.new_seed()

    def act(book: Rulebook, live: Live) -> Played:
        head = live.head
        epoch = head.epoch + 1
        opened: tuple[Emitted, ...] = ()
        seed: bytes | None = None
        settings: str | None = None
        committed: tuple[Emitted, ...] = ()
        if live.state.status == "ended":
            after = Settings.of(head).reseeded(head, fresh, epoch)
            seed, settings = fresh, after.text
            committed = (Emitted(EncounterSet(dice_commitment=after.commitment)),)
            live = replace(live, head=replace(head, seed=fresh))
        pending, decisions = moment.pending, moment.decisions
        if pending is not None:
            pending, decisions, opened = reopened(live, pending, decisions, epoch, now)
        change = Change(
            state=moment.state,
            events=(Emitted(Rewound(body.to_version, body.reason, public)), *committed, *opened),
            pending=pending,
            base=moment.base,
            decisions=decisions,
            closed=withdrawn(live.decisions),
            commands=head.commands + 1,
            to_version=body.to_version,
            seed=seed,
            settings=settings,
        )
        return Played(change, opaque("cmd_", head.seed, head.epoch, head.commands + 1))

    return await change(service, caller, encounter, attempt, act)


async def _public_version(service: Service, live: Live, version: int) -> int:
    """A version in the count of everybody but the GM: how many events he could know of by then."""
    low, high, found = 0, live.head.seq, 0
    while low < high:
        middle = (low + high) // 2
        entry = (await service.store.log(live.head.public_id, "gm", after=middle, limit=1))[0]
        if entry.version <= version:
            low, found = middle + 1, entry.public_seq
        else:
            high = middle
    return found
