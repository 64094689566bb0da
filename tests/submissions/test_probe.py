"""Checks before a submission, the confirmation of late work, and the emailed receipt."""

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

from courtroom.analysis.git.clone import TOO_SLOW
from grading.core.enums import LatePolicy, NoticeKind
from grading.models import Activity, Assignment, Audit, Enrollment, Notice, Submission
from tests.factories.graded_work import page_of, signed_in
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


class Work:
    """A student with an assignment, a repository and a report of two pages."""

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

    def post(self, *, fragment: bool = False, **fields: Any) -> Any:
        headers = {"HX-Request": "true"} if fragment else {}
        data = {"repo_url": self.url} | fields
        return self.client.post(page_of(self.assignment, "submit"), data, headers=headers)

    def stored(self) -> tuple[int, int, int]:
        with everywhere():
            return Submission.objects.count(), Activity.objects.count(), Notice.objects.count()


def late_by_a_day() -> dict[str, Any]:
    return {"due_at": timezone.now() - timedelta(days=1), "late_policy": LatePolicy.ACCEPT}


def test_repository_that_is_not_read_in_time_is_refused_beside_its_address(
    tmp_path: Path, settings: Any
) -> None:
    settings.PROBE_SECONDS = 0.001
    work = Work(tmp_path)
    answer = work.post(ref="main", pdf=work.report())
    assert answer.context["form"].errors == {"repo_url": [TOO_SLOW]}
    assert work.stored() == (0, 0, 0)


@pytest.mark.parametrize("fragment", [False, True])
def test_check_shows_errors_and_keeps_typed_values(tmp_path: Path, fragment: bool) -> None:
    answer = Work(tmp_path).post(
        do="check", repo_url=str(tmp_path / "nowhere.git"), fragment=fragment
    )
    page = answer.content.decode()
    assert list(answer.context["form"].errors) == ["repo_url"]
    assert (("<html" in page), ("be submitted yet" in page)) == (not fragment, fragment)
    assert (str(tmp_path / "nowhere.git") in page) is not fragment


@pytest.mark.parametrize("do", ["check", "submit"])
def test_address_without_a_scheme_is_completed_and_named_where_local_ones_are_allowed(
    tmp_path: Path, settings: Any, do: str
) -> None:
    assert settings.ALLOW_LOCAL_REPOSITORIES
    answer = Work(tmp_path).post(do=do, repo_url="nowhere.invalid/you/<b>x</b>")
    (field,) = [row for row in answer.context["form"] if row.errors]
    assert field.value() == "https://nowhere.invalid/you/<b>x</b>"
    assert field.errors == ["We couldn't reach nowhere.invalid. Check its spelling."]
    assert (
        "You typed <code>nowhere.invalid/you/&lt;b&gt;x&lt;/b&gt;</code>; we read it as "
        "<code>https://nowhere.invalid/you/&lt;b&gt;x&lt;/b&gt;</code>."
    ) in answer.text


def test_completed_address_is_named_where_only_the_check_is_shown_again(tmp_path: Path) -> None:
    answer = Work(tmp_path).post(do="check", repo_url="nowhere.invalid/x", fragment=True)
    assert "We read the address as <code>https://nowhere.invalid/x</code>." in answer.text


def test_check_names_the_repository(tmp_path: Path) -> None:
    work = Work(tmp_path)
    answer = work.post(do="check")
    assert f"<dt>Repository</dt><dd><code>{work.url}</code></dd>" in answer.text


def test_check_reports_a_file_that_is_no_pdf(tmp_path: Path) -> None:
    work = Work(tmp_path)
    answer = work.post(
        do="check", pdf=SimpleUploadedFile("report.pdf", b"<html>", "application/pdf")
    )
    assert (list(answer.context["form"].errors), work.stored()) == (["pdf"], (0, 0, 0))


