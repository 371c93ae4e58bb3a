"""Weapons and gear as this game describes them: what somebody holds, rounds and magazines, reach.

Clauses SR-300 to SR-350, SR-430, SR-455, SR-458, SR-615, ledger 1.5.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from app.engine.events import ItemMoved
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.names import SkillName
from app.engine.rules import Action, Ruleset
from app.engine.scene import Scene
from app.engine.soundness import Bounds, Misfit, hands_within, marks_within, pools_within
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.shadowrun_5e.checks import JAMMED
from rulesets.shadowrun_5e.figures import METRE, apart, has_dni, natural_reach, stat, tables_of
from rulesets.shadowrun_5e.tables import Figure, Mode, Modifier

UNARMED = "unarmed"
AMMO, MAGAZINE, MODE, ACTIVE, SPARE = "ammo", "magazine", "mode", "active", "spare_"
"""Marks of an item: rounds in it, whether its magazine is in, the mode it is set to as a place among its modes, whether
a cyberweapon is out, and rounds of each spare magazine (`spare_1`, `spare_2`), 0 for one that is gone.
"""
RATING, ATTACK_RATING, PROTECTION, STATE, TESTED, AWAY = "rating", "attack", "protection", "state", "tested", "away"
"""Marks of gear: rating of a medkit, attack rating of a deck, protection of a file, what a device is set to, whether
the GM sets a test for it, how far off it lies where there is no map, in hundredths of a metre.
"""
CRACKED = "cracked"
LINKED = "linked"
"""Mark of a device of the encounter that takes mental commands. Clause: SR-455."""
MOST_SPARES = 9
BOTH, MAIN, OFF = "both", "main", "off"
HANDS = 2
Hands = Annotated[int, msgspec.Meta(ge=0, le=HANDS)]
Magazine = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Radius = Annotated[Length, msgspec.Meta(ge=0, le=100_000)]


class Blast(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a grenade does around itself: DV less so much for each whole metre, or all of it within a radius.

    Clause: SR-830.
    """

    falloff: Figure = 0
    radius: Radius = 0


