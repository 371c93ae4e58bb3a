"""Who sees whom: field of view, turning to follow, Unseen, surprise and who becomes aware.

Clauses WH-520 to WH-590.
"""

from collections.abc import Iterator, Sequence

from app.engine.asks import GM, Option, Question
from app.engine.events import Noted, Turned
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.scene import Scene
from app.engine.space.model import Fact, Run, Sector, Unknown
from app.engine.table import Table
from rulesets.wh40k_d100.conditions import can_act
from rulesets.wh40k_d100.figures import stat, tables_of
from rulesets.wh40k_d100.reach import are_foes
from rulesets.wh40k_d100.weapons import Weapon

EVERYWHERE = 360
FAR = 30_000_000
"""Farther than any map is wide, in hundredths: sight ends at walls, not at a distance."""
SEEN, UNAWARE, SURPRISED = "seen", "unaware", "surprised"
YES, NO = "yes", "no"


# Field of view


def field_of_view(table: Table, who: CombatantId) -> int:
    """Degrees all told: the least that body and gear leave, and what else widens it. Clauses: WH-540, WH-550."""
    body, views = table.who(who), tables_of(table).armour_views
    caps = [views[piece] for piece in body.sheet.worn if piece in views]
    narrowest = min(stat(body, "fov_deg"), stat(body, "fov_cap"), *caps)
    wider = stat(body, "fov_bonus") + sum(effect.value for effect in table.effects(who, "wider_view"))
    return max(0, min(EVERYWHERE, narrowest + wider))


def can_look(table: Table, who: CombatantId) -> bool:
    """Whether he has a field of view at all. Clauses: WH-540, WH-590."""
    return table.who(who).status == "up" and not table.has(who, "blinded")


def is_concealed(table: Table, who: CombatantId) -> bool:
    """Whether he is hidden or invisible, so that nobody sees him wherever he looks. Clause: WH-520."""
    return table.who(who).hidden or table.has(who, "hidden", "invisible")


def sees(table: Table, observer: CombatantId, other: CombatantId) -> Fact[bool]:
    """Whether the other is in his view now; without a map as stated. Clauses: WH-530, WH-540."""
    if not can_look(table, observer) or is_concealed(table, other):
        return False
    return table.space.sees(observer, other, field_of_view(table, observer))


# A turn in view


def watchers(table: Table, who: CombatantId) -> list[CombatantId]:
    """The enemies who could have him in view, in order."""
    return [body.id for body in table.in_order() if body.status == "up" and are_foes(table, body.id, who)]


def note_in_view(scene: Scene, who: CombatantId, observers: Sequence[CombatantId]) -> None:
    """These have had him in view in this turn of his. Clause: WH-520."""
    before = seen_by(scene, who)
    more = [one for one in observers if one not in before]
    if more and scene.is_turn_of(who):
        scene.begin(who, SEEN, words=(*before, *more))


def seen_by(table: Table, who: CombatantId) -> tuple[CombatantId, ...]:
    """Who has had him in view in this turn of his. Clause: WH-520."""
    held = table.effect(who, SEEN)
    return () if held is None else tuple(CombatantId(one) for one in held.words)


def look_about(scene: Scene, who: CombatantId) -> None:
    """A turn begins: whoever has him in view now has seen him in it. Clause: WH-520."""
    note_in_view(scene, who, [one for one in watchers(scene, who) if sees(scene, one, who) is True])


# Going past


def who_sees_the_way(table: Table, run: Run, done: Length) -> list[CombatantId]:
    """The enemies who have him in view at some moment of that much of a way. Clause: WH-530."""
    who = CombatantId(run.actor)
    if not table.has_map:
        return [one for one in watchers(table, who) if sees(table, one, who) is True]
    return [one for one in watchers(table, who) if _sees_the_way(table, one, run, done)]


def _sees_the_way(table: Table, observer: CombatantId, run: Run, done: Length) -> bool:
    place, width = table.who(observer).place, field_of_view(table, observer)
    concealed = is_concealed(table, CombatantId(run.actor))
    if place is None or concealed or not width or not can_look(table, observer):
        return False
    arc = width if place.facing is not None else EVERYWHERE
    view = Sector(place.point, FAR, place.facing or 0, arc, needs_sight=True)
    crossings = table.space.crossings(run, view)
    return not isinstance(crossings, Unknown) and any(one.at <= done for one in crossings)


def follow(scene: Scene, who: CombatantId, observers: Sequence[CombatantId]) -> None:
    """Somebody has gone past those who saw him: they turn after him where he would end out of their view, and nobody
    is unaware any more who has seen an enemy come. Clauses: WH-530, WH-560.
    """
    note_in_view(scene, who, observers)
    for observer in observers:
        _turn_after(scene, observer, who)
        scene.end(observer, UNAWARE, why="in_view", clause="WH-560")
    if scene.has(who, UNAWARE) and any(sees(scene, who, one) is True for one in watchers(scene, who)):
        scene.end(who, UNAWARE, why="in_view", clause="WH-560")


