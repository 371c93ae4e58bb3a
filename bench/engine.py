"""The engine alone, one thread, in this process: the attack, its parts, and what a client asks before it."""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from app.engine import commands as cmd
from app.engine.asks import Answer, Ask, Faces, Input, Roll
from app.engine.fold import fold_all
from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.listing import listing
from app.engine.preview import preview
from app.engine.rules import Ruleset
from app.engine.run import digest_of, run
from app.engine.space import Ground, Place
from app.engine.state import State
from app.engine.table import Table
from bench import handwritten
from bench.figures import Table as Figures
from tests.support.play import combatant, ruleset, table_of

HAND, ONE_RUN, SUSPENDED = "written by hand", "attack, one run", "attack, suspended once"
DICE = {"to_hit": 34, "dodge": 90, "damage": 7}
LENGTHS_BETWEEN = 2000
_encode = msgspec.json.Encoder().encode


def fight(rules: Ruleset, count: int) -> State:
    """So many on an open map, half on each side, the first one's turn."""
    half = count // 2
    bodies = []
    for place in range(count):
        side, number = divmod(place, half)
        where = Place(200 * (number % 25), LENGTHS_BETWEEN * side + 200 * (number // 25))
        bodies.append(combatant(rules, f"cmb_{place:03}", side="south" if side else "north", place=where, bs=70))
    return table_of(*bodies, rules=rules, ground=Ground()).state


def answers(ask: Ask) -> Input | None:
    """Dice that make a hit that is not dodged; dodge where it is offered."""
    if isinstance(ask, Roll):
        return Faces((DICE[ask.name],))
    return Answer("dodge" if ask.kind == "defend" else ask.default)


def but_the_defence(ask: Ask) -> Input | None:
    """The same, but the defender is asked."""
    return None if not isinstance(ask, Roll) and ask.kind == "defend" else answers(ask)


class Work:
    """What is measured, as functions without arguments."""

    def __init__(self, rules: Ruleset, count: int) -> None:
        self.rules, self.state = rules, fight(rules, count)
        self.actor, target = CombatantId("cmb_000"), CombatantId(f"cmb_{count // 2:03}")
        self.attack = cmd.Submission(
            self.actor, ActionId("standard_attack"), targets=(target,), weapon=ItemId("autogun")
        )
        self.burst = cmd.Submission(
            self.actor, ActionId("semi_auto_burst"), targets=(target,), weapon=ItemId("autogun")
        )
        self.ending = cmd.Act(cmd.Submission(self.actor, ActionId("end_turn")))
        self.events = tuple(one.event for one in self.one_run().events)

    def one_run(self) -> Any:
        """The whole attack, all answers at hand."""
        return run(self.rules, self.state, cmd.Act(self.attack), inputs={}, source=answers)

    def suspended(self) -> Any:
        """Until the defender is asked, and again from the start with his answer, as a service does it."""
        act = cmd.Act(self.attack)
        first = run(self.rules, self.state, act, inputs={}, source=but_the_defence)
        inputs = {**first.inputs, first.open[0].key: Answer("dodge")}
        digest = digest_of(first.events)
        return run(
            self.rules,
            self.state,
            act,
            inputs=inputs,
            source=answers,
            shown=len(first.events),
            digest=digest,
            accepted=True,
        )

    def end_of_turn(self) -> Any:
        """The turn goes to the next."""
        return run(self.rules, self.state, self.ending, inputs={}, source=answers)

    def fold(self) -> Any:
        """The attack's events onto the state, as a reader of the log would do."""
        return fold_all(self.state, self.events)

    def encode(self) -> Any:
        """The attack's events to JSON."""
        return [_encode(event) for event in self.events]

    def listing(self) -> Any:
        """Everything he can do now."""
        return listing(Table(self.rules, self.state), self.actor)

    def preview(self) -> Any:
        """The odds of a single shot."""
        return preview(self.rules, self.state, self.attack)

    def preview_burst(self) -> Any:
        """The odds of a burst."""
        return preview(self.rules, self.state, self.burst)


def by_hand() -> Callable[[], Any]:
    """The same attack in the yardstick."""
    armour = dict.fromkeys((name for _, name in handwritten.LOCATIONS), 4)
    fighters = {
        f"cmb_{place:03}": handwritten.Fighter(f"cmb_{place:03}", 70, 40, 3, 12, 30, 1, armour) for place in range(20)
    }
    state = handwritten.Fight(1, fighters)
    faces = (34, 90, 7)

    def attack() -> Any:
        rolled = iter(faces)
        return handwritten.shoot(state, "cmb_000", "cmb_010", 20, lambda sides: next(rolled))

    assert len(attack()[1]) == 3
    return attack


def seconds_each(work: Callable[[], Any], seconds: float) -> float:
    """Seconds of this process for one: as many as fit into a time, at least three. Others' work is not in it."""
    done, begun = 0, time.process_time()
    while True:
        work()
        done += 1
        passed = time.process_time() - begun
        if passed >= seconds and done >= 3:
            return passed / done


def measure(rounds: int, seconds: float) -> Figures:
    """Every part in every round, one after the other."""
    rules = ruleset()
    few, many = Work(rules, 20), Work(rules, 200)
    parts: list[tuple[str, str | None, Callable[[], Any]]] = [
        (HAND, None, by_hand()),
        (ONE_RUN, HAND, few.one_run),
        (SUSPENDED, HAND, few.suspended),
        ("end of turn", HAND, few.end_of_turn),
        ("attack, one run, 200 combatants", ONE_RUN, many.one_run),
        ("end of turn, 200 combatants", "end of turn", many.end_of_turn),
        ("fold of the attack's events", ONE_RUN, few.fold),
        ("encoding of the attack's events", ONE_RUN, few.encode),
        ("action list, 20 combatants", ONE_RUN, few.listing),
        ("preview of a single shot", ONE_RUN, few.preview),
        ("preview of a burst of three", ONE_RUN, few.preview_burst),
    ]
    table = Figures(
        "Engine alone",
        f"One thread; the attack tells {len(few.events)} events, the one written by hand 3. A ratio of 0.1 is a tenth "
        "of the other's speed.",
    )
    for _ in range(rounds):
        for name, of, work in parts:
            each = seconds_each(work, seconds)
            table.row(name, "/s", of).add(1 / each, microseconds=each * 1e6)
    return table
