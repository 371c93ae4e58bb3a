"""Weapons and shields as this game describes them, what somebody holds, and whether his grip is good enough.

Clauses MA-200, MA-210, MA-500, MA-520, MA-670, table 10.1.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal

import msgspec

from app.engine.dice import parse_dice
from app.engine.ids import CombatantId, ItemId
from app.engine.rules import Action, Ruleset
from app.engine.soundness import Bounds, Misfit, hands_within, marks_within, pools_within
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.manewry_ap.tables import Figure, Modifier

MELEE: Final = "melee"
SHOT: Final = "shot"
THROW: Final = "throw"
SHIELD: Final = "shield"
FISTS, HEAVY, LEAP = "fists", "heavy", "leaping_attack"
AMMO: Final = "ammo"
MAIN, OFF, BOTH = "main", "off", "both"
HANDS = 2
Hands = Annotated[int, msgspec.Meta(ge=0, le=HANDS)]
Range = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Weapon(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The profile of a weapon or shield. Reach and range are in units.

    `also_melee` is a thrown weapon that is used in melee as well, with the same figures. A weapon with `ammo` and no
    `reload_ap` is never reloaded.
    """

    kind: Literal["melee", "shot", "throw", "shield"]
    hands: Hands = 1
    damage: str = "0"
    ap_cost: Figure = 0
    parry: Modifier = 0
    reach: Figure = 1
    range_units: Range = 0
    also_melee: bool = False
    ammo: Figure | None = None
    reload_ap: Figure | None = None
    block: Modifier = 0
    cover: Modifier = 0
    qualities: dict[str, bool] = {}

    def __post_init__(self) -> None:
        parse_dice(self.damage)
        if self.hands not in (1, HANDS):
            raise ValueError("a weapon is held in one hand or two")

    @property
    def is_melee(self) -> bool:
        """Whether it strikes in melee."""
        return self.kind == MELEE or self.also_melee

    @property
    def is_always_heavy(self) -> bool:
        """Whether it is Heavy however it is held. Clause: MA-520."""
        return HEAVY in self.qualities or (self.kind == MELEE and self.hands == HANDS)

    def does(self, kind: str) -> bool:
        """Whether it can be used for an attack of that kind."""
        return self.is_melee if kind == MELEE else self.kind == kind


def profile(rules: Ruleset, item: Item) -> Weapon | None:
    """The weapon or shield an item is, None for anything else."""
    if item.custom is not None:
        made: Weapon = rules.make_weapon(item.custom)
        return made
    found: Weapon | None = rules.weapons.get(item.kind)
    return found


def fists(table: Table) -> Weapon:
    """Bare hands. Table 10.1."""
    found: Weapon = table.rules.weapons[FISTS]
    return found


def weapon_of(table: Table, who: CombatantId, item: ItemId | None) -> Weapon | None:
    """The profile of something he carries, bare hands for None; None for what is no weapon."""
    return fists(table) if item is None else profile(table.rules, table.item(who, item))


def in_hand(table: Table, who: CombatantId) -> Iterator[tuple[ItemId, Item, Weapon | None]]:
    """What is in his hands, main hand first."""
    items = [(item.held or "", ItemId(key), item) for key, item in table.who(who).items.items() if item.held]
    for _, key, item in sorted(items, key=lambda entry: (entry[0] == OFF, entry[1])):
        yield key, item, profile(table.rules, item)


def empty_hands(table: Table, who: CombatantId) -> tuple[str, ...]:
    """Hands that hold nothing."""
    taken = {item.held for item in table.who(who).items.values()}
    return () if BOTH in taken else tuple(hand for hand in (MAIN, OFF) if hand not in taken)


def has_both_hands_on(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether he holds it in two hands, or could: gripping with a free second hand costs nothing. Clause: MA-670."""
    held = table.item(who, item).held
    return held == BOTH or (held is not None and bool(empty_hands(table, who)))


def is_ready(table: Table, who: CombatantId, item: ItemId | None) -> bool:
    """Whether it is in hand, in as many hands as it needs; bare hands need an empty one. Clauses: MA-200, MA-300."""
    if item is None:
        return bool(empty_hands(table, who))
    carried, weapon = table.item(who, item), weapon_of(table, who, item)
    if carried.held is None or carried.on_ground:
        return False
    return weapon is None or weapon.hands < HANDS or has_both_hands_on(table, who, item)


def rounds(table: Table, who: CombatantId, item: ItemId) -> int | None:
    """Shots left in it; None for what needs none. Clause: MA-210."""
    carried = table.item(who, item)
    weapon = profile(table.rules, carried)
    return None if weapon is None or weapon.ammo is None else carried.marks.get(AMMO, 0)


def can_be_loaded(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether it is loaded at all, and not full. Clause: MA-670."""
    weapon = profile(table.rules, table.item(who, item))
    if weapon is None or weapon.ammo is None or weapon.reload_ap is None:
        return False
    return rounds(table, who, item) != weapon.ammo


def best_parry(table: Table, who: CombatantId) -> int | None:
    """The best parry of his ready melee weapons; None without one, and fists are none. Table 1.3."""
    found = [
        weapon.parry
        for key, _, weapon in in_hand(table, who)
        if weapon is not None and weapon.is_melee and is_ready(table, who, key)
    ]
    return max(found, default=None)


def shields(table: Table, who: CombatantId) -> list[Weapon]:
    """Shields in his hands."""
    return [weapon for _, _, weapon in in_hand(table, who) if weapon is not None and weapon.kind == SHIELD]


def misfits(rules: Ruleset, body: Combatant) -> Iterator[Misfit]:
    """Marks that an item cannot have, hands that are too full, more of a pool than there can be. Clause: MA-670."""
    yield from marks_within(body.items, lambda item: _bounds(rules, item))
    yield from hands_within(body.items)
    yield from pools_within(body, rules.pools)


def _bounds(rules: Ruleset, item: Item) -> Mapping[str, Bounds]:
    weapon = profile(rules, item)
    return {} if weapon is None or weapon.ammo is None else {AMMO: (0, weapon.ammo)}


def fits(table: Table, who: CombatantId, item: ItemId, action: Action) -> bool:
    """Whether an item is of a kind that the action is done with: carried, in hand, to be loaded, or for an attack."""
    kinds, carried = action.weapons.kinds, table.item(who, item)
    if "carried" in kinds:
        return True
    if carried.held is None:
        return False
    if "reloadable" in kinds:
        return can_be_loaded(table, who, item)
    weapon = profile(table.rules, carried)
    if action.id == LEAP and not table.flag("leap_melee_only"):
        return weapon is not None and weapon.kind != SHIELD
    return "held" in kinds or (weapon is not None and any(weapon.does(kind) for kind in kinds))
