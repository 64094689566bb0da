"""The steps that follow when an audit ends or a verdict is replaced, and the reconciler.

Each function here is one transaction over several subjects, with its steps in the order in which
they run. A subject does its own part and knows nothing of the others
(docs/decisions/0002-one-package-per-subject.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from grading.appeals.actions import return_rejudged_appeals
from grading.audits import actions as audit_actions
from grading.audits.actions import Lease
from grading.bulk import rule_changes
from grading.bulk.progress import Change, end_renewal
from grading.bulk.renewals import criteria_lost_to_failures
from grading.bulk.resynthesis_jobs import resume_runs
from grading.core.audit_queue import JobHealth, enqueue, health_of_job
from grading.core.enums import AuditState, WebhookEvent
from grading.core.fair_turns import IN_GRACE, in_turn
from grading.core.rls.rls_scope import as_dispatcher
from grading.core.uploads import delete_orphans
from grading.dashboard.staff_daily import email_waiting_work
from grading.engine.events import Verdict
from grading.engine.report import parse_report
from grading.engine.stored_verdicts import Resynthesis
from grading.findings.actions import record_findings
from grading.findings.fix_verification import verify_waiting
from grading.grades.actions import count_verdict
from grading.lti.nightly_rosters import import_due_rosters
from grading.models import Audit, BulkRun, RubricVersion
from grading.notifications.commit_answers import ANSWERS, answer_again
from grading.notifications.digests import gather_digests
from grading.notifications.email_outbox import EMAILS
from grading.notifications.emails import notify_of_failure
from grading.notifications.gradebooks import SCORES
from grading.notifications.webhook_deliveries import DELIVERIES
from grading.notifications.webhooks import announce_audit
from grading.operations.retention import prune_if_due
from grading.peer_review.actions import notify_subject_of_audit
from grading.peer_review.feedback.edition_jobs import plan_edition_of_audit, resume_editions
from grading.peer_review.feedback.repository_imports import (
    follow_repository,
    search_repository_on_commit,
)
from grading.peer_review.rounds.reminders import remind_due
from grading.repositories.generated.making import REPOSITORIES
from grading.submissions.due_reminders import remind_of_due_dates
from grading.submissions.pushes.hand_in import PUSHES

LOST = (
    "worker_lost",
    "The audit was started three times and never ended: a person has to look at it.",
)
UNANSWERED = (
    "judges_failed",
    "Too few judges answered on: {}. The verdict that stood before stands.",
)


def finish_audit(*, lease: Lease, verdict: Verdict) -> None:
    """Store the report and let its verdict count, in the transaction that ends the audit.

    A renewal fails instead if it would take scores away only because judges did not answer.
    Raises LeaseLostError; then nothing is written.
    """
    if criteria := criteria_lost_to_failures(audit_id=lease.audit_id, verdict=verdict):
        code, message = UNANSWERED
        fail_audit(lease=lease, code=code, message=message.format(", ".join(criteria)))
        return

    with transaction.atomic():
        # The rows first: every step below reads them. This locks the attempt, then the grade, in
        # the order of a decision on an appeal (appeals/decisions.py), so that they never deadlock.
        audit = audit_actions.store_verdict(lease=lease, verdict=verdict)
        count_verdict(audit=audit)
        record_findings(audit=audit)
        follow_repository(audit=audit)

        # Whoever asked for this audit goes on: an appeal, a bulk run.
        return_rejudged_appeals(audit=audit)
        end_renewal(audit=audit)

        # Messages are written here and sent after the commit.
        notify_subject_of_audit(audit=audit)
        plan_edition_of_audit(audit=audit)
        announce_audit(audit=audit, event=WebhookEvent.AUDIT_FINISHED)
        search_repository_on_commit(audit=audit, report=parse_report(verdict.report))


def fail_audit(*, lease: Lease, code: str, message: str) -> None:
    """End an audit without a verdict. It uses up no attempt: the student may hand in again.

    `code` is stable, `message` a sentence for the student. Raises LeaseLostError; then nothing
    is written.
    """
    with transaction.atomic():
        audit = audit_actions.store_failure(lease=lease, code=code, message=message)
        _follow_failure(audit, message)


def give_back(*, audit: Audit, code: str, message: str, pause: timedelta = timedelta(0)) -> bool:
    """Take a running audit from a worker that died or broke: enqueue it again, or fail it.

    It is enqueued after the pause, and fails after its third attempt. `audit` is the row as it was read: return False, and change
    nothing, if its lease has changed since.
    """
    with transaction.atomic():
        state = audit_actions.end_running_attempt(
            audit=audit, code=code, message=message, pause=pause
        )
        return _follow_attempt(audit, state, code, message)


def spend_attempt(*, audit: Audit, code: str, message: str) -> bool:
    """Count the attempt of a job that failed before it could claim its audit.

    The rest is as in `give_back`.
    """
    with transaction.atomic():
        state = audit_actions.end_waiting_attempt(audit=audit, code=code, message=message)
        return _follow_attempt(audit, state, code, message)


def _follow_attempt(audit: Audit, state: AuditState | None, code: str, message: str) -> bool:
    if state is None:
        return False
    if state == AuditState.FAILED:
        _follow_failure(audit, message)
    audit_actions.note_ended_attempt(audit=audit, state=state, code=code)
    return True


def _follow_failure(audit: Audit, message: str) -> None:
    answer_again(organization_id=audit.organization_id, submission=audit.submission_id)
    return_rejudged_appeals(audit=audit)
    end_renewal(audit=audit)
    notify_of_failure(audit=audit, message=message)


def resynthesise_audit(
    *, audit: Audit, rubric_version: RubricVersion, by: User | None, bulk_run: BulkRun | None = None
) -> bool:
    """Replace a verdict by the one under this version; return whether any result changed.

    Raises RenewalRefused (rubric_draft, verdict_missing, nothing_scored) or InputRefused
    (record_*): then nothing has changed.
    """
    change = apply_rules_and_count(audit=audit, version=rubric_version, by=by, bulk_run=bulk_run)
    return change.is_one


def apply_rules_and_count(
    *,
    audit: Audit,
    version: RubricVersion,
    by: User | None,
    bulk_run: BulkRun | None = None,
    rules: Resynthesis | None = None,
) -> Change:
    """Do as `resynthesise_audit`; return what changed.

    `rules` are those of this version, parsed once for many audits.
    """
    with transaction.atomic():
        change, replaced = rule_changes.apply_rules(
            audit=audit, version=version, by=by, bulk_run=bulk_run, rules=rules
        )
        # The same report again changes no grade, not even the time of its last change.
        if replaced is not None:
            count_verdict(audit=replaced)
            record_findings(audit=replaced)
    return change


@dataclass(frozen=True, slots=True)
class Recovery:
    """Counts of one round of the reconciler.

    Audits: `enqueued` whose job was gone, `taken_back` from dead workers. Organizations:
    `with_letters`, `with_deliveries`, `with_pushes` and `with_scores` that had e-mails, webhook
    deliveries, pushes to submit or to answer, or grades for gradebooks left. `rosters` of learning platforms to import.
    `resumed` bulk runs, `reminded` members of peer rounds, `fixes` to verify and
    `editions` to make whose job was gone. `due` reminders of due
    dates, `digests` and `staff_emails` of the day; `uploads` and `pruned` rows that were deleted.
    """

    enqueued: int
    taken_back: int
    with_letters: int = 0
    resumed: int = 0
    reminded: int = 0
    fixes: int = 0
    with_deliveries: int = 0
    editions: int = 0
    due: int = 0
    digests: int = 0
    staff_emails: int = 0
    pruned: int = 0
    uploads: int = 0
    with_pushes: int = 0
    with_repositories: int = 0
    with_scores: int = 0
    rosters: int = 0


def reconcile() -> Recovery:
    """Bring back, in all organizations, what the queue lost and what died with a worker.

    It may run at any time, and several times at once. A worker is dead when its lease has run out
    or its job has failed; an audit fails after its third attempt, for a person to look at.
    Raises redis.RedisError when the queue is down.
    """
    return Recovery(
        enqueued=_count_changed(AuditState.QUEUED, _enqueue_again),
        taken_back=_count_changed(AuditState.RUNNING, _take_back),
        with_letters=EMAILS.enqueue_waiting(),
        resumed=resume_runs(),
        reminded=remind_due(),
        fixes=verify_waiting(),
        with_deliveries=DELIVERIES.enqueue_waiting(),
        editions=resume_editions(),
        due=remind_of_due_dates(),
        staff_emails=email_waiting_work(),
        digests=gather_digests(),
        pruned=prune_if_due(),
        uploads=delete_orphans(),
        with_repositories=REPOSITORIES.enqueue_waiting(),
        with_scores=SCORES.enqueue_waiting(),
        rosters=import_due_rosters(),
        with_pushes=PUSHES.enqueue_waiting() + ANSWERS.enqueue_waiting(),
    )


def _count_changed(state: AuditState, recover: Callable[[Audit], bool]) -> int:
    """Recover the audits in this state, each in its organization's scope; count the changed."""
    with as_dispatcher():
        rows = Audit.objects.filter(~IN_GRACE, state=state).select_related("organization")
        rows = rows.defer("report")
        audits = list(rows.order_by("queued_at", "pk"))

    # Only those whose turn it is have a job: the others follow as audits are claimed.
    if state == AuditState.QUEUED:
        audits = in_turn(audits)

    changed = 0
    for audit in audits:
        with scope(organization=audit.organization_id):
            changed += recover(audit)
    return changed


def _take_back(audit: Audit) -> bool:
    code, message = LOST

    # RQ may know that the job failed while the lease still runs.
    is_expired = audit.lease_until is None or audit.lease_until < timezone.now()
    if not is_expired and health_of_job(audit, audit.run_attempt) is not JobHealth.FAILED:
        return False
    return give_back(audit=audit, code=code, message=message)


def _enqueue_again(audit: Audit) -> bool:
    code, message = LOST
    health = health_of_job(audit, audit.run_attempt + 1)

    # Its attempt is spent: else a job that kills every worker would be enqueued for ever.
    if health is JobHealth.FAILED:
        return spend_attempt(audit=audit, code=code, message=message)
    if health is JobHealth.MISSING:
        enqueue(audit)
    return health is JobHealth.MISSING
