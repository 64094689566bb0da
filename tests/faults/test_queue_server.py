"""The queue server dies, forgets, stays away and fills up: PostgreSQL is the truth, so nothing
accepted is lost.
"""

import os
import signal
import subprocess
import sys

import pytest
from django.conf import settings
from django_scopes import scope
from redis import Redis

from grading.core.audit_queue import enqueue_on_commit
from grading.models import Audit, Submission
from tests.factories.people import EnrollmentFactory, everywhere
from tests.factories.work import AssignmentFactory, rubric_document
from tests.faults.moments import held_at
from tests.faults.site import accepted, crew, eventually, kill, surroundings

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("seconds", [1, 30])
def test_the_queue_server_is_killed_and_stays_down(seconds, own_queue, repository, ends, pause):
    at_work = accepted(repository)
    with held_at("prosecutor", eventually) as held, crew():
        held.wait()
        own_queue.kill()
        waiting = accepted(repository, queued=False)
        enqueue_on_commit(
            waiting
        )  # as the site does: that nobody answers is logged, and refuses nobody
        held.release()
        pause(seconds)
        own_queue.start()
        ends(at_work, waiting)


def test_the_queue_server_forgets_everything(own_queue, repository, ends):
    at_work, waiting = accepted(repository), accepted(repository)
    with held_at("prosecutor", eventually) as held, crew():
        held.wait()
        Redis.from_url(settings.REDIS_URL).flushall()
        held.release()
        ends(at_work, waiting)


def test_the_queue_server_is_full(own_queue, repository, ends, pause):
    queue = Redis.from_url(settings.REDIS_URL)
    at_work = accepted(repository)
    with held_at("prosecutor", eventually) as held, crew():
        held.wait()
        queue.config_set("maxmemory", "1")
        waiting = accepted(repository, queued=False)
        enqueue_on_commit(waiting)
        held.release()
        pause(2)
        queue.config_set("maxmemory", "0")
        ends(at_work, waiting)


def test_the_site_dies_between_the_commit_and_the_queue(own_queue, repository, ends):
    """The queue server stands still, so that the process that took the hand-in is killed while it
    waits for it.
    """
    assignment = AssignmentFactory(rubric_version__document=rubric_document())
    student = EnrollmentFactory(cohort=assignment.cohort)
    os.kill(own_queue.pid, signal.SIGSTOP)
    words = [str(assignment.organization_id), str(assignment.pk), str(student.pk), str(repository)]
    site = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.submit", *words], env=os.environ | surroundings()
    )
    with scope(organization=assignment.organization):
        eventually(Submission.objects.exists)

    kill(site.pid)
    site.wait()
    os.kill(own_queue.pid, signal.SIGCONT)
    with everywhere():
        audit = Audit.objects.get()

    assert Redis.from_url(settings.REDIS_URL).dbsize() == 0

    with crew():
        ends(audit)
