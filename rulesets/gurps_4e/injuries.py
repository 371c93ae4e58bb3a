"""From a hit to its consequences: dice, DR, injury, shock, death, knockdown. Clauses GU-2100 to GU-2180, GU-280."""

from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from app.engine.events import DamageDealt, Die, Hit, Noted, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Chain, Tick
from app.engine.table import Table
from rulesets.gurps_4e.checks import HT, Check, knockdown_terms, take_test, total_of
from rulesets.gurps_4e.conditions import drop_held, drops_what_it_holds, is_out, knock_out, stun
from rulesets.gurps_4e.figures import HP, figure, has_trait, hp_of, is_reeling, tables_of
from rulesets.gurps_4e.holding_on import disturb, knocked_down, steady_aim
from rulesets.gurps_4e.knockback import knock_back
from rulesets.gurps_4e.locations import row_at
from rulesets.gurps_4e.tables import LocationRow
from rulesets.gurps_4e.weapons import Damage

HALVES = 2
"""Wounding counts in halves, and what is halved is halved. Table 5.4."""
TENTHS = 10
"""Shock of somebody with many hit points counts tenths of them. Clause: GU-2130."""
CRUSHING, CUTTING = "cr", "cut"
MULTIPLES = {2: "doubled", 3: "tripled"}


class Rolled(NamedTuple):
    """Basic damage, the dice that gave it, and every part of it."""

    basic: int
    dice: tuple[Die, ...]
    terms: tuple[Term, ...]


class Harm(msgspec.Struct, frozen=True):
    """What deals the damage: whose, of which type, with what divisor, where, and what a critical hit makes of it.

    `terms` are added to the roll; `multiple` times the roll; `halved` is the clause by which it counts half.
    `at_most` takes every die for a six. `major`, `double_shock` and `limb_useless` count if anything penetrates.
    `pushes` tells whether its blow can drive somebody back where the table plays so.
    """

    attacker: CombatantId | None
    damage: Damage
    type: str
    weapon_kind: str = ""
    divisor: int = 1
    location: str | None = None
    terms: tuple[Term, ...] = ()
    multiple: int = 1
    halved: str = ""
    half_dr: bool = False
    at_most: bool = False
    major: bool = False
    double_shock: bool = False
    limb_useless: bool = False
    drops: bool = False
    pushes: bool = True
    clause: str = "GU-2100"


def roll_damage(scene: Scene, harm: Harm, name: str = "damage") -> Rolled:
    """Basic damage: the dice with what is added, at least 0 crushing and 1 of any other type.

    Clauses: GU-280, GU-630, GU-2100, table 5.9.
    """
    groups = harm.damage.dice.groups
    if harm.at_most or not groups:
        return _rolled(harm, sum(group.count * group.sides for group in groups), ())
    group = groups[0]
    dice = scene.roll(
        name,
        group.count,
        group.sides,
        harm.attacker or CombatantId("gm"),
        "damage",
        clause="GU-2100",
        sees=lambda faces: total_of(_parts(harm, sum(faces))),
    )
    return _rolled(harm, sum(die.value for die in dice), dice)


def _rolled(harm: Harm, faces: int, dice: tuple[Die, ...]) -> Rolled:
    terms = tuple(_parts(harm, faces))
    first = terms[:1] if harm.damage.dice.groups else ()
    return Rolled(total_of(terms), dice, (*first, *(term for term in terms[1:] if term.value)))


def _parts(harm: Harm, faces: int) -> Iterator[Term]:
    """What the faces come to with all that is added, halved where it counts half, then multiplied.

    Clauses: GU-280, GU-630, GU-2100.
    """
    fixed = (Term("weapon", harm.damage.dice.plus, ClauseId("GU-2100")), *harm.terms)
    yield Term("maximum", faces, ClauseId("GU-280")) if harm.at_most else Term("dice", faces, ClauseId("GU-2100"))
    yield from fixed
    plain, least = faces + total_of(fixed), 0 if harm.type == CRUSHING else 1
    basic = max(least, plain)
    yield Term("minimum", basic - plain, ClauseId("GU-2100"))
    counted = basic // HALVES if harm.halved else basic
    yield Term("halved", counted - basic, ClauseId(harm.halved or "GU-2100"))
    if harm.multiple in MULTIPLES:
        yield Term(MULTIPLES[harm.multiple], counted * (harm.multiple - 1), ClauseId("GU-280"))


