"""Reports that lie in a submitted repository: found after an audit, matched where that tells nobody anything, taken once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope

from grading import workflow
from grading.core.enums import Anonymity, AuditKind, FeedbackKind
from grading.core.errors import FeedbackRefused
from grading.engine.imports import read_report_text
from grading.findings.actions import record_imported
from grading.jobs import import_reports
from grading.models import Activity, FeedbackReport, Finding, Pairing
from grading.peer_review.feedback.repository_imports import search_repository
from tests.factories.findings import attempt_of
from tests.factories.findings import audited as judged
from tests.factories.graded_work import signed_in
from tests.factories.peers import FeedbackReportFactory
from tests.factories.people import everywhere
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, SubmissionFactory, claimed, rubric_document, verdict
from tests.peer_review.test_peer_audits import handed_in, paired

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
REPO = "https://git.example.org/student/work"
ON_PEER = f"# Audit of a peer\n\nRepository: {REPO}\n\n## Tidy\nScore: 2/5\n\nThe README says nothing of the graph.\n"
ON_SELF = (
    "# Self audit\n\n## Tidy\nScore: 5/5\n\nEverything is where it belongs, as far as I can see.\n"
)
RECEIVED = "# Peer audit report\n\n## Tested\nScore: 1/5\n\nThere is no test of the reducer anywhere in the tree.\n"
FILES: dict[str, str | bytes | None] = {
    "README.md": "# Work\n",
    "audit/report_onpeer_generated/audit.md": ON_PEER,
    "audit/report_onself_generated/audit.md": ON_SELF,
    "audit/report_bypeer_recieved/audit.md": RECEIVED,
    "audit/report_bypeer_recieved/audit.pdf": b"%PDF-1.7 " + b"x" * 100,
}


def facts(files: dict[str, Any]) -> dict[str, Any]:
    kinds = {"generated": "onpeer", "self": "onself", "received": "bypeer"}
    return {
        "minmax": {kind: [path for path in files if word in path] for kind, word in kinds.items()}
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    make_repository(tmp_path / "work.git", [Commit(files=FILES)])
    return tmp_path / "work.git"


def audited(pairing: Pairing, repository: Path, files: dict[str, Any] | None = None) -> Any:
    """The auditor's own audited attempt, whose report has seen these files."""
    submission = SubmissionFactory.create(
        assignment=pairing.round.assignment, student=pairing.auditor, repo_url=str(repository)
    )
    report = {
        "schema": "automaton-auditor/report@1",
        "facts": facts(FILES if files is None else files),
    }
    return AuditFactory.create(submission=submission, done=True, report=report)


def open_pairing(**fields: Any) -> Any:
    given = {
        "round__anonymity": Anonymity.OPEN,
        "round__assignment__rubric_version__document": rubric_document(),
    }
    pairing = paired(**given | fields)
    handed_in(pairing, repo_url=REPO)
    return pairing


def brought(audit: Any) -> dict[str, FeedbackReport]:
    import_reports(audit.organization_id, str(audit.pk))
    with everywhere():
        reports = FeedbackReport.objects.select_related("pairing", "author", "subject")
        return {report.origin.split("/")[1].removeprefix("report_"): report for report in reports}


def test_each_report_goes_where_its_folder_says(repository: Path):
    pairing = open_pairing()
    audit = audited(pairing, repository)
    brought_back = brought(audit)
    me = pairing.auditor
    assert {
        folder: (report.kind, report.author, report.subject, report.pairing, report.original)
        for folder, report in brought_back.items()
    } == {
        "onpeer_generated": (FeedbackKind.PEER, me, pairing.auditee, pairing, ON_PEER),
        "onself_generated": (FeedbackKind.SELF, me, me, None, ON_SELF),
        "bypeer_recieved": (FeedbackKind.PEER, None, me, None, RECEIVED),
    }


def test_what_lies_in_a_repository_was_found_by_the_platform(repository: Path):
    brought(audited(open_pairing(), repository))
    with everywhere():
        rows = Activity.objects.filter(object_type="feedbackreport").order_by("pk")
        assert [(row.verb, row.actor) for row in rows] == [("feedback.found", None)] * 3


PLAN = (
    "# Self audit\n\n## Tidy\nScore: 2/5\n\n### Remediation\n\n- `src/a.py`: split this function.\n"
)


def test_findings_from_a_repository_go_with_it_and_come_back_with_it(tmp_path: Path):
    files: dict[str, str | bytes | None] = {"audit/report_onself_generated/audit.md": PLAN}
    make_repository(tmp_path / "work.git", [Commit(files=files)])
    pairing = open_pairing()
    audit = audited(pairing, tmp_path / "work.git", files)
    first, report = audit.submission, brought(audit)["onself_generated"]
    uploaded = FeedbackReportFactory.create(
        pairing=pairing,
        author=pairing.auditee,
        subject=pairing.auditor,
        submission=first,
        reading=read_report_text(PLAN.replace("a.py", "b.py")),
    )
    with everywhere():
        record_imported(report=uploaded, reading=uploaded.reading)

    def standing(repo_url: str) -> tuple[list[str], bool]:
        """Return the places of all findings after an attempt at this address, and the note."""
        with everywhere():
            newest = pairing.auditor.submissions.order_by("-attempt").first()
            judged(attempt_of(newest, repo_url=repo_url))
            places = list(Finding.objects.order_by("place").values_list("place", flat=True))
        page = signed_in(pairing.auditor.user).get(
            f"/o/{report.organization.slug}/feedback/{report.pk}/"
        )
        return places, "in another repository" in page.content.decode()

    assert [
        standing(f"{tmp_path}/work.git/"),
        standing("https://git.example.org/student/other"),
        standing("https://git.example.org/student/other.git"),
        standing(str(tmp_path / "work.git")),
    ] == [
        (["src/a.py", "src/b.py"], False),
        (["src/b.py"], True),
        (["src/b.py"], True),
        (["src/a.py", "src/b.py"], False),
    ]
    with everywhere():
        assert Activity.objects.get(verb="findings.retired").actor is None


