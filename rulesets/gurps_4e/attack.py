"""What an attack is: with what, in which form, against what number. Making it stands in `striking`.

Clauses GU-270, GU-600 to GU-650, GU-700 to GU-780, GU-910 to GU-930, GU-1810 to GU-1890, GU-1910, GU-2000 to GU-2080.
"""

from collections.abc import Iterator
from typing import Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from app.engine.commands import GivenModifier, Submission
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.reasons import Reason
from app.engine.space.model import Unknown
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.gurps_4e.bracing import is_braced
from rulesets.gurps_4e.checks import base_terms, is_trained, level, total_of, unarmed_skill
from rulesets.gurps_4e.circumstances import HIT, given_terms
from rulesets.gurps_4e.figures import CRAWLING, YARD, figure, has_trait, posture_of, posture_row, tables_of
from rulesets.gurps_4e.locations import row_of
from rulesets.gurps_4e.reach import REAR, arc_of, can_see, distance, is_arc_known, missing_distance, range_to
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
STRIKE: Final = "strike"
SHIELD_BASH: Final = "shield_bash"
SLAM: Final = "slam"
SHOVE: Final = "shove"
GRAPPLE: Final = "grapple"
BREAK_FREE: Final = "break_free"
SHOT: Final = "shot"
THROW: Final = "throw"
FORMS: tuple[Form, ...] = get_args(Form)
BODILY = (SLAM, SHOVE, GRAPPLE, BREAK_FREE)
"""Forms done with the body alone."""
NAMED = (SLAM, SHOVE, GRAPPLE, SHIELD_BASH)
"""Forms that the weapon, or that there is none, does not tell."""
RANGED = (SHOT, THROW)
ATTACK, ALL_OUT_ATTACK, MOVE_AND_ATTACK, FEINT = "attack", "all_out_attack", "move_and_attack", "feint"
DETERMINED, DOUBLE, STRONG, SUPPRESSION = "determined", "double", "strong", "suppression_fire"
PARRYING = "parry"
"""What stands for the maneuver in a parry that goes wrong. Clause: GU-395."""
BURNING = "burn"
GRAPPLING_SKILLS = ("judo", "wrestling", "sumo_wrestling")


class Blow(msgspec.Struct, frozen=True):
    """One attack. `maneuver` and `option` say as part of what it is made; `extra` are terms it has beside the usual
    ones.

    `feint` is taken off the target's defences, `approach` are the yards a stop thrust counts, `arc` is stated where
    no map tells it, `aware` whether the target knows that he is attacked where somebody has said so, `hands` how many
    hands a shove or grapple is done with.
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
    aware: bool | None = None
    hands: int = 2
    target_speed: Length | None = None
    """Hundredths of a yard a second; None where nobody has said it. Clause: GU-2020."""
    given: tuple[GivenModifier, ...] = ()
    extra: tuple[Term, ...] = ()
    feint: int = 0
    approach: int = 0
    moved: int = 0
    """Yards gone toward the target in this maneuver, for a slam."""
    came_close: bool = False
    """Whether the attacker came to distance 0 in this very maneuver. Clause: GU-330."""
    unheard: bool = False
    """Whether the target neither sees the attacker nor hears the attack come. Table 5.11."""
    left: int | None = None
    """Hits that the shots left in a zone under fire allow; None for any other attack. Clause: GU-2510."""
    far: Length | None = None
    """How far the zone under fire is, where nobody knows how far the target is. Clause: GU-2500."""
    random_location: bool = False
    """Whether the dice say where it hits. Table 5.8."""

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
    weapon = weapon_of(table, sub.actor, item)
    form = str(options.get("form") or _usual_form(item, weapon))
    if second and sub.second_weapon is not None and form in (STRIKE, SHIELD_BASH):
        form = _usual_form(item, weapon)
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
        aware=None if options.get("aware") is None else options["aware"] is True,
        hands=_whole(options.get("hands"), 2),
        target_speed=None if options.get("target_speed") is None else _whole(options["target_speed"], 0),
        given=sub.modifiers,
        random_location=options.get("random_location") is True,
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
    terms += given_terms(table, blow.given, HIT, {"ranged" if blow.is_ranged else "melee"})
    terms = [terms[0], *(term for term in terms[1:] if term.value)]
    return (*terms, *_cap(table, blow, total_of(terms)))


def _of_the_weapon(table: Table, blow: Blow) -> Iterator[Term]:
    """ST too low, the off hand, a kick. Clauses: GU-730, GU-2060, GU-2200."""
    core, who = tables_of(table).core, blow.attacker
    if not blow.is_unarmed:
        yield Term("min_st", min_st_penalty(table.who(who), blow.weapon), ClauseId("GU-2060"))
        carried = table.carried(who, blow.item)
        is_off = carried is not None and carried.held == OFF and not blow.weapon.is_shield
        if is_off and not has_trait(table, who, "ambidexterity"):
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
    """What a Move and Attack in melee and suppression fire are held to. Clauses: GU-930, GU-2510."""
    cap = tables_of(table).core.move_and_attack.cap
    if blow.maneuver == MOVE_AND_ATTACK and not blow.is_ranged and not _is_exempt(table, blow) and total > cap:
        yield Term("move_and_attack_cap", cap - total, ClauseId("GU-930"))
    if blow.option == SUPPRESSION:
        suppression = tables_of(table).core.suppression
        held = suppression.mounted if blow.weapon.mounted else suppression.cap
        most = held + rapid_fire_bonus(table, blow.shots)
        if total > most:
            yield Term("suppression_cap", most - total, ClauseId("GU-2510"))


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
    """Speed and range, or Bulk at distance 0, which a Move and Attack counts already.

    Clauses: GU-2000, GU-2010, GU-2020, GU-2080.
    """
    if distance(table, blow.attacker, blow.target) == 0:
        counted = blow.maneuver == MOVE_AND_ATTACK
        return Term("bulk", 0 if counted else bulk_of(blow), ClauseId("GU-2080"))
    speed = counted_speed(table, blow.target) if blow.target_speed is None else blow.target_speed
    return Term("range", range_modifier(table, shot_range(table, blow) + speed), ClauseId("GU-2010"))


def shot_range(table: Table, blow: Blow) -> Length:
    """Hundredths of a yard that a shot or throw goes: to the target, else to the zone it stands in.

    Clauses: GU-490, GU-2500.
    """
    length = range_to(table, blow.attacker, blow.target)
    return length if not isinstance(length, Unknown) else blow.far or 0


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

    Clauses: GU-1810 to GU-1840, GU-1860, GU-1890.
    """
    record = table.effect(blow.attacker, "aiming")
    usable = blow.maneuver in (ATTACK, ALL_OUT_ATTACK) and blow.option != SUPPRESSION
    if record is None or not usable or record.item != blow.item or record.against != blow.target:
        return
    if not can_see(table, blow.attacker, blow.target) and record.declared.get("detected") is not True:
        return
    core = tables_of(table).core
    acc = blow.thrown.acc if blow.thrown is not None else blow.weapon.acc
    yield Term("acc", acc, ClauseId("GU-1810"))
    if blow.thrown is None:
        yield Term("sights", min(blow.weapon.sight_bonus, acc), ClauseId("GU-1830"))
    seconds = min(record.value, len(core.aim))
    yield Term("aim_seconds", core.aim[seconds - 1], ClauseId("GU-1820"))
    if is_braced(table, blow.attacker, record):
        yield Term("braced", core.brace, ClauseId("GU-1840"))


