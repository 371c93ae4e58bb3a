"""What an attack is: with what, at whom, which pool, and everything that speaks against it. Making it stands in
`striking`. Clauses SR-230, SR-300 to SR-320, SR-415, SR-468, SR-470, SR-600 to SR-665.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.engine.commands import GivenModifier, Submission
from app.engine.events import Term
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.modifiers import collect
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.table import Table
from rulesets.shadowrun_5e.checks import FIELD, burden_terms, pool_terms, why_no_edge, wound_terms
from rulesets.shadowrun_5e.figures import (
    GEAR,
    IMPLANTED,
    METRE,
    RECOIL,
    div_up,
    is_running,
    physical_limit,
    smartlink_of,
    stat,
    tables_of,
    whole_option,
)
from rulesets.shadowrun_5e.tables import FiringRow
from rulesets.shadowrun_5e.tags import MELEE, RANGED
from rulesets.shadowrun_5e.weapons import (
    OFF,
    Weapon,
    fits,
    has_magazine,
    is_ready,
    melee_weapon,
    mode_of,
    range_bands,
    reach_of,
    rounds,
    striking_distance,
    weapon_of,
)
from rulesets.shadowrun_5e.where import can_see, distance, in_melee, missing_distance

AIMING, CALLING, SPLITTING = "aiming", "calling_shot", "splitting"
VITALS, SHAKE_UP, DISARM = "vitals", "shake_up", "disarm"
GM_MODIFIER = "gm"


class AttackParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of a way to attack beside the rules' own: dice of the pool, and points on the damage value."""

    dice: Annotated[int, Meta(ge=-100, le=100)] = 0
    damage: Annotated[int, Meta(ge=-100, le=100)] = 0


def own_terms(table: Table, attack: "Attack", figure: Literal["dice", "damage"]) -> Iterator[Term]:
    """What the action itself adds to the pool or to the damage. Clauses: SR-605, SR-610, SR-700."""
    action = table.rules.actions.get(attack.action)
    if action is not None and isinstance(action.params, AttackParams):
        yield Term(attack.action, getattr(action.params, figure), action.clauses[0])


class Attack(msgspec.Struct, frozen=True):
    """One attack. `share` are its dice of attribute and skill where the pool was split; `defense` is what its mode of
    fire takes off the defence; `called` the place of a called shot.
    """

    attacker: CombatantId
    target: CombatantId
    action: ActionId
    item: ItemId | None
    weapon: Weapon
    defense: int = 0
    called: str = ""
    share: int | None = None
    off_hand: bool = False
    push: bool = False
    given: tuple[GivenModifier, ...] = ()
    clause: str = "SR-600"

    @property
    def is_melee(self) -> bool:
        """Whether it is struck, not fired."""
        return self.weapon.is_melee


def row_of(table: Table, action: ActionId | str) -> FiringRow:
    """Rounds, modes and recoil of a way to fire. Clause: SR-650."""
    return tables_of(table).firing[action]


def attacks_of(
    table: Table, sub: Submission, action: ActionId, defense: int = 0, clause: str = "SR-600"
) -> tuple[Attack, ...]:
    """The attacks that a submission makes: one, or a share of the pool at each target in the order given.

    Larger shares come first. Clauses: SR-468, SR-470.
    """
    who = sub.actor
    called = table.effect(who, CALLING)
    weapons = [sub.weapon] if sub.second_weapon is None else [sub.weapon, sub.second_weapon]
    several = len(sub.targets) > 1
    made = []
    for place, target in enumerate(sub.targets):
        item = weapons[place % len(weapons)]
        weapon = weapon_of(table, who, item)
        off = item is not None and item in table.who(who).items and table.item(who, item).held == OFF
        share = None
        if several:
            pool = sum(term.value for term in pool_terms(table, who, "agility", weapon.skill))
            share = pool // len(sub.targets) + (place < pool % len(sub.targets))
        made.append(
            Attack(
                who,
                target,
                action,
                item,
                weapon,
                defense,
                "" if called is None else str(called.word),
                share,
                off,
                sub.options.get(FIELD) is True and place == 0,
                sub.modifiers,
                clause,
            )
        )
    return tuple(made)