def test_what_could_not_be_read_is_told(repository: Path):
    audit = audited(open_pairing(), repository)
    brought(audit)
    with everywhere():
        detail = Activity.objects.get(verb="feedback.searched").detail
    assert (detail["taken"], [unread_row["path"] for unread_row in detail["unread"]]) == (
        3,
        ["audit/report_bypeer_recieved/audit.pdf"],
    )
    assert "PDF" in detail["unread"][0]["why"]


def test_searched_twice_nothing_is_taken_twice(repository: Path):
    audit = audited(open_pairing(), repository)
    assert [report.pk for report in brought(audit).values()] == [
        report.pk for report in brought(audit).values()
    ]


def test_in_a_double_blind_round_no_repository_tells_whose_work_it_is(repository: Path):
    audit = audited(open_pairing(round__anonymity=Anonymity.DOUBLE_BLIND), repository)
    report = brought(audit)["onpeer_generated"]
    assert (
        report.pairing,
        report.subject,
        [unread_row["code"] for unread_row in report.misfits],
    ) == (
        None,
        None,
        ["pairing_unmatched"],
    )


def test_before_a_round_begins_no_repository_tells_who_will_be_paired(repository: Path):
    audit = audited(open_pairing(round__starts_at=timezone.now() + timedelta(hours=1)), repository)
    report = brought(audit)["onpeer_generated"]
    assert (report.pairing, report.subject) == (None, None)


def test_a_report_on_somebody_elses_repository_fits_no_pairing(repository: Path):
    pairing = open_pairing()
    with everywhere():
        pairing.auditee.submissions.update(repo_url="https://git.example.org/another/work")
    assert brought(audited(pairing, repository))["onpeer_generated"].pairing is None


def test_what_was_exported_here_is_known_already(tmp_path: Path):
    pairing = open_pairing()
    submission = SubmissionFactory.create(
        assignment=pairing.round.assignment, student=pairing.auditor, attempt=2
    )
    own = AuditFactory.create(submission=submission, done=True)
    files: dict[str, str | bytes | None] = {
        f"audit/report_onself_generated/attempt-2-{own.pk}.md": ON_SELF
    }
    make_repository(tmp_path / "exported.git", [Commit(files=files)])
    assert brought(audited(pairing, tmp_path / "exported.git", files)) == {}


def test_a_repository_that_is_gone_is_told_of_and_breaks_nothing(tmp_path: Path):
    audit = audited(open_pairing(), tmp_path / "gone.git")
    assert brought(audit) == {}
    with everywhere():
        unread = Activity.objects.get(verb="feedback.searched").detail["unread"]
    assert [unread_row["path"] for unread_row in unread] == ["the repository"]


@pytest.mark.parametrize(
    ("kind", "files", "jobs"),
    [(AuditKind.SELF, FILES, 1), (AuditKind.SELF, {}, 0), (AuditKind.INSTRUCTOR, FILES, 0)],
)
def test_a_students_own_audit_has_its_repository_searched(
    kind: AuditKind, files: dict[str, Any], jobs: int, django_capture_on_commit_callbacks: Any
):
    pairing = open_pairing()
    audit = AuditFactory.create(
        kind=kind,
        submission__assignment=pairing.round.assignment,
        submission__student=pairing.auditor,
    )
    lease = claimed(audit)
    report = {"schema": "automaton-auditor/report@1", "facts": facts(files)}
    with scope(organization=audit.organization), django_capture_on_commit_callbacks(execute=True):
        workflow.finish_audit(lease=lease, verdict=verdict(report=report))
    assert len(get_queue("bulk").job_ids) == jobs


def test_asked_for_it_is_searched_once_at_a_time(repository: Path):
    pairing = open_pairing()
    audit = audited(pairing, repository)
    with everywhere():
        for _ in range(2):
            search_repository(assignment=pairing.round.assignment, student=pairing.auditor)
    assert get_queue("bulk").job_ids == [f"imports-{audit.pk}"]


def test_without_an_audit_there_is_nothing_to_search():
    assert refusal(open_pairing()) == "nothing_audited"


def test_without_a_report_in_it_there_is_nothing_to_search_either(repository: Path):
    pairing = open_pairing()
    audited(pairing, repository, {})
    assert refusal(pairing) == "nothing_there"


def refusal(pairing: Pairing) -> str:
    with everywhere(), pytest.raises(FeedbackRefused) as refused:
        search_repository(assignment=pairing.round.assignment, student=pairing.auditor)
    return refused.value.code
