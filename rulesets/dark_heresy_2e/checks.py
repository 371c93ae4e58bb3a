"""The core test: d100 at most the target number, counted in degrees. Clauses DH-2010 to DH-2120."""

from collections.abc import Callable, Hashable, Iterable
from typing import Literal

import msgspec
from msgspec.structs import replace

from app.engine.blocks.d100 import MILLION, SIDES, Target, summed, tens_apart
from app.engine.events import CheckRolled, ContestSettled, Die, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.modifiers import collect, tagged
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e import fate
from rulesets.dark_heresy_2e.figures import bonus, half_up, tables_of, tested_value

MODIFIER_CAP = ClauseId("DH-2030")


class Check(msgspec.Struct, frozen=True):
    """How a test came out. `degrees` are those of success or of failure; `die` as it fell."""

    success: bool
    degrees: int
    die: int
    target: int
    dice: tuple[Die, ...]


def characteristic_of(table: Table, tested: str) -> str:
    """The characteristic behind a skill, or the characteristic itself. Clause: DH-2080."""
    return table.rules.skills.get(tested, tested)


def base_terms(table: Table, who: CombatantId, tested: str) -> list[Term]:
    """What a test starts from: the characteristic, or that of the skill with its rank, less what fatigue takes."""
    characteristic = characteristic_of(table, tested)
    value, fatigue = tested_value(table, who, characteristic)
    terms = [Term(characteristic, value, ClauseId("DH-2010"))]
    if characteristic != tested:
        ranks = table.rules.ranks
        rank = table.who(who).sheet.ranks.get(tested, next(iter(ranks)))
        terms.append(Term(f"rank_{rank}", ranks[rank], ClauseId("DH-2080")))
    if fatigue:
        terms.append(Term("fatigue", fatigue, ClauseId("DH-5560")))
    return terms


def target_number(table: Table, who: CombatantId, tested: str, modifiers: Iterable[Term], purpose: str = "") -> Target:
    """The target number: base, and all modifiers together held between -60 and +60. Clauses: DH-2010, DH-2030."""
    named = (*modifiers, *lasting_modifiers(table, who, tested, purpose))
    return summed(base_terms(table, who, tested), named, tables_of(table).core.modifier_cap, MODIFIER_CAP)


def lasting_modifiers(table: Table, who: CombatantId, tested: str, purpose: str = "") -> tuple[Term, ...]:
    """Modifiers that lie on every test of the characteristic: those of critical effects, a point of Fate.

    Clauses: DH-5520, DH-5680.
    """
    characteristic = characteristic_of(table, tested)
    tags = {f"test.{characteristic}", f"for.{purpose}"}
    tags.update(tagged("actor", table.active(who)))
    return collect(table.rules.modifiers, "test", tags)


def judge(target: int, die: int, extra: int = 0) -> tuple[bool, int]:
    """Success, and degrees of it or of failure. 1 always succeeds, 100 always fails. Clauses: DH-2040, DH-2050."""
    success = die == 1 or (die <= target and die != SIDES)
    tens = tens_apart(target, die)
    return (True, max(1, 1 + tens) + extra) if success else (False, max(1, 1 - tens))


def chance_of(check: CheckRolled) -> int:
    """Chance in millionths of a test with that target number: a 1 always succeeds, a 100 never. Clause: DH-2040."""
    return min(SIDES - 1, max(1, check.target)) * (MILLION // SIDES)


def take_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    modifiers: Iterable[Term] = (),
    *,
    clause: str,
    name: str | None = None,
    against: CombatantId | None = None,
) -> Check:
    """Roll a test and tell it."""
    check, told = unspoken_test(scene, who, tested, purpose, modifiers, clause=clause, name=name, against=against)
    tell(scene, told)
    return check


