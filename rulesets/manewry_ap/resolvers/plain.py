"""Releasing, breaking free, dropping, standing up, turning, resting, and the end of a turn.

Clauses MA-070, MA-350, MA-390, MA-440 to MA-470, MA-660, MA-830.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.engine.asks import Cost
from app.engine.commands import Submission
from app.engine.events import Turned
from app.engine.ids import ClauseId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.manewry_ap.falling import DIRECTION, Fall, fall, fall_of, why_not_drop
from rulesets.manewry_ap.figures import (
    AP,
    KNOCKED_DOWN,
    LYING,
    PINNED,
    ap_left,
    is_on_the_ground,
    tables_of,
    whole_option,
)
from rulesets.manewry_ap.harm import tire
from rulesets.manewry_ap.holds import break_free, captive_of, is_grabbed, let_go
from rulesets.manewry_ap.people import refilled
from rulesets.manewry_ap.reach import stands_there
from rulesets.manewry_ap.turns import breathe


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing of its own."""


def nothing_against(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Only the turn decides."""
    yield from ()


# Holds


def check_release(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Only whom he holds. Clause: MA-350."""
    held = captive_of(table, sub.actor)
    if held is None or (sub.targets and sub.targets[0] != held):
        yield table.rules.reason("not_holding", at="/targets/0" if sub.targets else None)


def release(scene: Scene, sub: Submission, action: Action) -> None:
    """He lets go, without a test. Clause: MA-350."""
    let_go(scene, sub.actor, "released", "MA-350")


def check_break(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Only who is held. Clause: MA-390."""
    if not is_grabbed(table, sub.actor):
        yield table.rules.reason("not_grabbed")


def free_oneself(scene: Scene, sub: Submission, action: Action) -> None:
    """STR against STR. Clauses: MA-390, MA-400."""
    break_free(scene, sub.actor)


# On the ground


def _fall(table: Table, sub: Submission) -> Fall:
    direction = sub.options.get(DIRECTION)
    return fall_of(
        table, sub.actor, sub.path, None if direction is None else str(direction), table.said.destination_free
    )


def check_drop(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Where to, and whether he is not down already. Clauses: MA-440, MA-450."""
    if table.has_map and DIRECTION in sub.options:
        yield table.rules.reason("unused_input", at=f"/options/{DIRECTION}", names=(DIRECTION,))
    yield from why_not_drop(table, sub.actor, _fall(table, sub))


def drop(scene: Scene, sub: Submission, action: Action) -> None:
    """He lies on his belly. Clauses: MA-440, MA-450."""
    fall(scene, sub.actor, _fall(scene, sub))


def check_stand(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """On the ground, and nothing keeps him there. Clause: MA-470."""
    if not is_on_the_ground(table, sub.actor):
        yield table.rules.reason("not_prone")
    elif table.has(sub.actor, PINNED) or stands_there(table, sub.actor):
        yield table.rules.reason("stand_up_prevented")


def stand(scene: Scene, sub: Submission, action: Action) -> None:
    """He is on his feet, neither knocked down nor lying. Clauses: MA-470, MA-480."""
    scene.end(sub.actor, KNOCKED_DOWN, LYING, why="stood_up", clause="MA-470")


def check_face(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A direction, on a map. Clause: MA-830."""
    if sub.facing is None or not table.has_map:
        yield table.rules.reason("missing_input" if table.has_map else "unused_input", at="/facing", names=("facing",))


def face(scene: Scene, sub: Submission, action: Action) -> None:
    """He looks that way. Clause: MA-830."""
    assert sub.facing is not None
    scene.emit(Turned(sub.actor, sub.facing % 360, ClauseId("MA-830")))


# Rest


def becomes_rest(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """It takes all there is. Clause: MA-660."""
    whole = (Cost(AP, ap_left(table, sub.actor)),)
    return sub, replace(action, costs=dict.fromkeys(action.costs, whole))


def check_rest(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """The whole pool must be there. Clause: MA-660."""
    need, left = refilled(table, sub.actor), ap_left(table, sub.actor)
    if left < need:
        yield table.rules.reason("full_ap_required", need=need, got=left)


def rest(scene: Scene, sub: Submission, action: Action) -> None:
    """Stamina comes back, and a Fatigue marker goes. Clauses: MA-660, MA-820."""
    breathe(scene, sub.actor, whole_option(scene, "rest_ep"), "MA-660")
    tire(scene, sub.actor, -tables_of(scene).core.rest_fatigue, "MA-660")


def end_turn(scene: Scene, sub: Submission, action: Action) -> None:
    """What follows is the turn structure's. Clause: MA-070."""


RELEASE_HOLD = Resolver(NoParams, check_release, release)
BREAK_FREE = Resolver(NoParams, check_break, free_oneself)
DROP_PRONE = Resolver(NoParams, check_drop, drop)
STAND_UP = Resolver(NoParams, check_stand, stand)
FACE = Resolver(NoParams, check_face, face)
REST = Resolver(NoParams, check_rest, rest, becomes=becomes_rest)
END_TURN = Resolver(NoParams, nothing_against, end_turn)
