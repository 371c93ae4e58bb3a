"""Running a command: the one way in.

Pure: the same ruleset, state, command, inputs and rulings give the same events.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable
from functools import partial

import msgspec
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.actions import perform
from app.engine.asks import Ask, Input, Inputs, Key
from app.engine.proposals import is_allowed
from app.engine.reasons import Refused, ReplayMismatch
from app.engine.rules import Ruleset
from app.engine.rulings import pass_on, rule
from app.engine.scene import PendingRuling, Scene, Source, Waiting
from app.engine.showing import put, slot_told
from app.engine.state import State
from app.engine.turns import advance

_ENCODER = msgspec.json.Encoder(order="deterministic")


class Outcome(msgspec.Struct, frozen=True):
    """What came of a run: everything emitted so far, the state after it, and what is open if it could not go on.

    `inputs` are all inputs found or drawn, to be stored with a command that waits.
    """

    state: State
    events: tuple[ev.Emitted, ...]
    open: tuple[Ask, ...]
    inputs: dict[Key, Input]
    sees: dict[Key, Callable[[tuple[int, ...]], Hashable]] = {}
    """For open rolls, what of their faces the rule tells apart, where it says so. Never stored."""
    alike: dict[Key, Hashable] = {}
    """For open rolls, what their resolver knows besides the state, where it says so. Never stored."""
    used: frozenset[Key] = frozenset()
    """Keys of all that was asked. Never stored."""


class StoredRuling(msgspec.Struct, frozen=True):
    """A ruling or an edit made while a command waited: due again, in every later run, when `after` events are out."""

    after: int
    ruling: cmd.Rule | cmd.Edit


def run(
    rules: Ruleset,
    base: State,
    command: cmd.Command,
    *,
    inputs: Inputs,
    source: Source,
    rulings: Iterable[StoredRuling] = (),
    shown: int = 0,
    digest: str | None = None,
    accepted: bool = False,
) -> Outcome:
    """Run a command from `base` with the inputs so far.

    `source` supplies what is not recorded (server dice, dice brought along, policies) or None. `shown` events with
    `digest` were made public by an earlier run and must come out again. `accepted` says that this very action was
    judged on this very base before and need not be again. Raises `Refused` (nothing has happened), `BadAnswer`, or
    `ReplayMismatch`.
    """
    said = secret = None
    if isinstance(command, cmd.Act):
        said = replace(command.submission.said, by=command.submission.actor)
        secret = command.submission.actor if command.submission.secret else None
    due = [PendingRuling(stored.after, partial(_apply, stored.ruling)) for stored in rulings]
    scene = Scene(rules, base, inputs, source, rulings=due, shown=shown, said=said, secret=secret)
    waiting: tuple[Ask, ...] = ()
    try:
        _carry_out(scene, command, accepted)
        if due:
            pass_on(scene)
    except Waiting as stop:
        waiting = stop.asks
    if len(scene.events) < shown:
        raise ReplayMismatch(f"{shown} events were shown, {len(scene.events)} came out")
    if digest is not None and digest_of(scene.events[:shown]) != digest:
        raise ReplayMismatch("other events came out than were shown")
    return Outcome(
        scene.state, tuple(scene.events), waiting, scene.inputs, scene.sees, scene.alike, frozenset(scene.used)
    )


def _apply(ruling: cmd.Rule | cmd.Edit, scene: Scene) -> None:
    if isinstance(ruling, cmd.Edit):
        _edit(scene, ruling)
    else:
        rule(scene, ruling)


def digest_of(events: Iterable[ev.Emitted]) -> str:
    """A hash of events as they are stored, to recognise them again."""
    digest = hashlib.sha256()
    for emitted in events:
        digest.update(_ENCODER.encode(emitted))
    return digest.hexdigest()


def _carry_out(scene: Scene, command: cmd.Command, accepted: bool) -> None:
    match command:
        case cmd.Act():
            if not command.proposed or is_allowed(scene, command.submission):
                perform(scene, command.submission, accepted=accepted)
        case cmd.Start():
            _start(scene, command)
        case cmd.Finish():
            scene.emit(ev.EncounterEnded(command.why))
        case cmd.Join():
            _join(scene, command)
        case cmd.Leave():
            _leave(scene, command)
        case cmd.Edit():
            _edit(scene, command)
        case cmd.Setup():
            _set_up(scene, command)
        case cmd.Rule():
            _rule(scene, command)


def _start(scene: Scene, command: cmd.Start) -> None:
    if scene.state.status != "setup":
        raise Refused((scene.rules.reason("encounter_already_started"),))
    if not any(body.status == "up" for body in scene.state.combatants.values()):
        raise Refused((scene.rules.reason("no_combatants"),))
    unknown = tuple(who for who in command.surprised if not scene.known(who))
    if unknown:
        raise Refused((scene.rules.reason("unknown_combatant", at="/surprised", names=unknown),))
    with scene.within("start"):
        scene.rules.turns.start(scene, command.surprised)
        advance(scene)


def _join(scene: Scene, command: cmd.Join) -> None:
    for body in command.combatants:
        scene.emit(ev.Joined(body))
        for told in slot_told(None, body):
            scene.emit(told)
    if scene.state.status == "running":
        for body in command.combatants:
            with scene.within("enter", body.id):
                scene.rules.turns.enter(scene, body.id)
        if scene.slot() is None:
            advance(scene)


def _leave(scene: Scene, command: cmd.Leave) -> None:
    for gone in command.combatants:
        if not scene.known(gone):
            raise Refused((scene.rules.reason("unknown_combatant", names=(gone,)),))
    slot = scene.slot()
    for gone in command.combatants:
        if scene.rules.leaving is not None:
            scene.rules.leaving(scene, gone)
        scene.emit(ev.Left(gone))
    if slot is not None and slot.owner in command.combatants:
        with scene.within("left"):
            advance(scene)


def _edit(scene: Scene, command: cmd.Edit) -> None:
    """A combatant's own data change, with what follows where he stands elsewhere."""
    body, stood = command.body, scene.who(command.body.id).place
    put(scene, body, command.fields)
    if body.place != stood and scene.rules.moved is not None:
        scene.rules.moved(scene, body.id)


def _rule(scene: Scene, command: cmd.Rule) -> None:
    """A ruling of its own; where no turn runs (the command that was to open it was cancelled) the next one opens."""
    rule(scene, command)
    pass_on(scene)
    if scene.state.status == "running" and scene.slot() is None:
        with scene.within("resumed"):
            advance(scene)


def _set_up(scene: Scene, command: cmd.Setup) -> None:
    if (command.options or command.dice) and scene.state.status != "setup":
        raise Refused((scene.rules.reason("option_locked", at="/options"),))
    if command.options or command.dice:
        scene.emit(ev.EncounterSet(command.options, command.dice))
    if command.values is not None or command.secret_rolls is not None:
        scene.emit(ev.EncounterSet(values=command.values, secret_rolls=command.secret_rolls))
    if command.ground is not None:
        scene.emit(ev.MapChanged(command.ground))
