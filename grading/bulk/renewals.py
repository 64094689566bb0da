"""A verdict asked for anew on work that was judged before: the judges' opinions, or everything.

Both make another audit beside the one whose verdict stands. Only when it ends with a report of its own does that one
count (grading/audits/queries.py), so a renewal that waits, fails or is cancelled takes nothing away.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.audits.queries import current_audit
from grading.core.activity import record_activity
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import OPEN_STATES, AuditKind, AuditState, Renewal, RubricState
from grading.core.errors import RenewalRefused
from grading.engine.events import Verdict
from grading.engine.report import Criterion, parse_report
from grading.models import Audit, BulkRun, CriterionVerdict, RubricVersion, Submission


def rejudge(
    *,
    submission: Submission,
    by: User | None,
    criteria: Sequence[str] = (),
    rubric_version: RubricVersion | None = None,
    bulk_run: BulkRun | None = None,
) -> Audit:
    """Have the judges asked again, on these criteria or on all; the evidence and every other opinion are kept.

    Judged under the version that the standing verdict was judged under, unless another is given.
    Raises RenewalRefused: verdict_missing, criterion_unknown, rubric_draft, already_running.
    """
    standing = current_audit(submission)
    if standing is None:
        raise RenewalRefused(
            "verdict_missing", "There is no verdict yet that could be judged again."
        )
    version = rubric_version or standing.rubric_version
    refuse_unknown(criteria, version)
    return _renew(
        submission,
        Renewal.OPINIONS,
        version,
        by=by,
        criteria=criteria,
        bulk_run=bulk_run,
        verb="submission.rejudged",
    )


def reaudit(
    *,
    submission: Submission,
    by: User | None,
    rubric_version: RubricVersion | None = None,
    bulk_run: BulkRun | None = None,
) -> Audit:
    """Have everything worked out anew for the very commit and report that were handed in; also where an audit failed.

    Raises RenewalRefused: rubric_draft, already_running.
    """
    standing = current_audit(submission)
    version = rubric_version or (
        standing.rubric_version if standing else submission.assignment.rubric_version
    )
    return _renew(
        submission,
        Renewal.EVERYTHING,
        version,
        by=by,
        bulk_run=bulk_run,
        verb="submission.reaudited",
    )


def queue_renewals(
    *,
    submissions: Sequence[Submission],
    renewal: Renewal,
    version: RubricVersion,
    criteria: Sequence[str] = (),
    bulk_run: BulkRun | None = None,
) -> list[Audit]:
    """One waiting audit for each submission, in their order; inside the caller's transaction, which notes why.

    Raises RenewalRefused (already_running) when any of them is being audited: whatever ends last would hide the other.
    """
    keys = sorted(submission.pk for submission in submissions)
    list(
        Submission.objects.select_for_update(no_key=True)
        .filter(pk__in=keys)
        .order_by("pk")
        .values("pk")
    )
    if being_audited(keys):
        raise RenewalRefused(
            "already_running", "This work is being audited right now: wait until that ends."
        )
    now = timezone.now()
    audits = Audit.objects.bulk_create(
        Audit(
            organization_id=submission.organization_id,
            submission=submission,
            kind=AuditKind.INSTRUCTOR,
            rubric_version=version,
            renewal=renewal,
            criteria=list(criteria),
            bulk_run=bulk_run,
            state=AuditState.QUEUED,
            queued_at=now,
        )
        for submission in submissions
    )
    if audits:
        enqueue_on_commit(audits[0])  # and with it as many of the others as may be on the queue
    return audits


def being_audited(submissions: Collection[Any]) -> set[Any]:
    """Of these submissions' keys, those with an audit that has not ended; a peer's concerns nobody's grade."""
    running = Audit.objects.filter(submission__in=submissions, state__in=OPEN_STATES)
    return set(running.exclude(kind=AuditKind.PEER).values_list("submission_id", flat=True))


def lost_to_failures(*, audit_id: UUID, verdict: Verdict) -> list[str]:
    """The criteria that have a score in the verdict that stands and would have none in this renewal's, because judges
    gave no answer: their provider was away, or the budget at its end. Such a renewal has failed."""
    if verdict.state != AuditState.NEEDS_REVIEW:
        return []
    renewed = Audit.objects.only("renewal", "submission_id").get(pk=audit_id)
    standing = None if renewed.renewal == Renewal.MISSING else current_audit(renewed.submission)
    if standing is None:
        return []
    unheard = {row.id for row in parse_report(verdict.report).criteria if _went_unheard(row)}
    scored = CriterionVerdict.objects.filter(
        audit=standing, criterion_id__in=unheard, score__isnull=False
    )
    return list(scored.order_by("position").values_list("name", flat=True))


def _went_unheard(criterion: Criterion) -> bool:
    # A judge who abstains has answered: nobody can know.
    failures = {opinion.failure for opinion in criterion.opinions} - {None, "abstained"}
    return criterion.final_score is None and bool(failures)


def refuse_unknown(criteria: Sequence[str], version: RubricVersion) -> None:
    """Raises RenewalRefused (criterion_unknown) for an id that the version does not have."""
    known = {criterion["id"] for criterion in version.document["criteria"]}
    if not known.issuperset(criteria):
        raise RenewalRefused("criterion_unknown", f"{version} has no such criterion.")


def refuse_drafts(version: RubricVersion) -> None:
    """Raises RenewalRefused (rubric_draft): a verdict names a version that never changes any more."""
    if version.state == RubricState.DRAFT:
        raise RenewalRefused(
            "rubric_draft", f"{version} is a draft: publish it before judging under it."
        )


def _renew(
    submission: Submission,
    renewal: Renewal,
    version: RubricVersion,
    *,
    by: User | None,
    verb: str,
    criteria: Sequence[str] = (),
    bulk_run: BulkRun | None = None,
) -> Audit:
    refuse_drafts(version)
    with transaction.atomic():
        [audit] = queue_renewals(
            submissions=[submission],
            renewal=renewal,
            version=version,
            criteria=criteria,
            bulk_run=bulk_run,
        )
        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb=verb,
            about=submission,
            audit=str(audit.pk),
            attempt=submission.attempt,
            criteria=list(criteria),
            rubric=str(version),
        )
    return audit
