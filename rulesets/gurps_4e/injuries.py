"""From a hit to its consequences: dice, DR, injury, shock, death, knockdown. Clauses GU-2100 to GU-2180, GU-280."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from app.engine.events import DamageDealt, Die, Hit, Noted, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Tick
from app.engine.table import Table
from rulesets.gurps_4e.checks import HT, Check, knockdown_terms, take_test
from rulesets.gurps_4e.conditions import drop_held, drops_what_it_holds, fall, is_out, knock_out, stun
from rulesets.gurps_4e.figures import HP, figure, has_trait, hp_of, is_reeling, tables_of
from rulesets.gurps_4e.holding_on import disturb, steady_aim
from rulesets.gurps_4e.tables import LocationRow
from rulesets.gurps_4e.weapons import Damage

HALVES = 2


@dataclass(frozen=True, slots=True)
class Harm:
    """What deals the damage: whose, of which type, with what divisor, where, and what a critical hit makes of it.

    `plus` and its terms are added to the roll; `multiple` times the roll; `halved` is beyond the half damage range;
    `no_injury` only pushes. `at_most` takes every die for a six. `major` and `double_shock` count if anything
    penetrates.
    """

    attacker: CombatantId | None
    damage: Damage
    type: str
    weapon_kind: str = ""
    divisor: int = 1
    location: str | None = None
    terms: tuple[Term, ...] = ()
    multiple: int = 1
    halved: bool = False
    half_dr: bool = False
    at_most: bool = False
    major: bool = False
    double_shock: bool = False
    limb_useless: bool = False
    drops: bool = False
    clause: str = "GU-2100"


def roll_damage(scene: Scene, harm: Harm, name: str = "damage") -> tuple[int, tuple[Die, ...]]:
    """Basic damage: the dice with what is added, at least 0 crushing and 1 of any other type.

    Clauses: GU-280, GU-2100.
    """
    groups = harm.damage.dice.groups
    plus = harm.damage.dice.plus + sum(term.value for term in harm.terms)
    least = 0 if harm.type == "cr" else 1
    if harm.at_most or not groups:
        return max(least, sum(group.count * group.sides for group in groups) + plus) * harm.multiple, ()
    group = groups[0]
    dice = scene.roll(
        name,
        group.count,
        group.sides,
        harm.attacker or CombatantId("gm"),
        "damage",
        clause="GU-2100",
        sees=lambda faces: max(least, sum(faces) + plus),
    )
    basic = max(least, sum(die.value for die in dice) + plus)
    if harm.halved:
        basic //= HALVES
    return basic * harm.multiple, dice


def deal(scene: Scene, harm: Harm, hit: Hit, basic: int | None = None) -> int:
    """One hit, from the dice to its consequences. Gives the injury. Clauses: GU-2100 to GU-2180."""
    who = hit.target
    with scene.within(f"hit{hit.number}"):
        rolled, dice = roll_damage(scene, harm) if basic is None else (basic, ())
        protection = dr_against(scene, who, harm)
        through = max(0, rolled - protection)
        injury = injury_of(scene, harm, through)
        beyond, injury = _crippling(scene, who, harm, injury)
        scene.emit(
            DamageDealt(
                harm.attacker,
                who,
                injury,
                rolled,
                dice,
                _raw_terms(harm, rolled),
                _soak(protection, through, injury),
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
            suffer(scene, who, injury, harm, crippled=beyond, location=hit.location)
    return injury


def _raw_terms(harm: Harm, rolled: int) -> tuple[Term, ...]:
    fixed = (
        *((Term("weapon", harm.damage.dice.plus, ClauseId("GU-2100")),) if harm.damage.dice.plus else ()),
        *harm.terms,
    )
    rest = rolled - sum(term.value for term in fixed)
    return (Term("dice", rest, ClauseId("GU-2100")), *fixed)


def _soak(protection: int, through: int, injury: int) -> tuple[Term, ...]:
    terms = [Term("dr", protection, ClauseId("GU-2110"))] if protection else []
    if injury != through:
        terms.append(Term("wounding", through - injury, ClauseId("GU-2120")))
    return tuple(terms)


def dr_against(table: Table, who: CombatantId, harm: Harm) -> int:
    """DR where it hits against that type, after divisors, halved by a critical hit.

    Clauses: GU-280, GU-2110, table 5.8.
    """
    armour = table.who(who).sheet.armour
    place = harm.location or "torso"
    worn = armour.get(f"{place}/{harm.type}", armour.get(place, 0))
    row = row_of(table, harm)
    dr = (worn + (row.dr if row is not None else 0)) // harm.divisor
    return dr // HALVES if harm.half_dr else dr


def row_of(table: Table, harm: Harm) -> LocationRow | None:
    """The row of the place that it hits, where the table plays with places. Table 5.8."""
    if harm.location is None or not table.flag("hit_locations"):
        return None
    return next((row for row in tables_of(table).hit_locations if row.location == harm.location), None)


def injury_of(table: Table, harm: Harm, through: int) -> int:
    """What penetrates, by the wounding of its type, rounded down, at least 1. Clause: GU-2120, tables 5.4 and 5.8."""
    if through <= 0:
        return 0
    halves = tables_of(table).wounding[harm.type]  # type: ignore[index]
    row = row_of(table, harm)
    if row is not None:
        if row.all_wounding is not None and harm.type not in row.but:
            halves = row.all_wounding
        halves = row.wounding.get(harm.type, halves)  # type: ignore[call-overload]
    return max(1, through * halves // HALVES)


def _crippling(table: Table, who: CombatantId, harm: Harm, injury: int) -> tuple[bool, int]:
    """Whether it cripples the place, and the injury without what a limb cannot lose. Table 5.8."""
    row = row_of(table, harm)
    if row is None or row.cripples is None:
        return False, injury
    most = figure(table.who(who), "hp_max")
    crippled = injury * row.cripples > most
    if crippled and row.limb:
        return True, min(injury, most // row.cripples + 1)
    return crippled, injury


def suffer(
    scene: Scene, who: CombatantId, injury: int, harm: Harm, *, crippled: bool = False, location: str | None = None
) -> None:
    """An injury and all that follows it, in the book's order. Clause: GU-2180."""
    before = hp_of(scene, who)
    scene.change_pool(who, HP, -injury, "GU-2120")
    _shock(scene, who, injury, double=harm.double_shock)
    if before > 0 >= hp_of(scene, who) and not is_out(scene, who):
        scene.begin(who, "just_collapsed")
    _death_checks(scene, who, before)
    if crippled or harm.limb_useless:
        _cripple(scene, who, location or "torso", crippled)
    if scene.who(who).status != "dead":
        _knockdown(scene, who, injury, harm)
    if not is_out(scene, who):
        disturb(scene, who, "injured")
        steady_aim(scene, who)
    settle_reeling(scene, who)


