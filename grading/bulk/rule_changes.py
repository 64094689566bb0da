"""Re-synthesis: apply the rules again to stored evidence and opinions, without a model call.

The old report is kept. A released grade stays as its student knows it until it is released again,
and overrides still replace the court's scores.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from grading.audits.actions import write_evidence, write_verdicts
from grading.bulk.progress import Change, criteria_changed, results_of
from grading.bulk.renewals import refuse_drafts
from grading.core.activity_writer import record_activity
from grading.core.enums import JUDGED_STATES, AuditKind
from grading.core.errors import RenewalRefused
from grading.engine.report import parse_report
from grading.engine.stored_verdicts import Resynthesis, Synthesis
from grading.models import (
    Audit,
    BulkRun,
    Enrollment,
    OpinionRecord,
    RubricVersion,
    SupersededReport,
)


def apply_rules(
    *,
    audit: Audit,
    version: RubricVersion,
    by: User | None,
    bulk_run: BulkRun | None = None,
    rules: Resynthesis | None = None,
) -> tuple[Change, Audit | None]:
    """Replace the audit's verdict with the one under this version's rules.

    Return the change, and the audit with its new verdict: None where the report stayed the same.
    `rules` are those of this version, parsed once for many audits. A concurrent writer waits for
    the row. `grading.workflow.resynthesise_audit` calls this and lets the new verdict count.

    Raises RenewalRefused (rubric_draft, verdict_missing, nothing_scored) or InputRefused
    (record_*): then nothing has changed.
    """
    refuse_drafts(version)
    with transaction.atomic():
        held = _lock_audit(audit)
        if held is None or held.state not in JUDGED_STATES or held.kind == AuditKind.PEER:
            raise RenewalRefused("verdict_missing", "There is no verdict to apply the rules to.")

        synthesis = (rules or Resynthesis(version.document)).of(
            held.report or {},
            before=held.rubric_version.document,
            digest=held.rubric_version.digest,
        )
        if synthesis.verdict.state not in JUDGED_STATES:
            message = f"The stored evidence gives no score under {version}. Run a re-audit instead."
            raise RenewalRefused("nothing_scored", message)

        return _replace_verdict(held, synthesis, version, by=by, bulk_run=bulk_run)


def _lock_audit(audit: Audit) -> Audit | None:
    """Return the audit locked as it is now; None if it was deleted with its cohort.

    The student's enrollment is locked first, because new findings refer to it and the deletion of a
    cohort locks enrollments before audits.
    """
    list(
        Enrollment.objects.select_for_update(no_key=True)
        .filter(pk=audit.submission.student_id)
        .values("pk")
    )
    # Lock without a join: after a wait, PostgreSQL rechecks the row and a join that its writer has
    # changed could drop it.
    list(Audit.objects.select_for_update(no_key=True).filter(pk=audit.pk).values("pk"))

    return (
        Audit.objects.select_related("rubric_version__rubric", "submission")
        .filter(pk=audit.pk)
        .first()
    )


def _replace_verdict(
    audit: Audit,
    synthesis: Synthesis,
    version: RubricVersion,
    *,
    by: User | None,
    bulk_run: BulkRun | None,
) -> tuple[Change, Audit | None]:
    verdict, before = synthesis.verdict, results_of(audit.pk)
    change = Change(
        criteria=criteria_changed(
            before, {row.criterion_id: _result_values(row) for row in verdict.criteria}
        ),
        score_before=audit.overall_score,
        score_after=verdict.overall_score,
    )
    # The same report under the same version: nothing to store or to log.
    if (verdict.digest, version.pk) == (audit.report_digest, audit.rubric_version_id):
        return change, None

    _archive_report(audit, verdict.digest)
    record_activity(
        organization=audit.organization_id,
        actor=by,
        verb="audit.resynthesised",
        about=audit,
        rubric=str(version),
        rubric_before=str(audit.rubric_version),
        digest=verdict.digest,
        digest_before=audit.report_digest,
        score=change.score_after,
        score_before=change.score_before,
        criteria_changed=change.criteria,
        bulk_run=str(bulk_run.pk) if bulk_run else None,
    )
    _write(audit, synthesis, version)

    return change, audit


def _archive_report(audit: Audit, next_digest: str) -> None:
    """Keep one report per digest: switching between two versions gives the same two reports."""
    if audit.report_digest != next_digest:
        SupersededReport.objects.get_or_create(
            organization_id=audit.organization_id,
            audit=audit,
            digest=audit.report_digest,
            defaults={"rubric_version_id": audit.rubric_version_id, "report": audit.report},
        )


def _write(audit: Audit, synthesis: Synthesis, version: RubricVersion) -> None:
    verdict = synthesis.verdict
    key: dict[str, Any] = {"audit_id": audit.pk, "organization_id": audit.organization_id}
    known_ids = parse_report(audit.report or {}).evidence_by_id
    changes: dict[str, Any] = {
        "state": verdict.state,
        "report": verdict.report,
        "report_digest": verdict.digest,
        "overall_score": verdict.overall_score,
        "rubric_version": version,
    }
    Audit.objects.filter(pk=audit.pk).update(**changes, version=F("version") + 1)
    for name, value in changes.items():
        setattr(audit, name, value)
    write_verdicts(verdict.criteria, **key)
    write_evidence([piece for piece in verdict.evidence if piece.key not in known_ids], **key)
    reheard = {opinion.criterion_id for opinion in synthesis.opinions}
    # Criteria with a second round have new opinions; the others keep theirs.
    OpinionRecord.objects.filter(audit=audit, criterion_id__in=reheard).delete()

    OpinionRecord.objects.bulk_create(
        OpinionRecord(
            **key,
            key=opinion.key,
            judge=opinion.judge,
            criterion_id=opinion.criterion_id,
            round=opinion.round,
            score=opinion.score,
            document=opinion.document,
        )
        for opinion in synthesis.opinions
    )


def _result_values(row: Any) -> tuple[Any, ...]:
    """Return the values in the order of results_of."""
    return (row.score, row.level, row.points, row.max_points, row.needs_review, row.excluded)
