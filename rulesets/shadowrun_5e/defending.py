"""The defence against one attack: what may be bought for it, its pool, its dice. Clauses SR-500 to SR-540, SR-640."""

from collections.abc import Iterator
from itertools import permutations

import msgspec

from app.engine.asks import Barred, Cost, Option, Question
from app.engine.events import Term
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.modifiers import collect
from app.engine.reasons import Reason, in_order
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import Attack, attack_terms, limit_of, reach_difference
from rulesets.shadowrun_5e.checks import FIELD, Test, edge_left, pool_terms, take_test, wound_terms
from rulesets.shadowrun_5e.figures import (
    DEFENSES,
    SCORE,
    is_helpless,
    is_running,
    physical_limit,
    score_of,
    stat,
    tables_of,
    whole_option,
)
from rulesets.shadowrun_5e.odds import DEFEND, beaten_by, dice_of
from rulesets.shadowrun_5e.score import change_score
from rulesets.shadowrun_5e.steadiness import disturb
from rulesets.shadowrun_5e.tags import MELEE, RANGED
from rulesets.shadowrun_5e.weapons import melee_weapon, weapon_of
from rulesets.shadowrun_5e.where import GOOD, PARTIAL, cover_of, in_melee

PLAIN, FULL, BLOCK, PARRY, DODGE = "plain", "full_defense", "block", "parry", "dodge"
ACTIVE = (BLOCK, PARRY, DODGE)
SEVERAL = tuple(
    "_".join((*full, *named)) for full in ((), (FULL,)) for many in (2, 3) for named in permutations(ACTIVE, many)
)
"""Answers that name more than one active defence. Clause: SR-520."""
CLAUSE = "SR-520"


class Answered(msgspec.Struct, frozen=True):
    """How he defends himself: `full` was bought now, `active` is one of block, parry and dodge or nothing."""

    full: bool = False
    active: str = ""
    push: bool = False
    able: bool = True

    @property
    def word(self) -> str:
        """The answer as it is told."""
        if not self.able:
            return "none"
        return "_".join(part for part in (FULL if self.full else "", self.active) if part) or PLAIN


def parts_of(option: str) -> tuple[bool, str]:
    """`full_defense_dodge` as (True, `dodge`)."""
    full = option.startswith(FULL)
    rest = option.removeprefix(FULL).removeprefix("_") if full else option
    return full, rest if rest in ACTIVE else ""


def ask(scene: Scene, attack: Attack) -> Answered:
    """The target chooses before any die of the attack falls, and pays at once. Clauses: SR-500 to SR-535."""
    who = attack.target
    if is_helpless(scene, who):
        return Answered(able=False)
    every = [PLAIN, FULL, *ACTIVE, *(f"{FULL}_{one}" for one in ACTIVE)]
    against = {option: in_order(_why_not(scene, attack, option), order=scene.rules.order) for option in every}
    dice, most = dice_of(attack_terms(scene, attack)), limit_of(scene, attack)
    push = (Field(FIELD, "bool", clause=ClauseId("SR-855")),) if edge_left(scene, who) else ()
    answer = scene.ask(
        Question(
            key="",
            name=DEFEND,
            kind=DEFEND,
            to=who,
            options=tuple(
                Option(option, _chance(scene, attack, option, dice, most), _cost(scene, option), option == PLAIN, push)
                for option in every
                if not against[option]
            ),
            default=PLAIN,
            best=PLAIN,
            about=attack.attacker,
            barred=tuple(Barred(option, reasons) for option, reasons in against.items() if reasons),
            figures={"score": score_of(scene, who)},
            clause=ClauseId("SR-530"),
            stranger=scene.rules.reason("one_active_defense", CLAUSE, at="/option"),
            strangers=SEVERAL,
        )
    )
    full, active = parts_of(answer.option)
    price = price_of(scene, answer.option)
    if price:
        change_score(scene, who, -price, "SR-510" if full else CLAUSE)
        disturb(scene, who, ActionId(DEFEND))
    if full:
        scene.begin(who, FULL)
    return Answered(full, active, answer.fields.get(FIELD) is True)


def _chance(table: Table, attack: Attack, option: str, dice: int, most: int) -> int:
    """Chance in millionths that this defence holds against so many dice with that limit. Clauses: SR-210, SR-530."""
    full, active = parts_of(option)
    pool = dice_of(defense_terms(table, attack, Answered(full, active)))
    limit = physical_limit(table.who(attack.target)) if active else None
    return beaten_by(pool, limit, dice, most)


