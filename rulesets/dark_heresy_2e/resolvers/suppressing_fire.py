"""Suppressing Fire: a burst into a zone, nerves tested there, whom it happens to hit. Clauses DH-4200 to DH-4250."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from app.engine.asks import GM, Option, Question
from app.engine.blocks.d100 import Target
from app.engine.commands import Submission
from app.engine.events import Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Area, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import (
    GUNS_IN_MELEE,
    Attack,
    AttackParams,
    band_of,
    hit_count,
    jams_from,
    rate,
    rounds_needed,
    to_hit,
    why_not_fire,
)
from rulesets.dark_heresy_2e.checks import extra_degrees, judge
from rulesets.dark_heresy_2e.firing import come_under_fire, jam_if_it_does, roll_to_hit, source_of, spend_ammunition
from rulesets.dark_heresy_2e.locations import first_location
from rulesets.dark_heresy_2e.pinning import pinning_tests
from rulesets.dark_heresy_2e.reach import is_engaged
from rulesets.dark_heresy_2e.striking import land, locate
from rulesets.dark_heresy_2e.tags import unknown_modifiers
from rulesets.dark_heresy_2e.weapons import UNARMED, range_of, weapon_of
from rulesets.dark_heresy_2e.zones import facing_of, gun_of, turn_to, why_not_zone, zone_of

WHOLE = 100
"""Per cent."""
Burst = Literal["semi", "full"]
SEMI: Burst = "semi"
FULL: Burst = "full"


class SuppressParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By the burst that is fired: full width of the zone, and what the nerves are tested at; how far the zone goes in
    per cent of the weapon's range; and the test that settles whether anything is hit.

    Clauses: DH-4200 to DH-4230.
    """

    arc: dict[Burst, int]
    pinning: dict[Burst, int]
    reach_percent: int
    shot: AttackParams


# Declaring


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot lay down that fire. Clauses: DH-4200, DH-4220, DH-5340, DH-5700."""
    params: SuppressParams = action.params
    reason = table.rules.reason
    if sub.options.get("fail") is True:
        yield reason("cannot_choose_to_fail", "DH-4220", at="/options/fail")
    for place, name in unknown_modifiers(table, sub.modifiers):
        yield reason("unknown_option", at=f"/modifiers/{place}", names=(name,))
    mode = _mode(table, sub)
    if mode is None:
        yield reason("missing_input", "DH-4200", at="/options/mode", names=(SEMI, FULL))
    shot = _shot(table, sub, params, mode or SEMI)
    yield from why_not_fire(table, shot)
    if shot.item is not None and is_engaged(table, sub.actor) and shot.weapon.class_ not in GUNS_IN_MELEE:
        yield reason("weapon_not_usable_in_melee", "DH-5340", at="/weapon")
    arc = params.arc[mode] if mode is not None else max(params.arc.values())
    yield from why_not_zone(table, sub, shot.item, arc, _farthest(table, shot, params), "DH-4200")
    if not table.has_map and table.said.inside is None:
        yield reason("missing_input", at="/said/inside")


def _mode(table: Table, sub: Submission) -> Burst | None:
    """The burst he names, or the only one that the weapon fires; None where he has to choose."""
    chosen = sub.options.get("mode")
    if chosen is not None:
        return SEMI if chosen == SEMI else FULL
    weapon = weapon_of(table, sub.actor, gun_of(table, sub))
    if rate(weapon, SEMI) and rate(weapon, FULL):
        return None
    return FULL if rate(weapon, FULL) else SEMI


def _shot(table: Table, sub: Submission, params: SuppressParams, mode: Burst) -> Attack:
    """The burst, aimed at nobody yet."""
    item = gun_of(table, sub)
    weapon = weapon_of(table, sub.actor, item)
    nobody = CombatantId("")
    return Attack(sub.actor, nobody, sub.action, params.shot, item, weapon, mode, given=sub.modifiers)


def _farthest(table: Table, shot: Attack, params: SuppressParams) -> Length | None:
    """Half the weapon's range, unless the table lets zones reach as far as they like. Clause: DH-4200."""
    reach = range_of(table, shot.attacker, shot.weapon)
    if reach is None or table.option("kill_zone_range") == "unlimited":
        return None
    return reach * params.reach_percent // WHOLE


