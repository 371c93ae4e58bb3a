"""From what is stored to what a use case answers. A stored reply holds what a retry must repeat."""

from app.engine.visibility import secrets_of
from app.persistence.work import Head, Live, Once, Reply, revision
from app.services.caller import Attempt, Caller, Result

_VERSION, _CREATED = "version", "created"


def reply(body: bytes, head: Head | None, caller: Caller, created: str | None = None) -> Reply:
    """What is stored under the idempotency key. The status stays with the HTTP edge: each operation has one."""
    headers = {} if head is None else {_VERSION: str(revision(head, caller.audience))}
    if created is not None:
        headers[_CREATED] = created
    return Reply(0, headers, body)


def result(stored: Reply) -> Result:
    """What the use case answers."""
    version = stored.headers.get(_VERSION)
    return Result(
        stored.body, None if version is None else int(version), stored.headers.get(_CREATED), is_replay=stored.replayed
    )


def present(body: bytes, live: Live, caller: Caller) -> Result:
    """What answers a question about the encounter as it stands.

    That a command waits is known even where only the GM knows for what, and whose rolls are secret then cuts what is
    asked of others. Neither need move their count.
    """
    pause = ""
    if live.pending is not None and not caller.is_gm:
        pause = ",".join(("waits", *sorted(secrets_of(live.state).rolls)))
    return Result(body, revision(live.head, caller.audience), pause=pause)


def once(caller: Caller, attempt: Attempt) -> Once | None:
    """The idempotency key of an attempt, in its token's own room."""
    return None if attempt.key is None else Once(caller.token, attempt.key, attempt.request_hash)
