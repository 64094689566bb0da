"""Races on separate connections: one wins, the other is refused."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest

from auditor_site import webserver
from grading.audits.actions import claim_audit
from grading.core import probe_limit
from grading.core.errors import SubmissionRefused
from grading.core.probe_limit import limited_probe
from grading.engine import audits as engine_audits
from grading.models import Activity, Audit, Submission
from grading.submissions.actions import create_submission
from grading.submissions.probe import probe_submission
from grading.workflow import reconcile
from tests.factories.graded_work import page_of, signed_in
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    UserFactory,
    everywhere,
    student,
)
from tests.factories.races import alone, at_once
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory
from tests.waiting import PATIENCE_SECONDS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: tuple[str, str], refusal: str
):
    for work in set(works):
        make_repository(tmp_path / work, [Commit(files={"README.md": f"# {work}"})])
    assignment = AssignmentFactory(max_attempts=1)
    ada, addresses = student(assignment.cohort), iter([str(tmp_path / work) for work in works])

    probe, both_probe = engine_audits.probe_repository, Barrier(2)

    def probe_together(submission: Submission) -> str:
        # Each has passed the first, cheap checks before the other takes the attempt.
        both_probe.wait(PATIENCE_SECONDS)
        return probe(submission)

    def submit() -> str:
        try:
            create_submission(assignment=assignment, student=ada, repo_url=next(addresses), by=None)
        except SubmissionRefused as refused:
            return refused.code
        return "accepted"

    monkeypatch.setattr(engine_audits, "probe_repository", probe_together)

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


def code_of_probe(enrollment: Any) -> str:
    try:
        with limited_probe(enrollment):
            return "looked at"
    except SubmissionRefused as refused:
        return refused.code


def test_probes_are_counted_by_account_over_all_cohorts_and_organizations():
    person = UserFactory()
    first, second = (
        EnrollmentFactory.create(cohort=CohortFactory(), user=person, email=person.email)
        for _ in range(2)
    )
    with probes_of(first, second):
        assert (code_of_probe(first), code_of_probe(second)) == ("looks_running",) * 2
        assert code_of_probe(student(first.cohort)) == "looked at"
    assert code_of_probe(first) == "looked at"


def test_organization_leaves_a_quarter_of_the_sites_probes_to_the_others(settings):
    settings.PROBES_AT_ONCE = 4
    cohort, other = CohortFactory(), CohortFactory()
    with probes_of(*[student(cohort) for _ in range(3)]):
        assert code_of_probe(student(cohort)) == "looks_full"
        assert code_of_probe(student(other)) == "looked at"
        with probes_of(student(other)):
            assert code_of_probe(student(CohortFactory())) == "looks_full"


def test_probes_of_another_machine_take_no_slot_of_this_ones_but_the_accounts(
    settings, monkeypatch
):
    settings.PROBES_AT_ONCE = 2
    cohort = CohortFactory()
    ada, bob = student(cohort), student(cohort)
    monkeypatch.setattr(probe_limit, "gethostname", lambda: "another-machine")
    with two_probes_of(ada):
        assert code_of_probe(bob) == "looks_full"
        monkeypatch.undo()
        assert (code_of_probe(bob), code_of_probe(ada)) == ("looked at", "looks_running")


def test_probes_leave_half_of_the_web_threads_to_the_pages(settings):
    assert webserver.workers * webserver.threads // 2 == settings.PROBES_AT_ONCE


def test_full_site_is_said_beside_the_repository_and_keeps_what_was_typed(settings):
    settings.PROBES_AT_ONCE = 2
    assignment = AssignmentFactory()
    ada = student(assignment.cohort)
    typed = {"repo_url": "https://github.com/ada/work", "ref": "main"}
    with probes_of(student(CohortFactory()), student(CohortFactory())):
        for do in ("check", "submit"):
            page = signed_in(ada.user).post(page_of(assignment, "submit"), {**typed, "do": do})
            form = page.context["form"]
            assert form.errors == {"repo_url": [probe_limit.FULL]}
            assert all(f'value="{value}"' in page.text for value in typed.values())


def two_probes_of(student: Any) -> AbstractContextManager[None]:
    return probes_of(student, student)


@contextmanager
def probes_of(*students: Any) -> Iterator[None]:
    """Hold probes on other connections: advisory locks are reentrant on the same one."""
    begun, done = Barrier(len(students) + 1), Event()

    def hold_probe(student: Any) -> None:
        with limited_probe(student):
            begun.wait(PATIENCE_SECONDS)
            done.wait(2 * PATIENCE_SECONDS)

    with ThreadPoolExecutor(len(students)) as pool:
        probes = [pool.submit(alone, partial(hold_probe, student)) for student in students]
        begun.wait(PATIENCE_SECONDS)
        try:
            yield
        finally:
            done.set()
        assert [future.result() for future in probes] == [None] * len(students)
