"""What the GM brings about by ruling, with all that the rules do beside it. Clauses GU-080, GU-130, GU-1020, GU-1380,
GU-2230.
"""

from typing import Final

from app.engine.events import StatusChanged
from app.engine.ids import ClauseId, CombatantId
from app.engine.rules import Ruleset
from app.engine.scene import Scene
from app.engine.state import Combatant, Effect, Status
from rulesets.gurps_4e.conditions import OUT, end_by_ruling, knock_out, let_be, let_go
from rulesets.gurps_4e.figures import figure
from rulesets.gurps_4e.injuries import settle_reeling
from rulesets.gurps_4e.riding import CLAUSE, CONTROLLING, MOUNTED

RULING = "ruling"
UP: Final = "up"
DOWN: Final = "down"
DEAD: Final = "dead"
UNCONSCIOUS = "unconscious"


def status_by_ruling(scene: Scene, who: CombatantId, status: Status) -> None:
    """He is up, down or dead from now: what kept him down is over, and what the rules end for the fallen ends.

    Clauses: GU-080, GU-130.
    """
    if status == DEAD:
        knock_out(scene, who, DEAD, scene.rules.effects[DEAD].clause)
    elif status == DOWN:
        scene.end(who, DEAD, why=RULING)
        if not scene.has(who, *OUT):
            _status(scene, who, UP)
            knock_out(scene, who, UNCONSCIOUS, scene.rules.effects[UNCONSCIOUS].clause)
    else:
        scene.end(who, *OUT, why=RULING)
    _status(scene, who, status)
    settle_reeling(scene, who)


def _status(scene: Scene, who: CombatantId, status: Status) -> None:
    if scene.who(who).status != status:
        scene.emit(StatusChanged(who, status, RULING, ClauseId("GU-080")))


def effect_ended(scene: Scene, who: CombatantId, effect: Effect) -> None:
    """A condition is taken from him; with the last that kept him down he is up again. Clauses: GU-080, GU-130."""
    end_by_ruling(scene, who, effect)
    if effect.kind in OUT and scene.who(who).status != "gone":
        _status(scene, who, DEAD if scene.has(who, DEAD) else DOWN if scene.has(who, *OUT) else UP)
        settle_reeling(scene, who)


def leave(scene: Scene, who: CombatantId) -> None:
    """Who leaves the fight neither holds nor is held, and nobody rides on him any longer.

    Clauses: GU-1020, GU-1380, GU-2230.
    """
    let_go(scene, who, "left")
    let_be(scene, who, "left")
    for body in tuple(scene.state.combatants.values()):
        for kind in (MOUNTED, CONTROLLING):
            for seat in [one for one in scene.effects(body.id, kind) if one.against == who]:
                scene.end_one(body.id, seat, "left", CLAUSE)


def least_hp(rules: Ruleset, body: Combatant) -> int:
    """Hit points below which there is nothing left of him. Clause: GU-2170, table 5.7."""
    return int(-rules.tables.core.destroyed * figure(body, "hp_max"))
