"""PostgreSQL: jobs wait by encounter, two threads commit what is ready, any number of processes share the database.

Usually a batch is planned on what this process knows and sent in one round trip, without a lock. Another process that
has gone on meanwhile has taken the next event's key, so a stale plan collides and nothing of it is stored. Then, and
for every answer that would be a refusal, the encounters are locked first and planned on what they are now.
"""

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import psycopg
from psycopg import errors
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.persistence import failpoints
from app.persistence.cache import Cache
from app.persistence.drivers import plain_url
from app.persistence.durable import connect, make_durable
from app.persistence.housekeeping import Housekeeping
from app.persistence.hub import LiveHub
from app.persistence.news import GONE, News
from app.persistence.patience import PATIENCE_S, in_thread
from app.persistence.planning import KEPT_MS, Batch, repeated
from app.persistence.reading import Stored, find_stored, head_of, load, stored_of
from app.persistence.statements import Statements
from app.persistence.work import (
    Busy,
    Job,
    Live,
    NotFound,
    Once,
    PersistenceError,
    Reply,
    UnknownOutcome,
)
from app.persistence.writing import (
    BATCH_LIMIT,
    QUARANTINE_S,
    QUEUE_LIMIT,
    AloneWriter,
    Outcome,
    Single,
    Task,
    WriteFailed,
    deliver,
    in_our_words,
    logger,
    write,
)

THREADS = 2
"""One is as good where the load is high and 15 % worse where it is low; four are no better."""
CAREFUL_COMMANDS = 64
"""An encounter that collided is locked first for so many commands: it is played on another process as well."""
CHORES_EVERY_S = 10.0
TRUSTED_S = 1.0
"""A connection that was not used for so long is tried before a command is sent over it."""
RESOLVE_S = 3.0
"""How long a lost commit is looked for before its caller is told that nobody knows."""
COLLISIONS = (errors.UniqueViolation, errors.ForeignKeyViolation, psycopg.errors.PipelineAborted)


