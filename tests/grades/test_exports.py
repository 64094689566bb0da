"""Grades as a file: unreleased cells are empty, formulas are harmless, no scope stays open."""

import csv
import io
from datetime import UTC, datetime

import pytest
from django_scopes import get_scope, scope
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.core.csv_cells import lines_of, plain_cell, safe_cell
from grading.core.errors import ActionRefused
from grading.grades.exports import actions as export_actions
from grading.grades.exports import queries as export_queries
from grading.grades.exports.csv_layouts import ExportChoice
from grading.grades.releases import release_grades
from grading.models import Activity, Grade
from tests.factories.comments import CommentFactory
from tests.factories.extensions import ExtensionFactory
from tests.factories.grades import GradeFactory
from tests.factories.people import EnrollmentFactory, OrganizationFactory, staff_user
from tests.factories.work import AssignmentFactory, AuditFactory, CriterionVerdictFactory

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
PLAIN = ExportChoice(criteria=False, versions=False)


@pytest.fixture(autouse=True)
def organization():
    organization = OrganizationFactory()
    with scope(organization=organization):
        yield organization


@pytest.fixture
def assignment(organization):
    return AssignmentFactory(cohort__organization=organization, title="The auditor")


@pytest.fixture
def teacher(organization):
    return staff_user(organization)


def enrolled(assignment, name, number=""):
    return EnrollmentFactory(
        cohort=assignment.cohort,
        name=name,
        email=f"{name.lower()}@example.org",
        student_number=number,
    )


def judged(assignment, whose, score=4.0, points=None, attempt=1, grade=None, **fields):
    """A verdict on two criteria that counts, from now on where there is a `grade`; `points` is
    (earned, possible).
    """
    audit = AuditFactory(
        submission__assignment=assignment,
        submission__attempt=attempt,
        submission__student=whose,
        submission__resolved_commit="c" * 40,
        done=True,
    )

    for position, name in enumerate(("tidy", "tested")):
        CriterionVerdictFactory(
            audit=audit, position=position, criterion_id=name, name=name.title(), score=3 + position
        )
    if grade is not None:
        Grade.objects.filter(pk=grade.pk).update(audit=audit)
        return audit

    earned, possible = points or (None, None)
    return GradeFactory(
        audit=audit, overall_score=score, points_earned=earned, points_possible=possible, **fields
    )


def report(score=4.0, points=None):
    return {
        "audit": "a",
        "submission": "00000000-0000-0000-0000-000000000000",
        "attempt": 1,
        "digest": "e" * 64,
        "rubric_version": "A small rubric v1",
        "overall_score": score,
        "points": points,
        "criteria": [],
        "note": "",
    }


def rows_of(assignment, choice):
    table = export_actions.table_of(assignment, choice)
    return list(csv.reader(io.StringIO("".join(export_actions.stream_of(assignment, table)))))


def test_unreleased_grade_is_an_empty_cell_and_never_zero(assignment, teacher):
    ada, bob, cyd = (enrolled(assignment, name) for name in ("Ada", "Bob", "Cyd"))
    release_grades(assignment=assignment, grades=[judged(assignment, ada)], by=teacher)
    Grade.objects.update(released_at=AT)
    judged(assignment, bob)
    assert rows_of(assignment, PLAIN) == [
        [
            "student",
            "email",
            "student_number",
            "status",
            "released_at",
            "score",
            "points",
            "points_possible",
        ],
        ["Ada", "ada@example.org", "", "released", "2026-11-21T09:00:00+00:00", "3.5", "", ""],
        ["Bob", "bob@example.org", "", "not released", "", "", "", ""],
        ["Cyd", "cyd@example.org", "", "no verdict", "", "", "", ""],
    ]
    everything = rows_of(assignment, ExportChoice(everything=True, criteria=False, versions=False))
    assert [row[5] for row in everything] == ["score", "3.5", "3.5", ""]
    assert cyd.name == everything[-1][0]