class Weapon(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A weapon's profile, or what a piece of gear is good for. `accuracy` None is the physical limit; with
    `of_strength` the wielder's strength is added to `dv`.
    """

    kind: Literal["firearm", "melee", "thrown", "unarmed", "gear"]
    skill: SkillName = ""
    accuracy: Figure | None = None
    smart_accuracy: Figure | None = None
    dv: Modifier = 0
    of_strength: bool = False
    dv_type: Literal["P", "S"] = "P"
    element: Literal["none", "electricity"] = "none"
    ap: Modifier = 0
    modes: tuple[Mode, ...] = ()
    rc: Figure = 0
    reach: Figure = 0
    hands: Hands = 1
    range_table: str = ""
    feed: Literal["clip", "internal", "cylinder", "break_action", "belt", "none"] = "none"
    capacity: Magazine = 0
    device_link: bool = False
    cyberweapon: bool = False
    pistol: bool = False
    aerodynamic: bool = False
    blast: Blast | None = None
    trigger: Literal["timer", "motion_sensor", "wireless"] = "timer"
    device: Literal["none", "medkit", "deck", "file", "simple", "complex"] = "none"

    @property
    def is_firearm(self) -> bool:
        """Whether it shoots."""
        return self.kind == "firearm"

    @property
    def is_melee(self) -> bool:
        """Whether one strikes with it, or with the body."""
        return self.kind in ("melee", "unarmed")


def profile(rules: Ruleset, item: Item) -> Weapon | None:
    """The weapon or gear an item is, None for anything else."""
    if item.custom is not None:
        made: Weapon = rules.make_weapon(item.custom)
        return made
    found: Weapon | None = rules.weapons.get(item.kind)
    return found


def weapon_of(table: Table, who: CombatantId, item: ItemId | None) -> Weapon:
    """The profile of something he fights with; bare hands for None or for what is none."""
    if item is not None and item in table.who(who).items:
        found = profile(table.rules, table.item(who, item))
        if found is not None:
            return found
    bare: Weapon = table.rules.weapons[UNARMED]
    return bare


def kind_of(table: Table, who: CombatantId, item: ItemId | None) -> str | None:
    """What kind of weapon it is told as; nothing for bare hands, and for what he has no longer."""
    carried = table.carried(who, item)
    return None if carried is None else carried.kind


def is_ready(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether it is in the hands it needs and works; a cyberweapon while it is out. Clauses: SR-300, SR-458."""
    carried = table.item(who, item)
    weapon = profile(table.rules, carried)
    if weapon is None or carried.on_ground or carried.marks.get(JAMMED):
        return False
    if weapon.cyberweapon:
        return bool(carried.marks.get(ACTIVE))
    return carried.held == BOTH if weapon.hands == HANDS else carried.held is not None


def in_hand(table: Table, who: CombatantId) -> Iterator[tuple[ItemId, Item, Weapon]]:
    """Weapons that he could use at once, main hand first."""
    ready = [(item.held == OFF, ItemId(key), item) for key, item in table.who(who).items.items()]
    for _, key, item in sorted(ready, key=lambda entry: entry[:2]):
        weapon = profile(table.rules, item)
        if weapon is not None and is_ready(table, who, key):
            yield key, item, weapon


def melee_weapon(table: Table, who: CombatantId) -> ItemId | None:
    """The melee weapon in his hands, that of the longest reach; None for bare hands. Clause: SR-545."""
    found = [(weapon.reach, key) for key, _, weapon in in_hand(table, who) if weapon.is_melee]
    return max(found, key=lambda entry: (entry[0], entry[1]), default=(0, None))[1]


def reach_of(table: Table, who: CombatantId, item: ItemId | None) -> int:
    """Reach of a weapon and of whoever holds it. Clause: SR-615."""
    return natural_reach(table, who) + (weapon_of(table, who, item).reach if item is not None else 0)


def striking_distance(table: Table, who: CombatantId, item: ItemId | None) -> Length:
    """How far off he can strike with it, in hundredths of a metre. Clause: SR-415."""
    return (tables_of(table).core.reach + reach_of(table, who, item)) * METRE


# Hands


def hands_taken(item: Item) -> int:
    """Hands that holding this takes. Clause: SR-325."""
    return 0 if item.held is None else HANDS if item.held == BOTH else 1


def free_hands(table: Table, who: CombatantId) -> int:
    """Hands that hold nothing. Clause: SR-325."""
    return HANDS - sum(hands_taken(item) for item in table.who(who).items.values())


def hand_for(table: Table, who: CombatantId, weapon: Weapon | None) -> str | None:
    """The hand or hands that it would go into, None where they are not free. Clause: SR-325."""
    free = free_hands(table, who)
    if weapon is not None and weapon.hands == HANDS:
        return BOTH if free == HANDS else None
    taken = {item.held for item in table.who(who).items.values()}
    return next((hand for hand in (MAIN, OFF) if hand not in taken), None) if free else None


def let_fall(scene: Scene, who: CombatantId, item: ItemId, clause: str) -> None:
    """It lies where he stands. Clause: SR-465."""
    scene.emit(ItemMoved(who, item, None, True, ClauseId(clause), lies=scene.who(who).place))


# Rounds


def rounds(table: Table, who: CombatantId, item: ItemId) -> int:
    """Rounds that it can fire now. Clauses: SR-300, SR-350."""
    carried = table.item(who, item)
    return carried.marks.get(AMMO, 0) if has_magazine(table, who, item) else 0


def has_magazine(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether a magazine is in it; what has none of its own is fed otherwise. Clause: SR-345."""
    return weapon_of(table, who, item).feed != "clip" or bool(table.item(who, item).marks.get(MAGAZINE))


def mode_of(table: Table, who: CombatantId, item: ItemId) -> Mode | None:
    """The mode that it is set to. Clause: SR-650."""
    modes = weapon_of(table, who, item).modes
    place = table.item(who, item).marks.get(MODE, 0)
    return modes[place] if place < len(modes) else None


def set_mode(scene: Scene, who: CombatantId, item: ItemId, mode: str, clause: str) -> None:
    """It is set to that mode. Clauses: SR-315, SR-455."""
    scene.mark_item(who, item, MODE, list(weapon_of(scene, who, item).modes).index(mode), clause)  # type: ignore[arg-type]


def spares(table: Table, who: CombatantId, item: ItemId) -> dict[str, int]:
    """Spare magazines with rounds in them, by mark. Clause: SR-350."""
    marks = table.item(who, item).marks
    return {mark: marks[mark] for mark in _spare_marks() if marks.get(mark)}


def _spare_marks() -> tuple[str, ...]:
    return tuple(f"{SPARE}{number}" for number in range(1, MOST_SPARES + 1))


def eject(scene: Scene, who: CombatantId, item: ItemId, clause: str) -> None:
    """The magazine leaves the weapon: with rounds in it it is a spare one, empty it is gone. Clause: SR-345."""
    left = scene.item(who, item).marks.get(AMMO, 0)
    held = spares(scene, who, item)
    scene.mark_item(who, item, MAGAZINE, 0, clause)
    scene.mark_item(who, item, AMMO, 0, clause)
    if left:
        scene.mark_item(who, item, next(mark for mark in _spare_marks() if mark not in held), left, clause)


def insert(scene: Scene, who: CombatantId, item: ItemId, clause: str) -> None:
    """The fullest of the spare magazines goes in. Clause: SR-350."""
    held = spares(scene, who, item)
    mark = max(held, key=lambda one: (held[one], [-ord(letter) for letter in one]))
    scene.mark_item(who, item, mark, 0, clause)
    scene.mark_item(who, item, MAGAZINE, 1, clause)
    scene.mark_item(who, item, AMMO, held[mark], clause)


# At the door


def readied(rules: Ruleset, item: Item) -> Item:
    """A weapon comes loaded and set to its first mode unless something else is said."""
    weapon = profile(rules, item)
    if weapon is None or not weapon.is_firearm:
        return item
    marks = {AMMO: weapon.capacity, MODE: 0, **item.marks}
    if weapon.feed == "clip":
        marks.setdefault(MAGAZINE, 1)
    return item if marks == item.marks else msgspec.structs.replace(item, marks=marks)


def misfits(rules: Ruleset, body: Combatant) -> Iterator[Misfit]:
    """Marks that an item cannot have, hands that hold more than one thing, more points than there can be.

    Clauses: SR-325, SR-345.
    """
    yield from marks_within(body.items, lambda item: _bounds(rules, item))
    yield from hands_within(body.items)
    yield from pools_within(body, rules.pools)


def _bounds(rules: Ruleset, item: Item) -> Mapping[str, Bounds]:
    weapon = profile(rules, item)
    found: dict[str, Bounds] = {JAMMED: (0, 1), AWAY: (0, None)}
    if weapon is None:
        return found
    if weapon.is_firearm:
        found |= {AMMO: (0, weapon.capacity), MODE: (0, max(0, len(weapon.modes) - 1))}
        if weapon.feed == "clip":
            found |= {MAGAZINE: (0, 1), **dict.fromkeys(_spare_marks(), (0, weapon.capacity))}
    if weapon.cyberweapon:
        found[ACTIVE] = (0, 1)
    if weapon.kind == "gear":
        found |= {RATING: (1, 20), ATTACK_RATING: (0, 20), PROTECTION: (0, 20), STATE: (0, 100), TESTED: (0, 1)}
        found |= {CRACKED: (0, 1), ACTIVE: (0, 1), LINKED: (0, 1)}
    return found


def fits(table: Table, who: CombatantId, item: ItemId, action: Action) -> bool:
    """Whether an item is one that the action could be done with as things stand."""
    weapon = profile(table.rules, table.item(who, item))
    return any(_FITS[kind](table, who, item, weapon or Weapon("gear"), action) for kind in action.weapons.kinds)


def _fires(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    """In hand, set to a mode that the way to fire needs, and not empty. Clauses: SR-300, SR-650."""
    row = tables_of(table).firing.get(action.id)
    if not weapon.is_firearm or not is_ready(table, who, item):
        return False
    return row is None or (mode_of(table, who, item) in row.modes and rounds(table, who, item) > 0)


def _sweeps(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    """In hand, on full auto, with all the rounds of suppressive fire. Clause: SR-435."""
    enough = rounds(table, who, item) >= tables_of(table).core.suppression.rounds if weapon.is_firearm else False
    return enough and is_ready(table, who, item) and mode_of(table, who, item) == "FA"


def _strikes(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    return weapon.is_melee and is_ready(table, who, item)


def _flies(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    return weapon.kind == "thrown" and is_ready(table, who, item)


def _drawn(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    """Stowed, and the hands free for it. Clause: SR-325."""
    held = table.item(who, item)
    put_away = held.held is None and not held.on_ground and not is_ready(table, who, item)
    return put_away and hand_for(table, who, weapon) is not None


def _quick(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    """Of the size of a pistol, stowed, loaded, and set to single shots. Clause: SR-360."""
    single = weapon.is_firearm and mode_of(table, who, item) in ("SS", "SA") and rounds(table, who, item) > 0
    return weapon.pistol and single and _drawn(table, who, item, weapon, action)


def lies_at(table: Table, who: CombatantId, item: ItemId) -> Length:
    """How far off something on the ground is, in hundredths of a metre. Clause: SR-370."""
    held, place = table.item(who, item), table.who(who).place
    if held.lies is not None and place is not None:
        return apart(held.lies.point, place.point)
    away: Length = held.marks.get(AWAY, 0)
    return away


def _lifted(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    """In hand, or on the ground near enough with a hand free for it. Clause: SR-370."""
    held = table.item(who, item)
    near = held.on_ground and lies_at(table, who, item) <= tables_of(table).core.pick_up_reach * METRE
    return held.held is not None or (near and hand_for(table, who, weapon) is not None)


def _in_hand(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    return table.item(who, item).held is not None


def _switches(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    return len(weapon.modes) > 1 and is_ready(table, who, item)


def _unloads(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    return weapon.feed == "clip" and has_magazine(table, who, item)


def _loads(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    """Without its magazine, with a spare one and a hand to put it in. Clause: SR-350."""
    empty = weapon.feed == "clip" and not has_magazine(table, who, item) and bool(spares(table, who, item))
    return empty and (free_hands(table, who) > 0 or table.item(who, item).held == BOTH)


def _reloads(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    """In hand, fed without magazines, and not full. Clause: SR-430."""
    loose = weapon.is_firearm and weapon.feed not in ("clip", "none") and is_ready(table, who, item)
    return loose and rounds(table, who, item) < weapon.capacity


def _linked(table: Table, who: CombatantId, item: ItemId, weapon: Weapon, action: Action) -> bool:
    linked = weapon.device_link or bool(table.item(who, item).marks.get(LINKED))
    return linked and has_dni(table.who(who))


_FITS: Mapping[str, Callable[[Table, CombatantId, ItemId, Weapon, Action], bool]] = {
    "clip_in": _unloads,
    "clip_out": _loads,
    "firearm": _fires,
    "full_auto": _sweeps,
    "held": _in_hand,
    "lifted": _lifted,
    "linked": _linked,
    "loose": _reloads,
    "melee": _strikes,
    "quick": _quick,
    "several_modes": _switches,
    "stowed": _drawn,
    "thrown": _flies,
}
"""Kinds of item that `actions.yaml` speaks of."""


def range_bands(table: Table, who: CombatantId, weapon: Weapon) -> tuple[tuple[Length, ...], Length]:
    """How far each of its bands reaches in these hands, and the least distance. Clause: SR-660."""
    row = tables_of(table).ranges[weapon.range_table]
    times = stat(table.who(who), "strength") if row.of_strength else 1
    return tuple(band * times for band in row.bands), row.least