# The pool


def tags_of(table: Table, attack: Attack) -> frozenset[str]:
    """What is true of it, for the modifiers of the data. Clause: SR-620."""
    who, target = attack.attacker, attack.target
    found = {f"given.{one.id}" for one in attack.given if one.value is None}
    found |= {f"actor.{kind}" for kind in table.active(who)} | {f"target.{kind}" for kind in table.active(target)}
    found.add(MELEE if attack.is_melee else RANGED)
    facts = {
        "actor_in_melee": not attack.is_melee and in_melee(table, who),
        "off_hand": attack.off_hand,
        "called_shot": bool(attack.called),
        "smart_gear": attack.weapon.smart_accuracy is not None and smartlink_of(table.who(who)) == GEAR,
        "smart_implanted": attack.weapon.smart_accuracy is not None and smartlink_of(table.who(who)) == IMPLANTED,
    }
    return frozenset(found | {tag for tag, is_so in facts.items() if is_so})


def attack_terms(table: Table, attack: Attack) -> tuple[Term, ...]:
    """Every term of the pool, floored only as a whole. Clauses: SR-230, SR-605, SR-610, SR-620."""
    who = attack.attacker
    base: Iterable[Term] = pool_terms(table, who, "agility", attack.weapon.skill)
    if attack.share is not None:
        base = (Term("share", attack.share, ClauseId("SR-470")),)
    tags = tags_of(table, attack)
    terms = [
        *base,
        *collect(table.rules.modifiers, "attack", tags),
        *_running(table, attack),
        *aim_terms(table, attack),
        *own_terms(table, attack, "dice"),
    ]
    far = None if attack.is_melee else distance(table, who, attack.target)
    terms += environment_terms(table, tags, range_step(table, who, attack.weapon, far))
    terms += recoil_terms(table, attack)
    terms += [*burden_terms(table, who), *wound_terms(table, who), *given_terms(attack.given)]
    return tuple(term for term in terms if term.value)


def _running(table: Table, attack: Attack) -> Iterator[Term]:
    """A run spoils everything but a blow, which it helps. Clause: SR-570."""
    if is_running(table, attack.attacker):
        key = "running_melee_bonus" if attack.is_melee else "running_penalty"
        yield Term("running", whole_option(table, key), ClauseId("SR-570"))


def given_terms(given: Iterable[GivenModifier]) -> Iterator[Term]:
    """What the GM adds. Clauses: SR-620, SR-950."""
    for one in given:
        if one.value is not None:
            yield Term(one.id, one.value, ClauseId("SR-950"))


def aim_terms(table: Table, attack: Attack) -> Iterator[Term]:
    """Dice that were aimed for with this weapon at this target. Clause: SR-320."""
    aim = table.effect(attack.attacker, AIMING)
    if aim is not None and aim.item == attack.item and aim.against == attack.target:
        yield Term("aim", int(aim.declared.get("pool") or 0), ClauseId("SR-320"))  # type: ignore[arg-type]


def recoil_terms(table: Table, attack: Attack) -> Iterator[Term]:
    """Rounds beyond what strength and weapon hold down, this phase's and those before. Clauses: SR-655, SR-658."""
    if attack.weapon.is_firearm:
        held = compensation(table, attack.attacker, attack.weapon)
        yield Term("recoil", min(0, held - table.who(attack.attacker).pools.get(RECOIL, 0)), ClauseId("SR-655"))


def compensation(table: Table, who: CombatantId, weapon: Weapon) -> int:
    """Recoil that does nothing. Clause: SR-655."""
    rule = tables_of(table).core.recoil
    return rule.base + div_up(stat(table.who(who), "strength"), rule.strength) + weapon.rc


def range_step(table: Table, who: CombatantId, weapon: Weapon, far: Length | None) -> int:
    """The range band as a step of the environment, 0 for short. Clauses: SR-660, SR-665."""
    if far is None or not weapon.range_table:
        return 0
    bands, _ = range_bands(table, who, weapon)
    return next((step for step, band in enumerate(bands) if far <= band), len(bands) - 1)


