"""Attack, All-Out Attack, Move and Attack. Clauses GU-600 to GU-790, GU-900 to GU-960."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.events import ActionStopped, Term
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.gurps_4e.at_hand import with_weapon
from rulesets.gurps_4e.attack import (
    ALL_OUT_ATTACK,
    BODILY,
    BREAK_FREE,
    DETERMINED,
    DOUBLE,
    FEINT,
    SLAM,
    STRONG,
    SUPPRESSION,
    Blow,
    blow_of,
    to_hit,
    why_not_location,
    why_not_options,
    why_not_strike,
    why_not_usable,
)
from rulesets.gurps_4e.checks import chance, total_of
from rulesets.gurps_4e.closing import with_a_way
from rulesets.gurps_4e.conditions import AIMING, holders_of, is_out, loses_the_slot
from rulesets.gurps_4e.converting import from_wait
from rulesets.gurps_4e.extents import extent
from rulesets.gurps_4e.feinting import contest_of_feint, feint_against, why_not_feint
from rulesets.gurps_4e.figures import YARD
from rulesets.gurps_4e.maneuvers import OPTION, spend_records
from rulesets.gurps_4e.moving import Going, MovementParams, go_after, go_before, going_of, when_acting, why_not_go
from rulesets.gurps_4e.reach import distance
from rulesets.gurps_4e.remainder import resumed
from rulesets.gurps_4e.retreating import has_retreated_from
from rulesets.gurps_4e.striking import strike
from rulesets.gurps_4e.suppressing import could_rake, rake, why_not_rake, why_not_zones
from rulesets.gurps_4e.weapons import needs_readying


class AttackParams(MovementParams, frozen=True, forbid_unknown_fields=True):
    """An attacking maneuver: its movement, and whether an option must be chosen."""

    needs_option: bool = False
    to_hit: Annotated[int, Meta(ge=-100, le=100)] = 0
    """What the maneuver itself adds to the roll, beside what the rules give it."""


def option_of(sub: Submission) -> str:
    """The option of the maneuver, empty for none."""
    return str(sub.options.get(OPTION) or "")


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot attack so: the movement, the option, and the attack where he then stands."""
    params: AttackParams = action.params
    going = going_of(table, sub, action, params)
    yield from why_not_go(table, going)
    option = option_of(sub)
    blow = blow_of(table, sub, action.id, option)
    if params.needs_option:
        yield from _why_not_option(table, sub, blow, option)
    if option == SUPPRESSION:
        yield from why_not_rake(table, when_acting(table, going), sub, blow, going)
        return
    yield from why_not_zones(table, sub, used=False)
    if not sub.targets:
        if option or not params.needs_option or not could_rake(table, sub.actor):
            yield table.rules.reason("missing_input", "GU-600", at="/targets")
        yield from why_not_usable(table, blow)
        return
    yield from why_not_options(table, sub, blow)
    then = when_acting(table, going)
    ready_clause = "GU-900" if params.last else "GU-610"
    yield from why_not_location(table, blow)
    found = why_not_strike(then, _placed(table, then, going, blow), ready_clause)
    yield from with_a_way(table, sub, going, blow, found, lambda then, one: check(then, one, action))
    yield from _why_not_bodily(table, then, going, blow)
    if option == DOUBLE:
        yield from _why_not_double(then, sub, blow)
    if option == FEINT:
        yield from why_not_feint(then, blow)


