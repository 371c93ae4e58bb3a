"""Making an attack: the test, the jam, where hits land, Evasion, damage. What it is stands in `attack`.

Clauses DH-3010 to DH-3030, DH-3400 to DH-3430, DH-3720 to DH-3820, DH-4550, DH-5210, DH-5350 to DH-5420.
"""

from dataclasses import replace
from functools import partial

import msgspec

from app.engine.events import AttackMade, Die, Hit, HitsScored, ItemChanged
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import (
    TO_HIT,
    Attack,
    band_of,
    friends_in_the_way,
    hit_count,
    hit_modifiers,
    is_sure,
    jams_from,
    rounds_needed,
    seen_to_hit,
    to_hit,
)
from rulesets.dark_heresy_2e.checks import Check, Target, additional, outcome, settled_test, target_number, tell
from rulesets.dark_heresy_2e.damage import Source, deal
from rulesets.dark_heresy_2e.evasion import Incoming, evade_all
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.locations import first_location, fresh_location, later_locations
from rulesets.dark_heresy_2e.melee import engage
from rulesets.dark_heresy_2e.spreading import allocate
from rulesets.dark_heresy_2e.weapons import UNARMED, ammo, is_thrown


def make_attack(scene: Scene, attack: Attack) -> bool:
    """Make the attack, to the last wound. Tells whether a hit stood."""
    who, cites = attack.attacker, attack.params.cites
    kind = UNARMED if attack.item is None else scene.item(who, attack.item).kind
    scene.emit(AttackMade(who, attack.target, attack.action, attack.item, kind, attack.clause or cites.test))
    band = "" if attack.is_melee else band_of(scene, attack, attack.target)
    number = to_hit(scene, attack)
    fired = _spend_ammunition(scene, attack)
    check = _roll_to_hit(scene, attack, number)
    if attack.is_melee:
        engage(scene, who, attack.target)
    _come_under_fire(scene, attack, (attack.target,))
    if attack.params.leaves is not None:
        scene.begin(who, attack.params.leaves, clause=_leaves_clause(scene, attack))
    jammed = _jammed(scene, attack, check)
    source = _source(scene, attack, check, number, band, kind)
    stood = False
    if check.success and not jammed:
        targets = allocate(scene, attack, hit_count(scene, attack, check.degrees, fired))
        _come_under_fire(scene, attack, targets)
        stood = _land(scene, attack, _locate(scene, attack, check, targets), source)
    elif not jammed:
        _stray(scene, attack, check, source)
    if not attack.goes_on:
        scene.tick("attack", who, attack.target)
    return stood


def _come_under_fire(scene: Scene, attack: Attack, targets: tuple[CombatantId, ...]) -> None:
    """Whoever a ranged attack is aimed at counts as shot at, hit or not, and so does whoever its hits spread to.

    Clauses: DH-3650, DH-5660.
    """
    for who in dict.fromkeys(targets):
        if not attack.is_melee and not scene.has(who, "shot_at"):
            scene.begin(who, "shot_at")


def strike_thing(scene: Scene, attack: Attack) -> bool:
    """Attack a thing, which is nobody: the round, the test, the jam. What a hit does to it the GM says.

    Clause: DH-3810.
    """
    number = target_number(scene, attack.attacker, attack.tested, hit_modifiers(scene, attack, None))
    _spend_ammunition(scene, attack)
    check = _roll_to_hit(scene, attack, number)
    jammed = _jammed(scene, attack, check)
    scene.tick("attack", attack.attacker)
    return check.success and not jammed


def _leaves_clause(scene: Scene, attack: Attack) -> str:
    return scene.rules.effects[attack.params.leaves or ""].clause


def _roll_to_hit(scene: Scene, attack: Attack, number: Target) -> Check:
    """The attack roll. Against somebody helpless a melee attack succeeds whatever the die. Clause: DH-5630."""

    def meaning(dice: tuple[Die, ...]) -> Check:
        check = outcome(scene, attack.attacker, attack.tested, number, dice)
        sure = not check.success and is_sure(scene, attack)
        return replace(check, success=True, degrees=1) if sure else check

    check, told = settled_test(
        scene,
        attack.attacker,
        attack.tested,
        "attack",
        number,
        name=TO_HIT,
        clause=attack.params.cites.test,
        against=attack.target or None,
        meaning=meaning,
        sees=partial(seen_to_hit, scene, attack, number),
    )
    tell(scene, told)
    return check


