"""Using devices, and hacking a file. Clauses SR-330, SR-420, SR-425, SR-900."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.events import ContestSettled, ItemMarked, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.names import ClauseName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e import devices
from rulesets.shadowrun_5e.attack import why_no_push
from rulesets.shadowrun_5e.checks import FIELD, action_terms, pool_terms, take_test
from rulesets.shadowrun_5e.figures import tables_of
from rulesets.shadowrun_5e.grenades import explode
from rulesets.shadowrun_5e.medicine import MEDKIT, RUNNING_KIT
from rulesets.shadowrun_5e.resolvers.free import waiting_grenade
from rulesets.shadowrun_5e.weapons import ATTACK_RATING, CRACKED, PROTECTION, RATING, profile
from rulesets.shadowrun_5e.where import distance

GRENADE = "grenade"


class DeviceParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which devices it is for, how many metres off, by which clause."""

    kind: Literal["simple", "complex"]
    reach: int
    clause: ClauseName


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """There is such a device, it is near, and it is no more complex than the action. Clauses: SR-330, SR-425."""
    reason, params = table.rules.reason, action.params
    name = sub.options.get("device")
    if name is None:
        able = tuple(one.id for one in devices.every(table) if not any(_why_not_this(table, sub, params, one)))
        able += () if waiting_grenade(table, sub.actor) is None else (ItemId(GRENADE),)
        code = "missing_input" if able else "unknown_device"
        yield reason(code, params.clause, at="/options/device", names=able)
        return
    if name == GRENADE and waiting_grenade(table, sub.actor) is not None:
        return
    device = devices.find(table, name)
    if device is None or device.weapon.device in ("deck", "file"):
        yield reason("unknown_device", params.clause, at="/options/device", names=(str(name),))
    else:
        yield from _why_not_this(table, sub, params, device)


def _why_not_this(table: Table, sub: Submission, params: DeviceParams, device: devices.Device) -> Iterator[Reason]:
    reason = table.rules.reason
    if device.weapon.device in ("deck", "file"):
        yield reason("unknown_device", params.clause, at="/options/device", names=(device.id,))
        return
    if params.kind == "simple" and device.weapon.device != "simple":
        yield reason("device_is_complex", params.clause, at="/options/device", names=(device.id,))
    if device.weapon.device == MEDKIT and params.kind == "complex":
        yield from _why_no_patient(table, sub, params)
        return
    far = devices.how_far(table, sub, device)
    if far is None:
        yield reason("missing_input", params.clause, at="/options/distance")
    elif far > devices.reach(params.reach):
        need = devices.reach(params.reach)
        yield reason("device_out_of_reach", params.clause, at="/options/device", need_length=need, got_length=far)


def _why_no_patient(table: Table, sub: Submission, params: DeviceParams) -> Iterator[Reason]:
    """A medkit is opened beside somebody; who has it need only be near him. Clause: SR-900."""
    patient = sub.target or sub.actor
    if not table.known(patient) or patient == sub.actor:
        return
    far, need = distance(table, sub.actor, patient), devices.reach(params.reach)
    if far is None:
        yield table.rules.reason("missing_input", "SR-590", at="/said/distance", names=(patient,))
    elif far > need:
        yield table.rules.reason("device_out_of_reach", "SR-900", at="/targets/0", need_length=need, got_length=far)


def use(scene: Scene, sub: Submission, action: Action) -> None:
    """A button, a lever, a medkit that is opened and starts; what it does is a state of the encounter's.

    Clauses: SR-330, SR-425, SR-820, SR-900.
    """
    who, clause = sub.actor, action.params.clause
    name = sub.options.get("device")
    grenade = waiting_grenade(scene, who)
    if name == GRENADE and grenade is not None:
        explode(scene, who, grenade)
        return
    device = devices.find(scene, name)
    assert device is not None
    if device.weapon.device == MEDKIT:
        patient = sub.target or who
        scene.end(patient, RUNNING_KIT, why="replaced", clause="SR-900")
        scene.begin(patient, RUNNING_KIT, value=device.item.marks.get(RATING, 1), source=who, item=device.id)
        return
    if devices.needs_a_test(device):
        set_by = devices.ask_for_a_test(scene, who, clause)
        done = devices.take_set_test(scene, who, set_by, clause)
        if done is not None and not done.success:
            return
    devices.switch(scene, device, sub.options.get("state"), clause)


