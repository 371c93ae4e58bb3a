"""What an attack is: with what, in which form, against what number. Making it stands in `striking`.

Clauses GU-270, GU-600 to GU-650, GU-700 to GU-780, GU-910 to GU-930, GU-1810 to GU-1890, GU-1910, GU-2000 to GU-2080.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.engine.commands import GivenModifier, Submission
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.modifiers import collect
from app.engine.reasons import Reason
from app.engine.space.model import Unknown
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.gurps_4e.checks import base_terms, is_trained, level, total_of, unarmed_skill
from rulesets.gurps_4e.figures import CRAWLING, YARD, figure, has_trait, posture_of, posture_row, tables_of
from rulesets.gurps_4e.reach import REAR, arc_of, can_see, distance, missing_distance, range_to
from rulesets.gurps_4e.tables import LocationRow
from rulesets.gurps_4e.weapons import (
    BROKEN,
    OFF,
    SWITCHED,
    UNREADY,
    Mode,
    Throw,
    Weapon,
    free_hands,
    hand_is_lame,
    is_ready,
    lacks_a_hand,
    min_st_penalty,
    modes_of,
    profile,
    range_of,
    reaches,
    rounds,
    weapon_of,
)

Form = Literal["strike", "shield_bash", "slam", "shove", "grapple", "break_free", "shot", "throw"]
STRIKE, SHIELD_BASH, SLAM, SHOVE, GRAPPLE, BREAK_FREE, SHOT, THROW = (
    "strike",
    "shield_bash",
    "slam",
    "shove",
    "grapple",
    "break_free",
    "shot",
    "throw",
)
BODILY = (SLAM, SHOVE, GRAPPLE, BREAK_FREE)
"""Forms done with the body alone."""
RANGED = (SHOT, THROW)
ATTACK, ALL_OUT_ATTACK, MOVE_AND_ATTACK, FEINT = "attack", "all_out_attack", "move_and_attack", "feint"
DETERMINED, DOUBLE, STRONG, SUPPRESSION = "determined", "double", "strong", "suppression_fire"
GRAPPLING_SKILLS = ("judo", "wrestling", "sumo_wrestling")


@dataclass(frozen=True, slots=True)
class Blow:
    """One attack. `maneuver` and `option` say as part of what it is made; `extra` are terms it has beside the usual
    ones.

    `feint` is taken off the target's defences, `approach` are the yards a stop thrust counts, `arc` is stated where
    there is no map, `hands` how many hands a shove or grapple is done with.
    """

    attacker: CombatantId
    target: CombatantId
    form: Form
    item: ItemId | None
    weapon: Weapon
    mode_id: str
    mode: Mode
    maneuver: str = ATTACK
    option: str = ""
    shots: int = 1
    location: str | None = None
    arc: str | None = None
    aware: bool = True
    hands: int = 2
    target_speed: Length = 0
    given: tuple[GivenModifier, ...] = ()
    extra: tuple[Term, ...] = ()
    feint: int = 0
    approach: int = 0
    moved: int = 0
    """Yards gone toward the target in this maneuver, for a slam."""
    evaluated: bool = True
    """Whether an Evaluate against the target counts."""
    came_close: bool = False
    """Whether the attacker came to distance 0 in this very maneuver. Clause: GU-330."""

    @property
    def is_ranged(self) -> bool:
        """Whether it is a shot or a throw."""
        return self.form in RANGED

    @property
    def thrown(self) -> Throw | None:
        """How the weapon is thrown, for a throw."""
        return self.weapon.throw if self.form == THROW else None

    @property
    def is_unarmed(self) -> bool:
        """Whether it is made without a weapon."""
        return self.item is None or self.form in BODILY


def blow_of(table: Table, sub: Submission, maneuver: str, option: str = "", second: bool = False) -> Blow:
    """The attack that a submission describes; what cannot be is left for `why_not_strike`. Clause: GU-600."""
    options = sub.options
    item = sub.second_weapon if second and sub.second_weapon is not None else sub.weapon
    item = item if item in table.who(sub.actor).items else None
    weapon = weapon_of(table, sub.actor, item)
    form = str(options.get("form") or _usual_form(item, weapon))
    modes = modes_of(table, sub.actor, item)
    named = options.get("mode")
    mode_id = str(named) if named in modes else next(iter(modes), "")
    if form == THROW and weapon.throw is not None:
        throw = weapon.throw
        mode_id, mode = THROW, Mode(throw.damage, throw.type)
    else:
        mode = modes.get(mode_id) or Mode("0", "cr")
    return Blow(
        sub.actor,
        sub.targets[0] if sub.targets else CombatantId(""),
        form,  # type: ignore[arg-type]
        item,
        weapon,
        mode_id,
        mode,
        maneuver,
        option,
        shots=_whole(options.get("shots"), 1),
        location=sub.location,
        arc=None if options.get("arc") is None else str(options["arc"]),
        aware=options.get("aware") is not False,
        hands=_whole(options.get("hands"), 2),
        target_speed=_whole(options.get("target_speed"), 0),
        given=sub.modifiers,
    )


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _usual_form(item: ItemId | None, weapon: Weapon) -> str:
    if weapon.is_ranged:
        return SHOT
    return SHIELD_BASH if weapon.is_shield and item is not None else STRIKE


# What it is tested on


def skill_of(table: Table, blow: Blow) -> str:
    """What the attack is tested on. Clauses: GU-290, GU-2070, GU-2200 to GU-2240."""
    if blow.form == GRAPPLE:
        return unarmed_skill(table, blow.attacker, GRAPPLING_SKILLS)
    if blow.form in (SLAM, SHOVE):
        return unarmed_skill(table, blow.attacker, ("brawling",))
    if blow.form == BREAK_FREE:
        return "st"
    if blow.thrown is not None:
        return blow.thrown.skill
    if blow.item is None:
        return unarmed_skill(table, blow.attacker)
    return blow.weapon.skill


def to_hit(table: Table, blow: Blow) -> tuple[Term, ...]:
    """Every term of the attack roll, the caps last. Clauses: GU-270, GU-2000."""
    who, skill = blow.attacker, skill_of(table, blow)
    terms = [*base_terms(table, who, skill), *_of_the_weapon(table, blow)]
    terms += _of_the_maneuver(table, blow)
    terms += _at_range(table, blow) if blow.is_ranged else _in_melee(table, blow)
    terms += _of_the_target(table, blow)
    terms += blow.extra
    terms += _given(table, blow)
    terms = [terms[0], *(term for term in terms[1:] if term.value)]
    return (*terms, *_cap(table, blow, total_of(terms)))


def _of_the_weapon(table: Table, blow: Blow) -> Iterator[Term]:
    """ST too low, the off hand, a kick. Clauses: GU-730, GU-2060, GU-2200."""
    core, who = tables_of(table).core, blow.attacker
    if not blow.is_unarmed:
        yield Term("min_st", min_st_penalty(table.who(who), blow.weapon), ClauseId("GU-2060"))
        held = table.who(who).items[blow.item or ""].held
        if held == OFF and not blow.weapon.is_shield and not has_trait(table, who, "ambidexterity"):
            yield Term("off_hand", core.off_hand, ClauseId("GU-730"))
    if blow.form == STRIKE and blow.mode.to_hit:
        yield Term(blow.mode_id, blow.mode.to_hit, ClauseId("GU-2200"))


def _of_the_maneuver(table: Table, blow: Blow) -> Iterator[Term]:
    """All-Out Attack (Determined), Move and Attack. Clauses: GU-710, GU-760, GU-910, GU-930."""
    core = tables_of(table).core
    if blow.option == DETERMINED:
        worth = core.determined.ranged if blow.is_ranged else core.determined.melee
        yield Term(DETERMINED, worth, ClauseId("GU-760" if blow.is_ranged else "GU-710"))
    if blow.maneuver == MOVE_AND_ATTACK:
        if blow.is_ranged:
            yield Term(MOVE_AND_ATTACK, min(core.move_and_attack.ranged, bulk_of(blow)), ClauseId("GU-910"))
        elif not _is_exempt(table, blow):
            yield Term(MOVE_AND_ATTACK, core.move_and_attack.melee, ClauseId("GU-930"))


def _is_exempt(table: Table, blow: Blow) -> bool:
    """Forms that Move and Attack does not make harder. Clauses: GU-930, GU-2220."""
    return blow.form == SLAM or (blow.form == SHOVE and table.flag("move_and_attack_shove_exempt"))


def _cap(table: Table, blow: Blow, total: int) -> Iterator[Term]:
    """What a Move and Attack in melee is held to. Clause: GU-930."""
    cap = tables_of(table).core.move_and_attack.cap
    if blow.maneuver == MOVE_AND_ATTACK and not blow.is_ranged and not _is_exempt(table, blow) and total > cap:
        yield Term("move_and_attack_cap", cap - total, ClauseId("GU-930"))


def _in_melee(table: Table, blow: Blow) -> Iterator[Term]:
    """Posture and Evaluate. Clauses: GU-1740, GU-1910."""
    yield Term("posture", posture_row(table, posture_of(table, blow.attacker)).attack, ClauseId("GU-1740"))
    yield from evaluate_terms(table, blow.attacker, blow.target)


def evaluate_terms(table: Table, who: CombatantId, target: CombatantId) -> Iterator[Term]:
    """What evaluating this foe is worth now. Clauses: GU-590, GU-640, GU-1910."""
    for record in table.effects(who, "evaluating"):
        if record.against == target and counts_now(table, record):
            yield Term("evaluate", record.value, ClauseId("GU-1910"))


def counts_now(table: Table, record: Effect) -> bool:
    """Whether a record for the next turn counts already: in the slot that set it only by option. Clause: GU-590."""
    fresh = any(tick.times > 1 for chain in record.until for tick in chain)
    return not fresh or table.flag("carry_within_slot")


def bulk_of(blow: Blow) -> int:
    """Bulk of what is shot or thrown."""
    return blow.thrown.bulk if blow.thrown is not None else blow.weapon.bulk


def _at_range(table: Table, blow: Blow) -> Iterator[Term]:
    """Range or Bulk, aim, rapid fire, the target's posture. Clauses: GU-1810 to GU-1890, GU-2000 to GU-2080."""
    yield _range_term(table, blow)
    yield from aim_terms(table, blow)
    yield Term("rapid_fire", rapid_fire_bonus(table, blow.shots), ClauseId("GU-2040"))
    if table.flag("evaluate_for_ranged"):
        yield from evaluate_terms(table, blow.attacker, blow.target)


