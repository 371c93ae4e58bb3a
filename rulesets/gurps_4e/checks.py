"""The core test: 3d6 at most the effective skill, and what beats what. Clauses GU-200 to GU-260, GU-290."""

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import product
from typing import Literal

import msgspec

from app.engine.events import CheckRolled, ContestSettled, Die, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.figures import figure, has_trait, tables_of

DICE, SIDES = 3, 6
ALWAYS, NEVER, WORST = 4, 17, 18
"""Totals up to which every test succeeds, from which every test fails, and that is always the worst of failures.

Clauses: GU-210, GU-230.
"""
MASTERLY = {5: 15, 6: 16}
"""Totals that are critical successes for whoever has so much skill. Clause: GU-220."""
SAFE_FROM_NEVER, HOPELESS = 16, 10
"""Skill from which a 17 is a plain failure, and by how much any roll above the skill is critical. Clause: GU-230."""
CRITICAL = "critical"
UNTRAINED = "untrained"
MILLION = 1_000_000
ST, DX, IQ, HT, WILL, PER = "st", "dx", "iq", "ht", "will", "per"
CHARACTERISTICS = (ST, DX, IQ, HT, WILL, PER)


class Check(msgspec.Struct, frozen=True):
    """How a test came out. `margin` is skill less roll, which for a result by rule may have the wrong sign."""

    success: bool
    critical: bool
    margin: int
    total: int
    target: int
    dice: tuple[Die, ...] = ()

    @property
    def degree(self) -> int:
        """The margin as it counts: a success has none below 0, a failure none above. Clauses: GU-200, GU-210."""
        return max(0, self.margin) if self.success else min(0, self.margin)

    @property
    def word(self) -> str:
        """`critical_success`, `success`, `failure` or `critical_failure`."""
        plain = "success" if self.success else "failure"
        return f"{CRITICAL}_{plain}" if self.critical else plain


def judge(skill: int, total: int) -> Check:
    """What a total of 3d6 means against an effective skill. Clauses: GU-200 to GU-230."""
    success = total <= ALWAYS or (total <= skill and total < NEVER)
    if success:
        critical = total <= ALWAYS or (total in MASTERLY and skill >= MASTERLY[total])
    else:
        critical = total == WORST or (total == NEVER and skill < SAFE_FROM_NEVER) or total >= skill + HOPELESS
    return Check(success, critical, skill - total, total, skill)


@lru_cache(maxsize=256)
def chance(skill: int) -> int:
    """Chance in millionths that a test succeeds: all 216 ways counted. Clauses: GU-200, GU-210."""
    ways: int = sum(judge(skill, sum(faces)).success for faces in product(range(1, SIDES + 1), repeat=DICE))
    every: int = SIDES**DICE
    return ways * MILLION // every


def chance_of(rolled: CheckRolled) -> int:
    """The same of a test that was rolled."""
    return chance(rolled.target)


# What is tested


def characteristic_of(table: Table, tested: str) -> str:
    """The characteristic behind a skill, or the characteristic itself."""
    return table.rules.skills.get(tested, tested)


def level(table: Table, who: CombatantId, tested: str) -> int | None:
    """Level of a skill or characteristic; untrained by the sheet's own default, else by the book's; None if it
    cannot be tried. Clause: GU-290.
    """
    found = _level_terms(table, who, tested)
    return total_of(found) if found else None


def _level_terms(table: Table, who: CombatantId, tested: str) -> tuple[Term, ...]:
    """The level and where it comes from; nothing if it cannot be tried. Clauses: GU-200, GU-290."""
    body = table.who(who)
    if tested in CHARACTERISTICS:
        return (Term(tested, figure(body, tested), ClauseId("GU-200")),)
    if tested in body.sheet.levels:
        return (Term(tested, body.sheet.levels[tested], ClauseId("GU-200")),)
    if tested in body.sheet.defaults:
        return (Term(tested, body.sheet.defaults[tested], ClauseId("GU-290")),)
    if tested not in table.rules.untrained:
        return ()
    stat, modifier = table.rules.untrained[tested]
    base = Term(stat, figure(body, stat), ClauseId("GU-290"))
    return (base, Term(UNTRAINED, modifier, ClauseId("GU-290"))) if modifier else (base,)


def is_trained(table: Table, who: CombatantId, skill: str) -> bool:
    """Whether the sheet has the skill itself."""
    return skill in table.who(who).sheet.levels


def base_terms(table: Table, who: CombatantId, tested: str) -> tuple[Term, ...]:
    """What a test starts from, with what lies on everything that rests on DX or IQ.

    Clauses: GU-200, GU-2130, GU-2230.
    """
    terms = list(_level_terms(table, who, tested) or (Term(tested, 0, ClauseId("GU-290")),))
    behind = characteristic_of(table, tested)
    if behind in (DX, IQ):
        shock = sum(effect.value for effect in table.effects(who, "shock"))
        if shock:
            terms.append(Term("shock", shock, ClauseId("GU-2130")))
    if behind == DX and table.has(who, "grappled"):
        terms.append(Term("grappled", tables_of(table).core.grappled, ClauseId("GU-2230")))
    return tuple(terms)


