"""From the hits that stand to their wounds: dice, replacement, soak, Extreme Damage, critical damage.

Clauses WH-700 to WH-870, WH-900 to WH-930.
"""

from collections.abc import Iterator, Sequence

import msgspec

from app.engine.asks import Answer, Option, Question
from app.engine.events import CriticalSuffered, DamageDealt, Die, Hit, Noted, PoolChanged, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Point
from app.engine.table import Table
from rulesets.wh40k_d100.conditions import die as kill
from rulesets.wh40k_d100.conditions import drop_from, knock_out, suffer, tire
from rulesets.wh40k_d100.figures import ARM, CRITICAL, WOUNDS, armour_at, bonus, is_minor, part_of, tables_of
from rulesets.wh40k_d100.reach import cover_at
from rulesets.wh40k_d100.weapons import Weapon

REPLACE, KEEP = "replace", "keep"
GRANTED = "extreme_damage_granted"


class Source(msgspec.Struct, frozen=True):
    """What deals the damage: whose weapon, with how many successes of the attack test behind it.

    `special` is what is special about the place called, `bonus_dice` those that qualities and talents add, `tested`
    whether there was an attack test at all, `centre` where a blast went off.
    """

    attacker: CombatantId
    weapon: Weapon
    weapon_kind: str
    successes: int = 0
    special: str | None = None
    bonus_dice: int = 0
    tested: bool = True
    centre: Point | None = None
    spare: bool = False

    @property
    def is_area(self) -> bool:
        """Whether one roll counts for everybody. Clause: WH-720."""
        return self.weapon.area is not None


class Rolled(msgspec.Struct, frozen=True):
    """The dice of one hit, and the place of the one that successes stand for, if any. Clauses: WH-730, WH-860."""

    dice: tuple[Die, ...]
    replaced: int | None = None
    worth: int = 0

    @property
    def total(self) -> int:
        """What the dice count."""
        return sum(self.worth if at == self.replaced else die.value for at, die in enumerate(self.dice))

    @property
    def is_extreme(self) -> bool:
        """Whether a die that was not replaced shows its highest face. Clauses: WH-800, WH-840, WH-860."""
        return any(die.value == die.sides for at, die in enumerate(self.dice) if at != self.replaced)

    def with_successes(self, place: int, successes: int) -> "Rolled":
        """The same with one die replaced, be it by more than its highest face. Clause: WH-770."""
        return Rolled(self.dice, place, successes)


# Dice


def deal(scene: Scene, source: Source, hits: Sequence[Hit]) -> None:
    """All dice of the hits that stand, one replacement, then each hit in order with its Extreme Damage, or all of that
    after the last hit. Clause: WH-070.
    """
    if not hits:
        return
    rolled = _roll_all(scene, source, hits)
    rolled = _replaced(scene, source, hits, rolled)
    at_once = scene.option("attack_order") == "standard"
    later: list[Hit] = []
    for hit in hits:
        with scene.within(_scope(source, hit)):
            if not _apply(scene, source, hit, rolled[hit.number]):
                continue
            if at_once:
                _extreme(scene, source, hit)
            else:
                later.append(hit)
    for hit in later:
        with scene.within(_scope(source, hit)):
            _extreme(scene, source, hit)


def _scope(source: Source, hit: Hit) -> str:
    return hit.target if source.is_area else f"hit{hit.number}"


def _roll_all(scene: Scene, source: Source, hits: Sequence[Hit]) -> dict[int, Rolled]:
    """One set of dice a hit, or one for all who are in an area. Clauses: WH-700, WH-720."""
    if source.is_area:
        shared = Rolled(_dice(scene, source))
        return {hit.number: shared for hit in hits}
    rolled = {}
    for hit in hits:
        with scene.within(f"hit{hit.number}"):
            rolled[hit.number] = Rolled(_dice(scene, source))
    return rolled


def _dice(scene: Scene, source: Source) -> tuple[Die, ...]:
    """The weapon's dice, and bonus dice that are part of the same roll. Clauses: WH-700, WH-740."""
    found: list[Die] = []
    for place, group in enumerate(source.weapon.dice.groups):
        name = "damage" if not place else f"damage{place + 1}"
        found.extend(scene.roll(name, group.count, group.sides, source.attacker, "damage", clause="WH-700"))
    if source.bonus_dice:
        sides = tables_of(scene).core.bonus_die
        found.extend(scene.roll("bonus", source.bonus_dice, sides, source.attacker, "damage", clause="WH-740"))
    return tuple(found)


