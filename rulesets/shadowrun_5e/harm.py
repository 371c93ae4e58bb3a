"""Damage: value, armour, soak, boxes, and what they do. Clauses SR-600 (7 to 9), SR-700 to SR-790."""

from functools import partial
from typing import Literal

import msgspec

from app.engine.events import DamageDealt, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Tick
from app.engine.table import Table
from rulesets.shadowrun_5e.checks import pool_terms, take_test
from rulesets.shadowrun_5e.conditions import DYING, STABILIZED, UNCONSCIOUS, come_round, die, fall_prone, knock_out
from rulesets.shadowrun_5e.figures import (
    OVERFLOW,
    PHYSICAL,
    SCORE,
    STUN,
    armor_of,
    physical_boxes,
    physical_limit,
    stat,
    stun_boxes,
    tables_of,
    wound_modifier,
)
from rulesets.shadowrun_5e.score import change_score

CONSEQUENCES = 1
"""Positions come before damage and conditions where both were held. Clause: SR-165."""


class Harm(msgspec.Struct, frozen=True):
    """Damage on its way to somebody: parts of its value, type, armour penetration and whatever else comes with it."""

    attacker: CombatantId | None
    target: CombatantId
    value: tuple[Term, ...]
    type: Literal["P", "S"]
    ap: int = 0
    element: str = "none"
    shakes: bool = False
    weapon_kind: str | None = None
    cover: int = 0
    """Armour that cover lends against a blast. Clause: SR-830."""
    clause: str = "SR-700"

    @property
    def dv(self) -> int:
        """The modified damage value. Clause: SR-700."""
        return sum(term.value for term in self.value)


def armor_terms(table: Table, harm: Harm) -> tuple[Term, ...]:
    """Armour, less what is pierced, never below none; what helps armour needs some to help. Clause: SR-710."""
    worn = armor_of(table, harm.target) + harm.cover
    through = harm.ap if worn > 0 or harm.ap < 0 else 0
    terms = (Term("armor", worn, ClauseId("SR-710")), Term("ap", max(-worn, through), ClauseId("SR-710")))
    return tuple(term for term in terms if term.value)


def deal(scene: Scene, harm: Harm) -> int:
    """Soak it; what gets through fills boxes, at once or when what is held is released. Gives the boxes.

    Clauses: SR-720, SR-730.
    """
    armor = armor_terms(scene, harm)
    rating = sum(term.value for term in armor)
    kind: Literal["P", "S"] = "S" if harm.type == "S" or harm.dv < rating else "P"
    pool = (*pool_terms(scene, harm.target, "body"), *armor)
    soaked = take_test(
        scene,
        harm.target,
        "body",
        "soak",
        pool,
        clause="SR-730",
        against=harm.attacker,
        sprung=True,
        most=harm.dv,
        alike=(harm, kind),
    )
    boxes = max(0, harm.dv - soaked.hits)
    scene.emit(
        DamageDealt(
            harm.attacker,
            harm.target,
            boxes,
            harm.dv,
            terms=harm.value,
            soak=(Term("soaked", soaked.hits, ClauseId("SR-730")),),
            damage_type=kind,
            weapon_kind=harm.weapon_kind,
            clause=ClauseId("SR-720" if kind != harm.type else harm.clause),
        )
    )
    if boxes:
        scene.later(CONSEQUENCES, partial(_suffer, scene, harm, boxes, kind))
    return boxes


def _suffer(scene: Scene, harm: Harm, boxes: int, kind: Literal["P", "S"]) -> None:
    """Boxes, wound modifier and score, knock-down, what comes with the hit, then whether he is out. Clause: SR-600."""
    who = harm.target
    fill(scene, who, boxes, kind)
    if boxes > physical_limit(scene.who(who)) or boxes >= tables_of(scene).core.knock_down:
        fall_prone(scene, who, "SR-760")
    if harm.element == "electricity":
        shock(scene, who)
    if harm.shakes:
        change_score(scene, who, -tables_of(scene).core.call_shot.shake_up, "SR-468")
    scene.end(who, "treated", why="new_wounds", clause="SR-910")
    scene.end(who, STABILIZED, why="new_wounds", clause="SR-920")
    settle_monitors(scene, who)


