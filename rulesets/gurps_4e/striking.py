"""Making an attack: the roll, the defence, the damage, the weapon afterwards.

Clauses GU-270, GU-280, GU-360, GU-2040, GU-2050.
"""

from collections.abc import Hashable

from msgspec.structs import replace

from app.engine.events import AttackMade, Hit, HitsScored, Term
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.scene import Scene
from rulesets.gurps_4e.attack import (
    BODILY,
    BREAK_FREE,
    GRAPPLE,
    NAMED,
    SHIELD_BASH,
    SHOT,
    SHOVE,
    SLAM,
    STRONG,
    THROW,
    Blow,
    shot_range,
    skill_of,
    to_hit,
)
from rulesets.gurps_4e.bodily import bodily_harm, break_free, grapple, shove, slam
from rulesets.gurps_4e.checks import Check, unspoken_test
from rulesets.gurps_4e.conditions import drop, is_out, spend_rounds
from rulesets.gurps_4e.criticals import MAXIMUM, critical_hit, critical_miss
from rulesets.gurps_4e.defending import defend
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.injuries import Harm, deal
from rulesets.gurps_4e.locations import placed
from rulesets.gurps_4e.moving_events import settle_movement
from rulesets.gurps_4e.weapons import UNREADY, Damage, damage_of, needs_readying, range_of

PUNCTURE = 2


def strike(scene: Scene, blow: Blow) -> bool:
    """One attack, to its last consequence. Tells whether a hit stood. Clause: GU-270."""
    with settle_movement(scene):
        stood = _strike(scene, blow)
    return stood


def _strike(scene: Scene, blow: Blow) -> bool:
    who = blow.attacker
    if blow.form == BREAK_FREE:
        return break_free(scene, blow)
    carried = scene.carried(who, blow.item)
    kind = "unarmed" if carried is None else carried.kind
    form = blow.form if blow.form in NAMED else ""
    scene.emit(AttackMade(who, blow.target, ActionId(blow.maneuver), blow.item, kind, ClauseId("GU-600"), form))
    terms = to_hit(scene, blow)
    _fire(scene, blow)
    told = unspoken_test(
        scene,
        who,
        skill_of(scene, blow),
        "attack",
        terms,
        clause="GU-270",
        name="to_hit",
        against=blow.target,
        sees=lambda check: _seen(blow, check),
    )
    scene.emit(told.event)
    check = told.check
    stood = _land(scene, blow, check, kind) if check.success else False
    if check.critical and not check.success:
        critical_miss(scene, who, blow)
    _use(scene, blow)
    _after(scene, blow)
    return stood


def _seen(blow: Blow, check: Check) -> Hashable:
    """What the rest of the attack looks at in the roll. Clauses: GU-280, GU-2040."""
    return check.success and (hit_count(blow, check), check.total == MAXIMUM)


