"""Suppressive fire: the zone, what it does to those in it, how they get out of its way. Clause SR-435."""

from collections.abc import Iterator
from functools import partial

from app.engine.asks import Answer, Barred, Cost, Option, Question
from app.engine.events import Term
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.moments import ActionDone, Passing
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.state import Effect
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.shadowrun_5e.checks import pool_terms, take_test, wound_terms
from rulesets.shadowrun_5e.conditions import fall_prone
from rulesets.shadowrun_5e.figures import PRONE, SCORE, is_helpless, is_out, score_of
from rulesets.shadowrun_5e.harm import CONSEQUENCES, Harm, deal
from rulesets.shadowrun_5e.score import change_score, present
from rulesets.shadowrun_5e.steadiness import disturb
from rulesets.shadowrun_5e.striking import value_terms
from rulesets.shadowrun_5e.weapons import kind_of, weapon_of

CLAUSE = "SR-435"
DROP, DIRT, TEST = "drop_prone", "hit_the_dirt", "test"
SUPPRESSED, ANSWERED = "suppressed", "answered_fire"
FREE = "free"
QUIET = ("end_phase", "end_turn", "delay_action", DROP, DIRT, "full_defense")
"""What somebody in the zone may do without coming under fire again."""


def price_of_the_dirt(table: Table) -> int:
    """Initiative that throwing oneself down costs. Clause: SR-545."""
    return sum(cost.amount for cost in table.rules.actions[ActionId(DIRT)].costs["interrupt"])


def comes_in(scene: Scene, who: CombatantId, fire: Effect, shooter: CombatantId) -> None:
    """He is in the zone: dice less from now on, and once in each phase of his own he must get out of the way.

    Clause: SR-435.
    """
    if not any(one.source == shooter for one in scene.effects(who, SUPPRESSED)):
        scene.later(CONSEQUENCES, partial(scene.begin, who, SUPPRESSED, value=fire.value, source=shooter))
    if not scene.has(who, PRONE):
        answer_fire(scene, who, fire, shooter)


def answer_fire(scene: Scene, who: CombatantId, fire: Effect, shooter: CombatantId) -> None:
    """Drop, hit the dirt, or trust to luck; only once for each phase of one's own. Clause: SR-435."""
    if is_out(scene, who) or any(one.source == shooter for one in scene.effects(who, ANSWERED)):
        return
    scene.begin(who, ANSWERED, source=shooter)
    with scene.within("fire", shooter, who):
        choice = TEST if is_helpless(scene, who) else _ask(scene, who, shooter).option
        if choice == TEST:
            _dodge(scene, who, fire, shooter)
            return
        if choice == DROP:
            scene.set_budget(who, FREE, scene.who(who).budget.get(FREE, 0) - 1, CLAUSE)
        else:
            change_score(scene, who, -price_of_the_dirt(scene), "SR-545")
        disturb(scene, who, ActionId(choice))
        scene.later(CONSEQUENCES, partial(fall_prone, scene, who, CLAUSE))


def _ask(scene: Scene, who: CombatantId, shooter: CombatantId) -> Answer:
    reason, barred, options = scene.rules.reason, [], [Option(TEST, declines=True)]
    price, score = price_of_the_dirt(scene), score_of(scene, who)
    forbidden = {choice: tuple(scene.rules.why_forbidden(choice, "/option")) for choice in (DROP, DIRT)}
    if forbidden[DROP]:
        barred.append(Barred(DROP, forbidden[DROP]))
    elif scene.who(who).budget.get(FREE, 0):
        options.append(Option(DROP, cost=(Cost(FREE, 1),)))
    else:
        code = "free_action_limit" if scene.has(who, "phase_begun") else "no_action_phase_yet"
        barred.append(Barred(DROP, (reason(code, "SR-110"),)))
    if forbidden[DIRT]:
        barred.append(Barred(DIRT, forbidden[DIRT]))
    elif score >= price:
        options.append(Option(DIRT, cost=(Cost(SCORE, price),)))
    else:
        barred.append(Barred(DIRT, (reason("insufficient_initiative", "SR-500", need=price, got=score),)))
    return scene.ask(
        Question(
            key="",
            name="suppression_response",
            kind="suppression_response",
            to=who,
            options=tuple(options),
            default=TEST,
            best=TEST,
            about=shooter,
            barred=tuple(barred),
            clause=ClauseId(CLAUSE),
        )
    )


