"""One attack roll and everything it brings: test, jam, hits, allocation, Evasion, damage.

Clauses of section 4 and 5.
"""

from collections.abc import Hashable, Iterator
from typing import Literal

import msgspec

from app.engine.blocks.d100 import MILLION, SIDES, Target
from app.engine.commands import GivenModifier, Submission
from app.engine.events import Term
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.engine.names import AtLeastOne, QualityName, StatName, TraitName
from app.engine.reasons import Reason
from app.engine.space.model import Point, Polygon, Sector, Unknown
from app.engine.table import Table
from app.engine.tally import Seen
from rulesets.dark_heresy_2e.area import BLAST, SPRAY, band_at_place, why_not_area
from rulesets.dark_heresy_2e.braces import why_outside_arc
from rulesets.dark_heresy_2e.checks import additional, extra_degrees, judge, target_number
from rulesets.dark_heresy_2e.figures import bonus, tables_of
from rulesets.dark_heresy_2e.locations import first_location
from rulesets.dark_heresy_2e.reach import BEYOND, engaged_opponents, is_adjacent, is_engaged, range_band
from rulesets.dark_heresy_2e.tags import attack_tags, given_terms, hit_terms
from rulesets.dark_heresy_2e.weapons import (
    Weapon,
    ammo,
    free_hands,
    is_jammed,
    is_thrown,
    readied,
    weapon_of,
)

Mode = Literal["melee", "single", "semi", "full"]
HELPLESS = ("helpless", "unconscious")
TO_HIT = "to_hit"
GUNS_IN_MELEE = ("pistol", "melee")


class HitsRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many hits a success gives: `fixed` so many, `per_degree` one a degree, `one_plus_per` one and one more
    for every `step` additional degrees; by `rate` at most the rate of fire, by `most` at most the bonus of that
    characteristic, either of which with `beyond_first` counts only the hits after the first.

    Clauses: DH-3160, DH-3420, DH-3730, DH-3850, DH-4230, DH-4550.
    """

    formula: Literal["fixed", "per_degree", "one_plus_per"] = "fixed"
    count: int = 1
    step: AtLeastOne = 2
    by_rate: bool = False
    most: StatName | None = None
    beyond_first: bool = False


class Cites(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which clause says what: what the attack needs, its test, its hits, where they may go.

    `weapon` refuses one that is not ready or has jammed, where `needs` does not; `reach` a target that is too far.
    """

    needs: ClauseId
    test: ClauseId
    hits: ClauseId
    spread: ClauseId = ClauseId("DH-3430")
    weapon: ClauseId | None = None
    reach: ClauseId = ClauseId("DH-5140")

    @property
    def readiness(self) -> ClauseId:
        """The clause that wants the weapon ready and free of jams."""
        return self.weapon or self.needs


class AttackParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attack as data. `term` is the name under which its own modifier is shown."""

    term: str
    to_hit: int
    modes: tuple[Mode, ...]
    cites: Cites
    hits: HitsRule = HitsRule()
    spread: Literal["none", "near", "engaged"] = "none"
    """Whom hits after the first may strike beside the target: nobody, those near him, those the attacker is next to."""
    talent: TraitName | None = None
    forbids: tuple[QualityName, ...] = ()
    """Qualities of a weapon with which the attack cannot be made."""
    pair: ClauseId | None = None
    """The clause that lets a second weapon take part, None if none does."""
    named_location: bool = False
    aim: bool = True
    hands: Literal[1, 2] = 1
    """How many hands the weapon is held in for it."""
    leaves: str | None = None
    """An effect that the attack leaves on the attacker, hit or miss."""


class Attack(msgspec.Struct, frozen=True):
    """One attack about to be made."""

    attacker: CombatantId
    target: CombatantId
    action: ActionId
    params: AttackParams
    item: ItemId | None
    weapon: Weapon
    mode: Mode
    given: tuple[GivenModifier, ...] = ()
    location: str | None = None
    unaware: bool = False
    use_aim: bool = True
    clause: ClauseId | None = None
    """What gives the attack, where that is not the action itself: leaving melee, a standing Overwatch."""
    effect: str | None = None
    """What a hit does instead of the damage dice, where the rule or the GM says so."""
    paired: bool = False
    """One of two attacks made with a weapon in each hand. Clause: DH-5300."""
    goes_on: bool = False
    """The other of the two is still to come, so that what lasts until the next attack lasts on."""
    place: Point | None = None
    """The point it is aimed at, where that is nobody. Without a map any point stands for one. Clause: DH-5480."""
    facing: int | None = None
    """Where a cone is sprayed, if not at the target. Clause: DH-5480."""

    @property
    def is_melee(self) -> bool:
        """Whether it is made hand to hand."""
        return self.mode == "melee"

    @property
    def is_area(self) -> bool:
        """Whether it strikes everybody in an area. Clause: DH-5480."""
        return not self.is_melee and (self.weapon.has(BLAST) or self.weapon.has(SPRAY))

    @property
    def tested(self) -> str:
        """The characteristic that its test is on."""
        return "ws" if self.is_melee else "bs"


def attack_from(table: Table, sub: Submission, params: AttackParams) -> Attack:
    """The attack that a submission asks for, with the weapon it names or the one at hand that fits."""
    target = sub.target or CombatantId("")
    item = sub.weapon if sub.weapon is not None else _at_hand(table, sub.actor, target, params)
    weapon = weapon_of(table, sub.actor, item)
    return Attack(
        attacker=sub.actor,
        target=target,
        action=sub.action,
        params=params,
        item=item,
        weapon=weapon,
        mode=mode_of(table, sub.actor, target, weapon, params),
        given=sub.modifiers,
        location=sub.location,
        unaware=sub.options.get("aware") is False,
        use_aim=params.aim,
        place=None if sub.targets else _place_of(sub),
        facing=_facing_of(sub),
    )


def _place_of(sub: Submission) -> Point | None:
    """The point that a submission names in place of a target: the centre of its area, or where its path ends."""
    if isinstance(sub.area, Sector):
        return sub.area.centre
    if isinstance(sub.area, Polygon):
        return sub.area.points[0]
    return sub.path[-1] if sub.path else None


def _facing_of(sub: Submission) -> int | None:
    if sub.facing is not None or sub.targets:
        return sub.facing
    return sub.area.facing if isinstance(sub.area, Sector) else None


def _at_hand(table: Table, who: CombatantId, target: CombatantId, params: AttackParams) -> ItemId | None:
    """The readied weapon that fits best: melee at somebody next to him, otherwise one that shoots."""
    fit = [
        (key, weapon)
        for key, weapon in readied(table, who)
        if ("melee" in params.modes and weapon.is_melee) or (weapon.is_ranged and params.modes != ("melee",))
    ]
    if len(fit) > 1:
        near = table.known(target) and is_adjacent(table, who, target)
        fit.sort(key=lambda entry: entry[1].is_melee != near)
    return fit[0][0] if fit else None


def mode_of(table: Table, who: CombatantId, target: CombatantId, weapon: Weapon, params: AttackParams) -> Mode:
    """Hand to hand with a melee weapon, unless it can be thrown at somebody who is not near enough for that."""
    throws = weapon.rof.single and "single" in params.modes and table.known(target)
    if weapon.is_melee and not (throws and not is_adjacent(table, who, target)):
        return "melee"
    return next((mode for mode in params.modes if mode != "melee"), "single")


def why_not_attack(table: Table, attack: Attack) -> Iterator[Reason]:
    """Every reason against this attack: weapon, mode, ammunition, reach, sight.

    A missing object is left out (DH-1230).
    """
    yield from _why_not_skilled(table, attack)
    if attack.mode == "melee":
        yield from _why_not_strike(table, attack)
    else:
        yield from _why_not_shoot(table, attack)


def _why_not_skilled(table: Table, attack: Attack) -> Iterator[Reason]:
    """The talent it takes, and weapons with which it cannot be made. Clauses: DH-3150, DH-3840."""
    reason, params = table.rules.reason, attack.params
    if params.talent is not None and params.talent not in table.who(attack.attacker).sheet.traits:
        yield reason("missing_talent", params.cites.needs, names=(params.talent,))
    if any(attack.weapon.has(quality) for quality in params.forbids):
        yield reason("weapon_quality_forbids", params.cites.needs, at="/weapon")
    if params.hands > 1 and not _in_both_hands(table, attack):
        yield reason("two_hands_required", params.cites.needs, at="/weapon")
    if params.talent is not None and attack.weapon.natural and free_hands(table, attack.attacker) < 1:
        yield reason("melee_weapon_required", params.cites.needs, at="/weapon")


def _in_both_hands(table: Table, attack: Attack) -> bool:
    """Whether the weapon is held in both hands."""
    carried = None if attack.item is None else table.carried(attack.attacker, attack.item)
    return carried is not None and carried.held == "both"


def _why_not_strike(table: Table, attack: Attack) -> Iterator[Reason]:
    reason, cites = table.rules.reason, attack.params.cites
    if "melee" not in attack.params.modes and attack.item is not None:
        yield reason("fire_mode_not_available", cites.needs, at="/weapon")
    yield from why_not_wield(table, attack)
    if "melee" in attack.params.modes and not is_adjacent(table, attack.attacker, attack.target):
        yield reason("not_engaged", cites.needs, at="/targets/0", names=(attack.target,))


def why_not_wield(table: Table, attack: Attack) -> Iterator[Reason]:
    """A weapon must be in hand; bare hands always are, for what can be done with them."""
    if attack.item is None:
        ready = "melee" in attack.params.modes
    else:
        carried = table.carried(attack.attacker, attack.item)
        ready = carried is not None and (attack.weapon.natural or carried.held is not None)
    if not ready:
        yield table.rules.reason("weapon_not_ready", attack.params.cites.readiness, at="/weapon")


def _why_not_shoot(table: Table, attack: Attack) -> Iterator[Reason]:
    reason, cites, who = table.rules.reason, attack.params.cites, attack.attacker
    if attack.params.modes == ("melee",):
        yield reason("melee_weapon_required", cites.needs, at="/weapon")
        if not is_adjacent(table, who, attack.target):
            yield reason("not_engaged", cites.needs, at="/targets/0", names=(attack.target,))
        return
    yield from why_not_fire(table, attack)
    if attack.item is None:
        return
    if is_engaged(table, who) and attack.weapon.class_ not in GUNS_IN_MELEE:
        yield reason("weapon_not_usable_in_melee", "DH-5340", at="/weapon")
    yield from _why_outside_the_brace(table, attack)
    if attack.is_area:
        yield from why_not_area(table, attack)
    else:
        yield from _why_out_of_reach(table, attack)


def _why_outside_the_brace(table: Table, attack: Attack) -> Iterator[Reason]:
    """A braced weapon is turned to its target, or to where it sprays, within its arc. Clause: DH-4530."""
    goal = attack.target or attack.place
    if attack.item is not None and goal is not None:
        yield from why_outside_arc(
            table, attack.attacker, attack.item, goal, "/targets/0" if attack.target else "/area"
        )


def why_not_fire(table: Table, attack: Attack) -> Iterator[Reason]:
    """What keeps the weapon from being fired in this mode at all, whoever the target is."""
    reason, cites, who = table.rules.reason, attack.params.cites, attack.attacker
    if attack.item is None:
        yield reason("weapon_not_ready", cites.readiness, at="/weapon")
        return
    carried = table.carried(who, attack.item)
    if carried is None or not carried.held:
        yield reason("weapon_not_ready", cites.readiness, at="/weapon")
    if not _is_set_up(table, attack) and table.option("unbraced_burst") == "forbid":
        yield reason("weapon_not_ready", "DH-4510", at="/weapon")
    if not rate(attack.weapon, attack.mode):
        yield reason("fire_mode_not_available", cites.needs, at="/weapon")
    if is_jammed(table, who, attack.item):
        yield reason("weapon_jammed", cites.readiness, at="/weapon")
    left = ammo(table, who, attack.item)
    needed = rounds_needed(table, attack.weapon, attack.mode)
    if left < 1 or (left < needed and table.option("short_burst") == "forbid"):
        yield reason("not_enough_ammo", cites.needs, at="/weapon", need=max(1, needed), got=left)


def _is_set_up(table: Table, attack: Attack) -> bool:
    """Whether a heavy weapon is braced; no other needs it. Clause: DH-4510."""
    carried = table.carried(attack.attacker, attack.item)
    return attack.weapon.class_ != "heavy" or (carried is not None and bool(carried.marks.get("braced")))


def _why_out_of_reach(table: Table, attack: Attack) -> Iterator[Reason]:
    reason = table.rules.reason
    band = range_band(table, attack.attacker, attack.target, attack.weapon)
    if isinstance(band, Unknown):
        at = "/targets/0" if table.has_map else "/said/distance"
        yield reason("missing_input", "DH-5700", at=at, names=(attack.target,))
    elif band == BEYOND:
        yield reason("out_of_range", attack.params.cites.reach, at="/targets/0", names=(attack.target,))
    sees = table.space.sees(attack.attacker, attack.target)
    if not isinstance(sees, Unknown) and not sees:
        yield reason("no_line_of_sight", "DH-5170", at="/targets/0", names=(attack.target,))


def rate(weapon: Weapon, mode: Mode) -> int:
    """Rounds that the mode fires by the weapon's rate; 0 if it has no such mode."""
    if mode == "single":
        return 1 if weapon.rof.single else 0
    return weapon.rof.semi if mode == "semi" else weapon.rof.full


