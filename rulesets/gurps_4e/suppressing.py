"""Suppression fire: raking zones with automatic fire. Clauses GU-770, GU-2500 to GU-2520.

On a map a zone is a disc, so that it is as wide from wherever one looks; without one it has only its name: that of the
shooter, and `/2`, `/3` for the next of several.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, product

import msgspec

from app.engine.asks import GM, Answer, Option, Question
from app.engine.commands import GivenModifier, Submission
from app.engine.events import EffectCounted, HitsScored
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length, Scalar
from app.engine.moments import Passing
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Area, Fact, Place, Point, Run, Sector, Unknown
from app.engine.state import Effect
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.gurps_4e.attack import ALL_OUT_ATTACK, SHOT, SUPPRESSION, Blow, to_hit, why_not_usable
from rulesets.gurps_4e.checks import total_of
from rulesets.gurps_4e.conditions import is_out, spend_rounds
from rulesets.gurps_4e.figures import YARD, tables_of
from rulesets.gurps_4e.moving import Going
from rulesets.gurps_4e.moving_events import Shifted
from rulesets.gurps_4e.striking import strike
from rulesets.gurps_4e.weapons import held, is_ready, modes_of, range_of, rounds, weapon_of

ZONE = "suppressed_zone"
ZONES, CENTRES, IN_ZONES, FAR = "zones", "centres", "in_zones", "zone_distance"
OWN_INPUTS = (ZONES, CENTRES, IN_ZONES, FAR)
"""Inputs that only suppression fire has a use for."""
NO_USE = ("shots", "target_speed", "arc", "hands", "aware", "random_location")
"""Inputs of an ordinary attack that fire at a zone has no use for."""
SHOTS, MODE, GIVEN = "shots", "mode", "given."
ENTERS = "enters_zone"
YES, NO, FIRE, WHERE = "yes", "no", "fire", "at"
RANK = 1
"""Fire comes after whoever waited for the same point of the way."""


# Declaring


def why_not_zones(table: Table, sub: Submission, *, used: bool) -> Iterator[Reason]:
    """Inputs that the attack has no use for: those of zones, or those of a single target. Clause: GU-2500."""
    for name in NO_USE if used else OWN_INPUTS:
        if sub.options.get(name) is not None:
            yield table.rules.reason("unused_input", "GU-2500", at=f"/options/{name}", names=(name,))


def could_rake(table: Table, who: CombatantId) -> bool:
    """Whether he has a weapon ready that fires fast enough, with rounds for one zone. Clauses: GU-770, GU-2500."""
    core = tables_of(table).core.suppression
    return any(
        weapon.is_ranged
        and weapon.rof >= core.rof
        and is_ready(table, who, key)
        and ((left := rounds(table, who, key)) is None or left >= core.shots)
        for key, _, weapon in held(table, who)
    )


def why_not_rake(table: Table, then: Table, sub: Submission, blow: Blow, going: Going) -> Iterator[Reason]:
    """Every reason against raking these zones; `then` is the table once he has moved. Clauses: GU-770, GU-2500."""
    reason, least = table.rules.reason, tables_of(table).core.suppression.rof
    if blow.weapon.rof < least:
        yield reason("rof_too_low", "GU-770", at="/weapon", need=least, got=blow.weapon.rof)
    yield from why_not_usable(then, blow)
    if going.length and not going.at:
        yield reason("move_split", "GU-2500", at="/options/act_at", got_length=going.at)
    if sub.targets:
        yield reason("unused_input", "GU-2500", at="/targets", names=sub.targets)
    if sub.second_weapon is not None:
        yield reason("unused_input", "GU-2500", at="/second_weapon", names=("second_weapon",))
    if sub.location is not None:
        yield reason("unused_input", "GU-2500", at="/location", names=("location",))
    yield from why_not_zones(table, sub, used=True)
    yield from _why_not_shots(table, sub, blow)
    yield from _why_not_there(then, sub, blow) if table.has_map else _why_not_said(then, sub, blow)


def shots_of(sub: Submission) -> tuple[int, ...]:
    """Shots for each zone, in order."""
    return tuple(sub.options.get(ZONES) or ())


def _why_not_shots(table: Table, sub: Submission, blow: Blow) -> Iterator[Reason]:
    """Enough for each zone, and no more than the weapon fires and holds. Clauses: GU-2030, GU-2500."""
    reason, core, shots = table.rules.reason, tables_of(table).core.suppression, shots_of(sub)
    if not shots:
        yield reason("missing_input", "GU-2500", at=f"/options/{ZONES}")
    for place, each in enumerate(shots):
        if each < core.shots:
            yield reason("too_few_shots_in_zone", "GU-2500", at=f"/options/{ZONES}/{place}", need=core.shots, got=each)
    total = sum(shots)
    if total > blow.weapon.rof:
        yield reason("rof_exceeded", "GU-2500", at=f"/options/{ZONES}", need=blow.weapon.rof, got=total)
    left = None if blow.item is None else rounds(table, blow.attacker, blow.item)
    if left and total > left:
        yield reason("not_enough_ammo", "GU-2030", at=f"/options/{ZONES}", need=total, got=left)


def _why_not_there(table: Table, sub: Submission, blow: Blow) -> Iterator[Reason]:
    """On a map: a place for each zone, within range, each beside the one before. Clauses: GU-630, GU-2500."""
    reason, at = table.rules.reason, f"/options/{CENTRES}"
    width = tables_of(table).core.suppression.width * YARD
    centres: Sequence[Point] = sub.options.get(CENTRES) or ()
    if len(centres) != len(shots_of(sub)):
        yield reason("missing_input", "GU-2500", at=at, need=len(shots_of(sub)), got=len(centres))
    for name in (IN_ZONES, FAR):
        if sub.options.get(name) is not None:
            yield reason("unused_input", "GU-2500", at=f"/options/{name}", names=(name,))
    _, most = range_of(table.who(sub.actor), blow.weapon, None)
    for place, centre in enumerate(centres):
        far = _between(table, sub.actor, centre)
        if most is not None and far is not None and far > most:
            yield reason("out_of_range", "GU-630", at=f"{at}/{place}", need_length=most, got_length=far)
    for place, (one, other) in enumerate(pairwise(centres), 1):
        off = _between(table, one, other)
        if off is None or not 0 < off <= width:
            yield reason("invalid_option_value", "GU-2500", at=f"{at}/{place}", need_length=width, got_length=off)


def _why_not_said(table: Table, sub: Submission, blow: Blow) -> Iterator[Reason]:
    """Without a map: how far the zones are, who is inside, and who in which of them.

    Clauses: GU-490, GU-630, GU-2500.
    """
    reason, far = table.rules.reason, sub.options.get(FAR)
    if sub.options.get(CENTRES) is not None:
        yield reason("unused_input", "GU-2500", at=f"/options/{CENTRES}", names=(CENTRES,))
    if far is None:
        yield reason("missing_input", "GU-2500", at=f"/options/{FAR}")
    _, most = range_of(table.who(sub.actor), blow.weapon, None)
    if most is not None and far is not None and far > most:
        yield reason("out_of_range", "GU-630", at=f"/options/{FAR}", need_length=most, got_length=far)
    inside = table.said.inside
    if inside is None:
        yield reason("missing_input", "GU-2500", at="/said/inside")
        return
    for place, who in enumerate(inside):
        if not table.known(who):
            yield reason("unknown_combatant", at=f"/said/inside/{place}", names=(who,))
        elif who == sub.actor:
            yield reason("invalid_target", "GU-2500", at=f"/said/inside/{place}", names=(who,))
    numbers, count = sub.options.get(IN_ZONES), len(shots_of(sub))
    if numbers is None and count > 1 and inside:
        yield reason("missing_input", "GU-2500", at=f"/options/{IN_ZONES}", need=len(inside))
    elif numbers is not None and len(numbers) != len(inside):
        yield reason("missing_input", "GU-2500", at=f"/options/{IN_ZONES}", need=len(inside), got=len(numbers))
    for place, number in enumerate(numbers or ()):
        if number > count:
            yield reason("invalid_option_value", "GU-2500", at=f"/options/{IN_ZONES}/{place}", need=count, got=number)


def _between(table: Table, one: CombatantId | Point, other: Point) -> Length | None:
    """From somebody or some point to a point of the map."""
    marks = {"other": Place(*other)}
    if not isinstance(one, str):
        marks["one"] = Place(*one)
    found = table.space.after(marks).distance(one if isinstance(one, str) else "one", "other")
    return None if isinstance(found, Unknown) else found


# Firing


def rake(scene: Scene, sub: Submission, blow: Blow) -> None:
    """The shots are fired, the zones lie under fire, and everybody inside is attacked. Clauses: GU-2030, GU-2500."""
    who, item = sub.actor, blow.item
    assert item is not None
    inside = _inside_of(scene, sub)
    spend_rounds(scene, who, item, sum(shots_of(sub)))
    areas = _areas(scene, sub)
    for area, shots in zip(areas, shots_of(sub), strict=True):
        scene.begin(who, ZONE, value=shots, item=item, area=area, declared=_declared(sub, blow, shots))
    for area, people in zip(areas, inside, strict=True):
        for target in people:
            with scene.within(area.id, target):
                fire_at(scene, who, area.id, target)


def _areas(table: Table, sub: Submission) -> tuple[Sector, ...]:
    """The zones under their names; without a map as far from nowhere as they are from the shooter. Clause: GU-2500."""
    reach = tables_of(table).core.suppression.width * YARD // 2
    away: Point = (int(sub.options.get(FAR) or 0), 0)
    centres: Sequence[Point] = sub.options.get(CENTRES) or (away,) * len(shots_of(sub))
    return tuple(
        Sector((x, y), reach, id=sub.actor if place == 1 else f"{sub.actor}/{place}")
        for place, (x, y) in enumerate(centres, 1)
    )


def _declared(sub: Submission, blow: Blow, shots: int) -> Mapping[str, Scalar | tuple[str, ...]]:
    """What holds for whoever comes into the zone later. Clauses: GU-130, GU-2510."""
    declared: dict[str, Scalar | tuple[str, ...]] = {SHOTS: shots, MODE: blow.mode_id}
    for one in blow.given:
        declared[f"{GIVEN}{one.id}"] = True if one.value is None else one.value
    return declared


def _inside_of(table: Table, sub: Submission) -> tuple[tuple[CombatantId, ...], ...]:
    """Who is in each zone, in the order of the fight; whoever stands where two meet is in the first of them.

    Clause: GU-2500.
    """
    taken: set[CombatantId] = {sub.actor}
    found: list[tuple[CombatantId, ...]] = []
    for number, area in enumerate(_areas(table, sub), 1):
        here = _who_is_in(table, sub, area, number)
        found.append(tuple(body.id for body in table.in_order() if body.id in here and body.id not in taken))
        taken.update(found[-1])
    return tuple(found)


def _who_is_in(table: Table, sub: Submission, area: Area, number: int) -> frozenset[str]:
    if table.has_map:
        inside = table.whole_space.inside(area)
        return frozenset() if isinstance(inside, Unknown) else frozenset(inside)
    said = sub.said.inside or ()
    numbers = sub.options.get(IN_ZONES) or (1,) * len(said)
    return frozenset(who for who, zone in zip(said, numbers, strict=True) if zone == number)


def fire_at(scene: Scene, shooter: CombatantId, name: str, target: CombatantId) -> None:
    """One attack on somebody in a zone, for as long as shots of that zone remain. Clauses: GU-2500, GU-2510."""
    zone = zone_named(scene, shooter, name)
    if zone is None or not can_be_hit(scene, shooter, zone, target):
        return
    started = len(scene.events)
    strike(scene, blow_at(scene, shooter, zone, target))
    told = [emitted.event for emitted in scene.events[started:]]
    scored = next((one for one in told if isinstance(one, HitsScored) and one.combatant == shooter), None)
    zone = zone_named(scene, shooter, name)
    if scored is None or zone is None:
        return
    left = zone.value - len(scored.hits)
    if left > 0:
        scene.emit(EffectCounted(shooter, zone.id, zone.until, zone.active_after, left, zone.clause))
    else:
        scene.end_one(shooter, zone, "spent", "GU-2510")


def zone_named(table: Table, shooter: CombatantId, name: str) -> Effect | None:
    """The zone of that name, if it is still under fire. Clause: GU-2520."""
    return next((one for one in zones_of(table, shooter) if one.area is not None and one.area.id == name), None)


def zones_of(table: Table, shooter: CombatantId) -> Iterator[Effect]:
    """The zones that he keeps under fire, for as long as the weapon that fires them is in his hands and fires so.

    Clause: GU-2520.
    """
    for zone in table.effects(shooter, ZONE):
        carried = table.carried(shooter, zone.item)
        held_still = carried is not None and carried.held is not None
        if zone.area is not None and held_still and zone.declared.get(MODE) in modes_of(table, shooter, zone.item):
            yield zone


def blow_at(table: Table, shooter: CombatantId, zone: Effect, target: CombatantId) -> Blow:
    """The attack on somebody in the zone: with the bonus of all its shots, and hits for those left. Clause: GU-2510."""
    declared = zone.declared
    modes = modes_of(table, shooter, zone.item)
    mode_id, area = str(declared[MODE]), zone.area
    return Blow(
        shooter,
        target,
        SHOT,
        zone.item,
        weapon_of(table, shooter, zone.item),
        mode_id,
        modes[mode_id],
        ALL_OUT_ATTACK,
        SUPPRESSION,
        shots=int(declared[SHOTS]),  # type: ignore[arg-type]
        left=zone.value,
        far=area.centre[0] if isinstance(area, Sector) and not table.has_map else None,
        given=tuple(
            GivenModifier(name.removeprefix(GIVEN), None if value is True else int(value))  # type: ignore[arg-type]
            for name, value in declared.items()
            if name.startswith(GIVEN)
        ),
    )


def can_be_hit(table: Table, shooter: CombatantId, zone: Effect, target: CombatantId) -> bool:
    """Whether fire reaches him there: nothing solid between, within range, and not so hard that nobody may try.

    Seen he need not be. Clauses: GU-240, GU-630, GU-2500.
    """
    if table.who(target).status == "dead" or is_out(table, shooter):
        return False
    clear = table.whole_space.sees(shooter, target)
    if not isinstance(clear, Unknown) and not clear:
        return False
    blow = blow_at(table, shooter, zone, target)
    far = table.whole_space.distance(shooter, target)
    _, most = range_of(table.who(shooter), blow.weapon, None)
    if most is not None and not isinstance(far, Unknown) and far > most:
        return False
    return total_of(to_hit(table, blow)) >= tables_of(table).core.lowest_skill


# Entering


def zones_against(table: Table, mover: CombatantId) -> Iterator[tuple[int, CombatantId, Effect]]:
    """Every zone under fire that he could come into, with its place in the order: friend or foe, never his own.

    Clause: GU-2500.
    """
    for place, body in enumerate(table.in_order()):
        if body.id != mover:
            yield from ((place, body.id, zone) for zone in zones_of(table, body.id))


def fire_passing(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """Somebody on his way comes into a zone: he is attacked at that point of it, once for each entry.

    Clauses: GU-100, GU-2500.
    """
    if not moment.run.walked:
        return
    for place, shooter, zone in zones_against(scene, moment.mover):
        assert zone.area is not None
        rank, name = (RANK, place, zone.id), f"{ZONE}/{zone.area.id}"
        found = entries(scene, shooter, zone.area, moment.run)
        ruled = f"{name}/{moment.mover}/{moment.run.walked}"
        if isinstance(found, Unknown) and ruled not in scene.met:
            most = moment.run.walked
            yield Cue(
                moment.since, rank, f"{name}/ruling", partial(_ask, scene, zone, moment.mover, ruled, most), _noted
            )
            continue
        points = (scene.met[ruled],) if isinstance(found, Unknown) else found
        for number, at in enumerate(points):
            key = f"{name}/{moment.run.walked}/{number}"
            once = f"{key}/{moment.mover}"
            if at >= moment.since and at > 0 and once not in scene.met:
                there = _as_if_at(scene, moment.mover, scene.space.place(moment.run, at))
                offer = partial(_fires, there, shooter, zone, moment.mover)
                yield Cue(at, rank, key, offer, partial(_hit, scene, shooter, zone.area.id, moment.mover, once))


def fire_shifted(scene: Scene, moment: Shifted) -> Iterator[Cue]:
    """Somebody was shoved into a zone, or stepped into it as he defended himself. Clause: GU-2500."""
    for place, shooter, zone in zones_against(scene, moment.mover):
        assert zone.area is not None
        rank, name = (RANK, place, zone.id), f"{ZONE}/{zone.area.id}"
        found = _entries_shifted(scene, shooter, zone.area, moment)
        ruled = f"{name}/{moment.mover}/shifted"
        if isinstance(found, Unknown) and ruled not in scene.met:
            yield Cue(0, rank, f"{name}/ruling", partial(_ask, scene, zone, moment.mover, ruled, 0), _noted)
            continue
        points = ((1,) if scene.met[ruled] else ()) if isinstance(found, Unknown) else found
        for number, at in enumerate(points):
            key = f"{name}/{number}"
            offer = partial(_fires, scene, shooter, zone, moment.mover)
            yield Cue(at, rank, key, offer, partial(_hit, scene, shooter, zone.area.id, moment.mover, key))


def _entries_shifted(scene: Scene, shooter: CombatantId, area: Area, moment: Shifted) -> Fact[tuple[Length, ...]]:
    place = scene.who(moment.mover).place
    if place is None:
        return Unknown("crosses", (moment.mover, area.id), "gm")
    before = Table(scene.rules, moment.before)
    run = before.whole_space.run(moment.mover, (place.point,))
    return run if isinstance(run, Unknown) else entries(before, shooter, area, run)


class Stay(msgspec.Struct, frozen=True):
    """A piece of a way inside an area."""

    start: Length
    end: Length


def entries(table: Table, shooter: CombatantId, area: Area, run: Run) -> Fact[tuple[Length, ...]]:
    """How far along the way he comes under fire: where he enters, or comes out from behind a wall inside.

    Clause: GU-2500.
    """
    stays = _stays(table, run, area)
    if isinstance(stays, Unknown):
        return stays
    place = table.who(shooter).place
    if place is not None and isinstance(area, Sector):
        far = _between(table, shooter, area.centre) or 0
        clear = _stays(table, run, Sector(place.point, far + area.reach, needs_sight=True))
        stays = () if isinstance(clear, Unknown) else _both(stays, clear)
    elif table.who(shooter).hidden and not stays:
        return Unknown("crosses", (CombatantId(run.actor), area.id), "gm")
    return tuple(stay.start for stay in stays if stay.start > 0)


def _stays(table: Table, run: Run, area: Area) -> Fact[tuple[Stay, ...]]:
    crossings = table.whole_space.crossings(run, area)
    if isinstance(crossings, Unknown):
        return crossings
    found: list[Stay] = []
    begun: Length | None = None
    for crossing in crossings:
        if crossing.kind != "leaves":
            begun = crossing.at
        elif begun is not None:
            found.append(Stay(begun, crossing.at))
            begun = None
    return tuple(found if begun is None else [*found, Stay(begun, run.walked)])


def _both(some: Sequence[Stay], others: Sequence[Stay]) -> tuple[Stay, ...]:
    """The pieces that lie in both."""
    found = [
        Stay(max(one.start, other.start), min(one.end, other.end))
        for one, other in product(some, others)
        if max(one.start, other.start) <= min(one.end, other.end)
    ]
    return tuple(sorted(found, key=lambda stay: stay.start))


def _as_if_at(table: Table, who: CombatantId, place: Place | None) -> Table:
    """The table as it will be when he has come there, to look at before his coming is told."""
    if place is None:
        return table
    body = msgspec.structs.replace(table.who(who), place=place)
    return Table(
        table.rules,
        msgspec.structs.replace(table.state, combatants={**table.state.combatants, who: body}),
        table.said,
    )


def _fires(there: Table, shooter: CombatantId, zone: Effect, mover: CombatantId) -> Answer | None:
    """Nobody is asked: the shots are in the air."""
    return Answer(FIRE) if can_be_hit(there, shooter, zone, mover) else None


def _hit(scene: Scene, shooter: CombatantId, name: str, mover: CombatantId, once: str, answer: Answer) -> None:
    """He is attacked for this entry, and not again for it when the same way is gone on with."""
    scene.met[once] = 1
    fire_at(scene, shooter, name, mover)


def _ask(scene: Scene, zone: Effect, mover: CombatantId, ruled: str, most: Length) -> None:
    """Nobody has stated whether he comes into the zone: the GM does. Clauses: GU-130, GU-2500."""
    where = (Field(WHERE, "length", minimum=1, maximum=most, clause=ClauseId("GU-2500")),) if most else ()
    answer = scene.ask(
        Question(
            key="",
            name=ENTERS,
            kind=ENTERS,
            to=GM,
            options=(Option(YES, form=where), Option(NO, declines=True)),
            default=NO,
            about=mover,
            clause=ClauseId("GU-2500"),
        )
    )
    scene.met[ruled] = answer.whole(WHERE, most or 1) if answer.option == YES else 0


def _noted(answer: Answer) -> None:
    """What was ruled is looked at again."""
