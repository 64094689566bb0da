"""Trace of a submission: from the request that accepts it, through the queue, to its verdict.

hand_in -> queue -> audit -> the courtroom's spans; each further attempt has a queue and an audit of
its own. The context is on the audit's row: a job carries ids only, and one process enqueues the
audits of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from rq import get_current_job

from grading.models import Audit

if TYPE_CHECKING:
    from opentelemetry.trace import Span
    from opentelemetry.util.types import AttributeValue

NANOSECONDS = 1_000_000_000
NOT_INSTALLED = (
    "OTEL_EXPORTER_OTLP_ENDPOINT needs more packages: install requirements/telemetry.txt,"
    " in containers with EXTRAS=telemetry."
)


def preload() -> None:
    """Import what sends spans, where the operator set an endpoint.

    In a worker's parent process, so that no forked job pays for it. Raises ImproperlyConfigured.
    """
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        try:
            import_module("grading.engine.trace_export")
        except ModuleNotFoundError as missing:
            raise ImproperlyConfigured(NOT_INSTALLED) from missing


def start_export() -> Callable[[], None]:
    """Send this process's spans, where the operator set an endpoint; return what ends that.

    To be called after the last fork: the thread that sends does not cross it.
    """
    preload()
    if not settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        return lambda: None
    from grading.engine.trace_export import start_export

    return start_export()


@contextmanager
def hand_in_span(organization_id: int) -> Iterator[None]:
    """Trace the acceptance of a submission, or its refusal with its code."""
    from courtroom.tracing import span

    with span("hand_in", {"auditor.organization.id": organization_id}):
        yield


def continue_with(audit: Audit) -> None:
    """Let the current trace, if there is one, go on with this new audit."""
    from opentelemetry.trace import get_current_span
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    get_current_span().set_attribute("auditor.audit.id", str(audit.pk))
    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    audit.traceparent = carrier.get("traceparent", "")


@contextmanager
def audit_span(audit: Audit) -> Iterator[Span]:
    """Trace one attempt at a claimed audit, below the wait that has just ended."""
    from opentelemetry.trace import set_span_in_context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    from courtroom.tracing import past_span, span

    attributes: dict[str, AttributeValue] = {
        "auditor.audit.id": str(audit.pk),
        "auditor.audit.kind": audit.kind,
        "auditor.audit.attempt": audit.run_attempt,
        "auditor.organization.id": audit.organization_id,
    }
    began, ended = _wait_of(audit)
    hand_in = TraceContextTextMapPropagator().extract({"traceparent": audit.traceparent})
    wait = past_span(
        "queue",
        attributes,
        context=hand_in,
        begin_ns=_nanoseconds(began),
        end_ns=_nanoseconds(ended),
    )
    with span("audit", attributes, context=set_span_in_context(wait)) as opened:
        yield opened


def _wait_of(audit: Audit) -> tuple[datetime, datetime]:
    """Return when a claimed audit began to wait for this attempt, and when it was claimed."""
    # `queued_at` is the begin of the request, or the end of the grace.
    began = max(audit.queued_at or audit.created_at, audit.created_at)
    job = get_current_job()
    if audit.run_attempt > 1 and job is not None:
        began = job.enqueued_at or began
    claimed = audit.started_at or timezone.now()
    # The clocks of two machines may differ.
    return min(began, claimed), claimed


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * NANOSECONDS)
