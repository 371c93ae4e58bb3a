"""From what is stored to what a use case answers. A stored reply holds what a retry must repeat."""

from msgspec import json

from app.engine.ids import CombatantId
from app.engine.state import State
from app.engine.visibility import secrets_of
from app.persistence.work import Head, Live, Once, Reply, revision
from app.services.caller import Attempt, Caller, Result
from app.services.errors import NotPermitted

_VERSION, _CREATED, _REACH, _OWN = "version", "created", "reach", "own"
_GM = "gm"


def reply(
    body: bytes, head: Head | None, caller: Caller, created: str | None = None, state: State | None = None
) -> Reply:
    """What is stored under the idempotency key. The status stays with the HTTP edge: each operation has one.

    `state` is what a player is answered about.
    """
    headers = {_REACH: _GM if caller.is_gm else json.encode(sorted(caller.combatants)).decode()}
    if state is not None and not caller.is_gm:
        headers[_OWN] = json.encode(
            sorted(who for who, one in state.combatants.items() if caller.controls(one))
        ).decode()
    if head is not None:
        headers[_VERSION] = str(revision(head, caller.audience))
    if created is not None:
        headers[_CREATED] = created
    return Reply(0, headers, body)


def still_his(stored: Reply, caller: Caller, state: State) -> None:
    """Whether a reply that is given again is one the caller might get now: his token may say less than it did then, and
    whoever was his may be hidden from him or somebody else's.

    Raises `NotPermitted`.
    """
    reach = stored.headers.get(_REACH)
    if caller.is_gm or reach is None:  # an older version stored it
        return
    if reach == _GM:
        raise NotPermitted("gm")
    bodies = [
        state.combatants.get(CombatantId(who)) for who in json.decode(stored.headers.get(_OWN, "[]"), type=list[str])
    ]
    lost = any(body is not None and not caller.controls(body) for body in bodies)
    if lost or caller.role != "player" or not caller.combatants.issuperset(json.decode(reach, type=list[str])):
        raise NotPermitted("control of the same combatants")


def result(stored: Reply) -> Result:
    """What the use case answers."""
    version = stored.headers.get(_VERSION)
    return Result(
        stored.body, None if version is None else int(version), stored.headers.get(_CREATED), is_replay=stored.replayed
    )


def present(body: bytes, live: Live, caller: Caller) -> Result:
    """What answers a question about the encounter as it stands.

    That a command waits is known even where only the GM knows for what, and whose rolls are secret then cuts what is
    asked of others. Neither need move their count; nor need it what a player has set for his own.
    """
    besides = ""
    if caller.combatants and not caller.is_gm:
        own = [body for body in live.state.combatants.values() if caller.controls(body)]
        besides = ";".join(f"{body.id} {body.dice} {sorted(body.policy.items())}" for body in own)
    if live.pending is not None and not caller.is_gm:
        secrets = secrets_of(live.state)
        besides += ",".join(("waits", *sorted(secrets.rolls - secrets.hidden)))
    return Result(body, revision(live.head, caller.audience), besides=besides)


def once(caller: Caller, attempt: Attempt) -> Once | None:
    """The idempotency key of an attempt, in its token's own room."""
    return None if attempt.key is None else Once(caller.token, attempt.key, attempt.request_hash)