def settle_reeling(scene: Scene, who: CombatantId) -> None:
    """The condition is shown while it holds; the figures look at the hit points themselves. Clause: GU-2150."""
    reels = is_reeling(scene, who) and scene.who(who).status != "dead"
    if reels and not scene.has(who, "reeling"):
        scene.begin(who, "reeling")
    elif not reels:
        scene.end(who, "reeling", why="recovered", clause="GU-2150")


def _shock(scene: Scene, who: CombatantId, injury: int, *, double: bool) -> None:
    """A penalty for his next turn; several injuries add up to the limit. Clauses: GU-280, GU-2130."""
    if has_trait(scene, who, "high_pain_threshold") or scene.who(who).status == "dead":
        return
    core, most = tables_of(scene).core, figure(scene.who(who), "hp_max")
    worth = injury if most < core.shock_from else injury // (most // 10)
    limit = core.double_shock_limit if double else core.shock_limit
    worth = min(worth * (2 if double else 1), limit)
    if not worth:
        return
    for held in [one for one in scene.who(who).effects.values() if one.kind == "shock" and one.active_after]:
        limit = max(limit, -held.value)
        worth = min(limit, worth - held.value)
        scene.end_one(who, held, "replaced", "GU-2130")
    scene.begin(who, "shock", value=-worth)


def _death_checks(scene: Scene, who: CombatantId, before: int) -> None:
    """HT at each full multiple of his HP below zero that is reached; dead at five. Clause: GU-2170."""
    core, most, now = tables_of(scene).core, figure(scene.who(who), "hp_max"), hp_of(scene, who)
    if scene.who(who).status == "dead":
        return
    if now <= -(core.death_checks + 1) * most:
        knock_out(scene, who, "dead", "GU-2170")
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
    """A major wound, or any to head or vitals that shocks, asks for HT. Clause: GU-2140, tables 5.8 and 5.9."""
    if not harm.major and not is_major(scene, who, injury):
        return
    knockdown(scene, who, row_of(scene, harm), "GU-2140")


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
    fall(scene, who, clause)
    if scene.flag("knockdown_drops_held"):
        drop_held(scene, who, clause)


def _is_grave(check: Check, by: int) -> bool:
    return not check.success and (check.critical or -check.margin >= by)


def _cripple(scene: Scene, who: CombatantId, location: str, crippled: bool) -> None:
    """A limb, hand, foot or eye that is of no use any more; a leg or foot makes him fall. Tables 5.8 and 5.9."""
    side, _, part = location.partition("_")
    kind = f"{part or side}_crippled" if crippled else "limb_useless"
    if kind not in scene.rules.effects:
        return
    if crippled:
        scene.begin(who, kind, clause="GU-2120", word=side if part else None)
    else:
        core = tables_of(scene).core.limb_useless
        seconds = max(core.least, core.seconds - figure(scene.who(who), "ht"))
        until = ((Tick("slot_start", CombatantId("bearer"), times=seconds),),)
        scene.begin(who, kind, clause="GU-280", word=side if part else None, value=seconds, until=until)
    if part in ("leg", "foot"):
        fall(scene, who, "GU-2120")
    elif part in ("arm", "hand"):
        drops_what_it_holds(scene, who, side, "GU-2120")
