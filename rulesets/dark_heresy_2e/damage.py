"""From a hit to its wounds: dice, armour, toughness, Righteous Fury, critical effects. Clauses DH-5420 to DH-5570."""

import msgspec

from app.engine.asks import GM, Option, Question
from app.engine.dice import parse_dice
from app.engine.events import (
    CoverChanged,
    CoverWorn,
    CriticalSuffered,
    DamageDealt,
    Die,
    Figure,
    Hit,
    ItemMoved,
    Noted,
    Term,
)
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.modifiers import collect, tagged
from app.engine.scene import Scene
from app.engine.space.model import Cover, CoverPiece, Point
from app.engine.state import Tick
from app.engine.table import Table
from rulesets.dark_heresy_2e.braces import let_go_of
from rulesets.dark_heresy_2e.checks import take_test
from rulesets.dark_heresy_2e.conditions import (
    BEARER,
    die,
    fall_prone,
    fatigue,
    knock_out,
    pass_out,
    stun,
)
from rulesets.dark_heresy_2e.figures import (
    MOST_CRITICAL,
    armour_at,
    bonus,
    half_up,
    location_row,
    location_side,
    tables_of,
)
from rulesets.dark_heresy_2e.reach import cover_at
from rulesets.dark_heresy_2e.tables import CriticalRow
from rulesets.dark_heresy_2e.weapons import Weapon

FURY_SIDES = 10
CRITICAL_DIE = 5
UNTIL_NEXT_TURN_ENDS = ((Tick("turn_start", BEARER), Tick("turn_end", BEARER)),)


class Source(msgspec.Struct, frozen=True):
    """What deals the damage: whose weapon, used in which way, with which degrees of success behind it.

    `behind_cover` tells whether cover on the way counts, `twice` that the dice are rolled twice and added
    (DH-5630), `band` the range band where the weapon's damage depends on it.
    """

    attacker: CombatantId
    weapon: Weapon
    weapon_kind: str
    degrees: int = 0
    behind_cover: bool = False
    twice: bool = False
    band: str = ""
    extra_dice: int = 0
    centre: Point | None = None
    """Where a blast went off: cover counts from there."""
    bruises: bool = True
    """Whether bare hands that get through as much as the toughness cost fatigue (DH-5440)."""


class Rolled(msgspec.Struct, frozen=True):
    """One damage roll: the dice as they fell, what they count, those that an aimed shot adds, and the one that Tearing
    leaves out.
    """

    dice: tuple[Die, ...]
    worth: int
    extra: tuple[Die, ...] = ()
    dropped: tuple[Die, ...] = ()


def roll_damage(scene: Scene, source: Source, *, first: bool) -> Rolled:
    """The damage dice, with what the attacker puts in their place on the first hit. Clauses: DH-5420 to DH-5460."""
    dice, dropped = _rolled_dice(scene, source)
    counted = tuple(_counted(source.weapon, one.value) for one in dice)
    counted = _replaced(scene, source, counted, first)
    return Rolled(dice, sum(counted), _extra_dice(scene, source) if first else (), dropped)


def deal(scene: Scene, source: Source, hit: Hit, *, first: bool, rolled: Rolled | None = None) -> None:
    """Resolve one hit that stands, from its dice to what it does.

    Each hit is rolled separately, but for those of an area, which share one roll. Clauses: DH-5420, DH-5480.
    """
    if scene.who(hit.target).status == "dead":
        return
    with scene.within(f"hit{hit.number}"):
        rolled = rolled or roll_damage(scene, source, first=first)
        terms = _raw_terms(scene, source, rolled.worth, rolled.extra)
        raw = max(0, sum(term.value for term in terms))
        soak = _soak(scene, source, hit)
        through = max(
            0, raw - max(0, _worth(soak, "armour", "cover") - _worth(soak, "penetration")) - _worth(soak, "toughness")
        )
        fury = any(_is_fury(source.weapon, one) for one in rolled.dice)
        scene.emit(
            DamageDealt(
                source.attacker,
                hit.target,
                max(through, 1) if fury else through,
                raw,
                (*rolled.dice, *rolled.extra, *rolled.dropped),
                terms,
                soak,
                hit.number,
                hit.location,
                source.weapon.type,
                source.weapon_kind,
                ClauseId("DH-5420"),
            )
        )
        _wear_cover(scene, source, hit, raw)
        if fury:
            _righteous_fury(scene, source, hit, through)
        else:
            wound(scene, hit.target, through, hit.location)
        if through and source.bruises and source.weapon.natural and through >= bonus(scene.who(hit.target), "t"):
            fatigue(scene, hit.target, 1, "DH-5440")
        if source.weapon.has("shocking") and (through or fury):
            shock(scene, hit.target)