# Hacking


def deck_of(table: Table, who: CombatantId) -> int:
    """The best attack rating that he carries, 0 for none. Clause: SR-420."""
    ratings = [0]
    for item in table.who(who).items.values():
        weapon = profile(table.rules, item)
        if weapon is not None and weapon.device == "deck" and not item.on_ground:
            ratings.append(item.marks.get(ATTACK_RATING, 0))
    return max(ratings)


def check_hack(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something to hack with, and a file. Clause: SR-420."""
    reason = table.rules.reason
    if not deck_of(table, sub.actor):
        yield reason("no_device", "SR-420")
    device = devices.find(table, sub.options.get("file"))
    files = tuple(one.id for one in devices.every(table) if one.weapon.device == "file")
    if sub.options.get("file") is None and files:
        yield reason("missing_input", "SR-420", at="/options/file", names=files)
    elif device is None or device.weapon.device != "file":
        yield reason("file_not_found", "SR-420", at="/options/file", names=(str(sub.options.get("file")),))
    yield from why_no_push(table, sub)


def hack(scene: Scene, sub: Submission, action: Action) -> None:
    """Hacking and logic against what protects the file; one hit more opens it. Clause: SR-420."""
    who = sub.actor
    device = devices.find(scene, sub.options.get("file"))
    assert device is not None
    protection = _protection(scene, who, device)
    terms = (*pool_terms(scene, who, "logic", "hacking"), *action_terms(scene, who))
    rolled = take_test(
        scene,
        who,
        "hacking",
        "hack",
        terms,
        clause="SR-420",
        limit=deck_of(scene, who),
        push=sub.options.get(FIELD) is True,
    )
    against = 0
    if protection:
        dice = protection * tables_of(scene).core.hacking.protection_dice
        shield = (Term(PROTECTION, dice, ClauseId("SR-420")),)
        against = _protect(scene, device, shield, who)
    net = rolled.hits - against
    scene.emit(ContestSettled(who, device.bearer, "hack", who if net > 0 else None, max(net, 0), ClauseId("SR-420")))
    if net > 0:
        scene.emit(ItemMarked(device.bearer, device.id, CRACKED, 1, 1, ClauseId("SR-420")))
        scene.emit(Noted(who, CRACKED, words=(device.id,), clause=ClauseId("SR-420")))


def _protect(scene: Scene, device: devices.Device, shield: tuple[Term, ...], who: CombatantId) -> int:
    """The file defends itself; its dice are rolled for whoever keeps it."""
    return take_test(
        scene, device.bearer, PROTECTION, "protect", shield, clause="SR-420", against=who, glitches=False
    ).hits


def _protection(scene: Scene, who: CombatantId, device: devices.Device) -> int:
    """As it was set, else as the GM says. Clause: SR-420."""
    marks = device.item.marks
    if PROTECTION in marks:
        return marks[PROTECTION]
    answer = scene.ask(
        Question(
            key="",
            name="file_protection",
            kind="file_protection",
            to=GM,
            options=(
                Option("none", declines=True),
                Option("rating", form=(Field("rating", "integer", required=True, minimum=0, maximum=20),)),
            ),
            default="none",
            best="none",
            about=who,
            clause=ClauseId("SR-420"),
        )
    )
    return answer.whole("rating")


USE = Resolver(DeviceParams, check, use)


class HackParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hacking has its figures in the tables."""


HACK = Resolver(HackParams, check_hack, hack)
