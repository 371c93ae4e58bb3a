"""Weapons and shields as this game describes them, what somebody holds, and when it is ready.

Clauses GU-1370, GU-1380.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from app.engine.dice import Dice, DiceGroup, parse_dice
from app.engine.ids import CombatantId, ItemId, Length
from app.engine.names import SkillName
from app.engine.rules import Action, Ruleset
from app.engine.soundness import Bounds, Misfit, hands_within, marks_within, pools_within
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.gurps_4e.figures import figure, tables_of
from rulesets.gurps_4e.tables import DamageType

THRUST, SWING = "thr", "sw"
UNARMED = "unarmed"
AMMO, UNREADY, BROKEN, REACH, SWITCHED, LOADING, AWAY = (
    "ammo",
    "unready",
    "broken",
    "reach",
    "on",
    "loading",
    "away",
)
"""Marks of an item: rounds left, made unready, broken, the reach it is set to in yards, switched on, Ready maneuvers
that have gone into loading it.
"""
BOTH, MAIN, OFF = "both", "main", "off"
HANDS = 2
Hands = Annotated[int, msgspec.Meta(ge=1, le=HANDS)]
Yards = Annotated[int, msgspec.Meta(ge=0, le=20)]
"""Yards of reach."""
Bonus = Annotated[int, msgspec.Meta(ge=-30, le=30)]
Plus = Annotated[int, msgspec.Meta(ge=0, le=30)]
Minus = Annotated[int, msgspec.Meta(ge=-30, le=0)]
Range = Annotated[Length, msgspec.Meta(ge=0, le=10_000_000)]
"""A range in hundredths, or hundredths of ST."""
Some = Annotated[int, msgspec.Meta(ge=1, le=200)]
"""Shots of an attack: each hit of them is rolled."""
Divisor = Annotated[int, msgspec.Meta(ge=1, le=100)]
Strength = Annotated[int, msgspec.Meta(ge=0, le=200)]
Magazine = Annotated[int, msgspec.Meta(ge=1, le=10_000)]


class Damage(msgspec.Struct, frozen=True, gc=False):
    """Damage as it is rolled: the dice, and whether they come of the wielder's ST."""

    dice: Dice
    of_strength: bool = False


