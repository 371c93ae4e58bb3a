"""SQLite: one thread owns the only connection that writes, and commits together what is queued."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection

from app.persistence import failpoints
from app.persistence.cache import Cache
from app.persistence.drivers import WRITER_PRAGMAS, engine_over, open_sqlite, sqlite_module
from app.persistence.housekeeping import Housekeeping
from app.persistence.hub import LiveHub
from app.persistence.planning import Batch
from app.persistence.reading import find_head, load
from app.persistence.statements import Statements
from app.persistence.work import (
    Busy,
    Job,
    Live,
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
    answered_before,
    deliver,
    in_our_words,
    logger,
    write,
)

CHECKPOINT_EVERY = 250
"""Commands after which the log is folded back into the file; small steps keep the slowest answer quick."""
IDLE_S = 0.2
"""A queue that was empty for so long is a good moment for it."""
CHORES_EVERY_S = 10.0
PATIENCE_S = 50.0
"""Where the queue is never empty, chores wait this much longer and are then done one step at a time."""


class _Chore:
    """Something that is run in a transaction of its own, and who waits for it."""

    __slots__ = ("future", "work")

    def __init__(self, work: Callable[[Single, Connection], Any], future: "asyncio.Future[Any]") -> None:
        self.work = work
        self.future = future


class SqliteWriter(AloneWriter):
    """The writer for a SQLite file. Made on the event loop that will wait for it."""

    def __init__(self, path: str, statements: Statements, cache: Cache, hub: LiveHub, clock: Callable[[], int]) -> None:
        super().__init__(clock)
        self._statements = statements
        self._cache = cache
        self._hub = hub
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[Task | _Chore | None] = queue.SimpleQueue()
        self._connection = open_sqlite(path, reader=False)
        self._errors: type[Exception] = sqlite_module().Error
        self._engine = engine_over(self._connection, begin="BEGIN IMMEDIATE")
        self._housekeeping = Housekeeping(cache)
        self._suspects: dict[str, float] = {}
        self._next: _Chore | None = None
        self._since_checkpoint = 0
        self._next_chores = time.monotonic() + CHORES_EVERY_S
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="turnwright-writer", daemon=True)
        self._thread.start()

    async def submit(self, job: Job) -> Reply:
        """Run one command and store what comes of it."""
        future: asyncio.Future[Reply] = self._loop.create_future()
        self._put(Task(job, future))
        return await future

    async def close(self) -> None:
        """Finish what is queued and let go of the file."""
        if not self._is_closed:
            self._is_closed = True
            self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _alone(self, work: Callable[[Single, Connection], Any]) -> Any:
        future: asyncio.Future[Any] = self._loop.create_future()
        self._put(_Chore(work, future))
        return await future

    def _put(self, item: Task | _Chore) -> None:
        if self._is_closed:
            raise Busy("the service is stopping")
        if self._queue.qsize() >= QUEUE_LIMIT:
            raise Busy("too much is waiting to be written")
        self._queue.put(item)

    def _run(self) -> None:
        """The thread: take what is queued, commit it, answer."""
        try:
            while self._turn():
                pass
        finally:
            self._engine.dispose()
            self._connection.close()

    def _turn(self) -> bool:
        is_settled = self._since_checkpoint == 0
        try:
            item = self._queue.get(timeout=CHORES_EVERY_S if is_settled else IDLE_S)
        except queue.Empty:
            self._rest()
            return True
        tasks: list[Task] = []
        while isinstance(item, Task):
            tasks.append(item)
            if len(tasks) == BATCH_LIMIT:
                break
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                break
        self._next = item if isinstance(item, _Chore) else None
        if tasks:
            self._guarded(self._commit_all, tasks, tasks)
        if item is None:
            self._checkpoint()
            return False
        if (chore := self._next) is not None:
            self._next = None
            self._guarded(self._carry_out, chore, [chore])
        if self._since_checkpoint >= CHECKPOINT_EVERY:
            self._checkpoint()
        if time.monotonic() > self._next_chores + PATIENCE_S:
            self._do_chores(at_most=1)
        return True

    def _guarded(self, work: Callable[[Any], None], given: Any, waiting: Sequence[Task | _Chore]) -> None:
        """Do it. Whatever happens the thread lives on, and nobody waits for an answer that never comes."""
        try:
            work(given)
        except Exception as error:
            logger.exception("the writer met something unforeseen")
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            # It may have been committed, and then what is known is no longer true.
            self._cache.clear()
            unknown = UnknownOutcome(str(error))
            self._tell([(one.future, None, unknown) for one in waiting])

    def _commit_all(self, tasks: list[Task]) -> None:
        now = time.monotonic()
        self._suspects = {name: until for name, until in self._suspects.items() if until > now}
        trusted = [task for task in tasks if task.job.encounter not in self._suspects]
        if trusted:
            self._commit(trusted)
        for task in tasks:
            if task.job.encounter in self._suspects and task not in trusted:
                self._commit([task])

    def _commit(self, tasks: list[Task]) -> None:
        """Plan and write some jobs in one transaction; if the writing fails, each by itself."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
        except self._errors as error:
            self._refuse_all(tasks, error)
            return
        batch = Batch(self.clock())
        outcomes = [self._planned(batch, task) for task in tasks]
        try:
            if batch.events:
                found = write(connection, self._statements, batch).rowcount
                if found != len(batch.heads):
                    raise WriteFailed(f"{len(batch.heads)} encounters to change, {found} found as they were known")
            failpoints.reach("before_commit")
            connection.execute("COMMIT")
        except Exception as error:
            self._roll_back(batch)
            self._after_failure(tasks, error)
            return
        failpoints.reach("after_commit")
        for live in batch.live.values():
            self._cache.put(live)
        self._since_checkpoint += len(batch.told)
        failpoints.reach("before_notify")
        self._tell(outcomes, batch)

    def _planned(self, batch: Batch, task: Task) -> Outcome:
        job = task.job
        try:
            reply = answered_before(self._connection, self._statements, batch, job.once)
            if reply is None:
                reply = batch.decide(job, self._live(batch, job.encounter))
        except BaseException as error:  # also what is meant to stop a run: the thread must live on
            return task.future, None, error
        return task.future, reply, None

    def _live(self, batch: Batch, encounter: str) -> Live:
        live = batch.live.get(encounter) or self._cache.get(encounter)
        if live is None:
            live = load(self._connection, self._statements, find_head(self._connection, self._statements, encounter))
            self._cache.put(live)
        return live

    def _roll_back(self, batch: Batch) -> None:
        # A full disk has rolled back already.
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        for encounter in batch.live:
            self._cache.drop(encounter)

    def _after_failure(self, tasks: list[Task], error: Exception) -> None:
        said = in_our_words(error)
        if isinstance(said, PersistenceError) and not isinstance(said, WriteFailed):
            self._tell([(task.future, None, said) for task in tasks])
        elif len(tasks) > 1:
            for task in tasks:
                self._commit([task])
        else:
            task = tasks[0]
            logger.error("a command could not be written", exc_info=error, extra={"encounter": task.job.encounter})
            self._suspects[task.job.encounter] = time.monotonic() + QUARANTINE_S
            failed = WriteFailed(str(error))
            failed.__cause__ = error
            self._tell([(task.future, None, failed)])

    def _refuse_all(self, waiting: Sequence[Task | _Chore], error: BaseException) -> None:
        """The database is locked by somebody else: what is queued has waited for it as well, and waits no longer."""
        futures: list[asyncio.Future[Any]] = [one.future for one in waiting]
        if self._next is not None:
            futures.append(self._next.future)
            self._next = None
        is_closing = False
        with_others = True
        while with_others:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                with_others = False
            else:
                if item is None:
                    is_closing, with_others = True, False
                else:
                    futures.append(item.future)
        if is_closing:
            self._queue.put(None)
        said = in_our_words(error)
        self._tell([(future, None, said) for future in futures])

    def _carry_out(self, chore: _Chore) -> None:
        single = Single(self._statements, self.clock())
        before = self._connection.total_changes
        try:
            with self._engine.begin() as connection:
                result = chore.work(single, connection)
                failpoints.reach("before_commit")
        except BaseException as error:  # as in _planned
            said = in_our_words(error)
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(said, Busy) and said is not error:
                self._refuse_all([chore], error)
                return
            self._tell([(chore.future, None, said)])
            return
        failpoints.reach("after_commit")
        if single.buried is not None:
            self._cache.bury(single.buried)
            self._soon(self._hub.bury, single.buried)
        for live in single.batch.live.values():
            self._cache.put(live)
        self._since_checkpoint += self._connection.total_changes != before
        failpoints.reach("before_notify")
        self._tell([(chore.future, result, None)], single.batch)

    def _tell(self, outcomes: list[Outcome], batch: Batch | None = None) -> None:
        told = [] if batch is None else batch.told

        def finish() -> None:
            deliver(outcomes)
            self._hub.publish(told)

        self._soon(finish)

    def _soon(self, work: Callable[..., object], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work, *arguments)

    def _rest(self) -> None:
        """Nobody waits: fold the log back, then do chores."""
        if self._since_checkpoint:
            self._checkpoint()
        if time.monotonic() >= self._next_chores:
            self._do_chores(at_most=1000)

    def _do_chores(self, at_most: int) -> None:
        self._next_chores = time.monotonic() + CHORES_EVERY_S
        # Somebody else's lock is not waited for: meanwhile nobody could be answered, and the next time will do.
        self._connection.execute("PRAGMA busy_timeout=0").fetchall()
        try:
            for _ in range(at_most):
                with self._engine.begin() as connection:
                    is_more = self._housekeeping.step(connection, self.clock())
                if not is_more or not self._queue.empty():
                    break
        except Exception as error:
            if not isinstance(in_our_words(error), PersistenceError):
                logger.exception("housekeeping failed")
        finally:
            self._connection.execute(f"PRAGMA busy_timeout={WRITER_PRAGMAS['busy_timeout']}").fetchall()

    def _checkpoint(self) -> None:
        self._since_checkpoint = 0
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except self._errors:
            logger.warning("checkpoint failed", exc_info=True)
