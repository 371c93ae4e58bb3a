"""Stun: a blow that dazes instead of wounding. Clauses DH-4050, DH-4060."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.dice import parse_dice
from app.engine.events import Figure, Noted
from app.engine.ids import ClauseId, CombatantId
from app.engine.names import DiceText
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import AttackParams, attack_from, hit_chance
from rulesets.dark_heresy_2e.conditions import fatigue, stun
from rulesets.dark_heresy_2e.figures import armour_at, bonus
from rulesets.dark_heresy_2e.resolvers.attacks import why_not_submitted
from rulesets.dark_heresy_2e.striking import make_attack

HEAD = "head"


class StunParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The blow, and what its hit rolls against the target's toughness and helmet. Clauses: DH-4050, DH-4060."""

    blow: AttackParams
    dice: DiceText
    fatigue: int


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Weapon Skill at a penalty; a hit that is not evaded goes to the contest. Clause: DH-4050."""
    params: StunParams = action.params
    attack = replace(attack_from(scene, sub, params.blow), effect="stun")
    if make_attack(scene, attack):
        _daze(scene, sub.actor, sub.targets[0], params)


def _daze(scene: Scene, who: CombatantId, target: CombatantId, params: StunParams) -> None:
    """The dice and the Strength bonus against the full Toughness bonus and the armour of the head.

    As high: a level of fatigue, and stunned for as many rounds as it is higher. Clause: DH-4060.
    """
    group = parse_dice(params.dice).groups[0]
    dice = scene.roll("stun", group.count, group.sides, who, "stun", clause="DH-4060")
    result = sum(one.value for one in dice) + bonus(scene.who(who), "s")
    body = scene.who(target)
    value = bonus(body, "t") + armour_at(body, HEAD)
    figures = (Figure("result", result), Figure("value", value))
    scene.emit(Noted(who, "stun_contest", target, figures, dice=dice, clause=ClauseId("DH-4060")))
    if result < value:
        return
    stun(scene, target, result - value, "DH-4060")
    fatigue(scene, target, params.fatigue, "DH-4060")


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """As any blow. Clause: DH-4050."""
    return why_not_submitted(table, sub, action.params.blow)


def chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance that the blow hits."""
    return hit_chance(table, attack_from(table, sub, action.params.blow)) if sub.targets else None


STUN = Resolver(StunParams, check, resolve, chance=chance)
