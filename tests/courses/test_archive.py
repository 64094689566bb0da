"""A cohort's archive: whole, in pieces, under names of ours, and readable by anybody's tools."""

import csv
import io
import json
import tracemalloc
import zipfile

import pytest
from django.core.files.base import ContentFile
from django_scopes import get_scope, scope

from grading.core.zipping import SEND_FROM, Member, zipped
from grading.courses.archive.actions import archive_cohort
from grading.courses.roster import RosterImport, import_roster
from grading.models import Activity, Cohort
from tests.factories.example_report import report_json
from tests.factories.grades import GradeFactory, SupersededReportFactory
from tests.factories.institutes import institute
from tests.factories.lti import LtiCourseLinkFactory, LtiMemberFactory
from tests.factories.people import EnrollmentFactory, OrganizationFactory, staff_user
from tests.factories.work import AssignmentFactory, AuditFactory

PDF = b"%PDF-1.7 not much"


def opened(pieces):
    return zipfile.ZipFile(io.BytesIO(b"".join(pieces)))


def lines(archive, name):
    return [json.loads(line) for line in archive.read(name).decode().splitlines()]


@pytest.fixture
def organization(db):
    organization = OrganizationFactory()
    with scope(organization=organization):
        yield organization


@pytest.fixture
def teacher(organization):
    return staff_user(organization)


@pytest.fixture
def assignment(organization):
    return AssignmentFactory(cohort__organization=organization, slug="auditor")


def audited(assignment, **submission):
    student = EnrollmentFactory(cohort=assignment.cohort, name="../../etc/passwd")
    fields = {f"submission__{name}": value for name, value in submission.items()}
    return AuditFactory(
        submission__assignment=assignment,
        submission__student=student,
        done=True,
        report=report_json(criteria=1),
        **fields,
    )


def test_archive_of_an_empty_cohort_is_complete(organization, teacher, assignment):
    archive = opened(archive_cohort(cohort=assignment.cohort, by=teacher))
    assert archive.testzip() is None
    assert archive.namelist()[0] == "manifest.json"
    assert (archive.namelist()[-1], archive.read("missing.json")) == ("missing.json", b"[]")


def test_archive_contains_every_report_and_pdf_under_our_names(organization, teacher, assignment):
    audit = audited(assignment, pdf=ContentFile(PDF, name="x.pdf"), pdf_name="../evil.pdf")
    before = SupersededReportFactory(audit=audit)
    archive = opened(archive_cohort(cohort=assignment.cohort, by=teacher))
    folder = f"assignments/auditor/students/{audit.submission.student_id}/attempt-1"
    assert {name for name in archive.namelist() if name.startswith(folder)} == {
        f"{folder}/submission.json",
        f"{folder}/report.pdf",
        f"{folder}/audit-{audit.pk}.json",
        f"{folder}/audit-{audit.pk}.md",
        f"{folder}/audit-{audit.pk}-before-{before.pk}.json",
    }
    assert [name for name in archive.namelist() if ".." in name or name.startswith("/")] == []
    assert archive.read(f"{folder}/report.pdf") == PDF
    assert json.loads(archive.read(f"{folder}/audit-{audit.pk}.json")) == report_json(criteria=1)
    assert archive.read(f"{folder}/audit-{audit.pk}.md").startswith(b"# ")
    assert json.loads(archive.read(f"{folder}/submission.json"))["pdf_name"] == "../evil.pdf"


def test_archive_contains_the_people_of_platforms(organization, teacher, assignment):
    link = LtiCourseLinkFactory.create(cohort=assignment.cohort)
    LtiMemberFactory.create(course_link=link, subject="ada", email="ada@school.example")
    LtiMemberFactory.create(course_link=LtiCourseLinkFactory.create(), subject="foreign")
    archive = opened(archive_cohort(cohort=assignment.cohort, by=teacher))
    (course,), (person,) = (lines(archive, f"platform_{of}.jsonl") for of in ("courses", "people"))
    assert (course["id"], person["course_link_id"]) == (link.pk, link.pk)
    assert (person["subject"], person["email"]) == ("ada", "ada@school.example")