def fill(scene: Scene, who: CombatantId, boxes: int, kind: Literal["P", "S"]) -> None:
    """Boxes: too much stun is half as much physical, too much physical overflows. Clauses: SR-740, SR-750."""
    before = wound_modifier(scene, who)
    physical = boxes if kind == "P" else 0
    if kind == "S":
        stun = min(boxes, stun_boxes(scene, who) - scene.pool(who, STUN))
        scene.change_pool(who, STUN, stun, "SR-740")
        physical = (boxes - stun) // 2
    held = min(physical, physical_boxes(scene, who) - scene.pool(who, PHYSICAL))
    scene.change_pool(who, PHYSICAL, held, "SR-740")
    scene.change_pool(who, OVERFLOW, physical - held, "SR-740")
    _wounds_tell(scene, who, before)


def heal(scene: Scene, who: CombatantId, boxes: int, pool: str, clause: str) -> int:
    """Boxes are emptied, overflow first; gives how many. Clauses: SR-060, SR-910."""
    before, left = wound_modifier(scene, who), boxes
    for monitor in (OVERFLOW, PHYSICAL) if pool == PHYSICAL else (STUN,):
        gone = min(left, scene.pool(who, monitor))
        scene.change_pool(who, monitor, -gone, clause)
        left -= gone
    _wounds_tell(scene, who, before)
    settle_monitors(scene, who)
    return boxes - left


def _wounds_tell(scene: Scene, who: CombatantId, before: int) -> None:
    """The score follows the wound modifier at once, down and up. Clauses: SR-060, SR-750."""
    delta = wound_modifier(scene, who) - before
    if delta and scene.flag("wound_affects_initiative"):
        change_score(scene, who, delta, "SR-750")


def shock(scene: Scene, who: CombatantId) -> None:
    """A die less until the end of the next Combat Turn, and once five off the score. Clause: SR-770."""
    if not scene.has(who, "electrified"):
        change_score(scene, who, tables_of(scene).core.electricity.score, "SR-770")
    scene.begin(who, "electrified")


def settle_monitors(scene: Scene, who: CombatantId) -> None:
    """A full monitor knocks out, a full physical one bleeds, too much overflow kills. Clauses: SR-780, SR-790."""
    if scene.who(who).status == "dead":
        return
    dying = scene.pool(who, PHYSICAL) >= physical_boxes(scene, who)
    stunned = scene.pool(who, STUN) >= stun_boxes(scene, who)
    if not dying and not stunned:
        if scene.has(who, UNCONSCIOUS):
            come_round(scene, who)
        return
    knock_out(scene, who)
    if scene.pool(who, OVERFLOW) > stat(scene.who(who), "body"):
        die(scene, who)
    elif dying and not scene.has(who, DYING):
        scene.begin(who, DYING)
        start_bleeding(scene, who)
    elif not dying:
        scene.end(who, DYING, "bleeding", why="healed", clause="SR-790")


def start_bleeding(scene: Scene, who: CombatantId) -> None:
    """So many Combat Turns until the next box. Clause: SR-790."""
    turns = stat(scene.who(who), "body") * tables_of(scene).core.bleeding
    scene.begin(who, "bleeding", until=((Tick("combat_turn_end", times=turns),),))


def set_pool_by_ruling(scene: Scene, who: CombatantId, pool: str, value: int) -> None:
    """The GM sets a figure; boxes have their consequences. Clauses: SR-060, SR-950."""
    before, delta = wound_modifier(scene, who), value - scene.pool(who, pool)
    if pool == SCORE:
        change_score(scene, who, delta, "SR-950")
        return
    scene.change_pool(who, pool, delta, "SR-950")
    if pool in (PHYSICAL, STUN, OVERFLOW):
        _wounds_tell(scene, who, before)
        settle_monitors(scene, who)
