"""Choosing a maneuver, and what the choice does at once. Clauses GU-010, GU-060, GU-570 to GU-590, GU-790, GU-950,
GU-1110, GU-1210, GU-1860, GU-1920, GU-1950.
"""

from collections.abc import Mapping

from app.engine.commands import Submission
from app.engine.ids import ActionId, CombatantId
from app.engine.rules import Action, Ruleset
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.areas import covered_yards
from rulesets.gurps_4e.attack import ALL_OUT_ATTACK, ATTACK, FEINT, MOVE_AND_ATTACK, SUPPRESSION, counts_now
from rulesets.gurps_4e.conditions import AIMING, CONCENTRATING, MANEUVER, WAITING, WORKING
from rulesets.gurps_4e.riding import controls

AIM, EVALUATE, WAIT, DO_NOTHING, CONCENTRATE = "aim", "evaluate", "wait", "do_nothing", "concentrate"
ALL_OUT_DEFENSE, MOVE, READY, CHANGE_POSTURE = "all_out_defense", "move", "ready", "change_posture"
MANEUVERS = (
    AIM,
    ALL_OUT_ATTACK,
    ALL_OUT_DEFENSE,
    ATTACK,
    CHANGE_POSTURE,
    CONCENTRATE,
    DO_NOTHING,
    EVALUATE,
    FEINT,
    MOVE,
    MOVE_AND_ATTACK,
    READY,
    WAIT,
)
ATTACKING = (ATTACK, ALL_OUT_ATTACK, MOVE_AND_ATTACK)
OPTION = "option"
AGAIN = "again"
"""Declared of an Evaluate that follows another of the same foe."""
DEVICE, DETECTED = "device", "detected"
"""With what an aim is taken if with no weapon, and that its target is made out in another way than by sight."""


def is_maneuver(rules: Ruleset, action: str) -> bool:
    """Whether it takes the slot's maneuver: one of the thirteen, or one of the table's own. Clause: GU-010."""
    found = rules.actions.get(ActionId(action))
    return action in MANEUVERS or (found is not None and "maneuver" in found.costs)


def is_full_turn(sub: Submission, action: Action) -> bool:
    """Whether it takes the whole turn, however fast one is. Clauses: GU-580, GU-1020."""
    return (
        action.id in (AIM, CONCENTRATE)
        or (action.id == ALL_OUT_ATTACK and sub.options.get(OPTION) == SUPPRESSION)
        or (action.id == MOVE and controls(sub))
    )


def choose(
    scene: Scene, sub: Submission, action: Action, *, converted: bool = False, with_it: Mapping[str, int] | None = None
) -> None:
    """The maneuver is chosen: it rules the defence from now, and what it does not carry on is over.

    `with_it` are figures that a Wait brings into it (`opportunity_fire`, `discriminate`, `approach`).

    Clauses: GU-060, GU-790, GU-950, GU-1110, GU-1480.
    """
    who, option = sub.actor, sub.options.get(OPTION)
    if converted:
        scene.end(who, WAITING, why="converted", clause="GU-1420")
    _end_what_is_not_carried_on(scene, sub, action)
    word = None if option is None else str(option)
    scene.begin(
        who,
        MANEUVER,
        clause=action.clauses[0],
        word=action.id,
        words=() if word is None else (word,),
        against=sub.target,
        item=sub.weapon,
        declared={
            **{key: str(sub.options[key]) for key in ("form", "mode") if key in sub.options},
            **(with_it or {}),
            **({AGAIN: True} if _is_evaluated_again(scene, sub, action) else {}),
        },
    )
    if action.id == ALL_OUT_ATTACK:
        scene.begin(who, "no_active_defense")
    elif action.id == MOVE_AND_ATTACK:
        scene.begin(who, "moved_and_attacked")
    elif action.id == ALL_OUT_DEFENSE:
        scene.begin(who, "all_out_defending", word=word)


def _is_evaluated_again(table: Table, sub: Submission, action: Action) -> bool:
    """Whether he goes on evaluating the foe whom he evaluated just before. Clause: GU-1920."""
    before = table.effect(sub.actor, MANEUVER)
    return before is not None and (before.word, before.against) == (EVALUATE, sub.target) and action.id == EVALUATE


def _end_what_is_not_carried_on(scene: Scene, sub: Submission, action: Action) -> None:
    """Records that another maneuver ends. Clauses: GU-1210, GU-1340, GU-1860, GU-1880."""
    who = sub.actor
    aim = scene.effect(who, AIMING)
    if aim is not None and not _carries_aim(scene, sub, action):
        scene.end_one(who, aim, "other_maneuver", "GU-1860")
    if action.id != CONCENTRATE:
        scene.end(who, CONCENTRATING, why="other_maneuver", clause="GU-1210")
    if action.id != READY:
        scene.end(who, WORKING, why="other_maneuver", clause="GU-1340")
    if action.id not in (MOVE, MOVE_AND_ATTACK):
        scene.end(who, "ran_straight", why="other_maneuver", clause="GU-1030")


def _carries_aim(table: Table, sub: Submission, action: Action) -> bool:
    """Whether an aim goes on through this maneuver. Clauses: GU-1860, GU-1880."""
    aim = table.effect(sub.actor, AIMING)
    assert aim is not None
    same = aim.item == sub.weapon and aim.against == sub.target
    if action.id == AIM:
        return same and aim.word == sub.options.get(DEVICE)
    if action.id in (ATTACK, ALL_OUT_ATTACK):
        return same and aim.item is not None and sub.options.get(OPTION) != SUPPRESSION
    return action.id == WAIT and covers_aim(table, sub)


def covers_aim(table: Table, sub: Submission) -> bool:
    """Whether a Wait covers the aimed target itself, or a single yard, with that weapon. Clause: GU-1880."""
    aim = table.effect(sub.actor, AIMING)
    if aim is None or aim.item != sub.weapon or sub.options.get("kind") != "cover":
        return False
    single = sub.target is None and sub.options.get("line") is not True and covered_yards(sub) == 1
    return aim.against == sub.target or single


def spend_records(scene: Scene, who: CombatantId, target: CombatantId | None, *, feints: bool) -> None:
    """The maneuver has used what was carried over to it. Clauses: GU-590, GU-850, GU-1910, GU-1930, GU-1950."""
    for record in tuple(scene.effects(who, "evaluating")):
        if record.against == target and counts_now(scene, record):
            scene.end_one(who, record, "used", "GU-1910")
    if feints:
        for record in tuple(scene.effects(who, "feinted")):
            if record.against == target and counts_now(scene, record):
                scene.end_one(who, record, "used", "GU-850")
