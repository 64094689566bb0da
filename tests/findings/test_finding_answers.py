"""Answers to findings: what is refused beside which field, what stands, and whether a fix is one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope
from rq.job import Job, JobStatus

from grading.core.enums import ReleasePolicy, ResponseKind
from grading.core.errors import FindingRefused
from grading.findings.answers import REASON_MAX_LENGTH, answer_finding
from grading.findings.fix_verification import LOOKUP_BROKEN, verify_waiting
from grading.jobs import verify_fix
from grading.models import Activity, Assignment, Cohort, Finding, FindingResponse, Submission
from tests.factories.peers import (
    FindingFactory,
    FindingResponseFactory,
    FindingSightingFactory,
)
from tests.factories.people import everywhere, staff_user, student
from tests.factories.repositories import Commit, git, make_repository
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SHA = "0123456789abcdef0123456789abcdef01234567"


def owned(**fields: Any) -> Finding:
    """A finding whose student has signed up."""
    assignment = AssignmentFactory.create()
    submission = SubmissionFactory.create(
        assignment=assignment, student=student(assignment.cohort), **fields
    )
    made: Finding = FindingFactory.create(first_submission=submission)
    return made


def answer(finding: Finding, kind: str, **fields: Any) -> FindingResponse:
    with scope(organization=finding.organization):
        return answer_finding(
            finding=finding, kind=kind, by=fields.pop("by", finding.student.user), **fields
        )


def refusal(finding: Finding, kind: str, **fields: Any) -> tuple[str, str]:
    with pytest.raises(FindingRefused) as refused:
        answer(finding, kind, **fields)
    return refused.value.field, refused.value.code


def answers() -> list[tuple[Any, ...]]:
    with everywhere():
        rows = FindingResponse.objects.order_by("pk")
        return [(row.kind, row.commit, row.reason, row.replaced_at is None) for row in rows]


@pytest.mark.parametrize(
    ("kind", "answer_fields", "refused"),
    [
        ("", {}, ("kind", "kind_unknown")),
        ("mended", {}, ("kind", "kind_unknown")),
        ("fixed", {}, ("commit", "commit_missing")),
        ("fixed", {"commit": "main"}, ("commit", "commit_malformed")),
        ("fixed", {"commit": "abcdef"}, ("commit", "commit_malformed")),
        ("fixed", {"commit": f"{SHA}0"}, ("commit", "commit_malformed")),
        ("will_fix", {"commit": SHA}, ("commit", "commit_not_asked")),
        ("deferred", {"reason": "  "}, ("reason", "reason_missing")),
        ("contested", {}, ("reason", "reason_missing")),
        ("dismissed", {"reason": " "}, ("reason", "reason_missing")),
        ("dismissed", {"reason": "No.", "commit": SHA}, ("commit", "commit_not_asked")),
        ("will_fix", {"reason": "x" * (REASON_MAX_LENGTH + 1)}, ("reason", "reason_too_long")),
    ],
)
def test_what_says_too_little_is_refused_beside_its_field(
    kind: str, answer_fields: dict[str, str], refused: tuple[str, str]
) -> None:
    assert refusal(owned(), kind, **answer_fields) == refused
    assert answers() == []


def test_commit_in_which_an_audit_saw_the_fault_is_refused() -> None:
    finding = owned(resolved_commit=SHA)
    FindingSightingFactory.create(finding=finding)
    assert refusal(finding, "fixed", commit=SHA[:9]) == ("commit", "commit_audited")
    assert answers() == []
    assert answer(finding, "fixed", commit="f" * 40).commit == "f" * 40


def test_a_withheld_audit_is_not_given_away_by_the_refusal_of_its_commit() -> None:
    finding = owned(resolved_commit=SHA)
    FindingSightingFactory.create(finding=finding)
    with everywhere():
        Assignment.objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
    assert answer(finding, "fixed", commit=SHA).commit == SHA


def test_nobody_answers_for_somebody_else_and_nobody_after_the_end() -> None:
    finding = owned()
    teacher = staff_user(finding.organization)
    assert refusal(finding, "will_fix", by=teacher) == ("", "not_yours")
    assert refusal(finding, "will_fix", by=student(finding.assignment.cohort).user) == (
        "",
        "not_yours",
    )
    with everywhere():
        Cohort.objects.update(ends_on=timezone.now().date() - timedelta(days=1))
        finding = Finding.objects.select_related("assignment__cohort", "student__user").get()
    assert refusal(finding, "will_fix") == ("", "cohort_over")
    assert answers() == []


def test_a_later_answer_replaces_and_the_earlier_stays_on_the_record() -> None:
    finding = owned()
    answer(finding, "will_fix", reason=" Next week. ")
    answer(finding, "contested", reason="It is there.")
    again = answer(finding, "contested", reason="It is there.")
    assert answers() == [
        ("will_fix", "", "Next week.", False),
        ("contested", "", "It is there.", True),
    ]
    assert again.kind == ResponseKind.CONTESTED
    with everywhere():
        assert Activity.objects.filter(verb="finding.answered").count() == 2


@pytest.mark.parametrize(
    "written",
    [
        SHA.upper(),
        f" {SHA} ",
        f"https://github.com/o/r/commit/{SHA}",
        f"https://gitlab.com/o/r/-/commit/{SHA}/",
    ],
)
def test_a_commit_is_understood_as_it_is_copied(written: str) -> None:
    assert answer(owned(), "fixed", commit=written).commit == SHA


@pytest.fixture
def repository(tmp_path: Path) -> tuple[str, list[str]]:
    """A repository whose second commit changes src/graph.py; its address and its commits."""
    path = tmp_path / "work.git"
    make_repository(
        path, [Commit(files={"README.md": "# Work"}), Commit(files={"src/graph.py": "graph = 1\n"})]
    )
    return str(path), git("rev-list", "--reverse", "HEAD", at=path).split()


@pytest.mark.parametrize(
    ("commit", "place", "verified", "why"),
    [
        (1, "src/graph.py", True, "changes src/graph.py"),
        (0, "", True, "in the repository's history"),
        (0, "src/graph.py", False, "does not change src/graph.py. If the fix is in another file"),
        (None, "", False, "No single commit"),
    ],
)
def test_commit_that_changes_nothing_of_the_place_is_refused(
    repository: tuple[str, list[str]], commit: int | None, place: str, verified: bool, why: str
) -> None:
    address, commits = repository
    finding = owned(repo_url=address)
    with everywhere():
        Finding.objects.update(place=place)
    answer(finding, "will_fix", reason="Next week.")
    reply = answer(finding, "fixed", commit=SHA if commit is None else commits[commit][:10])
    with override_settings(ALLOW_LOCAL_REPOSITORIES=True):
        verify_fix(finding.organization_id, reply.pk)
        verify_fix(finding.organization_id, reply.pk)
    with everywhere():
        reply = FindingResponse.objects.get(pk=reply.pk)
        assert Activity.objects.filter(verb="finding.fix_verified").count() == 1
    assert (reply.verified, why in reply.verification) == (verified, True)
    # The answer before a refused one stands again.
    standing = [(kind, stands) for kind, _commit, _reason, stands in answers()]
    assert standing == [("will_fix", not verified), ("fixed", verified)]


def test_refused_fix_without_an_earlier_answer_leaves_the_finding_without_one(
    repository: tuple[str, list[str]],
) -> None:
    address, commits = repository
    finding = owned(repo_url=address)
    for _ in range(2):
        reply = answer(finding, "fixed", commit=commits[0])
        with override_settings(ALLOW_LOCAL_REPOSITORIES=True):
            verify_fix(finding.organization_id, reply.pk)
    assert [stands for *_rest, stands in answers()] == [False, False]


def test_a_repository_that_is_gone_leaves_the_fix_unverified_with_the_reason(
    tmp_path: Path,
) -> None:
    finding = owned(repo_url=str(tmp_path / "gone.git"))
    reply = answer(finding, "fixed", commit=SHA)
    with override_settings(ALLOW_LOCAL_REPOSITORIES=True):
        verify_fix(finding.organization_id, reply.pk)
    with everywhere():
        reply = FindingResponse.objects.get()
    assert reply.verified is None
    assert reply.verification != ""


def test_the_latest_attempts_repository_is_looked_in(repository: tuple[str, list[str]]) -> None:
    address, commits = repository
    finding = owned()
    SubmissionFactory(
        assignment=finding.assignment, student=finding.student, attempt=2, repo_url=address
    )
    reply = answer(finding, "fixed", commit=commits[1])
    with override_settings(ALLOW_LOCAL_REPOSITORIES=True):
        verify_fix(finding.organization_id, reply.pk)
    with everywhere():
        assert FindingResponse.objects.get().verified is True
        assert Submission.objects.count() == 2


def test_an_answer_that_was_replaced_meanwhile_is_left_alone() -> None:
    finding = owned()
    reply = answer(finding, "fixed", commit=SHA)
    answer(finding, "will_fix")
    verify_fix(finding.organization_id, reply.pk)
    with everywhere():
        assert set(FindingResponse.objects.values_list("verified", "verification")) == {(None, "")}


def test_only_a_fix_is_looked_up_and_that_after_the_commit(
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer(owned(), "will_fix")
        reply = answer(owned(), "fixed", commit=SHA)
        assert get_queue("submissions").job_ids == []
    assert get_queue("submissions").job_ids == [f"fix-{reply.pk}"]


def test_the_same_fix_once_more_is_looked_up_again_if_the_lookup_failed(
    django_capture_on_commit_callbacks: Any,
) -> None:
    finding = owned()
    reply = answer(finding, "fixed", commit=SHA)

    def looked_up_again(verified: bool | None, verification: str) -> bool:
        with everywhere():
            FindingResponse.objects.update(verified=verified, verification=verification)
        get_queue("submissions").empty()
        with django_capture_on_commit_callbacks(execute=True):
            assert answer(finding, "fixed", commit=SHA).pk == reply.pk
        return get_queue("submissions").job_ids == [f"fix-{reply.pk}"]

    assert [
        looked_up_again(None, LOOKUP_BROKEN),
        looked_up_again(None, ""),
        looked_up_again(True, "It is there."),
    ] == [True, False, False]


def test_the_reconciler_brings_back_what_the_queue_lost_once() -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    lost = FindingResponseFactory(kind=ResponseKind.FIXED, commit=SHA, reason="")
    response = FindingResponseFactory(
        kind=ResponseKind.FIXED, commit=SHA, reason="", verification="Nobody could look."
    )
    fresh = FindingResponseFactory(kind=ResponseKind.FIXED, commit=SHA, reason="")
    with everywhere():
        FindingResponse.objects.filter(pk__in=[lost.pk, response.pk]).update(created_at=long_ago)
    assert (verify_waiting(), verify_waiting()) == (1, 0)
    assert get_queue("submissions").job_ids == [f"fix-{lost.pk}"]
    assert fresh.pk != lost.pk


def test_a_job_that_broke_says_so_and_is_not_made_again() -> None:
    lost = FindingResponseFactory(kind=ResponseKind.FIXED, commit=SHA, reason="")
    with everywhere():
        FindingResponse.objects.update(created_at=timezone.now() - timedelta(hours=1))
        verify_waiting()
    job = Job.fetch(f"fix-{lost.pk}", connection=get_queue("submissions").connection)
    job.set_status(JobStatus.FAILED)
    assert verify_waiting() == 0
    with everywhere():
        reply = FindingResponse.objects.get()
    assert (reply.verified, reply.verification) == (None, LOOKUP_BROKEN)
