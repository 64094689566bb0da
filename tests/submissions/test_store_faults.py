"""A bucket that fails: nothing is lost, one clear error, and audits are tried again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import MULTIPART_CONTENT
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.deployment_checks import check_store_of_uploads
from grading.core.enums import AuditState
from grading.core.errors import StorageUnavailable, UploadUnreadable
from grading.core.uploads import delete_orphans
from grading.jobs import UPLOAD_PAUSES, run_audit
from grading.models import Activity, Audit, OrphanedUpload, Submission
from grading.operations import healthz
from grading.workflow import reconcile
from tests.factories import object_store as faults
from tests.factories.graded_work import page_of, page_of_audit, signed_in
from tests.factories.object_store import (
    Fault,
    StoreProxy,
    bucket_in_use,
    delete_bucket,
    make_bucket,
)
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere, staff_user, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory
from tests.waiting import PATIENCE_SECONDS, just_past
from tests.web_client.api_program import Program

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db,
    pytest.mark.usefixtures("redis", "bucket"),
]
FAULTS = [faults.server_error, faults.forbidden, faults.silent, faults.cut_off]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a repository and a report."""
    folder = tmp_path_factory.mktemp("work")
    commits = [Commit(files={"README.md": "# Work", "main.py": f"print({n})"}) for n in "1234"]
    make_repository(folder / "work.git", commits)
    make_pdf(folder / "report.pdf", [Page(lines=["A report"])])
    return folder


class Work:
    """A student with an assignment, a repository and a report."""

    def __init__(self, files: Path) -> None:
        self.repo_url = str(files / "work.git")
        self.pdf = (files / "report.pdf").read_bytes()
        self.assignment = AssignmentFactory.create(max_attempts=3)
        self.student = student(self.assignment.cohort)
        self.client = signed_in(self.student.user)

    def submit(self, *, with_report: bool = True) -> Any:
        data: dict[str, Any] = {"repo_url": self.repo_url, "ref": "main"}
        if with_report:
            data["pdf"] = SimpleUploadedFile("report.pdf", self.pdf, "application/pdf")
        return self.client.post(page_of(self.assignment, "submit"), data)

    def submitted(self) -> Audit:
        answer = self.submit()
        assert answer.status_code == 302, answer.context["form"].errors
        with everywhere():
            return Audit.objects.select_related("submission", "organization").get()

    def is_nothing_stored(self) -> bool:
        with everywhere():
            rows = (Submission, Audit, Activity)
            return not any(model.objects.exists() for model in rows)


@pytest.fixture
def work(files: Path) -> Work:
    return Work(files)


def now_of(audit: Audit) -> Audit:
    with everywhere():
        return Audit.objects.get(pk=audit.pk)


def pass_pause(audit: Audit) -> None:
    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(grace_until=timezone.now() - timedelta(seconds=1))


def assert_refused_once(answer: Any, work: Work) -> None:
    form = answer.context["form"]
    assert (answer.status_code, form.errors.as_data().keys()) == (200, {"pdf"})
    assert unescape(answer.text).count("We can't store your PDF at the moment") == 1
    assert (form["repo_url"].value(), form["ref"].value()) == (work.repo_url, "main")
    assert work.is_nothing_stored()


@pytest.mark.parametrize("fault", FAULTS)
def test_submission_is_refused_with_one_error_and_keeps_what_was_typed(
    work: Work, store: StoreProxy, fault: Fault
) -> None:
    with store.failing(fault):
        assert_refused_once(work.submit(), work)
    assert work.submit().status_code == 302


def test_submission_is_refused_where_the_bucket_is_gone(work: Work) -> None:
    delete_bucket()
    assert_refused_once(work.submit(), work)


def test_submission_is_refused_where_nobody_listens(work: Work, store: StoreProxy) -> None:
    with store.closed():
        assert_refused_once(work.submit(), work)
    assert work.submit().status_code == 302