@pytest.mark.parametrize("name", ["=1+1", "Ada; =1", "O'Brien, -J", "'=quoted", "Ann-Marie"])
def test_exported_roster_is_imported_as_it_was(organization, teacher, assignment, name):
    EnrollmentFactory.create(cohort=assignment.cohort, name=name, group="+g")
    archive = opened(archive_cohort(cohort=assignment.cohort, by=teacher))
    roster = archive.read("roster.csv").decode()
    imported = import_roster(cohort=assignment.cohort, text=roster, by=teacher)
    assert imported == RosterImport(created=0, updated=0, unchanged=1, refused=())


def test_archive_contains_roster_grades_log_and_records(organization, teacher, assignment):
    audit = audited(assignment)
    GradeFactory(audit=audit, overall_score=3.5)
    archive = opened(archive_cohort(cohort=assignment.cohort, by=teacher))
    student = audit.submission.student
    roster = csv.reader(io.StringIO(archive.read("roster.csv").decode(), newline=""))
    assert list(roster)[1][:3] == [
        str(student.pk),
        "../../etc/passwd",
        student.email,
    ]
    assert student.email in archive.read("assignments/auditor/grades.csv").decode()
    assert [row["overall_score"] for row in lines(archive, "assignments/auditor/grades.jsonl")] == [
        3.5
    ]
    assert "report" not in lines(archive, "assignments/auditor/audits.jsonl")[0]
    assert lines(archive, "activity.jsonl")[-1]["actor"] == teacher.email
    assert json.loads(archive.read("manifest.json"))["holds"]["attempts handed in"] == 1


def test_missing_files_are_named_and_do_not_stop_the_archive(organization, teacher, assignment):
    gone = audited(assignment, pdf=ContentFile(PDF, name="x.pdf"))
    gone.submission.pdf.storage.delete(gone.submission.pdf.name)
    type(gone).objects.filter(pk=gone.pk).update(report={"schema": "an older one"})
    archive = opened(archive_cohort(cohort=assignment.cohort, by=teacher))
    named = [row["name"].rsplit("/", 1)[1] for row in json.loads(archive.read("missing.json"))]
    assert named == ["report.pdf", f"audit-{gone.pk}.md"]


def test_archive_contains_every_table_and_no_other_organization(db):
    ours, theirs = institute(word="Ours"), institute(word="Theirs")
    with scope(organization=ours):
        pieces = list(archive_cohort(cohort=Cohort.objects.get(), by=staff_user(ours)))
    archive = opened(pieces)
    text = b"".join(archive.read(name) for name in archive.namelist())
    assert (b"Ours reason" in text, b"Ours objection" in text, b"Theirs" in text) == (
        True,
        True,
        False,
    )
    assert theirs.name == "Theirs institute"
    among_peers = (
        "rounds",
        "round_members",
        "pairings",
        "peer_reports",
        "communication",
        "findings",
        "finding_sightings",
        "finding_answers",
    )
    assert [len(lines(archive, f"assignments/same/{name}.jsonl")) for name in among_peers] == [
        1,
        2,
        1,
        1,
        1,
        1,
        1,
        1,
    ]


def test_archive_is_readable_outside_its_scope_and_logged(organization, teacher, assignment):
    audited(assignment)
    pieces = archive_cohort(cohort=assignment.cohort, by=teacher)
    with scope(organization=None, _enabled=False):
        outside = get_scope()
        for _piece in pieces:
            assert get_scope() == outside
    assert Activity.objects.get().verb == "cohort.archived"


def test_zip_is_streamed_and_never_held_whole():
    quiet = bytes(range(256)) * 4096  # a megabyte that does not shrink
    members = (Member(f"{n}.bin", (quiet for _ in range(8)), packed=True) for n in range(4))
    tracemalloc.start()
    longest = max(len(piece) for piece in zipped(members))
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (longest < len(quiet) + 2 * SEND_FROM, most < 8 * len(quiet)) == (True, True)