class Mode(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One way to use a weapon. `reach` is in yards, 0 for C; `point` fits it for a stop thrust; `hands` how it is
    held.
    """

    damage: str
    type: DamageType
    divisor: Divisor = 1
    reach: tuple[Yards, ...] = ()
    point: bool = False
    hands: Hands | None = None
    to_hit: Bonus = 0

    def __post_init__(self) -> None:
        damage_text(self.damage)

    @property
    def of_strength(self) -> bool:
        """Whether its damage is the wielder's thrust or swing. Clause: GU-750."""
        return damage_text(self.damage)[0] != ""


class Throw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a weapon is thrown: ranges are multiples of ST. Clause: GU-2070."""

    skill: SkillName
    damage: str
    type: DamageType
    half_st: Range
    max_st: Range
    acc: Plus = 0
    bulk: Minus = 0
    knife: bool = False

    def __post_init__(self) -> None:
        damage_text(self.damage)
        _in_order(self.half_st, self.max_st)


class Weapon(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A weapon's profile. Ranges are in yards (inside, hundredths), or multiples of ST; `parry` None is no parry at
    all.

    `missile` tells what a ranged weapon sends: muscle-powered missiles can be blocked, bullets and beams cannot
    (GU-340).
    """

    kind: Literal["melee", "ranged", "shield", "unarmed"]
    skill: SkillName
    modes: dict[str, Mode] = {}
    usual: str = ""
    """The mode that is meant where none is named; the first of the alphabet otherwise."""
    hands: Hands = 1
    min_st: Strength = 0
    no_default: bool = False
    parry: Bonus | None = None
    unbalanced: bool = False
    fencing: bool = False
    reach_needs_ready: bool = False
    unready_after_attack: bool = False
    switch: bool = False
    solid: bool = False
    cheap: bool = False
    fine: bool = False
    magic: bool = False
    throw: Throw | None = None
    db: Plus = 0
    soft: bool = False
    missile: Literal["muscle", "bullet", "beam"] = "muscle"
    acc: Plus = 0
    sight_bonus: Plus = 0
    range_half: Range | None = None
    range_max: Range | None = None
    half_st: Range | None = None
    max_st: Range | None = None
    rof: Some = 1
    shots: Magazine | None = None
    reload: Some = 1
    rcl: Some = 1
    bulk: Minus = 0
    braceable: bool = False
    bipod: bool = False
    mounted: bool = False

    def __post_init__(self) -> None:
        if self.usual and self.usual not in self.modes:
            raise ValueError(f"usual: no mode {self.usual}")
        if self.kind != "shield" and not self.modes:
            raise ValueError("modes: at least one")
        if self.kind != "ranged":
            for name, mode in self.modes.items():
                if not mode.reach:
                    raise ValueError(f"modes/{name}/reach: at least one")
        _in_order(self.range_half, self.range_max)
        _in_order(self.half_st, self.max_st)

    @property
    def is_ranged(self) -> bool:
        """Whether it shoots."""
        return self.kind == "ranged"

    @property
    def is_shield(self) -> bool:
        """Whether it blocks."""
        return self.kind == "shield"

    @property
    def is_firearm(self) -> bool:
        """Whether what it sends cannot be blocked, and a shield does not help against it. Clauses: GU-340, GU-350."""
        return self.is_ranged and self.missile != "muscle"


def _in_order(half: Length | None, most: Length | None) -> None:
    """Raises `ValueError` where damage would be halved beyond the maximum range, or nothing could be reached."""
    if most is not None and (most < 1 or (half or 0) > most):
        raise ValueError("range: the maximum is at least 0.01, and no less than that of half damage")


def damage_text(text: str) -> tuple[str, str]:
    """`thr+2` as (`thr`, `+2`), `2d6` as (``, `2d6`). Raises `ValueError` for what is no damage."""
    for base in (THRUST, SWING):
        if text.startswith(base):
            rest = text.removeprefix(base)
            if rest and (parse_dice(rest).groups or rest[0] not in "+-"):
                raise ValueError(f"no damage: {text}")
            return base, rest
    if len(parse_dice(text).groups) > 1:
        raise ValueError(f"no damage: {text}")
    return "", text


def damage_of(table: Table, who: CombatantId, text: str) -> Damage:
    """A damage text in the hands of somebody. Table 5.3."""
    base, rest = damage_text(text)
    if not base:
        return Damage(parse_dice(text))
    rows = tables_of(table).strength
    row = rows[min(max(figure(table.who(who), "st"), 1), len(rows)) - 1]
    dice = parse_dice(row.thrust if base == THRUST else row.swing)
    return Damage(Dice(dice.groups, dice.plus + (int(rest) if rest else 0)), of_strength=True)


def is_swing(name: str, mode: Mode) -> bool:
    """Whether that way to use a weapon is a swing: by its damage, or by its name where that is not ST-based."""
    return damage_text(mode.damage)[0] == SWING or name == "swing"


def is_point(mode: Mode) -> bool:
    """Whether it impales or pierces."""
    return mode.type in ("imp", "pi-", "pi", "pi+", "pi++")


def more_dice(damage: Damage, count: int, plus: int = 0) -> Damage:
    """The damage with so many dice more and so much added."""
    groups = tuple(DiceGroup(group.count + count, group.sides, group.sign) for group in damage.dice.groups)
    return Damage(Dice(groups, damage.dice.plus + plus), damage.of_strength)


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


def held(table: Table, who: CombatantId) -> Iterator[tuple[ItemId, Item, Weapon]]:
    """Weapons and shields in his hands, main hand first."""
    items = [(item.held or "", ItemId(key), item) for key, item in table.who(who).items.items() if item.held]
    for _, key, item in sorted(items, key=lambda entry: (entry[0] == OFF, entry[1])):
        weapon = profile(table.rules, item)
        if weapon is not None:
            yield key, item, weapon


def is_ready(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether it is held in as many hands as it needs, in working state; loaded or not. Clauses: GU-1370, GU-2060."""
    carried = table.carried(who, item)
    if carried is None:
        return False
    weapon = profile(table.rules, carried)
    if carried.held is None or carried.on_ground or carried.marks.get(UNREADY) or carried.marks.get(BROKEN):
        return False
    if weapon is None:
        return True
    if weapon.hands == HANDS and carried.held != BOTH:
        return False
    return not weapon.switch or bool(carried.marks.get(SWITCHED))


def is_usable(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether it is ready, in hands that can still use it. Clauses: GU-280, GU-1370, GU-2060."""
    return (
        is_ready(table, who, item)
        and not lacks_a_hand(table, who, item)
        and not hand_is_lame(table, who, table.item(who, item).held or "")
    )


def lacks_a_hand(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether it is a two-handed weapon that he holds and has not the hands left for. Clause: GU-2060."""
    carried = table.carried(who, item)
    weapon = None if carried is None else profile(table.rules, carried)
    both = carried is not None and weapon is not None and weapon.hands == HANDS and carried.held is not None
    return both and hands_of(table, who) < HANDS


def rounds(table: Table, who: CombatantId, item: ItemId) -> int | None:
    """Rounds left in it; None for what needs none. Clause: GU-1370."""
    carried = table.carried(who, item)
    weapon = None if carried is None else profile(table.rules, carried)
    if carried is None or weapon is None or not weapon.is_ranged or weapon.shots is None:
        return None
    return carried.marks.get(AMMO, 0)


def modes_of(table: Table, who: CombatantId, item: ItemId | None) -> Mapping[str, Mode]:
    """The ways in which he can use it as he holds it, the usual one first."""
    weapon = weapon_of(table, who, item)
    modes = dict(sorted(weapon.modes.items(), key=lambda entry: entry[0] != weapon.usual))
    carried = table.carried(who, item)
    if carried is None:
        return modes
    hands = HANDS if carried.held == BOTH and hands_of(table, who) >= HANDS else 1
    return {name: mode for name, mode in modes.items() if mode.hands in (None, hands)}


def reaches(table: Table, who: CombatantId, item: ItemId | None, mode: Mode) -> tuple[int, ...]:
    """The distances in yards at which it strikes: all listed, or the one it is set to. Clauses: GU-620, GU-1330."""
    weapon = weapon_of(table, who, item)
    carried = table.carried(who, item)
    if carried is None or not weapon.reach_needs_ready or len(mode.reach) < HANDS:
        return mode.reach
    set_to = carried.marks.get(REACH, mode.reach[0])
    return tuple(reach for reach in mode.reach if reach == set_to)


def hands_of(table: Table, who: CombatantId) -> int:
    """Hands he can use: crippled and strained arms take theirs away. Clauses: GU-280, GU-2060, GU-2120."""
    body = table.who(who)
    lamed = {
        hand_of_side(effect.word)
        for kind in ("arm_crippled", "hand_crippled", "arm_strained")
        for effect in table.effects(who, kind)
        if hand_of_side(effect.word)
    }
    return max(0, figure(body, "hands") - len(lamed))


def hand_of_side(word: str | None) -> str | None:
    """The hand that a side or hand is: the right one is the main hand."""
    return {"right": MAIN, "left": OFF, MAIN: MAIN, OFF: OFF}.get(word or "")


def hand_is_lame(table: Table, who: CombatantId, hand: str) -> bool:
    """Whether that hand is of no use."""
    return any(
        hand_of_side(effect.word) == hand
        for kind in ("arm_crippled", "hand_crippled", "arm_strained")
        for effect in table.effects(who, kind)
    )


def hands_taken(item: Item) -> int:
    """Hands that holding this takes. Clause: GU-1380."""
    return 0 if item.held is None else HANDS if item.held == BOTH else 1


def free_hands(table: Table, who: CombatantId) -> int:
    """Hands that hold neither a thing nor a foe. Clauses: GU-1380, GU-2230."""
    body = table.who(who)
    holding = sum(effect.value for effect in table.effects(who, "grappling"))
    lame = [hand for hand in (MAIN, OFF) if hand_is_lame(table, who, hand)]
    taken = sum(
        hands_taken(item) - sum(1 for hand in lame if item.held in (hand, BOTH)) for item in body.items.values()
    )
    return hands_of(table, who) - taken - holding


def free_hand(table: Table, who: CombatantId) -> str | None:
    """The free hand he would use first."""
    return next((hand for hand in (MAIN, OFF) if room_in(table, who, hand)), None)


def room_in(table: Table, who: CombatantId, hand: str) -> int:
    """Free hands of that side; who has more than two has half of them on each, the odd one on the main side.

    Clause: GU-1380.
    """
    body, of_all = table.who(who), figure(table.who(who), "hands")
    side = (of_all + 1) // HANDS if hand == MAIN else of_all // HANDS
    taken = sum(1 for item in body.items.values() if item.held in (hand, BOTH))
    lame = 1 if hand_is_lame(table, who, hand) else 0
    return max(0, min(side - taken - lame, free_hands(table, who)))


def reloads(weapon: Weapon) -> bool:
    """Whether it has a magazine that Ready maneuvers fill. Clause: GU-1310."""
    return weapon.is_ranged and bool(weapon.shots)


def min_st_penalty(body: Combatant, weapon: Weapon) -> int:
    """Points of ST that he lacks. Clause: GU-2060."""
    return min(0, figure(body, "st") - weapon.min_st)


def needs_readying(table: Table, who: CombatantId, weapon: Weapon) -> bool:
    """Whether it is unready after each of his attacks: ST below one and a half times the least. Clause: GU-1320."""
    return weapon.unready_after_attack and figure(table.who(who), "st") < -(-3 * weapon.min_st // 2)


def range_of(body: Combatant, weapon: Weapon, thrown: Throw | None) -> tuple[Length | None, Length | None]:
    """Half damage and maximum range in hundredths of a yard; None without one. Clauses: GU-630, GU-2070."""
    st = figure(body, "st")
    if thrown is not None:
        return thrown.half_st * st, thrown.max_st * st
    if weapon.max_st is not None:
        return (None if weapon.half_st is None else weapon.half_st * st), weapon.max_st * st
    return weapon.range_half, weapon.range_max


def misfits(rules: Ruleset, body: Combatant) -> Iterator[Misfit]:
    """Marks that an item cannot have, hands that are too full, more hit or fatigue points than there can be.

    Clauses: GU-1310, GU-1330, GU-1370, GU-1380.
    """
    yield from marks_within(body.items, lambda item: _bounds(rules, item))
    yield from hands_within(body.items, room=max(1, (figure(body, "hands") + 1) // HANDS))
    yield from pools_within(body, rules.pools)


def _bounds(rules: Ruleset, item: Item) -> Mapping[str, Bounds]:
    """What each mark of that item may be."""
    weapon = profile(rules, item)
    found: dict[str, Bounds] = {BROKEN: (0, 1), UNREADY: (0, 1), AWAY: (0, None)}
    if weapon is None:
        return found
    if weapon.switch:
        found[SWITCHED] = (0, 1)
    if weapon.is_ranged and weapon.shots:
        found |= {AMMO: (0, weapon.shots), LOADING: (0, weapon.reload)}
    if weapon.reach_needs_ready:
        listed = [reach for mode in weapon.modes.values() for reach in mode.reach]
        found[REACH] = (min(listed, default=0), max(listed, default=0))
    return found


def fits(table: Table, who: CombatantId, item: ItemId, action: Action) -> bool:
    """Whether an item is of a kind that the action is done with."""
    kinds = action.weapons.kinds
    carried = table.item(who, item)
    if "carried" in kinds:
        return True
    if "ready" in kinds:
        return is_ready(table, who, item)
    if "held" in kinds:
        return carried.held is not None
    weapon = profile(table.rules, carried)
    if weapon is None or carried.held is None:
        return False
    return ("melee" in kinds and not weapon.is_ranged) or (
        "ranged" in kinds and (weapon.is_ranged or weapon.throw is not None)
    )
