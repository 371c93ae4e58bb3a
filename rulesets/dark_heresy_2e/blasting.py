"""Area attacks: a blast that goes off where it lands, a cone that is sprayed. Clauses DH-3660 to DH-3680, DH-5480."""

from collections.abc import Sequence
from functools import partial

from app.engine.asks import GM, Option, Question
from app.engine.dice import parse_dice
from app.engine.events import AttackMade, Die, Figure, Hit, HitsScored, Noted
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Area, Point, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.area import BLAST, CLAUSE, SPRAY, UNIT, blast_at, cone_of, impact_of, in_blast, in_cone
from rulesets.dark_heresy_2e.attack import HELPLESS, Attack, hit_count, to_hit
from rulesets.dark_heresy_2e.checks import tell, unspoken_test
from rulesets.dark_heresy_2e.damage import Source, deal, roll_damage
from rulesets.dark_heresy_2e.evasion import Incoming, evade_all
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.firing import come_under_fire, jam_if_it_does, roll_to_hit, source_of, spend_ammunition
from rulesets.dark_heresy_2e.locations import fresh_location
from rulesets.dark_heresy_2e.weapons import UNARMED

FULL_TURN = 360


def make_area_attack(scene: Scene, attack: Attack) -> bool:
    """Make the attack, to the last wound. Tells whether it struck anybody who stayed in it."""
    who = attack.attacker
    carried = scene.carried(who, attack.item)
    kind = UNARMED if carried is None else carried.kind
    clause = attack.clause or attack.params.cites.test
    if attack.target:
        scene.emit(AttackMade(who, attack.target, attack.action, attack.item, kind, clause))
    else:
        scene.emit(Noted(who, "area_attack", words=(kind,), clause=ClauseId(CLAUSE)))
    stood = _spray(scene, attack, kind) if attack.weapon.has(SPRAY) else _blast(scene, attack, kind)
    if not attack.goes_on:
        scene.tick("attack", who, attack.target or None)
    return stood


# Blast


def _blast(scene: Scene, attack: Attack, kind: str) -> bool:
    """The attack roll; a hit goes off where it was aimed, a miss where it strays to; a jam is no shot at all.

    Each hit of a burst is an explosion of its own, with one damage roll for all in it.
    """
    number = to_hit(scene, attack)
    impact, aimed_at = impact_of(scene, attack), (attack.target,) if attack.target else ()
    fired = spend_ammunition(scene, attack)
    check = roll_to_hit(scene, attack, number)
    come_under_fire(scene, attack, aimed_at)
    if jam_if_it_does(scene, attack, check):
        return False
    explosions, centre, known = 1, impact, _known(scene, attack)
    if check.success:
        explosions = hit_count(scene, attack, check.degrees, fired)
        caught = in_blast(known, attack, impact)
    else:
        strayed = _scatter(scene, attack, impact)
        caught = in_blast(known, attack, strayed)
        centre = impact if strayed is None else strayed
    people = caught_in(scene, attack, caught)
    source = source_of(scene, attack, check, number, "", kind, centre=centre)
    return explode(scene, attack, people, centre, source, explosions)


def explode(
    scene: Scene, attack: Attack, people: Sequence[CombatantId], centre: Point, source: Source, explosions: int = 1
) -> bool:
    """Each explosion strikes everybody who does not dodge out of the area, with one damage roll for all of them.

    Tells whether it struck anybody.
    """
    come_under_fire(scene, attack, tuple(people))
    times = len(people)
    hits = [
        Hit(explosion * times + place, one) for explosion in range(explosions) for place, one in enumerate(people, 1)
    ]
    standing = _stay_in(scene, attack, hits, blast_at(attack, centre))
    for explosion in range(explosions):
        low = explosion * times
        struck = [hit for hit in standing if low < hit.number <= low + times]
        with scene.within(f"{BLAST}{explosion + 1}"):
            _strike(scene, source, struck, first=explosion == 0)
    return bool(standing)


def _known(scene: Scene, attack: Attack) -> Table:
    """A map holds whoever really is there; without one only what the attacker's side knows can have been stated."""
    return scene if scene.has_map else scene.as_known_to(attack.attacker)


def _scatter(scene: Scene, attack: Attack, impact: Point) -> Point | None:
    """A direction, and so many metres that way; some faces give none, and it stays.

    Without a map nobody but the GM knows where that is: None. What lies in between does not stop it, and is told.
    """
    rule, who = tables_of(scene).core.blast, attack.attacker
    direction = _dice(scene, "scatter_direction", rule.direction, who)
    dice, metres, wall = direction, 0, False
    landed: Point | None = impact
    if direction[0].value <= rule.directions:
        length = _dice(scene, "scatter", rule.scatter, who)
        dice, metres = (*direction, *length), length[0].value
        degrees = (direction[0].value - 1) * FULL_TURN // rule.directions
        found = scene.space.scatter(impact, degrees, metres * UNIT)
        landed = None if isinstance(found, Unknown) else found[0].point
        wall = not isinstance(found, Unknown) and found[1]
    words = ("through_a_wall",) if wall else ()
    scene.emit(
        Noted(who, "scattered", figures=(Figure("metres", metres),), words=words, dice=dice, clause=ClauseId(CLAUSE))
    )
    return landed


