"""Workers and the processes of their jobs are killed and stopped at every moment of an audit."""

import signal
from contextlib import suppress

import pytest

from tests.factories.repositories import Commit, make_repository
from tests.faults.moments import MOMENTS, held_at
from tests.faults.site import Crew, accepted, is_over, kill, now_of
from tests.waiting import eventually


def busy(site_crew: Crew) -> tuple[int, int]:
    eventually(site_crew.busy)
    return site_crew.busy()[0]


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_process_of_the_job_is_killed(moment, site_crew, repository, ends):
    with held_at(moment, eventually) as held:
        audit = accepted(repository)
        held.wait()
        kill(busy(site_crew)[1])
        held.release()
        ends(audit)


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_worker_is_killed(moment, site_crew, repository, ends):
    with held_at(moment, eventually) as held:
        audit = accepted(repository)
        held.wait()
        kill(busy(site_crew)[0])
        held.release()
        ends(audit)


def stopped_again(site_crew: Crew, worker: int, horse: int) -> bool:
    """RQ takes a second signal within a second for an echo of the first: it is sent until it is
    heard.
    """
    if (worker, horse) in site_crew.busy():
        # It may have ended since.
        with suppress(ProcessLookupError):
            kill(worker, signal.SIGTERM)
        return False
    return True


def test_a_worker_told_twice_to_stop_leaves_its_audit_to_the_next(site_crew, repository, ends):
    with held_at("repo_investigator", eventually) as held:
        audit = accepted(repository)
        held.wait()
        worker, horse = busy(site_crew)
        eventually(lambda: stopped_again(site_crew, worker, horse))
        held.release()
        ends(audit)


def test_the_connection_is_lost_between_the_result_and_its_commit(site_crew, repository, ends):
    with held_at("commit", eventually) as held:
        audit = accepted(repository)
        held.wait()
        held.cut_connections()
        held.release()
        ends(audit)
    assert now_of(audit).run_attempt == 2


def test_one_submission_breaks_and_the_next_is_served(tmp_path, site_crew, repository, ends):
    """A job that is killed takes neither its worker nor the hand-in behind it along."""
    make_repository(tmp_path / "other.git", [Commit(files={"main.py": "print()"})])
    with held_at("exhibits", eventually) as held:
        first, second = accepted(repository), accepted(tmp_path / "other.git")
        held.wait()
        assert not is_over(second)
        kill(busy(site_crew)[1])
        held.release()
        ends(first, second)