def _of_the_target(table: Table, blow: Blow) -> Iterator[Term]:
    """Size, posture against shots, and the place aimed at. Clauses: GU-270, GU-1740, GU-2000, table 5.8."""
    if not blow.target:
        return
    yield Term("size_modifier", figure(table.who(blow.target), "size_modifier"), ClauseId("GU-270"))
    if blow.is_ranged and (blow.location is None or _is_low(blow.location)):
        yield Term("target_posture", posture_row(table, posture_of(table, blow.target)).against, ClauseId("GU-2000"))
    if blow.location is not None and table.flag("hit_locations"):
        row = row_of(table, blow.location)
        behind = arc_of(table, blow.target, blow.attacker, blow.arc) == REAR
        if row is not None:
            worth = row.from_behind if behind and row.from_behind is not None else row.to_hit
            yield Term("location", worth, ClauseId("GU-2120"))


def _is_low(location: str) -> bool:
    """The places that a posture covers. Table 5.1."""
    return location in ("torso", "groin", "vitals") or location.endswith(("leg", "foot"))


# Whether it can be made


def why_not_strike(table: Table, blow: Blow, clause: str = "GU-610", *, in_reach: bool = False) -> Iterator[Reason]:
    """Every reason why this attack cannot be made from where the attacker is: weapon, distance, skill.

    One that is `in_reach` already stays so wherever the foe has stepped since.

    Clauses: GU-240, GU-290, GU-360, GU-370, GU-610 to GU-630, GU-1370, GU-2060.
    """
    yield from why_not_usable(table, blow, clause)
    if blow.target and table.known(blow.target):
        if blow.is_ranged:
            yield from why_out_of_range(table, blow)
        elif not in_reach:
            yield from why_out_of_reach(table, blow)
        yield from _why_too_hard(table, blow)


