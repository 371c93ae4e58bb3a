"""What a hold, a leap, an immediate action already taken and being down leave open. Clauses MA-040, MA-070, MA-330,
MA-340, MA-435, MA-800.
"""

from collections.abc import Iterator
from typing import Final

from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.table import Table
from rulesets.manewry_ap.figures import TURN_OVER, is_conscious, whole_option
from rulesets.manewry_ap.holds import BREAK_FREE, captive_of, is_grabbed

IMMEDIATE: Final = "immediate"
IMMEDIATE_USED: Final = "immediate_used"
RELEASE, TIGHTEN, END_TURN = "release_hold", "tighten_hold", "end_turn"


def is_immediate(action: Action) -> bool:
    """Whether it may be taken in the middle of somebody else's attack. Clause: MA-040."""
    return IMMEDIATE in action.tags


def why_not_immediate(table: Table, who: CombatantId, action: Action) -> Iterator[Reason]:
    """One in any combatant's turn, none once his turn is over, and only what a hold leaves.

    Clauses: MA-040, MA-070, MA-330, MA-340.
    """
    used, most = len(list(table.effects(who, IMMEDIATE_USED))), whole_option(table, "immediate_per_turn")
    if used >= most:
        yield table.rules.reason("immediate_already_used", need=most, got=used)
    yield from why_barred(table, who, action)


def why_barred(table: Table, who: CombatantId, action: Action) -> Iterator[Reason]:
    """What a leap, a hold and being down bar. Clauses: MA-070, MA-330, MA-340, MA-435, MA-800.

    The GM may put somebody down in mid-turn, while what he proposed waits.
    """
    if action.id == END_TURN:
        return
    if not is_conscious(table, who):
        yield table.rules.reason("cannot_act")
    if table.has(who, TURN_OVER):
        yield table.rules.reason("turn_over")
    held, holds = is_grabbed(table, who), captive_of(table, who) is not None
    release = action.id == RELEASE and holds
    if held and action.id != BREAK_FREE and not release:
        yield table.rules.reason("grabbed_may_only_break_free")
    if holds and action.id not in (RELEASE, TIGHTEN) and not (held and action.id == BREAK_FREE):
        yield table.rules.reason("holding_may_only_release_or_tighten")