def hit_count(blow: Blow, check: Check) -> int:
    """Hits of a success: one more for every full Recoil in the margin, at most the shots fired or left in the zone.

    Clauses: GU-2040, GU-2510.
    """
    if blow.form != SHOT:
        return 1
    most = blow.shots if blow.left is None else blow.left
    return min(most, 1 + max(0, check.margin) // blow.weapon.rcl)


def _fire(scene: Scene, blow: Blow) -> None:
    """The rounds are gone, hit or miss; those of a zone under fire went when it was laid.

    Clauses: GU-1310, GU-2030, GU-2500.
    """
    if blow.form == SHOT and blow.item is not None and blow.left is None:
        spend_rounds(scene, blow.attacker, blow.item, blow.shots)


def _use(scene: Scene, blow: Blow) -> None:
    """The balance of the weapon, or the block of the shield, is spent. Clauses: GU-270, GU-360, GU-2240."""
    if scene.carried(blow.attacker, blow.item) is None:
        return
    if blow.weapon.unbalanced and not blow.is_ranged and blow.form not in (SLAM, SHOVE, GRAPPLE):
        scene.begin(blow.attacker, "unbalanced_by_attack", item=blow.item)
    if blow.form == SHIELD_BASH:
        scene.begin(blow.attacker, "blocked", clause="GU-2240", item=blow.item)
        if not any(one.against == blow.target for one in scene.effects(blow.attacker, "bashed")):
            scene.begin(blow.attacker, "bashed", against=blow.target)


def _land(scene: Scene, blow: Blow, check: Check, kind: str) -> bool:
    """A hit: the defence unless it is critical, then what it does. Clauses: GU-270, GU-280, GU-300."""
    count = hit_count(blow, check)
    hits = tuple(Hit(number, blow.target, blow.location) for number in range(1, count + 1))
    scene.emit(HitsScored(blow.attacker, hits, ClauseId("GU-2040" if count > 1 else "GU-270")))
    if not check.critical:
        count = defend(scene, blow, count)
    if not count:
        return False
    hits = hits[:count]
    if blow.random_location:
        hits = tuple(placed(scene, hit, blow.attacker) for hit in hits)
    harm = bodily_harm(scene, blow) if blow.form in BODILY else harm_of(scene, blow, kind)
    if check.critical:
        harm = critical_hit(scene, blow, harm, check.total, hits[0].location)
    match blow.form:
        case "grapple":
            grapple(scene, blow, harm)
        case "shove":
            shove(scene, blow, harm)
        case "slam":
            slam(scene, blow, harm)
        case _:
            for hit in hits:
                if scene.who(blow.target).status != "dead":
                    deal(scene, harm if hit.number == 1 else _plain(harm), hit)
    return True


def _plain(harm: Harm) -> Harm:
    """What the hits after the first of a critical success are: plain ones. Clause: GU-280."""
    return replace(
        harm, multiple=1, half_dr=False, at_most=False, major=False, double_shock=False, limb_useless=False, drops=False
    )


def harm_of(scene: Scene, blow: Blow, kind: str) -> Harm:
    """The damage of an attack with everything added to it. Clauses: GU-630, GU-750, GU-1570, GU-1580, GU-2100."""
    who = blow.attacker
    damage = damage_of(scene, who, blow.mode.damage)
    terms: list[Term] = []
    if blow.option == STRONG:
        terms.append(Term(STRONG, strong_bonus(scene, damage), ClauseId("GU-750")))
    if blow.approach:
        terms.append(Term("stop_thrust", blow.approach // PUNCTURE, ClauseId("GU-1570")))
    return Harm(
        who,
        damage,
        blow.mode.type,
        kind,
        blow.mode.divisor,
        blow.location,
        tuple(term for term in terms if term.value),
        halved="GU-630" if blow.is_ranged and _beyond_half(scene, blow) else "",
    )


def strong_bonus(scene: Scene, damage: Damage) -> int:
    """What All-Out Attack (Strong) adds. Clause: GU-750."""
    strong = tables_of(scene).core.strong
    return max(strong.plus, strong.per_die * damage.dice.count)


def _beyond_half(scene: Scene, blow: Blow) -> bool:
    """Whether the target is beyond the range at which damage is halved. Clause: GU-630."""
    half, _ = range_of(scene.who(blow.attacker), blow.weapon, blow.thrown)
    return half is not None and shot_range(scene, blow) > half


def _after(scene: Scene, blow: Blow) -> None:
    """The state of the weapon after the attack. Clauses: GU-270, GU-810, GU-1320, GU-2070."""
    who, item = blow.attacker, blow.item
    if item is None or item not in scene.who(who).items:
        return
    if blow.form == THROW:
        _lies_there(scene, who, blow)
        return
    heavy = not blow.is_ranged and needs_readying(scene, who, blow.weapon)
    if heavy and not is_out(scene, who) and scene.who(who).items[item].held is not None:
        scene.mark_item(who, item, UNREADY, 1, "GU-1320")


def _lies_there(scene: Scene, who: CombatantId, blow: Blow) -> None:
    """A thrown weapon lies at the target's place. Clause: GU-2070."""
    assert blow.item is not None
    carried = scene.carried(who, blow.item)
    if carried is None or carried.held is None:
        return
    there, far = scene.who(blow.target).place, shot_range(scene, blow)
    drop(scene, who, blow.item, "GU-2070", lies=there, away=far, why="thrown")
