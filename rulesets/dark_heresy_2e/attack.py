"""One attack roll and everything it brings: test, jam, hits, allocation, Evasion, damage.

Clauses of section 4 and 5.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import msgspec

from app.engine.asks import Answer, Barred, Option, Question
from app.engine.commands import GivenModifier, Submission
from app.engine.events import AttackMade, CheckRolled, Hit, HitsScored, ItemChanged, Term
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason, in_order
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.checks import Check, Target, additional, extra_degrees, judge, outcome, target_number
from rulesets.dark_heresy_2e.damage import Source, deal
from rulesets.dark_heresy_2e.evasion import Incoming, evade_all
from rulesets.dark_heresy_2e.figures import armour_at, location_row, tables_of
from rulesets.dark_heresy_2e.locations import first_location, fresh_location, later_locations
from rulesets.dark_heresy_2e.melee import engage
from rulesets.dark_heresy_2e.reach import BEYOND, engaged_opponents, is_adjacent, is_engaged, range_band
from rulesets.dark_heresy_2e.tags import attack_tags, circumstances, given_terms, hit_terms
from rulesets.dark_heresy_2e.weapons import (
    UNARMED,
    Weapon,
    ammo,
    is_jammed,
    is_thrown,
    readied,
    weapon_of,
)

Mode = Literal["melee", "single", "semi", "full"]
HELPLESS = ("helpless", "unconscious")
TO_HIT = "to_hit"
GUNS_IN_MELEE = ("pistol", "melee")
SIDES = 100
MILLION = 1_000_000


class HitsRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many hits a success gives: `fixed` so many, `per_degree` one a degree, `one_plus_per` one and one more
    for every `step` additional degrees; by `rate` at most the rate of fire. Clauses: DH-3420, DH-3730, DH-4550.
    """

    formula: Literal["fixed", "per_degree", "one_plus_per"] = "fixed"
    count: int = 1
    step: int = 2
    by_rate: bool = False


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
    spread: bool = False
    named_location: bool = False
    aim: bool = True
    leaves: str | None = None
    """An effect that the attack leaves on the attacker, hit or miss."""


@dataclass(frozen=True, slots=True)
class Attack:
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
    """What a hit does, where the GM says it instead of the damage dice."""

    @property
    def is_melee(self) -> bool:
        """Whether it is made hand to hand."""
        return self.mode == "melee"

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
        mode=_mode(table, sub.actor, target, weapon, params),
        given=sub.modifiers,
        location=sub.location,
        unaware=sub.options.get("aware") is False,
        use_aim=params.aim,
    )


def _at_hand(table: Table, who: CombatantId, target: CombatantId, params: AttackParams) -> ItemId | None:
    """The readied weapon that fits best: melee at somebody next to him, otherwise one that shoots."""
    near = table.known(target) and is_adjacent(table, who, target)
    fit = [
        (key, weapon)
        for key, weapon in readied(table, who)
        if ("melee" in params.modes and weapon.is_melee) or (weapon.is_ranged and params.modes != ("melee",))
    ]
    fit.sort(key=lambda entry: entry[1].is_melee != near)
    return fit[0][0] if fit else None


def _mode(table: Table, who: CombatantId, target: CombatantId, weapon: Weapon, params: AttackParams) -> Mode:
    """Hand to hand with a melee weapon, unless it can be thrown at somebody who is not near enough for that."""
    throws = weapon.rof.single and "single" in params.modes and table.known(target)
    if weapon.is_melee and not (throws and not is_adjacent(table, who, target)):
        return "melee"
    return next((mode for mode in params.modes if mode != "melee"), "single")


def why_not_attack(table: Table, attack: Attack) -> Iterator[Reason]:
    """Every reason against this attack: weapon, mode, ammunition, reach, sight.

    A missing object is left out (DH-1230).
    """
    if attack.mode == "melee":
        yield from _why_not_strike(table, attack)
    else:
        yield from _why_not_shoot(table, attack)


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
        ready = attack.weapon.natural or table.item(attack.attacker, attack.item).held is not None
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
    yield from _why_out_of_reach(table, attack)


