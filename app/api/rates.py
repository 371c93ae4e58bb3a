"""Rate limits per token and per address. A window that moves: 20 a second in the long run, a burst at once."""

import math
import time
from dataclasses import dataclass

from limits import RateLimitItem, parse
from limits.aio.strategies import MovingWindowRateLimiter
from limits.storage import storage_from_string

from app.api.problem_texts import Code
from app.api.problems import Problem
from app.config import Settings


@dataclass(frozen=True, slots=True)
class Standing:
    """How a caller stands with his limit, for the headers."""

    name: str
    limit: int
    window: int
    remaining: int
    reset: int

    def headers(self) -> list[tuple[bytes, bytes]]:
        """The draft's two fields and the three that older clients read."""
        return [
            (b"ratelimit-policy", f'"{self.name}";q={self.limit};w={self.window}'.encode()),
            (b"ratelimit", f'"{self.name}";r={self.remaining};t={self.reset}'.encode()),
            (b"x-ratelimit-limit", str(self.limit).encode()),
            (b"x-ratelimit-remaining", str(self.remaining).encode()),
            (b"x-ratelimit-reset", str(self.reset).encode()),
        ]


class Rates:
    """The counts of this process, or of all of them where the store is shared."""

    def __init__(self, settings: Settings) -> None:
        self.is_on = settings.rate_limits
        self._window = MovingWindowRateLimiter(storage_from_string(settings.rate_storage))
        self._token = parse(settings.rate_token)
        self._address = parse(settings.rate_address)
        self._bad = parse(settings.rate_bad_tokens)
        self._join = parse(settings.rate_join)

    async def count_token(self, token: str) -> Standing | None:
        """A request of this token. Raises 429."""
        return await self._count(self._token, "token", token)

    async def count_address(self, address: str) -> Standing | None:
        """A request without a token. Raises 429."""
        return await self._count(self._address, "address", address)

    async def count_join(self, address: str) -> Standing | None:
        """Somebody there tries a code; counted before it is looked at, so that guesses at once do not slip by.

        Raises 429.
        """
        return await self._count(self._join, "join", address)

    async def check_bad(self, address: str) -> None:
        """Raise 429 for an address that sent too many bad tokens."""
        if self.is_on and not await self._window.test(self._bad, "bad", address):
            raise self._refusal(await self._standing(self._bad, "bad", address))

    async def count_bad(self, address: str) -> None:
        """A bad token came from there."""
        if self.is_on:
            await self._window.hit(self._bad, "bad", address)

    async def _count(self, item: RateLimitItem, name: str, who: str) -> Standing | None:
        if not self.is_on:
            return None
        allowed = await self._window.hit(item, name, who)
        standing = await self._standing(item, name, who)
        if not allowed:
            raise self._refusal(standing)
        return standing

    async def _standing(self, item: RateLimitItem, name: str, who: str) -> Standing:
        reset_at, remaining = await self._window.get_window_stats(item, name, who)
        reset = max(0, math.ceil(reset_at - time.time()))
        return Standing(name, item.amount, item.get_expiry(), remaining, reset)

    @staticmethod
    def _refusal(standing: Standing) -> Problem:
        headers = {name.decode(): value.decode() for name, value in standing.headers()}
        return Problem(Code.RATE_LIMITED, retry_after=max(1, standing.reset), headers=headers)
