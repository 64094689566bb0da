"""The reconciler with a real queue: the audits it requeues, and those it leaves alone."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from django_rq import get_queue
from rq.job import Job, JobStatus
from rq.utils import utcformat

from grading.core.audit_queue import SILENT_AFTER, enqueue
from grading.core.enums import AuditState
from grading.core.fair_turns import job_id
from grading.models import Audit
from grading.workflow import Recovery, reconcile
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
LONG_AGO = timezone.now() - timedelta(days=1)


def queued_jobs(name: str = "submissions") -> list[str]:
    return get_queue(name).job_ids


def now_of(audit: Audit) -> Audit:
    with everywhere():
        return Audit.objects.select_related("submission").get(pk=audit.pk)


def job_of(audit: Audit, attempt: int) -> Job:
    return Job.fetch(job_id(audit, attempt), connection=get_queue("submissions").connection)


def round_(capture) -> Recovery:
    with capture(execute=True):
        return reconcile()


def test_a_waiting_audit_with_its_job_is_left_alone(django_capture_on_commit_callbacks):
    audit = AuditFactory()
    enqueue(audit)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=0, taken_back=0)
    assert queued_jobs() == [job_id(audit, 1)]


def test_a_running_audit_with_a_lease_is_left_alone(django_capture_on_commit_callbacks):
    audit = AuditFactory(running=True)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=0, taken_back=0)
    assert now_of(audit).lease_token == audit.lease_token


def test_what_has_ended_is_left_alone(django_capture_on_commit_callbacks):
    AuditFactory(done=True)
    AuditFactory(failed=True)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=0, taken_back=0)
    assert queued_jobs() == []


def test_a_waiting_audit_whose_job_was_lost_is_enqueued_once(django_capture_on_commit_callbacks):
    audit, bulk = AuditFactory(), AuditFactory(kind="instructor")
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=2, taken_back=0)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=0, taken_back=0)
    assert (queued_jobs(), queued_jobs("bulk")) == ([job_id(audit, 1)], [job_id(bulk, 1)])


def test_a_job_whose_worker_died_before_it_could_claim_is_enqueued_again(
    django_capture_on_commit_callbacks,
):
    audit = AuditFactory()
    enqueue(audit)
    get_queue("submissions").empty()
    enqueue(audit)
    job = job_of(audit, 1)
    get_queue("submissions").connection.lrem(get_queue("submissions").key, 0, job.id)
    job.set_status(JobStatus.STARTED)
    silent_since = utcformat(timezone.now() - SILENT_AFTER - timedelta(seconds=1))
    job.connection.hset(job.key, "last_heartbeat", silent_since)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=1, taken_back=0)
    assert queued_jobs() == [job.id]


def test_a_started_job_whose_worker_lives_is_left_alone(django_capture_on_commit_callbacks):
    audit = AuditFactory()
    enqueue(audit)
    job = job_of(audit, 1)
    job.set_status(JobStatus.STARTED)
    job.heartbeat(timezone.now(), 60)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=0, taken_back=0)


def test_a_job_that_fails_before_it_claims_uses_up_the_three_attempts(
    django_capture_on_commit_callbacks,
):
    audit = AuditFactory()
    enqueue(audit)
    for attempt in (1, 2, 3):
        job_of(audit, attempt).set_status(JobStatus.FAILED)
        assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=1, taken_back=0)
    current = now_of(audit)
    assert (current.state, current.failure_code, current.run_attempt) == (
        AuditState.FAILED,
        "worker_lost",
        3,
    )


def test_an_expired_lease_is_taken_back_and_the_next_attempt_enqueued(
    django_capture_on_commit_callbacks,
):
    audit = AuditFactory(running=True, lease_until=LONG_AGO, opinions_done=3)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=0, taken_back=1)
    current = now_of(audit)
    assert (current.state, current.lease_token, current.opinions_done) == (
        AuditState.QUEUED,
        None,
        0,
    )
    assert queued_jobs() == [job_id(audit, 2)]


def test_a_running_audit_whose_job_failed_does_not_wait_for_its_lease(
    django_capture_on_commit_callbacks,
):
    audit = AuditFactory()
    enqueue(audit)
    job_of(audit, 1).set_status(JobStatus.FAILED)
    with everywhere():
        running = AuditFactory.build(running=True)
        leased = {
            name: getattr(running, name)
            for name in ("state", "run_attempt", "lease_token", "lease_until")
        }
        Audit.objects.filter(pk=audit.pk).update(**leased)
    assert round_(django_capture_on_commit_callbacks) == Recovery(enqueued=0, taken_back=1)


def test_after_the_third_attempt_a_person_sees_it(django_capture_on_commit_callbacks):
    audit = AuditFactory(running=True, lease_until=LONG_AGO, run_attempt=3)
    round_(django_capture_on_commit_callbacks)
    current = now_of(audit)
    assert (current.state, current.failure_code, current.submission.counts) == (
        AuditState.FAILED,
        "worker_lost",
        False,
    )
    assert queued_jobs() == []


def test_the_command_says_what_it_did(capsys):
    AuditFactory()
    call_command("reconcile")
    assert capsys.readouterr().out == "enqueued 1, taken back 0\n"