def _dodge(scene: Scene, who: CombatantId, fire: Effect, shooter: CombatantId) -> None:
    """Reaction and edge against the hits of the fire; else the base damage strikes him. Clause: SR-435."""
    terms: tuple[Term, ...] = (
        *pool_terms(scene, who, "reaction"),
        *pool_terms(scene, who, "edge"),
        *wound_terms(scene, who),
    )
    done = take_test(
        scene, who, "reaction", SUPPRESSED, terms, clause=CLAUSE, threshold=fire.value, against=shooter, sprung=True
    )
    if fire.value and done.hits < fire.value:
        weapon = weapon_of(scene, shooter, fire.item)
        deal(
            scene,
            Harm(
                shooter,
                who,
                value_terms(scene, shooter, weapon),
                weapon.dv_type,
                weapon.ap,
                weapon.element,
                weapon_kind=kind_of(scene, shooter, fire.item),
                clause=CLAUSE,
            ),
        )


def come_under_fire(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """Somebody's way leads into a zone, or through it. Clause: SR-435."""
    for body in present(scene):
        fire = scene.effect(body.id, "suppressing")
        if fire is None or fire.area is None or body.id == moment.mover:
            continue
        if not scene.has_map and body.id in (scene.said.leaves or ()):
            way_out = partial(_out_of_it, scene, moment.mover, body.id)
            yield Cue(moment.run.walked, (2,), f"out/{body.id}", partial(Answer, "out"), way_out)
            continue
        crossings = scene.space.crossings(moment.run, fire.area, moment.since)
        if isinstance(crossings, Unknown):
            continue
        for one in crossings:
            if one.kind == "enters" or (one.kind == "starts_inside" and scene.has(moment.mover, SUPPRESSED)):
                yield Cue(
                    one.at,
                    (1,),
                    f"fire/{body.id}",
                    partial(Answer, SUPPRESSED),
                    partial(_passed, scene, moment.mover, fire, body.id),
                )
                break
        if any(one.kind == "leaves" for one in crossings):
            at = max(one.at for one in crossings if one.kind == "leaves")
            yield Cue(
                at, (2,), f"out/{body.id}", partial(Answer, "out"), partial(_out_of_it, scene, moment.mover, body.id)
            )


def _passed(scene: Scene, who: CombatantId, fire: Effect, shooter: CombatantId, answer: Answer) -> None:
    comes_in(scene, who, fire, shooter)


def _out_of_it(scene: Scene, who: CombatantId, shooter: CombatantId, answer: Answer) -> None:
    for effect in tuple(scene.effects(who, SUPPRESSED)):
        if effect.source == shooter:
            scene.end_one(who, effect, "left", CLAUSE)


def act_under_fire(scene: Scene, moment: ActionDone) -> Iterator[Cue]:
    """Whoever acts in the zone without lying comes under fire, once in each phase of his own. Clause: SR-435."""
    who = moment.actor
    if moment.action in QUIET or scene.has(who, PRONE) or not scene.is_turn_of(who) or is_out(scene, who):
        return
    for pressed in scene.effects(who, SUPPRESSED):
        shooter = pressed.source
        fire = None if shooter is None else scene.effect(shooter, "suppressing")
        if fire is None or shooter is None or any(one.source == shooter for one in scene.effects(who, ANSWERED)):
            continue
        yield Cue(0, (1,), f"acts/{shooter}", partial(Answer, SUPPRESSED), partial(_acts, scene, who, fire, shooter))


def _acts(scene: Scene, who: CombatantId, fire: Effect, shooter: CombatantId, answer: Answer) -> None:
    answer_fire(scene, who, fire, shooter)