def total_of(terms: Iterable[Term]) -> int:
    """What the terms add up to."""
    return sum(term.value for term in terms)


# Rolling


class Told(msgspec.Struct, frozen=True):
    """A test that was rolled and not told yet."""

    check: Check
    event: CheckRolled


def unspoken_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    terms: tuple[Term, ...],
    *,
    clause: str,
    name: str | None = None,
    against: CombatantId | None = None,
    sees: Callable[[Check], Hashable] | None = None,
) -> Told:
    """Roll a test of these terms, the base among them, and leave the telling to whoever gathers it. Clause: GU-200.

    `sees` tells what the rule looks at in the outcome beside its word, where that is less than the margin.
    """
    target = total_of(terms)
    seen = sees or (lambda check: check.margin)

    def looked_at(faces: tuple[int, ...]) -> Hashable:
        check = judge(target, sum(faces))
        return check.word, seen(check)

    dice = scene.roll(
        name or purpose,
        DICE,
        SIDES,
        who,
        purpose,
        target=target,
        clause="GU-200",
        sees=looked_at,
    )
    found = judge(target, sum(die.value for die in dice))
    check = Check(found.success, found.critical, found.margin, found.total, target, dice)
    word: Literal["success", "failure"] = "success" if check.success else "failure"
    event = CheckRolled(
        who,
        tested,
        purpose,
        target,
        dice,
        word,
        abs(check.degree),
        terms,
        against,
        ClauseId(clause),
        CRITICAL if check.critical else None,
    )
    return Told(check, event)


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
    sees: Callable[[Check], Hashable] | None = None,
) -> Check:
    """Test a skill or characteristic with these modifiers, and tell it. Clause: GU-200."""
    terms = (*base_terms(scene, who, tested), *(term for term in modifiers if term.value))
    told = unspoken_test(scene, who, tested, purpose, terms, clause=clause, name=name, against=against, sees=sees)
    scene.emit(told.event)
    return told.check


def succeeds(check: Check) -> Hashable:
    """For tests of which only success or failure matters."""
    return check.success


# Quick Contests


class Side(msgspec.Struct, frozen=True):
    """One side of a contest: who tests what, by the terms of it, base included."""

    who: CombatantId
    tested: str
    terms: tuple[Term, ...]


def lead(one: Check, other: Check) -> int:
    """By how much the first beats the second; negative if it is beaten, 0 for a tie. Clause: GU-250."""
    between = one.degree - other.degree
    if one.success == other.success:
        return between
    return max(1, between) if one.success else min(-1, between)


def roll_contest(scene: Scene, one: Side, other: Side, purpose: str, *, clause: str) -> tuple[Check, Check]:
    """Both roll side by side, and both rolls are told. Clause: GU-250."""
    rolled = scene.gather(
        {
            one.who: lambda: _contested(scene, one, other, purpose, clause),
            other.who: lambda: _contested(scene, other, one, purpose, clause),
        }
    )
    for told in rolled.values():
        scene.emit(told.event)
    return rolled[one.who].check, rolled[other.who].check


def contest(scene: Scene, one: Side, other: Side, purpose: str, *, clause: str) -> CombatantId | None:
    """A Quick Contest: who wins, None for a tie. Clause: GU-250."""
    mine, theirs = roll_contest(scene, one, other, purpose, clause=clause)
    won = lead(mine, theirs)
    winner = None if not won else one.who if won > 0 else other.who
    scene.emit(ContestSettled(one.who, other.who, purpose, winner, abs(won), ClauseId(clause)))
    return winner


def _contested(scene: Scene, side: Side, against: Side, purpose: str, clause: str) -> Told:
    return unspoken_test(scene, side.who, side.tested, purpose, side.terms, clause=clause, against=against.who)


def unarmed_skill(table: Table, who: CombatantId, skills: tuple[str, ...] = ("brawling", "boxing", "karate")) -> str:
    """The best of these that his sheet has, or DX where that is better than any. Clauses: GU-290, GU-2200."""
    sheet = table.who(who).sheet
    known = [skill for skill in skills if skill in sheet.levels or skill in sheet.defaults]
    return max((*known, tables_of(table).core.untrained_unarmed), key=lambda one: level(table, who, one) or 0)


def knockdown_terms(table: Table, who: CombatantId, modifier: int = 0) -> tuple[Term, ...]:
    """What lies on a roll against a knockdown. Clause: GU-2140, and the advantage of 1.6."""
    terms = []
    if has_trait(table, who, "high_pain_threshold"):
        terms.append(Term("high_pain_threshold", tables_of(table).core.high_pain_knockdown, ClauseId("GU-2140")))
    if modifier:
        terms.append(Term("location", modifier, ClauseId("GU-2140")))
    return tuple(terms)
