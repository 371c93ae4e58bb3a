"""One attack about to be made: what it is, its target number, and every reason against it.

Clauses WH-200 to WH-230, WH-290, WH-300 to WH-510, WH-600 to WH-660, WH-970, WH-980.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from app.engine.commands import GivenModifier, Submission
from app.engine.events import Term
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.modifiers import collect, tagged
from app.engine.reasons import Reason
from app.engine.space.model import Fact, Place, Point, Polygon, Sector, Unknown
from app.engine.state import Item
from app.engine.table import Table
from rulesets.wh40k_d100.calling import Called, called_of, why_not_called
from rulesets.wh40k_d100.checks import MILLION, Target, chance_against, target_number
from rulesets.wh40k_d100.figures import FATIGUE, has_many_arms, pairs_of, stat, tables_of, whole_option
from rulesets.wh40k_d100.reach import (
    BEYOND,
    POINT_BLANK,
    band_at,
    band_of,
    is_engaged,
    is_higher,
    is_into_melee,
    is_within_melee,
    longest_reach,
    outnumbering,
    stated_band,
    surroundings,
)
from rulesets.wh40k_d100.tags import GIVEN, given_terms, why_not_given
from rulesets.wh40k_d100.view import hidden_from, is_unseen
from rulesets.wh40k_d100.weapons import (
    BOTH,
    MAIN,
    OFF,
    UNARMED,
    Weapon,
    ammo,
    is_hand_free,
    is_ready,
    pair_of,
    range_of,
    readied,
    usable_arm,
    weapon_of,
)

TO_HIT = "to_hit"
Mode = Literal["single", "semi", "full", "area"]
TWO = 2
THERE = "there"
"""Name of the point aimed at among those who stand on the map."""


class HitsRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many hits a success gives: one; one and one more for every `step` successes after the first; or one for each
    success. Bursts are bounded by the rate of fire. Clauses: WH-230, WH-970.
    """

    formula: Literal["fixed", "per_success", "one_plus_per"] = "fixed"
    step: int = 2


class AttackParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attack as data. `term` is the name under which its own modifier is shown."""

    mode: Mode
    to_hit: int = 0
    term: str = ""
    hits: HitsRule = HitsRule()


@dataclass(frozen=True, slots=True)
class Attack:
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


# Why not


def why_not_attack(table: Table, attack: Attack, sub: Submission) -> Iterator[Reason]:
    """Every reason against this attack now."""
    hidden = set(hidden_from(table, attack.attacker))
    target = None if attack.target is None or attack.target in hidden else attack.target
    if target is None and attack.target is not None:
        place = sub.targets.index(attack.target)
        yield table.rules.reason("no_such_target", at=f"/targets/{place}", names=(attack.target,))
    yield from why_not_this_pair(table, attack)
    yield from why_not_wield(table, attack)
    yield from _why_not_so(table, attack, sub)
    yield from _why_not_claimed(table, attack, target)
    yield from why_not_given(table, attack.given, attack.attacker, target, melee=attack.is_melee)
    if attack.called is not None:
        yield from why_not_called(table, attack.called, target, attack.weapon)
    elif sub.location is not None or sub.options.get("side") is not None or sub.options.get("arm_pair") is not None:
        yield table.rules.reason("missing_input", "WH-300", at="/options/called", names=("called",))
    if target is not None or attack.place is not None or attack.weapon.is_spray:
        yield from why_not_at(table, attack, target)


def why_not_this_pair(table: Table, attack: Attack) -> Iterator[Reason]:
    """The pair of arms that would attack is one that he has, and has not attacked yet. Clause: WH-640."""
    body, reason = table.who(attack.attacker), table.rules.reason
    pairs = pairs_of(body)
    if attack.pair > pairs:
        yield reason("no_such_pair", "WH-640", at="/options/pair", need=pairs, got=attack.pair)
    elif has_many_arms(body):
        used = sum(effect.value == attack.pair for effect in table.effects(attack.attacker, "pair_attacked"))
        if used >= whole_option(table, "attack_actions_per_turn"):
            yield reason("pair_already_attacked", "WH-640", at="/options/pair", names=(str(attack.pair),))


def why_not_wield(table: Table, attack: Attack) -> Iterator[Reason]:
    """The weapon is ready, in the pair of arms that is named; bare hands where one is free. Clause: WH-200."""
    who = attack.attacker
    ready = is_ready(table, who, attack.item)
    if attack.item is None and not attack.weapon.is_melee:
        ready = False
    if attack.item is None and attack.pair <= pairs_of(table.who(who)):
        ready = ready and any(usable_arm(table, who, hand, attack.pair) for hand in (MAIN, OFF))
    if not ready:
        yield table.rules.reason("weapon_not_ready", "WH-200", at="/weapon")


def _why_not_so(table: Table, attack: Attack, sub: Submission) -> Iterator[Reason]:
    """What the weapon cannot do: be used that way, fire in that mode, or without rounds. Clauses: WH-210, WH-290."""
    reason, weapon, mode = table.rules.reason, attack.weapon, attack.params.mode
    if sub.options.get("use") == "melee" and not weapon.is_melee:
        yield reason("melee_weapon_required", "WH-210", at="/weapon")
        return
    wants_fire = sub.options.get("use") == "ranged" or mode in ("semi", "full", "area")
    if weapon.is_melee:
        if wants_fire:
            yield reason("fire_mode_not_available", "WH-290", at="/weapon")
        return
    if not rounds_of(weapon, mode):
        yield reason("fire_mode_not_available", "WH-290", at="/weapon")
    if attack.item is None or not table.flag("track_ammo") or not (weapon.clip or weapon.is_thrown):
        return
    need, left = max(1, rounds_of(weapon, mode)), ammo(table, attack.attacker, attack.item)
    if left < need:
        yield reason("not_enough_ammo", "WH-290", at="/weapon", need=need, got=left)


def rounds_of(weapon: Weapon, mode: Mode) -> int:
    """Rounds that the mode spends; 0 if the weapon has no such mode. Clauses: WH-290, WH-970."""
    match mode:
        case "semi":
            return 0 if weapon.area is not None else weapon.rof.semi
        case "full":
            return 0 if weapon.area is not None else weapon.rof.full
        case "area":
            return 0 if weapon.area is None else 1
        case _:
            return 1 if weapon.area is None and (weapon.rof.single or weapon.is_cast) else 0


def _why_not_claimed(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    """A claim that what is known contradicts, and a die for a test that fails without one. Clauses: WH-160, WH-400."""
    if attack.brings_roll and (fails_by_itself(table, attack) or not attack.weapon.is_tested):
        yield table.rules.reason("no_roll_expected", "WH-160", at="/rolls/to_hit")
    if attack.unseen is not None and target is not None:
        found = is_unseen(table, attack.attacker, target)
        if not isinstance(found, Unknown) and found != attack.unseen:
            yield table.rules.reason("contradicting_modifiers", "WH-400", at="/options/unseen", names=("unseen",))


def fails_by_itself(table: Table, attack: Attack) -> bool:
    """Whether its test fails without a roll: a ranged attack of somebody blinded. Clauses: WH-160, WH-430."""
    return not attack.is_melee and attack.weapon.is_tested and table.has(attack.attacker, "blinded")


def why_not_at(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    """What stands against it where the target is: reach, melee, range, sight. Judged when the attack is resolved too.

    Clauses: WH-210, WH-220, WH-510, WH-650, WH-660.
    """
    reason, who, weapon = table.rules.reason, attack.attacker, attack.weapon
    names = () if target is None else (target,)
    if attack.is_melee:
        if target is not None and not is_within_melee(table, who, target, weapon):
            yield reason("out_of_reach", "WH-210", at="/targets/0", names=names)
        return
    if is_engaged(table, who) and not _may_shoot_engaged(table, weapon):
        yield reason("weapon_not_usable_in_melee", "WH-660", at="/weapon")
    if weapon.is_spray:
        yield from _why_not_cone(table, attack, target)
        return
    yield from _why_out_of_range(table, attack, target)
    if not _is_in_sight(table, attack, target):
        yield reason("no_line_of_sight", "WH-220", at="/targets/0" if names else "/area", names=names)


def _may_shoot_engaged(table: Table, weapon: Weapon) -> bool:
    """What may be fired in melee. Clause: WH-660."""
    match table.option("engaged_shooting"):
        case "all_weapons":
            return True
        case "forbidden":
            return weapon.is_cast
        case _:
            return weapon.kind in tables_of(table).core.pistols or weapon.is_cast


def _why_out_of_range(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    reason = table.rules.reason
    band = band_to(table, attack, target)
    at, names = ("/targets/0", (target,)) if target is not None else ("/area", ())
    if isinstance(band, Unknown):
        asked = at if table.has_map else ("/said/bands" if target is not None else "/said/length")
        yield reason("missing_input", at=asked, names=("range_band",))
        return
    if band == BEYOND or band not in {row.band for row in tables_of(table).range_bands}:
        yield reason("out_of_range", "WH-510", at=at, names=names)
    stated = None if target is None else stated_band(table, attack.attacker, target)
    if stated is not None and stated != band:
        yield reason("contradicting_modifiers", "WH-400", at="/said/bands", names=(stated, band))


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


def _is_in_sight(table: Table, attack: Attack, target: CombatantId | None) -> bool:
    space, goal = table.space, target
    if goal is None:
        if not table.has_map or attack.place is None:
            return True
        space, goal = space.after({THERE: Place(*attack.place)}), CombatantId(THERE)
    found = space.sees(attack.attacker, goal)
    return isinstance(found, Unknown) or found


def _why_not_cone(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    """A cone has a direction; a target named is within its reach and in sight. Clause: WH-980."""
    reason = table.rules.reason
    if target is None:
        if table.has_map and attack.facing is None and attack.place is None:
            yield reason("missing_input", at="/facing", names=("facing",))
        return
    distance = table.space.distance(attack.attacker, target)
    limit = range_of(table, attack.attacker, attack.weapon)
    if not isinstance(distance, Unknown) and distance > limit:
        yield reason("out_of_range", "WH-510", at="/targets/0", need_length=limit, got_length=distance)
    if not _is_in_sight(table, attack, target):
        yield reason("no_line_of_sight", "WH-220", at="/targets/0", names=(target,))


# The target number


def to_hit(table: Table, attack: Attack, *, surprised: bool = False) -> Target:
    """The target number of the attack test. Clauses: WH-100, WH-400."""
    return target_number(table, attack.attacker, attack.weapon.tested, hit_terms(table, attack, surprised=surprised))


def hit_terms(table: Table, attack: Attack, *, surprised: bool) -> tuple[Term, ...]:
    """Every row that holds, each once. Clauses: WH-390 to WH-500, WH-600, WH-630, WH-990."""
    who, params = attack.attacker, attack.params
    terms = []
    if params.term:
        terms.append(Term(params.term, params.to_hit, ClauseId("WH-400")))
    aim = table.effect(who, "aiming")
    if aim is not None:
        terms.append(Term("aimed", aim.value, ClauseId("WH-990")))
    tags = attack_tags(table, attack, surprised=surprised)
    terms.extend(collect(table.rules.modifiers, "hit", tags))
    terms.extend(_hand_terms(table, attack))
    terms.extend(given_terms(attack.given))
    return tuple(terms)


def _hand_terms(table: Table, attack: Attack) -> Iterator[Term]:
    """An off hand of his own worth, and what two weapons cost the main one. Clauses: WH-600, WH-630."""
    own = table.who(attack.attacker).sheet.stats.get("off_hand_penalty")
    if own is not None and attack.hand == OFF:
        yield Term("off_hand", own, ClauseId("WH-600"))
    if attack.paired and attack.hand == MAIN:
        yield Term("two_weapons", whole_option(table, "two_weapon_main_hand_penalty"), ClauseId("WH-630"))


def attack_tags(table: Table, attack: Attack, *, surprised: bool) -> set[str]:
    """What is true of it, in the words of the data."""
    who, target, melee = attack.attacker, attack.target, attack.is_melee
    tags = {"melee" if melee else "ranged"}
    tags.update(f"{GIVEN}{one.id}" for one in attack.given)
    tags.update(tagged("actor", table.active(who)))
    if table.who(who).pools.get(FATIGUE, 0):
        tags.add("actor.fatigued")
    tags.update(surroundings(table, who, target, melee=melee))
    if table.has(who, "blinded") and table.flag("blinded_replaces_light_rows"):
        tags.add("sight.none")
    if attack.called is not None:
        tags.add(f"called.{attack.called.part}")
    if attack.hand == OFF and table.who(who).sheet.stats.get("off_hand_penalty") is None:
        tags.add("off_hand")
    if not melee:
        tags.update(_ranged_tags(table, attack))
    if target is None:
        return tags
    tags.update(tagged("target", table.active(target) - {"surprised"}))
    if surprised:
        tags.add("target.surprised")
    if melee:
        tags.update(_melee_tags(table, attack, target))
    return tags


def _melee_tags(table: Table, attack: Attack, target: CombatantId) -> Iterator[str]:
    times = outnumbering(table, attack.attacker, target)
    if times:
        yield f"outnumber.{2 if times == tables_of(table).core.outnumbering[0] else 3}"
    if is_higher(table, attack.attacker, target):
        yield "higher"
    if attack.weapon.reach > longest_reach(table, target):
        yield "longer"


def _ranged_tags(table: Table, attack: Attack) -> Iterator[str]:
    band = band_to(table, attack, attack.target)
    if isinstance(band, str) and band:
        kept = band == POINT_BLANK and is_engaged(table, attack.attacker)
        if not kept or table.flag("point_blank_bonus_when_engaged"):
            yield f"range.{band}"
    target = attack.target
    if target is None or not is_into_melee(table, attack.attacker, target):
        return
    # A pistol at the only foe that the shooter is himself locked with (WH-500) has nobody else in the way either.
    yield "into_melee"


def hit_chance(table: Table, attack: Attack) -> int:
    """Chance in millionths that the attack test succeeds, or that a spray catches its target."""
    if attack.weapon.is_spray:
        if attack.target is None:
            return 0
        return MILLION - chance_against(table, stat(table.who(attack.target), tables_of(table).core.spray.check))
    if not attack.weapon.is_tested:
        return MILLION
    if fails_by_itself(table, attack):
        return 0
    target = attack.target
    surprised = target is not None and table.has(target, "unaware", "surprised")
    return chance_against(table, to_hit(table, attack, surprised=surprised).number)
