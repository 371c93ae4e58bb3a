"""Overwatch: a kill zone, a trigger, and an attack each time the trigger is met.

Clauses DH-3880 to DH-3940, DH-5700 to DH-5720.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import msgspec

from app.engine.asks import GM, Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import FactStated, Turned
from app.engine.forms import Field
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.moments import HALTED, ActionDone, Declaring, Passing
from app.engine.names import ActionName
from app.engine.reasons import Reason, in_order
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Area, Fact, PairFact, Place, Point, Polygon, Run, Sector, Unknown
from app.engine.space.predicates import in_arc
from app.engine.state import Effect, Tick
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.dark_heresy_2e.attack import Attack, AttackParams, hit_chance, make_attack, why_not_attack, why_not_fire
from rulesets.dark_heresy_2e.checks import Side, contest
from rulesets.dark_heresy_2e.conditions import BEARER, OUT, is_out
from rulesets.dark_heresy_2e.melee import part_from_the_far
from rulesets.dark_heresy_2e.moving import are_foes, halts, tell_stopped
from rulesets.dark_heresy_2e.pinning import pinning_test
from rulesets.dark_heresy_2e.resolvers.free_attack import IN_A_GRAPPLE
from rulesets.dark_heresy_2e.turns import END_TURN
from rulesets.dark_heresy_2e.weapons import ammo, is_jammed, range_of, readied, weapon_of

NAME = ActionId("overwatch")
WATCHING = "overwatching"
ENTERS, MOVES, ATTACKS, LEAVES_COVER, TEXT = "enters_zone", "moves_in_zone", "attacks", "leaves_cover", "text"
POSTURES = ("prone", "immobilised", "grappled")
"""Halts that do not keep somebody from an attack if he was like that before."""
FIRE, HOLD = "fire", "hold"
YES, NO = "yes", "no"
TO_ASK, DECIDED = 0, 1
SEARCH_STEP = 50
"""How finely the way is searched for where cover ends, in hundredths; what is found is then narrowed down exactly."""


class OverwatchParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Full width of the arc that the kill zone lies in, and the attacks one may keep ready. Clause: DH-3880."""

    arc: int
    attacks: tuple[ActionName, ...]


