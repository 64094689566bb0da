"""Submissions: each refusal with its field, and the records of an accepted one."""

import hashlib
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from rq.job import Job

from grading import workflow
from grading.core.enums import AuditState, LatePolicy
from grading.core.errors import SubmissionRefused
from grading.models import Activity, Audit, Enrollment, Submission
from grading.submissions.actions import create_submission
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory, claimed

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()\n"})])
    return tmp_path / "work.git"


@pytest.fixture
def report(tmp_path: Path) -> bytes:
    return make_pdf(tmp_path / "report.pdf", [Page(lines=["A report"])]).read_bytes()


@pytest.fixture
def assignment():
    return AssignmentFactory(max_attempts=2)


def submit(assignment, repository, *, student_=None, **fields):
    student_ = student_ or student(assignment.cohort)
    return create_submission(
        assignment=assignment,
        student=student_,
        repo_url=str(repository),
        by=student_.user,
        **fields,
    )


def refusal(*args, **fields):
    with pytest.raises(SubmissionRefused) as refused:
        submit(*args, **fields)
    with everywhere():
        assert not Audit.objects.filter(submission__repo_url=str(args[1])).exists()
    return refused.value.field, refused.value.code


def pdf(content: bytes, name: str = "report.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "application/pdf")


def stored_files(settings) -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


@pytest.mark.processes
def test_web_process_does_not_import_langgraph():
    names = "probe_repository probe_pdf read_rubric shipped_rubric render_markdown"
    script = (
        "import sys, courtroom;"
        f" [getattr(courtroom, name) for name in {names.split()}];"
        " print('langgraph' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_submission_is_refused_before_the_assignment_opens(assignment, repository):
    assignment.opens_at = timezone.now() + timedelta(hours=1)
    assert refusal(assignment, repository) == ("", "not_open_yet")


def test_submission_is_refused_after_the_due_date(assignment, repository):
    assignment.due_at = timezone.now() - timedelta(seconds=1)
    assert refusal(assignment, repository) == ("", "after_due_date")


def test_submission_is_refused_without_attempts_left(assignment, repository):
    ada = student(assignment.cohort)
    SubmissionFactory(assignment=assignment, student=ada, attempt=1)
    SubmissionFactory(assignment=assignment, student=ada, attempt=2)
    assert refusal(assignment, repository, student_=ada) == ("", "attempts_used_up")


@pytest.mark.parametrize(
    ("url", "field", "code"),
    [
        ("ftp://example.org/work", "repo_url", "url_not_https"),
        ("https://10.0.0.1/work", "repo_url", "url_private_address"),
        ("https://ada:secret@example.org/work", "repo_url", "url_credentials"),
        ("https://example.org/" + "x" * 2000, "repo_url", "url_malformed"),
        ("/nowhere/work.git", "repo_url", "repository_not_found"),
        ("/" + 300 * "a", "repo_url", "repository_not_found"),
    ],
)
def test_unusable_repository_is_refused_at_its_field(assignment, url, field, code):
    assert refusal(assignment, url) == (field, code)


def test_a_repository_without_commits_is_refused(assignment, tmp_path):
    make_repository(tmp_path / "empty.git", [])
    assert refusal(assignment, tmp_path / "empty.git") == ("repo_url", "repository_empty")


def test_unknown_ref_is_refused_at_its_field(assignment, repository):
    assert refusal(assignment, repository, ref="nowhere") == ("ref", "repository_ref_unknown")


def test_an_encrypted_pdf_is_refused(assignment, repository, tmp_path):
    locked = make_pdf(
        tmp_path / "locked.pdf", [Page(lines=["A report"])], encrypted=True
    ).read_bytes()
    assert refusal(assignment, repository, pdf=pdf(locked)) == ("pdf", "pdf_encrypted")


def test_file_that_is_no_pdf_is_refused_and_deleted(assignment, repository, settings):
    assert refusal(assignment, repository, pdf=pdf(b"PK\x03\x04 not a PDF")) == (
        "pdf",
        "pdf_not_a_pdf",
    )
    assert stored_files(settings) == []


def test_a_pdf_over_the_limit_is_refused(assignment, repository, settings, report):
    settings.UPLOAD_MAX_BYTES = len(report) - 1
    assert refusal(assignment, repository, pdf=pdf(report)) == ("pdf", "pdf_too_large")


def test_removed_student_is_refused(assignment, repository):
    removed = student(assignment.cohort)
    with everywhere():
        Enrollment.objects.filter(pk=removed.pk).delete()
    assert refusal(assignment, repository, student_=removed) == ("", "cohort_gone")


def test_same_commit_and_report_are_refused_while_audited(assignment, repository, settings, report):
    ada = student(assignment.cohort)
    submit(assignment, repository, student_=ada, pdf=pdf(report))
    with pytest.raises(SubmissionRefused) as refused:
        submit(assignment, repository, student_=ada, pdf=pdf(report))
    assert refused.value.code == "already_running"
    assert len(stored_files(settings)) == 1


def ended(submission, **state):
    with everywhere():
        Audit.objects.filter(submission=submission).update(**state)


def test_commit_and_report_of_the_last_attempt_are_asked_about(
    assignment, repository, settings, report
):
    ada = student(assignment.cohort)
    first = submit(assignment, repository, student_=ada, pdf=pdf(report))
    ended(
        first, state=AuditState.DONE, report={}, report_digest="d" * 64, finished_at=timezone.now()
    )
    with pytest.raises(SubmissionRefused) as refused:
        submit(assignment, repository, student_=ada, pdf=pdf(report))
    assert (refused.value.field, refused.value.code) == ("again", "same_work")
    assert "Attempt 1 has the same commit and the same report." in refused.value.sentence
    assert len(stored_files(settings)) == 1
    again = submit(assignment, repository, student_=ada, pdf=pdf(report), again=True)
    assert (again.attempt, len(stored_files(settings))) == (2, 2)


def test_another_report_or_a_failed_attempt_is_not_asked_about(assignment, repository, report):
    ada, bob = student(assignment.cohort), student(assignment.cohort)
    first = submit(assignment, repository, student_=ada)
    ended(
        first, state=AuditState.DONE, report={}, report_digest="d" * 64, finished_at=timezone.now()
    )
    assert submit(assignment, repository, student_=ada, pdf=pdf(report)).attempt == 2
    failed = submit(assignment, repository, student_=bob)
    with everywhere():
        Submission.objects.filter(pk=failed.pk).update(counts=False)
    ended(failed, state=AuditState.FAILED, failure_code="gone", finished_at=timezone.now())
    assert submit(assignment, repository, student_=bob).attempt == 2


def test_submission_is_stored_queued_and_logged(
    assignment, repository, settings, redis, django_capture_on_commit_callbacks, report
):
    ada = student(assignment.cohort)
    with django_capture_on_commit_callbacks(execute=True):
        submission = submit(
            assignment, f" {repository} ", student_=ada, pdf=pdf(report, "..\\my\x00 report.pdf")
        )
    with everywhere():
        audit = Audit.objects.get(submission=submission)
        verbs = list(Activity.objects.values_list("verb", "actor"))
    assert (submission.attempt, submission.repo_url, submission.late) == (1, str(repository), False)
    assert (submission.pdf_name, submission.pdf_sha256) == (
        "my report.pdf",
        hashlib.sha256(report).hexdigest(),
    )
    assert [path.read_bytes() for path in stored_files(settings)] == [report]
    assert "report" not in submission.pdf.name
    assert (audit.state, audit.kind, audit.run_attempt) == (AuditState.QUEUED, "self", 0)
    assert verbs == [("submission.handed_in", ada.user.pk)]
    job = Job.fetch(f"audit-{audit.pk}-1", connection=redis)
    assert (job.func_name, job.args, job.origin) == (
        "grading.jobs.run_audit",
        [str(audit.pk), 1],
        "submissions",
    )


def test_nothing_is_queued_before_commit(assignment, repository, redis):
    submit(assignment, repository)
    assert redis.keys("rq:job:*") == []


def test_late_submission_is_accepted_and_marked(assignment, repository):
    assignment.due_at, assignment.late_policy = (
        timezone.now() - timedelta(days=1),
        LatePolicy.ACCEPT,
    )
    assert submit(assignment, repository).late


def test_failed_attempt_does_not_count_and_keeps_its_number(assignment, repository):
    ada = student(assignment.cohort)
    for attempt in (1, 2):
        audit = AuditFactory(
            submission__assignment=assignment, submission__student=ada, submission__attempt=attempt
        )
        lease = claimed(audit)
        with everywhere():
            workflow.fail_audit(lease=lease, code="repository_empty", message="Empty.")
    assert submit(assignment, repository, student_=ada).attempt == 3


def test_submission_survives_a_queue_that_is_down(
    assignment, repository, settings, django_capture_on_commit_callbacks
):
    settings.RQ_QUEUES = {"submissions": {"URL": "redis://127.0.0.1:1/0"}}
    with django_capture_on_commit_callbacks(execute=True):
        submission = submit(assignment, repository)
    with everywhere():
        assert list(Submission.objects.values_list("pk", flat=True)) == [submission.pk]
