"""What a bulk run would be about, what one audit has cost so far, and how far runs are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, F, Q, QuerySet, Sum

from grading.core.enums import (
    REPORTED_STATES,
    AuditKind,
    AuditState,
    Batch,
    BulkItemState,
    BulkState,
    BulkVerb,
    RubricState,
)
from grading.models import Assignment, Audit, BulkItem, BulkRun, Grade, ModelUsage, RubricVersion

LAST_RUNS = 20
MOST_MOVED = 10
JUDGES = 3
SHOWN = {
    "changed": Q(changed=True),
    "failed": Q(state=BulkItemState.FAILED),
    "waiting": Q(state=BulkItemState.WAITING),
    "cancelled": Q(state=BulkItemState.CANCELLED),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What an audit's answers took in the last runs: US dollars, lowest, mean and highest; null without a price."""

    runs: int
    lowest: Decimal | None
    mean: Decimal | None
    highest: Decimal | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `done` counts what has ended, `failed` and `changed` of it; with `waiting` and `cancelled` it
    makes up `total`. Of a cancelled run `waiting` is what was at work then and still is."""

    total: int
    done: int
    failed: int
    changed: int
    waiting: int
    cancelled: int


def failed_audits(assignment: Assignment) -> list[Audit]:
    """For each student without any verdict the newest audit, where it has failed, by name."""
    judged = Grade.objects.filter(assignment=assignment).values("student")
    newest = (
        Audit.objects.filter(submission__assignment=assignment)
        .exclude(submission__student__in=judged)
        .exclude(kind=AuditKind.PEER)
        .order_by("submission__student_id", "-submission__attempt", "-created_at")
        .distinct("submission__student_id")
        .select_related("submission__student")
        .defer("report")
    )
    failed = [audit for audit in newest if audit.state == AuditState.FAILED]
    return sorted(failed, key=lambda audit: str(audit.submission.student))


def judgeable_versions(assignment: Assignment) -> QuerySet[RubricVersion]:
    """Every version of the assignment's rubric that a verdict may name, newest first."""
    siblings = RubricVersion.objects.filter(rubric=assignment.rubric_version.rubric_id)
    return siblings.exclude(state=RubricState.DRAFT).select_related("rubric").order_by("-number")


def measured_costs(
    assignment: Assignment, verb: BulkVerb, criteria: Sequence[str], batch: str
) -> Measured:
    """Of the assignment's last audits in which every judge was really asked, what this verb would ask again.

    Where a judge answers on all criteria in one call, one criterion costs about as much as all: the prompt is the same.
    """
    asked = Q()
    if verb == BulkVerb.REJUDGE:
        asked = ~Q(model_usage__judge=ModelUsage.VISION)
        if criteria and batch == Batch.PER_CRITERION:
            asked &= Q(model_usage__criterion_id__in=list(criteria))
    first = Q(model_usage__round=1)
    held = Audit.objects.filter(
        submission__assignment=assignment, state__in=REPORTED_STATES
    ).annotate(
        answers=Count("model_usage", filter=first),
        cost=Sum("model_usage__cost_usd", filter=asked, default=Decimal(0)),
        unpriced=Count("model_usage", filter=asked & Q(model_usage__cost_usd=None)),
    )
    fresh = held.filter(Q(answers=F("opinions_expected")) | Q(answers=JUDGES), answers__gt=0)
    rows = list(fresh.order_by("-finished_at").values_list("cost", "unpriced")[:LAST_RUNS])
    costs = [cost for cost, _ in rows]
    if not rows or any(unpriced for _, unpriced in rows):
        return Measured(len(rows), None, None, None)
    return Measured(len(rows), min(costs), sum(costs, Decimal(0)) / len(costs), max(costs))


def running_bulk(assignment: Assignment) -> BulkRun | None:
    """The run that goes on at this assignment; there is at most one."""
    return BulkRun.objects.filter(assignment=assignment, state=BulkState.RUNNING).first()


def past_runs(assignment: Assignment) -> QuerySet[BulkRun]:
    """Newest first."""
    runs = BulkRun.objects.filter(assignment=assignment).order_by("-created_at")
    return runs.select_related("rubric_version__rubric", "started_by")


def items_of(run: BulkRun, shown: str = "") -> QuerySet[BulkItem]:
    """With who handed in, reports left out. `shown` is a name of SHOWN; anything else is all of them."""
    related = BulkItem.objects.filter(SHOWN.get(shown, Q()), run=run).select_related(
        "submission__student", "audit", "renewed"
    )
    return related.defer("audit__report", "renewed__report")


def progress_of(run: BulkRun) -> Progress:
    """As of one moment, from the items alone: the run's own columns were read before, and an item may end in between."""
    ended = (BulkItemState.DONE, BulkItemState.FAILED)
    seen = BulkItem.objects.filter(run=run).aggregate(
        total=Count("pk"),
        done=Count("pk", filter=Q(state__in=ended)),
        **{name: Count("pk", filter=which) for name, which in SHOWN.items()},
    )
    return Progress(**seen)


def most_moved(run: BulkRun) -> list[BulkItem]:
    """Of what changed, what moved furthest; a score that came or went before all others."""
    moved = list(items_of(run, "changed"))
    return sorted(moved, key=lambda item: (-distance_of(item), item.position))[:MOST_MOVED]


def failures_of(run: BulkRun) -> QuerySet[BulkItem]:
    return items_of(run, "failed").order_by("position")


def distance_of(item: BulkItem) -> float:
    """How far the overall score moved, on the scale of 1 to 5."""
    before, after = item.score_before, item.score_after
    if before is None or after is None:
        return 0.0 if before is after else 4.0
    return abs(after - before)
