"""The courier: makes messages of what happened, and sends what is due, a little at a time to each receiver."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import structlog

from app.persistence import failpoints
from app.persistence import webhooks as rows
from app.persistence.webhooks import PING, Candidate, Claimed, Verdict
from app.services.service import Service
from app.services.webhooks.fanout import Fanout
from app.services.webhooks.sending import Answer, Sender

JITTER = 0.1
"""A pause is up to so much longer, so that what failed together does not come back together."""
PER_HOOK, PER_HOST, IN_ALL = 2, 8, 32
"""Messages that are under way at once."""
POLL_S = 1.0
"""How often it is looked for what is due, when nothing else wakes us."""
LOOK_EVERY_S = 10.0
"""How often the outbox is looked through for what another process has left."""
LEASE_MARGIN_S = 15.0
PATIENCE_S = 2.0
"""How long messages under way are waited for at the end."""
GONE = 410
log = structlog.get_logger("webhooks")


class Courier:
    """One process's share of the sending. `chance` gives numbers from 0 to 1."""

    def __init__(
        self,
        service: Service,
        sender: Sender,
        *,
        timeout_s: float,
        pauses_s: Sequence[float],
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._service = service
        self._sender = sender
        self._lease_ms = int((timeout_s + LEASE_MARGIN_S) * 1000)
        self._pauses = tuple(pauses_s)
        self._chance = chance
        self._fanout = Fanout(service)
        self._bell = asyncio.Event()
        self._under_way: dict[asyncio.Task[None], Claimed] = {}
        self._is_listened = True
        self._is_closing = False
        self._looked_at = -LOOK_EVERY_S
        service.hub.on_commit(self._committed)

    def wake(self) -> None:
        """Look now."""
        self._is_listened = True
        self._bell.set()

    def _committed(self) -> None:
        if self._is_listened:
            self._bell.set()

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            try:
                await self.round()
            except Exception as error:
                # Whatever it is, the next round is to come: nobody else sends.
                log.error("webhooks could not be kept", exc_info=error)
                await asyncio.sleep(POLL_S)
            with contextlib.suppress(TimeoutError):
                # `wait_for` of Python 3.11 may swallow a cancellation that comes together with the bell.
                async with asyncio.timeout(POLL_S):
                    await self._bell.wait()

    async def begin_alone(self) -> None:
        """This is the only process: what one before it had claimed is free."""
        await self._service.writer.execute(rows.release_all)

    async def round(self) -> None:
        """Look once: make messages, begin to send those that are due."""
        self._bell.clear()
        loop = asyncio.get_running_loop()
        self._is_listened = await self._service.store.read(rows.is_anybody_listening)
        is_time = loop.time() - self._looked_at >= LOOK_EVERY_S
        if is_time:
            self._looked_at = loop.time()
            self._fanout.try_all_again()
            now = self._service.clock()
            await self._service.writer.execute(lambda connection: rows.forget_old_secrets(connection, now))
        if is_time or self._is_listened:
            while await self._fanout.step():
                # Where there is always more to tell, what was told is sent all the same.
                if self._is_listened:
                    await self._begin_due()
                await asyncio.sleep(0)
        if self._is_listened:
            await self._begin_due()

    async def settle(self) -> None:
        """Wait for what is under way."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def close(self) -> None:
        """Begin nothing more; what is under way may end, or else is free for the next who looks."""
        self._is_closing = True
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=PATIENCE_S)
        cut = dict(self._under_way)
        for task in cut:
            task.cancel()
        await asyncio.gather(*cut, return_exceptions=True)
        if cut:
            await self._service.writer.execute(lambda connection: rows.release(connection, list(cut.values())))

    async def _begin_due(self) -> None:
        while not self._is_closing and len(self._under_way) < IN_ALL:
            hooks = Counter(claimed.webhook_id for claimed in self._under_way.values())
            busy = [name for name, count in hooks.items() if count >= PER_HOOK]
            now = self._service.clock()
            found = await self._service.store.read(
                lambda connection: rows.due(connection, now, busy, PER_HOOK, 2 * IN_ALL)  # noqa: B023
            )
            chosen = self._chosen(found)
            if not chosen:
                return
            claimed = await self._service.writer.execute(
                lambda connection: rows.claim(connection, chosen, now, self._lease_ms)  # noqa: B023
            )
            if not claimed:
                return
            for one in claimed:
                task = asyncio.get_running_loop().create_task(self._deliver(one))
                self._under_way[task] = one
                task.add_done_callback(self._ended)

    def _chosen(self, found: Sequence[Candidate]) -> list[int]:
        """Those of them for which there is room: at their hook, at their host, and with us."""
        hooks = Counter(claimed.webhook_id for claimed in self._under_way.values())
        hosts = Counter(_host(claimed.url) for claimed in self._under_way.values())
        chosen: list[int] = []
        for one in found:
            if len(self._under_way) + len(chosen) >= IN_ALL:
                break
            host = _host(one.url)
            if hooks[one.webhook_id] < PER_HOOK and hosts[host] < PER_HOST:
                hooks[one.webhook_id] += 1
                hosts[host] += 1
                chosen.append(one.id)
        return chosen

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._under_way.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            # Its lease runs out, and it is sent again.
            log.error("a delivery could not be kept", exc_info=error)
        self._bell.set()

    async def _deliver(self, claimed: Claimed) -> None:
        sent_at = self._service.clock()
        body = claimed.body.encode()
        try:
            answer = await self._sender.send(claimed.url, claimed.public_id, body, claimed.secrets, sent_at)
        except Exception as error:
            # Nobody foresaw it; it is a try in vain all the same, or it would be sent for ever.
            log.error("a webhook could not be sent", webhook=claimed.hook, exc_info=error)
            answer = Answer(None, "connection")
        failpoints.reach("webhook_sent")
        verdict = self.verdict(claimed, answer, self._service.clock())
        await self._service.writer.execute(lambda connection: rows.finish(connection, claimed, verdict))
        log.info(
            "webhook sent" if verdict.is_delivered else "webhook failed",
            webhook=claimed.hook,
            delivery=claimed.public_id,
            attempt=claimed.tries + 1,
            status=answer.status,
            error=verdict.error,
            disabled=verdict.disable,
        )

    def verdict(self, claimed: Claimed, answer: Answer, now: int) -> Verdict:
        """What an answer means: 2xx that it has arrived, 410 that nobody wants any, all else another try or the end."""
        status = answer.status
        if status is not None and 200 <= status < 300:
            return Verdict(True, now, status)
        error = answer.error or "status"
        if status == GONE:
            return Verdict(False, now, status, error, disable="gone")
        if claimed.kind == PING:
            return Verdict(False, now, status, error)
        if claimed.tries >= len(self._pauses):
            return Verdict(False, now, status, error, disable="failing")
        pause = self._pauses[claimed.tries] * (1 + JITTER * self._chance())
        return Verdict(False, now, status, error, next_at=now + int(pause * 1000))


def _host(url: str) -> str:
    return urlsplit(url).netloc
