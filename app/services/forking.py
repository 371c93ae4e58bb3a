"""What if: an encounter of its own that begins where another one stood, also in the middle of a waiting command."""

import msgspec
from msgspec.structs import replace

from app.engine.asks import Faces
from app.engine.dice import commitment
from app.engine.events import Emitted, EncounterSet, Forked
from app.persistence.planning import first_head
from app.persistence.work import Change, Committed, Creation, Live, Pending, Reply, Rolled
from app.persistence.work import NotFound as NoRow
from app.services import lookup
from app.services.bodies import ForkIn
from app.services.caller import Attempt, Caller, Result
from app.services.encounters import room_for_one_more
from app.services.errors import BadInput, Finding, NotPermitted
from app.services.play import reopened
from app.services.results import once, reply, result
from app.services.service import Service
from app.services.settings import Settings
from app.services.views import Viewer

_encode = msgspec.json.Encoder().encode


async def fork(service: Service, caller: Caller, encounter: str, body: ForkIn, attempt: Attempt) -> Result:
    """Make an encounter that stands as this one did at a version. GM of the campaign. Answers as `read` does.

    It has a seed and a log of its own; this one stays as it is. What waited then waits there under new ids, and every
    die falls anew but those that were rolled for the waiting command already.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    lookup.need_gm(caller)
    if caller.encounter is not None:
        raise NotPermitted("gm of the campaign")
    book = await service.fetch(live.head.pin)
    at_version = live.head.version if body.at_version is None else body.at_version
    try:
        moment = await service.store.moment(encounter, at_version)
    except NoRow:
        raise BadInput((Finding("unknown_version", "/at_version", f"1 to {live.head.version}"),)) from None
    now, seed, name = service.clock(), service.new_seed(), service.new_id("enc_")
    held = Settings.of(live.head)
    settings = replace(
        held, commitment=commitment(seed), past_seeds=(), seed_epoch=0, turn_due_at=None, turns_missed=0, forked=True
    )
    opened: tuple[Emitted, ...] = ()
    pending, decisions = moment.pending, moment.decisions
    rolls: tuple[Rolled, ...] = ()
    creation = Creation(
        public_id=name,
        campaign_id=live.head.campaign_id,
        name=live.head.name if body.name is None else body.name,
        ruleset=live.head.ruleset,
        pin=live.head.pin,
        seed=seed,
        settings=settings.text,
        origin=moment.state,
        change=Change(state=moment.state, events=(Emitted(Forked(encounter, at_version)),)),
        render=lambda committed: Reply(0, {}, b""),
        once=once(caller, attempt),
        admit=lambda connection: room_for_one_more(connection, live.head.campaign_id, service.encounters_per_campaign),
    )
    if pending is not None:
        born = Live(head=first_head(creation, 0, now), state=moment.state)
        pending, decisions, opened = reopened(born, pending, decisions, 0, now)
        # The command started from a version that is in no log of this encounter.
        pending = replace(pending, base_version=0)
        rolls = _carried(pending)
    change = Change(
        state=moment.state,
        events=(
            Emitted(Forked(encounter, at_version)),
            Emitted(EncounterSet(dice_commitment=settings.commitment)),
            *opened,
        ),
        pending=pending,
        base=moment.base,
        decisions=decisions,
        commands=max(live.head.commands, 1),
        rolls=rolls,
    )

    def render(committed: Committed) -> Reply:
        view = Viewer(service, caller, book, committed.live).encounter()
        return reply(_encode(view), committed.head, caller, created=name)

    return result(await service.writer.create(replace(creation, change=change, render=render)))


def _carried(pending: Pending) -> tuple[Rolled, ...]:
    """Dice that the waiting command has already: they fell in the other encounter, from its seed."""
    return tuple(
        Rolled(
            name=faces.name,
            key=key,
            epoch=0,
            command=pending.number,
            sides=faces.sides or 0,
            faces=faces.faces,
            source=faces.source,
            by=faces.by or None,
            carried=True,
        )
        for key, faces in pending.inputs.items()
        if isinstance(faces, Faces) and faces.name is not msgspec.UNSET
    )
