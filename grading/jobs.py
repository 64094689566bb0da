"""Jobs of the workers. A job takes ids, enters its tenant's scope, and calls actions.

Workers accept every public function of this module, by name, and nothing else
(core/allowed_job.py).
"""

import json
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any

import structlog
from django.conf import settings
from django_scopes import scope

from grading import workflow
from grading.audits import actions as audit_actions
from grading.audits.benches import connection_trials
from grading.audits.budgets import grant_budget
from grading.bulk import resynthesis_jobs
from grading.core.enums import Bench
from grading.core.errors import InputRefused, LeaseLostError, UploadUnreadable
from grading.core.rls.rls_scope import as_dispatcher
from grading.engine.events import Contents, Look, OpinionRow, ScreeningRow, Stage, Verdict
from grading.engine.tracing import audit_span
from grading.findings import fix_verification
from grading.lti import nightly_rosters, score_deliveries
from grading.models import Audit
from grading.notifications import email_outbox, password_warnings, webhook_deliveries
from grading.notifications.commit_answers import answer_again
from grading.peer_review.feedback import edition_jobs, repository_imports
from grading.repositories.generated import making
from grading.rubrics.check_trials import actions as trial_actions
from grading.submissions.pushes import commit_answers, hand_in

if TYPE_CHECKING:
    from grading.engine.events import RunEvent

# Three beats may be missed.
BEATS_PER_LEASE = 4
BROKEN = ("engine_failed", "The audit broke three times on our side: a person has to look at it.")
CLOSED = (
    "organization_not_approved",
    "The operator of this site has withdrawn the approval of this organization.",
)
# Until the second and the third try of an audit whose PDF could not be read: a store that is down
# for five minutes costs no audit.
UPLOAD_PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(0))
log = structlog.get_logger(__name__)


def _in_scope_of_audit(job: Callable[..., None]) -> Callable[..., None]:
    """Enter the scope of the audit's organization; an audit that is gone or over is only logged."""

    @wraps(job)
    def scoped(audit_id: str, *args: Any) -> None:
        # No organization is known yet; the dispatcher sees the audits that wait or run.
        with as_dispatcher():
            organization = (
                Audit.objects.filter(pk=audit_id).values_list("organization", flat=True).first()
            )
        if organization is None:
            log.warning("audit_gone_or_over", audit=audit_id)
            return
        with (
            scope(organization=organization),
            structlog.contextvars.bound_contextvars(audit=audit_id),
        ):
            job(audit_id, *args)

    return scoped


@_in_scope_of_audit
def run_audit(audit_id: str, run_attempt: int) -> None:
    """Run one audit and store its events.

    What if the machine dies here? The row stays `running` until its lease runs out
    (AUDIT_LEASE_SECONDS) or RQ reports the job as failed. Then the reconciler enqueues it again as
    the next attempt, and stored opinions are not paid for again. If this process only seemed dead,
    its token is outdated: its next write changes nothing and it stops. Started twice, one of the
    two finds nothing to claim.
    """
    lease = audit_actions.claim_audit(audit_id=audit_id, run_attempt=run_attempt)
    if lease is None:
        log.info("audit_not_waiting", attempt=run_attempt)
        return
    try:
        _hold(lease)
    except LeaseLostError:
        log.warning("lease_lost", attempt=run_attempt)
    except InputRefused as refused:
        workflow.fail_audit(lease=lease, code=refused.code, message=refused.sentence)
    # Both are raised again, so that RQ records the job as failed, with its traceback.
    except UploadUnreadable as error:
        _give_back(lease, error.code, error.sentence, pause=UPLOAD_PAUSES[run_attempt - 1])
        raise
    except Exception:
        _give_back(lease, *BROKEN)
        raise


def _give_back(
    lease: audit_actions.Lease, code: str, message: str, *, pause: timedelta = timedelta(0)
) -> None:
    """Give the audit back at once, not when the lease runs out; only if it is still this worker's."""
    audits = Audit.objects.defer("report").filter(pk=lease.audit_id, lease_token=lease.token)
    held = audits.first()
    if held is not None:
        workflow.give_back(audit=held, code=code, message=message, pause=pause)