class Told(msgspec.Struct, frozen=True):
    """What there is to tell of a test: how it was rolled, and with Fate spent on it what counts instead.

    Clause: DH-5680.
    """

    rolled: CheckRolled
    fate: str | None = None
    again: CheckRolled | None = None

    @property
    def counting(self) -> CheckRolled:
        """The outcome that counts."""
        return self.again or self.rolled

    def with_degrees(self, degrees: int) -> "Told":
        """The same, where what counts has these degrees."""
        counting = msgspec.structs.replace(self.counting, degrees=degrees)
        return replace(self, rolled=counting) if self.again is None else replace(self, again=counting)


def tell(scene: Scene, told: Told) -> None:
    """Let a test that was rolled be known, and Fate that was spent on it be gone. Clause: DH-5680."""
    who = told.rolled.combatant
    scene.emit(told.rolled)
    if any(term.id == fate.FIELD for term in told.rolled.terms):
        fate.end_bonus(scene, who)
    if told.fate is not None and told.again is not None:
        fate.spend(scene, who, told.fate)
        scene.emit(told.again)


def unspoken_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    modifiers: Iterable[Term] = (),
    *,
    clause: str,
    name: str | None = None,
    against: CombatantId | None = None,
    sees: Callable[[bool, int], Hashable] | None = None,
    die_counts: bool = False,
) -> tuple[Check, Told]:
    """Roll a test and leave the telling to whoever gathers it. Clause: DH-2010.

    `sees` tells what the rule looks at in the outcome (success, degrees), where that is less than all; `die_counts`
    that it looks at the very die of a success.
    """
    target = target_number(scene, who, tested, modifiers, purpose)

    def seen(faces: tuple[int, ...]) -> Hashable:
        counted = faces if die_counts and judge(target.number, faces[0])[0] else ()
        return _seen(target.number, faces[0], extra_degrees(scene, who, tested), sees), counted

    return settled_test(
        scene,
        who,
        tested,
        purpose,
        target,
        name=name or purpose,
        clause=clause,
        against=against,
        meaning=lambda dice: outcome(scene, who, tested, target, dice),
        sees=seen,
    )


def settled_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    target: Target,
    *,
    name: str,
    clause: str,
    against: CombatantId | None,
    meaning: Callable[[tuple[Die, ...]], Check],
    sees: Callable[[tuple[int, ...]], Hashable],
) -> tuple[Check, Told]:
    """Roll against the target; whoever wants to be asked may spend Fate on how it came out. Clauses: DH-2010, DH-5680.

    `meaning` tells how the dice come out, `sees` what the rule looks at in them.
    """
    # A point that goes into the test and was not taken yet cannot be spent on it again.
    promised = any(term.id == fate.FIELD for term in target.terms) and not scene.has(who, fate.BONUS)
    asks = fate.wants_to_be_asked(scene, who, 1 if promised else 0)

    def rolled() -> tuple[Check, CheckRolled]:
        # Who is asked sees the very die.
        looked_at = None if asks else sees
        dice = scene.roll(name, 1, SIDES, who, purpose, target=target.number, clause="DH-2140", sees=looked_at)
        check = meaning(dice)
        word: Literal["success", "failure"] = "success" if check.success else "failure"
        told = CheckRolled(
            who, tested, purpose, target.number, dice, word, check.degrees, target.terms, against, ClauseId(clause)
        )
        return check, told

    check, told = rolled()
    if not asks:
        return check, Told(told)
    with scene.within(name):
        spent = fate.after_a_test(scene, who, told)
        if spent == fate.REROLL:
            with scene.within("again"):
                check, again = rolled()
            return check, Told(told, spent, again)
    if spent == fate.ADD_DEGREE:
        check = replace(check, degrees=check.degrees + 1)
        return check, Told(told, spent, msgspec.structs.replace(told, degrees=check.degrees))
    return check, Told(told)


def _seen(target: int, die: int, extra: int, sees: Callable[[bool, int], Hashable] | None) -> Hashable:
    success, degrees = judge(target, die, extra)
    return (success, degrees) if sees is None else sees(success, degrees)


def outcome(table: Table, who: CombatantId, tested: str, target: Target, dice: tuple[Die, ...]) -> Check:
    """What the die means against the target."""
    success, degrees = judge(target.number, dice[0].value, extra_degrees(table, who, tested))
    return Check(success, degrees, dice[0].value, target.number, dice)