def _range_term(table: Table, blow: Blow) -> Term:
    if distance(table, blow.attacker, blow.target) == 0:
        return Term("bulk", bulk_of(blow), ClauseId("GU-2080"))
    length = range_to(table, blow.attacker, blow.target)
    speed = blow.target_speed or counted_speed(table, blow.target)
    return Term(
        "range", range_modifier(table, 0 if isinstance(length, Unknown) else length + speed), ClauseId("GU-2010")
    )


def counted_speed(table: Table, target: CombatantId) -> Length:
    """What the target moved in his last turn, where the table counts it. Clause: GU-2020."""
    moved = table.effect(target, "moved_last")
    return moved.value if moved is not None and table.flag("count_target_speed") else 0


def range_modifier(table: Table, length: Length) -> int:
    """The row of the speed and range table: an exact value belongs to its row. Table 5.2, clause GU-2010."""
    ranges = tables_of(table).ranges
    rows, scale, modifier = ranges.pattern, YARD, 0
    while True:
        for bound in rows:
            if length <= bound * scale:
                return modifier
            modifier -= 1
        scale *= 10


def rapid_fire_bonus(table: Table, shots: int) -> int:
    """Bonus for so many shots at once. Table 5.5."""
    rows = tables_of(table).rapid_fire
    row = max((row for row in rows if row.shots <= shots), key=lambda row: row.shots, default=rows[0])
    bonus, most = row.bonus, rows[-1]
    doubled = most.shots * 2
    while row == most and shots >= doubled:
        bonus, doubled = bonus + 1, doubled * 2
    return bonus


