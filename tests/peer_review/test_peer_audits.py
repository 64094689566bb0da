"""A peer's audit: when it may be begun, what it is an audit of, and that it never stands in its subject's way."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from grading import workflow
from grading.core.enums import AuditKind, AuditState, FeedbackKind, FeedbackSource, NoticeKind
from grading.core.errors import FeedbackRefused
from grading.jobs import run_audit
from grading.models import Activity, Audit, FeedbackReport, Grade, Notice, Pairing, Submission
from grading.peer_review.actions import run_peer_audit, why_no_audit
from grading.submissions.actions import create_submission
from tests.factories.peers import PairingFactory
from tests.factories.people import everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import (
    AuditFactory,
    RubricVersionFactory,
    SubmissionFactory,
    claimed,
    rubric_document,
    verdict,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
COMMIT = "c" * 40


def paired(**fields: Any) -> Any:
    """A pairing between two students with accounts, in a round that runs."""
    pairing = PairingFactory.create(**fields)
    cohort = pairing.round.assignment.cohort
    with everywhere():
        pairing.auditor, pairing.auditee = student(cohort, name="Ada"), student(cohort, name="Bob")
        pairing.save()
    return pairing


def handed_in(pairing: Pairing, **fields: Any) -> Any:
    given: dict[str, Any] = {"resolved_commit": COMMIT, "student": pairing.auditee}
    return SubmissionFactory.create(assignment=pairing.round.assignment, **given | fields)


def begun(pairing: Pairing) -> FeedbackReport:
    with everywhere():
        return run_peer_audit(pairing=pairing, by=pairing.auditor.user)


def refusal(pairing: Pairing) -> str:
    with everywhere():
        reason = why_no_audit(pairing=pairing)
        with pytest.raises(FeedbackRefused) as refused:
            run_peer_audit(pairing=pairing, by=None)
    assert reason is not None
    assert reason.code == refused.value.code
    return refused.value.code


def ended(report: FeedbackReport, **fields: Any) -> Any:
    """The report's audit after a worker has ended it with a verdict, or with `failed` without."""
    assert report.audit is not None
    lease = claimed(report.audit)
    with everywhere():
        if fields.pop("failed", False):
            workflow.fail_audit(lease=lease, code="repository_gone", message="It is gone.")
        else:
            workflow.finish_audit(lease=lease, verdict=verdict(**fields))
        return FeedbackReport.objects.select_related("audit", "submission").get(pk=report.pk)


def test_nothing_is_audited_where_nothing_was_handed_in():
    pairing = paired()
    handed_in(pairing, resolved_commit="")
    handed_in(pairing, student=pairing.auditor)
    assert refusal(pairing) == "nothing_handed_in"


def test_nothing_is_audited_before_the_round_begins():
    pairing = paired(round__starts_at=timezone.now() + timedelta(hours=1))
    handed_in(pairing)
    assert refusal(pairing) == "round_not_started"


def test_nothing_is_audited_after_the_end_of_the_cohort():
    pairing = paired(round__assignment__cohort__ends_on=timezone.localdate() - timedelta(days=1))
    handed_in(pairing)
    assert refusal(pairing) == "cohort_over"


def test_nothing_is_audited_under_a_pairing_that_was_ended():
    pairing = paired(ended_at=timezone.now())
    handed_in(pairing)
    assert refusal(pairing) == "pairing_ended"


def test_late_is_better_than_never():
    pairing = paired(round__ends_at=timezone.now() - timedelta(hours=1))
    handed_in(pairing)
    assert begun(pairing).pairing_id == pairing.pk


def test_the_latest_attempt_is_queued_under_the_rounds_own_rubric():
    version = RubricVersionFactory.create()
    pairing = paired(
        round__rubric_version=version, round__assignment__cohort__organization=version.organization
    )
    handed_in(pairing)
    latest = handed_in(pairing, attempt=2)
    report = begun(pairing)
    with everywhere():
        audit = Audit.objects.get(feedback_report=report)
        activity = Activity.objects.get(verb="pairing.audited")
    assert (audit.kind, audit.state, audit.submission_id, audit.rubric_version_id) == (
        AuditKind.PEER,
        AuditState.QUEUED,
        latest.pk,
        version.pk,
    )
    assert (
        report.kind,
        report.source,
        report.author_id,
        report.subject_id,
        report.submission_id,
    ) == (
        FeedbackKind.PEER,
        FeedbackSource.PLATFORM,
        pairing.auditor_id,
        pairing.auditee_id,
        latest.pk,
    )
    assert (activity.cohort_id, activity.actor_id) == (
        pairing.round.assignment.cohort_id,
        pairing.auditor.user_id,
    )