def environment_terms(table: Table, tags: frozenset[str], range_: int) -> list[Term]:
    """The worst of visibility, light, wind and range; shared by two of them it is a step worse. Clause: SR-665."""
    steps = tables_of(table).environment.steps
    found = [steps.index(term.value) for term in collect(table.rules.modifiers, "environment", tags)]
    found.append(range_)
    worst = max(found)
    if worst and found.count(worst) > 1:
        worst = min(worst + 1, len(steps) - 1)
    return [Term("environment", steps[worst], ClauseId("SR-665"))] if worst else []


def limit_of(table: Table, attack: Attack) -> int:
    """The most hits that count: accuracy, the better one with a smartlink, and what was aimed for; else the body's.

    Clauses: SR-215, SR-320, SR-605, SR-610.
    """
    body, weapon = table.who(attack.attacker), attack.weapon
    if weapon.accuracy is None:
        return physical_limit(body)
    smart = weapon.smart_accuracy is not None and smartlink_of(body) in (GEAR, IMPLANTED)
    limit = weapon.smart_accuracy if smart and weapon.smart_accuracy is not None else weapon.accuracy
    aim = table.effect(attack.attacker, AIMING)
    if aim is not None and aim.item == attack.item and aim.against == attack.target:
        limit += int(aim.declared.get("accuracy") or 0)  # type: ignore[arg-type]
    return limit


# What speaks against it


def why_not_fire(
    table: Table, sub: Submission, action: Action, clause: str, row: FiringRow | None = None
) -> Iterator[Reason]:
    """The weapon: in hand, in the right mode, with something in it. Clauses: SR-300, SR-650, SR-652."""
    reason, who = table.rules.reason, sub.actor
    items = [one for one in (sub.weapon, sub.second_weapon) if one is not None]
    if sub.weapon is None:
        yield reason("missing_input", clause, at="/weapon")
    for item in items:
        at = "/weapon" if item == sub.weapon else "/second_weapon"
        if not weapon_of(table, who, item).is_firearm or not is_ready(table, who, item):
            yield reason("weapon_not_ready", "SR-300", at=at, names=(item,))
            continue
        if row is not None and mode_of(table, who, item) not in row.modes:
            mode = mode_of(table, who, item)
            yield reason("wrong_fire_mode", clause, at=at, names=() if mode is None else (mode,))
        if not has_magazine(table, who, item):
            yield reason("no_magazine", "SR-300", at=at, names=(item,))
        elif not rounds(table, who, item):
            yield reason("not_enough_ammo", "SR-300", at=at, need=1, got=0)
    yield from why_not_aimed_at(table, sub, action, "SR-300")
    yield from why_no_push(table, sub)


def why_not_aimed_at(table: Table, sub: Submission, action: Action, clause: str) -> Iterator[Reason]:
    """Range and sight. Clauses: SR-300, SR-660."""
    for place, target in enumerate(sub.targets):
        if not table.known(target):
            continue
        yield from _why_not_reached(table, sub, action, target, place, clause)
        if not can_see(table, sub.actor, target) and not any(one.id == "blind_fire" for one in sub.modifiers):
            yield table.rules.reason("no_line_of_sight", clause, at=f"/targets/{place}", names=(target,))


def _why_not_reached(
    table: Table, sub: Submission, action: Action, target: CombatantId, place: int, clause: str
) -> Iterator[Reason]:
    weapon = weapon_of(table, sub.actor, sub.weapon) if sub.weapon is not None else farthest(table, sub.actor, action)
    if weapon is None or not weapon.range_table:
        return
    far = distance(table, sub.actor, target)
    if far is None:
        yield table.rules.reason("missing_input", "SR-590", at=missing_distance(table), names=(target,))
        return
    bands, least = range_bands(table, sub.actor, weapon)
    if far > bands[-1] or far < least:
        need = bands[-1] if far > bands[-1] else least
        yield table.rules.reason("out_of_range", clause, at=f"/targets/{place}", need_length=need, got_length=far)