# Replacing a die


def _replaced(scene: Scene, source: Source, hits: Sequence[Hit], rolled: dict[int, Rolled]) -> dict[int, Rolled]:
    """The attacker may put his successes in the place of one die of one hit, in an area for one target.

    Clauses: WH-730 to WH-790.
    """
    wish = scene.option("ask_replacement")
    lowest = min(die.value for one in rolled.values() for die in one.dice)
    if not source.tested or wish == "never" or (wish == "when_useful" and lowest >= source.successes):
        return rolled
    answer = scene.ask(
        _replacement_question(scene, source, hits, rolled), lambda given: _why_not_so(scene, source, hits, given)
    )
    if answer.option == KEEP:
        return rolled
    number, place = _chosen(source, hits, rolled, answer)
    return {**rolled, number: rolled[number].with_successes(place, source.successes)}


def _best(rolled: dict[int, Rolled]) -> tuple[int, int]:
    """The lowest die, of the first hit that shows it."""
    return min(
        ((number, place) for number, one in rolled.items() for place in range(len(one.dice))),
        key=lambda entry: (rolled[entry[0]].dice[entry[1]].value, entry),
    )


def _replacement_question(scene: Scene, source: Source, hits: Sequence[Hit], rolled: dict[int, Rolled]) -> Question:
    number, place = _best(rolled)
    figures = {"die": rolled[number].dice[place].value, "degrees": source.successes}
    return Question(
        key="",
        name="die_replacement",
        kind="die_replacement",
        to=source.attacker,
        options=(Option(REPLACE, form=_form(scene, source, hits, rolled)), Option(KEEP, declines=True)),
        default=KEEP,
        best=REPLACE if figures["die"] < source.successes else KEEP,
        informed=True,
        figures=figures,
        clause=ClauseId("WH-760" if source.is_area else "WH-730"),
    )


def _form(scene: Scene, source: Source, hits: Sequence[Hit], rolled: dict[int, Rolled]) -> tuple[Field, ...]:
    """Which dice of which hit, or for which of those who were hit; calling a part comes too late by now.

    Clauses: WH-390, WH-750, WH-760.
    """
    most = max(len(one.dice) for one in rolled.values())
    dice = Field("dice", "integers", minimum=1, maximum=most, clause=ClauseId("WH-730"))
    if source.is_area:
        struck = {hit.target for hit in hits}
        seen = [body.id for body in scene.in_order() if not body.hidden]
        which = Field(
            "targets",
            "combatants",
            choices=tuple(one for one in seen if one in struck),
            clause=ClauseId("WH-760"),
            barred_choices={one: (_not_hit(scene, "/fields/targets", one),) for one in seen if one not in struck},
        )
    else:
        which = Field("hits", "integers", minimum=1, maximum=1000, clause=ClauseId("WH-750"))
    late = scene.rules.reason("too_late_to_call", "WH-390", at="/fields/called")
    return which, dice, Field("called", "word", clause=ClauseId("WH-390"), barred=(late,))


def _not_hit(scene: Scene, at: str, *which: object) -> Reason:
    return scene.rules.reason("target_not_hit", "WH-760", at=at, names=tuple(str(one) for one in which))


def _why_not_so(scene: Scene, source: Source, hits: Sequence[Hit], answer: Answer) -> Iterator[Reason]:
    """More than one die, or one of a hit that does not stand. Clauses: WH-750, WH-760."""
    if answer.option != REPLACE:
        return
    reason = scene.rules.reason
    dice, which = answer.fields.get("dice", ()), answer.fields.get("targets" if source.is_area else "hits", ())
    if len(dice) > 1 or len(which) > 1:
        yield reason("replacement_already_used", "WH-750", at="/fields/dice" if len(dice) > 1 else "/fields/hits")
    standing = {hit.target if source.is_area else hit.number for hit in hits}
    if any(one not in standing for one in which):
        at = "/fields/targets" if source.is_area else "/fields/hits"
        yield _not_hit(scene, at, *which)


