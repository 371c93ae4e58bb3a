"""Fights by chance, stored: the same commands and answers into several databases at once, whatever they are.

What is submitted may be illegal; decisions are answered in any order, ruled over while they wait, and gone back on.
"""

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import msgspec
from msgspec.structs import replace

from app.catalog import Rulebook
from app.engine import commands as cmd
from app.engine.asks import Ask, Faces, Input, judged_faces
from app.engine.dice import commitment
from app.engine.events import Emitted, EncounterSet
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer, Refused
from app.engine.state import State
from app.persistence.database import Database
from app.persistence.parts import whole
from app.persistence.work import Change, Committed, Creation, Job, Live, Reply
from app.services import rewind
from app.services.bodies import RewindIn
from app.services.caller import Attempt, Caller
from app.services.play import Played, begin, go_on
from app.services.service import Service
from app.services.settings import Settings
from tests.laws.cases import drawn
from tests.laws.generate import command, ruling, table
from tests.laws.tape import Tape
from tests.persistence.fights import CAMPAIGN
from tests.support.clock import Clock
from tests.support.play import book, catalog

STEPS = 24
ATTEMPTS = 5
"""How often something else is tried where the rules refuse it."""
GM = Caller("tok_gm", "gm", campaign=CAMPAIGN)
_encode = msgspec.json.Encoder().encode
Act = Callable[[Live], Played]


def mark(state: State) -> str:
    """What tells this state from every other, to the byte."""
    return hashlib.sha256(whole(state).encode()).hexdigest()


@dataclass
class Story:
    """A fight as it was told while it was played."""

    name: str
    states: list[str] = field(default_factory=list)
    """The mark of the state at each version, the first at version 1."""
    waiting: list[bytes] = field(default_factory=list)
    """What waited at each version, with what it started from."""
    kinds: dict[str, int] = field(default_factory=dict)
    """What was done how often."""

    @property
    def pauses(self) -> int:
        """At how many versions a command waited."""
        return sum(not one.startswith(b"[null,") for one in self.waiting)


def told(committed: Committed) -> Reply:
    """An answer that holds everything that was made."""
    live = committed.live
    entries = [entry.body.decode() for entry in committed.told.entries]
    body = [committed.version, live.head.hash.hex(), entries, whole(live.state), waiting_of(live).decode()]
    return Reply(200, {}, _encode(body))


def waiting_of(live: Live) -> bytes:
    """What a live encounter waits for, and where that began."""
    return _encode((live.pending, None if live.base is None else whole(live.base), live.decisions))


