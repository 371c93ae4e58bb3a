"""Running commands on a live encounter: from a command, an answer or a ruling to the change that is stored.

Pure but for the clock that is handed in: the writer may run it more than once.
"""

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine.asks import GM, Answer, Ask, Faces, Input, Key, Question, Roll, judged_faces
from app.engine.dice import named_faces, roll_name
from app.engine.events import DecisionAnswered, DecisionOpened, Emitted
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer, Reason, ReplayMismatch
from app.engine.rules import Ruleset
from app.engine.run import Outcome, StoredRuling, digest_of, run
from app.engine.state import Combatant, State
from app.engine.visibility import Secrets, answer_cuts, secrets_of
from app.persistence.work import Change, Decision, DecisionStatus, Live, Pending, Rolled
from app.services.caller import Caller
from app.services.errors import AnswerAwaited, LimitReached, ReplayBroken
from app.services.opaque import opaque
from app.services.settings import Settings

MAX_OPEN = 50
"""Decisions open at once; whatever more a command asks comes when these are answered."""
MAX_EVENTS = 1_000_000
"""Events of an encounter; then it takes a new one."""
ENGINE = "1"
"""Kept with a waiting command, to tell after the fact which code it began under."""
ANY_KIND = "*"
"""The kind under which a policy speaks for every question it does not name."""


