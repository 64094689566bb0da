"""Whether this process can do its work: 200 when the database and the queue both answer, else 503."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_rq import get_connection
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """{"database": true, "queue": true}. What exactly is wrong is in the log, not on a public page."""
    answers = {"database": _works(_ask_database), "queue": _works(_ask_queue)}
    return JsonResponse(answers, status=200 if all(answers.values()) else 503)


def _works(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except (DatabaseError, RedisError):
        log.exception("not_ready", asked=ask.__name__)
        return False
    return True


def _ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _ask_queue() -> None:
    get_connection("submissions").ping()
