"""What a fight looks like in figures, counted from its events alone, whatever the ruleset. Pure but for the reading."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from app.engine import events as ev
from app.engine.state import Combatant
from app.engine.visibility import NOBODY
from app.persistence.parts import from_whole
from app.persistence.reading import entry_of
from app.persistence.shapes import raised
from app.persistence.statements import ENTRY_COLUMNS
from app.persistence.tables import event, snapshot
from app.persistence.work import Head
from app.services import lookup
from app.services.branches import rewinds_of, stretches
from app.services.caller import Caller, Result
from app.services.cut import Eyes, event_seen, eyes_of
from app.services.service import Service
from app.services.units import units

_encode = msgspec.json.Encoder().encode
_PAGE = 500
View = dict[str, Any]


class Rolls:
    """Dice by their sides: how many, and what they came to. One that two events tell of counts once."""

    def __init__(self) -> None:
        self._by_sides: dict[int, tuple[int, int]] = {}
        self._seen: set[str] = set()

    def take(self, dice: Iterable[ev.Die]) -> None:
        """Count these."""
        for die in dice:
            if die.roll is not msgspec.UNSET:
                if die.roll in self._seen:
                    continue
                self._seen.add(die.roll)
            count, total = self._by_sides.get(die.sides, (0, 0))
            self._by_sides[die.sides] = (count + 1, total + die.value)

    def view(self) -> list[View]:
        """By sides, fewest first."""
        return [
            {"sides": sides, "count": count, "mean": round(total / count, 2)}
            for sides, (count, total) in sorted(self._by_sides.items())
        ]


def _more(counts: dict[str, int], name: str, by: int = 1) -> None:
    counts[name] = counts.get(name, 0) + by


class Person:
    """What one combatant did and suffered."""

    def __init__(self, who: str) -> None:
        self.who, self.name, self.side = who, who, ""
        self.counts = dict.fromkeys(
            (
                "turns", "attacks", "attacks_hit", "hits", "attacked", "defences", "defences_made", "checks",
                "successes", "damage_dealt", "damage_taken", "hits_taken", "critical_effects",
            ),
            0,
        )  # fmt: skip
        self.actions: dict[str, int] = {}
        self.purposes: dict[str, list[int]] = {}
        self.resources: dict[str, list[int]] = {}
        self.decisions = {"answered": 0, "by_timeout": 0, "by_policy": 0, "by_gm": 0}
        self.moved = 0
        self.went_down = 0
        self.dice = Rolls()
        self.is_missed = False
        """Whether his last attack has not hit anything yet."""

    def view(self) -> View:
        """As it is told."""
        return {
            "combatant": self.who,
            "name": self.name,
            "side": self.side,
            **self.counts,
            "went_down": self.went_down,
            "distance": units(self.moved),
            "actions": [{"id": name, "count": count} for name, count in sorted(self.actions.items())],
            "checks_by_purpose": [
                {"purpose": name, "count": count, "successes": won}
                for name, (count, won) in sorted(self.purposes.items())
            ],
            "resources": [
                {"id": name, "gained": gained, "lost": lost} for name, (gained, lost) in sorted(self.resources.items())
            ],
            "decisions": self.decisions,
            "dice": self.dice.view(),
        }


class Tally:
    """Counts events one by one."""

    def __init__(self) -> None:
        self.people: dict[str, Person] = {}
        self.rounds = self.turns = self.events = self.rulings = 0
        self.decisions = {"answered": 0, "by_timeout": 0, "by_policy": 0, "by_gm": 0}

    def _of(self, who: str | None) -> Person:
        name = who or NOBODY
        return self.people.setdefault(name, Person(name))

    def name(self, bodies: Iterable[Combatant]) -> None:
        """Names for those of whom the log tells none: a fork begins with people who are there already."""
        for body in bodies:
            person = self.people.get(body.id)
            if person is not None and not person.side:
                person.name, person.side = body.name, body.side

    def take(self, happened: ev.AnyEvent) -> None:
        """One more event."""
        self.events += 1
        match happened:
            case ev.Joined() | ev.Edited() | ev.Appeared():
                person = self._of(happened.body.id)
                person.name, person.side = happened.body.name, happened.body.side
            case ev.RoundBegan():
                self.rounds = happened.round
            case ev.TurnBegan() if happened.fresh:
                self.turns += 1
                for who in (happened.combatant, *happened.others):
                    self._of(who).counts["turns"] += 1
            case ev.ActionTaken():
                _more(self._of(happened.combatant).actions, happened.action)
            case ev.Moved() if not happened.forced:
                self._of(happened.combatant).moved += happened.distance
            case ev.PoolChanged():
                held = self._of(happened.combatant).resources.setdefault(happened.pool, [0, 0])
                held[happened.delta < 0] += abs(happened.delta)
            case ev.StatusChanged() if happened.status in ("down", "dead"):
                self._of(happened.combatant).went_down += 1
            case ev.StandingSet() | ev.Noted():
                self._of(happened.combatant).dice.take(happened.dice)
            case ev.CriticalSuffered():
                self._of(happened.combatant).counts["critical_effects"] += 1
                if happened.roller is not None:
                    self._of(happened.roller).dice.take(happened.dice)
            case ev.Ruled():
                self.rulings += 1
            case ev.DecisionAnswered():
                self._answered(happened)
            case _:
                self._fought(happened)

    def _answered(self, happened: ev.DecisionAnswered) -> None:
        if happened.by == "ruling":
            return
        for counts in (self.decisions, self._of(happened.combatant).decisions):
            counts["answered"] += 1
            if f"by_{happened.by}" in counts:
                counts[f"by_{happened.by}"] += 1

    def _fought(self, happened: ev.AnyEvent) -> None:
        match happened:
            case ev.CheckRolled() if happened.outcome:  # a secret one does not count
                person = self._of(happened.combatant)
                won = happened.outcome == "success"
                person.counts["checks"] += 1
                person.counts["successes"] += won
                held = person.purposes.setdefault(happened.purpose, [0, 0])
                held[0] += 1
                held[1] += won
                person.dice.take(happened.dice)
            case ev.AttackMade():
                person = self._of(happened.combatant)
                person.counts["attacks"] += 1
                person.is_missed = True
                self._of(happened.target).counts["attacked"] += 1
            case ev.HitsScored() if happened.hits:
                person = self._of(happened.combatant)
                person.counts["hits"] += len(happened.hits)
                person.counts["attacks_hit"] += person.is_missed
                person.is_missed = False
            case ev.DefenceResolved():
                person = self._of(happened.combatant)
                person.counts["defences"] += 1
                person.counts["defences_made"] += bool(happened.negated)
            case ev.DamageDealt():
                self._of(happened.target).counts["damage_taken"] += happened.through
                self._of(happened.target).counts["hits_taken"] += 1
                if happened.combatant is not None:
                    dealer = self._of(happened.combatant)
                    dealer.counts["damage_dealt"] += happened.through
                    dealer.dice.take(happened.dice)
            case _:
                pass

    def view(self) -> View:
        """Everything that was counted. What a hidden one did to those who are seen stands under `unknown`."""
        return {
            "rounds": self.rounds,
            "turns": self.turns,
            "events": self.events,
            "rulings": self.rulings,
            "decisions": self.decisions,
            "combatants": [person.view() for name, person in self.people.items() if name != "gm"],
        }


def counted(events: Iterable[ev.AnyEvent]) -> Tally:
    """All these events counted."""
    tally = Tally()
    for happened in events:
        tally.take(happened)
    return tally


async def read(service: Service, caller: Caller, encounter: str) -> Result:
    """The figures of a fight from the events that the caller may know of. What was left behind by a rewind is not in
    them.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    head, eyes = live.head, None if caller.is_gm else eyes_of(caller, live.state)

    def work(connection: Connection) -> Tally:
        tally = counted(_events(connection, head, eyes))
        # Whoever is hidden since keeps the name that everybody read.
        tally.name(body for body in _there_first(connection, head) if eyes is None or not body.hidden)
        return tally

    tally = await service.store.examine(work)
    tally.name(body for body in live.state.combatants.values() if eyes is None or body.id not in eyes)
    return Result(_encode(tally.view()))


def _there_first(connection: Connection, head: Head) -> Iterable[Combatant]:
    """Who was there before the first event."""
    first = (snapshot.c.encounter_id == head.id) & (snapshot.c.version == 0)
    row = connection.execute(select(snapshot.c.shape, snapshot.c.body).where(first)).one()
    return from_whole(raised("state", row.body, row.shape)).combatants.values()


def _events(connection: Connection, head: Head, eyes: Eyes | None) -> Iterator[ev.AnyEvent]:
    columns = [event.c[name] for name in ENTRY_COLUMNS]
    rows = select(*columns).where(event.c.encounter_id == head.id).order_by(event.c.seq).limit(_PAGE)
    if eyes is not None:
        rows = rows.where(event.c.visible_to == "all")
    for stretch in stretches(head.version, rewinds_of(connection, head)):
        if stretch.abandoned:
            continue
        within = rows.where(event.c.version >= stretch.first, event.c.version <= stretch.last)
        last = 0
        while page := connection.execute(within.where(event.c.seq > last)).all():
            for row in page:
                entry = entry_of(tuple(row))
                yield entry.event if eyes is None else event_seen(entry.emitted, eyes)
            last = page[-1].seq