def why_not_fire(table: Table, attack: Attack) -> Iterator[Reason]:
    """What keeps the weapon from being fired in this mode at all, whoever the target is."""
    reason, cites, who = table.rules.reason, attack.params.cites, attack.attacker
    if attack.item is None:
        yield reason("weapon_not_ready", cites.readiness, at="/weapon")
        return
    if not table.item(who, attack.item).held:
        yield reason("weapon_not_ready", cites.readiness, at="/weapon")
    if not _is_set_up(table, attack) and table.option("unbraced_burst") == "forbid":
        yield reason("weapon_not_ready", "DH-4510", at="/weapon")
    if attack.weapon.has("spray") or attack.weapon.has("blast"):
        yield reason("not_supported_yet", "DH-5480", at="/weapon")
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
    braced = attack.item is not None and table.item(attack.attacker, attack.item).marks.get("braced")
    return attack.weapon.class_ != "heavy" or bool(braced)


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
    return target_number(table, attack.attacker, attack.tested, hit_modifiers(table, attack, target or attack.target))


def hit_modifiers(table: Table, attack: Attack, target: CombatantId | None) -> tuple[Term, ...]:
    """Every named modifier to hit that target: the attack's own, the aim, the circumstances, what was given.

    Against a thing, which is nobody, only those on the attacker's side count.
    """
    who, weapon = attack.attacker, attack.weapon
    band = "" if attack.is_melee or target is None else _band(table, attack, target)
    tags = attack_tags(table, who, target, weapon, attack.mode, given=attack.given, band=band)
    if attack.item is not None:
        tags.update(_item_tags(table, who, attack.item))
    if attack.unaware and target == attack.target:
        tags.add("target.unaware")
    terms = [Term(attack.params.term, attack.params.to_hit, attack.params.cites.test)]
    aim = table.effect(who, "aiming")
    if aim is not None and attack.use_aim and not weapon.has("inaccurate"):
        terms.append(Term(aim.word or "aim_half", aim.value, ClauseId("DH-4340")))
        tags.add("aimed")
    return (*terms, *hit_terms(table, tags), *given_terms(attack.given))


def _band(table: Table, attack: Attack, target: CombatantId) -> str:
    """The range band of that target. One near the attack's target, of whom nothing was stated, is as far as that."""
    band = range_band(table, attack.attacker, target, attack.weapon)
    if isinstance(band, Unknown) and target != attack.target:
        band = range_band(table, attack.attacker, attack.target, attack.weapon)
    return "" if isinstance(band, Unknown) else band


def _item_tags(table: Table, who: CombatantId, item: ItemId) -> Iterator[str]:
    held = table.item(who, item)
    if held.marks.get("braced"):
        yield "weapon.braced"
    if held.held == "off" and "ambidextrous" not in table.who(who).sheet.traits:
        yield "off_hand"


def make_attack(scene: Scene, attack: Attack) -> bool:
    """Make the attack, to the last wound. Tells whether a hit stood."""
    who, cites = attack.attacker, attack.params.cites
    kind = UNARMED if attack.item is None else scene.item(who, attack.item).kind
    scene.emit(AttackMade(who, attack.target, attack.action, attack.item, kind, attack.clause or cites.test))
    band = "" if attack.is_melee else _band(scene, attack, attack.target)
    number = to_hit(scene, attack)
    fired = _spend_ammunition(scene, attack)
    check = _roll_to_hit(scene, attack, number)
    if attack.is_melee:
        engage(scene, who, attack.target)
    elif not scene.has(attack.target, "shot_at"):
        scene.begin(attack.target, "shot_at")
    if attack.params.leaves is not None:
        scene.begin(who, attack.params.leaves, clause=_leaves_clause(scene, attack))
    jammed = _jammed(scene, attack, check)
    source = _source(scene, attack, check, number, band, kind)
    stood = False
    if check.success and not jammed:
        targets = _allocate(scene, attack, hit_count(scene, attack, check.degrees, fired))
        stood = _land(scene, attack, _locate(scene, attack, check, targets), source)
    elif not jammed:
        _stray(scene, attack, check, source)
    scene.tick("attack", who, attack.target)
    return stood