@pytest.mark.parametrize("fragment", [False, True])
def test_check_shows_commit_report_and_attempt_and_stores_nothing(
    tmp_path: Path, settings: Any, fragment: bool
) -> None:
    work = Work(tmp_path, due_at=timezone.now() + timedelta(days=1))
    answer = work.post(do="check", pdf=work.report(), fragment=fragment)
    page, probe = answer.content.decode(), answer.context["probe"]
    assert (probe.commit, probe.attempt, probe.left, probe.late) == (work.commit, 1, 2, False)
    assert (probe.report.pages, probe.report.size) == (2, len(work.pdf))
    assert probe.report.sha256 == hashlib.sha256(work.pdf).hexdigest()
    assert ("Choose report.pdf again" in page) is not fragment
    assert (work.stored(), list(Path(settings.MEDIA_ROOT).rglob("*.pdf"))) == ((0, 0, 0), [])
    assert fragment or faults_of(page) == []


def test_check_is_refused_after_the_due_date(tmp_path: Path) -> None:
    work = Work(tmp_path, due_at=timezone.now() - timedelta(days=1))
    answer = work.post(do="check")
    assert (list(answer.context["form"].errors), answer.context["probe"]) == (["__all__"], None)


def test_late_submission_needs_confirmation(tmp_path: Path, redis: Any) -> None:
    work = Work(tmp_path, **late_by_a_day())
    answer = work.post()
    assert (list(answer.context["form"].errors), work.stored()) == (["late_known"], (0, 0, 0))
    assert answer.context["form"]["repo_url"].value() == work.url
    assert work.post(do="check").context["probe"].late is True
    assert work.post(late_known="on").status_code == 302
    with everywhere():
        assert Submission.objects.get().late is True


def test_submission_on_time_needs_no_confirmation(tmp_path: Path) -> None:
    work = Work(tmp_path, due_at=timezone.now() + timedelta(days=1))
    page = work.client.get(page_of(work.assignment, "submit")).content.decode()
    assert ("late_known" in page, faults_of(page)) == (False, [])


def judged(work: Work) -> None:
    with everywhere():
        Audit.objects.update(
            state="done", report={}, report_digest="d" * 64, finished_at=timezone.now()
        )


def test_same_work_asks_first_and_keeps_the_input_and_the_report(
    tmp_path: Path, redis: Any
) -> None:
    work = Work(tmp_path)
    assert work.post(pdf=work.report(), ref="main").status_code == 302
    judged(work)
    assert work.post(do="check", pdf=work.report()).context["probe"].same_as == 1

    answer = work.post(pdf=work.report(), ref="main")
    form, page = answer.context["form"], answer.content.decode()
    assert (list(form.errors), form["ref"].value()) == (["again"], "main")
    kept = ["We kept your input and your report.", "Your last report is used unless"]
    assert ([words in page for words in kept], faults_of(page)) == ([True, True], [])
    sent = {"ref": "main", "same_report": form["same_report"].value()}
    # Without the tick it is asked again; the browser sends no file now.
    assert list(work.post(**sent).context["form"].errors) == ["again"]
    assert work.post(**sent, again="on").status_code == 302
    with everywhere():
        first, second = Submission.objects.order_by("attempt")
    assert (second.pdf_sha256, second.pdf_name) == (first.pdf_sha256, "report.pdf")
    assert second.pdf.name != first.pdf.name


def test_digest_of_another_report_brings_no_file(tmp_path: Path, redis: Any) -> None:
    work = Work(tmp_path)
    work.post(pdf=work.report())
    judged(work)
    assert work.post(same_report="0" * 64).status_code == 302
    with everywhere():
        assert Submission.objects.get(attempt=2).pdf_sha256 == ""


def test_receipt_email_has_commit_digest_and_time(tmp_path: Path, redis: Any) -> None:
    work = Work(tmp_path)
    work.post(pdf=work.report())
    with everywhere():
        submission, email = Submission.objects.get(), Notice.objects.get()
        audit = submission.audits.get()
    assert (email.kind, email.user) == (NoticeKind.HANDED_IN, work.student.user)
    assert email.subject == "Week 2: attempt 1 received"
    assert email.path == reverse("audit", args=[work.assignment.organization.slug, audit.pk])
    time = f"{submission.handed_in_at:%d %B %Y, %H:%M:%S} UTC"
    assert email.body.splitlines() == [
        f"Attempt 1 at “Week 2” was received on {time}.",
        "",
        f"Repository: {work.url}",
        f"Commit: {work.commit}",
        f"Report (PDF): report.pdf, SHA-256 {hashlib.sha256(work.pdf).hexdigest()}",
    ]
