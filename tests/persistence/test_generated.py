"""T7: generated encounters, stored: the same bytes in both databases, the same states in a fresh process."""

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import select

from app.persistence.database import Database, open_database
from app.persistence.drivers import sqlite_path
from app.persistence.parts import whole
from app.persistence.shapes import SHAPE
from app.persistence.tables import encounter, event
from app.persistence.verify import verify
from tests.persistence.fights import add_campaign
from tests.persistence.generated import Stage, Story, mark
from tests.support.clock import Clock
from tests.support.play import catalog
from tests.support.repository import ROOT
from tests.support.sizes import IS_LONG, sized

FIGHTS = sized(2, 3, 100)
"""Of each ruleset."""
ELSEWHERE = (("1", "Asia/Kathmandu", "pl_PL.UTF-8"), ("4242", "America/St_Johns", "C"))
"""Hash seeds, time zones and languages of other processes."""


async def logs_of(database: Database, name: str) -> list[tuple[object, ...]]:
    """Every row of a log, with its hash."""
    columns = [column for column in event.columns if column.name != "encounter_id"]
    rows = (
        select(*columns)
        .where(event.c.encounter_id == select(encounter.c.id).where(encounter.c.public_id == name).scalar_subquery())
        .order_by(event.c.seq)
    )
    found = await database.store.read(lambda connection: connection.execute(rows).all())
    return [tuple(bytes(one) if isinstance(one, memoryview) else one for one in row) for row in found]


async def stood(database: Database, story: Story) -> list[str]:
    """The marks of every version, as the store finds them from the nearest snapshot and the log behind it."""
    versions = range(1, len(story.states) + 1)
    return [mark((await database.store.moment(story.name, version)).state) for version in versions]


async def snapped(database: Database, story: Story) -> None:
    """Snapshots of some versions by chance, as they are taken when nobody waits."""
    chance = random.Random(story.name)
    head = await database.store.head(story.name)
    statements = database.store._statements  # type: ignore[attr-defined]
    for version in sorted(chance.sample(range(1, head.version + 1), min(4, head.version))):
        state = (await database.store.moment(story.name, version)).state
        last = [
            entry for entry in await database.store.log(story.name, "gm", limit=100_000) if entry.version <= version
        ]
        row = (head.id, version, last[-1].seq, SHAPE, whole(state))
        await database.writer.execute(
            lambda connection, row=row: connection.connection.driver_connection.cursor().execute(  # type: ignore[misc]
                statements.insert_snapshot, row
            )
        )


@pytest.mark.timeout(0 if IS_LONG else 300)
async def test_an_encounter_is_the_same_bytes_in_every_database_and_process(
    sqlite_url: str, migrated_postgres_url: str
) -> None:
    clock, stories, kinds = Clock(), list[Story](), Counter[str]()
    async with (
        open_database(sqlite_url, clock=clock) as one,
        open_database(migrated_postgres_url, clock=clock) as other,
    ):
        for database in (one, other):
            await database.writer.execute(add_campaign)
        for ruleset, number in product(sorted(catalog().ids), range(FIGHTS)):
            story = await Stage([one, other], ruleset, number, clock).play()
            stories.append(story)
            kinds.update(story.kinds)
            assert await logs_of(one, story.name) == await logs_of(other, story.name)
            for database in (one, other):
                assert await stood(database, story) == story.states
                await snapped(database, story)
                assert await stood(database, story) == story.states
    print(sum(len(story.states) for story in stories), "versions:", dict(kinds))
    # It is about something: all that can happen did.
    assert {"command", "answer", "answer out of order", "ruling", "refused", "rewind"} <= set(kinds)

    for url in (sqlite_url, migrated_postgres_url):
        assert verify(url).findings == ()
    expected = [f"{story.name} {at} {state}" for story in stories for at, state in enumerate(story.states, 1)]
    for seed, zone, language in ELSEWHERE[: sized(1, 2, 2)]:
        replayed = fresh(sqlite_path(sqlite_url), PYTHONHASHSEED=seed, TZ=zone, LC_ALL=language)
        # What waited is there twice: folded, and run again.
        assert set(replayed) == set(expected)
        assert len(replayed) == len(expected) + sum(story.pauses for story in stories)


def fresh(file: str, **env: str) -> list[str]:
    """What another process makes of it."""
    command = [sys.executable, "-m", "tests.persistence.again", file]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_ruleset_has_ten_golden_logs_at_least() -> None:
    """T7: written by hand from the rules, each a whole fight."""
    golden = Counter(path.parent.name for path in (Path(ROOT) / "tests" / "golden").glob("*/*.yaml"))

    assert set(golden) == set(catalog().ids)
    assert min(golden.values()) >= 10, golden