# Firing


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The burst is fired, whoever is in the zone holds his nerve or not, and then it shows whether anybody is hit."""
    params: SuppressParams = action.params
    mode = _mode(scene, sub)
    if mode is None:
        return
    shot, facing = _shot(scene, sub, params, mode), facing_of(scene, sub)
    turn_to(scene, sub.actor, facing)
    number, fired = to_hit(scene, shot), spend_ammunition(scene, shot)
    zone = zone_of(scene, sub, params.arc[mode], _farthest(scene, shot, params) or 0, facing or 0)
    people = _inside(scene, sub.actor, zone)
    come_under_fire(scene, shot, people)
    pinning_tests(scene, people, (Term("pinning", params.pinning[mode], ClauseId("DH-4210")),), "DH-4210")
    _hit_somebody(scene, shot, number, fired, people)
    scene.tick("attack", sub.actor)


def _inside(scene: Scene, shooter: CombatantId, zone: Area) -> tuple[CombatantId, ...]:
    """Everybody in the zone and in sight, friends too, in initiative order. Clauses: DH-4210, DH-5720."""
    found = scene.space.inside(zone)
    if isinstance(found, Unknown):
        return ()
    everybody = [body.id for body in scene.in_order() if body.id in found and body.id != shooter]
    return tuple(who for who in everybody if scene.space.sees(shooter, who) is not False)


def _hit_somebody(scene: Scene, shot: Attack, number: Target, fired: int, people: tuple[CombatantId, ...]) -> None:
    """One test for the whole zone: a jam, nothing, or hits on whom chance picks. Clauses: DH-4220 to DH-4250."""
    check = roll_to_hit(scene, shot, number, lambda faces: _seen(scene, shot, number, bool(people), faces))
    if jam_if_it_does(scene, shot, check) or not check.success or not people:
        return
    struck = _at_random(scene, shot.attacker, people, hit_count(scene, shot, check.degrees, fired))
    carried = scene.carried(shot.attacker, shot.item)
    kind = UNARMED if carried is None else carried.kind
    aimed = replace(shot, target=struck[0])
    source = source_of(scene, aimed, check, number, band_of(scene, aimed, struck[0]), kind)
    land(scene, aimed, locate(scene, aimed, check, struck), source)


def _seen(table: Table, shot: Attack, number: Target, anybody: bool, faces: tuple[int, ...]) -> Hashable:
    """What the rest looks at in the die: a jam, how many hits, and where they land."""
    die = faces[0]
    success, degrees = judge(number.number, die, extra_degrees(table, shot.attacker, shot.tested))
    if die >= jams_from(table, shot.weapon, shot.mode):
        return "jam", success
    if not success or not anybody:
        return success
    hits = hit_count(table, shot, degrees, rounds_needed(table, shot.weapon, shot.mode))
    return hits, first_location(table, die), die % 2, min(degrees, shot.weapon.dice.groups[0].sides)


def _at_random(
    scene: Scene, shooter: CombatantId, people: Sequence[CombatantId], count: int
) -> tuple[CombatantId, ...]:
    """Whom the hits strike: one die each among those who were not yet, over again when all were; or as the GM says.

    Clause: DH-4230.
    """
    if scene.flag("gm_random_targets") and len(people) > 1:
        answer = scene.ask(_whom(shooter, people, count))
        if answer.option == "allocate":
            share = answer.share("hits")
            return tuple(who for who in people for _ in range(share.get(who, 0)))
    struck: list[CombatantId] = []
    left: list[CombatantId] = []
    for number in range(1, count + 1):
        left = left or list(people)
        place = 1
        if len(left) > 1:
            dice = scene.roll(f"target{number}", 1, len(left), shooter, "random_target", clause="DH-4230")
            place = dice[0].value
            at = left[place - 1]
            scene.emit(Noted(shooter, "random_target", at, dice=dice, clause=ClauseId("DH-4230")))
        struck.append(left.pop(place - 1))
    return tuple(struck)


def _whom(shooter: CombatantId, people: Sequence[CombatantId], count: int) -> Question:
    spread = Field("hits", "allocation", True, tuple(people), minimum=0, maximum=count, total=count)
    return Question(
        key="",
        name="gm_random_targets",
        kind="gm_random_targets",
        to=GM,
        options=(Option("roll", declines=True), Option("allocate", form=(spread,))),
        default="roll",
        about=shooter,
        informed=True,
        figures={"hits": count},
        clause=ClauseId("DH-4230"),
    )


SUPPRESSING_FIRE = Resolver(SuppressParams, check, resolve)