class Played(msgspec.Struct, frozen=True):
    """A change with what its answer tells besides: the command, whether it is through, and dice nobody asked for."""

    change: Change
    command: str
    unused_rolls: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether nothing is awaited any more."""
        return self.change.pending is None


def nothing_waits(rules: Ruleset, live: Live, caller: Caller) -> None:
    """Raises `AnswerAwaited` while a command waits, naming the decisions that the caller may see."""
    reasons = why_wait(rules, live, caller)
    if reasons:
        raise AnswerAwaited(reasons, (decision.id for decision in _seen(live, caller)))


def why_wait(rules: Ruleset, live: Live, caller: Caller) -> tuple[Reason, ...]:
    """What stands against every command while another waits: a roll that the caller may see, where the game has a
    word of its own for it, or anything else.
    """
    if live.pending is None:
        return ()
    seen = _seen(live, caller)
    only_rolls = (
        "roll_pending" in rules.general and bool(seen) and all(isinstance(decision.ask, Roll) for decision in seen)
    )
    return (rules.reason("roll_pending" if only_rolls else "decision_pending"),)


def _seen(live: Live, caller: Caller) -> list[Decision]:
    return [decision for decision in live.decisions if caller.is_gm or not decision.hidden]


def begin(
    rules: Ruleset,
    live: Live,
    command: cmd.Command,
    *,
    now: int,
    token: str | None = None,
    told: tuple[Emitted, ...] = (),
    state: State | None = None,
    closed: Mapping[str, DecisionStatus] | None = None,
) -> Played:
    """Run a new command. `told` are facts of the table before it; `state` where it starts if not in `live`.

    What is only proposed is judged now as if it were to happen, and again when it is. Raises `Refused`, `BadAnswer` for
    dice brought along that cannot be, `LimitReached`.
    """
    head = live.head
    number = head.commands + 1
    base = live.state if state is None else state
    rolls = command.submission.rolls if isinstance(command, cmd.Act) else {}
    brought = _brought(command)
    if brought or (isinstance(command, cmd.Act) and command.proposed):
        judge(rules, live, command, base)
    else:
        _room_for_more(live)
    hand = Hand(head.seed, head.epoch, number, token)
    source = _source(hand.server, base, command, brought, hand.reported)
    outcome = run(rules, base, command, inputs={}, source=source, accepted=bool(brought))
    name = opaque("cmd_", head.seed, head.epoch, number)
    pending = None
    if outcome.open:
        pending = Pending(
            command_id=name,
            number=number,
            epoch=head.epoch,
            base_version=head.version,
            command=command,
            inputs=outcome.inputs,
            shown=len(outcome.events),
            digest=digest_of(outcome.events),
            pin=head.pin,
            engine_version=ENGINE,
            token=token,
            brought=brought,
        )
    decisions, opened = _open(live, outcome, number, {}, now, in_secret(command))
    change = Change(
        state=outcome.state,
        events=(*told, *outcome.events, *opened),
        pending=pending,
        base=None if pending is None else base,
        decisions=decisions,
        closed=dict(closed or {}),
        commands=number,
        rolls=hand.rolled(outcome.inputs, {}),
    )
    return Played(change, name, _unused(pending, brought, rolls))


def judge(rules: Ruleset, live: Live, command: cmd.Command, state: State | None = None) -> None:
    """Whether this may begin at all: the one judge of a submission and of its preview.

    It is run as far as it goes without a die of the server. So dice brought along are refused where they cannot fall,
    and nobody learns from a refusal how the server's dice would have fallen: those that come only after one of them
    are not refused, and the table is asked for that roll. Raises `Refused`, `BadAnswer`, `LimitReached`.
    """
    _room_for_more(live)
    base = live.state if state is None else state
    if isinstance(command, cmd.Act) and command.proposed:
        command = replace(command, proposed=False)
    source = _source(_nothing, base, command, _brought(command), strict=True)
    run(rules, base, command, inputs={}, source=source)


def _room_for_more(live: Live) -> None:
    if live.head.seq >= MAX_EVENTS:
        raise LimitReached("too_many_events", MAX_EVENTS)


def _brought(command: cmd.Command) -> dict[str, tuple[int, ...]]:
    """Dice brought along; what comes without a die is only named as unused."""
    rolls = command.submission.rolls if isinstance(command, cmd.Act) else {}
    return {name: faces for name, faces in rolls.items() if faces}


def go_on(
    rules: Ruleset,
    live: Live,
    *,
    now: int,
    answered: tuple[Decision, Input, str] | None = None,
    ruling: cmd.Rule | cmd.Edit | None = None,
) -> Played:
    """Run the waiting command again: with an answer (the decision, what, and by whom), a ruling or an edit.

    Raises `Refused` or `BadAnswer` for an answer that is none, with everything as it was; `ReplayBroken` if the command
    no longer runs as it did.
    """
    head, pending, base = live.head, live.pending, live.base
    if pending is None or base is None:
        raise LookupError("nothing waits")
    brought = dict(pending.brought)
    hand = Hand(head.seed, pending.epoch, pending.number, pending.token)
    inputs = dict(pending.inputs)
    rulings = pending.rulings
    closed: dict[str, DecisionStatus] = {}
    if answered is not None:
        inputs[answered[0].key] = hand.named(answered[0].key, answered[1])
        closed[answered[0].id] = "expired" if answered[2] == "timeout" else "answered"
    if ruling is not None:
        rulings = (*rulings, StoredRuling(pending.shown, ruling))
    held = {decision.key: decision for decision in live.decisions}
    if answered is not None:
        del held[answered[0].key]
    draw = _source(hand.server, live.state, pending.command, brought, hand.reported)

    def source(ask: Ask) -> Input | None:
        # What is open stays open, whatever policy or dice somebody has chosen since: it is his to answer.
        return None if ask.key in held else draw(ask)

    try:
        outcome = run(
            rules,
            base,
            pending.command,
            inputs=inputs,
            source=source,
            rulings=rulings,
            shown=pending.shown,
            digest=pending.digest,
            # A ruling may be due before the first event, and then the base is not the one that was judged.
            accepted=not rulings,
        )
    except ReplayMismatch as error:
        raise ReplayBroken(pending.command_id, pending.base_version) from error
    new = outcome.events[pending.shown :]
    decisions, opened = _open(live, outcome, pending.number, held, now, in_secret(pending.command))
    remaining = {decision.id for decision in decisions}
    told = []
    if answered is not None:
        secrets = secrets_of(live.state, in_secret(pending.command))
        told = [_answered(*answered, secrets, is_sealed=bool(outcome.open) and not new)]
    told += [_withdrawn(decision) for decision in held.values() if decision.id not in remaining]
    after = None
    if outcome.open:
        after = replace(
            pending,
            inputs=outcome.inputs,
            rulings=rulings,
            shown=len(outcome.events),
            digest=digest_of(outcome.events) if new else pending.digest,
            brought=brought,
        )
    change = Change(
        state=outcome.state,
        events=(*told, *new, *opened),
        pending=after,
        base=None if after is None else base,
        decisions=decisions,
        closed=closed,
        rolls=hand.rolled(outcome.inputs, pending.inputs),
    )
    rolls = pending.command.submission.rolls if isinstance(pending.command, cmd.Act) else {}
    return Played(change, pending.command_id, _unused(after, brought, rolls))


def reopened(
    live: Live, pending: Pending, decisions: Iterable[Decision], epoch: int, now: int
) -> tuple[Pending, tuple[Decision, ...], tuple[Emitted, ...]]:
    """A command that waits again after a rewind: new dice from here on, and its decisions under new ids."""
    pending = replace(pending, epoch=epoch)
    due = expires(live, now)
    again = tuple(
        replace(
            decision,
            id=_decision_id(live.head.seed, epoch, pending.number, decision.key),
            expires_at=due,
            opened_version=live.head.version + 1,
            status="open",
        )
        for decision in decisions
    )
    return pending, again, tuple(_opened(decision) for decision in again)


def withdrawn(decisions: Iterable[Decision]) -> dict[str, DecisionStatus]:
    """How decisions were closed that nobody answered."""
    return {decision.id: "withdrawn" for decision in decisions}


def _unused(
    pending: Pending | None, left: Mapping[str, tuple[int, ...]], rolls: Mapping[str, tuple[int, ...]]
) -> tuple[str, ...]:
    """Names of rolls brought along that nobody asked for; as long as the command waits they still may be."""
    if pending is not None:
        return ()
    return tuple(name for name in rolls if name in left or not rolls[name])


class Hand:
    """Rolls of one command: each gets its name, and dice that were reported the mark of who did."""

    def __init__(self, seed: bytes, epoch: int, command: int, token: str | None) -> None:
        self._seed, self._epoch, self._command, self._token = seed, epoch, command, token

    def server(self, roll: Roll) -> Faces | None:
        """Dice of the server."""
        name = roll_name(self._seed, self._epoch, self._command, roll.key)
        return Faces(named_faces(self._seed, name, roll.count, roll.sides), "server", name, sides=roll.sides)

    def reported(self, roll: Roll, faces: Faces) -> Faces:
        """Dice that came along with the submission."""
        name = roll_name(self._seed, self._epoch, self._command, roll.key)
        return replace(faces, name=name, by=self._token or UNSET)

    def named(self, key: Key, given: Input) -> Input:
        """An answer; dice that answer a roll get its name."""
        if not isinstance(given, Faces):
            return given
        return replace(given, name=roll_name(self._seed, self._epoch, self._command, key))

    def rolled(self, inputs: Mapping[Key, Input], before: Mapping[Key, Input]) -> tuple[Rolled, ...]:
        """What was rolled since, to be kept."""
        return tuple(
            Rolled(
                name=faces.name,
                key=key,
                epoch=self._epoch,
                command=self._command,
                sides=faces.sides or 0,
                faces=faces.faces,
                source=faces.source,
                by=faces.by or None,
            )
            for key, faces in inputs.items()
            if isinstance(faces, Faces) and key not in before and faces.name is not UNSET
        )


def _nothing(roll: Roll) -> Faces | None:
    """A server that leaves its dice alone."""
    return None


def _source(
    server: Callable[[Roll], Faces | None],
    state: State,
    command: cmd.Command,
    brought: dict[str, tuple[int, ...]],
    reported: Callable[[Roll, Faces], Faces] = lambda roll, faces: faces,
    *,
    strict: bool = False,
) -> Callable[[Ask], Input | None]:
    """Where answers come from that nobody has to give: policies, dice brought along, dice of the server.

    Takes what it uses out of `brought`. Dice that cannot fall so are refused where they are handed in (`strict`).
    Otherwise they are passed over and the table is asked: whoever answers then did not bring them, and must not be
    refused.
    """
    actor = command.submission.actor if isinstance(command, cmd.Act) else None
    joining = {body.id: body for body in command.combatants} if isinstance(command, cmd.Join) else {}

    brought_first = dict(brought)

    def body_of(who: CombatantId) -> Combatant | None:
        return state.combatants.get(who) or joining.get(who)

    def draw(ask: Ask) -> Input | None:
        if isinstance(ask, Question):
            body = body_of(ask.to)
            return None if body is None else by_policy(ask, body)
        body = body_of(ask.by)
        mode = state.dice if body is None or body.dice is None else body.dice
        if mode == "server":
            return server(ask)
        faces = brought.get(ask.name) if ask.by == actor else None
        if faces is None:
            return None
        try:
            found = judged_faces(ask, faces[: ask.count], "brought")
        except BadAnswer as error:
            if not strict:
                return None
            raise _misplaced(error, ask, brought_first[ask.name], faces) from error
        if len(faces) > ask.count:
            brought[ask.name] = faces[ask.count :]
        else:
            del brought[ask.name]
        return reported(ask, found)

    return draw


def _misplaced(error: BadAnswer, roll: Roll, first: tuple[int, ...], left: tuple[int, ...]) -> BadAnswer:
    """The same complaint, at the place of the submission where those dice are."""
    at = f"/rolls/{roll.name.replace('~', '~0').replace('/', '~1')}"
    place = error.at.removeprefix("/dice").removeprefix("/")
    if place:
        at += f"/{len(first) - len(left) + int(place)}"
    return BadAnswer(error.code, at, need=error.need, clause=error.clause)


def by_policy(question: Question, body: Combatant) -> Answer | None:
    """What somebody's policy answers, None if he wants to be asked."""
    policy = body.policy.get(question.kind) or body.policy.get(ANY_KIND, "ask")
    if policy == "ask":
        return None
    option = question.best if policy == "best" and question.best is not None else question.default
    return Answer(option, by="policy")