def aim_terms(table: Table, blow: Blow) -> Iterator[Term]:
    """What an aim with this weapon at this target is worth: Acc, sights, brace, seconds.

    Clauses: GU-1810 to GU-1830.
    """
    record = table.effect(blow.attacker, "aiming")
    usable = blow.maneuver in (ATTACK, ALL_OUT_ATTACK) and blow.option != SUPPRESSION
    if record is None or not usable or record.item != blow.item or record.against != blow.target:
        return
    if not can_see(table, blow.attacker, blow.target):
        return
    core = tables_of(table).core
    acc = blow.thrown.acc if blow.thrown is not None else blow.weapon.acc
    yield Term("acc", acc, ClauseId("GU-1810"))
    if blow.thrown is None:
        yield Term("sights", min(blow.weapon.sight_bonus, acc), ClauseId("GU-1830"))
    seconds = min(record.value, len(core.aim))
    yield Term("aim_seconds", core.aim[seconds - 1], ClauseId("GU-1820"))
    if record.declared.get("braced") is True and record.declared.get("shaken") is not True:
        yield Term("braced", core.brace, ClauseId("GU-1840"))


def _of_the_target(table: Table, blow: Blow) -> Iterator[Term]:
    """Size, posture against shots, and the place aimed at. Clauses: GU-270, GU-1740, GU-2000, table 5.8."""
    if not blow.target:
        return
    yield Term("size_modifier", figure(table.who(blow.target), "size_modifier"), ClauseId("GU-270"))
    if blow.is_ranged and (blow.location is None or _is_low(blow.location)):
        yield Term("target_posture", posture_row(table, posture_of(table, blow.target)).against, ClauseId("GU-2000"))
    if blow.location is not None and table.flag("hit_locations"):
        row = location_row(table, blow.location)
        behind = row.from_behind is not None and arc_of(table, blow.target, blow.attacker, blow.arc) == REAR
        yield Term("location", row.from_behind or 0 if behind else row.to_hit, ClauseId("GU-2120"))


