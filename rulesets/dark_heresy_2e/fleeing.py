"""Fleeing against one's will: what is left to do, and which way. Clause: DH-3360."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.space.model import Unknown
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.dark_heresy_2e.grappling import is_grappled

FORCED = "forced_flight"
CLAUSE = "DH-3360"
FREE, HALF = "free", "half"
WAYS_OUT = ("break_free", "slip_free")
"""How somebody who is held gets away."""


def why_not_fleeing(table: Table, sub: Submission, action: Action, left: int, whole: int) -> Iterator[Reason]:
    """Whoever is forced to flee runs away and does nothing else; `left` of the `whole` turn is still to be used.

    Free actions cost no part of the turn and stay open.
    """
    flight = table.effect(sub.actor, FORCED)
    if flight is None or sub.type == FREE:
        return
    if not _is_fleeing(table, sub, action, left < whole):
        yield table.rules.reason("must_run", CLAUSE, at="/action")
    elif "path" in action.needs and _leads_nowhere(table, sub, flight):
        yield table.rules.reason("must_run", CLAUSE, at="/path" if table.has_map else "/said/distance_after")


def _is_fleeing(table: Table, sub: Submission, action: Action, begun: bool) -> bool:
    """Run, or what comes nearest to it where that is barred: out of a grapple, up from the ground, half a move."""
    who = sub.actor
    if is_grappled(table, who):
        return action.id == "grapple" and sub.options.get("option") in WAYS_OUT
    if table.has(who, "prone"):
        return action.id == "stand_mount_dismount"
    if begun:
        return action.id == "move" and sub.type == HALF
    return action.id == "run"


def _leads_nowhere(table: Table, sub: Submission, flight: Effect) -> bool:
    """Whether the way does not end farther from what he flees from. Without a map only what is stated can tell."""
    source = CombatantId(flight.against or "")
    if not table.known(source) or source in table.unknown_to(sub.actor):
        return False
    before = table.space.distance(sub.actor, source)
    if not table.has_map:
        after = (table.said.distance_after or {}).get(source)
        return after is not None and not isinstance(before, Unknown) and after <= before
    run = table.space.run(sub.actor, sub.path)
    if isinstance(run, Unknown) or not sub.path:
        return False
    there = table.space.after({sub.actor: table.space.place(run, run.walked)}).distance(sub.actor, source)
    return not isinstance(there, Unknown) and not isinstance(before, Unknown) and there <= before