def _why_not_option(table: Table, sub: Submission, blow: Blow, option: str) -> Iterator[Reason]:
    """Exactly one option, and one that fits the weapon. Clauses: GU-700, GU-750."""
    reason, at = table.rules.reason, "/options/option"
    if not option:
        yield reason("option_required", "GU-700", at=at)
        return
    if blow.is_ranged and option in (DOUBLE, FEINT, STRONG):
        yield reason("option_not_for_ranged", "GU-700", at=at, names=(option,))
    if not blow.is_ranged and option == SUPPRESSION:
        yield reason("option_not_for_melee", "GU-700", at=at, names=(option,))
    bodily = blow.form in BODILY
    if option == STRONG and not blow.is_ranged and (bodily or not blow.mode.of_strength):
        yield reason("strong_needs_st_damage", "GU-750", at=at)
    if option != DOUBLE:
        if len(sub.targets) > 1:
            yield reason("too_many_targets", "GU-700", at="/targets", need=1, got=len(sub.targets))
        if sub.second_weapon is not None:
            yield reason("unused_input", at="/second_weapon", names=("second_weapon",))


def _why_not_double(table: Table, sub: Submission, blow: Blow) -> Iterator[Reason]:
    """Both blows at the same foe, with two weapons or with one that needs no readying. Clause: GU-720."""
    reason = table.rules.reason
    if len(set(sub.targets)) > 1:
        yield reason("double_needs_same_target", "GU-720", at="/targets/1", names=sub.targets[1:])
    if sub.second_weapon not in (None, sub.weapon):
        second = blow_of(table, sub, ALL_OUT_ATTACK, DOUBLE, second=True)
        yield from why_not_strike(table, second)
    elif blow.item is not None and blow.form not in BODILY and needs_readying(table, blow.attacker, blow.weapon):
        yield reason("weapon_needs_readying", "GU-720", at="/second_weapon")


def _why_not_bodily(table: Table, then: Table, going: Going, blow: Blow) -> Iterator[Reason]:
    """A slam takes a run toward the foe, and getting free somebody who holds. Clauses: GU-2210, GU-2230."""
    reason = table.rules.reason
    if blow.form == SLAM and blow.target and _yards_toward(table, then, going, blow.target) < 1:
        yield reason("out_of_reach", "GU-2210", at="/path" if table.has_map else "/said/length", need=1, got=0)
    held_by = [holder for holder, _ in holders_of(table, blow.attacker)]
    if blow.form == BREAK_FREE and blow.target not in held_by:
        yield reason("invalid_target", "GU-2230", at="/targets/0", names=(blow.target,))


def _yards_toward(table: Table, then: Table, going: Going, target: CombatantId) -> int:
    """Yards by which he has come nearer before the attack; all he went where nobody knows.

    Clauses: GU-1570, GU-2210.
    """
    before, after = table.space.distance(going.who, target), then.space.distance(going.who, target)
    gone = min(going.at, going.length)
    if isinstance(before, Unknown) or isinstance(after, Unknown):
        return gone // YARD
    return max(0, min(gone, before - after)) // YARD


def _placed(table: Table, then: Table, going: Going, blow: Blow) -> Blow:
    """The attack with what the movement before it makes of it. Clauses: GU-330, GU-2210."""
    if not blow.target or not table.known(blow.target):
        return blow
    near, was = distance(then, blow.attacker, blow.target), distance(table, blow.attacker, blow.target)
    return replace(
        blow, moved=_yards_toward(table, then, going, blow.target), came_close=near == 0 and was != 0 and going.at > 0
    )


