"""One log for Django, RQ and the project: structlog lines with request and audit ids."""

import logging
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import structlog
from django.core.signals import request_finished
from django.http import HttpRequest, HttpResponse
from structlog.types import EventDict, Processor

from auditor_site import env

RENDERERS: dict[str, Processor] = {
    "json": structlog.processors.JSONRenderer(ensure_ascii=False),
    "lines": structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
}
# Secrets in paths: of calendar feeds, and of links by which a learning platform registers itself.
_SECRET_PATH = re.compile(r"(/calendar/|/lti/[^/\s]+/(?:register|frame)/)[^/\s]+")


def _hide_secrets_in_paths(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Mask the secret in such addresses, for example in Django's line on a 404."""
    return {
        key: _SECRET_PATH.sub(r"\1…", value) if isinstance(value, str) else value
        for key, value in event.items()
    }


def _add_trace(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Add the ids of the current span, by which a collector finds what was logged during it."""
    from opentelemetry.trace import get_current_span

    span = get_current_span().get_span_context()
    if span.is_valid:
        event["trace_id"], event["span_id"] = f"{span.trace_id:032x}", f"{span.span_id:016x}"
    return event


_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
    structlog.processors.format_exc_info,
    _hide_secrets_in_paths,
]
# One list for every configuration: a logger keeps that of its first use.
_PROCESSORS: list[Processor] = []


def configuration(renderer: str, *, level: int = logging.INFO) -> dict[str, Any]:
    """Configure structlog and return Django's LOGGING. `renderer` is a key of `RENDERERS`."""
    has_traces = bool(env.text("OTEL_EXPORTER_OTLP_ENDPOINT"))
    shared = [_add_trace, *_SHARED] if has_traces else _SHARED
    _PROCESSORS[:] = [*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter]
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )

    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": shared,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            RENDERERS[renderer],
        ],
    }

    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"structlog": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structlog"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.server": {"handlers": [], "propagate": True},
            # RQ logs every registry that it cleans, at INFO.
            "rq.worker": {"level": max(level, logging.WARNING)},
            # httpx logs each address, and those of GitHub name people and their repositories.
            "httpx": {"level": max(level, logging.WARNING)},
        },
    }


class RequestIdMiddleware:
    """Add a `request_id` to every line logged during a request, and to the response.

    Django logs an answer such as 404 after all middleware. So the id is removed only when the
    answer has been sent.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        request_finished.connect(_forget_request, dispatch_uid="forget_request_id")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = uuid4().hex
        structlog.contextvars.bind_contextvars(request_id=request_id)
        response = self._get_response(request)
        response.headers["X-Request-Id"] = request_id
        return response


def _forget_request(**_: Any) -> None:
    structlog.contextvars.unbind_contextvars("request_id")
