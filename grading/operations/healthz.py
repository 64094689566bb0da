"""Health checks of the process, the database, the queue and the store, even if one hangs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from time import monotonic

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from grading.core.errors import StorageUnavailable
from grading.core.uploads import check_store

# A server that hangs neither answers nor refuses. Health checks usually wait about 2 s.
ANSWER_SECONDS = 1.5
log = structlog.get_logger(__name__)


class HealthProbe:
    """Check of one server, in a thread of its own: a client cannot abandon a server that hangs.

    While a check is running no other thread is started, so a long outage costs one thread.
    """

    def __init__(self, name: str, check: Callable[[], object]) -> None:
        self.name, self._check = name, check
        self._lock = Lock()
        self._result: Future[bool] | None = None

    def start(self) -> Future[bool]:
        """Return the result of a new check, or of the one that is still running."""
        with self._lock:
            if self._result is None or self._result.done():
                self._result = Future()
                Thread(target=self._run, args=(self._result,), daemon=True).start()
            return self._result

    def _run(self, result: Future[bool]) -> None:
        works = False
        try:
            self._check()
            works = True
        except (DatabaseError, RedisError, StorageUnavailable) as error:
            log.error("not_ready", server=self.name, reason=" ".join(str(error).split()))  # noqa: TRY400 -- one line, whatever the traceback
        finally:
            # Also after an unexpected error: without a result no later check would ever start.
            result.set_result(works)


def _check_database() -> None:
    # The thread's own connection: a persistent one may survive a server that accepts no others.
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()


def _check_queue() -> None:
    with Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        # redis-py would try again by itself, for longer than an answer may take.
        retry=Retry(NoBackoff(), 0),
    ) as queue:
        queue.ping()


PROBES = (
    HealthProbe("database", _check_database),
    HealthProbe("queue", _check_queue),
    HealthProbe("storage", check_store),
)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer {"database": true, "queue": true, "storage": true}, or 503, within 2 s.

    The log says what is wrong.
    """
    # All probes start before the first wait, so that they share the time.
    until = monotonic() + ANSWER_SECONDS
    results = {probe.name: probe.start() for probe in PROBES}
    answers = {name: _wait(result, until) for name, result in results.items()}

    return JsonResponse(answers, status=200 if all(answers.values()) else 503)


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """Answer 200 whenever this process works, without asking another server."""
    return JsonResponse({"live": True})


def _wait(result: Future[bool], until: float) -> bool:
    try:
        return result.result(max(0.0, until - monotonic()))
    except TimeoutError:
        log.exception("not_ready", server="no answer in time")
        return False
