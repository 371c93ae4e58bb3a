"""Small fights written by hand, and jobs that change them without any rules."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection, insert

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Answer, Faces, Option, Question, Roll
from app.engine.fold import fold_all
from app.engine.ids import ActionId, ClauseId, CombatantId, EffectId, ItemId
from app.engine.run import digest_of
from app.engine.space.model import Grid, Ground, PairFact, Place, Wall
from app.engine.state import Combatant, Effect, Item, Sheet, State, Tick
from app.persistence.database import Database
from app.persistence.tables import campaign
from app.persistence.work import (
    Audience,
    Change,
    Committed,
    Creation,
    Decision,
    Job,
    Live,
    Moment,
    Once,
    Pending,
    Reply,
)

ANN, ORC, SPY = CombatantId("cmb_ann"), CombatantId("cmb_orc"), CombatantId("cmb_spy")
CLAUSE = ClauseId("DH-0010")
CAMPAIGN = "cmp_thursday"


def combatant(who: CombatantId, **fields: Any) -> Combatant:
    """A combatant with a little of everything that a state can hold. Mappings are written out of alphabetical order."""
    effect = Effect(EffectId("fx.2"), "prone", CLAUSE, until=((Tick("turn_end", who, times=2),),))
    return Combatant(
        id=who,
        name=fields.pop("name", who.removeprefix("cmb_").title()),
        side=fields.pop("side", "red"),
        sheet=Sheet(stats={"ws": 30, "ag": 41}, ranks={"dodge": "trained"}, armour={"head": 2}),
        pools={"wounds": 0, "fate": 2},
        items={ItemId("sword"): Item("sword", held="main"), ItemId("bow"): Item("bow", marks={"ammo": 9})},
        effects={effect.id: effect},
        dice=fields.pop("dice", "client"),
        **fields,
    )


def squad(count: int) -> tuple[Combatant, ...]:
    """Many combatants."""
    return tuple(
        combatant(CombatantId(f"cmb_{number:03}"), side="red" if number % 2 else "blue") for number in range(count)
    )


def beginning(*bodies: Combatant, ground: bool = False, facts: bool = False) -> tuple[ev.Emitted, ...]:
    """The events that make a fight."""
    told: list[ev.Emitted] = [ev.Emitted(ev.EncounterSet({"point_blank": 2, "a_word": "x"}, "server"))]
    if ground:
        there = Ground(Grid("square", 100), (4000, 2500), (Wall((0, 0), (100, 0), id="north"),))
        told.append(ev.Emitted(ev.MapChanged(there)))
    told += [ev.Emitted(ev.Joined(body), "gm" if body.hidden else "all") for body in bodies]
    if facts:
        told.append(ev.Emitted(ev.FactStated(bodies[0].id, bodies[1].id, PairFact(distance=1200))))
    return tuple(told)


def ok(committed: Committed) -> Reply:
    """An answer that tells what was committed."""
    body = {"version": committed.version, "types": [entry.type for entry in committed.told.entries]}
    return Reply(201, {"ETag": f'"{committed.version}"'}, msgspec.json.encode(body))


def creation(
    public_id: str = "enc_a",
    *bodies: Combatant,
    once: Once | None = None,
    ground: bool = False,
    facts: bool = False,
) -> Creation:
    """A new encounter with these combatants."""
    origin = State(ruleset="dark_heresy_2e")
    told = beginning(*(bodies or (combatant(ANN), combatant(ORC, side="green"))), ground=ground, facts=facts)
    return Creation(
        public_id=public_id,
        campaign_id=CAMPAIGN,
        name="Manufactorum",
        ruleset="dark_heresy_2e",
        pin="pin",
        seed=b"\1" * 32,
        settings="{}",
        origin=origin,
        change=Change(state=fold_all(origin, (emitted.event for emitted in told)), events=told),
        render=ok,
        once=once,
    )


async def create(
    database: Database, public_id: str = "enc_a", *bodies: Combatant, ground: bool = False, facts: bool = False
) -> None:
    """Store a new encounter."""
    await database.writer.create(creation(public_id, *bodies, ground=ground, facts=facts))


def add_campaign(connection: Connection) -> None:
    """The tenant of all encounters here."""
    connection.execute(insert(campaign).values(id=CAMPAIGN, name="Thursday", created_at=0))


def hurt(amount: int = 1, who: CombatantId = ANN, *, audience: str = "all") -> ev.Emitted:
    """Somebody's wounds go to that figure."""
    return ev.Emitted(ev.PoolChanged(who, "wounds", amount, amount), audience)


def noted(words: str, who: CombatantId = ANN, *, audience: str = "all") -> ev.Emitted:
    """A fact that changes nothing."""
    return ev.Emitted(ev.Noted(who, "said", words=(words,)), audience)


