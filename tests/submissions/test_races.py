"""Two at once, each with a connection of its own: one wins, and the other is told so."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest

from grading.audits.actions import claim_audit
from grading.core.errors import SubmissionRefused
from grading.models import Activity, Audit, Submission
from grading.submissions.actions import create_submission
from grading.submissions.probe import probe_submission
from grading.submissions.probe_limit import limited_probe
from grading.workflow import reconcile
from tests.factories.people import everywhere, student
from tests.factories.races import alone, at_once
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis"),
    pytest.mark.servers,
]


def test_of_workers_that_claim_at_once_one_gets_the_audit():
    audit = AuditFactory()
    leases = at_once(lambda: claim_audit(audit_id=audit.pk, run_attempt=1), times=4)
    assert [lease is None for lease in sorted(leases, key=lambda lease: lease is None)] == [
        False,
        True,
        True,
        True,
    ]


def test_of_reconcilers_that_take_back_at_once_one_does():
    audit = AuditFactory(running=True)
    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(lease_until=audit.started_at)
    assert sum(recovery.taken_back for recovery in at_once(reconcile)) == 1
    with everywhere():
        assert list(Activity.objects.values_list("verb", flat=True)) == ["audit.requeued"]


@pytest.mark.parametrize(
    ("works", "refusal"),
    [(("one", "one"), "already_running"), (("one", "other"), "attempts_used_up")],
)
def test_the_last_attempt_is_used_by_one_of_two_hand_ins(
    tmp_path: Path, works: tuple[str, str], refusal: str
):
    for work in set(works):
        make_repository(tmp_path / work, [Commit(files={"README.md": f"# {work}"})])
    assignment = AssignmentFactory(max_attempts=1)
    ada, addresses = student(assignment.cohort), iter([str(tmp_path / work) for work in works])

    def submit() -> str:
        try:
            create_submission(assignment=assignment, student=ada, repo_url=next(addresses), by=None)
        except SubmissionRefused as refused:
            return refused.code
        return "accepted"

    assert sorted(at_once(submit)) == sorted(["accepted", refusal])
    with everywhere():
        assert Submission.objects.count() == Audit.objects.count() == 1


@pytest.mark.parametrize("act", [create_submission, probe_submission])
def test_a_third_look_at_what_one_student_hands_in_waits_for_the_others(tmp_path: Path, act: Any):
    make_repository(tmp_path / "work", [Commit(files={"README.md": "# Work"})])
    assignment = AssignmentFactory()
    ada, bob = student(assignment.cohort), student(assignment.cohort)

    def look_of(one: Any, **by: Any) -> str:
        try:
            act(assignment=assignment, student=one, repo_url=str(tmp_path / "work"), **by)
        except SubmissionRefused as refused:
            return refused.code
        return "looked at"

    by = {"by": None} if act is create_submission else {}
    with everywhere(), two_looks_of(ada):
        assert (look_of(ada, **by), look_of(bob, **by)) == ("looks_running", "looked at")
    with everywhere():
        assert look_of(ada, **by) == "looked at"


@contextmanager
def two_looks_of(student: Any) -> Iterator[None]:
    """Under way on connections of their own: one's own would let itself in."""
    begun, done = Barrier(3), Event()

    def look() -> None:
        with limited_probe(student):
            begun.wait(10)
            done.wait(10)

    with ThreadPoolExecutor(2) as pool:
        looks = [pool.submit(alone, look) for _ in range(2)]
        begun.wait(10)
        try:
            yield
        finally:
            done.set()
        assert [each.result() for each in looks] == [None, None]
