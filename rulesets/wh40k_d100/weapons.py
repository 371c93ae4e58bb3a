"""Weapons as this game describes them, what somebody holds, and in which arms.

Clauses WH-085, WH-200, WH-600 to WH-640.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from app.engine.dice import Dice, parse_dice
from app.engine.ids import CombatantId, ItemId, Length
from app.engine.names import DiceText, StatName
from app.engine.rules import Action, Ruleset
from app.engine.soundness import Bounds, Misfit, hands_within, marks_within
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.wh40k_d100.figures import arm, arms_of, bonus, has_arm, side_of

UNARMED = "unarmed"
AMMO, PAIR = "ammo", "pair"
MAIN, OFF, BOTH, STOWED = "main", "off", "both", "stowed"
MOST_PAIRS = 6
Mode = Literal["single", "semi", "full", "area"]
Hands = Annotated[int, msgspec.Meta(ge=0, le=2)]
Reach = Annotated[int, msgspec.Meta(ge=0, le=100)]
Rounds = Annotated[int, msgspec.Meta(ge=0, le=200)]
Figure = Annotated[int, msgspec.Meta(ge=0, le=1_000)]
Magazine = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Range = Annotated[Length, msgspec.Meta(ge=0, le=10_000_000)]


class RateOfFire(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether it fires single shots, and the rounds of a semi-auto and of a full-auto burst; 0 for no such mode."""

    single: bool = False
    semi: Rounds = 0
    full: Rounds = 0