def test_slow_store_takes_the_submission_and_gives_it_back(work: Work, store: StoreProxy) -> None:
    with store.failing(faults.slow):
        audit = work.submitted()
        run_audit(str(audit.pk), 1)
    assert now_of(audit).state == AuditState.DONE


def test_submission_without_a_report_needs_no_store(work: Work, store: StoreProxy) -> None:
    with store.closed():
        assert work.submit(with_report=False).status_code == 302


def test_program_is_told_to_come_again(work: Work, store: StoreProxy) -> None:
    program = Program(work.student.user, work.assignment.organization.slug)
    path = f"cohorts/{work.assignment.cohort.slug}/assignments/{work.assignment.slug}/submissions/"
    pdf = SimpleUploadedFile("report.pdf", work.pdf, "application/pdf")
    with store.failing(faults.server_error):
        answer = program.post(
            path, {"repo_url": work.repo_url, "pdf": pdf}, content_type=MULTIPART_CONTENT
        )
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (
        503,
        "storage_unavailable",
        "pdf",
    )
    assert work.is_nothing_stored()


def test_refused_upload_is_deleted_after_an_hour(work: Work, store: StoreProxy) -> None:
    """The store took the file, and its answer was lost."""
    with store.failing(faults.answer_lost):
        assert_refused_once(work.submit(), work)
    with everywhere():
        (orphan,) = OrphanedUpload.objects.all()
        assert default_storage.exists(orphan.name)
        OrphanedUpload.objects.update(delete_after=just_past())
    assert delete_orphans() == 1
    assert not default_storage.exists(orphan.name)


DOWNLOADS = [
    pytest.param(faults.server_error, 503, "does not answer", id="500"),
    pytest.param(faults.forbidden, 503, "does not answer", id="403"),
    pytest.param(faults.silent, 503, "does not answer", id="silent"),
    pytest.param(faults.truncated, 503, "does not answer", id="truncated"),
    pytest.param(faults.cut_off, 503, "does not answer", id="cut off"),
    pytest.param(faults.other_bytes, 500, "is not the one that was submitted", id="other bytes"),
]


@pytest.mark.parametrize(("fault", "status", "words"), DOWNLOADS)
def test_download_says_what_failed_and_sends_no_byte_of_a_broken_file(
    work: Work, store: StoreProxy, fault: Fault, status: int, words: str
) -> None:
    address = page_of_audit(work.submitted(), "audit-pdf-file")
    with store.failing(fault):
        answer = work.client.get(address)
    assert (answer.status_code, words in answer.text) == (status, True)
    assert b"".join(work.client.get(address)) == work.pdf


def test_download_of_an_object_that_is_gone_is_a_failure_of_the_site(work: Work) -> None:
    audit = work.submitted()
    default_storage.delete(str(audit.submission.pdf))
    answer = work.client.get(page_of_audit(audit, "audit-pdf-file"))
    assert (answer.status_code, "is gone from the store" in answer.text) == (500, True)


def test_only_those_who_may_see_the_work_download_it(work: Work, store: StoreProxy) -> None:
    address = page_of_audit(work.submitted(), "audit-pdf-file")
    store.requests.clear()
    stranger = signed_in(student(work.assignment.cohort).user)
    assert (stranger.get(address).status_code, store.requests) == (404, [])


@pytest.fixture
def broken(store: StoreProxy) -> Iterator[Callable[[Any, Audit], Any]]:
    """Return a function that breaks the store for an audit, in one of several ways."""
    with store.failing(faults.none):

        def break_store(fault: Any, audit: Audit) -> None:
            if fault == "object gone":
                default_storage.delete(str(audit.submission.pdf))
            elif fault == "bucket gone":
                delete_bucket()
            else:
                store.fault = fault

        yield break_store


FETCHES = [
    pytest.param(faults.server_error, "storage_unavailable", id="500"),
    pytest.param(faults.silent, "storage_unavailable", id="silent"),
    pytest.param(faults.truncated, "storage_unavailable", id="truncated"),
    pytest.param(faults.other_bytes, "upload_differs", id="other bytes"),
    pytest.param("object gone", "upload_missing", id="object gone"),
    pytest.param("bucket gone", "storage_unavailable", id="bucket gone"),
]