def why_not_usable(table: Table, blow: Blow, clause: str = "GU-610") -> Iterator[Reason]:
    """What is wrong with the weapon, the hand or the form, whoever the target is."""
    reason, who, item = table.rules.reason, blow.attacker, blow.item
    if item is not None and table.carried(who, item) is None and blow.form not in BODILY:
        yield from _why_not_ready(table, who, item, clause)
        return
    if not has_form(blow):
        yield reason("invalid_option_value", "GU-600", at="/weapon", names=_forms_of(blow))
        return
    if item is not None and blow.form not in BODILY:
        yield from _why_not_ready(table, who, item, clause)
        if lacks_a_hand(table, who, item):
            yield reason("needs_two_hands", "GU-2060", at="/weapon", names=(item,))
        yield from why_unbalanced(table, who, item)
    elif blow.form == BREAK_FREE and blow.maneuver != ATTACK:
        yield reason("invalid_option_value", "GU-2230", at="/options/form", names=_forms_of(blow))
    elif blow.form in (STRIKE, SHOVE, GRAPPLE) and free_hands(table, who) < 1 and blow.mode_id != "kick":
        yield reason("weapon_not_ready", clause, at="/weapon")
    if blow.form == SHIELD_BASH and (item is None or not blow.weapon.is_shield or not blow.mode_id):
        yield reason("no_ready_shield", "GU-2240", at="/weapon")
    if level(table, who, skill_of(table, blow)) is None or (
        blow.weapon.no_default and not blow.is_unarmed and not is_trained(table, who, skill_of(table, blow))
    ):
        yield reason("untrained", "GU-290", at="/weapon", names=(skill_of(table, blow),))
    if blow.form == SHOT:
        yield from why_not_so_many(table, blow)


def has_form(blow: Blow) -> bool:
    """Whether one can attack in that form with that: a bash has a refusal of its own. Clause: GU-600."""
    armed, kind = blow.item is not None, blow.weapon.kind
    match blow.form:
        case "strike":
            return kind == "melee" or not armed
        case "shot":
            return armed and blow.weapon.is_ranged
        case "throw":
            return armed and blow.weapon.throw is not None
        case _:
            return True


def _forms_of(blow: Blow) -> tuple[str, ...]:
    """Every form of attack that is open with that in this maneuver. Clauses: GU-600, GU-2230, GU-2240."""
    shut = {SHIELD_BASH: not blow.weapon.is_shield, BREAK_FREE: blow.maneuver != ATTACK}
    return tuple(form for form in FORMS if has_form(replace(blow, form=form)) and not shut.get(form))


def why_not_options(table: Table, sub: Submission, blow: Blow) -> Iterator[Reason]:
    """What is said of the attack and has no meaning for it: nothing that was sent is silently passed over.

    Clauses: GU-390, GU-600, GU-2020, GU-2030, GU-2220.
    """
    reason, options = table.rules.reason, sub.options
    bare = blow.form in BODILY
    no_use = {
        "mode": bare or blow.form == THROW,
        "shots": blow.form != SHOT,
        "hands": blow.form not in (SHOVE, GRAPPLE),
        "target_speed": not blow.is_ranged,
        "arc": table.known(blow.target) and is_arc_known(table, blow.target),
    }
    for name, idle in no_use.items():
        if idle and options.get(name) is not None:
            yield reason("unused_input", at=f"/options/{name}", names=(name,))
    if bare and sub.weapon is not None:
        yield reason("unused_input", at="/weapon", names=("weapon",))
    named, modes = options.get("mode"), modes_of(table, blow.attacker, blow.item)
    if named is not None and not no_use["mode"] and named not in modes:
        yield reason("invalid_option_value", "GU-600", at="/options/mode", names=tuple(modes))


def _why_not_ready(table: Table, who: CombatantId, item: ItemId, clause: str) -> Iterator[Reason]:
    """It is not ready, or ready and empty. Clauses: GU-610, GU-1370."""
    carried = table.carried(who, item)
    if carried is None:
        yield table.rules.reason("weapon_not_ready", clause, at="/weapon", names=(item,))
        return
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


def why_not_so_many(table: Table, blow: Blow) -> Iterator[Reason]:
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
    if blow.form == BREAK_FREE or level(table, blow.attacker, skill_of(table, blow)) is None:
        return
    total, lowest = total_of(to_hit(table, blow)), tables_of(table).core.lowest_skill
    if total < lowest:
        yield table.rules.reason("skill_too_low", "GU-240", need=lowest, got=total)


def why_not_location(table: Table, blow: Blow) -> Iterator[Reason]:
    """A place that is none, that this attack cannot be aimed at, or one where the dice shall say it. Table 5.8."""
    reason, places = table.rules.reason, table.flag("hit_locations") and blow.form not in BODILY
    if blow.random_location and not places:
        yield reason("unused_input", at="/options/random_location", names=("random_location",))
    if blow.location is None:
        return
    if not places or blow.random_location:
        yield reason("unused_input", at="/location", names=("location",))
        return
    row = row_of(table, blow.location)
    if row is None:
        yield reason("unknown_location", "GU-2120", at="/location", names=(blow.location,))
    elif not _can_aim_there(table, blow, row):
        yield reason("invalid_target", "GU-2120", at="/location", names=(blow.location,))


def _can_aim_there(table: Table, blow: Blow, row: LocationRow) -> bool:
    """Some places take a point or a tight beam, an eye is not seen from behind. Table 5.8."""
    kind = blow.mode.type
    if row.only and (kind not in row.only or (kind == BURNING and blow.weapon.missile != "beam")):
        return False
    return not (
        row.from_front and table.known(blow.target) and arc_of(table, blow.target, blow.attacker, blow.arc) == REAR
    )
