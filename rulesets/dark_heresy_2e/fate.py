"""Fate: a point spent on a test, before its roll or after it, or to shake something off. Clause: DH-5680."""

from collections.abc import Iterator

from app.engine.asks import Option, Question
from app.engine.events import CheckRolled, Die, Noted, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.modifiers import collect
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table

CLAUSE = ClauseId("DH-5680")
POOL = "fate_points"
SPEND = "spend_fate"
"""Name of the question, of the action, and of what a policy says about it."""
FIELD = "fate"
"""The field of a submission or of an Evasion by which a point goes into a test before it is rolled."""
BONUS = "fate_bonus"
"""The condition of somebody whose next test the point makes easier, until it is rolled or the action is over."""
BEFORE = "add_ten"
NONE, REROLL, ADD_DEGREE = "none", "reroll", "add_degree"
END_STUN, INITIATIVE = "end_stun", "initiative_ten"


def left(table: Table, who: CombatantId) -> int:
    """Points he can still spend."""
    return table.who(who).pools.get(POOL, 0)


def why_none(table: Table, who: CombatantId) -> Iterator[Reason]:
    """No point is left to put into an Evasion."""
    if not left(table, who):
        yield table.rules.reason("no_fate", CLAUSE, at=f"/fields/{FIELD}")


def wants_to_be_asked(table: Table, who: CombatantId, promised: int = 0) -> bool:
    """Whether a test of his stops to ask him.

    The clause lets him spend a point after any test. Every roll of everybody with Fate would wait for an answer that
    is nearly always no, so only those are asked whose policy says `ask` for this very question. `promised` points are
    as good as gone.
    """
    return table.who(who).policy.get(SPEND) == "ask" and left(table, who) > promised


def asked(scene: Scene, who: CombatantId, *options: str, figures: dict[str, int]) -> str:
    """What he spends a point on, or nothing."""
    answer = scene.ask(
        Question(
            key="",
            name=SPEND,
            kind=SPEND,
            to=who,
            options=(Option(NONE, declines=True), *(Option(option) for option in options)),
            default=NONE,
            best=NONE,
            informed=True,
            figures=figures,
            clause=CLAUSE,
        )
    )
    return answer.option


def after_a_test(scene: Scene, who: CombatantId, told: CheckRolled) -> str:
    """Reroll it, add a degree to a success, or leave it as it is."""
    figures = {"target": told.target, "die": told.dice[0].value, "degrees": told.degrees}
    return asked(scene, who, REROLL, *([ADD_DEGREE] if told.outcome == "success" else []), figures=figures)


def end_stun(scene: Scene, who: CombatantId) -> None:
    """A point is gone, and so is the stun."""
    spend(scene, who, END_STUN)
    scene.end(who, "stunned", why="fate", clause=CLAUSE)


def spend(scene: Scene, who: CombatantId, on: str, dice: tuple[Die, ...] = ()) -> None:
    """A point is gone, and everybody sees what for, and the dice that it was spent on."""
    scene.change_pool(who, POOL, -1, CLAUSE)
    scene.emit(Noted(who, "fate_spent", words=(on,), dice=dice, clause=CLAUSE))


def begin_bonus(scene: Scene, who: CombatantId) -> None:
    """A point goes into the next test of the action he has just taken."""
    spend(scene, who, BEFORE)
    scene.begin(who, BONUS)


def bonus_terms(table: Table) -> tuple[Term, ...]:
    """What a point is worth in a test that is not of an action of one's own."""
    return collect(table.rules.modifiers, "test", {f"actor.{BONUS}"})


def end_bonus(scene: Scene, who: CombatantId) -> None:
    """That test is rolled, or the action is over without one."""
    scene.end(who, BONUS, why="used", clause=CLAUSE)