class Stage:
    """The same encounter in each of the databases."""

    def __init__(self, databases: list[Database], ruleset: str, number: int, clock: Clock) -> None:
        self.rules: Rulebook = book(ruleset)
        self.tape = Tape(random.Random(f"{ruleset}/{number}").randbytes(20_000))
        self.chance = random.Random(f"{ruleset}/{number}/order")
        self.databases, self.number, self.clock = databases, number, clock
        self.seed = hashlib.sha256(f"{ruleset}/{number}".encode()).digest()
        self.story = Story(f"enc_{ruleset}_{number}")
        self.services = [
            Service(one.writer, one.store, one.hub, catalog(), clock=clock, new_seed=lambda: self.seed)
            for one in databases
        ]

    async def play(self) -> Story:
        """From its beginning as far as it goes."""
        made = table(self.tape, self.rules.id)
        # In every other they roll their own dice: then every roll is a decision, and several are open at once.
        state = replace(made.state, dice="server" if self.number % 2 else "client")
        settings = Settings(commitment=commitment(self.seed))
        creation = Creation(
            public_id=self.story.name,
            campaign_id=CAMPAIGN,
            name="Yard",
            ruleset=self.rules.id,
            pin=self.rules.ruleset.pin,
            seed=self.seed,
            settings=settings.text,
            origin=state,
            change=Change(state=state, events=(Emitted(EncounterSet(dice_commitment=commitment(self.seed))),)),
            render=told,
        )
        self.same([(await one.writer.create(creation)).body for one in self.databases])
        await self.note("made")
        for _ in range(STEPS):
            self.clock.now += 1000
            await self.note(await self.step())
        return self.story

    @staticmethod
    def same(bodies: list[bytes]) -> None:
        """Whatever database it is, the answer is the same."""
        assert all(body == bodies[0] for body in bodies)

    async def live(self) -> Live:
        """How it stands, in the first of them."""
        return await self.databases[0].store.live(self.story.name)

    async def note(self, what: str) -> None:
        """Keep how it stands, if there is a new version."""
        self.story.kinds[what] = self.story.kinds.get(what, 0) + 1
        lives = [await one.store.live(self.story.name) for one in self.databases]
        self.same([_encode(replace(one.head, id=0)) for one in lives])
        live = lives[0]
        if live.head.version > len(self.story.states):
            self.story.states.append(mark(live.state))
            self.story.waiting.append(waiting_of(live))
        assert live.head.version == len(self.story.states)
        assert mark(live.state) == self.story.states[-1]

    async def step(self) -> str:
        """Something happens at the table."""
        live, rules, now, done = await self.live(), self.rules.ruleset, self.clock.now, ""
        if live.head.version > 3 and self.tape.is_one_in(16):
            return await self.back(live)
        if live.pending is None:
            for _ in range(ATTEMPTS):
                wanted = self.wanted(live.state)
                done = await self.change("command", lambda live, wanted=wanted: begin(rules, live, wanted, now=now))  # type: ignore[misc]
                if done == "command":
                    break
            return done
        if self.tape.is_one_in(10):
            what = ruling(self.tape, rules, live.state)
            return await self.change("ruling", lambda live: go_on(rules, live, now=now, ruling=what))
        decision = self.chance.choice(live.decisions)
        for plainly in (False, True):
            given = answer(decision.ask, self.seed + bytes([len(self.story.states) % 256]), plainly=plainly)
            done = await self.change(
                "answer",
                partial(go_on, rules, now=now, answered=(decision, given, "player")),
            )
            if done == "answer":
                return done if decision == live.decisions[0] else "answer out of order"
        return done

    def wanted(self, state: State) -> cmd.Command:
        """The next command, legal or not."""
        if state.status == "setup":
            return cmd.Start(tuple(CombatantId(who) for who in self.tape.some(sorted(state.combatants), 1)))
        return command(self.tape, self.rules.ruleset, state)

    async def change(self, what: str, act: Act) -> str:
        """Submit it to each. What one refuses all refuse, and nothing is changed by it."""
        bodies: list[bytes] = []
        refused: list[str] = []
        for one in self.databases:

            def decide(live: Live) -> tuple[Change, Callable[[Committed], Reply]]:
                return act(live).change, told

            try:
                bodies.append((await one.writer.submit(Job(encounter=self.story.name, decide=decide))).body)
            except (Refused, BadAnswer) as error:
                refused.append(repr(error))
        assert not bodies or not refused
        self.same(bodies)
        assert len(set(refused)) <= 1
        if not bodies:
            self.story.kinds["refused"] = self.story.kinds.get("refused", 0) + 1
        return what if bodies else f"{what} refused"

    async def back(self, live: Live) -> str:
        """The GM goes back, perhaps into the middle of something: it stands as it stood then."""
        version = 1 + self.tape.below(live.head.version - 1)
        body = RewindIn(version, "wrong target")
        results = [await rewind.rewind(one, GM, self.story.name, body, Attempt()) for one in self.services]
        self.same([result.body for result in results])
        assert mark((await self.live()).state) == self.story.states[version - 1]
        return "rewind"


def answer(ask: Ask, salt: bytes, *, plainly: bool) -> Input:
    """Something that may be answered; what the question's own form refuses would not come to the database."""
    try:
        found = drawn(salt, ask, plainly=plainly)
    except (Refused, BadAnswer):
        found = drawn(salt, ask, plainly=True)
    if isinstance(found, Faces):
        found = judged_faces(ask, found.faces, "client")  # type: ignore[arg-type]
        return replace(found, by=GM.token)
    return found