def _turn_after(scene: Scene, observer: CombatantId, mover: CombatantId) -> None:
    place = scene.who(observer).place
    if place is None or place.facing is None or not can_act(scene, observer) or is_concealed(scene, mover):
        return
    width = field_of_view(scene, observer)
    bearing = scene.space.bearing(observer, mover)
    if isinstance(bearing, Unknown) or not width or _is_ahead(scene, observer, mover, width):
        return
    scene.emit(Turned(observer, bearing, ClauseId("WH-530")))


def _is_ahead(table: Table, observer: CombatantId, mover: CombatantId, width: int) -> bool:
    """Whether he is in that arc before him, walls or none."""
    found = table.space.arc_of(observer, mover, (("ahead", width), ("behind", EVERYWHERE)))
    return found == "ahead"


# Unseen and surprised


def is_unseen(table: Table, attacker: CombatantId, target: CombatantId) -> Fact[bool]:
    """Whether he was out of the target's view through the whole of his turn up to now. Clauses: WH-520, WH-590."""
    if not can_look(table, target):
        return True
    if target in seen_by(table, attacker):
        return False
    now = sees(table, target, attacker)
    return now if isinstance(now, Unknown) else not now


def decide_unseen(scene: Scene, attacker: CombatantId, target: CombatantId, *, claimed: bool) -> bool:
    """The same, the GM being asked where nobody has stated it and the client claims it. Clause: WH-520."""
    found = is_unseen(scene, attacker, target)
    if not isinstance(found, Unknown):
        return found
    return claimed and _asked(scene, "is_unseen", attacker, target, "WH-520")


def decide_surprised(scene: Scene, attacker: CombatantId, target: CombatantId, *, claimed: bool) -> bool:
    """Whether the target counts as surprised: it expects no attack at all, or the GM says so.

    Clauses: WH-560, WH-570.
    """
    if scene.has(target, UNAWARE, SURPRISED):
        return True
    return claimed and _asked(scene, "is_surprised", attacker, target, "WH-560")


def _asked(scene: Scene, kind: str, attacker: CombatantId, target: CombatantId, clause: str) -> bool:
    with scene.within(kind):
        answer = scene.ask(
            Question(
                key="",
                name=target,
                kind=kind,
                to=GM,
                options=(Option(YES), Option(NO, declines=True)),
                default=NO,
                best=NO,
                about=attacker,
                clause=ClauseId(clause),
            )
        )
    return answer.option == YES


# Who becomes aware


def spread_the_alarm(scene: Scene, attacker: CombatantId, targets: Sequence[CombatantId], weapon: Weapon) -> None:
    """An attack has been made: its targets, whoever sees one of them and whoever hears it expects more.

    Clause: WH-580.
    """
    unaware = [body.id for body in scene.in_order() if scene.has(body.id, UNAWARE) and body.id != attacker]
    if not unaware:
        return
    if scene.option("alert_on_attack") == "gm":
        noticing = _told_by_the_gm(scene, attacker, unaware)
    else:
        noticing = [who for who in unaware if _notices(scene, who, attacker, targets, weapon)]
    for who in noticing:
        scene.end(who, UNAWARE, why="alarmed", clause="WH-580")


def _notices(
    table: Table, who: CombatantId, attacker: CombatantId, targets: Sequence[CombatantId], weapon: Weapon
) -> bool:
    if who in targets or not table.has_map or table.option("alert_on_attack") == "everyone":
        return True
    if any(sees(table, who, target) is True for target in targets):
        return True
    return bool(weapon.noise) and table.space.adjacent(who, attacker, weapon.noise) is True


def _told_by_the_gm(scene: Scene, attacker: CombatantId, unaware: list[CombatantId]) -> list[CombatantId]:
    answer = scene.ask(
        Question(
            key="",
            name="who_noticed",
            kind="who_noticed",
            to=GM,
            options=(Option("everyone"), Option("these", form=(Field("who", "combatants", True, tuple(unaware)),))),
            default="everyone",
            best="everyone",
            about=attacker,
            clause=ClauseId("WH-580"),
        )
    )
    named = answer.fields.get("who", ())
    return [who for who in unaware if answer.option == "everyone" or who in named]


def tell_unseen(scene: Scene, attacker: CombatantId, target: CombatantId) -> None:
    """The attack has the type Unseen against this target. Clause: WH-520."""
    scene.emit(Noted(attacker, "unseen", target, clause=ClauseId("WH-520")))


def hidden_from(table: Table, who: CombatantId) -> Iterator[CombatantId]:
    """Those he cannot know of: hidden from all, or from whoever is not of their side. Clause: WH-200."""
    yield from table.unknown_to(who)
    for body in table.state.combatants.values():
        if table.has(body.id, "hidden") and are_foes(table, who, body.id):
            yield body.id
