"""Prometheus metrics: sums over all organizations, without any name of a person or organization."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_rq import get_queue
from django_scopes import scope
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from redis.exceptions import RedisError
from rq import Worker

from grading.audits.queries import start_of_month
from grading.core.enums import OPEN_STATES, AuditState
from grading.core.fair_turns import BULK, IN_GRACE, SUBMISSIONS, belongs_on
from grading.models import Audit, ModelUsage, Organization

# Stage times are read from the reports of this last period.
RECENT = timedelta(hours=1)
STAGES = """
SELECT stage.key, count(*),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY stage.value::float), max(stage.value::float)
FROM grading_audit, jsonb_each_text(report -> 'timings') AS stage
WHERE finished_at > %s AND report IS NOT NULL GROUP BY stage.key ORDER BY stage.key
"""


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Seconds that the audits of the last hour spent in one stage."""

    stage: str
    audits: int
    median: float
    longest: float


@dataclass(frozen=True, slots=True)
class ModelTotals:
    """Total use of one model. `cost_usd` sums the calls with a known price."""

    model: str
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class SiteMetrics:
    """Figures of the whole site.

    `waiting` (audits) and `oldest` (seconds) by queue; `states` and `failures` count audits by
    state and by failure code. What ended or was paid before this calendar month (UTC) is left out:
    a scrape would read all of the history, and Prometheus takes the fall for a counter's reset.
    """

    waiting: dict[str, int]
    oldest: dict[str, float]
    states: dict[str, int]
    failures: dict[str, int]
    stages: tuple[StageTimes, ...]
    models: tuple[ModelTotals, ...]


def collect_metrics() -> SiteMetrics:
    """Measure the whole site. Eight queries."""
    now, month = timezone.now(), start_of_month()
    is_recent = Q(state__in=OPEN_STATES) | Q(finished_at__gte=month)
    is_failed = Q(state=AuditState.FAILED, finished_at__gte=month)
    with scope(organization=list(Organization.objects.all())):
        queues = {name: _waiting(name, now) for name in (SUBMISSIONS, BULK)}
        return SiteMetrics(
            waiting={name: count for name, (count, _) in queues.items()},
            oldest={name: seconds for name, (_, seconds) in queues.items()},
            # Every state, also at zero: a series that disappears breaks alerts on it.
            states=dict.fromkeys(AuditState.values, 0) | _counted("state", is_recent),
            failures=_counted("failure_code", is_failed),
            stages=_stages(now),
            models=_model_totals(month),
        )


def _waiting(queue: str, now: datetime) -> tuple[int, float]:
    """Return the number of waiting audits and the seconds that the oldest has waited."""
    waiting = Audit.objects.filter(~IN_GRACE, belongs_on(queue), state=AuditState.QUEUED)
    figures = waiting.aggregate(count=Count("pk"), oldest=Min("queued_at"))
    oldest = figures["oldest"]
    return figures["count"], (now - oldest).total_seconds() if oldest else 0.0


def _counted(field: str, condition: Q) -> dict[str, int]:
    rows = Audit.objects.filter(condition).order_by().values_list(field)
    return dict(rows.annotate(count=Count("pk")).order_by(field))


def _stages(now: datetime) -> tuple[StageTimes, ...]:
    with connection.cursor() as cursor:
        cursor.execute(STAGES, [now - RECENT])
        return tuple(StageTimes(*row) for row in cursor.fetchall())


def _model_totals(since: datetime) -> tuple[ModelTotals, ...]:
    sums = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "cost_usd")
    used = ModelUsage.objects.filter(created_at__gte=since)
    rows = used.order_by("model").values_list("model")
    return tuple(
        ModelTotals(*row) for row in rows.annotate(*(Sum(name, default=0) for name in sums))
    )


log = structlog.get_logger(__name__)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve the metrics to holders of METRICS_TOKEN; 404 to others, and if the token is not set."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    # compare_digest takes equal time for every wrong token, so it cannot be guessed byte by byte.
    if not settings.METRICS_TOKEN or not hmac.compare_digest(
        token.encode(), settings.METRICS_TOKEN.encode()
    ):
        raise Http404

    # A registry of its own for each scrape: nothing is kept between the web processes.
    registry = CollectorRegistry()
    registry.register(_SiteCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _SiteCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        site = collect_metrics()
        yield from _waiting_metrics(site)
        yield from _audit_metrics(site)
        yield from _model_metrics(site)
        yield from _queue_metrics()


def _waiting_metrics(site: SiteMetrics) -> Iterator[Metric]:
    yield _gauge("auditor_audits_waiting", "Audits waiting for a worker.", "queue", site.waiting)
    yield _gauge(
        "auditor_oldest_waiting_seconds",
        "Waiting time of the oldest audit.",
        "queue",
        site.oldest,
    )


def _audit_metrics(site: SiteMetrics) -> Iterator[Metric]:
    about = "Audits by state; of those that ended, this month's."
    yield _gauge("auditor_audits", about, "state", site.states)
    yield _counter(
        "auditor_audit_failures",
        "Failed audits of this month by error code.",
        "code",
        site.failures,
    )

    stages = GaugeMetricFamily(
        "auditor_stage_seconds",
        "Seconds in a stage, for audits finished in the last hour.",
        labels=("stage", "of"),
    )
    for stage in site.stages:
        stages.add_metric((stage.stage, "median"), stage.median)
        stages.add_metric((stage.stage, "longest"), stage.longest)
    yield stages

    audits = {stage.stage: stage.audits for stage in site.stages}
    yield _gauge(
        "auditor_stage_audits", "Audits measured by auditor_stage_seconds.", "stage", audits
    )


def _model_metrics(site: SiteMetrics) -> Iterator[Metric]:
    calls = {usage.model: usage.calls for usage in site.models}
    yield _counter("auditor_model_calls", "Calls to a model in this month.", "model", calls)

    costs = {usage.model: float(usage.cost_usd) for usage in site.models}
    yield _counter(
        "auditor_model_cost_usd", "Cost of this month's calls with a known price.", "model", costs
    )

    tokens = CounterMetricFamily(
        "auditor_model_tokens",
        "Tokens of this month by the provider's figures.",
        labels=("model", "kind"),
    )
    for usage in site.models:
        for kind in ("prompt", "cached", "completion"):
            tokens.add_metric((usage.model, kind), getattr(usage, f"{kind}_tokens"))
    yield tokens


def _queue_metrics() -> Iterator[Metric]:
    """Measure the queue's server; if it does not answer, report that and no depth, rather than
    zero.
    """
    answers = 1.0
    try:
        queues = {name: get_queue(name) for name in settings.QUEUES}
        depth = {name: queue.count for name, queue in queues.items()}
        workers = {name: Worker.count(queue=queue) for name, queue in queues.items()}
    except RedisError as error:
        log.warning("queue_not_measured", error=str(error))
        answers = 0.0
    else:
        yield _gauge("auditor_queue_jobs", "Jobs on the queue.", "queue", depth)
        yield _gauge("auditor_workers", "Workers with a recent heartbeat.", "queue", workers)
    yield GaugeMetricFamily(
        "auditor_queue_answers", "1 if the queue's server answers, else 0.", value=answers
    )


def _gauge(name: str, about: str, label: str, values: dict[str, int] | dict[str, float]) -> Metric:
    family = GaugeMetricFamily(name, about, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family


def _counter(
    name: str, about: str, label: str, values: dict[str, int] | dict[str, float]
) -> Metric:
    family = CounterMetricFamily(name, about, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family