def test_every_attempt_with_verdict_is_a_row_with_status(assignment):
    ada, bob = (enrolled(assignment, name) for name in ("Ada", "Bob"))
    first = judged(assignment, ada)
    second = judged(assignment, ada, attempt=2, grade=first)
    AuditFactory(submission=second.submission, failed=True)
    AuditFactory(submission__assignment=assignment, submission__student=bob, failed=True)
    rows = rows_of(assignment, ExportChoice(everything=True, every_attempt=True))
    assert [(row[0], row[3], row[5], row[8]) for row in rows[1:]] == [
        ("Ada", "does not count", "3.5", "1"),
        ("Ada", "not released", "3.5", "2"),
        ("Bob", "no verdict", "", ""),
    ]


def test_version_and_criterion_columns_are_exported(assignment, teacher):
    ada = enrolled(assignment, "Ada")
    grade = judged(assignment, ada)
    ExtensionFactory(assignment=assignment, student=ada, max_attempts=9)
    CommentFactory(submission=grade.audit.submission, withdrawn_at=AT, released=True)
    CommentFactory(submission=grade.audit.submission)
    release_grades(assignment=assignment, grades=[grade], by=teacher)
    header, row = rows_of(assignment, ExportChoice(scale="percent"))
    assert header[5:] == [
        "percent",
        "attempt",
        "commit",
        "rubric_version",
        "report_digest",
        "team",
        "adjustment",
        "adjustment_reason",
        "extension",
        "reviewed_by",
        "reviewed_at",
        "comments",
        "Tidy",
        "Tested",
    ]
    version = str(grade.audit.rubric_version)
    assert row[5:] == [
        "70",
        "1",
        "c" * 40,
        version,
        "e" * 64,
        "",
        "",
        "",
        "9 attempts",
        "",
        "",
        "1",
        "60",
        "80",
    ]


def test_canvas_layout_has_points_row(assignment):
    judged(
        assignment,
        enrolled(assignment, "Ada", "7"),
        released_at=AT,
        released=report(points={"earned": 72.0, "possible": 80.0}),
    )
    enrolled(assignment, "Bob", "8")
    assert rows_of(assignment, ExportChoice("canvas", criteria=False, versions=False)) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "The auditor"],
        ["    Points Possible", "", "", "", "", "80"],
        ["Ada", "", "7", "ada@example.org", "", "72"],
        ["Bob", "", "8", "bob@example.org", "", ""],
    ]


def test_moodle_layout_has_mappable_columns(assignment):
    judged(assignment, enrolled(assignment, "Ada", "7"), released=report(3.2), released_at=AT)
    choice = ExportChoice("moodle", scale="percent", criteria=False, versions=False)
    assert rows_of(assignment, choice) == [
        ["Full name", "ID number", "Email address", "The auditor"],
        ["Ada", "7", "ada@example.org", "64"],
    ]


def test_released_grade_that_needs_review_is_empty(assignment):
    waiting = report(None, points={"earned": 35.0, "possible": 35.0})
    judged(assignment, enrolled(assignment, "Ada"), released=waiting, released_at=AT)
    assert rows_of(assignment, PLAIN)[1][5:] == ["", "", ""]
    assert export_queries.match_of(assignment, everything=False).scores == 0


def test_different_maximum_points_in_one_column_are_refused(assignment):
    for name, possible in (("Ada", 80.0), ("Bob", 100.0)):
        points = {"earned": 60.0, "possible": possible}
        judged(
            assignment, enrolled(assignment, name), released=report(points=points), released_at=AT
        )
    with pytest.raises(ActionRefused, match="80 and 100"):
        export_actions.table_of(assignment, ExportChoice("canvas"))
    percent = rows_of(
        assignment, ExportChoice("canvas", scale="percent", criteria=False, versions=False)
    )
    assert [row[5] for row in percent[1:]] == ["100", "75", "60"]
    assert [row[6:] for row in rows_of(assignment, PLAIN)[1:]] == [["60", "80"], ["60", "100"]]