class WeaponArea(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an area weapon strikes: everybody within the radius of a blast, or in the cone of a spray.

    Clause: WH-980.
    """

    kind: Literal["blast", "spray"]
    radius: Range = 0


class Weapon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A weapon's profile. `range` is in metres (inside, hundredths), or `range_sb` for each Strength bonus point.

    `noise` is how far its use is heard. `natural` needs no hand and is always ready.
    """

    kind: Literal["melee", "pistol", "basic", "heavy", "thrown", "spell"]
    damage: DiceText
    type: Literal["energy", "explosive", "impact", "rending"]
    hands: Hands = 1
    reach: Reach = 0
    range: Range | None = None
    range_sb: Range | None = None
    rof: RateOfFire = RateOfFire()
    pen: Figure = 0
    clip: Magazine | None = None
    reload: Literal["half", "full"] | None = None
    area: WeaponArea | None = None
    needs_attack_roll: bool = True
    attack_characteristic: StatName | None = None
    is_spell: bool = False
    qualities: dict[str, bool] = {}
    noise: Range = 0
    natural: bool = False

    @property
    def dice(self) -> Dice:
        """The damage dice."""
        return parse_dice(self.damage)

    @property
    def is_melee(self) -> bool:
        """Whether it is used hand to hand."""
        return self.kind == "melee"

    @property
    def is_thrown(self) -> bool:
        """Whether it leaves the hand when it is used."""
        return self.kind == "thrown"

    @property
    def is_blast(self) -> bool:
        """Whether it strikes everybody around a point."""
        return self.area is not None and self.area.kind == "blast"

    @property
    def is_spray(self) -> bool:
        """Whether it is sprayed over a cone, for which there is no attack test."""
        return self.area is not None and self.area.kind == "spray"

    @property
    def is_cast(self) -> bool:
        """Whether it is a spell. Clause: WH-300."""
        return self.is_spell or self.kind == "spell"

    @property
    def is_tested(self) -> bool:
        """Whether an attack with it is rolled for. Clause: WH-780."""
        return self.needs_attack_roll and not self.is_spray

    @property
    def tested(self) -> str:
        """The characteristic of its attack test. Clauses: WH-210, WH-220."""
        if self.attack_characteristic is not None:
            return self.attack_characteristic
        if self.is_cast:
            return "wp"
        return "ws" if self.is_melee else "bs"

    def rounds_in(self, mode: Mode) -> int:
        """Rounds that the mode spends; 0 if it has no such mode. Clauses: WH-290, WH-970."""
        match mode:
            case "semi":
                return 0 if self.area is not None else self.rof.semi
            case "full":
                return 0 if self.area is not None else self.rof.full
            case "area":
                return 0 if self.area is None else 1
            case "single":
                return 1 if self.area is None and (self.rof.single or self.is_cast) else 0

    def has(self, quality: str) -> bool:
        """Whether it has the quality."""
        return quality in self.qualities


def profile(rules: Ruleset, item: Item) -> Weapon | None:
    """The weapon an item is, None for anything else."""
    if item.custom is not None:
        made: Weapon = rules.make_weapon(item.custom)
        return made
    found: Weapon | None = rules.weapons.get(item.kind)
    return found


def weapon_of(table: Table, who: CombatantId, item: ItemId | None) -> Weapon:
    """The profile of something he fights with; bare hands for None or for what is no weapon."""
    carried = table.carried(who, item)
    if carried is not None:
        found = profile(table.rules, carried)
        if found is not None:
            return found
    bare: Weapon = table.rules.weapons[UNARMED]
    return bare


def pair_of(item: Item) -> int:
    """The pair of arms that holds it. Clause: WH-640."""
    return item.marks.get(PAIR, 1)


def arms_holding(body: Combatant, item: Item) -> tuple[str, ...]:
    """The arms in which he has it."""
    if item.held is None:
        return ()
    hands = (MAIN, OFF) if item.held == BOTH else (item.held,)
    return tuple(arm(side_of(body, hand), pair_of(item)) for hand in hands)


def usable_arm(table: Table, who: CombatantId, hand: str, pair: int) -> bool:
    """Whether he has that arm and it is not out of use. Clause: WH-940."""
    body = table.who(who)
    side = side_of(body, hand)
    return has_arm(body, side, pair) and not is_disabled(table, who, arm(side, pair))


def is_disabled(table: Table, who: CombatantId, name: str) -> bool:
    """Whether that arm can neither hold nor attack. Clause: WH-940."""
    return any(effect.word == name for effect in table.effects(who, "arm_disabled"))


def is_ready(table: Table, who: CombatantId, item: ItemId | None) -> bool:
    """Whether it can be fought with now: in arms that serve him; bare hands where one arm does. Clause: WH-200."""
    body = table.who(who)
    if item is None:
        return any(usable_arm(table, who, hand, pair) for pair in range(1, MOST_PAIRS + 1) for hand in (MAIN, OFF))
    held = body.items.get(item)
    if held is None:
        return False
    weapon = profile(table.rules, held)
    if weapon is not None and weapon.natural:
        return True
    if held.held is None or weapon is None or (weapon.hands > 1 and held.held != BOTH):
        return False
    return all(not is_disabled(table, who, name) for name in arms_holding(body, held))


def readied(table: Table, who: CombatantId) -> Iterator[tuple[ItemId, Weapon]]:
    """Weapons that he can fight with now, those of the first pair and main hands first."""
    held = [
        (pair_of(item), item.held == OFF, ItemId(key), item) for key, item in table.who(who).items.items() if item.held
    ]
    for _, _, key, item in sorted(held, key=lambda entry: entry[:3]):
        weapon = profile(table.rules, item)
        if weapon is not None and is_ready(table, who, key):
            yield key, weapon


def melee_weapons(table: Table, who: CombatantId) -> Iterator[tuple[ItemId, Weapon]]:
    """The melee weapons among them that are more than bare hands."""
    return ((key, weapon) for key, weapon in readied(table, who) if weapon.is_melee and not weapon.natural)


def is_hand_free(table: Table, who: CombatantId, hand: str, pair: int, but: ItemId | None = None) -> bool:
    """Whether that arm serves him and holds nothing but this. Clause: WH-085."""
    if not usable_arm(table, who, hand, pair):
        return False
    body = table.who(who)
    wanted = arm(side_of(body, hand), pair)
    return not any(key != but and wanted in arms_holding(body, item) for key, item in body.items.items())


def range_of(table: Table, who: CombatantId, weapon: Weapon) -> Length:
    """The weapon's range, which the distance bands are parts of. Clause: WH-510."""
    if weapon.range_sb is not None:
        return weapon.range_sb * bonus(table.who(who), "s")
    return weapon.range or 0


def ammo(table: Table, who: CombatantId, item: ItemId) -> int:
    """Rounds left; a thing that is thrown counts its pieces. Clause: WH-290."""
    held = table.item(who, item)
    weapon = profile(table.rules, held)
    if weapon is not None and weapon.is_thrown:
        return held.count
    return held.marks.get(AMMO, 0)


def fits(table: Table, who: CombatantId, item: ItemId, action: Action) -> bool:
    """Whether an item is of a kind that the action is done with."""
    kinds, held = action.weapons.kinds, table.item(who, item)
    if "carried" in kinds:
        return True
    if "held" in kinds:
        return held.held is not None
    weapon = profile(table.rules, held)
    if weapon is None:
        return False
    if "loaded" in kinds:
        return bool(weapon.clip) and weapon.reload is not None and held.held is not None
    if not is_ready(table, who, item):
        return False
    if weapon.is_melee or "ranged" not in kinds:
        return weapon.is_melee and "melee" in kinds
    return weapon.rounds_in(action.params.mode) > 0


def misfits(rules: Ruleset, body: Combatant) -> Iterator[Misfit]:
    """Marks that his items cannot have, and arms that hold too much. Clauses: WH-085, WH-640."""
    yield from marks_within(body.items, lambda item: marks_of(rules, body, item))
    for pair in range(1, MOST_PAIRS + 1):
        yield from hands_within({key: item for key, item in _in_hands(rules, body) if pair_of(item) == pair})


def _in_hands(rules: Ruleset, body: Combatant) -> Iterator[tuple[str, Item]]:
    for key, item in body.items.items():
        weapon = profile(rules, item)
        if weapon is None or not weapon.natural:
            yield key, item


def marks_of(rules: Ruleset, body: Combatant, item: Item) -> Mapping[str, Bounds]:
    """The marks it may have: rounds up to a full clip, and the pair of arms that holds it. Clauses: WH-290, WH-640."""
    weapon = profile(rules, item)
    bounds: dict[str, Bounds] = {PAIR: (1, max(1, -(-arms_of(body) // 2)))}
    if weapon is not None and weapon.clip and not weapon.is_thrown:
        bounds[AMMO] = (0, weapon.clip)
    return bounds
