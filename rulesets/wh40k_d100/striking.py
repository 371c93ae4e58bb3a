"""Making an attack, step by step: rounds, unseen and surprise, the test, hits, evasion, damage, alarm.

Clauses WH-070, WH-160, WH-230 to WH-290, WH-370, WH-500, WH-720, WH-970 to WH-990.
"""

from collections.abc import Hashable, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from app.engine.asks import GM, Option, Question
from app.engine.blocks.d100 import reversed_die
from app.engine.events import AttackMade, CheckRolled, Figure, Hit, HitsScored, ItemChanged, Noted
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Point, Sector, Unknown
from app.engine.table import Table
from rulesets.wh40k_d100.attack import TO_HIT, Attack, fails_by_itself
from rulesets.wh40k_d100.checks import Check, succeeds, take_test, target_number, unspoken_test
from rulesets.wh40k_d100.damage import Source, deal
from rulesets.wh40k_d100.evasion import Incoming, evade_all
from rulesets.wh40k_d100.figures import ARM, RIGHT, armour_at, has_arm, part_of, tables_of
from rulesets.wh40k_d100.hitting import to_hit
from rulesets.wh40k_d100.reach import fight, opponents
from rulesets.wh40k_d100.view import decide_surprised, decide_unseen, spread_the_alarm, tell_unseen
from rulesets.wh40k_d100.weapons import AMMO, ammo, range_of

FULL_CIRCLE, METRE = 360, 100


class Circumstances(msgspec.Struct, frozen=True):
    """To whom the attack is unseen, and who is surprised by it. Clauses: WH-520, WH-560."""

    unseen: frozenset[CombatantId]
    surprised: frozenset[CombatantId]


def make_attack(scene: Scene, attack: Attack) -> None:
    """Make the attack, to the last wound and whoever heard it."""
    _announce(scene, attack)
    _spend_rounds(scene, attack)
    if attack.weapon.area is not None:
        _strike_area(scene, attack)
    else:
        _strike_one(scene, attack)
    scene.tick("attack", attack.attacker, attack.target)


def _announce(scene: Scene, attack: Attack) -> None:
    kind = attack.kind
    if attack.target is not None:
        clause = ClauseId(attack.clause)
        scene.emit(AttackMade(attack.attacker, attack.target, attack.action, attack.item, kind, clause))
    else:
        scene.emit(Noted(attack.attacker, "area_attack", words=(kind,), clause=ClauseId("WH-980")))


def _spend_rounds(scene: Scene, attack: Attack) -> None:
    """Hit or miss, the rounds are gone; what is thrown leaves the hand. Clause: WH-290."""
    who, weapon = attack.attacker, attack.weapon
    if weapon.is_melee or scene.carried(who, attack.item) is None or not scene.flag("track_ammo"):
        return
    assert attack.item is not None
    spent = max(1, weapon.rounds_in(attack.params.mode))
    if weapon.is_thrown:
        item = scene.item(who, attack.item)
        rest = None if item.count <= spent else msgspec.structs.replace(item, count=item.count - spent)
        scene.emit(ItemChanged(who, attack.item, rest, ClauseId("WH-290")))
    elif weapon.clip:
        scene.mark_item(who, attack.item, AMMO, ammo(scene, who, attack.item) - spent, "WH-290")


def _circumstances(scene: Scene, attack: Attack, targets: Sequence[CombatantId]) -> Circumstances:
    """What each target has seen of it and expects. Clauses: WH-520, WH-560."""
    who = attack.attacker
    claimed, surprise = attack.unseen is True, attack.surprise
    unseen = [one for one in targets if decide_unseen(scene, who, one, claimed=claimed)]
    surprised = [one for one in targets if decide_surprised(scene, who, one, claimed=surprise and one == attack.target)]
    for one in unseen:
        tell_unseen(scene, who, one)
    return Circumstances(frozenset(unseen), frozenset(surprised))


# One target


