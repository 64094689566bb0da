"""Whether this process lives, and whether it can do its work: each answer comes in time, whoever else hangs."""

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

ANSWER_SECONDS = (
    1.5  # a server that stands still neither answers nor refuses; a healthcheck waits about 2 s
)
log = structlog.get_logger(__name__)


class HealthProbe:
    """Asked in a thread of its own, for a client cannot give up on a server that stands still.

    While one thread still waits for its answer no other is started: a long stillness costs one thread.
    """

    def __init__(self, name: str, ask: Callable[[], object]) -> None:
        self.name, self._ask = name, ask
        self._lock = Lock()
        self._asked: Future[bool] | None = None

    def put(self) -> Future[bool]:
        """Whether the server works: the answer to come, or the one that is still waited for."""
        with self._lock:
            if self._asked is None or self._asked.done():
                self._asked = Future()
                Thread(target=self._answer, args=(self._asked,), daemon=True).start()
            return self._asked

    def _answer(self, asked: Future[bool]) -> None:
        works = False
        try:
            self._ask()
            works = True
        except (DatabaseError, RedisError):
            log.exception("not_ready", asked=self.name)
        finally:
            asked.set_result(works)


def _ask_database() -> None:
    """On a connection made for it: one that is kept may outlive a server that takes no more."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()


def _ask_queue() -> None:
    with Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    ) as queue:
        queue.ping()


PROBES = (HealthProbe("database", _ask_database), HealthProbe("queue", _ask_queue))


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """{"database": true, "queue": true}, else 503, within 2 s. What exactly is wrong is in the log."""
    until = monotonic() + ANSWER_SECONDS
    asked = {question.name: question.put() for question in PROBES}
    answers = {name: _within(future, until) for name, future in asked.items()}
    return JsonResponse(answers, status=200 if all(answers.values()) else 503)


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """200 from a process that answers at all: nobody else is asked."""
    return JsonResponse({"live": True})


def _within(asked: Future[bool], until: float) -> bool:
    try:
        return asked.result(max(0.0, until - monotonic()))
    except TimeoutError:
        log.exception("not_ready", asked="no answer in time")
        return False
