"""A cohort's grades as staff see them: every filter lives in the address, and thirty students cost
what one does.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from grading.models import Assignment, Enrollment
from tests.factories.extensions import ExtensionFactory
from tests.factories.graded_work import graded, page_of, signed_in
from tests.factories.grades import AppealFactory
from tests.factories.people import EnrollmentFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, OpinionRecordFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(title="The auditor")
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort, name="Ada")


@pytest.fixture
def teacher(assignment: Assignment) -> Client:
    return signed_in(staff_user(assignment.organization))


def listed(answer: Any) -> list[str]:
    return [row.student for row, _flags in answer.context["rows"]]


def test_overview_of_empty_cohort_is_valid(teacher: Client, assignment: Assignment) -> None:
    page = teacher.get(page_of(assignment)).content.decode()
    assert (faults_of(page), "No students are enrolled" in page) == ([], True)


def test_overview_lists_students_with_flags(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    grade = graded(assignment, ada, widest_spread=3, suspected=True)
    AppealFactory.create(submission=grade.audit.submission)
    EnrollmentFactory.create(cohort=assignment.cohort, name="Bob")
    answer = teacher.get(page_of(assignment))
    assert faults_of(answer.content.decode()) == []
    assert [(row.student, row.score, row.flags) for row, _ in answer.context["rows"]] == [
        ("Ada", 3.0, ("spread", "integrity", "appeal")),
        ("Bob", None, ()),
    ]
    counts = answer.context["counts"]
    assert (counts.students, counts.graded, counts.flagged, counts.released) == (2, 1, 1, 0)
    assert counts.flags == {
        "spread": 1,
        "review": 0,
        "integrity": 1,
        "unverified": 0,
        "judge": 0,
        "appeal": 1,
        "staff": 0,
    }


@pytest.mark.parametrize(
    ("query_string", "names"),
    [
        ("q=bo", ["Bob"]),
        ("flag=spread", ["Ada"]),
        ("flag=flagged", ["Ada", "Cyd"]),
        ("flag=clear", ["Bob"]),
        ("flag=judge", []),
        ("flag=unverified", ["Cyd"]),
        ("state=review", ["Cyd"]),
        ("state=judged", ["Ada", "Bob"]),
        ("state=graded", ["Ada", "Bob", "Cyd"]),
        ("state=nothing", ["Dee"]),
        ("state=running", ["Eve"]),
        ("state=failed", ["Fay"]),
        ("release=not", ["Ada", "Bob", "Cyd"]),
        ("release=released", []),
        ("low=3&high=4", ["Ada"]),
        ("low=4.5", ["Bob"]),
        ("criterion=0&score=1", ["Ada", "Bob", "Cyd"]),
        ("criterion=1&score=none", []),
        ("criterion=0&apart=on", ["Ada"]),
        ("sort=-score&flag=flagged", ["Ada", "Cyd"]),
        ("sort=-name", ["Fay", "Eve", "Dee", "Cyd", "Bob", "Ada"]),
    ],
)
def test_filter_in_the_address_selects_students(
    teacher: Client, assignment: Assignment, ada: Enrollment, query_string: str, names: list[str]
) -> None:
    def someone(name: str) -> Enrollment:
        made: Enrollment = EnrollmentFactory.create(cohort=assignment.cohort, name=name)
        return made

    grade = graded(assignment, ada, 3.0, widest_spread=4)
    for judge, score in (("Prosecutor", 1), ("Defense", 5)):
        OpinionRecordFactory.create(
            audit=grade.audit, criterion_id="git_forensics", judge=judge, score=score
        )

    graded(assignment, someone("Bob"), 5.0)
    graded(assignment, someone("Cyd"), None, needs_review=True, unverified=True)
    someone("Dee")
    AuditFactory.create(submission__assignment=assignment, submission__student=someone("Eve"))
    AuditFactory.create(
        submission__assignment=assignment, submission__student=someone("Fay"), failed=True
    )
    assert listed(teacher.get(f"{page_of(assignment)}?{query_string}")) == names


def test_shuffled_order_is_stable_and_unrelated_to_name_or_score(
    teacher: Client, assignment: Assignment
) -> None:
    for number in range(8):
        EnrollmentFactory.create(cohort=assignment.cohort, name=f"{number}")
    other = AssignmentFactory.create(cohort=assignment.cohort)
    orders = [
        listed(teacher.get(f"{page_of(current)}?sort=chance"))
        for current in (assignment, assignment, other)
    ]
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in [*orders, sorted(orders[0])]}) == 3


def test_criterion_distribution_links_to_students(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    graded(assignment, ada)
    graded(assignment, EnrollmentFactory.create(cohort=assignment.cohort, name="Bob"))
    page = teacher.get(page_of(assignment)).content.decode()
    assert 'aria-label="Students by score: 2 at 1, 0 at 2, 0 at 3, 0 at 4, 0 at 5."' in page
    assert '<a href="?criterion=0&amp;score=1">2&nbsp;at&nbsp;1</a>' in page
    assert listed(teacher.get(f"{page_of(assignment)}?criterion=0&score=1")) == ["Ada", "Bob"]


def test_selected_students_stay_selected_on_bulk_page(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    grade = graded(assignment, ada)
    graded(assignment, EnrollmentFactory.create(cohort=assignment.cohort))
    answer = teacher.get(
        page_of(assignment, "bulk"), {"grade": [str(grade.pk), "x"], "scope": "chosen"}
    )
    page = answer.content.decode()
    assert [chosen for _grade, _flags, chosen in answer.context["listed"]] == [True, False]
    assert (
        answer.context["form"]["scope"].value(),
        answer.context["estimate"],
        faults_of(page),
    ) == (
        "chosen",
        None,
        [],
    )


@pytest.mark.parametrize(
    "query_string", ["low=9", "criterion=-1", "criterion=7", "page=x", "score=6"]
)
def test_unreadable_filter_is_reported_and_ignored(
    teacher: Client, assignment: Assignment, ada: Enrollment, query_string: str
) -> None:
    answer = teacher.get(f"{page_of(assignment)}?{query_string}")
    assert f"“{query_string}” is not valid here and was ignored." in answer.content.decode()
    assert (listed(answer), faults_of(answer.content.decode())) == (["Ada"], [])


def test_students_with_an_extension_are_marked_and_filtered(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    for name, group in (("Bob", "Red"), ("Cyd", "Red"), ("Dee", "")):
        EnrollmentFactory.create(cohort=assignment.cohort, name=name, group=group)
    ExtensionFactory.create(assignment=assignment, student=ada, max_attempts=9)
    ExtensionFactory.create(assignment=assignment, student=None, group="Red", max_attempts=9)
    other = AssignmentFactory.create(cohort=assignment.cohort)
    ExtensionFactory.create(assignment=other, student=None, group="Blue", max_attempts=9)
    page = teacher.get(page_of(assignment)).content.decode()
    assert page.count('<span class="chip">extension</span>') == 3
    answer = teacher.get(page_of(assignment) + "?state=extended")
    assert listed(answer) == ["Ada", "Bob", "Cyd"]


@pytest.mark.parametrize("query_string", ["flag=red", "sort=shoe", "state=odd", "release=never"])
def test_invalid_filter_is_reported_beside_its_field(
    teacher: Client, assignment: Assignment, ada: Enrollment, query_string: str
) -> None:
    answer = teacher.get(f"{page_of(assignment)}?{query_string}")
    page = answer.content.decode()
    assert (page.count("is not one of the available choices"), "is not valid here" in page) == (
        1,
        False,
    )
    assert (listed(answer), faults_of(page)) == (["Ada"], [])


def test_release_is_not_offered_for_nobody(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    assert "Release all unflagged" not in teacher.get(page_of(assignment)).content.decode()
    graded(assignment, ada)
    assert "Release all unflagged (1)" in teacher.get(page_of(assignment)).content.decode()


@pytest.mark.parametrize("students", [1, 3, 30])
def test_overview_queries_are_constant(
    teacher: Client, assignment: Assignment, students: int, django_assert_num_queries: Any
) -> None:
    for number in range(students):
        grade = graded(
            assignment, EnrollmentFactory.create(cohort=assignment.cohort, name=f"{number:02d}")
        )
        OpinionRecordFactory.create(audit=grade.audit, criterion_id="git_forensics")
    with django_assert_num_queries(15):
        assert len(listed(teacher.get(page_of(assignment)))) == students

    with django_assert_num_queries(7):
        assert (
            len(teacher.get(f"{page_of(assignment, 'release')}?what=unflagged").context["grades"])
            == students
        )
    with django_assert_num_queries(6):
        assert teacher.get(page_of(assignment, "sample")).context["graded"] == students


def test_sample_has_all_flagged_and_a_seeded_share(
    teacher: Client, assignment: Assignment, ada: Enrollment
) -> None:
    graded(assignment, ada, suspected=True)
    for number in range(20):
        graded(assignment, EnrollmentFactory.create(cohort=assignment.cohort, name=f"{number:02d}"))

    def drawn(query: str) -> list[str]:
        answer = teacher.get(f"{page_of(assignment, 'sample')}{query}")
        assert [str(grade.student) for grade, _flags in answer.context["flagged"]] == ["Ada"]
        assert faults_of(answer.content.decode()) == []
        return [str(grade.student) for grade in answer.context["drawn"]]

    assert [
        len(drawn(query_string)) for query_string in ("", "?share=0", "?share=100", "?share=x")
    ] == [
        2,
        0,
        20,
        2,
    ]
    assert drawn("?share=25&seed=7") == drawn("?share=25&seed=7")
    assert drawn("?share=25&seed=7") != drawn("?share=25&seed=8")
    assert (
        f"seed={assignment.pk + 1}" in teacher.get(page_of(assignment, "sample")).content.decode()
    )
