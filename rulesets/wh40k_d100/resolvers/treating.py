"""Treating: what lasts until it is treated ends. Clauses WH-920, WH-940."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.ids import CombatantId
from app.engine.names import EffectName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.wh40k_d100.conditions import FOREVER, rounds_left
from rulesets.wh40k_d100.figures import tables_of
from rulesets.wh40k_d100.view import hidden_from


class TreatParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which conditions end, where they last until treated. Clause: WH-940."""

    ends: tuple[EffectName, ...]


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Somebody at hand, himself or another, who has something to be treated. Clause: WH-940."""
    reason = table.rules.reason
    for place, one in enumerate(sub.targets):
        at = f"/targets/{place}"
        if one in set(hidden_from(table, sub.actor)):
            yield reason("no_such_target", "WH-200", at=at, names=(one,))
            continue
        if table.who(one).status == "dead":
            yield reason("target_is_dead", "WH-200", at=at, names=(one,))
        elif not _wounds(table, one, action):
            yield reason("nothing_to_treat", "WH-940", at=at, names=(one,))
        within = tables_of(table).engagement[0].metres
        if one != sub.actor and table.space.adjacent(sub.actor, one, within) is False:
            yield reason("out_of_reach", "WH-940", at=at, names=(one,))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """They are over. Clause: WH-940."""
    for one in sub.targets:
        for effect in _wounds(scene, one, action):
            scene.end_one(one, effect, "treated", "WH-940")


def _wounds(table: Table, who: CombatantId, action: Action) -> list[Effect]:
    """What lasts until it is treated. Clause: WH-920."""
    params: TreatParams = action.params
    return [effect for kind in params.ends for effect in table.effects(who, kind) if rounds_left(effect) == FOREVER]


TREAT = Resolver(TreatParams, check, resolve)