class PostgresWriter(AloneWriter):
    """The writer for PostgreSQL. Made on the event loop that will wait for it."""

    def __init__(
        self, url: str, statements: Statements, cache: Cache, hub: LiveHub, news: News, clock: Callable[[], int]
    ) -> None:
        super().__init__(clock)
        # It would say a line for each statement behind one that collided.
        logging.getLogger("psycopg").setLevel(logging.ERROR)
        self.url = plain_url(url)
        self.statements = statements
        self.cache = cache
        self.news = news
        self._hub = hub
        self._loop = asyncio.get_running_loop()
        self._turn = threading.Condition()
        self._waiting: dict[str, list[Task]] = {}
        self._count = 0
        self._taken: set[str] = set()
        self._is_closed = False
        self.suspects: dict[str, float] = {}
        """Encounters whose write failed, and until when they run alone."""
        self.careful: dict[str, int] = {}
        """Encounters that another process plays too, and for how many commands they are locked first."""
        self._engine = create_engine(
            url,
            pool_size=THREADS,
            pool_pre_ping=True,
            connect_args={"connect_timeout": 3, "options": "-c lock_timeout=2500 -c statement_timeout=15000"},
        )
        event.listen(self._engine, "connect", lambda connection, _: make_durable(connection))
        self._alone_threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="turnwright-chores")
        self._housekeeping = Housekeeping(cache)
        self._threads = [
            threading.Thread(target=_Hand(self).run, name=f"turnwright-writer-{number}", daemon=True)
            for number in range(THREADS)
        ]
        for thread in self._threads:
            thread.start()
        self._chores = self._loop.create_task(self._keep_house())

    async def submit(self, job: Job) -> Reply:
        """Run one command and store what comes of it."""
        if job.once is None:
            # A key of our own, by which a commit can be found whose acknowledgement was lost.
            job = msgspec.structs.replace(job, once=Once("", secrets.token_hex(16), b""))
        future: asyncio.Future[Reply] = self._loop.create_future()
        with self._turn:
            if self._is_closed:
                raise Busy("the service is stopping")
            if self._count >= QUEUE_LIMIT:
                raise Busy("too much is waiting to be written")
            self._waiting.setdefault(job.encounter, []).append(Task(job, future))
            self._count += 1
            if job.encounter not in self._taken:
                self._turn.notify()
        return await future

    async def close(self) -> None:
        """Finish what is queued and let go of the connections."""
        self._chores.cancel()
        with self._turn:
            self._is_closed = True
            self._turn.notify_all()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        await asyncio.to_thread(self._alone_threads.shutdown)
        self._engine.dispose()

    def take(self) -> list[Task] | None:
        """Jobs of all encounters that no other thread has in hand; None when there will be no more."""
        with self._turn:
            while True:
                tasks: list[Task] = []
                for encounter in list(self._waiting):
                    if encounter not in self._taken:
                        tasks += self._waiting.pop(encounter)
                        self._taken.add(encounter)
                        if len(tasks) >= BATCH_LIMIT:
                            break
                if tasks:
                    self._count -= len(tasks)
                    return tasks
                if self._is_closed and not self._waiting:
                    return None
                self._turn.wait()

    def give_back(self, tasks: list[Task]) -> None:
        """These encounters are free again."""
        with self._turn:
            for task in tasks:
                self._taken.discard(task.job.encounter)
            if self._waiting or self._is_closed:
                self._turn.notify_all()

    def tell(self, outcomes: list[Outcome], batch: Batch | None = None) -> None:
        """Answer those who wait, then spread the news, here and to other processes."""
        told = [] if batch is None else batch.told

        def finish() -> None:
            deliver(outcomes)
            self._hub.publish(told)

        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(finish)
        if told:
            failpoints.reach("before_notify")
            self.news.spread({encounter: command.entries[-1].seq for encounter, command in told})

    async def _alone(self, work: Callable[[Single, Connection], Any]) -> Any:
        if self._is_closed:
            raise Busy("the service is stopping")
        single, result = await in_thread(self._alone_threads, lambda: self._carry_out(work))
        failpoints.reach("before_notify")
        if single.buried is not None:
            self.cache.bury(single.buried)
            self._hub.bury(single.buried)
            self.news.spread({single.buried: GONE})
        self._hub.publish(single.told)
        self.news.spread({encounter: command.entries[-1].seq for encounter, command in single.told})
        return result

    def _carry_out(self, work: Callable[[Single, Connection], Any]) -> tuple[Single, Any]:
        for is_last in (False, True):
            single = Single(self.statements, self.clock())
            is_committing = False
            try:
                with self._engine.connect() as connection:
                    with connection.begin():
                        result = work(single, connection)
                        failpoints.reach("before_commit")
                        is_committing = True
                    failpoints.reach("after_commit")
                    for live in single.batch.live.values():
                        self.cache.put(live)
                    return single, result
            except (IntegrityError, errors.UniqueViolation):
                # Somebody used the same key at the same moment: now his reply is there to be found.
                if is_last or not single.batch.keys:
                    raise
            except (DBAPIError, psycopg.Error) as error:
                # Also where there was no connection to be had, of which SQLAlchemy does not say that it was lost.
                lost = isinstance(getattr(error, "orig", error), psycopg.OperationalError)
                lost = lost or bool(getattr(error, "connection_invalidated", False))
                said = in_our_words(error)
                if lost and not isinstance(said, PersistenceError):
                    self.cache.clear()
                    said = UnknownOutcome(str(error)) if is_committing else Busy(str(error))
                raise said from error
        raise AssertionError("unreachable")

    def _chore(self, connection: Connection) -> bool:
        return self._housekeeping.step(connection, self.clock())

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(CHORES_EVERY_S)
            try:
                for _ in range(50):
                    if not await self.execute(self._chore):
                        break
            except PersistenceError:
                pass  # the database is away; the next time will do
            except Exception:
                logger.exception("housekeeping failed")


