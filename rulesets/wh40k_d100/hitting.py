"""What an attack is rolled against: every row of the three tables that holds.

Clauses WH-390 to WH-510, WH-600, WH-630.
"""

from collections.abc import Iterator

from app.engine.blocks.d100 import MILLION, Target
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.modifiers import collect, tagged
from app.engine.table import Table
from rulesets.wh40k_d100.attack import Attack, band_to, fails_by_itself
from rulesets.wh40k_d100.checks import chance_against, target_number
from rulesets.wh40k_d100.figures import FATIGUE, stat, tables_of, whole_option
from rulesets.wh40k_d100.reach import (
    POINT_BLANK,
    is_engaged,
    is_higher,
    is_into_melee,
    longest_reach,
    outnumbering,
    surroundings,
)
from rulesets.wh40k_d100.tags import GIVEN, given_terms
from rulesets.wh40k_d100.weapons import (
    MAIN,
    OFF,
)


def to_hit(table: Table, attack: Attack, *, surprised: bool = False) -> Target:
    """The target number of the attack test. Clauses: WH-100, WH-400."""
    return target_number(table, attack.attacker, attack.weapon.tested, hit_terms(table, attack, surprised=surprised))


def hit_terms(table: Table, attack: Attack, *, surprised: bool) -> tuple[Term, ...]:
    """Every row that holds, each once. Clauses: WH-390 to WH-500, WH-600, WH-630, WH-990."""
    who, params = attack.attacker, attack.params
    terms = []
    if params.term or params.to_hit:
        terms.append(Term(params.term or attack.action, params.to_hit, ClauseId(params.clause)))
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