def _is_low(location: str) -> bool:
    """The places that a posture covers. Table 5.1."""
    return location in ("torso", "groin", "vitals") or location.endswith(("leg", "foot"))


def location_row(table: Table, location: str) -> LocationRow:
    """The row of a hit location. Table 5.8."""
    return next(row for row in tables_of(table).hit_locations if row.location == location)


def _given(table: Table, blow: Blow) -> Iterator[Term]:
    """Circumstances that the submission names. Clause: GU-130."""
    known = {f"given.{one.id}" for one in blow.given if one.value is None}
    yield from collect(table.rules.modifiers, "hit", known | {"ranged" if blow.is_ranged else "melee"})
    for one in blow.given:
        if one.value is not None:
            yield Term(one.id, one.value, ClauseId("GU-130"))


# Whether it can be made


def why_not_strike(table: Table, blow: Blow, clause: str = "GU-610") -> Iterator[Reason]:
    """Every reason why this attack cannot be made from where the attacker is: weapon, distance, skill.

    Clauses: GU-240, GU-290, GU-360, GU-610 to GU-630, GU-1370, GU-2060.
    """
    yield from why_not_usable(table, blow, clause)
    if blow.target and table.known(blow.target):
        yield from (why_out_of_range(table, blow) if blow.is_ranged else why_out_of_reach(table, blow))
        yield from _why_too_hard(table, blow)


def why_not_usable(table: Table, blow: Blow, clause: str = "GU-610") -> Iterator[Reason]:
    """What is wrong with the weapon, the hand or the form, whoever the target is."""
    reason, who, item = table.rules.reason, blow.attacker, blow.item
    if blow.form in (SHOT, THROW) and (item is None or (not blow.weapon.is_ranged and blow.weapon.throw is None)):
        yield reason("invalid_option_value", "GU-600", at="/options/form", names=(blow.form,))
        return
    if item is not None and blow.form not in BODILY:
        yield from _why_not_ready(table, who, item, clause)
        if lacks_a_hand(table, who, item):
            yield reason("needs_two_hands", "GU-2060", at="/weapon", names=(item,))
        yield from why_unbalanced(table, who, item)
    elif blow.form in (STRIKE, SHOVE, GRAPPLE) and free_hands(table, who) < 1 and blow.mode_id != "kick":
        yield reason("weapon_not_ready", clause, at="/weapon")
    if blow.form == SHIELD_BASH and (item is None or not blow.weapon.is_shield or not blow.mode_id):
        yield reason("no_ready_shield", "GU-2240", at="/weapon")
    if level(table, who, skill_of(table, blow)) is None or (
        blow.weapon.no_default and not blow.is_unarmed and not is_trained(table, who, skill_of(table, blow))
    ):
        yield reason("untrained", "GU-290", at="/weapon", names=(skill_of(table, blow),))
    if blow.form == SHOT:
        yield from _why_not_so_many(table, blow)


def _why_not_ready(table: Table, who: CombatantId, item: ItemId, clause: str) -> Iterator[Reason]:
    """It is not ready, or ready and empty. Clauses: GU-610, GU-1370."""
    carried = table.item(who, item)
    weapon = profile(table.rules, carried)
    broken = carried.marks.get(BROKEN) or carried.marks.get(UNREADY)
    off = weapon is not None and weapon.switch and not carried.marks.get(SWITCHED)
    held = carried.held is not None and not hand_is_lame(table, who, carried.held)
    if broken or off or not held or not (is_ready(table, who, item) or lacks_a_hand(table, who, item)):
        yield table.rules.reason("weapon_not_ready", clause, at="/weapon", names=(item,))