class _Hand:
    """One thread with its connection."""

    def __init__(self, writer: PostgresWriter) -> None:
        self._writer = writer
        self._statements = writer.statements
        self._connection: psycopg.Connection[Any] | None = None
        self._used = 0.0

    def run(self) -> None:
        """Take, commit, give back, until there is no more."""
        while (tasks := self._writer.take()) is not None:
            try:
                self._commit_all(tasks)
            except BaseException as error:
                logger.exception("the writer met something unforeseen")
                self._writer.tell([(task.future, None, error) for task in tasks])
                self._drop()
            finally:
                self._writer.give_back(tasks)
        self._drop()

    def _commit_all(self, tasks: list[Task]) -> None:
        suspects, now = self._writer.suspects, time.monotonic()
        for name in [name for name, until in list(suspects.items()) if until <= now]:
            suspects.pop(name, None)
        tasks = self._in_time(tasks)
        trusted = [task for task in tasks if task.job.encounter not in suspects]
        if trusted:
            self._commit(trusted)
        for task in tasks:
            if task not in trusted:
                self._lock_first([task])

    def _in_time(self, tasks: list[Task]) -> list[Task]:
        """Those that may still wait for a lock; the others have waited for one already and are told so."""
        oldest = time.monotonic() - PATIENCE_S
        if late := [task for task in tasks if task.born < oldest]:
            busy = Busy("too much is waiting to be written")
            self._writer.tell([(task.future, None, busy) for task in late])
        return [task for task in tasks if task.born >= oldest]

    def _commit(self, tasks: list[Task]) -> None:
        """In one round trip what can be planned on what is known; the rest after locking."""
        try:
            # Before planning: a connection that has to be opened anew makes everything known doubtful.
            connection = self._open()
        except Busy as busy:
            self._writer.tell([(task.future, None, busy) for task in tasks])
            return
        batch = Batch(self._writer.clock())
        sure: list[Outcome] = []
        planned: list[Task] = []
        later: list[Task] = []
        for task in tasks:
            reply = self._guess(batch, task.job)
            if reply is None:
                later.append(task)
            else:
                planned.append(task)
                sure.append((task.future, reply, None))
        if planned:
            try:
                self._write(connection, batch, "BEGIN")
            except COLLISIONS:
                self._roll_back()
                for encounter in batch.live:
                    self._writer.careful[encounter] = CAREFUL_COMMANDS
                later = tasks
            except Exception as error:
                if self._can_go_on(planned, error):
                    later = tasks
            else:
                self._settled(sure, batch)
        if later:
            self._lock_first(later)

    def _guess(self, batch: Batch, job: Job) -> Reply | None:
        """The reply to a job if what is known is still true. None for what would be refused: that needs the lock."""
        careful = self._writer.careful
        if (left := careful.pop(job.encounter, 0)) > 0:
            if left > 1:
                careful[job.encounter] = left - 1
            return None
        live = batch.live.get(job.encounter) or self._writer.cache.get(job.encounter)
        if live is None:
            return None
        try:
            return batch.repeated(job.once) or batch.decide(job, live)
        except BaseException:
            return None

    def _lock_first(self, tasks: list[Task], *, attempt: int = 1) -> None:
        """Lock the encounters, look the keys up, plan on what they are now. Refusals are final here."""
        tasks = self._in_time(tasks)
        if not tasks:
            return
        batch = Batch(self._writer.clock())
        try:
            lives, keys = self._locked_again(tasks)
        except Exception as error:
            if self._can_go_on(tasks, error, was_writing=False):
                self._one_by_one(tasks, error, attempt)
            return
        outcomes = [self._planned(batch, task, lives, keys) for task in tasks]
        try:
            if batch.events:
                # On the connection that holds the locks, never on a new one.
                assert self._connection is not None
                self._write(self._connection, batch)
            else:
                self._roll_back()
        except Exception as error:
            if self._can_go_on(tasks, error):
                self._one_by_one(tasks, error, attempt)
            return
        for live in lives.values():
            self._writer.cache.put(live)
        self._settled(outcomes, batch)

    def _locked_again(self, tasks: list[Task]) -> tuple[dict[str, Live], dict[tuple[str, str], Stored]]:
        """Nothing is written yet, so a connection that turns out to be broken is simply replaced, once."""
        try:
            return self._locked(tasks)
        except psycopg.OperationalError:
            if self._connection is None or not self._connection.closed:
                raise
            self._drop()
            self._writer.cache.clear()
            return self._locked(tasks)

    def _locked(self, tasks: list[Task]) -> tuple[dict[str, Live], dict[tuple[str, str], Stored]]:
        connection = self._open()
        names = sorted({task.job.encounter for task in tasks})
        given = [task.job.once for task in tasks if task.job.once is not None]
        with connection.pipeline():
            connection.execute("BEGIN")
            heads = connection.execute(self._statements.heads_locked, (names,))
            stored = connection.execute(
                self._statements.keys, ([once.token for once in given], [once.key for once in given])
            )
            found = [head_of(row) for row in heads.fetchall()]
            keys = {(row[0], row[1]): stored_of(row[2:]) for row in stored.fetchall()}
        known = self._writer.cache
        return {
            head.public_id: load(connection, self._statements, head, known.get(head.public_id)) for head in found
        }, keys

    def _planned(
        self, batch: Batch, task: Task, lives: dict[str, Live], keys: dict[tuple[str, str], Stored]
    ) -> Outcome:
        job = task.job
        try:
            reply = batch.repeated(job.once)
            if reply is None and job.once is not None:
                stored = keys.get((job.once.token, job.once.key))
                if stored is not None and stored.created_at < batch.now - KEPT_MS:
                    batch.forget(job.once)
                elif stored is not None:
                    reply = repeated(stored.request_hash, stored.reply, job.once)
            if reply is None:
                live = batch.live.get(job.encounter) or lives.get(job.encounter)
                if live is None:
                    raise NotFound(job.encounter)
                reply = batch.decide(job, live)
        except BaseException as error:  # also what is meant to stop a run: the thread must live on
            return task.future, None, error
        return task.future, reply, None

    def _write(self, connection: "psycopg.Connection[Any]", batch: Batch, *first: str) -> None:
        with connection.pipeline():
            for statement in first:
                connection.execute(statement)
            heads = write(connection, self._statements, batch)
            failpoints.reach("before_commit")
            connection.execute("COMMIT")
        failpoints.reach("after_commit")
        if heads.rowcount != len(batch.heads):
            # Cannot be, as long as every version has an event: say it as loudly as possible.
            logger.critical("encounters were not found as they were known", extra={"encounters": list(batch.live)})
            self._writer.cache.clear()

    def _settled(self, outcomes: list[Outcome], batch: Batch) -> None:
        for live in batch.live.values():
            self._writer.cache.put(live)
        self._writer.tell(outcomes, batch)

    def _can_go_on(self, tasks: list[Task], error: Exception, *, was_writing: bool = True) -> bool:
        """Whether the tasks can be tried again. If not, they have been answered."""
        if self._connection is None or self._connection.closed:
            # Lost, or never there. The database that comes back may be an older one.
            self._drop()
            self._writer.cache.clear()
            if was_writing and not isinstance(error, Busy):
                self._resolve(tasks)
            else:
                busy = Busy(str(error))
                self._writer.tell([(task.future, None, busy) for task in tasks])
            return False
        self._roll_back()
        said = in_our_words(error)
        if isinstance(said, PersistenceError):
            self._writer.tell([(task.future, None, said) for task in tasks])
            return False
        return True

    def _one_by_one(self, tasks: list[Task], error: Exception, attempt: int) -> None:
        for task in tasks:
            self._writer.cache.drop(task.job.encounter)
        if len(tasks) > 1:
            for task in tasks:
                self._lock_first([task])
        elif isinstance(error, COLLISIONS) and attempt < 3:
            # The key was used for another encounter at the same moment; now it is there to be found.
            self._lock_first(tasks, attempt=attempt + 1)
        else:
            task = tasks[0]
            logger.error("a command could not be written", exc_info=error, extra={"encounter": task.job.encounter})
            self._writer.suspects[task.job.encounter] = time.monotonic() + QUARANTINE_S
            failed = WriteFailed(str(error))
            failed.__cause__ = error
            self._writer.tell([(task.future, None, failed)])

    def _resolve(self, tasks: list[Task]) -> None:
        """The connection broke during a commit: look by the keys whether it happened. Never do it again."""
        found: dict[int, Reply] = {}
        deadline = time.monotonic() + RESOLVE_S
        while time.monotonic() < deadline:
            try:
                connection = self._open()
                for place, task in enumerate(tasks):
                    once = task.job.once
                    stored = None if once is None else find_stored(connection, self._statements, once)
                    if once is not None and stored is not None and stored.request_hash == once.request_hash:
                        found[place] = msgspec.structs.replace(stored.reply, replayed=False)
                break
            except (psycopg.Error, Busy):
                self._drop()
                time.sleep(0.1)
        unknown = UnknownOutcome("the connection broke during the commit")
        self._writer.tell(
            [(task.future, found.get(place), None if place in found else unknown) for place, task in enumerate(tasks)]
        )

    def _open(self) -> "psycopg.Connection[Any]":
        now = time.monotonic()
        if self._connection is not None and now - self._used > TRUSTED_S:
            # After a while the server may have gone and come back: better known before a command is sent than after.
            try:
                self._connection.execute("SELECT 1")
            except psycopg.Error:
                self._drop()
                self._writer.cache.clear()
        self._used = now
        if self._connection is None or self._connection.closed:
            try:
                self._connection = connect(self._writer.url)
            except psycopg.OperationalError as error:
                self._connection = None
                raise Busy(f"the database cannot be reached: {error}") from error
        return self._connection

    def _roll_back(self) -> None:
        if self._connection is not None and not self._connection.closed:
            try:
                self._connection.execute("ROLLBACK")
            except psycopg.Error:
                self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
