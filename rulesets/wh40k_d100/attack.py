"""One attack about to be made: what it is, with what, in which arms, at what distance.

Clauses WH-200 to WH-230, WH-290, WH-310, WH-510, WH-600 to WH-640, WH-980.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from app.engine.commands import GivenModifier, Submission
from app.engine.ids import ActionId, CombatantId, ItemId, Length
from app.engine.names import AtLeastOne, ClauseName
from app.engine.space.model import Fact, Place, Point, Polygon, Sector, Unknown
from app.engine.state import Item
from app.engine.table import Table
from rulesets.wh40k_d100.calling import Called, called_of
from rulesets.wh40k_d100.figures import pairs_of, tables_of
from rulesets.wh40k_d100.reach import (
    band_at,
    band_of,
)
from rulesets.wh40k_d100.view import is_unseen
from rulesets.wh40k_d100.weapons import (
    BOTH,
    MAIN,
    OFF,
    UNARMED,
    Mode,
    Weapon,
    is_hand_free,
    pair_of,
    range_of,
    readied,
    usable_arm,
    weapon_of,
)

TO_HIT = "to_hit"
TWO = 2
THERE = "there"
"""Name of the point aimed at among those who stand on the map."""


class HitsRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many hits a success gives: one; one and one more for every `step` successes after the first; or one for each
    success. Bursts are bounded by the rate of fire. Clauses: WH-230, WH-970.
    """

    formula: Literal["fixed", "per_success", "one_plus_per"] = "fixed"
    step: AtLeastOne = 2


class AttackParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attack as data. `term` is the name under which its own modifier is shown, the action's own if it has none, and
    `clause` the rule that gives it.
    """

    mode: Mode
    to_hit: int = 0
    term: str = ""
    clause: ClauseName = "WH-400"
    hits: HitsRule = HitsRule()


class Attack(msgspec.Struct, frozen=True):
    """One attack about to be made."""

    attacker: CombatantId
    target: CombatantId | None
    action: ActionId
    params: AttackParams
    item: ItemId | None
    weapon: Weapon
    kind: str
    """What the weapon is called: its entry in the catalogue, or its own."""
    hand: str
    """The hand that attacks: `main`, `off` or `both`. Clause: WH-600."""
    pair: int = 1
    named_pair: int | None = None
    """The pair of arms that the submission names. Clause: WH-640."""
    given: tuple[GivenModifier, ...] = ()
    called: Called | None = None
    unseen: bool | None = None
    """Whether the client claims that the target has not seen him. Clause: WH-520."""
    surprise: bool = False
    """Whether the client claims that the target expects nothing. Clause: WH-560."""
    spare: bool = False
    charging: bool = False
    paired: bool = False
    """One of two made with a weapon in each hand. Clause: WH-630."""
    place: Point | None = None
    """The point it is aimed at, where that is nobody. Without a map any point stands for one. Clause: WH-980."""
    facing: int | None = None
    brings_roll: bool = False
    """Whether a die for its test came along. Clause: WH-160."""

    @property
    def is_melee(self) -> bool:
        """Whether it is made hand to hand."""
        return self.weapon.is_melee

    @property
    def clause(self) -> str:
        """The clause that gives its test. Clauses: WH-210, WH-220."""
        return "WH-210" if self.is_melee else "WH-220"


def attack_from(table: Table, sub: Submission, params: AttackParams, kinds: tuple[str, ...]) -> Attack:
    """The attack that a submission asks for, with the weapon it names or the one at hand that fits."""
    named = sub.options.get("pair")
    item = sub.weapon if sub.weapon is not None else _at_hand(table, sub, params, kinds)
    return _attack(table, sub, params, item, sub.target, called_of(sub.options, sub.location), named)


def _attack(
    table: Table,
    sub: Submission,
    params: AttackParams,
    item: ItemId | None,
    target: CombatantId | None,
    called: Called | None,
    named_pair: Any = None,
) -> Attack:
    options, pair = sub.options, _pair(table, sub.actor, item, named_pair)
    return Attack(
        attacker=sub.actor,
        target=target,
        action=sub.action,
        params=params,
        item=item,
        weapon=weapon_of(table, sub.actor, item),
        kind=UNARMED if item is None else table.item(sub.actor, item).kind,
        hand=_hand(table, sub.actor, item, pair),
        pair=pair,
        named_pair=named_pair if isinstance(named_pair, int) else None,
        given=sub.modifiers,
        called=called,
        unseen=options.get("unseen"),
        surprise=options.get("surprise") is True,
        spare=options.get("spare") is True,
        place=None if sub.targets else _place_of(sub),
        facing=sub.area.facing if sub.facing is None and isinstance(sub.area, Sector) else sub.facing,
        brings_roll=any(name.rsplit("/", 1)[-1] == TO_HIT for name in sub.rolls),
    )


def pair_from(table: Table, sub: Submission, params: AttackParams) -> tuple[Attack, Attack]:
    """The two attacks of a weapon in each hand: that of the main hand first, at the first target. Clause: WH-630."""
    named = sub.options.get("pair")
    main, off = _two_weapons(table, sub, named if isinstance(named, int) else None)
    called = called_of(sub.options, sub.location), called_of(sub.options, None, "second_")
    last = sub.targets[-1] if sub.targets else None
    first = _attack(table, sub, params, main, sub.target, called[0], named)
    second = _attack(table, sub, params, off, last, called[1], named)
    return replace(first, paired=True), replace(second, paired=True)


def _two_weapons(table: Table, sub: Submission, pair: int | None) -> tuple[ItemId | None, ItemId | None]:
    """The weapons named, with a fitting other one where only one is, else those at hand: the main hand's first."""
    items = table.who(sub.actor).items
    named = [item for item in (sub.weapon, sub.second_weapon) if item is not None]
    if len(named) < TWO:
        able = [key for key, weapon in readied(table, sub.actor) if key not in named and weapon.area is None]
        named += _partners(items, able, named[0]) if named else _a_pair(items, able, pair)
    named.sort(key=lambda key: items[key].held == OFF)
    return next(iter(named), None), next(iter(named[1:]), None)