def by_default(ask: Ask, live: Live, pending: Pending) -> Input:
    """What is taken when time has run out: the default of a question, dice of the server for a roll."""
    if isinstance(ask, Question):
        return Answer(ask.default, by="timeout")
    drawn = Hand(live.head.seed, pending.epoch, pending.number, None).server(ask)
    assert drawn is not None
    return drawn


def _open(
    live: Live,
    outcome: Outcome,
    number: int,
    held: Mapping[Key, Decision],
    now: int,
    secret: CombatantId | None,
) -> tuple[tuple[Decision, ...], list[Emitted]]:
    """Everything that is open now, and the facts of what was not open before."""
    if not outcome.open:
        return (), []
    head = live.head
    due = expires(live, now)
    secrets = secrets_of(outcome.state, secret)
    decisions: list[Decision] = []
    opened: list[Emitted] = []
    for ask in outcome.open[:MAX_OPEN]:
        before = held.get(ask.key)
        is_roll = isinstance(ask, Roll)
        owner = asks_whom(ask)
        if before is not None:
            hidden = is_hidden(secrets, ask, owner)
            same = before.ask == ask and before.hidden == hidden
            decisions.append(before if same else replace(before, ask=ask, hidden=hidden))
            continue
        decision = Decision(
            id=_decision_id(head.seed, head.epoch, number, ask.key),
            key=ask.key,
            ask=ask,
            owner=owner,
            kind="roll" if is_roll else ask.kind,  # type: ignore[union-attr]
            hidden=is_hidden(secrets, ask, owner),
            expires_at=due,
            opened_version=head.version + 1,
        )
        decisions.append(decision)
        opened.append(_opened(decision))
    return tuple(decisions), opened


