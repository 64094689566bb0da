"""Long reports in a double-blind round: who redacts them, and what their reader gets meanwhile."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from django_rq import get_queue
from rq.job import Job, JobStatus
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from grading import jobs
from grading.core.enums import EditionState
from grading.models import Activity, FeedbackEdition, FeedbackReport, Finding, Notice
from grading.peer_review.feedback import editions
from grading.peer_review.feedback.edition_jobs import WORKER_LOST, cpu_limit, resume_editions
from grading.peer_review.feedback.edition_keys import export_key
from grading.peer_review.redaction import contact_patterns, redact_values
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import SubmissionFactory
from tests.tenancy.identifiable_round import Masquerade, written_report
from tests.tenancy.identifiable_students import (
    AUDITEE,
    AUDITOR,
    everything_said,
    squeezed,
    told_of,
    treacherous_commits,
)
from tests.tenancy.test_peer_privacy import signed_in
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
LIMIT = 2_000_000
WORDS = "the graph reads its state, and the reducer of the quill joins both lists of findings.\n"


@pytest.fixture
def world(masquerade: Masquerade, db: None, kept_uploads: None) -> Masquerade:
    return masquerade


@pytest.fixture
def redacted_here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lengths of the texts that this process redacts."""
    lengths: list[int] = []
    redact = contact_patterns.without_contacts

    def counting(text: str, mark: str) -> str:
        lengths.append(len(text))
        return redact(text, mark)

    monkeypatch.setattr(redact_values, "without_contacts", counting)
    return lengths


def long_report(padding: str, length: int = LIMIT) -> str:
    """Return a report of so many bytes whose author signs it, at its end too."""
    head, tail = written_report(), f"\nAuthor: {AUDITOR.name}\n"
    room = length - len(f"{head}\n{tail}".encode())
    return f"{head}\n{padding * (room // len(padding))}{tail}"


def upload(world: Masquerade, text: str, run_callbacks: Any) -> FeedbackReport:
    """Upload a report under the pairing, as its auditor does."""
    slug = world.assignment.organization.slug
    file = SimpleUploadedFile("audit.md", text.encode())
    with run_callbacks(execute=True):
        answer = signed_in(world, AUDITOR).post(
            f"/o/{slug}/pairings/{world.pairing.pk}/", {"file": file}
        )
    assert answer.status_code == 302
    with everywhere():
        reports = FeedbackReport.objects.select_related("organization", "pairing__round")
        return reports.order_by("-created_at")[0]


def folder(report: FeedbackReport) -> str:
    return f"/o/{report.organization.slug}/feedback/{report.pk}/"


def surfaces(world: Masquerade, report: FeedbackReport) -> dict[str, str]:
    """Return the address of each way to read the report."""
    place, page = world.assignment, folder(report)
    return {
        "page": page,
        "json": f"{page}report.json",
        "md": f"{page}report.md",
        "original": f"{page}original",
        "api": f"/api/v1{page}",
        "zip": f"/o/{place.organization.slug}/c/{place.cohort.slug}/a/{place.slug}/audit.zip",
    }


def statuses(world: Masquerade, report: FeedbackReport) -> dict[str, int]:
    client, codes = signed_in(world, AUDITEE), {}
    for name, page in surfaces(world, report).items():
        answer = client.get(page)
        # An archive is written while it is read.
        list(everything_said(answer))
        codes[name] = answer.status_code
    return codes


def run_job(report: FeedbackReport) -> None:
    jobs.make_edition(report.organization_id, str(report.pk))


def edition(report: FeedbackReport) -> FeedbackEdition:
    with everywhere():
        return FeedbackEdition.objects.get(report=report)


def in_archive(world: Masquerade, report: FeedbackReport) -> dict[str, str]:
    answer: Any = signed_in(world, AUDITEE).get(surfaces(world, report)["zip"])
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    return {name: archive.read(name).decode() for name in archive.namelist()}


def has_files_of(world: Masquerade, report: FeedbackReport) -> bool:
    key = str(export_key(report, "subject"))
    return any(key in name for name in in_archive(world, report))


@pytest.fixture
def long(world: Masquerade, django_capture_on_commit_callbacks: Any) -> FeedbackReport:
    """A report of 60 kB that was uploaded and waits for its edition."""
    return upload(world, long_report(WORDS, 60_000), django_capture_on_commit_callbacks)


