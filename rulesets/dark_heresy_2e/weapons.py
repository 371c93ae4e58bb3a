"""Weapons as this game describes them, and what somebody holds."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from app.engine.dice import Dice, parse_dice
from app.engine.ids import CombatantId, ItemId, Length
from app.engine.names import DiceText
from app.engine.rules import Action, Ruleset
from app.engine.soundness import Bounds, Misfit, hands_within, marks_within
from app.engine.state import Combatant, Item
from app.engine.table import Table

MELEE = "melee"
UNARMED = "unarmed"
THROWN_CLASSES = ("thrown", "grenade")
BRACE_MARKS: Mapping[str, Bounds] = {
    "braced": (0, 1),
    "brace_arc": (0, 360),
    "brace_facing": (0, 359),
    "brace_on_body": (0, 1),
    "brace_x": (None, None),
    "brace_y": (None, None),
}


Rate = Annotated[int, msgspec.Meta(ge=0, le=200)]
"""Rounds of a burst: each hit of them is rolled."""
Hands = Annotated[int, msgspec.Meta(ge=1, le=2)]
Range = Annotated[Length, msgspec.Meta(ge=1, le=10_000_000)]
Penetration = Annotated[int, msgspec.Meta(ge=0, le=1_000)]
Clip = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Steps = Annotated[int, msgspec.Meta(ge=1, le=1_000)]


class RateOfFire(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rounds by fire mode; a mode that is not there is 0 (or False for the single shot)."""

    single: bool = False
    semi: Rate = 0
    full: Rate = 0


class Reload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long reloading takes: a `half` or `full` action, or an `extended` one of so many full actions."""

    kind: Literal["half", "full", "extended"]
    steps: Steps = 1


class Weapon(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """A weapon's profile. `range` is in metres (inside, hundredths), or `range_sb` per Strength bonus point."""

    class_: Literal["melee", "pistol", "basic", "heavy", "thrown", "grenade"]
    damage: DiceText
    type: Literal["energy", "explosive", "impact", "rending"]
    hands: Hands = 1
    range: Range | None = None
    range_sb: Range | None = None
    rof: RateOfFire = RateOfFire()
    add_sb: bool = False
    penetration: Penetration = 0
    clip: Clip | None = None
    reload: Reload | None = None
    qualities: dict[str, int | bool] = {}
    natural: bool = False

    @property
    def dice(self) -> Dice:
        """The damage dice."""
        return parse_dice(self.damage)

    @property
    def is_melee(self) -> bool:
        """Whether it is used hand to hand."""
        return self.class_ == MELEE

    @property
    def is_ranged(self) -> bool:
        """Whether it can be shot or thrown."""
        return self.class_ != MELEE

    @property
    def reloading(self) -> Reload | None:
        """How long reloading takes; Twin-Linked doubles it. Clause: DH-5490."""
        if self.reload is None or not self.has("twin_linked"):
            return self.reload
        match self.reload.kind:
            case "half":
                return Reload("full")
            case "full":
                return Reload("extended", 2)
            case _:
                return Reload("extended", 2 * self.reload.steps)

    def has(self, quality: str) -> bool:
        """Whether it has the quality, with or without a figure."""
        return quality in self.qualities

    def figure(self, quality: str) -> int:
        """The figure of a quality such as Blast (3)."""
        return int(self.qualities.get(quality, 0))


def profile(rules: Ruleset, item: Item) -> Weapon | None:
    """The weapon an item is, None for anything else."""
    if item.custom is not None:
        made: Weapon = rules.make_weapon(item.custom)
        return made
    found: Weapon | None = rules.weapons.get(item.kind)
    return found


def weapon_of(table: Table, who: CombatantId, item: ItemId | None) -> Weapon:
    """The profile of something he fights with; bare hands for None, for what is no weapon, and for what is gone."""
    carried = table.carried(who, item)
    found = None if carried is None else profile(table.rules, carried)
    if found is not None:
        return found
    bare: Weapon = table.rules.weapons[UNARMED]
    return bare


def readied(table: Table, who: CombatantId) -> Iterator[tuple[ItemId, Weapon]]:
    """Weapons in his hands, main hand first."""
    held = [(item.held or "", ItemId(key), item) for key, item in table.who(who).items.items() if item.held]
    for _, key, item in sorted(held, key=lambda entry: (entry[0] == "off", entry[1])):
        weapon = profile(table.rules, item)
        if weapon is not None:
            yield key, weapon


