"""First aid, medkits, stabilizing, bleeding. Clauses SR-790, SR-900 to SR-920, SR-955."""

from collections.abc import Iterator
from functools import partial

from app.engine.events import Figure, Noted, Term
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.checks import CRITICAL, Test, action_terms, pool_terms, take_test
from rulesets.shadowrun_5e.conditions import DYING, STABILIZED
from rulesets.shadowrun_5e.figures import PHYSICAL, STUN, div_up, mental_limit, tables_of
from rulesets.shadowrun_5e.harm import CONSEQUENCES, fill, heal, settle_monitors, start_bleeding
from rulesets.shadowrun_5e.weapons import RATING, profile

MEDKIT, RUNNING_KIT, TREATED, TREATING, TENDED = "medkit", "medkit_running", "treated", "treating", "tended"
FULL_BODY = "full_body_armor"


def medkits(table: Table, who: CombatantId) -> Iterator[tuple[ItemId, int]]:
    """Medkits that somebody carries, with their rating."""
    for key, item in table.who(who).items.items():
        weapon = profile(table.rules, item)
        if weapon is not None and weapon.device == MEDKIT:
            yield ItemId(key), item.marks.get(RATING, 1)


def rating_on(table: Table, patient: CombatantId) -> int:
    """Rating of the medkit that is at work on him, 0 for none. Clause: SR-900."""
    return max((effect.value for effect in table.effects(patient, RUNNING_KIT)), default=0)


def aid_test(
    scene: Scene,
    medic: CombatantId,
    patient: CombatantId,
    purpose: str,
    conditions: str,
    threshold: int,
    clause: str,
    extra: int = 0,
    *,
    push: bool = False,
) -> Test:
    """Logic and first aid, the medkit in dice and limit, the conditions of the place. Clauses: SR-900 to SR-920."""
    rule, rating = tables_of(scene).core.medicine, rating_on(scene, patient)
    kit = Term(MEDKIT, rating, ClauseId("SR-900")) if rating else Term("no_medkit", rule.no_medkit, ClauseId("SR-900"))
    terms = (
        *pool_terms(scene, medic, "logic", "first_aid"),
        kit,
        Term("conditions", tables_of(scene).treatment[conditions], ClauseId("SR-910")),
        Term("failed_tries", extra, ClauseId("SR-920")),
        *action_terms(scene, medic),
    )
    limit = mental_limit(scene.who(medic)) + rating
    return take_test(
        scene,
        medic,
        "first_aid",
        purpose,
        terms,
        clause=clause,
        limit=limit,
        threshold=threshold,
        against=patient,
        push=push,
    )


def treat(scene: Scene, medic: CombatantId | None, patient: CombatantId, test: Test, most: int, pool: str) -> None:
    """So many boxes as there were hits beyond the threshold, at most the skill, one a Combat Turn; worse for a critical
    glitch. Clause: SR-910.
    """
    rule = tables_of(scene).core.medicine
    scene.begin(patient, TREATED, word=pool, source=medic)
    if test.grade == CRITICAL:
        worse = scene.roll("worse", 1, rule.sides, patient, "first_aid", clause="SR-910")
        hurt = (Figure("boxes", worse[0].value),)
        scene.emit(Noted(patient, "treated_worse", figures=hurt, dice=worse, clause=ClauseId("SR-910")))
        scene.later(CONSEQUENCES, partial(_worse, scene, patient, worse[0].value, pool))
        return
    boxes = min(test.hits - rule.threshold, most)
    if FULL_BODY in scene.who(patient).sheet.worn:
        boxes = div_up(max(0, boxes), 2)
    if boxes > 0:
        scene.begin(patient, TREATING, value=boxes, word=pool, source=medic)
        scene.begin(patient, TENDED, source=medic)


def _worse(scene: Scene, patient: CombatantId, boxes: int, pool: str) -> None:
    fill(scene, patient, boxes, "P" if pool == PHYSICAL else "S")
    settle_monitors(scene, patient)


def treatment_shows(scene: Scene) -> None:
    """One box for each treatment that was gone on with in this Combat Turn; one that was not is over.

    Clauses: SR-910, SR-955.
    """
    for body in scene.in_order():
        for effect in tuple(scene.effects(body.id, TREATING)):
            tended = any(one.source == effect.source for one in scene.effects(body.id, TENDED))
            if tended or effect.source is None:
                heal(scene, body.id, 1, effect.word or PHYSICAL, "SR-910")
            scene.end_one(body.id, effect, "healed" if tended else "forfeit", "SR-910")
            if (tended or effect.source is None) and effect.value > 1:
                scene.begin(body.id, TREATING, value=effect.value - 1, word=effect.word, source=effect.source)


def medkits_at_work(scene: Scene) -> None:
    """A medkit left alone with somebody treats him itself at the start of a Combat Turn, once. Clause: SR-900."""
    rule = tables_of(scene).core.medicine
    for body in scene.in_order():
        who = body.id
        effect = scene.effect(who, RUNNING_KIT)
        hurt = scene.pool(who, PHYSICAL) or scene.pool(who, STUN)
        if effect is None or not hurt or scene.has(who, TREATED, TREATING):
            continue
        with scene.within(who):
            terms = (Term(MEDKIT, effect.value * rule.own_dice, ClauseId("SR-900")),)
            pool = PHYSICAL if scene.pool(who, PHYSICAL) else STUN
            test = take_test(
                scene,
                who,
                MEDKIT,
                "first_aid",
                terms,
                clause="SR-900",
                limit=effect.value,
                threshold=rule.threshold,
                glitches=False,
            )
            treat(scene, None, who, test, effect.value, pool)


def bleed(scene: Scene) -> None:
    """A box more for whoever has bled long enough and is not stabilized. Clause: SR-790."""
    for body in scene.in_order():
        who = body.id
        if not scene.has(who, DYING) or scene.has(who, STABILIZED, "bleeding"):
            continue
        fill(scene, who, 1, "P")
        settle_monitors(scene, who)
        if scene.has(who, DYING):
            start_bleeding(scene, who)


def stabilize(scene: Scene, patient: CombatantId) -> None:
    """He bleeds no more. Clause: SR-920."""
    scene.end(patient, "bleeding", "stabilize_failed", why=STABILIZED, clause="SR-920")
    scene.begin(patient, STABILIZED)
    scene.emit(Noted(patient, STABILIZED, clause=ClauseId("SR-920")))
