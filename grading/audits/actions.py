"""Actions of a running audit; every write needs the token of the lease."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Func, JSONField, QuerySet, Value
from django.db.models.functions import Now
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.audit_queue import enqueue_on_commit
from grading.core.enums import AUDIT_MOVES, REPORTED_STATES, AuditKind, AuditState
from grading.core.errors import IllegalMoveError, LeaseLostError
from grading.core.fair_turns import IN_GRACE
from grading.engine.events import (
    Contents,
    CriterionRow,
    EvidenceRow,
    Look,
    OpinionRow,
    ScreeningRow,
    UsageRow,
    Verdict,
)
from grading.models import (
    Audit,
    AuditContents,
    CriterionVerdict,
    EvidenceRecord,
    ModelUsage,
    OpinionRecord,
    Submission,
)

# After so many attempts the audit fails, so that no input can occupy workers forever.
MAX_RUN_ATTEMPTS = 3
JUDGES_PER_CRITERION = 3


@dataclass(frozen=True, slots=True)
class Lease:
    """Right to write to one audit, until another worker gets it."""

    audit_id: UUID
    organization_id: int
    token: UUID


def claim_audit(*, audit_id: UUID | str, run_attempt: int) -> Lease | None:
    """Start attempt `run_attempt` of the audit; None if another worker did, or it is over or held."""
    token, now = uuid4(), timezone.now()
    # The number of the attempt fences a job that is delivered twice: only the first claims.
    waiting = Audit.objects.filter(
        ~IN_GRACE, pk=audit_id, state=AuditState.QUEUED, run_attempt=run_attempt - 1
    )

    with transaction.atomic():
        claimed = waiting.update(
            **_move(AuditState.QUEUED, AuditState.RUNNING),
            lease_token=token,
            lease_until=_lease_from(now),
            run_attempt=run_attempt,
            started_at=now,
            stage="",
            stage_times={},
            opinions_done=0,
        )
        if not claimed:
            return None

        audit = Audit.objects.select_related("rubric_version", "submission__assignment").get(
            pk=audit_id
        )
        # Judges without an answer are asked again in this attempt.
        OpinionRecord.objects.filter(audit=audit, score=None).delete()

        criteria = len(audit.rubric_version.document["criteria"])
        Audit.objects.filter(pk=audit.pk).update(opinions_expected=criteria * JUDGES_PER_CRITERION)
        record_activity(
            organization=audit.organization_id,
            actor=None,
            verb="audit.started",
            about=audit,
            attempt=run_attempt,
        )
        # Enqueue the next audit: an organization has only a few jobs on a queue at a time.
        enqueue_on_commit(audit)
    return Lease(audit_id=audit.pk, organization_id=audit.organization_id, token=token)


def renew_lease(*, lease: Lease) -> None:
    """Extend the lease. Raises LeaseLostError, as every action here."""
    _write(lease)


def record_stage(*, lease: Lease, stage: str) -> None:
    """Store the stage that began, with the time of its first start in this run."""
    began = Value({stage: timezone.now().isoformat()}, output_field=JSONField())
    # The right side of || wins, so that an earlier start of the same stage stays.
    times = Func(began, F("stage_times"), template="(%(expressions)s)", arg_joiner=" || ")
    _write(lease, stage=stage, stage_times=times, version=F("version") + 1)


def record_contents(*, lease: Lease, contents: Contents) -> None:
    """Store which files and pages are audited, so that places can be looked up and shown."""
    with transaction.atomic():
        _write(lease)
        AuditContents.objects.update_or_create(
            audit_id=lease.audit_id,
            organization_id=lease.organization_id,
            defaults={
                "files": contents.files,
                "pages": contents.pages,
                "sources": contents.sources,
            },
        )


def record_evidence(*, lease: Lease, rows: Sequence[EvidenceRow]) -> None:
    """Store the evidence of a detective; rows that exist already stay unchanged."""
    with transaction.atomic():
        _write(lease, version=F("version") + 1)
        write_evidence(rows, audit_id=lease.audit_id, organization_id=lease.organization_id)


def record_opinion(*, lease: Lease, opinion: OpinionRow) -> None:
    """Store a judge's answer, or its failure; both complete the judge's criterion."""
    # Later rounds answer criteria that are counted already: progress counts the first.
    first_round = 1 if opinion.round == 1 else 0

    with transaction.atomic():
        _write(lease, opinions_done=F("opinions_done") + first_round, version=F("version") + 1)
        OpinionRecord.objects.bulk_create([_opinion_record(lease, opinion)], ignore_conflicts=True)

        if opinion.usage is not None:
            _record_usage(
                lease,
                opinion.usage,
                judge=opinion.judge,
                criterion_id=opinion.criterion_id,
                round=opinion.round,
            )


def record_look(*, lease: Lease, look: Look) -> None:
    """Store the usage of a look at the report's pages; it is paid whatever the audit's result."""
    with transaction.atomic():
        _write(lease)
        _record_usage(lease, look.usage, judge=ModelUsage.VISION, criterion_id="", round=0)


def record_screening(*, lease: Lease, screening: ScreeningRow) -> None:
    """Store what a model said about the prose, so that the same prose is not paid for twice."""
    with transaction.atomic():
        _write(lease, screening=screening.document)
        if screening.usage is not None:
            _record_usage(
                lease, screening.usage, judge=ModelUsage.SCREENING, criterion_id="", round=0
            )


def store_verdict(*, lease: Lease, verdict: Verdict) -> Audit:
    """End the audit with this report and its rows; return the audit without its report.

    `grading.workflow.finish_audit` calls this, with everything that follows a verdict.
    """
    # A degraded audit has no verdict, and so no score.
    score = verdict.overall_score if verdict.state != AuditState.DEGRADED else None
    with transaction.atomic():
        _end(
            lease,
            verdict.state,
            stage="",
            report=verdict.report,
            report_digest=verdict.digest,
            overall_score=score,
        )
        _replace_rows(lease, verdict)
        audit = _without_report(lease.audit_id)

        # A peer's audit judges the commit that was resolved before.
        if audit.kind != AuditKind.PEER:
            Submission.objects.filter(pk=audit.submission_id).update(resolved_commit=verdict.commit)

        record_activity(
            organization=lease.organization_id,
            actor=None,
            verb="audit.finished",
            about=audit,
            state=verdict.state,
            digest=verdict.digest,
            overall_score=score,
        )
    return audit


def store_failure(*, lease: Lease, code: str, message: str) -> Audit:
    """End the audit without a verdict; return it without its report.

    `stage` stays: it shows where the audit stopped. `grading.workflow.fail_audit` calls this.
    """
    with transaction.atomic():
        _end(lease, AuditState.FAILED, failure_code=code, failure_message=message)
        audit = _without_report(lease.audit_id)
        _forgive_attempt(audit)

        record_activity(
            organization=lease.organization_id,
            actor=None,
            verb="audit.failed",
            about=audit,
            code=code,
        )
    return audit


def end_running_attempt(
    *, audit: Audit, code: str, message: str, pause: timedelta
) -> AuditState | None:
    """End the attempt of a worker that died or broke, as `_end_attempt` does.

    `audit` is the row as it was read: None if its lease has changed since.
    """
    unchanged = Audit.objects.filter(
        pk=audit.pk, state=AuditState.RUNNING, lease_token=audit.lease_token
    )
    return _end_attempt(unchanged, audit, code=code, message=message, pause=pause)


def end_waiting_attempt(*, audit: Audit, code: str, message: str) -> AuditState | None:
    """End the attempt of a job that failed before it could claim its audit.

    It counts as an attempt as well. None if somebody else has claimed the audit since.
    """
    unchanged = Audit.objects.filter(
        pk=audit.pk, state=AuditState.QUEUED, run_attempt=audit.run_attempt
    )
    # The job failed before its claim, which would have counted the attempt.
    audit.run_attempt += 1
    return _end_attempt(unchanged, audit, code=code, message=message)


def note_ended_attempt(*, audit: Audit, state: AuditState, code: str) -> None:
    """Log that an attempt ended without a verdict, and whether another follows."""
    record_activity(
        organization=audit.organization_id,
        actor=None,
        verb="audit.failed" if state == AuditState.FAILED else "audit.requeued",
        about=audit,
        code=code,
        attempt=audit.run_attempt,
    )


def _end_attempt(
    unchanged: QuerySet[Audit],
    audit: Audit,
    *,
    code: str,
    message: str,
    pause: timedelta = timedelta(0),
) -> AuditState | None:
    """Put the audit back on the queue, or fail it after its last attempt; return its new state.

    With a pause no worker may claim it before the pause ends; then the reconciler enqueues it.
    """
    is_last = audit.run_attempt >= MAX_RUN_ATTEMPTS
    before = AuditState(audit.state)
    after = AuditState.FAILED if is_last else AuditState.QUEUED
    changes: dict[str, Any] = {"run_attempt": audit.run_attempt}
    if is_last:
        changes |= {"failure_code": code, "failure_message": message, "finished_at": timezone.now()}
    else:
        # The stored opinions stay; only the progress on the page begins again.
        changes |= {"stage": "", "opinions_done": 0}
    if pause:
        # By the database's clock, as a claim is decided there.
        changes["grace_until"] = Now() + Value(pause)

    with transaction.atomic():
        if not unchanged.update(
            **_move(before, after), lease_token=None, lease_until=None, **changes
        ):
            return None
        if is_last:
            _forgive_attempt(audit)
        else:
            enqueue_on_commit(audit)
    return after


def _move(before: AuditState, after: AuditState) -> dict[str, Any]:
    """The fields of one legal move, for a conditional UPDATE."""
    if after not in AUDIT_MOVES[before]:
        raise IllegalMoveError("illegal_move", f"An audit cannot go from {before} to {after}.")
    return {"state": after, "version": F("version") + 1}


def _write(lease: Lease, **changes: Any) -> None:
    """Update the audit as the holder of the lease; this locks the row for the transaction."""
    # Every write renews the lease as well; `_end` passes None to give it up.
    changes.setdefault("lease_until", _lease_from(timezone.now()))

    held = Audit.objects.filter(
        pk=lease.audit_id, state=AuditState.RUNNING, lease_token=lease.token
    )
    if not held.update(**changes):
        raise LeaseLostError("lease_lost", "Another worker holds this audit now.")


def _lease_from(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.AUDIT_LEASE_SECONDS)


def _end(lease: Lease, state: AuditState, **changes: Any) -> None:
    finished_at: datetime = timezone.now()
    _write(
        lease,
        **_move(AuditState.RUNNING, state),
        lease_token=None,
        lease_until=None,
        finished_at=finished_at,
        **changes,
    )


def _without_report(audit_id: UUID) -> Audit:
    return Audit.objects.only("submission_id", "organization_id", "kind", "state").get(pk=audit_id)


def _forgive_attempt(audit: Audit) -> None:
    """Give the attempt back, unless it has a verdict already."""
    # A failed re-audit takes no verdict away, and a peer's audit changes no attempt.
    if audit.kind == AuditKind.PEER:
        return

    verdicts = Audit.objects.filter(state__in=REPORTED_STATES).exclude(kind=AuditKind.PEER)
    without_verdict = Submission.objects.exclude(audits__in=verdicts)
    without_verdict.filter(pk=audit.submission_id).update(counts=False)


def _replace_rows(lease: Lease, verdict: Verdict) -> None:
    """Keep only the evidence of the report, and write the verdicts. Opinions stay unchanged."""
    kept = [row.key for row in verdict.evidence]
    EvidenceRecord.objects.filter(audit=lease.audit_id).exclude(key__in=kept).delete()
    owner: dict[str, Any] = {"audit_id": lease.audit_id, "organization_id": lease.organization_id}
    write_evidence(verdict.evidence, **owner)
    write_verdicts(verdict.criteria, **owner)


def _record_usage(lease: Lease, usage: UsageRow, **source: Any) -> None:
    ModelUsage.objects.create(
        organization_id=lease.organization_id, audit_id=lease.audit_id, **source, **asdict(usage)
    )


def _opinion_record(lease: Lease, opinion: OpinionRow) -> OpinionRecord:
    return OpinionRecord(
        organization_id=lease.organization_id,
        audit_id=lease.audit_id,
        key=opinion.key,
        judge=opinion.judge,
        criterion_id=opinion.criterion_id,
        round=opinion.round,
        score=opinion.score,
        document=opinion.document,
    )


def write_evidence(rows: Iterable[EvidenceRow], *, audit_id: UUID, organization_id: int) -> None:
    """Create the rows; those that exist already stay unchanged."""
    EvidenceRecord.objects.bulk_create(
        [
            EvidenceRecord(
                organization_id=organization_id,
                audit_id=audit_id,
                key=row.key,
                detective=row.detective,
                check_id=row.check,
                found=row.found,
                path=row.path,
                line_start=row.line_start,
                document=row.document,
            )
            for row in rows
        ],
        ignore_conflicts=True,
    )


def write_verdicts(rows: Sequence[CriterionRow], *, audit_id: UUID, organization_id: int) -> None:
    """Replace the audit's verdicts."""
    CriterionVerdict.objects.filter(audit=audit_id).delete()
    CriterionVerdict.objects.bulk_create(
        CriterionVerdict(
            organization_id=organization_id,
            audit_id=audit_id,
            position=position,
            criterion_id=row.criterion_id,
            name=row.name,
            score=row.score,
            level=row.level,
            points=row.points,
            max_points=row.max_points,
            needs_review=row.needs_review,
            excluded=row.excluded,
        )
        for position, row in enumerate(rows)
    )