def _partners(items: Mapping[str, Item], able: list[ItemId], of: ItemId) -> list[ItemId]:
    """What he holds in the other hand of the same pair."""
    held, pair = items[of].held, pair_of(items[of])
    return [key for key in able if items[key].held not in (held, BOTH) and pair_of(items[key]) == pair][:1]


def _a_pair(items: Mapping[str, Item], able: list[ItemId], pair: int | None) -> list[ItemId]:
    """What the first pair of arms that has a weapon in each hand holds, or the pair named."""
    for one in able:
        if items[one].held == MAIN and pair in (None, pair_of(items[one])):
            other = _partners(items, able, one)
            if other:
                return [one, *other]
    return able[:1]


def _at_hand(table: Table, sub: Submission, params: AttackParams, kinds: tuple[str, ...]) -> ItemId | None:
    """The readied weapon that fits best: of the pair named, melee at somebody within its reach, otherwise one that
    shoots; bare hands last.
    """
    pair, use = sub.options.get("pair"), sub.options.get("use")
    items = table.who(sub.actor).items
    fit = [
        (key, weapon)
        for key, weapon in readied(table, sub.actor)
        if ("melee" in kinds or not weapon.is_melee)
        and ("ranged" in kinds or weapon.is_melee)
        and (weapon.area is None or params.mode == "area")
        and (pair is None or weapon.natural or pair_of(items[key]) == pair)
        and (use is None or weapon.is_melee == (use == "melee"))
    ]
    if len(fit) > 1:
        target = sub.target
        near = target is not None and table.known(target) and is_near(table, sub.actor, target)
        fit.sort(key=lambda one: (one[1].area is None, one[1].is_melee != near, items[one[0]].held == OFF))
    return fit[0][0] if fit else None


def is_near(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are near enough for melee as far as anybody knows."""
    if other in table.who(one).engaged:
        return True
    row = tables_of(table).engagement[0]
    found = table.space.adjacent(one, other, row.metres)
    return not isinstance(found, Unknown) and found


def _pair(table: Table, who: CombatantId, item: ItemId | None, named: Any) -> int:
    """The pair of arms that attacks: the one that holds the weapon; for bare hands the one named, or the first that is
    free and has not attacked. Clause: WH-640.
    """
    if item is not None and table.item(who, item).held is not None:
        return pair_of(table.item(who, item))
    if isinstance(named, int):
        return named
    used = [effect.value for effect in table.effects(who, "pair_attacked")]
    able = [pair for pair in range(1, pairs_of(table.who(who)) + 1) if pair not in used]
    free = [pair for pair in able if any(is_hand_free(table, who, hand, pair) for hand in (MAIN, OFF))]
    return next(iter((*free, *able, 1)))


def _hand(table: Table, who: CombatantId, item: ItemId | None, pair: int) -> str:
    """The hand that attacks; bare hands strike with the main one if it serves. Clause: WH-600."""
    if item is None:
        return MAIN if usable_arm(table, who, MAIN, pair) else OFF
    return table.item(who, item).held or MAIN


def _place_of(sub: Submission) -> Point | None:
    """The point that a submission names in place of a target: the centre of its area, or where its path ends."""
    if isinstance(sub.area, Sector):
        return sub.area.centre
    if isinstance(sub.area, Polygon):
        return sub.area.points[0]
    return sub.path[-1] if sub.path else None


# Types


def types_of(table: Table, attack: Attack) -> frozenset[str]:
    """What it adds to the types of its action: how it is made, Mental if called. Clauses: WH-050, WH-310, WH-520."""
    found = {"melee" if attack.is_melee else "ranged"}
    if attack.called is not None:
        found.add("mental")
    if attack.target is not None and table.known(attack.target):
        unseen = is_unseen(table, attack.attacker, attack.target)
        if not isinstance(unseen, Unknown) and unseen:
            found.add("unseen")
    return frozenset(found)


def fails_by_itself(table: Table, attack: Attack) -> bool:
    """Whether its test fails without a roll: a ranged attack of somebody blinded. Clauses: WH-160, WH-430."""
    return not attack.is_melee and attack.weapon.is_tested and table.has(attack.attacker, "blinded")


def band_to(table: Table, attack: Attack, target: CombatantId | None) -> Fact[str]:
    """The distance band of the target, or of the point aimed at. Clause: WH-510."""
    if target is not None:
        return band_of(table, attack.attacker, target, attack.weapon)
    if table.has_map and attack.place is not None:
        there = table.space.after({THERE: Place(*attack.place)})
        distance: Fact[Length] = there.distance(attack.attacker, THERE)
    elif table.said.by in ("", attack.attacker) and table.said.length is not None:
        distance = table.said.length
    else:
        return Unknown("distance", (attack.attacker,))
    if isinstance(distance, Unknown):
        return distance
    return band_at(table, distance, range_of(table, attack.attacker, attack.weapon))
