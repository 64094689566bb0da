"""Races on separate connections: one wins, the other is refused."""

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


def test_one_of_racing_workers_claims_the_audit():
    audit = AuditFactory()
    leases = at_once(lambda: claim_audit(audit_id=audit.pk, run_attempt=1), times=4)
    assert [lease is None for lease in sorted(leases, key=lambda lease: lease is None)] == [
        False,
        True,
        True,
        True,
    ]


def test_one_of_racing_reconcilers_requeues_the_audit():
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
def test_last_attempt_is_used_by_one_of_two_submissions(
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
def test_third_probe_of_a_student_is_refused(tmp_path: Path, act: Any):
    make_repository(tmp_path / "work", [Commit(files={"README.md": "# Work"})])
    assignment = AssignmentFactory()
    ada, bob = student(assignment.cohort), student(assignment.cohort)

    def probe_of(enrollment: Any, **by: Any) -> str:
        try:
            act(assignment=assignment, student=enrollment, repo_url=str(tmp_path / "work"), **by)
        except SubmissionRefused as refused:
            return refused.code
        return "looked at"

    by = {"by": None} if act is create_submission else {}
    with everywhere(), two_probes_of(ada):
        assert (probe_of(ada, **by), probe_of(bob, **by)) == ("looks_running", "looked at")
    with everywhere():
        assert probe_of(ada, **by) == "looked at"


@contextmanager
def two_probes_of(student: Any) -> Iterator[None]:
    """Hold two probes on other connections: advisory locks are reentrant on the same one."""
    begun, done = Barrier(3), Event()

    def hold_probe() -> None:
        with limited_probe(student):
            begun.wait(10)
            done.wait(10)

    with ThreadPoolExecutor(2) as pool:
        probes = [pool.submit(alone, hold_probe) for _ in range(2)]
        begun.wait(10)
        try:
            yield
        finally:
            done.set()
        assert [future.result() for future in probes] == [None, None]
