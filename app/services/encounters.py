"""Encounters: made in one call, listed, read, started, ended, set up, deleted."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, func, select

from app.catalog import Rulebook
from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.dice import commitment
from app.engine.fold import fold_all
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.showing import slot_told
from app.engine.space.model import Ground
from app.engine.state import State
from app.engine.visibility import stamp
from app.persistence.tables import campaign as campaigns
from app.persistence.tables import encounter as encounters
from app.persistence.work import Change, Committed, Creation, Deletion, Head, Live, Reply
from app.persistence.work import NotFound as NoRow
from app.services import door, house_rules, lookup, newcomers, stated
from app.services.bodies import EncounterIn, EndIn, FactIn, MapIn, SetupIn, StartIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change, in_words
from app.services.errors import BadInput, Finding, LimitReached, NotFound, NotTheTime
from app.services.maps import validate_ground
from app.services.opaque import opaque
from app.services.play import Played, begin, nothing_waits
from app.services.results import once, present, reply, result
from app.services.service import Service
from app.services.settings import Settings
from app.services.views import Viewer, summary, whole

_encode = msgspec.json.Encoder().encode


async def create(service: Service, caller: Caller, body: EncounterIn, attempt: Attempt) -> Result:
    """Make an encounter with its combatants: version 1. GM of the campaign. Answers as `read` does.

    Raises `BadInput`, `Refusal`, `LimitReached`.
    """
    await own_campaign(service, caller, body.campaign)
    book = service.catalog.get(body.ruleset)
    if book is None:
        raise BadInput((Finding("unknown_ruleset", "/ruleset", ", ".join(service.catalog.ids)),))
    version = 0
    if body.house_rules is not None:
        book, version = await house_rules.chosen(service, body.campaign, body.house_rules, body.ruleset)
    origin = State(ruleset=body.ruleset)
    ids = [CombatantId(service.new_id("cmb_")) for _ in range(newcomers.count(body.combatants))]
    slots = newcomers.slots_for(body.combatants, service.new_id)
    seed = service.new_seed()
    try:
        events, state = _first_events(book, caller, body, origin, ids, slots, commitment(seed))
    except Refused as refused:
        raise in_words(service, caller, book, origin, refused) from None
    name = service.new_id("enc_")
    settings = Settings(
        body.decision_timeout_s,
        body.approval,
        commitment(seed),
        house_rules=body.house_rules,
        house_version=version,
        dice_reveal=body.dice_reveal,
        notes=body.notes,
    )

    def render(committed: Committed) -> Reply:
        view = Viewer(service, caller, book, committed.live).encounter()
        return reply(_encode(view), committed.head, caller, created=name)

    await service.keep(book)
    creation = Creation(
        public_id=name,
        campaign_id=body.campaign,
        name=body.name,
        ruleset=body.ruleset,
        pin=book.ruleset.pin,
        seed=seed,
        settings=settings.text,
        origin=origin,
        change=Change(state=state, events=events),
        render=render,
        once=once(caller, attempt),
        admit=lambda connection: room_for_one_more(connection, body.campaign, service.encounters_per_campaign),
    )
    return result(await service.writer.create(creation))


def room_for_one_more(connection: Connection, campaign: str, most: int) -> None:
    """Raises `LimitReached` where the campaign holds as many as it may.

    On PostgreSQL several that are made in the same moment do not see each other, and may come out a few beyond it.
    """
    query = select(func.count()).select_from(encounters).where(encounters.c.campaign_id == campaign)
    if connection.execute(query).scalar_one() >= most:
        raise LimitReached("too_many_encounters", most)


async def own_campaign(service: Service, caller: Caller, name: str) -> None:
    """Whether he may make encounters there. Raises `NotFound`, `NotPermitted`."""
    if caller.role == "admin":
        query = select(campaigns.c.id).where(campaigns.c.id == name)
        if await service.store.read(lambda connection: connection.execute(query).first()) is None:
            raise NotFound("campaign", name)
    elif caller.campaign != name:
        raise NotFound("campaign", name)
    lookup.need_manager(caller)


def _first_events(
    book: Rulebook,
    caller: Caller,
    body: EncounterIn,
    origin: State,
    ids: list[CombatantId],
    slots: list[str],
    committed: str,
) -> tuple[tuple[ev.Emitted, ...], State]:
    """What happened before anything happened: the settings, the map, who is there and what was stated."""
    options = book.read_options(body.options)
    happened: list[ev.AnyEvent] = [ev.EncounterSet(options, body.dice, committed, body.values or None)]
    if body.secret_rolls != origin.secret_rolls:
        happened.append(ev.EncounterSet(secret_rolls=body.secret_rolls))
    if isinstance(body.space, MapIn):
        happened.append(ev.MapChanged(ground_of(book, body.space, {})))
    state = fold_all(origin, happened)
    for one in newcomers.read(book, state, body.combatants, ids, slots, caller.language):
        happened += (ev.Joined(one), *slot_told(None, one))
    if not isinstance(body.space, MapIn):
        state = fold_all(origin, happened)
        happened += _stated(book, state, caller, body.space.facts)
    emitted: list[ev.Emitted] = []
    state = origin
    for event in happened:
        emitted.append(stamp(state, event))
        state = fold_all(state, (event,))
    return tuple(emitted), state


def ground_of(book: Rulebook, given: MapIn, worn: Mapping[str, int], at: str = "/space") -> Ground:
    """The map, if nothing in it would fail later. Raises `BadInput` with everything that would.

    A map that was read may be sent back: how far cover is `worn` down may then be told, but not changed.
    """
    ground = door.ground(given)
    findings = [Finding(flaw.code, at + flaw.pointer) for flaw in validate_ground(ground, book.ruleset.metric)]
    findings += stated.map_fits(book.ruleset.vocabulary, given, at)
    findings += [
        Finding("not_settable", f"{at}/worn/{one}") for one, lost in given.worn.items() if worn.get(one) != lost
    ]
    if findings:
        raise BadInput(findings)
    return ground


def _stated(book: Rulebook, state: State, caller: Caller, facts: Iterable[FactIn]) -> list[ev.AnyEvent]:
    happened: list[ev.AnyEvent] = []
    findings: list[Finding] = []
    pairs: list[stated.Pair] = []
    for place, given in enumerate(facts):
        pair = [lookup.find(state, caller, name) for name in (given.from_, given.to)]
        first, second = pair
        if first is None or second is None:
            field = "from" if first is None else "to"
            findings.append(Finding("unknown_combatant", f"/space/facts/{place}/{field}", "ref:TOKEN"))
            continue
        pairs.append((first.id, second.id, given, f"/space/facts/{place}"))
        happened.append(ev.FactStated(first.id, second.id, door.fact(given)))
        if given.engaged:
            happened.append(ev.EngagementBegan(first.id, second.id))
    findings += stated.facts_fit(book.ruleset.vocabulary, pairs)
    if findings:
        raise BadInput(findings)
    return happened


async def page(
    service: Service,
    caller: Caller,
    *,
    campaign: str | None = None,
    status: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Result:
    """Encounters the caller may see, oldest first: `{"items", "next_cursor"}`. `after` is a `next_cursor`."""
    column = encounters.c
    query = select(encounters).order_by(column.id).limit(limit + 1)
    if caller.role != "admin":
        query = query.where(column.campaign_id == caller.campaign)
    if caller.encounter is not None:
        query = query.where(column.public_id == caller.encounter)
    if campaign is not None:
        query = query.where(column.campaign_id == campaign)
    if status is not None:
        query = query.where(column.status == status)

    def work(connection: Connection) -> list[dict[str, Any]]:
        rows = query
        if after is not None:
            last = connection.execute(select(column.id, column.campaign_id).where(column.public_id == after)).first()
            if last is None or (caller.role != "admin" and last.campaign_id != caller.campaign):
                raise BadInput((Finding("bad_cursor", "/after"),))
            rows = rows.where(column.id > last.id)
        return [summary(Head(**row._mapping), caller) for row in connection.execute(rows)]

    found = await service.store.read(work)
    more = found[limit - 1]["id"] if len(found) > limit else None
    return Result(_encode({"items": found[:limit], "next_cursor": more}))


async def read(service: Service, caller: Caller, encounter: str) -> Result:
    """The encounter as its reader may see it: clock, space, combatants, what waits."""
    live = await lookup.encounter(service.store, caller, encounter)
    body = whole(service, caller, await service.fetch(live.head.pin), live)
    return present(body, live, caller)


async def start(service: Service, caller: Caller, encounter: str, body: StartIn, attempt: Attempt) -> Result:
    """Roll initiative and begin the first turn; waits for those who roll their own. GM. A command result."""
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        lookup.need_gm(caller)
        nothing_waits(book.ruleset, live, caller)
        surprised = tuple(lookup.id_of(live.state, caller, name) for name in body.surprised)
        return begin(book.ruleset, live, cmd.Start(surprised), now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)


async def end(service: Service, caller: Caller, encounter: str, body: EndIn, attempt: Attempt) -> Result:
    """End the fight. GM. A command that waits must be answered or cancelled first. Answers with a command result."""
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        lookup.need_gm(caller)
        if live.state.status != "running":
            raise NotTheTime("not_running")
        nothing_waits(book.ruleset, live, caller)
        return begin(book.ruleset, live, cmd.Finish(body.why), now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)


async def set_up(service: Service, caller: Caller, encounter: str, body: SetupIn, attempt: Attempt) -> Result:
    """Change options and dice (before the start), map, name, time limit and approval (at any time). GM.

    Answers with a command result.
    """
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        lookup.need_gm(caller)
        settings = Settings.of(live.head)
        if body.decision_timeout_s is not msgspec.UNSET:
            settings = replace(settings, decision_timeout_s=body.decision_timeout_s)
        if body.approval is not msgspec.UNSET:
            settings = replace(settings, approval=body.approval)
        if body.dice_reveal is not None:
            settings = replace(settings, dice_reveal=body.dice_reveal)
        if body.notes is not msgspec.UNSET:
            settings = replace(settings, notes=body.notes)
        secrets = body.values is not None or body.secret_rolls is not None
        if body.options or body.dice is not None or body.space is not None or secrets:
            nothing_waits(book.ruleset, live, caller)
            ground = None if body.space is None else ground_of(book, body.space, live.state.scenery.worn)
            # An option that is set to the ruleset's own value may have had another one until now.
            options = {name: book.ruleset.options.get(name) for name in body.options} | book.read_options(body.options)
            setup = cmd.Setup(options, body.dice, ground, body.values, body.secret_rolls)
            played = begin(book.ruleset, live, setup, now=now, token=caller.token)
        else:
            played = _noted(live)
        changed = replace(played.change, events=(*played.change.events, *_told_of_settings(body, played.change.events)))
        return replace(played, change=replace(changed, name=body.name, settings=settings.text))

    return await change(service, caller, encounter, attempt, act)


def _told_of_settings(body: SetupIn, already: tuple[ev.Emitted, ...]) -> Iterable[ev.Emitted]:
    """A version for settings of which no event tells: in everybody's count, unless they are the GM's alone.

    One that is set to what it was is a change of nothing; it still makes a version.
    """
    only_gms = body == SetupIn(notes=body.notes, secret_rolls=body.secret_rolls)
    if any(one.audience == "all" for one in already) or (only_gms and already):
        return ()
    return (ev.Emitted(ev.EncounterSet(), "gm" if only_gms else "all"),)


def _noted(live: Live) -> Played:
    """A change beside the fight: whatever waits goes on waiting."""
    head = live.head
    change = Change(
        state=live.state,
        events=(),
        pending=live.pending,
        base=live.base,
        decisions=live.decisions,
        commands=head.commands + 1,
    )
    return Played(change, opaque("cmd_", head.seed, head.epoch, head.commands + 1))


async def delete(service: Service, caller: Caller, encounter: str, attempt: Attempt) -> Result:
    """Remove the encounter with its log. GM of the campaign. The body is empty."""

    def render(head: Head) -> Reply:
        lookup.admit_change(caller, head, attempt)
        lookup.need_manager(caller)
        return reply(b"", None, caller)

    try:
        stored = await service.writer.delete(Deletion(encounter=encounter, render=render, once=once(caller, attempt)))
    except NoRow:
        raise NotFound("encounter", encounter) from None
    lookup.need_manager(caller)  # also for an answer that is given again
    return result(stored)