# Declaring


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot watch that zone in that way."""
    params: OverwatchParams = action.params
    yield from _why_not_attack(table, sub, params)
    yield from _why_not_trigger(table, sub)
    yield from _why_not_zone(table, sub, params)


def _why_not_attack(table: Table, sub: Submission, params: OverwatchParams) -> Iterator[Reason]:
    """An attack of one of the three kinds, with a weapon that can make it. Clause: DH-3880."""
    reason = table.rules.reason
    item = _weapon(table, sub)
    if item is not None and weapon_of(table, sub.actor, item).is_melee:
        yield reason("attack_not_allowed_in_overwatch", "DH-3880", at="/weapon", names=(item,))
        return
    chosen = sub.options.get("attack")
    if chosen is None:
        yield reason("missing_input", "DH-3880", at="/options/attack", names=params.attacks)
        ways = [tuple(_why_not_fire(table, sub.actor, item, attack)) for attack in params.attacks]
        if all(ways):
            yield from ways[0]
    elif chosen not in params.attacks:
        yield reason("attack_not_allowed_in_overwatch", "DH-3880", at="/options/attack", names=params.attacks)
    else:
        yield from _why_not_fire(table, sub.actor, item, str(chosen))


def _weapon(table: Table, sub: Submission) -> ItemId | None:
    """The weapon named, else the first in hand that shoots."""
    if sub.weapon is not None:
        return sub.weapon
    return next((key for key, weapon in readied(table, sub.actor) if weapon.is_ranged), None)


def _why_not_fire(table: Table, who: CombatantId, item: ItemId | None, attack: str) -> Iterator[Reason]:
    """What keeps the weapon from that attack, as Overwatch words it. Being locked in melee does not: DH-3920."""
    made = _attack(table, who, who, item, attack)
    for one in why_not_fire(table, made):
        own = one.clause == made.params.cites.needs
        yield msgspec.structs.replace(one, clause=ClauseId("DH-3880")) if own else one


def _why_not_trigger(table: Table, sub: Submission) -> Iterator[Reason]:
    """A trigger is one of the known conditions, or words for the GM to judge. Clause: DH-3880."""
    reason, trigger = table.rules.reason, sub.options.get("trigger")
    if trigger is None:
        yield reason("missing_input", "DH-3880", at="/options/trigger")
    elif trigger == TEXT and not sub.options.get("text"):
        yield reason("missing_input", "DH-3880", at="/options/text")


def _why_not_zone(table: Table, sub: Submission, params: OverwatchParams) -> Iterator[Reason]:
    """Inside the arc he faces, and no farther than the weapon reaches. Without a map it need not be drawn.

    Clauses: DH-3880, DH-5710.
    """
    reason, area = table.rules.reason, sub.area
    if area is None:
        if table.has_map:
            yield reason("missing_input", "DH-3880", at="/area")
        return
    facing = _facing(table, sub)
    if facing is None:
        yield reason("missing_input", "DH-5710", at="/facing")
        return
    width = _width(table, sub.actor, area, facing)
    if width is None:
        yield reason("not_supported_yet", "DH-3880", at="/area")
    elif width > params.arc:
        yield reason("zone_arc_exceeded", "DH-3880", at="/area", need=params.arc, got=width)
    reach, limit = _reach(table, sub.actor, area), _longest(table, sub)
    if limit is not None and reach > limit:
        yield reason("out_of_range", "DH-3880", at="/area", need_length=limit, got_length=reach)


def _facing(table: Table, sub: Submission) -> int | None:
    """Where he faces for it: as the submission says, as the zone that it names, else as he stands. Clause: DH-5710."""
    if sub.facing is not None:
        return sub.facing
    if isinstance(sub.area, Sector):
        return sub.area.facing
    place = table.who(sub.actor).place
    return None if place is None else place.facing


def _width(table: Table, who: CombatantId, area: Area, facing: int) -> int | None:
    """Full width, around the facing, of the narrowest arc of whole degrees that holds the zone. None if not judged."""
    if isinstance(area, Sector):
        off = (area.facing - facing) % 360
        return min(360, area.arc + 2 * min(off, 360 - off))
    place, ground = table.who(who).place, table.state.scenery.ground
    if place is None or ground is None or ground.grid.kind == "hex":
        return None
    vectors = [(x - place.x, y - place.y) for x, y in area.points]
    return next(width for width in range(361) if all(in_arc(dx, dy, facing, width, False) for dx, dy in vectors))


def _reach(table: Table, who: CombatantId, area: Area) -> Length:
    """How far the zone goes. A polygon's farthest corner is as far off as somebody who stands there."""
    if isinstance(area, Sector):
        return area.reach
    corners = {f"corner{number}": Place(*point) for number, point in enumerate(area.points)}
    space = table.space.after(corners)
    found = [space.distance(who, corner) for corner in corners]
    return max((one for one in found if not isinstance(one, Unknown)), default=0)


def _longest(table: Table, sub: Submission) -> Length | None:
    """The weapon's range, unless the table lets zones reach as far as shots do. Clause: DH-3880."""
    item = _weapon(table, sub)
    if item is None or table.option("kill_zone_range") == "unlimited":
        return None
    return range_of(table, sub.actor, weapon_of(table, sub.actor, item))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """He turns to his zone and watches it until the start of his next turn. Clauses: DH-3880, DH-3935, DH-5710."""
    who, facing, place = sub.actor, _facing(scene, sub), scene.who(sub.actor).place
    if facing is not None and place is not None and place.facing != facing:
        scene.emit(Turned(who, facing, ClauseId("DH-5710")))
    _keep_aim(scene, who)
    text = sub.options.get("text")
    scene.begin(
        who,
        WATCHING,
        item=_weapon(scene, sub),
        word=str(sub.options["attack"]),
        words=(str(sub.options["trigger"]), *((str(text),) if text else ())),
        area=_zone(scene, sub, action.params, facing or 0),
    )


def _zone(table: Table, sub: Submission, params: OverwatchParams, facing: int) -> Area:
    """The zone from where he stands, under his own id, by which a submission without a map speaks of it."""
    place, area = table.who(sub.actor).place, sub.area
    if isinstance(area, Polygon):
        return msgspec.structs.replace(area, id=sub.actor)
    centre: Point = (0, 0) if place is None else place.point
    if area is None:
        return Sector(centre, _longest(table, sub) or 0, facing, params.arc, needs_sight=True, id=sub.actor)
    return Sector(centre, area.reach, area.facing, area.arc, needs_sight=True, id=sub.actor)


