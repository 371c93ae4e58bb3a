"""Conditions and what comes with them: stunned, off balance, down, postures, grapples. Clauses GU-110, GU-120,
GU-1610 to GU-1660, GU-1700 to GU-1750, GU-2230, GU-2600, GU-2610.
"""

from app.engine.events import ItemMoved, Noted, StatusChanged
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.scene import Scene
from app.engine.space.model import Place
from app.engine.state import Effect, Item
from app.engine.table import Table
from rulesets.gurps_4e.figures import FACE_UP, POSTURES, PRONE, STANDING, posture_of
from rulesets.gurps_4e.weapons import AMMO, AWAY, LOADING, hand_of_side, profile, rounds

STUNNED = ("stunned_physical", "stunned_mental", "surprised")
"""Stunned in any way: surprise is handled as mental stun. Clauses: GU-1620, GU-1660."""
MENTAL = ("stunned_mental", "surprised")
OUT = ("unconscious", "mortally_wounded", "dead")
MANEUVER = "maneuver"
WAITING, AIMING, CONCENTRATING, WORKING = "waiting", "aiming", "concentrating", "working"


def is_out(table: Table, who: CombatantId) -> bool:
    """Whether he is out of the fight. Clause: GU-080."""
    return table.who(who).status != "up"


def is_stunned(table: Table, who: CombatantId) -> bool:
    """Whether he can only Do Nothing. Clause: GU-1610."""
    return table.has(who, *STUNNED)


def is_shaky(table: Table, who: CombatantId) -> bool:
    """Whether his defences are those of somebody stunned: until his next slot even if he has recovered.

    Clause: GU-1640.
    """
    return table.has(who, *STUNNED, "stun_aftermath")


def loses_the_slot(table: Table, who: CombatantId) -> bool:
    """Whether the rest of a slot under way is lost. Clauses: GU-110, GU-2610."""
    return is_out(table, who) or is_stunned(table, who) or table.has(who, "off_balance")


def last_maneuver(table: Table, who: CombatantId) -> Effect | None:
    """The last maneuver chosen; None before his first slot. Clauses: GU-050, GU-060."""
    return table.effect(who, MANEUVER)


# Stun


def stun(scene: Scene, who: CombatantId, kind: str, clause: str) -> None:
    """He is stunned at once: an open Wait, an aim and a concentration are gone. Clauses: GU-120, GU-1455."""
    if is_out(scene, who) or scene.has(who, kind):
        return
    scene.begin(who, kind, clause=clause)
    lose_preparations(scene, who, kind)


def lose_preparations(scene: Scene, who: CombatantId, why: str) -> None:
    """What only somebody in his senses keeps up. Clauses: GU-120, GU-1220, GU-1455, GU-1860, GU-2230, GU-2520."""
    scene.end(who, WAITING, why=why, clause="GU-1455")
    scene.end(who, AIMING, why=why, clause="GU-1860")
    scene.end(who, CONCENTRATING, why=why, clause="GU-1220")
    scene.end(who, "suppressed_zone", why=why, clause="GU-2520")
    let_go(scene, who, why)


def lose_balance(scene: Scene, who: CombatantId, clause: str) -> None:
    """No action until his next slot. Clauses: GU-1455, GU-2610."""
    if is_out(scene, who):
        return
    scene.begin(who, "off_balance", clause=clause)
    scene.end(who, WAITING, why="off_balance", clause="GU-1455")


def bind(scene: Scene, who: CombatantId) -> None:
    """He cannot defend himself. Clauses: GU-390, GU-1455."""
    scene.begin(who, "bound")
    scene.end(who, WAITING, why="bound", clause="GU-1455")


# Out of action


def knock_out(scene: Scene, who: CombatantId, kind: str, clause: str) -> None:
    """He is out of the fight: `unconscious`, `mortally_wounded` or `dead`.

    Clauses: GU-080, GU-520, GU-2140 to GU-2170.
    """
    status = "dead" if kind == "dead" else "down"
    if scene.who(who).status == "dead" or scene.has(who, kind):
        return
    scene.begin(who, kind, clause=clause)
    lose_preparations(scene, who, kind)
    scene.end(who, "sustaining", why=kind, clause="GU-520")
    if scene.who(who).status != status:
        scene.emit(StatusChanged(who, status, kind, ClauseId(clause)))  # type: ignore[arg-type]
    let_be(scene, who, kind)
    fall(scene, who, clause)


# Postures


def take_posture(scene: Scene, who: CombatantId, posture: str, clause: str) -> None:
    """He is in that posture now, and in no other. Clause: GU-1750."""
    why = "stood_up" if posture == STANDING else "posture"
    scene.end(who, *(one for one in POSTURES if one != posture), why=why, clause=clause)
    if posture != STANDING and not scene.has(who, posture):
        scene.begin(who, posture, clause=clause)


def fall(scene: Scene, who: CombatantId, clause: str, posture: str = PRONE) -> bool:
    """He lies on the ground, by no maneuver of his. Tells whether he was not lying before. Clause: GU-1720."""
    if posture_of(scene, who) in (PRONE, FACE_UP):
        return False
    take_posture(scene, who, posture, clause)
    return True


# Things held


def drop(
    scene: Scene,
    who: CombatantId,
    item: ItemId,
    clause: str,
    *,
    lies: Place | None = None,
    away: Length = 0,
    why: str = "dropped",
) -> None:
    """It lies at his place, unless it fell elsewhere, and is not ready; what rests on its being in hand is over.

    Without a map `away` is how far from him that is. Clauses: GU-530, GU-1310, GU-1860, GU-2070, GU-2600.
    """
    if scene.carried(who, item) is None:
        return
    place = scene.who(who).place if lies is None else lies
    scene.emit(ItemMoved(who, item, None, True, ClauseId(clause), lies=place))
    unmark(scene, who, item, LOADING, "GU-1310")
    if not scene.has_map and away != scene.item(who, item).marks.get(AWAY, 0):
        scene.mark_item(who, item, AWAY, away, clause)
    forget_item(scene, who, item, why)


