"""Making an attack, in the order of SR-600. Clauses SR-210, SR-468, SR-470, SR-535, SR-600, SR-652, SR-655, SR-700."""

from functools import partial

from app.engine.events import (
    AttackMade,
    ContestSettled,
    DefenceResolved,
    Figure,
    Hit,
    HitsScored,
    ItemMoved,
    Noted,
    Term,
)
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.shadowrun_5e import defending
from rulesets.shadowrun_5e.attack import DISARM, SHAKE_UP, VITALS, Attack, attack_terms, limit_of, own_terms
from rulesets.shadowrun_5e.checks import take_test
from rulesets.shadowrun_5e.figures import METRE, RECOIL, is_out, stat, tables_of
from rulesets.shadowrun_5e.harm import CONSEQUENCES, Harm, deal
from rulesets.shadowrun_5e.odds import ATTACK
from rulesets.shadowrun_5e.tables import FiringRow
from rulesets.shadowrun_5e.weapons import AMMO, AWAY, Weapon, in_hand, kind_of, mode_of, rounds
from rulesets.shadowrun_5e.where import lock


def strike(scene: Scene, attack: Attack) -> None:
    """Defence is chosen, attack and defence are rolled, the rest follows from the difference. Clause: SR-600."""
    scene.emit(
        AttackMade(
            attack.attacker,
            attack.target,
            attack.action,
            attack.item,
            kind_of(scene, attack.attacker, attack.item),
            ClauseId(attack.clause),
        )
    )
    if attack.is_melee:
        scene.later(CONSEQUENCES, partial(lock, scene, attack.attacker, attack.target))
    answered = defending.ask(scene, attack)
    rolled = take_test(
        scene,
        attack.attacker,
        attack.weapon.skill,
        ATTACK,
        attack_terms(scene, attack),
        clause="SR-610" if attack.is_melee else "SR-605",
        limit=limit_of(scene, attack),
        against=attack.target,
        push=attack.push,
        item=attack.item,
    )
    defended = defending.roll(scene, attack, answered, rolled.hits)
    net = rolled.hits - (0 if defended is None else defended.hits)
    hit = Hit(1, attack.target)
    if rolled.hits:
        scene.emit(HitsScored(attack.attacker, (hit,), ClauseId("SR-200")))
    if answered.able:
        turned = (1,) if rolled.hits and net <= 0 else ()
        scene.emit(
            DefenceResolved(
                attack.target, attack.attacker, answered.word, turned, () if net <= 0 else (1,), ClauseId("SR-530")
            )
        )
    winner = attack.attacker if net > 0 else attack.target
    scene.emit(ContestSettled(attack.attacker, attack.target, ATTACK, winner, abs(net), ClauseId("SR-210")))
    if net > 0:
        _hit(scene, attack, net)
    elif net == 0 and rolled.hits:
        scene.emit(Noted(attack.attacker, "grazed", attack.target, clause=ClauseId("SR-210")))


def _hit(scene: Scene, attack: Attack, net: int) -> None:
    """A disarming shot knocks the weapon away, anything else hurts. Clauses: SR-468, SR-700."""
    if attack.called == DISARM:
        scene.later(CONSEQUENCES, partial(_disarm, scene, attack, net))
        return
    bonus = tables_of(scene).core.call_shot.vitals if attack.called == VITALS else 0
    terms = (
        *value_terms(scene, attack.attacker, attack.weapon),
        Term("net_hits", net, ClauseId("SR-700")),
        Term("called_shot", bonus, ClauseId("SR-468")),
        *own_terms(scene, attack, "damage"),
    )
    deal(scene, harm_of(scene, attack, terms))


def harm_of(table: Table, attack: Attack, terms: tuple[Term, ...]) -> Harm:
    """The damage of this weapon with these parts."""
    return Harm(
        attack.attacker,
        attack.target,
        tuple(term for term in terms if term.value),
        attack.weapon.dv_type,
        attack.weapon.ap,
        attack.weapon.element,
        attack.called == SHAKE_UP,
        kind_of(table, attack.attacker, attack.item),
    )


def value_terms(table: Table, who: CombatantId, weapon: Weapon) -> tuple[Term, ...]:
    """The weapon's own damage value, with the wielder's strength where it counts. Clause: SR-700."""
    strength = stat(table.who(who), "strength") if weapon.of_strength else 0
    terms = (Term("weapon", weapon.dv, ClauseId("SR-700")), Term("strength", strength, ClauseId("SR-700")))
    return tuple(term for term in terms if term.value)


def _disarm(scene: Scene, attack: Attack, net: int) -> None:
    """The weapon in hand flies a metre for each net hit beyond the first, away from the shot. Clause: SR-468."""
    target = attack.target
    held = next((item for item, _, weapon in in_hand(scene, target) if not weapon.cyberweapon), None)
    if held is None:
        return
    far = (net - 1) * METRE
    place, shooter = scene.who(target).place, scene.who(attack.attacker).place
    if far and scene.has_map and place is not None and shooter is not None:
        line = scene.space.bearing(shooter.point, place.point)
        landed = None if isinstance(line, Unknown) else scene.space.scatter(place.point, line, far)
        place = place if landed is None or isinstance(landed, Unknown) else landed[0]
    scene.emit(ItemMoved(target, held, None, True, ClauseId("SR-468"), lies=place))
    if far and not scene.has_map:
        scene.mark_item(target, held, AWAY, far, "SR-468")
    flies = (Figure("metres", net - 1),) if far else ()
    scene.emit(Noted(target, "disarmed", figures=flies, clause=ClauseId("SR-468")))


# Rounds


def fire_rounds(scene: Scene, who: CombatantId, item: ItemId, row: FiringRow, times: int = 1) -> int:
    """The rounds leave the magazine, hit or miss, and recoil grows; gives how many were fired for each attack.

    Clauses: SR-650, SR-652, SR-655, SR-658.
    """
    mode = mode_of(scene, who, item)
    fired = min(row.rounds, rounds(scene, who, item))
    scene.mark_item(who, item, AMMO, rounds(scene, who, item) - fired * times, "SR-650")
    recoil = min(row.recoil.get(mode, 0), fired) * times if mode is not None else 0
    if recoil:
        scene.change_pool(who, RECOIL, recoil, "SR-658")
        if not scene.has(who, "fired"):
            scene.begin(who, "fired")
    return fired


def defense_for(row: FiringRow, fired: int) -> int:
    """What the burst takes off the defence: one less for each round that was missing. Clause: SR-652."""
    return min(0, row.defense + row.rounds - fired)


def still_there(table: Table, attack: Attack) -> bool:
    """Whether a later share still finds its target up, and its attacker able."""
    return not is_out(table, attack.attacker) and table.who(attack.target).status != "dead"
