"""Spend Fate on oneself, in anybody's turn: less damage, no more stun, no more fatigue. Clause: DH-5680."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.dice import parse_dice
from app.engine.names import DiceText
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e import fate

BENEFIT = "benefit"
DAMAGE, STUN, FATIGUE = "remove_damage", fate.END_STUN, "remove_fatigue"


class FateParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much damage a point takes away."""

    damage: DiceText


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A point to spend, and something that it would change."""
    reason, chosen = table.rules.reason, sub.options.get(BENEFIT)
    if not fate.left(table, sub.actor):
        yield reason("no_fate", fate.CLAUSE)
    helpful = tuple(benefit for benefit in (DAMAGE, STUN, FATIGUE) if _would_help(table, sub, benefit))
    if chosen is None and helpful:
        yield reason("missing_input", at=f"/options/{BENEFIT}", names=helpful)
    elif chosen is None:
        yield reason("unknown_option", fate.CLAUSE, at=f"/options/{BENEFIT}")
    elif not _would_help(table, sub, str(chosen)):
        yield reason("unknown_option", fate.CLAUSE, at=f"/options/{BENEFIT}", names=(str(chosen),))


def _would_help(table: Table, sub: Submission, chosen: str) -> bool:
    if chosen == STUN:
        return table.has(sub.actor, "stunned")
    pools = table.who(sub.actor).pools
    return bool(_taken(table, sub) if chosen == DAMAGE else pools.get("fatigue", 0))


def _taken(table: Table, sub: Submission) -> int:
    """Damage he has suffered, critical damage not counted."""
    body = table.who(sub.actor)
    return body.sheet.stats.get("wounds_max", 0) - body.pools.get("wounds", 0)


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The point is gone and does what was chosen."""
    params: FateParams = action.params
    chosen = str(sub.options[BENEFIT])
    if chosen == STUN:
        fate.end_stun(scene, sub.actor)
        return
    if chosen == FATIGUE:
        fate.spend(scene, sub.actor, chosen)
        scene.change_pool(sub.actor, "fatigue", -scene.pool(sub.actor, "fatigue"), fate.CLAUSE)
        return
    group = parse_dice(params.damage).groups[0]
    dice = scene.roll("fate", group.count, group.sides, sub.actor, "fate", clause=fate.CLAUSE)
    fate.spend(scene, sub.actor, chosen, dice)
    healed = min(sum(one.value for one in dice), _taken(scene, sub))
    scene.change_pool(sub.actor, "wounds", healed, fate.CLAUSE)


SPEND_FATE = Resolver(FateParams, check, resolve)
