"""The process that takes a hand-in is killed before the queue has its audit."""

import os
import signal
import subprocess
import sys

import pytest
from django.conf import settings
from django_scopes import scope
from redis import Redis

from grading.models import Audit, Submission
from tests.factories.people import EnrollmentFactory, everywhere
from tests.factories.work import AssignmentFactory, rubric_document
from tests.faults.site import crew, kill, surroundings
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


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