def is_unarmed(table: Table, who: CombatantId) -> bool:
    """Whether he has no weapon in his hands. Clause: DH-5440."""
    return not any(not weapon.natural for _, weapon in readied(table, who))


def free_hands(table: Table, who: CombatantId) -> int:
    """Hands that hold nothing."""
    body = table.who(who)
    return hands_of(body) - sum(hands_taken(table.rules, item) for item in body.items.values() if item.held)


def hands_of(body: Combatant) -> int:
    """Hands he can use; an arm that is unusable or lost takes one away. Clause: DH-5520."""
    lamed = {
        effect.word
        for effect in body.effects.values()
        if effect.kind in ("arm_unusable", "arm_lost") and not effect.active_after
    }
    return max(0, body.sheet.stats.get("hands", 2) - len(lamed))


def hands_taken(rules: Ruleset, item: Item) -> int:
    """Hands that holding this takes."""
    if item.held == "both":
        return 2
    weapon = profile(rules, item)
    return 1 if weapon is None else weapon.hands


def is_hand_full(table: Table, who: CombatantId, item: ItemId, hand: object) -> bool:
    """Whether something else is already in the hand that is named for this; `both` are two hands."""
    body = table.who(who)
    others = [one for key, one in body.items.items() if key != item and not _is_natural(table.rules, one)]
    named = {"both": ("main", "off")}.get(str(hand), (hand,))
    return any(sum(one.held in (one_hand, "both") for one in others) >= hand_room(body) for one_hand in named if hand)


def range_of(table: Table, who: CombatantId, weapon: Weapon) -> Length | None:
    """How far the weapon reaches as the book counts ranges; None in melee. Clause: DH-5140."""
    if weapon.range_sb is not None:
        from rulesets.dark_heresy_2e.figures import bonus

        return weapon.range_sb * bonus(table.who(who), "s")
    return weapon.range


def ammo(table: Table, who: CombatantId, item: ItemId) -> int:
    """Rounds left; a thing that is thrown counts its pieces. Clause: DH-5410."""
    held = table.carried(who, item)
    if held is None:
        return 0
    weapon = profile(table.rules, held)
    if weapon is not None and is_thrown(weapon):
        return held.count
    return held.marks.get("ammo", 0)


def fits(table: Table, who: CombatantId, item: ItemId, action: Action) -> bool:
    """Whether an item is of a kind that the action is done with; an attack needs it in hand."""
    kinds = action.weapons.kinds
    held = table.item(who, item)
    if "carried" in kinds:
        return not held.on_ground
    if "held" in kinds:
        return held.held is not None
    weapon = profile(table.rules, held)
    if weapon is None or not held.held or (getattr(action.params, "hands", 1) > 1 and held.held != "both"):
        return False
    return ("melee" in kinds and weapon.is_melee) or ("ranged" in kinds and (weapon.is_ranged or weapon.rof.single))


def is_thrown(weapon: Weapon) -> bool:
    """Whether it leaves the hand when it is used at a distance."""
    return weapon.is_melee or weapon.class_ in THROWN_CLASSES


def is_jammed(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether it has jammed and was not cleared. Clause: DH-5390."""
    carried = table.carried(who, item)
    return carried is not None and bool(carried.marks.get("jammed"))


def misfits(rules: Ruleset, body: Combatant) -> Iterator[Misfit]:
    """Marks that his items cannot have, and hands that hold too much; part of the body is in no hand."""
    yield from marks_within(body.items, lambda item: marks_of(rules, item))
    in_hand = {key: item for key, item in body.items.items() if not _is_natural(rules, item)}
    yield from hands_within(in_hand, hand_room(body))


def hand_room(body: Combatant) -> int:
    """Things that fit into what is called one hand: more than one where he has more than a pair."""
    return max(1, (body.sheet.stats.get("hands", 2) + 1) // 2)


def _is_natural(rules: Ruleset, item: Item) -> bool:
    weapon = profile(rules, item)
    return weapon is not None and weapon.natural


def marks_of(rules: Ruleset, item: Item) -> Mapping[str, Bounds]:
    """The marks it may have: rounds up to a full magazine, whether it is jammed, how it stands braced.

    Clauses: DH-4500, DH-5390, DH-5410.
    """
    weapon = profile(rules, item)
    if weapon is None or not (weapon.is_ranged or weapon.rof.single):
        return {}
    full = 0 if is_thrown(weapon) else weapon.clip or 0
    return {"ammo": (0, full), "jammed": (0, 1), **BRACE_MARKS}
