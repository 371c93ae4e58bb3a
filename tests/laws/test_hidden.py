"""Nobody learns of a hidden watcher who holds: neither from the log, nor from what is refused or asked."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.actions import why_not
from app.engine.asks import GM, Answer, Ask, Input, Question
from app.engine.ids import ClauseId, CombatantId, EffectId, ItemId
from app.engine.listing import listing
from app.engine.reasons import BadAnswer, Refused
from app.engine.run import Outcome, run
from app.engine.space.model import Place, Sector
from app.engine.state import Effect, State
from app.engine.table import Table, table_for
from tests.laws.cases import drawn, encoded
from tests.laws.generate import Table as Standing
from tests.laws.generate import inputs_for, is_accepted, standing, submission
from tests.laws.tape import Tape, examples, tapes
from tests.support.play import blanked, book

WATCHER = CombatantId("zed")
FAR = (3000, 3000)
RULESET = "dark_heresy_2e"
TRIGGERS = ("enters_zone", "moves_in_zone", "attacks", "leaves_cover", "text")


def watched(tape: Tape, table: Standing, actor: CombatantId) -> State:
    """The same fight with a hidden foe on Overwatch, far from every way."""
    rules, state = table.rules, table.state
    sides = {body.side for body in state.combatants.values()}
    mine = state.combatants[actor].side
    body = book(RULESET).sample("vane", WATCHER, next(iter(sorted(sides - {mine})), "third"), "Zed")
    assert body is not None
    trigger = tape.pick(TRIGGERS)
    effect = Effect(
        EffectId("zed.1"),
        "overwatching",
        ClauseId("DH-3880"),
        item=ItemId("autogun"),
        word=tape.pick(("standard_attack", "semi_auto_burst", "full_auto_burst")),
        words=(trigger, "when they move") if trigger == "text" else (trigger,),
        area=Sector(FAR, 100_000, 45 * tape.below(8), tape.pick((45, 360)), needs_sight=True, id=WATCHER),
    )
    on_map = state.scenery.ground is not None
    body = replace(
        rules.prepare(rules, body),
        hidden=True,
        place=Place(*FAR, 0) if on_map else None,
        effects={effect.id: effect},
        serial=1,
        standing=(-100,),
        budget={"half_action": 0, "reaction": 1},
    )
    return replace(state, combatants={**state.combatants, WATCHER: body})


def holding(salt: bytes) -> Callable[[Ask], Input]:
    """Everybody answers by chance; the watcher holds, whatever the game master says of his trigger."""

    def source(ask: Ask) -> Input:
        if isinstance(ask, Question) and ask.kind == "overwatch_fire" and ask.to == WATCHER:
            return Answer("hold")
        return drawn(salt, ask)

    return source


def moving_or_attacking(tape: Tape, table: Standing, actor: CombatantId) -> cmd.Submission:
    """What a watcher might see: the first that is accepted of a few."""
    actions = [one for one in table.rules.actions.values() if {"movement", "attack"} & one.tags]
    wanted = submission(tape, table.rules, table.state, actor)
    for _ in range(10):
        if is_accepted(table.rules, table.state, wanted):
            break
        wanted = inputs_for(tape, table.rules, table.state, actor, tape.pick(actions))
    return wanted


def public(outcome: Outcome) -> list[bytes]:
    """What everybody may read."""
    return [encoded(blanked(emitted)) for emitted in outcome.events if emitted.audience == "all"]


def has_passed_on(outcome: Outcome) -> bool:
    """Whether a turn ended: then the watcher has one too, of which nobody hears."""
    return any(isinstance(emitted.event, ev.TurnEnded) for emitted in outcome.events)


@dataclass(frozen=True)
class Tried:
    """The run, or the reasons with which it or an answer is refused; and what the game master was asked in it."""

    outcome: Outcome | None
    refused: bytes
    judged: frozenset[str]


def tried(table: Standing, state: State, sub: cmd.Submission) -> Tried:
    """Try it."""
    judged: set[str] = set()
    answering = holding(b"salt")

    def source(ask: Ask) -> Input:
        if isinstance(ask, Question) and ask.to == GM and f"/{WATCHER}/" not in ask.key:
            judged.add(ask.key)
        return answering(ask)

    outcome, refused = None, b""
    try:
        outcome = run(table.rules, state, cmd.Act(sub), inputs={}, source=source)
    except Refused as found:
        refused = encoded(found.reasons)
    except BadAnswer as bad:
        refused = bad.code.encode()
    return Tried(outcome, refused, frozenset(judged))


@examples(everyday=250, long=10_000)
@given(tape=tapes(1600))
def test_a_hidden_watcher_who_holds_leaves_no_trace(tape: Tape) -> None:
    table = standing(tape, RULESET, tape.below(4))
    slot = table.state.clock.slot
    if slot is None:
        return
    sub = moving_or_attacking(tape, table, slot.owner)
    with_him = watched(tape, table, sub.actor)

    without, together = tried(table, table.state, sub), tried(table, with_him, sub)

    if without.judged != together.judged:
        return  # Where nobody knows where he is only the game master can say whom an explosion reaches.
    assert together.refused == without.refused
    alone, beside = without.outcome, together.outcome
    if beside is not None and any(one.kind == "shot_at" for one in beside.state.combatants[WATCHER].effects.values()):
        return  # What strikes everybody in an area strikes him too, and that shows.
    if alone is not None and beside is not None and not has_passed_on(alone):
        assert public(beside) == public(alone)
        left = {who: body for who, body in beside.state.combatants.items() if who != WATCHER}
        assert encoded(replace(beside.state, combatants=left)) == encoded(alone.state)
        assert replace(beside.state.combatants[WATCHER], effects={}) == replace(
            with_him.combatants[WATCHER], effects={}
        )


@examples(everyday=60, long=3_000)
@given(tape=tapes(1600))
def test_what_is_listed_and_refused_tells_nothing_of_him(tape: Tape) -> None:
    table = standing(tape, RULESET, tape.below(4))
    slot = table.state.clock.slot
    if slot is None:
        return
    with_him = watched(tape, table, slot.owner)
    sub = submission(tape, table.rules, table.state, slot.owner)

    listed = [
        msgspec.to_builtins(listing(Table(table.rules, state), slot.owner, frozenset({WATCHER})))
        for state in (table.state, with_him)
    ]

    assert listed[0] == listed[1]
    assert judged(table, with_him, sub) == judged(table, table.state, sub)


def judged(table: Standing, state: State, sub: cmd.Submission) -> object:
    """Every reason against it, or that it cannot mean anything."""
    try:
        return why_not(table_for(table.rules, state, sub), sub)
    except BadAnswer as bad:
        return (bad.code, bad.at)


@pytest.mark.clause("DH-3900")
def test_the_generated_fights_reach_watchers() -> None:
    """The law above would hold of itself if nobody were ever asked."""
    asked = 0
    for number in range(100):
        tape = Tape(random.Random(number).randbytes(1600))
        table = standing(tape, RULESET, 1)
        slot = table.state.clock.slot
        if slot is None:
            continue
        sub = moving_or_attacking(tape, table, slot.owner)
        try:
            outcome = run(
                table.rules,
                watched(tape, table, sub.actor),
                cmd.Act(sub),
                inputs={},
                source=holding(b"salt"),
            )
        except (Refused, BadAnswer):
            continue
        asked += any(key.split("/")[-1] in ("overwatch_fire", "overwatch_trigger") for key in outcome.inputs)

    assert asked >= 3
