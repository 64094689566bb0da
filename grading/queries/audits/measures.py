"""What the operator's monitoring is told: sums over all institutions, never a name of anybody or of any of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Count, Min, Sum
from django.utils import timezone
from django_scopes import scope

from grading.enums import AuditState
from grading.models import Audit, ModelUsage, Organization
from grading.queries.audits.turns import BULK, SUBMISSIONS, belongs_on

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
class Bought:
    """What one model was asked since the beginning; `cost_usd` sums what has a price."""

    model: str
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class Measures:
    """`waiting` and `oldest` (seconds) by queue, `states` and `failures` (by code) of every audit there is."""

    waiting: dict[str, int]
    oldest: dict[str, float]
    states: dict[str, int]
    failures: dict[str, int]
    stages: tuple[StageTimes, ...]
    bought: tuple[Bought, ...]


def measure() -> Measures:
    """Over the whole site, as the operator's administration sees it. Eight queries, whoever scrapes."""
    now = timezone.now()
    with scope(organization=list(Organization.objects.all())):
        queues = {name: _waiting(name, now) for name in (SUBMISSIONS, BULK)}
        return Measures(
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


def _bought() -> tuple[Bought, ...]:
    sums = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "cost_usd")
    rows = ModelUsage.objects.order_by("model").values_list("model")
    return tuple(Bought(*row) for row in rows.annotate(*(Sum(name, default=0) for name in sums)))