def unmark(scene: Scene, who: CombatantId, item: ItemId, mark: str, clause: str) -> None:
    """That figure of the item is nothing again; nothing happens if it was so."""
    carried = scene.carried(who, item)
    if carried is not None and carried.marks.get(mark):
        scene.mark_item(who, item, mark, 0, clause)


def spend_rounds(scene: Scene, who: CombatantId, item: ItemId, shots: int) -> None:
    """So many rounds are gone from the magazine, and a loading that was begun. Clauses: GU-1310, GU-2030."""
    left = rounds(scene, who, item)
    if left is not None:
        scene.mark_item(who, item, AMMO, max(0, left - shots), "GU-2030")
        unmark(scene, who, item, LOADING, "GU-1310")


def forget_item(scene: Scene, who: CombatantId, item: ItemId, why: str) -> None:
    """What rests on this weapon's being ready is over. Clauses: GU-1860, GU-2520."""
    aim = scene.effect(who, AIMING)
    if aim is not None and aim.item == item:
        scene.end_one(who, aim, why, "GU-1860")
    for zone in [one for one in scene.effects(who, "suppressed_zone") if one.item == item]:
        scene.end_one(who, zone, why, "GU-2520")


def drop_held(scene: Scene, who: CombatantId, clause: str, *, strapped_too: bool = False) -> None:
    """What the hands hold falls; strapped shields stay unless they go too. Clauses: GU-280, GU-2140."""
    for key, item in tuple(scene.who(who).items.items()):
        if item.held is not None and (strapped_too or not _is_strapped(scene, item)):
            drop(scene, who, ItemId(key), clause)


def _is_strapped(scene: Scene, item: Item) -> bool:
    """Shields are; a cloak is only held."""
    weapon = profile(scene.rules, item)
    return weapon is not None and weapon.is_shield and not weapon.soft


def drops_what_it_holds(scene: Scene, who: CombatantId, side: str, clause: str) -> None:
    """What the hand of that side alone holds falls to the ground; the right one is the main hand.

    What two hands held stays in the other one, and a shield is strapped to the arm. Clauses: GU-280, GU-2060, GU-2120.
    """
    hand = hand_of_side(side)
    for key, item in tuple(scene.who(who).items.items()):
        if item.held is not None and item.held == hand and not _is_strapped(scene, item):
            drop(scene, who, ItemId(key), clause)


# Grapples


def take_hold(scene: Scene, holder: CombatantId, held: CombatantId, hands: int) -> None:
    """He holds the other, with so many hands. Clause: GU-2230."""
    scene.begin(holder, "grappling", against=held, value=hands)
    scene.begin(held, "grappled", source=holder, value=hands)


def holders_of(table: Table, who: CombatantId) -> list[tuple[CombatantId, Effect]]:
    """Who holds him, and by what hold. Clause: GU-2230."""
    return [
        (body.id, effect)
        for body in table.state.combatants.values()
        for effect in table.effects(body.id, "grappling")
        if effect.against == who
    ]


def release(scene: Scene, holder: CombatantId, hold: Effect, why: str) -> None:
    """He holds the other no longer. Clause: GU-2230."""
    scene.end_one(holder, hold, why, "GU-2230")
    if hold.against is None:
        return
    for held in [one for one in scene.effects(hold.against, "grappled") if one.source == holder]:
        scene.end_one(hold.against, held, why, "GU-2230")
    scene.emit(Noted(holder, "released", hold.against, words=(why,), clause=ClauseId("GU-2230")))


def let_go(scene: Scene, who: CombatantId, why: str) -> None:
    """He lets go of everybody he holds. Clause: GU-2230."""
    for hold in tuple(scene.effects(who, "grappling")):
        release(scene, who, hold, why)


def let_be(scene: Scene, who: CombatantId, why: str) -> None:
    """Nobody holds him any longer. Clause: GU-2230."""
    for holder, hold in holders_of(scene, who):
        release(scene, holder, hold, why)


def end_by_ruling(scene: Scene, who: CombatantId, effect: Effect) -> None:
    """The GM takes a condition from somebody; of a hold both ends are gone. Clauses: GU-130, GU-2230."""
    if effect.kind == "grappling":
        release(scene, who, effect, "ruling")
    elif effect.kind == "grappled":
        holds = [hold for holder, hold in holders_of(scene, who) if holder == effect.source]
        for hold in holds:
            assert effect.source is not None
            release(scene, effect.source, hold, "ruling")
        if not holds:
            scene.end_one(who, effect, "ruling")
    else:
        scene.end_one(who, effect, "ruling")


def add_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None = None) -> None:
    """A condition the GM puts on somebody, with all that the rules do beside it. Clause: GU-130."""
    if kind in STUNNED:
        stun(scene, who, kind, scene.rules.effects[kind].clause)
    elif kind in OUT:
        knock_out(scene, who, kind, scene.rules.effects[kind].clause)
    elif kind in POSTURES:
        take_posture(scene, who, kind, scene.rules.effects[kind].clause)
    elif kind == "off_balance":
        lose_balance(scene, who, "GU-2610")
    elif kind == "bound":
        bind(scene, who)
    elif kind == "grappled" and against is not None:
        take_hold(scene, against, who, max(1, value))
    elif kind == "grappling" and against is not None:
        take_hold(scene, who, against, max(1, value))
    else:
        scene.begin(who, kind, value=value, against=against)
