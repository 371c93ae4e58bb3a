"""The run of one command: looks like a table, and is the only way to ask, roll and change anything.

Suspension is an exception, not a coroutine. A command runs from its start at every answer (decision 0002), so
nothing would be won by keeping a paused frame alive: when an input is missing, `Waiting` leaves the run, and the
next run finds it by key.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from app.engine import events as ev
from app.engine.asks import Answer, Ask, Faces, Input, Key, Question, Roll
from app.engine.fold import fold
from app.engine.ids import ClauseId, CombatantId, ItemId, Scalar
from app.engine.index import EffectIndex
from app.engine.moments import Moment
from app.engine.reasons import EngineError, Reason, Refused, ReplayMismatch, TooDeep
from app.engine.rules import Ruleset, bound
from app.engine.space.model import Area, Said, said_after
from app.engine.state import Chain, Effect, Slot, State, Tick
from app.engine.table import Table
from app.engine.triggers import Cue
from app.engine.visibility import comes_in_secret, secrets_of, stamp

T = TypeVar("T")
Source = Callable[[Ask], Input | None]
MAX_DEPTH = 16
MAX_EVENTS = 5_000
_PLACES: frozenset[type[ev.Event]] = frozenset(
    (ev.Moved, ev.Turned, ev.Joined, ev.Edited, ev.Left, ev.StatusChanged, ev.MapChanged, ev.FactStated)
)
_STATED_PLACES = _PLACES | {ev.EngagementBegan, ev.EngagementEnded, ev.CoverChanged}


class Waiting(BaseException):
    """The run cannot go on without these answers. Not an `Exception`: no resolver may swallow it."""

    def __init__(self, asks: tuple[Ask, ...]) -> None:
        self.asks = asks
        super().__init__(", ".join(ask.key for ask in asks))


class _Scope:
    """One piece of key for everything asked inside."""

    __slots__ = ("_keys", "_name")

    def __init__(self, keys: list[str], name: str) -> None:
        self._keys, self._name = keys, name

    def __enter__(self) -> None:
        self._keys.append(self._name)
        if len(self._keys) > MAX_DEPTH * 3:
            raise TooDeep("too_deep", MAX_DEPTH)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._keys.pop()


class PendingRuling:
    """Changes the GM made while a command waited, due when so many events are out."""

    __slots__ = ("after", "apply")

    def __init__(self, after: int, apply: Callable[["Scene"], None]) -> None:
        self.after, self.apply = after, apply


class Scene(Table):
    """A table in motion."""

    def __init__(
        self,
        rules: Ruleset,
        base: State,
        inputs: Mapping[Key, Input],
        source: Source,
        *,
        rulings: Iterable[PendingRuling] = (),
        shown: int = 0,
        said: Said | None = None,
        secret: CombatantId | None = None,
    ) -> None:
        super().__init__(rules, base, said)
        self.events: list[ev.Emitted] = []
        self.inputs: dict[Key, Input] = dict(inputs)
        self.used: set[Key] = set()
        self.base, self.first_said = base, self.said
        """How all stood when the command began, and what it states."""
        self._source = source
        self._rulings = list(rulings)
        self._shown = shown
        self._scopes: list[str] = []
        self._silent: list[Said] = []
        self._branching = False
        self._secret = secret
        self._secrets = secrets_of(base, secret)
        self._index: EffectIndex | None = None
        self.sees: dict[Key, Callable[[tuple[int, ...]], Hashable]] = {}
        self.alike: dict[Key, Hashable] = {}
        self.met: dict[str, int] = {}
        """What this command has already set off, by name, with a figure; never state, since the run starts anew each
        time."""
        self._held: list[tuple[int, Callable[[], None]]] | None = None
        self._apply_rulings()

    def as_known_to(self, viewer: CombatantId) -> Table:
        """The same table as his side knows it: what is judged must not tell of what is hidden from him."""
        if not self.unknown_to(viewer):
            return self
        return Table(self.rules, self.state, self.said, viewer)

    # Changing

    def emit(self, event: ev.AnyEvent) -> None:
        """Let it have happened: applied to the working state at once, and in the log for ever."""
        if self._branching:
            raise EngineError(f"a gathered branch may only ask, and emitted {event!r}")
        self._out(event)
        if self._rulings:
            self._apply_rulings()

    def _out(self, event: ev.AnyEvent) -> None:
        if len(self.events) >= MAX_EVENTS:
            raise TooDeep("too_many_events_at_once", MAX_EVENTS)
        before = self.state
        self.state = fold(before, event)
        self.events.append(stamp(before, event, self._secrets))
        kind = type(event)
        if kind is ev.Joined or kind is ev.Edited or kind is ev.EncounterSet:
            self._secrets = replace(secrets_of(self.state, self._secret), rolled=self._secrets.rolled)
        if type(event) is ev.Moved and not self.has_map:
            self.said = said_after(self.said, event.combatant, event.distances)
            self._silent = [said_after(said, event.combatant, event.distances) for said in self._silent]
        if kind in (_PLACES if self.has_map else _STATED_PLACES):
            self.__dict__.pop("space", None)
            self.__dict__.pop("whole_space", None)
        if self._index is not None:
            self._index.follow(event)

    def _apply_rulings(self) -> None:
        while self._rulings and self._rulings[0].after <= len(self.events):
            ruling = self._rulings.pop(0)
            branching, self._branching = self._branching, False
            ruling.apply(self)
            self._branching = branching

    def hear(self, said: Said) -> Said:
        """What is stated from now on, with the submission that is resolved; gives what was before."""
        before, self.said = self.said, said
        self.__dict__.pop("space", None)
        self.__dict__.pop("whole_space", None)
        return before

    # Sealed

    def hold(self) -> None:
        """From now on what is left for `later` waits until it is released: all that is done is judged by how things
        stand now, whoever is resolved first.
        """
        if self._held is not None:
            raise EngineError("held twice")
        self._held = []

    def later(self, rank: int, step: Callable[[], None]) -> None:
        """Do it now, or where consequences are held at their release, the lower rank first."""
        if self._held is None:
            step()
        else:
            self._held.append((rank, step))

    def release(self) -> None:
        """Let everything that was held happen: by rank, then in the order in which it came about."""
        held, self._held = self._held or [], None
        for place, (_, step) in enumerate(sorted(held, key=lambda entry: entry[0])):
            with self.within(f"held{place}"):
                step()

    # Asking

    def within(self, *names: str) -> _Scope:
        """Everything asked inside carries this piece of key."""
        return _Scope(self._scopes, "/".join(names))

    @contextmanager
    def speaking(self, said: Said) -> Iterator[None]:
        """While somebody else than the actor does something: what he states holds, not what the actor has stated."""
        self._silent.append(self.said)
        self._say(said)
        try:
            yield
        finally:
            self._say(self._silent.pop())

    def _say(self, said: Said) -> None:
        self.said = said
        self.__dict__.pop("space", None)
        self.__dict__.pop("whole_space", None)

    def key(self, name: str) -> Key:
        """The key of something asked here."""
        return "/".join((*self._scopes, name))

    def roll(
        self,
        name: str,
        count: int,
        sides: int,
        by: CombatantId,
        purpose: str,
        *,
        target: int | None = None,
        clause: str | None = None,
        of: Iterable[CombatantId] = (),
        sees: Callable[[tuple[int, ...]], Hashable] | None = None,
        alike: Hashable = None,
    ) -> tuple[ev.Die, ...]:
        """Roll dice: the faces recorded under this key, or drawn now, or asked for. `of` are those whose figures are in
        the target besides the roller's own.

        `sees` gives what of the faces makes a difference, `alike` all that the resolver knows besides the state: two
        ways that come here with the same of both go on alike. A preview goes by them; nothing else does.

        Where a ruling has changed how many there are since some were rolled, or of how many sides, those count for
        nothing: it is another roll.
        """
        key = self.key(name)
        before = self.inputs.get(key)
        if isinstance(before, Faces) and len(before.faces) != count:
            key = f"{key}/{count}"
        elif isinstance(before, Faces) and before.sides not in (UNSET, sides):
            key = f"{key}/{count}d{sides}"
        if sees is not None and key not in self.inputs:
            self.sees[key] = sees
        if alike is not None and key not in self.inputs:
            self.alike[key] = alike
        ask = Roll(
            key, name, count, sides, by, purpose, target, None if clause is None else ClauseId(clause), tuple(of)
        )
        found = self._input(ask)
        if not isinstance(found, Faces):
            raise ReplayMismatch(f"{key}: {found!r} is no roll of {count}d{sides}")
        if found.name is UNSET and found.faces and not (min(found.faces) >= 1 and max(found.faces) <= sides):
            raise ReplayMismatch(f"{key}: {found.faces} cannot fall on {count}d{sides}")
        if by in self._secrets.rolls:
            self._secrets = replace(self._secrets, rolled=self._secrets.rolled | {by})
        if found.name is UNSET:
            return tuple(ev.Die(sides, face, found.source) for face in found.faces)
        return tuple(
            ev.Die(sides, face, found.source, f"{found.name}.{place}", found.by)
            for place, face in enumerate(found.faces)
        )

    def ask(self, question: Question, judge: Callable[[Answer], Iterable[Reason]] | None = None) -> Answer:
        """Ask somebody. `question.key` is filled in here.

        `judge` stands beside the question and sees what the resolver knows.

        A reason it gives refuses the answer out of the run: nothing has happened, and the question stays open.
        """
        placed: Question = replace(question, key=self.key(question.name))
        found = self._input(placed)
        if not isinstance(found, Answer):
            raise ReplayMismatch(f"{placed.key}: {found!r} is no answer")
        if judge is not None and (reasons := tuple(judge(found))):
            raise Refused(reasons)
        return found

    def _input(self, ask: Ask) -> Input:
        if ask.key in self.used:
            raise EngineError(f"asked twice under one key: {ask.key}")
        self.used.add(ask.key)
        found = self.inputs.get(ask.key)
        if found is not None:
            return found
        if len(self.events) < self._shown:
            raise ReplayMismatch(f"{ask.key} was not asked when this was shown")
        drawn = self._source(ask)
        if drawn is None:
            raise Waiting((ask,))
        self.inputs[ask.key] = drawn
        return drawn

    def gather(self, branches: Mapping[str, Callable[[], T]]) -> dict[str, T]:
        """Several people at once: each one's whole asking runs side by side, nobody waits for somebody else's choice.

        Branches ask and never emit. If anything is missing, all that is missing is open together.
        """
        done: dict[str, T] = {}
        missing: list[Ask] = []
        outer, self._branching = self._branching, True
        try:
            for name, branch in branches.items():
                with self.within(name):
                    try:
                        done[name] = branch()
                    except Waiting as waiting:
                        missing.extend(waiting.asks)
        finally:
            self._branching = outer
        if missing:
            raise Waiting(tuple(missing))
        return done

    # Moments

    def cues(self, moment: Moment) -> list[Cue]:
        """Everything that could react to this moment, first come first."""
        handlers = self.rules.handlers.get(type(moment), ())
        found = [cue for handler in handlers for cue in handler(self, moment)]
        return sorted(found, key=lambda cue: (cue.at, cue.rank, cue.key))

    def announce(self, moment: Moment) -> None:
        """Let every reaction to this moment happen, looking again after each one."""
        seen: set[str] = set()
        while True:
            cue = next((cue for cue in self.cues(moment) if cue.key not in seen), None)
            if cue is None:
                return
            seen.add(cue.key)
            with self.within(cue.key):
                answer = cue.offer()
                if answer is not None:
                    cue.run(answer)

    # Effects

    def begin(
        self,
        bearer: CombatantId,
        kind: str,
        *,
        clause: str | None = None,
        value: int = 0,
        source: CombatantId | None = None,
        against: CombatantId | None = None,
        item: ItemId | None = None,
        word: str | None = None,
        words: tuple[str, ...] = (),
        area: Area | None = None,
        declared: Mapping[str, Scalar | tuple[str, ...]] | None = None,
        until: tuple[Chain, ...] | None = None,
        active_after: Chain | None = None,
    ) -> None:
        """Begin an effect of a kind that the ruleset's data declares; its end comes from there unless given.

        One that does not stack takes the place of what was there.
        """
        kind_of = self.rules.effects[kind]
        if not kind_of.stacks:
            self.end(bearer, kind, why="replaced")
        body = self.who(bearer)
        chains = kind_of.until if until is None else until
        waits = kind_of.active_after if active_after is None else active_after
        effect = Effect(
            id=f"{bearer}.{body.serial + 1}",  # type: ignore[arg-type]
            kind=kind,
            clause=ClauseId(clause or kind_of.clause),
            rank=kind_of.rank,
            source=source,
            against=against,
            item=item,
            value=value,
            word=word,
            words=words,
            area=area,
            hidden=kind_of.hidden,
            declared=dict(declared or {}),
            until=tuple([bound(chain, bearer, source, against) for chain in chains]),
            active_after=bound(waits, bearer, source, against),
            in_secret=value != 0 and comes_in_secret(self._secrets, bearer, source),
        )
        self.emit(ev.EffectBegan(bearer, effect, effect.clause))

    def end(self, bearer: CombatantId, *kinds: str, why: str = "ended", clause: str | None = None) -> bool:
        """End his effects of these kinds. Tells whether there was one."""
        found = [effect for effect in self.who(bearer).effects.values() if effect.kind in kinds]
        for effect in found:
            self.end_one(bearer, effect, why, clause)
        return bool(found)

    def end_one(self, bearer: CombatantId, effect: Effect, why: str, clause: str | None = None) -> None:
        """End this very effect; nothing happens if a ruling has ended it already."""
        if effect.id not in self.who(bearer).effects:
            return
        cited = ClauseId(clause) if clause else effect.clause
        self.emit(ev.EffectEnded(bearer, effect.id, effect.kind, why, cited))

    def tick(self, at: str, who: CombatantId | None = None, against: CombatantId | None = None) -> None:
        """A moment has come: everything that counts it counts, and what is through ends, by rank, then by age."""
        if self._index is None:
            self._index = EffectIndex(self.state)
        due: list[tuple[int, int, CombatantId, Effect]] = []
        for bearer, effect_id in self._index.counting(at):
            effect = self.who(bearer).effects.get(effect_id)
            if effect is None:
                continue
            if effect.active_after:
                rest = _advanced(effect.active_after, at, who, against)
                if rest != effect.active_after:
                    self.emit(ev.EffectCounted(bearer, effect.id, effect.until, rest, clause=effect.clause))
                continue
            chains = tuple(_advanced(chain, at, who, against) for chain in effect.until)
            if () in chains:
                serial = int(effect.id.rsplit(".", 1)[1])
                due.append((effect.rank, serial, bearer, effect))
            elif chains != effect.until:
                self.emit(ev.EffectCounted(bearer, effect.id, chains, clause=effect.clause))
        for _, _, bearer, effect in sorted(due, key=lambda entry: entry[:3]):
            if effect.id in self.who(bearer).effects:
                self.end_one(bearer, effect, "expired")

    # Figures

    def pool(self, combatant: CombatantId, pool: str) -> int:
        """A resource of his, 0 if he has none."""
        return self.who(combatant).pools.get(pool, 0)

    def change_pool(self, combatant: CombatantId, pool: str, delta: int, clause: str | None = None) -> None:
        """A resource rises or falls; nothing happens for 0."""
        if delta:
            value = self.pool(combatant, pool) + delta
            self.emit(ev.PoolChanged(combatant, pool, delta, value, ClauseId(clause) if clause else None))

    def set_budget(self, combatant: CombatantId, budget: str, value: int, clause: str | None = None) -> None:
        """What is left of a budget becomes this; nothing happens if it already is."""
        held = self.who(combatant).budget.get(budget, 0)
        if value != held or budget not in self.who(combatant).budget:
            delta = value - held
            self.emit(ev.BudgetChanged(combatant, budget, delta, value, ClauseId(clause) if clause else None))

    def mark_item(self, combatant: CombatantId, item: ItemId, mark: str, value: int, clause: str | None = None) -> None:
        """A changing figure of an item becomes this; nothing happens to one that a ruling has taken away."""
        if self.carried(combatant, item) is None:
            return
        held = self.item(combatant, item).marks.get(mark, 0)
        if value != held or mark not in self.item(combatant, item).marks:
            delta = value - held
            self.emit(ev.ItemMarked(combatant, item, mark, delta, value, ClauseId(clause) if clause else None))

    def slot(self) -> Slot | None:
        """The stretch of time that runs now."""
        return self.state.clock.slot


def _advanced(chain: Chain, at: str, who: CombatantId | None, against: CombatantId | None) -> Chain:
    if not chain:
        return chain
    head: Tick = chain[0]
    if head.at != at or (head.who is not None and head.who != who):
        return chain
    if head.against is not None and head.against != against:
        return chain
    if head.times > 1:
        return (Tick(head.at, head.who, head.against, head.times - 1), *chain[1:])
    return chain[1:]