def deal(scene: Scene, harm: Harm, hit: Hit, rolled: Rolled | None = None) -> int:
    """One hit, from the dice to its consequences, where the hit says. Gives the injury.

    Clauses: GU-2100 to GU-2180, GU-2220.
    """
    who = hit.target
    harm = replace(harm, location=hit.location)
    with scene.within(f"hit{hit.number}"):
        basic, dice, terms = rolled or roll_damage(scene, harm)
        protection = dr_against(scene, who, harm)
        through = max(0, basic - protection)
        whole = injury_of(scene, harm, through)
        crippled, injury = _crippling(scene, who, harm, whole)
        scene.emit(
            DamageDealt(
                harm.attacker,
                who,
                injury,
                basic,
                dice,
                terms,
                _soak(protection, through, whole, injury),
                hit.number,
                hit.location,
                harm.type,
                harm.weapon_kind or None,
                ClauseId("GU-2120"),
            )
        )
        if harm.drops:
            drop_held(scene, who, "GU-280", strapped_too=True)
        if injury:
            suffer(scene, who, injury, harm, crippled=crippled)
        if harm.attacker is not None and _drives_back(scene, who, harm, through):
            knock_back(scene, harm.attacker, who, basic, "GU-2220")
    return injury


def _soak(protection: int, through: int, whole: int, injury: int) -> tuple[Term, ...]:
    terms = (
        Term("dr", protection, ClauseId("GU-2110")),
        Term("wounding", through - whole, ClauseId("GU-2120")),
        Term("limb", whole - injury, ClauseId("GU-2120")),
    )
    return tuple(term for term in terms if term.value)


def dr_against(table: Table, who: CombatantId, harm: Harm) -> int:
    """DR where it hits against that type, after divisors, halved by a critical hit.

    Clauses: GU-280, GU-2110, table 5.8.
    """
    armour = table.who(who).sheet.armour
    place = harm.location or "torso"
    worn = armour.get(f"{place}/{harm.type}", armour.get(place, 0))
    row = row_at(table, harm.location)
    dr = (worn + (row.dr if row is not None else 0)) // harm.divisor
    return dr // HALVES if harm.half_dr else dr


