"""The grace after a submission: no worker may claim it, so that its student can withdraw it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading import workflow
from grading.audits.actions import claim_audit
from grading.audits.presenters.progress import progress_of
from grading.audits.wait_times import Pace
from grading.core.audit_queue import JobHealth, enqueue, health_of_job
from grading.core.enums import AuditKind, AuditState
from grading.core.fair_turns import in_turn, queue_position, waiting_beside
from grading.models import Audit, Notice
from grading.operations.metrics import collect_metrics
from grading.submissions.actions import create_submission, withdraw_submission
from tests.factories.people import everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory, rubric_document
from tests.faults.site import now_of
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
GRACE = 600


@pytest.fixture
def grace(settings: Any) -> int:
    settings.SUBMISSION_GRACE_SECONDS = GRACE
    return GRACE


@pytest.fixture
def assignment() -> Any:
    return AssignmentFactory.create(rubric_version__document=rubric_document())


def handed_in(assignment: Any, tmp_path: Any, **fields: Any) -> Audit:
    repository = tmp_path / "work.git"
    if not repository.exists():
        make_repository(repository, [Commit(files={"README.md": "# Work"})])
    theirs = student(assignment.cohort)
    submission = create_submission(
        assignment=assignment, student=theirs, repo_url=str(repository), by=theirs.user, **fields
    )
    with everywhere():
        audit: Audit = Audit.objects.select_related("submission__student", "organization").get(
            submission=submission
        )
    return audit


def end_grace(audit: Audit) -> None:
    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(grace_until=timezone.now() - timedelta(seconds=1))


def claim(audit: Audit) -> Any:
    with scope(organization=audit.organization):
        return claim_audit(audit_id=audit.pk, run_attempt=1)


def test_held_audit_cannot_be_claimed(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    assert claim(audit) is None
    assert now_of(audit).state == AuditState.QUEUED
    end_grace(audit)
    assert claim(audit) is not None


def test_grace_counts_from_the_acceptance_and_waiting_from_its_end(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    assert audit.grace_until is not None
    assert audit.queued_at == audit.submission.handed_in_at + timedelta(seconds=GRACE)
    assert audit.grace_until >= audit.queued_at


def test_no_grace_holds_nothing(assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    assert (audit.grace_until, audit.queued_at) == (None, audit.submission.handed_in_at)
    assert claim(audit) is not None


def test_audit_that_its_student_cannot_withdraw_is_not_held(grace, assignment, tmp_path):
    assert handed_in(assignment, tmp_path, kind=AuditKind.INSTRUCTOR).grace_until is None


def test_second_attempt_of_a_worker_is_not_held(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    end_grace(audit)
    assert claim(audit) is not None
    workflow_row = now_of(audit)
    with scope(organization=audit.organization):
        workflow.give_back(audit=workflow_row, code="worker_lost", message="It is gone.")
        assert claim_audit(audit_id=audit.pk, run_attempt=2) is not None


def test_withdrawn_during_the_grace_gives_the_attempt_back(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    ada = audit.submission.student.user
    assert ada is not None
    with scope(organization=audit.organization):
        withdraw_submission(audit=audit, by=ada)
    end_grace(audit)
    assert claim(audit) is None
    with everywhere():
        assert Audit.objects.get().submission.counts is False


@pytest.mark.django_db(transaction=True)
def test_reconciler_enqueues_after_the_grace(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    assert workflow.reconcile().enqueued == 0
    assert health_of_job(audit, 1) is JobHealth.MISSING
    end_grace(audit)
    assert workflow.reconcile().enqueued == 1
    assert health_of_job(audit, 1) is JobHealth.ALIVE


def test_held_audits_take_no_turn(grace, assignment, tmp_path):
    waiting = [handed_in(assignment, tmp_path) for _ in range(5)]
    ready = AuditFactory.create(submission__assignment=assignment)
    assert waiting_beside(ready) == [ready]
    assert [queue_position(audit) for audit in (waiting[0], ready)] == [None, 1]
    end_grace(waiting[0])
    with everywhere():
        audits = list(Audit.objects.exclude(pk__in=[row.pk for row in waiting[1:]]))
    assert len(in_turn(audits)) == 2
    assert queue_position(now_of(waiting[0])) == 2


def test_held_audit_is_not_measured_as_waiting(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    with everywhere():
        metrics = collect_metrics()
        assert (metrics.waiting["submissions"], metrics.oldest["submissions"]) == (0, 0.0)
        end_grace(audit)
        assert collect_metrics().waiting["submissions"] == 1


def test_receipt_says_until_when_it_can_be_withdrawn(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    assert audit.grace_until is not None
    with everywhere():
        body = Notice.objects.get().body
    assert f"You can withdraw it until {audit.grace_until:%d %B %Y, %H:%M:%S} UTC." in body


def test_pages_say_until_when_it_can_be_withdrawn(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    assert audit.grace_until is not None
    client = Client()
    assert audit.submission.student.user is not None
    client.force_login(audit.submission.student.user)
    until = f"{audit.grace_until:%H:%M:%S} UTC"
    for name in ("audit", "withdraw"):
        address = reverse(name, args=[audit.organization.slug, audit.pk])
        assert until in client.get(address).content.decode()
    end_grace(audit)
    address = reverse("audit", args=[audit.organization.slug, audit.pk])
    assert "Next in the queue" in client.get(address).content.decode()


def test_no_estimate_is_given_while_it_is_held(grace, assignment, tmp_path):
    audit = handed_in(assignment, tmp_path)
    pace = Pace(seconds=3.0, of=5, workers=1)
    with everywhere():
        progress = progress_of(audit, None, pace)
        assert progress.estimate == ""
        assert [step.state for step in progress.steps[:2]] == ["now", "ahead"]
        end_grace(audit)
        assert "About 3 s until your report" in progress_of(now_of(audit), 1, pace).estimate


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_worker_leaves_a_held_audit_and_takes_it_after_the_grace(
    grace, assignment, tmp_path, worker
):
    audit = handed_in(assignment, tmp_path)
    # Even a job that came too early finds nothing to claim.
    enqueue(audit)
    eventually(lambda: health_of_job(audit, 1) is JobHealth.MISSING)
    assert (now_of(audit).state, now_of(audit).run_attempt) == (AuditState.QUEUED, 0)

    end_grace(audit)
    assert workflow.reconcile().enqueued == 1
    eventually(lambda: now_of(audit).is_final)
    ended = now_of(audit)
    assert (ended.has_report, ended.run_attempt) == (True, 1)
    assert ended.started_at is not None
    assert ended.grace_until is not None
    assert ended.started_at > ended.grace_until