def rounds_needed(table: Table, weapon: Weapon, mode: Mode) -> int:
    """Rounds a shot or burst takes; Twin-Linked and Storm take more. Clauses: DH-5410, DH-5490."""
    core, rounds = tables_of(table).core, rate(weapon, mode)
    if weapon.has("twin_linked"):
        rounds *= core.twin_linked.rounds
    if weapon.has("storm"):
        rounds *= core.storm.rounds
    return rounds


def to_hit(table: Table, attack: Attack, target: CombatantId | None = None) -> Target:
    """The target number of the attack against its target, or against another one."""
    aimed_at = target or attack.target or None
    return target_number(table, attack.attacker, attack.tested, hit_modifiers(table, attack, aimed_at))


def hit_modifiers(table: Table, attack: Attack, target: CombatantId | None) -> tuple[Term, ...]:
    """Every named modifier to hit that target: the attack's own, the aim, the circumstances, what was given.

    Against a thing, which is nobody, only those on the attacker's side count.
    """
    who, weapon = attack.attacker, attack.weapon
    band = _band_to_hit(table, attack, target)
    tags = attack_tags(table, who, target, weapon, attack.mode, given=attack.given, band=band)
    if target is None and band:
        tags.update({f"range.{band}", *(("shooter_engaged",) if is_engaged(table, who) else ())})
    if attack.item is not None:
        tags.update(_item_tags(table, who, attack.item))
    if attack.paired:
        tags.add("two_weapons")
        tags.update(f"trait.{trait}" for trait in table.who(who).sheet.traits)
    if attack.unaware and target == attack.target:
        tags.add("target.unaware")
    terms = [Term(attack.params.term, attack.params.to_hit, attack.params.cites.test)]
    aim = table.effect(who, "aiming")
    if aim is not None and attack.use_aim and not weapon.has("inaccurate"):
        terms.append(Term(aim.word or "aim_half", aim.value, ClauseId("DH-4340")))
        tags.add("aimed")
    return (*terms, *hit_terms(table, tags), *given_terms(attack.given))


