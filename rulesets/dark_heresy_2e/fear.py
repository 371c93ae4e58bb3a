"""Fear: a test that the GM calls for, and what comes of losing it. Clause: DH-5670."""

from app.engine.asks import GM, Option, Question
from app.engine.events import Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Tick
from rulesets.dark_heresy_2e.checks import take_test
from rulesets.dark_heresy_2e.conditions import BEARER, is_out
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.fleeing import FORCED
from rulesets.dark_heresy_2e.grappling import begin_by_ruling as begin_other

FEAR = "fear"
CLAUSE = ClauseId("DH-5670")
TESTED = "wp"
FLEES, RULED, NOTHING = "flees", "ruled", "nothing"
SOURCE, ROUNDS, TEXT = "source", "rounds", "effect"
LONGEST = 100


def begin_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None = None) -> None:
    """What the GM puts on somebody; of fear, with its rating and whoever inspires it, he is tested first."""
    if kind == FEAR:
        fear_test(scene, who, value, against)
    else:
        begin_other(scene, who, kind, value, against)


def fear_test(scene: Scene, who: CombatantId, rating: int, source: CombatantId | None) -> None:
    """Willpower, the harder the higher the rating; who fails does what the GM says."""
    if is_out(scene, who):
        return
    row = tables_of(scene).core.fear
    rating = min(max(rating, 1), len(row))
    with scene.within(FEAR, who, str(len(scene.events))):
        terms = (Term("fear_rating", row[rating - 1], CLAUSE),)
        if not take_test(scene, who, TESTED, FEAR, terms, clause=CLAUSE, against=source).success:
            _loses_his_nerve(scene, who, source)


def _loses_his_nerve(scene: Scene, who: CombatantId, source: CombatantId | None) -> None:
    """The GM rules what the shock does; to flee is to be forced to. Clauses: DH-3360, DH-5670."""
    others = tuple(body.id for body in scene.in_order() if body.id != who)
    fleeing = (
        Field(SOURCE, "combatant", choices=others),
        Field(ROUNDS, "integer", minimum=1, maximum=LONGEST),
    )
    answer = scene.ask(
        Question(
            key="",
            name="fear_result",
            kind="fear_result",
            to=GM,
            options=(
                Option(FLEES, form=fleeing),
                Option(RULED, form=(Field(TEXT, "text", True),)),
                Option(NOTHING, declines=True),
            ),
            default=NOTHING,
            best=NOTHING,
            about=who,
            informed=True,
            clause=CLAUSE,
        )
    )
    match answer.option:
        case "flees":
            named = answer.word(SOURCE) or source
            rounds = answer.whole(ROUNDS)
            until = ((Tick("turn_end", BEARER, times=rounds),),) if rounds else None
            scene.begin(who, FORCED, against=None if named is None else CombatantId(named), until=until)
        case "ruled":
            scene.emit(Noted(who, "fear_result", source, words=(answer.word(TEXT),), clause=CLAUSE))