def _spend_ammunition(scene: Scene, attack: Attack) -> int:
    """Hit or miss the rounds are gone; what is left is fired if they are fewer. Gives the rounds fired.

    Clause: DH-5410.
    """
    if attack.is_melee or attack.item is None:
        return 0
    item = scene.item(attack.attacker, attack.item)
    left = ammo(scene, attack.attacker, attack.item)
    if is_thrown(attack.weapon):
        rest = None if item.count <= 1 else msgspec.structs.replace(item, count=item.count - 1)
        thrown = (
            msgspec.structs.replace(item, held=None, on_ground=True)
            if rest is None and attack.weapon.is_melee
            else rest
        )
        scene.emit(ItemChanged(attack.attacker, attack.item, thrown, ClauseId("DH-5410")))
        return 1
    fired = min(left, rounds_needed(scene, attack.weapon, attack.mode))
    scene.mark_item(attack.attacker, attack.item, "ammo", left - fired, "DH-5410")
    return fired


def _jammed(scene: Scene, attack: Attack, check: Check) -> bool:
    """Whether this die jams the weapon: never a hit, and no shot more till it is cleared. Clause: DH-5390."""
    if attack.item is None or check.die < jams_from(scene, attack.weapon, attack.mode):
        return False
    scene.mark_item(attack.attacker, attack.item, "jammed", 1, "DH-5390")
    return True


def _source(scene: Scene, attack: Attack, check: Check, number: Target, band: str, kind: str) -> Source:
    """What deals the damage of this attack."""
    return Source(
        attack.attacker,
        attack.weapon,
        kind,
        check.degrees if check.success else 0,
        behind_cover=not attack.is_melee,
        twice=is_sure(scene, attack),
        band=band,
        extra_dice=_accurate_dice(scene, attack, check, number),
    )


def _land(scene: Scene, attack: Attack, hits: tuple[Hit, ...], source: Source) -> bool:
    """Hits that were scored: who turns them away, what the rest does. Tells whether one stood."""
    scene.emit(HitsScored(attack.attacker, hits, attack.params.cites.hits))
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
        deal(scene, source, hit, first=hit.number == first)
    return bool(standing)


def _accurate_dice(table: Table, attack: Attack, check: Check, number: Target) -> int:
    """Dice that an aimed single shot with an accurate basic weapon adds. Clause: DH-5495."""
    if attack.mode != "single" or attack.weapon.class_ != "basic" or not attack.weapon.has("accurate"):
        return 0
    if not check.success or not any(term.clause == "DH-4340" for term in number.terms):
        return 0
    rule = tables_of(table).core.accurate
    return min(rule.most, additional(check.degrees) // rule.step)


def _stray(scene: Scene, attack: Attack, check: Check, source: Source) -> None:
    """A shot into a melee that misses may strike a friend there: once, where the attack die says. Clause: DH-5350."""
    friends = friends_in_the_way(scene, attack)
    if not friends:
        return
    with scene.within("stray"):
        place = 0
        if len(friends) > 1:
            place = scene.roll("friend", 1, len(friends), attack.attacker, "stray_shot", clause="DH-5350")[0].value - 1
        hit = Hit(1, friends[place], first_location(scene, check.die))
        scene.emit(HitsScored(attack.attacker, (hit,), ClauseId("DH-5350")))
        for standing in evade_all(scene, Incoming(attack.attacker, attack.weapon, melee=False), (hit,)):
            deal(scene, source, standing, first=True)


def _locate(scene: Scene, attack: Attack, check: Check, targets: tuple[CombatantId, ...]) -> tuple[Hit, ...]:
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
                start = fresh_location(scene, attack.attacker)
            places = (start, *later_locations(scene, attack.attacker, start, check.die, len(numbers) - 1))
        hits.extend(Hit(number, who, place) for number, place in zip(numbers, places, strict=True))
    return tuple(sorted(hits, key=lambda hit: hit.number))