def strike_thing(scene: Scene, attack: Attack) -> bool:
    """Attack a thing, which is nobody: the round, the test, the jam. What a hit does to it the GM says.

    Clause: DH-3810.
    """
    number = target_number(scene, attack.attacker, attack.tested, hit_modifiers(scene, attack, None))
    _spend_ammunition(scene, attack)
    check = _roll_to_hit(scene, attack, number)
    jammed = _jammed(scene, attack, check)
    scene.tick("attack", attack.attacker)
    return check.success and not jammed


def _leaves_clause(scene: Scene, attack: Attack) -> str:
    return scene.rules.effects[attack.params.leaves or ""].clause


def _roll_to_hit(scene: Scene, attack: Attack, number: Target) -> Check:
    """The attack roll. Against somebody helpless a melee attack succeeds whatever the die. Clause: DH-5630."""
    dice = scene.roll(
        TO_HIT,
        1,
        SIDES,
        attack.attacker,
        "attack",
        target=number.number,
        clause="DH-2140",
        sees=partial(_seen_to_hit, scene, attack, number),
    )
    check = outcome(scene, attack.attacker, attack.tested, number, dice)
    if not check.success and _is_sure(scene, attack):
        check = replace(check, success=True, degrees=1)
    scene.emit(
        CheckRolled(
            attack.attacker,
            attack.tested,
            "attack",
            number.number,
            dice,
            "success" if check.success else "failure",
            check.degrees,
            number.terms,
            attack.target or None,
            attack.params.cites.test,
        )
    )
    return check


def _is_sure(table: Table, attack: Attack) -> bool:
    """Whether it succeeds whatever the die: hand to hand against somebody helpless. Clause: DH-5630."""
    return attack.is_melee and bool(attack.target) and table.has(attack.target, *HELPLESS)


def _seen_to_hit(table: Table, attack: Attack, number: Target, faces: tuple[int, ...]) -> Hashable:
    """What the rest of the attack looks at in the attack die: jam, hits, where they land, degrees for the damage
    die.
    """
    die = faces[0]
    if die >= jams_from(table, attack.weapon, attack.mode):
        return "jam"
    success, degrees = judge(number.number, die, extra_degrees(table, attack.attacker, attack.tested))
    if not success and not _is_sure(table, attack):
        return first_location(table, die) if _in_the_way(table, attack) else "miss"
    if not attack.target:
        return "hit"
    first = first_location(table, die)
    hits = hit_count(table, attack, degrees, rounds_needed(table, attack.weapon, attack.mode))
    worth = min(degrees, attack.weapon.dice.groups[0].sides) if success else 1
    return location_row(first), armour_at(table.who(attack.target), first), hits, die % 2 if hits > 1 else 0, worth


