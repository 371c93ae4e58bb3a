"""Tests: pools of dice, hits, limits, glitches, what Edge does to them. Clauses SR-200 to SR-230, SR-850 to SR-875."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from typing import Literal

import msgspec
from msgspec.structs import replace

from app.engine.asks import GM, Barred, Option, Question
from app.engine.events import CheckRolled, Die, ItemMoved, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.modifiers import collect
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table
from app.engine.tally import Tally
from rulesets.shadowrun_5e.figures import (
    EDGE,
    PRONE,
    RUNNING,
    is_running,
    stat,
    tables_of,
    whole_option,
    wound_modifier,
)
from rulesets.shadowrun_5e.odds import HIT_FROM, PUSHED, SIDES, dice_of

GLITCH, CRITICAL = "glitch", "critical_glitch"
OFFER = "edge_offer"
KEEP, PUSH, SECOND_CHANCE, CLOSE_CALL = "keep", "push_the_limit", "second_chance", "close_call"
FIELD = "push_the_limit"
"""The field of a submission or a defence by which a point of Edge goes into a test before it is rolled."""
BEFORE = "edge_beforehand"
MOST_AGAIN = 12
"""So many times sixes are rolled again; nobody will see it."""
EFFECTS = ("weapon_jam", "drop_item", "stumble_prone")
JAMMED = "jammed"


class Test(msgspec.Struct, frozen=True):
    """How a test came out: `hits` that count, the dice of the pool, `more` that fell because of Edge, and the word for
    a glitch.
    """

    __test__ = False

    hits: int
    rolled: int
    dice: tuple[Die, ...]
    threshold: int = 0
    grade: str = ""
    pushed: bool = False
    more: tuple[Die, ...] = ()

    @property
    def success(self) -> bool:
        """Whether it reached its threshold; without one a single hit does. Clause: SR-205."""
        return self.hits >= max(1, self.threshold)

    @property
    def net(self) -> int:
        """Hits beyond the threshold. Clause: SR-205."""
        return self.hits - self.threshold


# What is tested


def pool_terms(table: Table, who: CombatantId, attribute: str, skill: str | None = None) -> tuple[Term, ...]:
    """Attribute and skill; without the skill one die less. Clauses: SR-200, SR-225."""
    body = table.who(who)
    terms = [Term(attribute, stat(body, attribute), ClauseId("SR-200"))]
    if skill is not None:
        rating = body.sheet.levels.get(skill, 0)
        if rating:
            terms.append(Term(skill, rating, ClauseId("SR-200")))
        else:
            terms.append(Term("defaulting", tables_of(table).core.defaulting, ClauseId("SR-225")))
    return tuple(terms)


def wound_terms(table: Table, who: CombatantId) -> Iterator[Term]:
    """What his wounds take off every test but soak. Clause: SR-750."""
    wounds = wound_modifier(table, who)
    if wounds:
        yield Term("wounds", wounds, ClauseId("SR-750"))


def action_terms(table: Table, who: CombatantId, *, sprint: bool = False) -> tuple[Term, ...]:
    """What lies on every test made as an action, attacks apart. Clauses: SR-435, SR-570, SR-750, SR-770, SR-198."""
    penalty = whole_option(table, "running_penalty")
    counts = is_running(table, who) and (not sprint or table.flag("running_penalty_on_sprint"))
    terms = [Term(RUNNING, penalty, ClauseId("SR-570"))] if counts and penalty else []
    tags = {f"actor.{kind}" for kind in table.active(who)}
    return (
        *terms,
        *collect(table.rules.modifiers, "action", tags),
        *burden_terms(table, who),
        *wound_terms(table, who),
    )


def burden_terms(table: Table, who: CombatantId) -> Iterator[Term]:
    """Suppressive fire, and the price of a delayed action where the table has one. Clauses: SR-198, SR-435."""
    pinned = max((effect.value for effect in table.effects(who, "suppressed")), default=0)
    if pinned:
        yield Term("suppressed", -pinned, ClauseId("SR-435"))
    late = whole_option(table, "delayed_action_dice_modifier")
    if late and table.has(who, "delayed_phase"):
        yield Term("delayed", late, ClauseId("SR-198"))


# Edge


def edge_left(table: Table, who: CombatantId) -> int:
    """Points that he can still spend. Clause: SR-850."""
    return table.who(who).pools.get(EDGE, 0)


def why_no_edge(table: Table, who: CombatantId, at: str = f"/options/{FIELD}") -> Iterator[Reason]:
    """No point is left. Clause: SR-850."""
    if not edge_left(table, who):
        yield table.rules.reason("no_edge", "SR-850", at=at)


def wants_to_be_asked(table: Table, who: CombatantId) -> bool:
    """Whether a test of his stops to ask him: only by his own policy, since the answer is nearly always no.

    Clause: SR-850.
    """
    return table.who(who).policy.get(OFFER) == "ask" and edge_left(table, who) > 0


def spend_edge(scene: Scene, who: CombatantId, on: str, clause: str) -> None:
    """A point is gone, and everybody sees what for. Clause: SR-850."""
    scene.change_pool(who, EDGE, -1, "SR-850")
    scene.emit(Noted(who, "edge_spent", words=(on,), clause=ClauseId(clause)))


def asked_for_edge(
    scene: Scene, who: CombatantId, *options: str, barred: tuple[Barred, ...] = (), name: str = OFFER
) -> str:
    """What he spends a point on, or nothing. Clause: SR-850."""
    answer = scene.ask(
        Question(
            key="",
            name=name,
            kind=OFFER,
            to=who,
            options=(Option(KEEP, declines=True), *(Option(option) for option in options)),
            default=KEEP,
            best=KEEP,
            barred=barred,
            informed=True,
            clause=ClauseId("SR-850"),
        )
    )
    return answer.option


# Rolling


def is_hit(face: int) -> bool:
    """Fives and sixes. Clause: SR-200."""
    return face >= HIT_FROM


def grade_of(hits: int, faces: tuple[int, ...]) -> str:
    """More than half of the dice show a one; without any hit it is critical. Clause: SR-220."""
    if 2 * faces.count(1) <= len(faces):
        return ""
    return GLITCH if hits else CRITICAL


def take_test(
    scene: Scene,
    who: CombatantId,
    tested: str,
    purpose: str,
    terms: Iterable[Term],
    *,
    clause: str,
    limit: int | None = None,
    threshold: int = 0,
    against: CombatantId | None = None,
    push: bool = False,
    item: ItemId | None = None,
    glitches: bool = True,
    name: str | None = None,
    sprung: bool = False,
    most: int | None = None,
    alike: Hashable = None,
) -> Test:
    """Roll the pool of these terms, let its roller spend Edge on it, and tell it. A pool of none is not rolled.

    `push` spends a point before the roll; a test that is `sprung` on him had no submission to say so, and he is asked.
    `item` is what a glitch may jam or drop. For previews: more hits than `most` make no difference, and `alike` is what
    is known of it besides the state. Clauses: SR-200 to SR-230, SR-855.
    """
    roll = _Roll(
        scene,
        who,
        tested,
        purpose,
        tuple(term for term in terms if term.value),
        clause,
        limit,
        threshold,
        against,
        most,
        alike,
    )
    with scene.within(name or purpose):
        if sprung and wants_to_be_asked(scene, who):
            push = asked_for_edge(scene, who, PUSH, name=BEFORE) == PUSH
        push = push and edge_left(scene, who) > 0
        if push:
            spend_edge(scene, who, PUSH, "SR-855")
            roll = replace(roll, terms=(*roll.terms, _edge_dice(scene, who)), limit=None)
        test = roll.first(pushed=push)
        test = _after_the_roll(roll, test)
        if test.grade and glitches:
            _ask_what_goes_wrong(scene, who, test, item)
    return test


def _edge_dice(table: Table, who: CombatantId) -> Term:
    return Term(PUSHED, stat(table.who(who), "edge"), ClauseId("SR-855"))


class _Roll(msgspec.Struct, frozen=True):
    scene: Scene
    who: CombatantId
    tested: str
    purpose: str
    terms: tuple[Term, ...]
    clause: str
    limit: int | None
    threshold: int
    against: CombatantId | None
    most: int | None = None
    alike: Hashable = None

    def first(self, *, pushed: bool) -> Test:
        """The dice of the pool; pushed, every six is rolled again. Clauses: SR-200, SR-855."""
        dice = self.roll("dice", dice_of(self.terms), pushed=pushed)
        more = self.again(dice) if pushed else ()
        hits = self.hits_in(dice)
        grade = grade_of(hits, tuple(die.value for die in dice))
        rolled = hits + self.hits_in(more)
        test = Test(self.limited(rolled), rolled, dice, self.threshold, grade, pushed, more)
        self.tell(test)
        return test

    def roll(self, name: str, count: int, *, pushed: bool = True) -> tuple[Die, ...]:
        """So many dice; only where sixes are rolled again do they differ from fives."""
        if count < 1:
            return ()
        alike = None if pushed else self.alike
        return self.scene.roll(
            name,
            count,
            SIDES,
            self.who,
            self.purpose,
            target=self.threshold or None,
            clause="SR-200",
            sees=self.tally(pushed=pushed),
            alike=alike,
        )

    def tally(self, *, pushed: bool) -> Tally:
        """Hits count, up to the limit and to what makes a difference; a glitch does no harm until the GM says so."""
        if pushed:
            return Tally(
                lambda face: (is_hit(face), face == SIDES),
                lambda faces: (sum(map(is_hit, faces)), faces.count(SIDES)),
            )
        most = min((one for one in (self.limit, self.most) if one is not None), default=None)
        return Tally(
            is_hit,
            lambda faces: min(sum(map(is_hit, faces)), len(faces) if most is None else most),
        )

    def again(self, dice: tuple[Die, ...]) -> tuple[Die, ...]:
        """What falls for the sixes that are rolled again, and again. Clause: SR-855."""
        more: list[Die] = []
        sixes = self.sixes(dice)
        for turn in range(1, MOST_AGAIN + 1):
            if not sixes:
                break
            fallen = self.roll(f"again{turn}", sixes)
            more.extend(fallen)
            sixes = self.sixes(fallen)
        return tuple(more)

    def hits_in(self, dice: tuple[Die, ...]) -> int:
        return sum(is_hit(die.value) for die in dice)

    def sixes(self, dice: tuple[Die, ...]) -> int:
        return sum(die.value == SIDES for die in dice)

    def limited(self, hits: int) -> int:
        return hits if self.limit is None else min(hits, max(self.limit, 0))

    def tell(self, test: Test) -> None:
        word: Literal["success", "failure"] = "success" if test.success else "failure"
        self.scene.emit(
            CheckRolled(
                self.who,
                self.tested,
                self.purpose,
                self.threshold,
                (*test.dice, *test.more),
                word,
                abs(test.net),
                self.terms,
                self.against,
                ClauseId(self.clause),
                test.grade or None,
                self.limit,
            )
        )


def _after_the_roll(roll: _Roll, test: Test) -> Test:
    """A point of Edge after the dice have fallen: push, second chance, close call; one for each test.

    Clauses: SR-850 to SR-875.
    """
    scene, who = roll.scene, roll.who
    if not test.dice or not wants_to_be_asked(scene, who) or (test.pushed and not test.grade):
        return test
    reason = scene.rules.reason
    spent = (reason("edge_already_spent", "SR-850"),)
    barred: list[Barred] = []
    if test.pushed:
        barred = [Barred(option, spent) for option in (PUSH, SECOND_CHANCE, CLOSE_CALL)]
    elif test.grade:
        barred = [Barred(SECOND_CHANCE, (reason("glitch_stands", "SR-860"),))]
    shut = {one.id for one in barred}
    offered = [PUSH, SECOND_CHANCE, *([CLOSE_CALL] if test.grade else [])]
    choice = asked_for_edge(scene, who, *(one for one in offered if one not in shut), barred=tuple(barred))
    if choice == KEEP:
        return test
    spend_edge(scene, who, choice, _EDGE_CLAUSES[choice])
    after = _EDGE[choice](roll, test)
    replace(roll, limit=None if choice == PUSH else roll.limit).tell(after)
    return after


def _pushed_after(roll: _Roll, test: Test) -> Test:
    """Edge dice on top, these alone explode, and no limit counts. Clause: SR-855."""
    dice = roll.roll("edge_dice", stat(roll.scene.who(roll.who), "edge"))
    more = (*dice, *roll.again(dice))
    rolled = test.rolled + roll.hits_in(more)
    return replace(test, hits=rolled, rolled=rolled, pushed=True, more=more)


def _second_chance(roll: _Roll, test: Test) -> Test:
    """Every die that is no hit falls again, once, and counts as it lies then; the limit stays. Clause: SR-860."""
    kept = tuple(die for die in test.dice if is_hit(die.value))
    dice = (*kept, *roll.roll("second_chance", len(test.dice) - len(kept)))
    rolled = roll.hits_in(dice)
    return replace(test, hits=roll.limited(rolled), rolled=rolled, dice=dice)


def _close_call(roll: _Roll, test: Test) -> Test:
    """A glitch is none, a critical one is an ordinary one; hits stay. Clause: SR-875."""
    return replace(test, grade=GLITCH if test.grade == CRITICAL else "")


_EDGE: dict[str, Callable[[_Roll, Test], Test]] = {
    PUSH: _pushed_after,
    SECOND_CHANCE: _second_chance,
    CLOSE_CALL: _close_call,
}
_EDGE_CLAUSES = {PUSH: "SR-855", SECOND_CHANCE: "SR-860", CLOSE_CALL: "SR-875"}


def _ask_what_goes_wrong(scene: Scene, who: CombatantId, test: Test, item: ItemId | None) -> None:
    """The GM says what a glitch does, once Edge is out of the way. Clause: SR-220."""
    offered = [one for one in EFFECTS if item is not None or one == "stumble_prone"]
    answer = scene.ask(
        Question(
            key="",
            name="glitch_effect",
            kind="glitch_effect",
            to=GM,
            options=(
                Option("none", declines=True),
                *(Option(one) for one in offered),
                Option("other", form=(Field("text", "text", required=True),)),
            ),
            default="none",
            best="none",
            about=who,
            informed=True,
            clause=ClauseId("SR-220"),
        )
    )
    told = answer.word("text") or answer.option
    scene.emit(Noted(who, test.grade, words=(told,), clause=ClauseId("SR-220")))
    if answer.option == "stumble_prone" and not scene.has(who, PRONE):
        scene.later(1, partial(scene.begin, who, PRONE, clause="SR-220"))
    elif item is not None and item in scene.who(who).items:
        if answer.option == "weapon_jam":
            scene.mark_item(who, item, JAMMED, 1, "SR-220")
        elif answer.option == "drop_item":
            scene.emit(ItemMoved(who, item, None, True, ClauseId("SR-220"), lies=scene.who(who).place))


def opposed(one: Test, other: Test | None) -> int:
    """By how many hits the first beats the second; a tie, or less, is the second's. Clause: SR-210."""
    return one.hits - (0 if other is None else other.hits)
