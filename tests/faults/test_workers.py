"""Workers and the processes of their jobs are killed and stopped at every moment of an audit."""

import signal

import pytest
from django_rq import get_queue

from grading.core.audit_queue import JOB
from tests.factories.repositories import Commit, make_repository
from tests.faults.moments import MOMENTS, held_at
from tests.faults.site import Crew, accepted, crew, eventually, is_over, kill, now_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def busy(there: Crew) -> tuple[int, int]:
    eventually(there.busy)
    return there.busy()[0]


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_process_of_the_job_is_killed(moment, repository, ends):
    audit = accepted(repository)
    with held_at(moment, eventually) as held, crew() as there:
        held.wait()
        kill(busy(there)[1])
        held.release()
        ends(audit)


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_worker_is_killed(moment, repository, ends):
    audit = accepted(repository)
    with held_at(moment, eventually) as held, crew() as there:
        held.wait()
        kill(busy(there)[0])
        held.release()
        ends(audit)


def test_a_worker_told_once_to_stop_ends_its_audit_first(repository, ends):
    audit = accepted(repository)
    with held_at("repo_investigator", eventually) as held, crew() as there:
        held.wait()
        kill(busy(there)[0], signal.SIGTERM)
        held.release()
        ends(audit)
    assert now_of(audit).run_attempt == 1


def stopped_again(there: Crew, worker: int, horse: int) -> bool:
    """RQ takes a second signal within a second for an echo of the first: it is sent until it is
    heard.
    """
    if (worker, horse) in there.busy():
        kill(worker, signal.SIGTERM)
        return False
    return True


def test_a_worker_told_twice_to_stop_leaves_its_audit_to_the_next(repository, ends):
    audit = accepted(repository)
    with held_at("repo_investigator", eventually) as held, crew() as there:
        held.wait()
        worker, horse = busy(there)
        eventually(lambda: stopped_again(there, worker, horse))
        held.release()
        ends(audit)


def test_two_workers_have_the_same_job(repository, ends):
    audit = accepted(repository, queued=False)
    for copy in ("one", "two"):
        get_queue("submissions").enqueue_call(
            JOB, args=(str(audit.pk), 1), job_id=f"{audit.pk}-{copy}"
        )

    with held_at("claim", eventually) as held, crew(workers=2):
        held.wait()
        held.release()
        ends(audit)

    assert now_of(audit).run_attempt == 1


def test_the_connection_is_lost_between_the_result_and_its_commit(repository, ends):
    audit = accepted(repository)
    with held_at("commit", eventually) as held, crew():
        held.wait()
        held.cut_connections()
        held.release()
        ends(audit)
    assert now_of(audit).run_attempt == 2


def test_one_submission_breaks_and_the_next_is_served(tmp_path, repository, ends):
    """A job that is killed takes neither its worker nor the hand-in behind it along."""
    make_repository(tmp_path / "other.git", [Commit(files={"README.md": "# Other"})])
    first, second = accepted(repository), accepted(tmp_path / "other.git")
    with held_at("exhibits", eventually) as held, crew() as there:
        held.wait()
        assert not is_over(second)
        kill(busy(there)[1])
        held.release()
        ends(first, second)