def shock(scene: Scene, who: CombatantId) -> None:
    """Toughness, or a level of fatigue and stunned for half the degrees of failure. Clause: DH-5690."""
    if scene.who(who).status == "dead":
        return
    check = take_test(scene, who, "t", "shocking", clause="DH-5690")
    if not check.success:
        fatigue(scene, who, 1, "DH-5690")
        stun(scene, who, half_up(check.degrees), "DH-5690")


def _rolled_dice(scene: Scene, source: Source) -> tuple[tuple[Die, ...], tuple[Die, ...]]:
    """The damage dice, and the lowest that Tearing, which rolls one more, leaves out; on the helpless all are rolled
    twice.
    """
    group = source.weapon.dice.groups[0]
    count = group.count * (2 if source.twice else 1)
    more = 1 if source.weapon.has("tearing") else 0
    dice = scene.roll("damage", count + more, group.sides, source.attacker, "damage", clause="DH-5420")
    if not more:
        return dice, ()
    lowest = min(range(len(dice)), key=lambda place: dice[place].value)
    return tuple(one for place, one in enumerate(dice) if place != lowest), (dice[lowest],)


def _counted(weapon: Weapon, face: int) -> int:
    """What a die counts: Proven raises low ones, Primitive lowers high ones. Clause: DH-5460."""
    if weapon.has("proven"):
        face = max(face, weapon.figure("proven"))
    if weapon.has("primitive"):
        face = min(face, weapon.figure("primitive"))
    return face


def _is_fury(weapon: Weapon, one: Die) -> bool:
    """Whether this natural die sets off Righteous Fury. Clause: DH-5450."""
    if one.sides != FURY_SIDES:
        return False
    return one.value >= (weapon.figure("vengeful") or FURY_SIDES)


def _replaced(scene: Scene, source: Source, faces: tuple[int, ...], first: bool) -> tuple[int, ...]:
    """The attacker may put his degrees in the place of the lowest damage die of the first hit. Clause: DH-5430."""
    size = source.weapon.dice.groups[0].sides
    worth = min(source.degrees, size)
    if not first or worth <= min(faces):
        return faces
    answer = scene.ask(
        Question(
            key="",
            name="die_replacement",
            kind="die_replacement",
            to=source.attacker,
            options=(Option("replace"), Option("keep", declines=True)),
            default="keep",
            best="replace",
            informed=True,
            figures={"die": min(faces), "degrees": worth},
            clause=ClauseId("DH-5430"),
        )
    )
    if answer.option == "keep":
        return faces
    lowest = faces.index(min(faces))
    return tuple(worth if place == lowest else face for place, face in enumerate(faces))


def _extra_dice(scene: Scene, source: Source) -> tuple[Die, ...]:
    """Dice an aimed shot with an accurate weapon adds; they cause no Righteous Fury. Clause: DH-5495."""
    if not source.extra_dice:
        return ()
    return scene.roll("accurate", source.extra_dice, FURY_SIDES, source.attacker, "damage", clause="DH-5495")


def _raw_terms(table: Table, source: Source, dice: int, extra: tuple[Die, ...]) -> tuple[Term, ...]:
    weapon = source.weapon
    terms = [Term("dice", dice, ClauseId("DH-5420"))]
    if extra:
        terms.append(Term("accurate", sum(one.value for one in extra), ClauseId("DH-5495")))
    if weapon.dice.plus:
        terms.append(Term("weapon", weapon.dice.plus, ClauseId("DH-5420")))
    if weapon.add_sb:
        terms.append(Term("s_bonus", bonus(table.who(source.attacker), "s"), ClauseId("DH-5420")))
    tags = tagged("quality", tuple(weapon.qualities)) | {f"range.{source.band}"}
    terms.extend(collect(table.rules.modifiers, "damage", tags))
    return tuple(terms)


