"""The core test: d100 at most the target number, counted in successes. Clauses WH-100 to WH-160."""

from collections.abc import Callable, Hashable, Iterable
from typing import Literal

import msgspec

from app.engine.blocks.d100 import MILLION, SIDES, Target, summed, tens_apart
from app.engine.events import CheckRolled, Die, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.wh40k_d100.figures import stat, whole_option

ATTACK, CRITICAL = "attack", "critical"
"""What a test is for where a Critical Success does something, and what it is called then. Clause: WH-240."""
SHORT_OF = {"d100_roll_under": 0, "d100_roll_below": 1}
"""By how much at least the die stays short of the target number, by the core test that is played. Clause: WH-100."""
SURE, NEVER = 5, 95
"""Faces that always succeed and the last that may, where a table has not chosen otherwise. Clause: WH-110."""


class Check(msgspec.Struct, frozen=True):
    """How a test came out: `degrees` of success or of failure."""

    success: bool
    degrees: int
    critical: bool
    die: int


def target_number(
    table: Table, who: CombatantId, tested: str, modifiers: Iterable[Term], skill: str | None = None
) -> Target:
    """The characteristic, the skill's own modifier, and every modifier that holds, capped only where a table says so.

    Clauses: WH-100, WH-140.
    """
    body = table.who(who)
    named = list(modifiers)
    if skill is not None:
        named.insert(0, Term(skill, stat(body, skill), ClauseId("WH-100")))
    cap = table.option("modifier_cap")
    base = Term(tested, stat(body, tested), ClauseId("WH-100"))
    return summed((base,), named, cap if isinstance(cap, int) else None, ClauseId("WH-140"))


def judge(table: Table, target: int, die: int) -> Check:
    """What a die means against a target number. Clauses: WH-100 to WH-130, WH-150."""
    sure, never = whole_option(table, "natural_success"), whole_option(table, "natural_failure")
    success = die <= sure or (die <= target - _short_of(table) and die < never)
    tens = tens_apart(target, die)
    if not success:
        more = 1 if table.option("failures") == "tens_difference_plus_one" else 0
        return Check(False, max(more, more - tens), critical=False, die=die)
    more = 1 if table.option("successes") == "tens_difference_plus_one" else 0
    successes = max(more, more + tens)
    return Check(True, successes, _is_critical(table, die, successes), die)


def _is_critical(table: Table, die: int, successes: int) -> bool:
    """Whether a success is a critical one. Clause: WH-110."""
    match table.option("critical_success"):
        case "doubles":
            return die % 11 == 0
        case "successes_at_least":
            return successes >= whole_option(table, "critical_success_successes")
        case _:
            return die <= whole_option(table, "natural_success")


def chance_against(table: Table, target: int) -> int:
    """Chance in millionths that a test succeeds. Clause: WH-110."""
    sure, never = whole_option(table, "natural_success"), whole_option(table, "natural_failure")
    return max(sure, min(target - _short_of(table), never - 1)) * (MILLION // SIDES)


def _short_of(table: Table) -> int:
    return SHORT_OF[str(table.option("core_test"))]


def chance_of(check: CheckRolled) -> int:
    """Chance in millionths of a test with that target number, as the rules have it by themselves. Clause: WH-110."""
    return min(NEVER, max(SURE, check.target)) * (MILLION // SIDES)


def unspoken_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    target: Target,
    *,
    clause: str,
    name: str | None = None,
    against: CombatantId | None = None,
    sees: Callable[[Check], Hashable] = lambda check: (check.success, check.degrees, check.critical),
) -> tuple[Check, CheckRolled]:
    """Roll a test and leave the telling to whoever gathers it. `sees` is what the rule looks at in the outcome."""

    def seen(faces: tuple[int, ...]) -> Hashable:
        return sees(judge(scene, target.number, faces[0]))

    dice = scene.roll(name or purpose, 1, SIDES, who, purpose, target=target.number, clause=clause, sees=seen)
    check = judge(scene, target.number, dice[0].value)
    return check, _told(who, tested, purpose, target, dice, check, clause, against)


def _told(
    who: CombatantId,
    tested: str,
    purpose: str,
    target: Target,
    dice: tuple[Die, ...],
    check: Check,
    clause: str,
    against: CombatantId | None,
) -> CheckRolled:
    word: Literal["success", "failure"] = "success" if check.success else "failure"
    grade = CRITICAL if check.critical and purpose == ATTACK else None
    cited = ClauseId(clause)
    return CheckRolled(
        who, tested, purpose, target.number, dice, word, check.degrees, target.terms, against, cited, grade
    )


def take_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    target: Target,
    *,
    clause: str,
    name: str | None = None,
    against: CombatantId | None = None,
    sees: Callable[[Check], Hashable] = lambda check: (check.success, check.degrees, check.critical),
) -> Check:
    """Roll a test and tell it."""
    check, told = unspoken_test(
        scene, who, tested, purpose, target, clause=clause, name=name, against=against, sees=sees
    )
    scene.emit(told)
    return check


def succeeds(check: Check) -> Hashable:
    """What a rule sees that only asks whether it succeeded."""
    return check.success
