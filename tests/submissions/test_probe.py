"""Looking at a hand-in before it counts, knowing that it is late, and the receipt that stays in one's mail."""

from __future__ import annotations

import hashlib
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from grading.core.enums import LatePolicy, NoticeKind
from grading.models import Activity, Assignment, Enrollment, Notice, Submission
from tests.factories.graded_work import page_of, signed_in
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


class Desk:
    """A student before the form of an assignment, with a repository and a report of two pages."""

    def __init__(self, folder: Path, **assignment: Any) -> None:
        self.repository = make_repository(
            folder / "work.git", [Commit(files={"README.md": "# Work\n"})]
        )
        self.pdf = make_pdf(
            folder / "report.pdf", [Page(lines=["One"]), Page(lines=["Two"])]
        ).read_bytes()
        self.url = str(folder / "work.git")
        self.assignment: Assignment = AssignmentFactory.create(
            title="Week 2", max_attempts=3, **assignment
        )
        self.student: Enrollment = student(self.assignment.cohort)
        self.client = signed_in(self.student.user)

    @property
    def commit(self) -> str:
        words = ["git", "-C", self.url, "rev-parse", "HEAD"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    def report(self) -> SimpleUploadedFile:
        return SimpleUploadedFile("report.pdf", self.pdf, "application/pdf")

    def post(self, *, fragment: bool = False, **typed: Any) -> Any:
        headers = {"HX-Request": "true"} if fragment else {}
        given = {"repo_url": self.url} | typed
        return self.client.post(page_of(self.assignment, "submit"), given, headers=headers)

    def stored(self) -> tuple[int, int, int]:
        with everywhere():
            return Submission.objects.count(), Activity.objects.count(), Notice.objects.count()


def late_by_a_day() -> dict[str, Any]:
    return {"due_at": timezone.now() - timedelta(days=1), "late_policy": LatePolicy.ACCEPT}


@pytest.mark.parametrize("fragment", [False, True])
def test_what_cannot_be_handed_in_is_said_and_what_was_typed_stays(
    tmp_path: Path, fragment: bool
) -> None:
    answer = Desk(tmp_path).post(
        do="check", repo_url=str(tmp_path / "nowhere.git"), fragment=fragment
    )
    page = answer.content.decode()
    assert list(answer.context["form"].errors) == ["repo_url"]
    assert (("<html" in page), ("cannot be handed in as it is" in page)) == (not fragment, fragment)
    assert (str(tmp_path / "nowhere.git") in page) is not fragment


def test_a_report_that_is_no_pdf_is_said_before_it_counts(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    answer = desk.post(
        do="check", pdf=SimpleUploadedFile("report.pdf", b"<html>", "application/pdf")
    )
    assert (list(answer.context["form"].errors), desk.stored()) == (["pdf"], (0, 0, 0))


@pytest.mark.parametrize("fragment", [False, True])
def test_a_look_tells_commit_report_and_attempt_and_stores_nothing(
    tmp_path: Path, settings: Any, fragment: bool
) -> None:
    desk = Desk(tmp_path, due_at=timezone.now() + timedelta(days=1))
    answer = desk.post(do="check", pdf=desk.report(), fragment=fragment)
    page, look = answer.content.decode(), answer.context["look"]
    assert (look.commit, look.attempt, look.left, look.late) == (desk.commit, 1, 2, False)
    assert (look.report.pages, look.report.size) == (2, len(desk.pdf))
    assert look.report.sha256 == hashlib.sha256(desk.pdf).hexdigest()
    assert ("Choose report.pdf once more" in page) is not fragment
    assert (desk.stored(), list(Path(settings.MEDIA_ROOT).rglob("*.pdf"))) == ((0, 0, 0), [])
    assert fragment or faults_of(page) == []


def test_what_is_refused_to_everybody_now_is_refused_to_a_look_as_well(tmp_path: Path) -> None:
    desk = Desk(tmp_path, due_at=timezone.now() - timedelta(days=1))
    answer = desk.post(do="check")
    assert (list(answer.context["form"].errors), answer.context["look"]) == (["__all__"], None)


def test_late_work_is_not_taken_before_its_student_says_that_they_know(
    tmp_path: Path, redis: Any
) -> None:
    desk = Desk(tmp_path, **late_by_a_day())
    answer = desk.post()
    assert (list(answer.context["form"].errors), desk.stored()) == (["late_known"], (0, 0, 0))
    assert answer.context["form"]["repo_url"].value() == desk.url
    assert desk.post(do="check").context["look"].late is True
    assert desk.post(late_known="on").status_code == 302
    with everywhere():
        assert Submission.objects.get().late is True


def test_what_is_in_time_is_asked_no_such_thing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, due_at=timezone.now() + timedelta(days=1))
    page = desk.client.get(page_of(desk.assignment, "submit")).content.decode()
    assert ("late_known" in page, faults_of(page)) == (False, [])


def test_the_receipt_is_in_the_mail_with_commit_digest_and_time(tmp_path: Path, redis: Any) -> None:
    desk = Desk(tmp_path)
    desk.post(pdf=desk.report())
    with everywhere():
        submission, letter = Submission.objects.get(), Notice.objects.get()
        audit = submission.audits.get()
    assert (letter.kind, letter.user) == (NoticeKind.HANDED_IN, desk.student.user)
    assert letter.subject == "Week 2: attempt 1 received"
    assert letter.path == reverse("audit", args=[desk.assignment.organization.slug, audit.pk])
    said = f"{submission.handed_in_at:%d %B %Y, %H:%M:%S} UTC"
    assert letter.body.splitlines() == [
        f"Attempt 1 at “Week 2” was received on {said}.",
        "",
        f"Repository: {desk.url}",
        f"Commit: {desk.commit}",
        f"Report (PDF): report.pdf, SHA-256 {hashlib.sha256(desk.pdf).hexdigest()}",
    ]
