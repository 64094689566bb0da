"""Workers that are told to stop, or have the same job: the audit needs no second attempt."""

import signal
from collections.abc import Mapping

import pytest
from django_rq import get_queue
from rq import Queue, Worker
from rq.job import JobStatus

from grading.core.audit_queue import JOB
from tests.faults.moments import held_at
from tests.faults.site import accepted, kill, now_of
from tests.faults.test_killed_worker import audit_worker
from tests.faults.test_workers import busy
from tests.waiting import eventually


@pytest.fixture(scope="module")
def crew_environment() -> Mapping[str, str]:
    """Leases that do not run out, however long an audit is held."""
    return {"AUDIT_LEASE_SECONDS": "600"}


def test_a_worker_told_once_to_stop_ends_its_audit_first(site_crew, repository, ends):
    with held_at("repo_investigator", eventually) as held:
        audit = accepted(repository)
        held.wait()
        kill(busy(site_crew)[0], signal.SIGTERM)
        held.release()
        ends(audit)
    assert now_of(audit).run_attempt == 1


def pids_of_workers(queue: Queue) -> set[int | None]:
    return {worker.pid for worker in Worker.all(connection=queue.connection)}


def test_two_workers_have_the_same_job(site_crew, repository, ends):
    queue = get_queue("submissions", commit_mode="auto")
    with held_at("claim", eventually) as held, audit_worker() as second:
        eventually(lambda: second.pid in pids_of_workers(queue))
        audit = accepted(repository, queued=False)
        jobs = [
            queue.enqueue_call(JOB, args=(str(audit.pk), 1), job_id=f"{audit.pk}-{copy}")
            for copy in ("one", "two")
        ]
        held.wait()
        eventually(lambda: {job.get_status() for job in jobs} == {JobStatus.STARTED})
        held.release()
        ends(audit)

    assert now_of(audit).run_attempt == 1