def own_blow(table: Table, sub: Submission, action: Action, option: str) -> Blow:
    """The attack with the maneuver's own figure. Clause: GU-600."""
    blow, params = blow_of(table, sub, action.id, option), action.params
    if not isinstance(params, AttackParams) or not params.to_hit:
        return blow
    return replace(blow, extra=(*blow.extra, Term(action.id, params.to_hit, action.clauses[0])))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Move if that comes first, attack, move if that comes after. Clauses: GU-430, GU-640, GU-650, GU-780, GU-900."""
    params: AttackParams = action.params
    going = going_of(scene, sub, action, params)
    started = Table(scene.rules, scene.state, scene.said)
    if not go_before(scene, going):
        _aim_is_over(scene, sub.actor)
        return
    option = option_of(sub)
    whole = resumed(scene, sub, action, lambda one: _reasons_now(scene, one, action))
    if whole is None:
        _aim_is_over(scene, sub.actor)
        return
    if option == SUPPRESSION:
        rake(scene, whole, blow_of(scene, whole, action.id, option))
        return
    blow = from_wait(scene, _placed(started, scene, going, own_blow(scene, whole, action, option)))
    if action.id == ALL_OUT_ATTACK and option == FEINT:
        _feint_and_attack(scene, whole, blow)
    else:
        _attack(scene, whole, blow, option)
    spend_records(scene, sub.actor, blow.target, feints=True)
    _aim_is_over(scene, blow.attacker)
    go_after(scene, going)


def _reasons_now(scene: Scene, sub: Submission, action: Action) -> list[Reason]:
    """What keeps the attack, and a feint before it, from being made where he stands now. Clauses: GU-100, GU-740."""
    blow = blow_of(scene, sub, action.id, option_of(sub))
    if blow.option == SUPPRESSION:
        return list(why_not_usable(scene, blow))
    return list(why_not_feint(scene, blow) if blow.option == FEINT else why_not_strike(scene, blow))


def _attack(scene: Scene, sub: Submission, blow: Blow, option: str) -> None:
    """One attack, or two at one foe as long as both can; a retreat from the first takes none away.

    Clauses: GU-370, GU-720, GU-860, GU-2610.
    """
    blow = replace(blow, feint=feint_against(scene, blow.attacker, blow.target))
    if option != DOUBLE:
        strike(scene, blow)
        return
    retreated = has_retreated_from(scene, blow.target, blow.attacker)
    with scene.within("first"):
        strike(scene, blow)
    if is_out(scene, blow.target) or loses_the_slot(scene, blow.attacker):
        _forfeit(scene, blow, "target_out" if is_out(scene, blow.target) else "slot_lost")
        return
    second = from_wait(scene, blow_of(scene, sub, ALL_OUT_ATTACK, DOUBLE, second=True))
    second = replace(second, feint=blow.feint, moved=blow.moved, came_close=blow.came_close)
    stepped_back = not retreated and has_retreated_from(scene, blow.target, blow.attacker)
    if any(True for _ in why_not_strike(scene, second, in_reach=stepped_back)):
        _forfeit(scene, blow, "no_longer_possible")
        return
    with scene.within("second"):
        strike(scene, second)


def _forfeit(scene: Scene, blow: Blow, why: str) -> None:
    """There is no second blow. Clauses: GU-720, GU-2610."""
    scene.emit(ActionStopped(blow.attacker, ActionId(blow.maneuver), why, ClauseId("GU-720")))


def _feint_and_attack(scene: Scene, sub: Submission, blow: Blow) -> None:
    """A feint that counts for the blow at once; of two the larger. Clauses: GU-740, GU-850."""
    with scene.within("feint"):
        won = contest_of_feint(scene, blow)
    pending = feint_against(scene, blow.attacker, blow.target)
    strike(scene, replace(blow, feint=max(won, pending)))


def _aim_is_over(scene: Scene, who: CombatantId) -> None:
    """The bonus counts for the very next maneuver: used or not, the aim is gone. Clause: GU-1860."""
    scene.end(who, AIMING, why="used", clause="GU-1860")


def hit_chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance in millionths that the attack roll succeeds from where he then stands. Clause: GU-200."""
    option = option_of(sub)
    if not sub.targets or option == SUPPRESSION:
        return None
    going = going_of(table, sub, action, action.params)
    blow = own_blow(table, sub, action, option)
    if blow.form == BREAK_FREE:
        return None
    return chance(total_of(to_hit(when_acting(table, going), blow)))


ATTACK = ALL_OUT = MOVE_AND = Resolver(
    AttackParams, check, resolve, becomes=with_weapon, chance=hit_chance, extent=extent
)
__all__ = ["ATTACK", "DETERMINED"]
