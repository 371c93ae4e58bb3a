"""Simple Actions that touch no enemy: modes, aim, standing up, cover, a look round. Clauses SR-315, SR-320, SR-340,
SR-355, SR-365.
"""

from collections.abc import Iterator
from functools import partial

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import why_no_push
from rulesets.shadowrun_5e.checks import FIELD, action_terms, pool_terms, take_test, wound_terms
from rulesets.shadowrun_5e.conditions import leave_cover
from rulesets.shadowrun_5e.figures import PRONE, are_foes, div_up, mental_limit, stat, tables_of, wound_modifier
from rulesets.shadowrun_5e.harm import CONSEQUENCES
from rulesets.shadowrun_5e.resolvers.plain import NoParams, check_nothing
from rulesets.shadowrun_5e.weapons import is_ready, mode_of, set_mode, weapon_of
from rulesets.shadowrun_5e.where import GOOD, PARTIAL, can_see, hidden_share

AIMING = "aiming"


# Modes


def named_mode(sub: Submission) -> str:
    """The mode that a submission names, as weapons have it."""
    return str(sub.options.get("mode") or "").upper()


def why_not_mode(table: Table, sub: Submission, clause: str) -> Iterator[Reason]:
    """The weapon has that mode and is set to another. Clauses: SR-315, SR-455."""
    reason, mode = table.rules.reason, named_mode(sub)
    if sub.weapon is None or sub.weapon not in table.who(sub.actor).items:
        if sub.weapon is None:
            yield reason("missing_input", clause, at="/weapon")
        return
    modes = weapon_of(table, sub.actor, sub.weapon).modes
    others = tuple(one.lower() for one in modes if one != mode_of(table, sub.actor, sub.weapon))
    if not mode and others:
        yield reason("missing_input", clause, at="/options/mode", names=others)
    elif mode not in modes:
        yield reason("fire_mode_not_available", clause, at="/options/mode", names=modes)
    elif mode == mode_of(table, sub.actor, sub.weapon):
        yield reason("no_change", clause, at="/options/mode", names=(mode,))