def _soak(table: Table, source: Source, hit: Hit) -> tuple[Term, ...]:
    """Armour of the location, cover, what penetration takes from both, and toughness. Clauses: DH-5160, DH-5420."""
    target, location = table.who(hit.target), hit.location or "body"
    terms = []
    if armour := armour_at(target, location):
        terms.append(Term("armour", armour, ClauseId("DH-5420")))
    if source.behind_cover:
        points, _ = cover_at(table, source.attacker, hit.target, location, source.centre)
        if points:
            terms.append(Term("cover", points, ClauseId("DH-5160")))
    if source.weapon.penetration:
        terms.append(Term("penetration", source.weapon.penetration, ClauseId("DH-5420")))
    terms.append(Term("toughness", bonus(target, "t"), ClauseId("DH-5420")))
    return tuple(terms)


def _worth(terms: tuple[Term, ...], *ids: str) -> int:
    return sum(term.value for term in terms if term.id in ids)


def _wear_cover(scene: Scene, source: Source, hit: Hit, raw: int) -> None:
    """Cover that raw damage and penetration together exceed loses a point. Clause: DH-5160."""
    if not source.behind_cover:
        return
    points, piece = cover_at(scene, source.attacker, hit.target, hit.location or "body", source.centre)
    if piece is None or raw + source.weapon.penetration <= points:
        return
    stated = scene.who(hit.target).cover
    if stated is not None and any(one.id == piece for one in stated.pieces):
        worn = tuple(
            CoverPiece(one.id, one.ap - 1, one.locations, one.rating) if one.id == piece else one
            for one in stated.pieces
        )
        scene.emit(CoverChanged(hit.target, Cover(stated.hidden, worn), ClauseId("DH-5160")))
    else:
        lost = scene.state.scenery.worn.get(piece, 0)
        scene.emit(CoverWorn(piece, lost + 1, ClauseId("DH-5160")))


def _righteous_fury(scene: Scene, source: Source, hit: Hit, through: int) -> None:
    """A natural maximum: a critical effect by 1d5 beside the damage, or one point where nothing would get through.

    Once a hit. Clause: DH-5450.
    """
    scene.emit(Noted(source.attacker, "righteous_fury", hit.target, clause=ClauseId("DH-5450")))
    if not through:
        wound(scene, hit.target, 1, hit.location)
        return
    wound(scene, hit.target, through, hit.location)
    if scene.who(hit.target).status != "dead":
        dice = scene.roll("fury", 1, CRITICAL_DIE, source.attacker, "righteous_fury", clause="DH-5450")
        with scene.within("fury"):
            row, clause = dice[0].value, ClauseId("DH-5450")
            suffer(
                scene,
                CriticalSuffered(hit.target, row, hit.location, "righteous_fury", clause, dice, source.attacker),
            )


def wound(scene: Scene, who: CombatantId, through: int, location: str | None) -> None:
    """Damage fills the wounds, what is left is critical damage and has its effect at once.

    Clauses: DH-1160, DH-5510, DH-5530.
    """
    if through > 0:
        _suffer_wounds(scene, who, through, location)
        _may_interrupt(scene, who)


def _may_interrupt(scene: Scene, who: CombatantId) -> None:
    """Damage alone interrupts an extended action only if the GM says so, and he is asked only where the table wants it.

    Clause: DH-1160.
    """
    if not scene.has(who, "extended_action") or not scene.flag("ask_gm_on_damage"):
        return
    answer = scene.ask(
        Question(
            key="",
            name="interrupt_extended_action",
            kind="interrupt_extended_action",
            to=GM,
            options=(Option("yes"), Option("no", declines=True)),
            default="no",
            best="no",
            about=who,
            informed=True,
            clause=ClauseId("DH-1160"),
        )
    )
    if answer.option == "yes":
        scene.end(who, "extended_action", why="damage", clause="DH-1160")


