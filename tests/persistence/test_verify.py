"""The auditor finds whatever is changed behind the writer's back."""

import pytest
from sqlalchemy import create_engine, text

from app.persistence.database import open_database
from app.persistence.shapes import SHAPE, raised
from app.persistence.verify import verify
from tests.persistence.fights import add_campaign, asking, create, doing, hurt, job, noted, once, one_more
from tests.support.clock import Clock

DAMAGE = {
    "a body changed": (
        "UPDATE event SET body = replace(body, 'psst', 'PSST') WHERE type = 'noted'",
        "chain of hashes breaks at event 4",
    ),
    "an event is gone": ("DELETE FROM event WHERE seq = 4", "event 5 follows event 3"),
    "the last event is gone": ("DELETE FROM event WHERE seq = 8", "the row says"),
    "a version was skipped": ("UPDATE event SET version = version + 1 WHERE seq > 5", "version 4 follows version 2"),
    "a count is wrong": ("UPDATE event SET public_seq = 9 WHERE seq = 5", "number 9 for everybody, not 4"),
    "an event was shown": ("UPDATE event SET visible_to = 'all' WHERE type = 'noted'", "for everybody"),
    "something cut that is not there": ("UPDATE event SET blank = 'x' WHERE seq = 5", "cuts what it does not have"),
    "the row is old": ("UPDATE encounter SET version = 2", "the row says version 2"),
    "the row lies": ("UPDATE encounter SET status = 'ended'", "the row says status 'ended'"),
    "a part changed": ("UPDATE part SET body = replace(body, '\"wounds\":3', '\"wounds\":4')", "part 0 is not what"),
    "a part is gone": ("UPDATE part SET removed = true WHERE ord = 1", "part 1 is not what"),
    "a part too many": (
        f"INSERT INTO part (encounter_id, ord, version, shape, body, removed) VALUES (1, 2, 1, {SHAPE}, '{{}}', false)",
        "part 2 is not what",
    ),
    "the beginning is gone": ("DELETE FROM snapshot", "before the first event is missing"),
    "an answer is forgotten": ("UPDATE decision SET status = 'answered'", "what is open is not"),
    "the pause is gone": ("DELETE FROM pause", "what is open is not"),
    "another base": ("UPDATE pause SET base = '{}'", "does not start from version 3"),
    "a beginning that is none": ("UPDATE snapshot SET body = '[]'", "a row cannot be read"),
    "a pause that is none": ("UPDATE pause SET pending = 'x'", "cannot be"),
    "a base that is none": ("UPDATE pause SET base = '[]'", "a row cannot be read"),
    "a part that is none": ("UPDATE part SET body = '[' WHERE ord = 0", "part 0 is not what"),
    "settings that are none": ("UPDATE encounter SET settings = 'x'", "cannot be"),
    "an orphan": ("UPDATE event SET encounter_id = 99 WHERE encounter_id = 1 AND seq = 8", "that are not there"),
    "an answer from the future": ("UPDATE idempotency SET version = 9", "for versions that are not there"),
    "a lying outbox": ("UPDATE outbox SET seq_to = 99", "events that are not there"),
}


@pytest.fixture
async def played(url: str, clock: Clock) -> str:
    """A database that was played in: a hidden event, wounds, a question that is open."""
    async with open_database(url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await database.writer.submit(job(noted("psst", audience="gm"), one_more, once=once("k")))
        await database.writer.submit(job(one_more))
        await database.writer.submit(doing(asking(hurt(3))))
    return url


@pytest.mark.parametrize("damage", DAMAGE)
async def test_damage_is_found(played: str, damage: str) -> None:
    statement, words = DAMAGE[damage]
    before = verify(played)

    engine = create_engine(played)
    with engine.begin() as connection:
        connection.execute(text(statement.replace(":", "\\:")))
    engine.dispose()

    assert (before.encounters, before.events, before.findings) == (1, 8, ())
    found = verify(played).findings
    assert any(words in finding for finding in found), found


def test_a_body_from_the_future_is_refused() -> None:
    assert raised("part", "{}", SHAPE) == "{}"
    with pytest.raises(ValueError, match="this version knows"):
        raised("part", "{}", SHAPE + 1)
