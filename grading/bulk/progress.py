"""Progress of bulk runs.

Each item ends once, in the transaction that ends its work; the run's counts are updated there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import AuditState, BulkItemState, BulkState
from grading.models import Audit, BulkItem, BulkRun, CriterionVerdict

NO_VERDICT = (
    "degraded",
    "There was not enough evidence for a verdict. The earlier verdict still counts.",
)
Results = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Change:
    """Criteria that a new verdict changed, with the court's overall score before and after."""

    criteria: int
    score_before: float | None
    score_after: float | None

    @property
    def is_one(self) -> bool:
        return self.criteria > 0 or self.score_before != self.score_after


def results_of(audit_id: UUID | None) -> dict[str, tuple[Any, ...]]:
    """Return each criterion's result as students see it; empty for no audit."""
    rows = CriterionVerdict.objects.filter(audit=audit_id)
    columns = ("score", "level", "points", "max_points", "needs_review", "excluded")
    return {row[0]: row[1:] for row in rows.values_list("criterion_id", *columns)}


def criteria_changed(before: Results, after: Results) -> int:
    """Count the criteria that were added, removed, or have another result."""
    return sum(
        before.get(criterion) != after.get(criterion) for criterion in before.keys() | after.keys()
    )


def end_item(*, item: BulkItem, change: Change) -> None:
    """Record an item's result; call it in the transaction that wrote the result."""
    _end(
        item,
        state=BulkItemState.DONE,
        changed=change.is_one,
        criteria_changed=change.criteria,
        score_before=change.score_before,
        score_after=change.score_after,
    )


def fail_item(*, item: BulkItem, code: str, message: str) -> None:
    """Record that an item failed; the earlier verdict still counts."""
    _end(item, state=BulkItemState.FAILED, code=code, message=message)


def end_renewal(*, audit: Audit) -> None:
    """Record the end of an audit with the bulk run it belongs to, if any.

    Call it in the transaction that ended the audit.
    """
    item = BulkItem.objects.filter(renewed=audit.pk, state=BulkItemState.WAITING).first()
    if item is None:
        return
    # Read again: the caller's object may be older than the end of the audit.
    ended = Audit.objects.defer("report").get(pk=audit.pk)
    if ended.state == AuditState.FAILED:
        fail_item(item=item, code=ended.failure_code, message=ended.failure_message)
    elif ended.state == AuditState.DEGRADED:
        code, message = NO_VERDICT
        fail_item(item=item, code=code, message=message)
    else:
        criteria = criteria_changed(results_of(item.audit_id), results_of(ended.pk))
        end_item(item=item, change=Change(criteria, item.score_before, ended.overall_score))


def update_counts(*, run_id: UUID) -> None:
    """Count the run's items again, and end the run when none is waiting."""
    # The lock orders items that end at once, so that one of them sees zero waiting.
    run = BulkRun.objects.select_for_update(no_key=True).get(pk=run_id)
    counts = BulkItem.objects.filter(run=run_id).aggregate(
        done=Count("pk", filter=Q(state__in=(BulkItemState.DONE, BulkItemState.FAILED))),
        failed=Count("pk", filter=Q(state=BulkItemState.FAILED)),
        changed=Count("pk", filter=Q(changed=True)),
        waiting=Count("pk", filter=Q(state=BulkItemState.WAITING)),
    )
    waiting = counts.pop("waiting")
    if run.state == BulkState.RUNNING and not waiting:
        counts |= {"state": BulkState.DONE, "finished_at": timezone.now()}
        totals = {name: counts[name] for name in ("done", "failed", "changed")}
        record_activity(
            organization=run.organization_id, actor=None, verb="bulk.finished", about=run, **totals
        )

    BulkRun.objects.filter(pk=run_id).update(**counts)


def cancel_items(*, run_id: UUID, audits: Iterable[UUID]) -> int:
    """Cancel waiting items that have no audit, or one of these `audits`; return the number.

    Items without an audit are re-syntheses.
    """
    waiting = BulkItem.objects.filter(run=run_id, state=BulkItemState.WAITING)
    cancelled: int = waiting.filter(Q(renewed=None) | Q(renewed__in=list(audits))).update(
        state=BulkItemState.CANCELLED
    )
    return cancelled


def _end(item: BulkItem, **result: Any) -> None:
    # The conditional UPDATE counts an item once, even if its job runs twice.
    if BulkItem.objects.filter(pk=item.pk, state=BulkItemState.WAITING).update(**result):
        update_counts(run_id=item.run_id)