def _hold(lease: audit_actions.Lease) -> None:
    audit = Audit.objects.select_related(
        "organization", "rubric_version", "submission__assignment"
    ).get(pk=lease.audit_id)
    # On the commit it is “in progress” now.
    answer_again(organization_id=audit.organization_id, submission=audit.submission_id)
    with audit_span(audit) as opened:
        verdict = _store_events(lease, audit)
        opened.set_attribute("auditor.audit.state", verdict.state)


def _store_events(lease: audit_actions.Lease, audit: Audit) -> Verdict:
    """Run the claimed audit and store its events; return the last, its verdict."""
    from grading.engine import audits as engine_audits

    if not audit.organization.is_usable:
        raise InputRefused(*CLOSED)
    if audit.submission.assignment.bench == Bench.LLM:
        audit.budget_usd = grant_budget(lease=lease)
    beat_seconds = settings.AUDIT_LEASE_SECONDS / BEATS_PER_LEASE
    with closing(engine_audits.hold_audit(audit, beat_seconds=beat_seconds)) as events:
        for event in events:
            _write_down(lease, event)
            if isinstance(event, Verdict):
                return event
    raise RuntimeError("the court closed without a report")


def _write_down(lease: audit_actions.Lease, event: "RunEvent") -> None:
    match event:
        case Verdict():
            workflow.finish_audit(lease=lease, verdict=event)
        case Look():
            audit_actions.record_look(lease=lease, look=event)
        case Contents():
            audit_actions.record_contents(lease=lease, contents=event)
        case ScreeningRow():
            audit_actions.record_screening(lease=lease, screening=event)
        case OpinionRow():
            audit_actions.record_opinion(lease=lease, opinion=event)
        case tuple():
            audit_actions.record_evidence(lease=lease, rows=event)
        case Stage(name=name, ended=False):
            audit_actions.record_stage(lease=lease, stage=name)
        # Every other event shows that the audit still runs.
        case _:
            audit_actions.renew_lease(lease=lease)


def send_letters(organization_id: int) -> None:
    """Send the emails in the organization's outbox.

    What if the machine dies here? An email's try was counted before it was sent, so it is tried
    again later, like all that were not sent yet: at most one email arrives twice. Started twice,
    the second leaves the emails to the first.
    """
    sent = email_outbox.send_due_emails(organization_id=organization_id)
    log.info("letters_sent", organization=organization_id, sent=sent)


def warn_of_wrong_passwords(user_id: int) -> None:
    """Warn somebody whose password is being guessed.

    What if the machine dies here? The email is lost; a day later the next one is sent if the
    guessing goes on. Started twice, it sends two.
    """
    sent = password_warnings.warn_of_wrong_passwords(user_id=user_id)
    log.info("warned_of_wrong_passwords", user=user_id, sent=sent)


def send_deliveries(organization_id: int) -> None:
    """Send the due webhook deliveries of the organization.

    What if the machine dies here? A delivery's try was counted before it was sent, so it is tried
    again later, with the same id, by which its receiver recognises it. Started twice, the second
    leaves the deliveries to the first.
    """
    arrived = webhook_deliveries.send_due_deliveries(organization_id=organization_id)
    log.info("deliveries_sent", organization=organization_id, arrived=arrived)


def submit_pushes(organization_id: int) -> None:
    """Submit the pushes of the organization whose quiet period is over.

    What if the machine dies here? A push's try was counted before it was submitted, so it is tried
    again later, and the attempt that was made of it is recognised. Started twice, the second leaves
    the pushes to the first.
    """
    submitted = hand_in.submit_due_pushes(organization_id=organization_id)
    log.info("pushes_submitted", organization=organization_id, submitted=submitted)


def send_scores(organization_id: int) -> None:
    """Send the due grades of the organization to gradebooks of learning platforms.

    What if the machine dies here? A score's try was counted and its timestamp moved on before it was
    sent, so it is sent again, later than the first. Started twice, the second leaves the scores to
    the first.
    """
    arrived = score_deliveries.send_due_scores(organization_id=organization_id)
    log.info("scores_sent", organization=organization_id, arrived=arrived)


def import_platform_roster(organization_id: int, link_id: int) -> None:
    """Import the people of a learning platform's course into the roster of its cohort.

    What if the machine dies here? All of it is written in one transaction, and the next night imports
    it. Started twice, the second finds nobody new.
    """
    with scope(organization=organization_id):
        nightly_rosters.import_by_itself(link_id=link_id)