def _dice(scene: Scene, name: str, text: str, who: CombatantId) -> tuple[Die, ...]:
    group = parse_dice(text).groups[0]
    return scene.roll(name, group.count, group.sides, who, "scatter", clause=CLAUSE)


# Spray


def _spray(scene: Scene, attack: Attack, kind: str) -> bool:
    """No roll of the attacker's: everybody in the cone keeps out of the way of it or is hit once, and may then dodge.

    A certain damage die jams the weapon, unless it is reliable or the table plays it otherwise.
    """
    rule = tables_of(scene).core.spray
    cone = cone_of(scene, attack)
    assert cone is not None
    spend_ammunition(scene, attack)
    people = caught_in(scene, attack, in_cone(_known(scene, attack), attack, cone))
    come_under_fire(scene, attack, people)
    slow = _keep_out(scene, attack, people, rule.check)
    hits = [Hit(number, who, rule.location) for number, who in enumerate(slow, 1)]
    standing = _stay_in(scene, attack, hits, cone)
    dice = _strike(scene, Source(attack.attacker, attack.weapon, kind), standing, first=False)
    jams = any(one.value == rule.jams_on for one in dice) and scene.flag("spray_jam")
    if jams and attack.item is not None and not attack.weapon.has("reliable"):
        scene.mark_item(attack.attacker, attack.item, "jammed", 1, CLAUSE)
    return bool(standing)


def _keep_out(scene: Scene, attack: Attack, people: Sequence[CombatantId], check: str) -> list[CombatantId]:
    """Who does not get out of the way. Everybody tests side by side; the helpless cannot, and are hit."""
    able = [who for who in people if not scene.has(who, *HELPLESS)]
    with scene.within(SPRAY):
        tests = scene.gather(
            {
                who: partial(
                    unspoken_test,
                    scene,
                    who,
                    check,
                    SPRAY,
                    clause=CLAUSE,
                    against=attack.attacker,
                    sees=lambda success, degrees: success,
                )
                for who in able
            }
        )
    for who in able:
        tell(scene, tests[who][1])
    return [who for who in people if who not in tests or not tests[who][0].success]


# Both


def caught_in(scene: Scene, attack: Attack, found: tuple[CombatantId, ...] | Unknown) -> tuple[CombatantId, ...]:
    """Everybody in the area, in initiative order; where nobody has said it the GM does. Clause: DH-5700."""
    if not isinstance(found, Unknown):
        return found
    everybody = tuple(body.id for body in scene.in_order())
    answer = scene.ask(
        Question(
            key="",
            name="area_caught",
            kind="ruling",
            to=GM,
            options=(
                Option("state", form=(Field("who", "combatants", choices=everybody),)),
                Option("nobody", declines=True),
            ),
            default="nobody",
            about=attack.target or None,
            clause=ClauseId("DH-5700"),
        )
    )
    named = answer.fields.get("who", ())
    return tuple(who for who in everybody if who in named)


def _stay_in(scene: Scene, attack: Attack, hits: Sequence[Hit], area: Area) -> tuple[Hit, ...]:
    """The hits on those who do not dodge out of it. Clauses: DH-3650, DH-3660."""
    if not hits:
        return ()
    scene.emit(HitsScored(attack.attacker, tuple(hits), ClauseId(CLAUSE)))
    incoming = Incoming(
        attack.attacker,
        attack.weapon,
        melee=False,
        unaware=attack.target if attack.unaware else None,
        area=area,
        given=frozenset(modifier.id for modifier in attack.given),
        action=attack.action,
    )
    with scene.within("evade"):
        return evade_all(scene, incoming, hits)


def _strike(scene: Scene, source: Source, hits: Sequence[Hit], *, first: bool) -> tuple[Die, ...]:
    """One damage roll for all whom it strikes, each where a die of his own says, if that is open. Gives the dice."""
    hits = [hit for hit in hits if scene.who(hit.target).status != "dead"]
    if not hits:
        return ()
    rolled = roll_damage(scene, source, first=first)
    for hit in hits:
        with scene.within(hit.target):
            location = hit.location or fresh_location(scene, source.attacker, hit.target, "hit_location")
        deal(scene, source, Hit(hit.number, hit.target, location), first=False, rolled=rolled)
    return rolled.dice
