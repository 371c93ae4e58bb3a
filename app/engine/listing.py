"""What a combatant can do now: every action of the ruleset with its price, its reasons, its targets and weapons.

The same `why_not` judges the list and the submission, so that what the list offers is accepted and what it refuses
is refused with the same reasons. What a client has yet to fill in (`missing_input`, what the ruleset names beside it,
a reason that says so itself) does not make an action unavailable, unless it is an item and he has none that fits, or
somebody and there is nobody.
"""

from collections.abc import Callable, Iterator

import msgspec

from app.engine.actions import Aiming, completed, why_not
from app.engine.asks import Cost
from app.engine.commands import Submission
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.reasons import BadAnswer, Reason
from app.engine.rules import Action
from app.engine.space.model import Sector
from app.engine.state import Combatant
from app.engine.table import Table

DISTANCE = "/said/distance"


class TypeView(msgspec.Struct, frozen=True):
    """One way to take an action: its type, its price, whether that way is open, and how far it takes him at most."""

    type: str
    cost: tuple[Cost, ...]
    available: bool
    extent: Length | None = None


class TargetView(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody an action might be aimed at. `chance` is that of its first test, in millionths; `missing` what a
    submission still has to say for it to be aimed at him.
    """

    id: CombatantId
    available: bool
    reasons: tuple[Reason, ...] = ()
    chance: int | None = None
    missing: tuple[Reason, ...] = ()


class ActionView(msgspec.Struct, frozen=True):
    """An action as its combatant sees it now."""

    id: ActionId
    available: bool
    types: tuple[TypeView, ...]
    default_type: str
    tags: tuple[str, ...]
    clauses: tuple[ClauseId, ...]
    reasons: tuple[Reason, ...]
    targets: tuple[TargetView, ...]
    weapons: tuple[ItemId, ...]
    needs: tuple[str, ...]


def listing(
    table: Table,
    actor: CombatantId,
    hidden: frozenset[CombatantId] = frozenset(),
    awaited: tuple[Reason, ...] = (),
) -> tuple[ActionView, ...]:
    """Every listed action for this combatant that is not forbidden. `hidden` are those whom the reader may not know of,
    `awaited` what stands against all of them while somebody must answer first.
    """
    table = Table(table.rules, table.state, table.said, actor)
    listed = (action for action in table.rules.actions.values() if action.listed and not action.forbidden)
    if awaited:
        return tuple(_closed(table, actor, action, awaited) for action in listed)
    return tuple(view(table, actor, action, hidden) for action in listed)


def _closed(table: Table, actor: CombatantId, action: Action, reasons: tuple[Reason, ...]) -> ActionView:
    """One action while nobody can take any."""
    return ActionView(
        id=action.id,
        available=False,
        types=tuple(
            TypeView(way, price, False, _extent(table, actor, action, way)) for way, price in action.costs.items()
        ),
        default_type=action.default_type,
        tags=tuple(sorted(action.tags)),
        clauses=action.clauses,
        reasons=reasons,
        targets=(),
        weapons=tuple(_weapons(table, actor, action)) if action.weapons.kinds else (),
        needs=tuple(sorted(action.needs)),
    )


def view(table: Table, actor: CombatantId, action: Action, hidden: frozenset[CombatantId] = frozenset()) -> ActionView:
    """One action for this combatant."""
    plain = Submission(actor, action.id)
    weapons = tuple(_weapons(table, actor, action)) if action.weapons.kinds else ()
    lacking = "" if weapons else "/weapon"
    ways = {way: _reasons(table, msgspec.structs.replace(plain, type=way), lacking) for way in action.costs}
    ordinary = _reasons(table, plain, lacking)
    reasons = () if not ordinary or any(not found for found in ways.values()) else ordinary
    open_ways = [way for way, found in ways.items() if not found]
    targets: tuple[TargetView, ...] = ()
    at_a_place = False
    kept = plain if not ordinary or not open_ways else msgspec.structs.replace(plain, type=open_ways[0])
    if action.targets.maximum and open_ways:
        aiming = Aiming(table, kept)
        candidates = _candidates(table, actor, action, hidden)
        targets = tuple(_target(table, kept, action, aiming, body) for body in candidates)
        targets = () if not action.targets.minimum and all(_is_of_nobody(one) for one in targets) else targets
        at_a_place = _at_a_place(table, kept, action, weapons)
    aimed = at_a_place or any(target.available for target in targets)
    asked = () if aimed or not open_ways else _asked_for_somebody(table, plain)
    needs_target = not aimed and (action.targets.minimum > 0 or bool(asked))
    if needs_target and (targets or asked):
        reasons = _shared(targets) or asked
    return ActionView(
        id=action.id,
        available=bool(open_ways) and not needs_target,
        types=tuple(
            TypeView(way, _price(table, plain, action, way), not found, _extent(table, actor, action, way))
            for way, found in ways.items()
        ),
        default_type=_ordinary_type(table, plain, action),
        tags=tuple(sorted(action.tags)),
        clauses=action.clauses,
        reasons=reasons,
        targets=targets,
        weapons=weapons,
        needs=tuple(sorted(action.needs)),
    )


def _ordinary_type(table: Table, plain: Submission, action: Action) -> str:
    """What it is taken as where a submission says nothing of it."""
    if action.type_for is None:
        return action.default_type
    return completed(table, plain, action)[0].type or action.default_type


def _reasons(table: Table, sub: Submission, lacking: str = "") -> tuple[Reason, ...]:
    """Reasons that no further input could take away; what is missing at `lacking` nothing he has could fill in."""
    return _lasting(table, lambda: why_not(table, sub), lacking)


def _price(table: Table, plain: Submission, action: Action, way: str) -> tuple[Cost, ...]:
    """What it costs that way: with what he would take, where that makes the price."""
    if action.becomes is None:
        return action.costs[way]
    try:
        sub, taken = completed(table, msgspec.structs.replace(plain, type=way), action)
    except BadAnswer:
        return action.costs[way]
    return taken.costs.get(sub.type or taken.default_type, action.costs[way])


def _extent(table: Table, actor: CombatantId, action: Action, way: str) -> Length | None:
    """How far he gets with it that way."""
    return None if action.extent is None else action.extent(table, Submission(actor, action.id, type=way), action)


def _lasting(table: Table, judge: Callable[[], tuple[Reason, ...]], lacking: str = "") -> tuple[Reason, ...]:
    """What nothing could fill in, in the order in which it is told; what is missing at `lacking` is among it."""
    try:
        found = judge()
    except BadAnswer:
        return ()
    return tuple(one for one in found if not table.rules.can_fill_in(one) or (lacking and one.at == lacking))


def _sorted(table: Table, judge: Callable[[], tuple[Reason, ...]]) -> tuple[tuple[Reason, ...], tuple[Reason, ...]]:
    """What stands against it for good, and what is only missing of the submission."""
    try:
        found = judge()
    except BadAnswer:
        return (), ()
    missing = tuple([one for one in found if table.rules.can_fill_in(one)])
    return (tuple([one for one in found if one not in missing]), missing) if missing else (found, ())


def _asked_for_somebody(table: Table, sub: Submission) -> tuple[Reason, ...]:
    """What is missing of a submission that is aimed at nobody. Not for what needs no target: of that nothing is."""
    try:
        return tuple(one for one in why_not(table, sub) if one.at == "/targets" and table.rules.can_fill_in(one))
    except BadAnswer:
        return ()


def _candidates(
    table: Table, actor: CombatantId, action: Action, hidden: frozenset[CombatantId]
) -> Iterator[Combatant]:
    """Whom it might be aimed at: not himself, not the dead, not those the reader may not know of; foes first."""
    mine = table.who(actor).side
    present = [body for body in table.state.combatants.values() if body.status in ("up", "down")]
    for body in sorted(present, key=lambda one: (one.side == mine, one.id)):
        if body.id in hidden or (body.id == actor and action.targets.who != "any"):
            continue
        yield body


def _target(table: Table, plain: Submission, action: Action, aiming: Aiming, body: Combatant) -> TargetView:
    reasons, missing = _sorted(table, lambda: aiming.why_not(body.id))
    chance = None
    if not reasons and action.chance is not None and not any(_is_of_space(one) for one in missing):
        whole, taken = completed(table, msgspec.structs.replace(plain, targets=(body.id,)), action)
        chance = None if taken.chance is None else taken.chance(table, whole, taken)
    return TargetView(body.id, not reasons, reasons, chance, () if reasons else missing)


def _is_of_nobody(target: TargetView) -> bool:
    """Whether it cannot be aimed at anybody at all, whoever he is."""
    return bool(target.reasons) and all(one.at == "/targets" for one in target.reasons)


def _is_of_space(missing: Reason) -> bool:
    """Whether nobody has said how far he is, so that there is nothing to reckon a chance from."""
    return missing.at == DISTANCE


def _at_a_place(table: Table, plain: Submission, action: Action, weapons: tuple[ItemId, ...]) -> bool:
    """Whether something he has can be aimed at a place instead of somebody: be it only at his own feet."""
    place = table.who(plain.actor).place
    feet = Sector((0, 0) if place is None else place.point, 0)
    return action.targets.or_place and any(
        not _reasons(table, msgspec.structs.replace(plain, weapon=weapon, area=feet)) for weapon in weapons
    )


def _shared(targets: tuple[TargetView, ...]) -> tuple[Reason, ...]:
    """Reasons that stand against every target alike."""
    if not targets:
        return ()
    codes = set.intersection(*({reason.code for reason in target.reasons} for target in targets))
    return tuple(
        msgspec.structs.replace(reason, at=None, names=()) for reason in targets[0].reasons if reason.code in codes
    )


def _weapons(table: Table, actor: CombatantId, action: Action) -> Iterator[ItemId]:
    for key in table.who(actor).items:
        if table.rules.fits(table, actor, ItemId(key), action):
            yield ItemId(key)
