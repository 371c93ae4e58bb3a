"""Standing watch: who watches whom, with what, and where on a way a trigger is met.

Clauses DH-3880 to DH-3920, DH-5340, DH-5700, DH-5720.
"""

from collections.abc import Callable
from itertools import product

import msgspec

from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.moments import Passing
from app.engine.reasons import in_order
from app.engine.scene import Scene
from app.engine.space.model import Area, Fact, Place, Polygon, Run, Sector, Unknown
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import Attack, AttackParams, why_not_attack
from rulesets.dark_heresy_2e.conditions import IN_A_GRAPPLE, OUT, is_out
from rulesets.dark_heresy_2e.moving import are_foes
from rulesets.dark_heresy_2e.weapons import ammo, is_jammed, weapon_of
from rulesets.dark_heresy_2e.zones import reach_of_zone

NAME = ActionId("overwatch")
WATCHING = "overwatching"
ENTERS, MOVES, ATTACKS, LEAVES_COVER, TEXT = "enters_zone", "moves_in_zone", "attacks", "leaves_cover", "text"
AFTERWARDS = "/afterwards"
NOT_MET = -1
"""What the GM's ruling counts as where the way does not meet the trigger."""
SEARCH_STEP = 50
"""How finely the way is searched for where cover ends, in hundredths; what is found is then narrowed down exactly."""


class Watch(msgspec.Struct, frozen=True):
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
        return f"{self.name}{AFTERWARDS}"

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


def kept_attack(table: Table, who: CombatantId, target: CombatantId, item: ItemId | None, kind: str) -> Attack:
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
    return kept_attack(table, watch.watcher, watch.target, watch.effect.item, watch.effect.word or "")


def cannot_fire(table: Table, watch: Watch) -> bool:
    """Whether the attack is impossible now: no weapon, no sight, out of range, or locked in melee without a pistol.

    What nobody has stated yet does not stand against it. Clauses: DH-3920, DH-5340.
    """
    item = watch.effect.item
    if item is not None and item not in table.who(watch.watcher).items:
        return True
    return any(one.code != "missing_input" for one in in_order(why_not_attack(table, attack_of(table, watch))))


def end_if_spent(scene: Scene, who: CombatantId) -> None:
    """Without ammunition, or with a jam, there is nothing to watch with. Clause: DH-3920."""
    watching = scene.effect(who, WATCHING)
    item = None if watching is None else watching.item
    if is_out(scene, who) or item is None:
        return
    if item not in scene.who(who).items or is_jammed(scene, who, item) or not ammo(scene, who, item):
        scene.end(who, WATCHING, why="spent", clause="DH-3920")


# Zones


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


class Stay(msgspec.Struct, frozen=True):
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
        return None if ruled == NOT_MET else ruled
    for_the_gm = Unknown(watch.trigger, (watch.target,), "gm")
    covered = scene.who(watch.target).cover is not None
    if not scene.has_map and watch.trigger in (TEXT, LEAVES_COVER):
        return for_the_gm if watch.trigger == TEXT or covered else None
    stays = stays_in(scene, watch, moment.run)
    if isinstance(stays, Unknown):
        return stays
    if watch.trigger == TEXT or (watch.trigger == LEAVES_COVER and covered):
        return for_the_gm if stays else None
    if watch.trigger == ENTERS:
        return next((stay.start for stay in stays if stay.entered and stay.start >= moment.since), None)
    if watch.trigger == LEAVES_COVER:
        return _where_cover_ends(scene, watch, moment, stays)
    return first_inside(scene, watch, moment)


def first_inside(table: Table, watch: Watch, moment: Passing) -> Length | None:
    """How far along the way he is in the zone first, from where he has got to; None if he is not, or nobody knows."""
    stays = stays_in(table, watch, moment.run)
    if isinstance(stays, Unknown):
        return None
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
    return Sector(place.point, reach_of_zone(table, watch.watcher, watch.zone), needs_sight=True)


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


def _where_cover_ends(scene: Scene, watch: Watch, moment: Passing, stays: tuple[Stay, ...]) -> Length | None:
    """The first place in the zone at which nothing hides him any more that did just before."""
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
