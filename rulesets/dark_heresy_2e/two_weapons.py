"""Fighting with a weapon in each hand: the second attack, its needs, its target.

Clauses DH-5300, DH-5310, DH-3190, DH-3440, DH-3870, DH-4570.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.engine.asks import Option, Question
from app.engine.commands import Submission
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import Attack, AttackParams, attack_from, mode_of, why_not_attack
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.striking import make_attack
from rulesets.dark_heresy_2e.weapons import weapon_of

PAIR = ClauseId("DH-5300")
WIELDER = {True: "two_weapon_wielder_melee", False: "two_weapon_wielder_ranged"}
OTHER, NONE = "target", "none"


def pair_from(table: Table, sub: Submission, params: AttackParams) -> tuple[Attack, Attack | None]:
    """The attack that is asked for, and the one with the other weapon if one is named. Clause: DH-5300."""
    first = attack_from(table, sub, params)
    if sub.second_weapon is None:
        return first, None
    return with_second(table, first, sub.second_weapon, sub.targets[1] if len(sub.targets) > 1 else None)


def with_second(table: Table, first: Attack, item: ItemId, target: CombatantId | None = None) -> tuple[Attack, Attack]:
    """Both attacks of a pair, the second at the same target unless another is named."""
    weapon = weapon_of(table, first.attacker, item)
    aimed = first.use_aim and table.flag("aim_both_weapons")
    goal = target or first.target
    second = replace(
        first,
        item=item,
        weapon=weapon,
        target=goal,
        mode=mode_of(table, first.attacker, goal, weapon, first.params),
        paired=True,
        use_aim=aimed,
        unaware=first.unaware and goal == first.target,
    )
    return replace(first, paired=True, goes_on=True), second


def why_not_pair(table: Table, first: Attack, second: Attack) -> Iterator[Reason]:
    """Two one-handed weapons in hand, the talents for their kinds, and a second target he can reach.

    Clauses: DH-3190, DH-3440, DH-4570, DH-5300.
    """
    reason, who, params = table.rules.reason, first.attacker, first.params
    if params.pair is None or not _are_two(table, first, second):
        yield reason("needs_two_weapons", PAIR, at="/second_weapon")
        return
    for melee in sorted({first.weapon.is_melee, second.weapon.is_melee}):
        if WIELDER[melee] not in table.who(who).sheet.traits:
            clause = params.pair
            yield reason("missing_talent_two_weapon_wielder", clause, at="/second_weapon", names=(WIELDER[melee],))
    for one in why_not_attack(table, second):
        yield one if one.at != "/weapon" else replace_at(one)
    yield from _why_too_far_apart(table, first, second)


def replace_at(reason: Reason) -> Reason:
    """The same reason, against the second weapon."""
    return msgspec.structs.replace(reason, at="/second_weapon")


def _are_two(table: Table, first: Attack, second: Attack) -> bool:
    """Two different things, one in each hand, neither of which takes both."""
    if first.item is None or second.item is None or first.item == second.item:
        return False
    carried = [table.carried(first.attacker, item) for item in (first.item, second.item)]
    held = [None if item is None else item.held for item in carried]
    return None not in held and "both" not in held and first.weapon.hands == second.weapon.hands == 1


def _why_too_far_apart(table: Table, first: Attack, second: Attack) -> Iterator[Reason]:
    """Two shots go at targets near each other. Clause: DH-5300."""
    if second.is_melee or second.target == first.target:
        return
    reach, apart = tables_of(table).core.second_target, table.space.distance(first.target, second.target)
    if isinstance(apart, Unknown):
        yield table.rules.reason("missing_input", "DH-5700", at="/said/distance", names=(second.target,))
    elif apart > reach:
        yield table.rules.reason(
            "target_too_far_from_primary", PAIR, at="/targets/1", need_length=reach, got_length=apart
        )


def make_attacks(scene: Scene, first: Attack, second: Attack | None) -> bool:
    """The first attack, completely, then the second: a miss, a jam or an Evasion does not stop it.

    Tells whether a hit of either stood. Clauses: DH-5300, DH-5310.
    """
    if second is None:
        return make_attack(scene, first)
    with scene.within("first"):
        stood = make_attack(scene, first)
    if scene.who(second.attacker).status != "up":
        return stood
    with scene.within("second"):
        goal = second.target
        if goal and scene.who(goal).status == "dead":
            chosen = _another_target(scene, first, second)
            if chosen is None:
                scene.tick("attack", first.attacker, first.target)
                return stood
            goal = chosen
        again = replace(second, target=goal)
        return make_attack(scene, again) or stood


def _another_target(scene: Scene, first: Attack, second: Attack) -> CombatantId | None:
    """Somebody else for the second attack when its target is out of action, or nobody. Clause: DH-5300."""
    fit = []
    for body in scene.in_order():
        known = body.id not in (first.attacker, second.target) and body.id not in scene.unknown_to(first.attacker)
        other = replace(second, target=body.id)
        if known and body.status == "up" and body.side != scene.who(first.attacker).side:
            against = (*why_not_attack(scene, other), *_why_too_far_apart(scene, first, other))
            if not against:
                fit.append(body.id)
    if not fit:
        return None
    answer = scene.ask(
        Question(
            key="",
            name="second_target",
            kind="second_target",
            to=first.attacker,
            options=(
                Option(OTHER, form=(Field("target", "combatant", True, tuple(fit)),)),
                Option(NONE, declines=True),
            ),
            default=NONE,
            best=NONE,
            about=second.target,
            informed=True,
            clause=PAIR,
        )
    )
    return CombatantId(answer.word("target")) if answer.option == OTHER else None
