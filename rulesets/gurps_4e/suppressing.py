"""Suppression fire: raking zones with automatic fire. Clauses GU-770, GU-2500 to GU-2520."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.moving import Going


def why_not_rake(table: Table, sub: Submission, blow: Blow, going: Going) -> Iterator[Reason]:
    """Every reason against raking these zones."""
    core = tables_of(table).core.suppression
    if blow.weapon.rof < core.rof:
        yield table.rules.reason("rof_too_low", "GU-770", at="/weapon", need=core.rof, got=blow.weapon.rof)


def rake(scene: Scene, sub: Submission, blow: Blow) -> None:
    """Fire at everybody in the zones."""