def _band_to_hit(table: Table, attack: Attack, target: CombatantId | None) -> str:
    if attack.is_melee or target is None:
        band = "" if attack.place is None else band_at_place(table, attack)
        return "" if isinstance(band, Unknown) else band
    return band_of(table, attack, target)


def band_of(table: Table, attack: Attack, target: CombatantId) -> str:
    """The range band of that target. One near the attack's target, of whom nothing was stated, is as far as that."""
    band = range_band(table, attack.attacker, target, attack.weapon)
    if isinstance(band, Unknown) and target != attack.target:
        band = range_band(table, attack.attacker, attack.target, attack.weapon)
    return "" if isinstance(band, Unknown) else band


def _item_tags(table: Table, who: CombatantId, item: ItemId) -> Iterator[str]:
    held = table.carried(who, item)
    if held is None:
        return
    if held.marks.get("braced"):
        yield "weapon.braced"
    if held.held == "off" and "ambidextrous" not in table.who(who).sheet.traits:
        yield "off_hand"


def is_sure(table: Table, attack: Attack) -> bool:
    """Whether it succeeds whatever the die: hand to hand against somebody helpless. Clause: DH-5630."""
    return attack.is_melee and bool(attack.target) and table.has(attack.target, *HELPLESS)


def seen_to_hit(table: Table, attack: Attack, number: Target, faces: tuple[int, ...]) -> Hashable:
    """What the rest of the attack looks at in the attack die: jam, hits, where they land, degrees for the damage
    die.
    """
    die = faces[0]
    success, degrees = judge(number.number, die, extra_degrees(table, attack.attacker, attack.tested))
    if die >= jams_from(table, attack.weapon, attack.mode):
        return "jam", success
    if not success and not is_sure(table, attack):
        return Seen("stray", first_location(table, die)) if friends_in_the_way(table, attack) else "miss"
    hits = hit_count(table, attack, degrees, rounds_needed(table, attack.weapon, attack.mode))
    worth = min(degrees, attack.weapon.dice.groups[0].sides) if success else 1
    if attack.is_area:
        return hits, worth
    if not attack.target:
        return "hit"
    # Where it lands, not only how much armour is there: cover may stand before one arm and not before the other.
    return Seen(hits, (first_location(table, die), die % 2 if hits > 1 else 0, worth))


