"""From every earlier schema to the newest, with what was played: killed on the way, and nothing is different."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from app.catalog import Catalog
from app.persistence.database import open_database
from app.persistence.drivers import is_sqlite, sqlite_path
from app.persistence.schema import migrate, migrating_engine, revision_of
from app.persistence.tables import REVISION
from app.persistence.verify import verify
from app.persistence.work import Deletion, Reply
from tests.api.table import Table, table
from tests.persistence.migrating import killed, statements
from tests.support import play, toy
from tests.support.chance import chance
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.sizes import IS_LONG, sized

Rows = dict[str, list[str]]
EARLIER = ("0001", "0002", "0003", "0004", "0005", "0006")
CAME_WITH = {
    "0002": {"house_rules"},
    "0003": {"invite", "stream_ticket", "token"},
    "0004": {"webhook", "webhook_delivery", "outbox"},
    "0005": {"roll"},
    "0006": {"discord_channel", "discord_link"},
    "0007": set(),
}
"""What an older schema has not, or not so: there it cannot be the same."""
SIGKILLED = -9
KILLS_EACH = sized(0, 2, 1000)


def rows_of(url: str) -> Rows:
    """Every row of every table, but for where the schema stands."""
    engine = migrating_engine(url)
    try:
        with engine.connect() as connection:
            names = sorted(set(inspect(connection).get_table_names()) - {"alembic_version"})
            found = {}
            for name in names:
                rows = connection.execute(text(f'SELECT * FROM "{name}"')).mappings().all()
                found[name] = sorted(str(sorted((key, _plain(value)) for key, value in row.items())) for row in rows)
            return found
    finally:
        engine.dispose()


def _plain(value: object) -> object:
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else value


async def _played(url: str) -> None:
    """A campaign with a little of everything that is stored."""
    books = {book.id: book for some in (play.catalog(), toy.catalog()) for book in some}
    async with table(url, catalog=Catalog(books)) as seats:
        await seats.duel()
        await seats.made(f"{seats.encounter}/actions", seats.strike())
        assert (await seats.get(f"{seats.encounter}/decisions")).json()["items"]
        await _people(seats)
        await seats.duel()
        await seats.made(f"{seats.encounter}/rulings", {"reason": "so be it"}, headers={"idempotency-key": "k"})


async def _people(seats: Table) -> None:
    base = f"/v1/campaigns/{seats.campaign}"
    await seats.made(f"{base}/invites", {"role": "spectator", "uses": 3})
    hook = {"name": "Log", "url": "https://hooks.example.org/x", "events": ["ruled"]}
    await seats.made(f"{base}/webhooks", hook)
    rules = {"extends": "dark_heresy_2e", "options": {"engagement_range_m": 2.5}}
    put = await seats.send("PUT", f"{base}/house-rules/ours", json=rules)
    assert put.is_success, put.text


@pytest.fixture
def copies(url: str, tmp_path: Path) -> Iterator[Callable[[str, str], str]]:
    """Makes copies of a database that nobody is connected to, and takes them away."""
    server: PostgresServer | None = None if is_sqlite(url) else postgres_server()
    with contextlib.ExitStack() as stack:

        def copy(source: str, name: str) -> str:
            if server is not None:
                return stack.enter_context(server.database(template=source))
            target = tmp_path / f"{name}.sqlite3"
            for suffix in ("", "-wal"):
                if Path(f"{sqlite_path(source)}{suffix}").exists():
                    shutil.copy(f"{sqlite_path(source)}{suffix}", f"{target}{suffix}")
            return f"sqlite:///{target}"

        yield copy


@pytest.mark.crash
@pytest.mark.timeout(0 if IS_LONG else 600)
async def test_every_earlier_schema_comes_up_whole_also_when_killed(
    url: str, copies: Callable[[str, str], str]
) -> None:
    """T21: a played database at each earlier schema is brought to the newest. Killed in the midst of any step it stands
    where it stood, and a second try ends as one that was not disturbed."""
    await _played(url)
    assert verify(url).findings == ()
    newest = rows_of(url)
    assert all(newest[name] for name in ("campaign", "encounter", "event", "roll", "invite", "webhook", "house_rules"))
    luck = chance()
    cases: list[tuple[str, int]] = []
    starts: list[str] = []
    wanted: dict[str, Rows] = {}
    for revision in reversed(EARLIER):
        migrate(url, revision)
        assert revision_of(url) == revision
        smooth = copies(url, f"smooth{revision}")
        with statements() as sent:
            migrate(smooth)
        wanted[revision] = _looked_at(smooth, newest, revision)
        await _goes_on(smooth, revision)
        for number in _places(sent, luck.randrange):
            starts.append(revision)
            cases.append((copies(url, f"killed{revision}-{number}"), number))

    assert killed(cases) == [SIGKILLED] * len(cases)

    for (copy, number), revision in zip(cases, starts, strict=True):
        assert revision_of(copy) == revision, f"killed at {number}"
        migrate(copy)
        assert revision_of(copy) == REVISION
        assert rows_of(copy) == wanted[revision], f"from {revision}, killed at {number}"
    print(f"{len(cases)} kills over {len(EARLIER)} ways up")


def _places(sent: list[str], below: Callable[[int], int]) -> list[int]:
    """Statements before which to kill: in the middle of each step, after the last one, and some more by chance."""
    ends = [number for number, statement in enumerate(sent) if statement.startswith("UPDATE alembic_version")]
    assert ends
    begins = [next(number for number, one in enumerate(sent) if _changes(one)), *(end + 1 for end in ends[:-1])]
    middles = {(begin + end + 1) // 2 for begin, end in zip(begins, ends, strict=True)}
    more = {begins[0] + below(ends[-1] - begins[0] + 1) for _ in range(KILLS_EACH)}
    found = {*middles, ends[-1], *more}
    # From the oldest schema every step is on the way; from a later one the first of them says as much.
    return sorted(found if IS_LONG or len(ends) == len(EARLIER) else [min(middles)])


def _changes(statement: str) -> bool:
    return statement.split(maxsplit=1)[0].upper() in ("CREATE", "DROP", "ALTER", "UPDATE", "INSERT")


def _looked_at(url: str, newest: Rows, revision: str) -> Rows:
    """What came of going down and up again: the same as before, where the older schema has it at all."""
    found = rows_of(url)
    lost = {name for came, names in CAME_WITH.items() if came > revision for name in names}
    assert set(found) == set(newest)
    for name in newest.keys() - lost:
        assert found[name] == newest[name], f"{name}, from {revision}"
    assert _findings(url, revision) == []
    return found


def _findings(url: str, revision: str) -> list[str]:
    """What the auditor says. Rolls have names since 0005; going below loses them, and no database of then has any."""
    named = ("of roll ", "the dice of all its rolls")
    return [one for one in verify(url).findings if revision >= "0005" or not any(words in one for words in named)]


async def _goes_on(url: str, revision: str) -> None:
    """The newest code plays on in it: what it reads there it can write again."""
    engine = migrating_engine(url)
    with engine.connect() as connection:
        name = connection.execute(text("SELECT public_id FROM encounter ORDER BY id")).scalars().first()
    engine.dispose()
    assert isinstance(name, str)
    async with open_database(url) as database:
        live = await database.store.live(name)
        assert live.decisions
        await database.writer.delete(Deletion(encounter=name, render=lambda head: Reply(204, {}, b"")))
    assert _findings(url, revision) == []