def extra_degrees(table: Table, who: CombatantId, tested: str) -> int:
    """What half an unnatural bonus adds to the degrees of a success. Clause: DH-2060."""
    characteristic = characteristic_of(table, tested)
    return half_up(table.who(who).sheet.stats.get(f"unnatural_{characteristic}", 0))


def additional(degrees: int) -> int:
    """Degrees after the first. Clause: DH-2070."""
    return max(0, degrees - 1)


class Settled(msgspec.Struct, frozen=True):
    """How an opposed test came out: who won, None for a stalemate, by how many degrees and with how many of his own."""

    winner: CombatantId | None
    margin: int = 0
    degrees: int = 0


class Side(msgspec.Struct, frozen=True):
    """One side of an opposed test: who tests what, with which modifiers, and degrees that a success of his gains.

    Clauses: DH-2090, DH-3530.
    """

    who: CombatantId
    tested: str
    terms: tuple[Term, ...] = ()
    extra: int = 0


def contest(scene: Scene, one: Side, other: Side, purpose: str, *, clause: str, until_settled: bool = False) -> Settled:
    """An opposed test. Both roll side by side; a tie goes on until somebody wins.

    `until_settled` rolls again on a double failure too. Clauses: DH-2090, DH-2100, DH-2110.
    """
    again = until_settled or scene.option("opposed_both_fail") == "reroll"
    attempt = 0
    while True:
        attempt += 1
        with scene.within(f"{purpose}{attempt}"):
            rolled = scene.gather(
                {
                    one.who: lambda: _contested(scene, one, other, purpose, clause),
                    other.who: lambda: _contested(scene, other, one, purpose, clause),
                }
            )
        for _, told in rolled.values():
            tell(scene, told)
        mine, theirs = rolled[one.who][0], rolled[other.who][0]
        if not mine.success and not theirs.success:
            if again:
                continue
            scene.emit(ContestSettled(one.who, other.who, purpose, None, 0, ClauseId("DH-2090")))
            return Settled(None)
        winner = _winner(scene, (one, mine), (other, theirs))
        if winner is not None:
            won, lost = (mine, theirs) if winner == one.who else (theirs, mine)
            margin = _margin(scene, won, lost)
            scene.emit(ContestSettled(one.who, other.who, purpose, winner, margin, ClauseId(clause)))
            return Settled(winner, margin, won.degrees)


def _contested(scene: Scene, side: Side, against: Side, purpose: str, clause: str) -> tuple[Check, Told]:
    even = _tie_bonus(scene, side) == _tie_bonus(scene, against)
    check, told = unspoken_test(
        scene, side.who, side.tested, purpose, side.terms, clause=clause, against=against.who, die_counts=even
    )
    if not check.success or not side.extra:
        return check, told
    degrees = check.degrees + side.extra
    return replace(check, degrees=degrees), told.with_degrees(degrees)


def _tie_bonus(table: Table, side: Side) -> int:
    """What settles a tie of degrees, before the die does. Clause: DH-2100."""
    return bonus(table.who(side.who), characteristic_of(table, side.tested))


def _margin(table: Table, won: Check, lost: Check) -> int:
    """By how many degrees it was won: the winner's own, or those above the loser's. Clause: DH-2120."""
    beaten = lost.degrees if lost.success and table.option("opposed_margin") == "difference" else 0
    return won.degrees - beaten


def _winner(table: Table, one: tuple[Side, Check], other: tuple[Side, Check]) -> CombatantId | None:
    """Success beats failure, then more degrees, then the higher bonus, then the lower die. Clause: DH-2100."""
    ranks = []
    for side, check in (one, other):
        degrees = check.degrees if check.success else 0
        ranks.append((check.success, degrees, _tie_bonus(table, side), -check.die))
    if ranks[0] == ranks[1]:
        return None
    return one[0].who if ranks[0] > ranks[1] else other[0].who
