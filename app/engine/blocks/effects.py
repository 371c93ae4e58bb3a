"""An action that is data alone: effects begin and end on whoever takes it, or on those it is aimed at.

The end of what begins stands with the effect. Conditions are tags of effects (`actor.prone`, `target.stunned`); each
requirement is the refusal that it gives.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.engine.commands import Submission
from app.engine.ids import ClauseId, CombatantId
from app.engine.names import ClauseName, EffectName, ReasonName
from app.engine.reasons import Reason
from app.engine.rules import Action, Clash, Resolver, Whole
from app.engine.scene import Scene
from app.engine.table import Table

Whom = Literal["actor", "target"]
Figure = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]


class _Op(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Root of what can be done. `step` settles the order, then the id under which it stands."""

    effect: EffectName
    whom: Whom = "actor"
    step: Annotated[int, Meta(ge=0, le=100)] = 0


class Begin(_Op, frozen=True, tag="begin"):
    """An effect begins; with `pair` it is against the other side of the action."""

    value: Figure = 0
    pair: bool = False
    clause: ClauseName | None = None


class End(_Op, frozen=True, tag="end"):
    """An effect ends, where there is one."""

    clause: ClauseName | None = None


class Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Effects that must be there, of which one must be there, and that must not."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    without: tuple[str, ...] = msgspec.field(default=(), name="not")


class EffectParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What happens, each under an id, and what must hold, each under the code of its refusal."""

    do: dict[str, Begin | End]
    requires: dict[ReasonName, Needs] = {}


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every requirement that does not hold, for the actor or for any of those it is aimed at."""
    params: EffectParams = action.params
    for code, needs in params.requires.items():
        clause = action.clauses[0]
        if not _holds(table, sub.actor, None, needs) if not sub.targets else False:
            yield table.rules.reason(code, clause)
        for place, target in enumerate(sub.targets):
            if table.known(target) and not _holds(table, sub.actor, target, needs):
                yield table.rules.reason(code, clause, at=f"/targets/{place}", names=(target,))


def _holds(table: Table, actor: CombatantId, target: CombatantId | None, needs: Needs) -> bool:
    def is_so(tag: str) -> bool:
        role, _, effect = tag.partition(".")
        who = actor if role == "actor" else target
        return who is not None and table.has(who, effect)

    # Nothing is said yet of whom it is aimed at: only what hangs on the actor is judged.
    judged = {
        group: [tag for tag in getattr(needs, group) if target is not None or tag.startswith("actor.")]
        for group in ("all", "any", "without")
    }
    some = not needs.any or any(is_so(tag) for tag in judged["any"]) or len(judged["any"]) < len(needs.any)
    return all(is_so(tag) for tag in judged["all"]) and some and not any(is_so(tag) for tag in judged["without"])


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Everything in its order, on whom it falls."""
    params: EffectParams = action.params
    for _, op in sorted(params.do.items(), key=lambda one: (one[1].step, one[0])):
        for who in (sub.actor,) if op.whom == "actor" else sub.targets:
            _do(scene, sub, action, op, who)


def _do(scene: Scene, sub: Submission, action: Action, op: Begin | End, who: CombatantId) -> None:
    clause = op.clause or str(action.clauses[0])
    if isinstance(op, End):
        scene.end(who, op.effect, why="ended", clause=clause)
        return
    against = None
    if op.pair:
        against = sub.actor if op.whom == "target" else sub.target
    scene.begin(who, op.effect, clause=ClauseId(clause), value=op.value, source=sub.actor, against=against)


def clashes(params: EffectParams, whole: Whole) -> Iterator[Clash]:
    """Conditions that nothing ever sets, and an action that does nothing."""
    if not params.do:
        yield Clash(("do",), "too_few", need="1")
    for code, needs in params.requires.items():
        for group, field in (("all", "all"), ("any", "any"), ("without", "not")):
            for place, tag in enumerate(getattr(needs, group)):
                role, _, effect = tag.partition(".")
                if role not in ("actor", "target") or effect not in whole.effects:
                    yield Clash(("requires", code, field, str(place)), "unknown_tag", got=tag)


EFFECT = Resolver(EffectParams, check, resolve, clashes=clashes)
GENERIC = {"effect": EFFECT}
"""Rules of the engine's own, on which any ruleset's actions may be built."""
