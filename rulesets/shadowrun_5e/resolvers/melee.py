"""Blows: the Complex Action. Clauses SR-415, SR-470, SR-545, SR-610, SR-615."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import (
    CALLING,
    AttackParams,
    attacks_of,
    why_not_called,
    why_not_split,
    why_not_struck,
)
from rulesets.shadowrun_5e.resolvers.fire import odds_of
from rulesets.shadowrun_5e.striking import still_there, strike


class MeleeParams(AttackParams, frozen=True, forbid_unknown_fields=True):
    """A blow has no figures beside those of any attack."""


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Weapon and reach; several targets and called shots. Clauses: SR-415, SR-468, SR-470."""
    yield from why_not_struck(table, sub)
    yield from why_not_called(table, sub, 1)
    yield from why_not_split(table, sub, 1)


def melee(scene: Scene, sub: Submission, action: Action) -> None:
    """One blow, or a share of the pool at each target. Clauses: SR-415, SR-470, SR-600."""
    for number, attack in enumerate(attacks_of(scene, sub, action.id, clause="SR-415"), 1):
        if still_there(scene, attack):
            with scene.within(f"attack{number}"):
                strike(scene, attack)
    scene.end(sub.actor, CALLING, "splitting", why="used", clause="SR-468")


def chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance in millionths that the first blow has more hits than a plain defence. Clause: SR-530."""
    return odds_of(table, attacks_of(table, sub, action.id)[0]) if sub.targets else None


MELEE = Resolver(MeleeParams, check, melee, chance=chance)