def price_of(table: Table, option: str) -> int:
    """What an answer costs in initiative; prices add. Clauses: SR-510, SR-520, SR-525."""
    full, active = parts_of(option)
    return full * tables_of(table).core.full_defense + bool(active) * whole_option(table, "active_defense_cost")


def _cost(table: Table, option: str) -> tuple[Cost, ...]:
    price = price_of(table, option)
    return (Cost(SCORE, price),) if price else ()


def _why_not(table: Table, attack: Attack, option: str) -> Iterator[Reason]:
    """Everything that bars an answer. Clauses: SR-500 to SR-525."""
    who, reason = attack.target, table.rules.reason
    full, active = parts_of(option)
    price, score = price_of(table, option), score_of(table, who)
    if price and score < price:
        yield reason("insufficient_initiative", "SR-525" if full and active else "SR-500", need=price, got=score)
    for named in (FULL if full else "", active):
        yield from table.rules.why_forbidden(named, "/option")
    if full and table.has(who, FULL):
        yield reason("already_full_defense", "SR-510")
    if not active:
        return
    if not attack.is_melee and not (active == DODGE and table.flag("dodge_vs_ranged")):
        yield reason("melee_only", CLAUSE)
    skill = skill_of(table, who, active)
    if skill is None:
        yield reason("melee_weapon_required", CLAUSE)
    elif not table.who(who).sheet.levels.get(skill, 0):
        yield reason("untrained", CLAUSE, names=(skill,))


def skill_of(table: Table, who: CombatantId, active: str) -> str | None:
    """The skill that an active defence adds; a parry needs a melee weapon in hand. Clause: SR-520."""
    if active == PARRY:
        item = melee_weapon(table, who)
        return None if item is None else weapon_of(table, who, item).skill
    return {BLOCK: "unarmed_combat", DODGE: "gymnastics"}[active]


# The test


def defense_terms(table: Table, attack: Attack, answered: Answered) -> tuple[Term, ...]:
    """Reaction, intuition, what was bought, and all that lies on a defence. Clauses: SR-510 to SR-540, SR-640."""
    who = attack.target
    body = table.who(who)
    terms = [*pool_terms(table, who, "reaction"), *pool_terms(table, who, "intuition")]
    if answered.full or table.has(who, FULL):
        terms.append(Term(FULL, stat(body, "willpower"), ClauseId("SR-510")))
    skill = skill_of(table, who, answered.active) if answered.active else None
    if skill is not None:
        terms.append(Term(answered.active, body.sheet.levels.get(skill, 0), ClauseId(CLAUSE)))
    terms += collect(table.rules.modifiers, "defend", _tags(table, attack))
    terms.append(Term("earlier_defenses", -body.pools.get(DEFENSES, 0), ClauseId("SR-540")))
    if attack.is_melee:
        terms.append(Term("reach", reach_difference(table, attack, melee_weapon(table, who)), ClauseId("SR-615")))
        if is_running(table, attack.attacker):
            terms.append(Term("charge", whole_option(table, "charge_defender_bonus"), ClauseId("SR-640")))
    else:
        terms.append(Term("rate_of_fire", attack.defense, ClauseId("SR-640")))
    return tuple(term for term in (*terms, *wound_terms(table, who)) if term.value)


def _tags(table: Table, attack: Attack) -> frozenset[str]:
    who = attack.target
    found = {f"given.{one.id}" for one in attack.given if one.value is None}
    found |= {f"actor.{kind}" for kind in table.active(who)} | {MELEE if attack.is_melee else RANGED}
    cover = None if attack.is_melee else cover_of(table, who, attack.attacker)
    facts = {
        "actor_in_melee": not attack.is_melee and in_melee(table, who),
        "actor_running": is_running(table, who),
        "covered_partial": cover == PARTIAL,
        "covered_good": cover == GOOD,
    }
    return frozenset(found | {tag for tag, is_so in facts.items() if is_so})


def roll(scene: Scene, attack: Attack, answered: Answered, hits: int) -> Test | None:
    """The defence test against so many hits; None for who cannot defend himself. Each counts against the next.

    Clauses: SR-530, SR-535, SR-540.
    """
    who = attack.target
    if not answered.able:
        return None
    terms = defense_terms(scene, attack, answered)
    limit = physical_limit(scene.who(who)) if answered.active else None
    test = take_test(
        scene,
        who,
        "reaction",
        DEFEND,
        terms,
        clause=CLAUSE if answered.active else "SR-530",
        limit=limit,
        against=attack.attacker,
        push=answered.push,
        name="defense",
        most=hits,
    )
    scene.change_pool(who, DEFENSES, 1, "SR-540")
    return test