def _strike_one(scene: Scene, attack: Attack) -> None:
    target = attack.target
    assert target is not None
    found = _circumstances(scene, attack, (target,))
    check = _roll_to_hit(scene, attack, found)
    if attack.is_melee:
        fight(scene, attack.attacker, target)
    if check is not None and check.success:
        hits = located(scene, attack, check, hit_count(attack, check.degrees))
        _land(scene, attack, hits, check, found)
    elif check is not None:
        _strike_bystander(scene, attack, check)
    spread_the_alarm(scene, attack.attacker, (target,), attack.weapon)


def _roll_to_hit(scene: Scene, attack: Attack, found: Circumstances) -> Check | None:
    """The attack test; None where it fails without one. Clauses: WH-100, WH-160."""
    who = attack.attacker
    if fails_by_itself(scene, attack):
        scene.emit(Noted(who, "attack_failed", attack.target, words=("blinded",), clause=ClauseId("WH-160")))
        return None
    number = to_hit(scene, attack, surprised=attack.target in found.surprised)
    return take_test(
        scene,
        who,
        attack.weapon.tested,
        "attack",
        number,
        clause=attack.clause,
        name=TO_HIT,
        against=attack.target,
        sees=partial(_seen_to_hit, scene, attack),
    )


def _seen_to_hit(table: Table, attack: Attack, check: Check) -> Hashable:
    """What the rest of the attack looks at in its die."""
    target = attack.target
    if attack.weapon.area is not None or target is None:
        return check.success, check.critical, check.degrees if check.success or _strays(table) else 0
    bystanders = table.flag("miss_hits_bystander") and not attack.is_melee
    if not check.success:
        return location_of(table, target, check.die) if bystanders else False
    where = attack.called.strikes() if attack.called is not None else location_of(table, target, check.die)
    body = table.who(target)
    place = where if part_of(where) == ARM else part_of(where)
    replaces = table.option("ask_replacement") != "never"
    return (
        place,
        armour_at(table, body, where, None if attack.called is None else attack.called.special),
        check.critical,
        check.degrees if replaces else _bonus_dice(table, attack, check),
        hit_count(attack, check.degrees),
    )


def hit_count(attack: Attack, successes: int) -> int:
    """How many hits a success gives; a burst at most as many as it has rounds. Clauses: WH-230, WH-970."""
    rule = attack.params.hits
    match rule.formula:
        case "per_success":
            count = successes
        case "one_plus_per":
            count = 1 + max(0, successes - 1) // rule.step
        case _:
            return 1
    return min(max(1, count), attack.weapon.rounds_in(attack.params.mode))


def location_of(table: Table, target: CombatantId, die: int) -> str:
    """Where the attack die, read backwards, strikes; a part that the target lacks becomes the torso.

    Clauses: WH-250, WH-260.
    """
    figure, tables = reversed_die(die), tables_of(table)
    found = next(row.location for row in tables.hit_locations if figure <= row.upto)
    if part_of(found) != ARM:
        return found
    side = RIGHT if found.startswith(RIGHT) else "left"
    return found if has_arm(table.who(target), side) else tables.core.lacking_location


def located(table: Table, attack: Attack, check: Check, count: int) -> tuple[Hit, ...]:
    """Where each hit lands: the first two where the attack struck or was called, the rest in the torso.

    Clauses: WH-250 to WH-270, WH-330, WH-370.
    """
    assert attack.target is not None
    core = tables_of(table).core
    where = attack.called.strikes() if attack.called is not None else location_of(table, attack.target, check.die)
    return tuple(
        Hit(number, attack.target, where if number <= core.located_hits else core.area_location)
        for number in range(1, count + 1)
    )


def _land(scene: Scene, attack: Attack, hits: tuple[Hit, ...], check: Check, found: Circumstances) -> None:
    """Who cancels what, and what the rest does."""
    scene.emit(HitsScored(attack.attacker, hits, ClauseId("WH-270" if len(hits) > 1 else "WH-230")))
    incoming = Incoming(
        attack.attacker,
        attack.is_melee,
        check.critical,
        area=False,
        unseen=found.unseen,
        surprised=found.surprised,
    )
    with scene.within("evade"):
        standing = evade_all(scene, incoming, hits)
    deal(scene, source_of(scene, attack, check), standing)


