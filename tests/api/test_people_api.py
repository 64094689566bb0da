"""The roster by the API: read, add, preview, import."""

from __future__ import annotations

from typing import Any

import pytest
from django_scopes import scope

from grading.core.enums import ApiScope, Role
from grading.models import Cohort, Enrollment
from tests.factories.people import CohortFactory, EnrollmentFactory, staff_user, student
from tests.web_client.api_program import Program, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
LIST = "email,name\nada@example.org,Ada\n"


@pytest.fixture
def cohort() -> Cohort:
    made: Cohort = CohortFactory.create()
    return made


def program(cohort: Cohort, role: Role = Role.INSTRUCTOR, **options: Any) -> Program:
    return Program(staff_user(cohort.organization, role), cohort.organization.slug, **options)


def path(cohort: Cohort, page: str = "") -> str:
    return f"cohorts/{cohort.slug}/students/{page}"


def emails(cohort: Cohort) -> list[str]:
    with scope(organization=cohort.organization):
        return list(Enrollment.objects.order_by("email").values_list("email", flat=True))


def test_staff_read_the_roster(cohort: Cohort) -> None:
    ada = student(cohort, name="Ada", group="Owls")
    EnrollmentFactory.create(cohort=cohort, email="bob@example.org", name="Bob")
    rows = program(cohort, Role.ASSISTANT).get(path(cohort)).json()["results"]
    assert [(row["email"], row["group"], row["accepted"]) for row in rows] == [
        (ada.email, "Owls", True),
        ("bob@example.org", "", False),
    ]


def test_student_is_added_once(cohort: Cohort) -> None:
    teacher = program(cohort)
    added = teacher.post(path(cohort), {"email": "ada@example.org", "name": "Ada"})
    assert (added.status_code, added.json()["accepted"]) == (201, False)
    again = teacher.post(path(cohort), {"email": "ADA@example.org"})
    assert (again.status_code, error_of(again)["code"]) == (422, "email_taken")
    assert emails(cohort) == ["ada@example.org"]


def test_list_is_previewed_and_then_imported_as_it_was_shown(cohort: Cohort) -> None:
    teacher = program(cohort)
    preview = teacher.post(path(cohort, "import/"), {"roster": LIST}).json()
    assert (preview["imported"], preview["importable"], preview["letters"]) == (False, True, 1)
    assert [(row["line"], row["state"]) for row in preview["rows"]] == [(2, "new")]
    assert emails(cohort) == []

    sent = {"roster": LIST, "fingerprint": preview["fingerprint"]}
    assert teacher.post(path(cohort, "import/"), sent).json()["imported"]
    assert emails(cohort) == ["ada@example.org"]
    again = teacher.post(path(cohort, "import/"), sent)
    assert (again.status_code, error_of(again)["code"]) == (422, "roster_changed")


def test_refused_row_is_named_and_nothing_is_imported(cohort: Cohort) -> None:
    teacher = program(cohort)
    preview = teacher.post(path(cohort, "import/"), {"roster": f"{LIST}nobody,X\n"}).json()
    assert [row["reason"] for row in preview["rows"]] == [
        "",
        "“nobody” is not an email address.",
    ]
    sent = {"roster": f"{LIST}nobody,X\n", "fingerprint": preview["fingerprint"]}
    refused = teacher.post(path(cohort, "import/"), sent)
    assert (refused.status_code, error_of(refused)["code"]) == (422, "roster_rows_refused")
    unreadable = teacher.post(path(cohort, "import/"), {"roster": "name\nAda\n"})
    assert error_of(unreadable)["code"] == "roster_no_email"
    assert emails(cohort) == []


def test_writing_needs_the_scope_and_a_teacher(cohort: Cohort) -> None:
    reader = program(cohort, scopes=[ApiScope.READ])
    assert reader.post(path(cohort), {"email": "a@example.org"}).status_code == 403
    assistant = program(cohort, Role.ASSISTANT)
    for page, body in (("", {"email": "a@example.org"}), ("import/", {"roster": LIST})):
        assert assistant.post(path(cohort, page), body).status_code == 404
    assert emails(cohort) == []
