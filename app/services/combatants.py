"""Combatants: who is in an encounter, and what a GM or their own player changes about them."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from app.catalog import Rulebook, Unfit
from app.catalog.findings import child
from app.engine import commands as cmd
from app.engine.ids import CombatantId, ItemId
from app.engine.soundness import Misfit
from app.engine.state import Combatant, Item, State
from app.persistence.work import Live, revision
from app.services import door, lookup, newcomers, stated
from app.services.bodies import CombatantEdit, CombatantIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change
from app.services.errors import BadInput, Finding, NotPermitted
from app.services.play import Played, begin, go_on, nothing_waits
from app.services.results import present
from app.services.service import Service
from app.services.views import Viewer

_encode = msgspec.json.Encoder().encode
_OWN = frozenset({"policy"})
"""What a player may change about his own combatants."""


async def add(
    service: Service, caller: Caller, encounter: str, bodies: tuple[CombatantIn, ...], attempt: Attempt
) -> Result:
    """Let combatants enter, before the start or in mid-fight. GM. Answers with a command result."""
    now = service.clock()
    ids = [CombatantId(service.new_id("cmb_")) for _ in range(newcomers.count(bodies))]
    slots = newcomers.slots_for(bodies, service.new_id)

    def act(book: Rulebook, live: Live) -> Played:
        lookup.need_gm(caller)
        nothing_waits(book.ruleset, live, caller)
        if not bodies:
            raise BadInput((Finding("missing_input", "/combatants"),))
        joining = newcomers.read(book, live.state, bodies, ids, slots, caller.language)
        return begin(book.ruleset, live, cmd.Join(joining), now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)


async def page(service: Service, caller: Caller, encounter: str) -> Result:
    """`{"version", "items": [...]}`: the combatants that the caller may see, each as `read` gives it."""
    live = await lookup.encounter(service.store, caller, encounter)
    viewer = Viewer(service, caller, await service.fetch(live.head.pin), live)
    items = [viewer.combatant(body) for body in viewer.state.combatants.values() if body.status != "gone"]
    version = revision(live.head, caller.audience)
    return present(_encode({"version": version, "items": items}), live, caller)


async def read(service: Service, caller: Caller, encounter: str, combatant: str) -> Result:
    """One combatant, whatever the system: resources, budgets, effects, items, sheet."""
    live = await lookup.encounter(service.store, caller, encounter)
    found = lookup.combatant(live.state, caller, combatant)
    viewer = Viewer(service, caller, await service.fetch(live.head.pin), live)
    body = _encode(viewer.combatant(viewer.state.combatants[found.id]))
    return present(body, live, caller)


async def edit(
    service: Service, caller: Caller, encounter: str, combatant: str, body: CombatantEdit, attempt: Attempt
) -> Result:
    """Change a combatant's own data. GM; a player may change the `policy` of his own. A command result.

    While something waits, the edit becomes a part of the waiting command, as a ruling does. A policy holds for what is
    asked from then on, never for what is open.
    """
    now = service.clock()
    given = {name for name in body.__struct_fields__ if getattr(body, name) is not UNSET}
    slot = service.new_id(newcomers.SLOT) if body.hidden == "slot" else None

    def act(book: Rulebook, live: Live) -> Played:
        held = lookup.combatant(live.state, caller, combatant)
        if not caller.is_gm and not (given <= _OWN and caller.controls(held)):
            raise NotPermitted("gm")
        edited = _edited(book, live.state, held, body, slot)
        changed = tuple(name for name in Combatant.__struct_fields__ if getattr(edited, name) != getattr(held, name))
        if live.pending is not None:
            return go_on(book.ruleset, live, now=now, ruling=cmd.Edit(edited, changed))
        return begin(book.ruleset, live, cmd.Edit(edited, changed), now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)


def _edited(book: Rulebook, state: State, held: Combatant, body: CombatantEdit, slot: str | None) -> Combatant:
    """How he stands afterwards, `slot` the id of the unknown slot that he may become.

    Raises `BadInput` with everything that does not fit.
    """
    findings: list[Finding] = []
    fields: dict[str, Any] = {}
    for name in ("name", "side", "external_ref", "policy", "dice", "notes", "values", "rolls"):
        value = getattr(body, name)
        if value is not UNSET:
            fields[name] = value
    if body.hidden is not UNSET:
        stays = held.hidden and held.slot is not None and body.hidden == "slot"
        fields |= {"hidden": bool(body.hidden), "slot": held.slot if stays else slot}
    if body.policy is not UNSET:
        findings += newcomers.policy_fits(book, body.policy, "/policy")
    if body.cover is not UNSET:
        fields["cover"] = None if body.cover is None else door.cover(body.cover)
        findings += stated.cover_fits(book.ruleset.vocabulary, body.cover, "/cover")
    if body.position is not UNSET:
        fields["place"] = None if body.position is None else door.place(body.position)
    before = len(findings)
    if body.sheet is not UNSET:
        fields["sheet"] = newcomers.sheet_over(book, held, body.sheet, "/sheet", findings)
    is_sound = len(findings) == before
    if body.items is not UNSET:
        fields["items"] = _items(book, held, body, findings)
    edited: Combatant = replace(held, **fields)
    if is_sound:
        findings += dict.fromkeys(_misfits_of(book, held, edited, body))
    if edited.external_ref != held.external_ref and edited.external_ref is not None:
        others = (other for other in state.combatants.values() if other.id != held.id and other.status != "gone")
        if any(other.external_ref == edited.external_ref for other in others):
            findings.append(Finding("external_ref_taken", "/external_ref"))
    if "place" in fields:
        findings += newcomers.places_fit(book, state, (edited,), {edited.id: "/position"})
    if findings:
        raise BadInput(findings)
    return edited


def _misfits_of(book: Rulebook, held: Combatant, edited: Combatant, body: CombatantEdit) -> Iterator[Finding]:
    """What the edit makes of him that cannot be, at the field of it that does. What he was before is not its fault."""
    before = set(book.ruleset.misfits(held))
    new = [one for one in book.ruleset.misfits(edited) if one not in before]
    given = tuple(child("/items", key) + "/" for key in ({} if body.items is UNSET else body.items))
    told = {one.need for one in new if one.at.startswith(given)}
    for one in new:
        if one.at.startswith(given):
            yield Finding(one.code, one.at, one.need)
        elif one.code != "hand_full" or one.need not in told:  # of two in one hand the one that comes into it is told
            yield Finding(one.code, _figure_behind(book, held, body, one), one.need)


def _figure_behind(book: Rulebook, held: Combatant, body: CombatantEdit, misfit: Misfit) -> str:
    """The figure of the sheet that alone brings this about; the sheet, where it takes several."""
    given = {} if body.sheet is UNSET else body.sheet
    for name in given:
        alone = replace(held, sheet=newcomers.sheet_over(book, held, {name: given[name]}, "", []))
        if misfit in book.ruleset.misfits(alone):
            return child("/sheet", name)
    return "/sheet"


def _items(book: Rulebook, held: Combatant, body: CombatantEdit, findings: list[Finding]) -> dict[str, Item]:
    items = dict(held.items)
    for name, given in ({} if body.items is UNSET else body.items).items():
        if given is None:
            if name not in items:
                findings.append(Finding("unknown_item", child("/items", name)))
            items.pop(ItemId(name), None)
            continue
        try:
            items[name] = book.read_item(door.item_document(given), f"/items/{name}")
        except Unfit as unfit:
            findings += door.findings_of(unfit)
    return items


async def duplicate(
    service: Service, caller: Caller, encounter: str, combatant: str, count: int, attempt: Attempt
) -> Result:
    """More of the same, fresh and unhurt, under their own names and ids. GM. Answers with a command result.

    They stand nowhere until the GM puts them somewhere.
    """
    now = service.clock()
    ids = [CombatantId(service.new_id("cmb_")) for _ in range(count)]
    slots = [service.new_id(newcomers.SLOT) for _ in range(count)]

    def act(book: Rulebook, live: Live) -> Played:
        lookup.need_gm(caller)
        held = lookup.combatant(live.state, caller, combatant)
        nothing_waits(book.ruleset, live, caller)
        newcomers.room_for(live.state, count)
        copies = tuple(
            book.ruleset.prepare(book.ruleset, _fresh(held, who, name, slot))
            for who, name, slot in zip(ids, newcomers.next_names(live.state, held.name, count), slots, strict=True)
        )
        return begin(book.ruleset, live, cmd.Join(copies), now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)


def _fresh(held: Combatant, who: CombatantId, name: str, slot: str) -> Combatant:
    return Combatant(
        id=who,
        name=name,
        side=held.side,
        sheet=held.sheet,
        sample=held.sample,
        hidden=held.hidden,
        dice=held.dice,
        policy=held.policy,
        items={key: replace(item, on_ground=False, lies=None) for key, item in held.items.items()},
        notes=held.notes,
        slot=None if held.slot is None else slot,
        values=held.values,
        rolls=held.rolls,
    )


async def remove(service: Service, caller: Caller, encounter: str, combatant: str, attempt: Attempt) -> Result:
    """Take a combatant out of the encounter. GM. Answers with a command result."""
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        lookup.need_gm(caller)
        held = lookup.combatant(live.state, caller, combatant)
        nothing_waits(book.ruleset, live, caller)
        return begin(book.ruleset, live, cmd.Leave((held.id,)), now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)
