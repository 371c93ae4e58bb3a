"""Devices and files of the encounter: items that lie about or are carried, found by their id. Clauses SR-330, SR-420,
SR-425.
"""

from collections.abc import Iterator

import msgspec

from app.engine.asks import GM, Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import ItemMarked
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.scene import Scene
from app.engine.state import Item
from app.engine.table import Table
from rulesets.shadowrun_5e.checks import Test, action_terms, pool_terms, take_test
from rulesets.shadowrun_5e.figures import METRE, apart
from rulesets.shadowrun_5e.weapons import AWAY, STATE, TESTED, Weapon, profile

ATTRIBUTES = ("body", "agility", "reaction", "strength", "willpower", "logic", "intuition", "charisma")


class Device(msgspec.Struct, frozen=True):
    """A device: with whom it is kept, under which id, what it is."""

    bearer: CombatantId
    id: ItemId
    item: Item
    weapon: Weapon


def find(table: Table, name: object) -> Device | None:
    """The device of that id, whoever keeps it."""
    for body in sorted(table.state.combatants.values(), key=lambda one: one.id):
        item = body.items.get(str(name))
        weapon = None if item is None else profile(table.rules, item)
        if item is not None and weapon is not None and weapon.device != "none":
            return Device(body.id, ItemId(str(name)), item, weapon)
    return None


def every(table: Table) -> Iterator[Device]:
    """Everything of the encounter that is a device or a file, by id."""
    ids = {key for body in table.state.combatants.values() for key in body.items}
    for key in sorted(ids):
        found = find(table, key)
        if found is not None:
            yield found


def how_far(table: Table, sub: Submission, device: Device) -> Length | None:
    """Hundredths of a metre to it: by the map, as stated, or by what is known of it. Clause: SR-330."""
    if device.bearer == sub.actor and not device.item.on_ground:
        return 0
    place, lies = table.who(sub.actor).place, device.item.lies or table.who(device.bearer).place
    if table.has_map and place is not None and lies is not None:
        return apart(lies.point, place.point)
    stated = sub.options.get("distance")
    if isinstance(stated, int):
        return stated
    return device.item.marks.get(AWAY) if device.item.on_ground else None


def needs_a_test(device: Device) -> bool:
    """Whether the GM sets a test for it."""
    return bool(device.item.marks.get(TESTED))


def switch(scene: Scene, device: Device, state: object, clause: str) -> None:
    """It goes to the state that is named, or to the other of two. Clauses: SR-330, SR-425."""
    before = device.item.marks.get(STATE, 0)
    after = state if isinstance(state, int) and not isinstance(state, bool) else 1 - min(before, 1)
    scene.emit(ItemMarked(device.bearer, device.id, STATE, after - before, after, ClauseId(clause)))


# Tests that the GM sets


def test_form(table: Table) -> tuple[Field, ...]:
    """What a test is made of: attribute, skill, threshold, limit."""
    return (
        Field("attribute", "word", choices=ATTRIBUTES),
        Field("skill", "word", choices=tuple(table.rules.skills)),
        Field("threshold", "integer", minimum=0, maximum=20),
        Field("limit", "integer", minimum=1, maximum=30),
    )


def ask_for_a_test(scene: Scene, who: CombatantId, clause: str) -> Answer:
    """The GM says which, or that none is needed. Clauses: SR-125, SR-330."""
    return scene.ask(
        Question(
            key="",
            name="device_test",
            kind="device_test",
            to=GM,
            options=(Option("none", declines=True), Option("test", form=test_form(scene))),
            default="none",
            best="none",
            about=who,
            clause=ClauseId(clause),
        )
    )


def take_set_test(scene: Scene, who: CombatantId, set_by: Answer, clause: str) -> Test | None:
    """The test as the GM has set it; None where there is none. Clauses: SR-125, SR-330."""
    attribute = set_by.word("attribute")
    if not attribute:
        return None
    skill = set_by.word("skill") or None
    limit = set_by.whole("limit")
    terms = (*pool_terms(scene, who, attribute, skill), *action_terms(scene, who))
    return take_test(
        scene,
        who,
        skill or attribute,
        "improvise",
        terms,
        clause=clause,
        limit=limit or None,
        threshold=set_by.whole("threshold"),
        sprung=True,
    )


def reach(metres: int) -> Length:
    """Metres in hundredths."""
    return metres * METRE
