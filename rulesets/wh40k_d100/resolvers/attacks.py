"""Attack, bursts, area attack, two weapons and charge. Clauses WH-200 to WH-230, WH-620 to WH-650, WH-970 to WH-990."""

from collections.abc import Iterator

import msgspec

from app.engine.asks import Option, Question
from app.engine.blocks.distances import OwnDistance, own_distance
from app.engine.commands import Submission
from app.engine.events import Noted
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Fact, Run, Unknown
from app.engine.table import Table
from rulesets.wh40k_d100.attack import Attack, AttackParams, attack_from, pair_from, types_of
from rulesets.wh40k_d100.conditions import PRONE, can_act, is_out
from rulesets.wh40k_d100.figures import has_many_arms, reach_of
from rulesets.wh40k_d100.hitting import hit_chance
from rulesets.wh40k_d100.moving import go_along, why_blocked, why_held_in_melee
from rulesets.wh40k_d100.reach import is_within_melee
from rulesets.wh40k_d100.refusing import why_not_at, why_not_attack
from rulesets.wh40k_d100.resolvers.movement import Reach
from rulesets.wh40k_d100.striking import make_attack
from rulesets.wh40k_d100.view import hidden_from
from rulesets.wh40k_d100.weapons import MAIN, OFF, is_ready, pair_of, weapon_of

NONE = "none"
TALENT = "two_weapon_wielder"


class ChargeParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far off the target must be, how far one gets, and the blow. Clause: WH-990."""

    reach: Reach
    min_distance: Length
    blow: AttackParams
    beyond: OwnDistance = 0
    most: OwnDistance | None = None


# One attack


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against this attack now."""
    return why_not_attack(table, attack_from(table, sub, action.params, action.weapons.kinds), sub)


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """One attack, from its test to the wounds."""
    attack = attack_from(scene, sub, action.params, action.weapons.kinds)
    use_pair(scene, attack)
    make_attack(scene, attack)


def use_pair(scene: Scene, attack: Attack) -> None:
    """This pair of arms has attacked in this turn. Clause: WH-640."""
    if has_many_arms(scene.who(attack.attacker)):
        scene.begin(attack.attacker, "pair_attacked", value=attack.pair)