@pytest.mark.parametrize(
    "padding",
    [pytest.param(" ", id="blanks"), pytest.param(WORDS, id="words", marks=pytest.mark.slow)],
)
def test_no_request_redacts_two_megabytes(
    world: Masquerade,
    redacted_here: list[int],
    django_capture_on_commit_callbacks: Any,
    padding: str,
) -> None:
    report = upload(world, long_report(padding), django_capture_on_commit_callbacks)
    statuses(world, report)
    # The round's other reports and messages are short, or have editions.
    assert max(redacted_here) < editions.IN_REQUEST
    assert sum(redacted_here) < 2 * editions.IN_REQUEST

    run_job(report)
    made, redacted_here[:] = sum(redacted_here), []
    assert made > LIMIT
    assert statuses(world, report) == dict.fromkeys(surfaces(world, report), 200)
    assert sum(redacted_here) < 2 * editions.IN_REQUEST


def test_an_edition_and_every_surface_that_shows_it_tell_nothing_of_the_other(
    world: Masquerade, long: FeedbackReport
) -> None:
    run_job(long)
    stored = edition(long)
    assert stored.state == EditionState.MADE
    letters = squeezed(json.dumps(stored.content, ensure_ascii=False))
    assert "reducer" in letters
    assert [tell for tell in AUDITOR.tells() if tell in letters] == []

    client = signed_in(world, AUDITEE)
    for name, page in surfaces(world, long).items():
        answer = client.get(page)
        assert (name, answer.status_code, told_of(AUDITOR, answer)) == (name, 200, [])


def test_the_edition_of_a_report_of_the_site_tells_nothing_of_its_subject(
    world: Masquerade,
) -> None:
    letters = json.dumps(edition(world.platform).content, ensure_ascii=False)
    assert [tell for tell in AUDITEE.tells() if tell in squeezed(letters)] == []
    assert [commit for commit in treacherous_commits() if commit in letters] == []


def test_until_it_is_made_each_surface_says_so_and_nothing_of_the_report(
    world: Masquerade, long: FeedbackReport
) -> None:
    assert statuses(world, long) == {
        "page": 200,
        "json": 409,
        "md": 409,
        "original": 409,
        "api": 409,
        "zip": 200,
    }
    client, pages = signed_in(world, AUDITEE), surfaces(world, long)
    texts = {name: client.get(pages[name]).content.decode() for name in pages if name != "zip"}
    assert {name for name, text in texts.items() if "being prepared" not in text} == set()
    assert {name for name, text in texts.items() if "reducer" in text} == set()
    assert faults_of(texts["page"]) == []
    assert client.get(pages["api"]).json()["error"]["code"] == "edition_preparing"

    files = in_archive(world, long)
    assert "left_out.md" in files["audit/README.md"]
    assert files["audit/left_out.md"].count("being prepared") == 1
    assert not has_files_of(world, long)
    run_job(long)
    assert has_files_of(world, long)
    assert "audit/left_out.md" not in in_archive(world, long)


def test_a_page_without_the_report_is_no_reading(world: Masquerade, long: FeedbackReport) -> None:
    statuses(world, long)
    with everywhere():
        assert FeedbackReport.objects.get(pk=long.pk).read_at is None
    run_job(long)
    statuses(world, long)
    with everywhere():
        assert FeedbackReport.objects.get(pk=long.pk).read_at is not None


def test_its_author_and_staff_read_it_at_once(world: Masquerade, long: FeedbackReport) -> None:
    teacher = signed_in(world, AUDITOR)
    assert "reducer" in teacher.get(folder(long)).content.decode()
    teacher.force_login(staff_user(world.assignment.organization))
    assert "reducer" in teacher.get(folder(long)).content.decode()


def test_findings_and_the_letter_follow_the_first_edition_once(
    world: Masquerade, long: FeedbackReport
) -> None:
    def followed() -> tuple[bool, int]:
        with everywhere():
            has_findings = Finding.objects.filter(sightings__report=long).exists()
            return has_findings, Notice.objects.filter(path=folder(long)).count()

    assert followed() == (False, 0)
    run_job(long)
    after_first = followed()
    student(world.assignment.cohort, name="Late Joiner")
    run_job(long)
    assert (after_first, followed()) == ((True, 1), (True, 1))