@pytest.mark.parametrize(("fault", "code"), FETCHES)
def test_audit_whose_report_cannot_be_fetched_waits_and_is_done_once_it_can(
    work: Work, store: StoreProxy, broken: Any, fault: Any, code: str
) -> None:
    audit = work.submitted()
    broken(fault, audit)
    with pytest.raises(UploadUnreadable) as unreadable:
        run_audit(str(audit.pk), 1)
    waiting = now_of(audit)
    assert (unreadable.value.code, waiting.state, waiting.is_in_grace, waiting.report) == (
        code,
        AuditState.QUEUED,
        True,
        None,
    )
    assert reconcile().enqueued == 0
    store.fault = faults.none
    if isinstance(fault, str):
        restore_upload(audit, work, fault)
    pass_pause(audit)
    assert reconcile().enqueued == 1
    run_audit(str(audit.pk), 2)
    done = now_of(audit)
    assert done.report is not None
    assert (done.state, done.report["pdf_sha256"]) == (
        AuditState.DONE,
        audit.submission.pdf_sha256,
    )


def restore_upload(audit: Audit, work: Work, fault: str) -> None:
    if fault == "bucket gone":
        make_bucket(bucket_in_use()._bucket)
    default_storage.save(str(audit.submission.pdf), ContentFile(work.pdf))


def test_audit_fails_after_three_tries_without_a_score_and_the_attempt_does_not_count(
    work: Work, store: StoreProxy
) -> None:
    audit = work.submitted()
    with store.failing(faults.server_error):
        for run_attempt in range(1, 1 + len(UPLOAD_PAUSES)):
            with pytest.raises(StorageUnavailable):
                run_audit(str(audit.pk), run_attempt)
            pass_pause(audit)
    failed = now_of(audit)
    assert (failed.state, failed.failure_code, failed.overall_score, failed.report) == (
        AuditState.FAILED,
        "storage_unavailable",
        None,
        None,
    )
    with scope(organization=audit.organization):
        assert not Submission.objects.get().counts
    page = work.client.get(page_of_audit(audit)).text
    assert "The store of uploaded reports does not answer" in page
    assert "No PDF" not in page


def test_archive_is_refused_while_the_store_is_down(work: Work, store: StoreProxy) -> None:
    work.submitted()
    teacher = signed_in(staff_user(work.assignment.organization))
    with store.closed():
        answer = teacher.post(archive_of(work))
    assert (answer.status_code, "does not answer" in answer.text) == (503, True)


def test_archive_breaks_off_where_the_store_fails_and_names_an_object_that_is_gone(
    work: Work, store: StoreProxy
) -> None:
    audit = work.submitted()
    teacher = signed_in(staff_user(work.assignment.organization))
    answer = teacher.post(archive_of(work))
    with store.failing(faults.server_error), pytest.raises(StorageUnavailable):
        b"".join(answer)
    default_storage.delete(str(audit.submission.pdf))
    whole = ZipFile(BytesIO(b"".join(teacher.post(archive_of(work)))))
    (missing,) = json.loads(whole.read("missing.json"))
    assert missing["name"].endswith("/report.pdf")
    assert "is gone from the store" in missing["why"]


def archive_of(work: Work) -> str:
    cohort = work.assignment.cohort
    return reverse("archive", args=[cohort.organization.slug, cohort.slug])


def test_health_tells_of_the_store(
    work: Work, store: StoreProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(healthz, "ANSWER_SECONDS", PATIENCE_SECONDS)
    with store.failing(faults.forbidden):
        answer = work.client.get("/healthz")
    assert (answer.status_code, answer.json()["storage"]) == (503, False)
    assert work.client.get("/healthz").json()["storage"]


def test_bucket_that_may_not_be_written_is_no_store(store: StoreProxy) -> None:
    assert check_store_of_uploads() == []
    with store.failing(faults.read_only):
        (error,) = check_store_of_uploads()
    assert error.id == "grading.E001"
