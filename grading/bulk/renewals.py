"""Renewals: a new verdict on work that was judged before, by new opinions or a full audit.

A renewal is another audit beside the one that counts. It counts only once it ends with a report of
its own (grading/audits/queries.py), so one that waits, fails or is cancelled changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.audits.queries import current_audit
from grading.core.activity_writer import record_activity
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import OPEN_STATES, AuditKind, AuditState, Renewal, RubricState
from grading.core.errors import RenewalRefused
from grading.core.fair_turns import NO_ROOM, has_room
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
    """Ask the judges again about these criteria or all; evidence and other opinions are kept.

    The rubric version is that of the current verdict, unless another is given.
    Raises RenewalRefused: verdict_missing, criterion_unknown, rubric_draft, already_running.
    """
    standing = current_audit(submission)
    if standing is None:
        raise RenewalRefused("verdict_missing", "There is no verdict to judge again yet.")

    version = rubric_version or standing.rubric_version
    refuse_unknown_criteria(criteria, version)
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
    """Repeat the whole audit for the submitted commit and report; also where an audit failed.

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
    """Create one waiting audit per submission, in their order, and return them.

    Runs in the caller's transaction, and the caller records the activity. Raises RenewalRefused
    already_running if one is being audited (the audit that ends last would hide the other), or
    too_many_open_unapproved.
    """
    # Lock in the order of ids, so that two bulk runs cannot deadlock.
    keys = sorted(submission.pk for submission in submissions)
    list(
        Submission.objects.select_for_update(no_key=True)
        .filter(pk__in=keys)
        .order_by("pk")
        .values("pk")
    )
    if submissions_being_audited(keys):
        raise RenewalRefused(
            "already_running", "This submission is being audited now. Wait until the audit ends."
        )

    if submissions and not has_room(submissions[0].organization, len(submissions)):
        raise RenewalRefused("too_many_open_unapproved", NO_ROOM)

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
        # One call is enough: it enqueues as many of the others as the queue may hold.
        enqueue_on_commit(audits[0])

    return audits


def submissions_being_audited(submissions: Collection[Any]) -> set[Any]:
    """Return the ids of submissions with an open audit; peers' audits affect no grade."""
    running = Audit.objects.filter(submission__in=submissions, state__in=OPEN_STATES)
    return set(running.exclude(kind=AuditKind.PEER).values_list("submission_id", flat=True))


def criteria_lost_to_failures(*, audit_id: UUID, verdict: Verdict) -> list[str]:
    """Return criteria that are scored now and would lose their score in this renewal.

    They lose it because judges gave no answer: the provider was down, or the budget spent. Such a
    renewal has failed.
    """
    # Only a verdict with open criteria can have lost a score.
    if verdict.state != AuditState.NEEDS_REVIEW:
        return []
    renewed = Audit.objects.only("renewal", "submission_id").get(pk=audit_id)
    # A renewal for missing opinions starts from a verdict without those scores.
    standing = None if renewed.renewal == Renewal.MISSING else current_audit(renewed.submission)
    if standing is None:
        return []

    unheard = {row.id for row in parse_report(verdict.report).criteria if _lacks_answers(row)}
    scored = CriterionVerdict.objects.filter(
        audit=standing, criterion_id__in=unheard, score__isnull=False
    )

    return list(scored.order_by("position").values_list("name", flat=True))


def _lacks_answers(criterion: Criterion) -> bool:
    # Abstaining is an answer: the evidence does not decide the criterion.
    failures = {opinion.failure for opinion in criterion.opinions} - {None, "abstained"}
    return criterion.final_score is None and bool(failures)


def refuse_unknown_criteria(criteria: Sequence[str], version: RubricVersion) -> None:
    """Raise RenewalRefused criterion_unknown for an id that the version does not have."""
    criterion_ids = {criterion["id"] for criterion in version.document["criteria"]}
    if not criterion_ids.issuperset(criteria):
        raise RenewalRefused("criterion_unknown", f"{version} has no such criterion.")


def refuse_drafts(version: RubricVersion) -> None:
    """Raise RenewalRefused rubric_draft: a verdict names a version that cannot change."""
    if version.state == RubricState.DRAFT:
        raise RenewalRefused(
            "rubric_draft", f"{version} is a draft. Publish it before you judge with it."
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
