"""Making an attack: the test, the jam, where hits land, Evasion, damage. What it is stands in `attack`.

Clauses DH-3010 to DH-3030, DH-3400 to DH-3430, DH-3720 to DH-3820, DH-4550, DH-5210, DH-5350 to DH-5420.
"""

from msgspec.structs import replace

from app.engine.events import AttackMade, Hit, HitsScored, Noted
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from rulesets.dark_heresy_2e.attack import (
    Attack,
    band_of,
    friends_in_the_way,
    hit_count,
    hit_modifiers,
    to_hit,
)
from rulesets.dark_heresy_2e.blasting import make_area_attack
from rulesets.dark_heresy_2e.checks import Check, target_number
from rulesets.dark_heresy_2e.damage import Source, deal
from rulesets.dark_heresy_2e.evasion import Incoming, evade_all
from rulesets.dark_heresy_2e.firing import (
    come_under_fire,
    jam_if_it_does,
    roll_to_hit,
    source_of,
    spend_ammunition,
)
from rulesets.dark_heresy_2e.locations import first_location, fresh_location, later_locations
from rulesets.dark_heresy_2e.melee import engage
from rulesets.dark_heresy_2e.spreading import allocate
from rulesets.dark_heresy_2e.weapons import UNARMED


def make_attack(scene: Scene, attack: Attack) -> bool:
    """Make the attack, to the last wound. Tells whether a hit stood."""
    if attack.is_area:
        return make_area_attack(scene, attack)
    who, cites = attack.attacker, attack.params.cites
    carried = scene.carried(who, attack.item)
    kind = UNARMED if carried is None else carried.kind
    scene.emit(AttackMade(who, attack.target, attack.action, attack.item, kind, attack.clause or cites.test))
    band = _band(scene, attack, attack.target)
    number = to_hit(scene, attack)
    fired = spend_ammunition(scene, attack)
    check = roll_to_hit(scene, attack, number)
    if attack.is_melee:
        engage(scene, who, attack.target)
    come_under_fire(scene, attack, (attack.target,))
    if attack.params.leaves is not None:
        scene.begin(who, attack.params.leaves, clause=_leaves_clause(scene, attack))
    jammed = jam_if_it_does(scene, attack, check)
    source = source_of(scene, attack, check, number, band, kind)
    stood = False
    if check.success and not jammed:
        targets = allocate(scene, attack, hit_count(scene, attack, check.degrees, fired))
        come_under_fire(scene, attack, targets)
        stood = land(scene, attack, locate(scene, attack, check, targets), source)
    elif not jammed:
        _stray(scene, attack, check, source)
    if not attack.goes_on:
        scene.tick("attack", who, attack.target)
    return stood


def _band(scene: Scene, attack: Attack, target: CombatantId) -> str:
    """The range band in which it strikes him; none hand to hand."""
    return "" if attack.is_melee else band_of(scene, attack, target)


def strike_thing(scene: Scene, attack: Attack) -> bool:
    """Attack a thing, which is nobody: the round, the test, the jam. What a hit does to it the GM says.

    Clause: DH-3810.
    """
    number = target_number(scene, attack.attacker, attack.tested, hit_modifiers(scene, attack, None))
    spend_ammunition(scene, attack)
    check = roll_to_hit(scene, attack, number)
    jammed = jam_if_it_does(scene, attack, check)
    scene.tick("attack", attack.attacker)
    return check.success and not jammed


def _leaves_clause(scene: Scene, attack: Attack) -> str:
    return scene.rules.effects[attack.params.leaves or ""].clause


def land(scene: Scene, attack: Attack, hits: tuple[Hit, ...], source: Source) -> bool:
    """Hits that were scored: who turns them away, what the rest does. Tells whether one stood."""
    if not hits:
        return False
    scene.emit(HitsScored(attack.attacker, hits, attack.params.cites.hits))
    others = {hit.target for hit in hits if hit.target != attack.target}
    bands = {attack.target: source.band, **{who: _band(scene, attack, who) for who in sorted(others)}}
    incoming = Incoming(
        attack.attacker,
        attack.weapon,
        attack.is_melee,
        unaware=attack.target if attack.unaware else None,
        given=frozenset(modifier.id for modifier in attack.given),
        action=attack.action,
    )
    with scene.within("evade"):
        standing = evade_all(scene, incoming, hits)
    if attack.effect is not None:
        return bool(standing)
    first = min(hit.number for hit in hits)
    for hit in standing:
        deal(scene, replace(source, band=bands[hit.target]), hit, first=hit.number == first)
    return bool(standing)


def _stray(scene: Scene, attack: Attack, check: Check, source: Source) -> None:
    """A shot into a melee that misses may strike a friend there: once, where the attack die says. Clause: DH-5350."""
    friends = friends_in_the_way(scene, attack)
    if not friends:
        return
    with scene.within("stray"):
        place = 0
        if len(friends) > 1:
            dice = scene.roll("friend", 1, len(friends), attack.attacker, "stray_shot", clause="DH-5350")
            place = dice[0].value - 1
            clause = ClauseId("DH-5350")
            scene.emit(Noted(attack.attacker, "random_target", friends[place], dice=dice, clause=clause))
        hit = Hit(1, friends[place], first_location(scene, check.die))
        scene.emit(HitsScored(attack.attacker, (hit,), ClauseId("DH-5350")))
        for standing in evade_all(scene, Incoming(attack.attacker, attack.weapon, melee=False), (hit,)):
            deal(scene, source, standing, first=True)


def locate(scene: Scene, attack: Attack, check: Check, targets: tuple[CombatantId, ...]) -> tuple[Hit, ...]:
    """Where each hit lands. A named place takes that of the first; further ones follow the table from there.

    Clauses: DH-3180, DH-3430, DH-3800, DH-5210, DH-5220.
    """
    named = attack.location if attack.params.named_location else None
    first = named or first_location(scene, check.die)
    hits: list[Hit] = []
    for who in dict.fromkeys(targets):
        numbers = [number for number, one in enumerate(targets, 1) if one == who]
        with scene.within(f"location_{who}"):
            start = first
            if who != attack.target and scene.option("split_hit_location") == "roll_d100":
                start = fresh_location(scene, attack.attacker, who)
            places = (start, *later_locations(scene, attack.attacker, start, check.die, len(numbers) - 1))
        hits.extend(Hit(number, who, place) for number, place in zip(numbers, places, strict=True))
    return tuple(sorted(hits, key=lambda hit: hit.number))
