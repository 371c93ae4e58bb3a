"""Throwing a grenade, and setting off one that waits. Clauses SR-335, SR-800 to SR-820."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.events import ItemChanged, Term
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.names import ClauseName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Point
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import (
    Attack,
    environment_terms,
    farthest,
    given_terms,
    range_step,
    tags_of,
    why_no_push,
)
from rulesets.shadowrun_5e.checks import FIELD, action_terms, pool_terms, take_test
from rulesets.shadowrun_5e.figures import apart, physical_limit, score_of, tables_of
from rulesets.shadowrun_5e.grenades import Landed, blast, centre_of, lie_in_wait, scatter
from rulesets.shadowrun_5e.weapons import Weapon, is_ready, range_bands, weapon_of
from rulesets.shadowrun_5e.where import distance, missing_distance


class ThrowParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By which clause the throw is judged."""

    clause: ClauseName


def aimed_at(table: Table, sub: Submission) -> Point | None:
    """The point it is thrown at: that of an area, or where the target stands. Clause: SR-800."""
    point = centre_of(sub.area)
    if point is None and sub.targets and table.known(sub.targets[0]):
        place = table.who(sub.targets[0]).place
        point = None if place is None else place.point
    return point if table.has_map else None


def how_far(table: Table, sub: Submission) -> Length | None:
    """Metres to that point; without a map as stated, or to the target. Clause: SR-800."""
    if table.has_map:
        point, place = aimed_at(table, sub), table.who(sub.actor).place
        return None if point is None or place is None else apart(place.point, point)
    stated = sub.options.get("distance")
    if isinstance(stated, int):
        return stated
    return distance(table, sub.actor, sub.targets[0]) if sub.targets and table.known(sub.targets[0]) else None


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A grenade in hand, and no farther than it can be thrown. Clauses: SR-335, SR-660."""
    reason, who, clause = table.rules.reason, sub.actor, action.params.clause
    if sub.weapon is None:
        yield reason("missing_input", clause, at="/weapon")
        yield from _why_too_far(table, farthest(table, who, action), who, how_far(table, sub), clause)
        return
    weapon = weapon_of(table, who, sub.weapon)
    if sub.weapon in table.who(who).items and (weapon.kind != "thrown" or not is_ready(table, who, sub.weapon)):
        yield reason("weapon_not_ready", clause, at="/weapon", names=(sub.weapon,))
    far = how_far(table, sub)
    if far is None:
        stated = missing_distance(table) if sub.targets else "/options/distance"
        yield reason("missing_input", clause, at="/area" if table.has_map else stated, names=sub.targets)
    yield from _why_too_far(table, weapon, who, far, clause)
    yield from why_no_push(table, sub)


def _why_too_far(
    table: Table, weapon: Weapon | None, who: CombatantId, far: Length | None, clause: str
) -> Iterator[Reason]:
    """Beyond all that it can be thrown. Clauses: SR-335, SR-660."""
    if weapon is None or not weapon.range_table or far is None:
        return
    bands, _ = range_bands(table, who, weapon)
    if far > bands[-1]:
        yield table.rules.reason("out_of_range", clause, need_length=bands[-1], got_length=far)


def throw(scene: Scene, sub: Submission, action: Action) -> None:
    """On the point, or astray; it goes off at once, on a timer, or at a word. Clauses: SR-800 to SR-830."""
    who, item = sub.actor, sub.weapon
    assert item is not None
    weapon, held = weapon_of(scene, who, item), scene.item(who, item)
    aimed = aimed_at(scene, sub)
    terms = throw_terms(scene, sub)
    rule = tables_of(scene).core.grenade
    left = None if held.count == 1 else msgspec.structs.replace(held, count=held.count - 1)
    scene.emit(ItemChanged(who, item, left, ClauseId("SR-335")))
    done = take_test(
        scene,
        who,
        weapon.skill,
        "throw",
        terms,
        clause="SR-800",
        limit=physical_limit(scene.who(who)),
        threshold=rule.threshold,
        push=sub.options.get(FIELD) is True,
    )
    point = aimed if done.success else scatter(scene, who, weapon, done.hits, aimed)
    trigger = str(sub.options.get("trigger") or weapon.trigger)
    landed = Landed(who, held.kind, msgspec.structs.replace(weapon, trigger=trigger), point)
    if trigger == "motion_sensor":
        blast(scene, landed)
    else:
        lie_in_wait(scene, landed, score_of(scene, who) + rule.timer)


def throw_terms(table: Table, sub: Submission) -> tuple[Term, ...]:
    """Agility and throwing, the environment, what lies on any action. Clauses: SR-605, SR-665, SR-800."""
    who, weapon = sub.actor, weapon_of(table, sub.actor, sub.weapon)
    attack = Attack(who, who, sub.action, sub.weapon, weapon, given=sub.modifiers)
    step = range_step(table, who, weapon, how_far(table, sub))
    return (
        *pool_terms(table, who, "agility", weapon.skill),
        *environment_terms(table, tags_of(table, attack), step),
        *action_terms(table, who),
        *given_terms(sub.modifiers),
    )


THROW = Resolver(ThrowParams, check, throw)