def why_unbalanced(table: Table, who: CombatantId, item: ItemId) -> Iterator[Reason]:
    """A weapon that parried in the turn before and is out of balance still. Clause: GU-360."""
    if any(one.item == item for one in table.effects(who, "unbalanced_by_parry")):
        yield table.rules.reason("unbalanced_after_parry", "GU-360", at="/weapon", names=(item,))


def _why_not_so_many(table: Table, blow: Blow) -> Iterator[Reason]:
    """Shots beyond the rate of fire or the magazine. Clauses: GU-1370, GU-2030."""
    reason = table.rules.reason
    if blow.shots > blow.weapon.rof:
        yield reason("rof_exceeded", "GU-2030", at="/options/shots", need=blow.weapon.rof, got=blow.shots)
    left = None if blow.item is None else rounds(table, blow.attacker, blow.item)
    if left is not None and blow.shots > left:
        clause = "GU-2030" if left else "GU-1370"
        yield reason("not_enough_ammo", clause, at="/options/shots", need=blow.shots, got=left)


def why_out_of_reach(table: Table, blow: Blow) -> Iterator[Reason]:
    """Out of the usable reach at the moment of the attack. Clauses: GU-620, GU-1330, GU-1740, GU-2210 to GU-2230."""
    reason, who = table.rules.reason, blow.attacker
    far = distance(table, who, blow.target)
    if isinstance(far, Unknown):
        yield reason("missing_input", "GU-490", at=missing_distance(table), names=(blow.target,))
        return
    at = "/targets/0"
    match blow.form:
        case "slam" | "shove":
            if far > 1:
                yield reason("out_of_reach", "GU-2220" if blow.form == SHOVE else "GU-2210", at=at, need=1, got=far)
            return
        case "grapple" | "break_free":
            if far > 0:
                yield reason("out_of_reach", "GU-2230", at=at, need=0, got=far)
            return
    listed = blow.mode.reach
    usable = reaches(table, who, blow.item, blow.mode)
    if posture_of(table, who) == CRAWLING:
        usable = tuple(reach for reach in usable if reach == 0)
    if far not in usable:
        if far in listed and blow.weapon.reach_needs_ready and posture_of(table, who) != CRAWLING:
            yield reason("reach_not_set", "GU-1330", at=at, got=far)
        else:
            yield reason("out_of_reach", "GU-620", at=at, need=max(usable, default=0), got=far)


def why_out_of_range(table: Table, blow: Blow) -> Iterator[Reason]:
    """Beyond the maximum range, or out of sight behind a wall. Clauses: GU-130, GU-630."""
    reason, who = table.rules.reason, blow.attacker
    length = range_to(table, who, blow.target)
    if isinstance(length, Unknown):
        yield reason("missing_input", "GU-490", at=missing_distance(table), names=(blow.target,))
        return
    _, most = range_of(table.who(who), blow.weapon, blow.thrown)
    if most is not None and length > most:
        yield reason("out_of_range", "GU-630", at="/targets/0", need_length=most, got_length=length)
    if not can_see(table, who, blow.target):
        yield reason("target_not_visible", "GU-130", at="/targets/0", names=(blow.target,))


def _why_too_hard(table: Table, blow: Blow) -> Iterator[Reason]:
    """An effective skill below 3. Clause: GU-240."""
    if blow.form == BREAK_FREE:
        return
    total, lowest = total_of(to_hit(table, blow)), tables_of(table).core.lowest_skill
    if total < lowest:
        yield table.rules.reason("skill_too_low", "GU-240", need=lowest, got=total)


def why_not_location(table: Table, blow: Blow) -> Iterator[Reason]:
    """A place that is none, or that this weapon cannot be aimed at. Table 5.8."""
    if blow.location is None:
        return
    reason = table.rules.reason
    if not table.flag("hit_locations"):
        yield reason("unused_input", at="/location", names=("location",))
        return
    row = next((row for row in tables_of(table).hit_locations if row.location == blow.location), None)
    if row is None:
        yield reason("unknown_location", "GU-2120", at="/location", names=(blow.location,))
    elif (row.only and blow.mode.type not in row.only) or (
        row.from_front and table.known(blow.target) and arc_of(table, blow.target, blow.attacker, blow.arc) == REAR
    ):
        yield reason("invalid_target", "GU-2120", at="/location", names=(blow.location,))