def hit_chance(table: Table, attack: Attack) -> int:
    """Chance in millionths that the attack roll gives a hit; a jam is none. Clauses: DH-2040, DH-5390."""
    number, jams = to_hit(table, attack).number, jams_from(table, attack.weapon, attack.mode)
    sure = _is_sure(table, attack)
    hits = sum(1 for die in range(1, SIDES + 1) if die < jams and (sure or judge(number, die)[0]))
    return hits * (MILLION // SIDES)


def _spend_ammunition(scene: Scene, attack: Attack) -> int:
    """Hit or miss the rounds are gone; what is left is fired if they are fewer. Gives the rounds fired.

    Clause: DH-5410.
    """
    if attack.is_melee or attack.item is None:
        return 0
    item = scene.item(attack.attacker, attack.item)
    left = ammo(scene, attack.attacker, attack.item)
    if is_thrown(attack.weapon):
        rest = None if item.count <= 1 else msgspec.structs.replace(item, count=item.count - 1)
        thrown = (
            msgspec.structs.replace(item, held=None, on_ground=True)
            if rest is None and attack.weapon.is_melee
            else rest
        )
        scene.emit(ItemChanged(attack.attacker, attack.item, thrown, ClauseId("DH-5410")))
        return 1
    fired = min(left, rounds_needed(scene, attack.weapon, attack.mode))
    scene.mark_item(attack.attacker, attack.item, "ammo", left - fired, "DH-5410")
    return fired


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


def _jammed(scene: Scene, attack: Attack, check: Check) -> bool:
    """Whether this die jams the weapon: never a hit, and no shot more till it is cleared. Clause: DH-5390."""
    if attack.item is None or check.die < jams_from(scene, attack.weapon, attack.mode):
        return False
    scene.mark_item(attack.attacker, attack.item, "jammed", 1, "DH-5390")
    return True


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
    cap = rate(weapon, attack.mode) if rule.by_rate else None
    if weapon.has("storm") and not attack.is_melee:
        if cap is not None and table.option("storm_cap") == "before_doubling":
            count, cap = min(count, cap), None
        count *= core.storm.hits
    if cap is not None:
        count = min(count, cap)
    if weapon.has("twin_linked") and degrees >= core.twin_linked.from_degrees:
        count += core.twin_linked.hits
    return min(count, fired) if fired else count


def _source(scene: Scene, attack: Attack, check: Check, number: Target, band: str, kind: str) -> Source:
    """What deals the damage of this attack."""
    return Source(
        attack.attacker,
        attack.weapon,
        kind,
        check.degrees if check.success else 0,
        behind_cover=not attack.is_melee,
        twice=_is_sure(scene, attack),
        band=band,
        extra_dice=_accurate_dice(scene, attack, check, number),
    )


def _land(scene: Scene, attack: Attack, hits: tuple[Hit, ...], source: Source) -> bool:
    """Hits that were scored: who turns them away, what the rest does. Tells whether one stood."""
    scene.emit(HitsScored(attack.attacker, hits, attack.params.cites.hits))
    incoming = Incoming(
        attack.attacker,
        attack.weapon,
        attack.is_melee,
        unaware=attack.target if attack.unaware else None,
        given=frozenset(modifier.id for modifier in attack.given),
        action=attack.action,
    )
    with scene.within("evade"):
        standing = evade_all(scene, incoming, hits)
    if attack.effect is not None:
        return bool(standing)
    first = min(hit.number for hit in hits)
    for hit in standing:
        deal(scene, source, hit, first=hit.number == first)
    return bool(standing)


def _accurate_dice(table: Table, attack: Attack, check: Check, number: Target) -> int:
    """Dice that an aimed single shot with an accurate basic weapon adds. Clause: DH-5495."""
    if attack.mode != "single" or attack.weapon.class_ != "basic" or not attack.weapon.has("accurate"):
        return 0
    if not check.success or not any(term.clause == "DH-4340" for term in number.terms):
        return 0
    rule = tables_of(table).core.accurate
    return min(rule.most, additional(check.degrees) // rule.step)


def _in_the_way(table: Table, attack: Attack) -> list[CombatantId]:
    """Friends of the shooter who are locked in melee with his target, where the house rule lets them be hit.

    Clause: DH-5350.
    """
    if attack.is_melee or not attack.target or table.option("stray_shots") != "friend_on_miss":
        return []
    side = table.who(attack.attacker).side
    locked = engaged_opponents(table, attack.target)
    return [who for who in locked if who != attack.attacker and table.who(who).side == side]


def _stray(scene: Scene, attack: Attack, check: Check, source: Source) -> None:
    """A shot into a melee that misses may strike a friend there: once, where the attack die says. Clause: DH-5350."""
    friends = _in_the_way(scene, attack)
    if not friends:
        return
    with scene.within("stray"):
        place = 0
        if len(friends) > 1:
            place = scene.roll("friend", 1, len(friends), attack.attacker, "stray_shot", clause="DH-5350")[0].value - 1
        hit = Hit(1, friends[place], first_location(scene, check.die))
        scene.emit(HitsScored(attack.attacker, (hit,), ClauseId("DH-5350")))
        for standing in evade_all(scene, Incoming(attack.attacker, attack.weapon, melee=False), (hit,)):
            deal(scene, source, standing, first=True)


def _allocate(scene: Scene, attack: Attack, count: int) -> tuple[CombatantId, ...]:
    """Whom each hit strikes: the first the target, further ones him or others near him who are no harder to hit.

    Clauses: DH-3430, DH-3740.
    """
    if count <= 1 or not attack.params.spread:
        return (attack.target,) * count
    candidates = {who: in_order(_why_not_spread(scene, attack, who)) for who in _others(scene, attack)}
    if all(candidates.values()):
        return (attack.target,) * count
    choices = (attack.target, *candidates)

    def judge_share(answer: Answer) -> Iterator[Reason]:
        share = answer.share("hits")
        if share and not share.get(attack.target):
            yield scene.rules.reason("invalid_target", attack.params.cites.spread, at=f"/fields/hits/{attack.target}")
        for who, hits in share.items():
            if hits and who != attack.target:
                yield from candidates[CombatantId(who)]

    spread = Field("hits", "allocation", True, choices, minimum=0, maximum=count, total=count)
    answer = scene.ask(
        Question(
            key="",
            name="allocate_hits",
            kind="allocate_hits",
            to=attack.attacker,
            options=(Option("primary"), Option("allocate", form=(spread,))),
            default="primary",
            best="primary",
            about=attack.target,
            barred=tuple(Barred(who, reasons) for who, reasons in candidates.items() if reasons),
            informed=True,
            figures={"hits": count},
            clause=attack.params.cites.spread,
        ),
        judge_share,
    )
    if answer.option == "primary":
        return (attack.target,) * count
    share = answer.share("hits")
    return tuple(CombatantId(who) for who in choices for _ in range(share.get(who, 0)))


def _others(table: Table, attack: Attack) -> list[CombatantId]:
    """Whom further hits might strike at all: those who are here and of whom the attacker knows, near as it may be."""
    unknown = table.unknown_to(attack.attacker)
    found = []
    for body in table.state.combatants.values():
        if body.id in (attack.attacker, attack.target) or body.status not in ("up", "down") or body.id in unknown:
            continue
        near = table.space.distance(attack.target, body.id)
        stated = table.said.near is not None and body.id in table.said.near
        if table.has_map or stated or not isinstance(near, Unknown):
            found.append(body.id)
    return found


def _why_not_spread(table: Table, attack: Attack, who: CombatantId) -> Iterator[Reason]:
    reason, clause = table.rules.reason, attack.params.cites.spread
    reach = tables_of(table).core.spread
    stated = table.said.near is not None and who in table.said.near
    distance = table.space.distance(attack.target, who)
    if not stated and not isinstance(distance, Unknown) and distance > reach:
        yield reason("target_too_far_from_primary", clause, need_length=reach, got_length=distance, names=(who,))
    sees = table.space.sees(attack.attacker, who)
    if not isinstance(sees, Unknown) and not sees:
        yield reason("no_line_of_sight", "DH-5170", names=(who,))
    if range_band(table, attack.attacker, who, attack.weapon) == BEYOND:
        yield reason("out_of_range", "DH-5140", names=(who,))
    mine = circumstances(hit_modifiers(table, attack, attack.target))
    theirs = circumstances(hit_modifiers(table, attack, who))
    if theirs < mine:
        yield reason("target_harder_to_hit", clause, need=mine, got=theirs, names=(who,))


def _locate(scene: Scene, attack: Attack, check: Check, targets: tuple[CombatantId, ...]) -> tuple[Hit, ...]:
    """Where each hit lands. A named place takes that of the first; further ones follow the table from there.

    Clauses: DH-3180, DH-3430, DH-3800, DH-5210, DH-5220.
    """
    named = attack.location if attack.params.named_location else None
    first = named or first_location(scene, check.die)
    hits: list[Hit] = []
    for who in dict.fromkeys(targets):
        numbers = [number for number, one in enumerate(targets, 1) if one == who]
        with scene.within(f"location_{who}"):
            start = first
            if who != attack.target and scene.option("split_hit_location") == "roll_d100":
                start = fresh_location(scene, attack.attacker)
            places = (start, *later_locations(scene, attack.attacker, start, check.die, len(numbers) - 1))
        hits.extend(Hit(number, who, place) for number, place in zip(numbers, places, strict=True))
    return tuple(sorted(hits, key=lambda hit: hit.number))
