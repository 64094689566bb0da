"""Queries of bulk runs: audits they apply to, measured costs, and progress."""

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

MEASURED_AUDITS = 20
MOST_MOVED = 10
JUDGES = 3
ITEM_FILTERS = {
    "changed": Q(changed=True),
    "failed": Q(state=BulkItemState.FAILED),
    "waiting": Q(state=BulkItemState.WAITING),
    "cancelled": Q(state=BulkItemState.CANCELLED),
}


@dataclass(frozen=True, slots=True)
class MeasuredCost:
    """Cost of one recent audit in US dollars: lowest, mean, highest; null without a price."""

    runs: int
    lowest: Decimal | None
    mean: Decimal | None
    highest: Decimal | None


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run: `done` + `waiting` + `cancelled` = `total`.

    `failed` and `changed` are part of `done`. In a cancelled run, `waiting` counts audits that were
    running when it was cancelled and still are.
    """

    total: int
    done: int
    failed: int
    changed: int
    waiting: int
    cancelled: int


def failed_audits(assignment: Assignment) -> list[Audit]:
    """Return the newest audit, if it failed, of each work without a verdict; sorted by name."""
    # The key of the work: of a team any member may have the grade.
    judged = Grade.objects.filter(assignment=assignment).values("audit__submission__student")
    newest = (
        Audit.objects.filter(submission__assignment=assignment)
        .exclude(submission__student__in=judged)
        .exclude(kind=AuditKind.PEER)
        .order_by("submission__student_id", "-submission__attempt", "-created_at")
        # With this ordering, DISTINCT ON keeps each student's newest audit.
        .distinct("submission__student_id")
        .select_related("submission__student", "submission__team")
        .defer("report")
    )
    failed = [audit for audit in newest if audit.state == AuditState.FAILED]

    return sorted(failed, key=lambda audit: audit.submission.owner_name)


def judgeable_versions(assignment: Assignment) -> QuerySet[RubricVersion]:
    """Return every published version of the assignment's rubric, newest first."""
    siblings = RubricVersion.objects.filter(rubric=assignment.rubric_version.rubric_id)
    return siblings.exclude(state=RubricState.DRAFT).select_related("rubric").order_by("-number")


def measured_costs(
    assignment: Assignment, verb: BulkVerb, criteria: Sequence[str], batch: str
) -> MeasuredCost:
    """Return the cost of this action in recent audits where every judge was called.

    If a judge answers all criteria in one call, one criterion costs about as much as all of them:
    the prompt is the same.
    """
    asked_again = Q()
    if verb == BulkVerb.REJUDGE:
        asked_again = ~Q(model_usage__judge__in=[ModelUsage.VISION, ModelUsage.SCREENING])
        if criteria and batch == Batch.PER_CRITERION:
            asked_again &= Q(model_usage__criterion_id__in=list(criteria))

    # Audits that reused stored answers would make the estimate too low.
    first = Q(model_usage__round=1)
    held = Audit.objects.filter(
        submission__assignment=assignment, state__in=REPORTED_STATES
    ).annotate(
        answers=Count("model_usage", filter=first),
        cost=Sum("model_usage__cost_usd", filter=asked_again, default=Decimal(0)),
        unpriced=Count("model_usage", filter=asked_again & Q(model_usage__cost_usd=None)),
    )
    fresh = held.filter(Q(answers=F("opinions_expected")) | Q(answers=JUDGES), answers__gt=0)
    rows = list(fresh.order_by("-finished_at").values_list("cost", "unpriced")[:MEASURED_AUDITS])
    costs = [cost for cost, _ in rows]
    if not rows or any(unpriced for _, unpriced in rows):
        return MeasuredCost(len(rows), None, None, None)

    return MeasuredCost(len(rows), min(costs), sum(costs, Decimal(0)) / len(costs), max(costs))


def running_bulk(assignment: Assignment) -> BulkRun | None:
    """Return the run in progress at this assignment; there is at most one."""
    return BulkRun.objects.filter(assignment=assignment, state=BulkState.RUNNING).first()


def past_runs(assignment: Assignment) -> QuerySet[BulkRun]:
    """Return the assignment's runs, newest first."""
    runs = BulkRun.objects.filter(assignment=assignment).order_by("-created_at")
    return runs.select_related("rubric_version__rubric", "started_by")


def items_of(run: BulkRun, kind: str = "") -> QuerySet[BulkItem]:
    """Return items with their students, reports deferred. An unknown `kind` means all."""
    related = BulkItem.objects.filter(ITEM_FILTERS.get(kind, Q()), run=run).select_related(
        "submission__student", "submission__team", "audit", "renewed"
    )
    return related.defer("audit__report", "renewed__report")


def progress_of(run: BulkRun) -> Progress:
    """Count the run's items in one query.

    The run's own columns were read earlier, and an item may have ended in between.
    """
    ended = (BulkItemState.DONE, BulkItemState.FAILED)
    counts = BulkItem.objects.filter(run=run).aggregate(
        total=Count("pk"),
        done=Count("pk", filter=Q(state__in=ended)),
        **{name: Count("pk", filter=condition) for name, condition in ITEM_FILTERS.items()},
    )

    return Progress(**counts)


def most_moved(run: BulkRun) -> list[BulkItem]:
    """Return the changed items, largest change first; scores that appeared or vanished lead."""
    moved = list(items_of(run, "changed"))
    return sorted(moved, key=lambda item: (-distance_of(item), item.position))[:MOST_MOVED]


def failures_of(run: BulkRun) -> QuerySet[BulkItem]:
    return items_of(run, "failed").order_by("position")


def distance_of(item: BulkItem) -> float:
    """Return the distance between the overall scores, on the scale of 1 to 5."""
    before, after = item.score_before, item.score_after
    # A score that appeared or vanished counts as the largest distance, 5 - 1.
    if before is None or after is None:
        return 0.0 if before is after else 4.0
    return abs(after - before)