def hit_chance(table: Table, attack: Attack) -> int:
    """Chance in millionths that the attack roll gives a hit; a jam is none. Clauses: DH-2040, DH-5390.

    What is sprayed needs no roll of the attacker's: his target keeps out of it or is hit. Clause: DH-5480.
    """
    if attack.is_area and attack.weapon.has(SPRAY):
        check = tables_of(table).core.spray.check
        keeps_out = target_number(table, attack.target, check, ()).number
        return (SIDES - min(SIDES - 1, max(1, keeps_out))) * (MILLION // SIDES)
    number, jams = to_hit(table, attack).number, jams_from(table, attack.weapon, attack.mode)
    highest = SIDES if is_sure(table, attack) else min(SIDES - 1, max(1, number))
    return min(highest, jams - 1) * (MILLION // SIDES)


def jams_from(table: Table, weapon: Weapon, mode: Mode) -> int:
    """The die from which the weapon jams; beyond 100 for those that never do. Clause: DH-5390."""
    if is_thrown(weapon):
        return SIDES + 1
    jams = tables_of(table).core.jams
    if weapon.has("reliable"):
        return jams.reliable
    if weapon.has("unreliable"):
        return jams.unreliable
    return jams.single if mode == "single" else jams.burst


def hit_count(table: Table, attack: Attack, degrees: int, fired: int) -> int:
    """How many hits a success gives, by the attack's formula, the rate of fire and the rounds fired.

    Clauses: DH-3010, DH-3420, DH-3730, DH-4550, DH-5410, DH-5490.
    """
    rule, weapon, core = attack.params.hits, attack.weapon, tables_of(table).core
    match rule.formula:
        case "per_degree":
            count = degrees
        case "one_plus_per":
            count = rule.count + additional(degrees) // rule.step
        case _:
            count = rule.count
    first = 1 if rule.beyond_first else 0
    cap = rate(weapon, attack.mode) + first if rule.by_rate else None
    if rule.most is not None:
        first = first if table.option("lightning_cap") == "additional" else 0
        cap = max(1, bonus(table.who(attack.attacker), rule.most) + first)
    if weapon.has("storm") and not attack.is_melee:
        if cap is not None and table.option("storm_cap") == "before_doubling":
            count, cap = min(count, cap), None
        count *= core.storm.hits
    if cap is not None:
        count = min(count, cap)
    if weapon.has("twin_linked") and degrees >= core.twin_linked.from_degrees:
        count += core.twin_linked.hits
    return min(count, fired + first) if fired else count


def friends_in_the_way(table: Table, attack: Attack) -> list[CombatantId]:
    """Friends of the shooter who are locked in melee with his target, where the house rule lets them be hit.

    Clause: DH-5350.
    """
    if attack.is_melee or not attack.target or table.option("stray_shots") != "friend_on_miss":
        return []
    side = table.who(attack.attacker).side
    locked = engaged_opponents(table, attack.target)
    return [who for who in locked if who != attack.attacker and table.who(who).side == side]
