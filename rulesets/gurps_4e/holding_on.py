"""Staying conscious, and what breaks concentration and aim. Clauses GU-1220, GU-1230, GU-1860, GU-1870, GU-2160."""

from app.engine.events import Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.checks import HT, WILL, succeeds, take_test
from rulesets.gurps_4e.conditions import AIMING, CONCENTRATING, fall, is_out, knock_out
from rulesets.gurps_4e.figures import figure, hp_of, tables_of


def stay_conscious(scene: Scene, who: CombatantId) -> bool:
    """Somebody at 0 HP or below rolls HT once a turn to go on, from his next slot. Tells whether he can.

    Clause: GU-2160.
    """
    if hp_of(scene, who) > 0 or scene.has(who, "stayed_conscious", "just_collapsed"):
        return not is_out(scene, who)
    most = figure(scene.who(who), "hp_max")
    with scene.within("conscious", who):
        below = Term("below_zero", -(-hp_of(scene, who) // most), ClauseId("GU-2160"))
        check = take_test(scene, who, HT, "consciousness", (below,), clause="GU-2160", sees=succeeds)
    if not check.success:
        knock_out(scene, who, "unconscious", "GU-2160")
        return False
    scene.begin(who, "stayed_conscious")
    return True


def tell_used(scene: Scene, who: CombatantId) -> None:
    """He has used an active defence: a Wait of his can be no All-Out Attack now, an aim is gone, a concentration
    disturbed.

    Clauses: GU-1220, GU-1470, GU-1870.
    """
    if not scene.has(who, "defended"):
        scene.begin(who, "defended")
    scene.end(who, AIMING, why="defended", clause="GU-1870")
    disturb(scene, who, "defended")


def disturb(scene: Scene, who: CombatantId, why: str, modifier: int = 0) -> None:
    """One event that may cost him his concentration: Will less 3, and what the GM adds. Clauses: GU-130, GU-1220."""
    record = scene.effect(who, CONCENTRATING)
    if record is None:
        return
    with scene.within("concentration", why):
        penalty = Term("distracted", tables_of(scene).core.concentration, ClauseId("GU-1220"))
        given = Term("gm", modifier, ClauseId("GU-130"))
        check = take_test(scene, who, WILL, "concentration", (penalty, given), clause="GU-1220", sees=succeeds)
    if not check.success:
        scene.end_one(who, record, why, "GU-1220")


def knocked_down(scene: Scene, who: CombatantId, clause: str) -> None:
    """He falls against his will: that disturbs a concentration too. Clauses: GU-1220, GU-1720."""
    if fall(scene, who, clause):
        disturb(scene, who, "knocked_down")


def steady_aim(scene: Scene, who: CombatantId) -> None:
    """Somebody hurt while he aims rolls Will, or his aim is gone. Clause: GU-1870."""
    record = scene.effect(who, AIMING)
    if record is None:
        return
    with scene.within("aim"):
        check = take_test(scene, who, WILL, "keep_aim", clause="GU-1870", sees=succeeds)
    if not check.success:
        scene.end_one(who, record, "injured", "GU-1870")


def must_roll_to_act(table: Table, who: CombatantId) -> bool:
    """Whether choosing a maneuver other than Do Nothing takes a roll. Clause: GU-2160."""
    return hp_of(table, who) <= 0 and not table.has(who, "stayed_conscious", "just_collapsed")
