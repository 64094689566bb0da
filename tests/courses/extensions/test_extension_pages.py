"""Pages and API of extensions: what teachers give, and what their students then read."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.models import User

from grading.core.enums import LatePolicy, Role
from grading.models import Assignment, Enrollment, Extension
from tests.factories.extensions import ExtensionFactory
from tests.factories.graded_work import signed_in
from tests.factories.people import CohortFactory, EnrollmentFactory, everywhere, staff_user, student
from tests.factories.work import AssignmentFactory
from tests.web_client.api_program import Program, error_of

pytestmark = pytest.mark.django_db
DUE = datetime(2030, 10, 1, 12, 0, tzinfo=UTC)
LATER = datetime(2030, 10, 2, 21, 59, tzinfo=UTC)


@pytest.fixture
def assignment() -> Assignment:
    cohort = CohortFactory.create(time_zone="Europe/Berlin")
    made: Assignment = AssignmentFactory.create(
        cohort=cohort, due_at=DUE, max_attempts=2, late_policy=LatePolicy.ACCEPT
    )
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    made: Enrollment = student(assignment.cohort, name="Ada", group="Red")
    return made


@pytest.fixture
def teacher(assignment: Assignment) -> User:
    return staff_user(assignment.organization)


def address_of(assignment: Assignment, *further: object) -> str:
    org, cohort = assignment.organization.slug, assignment.cohort.slug
    return "/".join(["", "o", org, "c", cohort, "a", assignment.slug, *map(str, further), ""])


def posted(user: User, address: str, **fields: Any) -> Any:
    return signed_in(user).post(address, fields)


def test_extension_is_given_in_the_zone_of_the_cohort_and_read_by_the_student(
    assignment: Assignment, ada: Enrollment, teacher: User
) -> None:
    fields = {"students": [ada.pk], "due_at": "2030-10-02T23:59", "reason": "Illness <b>"}
    answer = posted(teacher, address_of(assignment, "extensions"), **fields)
    assert answer.status_code == HTTPStatus.FOUND
    with everywhere():
        assert [row.due_at for row in Extension.objects.all()] == [LATER]

    client = signed_in(ada.user)
    for address in (address_of(assignment), address_of(assignment, "submit"), "/"):
        page = " ".join(client.get(address).content.decode().split())
        assert "Extended for you until" in page
        assert "Reason: Illness &lt;b&gt;" in page


def test_course_page_shows_each_student_their_own_due_date(
    assignment: Assignment, ada: Enrollment
) -> None:
    ExtensionFactory.create(assignment=assignment, student=ada, due_at=LATER)
    classmate = student(assignment.cohort, name="Bram")
    page = address_of(assignment).partition("a/")[0]
    pages = [signed_in(reader.user).get(page).content.decode() for reader in (ada, classmate)]
    assert ["extended for you" in html for html in pages] == [True, False]
    assert ["2 Oct 2030" in html for html in pages] == [True, False]
    assert ["1 Oct 2030" in html for html in pages] == [False, True]


def test_classmate_reads_nothing_of_an_extension(assignment: Assignment, ada: Enrollment) -> None:
    ExtensionFactory.create(
        assignment=assignment, student=ada, max_attempts=9, reason="A private reason"
    )
    ben = student(assignment.cohort, name="Ben", group="Red")
    client = signed_in(ben.user)
    for address in (address_of(assignment), address_of(assignment, "submit"), "/"):
        assert "A private reason" not in client.get(address).content.decode()


def test_refused_extension_keeps_what_was_typed_beside_the_error(
    assignment: Assignment, ada: Enrollment, teacher: User
) -> None:
    fields = {"students": [ada.pk], "max_attempts": 2, "reason": "Illness"}
    page = posted(teacher, address_of(assignment, "extensions"), **fields)
    form = page.context["form"]
    assert form.errors == {"max_attempts": ["The assignment gives everybody 2: enter more."]}
    assert form["reason"].value() == "Illness"
    with everywhere():
        assert Extension.objects.count() == 0


def test_assistant_sees_the_list_without_a_form(assignment: Assignment, ada: Enrollment) -> None:
    ExtensionFactory.create(assignment=assignment, group="Red", max_attempts=9)
    client = signed_in(staff_user(assignment.organization, Role.ASSISTANT))
    page = client.get(address_of(assignment, "extensions")).content.decode()
    assert "group Red" in page
    assert "Give extension" not in page


def test_change_replaces_and_withdraw_ends_the_extension(
    assignment: Assignment, ada: Enrollment, teacher: User
) -> None:
    first = ExtensionFactory.create(assignment=assignment, student=ada, max_attempts=9)
    address = address_of(assignment, "extensions", first.pk)
    posted(teacher, address, max_attempts=4, reason="Illness")
    with everywhere():
        second = Extension.objects.get(ending="")
    posted(teacher, address_of(assignment, "extensions", second.pk), act="withdraw")
    with everywhere():
        rows = Extension.objects.order_by("pk").values_list("max_attempts", "ending")
        assert list(rows) == [(9, "replaced"), (4, "withdrawn")]


def test_change_of_an_ended_extension_is_refused_and_keeps_the_input(
    assignment: Assignment, ada: Enrollment, teacher: User
) -> None:
    ended = ExtensionFactory.create(
        assignment=assignment, student=ada, max_attempts=9, ending="withdrawn", ended_at=DUE
    )
    address = address_of(assignment, "extensions", ended.pk)
    form = posted(teacher, address, max_attempts=4, reason="New").context["form"]
    assert len(form.non_field_errors()) == 1
    assert form["reason"].value() == "New"


def test_program_of_a_teacher_gives_and_lists_extensions(
    assignment: Assignment, ada: Enrollment, teacher: User
) -> None:
    program = Program(teacher, assignment.organization.slug)
    path = f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/extensions/"
    refused = program.post(path, {"students": ["who@example.org"], "reason": "Illness"})
    assert error_of(refused)["field"] == "students"
    refused = program.post(path, {"students": [ada.email], "reason": "Illness"})
    assert error_of(refused)["code"] == "extension_empty"

    body = {"students": [ada.email], "max_attempts": 4, "reason": "Illness"}
    given = program.post(path, body)
    assert given.status_code == HTTPStatus.CREATED
    rows = program.get(path).json()["results"]
    assert [(row["student"], row["max_attempts"], row["ending"]) for row in rows] == [
        (ada.email, 4, "")
    ]


def test_program_of_a_student_gets_their_own_terms(assignment: Assignment, ada: Enrollment) -> None:
    ExtensionFactory.create(assignment=assignment, group="Red", due_at=LATER)
    assert ada.user
    path = f"cohorts/{assignment.cohort.slug}/assignments/"
    row = Program(ada.user, assignment.organization.slug).get(path).json()["results"][0]
    assert row["your_terms"] == {
        "due_at": "2030-10-02T21:59:00Z",
        "max_attempts": 2,
        "marks_late": True,
        "reasons": ["Illness"],
    }


@pytest.mark.parametrize("students", [1, 3])
def test_pages_with_extensions_need_as_many_queries_for_three_as_for_one(
    assignment: Assignment, teacher: User, students: int, django_assert_max_num_queries: Any
) -> None:
    for _ in range(students):
        ExtensionFactory.create(
            assignment=assignment,
            student=EnrollmentFactory.create(cohort=assignment.cohort),
            max_attempts=9,
            given_by=teacher,
        )
    client = signed_in(teacher)
    for address in (address_of(assignment, "extensions"), address_of(assignment)):
        with django_assert_max_num_queries(15):
            client.get(address)