def check_mode(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """In hand, and another mode of the weapon. Clause: SR-315."""
    if sub.weapon in table.who(sub.actor).items and not is_ready(table, sub.actor, sub.weapon):
        yield table.rules.reason("weapon_not_ready", "SR-315", at="/weapon", names=(str(sub.weapon),))
    yield from why_not_mode(table, sub, "SR-315")


def change_mode(scene: Scene, sub: Submission, action: Action) -> None:
    """It is set to that mode. Clause: SR-315."""
    assert sub.weapon is not None
    set_mode(scene, sub.actor, sub.weapon, named_mode(sub), "SR-315")


# Aim


def aimed_so_far(table: Table, sub: Submission) -> tuple[int, int]:
    """What this aim has given already, to the pool and to accuracy. Clause: SR-320."""
    aim = table.effect(sub.actor, AIMING)
    if aim is None or aim.item != sub.weapon or aim.against != sub.target:
        return 0, 0
    return int(aim.declared.get("pool") or 0), int(aim.declared.get("accuracy") or 0)  # type: ignore[arg-type]


def check_aim(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A weapon in hand, a target in sight, and no more than half the willpower. Clause: SR-320."""
    reason, who = table.rules.reason, sub.actor
    if sub.weapon is None:
        yield reason("missing_input", "SR-320", at="/weapon")
    elif sub.weapon in table.who(who).items:
        ranged = weapon_of(table, who, sub.weapon).kind in ("firearm", "thrown")
        if not ranged or not is_ready(table, who, sub.weapon):
            yield reason("weapon_not_ready", "SR-320", at="/weapon", names=(sub.weapon,))
    if sub.target is not None and table.known(sub.target) and not can_see(table, who, sub.target):
        yield reason("no_line_of_sight", "SR-320", at="/targets/0", names=(sub.target,))
    cap, got = div_up(stat(table.who(who), "willpower"), 2), sum(aimed_so_far(table, sub))
    if got >= cap:
        yield reason("aim_capped", "SR-320", need=cap, got=got + 1)


def aim(scene: Scene, sub: Submission, action: Action) -> None:
    """One more die or one more of accuracy for the next shot at that target. Clause: SR-320."""
    pool, accuracy = aimed_so_far(scene, sub)
    more = sub.options.get("bonus") or "pool"
    declared = {"pool": pool + (more == "pool"), "accuracy": accuracy + (more == "accuracy")}
    scene.begin(sub.actor, AIMING, value=sum(declared.values()), against=sub.target, item=sub.weapon, declared=declared)


# Standing up


def check_stand(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """He lies. Clause: SR-340."""
    if not table.has(sub.actor, PRONE):
        yield table.rules.reason("not_prone", "SR-340")


def stand(scene: Scene, sub: Submission, action: Action) -> None:
    """Unhurt he stands; wounded it takes body and willpower. Clause: SR-340."""
    who = sub.actor
    if wound_modifier(scene, who):
        others = [term for term in action_terms(scene, who) if term.id != "wounds"]
        terms = (
            *pool_terms(scene, who, "body"),
            *pool_terms(scene, who, "willpower"),
            *others,
            *wound_terms(scene, who),
        )
        threshold = tables_of(scene).core.stand_up.threshold
        if not take_test(
            scene, who, "body", "stand_up", terms, clause="SR-340", threshold=threshold, sprung=True
        ).success:
            return
    scene.later(CONSEQUENCES, partial(_stood, scene, who))


def _stood(scene: Scene, who: CombatantId) -> None:
    scene.end(who, PRONE, why="stood", clause="SR-340")


# Cover


def cover(scene: Scene, sub: Submission, action: Action) -> None:
    """Behind what there is: by the map, or as the GM says, against those he names. Clause: SR-355.

    Foes of whom nobody knows are not what he takes cover from: cover that only stands before them would tell of them.
    """
    who = sub.actor
    against: tuple[str, ...] = ()
    if scene.has_map:
        foes = [body.id for body in scene.in_order() if are_foes(scene, who, body.id) and not body.hidden]
        shares = {hidden_share(scene, foe, who) for foe in foes}
        kind = GOOD if GOOD in shares else PARTIAL if PARTIAL in shares else ""
    else:
        kind, against = _judged(scene, who)
    scene.later(CONSEQUENCES, partial(_covered, scene, who, kind, against))


def _covered(scene: Scene, who: CombatantId, kind: str, against: tuple[str, ...]) -> None:
    leave_cover(scene, who)
    if kind:
        scene.begin(who, kind, words=against)


def _judged(scene: Scene, who: CombatantId) -> tuple[str, tuple[str, ...]]:
    choices = tuple(body.id for body in scene.in_order() if body.id != who)
    form = (Field("against", "combatants", choices=choices, clause=ClauseId("SR-355")),)
    answer = scene.ask(
        Question(
            key="",
            name="cover_quality",
            kind="cover_quality",
            to=GM,
            options=(Option("partial", form=form), Option("good", form=form), Option("none", declines=True)),
            default="none",
            best="partial",
            about=who,
            clause=ClauseId("SR-355"),
        )
    )
    kind = {"partial": PARTIAL, "good": GOOD}.get(answer.option, "")
    return kind, tuple(answer.fields.get("against", ()))


# Looking round


def check_push(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Only Edge that is not there speaks against it. Clause: SR-850."""
    yield from why_no_push(table, sub)


def observe(scene: Scene, sub: Submission, action: Action) -> None:
    """Intuition and perception against what the GM has set. Clause: SR-365."""
    who = sub.actor
    threshold = sub.options.get("threshold")
    terms = (*pool_terms(scene, who, "intuition", "perception"), *action_terms(scene, who))
    take_test(
        scene,
        who,
        "perception",
        "observe",
        terms,
        clause="SR-365",
        limit=mental_limit(scene.who(who)),
        threshold=threshold if isinstance(threshold, int) else tables_of(scene).core.observe.threshold,
        push=sub.options.get(FIELD) is True,
    )


CHANGE_MODE = Resolver(NoParams, check_mode, change_mode)
TAKE_AIM = Resolver(NoParams, check_aim, aim)
STAND_UP = Resolver(NoParams, check_stand, stand)
TAKE_COVER = Resolver(NoParams, check_nothing, cover)
OBSERVE = Resolver(NoParams, check_push, observe)
