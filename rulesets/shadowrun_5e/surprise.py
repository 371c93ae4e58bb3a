"""Surprise: who is caught unawares, what it costs, and Edge against it. Clauses SR-090, SR-187."""

from app.engine.asks import GM, Option, Question
from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from rulesets.shadowrun_5e.checks import (
    asked_for_edge,
    pool_terms,
    spend_edge,
    take_test,
    wants_to_be_asked,
    wound_terms,
)
from rulesets.shadowrun_5e.figures import tables_of
from rulesets.shadowrun_5e.score import change_score

SURPRISED = "surprised"
PLAIN, ALERTED, AMBUSHER, AWARE = "plain", "alerted", "ambusher", "aware"
SHAKE_OFF = "shake_off_surprise"


def surprise(scene: Scene, who: CombatantId) -> None:
    """The GM says how ready he is, then he tests; an ambusher who knows where his target is does not roll.

    Clause: SR-090.
    """
    rule = tables_of(scene).core.surprise
    how = _how_ready(scene, who)
    if how == AWARE:
        return
    bonus = {ALERTED: rule.alerted, AMBUSHER: rule.ambusher}.get(how, 0)
    take_surprise_test(scene, who, bonus, how)


def take_surprise_test(scene: Scene, who: CombatantId, bonus: int = 0, how: str = "gm") -> None:
    """Reaction and intuition against the threshold, without a limit. Clause: SR-090."""
    rule = tables_of(scene).core.surprise
    terms = (
        *pool_terms(scene, who, "reaction"),
        *pool_terms(scene, who, "intuition"),
        Term(how, bonus, ClauseId("SR-090")),
        *wound_terms(scene, who),
    )
    done = take_test(scene, who, "reaction", SURPRISED, terms, clause="SR-090", threshold=rule.threshold, sprung=True)
    if not done.success:
        caught(scene, who)


def caught(scene: Scene, who: CombatantId) -> None:
    """Ten off the score, no defence and no interrupt until his next phase; Edge spares him all but the loss.

    Clause: SR-090.
    """
    change_score(scene, who, tables_of(scene).core.surprise.score, "SR-090")
    scene.begin(who, SURPRISED)
    if wants_to_be_asked(scene, who) and asked_for_edge(scene, who, SHAKE_OFF, name=SHAKE_OFF) == SHAKE_OFF:
        spend_edge(scene, who, SHAKE_OFF, "SR-090")
        scene.end(who, SURPRISED, why="edge", clause="SR-090")


def _how_ready(scene: Scene, who: CombatantId) -> str:
    answer = scene.ask(
        Question(
            key="",
            name="surprise_readiness",
            kind="surprise_readiness",
            to=GM,
            options=(Option(PLAIN), Option(ALERTED), Option(AMBUSHER), Option(AWARE)),
            default=PLAIN,
            best=PLAIN,
            about=who,
            clause=ClauseId("SR-090"),
        )
    )
    return answer.option
