"""Grenades: the throw, where they land, when they go off, and what the blast does. Clauses SR-800 to SR-830."""

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.events import Die, Figure, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.scene import Scene
from app.engine.space.model import Area, Point, Sector, Unknown
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.shadowrun_5e.figures import METRE, apart, tables_of
from rulesets.shadowrun_5e.harm import Harm, deal
from rulesets.shadowrun_5e.weapons import Weapon
from rulesets.shadowrun_5e.where import GOOD, PARTIAL, shelter_from

SET = "grenade_set"
STEP, STRAIGHT = 30, 7
FULL_TURN = 360
SIDES = 6


class Landed(msgspec.Struct, frozen=True):
    """A grenade that lies somewhere: whose it was, where (None without a map), of which kind."""

    thrower: CombatantId
    kind: str
    weapon: Weapon
    point: Point | None


def centre_of(area: Area | None) -> Point | None:
    """The point that an area stands for."""
    return area.centre if isinstance(area, Sector) else None


def scatter(scene: Scene, who: CombatantId, weapon: Weapon, hits: int, aimed: Point | None) -> Point | None:
    """It goes astray by dice less hits, at an angle off the throw. Without a map nobody but the GM knows where.

    Clause: SR-810.
    """
    with scene.within("scatter"):
        length = scene.roll("distance", 2 if weapon.aerodynamic else 1, SIDES, who, "scatter", clause="SR-810")
        angle = scene.roll("direction", 2, SIDES, who, "scatter", clause="SR-810")
    metres = max(0, _sum(length) - hits)
    turn = (_sum(angle) - STRAIGHT) * STEP
    scene.emit(
        Noted(
            who,
            "scattered",
            figures=(Figure("metres", metres), Figure("degrees", turn)),
            dice=(*length, *angle),
            clause=ClauseId("SR-810"),
        )
    )
    start = scene.who(who).place
    if aimed is None or start is None or not metres:
        return aimed
    line = scene.space.bearing(start.point, aimed)
    assert not isinstance(line, Unknown)
    landed = scene.space.scatter(aimed, (line + turn) % FULL_TURN, metres * METRE)
    assert not isinstance(landed, Unknown)
    return landed[0].point


def _sum(dice: tuple[Die, ...]) -> int:
    return sum(die.value for die in dice)


def lie_in_wait(scene: Scene, landed: Landed, count: int) -> None:
    """A timer runs to a count of the next Combat Turn; anything else waits for the thrower's word. Clause: SR-820."""
    area = None if landed.point is None else Sector(landed.point, 0)
    timed = landed.weapon.trigger == "timer"
    due = scene.state.clock.round + 1 if timed else 0
    scene.begin(landed.thrower, SET, value=count, word=landed.kind, area=area, declared={"due": due})


def next_timer(table: Table, score: int | None) -> tuple[CombatantId, Effect] | None:
    """The timer that has run down before the next phase, whose score is given; None where it may still wait.

    Clause: SR-820.
    """
    clock = table.state.clock
    if clock.pass_ != 1:
        return None
    found = [
        (-effect.value, body.id, effect.id, effect)
        for body in table.state.combatants.values()
        for effect in table.effects(body.id, SET)
        if effect.declared.get("due") == clock.round and (score is None or effect.value > score)
    ]
    if not found:
        return None
    _, who, _, effect = min(found, key=lambda entry: entry[:3])
    return who, effect


def explode(scene: Scene, thrower: CombatantId, effect: Effect, clause: str = "SR-820") -> None:
    """One that lay somewhere goes off."""
    weapon = scene.rules.weapons[effect.word or ""]
    scene.end_one(thrower, effect, "exploded", clause)
    with scene.within("blast", effect.id):
        blast(scene, Landed(thrower, effect.word or "", weapon, centre_of(effect.area)))


def blast(scene: Scene, landed: Landed) -> None:
    """Everybody near enough is struck, nobody defends himself, all soak. Clause: SR-830."""
    scene.emit(Noted(landed.thrower, "exploded", words=(landed.kind,), clause=ClauseId("SR-830")))
    cover = tables_of(scene).core.grenade
    points = {PARTIAL: cover.partial_cover, GOOD: cover.good_cover}
    struck = _struck(scene, landed)
    for who, (far, behind) in struck.items():
        value = value_at(landed.weapon, far)
        if value <= 0:
            continue
        lost = value - landed.weapon.dv
        terms = (Term("weapon", landed.weapon.dv, ClauseId("SR-830")), Term("distance", lost, ClauseId("SR-830")))
        harm = Harm(
            landed.thrower,
            who,
            tuple(term for term in terms if term.value),
            landed.weapon.dv_type,
            landed.weapon.ap,
            landed.weapon.element,
            weapon_kind=landed.kind,
            cover=points.get(behind, 0),
            clause="SR-830",
        )
        with scene.within(who):
            deal(scene, harm)


def value_at(weapon: Weapon, far: Length) -> int:
    """The damage value at a distance: less for each whole metre, or all of it within a radius. Clause: SR-830."""
    rule = weapon.blast
    if rule is None:
        return 0
    if rule.radius:
        return weapon.dv if far <= rule.radius else 0
    return weapon.dv - rule.falloff * (far // METRE)


def _reach(weapon: Weapon) -> Length:
    rule = weapon.blast
    if rule is None:
        return 0
    return rule.radius or (weapon.dv // max(1, rule.falloff) + 1) * METRE


def _struck(scene: Scene, landed: Landed) -> dict[CombatantId, tuple[Length, str]]:
    """Who is how far from the burst and behind what, in initiative order; without a map the GM says. Clause: SR-810."""
    everybody = [body.id for body in scene.in_order()]
    if landed.point is None:
        return _stated(scene, landed, everybody)
    found = {}
    near = scene.whole_space.inside(Sector(landed.point, _reach(landed.weapon)))
    assert not isinstance(near, Unknown)
    for who in everybody:
        place = scene.who(who).place
        if place is not None and who in near:
            found[who] = (apart(place.point, landed.point), shelter_from(scene, landed.point, who) or "")
    return found


def _stated(scene: Scene, landed: Landed, everybody: list[CombatantId]) -> dict[CombatantId, tuple[Length, str]]:
    choices = tuple(everybody)
    answer = scene.ask(
        Question(
            key="",
            name="blast_distances",
            kind="blast_distances",
            to=GM,
            options=(
                Option(
                    "state",
                    form=(
                        Field("metres", "allocation", choices=choices, minimum=0, clause=ClauseId("SR-830")),
                        Field("partial_cover", "combatants", choices=choices),
                        Field("good_cover", "combatants", choices=choices),
                    ),
                ),
                Option("nobody", declines=True),
            ),
            default="nobody",
            best="nobody",
            about=landed.thrower,
            clause=ClauseId("SR-810"),
        )
    )
    metres = answer.share("metres")
    good, partial_ = answer.fields.get("good_cover", ()), answer.fields.get("partial_cover", ())
    return {
        who: (metres[who] * METRE, GOOD if who in good else PARTIAL if who in partial_ else "")
        for who in everybody
        if who in metres
    }