def _chosen(source: Source, hits: Sequence[Hit], rolled: dict[int, Rolled], answer: Answer) -> tuple[int, int]:
    """The hit and the place of the die; what is not named is the lowest of what is."""
    which = answer.fields.get("targets" if source.is_area else "hits", ())
    dice = answer.fields.get("dice", ())
    able = {
        hit.number: rolled[hit.number]
        for hit in hits
        if not which or (hit.target if source.is_area else hit.number) in which
    }
    number, place = _best(able)
    return number, dice[0] - 1 if dice else place


# One hit


def _apply(scene: Scene, source: Source, hit: Hit, rolled: Rolled) -> bool:
    """Soak, wounds and critical damage; tells whether it is extreme. Clauses: WH-070, WH-800 to WH-870."""
    if is_taken_out(scene, hit.target):
        # All dice fall before the first hit counts; those of a hit that comes too late are told all the same.
        scene.emit(Noted(source.attacker, "hit_too_late", hit.target, dice=rolled.dice, clause=ClauseId("WH-070")))
        return False
    terms, soak = _raw_terms(scene, source, rolled), _soak(scene, source, hit)
    raw = max(0, sum(term.value for term in terms))
    through = max(0, raw - soaked(soak))
    extreme = rolled.is_extreme and may_deal_extreme(scene, source.attacker)
    if extreme and not through:
        through = tables_of(scene).core.extreme_minimum
    scene.emit(
        DamageDealt(
            source.attacker,
            hit.target,
            through,
            raw,
            rolled.dice,
            terms,
            soak,
            hit.number,
            hit.location,
            source.weapon.type,
            source.weapon_kind,
            ClauseId("WH-900"),
        )
    )
    wound(scene, hit.target, through, hit.location or "", source.weapon.type, spare=source.spare)
    return extreme


def is_taken_out(table: Table, who: CombatantId) -> bool:
    """Whether he is dead, or one of the many who is out of the fight. Clauses: WH-810, WH-930."""
    body = table.who(who)
    if body.status == "dead":
        return True
    return body.status != "up" and is_minor(body) and f"spared/{who}" in getattr(table, "met", {})


def may_deal_extreme(table: Table, attacker: CombatantId) -> bool:
    """Whoever matters may, and whoever a commander lets. Clauses: WH-870, WH-880."""
    return not is_minor(table.who(attacker)) or table.has(attacker, GRANTED)


def _raw_terms(table: Table, source: Source, rolled: Rolled) -> tuple[Term, ...]:
    """The dice, the weapon's flat bonus, and in melee the Strength bonus. Clauses: WH-700, WH-710."""
    weapon = source.weapon
    terms = [Term("dice", rolled.total, ClauseId("WH-730" if rolled.replaced is not None else "WH-700"))]
    if weapon.dice.plus:
        terms.append(Term("weapon", weapon.dice.plus, ClauseId("WH-700")))
    if weapon.is_melee or (weapon.is_thrown and table.flag("thrown_adds_sb")):
        terms.append(Term("s_b", bonus(table.who(source.attacker), "s"), ClauseId("WH-710")))
    return tuple(terms)


def _soak(table: Table, source: Source, hit: Hit) -> tuple[Term, ...]:
    """Armour of the place, cover for who shoots at it, what penetration takes from both, and toughness.

    Clauses: WH-350, WH-360, WH-900.
    """
    target, location = table.who(hit.target), hit.location or ""
    special = source.special if hit.number <= tables_of(table).core.located_hits else None
    clause = {"joint": "WH-350", "eye": "WH-360"}.get(special or "", "WH-900")
    terms = []
    if armour := armour_at(table, target, location, special):
        terms.append(Term("armour", armour, ClauseId(clause)))
    meets_cover = not source.weapon.is_melee or table.flag("melee_meets_cover")
    if meets_cover and (cover := cover_at(table, source.attacker, hit.target, location, source.centre)):
        terms.append(Term("cover", cover, ClauseId("WH-900")))
    if source.weapon.pen:
        terms.append(Term("penetration", source.weapon.pen, ClauseId("WH-900")))
    terms.append(Term("toughness", bonus(target, "t"), ClauseId("WH-900")))
    return tuple(terms)