def asks_whom(ask: Ask) -> CombatantId:
    """Who must answer that."""
    return ask.by if isinstance(ask, Roll) else ask.to


def is_hidden(secrets: Secrets, ask: Ask, owner: CombatantId) -> bool:
    """Whether only the GM may know of it: it is asked of somebody hidden, or about him, or a roll that is secret."""
    if owner in secrets.hidden:
        return True
    if isinstance(ask, Roll):
        return owner in secrets.rolls
    return owner == GM and ask.about is not None and ask.about in secrets.hidden


def in_secret(command: cmd.Command) -> CombatantId | None:
    """Whose rolls are secret in this command."""
    is_secret = isinstance(command, cmd.Act) and command.submission.secret
    return command.submission.actor if is_secret and isinstance(command, cmd.Act) else None


def _decision_id(seed: bytes, epoch: int, number: int, key: Key) -> str:
    return opaque("dec_", seed, epoch, number, key)


def expires(live: Live, now: int) -> int | None:
    """When a decision that is opened now runs out."""
    limit = Settings.of(live.head).decision_timeout_s
    return None if limit is None else now + limit * 1000


def _opened(decision: Decision) -> Emitted:
    event = DecisionOpened(decision.id, decision.owner, decision.kind, decision.ask.clause)
    return Emitted(event, _audience(decision))


def _answered(decision: Decision, given: Input, by: str, secrets: Secrets, *, is_sealed: bool) -> Emitted:
    """That it was answered. How, is told only once something came of it: others may still be choosing."""
    option = given.option if isinstance(given, Answer) and not is_sealed else None
    event = DecisionAnswered(decision.id, decision.owner, decision.kind, option, by, decision.ask.clause)
    if decision.hidden:
        return Emitted(event, "gm")
    return Emitted(event, "all", answer_cuts(event, secrets, getattr(decision.ask, "about", None)))


def _withdrawn(decision: Decision) -> Emitted:
    """A ruling made the question void."""
    return Emitted(
        DecisionAnswered(decision.id, decision.owner, decision.kind, None, "ruling", decision.ask.clause),
        _audience(decision),
    )


def _audience(decision: Decision) -> str:
    return "gm" if decision.hidden else "all"
