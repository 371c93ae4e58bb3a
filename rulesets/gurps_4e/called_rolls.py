"""What the GM calls for by a ruling: a roll in the midst of a maneuver, a distraction.

Clauses GU-130, GU-940, GU-1220.
"""

from app.engine.asks import GM, Answer, Option, Question
from app.engine.events import Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import MOVE_AND_ATTACK
from rulesets.gurps_4e.checks import CHARACTERISTICS, DX, base_terms, level, succeeds, total_of, unspoken_test
from rulesets.gurps_4e.conditions import add_by_ruling, is_out, last_maneuver
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.holding_on import disturb

CALLED_ROLL = "called_roll"
DISTRACTED = "distracted"
MODIFIER, PURPOSE = "modifier", "purpose"
HARDEST = 30


def begin_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None = None) -> None:
    """What the GM puts on somebody: a roll he calls for and a distraction are settled at once. Clause: GU-130."""
    if kind == CALLED_ROLL:
        with scene.within(CALLED_ROLL, who, str(len(scene.events))):
            call_roll(scene, who, value)
    elif kind == DISTRACTED:
        with scene.within(DISTRACTED, who, str(len(scene.events))):
            disturb(scene, who, DISTRACTED, value)
    else:
        add_by_ruling(scene, who, kind, value, against)


def call_roll(scene: Scene, who: CombatantId, modifier: int) -> None:
    """The GM says what is tested and what for; the roll is harder for who moves and attacks. Clause: GU-940."""
    if is_out(scene, who):
        return
    answer = scene.ask(_question(scene, who))
    terms = _terms(scene, who, answer, modifier)
    if total_of(terms) < tables_of(scene).core.lowest_skill:
        scene.emit(Noted(who, "roll_too_hard", words=(answer.option,), clause=ClauseId("GU-240")))
        return
    clause = "GU-940" if is_moving_and_attacking(scene, who) else "GU-130"
    told = unspoken_test(scene, who, answer.option, CALLED_ROLL, terms, clause=clause, name="roll", sees=succeeds)
    scene.emit(told.event)
    if purpose := answer.word(PURPOSE):
        fact = "roll_succeeded" if told.check.success else "roll_failed"
        scene.emit(Noted(who, fact, words=(purpose,), clause=ClauseId(clause)))


def is_moving_and_attacking(table: Table, who: CombatantId) -> bool:
    """Whether the maneuver he is in is a Move and Attack. Clause: GU-940."""
    maneuver = last_maneuver(table, who)
    return maneuver is not None and maneuver.word == MOVE_AND_ATTACK and table.has(who, "moved_and_attacked")


def _question(table: Table, who: CombatantId) -> Question:
    skills = (skill for skill in table.rules.skills if level(table, who, skill) is not None)
    form = (
        Field(MODIFIER, "integer", minimum=-HARDEST, maximum=HARDEST, clause=ClauseId("GU-130")),
        Field(PURPOSE, "text", clause=ClauseId("GU-940")),
    )
    return Question(
        key="",
        name=CALLED_ROLL,
        kind=CALLED_ROLL,
        to=GM,
        options=tuple(Option(tested, form=form) for tested in (*CHARACTERISTICS, *skills)),
        default=DX,
        best=DX,
        about=who,
        clause=ClauseId("GU-940"),
    )


def _terms(table: Table, who: CombatantId, answer: Answer, modifier: int) -> tuple[Term, ...]:
    given, hurried = modifier + answer.whole(MODIFIER), tables_of(table).core.move_and_attack.roll
    terms = [*base_terms(table, who, answer.option)]
    if given:
        terms.append(Term("gm", given, ClauseId("GU-130")))
    if is_moving_and_attacking(table, who):
        terms.append(Term(MOVE_AND_ATTACK, hurried, ClauseId("GU-940")))
    return tuple(terms)
