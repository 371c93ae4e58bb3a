"""Damage of one source, from the dice to what gets through; going down, dying, Fatigue. Clauses MA-140, MA-150,
MA-230, MA-240, MA-800 to MA-820.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from app.engine.dice import Dice, parse_dice
from app.engine.events import DamageDealt, Die, StatusChanged, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from rulesets.manewry_ap.classes import total_of
from rulesets.manewry_ap.figures import END, FATIGUE, HP, KNOCKED_DOWN, current, soak_of
from rulesets.manewry_ap.hiding import reveal
from rulesets.manewry_ap.holds import be_free, let_go
from rulesets.manewry_ap.people import MOST_FATIGUE

SOAK = "soak"
WEAPON = "weapon"


def roll_damage(scene: Scene, name: str, who: CombatantId, damage: str) -> tuple[tuple[Die, ...], tuple[Term, ...]]:
    """The dice of a weapon and its constant, as they count. Clause: MA-230."""
    expression: Dice = parse_dice(damage)
    found: list[Die] = []
    total = 0
    for place, group in enumerate(expression.groups):
        part = name if not place else f"{name}_{place + 1}"
        fallen = scene.roll(part, group.count, group.sides, who, "damage", clause="MA-230")
        found += fallen
        total += group.sign * sum(die.value for die in fallen)
    clause = ClauseId("MA-230")
    terms = (Term("dice", total, clause), *((Term(WEAPON, expression.plus, clause),) if expression.plus else ()))
    return tuple(found), terms


def deal(
    scene: Scene,
    attacker: CombatantId | None,
    target: CombatantId,
    dice: tuple[Die, ...],
    dealt: tuple[Term, ...],
    taken: Iterable[Term],
    *,
    hit: int = 1,
    weapon_kind: str | None = None,
) -> int:
    """One source arrives: what the target takes more or less of it, then soak; each no less than 0.

    Clauses: MA-150, MA-240, MA-800, MA-810.
    """
    terms = (*dealt, *(replace(term, of=target) for term in taken))
    soak = soak_of(scene, target)
    raw = total_of(terms)
    through = max(0, raw - soak)
    scene.emit(
        DamageDealt(
            attacker,
            target,
            through,
            max(0, raw),
            dice,
            terms,
            (Term(SOAK, soak, ClauseId("MA-240")),) if soak else (),
            hit=hit,
            weapon_kind=weapon_kind,
            clause=ClauseId("MA-230"),
        )
    )
    scene.change_pool(target, HP, -through, "MA-800")
    settle_health(scene, target)
    return through


def settle_health(scene: Scene, who: CombatantId) -> None:
    """At 0 he is down, at -END dead; who has come above 0 again is up, if still on the ground. Clause: MA-800."""
    left, status = scene.pool(who, HP), scene.who(who).status
    if status == "gone":
        return
    if left > 0:
        if status == "down":
            scene.emit(StatusChanged(who, "up", "recovered", ClauseId("MA-800")))
        return
    dead = left <= -current(scene, who, END)
    goal = "dead" if dead else "down"
    if status in (goal, "dead"):
        return
    scene.emit(StatusChanged(who, goal, goal, ClauseId("MA-800")))  # type: ignore[arg-type]
    if not scene.has(who, KNOCKED_DOWN):
        scene.begin(who, KNOCKED_DOWN, clause="MA-800")
    reveal(scene, who, goal, "MA-800")
    be_free(scene, who, goal, "MA-420")
    let_go(scene, who, goal, "MA-420")


def tire(scene: Scene, who: CombatantId, markers: int, clause: str) -> None:
    """Fatigue markers come or go. Clauses: MA-360, MA-660, MA-820."""
    now = scene.pool(who, FATIGUE)
    scene.change_pool(who, FATIGUE, min(MOST_FATIGUE, max(0, now + markers)) - now, clause)