def _keep_aim(scene: Scene, who: CombatantId) -> None:
    """An aim he has is kept for the first shot, and lost with the Overwatch. Clause: DH-3935."""
    aim = scene.effect(who, "aiming")
    if aim is not None:
        until = (*scene.rules.effects["aiming"].until, (Tick("turn_start", BEARER),))
        scene.begin(who, "aiming", clause="DH-3935", value=aim.value, word=aim.word, until=until)


# Who watches whom


@dataclass(frozen=True, slots=True)
class Watch:
    """Somebody on Overwatch, his place in the order, and the one whom a trigger might be about.

    `actor` is whose action it happens in: the target's own, unless he is moved by another.
    """

    watcher: CombatantId
    effect: Effect
    place: int
    target: CombatantId
    actor: CombatantId

    @property
    def trigger(self) -> str:
        """The condition it waits for."""
        return self.effect.words[0]

    @property
    def zone(self) -> Area:
        """The kill zone."""
        assert self.effect.area is not None
        return self.effect.area

    @property
    def name(self) -> str:
        """What it is called among what this command has set off."""
        return f"{NAME}/{self.watcher}/{self.target}"

    @property
    def afterwards(self) -> str:
        """The name by which it waits until the action is done, because the actor is first."""
        return f"{self.name}/afterwards"

    @property
    def ruled(self) -> str:
        """The name by which the GM has told how far along the way the trigger is met."""
        return f"{self.name}/ruled"

    @property
    def key(self) -> str:
        """Its piece of key."""
        return f"{NAME}/{self.watcher}"


def watches(table: Table, target: CombatantId, actor: CombatantId) -> list[Watch]:
    """Everybody on Overwatch who may fire at him: foes who can act, not himself, not the one who acts.

    Nobody reacts to whom he cannot know of. Clauses: DH-3880, DH-3920.
    """
    aimed_at = table.who(target)
    if aimed_at.hidden or aimed_at.status != "up":
        return []
    if not any(e.kind == WATCHING for body in table.state.combatants.values() for e in body.effects.values()):
        return []
    found = []
    for place, body in enumerate(table.in_order()):
        effect = table.effect(body.id, WATCHING)
        if effect is None or body.id in (target, actor) or not are_foes(table, body.id, target):
            continue
        if effect.area is None or not effect.words:
            continue  # Put on him by a ruling, without a zone or a trigger: there is nothing to watch for.
        if body.status == "up" and not table.has(body.id, *OUT, *IN_A_GRAPPLE):
            found.append(Watch(body.id, effect, place, target, actor))
    return found


def agility(table: Table, who: CombatantId) -> int:
    """The Agility characteristic, which settles who is first. Clause: DH-3900."""
    return table.who(who).sheet.stats.get("ag", 0)


def _attack(table: Table, who: CombatantId, target: CombatantId, item: ItemId | None, kind: str) -> Attack:
    """The attack he keeps ready, with that action's own figures. Clause: DH-3880."""
    params: AttackParams = table.rules.actions[ActionId(kind)].params
    return Attack(
        attacker=who,
        target=target,
        action=NAME,
        params=params,
        item=item,
        weapon=weapon_of(table, who, item),
        mode=next(mode for mode in params.modes if mode != "melee"),
        use_aim=params.aim,
        clause=ClauseId("DH-3890"),
    )


def attack_of(table: Table, watch: Watch) -> Attack:
    """The attack that this watch would make."""
    return _attack(table, watch.watcher, watch.target, watch.effect.item, watch.effect.word or "")


def cannot_fire(table: Table, watch: Watch) -> bool:
    """Whether the attack is impossible now: no weapon, no sight, out of range, or locked in melee without a pistol.

    What nobody has stated yet does not stand against it. Clauses: DH-3920, DH-5340.
    """
    item = watch.effect.item
    if item is not None and item not in table.who(watch.watcher).items:
        return True
    return any(one.code != "missing_input" for one in in_order(why_not_attack(table, attack_of(table, watch))))


# Triggers


def overwatch_declaring(scene: Scene, moment: Declaring) -> Iterator[Cue]:
    """Somebody in the zone attacks, or does what the words of a trigger may speak of. Clause: DH-3890."""
    for watch in watches(scene, moment.actor, moment.actor):
        by_words = watch.trigger == TEXT and "movement" not in moment.tags and moment.action != END_TURN
        if not (by_words or (watch.trigger == ATTACKS and "attack" in moment.tags)):
            continue
        inside = is_inside(scene, watch)
        if isinstance(inside, Unknown) or inside:
            yield Cue(
                0,
                (0, watch.place),
                watch.key,
                partial(_offer_to_declared, scene, watch),
                partial(_fire_at_declared, scene, watch, moment),
            )