def injury_of(table: Table, harm: Harm, through: int) -> int:
    """What penetrates, by the wounding of its type, rounded down, at least 1. Clause: GU-2120, tables 5.4 and 5.8."""
    if through <= 0:
        return 0
    halves = tables_of(table).wounding[harm.type]  # type: ignore[index]
    row = row_at(table, harm.location)
    if row is not None:
        if row.all_wounding is not None and harm.type not in row.but:
            halves = row.all_wounding
        halves = row.wounding.get(harm.type, halves)  # type: ignore[call-overload]
    return max(1, through * halves // HALVES)


def _crippling(table: Table, who: CombatantId, harm: Harm, injury: int) -> tuple[bool, int]:
    """Whether it cripples the place, and the injury without what a limb cannot lose. Table 5.8."""
    row = row_at(table, harm.location)
    if row is None or row.cripples is None:
        return False, injury
    most = figure(table.who(who), "hp_max")
    crippled = injury * row.cripples > most
    if crippled and row.limb:
        return True, min(injury, most // row.cripples + 1)
    return crippled, injury


def _drives_back(table: Table, who: CombatantId, harm: Harm, through: int) -> bool:
    """Whether the blow drives him back, where the table plays so: crushing ones, and cutting ones that armour stops.

    Clause: GU-2220.
    """
    if not table.flag("knockback") or not harm.pushes or harm.attacker == who or table.who(who).status == "dead":
        return False
    return harm.type == CRUSHING or (harm.type == CUTTING and not through)


def suffer(scene: Scene, who: CombatantId, injury: int, harm: Harm, *, crippled: bool = False) -> None:
    """An injury and all that follows it, in the book's order. Clause: GU-2180."""
    before = hp_of(scene, who)
    scene.change_pool(who, HP, min(0, max(-injury, _lowest(scene, who) - before)), "GU-2120")
    _shock(scene, who, injury, double=harm.double_shock)
    if before > 0 >= hp_of(scene, who) and not is_out(scene, who):
        scene.begin(who, "just_collapsed")
    _death_checks(scene, who, before)
    if (crippled or harm.limb_useless) and harm.location is not None:
        _cripple(scene, who, harm.location, crippled)
    if scene.who(who).status != "dead":
        _knockdown(scene, who, injury, harm)
    if not is_out(scene, who):
        disturb(scene, who, "injured")
        steady_aim(scene, who)
    settle_reeling(scene, who)


def _lowest(table: Table, who: CombatantId) -> int:
    """Hit points beyond which there is nothing left to hurt. Table 5.7."""
    return -tables_of(table).core.destroyed * figure(table.who(who), "hp_max")


def settle_reeling(scene: Scene, who: CombatantId) -> None:
    """The condition is shown while it holds; the figures look at the hit points themselves. Clause: GU-2150."""
    dead = scene.who(who).status == "dead"
    reels = is_reeling(scene, who) and not dead
    if reels and not scene.has(who, "reeling"):
        scene.begin(who, "reeling")
    elif not reels:
        scene.end(who, "reeling", why="dead" if dead else "recovered", clause="GU-2150")


def set_pool_by_ruling(scene: Scene, who: CombatantId, pool: str, value: int) -> None:
    """The GM changes a figure of his: nothing is rolled, but he reels, or does not, and nobody lives on beyond the
    last test of death. Clauses: GU-130, GU-2150, GU-2170.
    """
    scene.change_pool(who, pool, value - scene.pool(who, pool))
    if pool == HP:
        if is_beyond_help(scene, who):
            knock_out(scene, who, "dead", "GU-2170")
        settle_reeling(scene, who)


def is_beyond_help(table: Table, who: CombatantId) -> bool:
    """Whether he has so few hit points that he is dead without a test. Clause: GU-2170, table 5.7."""
    return hp_of(table, who) <= -(tables_of(table).core.death_checks + 1) * figure(table.who(who), "hp_max")


def _shock(scene: Scene, who: CombatantId, injury: int, *, double: bool) -> None:
    """A penalty for his next turn; several injuries add up to the limit. Clauses: GU-280, GU-2130."""
    if has_trait(scene, who, "high_pain_threshold") or scene.who(who).status == "dead":
        return
    core, most = tables_of(scene).core, figure(scene.who(who), "hp_max")
    worth = injury if most < core.shock_from else injury * TENTHS // most
    limit = core.double_shock_limit if double else core.shock_limit
    worth = min(worth * (2 if double else 1), limit)
    if not worth:
        return
    for held in [one for one in scene.who(who).effects.values() if one.kind == "shock" and one.active_after]:
        limit = max(limit, -held.value)
        worth = min(limit, worth - held.value)
        if worth == -held.value:
            return
        scene.end_one(who, held, "replaced", "GU-2130")
    scene.begin(who, "shock", value=-worth)


def _death_checks(scene: Scene, who: CombatantId, before: int) -> None:
    """HT at each full multiple of his HP below zero that is reached; dead at five. Clause: GU-2170, table 5.7."""
    core, most, now = tables_of(scene).core, figure(scene.who(who), "hp_max"), hp_of(scene, who)
    if is_beyond_help(scene, who):
        knock_out(scene, who, "dead", "GU-2170")
        if now <= _lowest(scene, who) < before:
            scene.emit(Noted(who, "destroyed", clause=ClauseId("GU-2170")))
        return
    for multiple in range(1, core.death_checks + 1):
        if not before > -multiple * most >= now:
            continue
        with scene.within("death", str(multiple)):
            check = take_test(scene, who, HT, "death", clause="GU-2170", sees=_as_death(core.mortal_wound))
        if check.success:
            continue
        if -check.margin <= core.mortal_wound:
            knock_out(scene, who, "mortally_wounded", "GU-2170")
        else:
            knock_out(scene, who, "dead", "GU-2170")
            return


def _as_death(mortal: int) -> Callable[[Check], Hashable]:
    return lambda check: (check.success, -check.margin <= mortal)


def is_major(table: Table, who: CombatantId, injury: int) -> bool:
    """Whether a single injury is more than half his HP. Clause: GU-2140."""
    return injury * tables_of(table).core.major_wound > figure(table.who(who), "hp_max")


def _knockdown(scene: Scene, who: CombatantId, injury: int, harm: Harm) -> None:
    """A major wound, or what a critical hit makes one, asks for HT. Clause: GU-2140, tables 5.8 and 5.9."""
    if harm.major or is_major(scene, who, injury):
        knockdown(scene, who, row_at(scene, harm.location), "GU-2140")


def knockdown(scene: Scene, who: CombatantId, row: LocationRow | None = None, clause: str = "GU-2140") -> None:
    """HT, or stunned and down; unconscious by 5 or more. Clauses: GU-1220, GU-2140."""
    if is_out(scene, who):
        return
    core = tables_of(scene).core
    terms = knockdown_terms(scene, who, 0 if row is None else row.knockdown)
    check = take_test(
        scene,
        who,
        HT,
        "knockdown",
        terms,
        clause=clause,
        sees=lambda found: (found.success, _is_grave(found, core.knocked_out_by)),
    )
    if check.success:
        return
    if _is_grave(check, core.knocked_out_by):
        knock_out(scene, who, "unconscious", clause)
        return
    scene.emit(Noted(who, "knocked_down", clause=ClauseId(clause)))
    stun(scene, who, "stunned_physical", clause)
    knocked_down(scene, who, clause)
    if scene.flag("knockdown_drops_held"):
        drop_held(scene, who, clause)


def _is_grave(check: Check, by: int) -> bool:
    return not check.success and (check.critical or -check.margin >= by)


def _cripple(scene: Scene, who: CombatantId, location: str, crippled: bool) -> None:
    """A limb, hand, foot or eye that is of no use any more, or not for a while; on a crippled leg nobody stands.

    Tables 5.8 and 5.9.
    """
    side, _, part = location.partition("_")
    kind = f"{part or side}_crippled"
    word = side if part else None
    if any(one.word == word and not one.until for one in scene.effects(who, kind)):
        return
    clause = "GU-2120" if crippled else "GU-280"
    seconds = 0 if crippled else _useless_for(scene, who)
    scene.begin(
        who, kind, clause=clause, word=word, value=seconds, until=None if crippled else _in_seconds(scene, who, seconds)
    )
    if part == "leg":
        knocked_down(scene, who, clause)
    elif part in ("arm", "hand"):
        drops_what_it_holds(scene, who, side, clause)


def _useless_for(table: Table, who: CombatantId) -> int:
    """Seconds that a struck limb is of no use. Table 5.9."""
    limb = tables_of(table).core.limb_useless
    return max(limb.least, limb.seconds - figure(table.who(who), "ht"))


def _in_seconds(scene: Scene, who: CombatantId, seconds: int) -> tuple[Chain, ...]:
    """The end of something that lasts whole seconds from now: his own slot begins once in each of them.

    Clause: GU-040.
    """
    passing = 0 if scene.is_turn_of(who) else 1
    return ((Tick("slot_start", CombatantId("bearer"), times=seconds + passing),),)
