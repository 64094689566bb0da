"""What the operator's monitoring is told: sums over all institutions, never a name of anybody or of any of them."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_rq import get_connection, get_queue
from django_scopes import scope
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from redis.exceptions import RedisError
from rq import Worker

from grading.core.enums import AuditState
from grading.core.fair_turns import BULK, SUBMISSIONS, belongs_on
from grading.models import Audit, ModelUsage, Organization

RECENT = timedelta(hours=1)
STAGES = """
SELECT stage.key, count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY stage.value::float), max(stage.value::float)
FROM grading_audit, jsonb_each_text(report -> 'timings') AS stage
WHERE finished_at > %s AND report IS NOT NULL GROUP BY stage.key ORDER BY stage.key
"""


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Seconds that the audits of the last hour spent in one stage of the court."""

    stage: str
    audits: int
    median: float
    longest: float


@dataclass(frozen=True, slots=True)
class ModelTotals:
    """What one model was asked since the beginning; `cost_usd` sums what has a price."""

    model: str
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class SiteMetrics:
    """`waiting` and `oldest` (seconds) by queue, `states` and `failures` (by code) of every audit there is."""

    waiting: dict[str, int]
    oldest: dict[str, float]
    states: dict[str, int]
    failures: dict[str, int]
    stages: tuple[StageTimes, ...]
    bought: tuple[ModelTotals, ...]


def collect_metrics() -> SiteMetrics:
    """Over the whole site, as the operator's administration sees it. Eight queries, whoever scrapes."""
    now = timezone.now()
    with scope(organization=list(Organization.objects.all())):
        queues = {name: _waiting(name, now) for name in (SUBMISSIONS, BULK)}
        return SiteMetrics(
            waiting={name: count for name, (count, _) in queues.items()},
            oldest={name: seconds for name, (_, seconds) in queues.items()},
            states=dict.fromkeys(AuditState.values, 0) | _counted("state"),
            failures=_counted("failure_code", state=AuditState.FAILED),
            stages=_stages(now),
            bought=_bought(),
        )


def _waiting(queue: str, now: datetime) -> tuple[int, float]:
    waiting = Audit.objects.filter(belongs_on(queue), state=AuditState.QUEUED)
    seen = waiting.aggregate(count=Count("pk"), oldest=Min("queued_at"))
    return seen["count"], (now - seen["oldest"]).total_seconds() if seen["oldest"] else 0.0


def _counted(field: str, **conditions: str) -> dict[str, int]:
    rows = Audit.objects.filter(**conditions).order_by().values_list(field)
    return dict(rows.annotate(count=Count("pk")).order_by(field))


def _stages(now: datetime) -> tuple[StageTimes, ...]:
    with connection.cursor() as cursor:
        cursor.execute(STAGES, [now - RECENT])
        return tuple(StageTimes(*row) for row in cursor.fetchall())


def _bought() -> tuple[ModelTotals, ...]:
    sums = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "cost_usd")
    rows = ModelUsage.objects.order_by("model").values_list("model")
    return tuple(
        ModelTotals(*row) for row in rows.annotate(*(Sum(name, default=0) for name in sums))
    )


log = structlog.get_logger(__name__)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """To whoever has METRICS_TOKEN; to everybody else, and where it is not set, there is no such page."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not hmac.compare_digest(
        given.encode(), settings.METRICS_TOKEN.encode()
    ):
        raise Http404
    registry = CollectorRegistry()
    registry.register(_Site())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _Site(Collector):
    def collect(self) -> Iterator[Metric]:
        seen = collect_metrics()
        yield from _waiting_metrics(seen)
        yield from _audits(seen)
        yield from _models(seen)
        yield from _queue_server()


def _waiting_metrics(seen: SiteMetrics) -> Iterator[Metric]:
    yield _gauge("auditor_audits_waiting", "Audits that wait for a worker.", "queue", seen.waiting)
    yield _gauge(
        "auditor_oldest_waiting_seconds",
        "How long the oldest of them has waited.",
        "queue",
        seen.oldest,
    )


def _audits(seen: SiteMetrics) -> Iterator[Metric]:
    yield _gauge("auditor_audits", "Audits in each state.", "state", seen.states)
    yield _counter(
        "auditor_audit_failures", "Audits that failed, by the code shown.", "code", seen.failures
    )
    stages = GaugeMetricFamily(
        "auditor_stage_seconds", "Audits ended in the last hour.", labels=("stage", "of")
    )
    for each in seen.stages:
        stages.add_metric((each.stage, "median"), each.median)
        stages.add_metric((each.stage, "longest"), each.longest)
    yield stages
    audits = {each.stage: each.audits for each in seen.stages}
    yield _gauge("auditor_stage_audits", "How many audits those seconds are of.", "stage", audits)


def _models(seen: SiteMetrics) -> Iterator[Metric]:
    calls = {each.model: each.calls for each in seen.bought}
    yield _counter("auditor_model_calls", "Calls to a model.", "model", calls)
    costs = {each.model: float(each.cost_usd) for each in seen.bought}
    yield _counter("auditor_model_cost_usd", "What has a price.", "model", costs)
    tokens = CounterMetricFamily(
        "auditor_model_tokens", "By the provider's figures.", labels=("model", "kind")
    )
    for each in seen.bought:
        for kind in ("prompt", "cached", "completion"):
            tokens.add_metric((each.model, kind), getattr(each, f"{kind}_tokens"))
    yield tokens


def _queue_server() -> Iterator[Metric]:
    """Of a server that does not answer nothing is known but that: no depth is shown as zero."""
    answers = 1.0
    try:
        depth = {name: get_queue(name).count for name in settings.AUDIT_QUEUES}
        workers = Worker.count(connection=get_connection(settings.AUDIT_QUEUES[0]))
    except RedisError as error:
        log.warning("queue_not_measured", said=str(error))
        answers = 0.0
    else:
        yield _gauge(
            "auditor_queue_jobs", "Jobs on the queue: those whose turn it is.", "queue", depth
        )
        yield GaugeMetricFamily("auditor_workers", "Workers that beat.", value=workers)
    yield GaugeMetricFamily(
        "auditor_queue_answers", "Whether the queue's server does.", value=answers
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