def changed(live: Live, *events: ev.Emitted, **fields: Any) -> Change:
    """These events, with what was open closed and what is open opened; what was pending is over."""
    now = fields.get("decisions", ())
    closed = [
        ev.Emitted(ev.DecisionAnswered(one.id, one.owner, one.kind, clause=one.ask.clause))
        for one in live.decisions
        if one not in now
    ]
    told = (*closed, *events, *opened(one for one in now if one not in live.decisions))
    state = fold_all(live.state, (emitted.event for emitted in told))
    return Change(state=state, events=told, **fields)


def opened(decisions: Iterable[Decision]) -> list[ev.Emitted]:
    """That these are open from now on."""
    return [ev.Emitted(ev.DecisionOpened(one.id, one.owner, one.kind, one.ask.clause)) for one in decisions]


SHOWN: dict[str, tuple[ev.Emitted, ...]] = {}
"""What waiting commands have shown, by its digest."""


def digest(*shown: ev.Emitted) -> str:
    """The digest of what was shown, which can be looked up by it."""
    made = digest_of(shown)
    SHOWN[made] = shown
    return made


def job(
    *events: ev.Emitted | Callable[[Live], Iterable[ev.Emitted]],
    encounter: str = "enc_a",
    once: Once | None = None,
    if_match: int | None = None,
    audience: Audience = "gm",
) -> Job:
    """A command that makes these events happen."""

    def decide(live: Live) -> tuple[Change, Callable[[Committed], Reply]]:
        told: list[ev.Emitted] = []
        for part in events:
            told += part(live) if callable(part) else [part]
        return changed(live, *told, commands=live.head.commands + 1), ok

    return Job(encounter=encounter, decide=decide, once=once, if_match=if_match, audience=audience)


def one_more(live: Live) -> list[ev.Emitted]:
    """Ann's wounds go up by one: every one of these counts."""
    return [hurt(live.state.combatants[ANN].pools["wounds"] + 1)]


def once(key: str, content: bytes = b"x", token: str = "tok_gm") -> Once:
    """An idempotency key."""
    return Once(token, key, content.ljust(32, b"."))


def question(key: str = "attack/evade", to: CombatantId = ORC) -> Question:
    """Will you dodge?"""
    options = (Option("dodge", chance=280_000), Option("none", declines=True))
    return Question(key, "evade", "defend", to, options, "none", clause=CLAUSE)


def asking(*shown: ev.Emitted, decision: str = "dec_1", expires_at: int | None = None) -> Callable[[Live], Change]:
    """A new attack that shows some events and then waits for an answer."""

    def change(live: Live) -> Change:
        after = live.head.version + 1
        submission = cmd.Submission(ANN, ActionId("strike"), targets=(ORC,), options={"mode": "swift"})
        pending = Pending(
            command_id="cmd_1",
            number=live.head.commands + 1,
            epoch=live.head.epoch,
            base_version=live.head.version,
            command=cmd.Act(submission),
            inputs={"attack/to_hit": Faces((41,)), "attack/aim": Answer("head", {"deep": [1, 2]})},
            shown=len(shown),
            digest=digest(*shown),
            pin="pin",
            engine_version="1",
            token="tok_gm",
        )
        open_ = Decision(
            id=decision, key="attack/evade", ask=question(), owner=ORC, kind="defend", expires_at=expires_at,
            opened_version=after,
        )  # fmt: skip
        return changed(live, *shown, pending=pending, base=live.state, decisions=(open_,), commands=pending.number)

    return change


def asked_again(*more: ev.Emitted, decision: str = "dec_2") -> Callable[[Live], Change]:
    """The pending command shows more and asks for a die now."""

    def change(live: Live) -> Change:
        assert live.pending is not None
        shown = (*SHOWN[live.pending.digest], *more)
        pending = msgspec.structs.replace(live.pending, shown=len(shown), digest=digest(*shown))
        roll = Roll("attack/damage", "damage", 1, 10, ANN, "damage")
        open_ = Decision(
            id=decision, key=roll.key, ask=roll, owner=ANN, kind="roll", opened_version=live.head.version + 1
        )
        return changed(live, *more, pending=pending, base=live.base, decisions=(open_,), closed={"dec_1": "answered"})

    return change


def rewound(to: Moment) -> Callable[[Live], Change]:
    """Back to an earlier moment."""

    def change(live: Live) -> Change:
        told = ev.Emitted(ev.Rewound(to.version, "wrong target"))
        pending = None if to.pending is None else msgspec.structs.replace(to.pending, epoch=live.head.epoch + 1)
        decisions = tuple(msgspec.structs.replace(one, opened_version=live.head.version + 1) for one in to.decisions)
        return Change(
            state=to.state, events=(told, *opened(decisions)), pending=pending, base=to.base, decisions=decisions,
            to_version=to.version,
        )  # fmt: skip

    return change


def doing(change: Callable[[Live], Change], encounter: str = "enc_a", **fields: Any) -> Job:
    """A job that makes this change."""
    return Job(encounter=encounter, decide=lambda live: (change(live), ok), **fields)


def at(x: int, y: int) -> Place:
    """A place."""
    return Place(x, y)
