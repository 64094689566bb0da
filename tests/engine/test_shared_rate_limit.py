"""A provider's limits are kept by everybody who shares its key."""

import asyncio
from time import monotonic

import pytest
from django.conf import settings

from grading.engine.shared_rate_limit import (
    ProviderRateLimit,
    RateLimitReached,
    RedisClientStorage,
)

pytestmark = pytest.mark.servers


def gate(key="key", *, requests=0, tokens=0, patience=2.0):
    return ProviderRateLimit(
        redis_url=settings.REDIS_URL,
        key=key,
        requests=requests,
        tokens=tokens,
        patience_seconds=patience,
    )


async def admitted(*gates, tokens=1):
    """Return how many calls of the limits are let through, one after the other."""
    count = 0
    for rate_gate in gates:
        try:
            await rate_gate.acquire(tokens)
        except RateLimitReached:
            break
        count += 1
    return count


def let_through(makers, **call):
    async def enter():
        gates = [make() for make in makers]
        try:
            return await admitted(*gates, **call)
        finally:
            for rate_gate in gates:
                await rate_gate.close()

    return asyncio.run(enter())


def test_two_workers_share_the_requests_of_one_key(redis):
    assert let_through([lambda: gate(requests=3)] * 5) == 3


def test_two_workers_share_the_tokens_of_one_key(redis):
    assert let_through([lambda: gate(tokens=100)] * 5, tokens=40) == 2


def test_a_call_larger_than_the_limit_takes_all_of_it(redis):
    assert let_through([lambda: gate(tokens=100)] * 2, tokens=4000) == 1


def test_another_keys_calls_do_not_count(redis):
    keys = [f"key-{n}" for n in range(4)]
    assert let_through([lambda key=key: gate(key, requests=1) for key in keys]) == 4


def test_without_limits_nobody_waits(redis):
    assert let_through([gate] * 3) == 3
    assert redis.keys("*") == []


def test_who_waits_too_long_is_told_so(redis):
    async def wait():
        closed = gate(requests=1, patience=0.3)
        try:
            await closed.acquire(1)
            await closed.acquire(1)
        finally:
            await closed.close()

    begin = monotonic()
    with pytest.raises(
        RateLimitReached, match=r"the limits of this key left no room within 0\.3 s"
    ):
        asyncio.run(wait())
    assert monotonic() - begin < 30


def test_the_key_itself_is_not_in_the_counters(redis):
    let_through([lambda: gate("sk-secret", requests=5, tokens=50)])
    assert [name for name in redis.keys("*") if b"secret" in name] == []
    assert redis.keys("*") != []


def test_storage_imports_no_client_but_its_own():
    storage = RedisClientStorage("async+redis://", implementation="redispy")
    assert set(storage.dependencies) == {"redis"}