def answer_pushes(organization_id: int) -> None:
    """Send the organization's due answers to the hosts of pushed commits.

    What if the machine dies here? An answer's try was counted before it was sent, so it is sent
    again later; GitHub may then show a check run twice. Started twice, the second leaves the
    answers to the first.
    """
    sent = commit_answers.send_due_answers(organization_id=organization_id)
    log.info("pushes_answered", organization=organization_id, sent=sent)


def make_repositories(organization_id: int) -> None:
    """Make the due repositories of the organization at GitHub, and invite their students.

    What if the machine dies here? A repository's try was counted before GitHub was asked, so it is
    tried again later; one that was made is recognised by its key, and an invitation is sent once.
    Started twice, the second leaves the repositories to the first.
    """
    number = making.make_due_repositories(organization_id=organization_id)
    log.info("repositories_made", organization=organization_id, number=number)


def try_check(organization_id: int, audit_id: str, key: str, check: str) -> None:
    """Clone an audited submission again and answer one check, given as JSON; store nothing else.

    What if the machine dies here? Nothing is stored, RQ reports the job as failed, and the page
    offers a retry. Started twice, both store the same answer.
    """
    from grading.engine import check_trials

    with (
        scope(organization=organization_id),
        structlog.contextvars.bound_contextvars(audit=audit_id),
    ):
        audit = Audit.objects.defer("report").select_related("submission").get(pk=audit_id)
        try:
            answer = trial_actions.Answer(trial=check_trials.examine(audit, json.loads(check)))
        except (InputRefused, UploadUnreadable) as refused:
            answer = trial_actions.Answer(refusal=refused.sentence)
        trial_actions.keep_answer(audit_id=audit_id, key=key, answer=answer)


def try_models(organization_id: int) -> None:
    """Ask each of an organization's models one small question.

    What if the machine dies here? What the answers cost is not counted, RQ reports the job as
    failed, and the page offers a retry. Started twice, each model is asked and paid twice.
    """
    with scope(organization=organization_id):
        connection_trials.run_trial(organization_id=organization_id)


def resynthesise_chunk(organization_id: int, run_id: str, chunk: int) -> None:
    """Apply a bulk run's rules to one chunk of its verdicts.

    What if the machine dies here? Each verdict is replaced in one transaction, so the current one
    stays as it was and waits with the rest; the reconciler enqueues the chunk again. An item that
    kills its worker three times fails. Started twice, the two jobs share the chunk: a row is locked
    while it is processed, and then read again.
    """
    with (
        scope(organization=organization_id),
        structlog.contextvars.bound_contextvars(bulk_run=run_id),
    ):
        resynthesis_jobs.resynthesise_chunk(
            run_id=run_id, chunk=chunk, apply_rules=workflow.apply_rules_and_count
        )


def import_reports(organization_id: int, audit_id: str) -> None:
    """Import the reports in an audited repository.

    What if the machine dies here? Each report is stored in its own transaction, and none twice; the
    rest is imported with the next audit, or on the student's request. Started twice, the second job
    finds everything stored.
    """
    with (
        scope(organization=organization_id),
        structlog.contextvars.bound_contextvars(audit=audit_id),
    ):
        repository_imports.import_from_repository(audit_id=audit_id)


def make_edition(organization_id: int, report_id: str) -> None:
    """Make the redacted copy of a long report for the reader who must not know the other student.

    What if the machine dies here? The edition still waits, and the reconciler enqueues the job
    again; if RQ reports it as failed (its timeout, or the limit of processor time), the edition
    failed, and staff see it. The findings of an import and the email to its subject are stored with
    its first edition. Started twice, the second finds it made.
    """
    with (
        scope(organization=organization_id),
        structlog.contextvars.bound_contextvars(report=report_id),
    ):
        edition_jobs.make_edition(report_id=report_id)


def verify_fix(organization_id: int, response_id: int) -> None:
    """Look up whether the commit in an answer exists and changes the finding's place.

    What if the machine dies here? The answer still waits for verification, and the reconciler
    enqueues the job again; if RQ reports it as failed, the answer says that the commit couldn't be
    looked up. Started twice, both write the same.
    """
    with (
        scope(organization=organization_id),
        structlog.contextvars.bound_contextvars(answer=response_id),
    ):
        fix_verification.verify_fix(response_id=response_id)