def overwatch_passing(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """Somebody on his way comes into a zone, moves in one, leaves cover in one. Clauses: DH-3890, DH-5720."""
    if not moment.run.walked:
        return
    slot = scene.slot()
    actor = slot.owner if moment.forced and slot is not None else moment.mover
    for watch in watches(scene, moment.mover, actor):
        if watch.trigger == ATTACKS or watch.name in scene.met:
            continue
        at = where_met(scene, watch, moment)
        if isinstance(at, Unknown):
            ask = partial(_ask_where, scene, watch, moment.run)
            yield Cue(moment.since, (0, watch.place), f"ruling/{watch.watcher}", ask, _nothing)
        elif at is not None:
            there = as_if_at(scene, watch.target, scene.space.place(moment.run, at))
            yield Cue(
                at, (0, watch.place), watch.key, partial(_offer, scene, watch, there), partial(_in_turn, scene, watch)
            )


def overwatch_after(scene: Scene, moment: ActionDone) -> Iterator[Cue]:
    """The actor was first, his action is done: now the attack, where he is then. Clause: DH-3900."""
    if not scene.met:
        return
    for target in tuple(scene.state.combatants):
        for watch in watches(scene, target, moment.actor):
            if watch.afterwards in scene.met:
                yield Cue(
                    0,
                    (0, watch.place),
                    f"{watch.key}/{target}",
                    partial(_offer_afterwards, scene, watch),
                    partial(_fire, scene, watch),
                )


def is_inside(table: Table, watch: Watch) -> Fact[bool]:
    """Whether the target is in the zone and in sight. Clause: DH-5720.

    Without a map only the GM can tell of a hidden watcher's zone, or where nobody has listed who is in.
    """
    if not table.has_map and table.who(watch.watcher).hidden:
        return Unknown("inside", (watch.target,), "gm")
    inside = table.space.inside(watch.zone)
    if isinstance(inside, Unknown):
        return inside
    sees = table.space.sees(watch.watcher, watch.target)
    return watch.target in inside and (isinstance(sees, Unknown) or sees)


@dataclass(frozen=True, slots=True)
class Stay:
    """A piece of a way inside a zone; `entered` tells that it began outside."""

    start: Length
    end: Length
    entered: bool


def where_met(scene: Scene, watch: Watch, moment: Passing) -> Fact[Length | None]:
    """How far along the way, from where he has got to, the trigger is met first; None if it is not.

    Clauses: DH-3880, DH-5720.
    """
    ruled = scene.met.get(watch.ruled)
    if ruled is not None:
        return None if ruled < 0 else ruled
    if not scene.has_map and watch.trigger in (TEXT, LEAVES_COVER):
        covered = scene.who(watch.target).cover is not None
        return Unknown(watch.trigger, (watch.target,), "gm") if watch.trigger == TEXT or covered else None
    stays = stays_in(scene, watch, moment.run)
    if isinstance(stays, Unknown):
        return stays
    if watch.trigger == ENTERS:
        return next((stay.start for stay in stays if stay.entered and stay.start >= moment.since), None)
    if watch.trigger == LEAVES_COVER:
        return _where_cover_ends(scene, watch, moment, stays)
    return next((max(stay.start, moment.since) for stay in stays if stay.end >= moment.since), None)


def stays_in(table: Table, watch: Watch, run: Run) -> Fact[tuple[Stay, ...]]:
    """The pieces of a way in the zone, in sight of the watcher.

    Without a map: by what the mover states that his way crosses. That of a hidden watcher only the GM knows, and
    who crosses no border may still move in the zone.
    """
    stays = _stays(table, run, watch.zone)
    if table.has_map:
        if not isinstance(watch.zone, Polygon) or isinstance(stays, Unknown):
            return stays
        return _both(stays, _stays(table, run, _in_sight(table, watch)))
    if isinstance(stays, Unknown):
        return stays
    inside = table.said.inside
    if inside is not None and run.actor in inside:
        return (Stay(0, stays[0].start if stays else run.walked, False),)
    if stays == () and watch.trigger == MOVES and inside is None:
        return Unknown("inside", (run.actor, watch.watcher), "gm")
    return stays


def _stays(table: Table, run: Run, area: Area) -> Fact[tuple[Stay, ...]]:
    crossings = table.space.crossings(run, area)
    if isinstance(crossings, Unknown):
        return crossings
    stays: list[Stay] = []
    begun: tuple[Length, bool] | None = None
    for crossing in crossings:
        if crossing.kind != "leaves":
            begun = (crossing.at, crossing.kind == "enters")
        elif begun is not None:
            stays.append(Stay(begun[0], crossing.at, begun[1]))
            begun = None
    if begun is not None:
        stays.append(Stay(begun[0], run.walked, begun[1]))
    return tuple(stays)


def _in_sight(table: Table, watch: Watch) -> Sector:
    """All that the watcher sees, as far as the zone goes."""
    place = table.who(watch.watcher).place
    assert place is not None
    return Sector(place.point, _reach(table, watch.watcher, watch.zone), needs_sight=True)


def _both(some: tuple[Stay, ...], others: Fact[tuple[Stay, ...]]) -> Fact[tuple[Stay, ...]]:
    """The pieces that lie in both."""
    if isinstance(others, Unknown):
        return others
    found = [
        Stay(max(one.start, other.start), min(one.end, other.end), one.entered or other.entered)
        for one, other in product(some, others)
        if max(one.start, other.start) <= min(one.end, other.end)
    ]
    return tuple(sorted(found, key=lambda stay: stay.start))


def _where_cover_ends(scene: Scene, watch: Watch, moment: Passing, stays: tuple[Stay, ...]) -> Fact[Length | None]:
    """The first place in the zone at which nothing hides him that did just before. Of stated cover the GM must tell."""
    if scene.who(watch.target).cover is not None:
        return Unknown(LEAVES_COVER, (watch.target,), "gm") if stays else None
    run = moment.run

    def is_hidden(at: Length) -> bool:
        space = scene.space.after({watch.target: scene.space.place(run, at)})
        cover = space.cover(watch.watcher, watch.target)
        return not isinstance(cover, Unknown) and bool(cover.pieces)

    before = moment.since
    hidden = is_hidden(before)
    for at in (*range(moment.since + SEARCH_STEP, run.walked, SEARCH_STEP), run.walked):
        still = is_hidden(at)
        if hidden and not still:
            ends = _narrowed(is_hidden, before, at)
            if any(stay.start <= ends <= stay.end for stay in stays):
                return ends
        before, hidden = at, still
    return None


def _narrowed(is_hidden: Callable[[Length], bool], low: Length, high: Length) -> Length:
    """The first hundredth at which he is no longer hidden, between one at which he is and one at which he is not."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_hidden(middle) else (low, middle)
    return high


def as_if_at(table: Table, who: CombatantId, place: Place | None) -> Table:
    """The table as it will be when he has come there, to look at before his coming is told."""
    if place is None:
        return table
    body = msgspec.structs.replace(table.who(who), place=place)
    combatants = {**table.state.combatants, who: body}
    return Table(table.rules, msgspec.structs.replace(table.state, combatants=combatants), table.said)


# Asking


def _ask_where(scene: Scene, watch: Watch, run: Run) -> None:
    """The GM judges whether the way meets the trigger, and where; at its end if he does not say. Clause: DH-5700."""
    where = Field("at", "length", minimum=0, maximum=run.walked)
    answer = _ruling(scene, watch, "overwatch_trigger", (where,))
    scene.met[watch.ruled] = -1 if answer.option == NO else answer.whole("at", run.walked)


def _ruling(scene: Scene, watch: Watch, name: str, form: tuple[Field, ...] = ()) -> Answer:
    return scene.ask(
        Question(
            key="",
            name=name,
            kind="ruling",
            to=GM,
            options=(Option(YES, form=form), Option(NO, declines=True)),
            default=NO,
            about=watch.target,
            clause=ClauseId("DH-3880"),
        )
    )


def _nothing(answer: Answer) -> None:
    """What was ruled is looked at again."""


def _offer(scene: Scene, watch: Watch, there: Table) -> Answer | None:
    """The trigger is met: once for an action and a combatant. Who is quicker acts first. Clauses: DH-3890, DH-3900."""
    if watch.trigger == TEXT and watch.ruled not in scene.met:
        scene.met[watch.ruled] = 0
        if _ruling(scene, watch, "overwatch_trigger").option == NO:
            scene.met[watch.name] = 1
            return None
    scene.met[watch.name] = 1
    if agility(scene, watch.actor) > agility(scene, watch.watcher):
        scene.met[watch.afterwards] = TO_ASK
        return None
    return _ask_to_fire(scene, watch, there)


def _ask_to_fire(scene: Scene, watch: Watch, there: Table) -> Answer | None:
    """Fire or hold, if he can fire at all. Clause: DH-3890."""
    if cannot_fire(there, watch):
        return None
    answer = scene.ask(
        Question(
            key="",
            name="overwatch_fire",
            kind="overwatch_fire",
            to=watch.watcher,
            options=(Option(FIRE, hit_chance(there, attack_of(there, watch))), Option(HOLD, declines=True)),
            default=HOLD,
            best=FIRE,
            about=watch.target,
            clause=ClauseId("DH-3890"),
        )
    )
    return None if answer.option == HOLD else answer


def _offer_to_declared(scene: Scene, watch: Watch) -> Answer | None:
    """As any trigger; where nobody knows whether he is in the zone the GM tells."""
    untold = watch.trigger == ATTACKS and isinstance(is_inside(scene, watch), Unknown)
    if untold and _ruling(scene, watch, "overwatch_trigger").option == NO:
        return None
    return _offer(scene, watch, scene)


def _offer_afterwards(scene: Scene, watch: Watch) -> Answer | None:
    """Out of the zone or out of sight by now: no attack. Who lost the opposed test has decided. Clause: DH-3900."""
    inside = is_inside(scene, watch)
    if isinstance(inside, Unknown):
        inside = _ruling(scene, watch, "overwatch_in_zone").option == YES
    if not inside:
        return None
    if scene.met[watch.afterwards] == DECIDED:
        return None if cannot_fire(scene, watch) else Answer(FIRE)
    return _ask_to_fire(scene, watch, scene)


# Firing


def _in_turn(scene: Scene, watch: Watch, answer: Answer) -> None:
    """With equal Agility an opposed test settles who is first, rolled until somebody is. Clause: DH-3900."""
    if agility(scene, watch.actor) == agility(scene, watch.watcher):
        first = contest(
            scene,
            Side(watch.watcher, "ag"),
            Side(watch.actor, "ag"),
            "overwatch_order",
            clause="DH-3900",
            until_settled=True,
        ).winner
        if first != watch.watcher:
            scene.met[watch.afterwards] = DECIDED
            return
    _fire(scene, watch, answer)


def _fire_at_declared(scene: Scene, watch: Watch, moment: Declaring, answer: Answer) -> None:
    """The attack comes before the action, which ends there if it leaves the actor unable to go on. Clause: DH-3900."""
    posture = {halt for halt in halts(scene, moment.actor) if halt in POSTURES}
    _in_turn(scene, watch, answer)
    if HALTED not in scene.met and set(halts(scene, moment.actor)) - posture:
        scene.met[HALTED] = 1
        tell_stopped(scene, moment.actor, moment.action, "DH-3900")


def _fire(scene: Scene, watch: Watch, answer: Answer) -> None:
    """The attack; then, hit or miss, whoever met the trigger holds his nerve or is pinned.

    Clauses: DH-3890, DH-3910, DH-3920.
    """
    part_from_the_far(scene, watch.target)
    _state_distance(scene, watch)
    if cannot_fire(scene, watch):
        return
    make_attack(scene, attack_of(scene, watch))
    _end_if_spent(scene, watch)
    pinning_test(scene, watch.target, clause="DH-3910")


def _state_distance(scene: Scene, watch: Watch) -> None:
    """Without a map nobody may know how far off he is by now: the GM tells, or it is normal range. Clause: DH-5700."""
    if scene.has_map or not isinstance(scene.space.distance(watch.watcher, watch.target), Unknown):
        return
    answer = scene.ask(
        Question(
            key="",
            name="overwatch_distance",
            kind="ruling",
            to=GM,
            options=(
                Option("state", form=(Field("distance", "length", required=True, minimum=0),)),
                Option("normal_range", declines=True),
            ),
            default="normal_range",
            about=watch.target,
            clause=ClauseId("DH-5700"),
        )
    )
    if answer.option == "state":
        fact = PairFact(distance=answer.whole("distance"))
        scene.emit(FactStated(watch.watcher, watch.target, fact, ClauseId("DH-5700")))


def _end_if_spent(scene: Scene, watch: Watch) -> None:
    """Without ammunition, or with a jam, there is nothing to watch with. Clause: DH-3920."""
    who, item = watch.watcher, watch.effect.item
    if is_out(scene, who) or item is None:
        return
    if item not in scene.who(who).items or is_jammed(scene, who, item) or not ammo(scene, who, item):
        scene.end(who, WATCHING, why="spent", clause="DH-3920")


OVERWATCH = Resolver(OverwatchParams, check, resolve)
