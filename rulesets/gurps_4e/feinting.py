"""The contest of a feint, and what is left of it. Clauses GU-800 to GU-890."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.engine.events import ContestSettled, Noted, Term
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import (
    SHIELD_BASH,
    Blow,
    counts_now,
    evaluate_terms,
    skill_of,
    why_not_strike,
)
from rulesets.gurps_4e.checks import DX, Side, base_terms, level, roll_contest, total_of, unarmed_skill
from rulesets.gurps_4e.circumstances import HIT, given_terms
from rulesets.gurps_4e.conditions import is_out
from rulesets.gurps_4e.figures import posture_of, posture_row, tables_of
from rulesets.gurps_4e.reach import REAR, arc_of, can_see
from rulesets.gurps_4e.weapons import held, is_ready, min_st_penalty, weapon_of

UNARMED_SKILLS = ("brawling", "boxing", "karate", "judo", "wrestling", "sumo_wrestling")
RESISTING = "resisting_feints"


def why_not_feint(table: Table, blow: Blow) -> Iterator[Reason]:
    """A foe he could strike now, who sees him; a shield feint takes a bash before.

    Clauses: GU-240, GU-800, GU-840, GU-880.
    """
    reason = table.rules.reason
    if blow.is_ranged or blow.weapon.is_ranged:
        yield reason("feint_needs_melee_weapon", "GU-800", at="/weapon")
        return
    with_shield = blow.form == SHIELD_BASH
    if with_shield and not _has_ready_shield(table, blow):
        yield reason("no_ready_shield", "GU-880", at="/weapon")
    else:
        for one in why_not_strike(table, blow, "GU-800"):
            yield replace(one, clause=ClauseId("GU-800")) if one.code == "out_of_reach" else one
    if not table.known(blow.target):
        return
    if not _is_seen(table, blow):
        yield reason("target_cannot_see_you", "GU-840", at="/targets/0", names=(blow.target,))
    if with_shield and not any(one.against == blow.target for one in table.effects(blow.attacker, "bashed")):
        yield reason("shield_feint_needs_prior_bash", "GU-880", at="/targets/0", names=(blow.target,))
    total, lowest = total_of(feint_terms(table, blow)), tables_of(table).core.lowest_skill
    if total < lowest:
        yield reason("skill_too_low", "GU-240", need=lowest, got=total)


def _has_ready_shield(table: Table, blow: Blow) -> bool:
    item = blow.item
    return item is not None and blow.weapon.is_shield and bool(blow.mode_id) and is_ready(table, blow.attacker, item)


def _is_seen(table: Table, blow: Blow) -> bool:
    """Whether the foe is in his senses, knows of the feinter, and has him in sight. Clauses: GU-390, GU-840."""
    foe = blow.target
    if is_out(table, foe) or blow.aware is False or not can_see(table, foe, blow.attacker):
        return False
    return arc_of(table, foe, blow.attacker, blow.arc) != REAR


def feint_terms(table: Table, blow: Blow) -> tuple[Term, ...]:
    """What the feinter rolls: his skill with that, Evaluate, his posture, circumstances.

    Clauses: GU-130, GU-820, GU-1740, GU-1910, GU-2060.
    """
    who, skill = blow.attacker, skill_of(table, blow)
    terms = [
        Term("min_st", _lacks_st(table, who, blow.item), ClauseId("GU-2060")),
        Term("posture", posture_row(table, posture_of(table, who)).attack, ClauseId("GU-1740")),
        *evaluate_terms(table, who, blow.target),
        *given_terms(table, blow.given, HIT, {"melee"}),
    ]
    return (*base_terms(table, who, skill), *(term for term in terms if term.value))


def _lacks_st(table: Table, who: CombatantId, item: ItemId | None) -> int:
    return 0 if item is None else min_st_penalty(table.who(who), weapon_of(table, who, item))


def contest_of_feint(scene: Scene, blow: Blow) -> int:
    """Both roll; gives by how much the foe is deceived, 0 if he is not. Clauses: GU-250, GU-820, GU-830, GU-1910."""
    who, foe = blow.attacker, blow.target
    mine = Side(who, skill_of(scene, blow), feint_terms(scene, blow))
    chosen = resists_with(scene, foe)
    theirs = Side(foe, chosen.skill, _resisting_terms(scene, foe, chosen))
    my, their = roll_contest(scene, mine, theirs, "feint", clause="GU-820")
    won = penalty(my.success, my.margin, their.success, their.margin)
    scene.emit(ContestSettled(who, foe, "feint", who if won else None, won, ClauseId("GU-820")))
    return won


def penalty(mine: bool, margin: int, theirs: bool, their_margin: int) -> int:
    """The penalty on the foe's defences. Clause: GU-820."""
    if not mine:
        return 0
    return max(0, margin - max(0, their_margin)) if theirs else max(0, margin)


# What the foe rolls


class Resistance(msgspec.Struct, frozen=True):
    """Something a foe may roll against a feint: the skill, and the item it is used with."""

    skill: str
    item: ItemId | None = None


def resistances(table: Table, who: CombatantId) -> list[Resistance]:
    """Everything he may roll, the best first: ready melee weapons, shield and cloak, bare hands; DX after a skill that
    is as good. Clause: GU-830.
    """
    found = [Resistance(unarmed_skill(table, who, UNARMED_SKILLS)), Resistance(DX)]
    for key, _, weapon in held(table, who):
        known = level(table, who, weapon.skill) is not None
        if known and not weapon.is_ranged and is_ready(table, who, key):
            found.append(Resistance(weapon.skill, key))
    return sorted(found, key=lambda one: (-total_of(_resisting_terms(table, who, one)), one.skill == DX, one.skill))


def resists_with(table: Table, who: CombatantId) -> Resistance:
    """The best of it, unless he has named another that is open to him now. Clause: GU-830."""
    open_to_him, named = resistances(table, who), table.effect(who, RESISTING)
    fit = [one for one in open_to_him if named is not None and one.skill == named.word]
    return (fit or open_to_him)[0]


def _resisting_terms(table: Table, who: CombatantId, chosen: Resistance) -> tuple[Term, ...]:
    lacking = _lacks_st(table, who, chosen.item)
    weak = (Term("min_st", lacking, ClauseId("GU-2060")),) if lacking else ()
    return (*base_terms(table, who, chosen.skill), *weak)


# What is left of it


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
