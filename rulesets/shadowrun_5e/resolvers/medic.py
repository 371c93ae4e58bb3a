"""First aid and stabilizing. Clauses SR-910, SR-920."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.names import ClauseName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import why_no_push
from rulesets.shadowrun_5e.checks import FIELD
from rulesets.shadowrun_5e.conditions import DYING
from rulesets.shadowrun_5e.figures import METRE, PHYSICAL, tables_of
from rulesets.shadowrun_5e.medicine import TENDED, TREATED, TREATING, aid_test, stabilize, treat
from rulesets.shadowrun_5e.where import distance


class AidParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By which clause it is judged."""

    clause: ClauseName


def _why_not_near(table: Table, sub: Submission, clause: str) -> Iterator[Reason]:
    """Beside the patient. Clause: SR-900."""
    patient = sub.target or sub.actor
    if not table.known(patient) or patient == sub.actor:
        return
    far, need = distance(table, sub.actor, patient), tables_of(table).core.medicine.reach * METRE
    if far is None:
        yield table.rules.reason("missing_input", "SR-590", at="/said/distance", names=(patient,))
    elif far > need:
        yield table.rules.reason("out_of_reach", clause, at="/targets/0", need_length=need, got_length=far)


def check_aid(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Beside him, and these wounds were not treated before, but for going on with it. Clause: SR-910."""
    patient = sub.target or sub.actor
    if table.known(patient) and table.has(patient, TREATED) and not goes_on(table, sub):
        yield table.rules.reason("already_treated", "SR-910", at="/targets/0", names=(patient,))
    yield from _why_not_near(table, sub, "SR-910")
    yield from why_no_push(table, sub)


def goes_on(table: Table, sub: Submission) -> bool:
    """Whether it is the same medic who goes on with a treatment that has not shown all of its boxes yet."""
    patient = sub.target or sub.actor
    return any(one.source == sub.actor for one in table.effects(patient, TREATING))


def aid(scene: Scene, sub: Submission, action: Action) -> None:
    """The first time a test, then a Combat Turn's work for each box. Clause: SR-910."""
    medic, patient = sub.actor, sub.target or sub.actor
    if goes_on(scene, sub):
        if not any(one.source == medic for one in scene.effects(patient, TENDED)):
            scene.begin(patient, TENDED, source=medic)
        return
    where = str(sub.options.get("conditions") or "bad")
    threshold = tables_of(scene).core.medicine.threshold
    push = sub.options.get(FIELD) is True
    done = aid_test(scene, medic, patient, "first_aid", where, threshold, "SR-910", push=push)
    skill = scene.who(medic).sheet.levels.get("first_aid", 0)
    treat(scene, medic, patient, done, skill, str(sub.options.get("monitor") or PHYSICAL))


def check_stabilize(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Beside somebody who is dying. Clause: SR-920."""
    patient = sub.target or sub.actor
    if table.known(patient) and not table.has(patient, DYING):
        yield table.rules.reason("no_change", "SR-920", at="/targets/0", names=(patient,))
    yield from _why_not_near(table, sub, "SR-920")
    yield from why_no_push(table, sub)


def steady(scene: Scene, sub: Submission, action: Action) -> None:
    """He stops bleeding, or the next try is harder. Clause: SR-920."""
    medic, patient = sub.actor, sub.target or sub.actor
    rule = tables_of(scene).core.medicine
    failed = scene.effect(patient, "stabilize_failed")
    tries = 0 if failed is None else failed.value
    where, push = str(sub.options.get("conditions") or "bad"), sub.options.get(FIELD) is True
    done = aid_test(scene, medic, patient, "stabilize", where, rule.stabilize, "SR-920", tries * rule.failed, push=push)
    if done.success:
        stabilize(scene, patient)
    else:
        scene.begin(patient, "stabilize_failed", value=tries + 1)


FIRST_AID = Resolver(AidParams, check_aid, aid)
STABILIZE = Resolver(AidParams, check_stabilize, steady)
