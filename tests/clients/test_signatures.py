"""What a receiver gets is signed as a library of another language has it."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.persistence.schema import migrate
from tests.clients.test_clients import node, workshop
from tests.support.receiver import Received, receiver
from tests.webhooks.conftest import live
from tests.webhooks.test_receivers import arrived, hook_to, until

__all__ = ["workshop"]
pytestmark = pytest.mark.anyio


async def test_another_library_takes_every_message_and_no_forged_one(workshop: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/turnwright.sqlite3"
    migrate(url)
    with receiver() as there:
        async with live(url, there) as seats:
            hook = await hook_to(seats, there)
            await seats.duel()
            await seats.made(f"{seats.encounter}/actions", seats.strike())
            await until(seats, hook, arrived)

    told = {"secret": hook["secret"], "messages": [as_sent(one) for one in there.received]}
    (workshop / "messages.json").write_text(json.dumps(told))
    judged = json.loads(node(workshop, "programs/signatures.mjs", "messages.json"))

    assert judged == {"good": len(there.received), "forged": 0}
    assert judged["good"] > 2


def as_sent(one: Received) -> dict[str, Any]:
    """A message as JSON."""
    return {"headers": one.headers, "body": one.body.decode()}