def test_one_audit_of_a_peer_runs_at_a_time():
    pairing = paired()
    handed_in(pairing)
    begun(pairing)
    handed_in(pairing, attempt=2)
    assert refusal(pairing) == "already_running"


def test_the_same_attempt_is_audited_once_and_the_next_again():
    pairing = paired()
    handed_in(pairing)
    ended(begun(pairing))
    assert refusal(pairing) == "nothing_new"
    handed_in(pairing, attempt=2)
    assert begun(pairing).submission.attempt == 2  # type: ignore[union-attr]  # -- every platform report has one


def test_what_failed_may_be_tried_again():
    pairing = paired()
    handed_in(pairing)
    first = ended(begun(pairing), failed=True)
    assert begun(pairing).pk != first.pk


def test_a_peers_verdict_is_no_grade_and_its_subject_is_told_without_name_or_score():
    pairing = paired()
    submission = handed_in(pairing)
    report = ended(begun(pairing), commit="f" * 40)
    with everywhere():
        letters = Notice.objects.values_list("kind", "user", "subject", "body", "path")
        assert not Grade.objects.exists()
        assert Submission.objects.get(pk=submission.pk).resolved_commit == COMMIT
        [(kind, user, subject, body, path)] = letters
    assert (kind, user) == (NoticeKind.REPORT_RECEIVED, pairing.auditee.user_id)
    assert path == f"/o/{report.organization.slug}/feedback/{report.pk}/"
    assert [word for word in ("Ada", pairing.auditor.email, "4.0") if word in subject + body] == []


@pytest.mark.parametrize("how", [{"failed": True}, {"state": AuditState.DEGRADED}])
def test_nobody_is_told_of_an_audit_that_came_to_nothing(how: dict[str, Any]):
    pairing = paired()
    handed_in(pairing)
    ended(begun(pairing), **how)
    with everywhere():
        assert not Notice.objects.exists()


def test_nobody_is_told_under_a_pairing_that_was_ended_meanwhile():
    pairing = paired()
    handed_in(pairing)
    report = begun(pairing)
    with everywhere():
        Pairing.objects.filter(pk=pairing.pk).update(ended_at=timezone.now())
    ended(report)
    with everywhere():
        assert not Notice.objects.exists()


def test_a_peers_audit_that_fails_gives_no_attempt_back():
    pairing = paired()
    submission = handed_in(pairing)
    ended(begun(pairing), failed=True)
    with everywhere():
        assert Submission.objects.get(pk=submission.pk).counts


def test_a_peers_verdict_does_not_keep_an_attempt_whose_own_audit_failed():
    pairing = paired()
    submission = handed_in(pairing)
    own = AuditFactory.create(submission=submission)
    ended(begun(pairing))
    lease = claimed(own)
    with everywhere():
        workflow.fail_audit(lease=lease, code="repository_gone", message="It is gone.")
        assert not Submission.objects.get(pk=submission.pk).counts


def test_a_peers_audit_blocks_no_hand_in_of_its_subject(tmp_path: Path, settings: Any):
    settings.OPEN_AUDITS_PER_STUDENT = settings.OPEN_AUDITS_PER_COHORT = 1
    pairing = paired()
    commit = make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()\n"})])
    handed_in(pairing, repo_url=str(tmp_path / "work.git"), resolved_commit=commit)
    begun(pairing)
    again = create_submission(
        assignment=pairing.round.assignment,
        student=pairing.auditee,
        repo_url=str(tmp_path / "work.git"),
        by=None,
        again=True,
    )
    assert (again.attempt, again.resolved_commit) == (2, commit)


def test_the_commit_that_was_handed_in_is_audited_wherever_its_branch_has_gone(tmp_path: Path):
    story = [Commit(message=f"Step {n}", files={"main.py": f"print({n})\n"}) for n in range(4)]
    commit = make_repository(tmp_path / "before.git", story)
    make_repository(
        tmp_path / "work.git", [*story, Commit(message="Later", files={"later.py": "x = 1\n"})]
    )
    pairing = paired(round__assignment__rubric_version__document=rubric_document())
    handed_in(pairing, repo_url=str(tmp_path / "work.git"), resolved_commit=commit, ref="main")
    report = begun(pairing)
    run_audit(str(report.audit_id), 1)
    with everywhere():
        audit = Audit.objects.get(feedback_report=report)
    assert (audit.state, audit.failure_code, (audit.report or {})["commit"]) == (
        AuditState.DONE,
        "",
        commit,
    )