def test_an_upload_enqueues_one_job_however_often_it_is_read(
    world: Masquerade, long: FeedbackReport, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        statuses(world, long)
    job = editions.job_id(str(long.pk), edition(long).marks)
    assert get_queue("bulk").job_ids == [job]


def test_an_edition_that_lacks_a_late_joiner_is_shown_until_the_next_is_made(
    world: Masquerade, long: FeedbackReport, django_capture_on_commit_callbacks: Any
) -> None:
    run_job(long)
    before = edition(long)
    student(world.assignment.cohort, name="Reducer Lateling")
    with django_capture_on_commit_callbacks(execute=True):
        assert "reducer" in signed_in(world, AUDITEE).get(folder(long)).content.decode()
    assert len(get_queue("bulk").job_ids) == 2

    run_job(long)
    assert edition(long).marks != before.marks
    assert "reducer" not in signed_in(world, AUDITEE).get(folder(long)).content.decode()


@pytest.mark.parametrize("whose", ["auditor", "auditee"])
def test_an_edition_that_lacks_what_a_partner_submitted_is_not_shown(
    world: Masquerade, long: FeedbackReport, whose: str
) -> None:
    run_job(long)
    url = "https://forge.example/reducer-of-mine/work"
    SubmissionFactory.create(
        assignment=world.assignment, student=getattr(world, whose), attempt=9, repo_url=url
    )
    assert statuses(world, long)["api"] == 409
    assert "the quill" not in signed_in(world, AUDITEE).get(folder(long)).content.decode()
    run_job(long)
    assert statuses(world, long)["api"] == 200


def test_a_job_that_takes_too_long_fails_the_edition(
    world: Masquerade, long: FeedbackReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    def expire(text: str, mark: str) -> str:
        penalty.handle_death_penalty(None, None)
        return text

    # The moment of RQ's alarm, without waiting for it.
    penalty = UnixSignalDeathPenalty(editions.JOB_SECONDS, JobTimeoutException)
    monkeypatch.setattr(redact_values, "without_contacts", expire)
    with pytest.raises(JobTimeoutException):
        run_job(long)
    assert (edition(long).state, edition(long).failure) == ("failed", "edition_too_slow")


def test_a_killed_job_fails_the_edition_and_people_are_told(
    world: Masquerade, long: FeedbackReport, django_capture_on_commit_callbacks: Any
) -> None:
    queue = get_queue("bulk")
    job = Job.fetch(queue.job_ids[0], connection=queue.connection, serializer=queue.serializer)
    job.set_status(JobStatus.FAILED)
    with everywhere():
        FeedbackEdition.objects.update(requested_at=timezone.now() - timedelta(hours=1))
    assert resume_editions() == 0
    assert (edition(long).state, edition(long).failure) == ("failed", WORKER_LOST)
    queue.empty()

    client = signed_in(world, AUDITEE)
    with django_capture_on_commit_callbacks(execute=True):
        page = client.get(folder(long)).content.decode()
        api = client.get(f"/api/v1{folder(long)}")
    assert ("A person looks at it" in page, "reducer" in page) == (True, False)
    assert (api.status_code, api.json()["error"]["code"]) == (409, "edition_failed")
    assert queue.job_ids == []

    client.force_login(staff_user(world.assignment.organization))
    assert "could not be made" in client.get(folder(long)).content.decode()
    with everywhere():
        detail = Activity.objects.get(verb="feedback.edition_failed").detail
    assert detail == {"code": WORKER_LOST}
    # Started again by the operator, it is made.
    run_job(long)
    assert statuses(world, long)["api"] == 200


def test_the_reconciler_enqueues_what_the_queue_lost(
    world: Masquerade, long: FeedbackReport
) -> None:
    queue = get_queue("bulk")
    queue.empty()
    assert resume_editions() == 0
    with everywhere():
        FeedbackEdition.objects.filter(report=long).update(
            requested_at=timezone.now() - timedelta(hours=1)
        )
    assert (resume_editions(), resume_editions()) == (1, 0)
    assert queue.job_ids == [editions.job_id(str(long.pk), edition(long).marks)]


def test_a_made_edition_is_not_made_again(world: Masquerade, long: FeedbackReport) -> None:
    run_job(long)
    made_at = edition(long).made_at
    run_job(long)
    assert edition(long).made_at == made_at


def test_a_short_report_has_no_edition_and_is_there_at_once(
    world: Masquerade, django_capture_on_commit_callbacks: Any
) -> None:
    report = upload(world, long_report(WORDS, 5_000), django_capture_on_commit_callbacks)
    assert statuses(world, report) == dict.fromkeys(surfaces(world, report), 200)
    with everywhere():
        assert not FeedbackEdition.objects.filter(report=report).exists()


def test_processor_time_without_end_is_stopped_by_the_kernel() -> None:
    """Python's own handlers do not run during one long search of a pattern."""
    before = resource.getrlimit(resource.RLIMIT_CPU)
    child = os.fork()
    if not child:
        try:
            with cpu_limit(0):
                while True:
                    pass
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGXCPU

    with cpu_limit(60):
        assert resource.getrlimit(resource.RLIMIT_CPU)[0] != before[0]
    assert resource.getrlimit(resource.RLIMIT_CPU) == before
