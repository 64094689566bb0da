"""Rate limits of a provider's key, shared by all workers: requests and tokens a minute.

The counters are in Valkey. If it is down, no call is made: the judge's answer is then a recorded
failure.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING

from django.conf import settings
from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import ConnectionPool

if TYPE_CHECKING:
    from courtroom import BenchSettings

POLL_SECONDS = 0.25
PATIENCE_SECONDS = 300.0


class RateLimitReached(Exception):
    """Refusal of a call that has no room within the limits in time."""


class RedisClientStorage(RedisStorage):
    """Storage that asks for redis-py alone.

    limits imports every client that it could use, and valkey-py takes a sixth of a second.
    """

    DEPENDENCIES = {"redis": RedisStorage.DEPENDENCIES["redis"]}


class ProviderRateLimit:
    """Rate limit for the courtroom; used in one event loop only. Zero means no limit."""

    def __init__(
        self,
        *,
        redis_url: str,
        key: str,
        requests: int,
        tokens: int,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._pool = ConnectionPool.from_url(redis_url)
        storage = RedisClientStorage(
            "async+redis://",
            implementation="redispy",
            connection_pool=self._pool,  # type: ignore[arg-type]  # -- documented, not typed
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)

        # A digest: Valkey must not hold the provider's key itself.
        self._key = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._requests, self._tokens, self._patience = requests, tokens, patience_seconds

    async def acquire(self, tokens: int) -> None:
        """Wait for room for one request of about this many tokens. Raises RateLimitReached."""
        try:
            async with asyncio.timeout(self._patience):
                # A call larger than the limit takes all of it.
                await self._take("tokens", self._tokens, min(tokens, self._tokens))
                await self._take("requests", self._requests, 1)
        except TimeoutError as waited:
            message = f"the limits of this key left no room within {self._patience:g} s"
            raise RateLimitReached(message) from waited

    async def _take(self, name: str, limit: int, cost: int) -> None:
        if not limit:
            return
        item = RateLimitItemPerMinute(limit)
        # Room comes with time alone: there is nothing to be told by.
        while not await self._limiter.hit(item, "model", name, self._key, cost=cost):  # noqa: ASYNC110
            await asyncio.sleep(POLL_SECONDS)

    async def close(self) -> None:
        await self._pool.aclose()


def limit_for(bench: BenchSettings) -> ProviderRateLimit:
    """Return the limit that the calls of this bench share with those of all workers."""
    # The limits are those of a key at one provider, so the URL is part of the name.
    key = bench.api_key.get_secret_value() if bench.api_key else ""
    return ProviderRateLimit(
        redis_url=settings.REDIS_URL,
        key=f"{bench.base_url} {key}",
        requests=settings.MODEL_REQUESTS_PER_MINUTE,
        tokens=settings.MODEL_TOKENS_PER_MINUTE,
    )
