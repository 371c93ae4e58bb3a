"""The contest of a feint, and what is left of it. Clauses GU-800 to GU-880."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.events import ContestSettled, Noted, Term
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import (
    RANGED,
    SHIELD_BASH,
    Blow,
    counts_now,
    evaluate_terms,
    skill_of,
    why_not_strike,
)
from rulesets.gurps_4e.checks import DX, Side, base_terms, level, roll_contest, unarmed_skill
from rulesets.gurps_4e.figures import posture_of, posture_row
from rulesets.gurps_4e.reach import looks_at
from rulesets.gurps_4e.weapons import held, is_ready

UNARMED_SKILLS = ("brawling", "boxing", "karate", "judo", "wrestling", "sumo_wrestling")
SHIELD = "shield"


def why_not_feint(table: Table, sub: Submission, blow: Blow) -> Iterator[Reason]:
    """A foe he could strike now, who sees him; a shield feint takes a bash before. Clauses: GU-800, GU-840, GU-880."""
    reason = table.rules.reason
    if blow.is_ranged or blow.weapon.is_ranged:
        yield reason("feint_needs_melee_weapon", "GU-800", at="/weapon")
        return
    yield from why_not_strike(table, blow, "GU-800")
    if not table.known(blow.target):
        return
    if not looks_at(table, blow.target, blow.attacker):
        yield reason("target_cannot_see_you", "GU-840", at="/targets/0", names=(blow.target,))
    if blow.form == SHIELD_BASH:
        if not any(one.against == blow.target for one in table.effects(blow.attacker, "bashed")):
            yield reason("shield_feint_needs_prior_bash", "GU-880", at="/targets/0", names=(blow.target,))
        if blow.item is None or not is_ready(table, blow.attacker, blow.item):
            yield reason("no_ready_shield", "GU-880", at="/weapon")


def contest_of_feint(scene: Scene, blow: Blow) -> int:
    """Both roll; gives by how much the foe is deceived, 0 if he is not. Clauses: GU-250, GU-820, GU-830, GU-1910."""
    who, foe = blow.attacker, blow.target
    skill = skill_of(scene, blow)
    posture = posture_row(scene, posture_of(scene, who)).attack
    terms = [*base_terms(scene, who, skill), *evaluate_terms(scene, who, foe)]
    if posture:
        terms.append(Term("posture", posture, ClauseId("GU-1740")))
    mine = Side(who, skill, tuple(terms))
    resists = best_against_feint(scene, foe)
    theirs = Side(foe, resists, base_terms(scene, foe, resists))
    my, their = roll_contest(scene, mine, theirs, "feint", clause="GU-820")
    won = penalty(my.success, my.margin, their.success, their.margin)
    scene.emit(ContestSettled(who, foe, "feint", who if won else None, won, ClauseId("GU-820")))
    return won


def penalty(mine: bool, margin: int, theirs: bool, their_margin: int) -> int:
    """The penalty on the foe's defences. Clause: GU-820."""
    if not mine:
        return 0
    return max(0, margin - max(0, their_margin)) if theirs else max(0, margin)


def best_against_feint(table: Table, who: CombatantId) -> str:
    """What the foe rolls: the best of his ready melee weapons, shield, cloak, bare hands and DX. Clause: GU-830."""
    skills = {unarmed_skill(table, who, UNARMED_SKILLS), DX}
    for key, _, weapon in held(table, who):
        if is_ready(table, who, key) and not weapon.is_ranged:
            skills.add(weapon.skill)
    return max(sorted(skills), key=lambda skill: level(table, who, skill) or 0)


def feint_against(table: Table, who: CombatantId, foe: CombatantId) -> int:
    """What his feints are worth against this foe now: the largest. Clauses: GU-590, GU-850, GU-870."""
    records = [one.value for one in table.effects(who, "feinted") if one.against == foe and counts_now(table, one)]
    return max(records, default=0)


def keep_feint(scene: Scene, who: CombatantId, foe: CombatantId, won: int) -> None:
    """The record for the next turn; of several against one foe only the largest is kept. Clause: GU-850."""
    if not won:
        return
    for record in tuple(scene.effects(who, "feinted")):
        if record.against == foe and record.value <= won:
            scene.end_one(who, record, "replaced", "GU-850")
    scene.begin(who, "feinted", against=foe, value=won)
    scene.emit(Noted(who, "feinted", foe, clause=ClauseId("GU-820")))


__all__ = ["RANGED", "Field", "best_against_feint"]