def _suffer_wounds(scene: Scene, who: CombatantId, through: int, location: str | None) -> None:
    left = scene.pool(who, "wounds")
    taken = min(left, through)
    scene.change_pool(who, "wounds", -taken, "DH-5510")
    beyond = through - taken
    if not beyond:
        return
    critical = scene.pool(who, "critical_damage") + beyond
    # More than kills is not kept: nothing asks for it, and nobody could enter a fight with it.
    scene.change_pool(who, "critical_damage", min(critical, MOST_CRITICAL) - (critical - beyond), "DH-5530")
    if _is_a_dead_minion(scene, who):
        die(scene, who, "DH-5570")
        return
    with scene.within("critical"):
        suffer(scene, CriticalSuffered(who, critical, location, clause=ClauseId("DH-5520")))


def _is_a_dead_minion(table: Table, who: CombatantId) -> bool:
    """Whether his critical damage is too much for a minion. Clause: DH-5570."""
    is_minion = table.who(who).sheet.stats.get("minion")
    return bool(is_minion) and table.who(who).pools.get("critical_damage", 0) >= tables_of(table).core.minion_dies_at


def set_pool_by_ruling(scene: Scene, who: CombatantId, pool: str, value: int) -> None:
    """A ruling that gives somebody more than he bears has the consequences that play would have.

    Fatigue beyond the threshold lets him pass out, critical damage of a row that kills does. Clauses: DH-5540, DH-5560,
    DH-5570.
    """
    scene.change_pool(who, pool, value - scene.pool(who, pool))
    if pool == "fatigue":
        pass_out(scene, who)
    elif pool == "critical_damage" and value > 0:
        if _is_a_dead_minion(scene, who):
            die(scene, who, "DH-5570")
        elif any(step.do == "die" for step in _row(scene, value).everywhere):
            die(scene, who, "DH-5540")


def _row(table: Table, value: int) -> CriticalRow:
    rows = tables_of(table).criticals
    return next((row for row in reversed(rows) if row.value <= value), rows[0])


def suffer(scene: Scene, suffered: CriticalSuffered) -> None:
    """A row of the critical table applies to the part hit. Clauses: DH-5450, DH-5520."""
    who, value = suffered.combatant, suffered.value
    row = _row(scene, value)
    where = suffered.location or "body"
    scene.emit(suffered)
    for step in row.steps(location_row(where)):
        if scene.who(who).status == "dead":
            return
        match step.do:
            case "fatigue":
                fatigue(scene, who, _amount(scene, who, step.amount, "fatigue"), "DH-5520")
            case "stun":
                stun(scene, who, _amount(scene, who, step.amount, "stun"), "DH-5520")
            case "drop_held":
                drop_held(scene, who, location_side(where))
            case "die":
                die(scene, who, "DH-5540")
            case "effect":
                _lasting(scene, who, step.effect or "", where, step.lasts == "next_turn")


def _amount(scene: Scene, who: CombatantId, text: str, name: str) -> int:
    dice = parse_dice(text)
    if not dice.groups:
        return dice.plus
    group = dice.groups[0]
    rolled = scene.roll(name, group.count, group.sides, who, name, clause="DH-5520")
    amount = sum(one.value for one in rolled) + dice.plus
    figures = (Figure("amount", amount),)
    scene.emit(Noted(who, "critical_roll", figures=figures, words=(name,), dice=rolled, clause=ClauseId("DH-5520")))
    return amount


def _lasting(scene: Scene, who: CombatantId, effect: str, location: str, passing: bool) -> None:
    match effect:
        case "prone":
            fall_prone(scene, who, "DH-5520")
        case "unconscious":
            knock_out(scene, who, "DH-5520")
        case "arm_unusable" | "arm_lost":
            drop_held(scene, who, location_side(location))
            scene.begin(who, effect, clause="DH-5520", word=location_side(location))
        case _:
            until = UNTIL_NEXT_TURN_ENDS if passing else None
            scene.begin(who, effect, clause="DH-5520", until=until)


def drop_held(scene: Scene, who: CombatantId, side: str) -> None:
    """What the hand of that side holds falls to the ground; the right hand is the main one. Clause: DH-5520."""
    hand = "off" if side == "left" else "main"
    for key, item in tuple(scene.who(who).items.items()):
        if item.held in (hand, "both"):
            let_go_of(scene, who, ItemId(key))
            scene.emit(ItemMoved(who, ItemId(key), None, True, ClauseId("DH-5520")))
