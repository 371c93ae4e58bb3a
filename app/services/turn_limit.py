"""How long a turn may last, where the table says so: when its time is up, kept beside the encounter."""

from msgspec.structs import replace

from app.engine.ids import CombatantId
from app.engine.rules import Ruleset
from app.engine.state import State
from app.engine.table import Table
from app.persistence.work import Change, Live
from app.services.settings import Settings


def timed(rules: Ruleset, live: Live, change: Change, now: int, *, by_clock: bool = False) -> Change:
    """The change with when the time of the turn is up after it.

    `by_clock` says that nobody made it but the clock. When that has ended a turn for everybody in a row nobody is at
    the table, and the clock stands until somebody does something.
    """
    settings = Settings.of_text(live.head.settings if change.settings is None else change.settings)
    limit = _limit(rules, change)
    due, missed = settings.turn_due_at, settings.turns_missed
    if limit is None:
        due, missed = None, missed if change.state.status == "running" else 0
    elif live.pending is not None or change.to_version is not None or _moment(live.state) != _moment(change.state):
        missed = missed + 1 if by_clock else 0
        present = sum(1 for body in change.state.combatants.values() if body.status == "up")
        due = None if missed >= present else now + limit * 1000
    after = replace(settings, turn_due_at=due, turns_missed=missed)
    return change if after == settings else replace(change, settings=after.text)


def _limit(rules: Ruleset, change: Change) -> int | None:
    """Seconds that the turn under way may last; None for ever, and while something is awaited."""
    state = change.state
    if rules.turn_limit is None or change.pending is not None or state.status != "running" or state.clock.slot is None:
        return None
    return rules.turn_limit(Table(rules, state))


def _moment(state: State) -> object:
    """Whose turn it is, and what he has done in it."""
    clock = state.clock
    owner = None if clock.slot is None else state.combatants.get(CombatantId(clock.slot.owner))
    return clock.round, clock.pass_, clock.acted, clock.slot, () if owner is None else owner.done