def becomes(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """The action with the types of what is done. Clauses: WH-050, WH-310, WH-520."""
    carried = table.who(sub.actor).items
    if any(item is not None and item not in carried for item in (sub.weapon, sub.second_weapon)):
        return sub, action
    if action.weapons.second:
        attacks: tuple[Attack, ...] = pair_from(table, sub, action.params)
    else:
        params = action.params.blow if isinstance(action.params, ChargeParams) else action.params
        attacks = (attack_from(table, sub, params, action.weapons.kinds),)
    more = frozenset[str]().union(*(types_of(table, attack) for attack in attacks))
    if "melee" in action.tags or "ranged" in action.tags:
        more -= {"melee", "ranged"}
    if isinstance(action.params, ChargeParams):
        more -= {"unseen"}
    return sub, msgspec.structs.replace(action, tags=action.tags | more)


def chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance of the attack test against its target, where it has one."""
    if not sub.targets:
        return None
    params = action.params.blow if isinstance(action.params, ChargeParams) else action.params
    if action.weapons.second:
        return hit_chance(table, pair_from(table, sub, params)[0])
    return hit_chance(table, attack_from(table, sub, params, action.weapons.kinds))


# A weapon in each hand


def check_two(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """The talent, a one-handed weapon in each hand of a pair, and the first attack. Where the second may go is judged
    when its turn comes. Clauses: WH-620, WH-650.
    """
    reason = table.rules.reason
    first, second = pair_from(table, sub, action.params)
    if TALENT not in table.who(sub.actor).sheet.traits:
        yield reason("missing_talent", "WH-620", names=(TALENT,))
    if not _are_a_pair(table, first, second):
        yield reason("needs_two_weapons", "WH-620", at="/weapon")
    yield from why_not_attack(table, first, sub)
    second_sub = msgspec.structs.replace(sub, options={}, location=None)
    if second.called is None:
        for name in ("second_side", "second_location", "second_arm_pair"):
            if sub.options.get(name) is not None:
                yield reason("missing_input", "WH-300", at="/options/second_called", names=("second_called",))
    there = {"out_of_reach", "weapon_not_usable_in_melee", "no_line_of_sight", "out_of_range", "missing_input"}
    for one in why_not_attack(table, second, second_sub):
        if one.code not in there:
            yield one


def _are_a_pair(table: Table, first: Attack, second: Attack) -> bool:
    who = first.attacker
    if first.item is None or second.item is None or first.item == second.item:
        return False
    items = table.who(who).items
    one, other = items[first.item], items[second.item]
    if {one.held, other.held} != {MAIN, OFF} or pair_of(one) != pair_of(other):
        return False
    weapons = (weapon_of(table, who, first.item), weapon_of(table, who, second.item))
    if any(weapon.hands > 1 or weapon.area is not None for weapon in weapons):
        return False
    return is_ready(table, who, first.item) and is_ready(table, who, second.item)


def resolve_two(scene: Scene, sub: Submission, action: Action) -> None:
    """Two attacks, one after the other, each with everything of its own. Clauses: WH-630, WH-790."""
    first, second = pair_from(scene, sub, action.params)
    use_pair(scene, first)
    order = (first, second) if scene.option("two_weapon_order") == "main_first" else (second, first)
    for place, attack in enumerate(order):
        with scene.within(attack.hand):
            aimed = attack if not place else _aimed_now(scene, attack)
            if aimed is not None:
                make_attack(scene, aimed)


def _aimed_now(scene: Scene, attack: Attack) -> Attack | None:
    """The second attack as it is still possible: at its target, at another one, or at nobody.

    Clauses: WH-630, WH-650.
    """
    if not can_act(scene, attack.attacker) or not is_ready(scene, attack.attacker, attack.item):
        return None
    if not _stands_against(scene, attack):
        return attack
    able = [
        body.id
        for body in scene.in_order()
        if body.id != attack.attacker and not _stands_against(scene, msgspec.structs.replace(attack, target=body.id))
    ]
    hidden = set(hidden_from(scene, attack.attacker))
    able = [who for who in able if who not in hidden]
    if not able:
        scene.emit(Noted(attack.attacker, "no_second_target", clause=ClauseId("WH-630")))
        return None
    answer = scene.ask(
        Question(
            key="",
            name="second_target",
            kind="second_target",
            to=attack.attacker,
            options=(
                Option("attack", form=(Field("target", "combatant", True, tuple(able)),)),
                Option(NONE, declines=True),
            ),
            default=NONE,
            informed=True,
            clause=ClauseId("WH-630"),
        )
    )
    if answer.option == NONE:
        return None
    return msgspec.structs.replace(attack, target=CombatantId(answer.word("target")))


def _stands_against(scene: Scene, attack: Attack) -> bool:
    """Whether anything stands against it now, at its target."""
    target = attack.target
    if target is None or scene.who(target).status == "dead":
        return True
    return any(True for _ in why_not_at(scene, attack, target))


# Charge


def check_charge(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """On his feet and out of melee, at least so far off in a straight line, and a melee weapon.

    Clauses: WH-080, WH-990.
    """
    params: ChargeParams = action.params
    reason = table.rules.reason
    blow = attack_from(table, sub, params.blow, action.weapons.kinds)
    if table.has(sub.actor, PRONE):
        yield reason("must_stand", "WH-080")
    if not blow.weapon.is_melee:
        yield reason("melee_weapon_required", "WH-210", at="/weapon")
    there = {
        "out_of_reach",
        "weapon_not_usable_in_melee",
        "no_line_of_sight",
        "out_of_range",
        "fire_mode_not_available",
    }
    aimless = msgspec.structs.replace(blow, unseen=None)
    yield from (one for one in why_not_attack(table, aimless, sub) if one.code not in {*there, "missing_input"})
    if blow.called is None and sub.location is not None:
        yield reason("missing_input", "WH-300", at="/options/called", names=("called",))
    target = sub.target
    if target is not None and target != sub.actor and target not in set(hidden_from(table, sub.actor)):
        yield from _why_not_there(table, sub, params)


def how_far(table: Table, sub: Submission, action: Action) -> Length:
    """How far a charge leads. Clause: WH-080."""
    return _charged(table, sub, action.params)


def _charged(table: Table, sub: Submission, params: ChargeParams) -> Length:
    return own_distance(reach_of(table, sub.actor, params.reach), params.beyond, params.most)


def _why_not_there(table: Table, sub: Submission, params: ChargeParams) -> Iterator[Reason]:
    reason, target = table.rules.reason, sub.targets[0]
    distance, run = table.space.distance(sub.actor, target), way_to(table, sub)
    held = run if isinstance(run, Run) else None
    yield from why_held_in_melee(table, sub, held)
    reach = _charged(table, sub, params)
    if isinstance(distance, Unknown) or isinstance(run, Unknown):
        where = "/targets/0" if table.has_map else "/said/distance"
        yield reason("missing_input", at=where, names=("distance",))
        if reach < params.min_distance:
            # However far off he is said to be, it is too near or too far.
            need, got = reach, params.min_distance
            yield reason("move_too_far", "WH-080", at="/targets/0", need_length=need, got_length=got)
        return
    straight = min(distance, run.length)
    if isinstance(run.straight_end, Unknown):
        yield reason("missing_input", at="/said/path_straight", names=("path_straight",))
    else:
        straight = min(straight, run.straight_end)
    if straight < params.min_distance:
        need = params.min_distance
        yield reason("too_close_to_charge", "WH-990", at="/targets/0", need_length=need, got_length=straight)
    if run.length > reach:
        yield reason("move_too_far", "WH-080", at="/targets/0", need_length=reach, got_length=run.length)
    yield from why_blocked(table, run, "/path")


def way_to(table: Table, sub: Submission) -> Fact[Run]:
    """The way as it is drawn, measured to the target; undrawn, the straight one that ends beside him.

    Clause: WH-990.
    """
    return table.space.run_to(sub.actor, sub.targets[0], sub.path)


def resolve_charge(scene: Scene, sub: Submission, action: Action) -> None:
    """Run at him, and strike once on arrival. Clause: WH-990."""
    params: ChargeParams = action.params
    known = scene.as_known_to(sub.actor)
    run = way_to(known, sub)
    assert isinstance(run, Run)
    blow = attack_from(scene, sub, params.blow, action.weapons.kinds)
    use_pair(scene, blow)
    if not go_along(scene, sub, action, run) or is_out(scene, sub.actor) or not can_act(scene, sub.actor):
        return
    target = sub.targets[0]
    if is_within_melee(scene, sub.actor, target, blow.weapon):
        make_attack(scene, msgspec.structs.replace(blow, charging=True))


ATTACK = Resolver(AttackParams, check, resolve, becomes=becomes, chance=chance)
TWO_WEAPON_ATTACK = Resolver(AttackParams, check_two, resolve_two, becomes=becomes, chance=chance)
CHARGE = Resolver(ChargeParams, check_charge, resolve_charge, becomes=becomes, chance=chance, extent=how_far)