def test_unmatched_students_are_counted(assignment):
    judged(assignment, enrolled(assignment, "Ada", "7"), released=report(), released_at=AT)
    judged(assignment, enrolled(assignment, "Bob", "7"))
    enrolled(assignment, "Cyd")
    assert export_queries.match_of(assignment, everything=False) == export_queries.RosterMatch(
        students=3, numbers_missing=1, same_number=2, scores=1
    )
    named = export_queries.students_without(assignment, everything=False, most=5)
    assert [(named_row.name, bool(named_row.has_grade)) for named_row in named] == [
        ("Bob", True),
        ("Cyd", False),
    ]


def test_file_streams_after_scope_is_left_and_leaves_none_open(assignment, teacher):
    judged(assignment, enrolled(assignment, "Ada"), released=report(), released_at=AT)
    lines = export_actions.export_grades(assignment=assignment, choice=PLAIN, by=teacher)
    with scope(organization=None, _enabled=False):
        outside = get_scope()
        read = []
        for line in lines:
            read.append(line)
            assert get_scope() == outside

    assert [line.split(",")[0] for line in read] == ['"student"', '"Ada"']


def test_export_is_logged(assignment, teacher):
    export_actions.export_grades(assignment=assignment, choice=ExportChoice("moodle"), by=teacher)
    row = Activity.objects.get()
    assert (row.actor, row.verb, row.cohort) == (teacher, "grades.exported", assignment.cohort)
    assert row.detail == {"layout": "moodle", "what": "what is released", "scale": "points"}


@pytest.mark.parametrize("students", [1, 3, 30])
@pytest.mark.parametrize(
    ("choice", "queries"),
    [({}, 4), ({"everything": True}, 9), ({"everything": True, "every_attempt": True}, 10)],
)
def test_export_queries_per_batch_are_constant(
    assignment, students, choice, queries, django_assert_num_queries
):
    for n in range(students):
        judged(assignment, enrolled(assignment, f"S{n:02}"), released=report(), released_at=AT)
    table = export_actions.table_of(assignment, ExportChoice(**choice))
    with django_assert_num_queries(queries):
        assert (
            len("".join(export_actions.stream_of(assignment, table)).splitlines()) == students + 1
        )


@pytest.mark.parametrize(
    "cell",
    [f"{mark}1+1" for mark in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"]
    + [" =1+1", "\u200b=1", "\u00a0 @x", "\u3000=1", "\x0b=1", "\u2028=1", "\u2060-1"],
)
def test_no_cell_starts_a_spreadsheet_formula(cell):
    assert safe_cell(cell) == f"'{cell}"


@pytest.mark.parametrize("mark", ["=", "+", "-", "@", "\uff1d"])
@pytest.mark.parametrize("separator", [",", ";", "|", "\t", '"', "\n", "\r\n", "; ", ";\u200b"])
def test_no_cell_holds_a_formula_for_a_spreadsheet_that_splits_elsewhere(separator, mark):
    text = f"a{separator}{mark}1+1{separator}b"
    rows = csv.reader(io.StringIO(lines_of([["first", text]]).replace('"', "")), delimiter=";")
    assert not any(cell.strip(" \u200b").startswith(mark) for row in rows for cell in row)
    assert safe_cell(text).replace("'", "", 1) == text


@pytest.mark.parametrize(
    "cell", ["a+b@example.org", "2026-11-22T10:00:00+00:00", "Anne-Marie", "x;y"]
)
def test_cell_without_a_formula_is_unchanged(cell):
    assert safe_cell(cell) == cell


@settings(deadline=None)
@given(st.text("'=+-@,;|\t\r\n\" a\u200b"))
def test_exported_cell_is_imported_as_it_was(text):
    assert plain_cell(safe_cell(text)) == text


@settings(deadline=None)
@given(st.text(), st.floats(0, 1000))
def test_any_student_name_stays_one_record_and_numbers_stay_numbers(name, number):
    (row,) = csv.reader(io.StringIO(lines_of([[name, number, None]]), newline=""))
    assert plain_cell(row[0]) == name
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert float(row[1]) == pytest.approx(number, abs=0.006)
    assert row[2] == ""