def source_of(table: Table, attack: Attack, check: Check | None, centre: Point | None = None) -> Source:
    """What deals the damage of this attack."""
    return Source(
        attack.attacker,
        attack.weapon,
        attack.kind,
        successes=check.degrees if check is not None and check.success else 0,
        special=None if attack.called is None else attack.called.special,
        bonus_dice=_bonus_dice(table, attack, check),
        tested=check is not None,
        centre=centre,
        spare=attack.spare,
    )


def _bonus_dice(table: Table, attack: Attack, check: Check | None) -> int:
    """Dice that an aimed accurate shot adds, and one for a Raptor who charges. Clause: WH-990."""
    if check is None:
        return 0
    dice = 0
    aimed = table.has(attack.attacker, "aiming")
    if aimed and attack.weapon.has("accurate") and attack.params.mode == "single":
        rule = tables_of(table).core.accurate
        dice += min(rule.most, max(0, check.degrees - 1) // rule.step)
    if attack.charging and "raptor" in table.who(attack.attacker).sheet.traits:
        dice += 1
    return dice


def _strike_bystander(scene: Scene, attack: Attack, check: Check) -> None:
    """Where the table plays it so, a shot into melee that misses strikes somebody else in it. Clause: WH-500."""
    if attack.is_melee or attack.target is None or not scene.flag("miss_hits_bystander"):
        return
    others = [one for one in opponents(scene, attack.target) if one != attack.attacker]
    if not others:
        return
    with scene.within("bystander"):
        place = 0
        if len(others) > 1:
            dice = scene.roll("who", 1, len(others), attack.attacker, "bystander", clause="WH-500")
            place = dice[0].value - 1
            scene.emit(Noted(attack.attacker, "bystander", others[place], dice=dice, clause=ClauseId("WH-500")))
        struck = others[place]
        hit = Hit(1, struck, location_of(scene, struck, check.die))
        scene.emit(HitsScored(attack.attacker, (hit,), ClauseId("WH-500")))
        none: frozenset[CombatantId] = frozenset()
        incoming = Incoming(attack.attacker, melee=False, critical=False, area=False, unseen=none, surprised=none)
        with scene.within("evade"):
            standing = evade_all(scene, incoming, (hit,))
        deal(scene, Source(attack.attacker, attack.weapon, attack.kind), standing)


# Areas


def _strike_area(scene: Scene, attack: Attack) -> None:
    """A blast where it was aimed, or a cone. Clauses: WH-280, WH-720, WH-980."""
    check: Check | None = None
    centre = None if attack.weapon.is_spray else _centre(scene, attack)
    aimed = (attack.target,) if attack.target is not None else ()
    found = Circumstances(frozenset(), frozenset())
    if attack.weapon.is_tested:
        found = _circumstances(scene, attack, aimed)
        check = _roll_to_hit(scene, attack, found)
        if check is None or not (check.success or _strays(scene)):
            spread_the_alarm(scene, attack.attacker, aimed, attack.weapon)
            return
        if not check.success:
            # Aimed at nobody any more: whoever it reaches is caught as one beside its target would be.
            centre, check = _astray(scene, attack, centre, check.degrees), None
            attack, aimed = replace(attack, target=None), ()
    people = _caught(scene, attack, centre)
    with scene.within("others"):
        rest = tuple(one for one in people if not attack.weapon.is_tested or one not in aimed)
        more = _circumstances(scene, attack, rest)
    more = Circumstances(more.unseen | found.unseen, more.surprised | found.surprised)
    slow = _keep_out(scene, attack, people) if attack.weapon.is_spray else people
    core = tables_of(scene).core
    hits = tuple(Hit(number, one, core.area_location) for number, one in enumerate(slow, 1))
    if hits:
        scene.emit(HitsScored(attack.attacker, hits, ClauseId("WH-280")))
        critical = check is not None and check.critical
        incoming = Incoming(
            attack.attacker, melee=False, critical=critical, area=True, unseen=more.unseen, surprised=more.surprised
        )
        with scene.within("evade"):
            hits = evade_all(scene, incoming, hits)
        deal(scene, source_of(scene, attack, check, centre), hits)
    spread_the_alarm(scene, attack.attacker, (*aimed, *people), attack.weapon)


def _centre(table: Table, attack: Attack) -> Point | None:
    """Where a blast goes off; None where there is no map."""
    if not table.has_map:
        return None
    if attack.target is None:
        return attack.place
    place = table.who(attack.target).place
    return None if place is None else place.point


def _strays(table: Table) -> bool:
    """Whether a blast that misses goes off elsewhere. Clause: WH-980."""
    return table.option("scatter") == "strays"


def _astray(scene: Scene, attack: Attack, centre: Point | None, failures: int) -> Point | None:
    """Where it goes off: in a direction by chance, the first being north, so far for each Failure. Clause: WH-980."""
    rule, who = tables_of(scene).core.scatter, attack.attacker
    dice = scene.roll("scatter", 1, rule.directions, who, "scatter", clause="WH-980")
    far = failures * rule.per_failure
    figures = (Figure("metres", far // METRE),)
    scene.emit(Noted(who, "strayed", dice=dice, figures=figures, clause=ClauseId("WH-980")))
    if centre is None:
        return None
    found = scene.space.scatter(centre, (dice[0].value - 1) * FULL_CIRCLE // rule.directions, far)
    return None if isinstance(found, Unknown) else found[0].point


def _caught(scene: Scene, attack: Attack, centre: Point | None) -> tuple[CombatantId, ...]:
    """Everybody in the area, in order; on no map as it was stated, else as the GM says. Clause: WH-980."""
    area = attack.weapon.area
    assert area is not None
    if scene.has_map:
        if area.kind == "blast":
            found = () if centre is None else scene.space.near(centre, area.radius)
        else:
            cone = _cone(scene, attack)
            found = () if cone is None else scene.space.inside(cone)
        if isinstance(found, Unknown):
            return ()
    else:
        said = scene.said.near if area.kind == "blast" else scene.said.inside
        if said is None or scene.said.by not in ("", attack.attacker):
            found = _listed_by_the_gm(scene, attack)
        else:
            found = (*said, *((attack.target,) if attack.target is not None else ()))
    but = attack.attacker if attack.weapon.is_spray else None
    return tuple(body.id for body in scene.in_order() if body.id in found and body.id != but)


def _cone(table: Table, attack: Attack) -> Sector | None:
    """Towards the target, the point named, or where it is turned; None if he is no longer on the map."""
    place = table.who(attack.attacker).place
    if place is None:
        return None
    facing = attack.facing
    goal = attack.target or attack.place
    if goal is not None and goal != place.point:
        bearing = table.space.bearing(attack.attacker, goal)
        facing = facing if isinstance(bearing, Unknown) else bearing
    reach = range_of(table, attack.attacker, attack.weapon)
    return Sector(place.point, reach, facing or 0, min(FULL_CIRCLE, tables_of(table).core.spray.arc), needs_sight=True)


def _listed_by_the_gm(scene: Scene, attack: Attack) -> tuple[str, ...]:
    everybody = tuple(body.id for body in scene.in_order())
    answer = scene.ask(
        Question(
            key="",
            name="area_caught",
            kind="area_caught",
            to=GM,
            options=(
                Option("these", form=(Field("who", "combatants", True, everybody),)),
                Option("nobody", declines=True),
            ),
            default="nobody",
            about=attack.attacker,
            clause=ClauseId("WH-980"),
        )
    )
    named = answer.fields.get("who", ())
    return tuple(who for who in everybody if who in named)


def _keep_out(scene: Scene, attack: Attack, people: Sequence[CombatantId]) -> tuple[CombatantId, ...]:
    """Who does not get out of a spray: everybody tests side by side, and whoever lies unconscious is hit.

    Clause: WH-980.
    """
    tested = tables_of(scene).core.spray.check
    able = [who for who in people if scene.who(who).status == "up"]

    def test(who: CombatantId) -> tuple[Check, CheckRolled]:
        number = target_number(scene, who, tested, ())
        against = attack.attacker
        return unspoken_test(scene, who, tested, "spray", number, clause="WH-980", against=against, sees=succeeds)

    with scene.within("spray"):
        tests = scene.gather({who: partial(test, who) for who in able})
    for who in able:
        scene.emit(tests[who][1])
    return tuple(who for who in people if who not in tests or not tests[who][0].success)