def soaked(terms: Sequence[Term]) -> int:
    """How much is soaked: penetration takes from armour and cover, never from toughness. Clause: WH-900."""
    worth = {term.id: term.value for term in terms}
    points = worth.get("armour", 0) + worth.get("cover", 0) - worth.get("penetration", 0)
    return max(0, points) + worth.get("toughness", 0)


def _extreme(scene: Scene, source: Source, hit: Hit) -> None:
    """A row of the critical table by a die of its own, its effects alone; none for somebody who is out already.

    Clauses: WH-810, WH-820.
    """
    if is_taken_out(scene, hit.target):
        return
    scene.emit(Noted(source.attacker, "extreme_damage", hit.target, clause=ClauseId("WH-800")))
    sides = tables_of(scene).core.extreme_die
    dice = scene.roll("extreme", 1, sides, source.attacker, "extreme_damage", clause="WH-810")
    row, where = dice[0].value, hit.location or ""
    suffered = CriticalSuffered(
        hit.target, row, where, "extreme_damage", ClauseId("WH-810"), dice, roller=source.attacker
    )
    suffer_row(scene, suffered, source.weapon.type)


# Wounds


def wound(
    scene: Scene, who: CombatantId, through: int, location: str, kind: str | None = None, *, spare: bool = False
) -> None:
    """Damage of a type lowers the wounds; what is beyond them is critical damage and has its row at once.

    Clauses: WH-910, WH-930.
    """
    if through <= 0 or scene.who(who).status == "dead":
        return
    taken = min(scene.pool(who, WOUNDS), through)
    scene.change_pool(who, WOUNDS, -taken, "WH-910")
    if is_minor(scene.who(who)) and scene.flag("minor_falls_at_0"):
        if not scene.pool(who, WOUNDS):
            take_out(scene, who, spare=spare)
        return
    beyond = through - taken
    if beyond:
        total = scene.pool(who, CRITICAL) + beyond
        most = tables_of(scene).core.death_at
        counted = min(most, total)
        scene.emit(PoolChanged(who, CRITICAL, counted - scene.pool(who, CRITICAL), counted, ClauseId("WH-910")))
        suffer_row(scene, CriticalSuffered(who, counted, location, clause=ClauseId("WH-920")), kind)


def take_out(scene: Scene, who: CombatantId, *, spare: bool) -> None:
    """One of the many is out of the fight at once: dead, or unconscious if he is spared. Clause: WH-930."""
    if spare:
        scene.met[f"spared/{who}"] = 1
        knock_out(scene, who, "WH-930")
    else:
        kill(scene, who, "WH-930")


def suffer_row(scene: Scene, suffered: CriticalSuffered, kind: str | None = None) -> None:
    """A row of the critical table applies to the part hit: that of the damage's type, if the table has one.

    Clause: WH-920.
    """
    scene.emit(suffered)
    _suffer_steps(scene, suffered.combatant, suffered.value, suffered.location or "", kind)


def _suffer_steps(scene: Scene, who: CombatantId, value: int, location: str, kind: str | None) -> None:
    table = tables_of(scene).criticals
    # A later row replaces an earlier one: those for every type first, then those for this one.
    rows = {row.value: row for of in (None, kind) for row in table if row.damage_type == of}
    row = rows[min(value, max(rows))]
    if row.as_row is not None:
        _suffer_steps(scene, who, row.as_row, location, kind)
    for step in row.own_steps(part_of(location)):
        if scene.who(who).status == "dead":
            return
        match step.do:
            case "fatigue":
                tire(scene, who, step.amount, "WH-920")
            case "drop":
                drop_from(scene, who, location, "WH-920")
            case "unconscious":
                knock_out(scene, who, "WH-920")
            case "die":
                kill(scene, who, "WH-920")
            case "effect":
                word = location if part_of(location) == ARM and step.effect == "arm_disabled" else None
                suffer(scene, who, step.effect, step.rounds, "WH-920", word)


def bleed(scene: Scene, who: CombatantId) -> None:
    """Somebody who bleeds loses a wound that nothing soaks. Clause: WH-940."""
    rule = tables_of(scene).core.bleeding
    scene.emit(Noted(who, "bleeds", clause=ClauseId("WH-940")))
    wound(scene, who, rule.amount, rule.location)