def farthest(table: Table, who: CombatantId, action: Action) -> Weapon | None:
    """Of all that he could do it with the one that reaches farthest: what he has not chosen yet reaches no farther."""
    able = (ItemId(key) for key in table.who(who).items if fits(table, who, ItemId(key), action))
    found = [weapon for weapon in (weapon_of(table, who, item) for item in able) if weapon.range_table]
    return max(found, key=lambda weapon: range_bands(table, who, weapon)[0][-1], default=None)


def why_not_struck(table: Table, sub: Submission, clause: str = "SR-415") -> Iterator[Reason]:
    """The weapon in hand and the target within reach. Clause: SR-415."""
    reason, who = table.rules.reason, sub.actor
    for item in (sub.weapon, sub.second_weapon):
        if item is None:
            continue
        at = "/weapon" if item == sub.weapon else "/second_weapon"
        if item in table.who(who).items and not (weapon_of(table, who, item).is_melee and is_ready(table, who, item)):
            yield reason("weapon_not_ready", clause, at=at, names=(item,))
    for place, target in enumerate(sub.targets):
        if not table.known(target):
            continue
        far, need = distance(table, who, target), striking_distance(table, who, sub.weapon)
        longest = need if sub.weapon is not None else max(need, striking_distance(table, who, melee_weapon(table, who)))
        if far is None:
            yield reason("missing_input", "SR-590", at=missing_distance(table), names=(target,))
        elif far > longest:
            yield reason("out_of_reach", clause, at=f"/targets/{place}", need_length=longest, got_length=far)
        elif far > need:
            yield reason("missing_input", clause, at="/weapon")
    yield from why_no_push(table, sub)


def why_no_push(table: Table, sub: Submission) -> Iterator[Reason]:
    """Edge that is to go into the roll. Clause: SR-850."""
    if sub.options.get(FIELD) is True:
        yield from why_no_edge(table, sub.actor)


def why_not_called(table: Table, sub: Submission, rounds_: int) -> Iterator[Reason]:
    """A called shot is one round at one target. Clause: SR-468."""
    if table.has(sub.actor, CALLING) and (rounds_ > 1 or len(sub.targets) > 1):
        yield table.rules.reason(
            "called_shot_needs_single_attack", "SR-468", need=1, got=max(rounds_, len(sub.targets))
        )


def why_not_split(table: Table, sub: Submission, rounds_: int) -> Iterator[Reason]:
    """Several targets take a Free Action, skill for it, targets that differ, and every round. Clause: SR-470."""
    reason, who, count = table.rules.reason, sub.actor, len(sub.targets)
    if count <= 1:
        return
    if not table.has(who, SPLITTING):
        yield reason("too_many_targets", "SR-470", at="/targets", need=1, got=count)
    weapon = weapon_of(table, who, sub.weapon)
    cap = div_up(table.who(who).sheet.levels.get(weapon.skill, 0), 2)
    if table.option("multiple_attacks_cap") == "half_skill" and count > cap:
        yield reason("too_many_attacks", "SR-470", at="/targets", need=cap, got=count)
    twice = len(set(sub.targets)) < count
    if twice and sub.second_weapon is None:
        yield reason("cannot_split", "SR-470", at="/targets")
    if not weapon.is_firearm or sub.weapon is None or sub.weapon not in table.who(who).items:
        return
    if sub.second_weapon is None and mode_of(table, who, sub.weapon) not in ("BF", "FA"):
        yield reason("cannot_split", "SR-470", at="/targets")
    weapons = [one for one in (sub.weapon, sub.second_weapon) if one is not None]
    for place, item in enumerate(weapons):
        need = rounds_ * len(range(place, count, len(weapons)))
        if item in table.who(who).items and rounds(table, who, item) < need:
            yield reason("not_enough_ammo", "SR-470", need=need, got=rounds(table, who, item))


def reach_difference(table: Table, attack: Attack, defending: ItemId | None) -> int:
    """By how much the defender's reach is the longer one. Clause: SR-615."""
    return reach_of(table, attack.target, defending) - reach_of(table, attack.attacker, attack.item)


__all__ = ["METRE", "Attack", "attack_terms", "attacks_of", "limit_of"]
