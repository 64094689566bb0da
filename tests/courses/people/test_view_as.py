"""Staff view a student's pages: exactly those, read only, in one organization, for an hour."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import InternalError, transaction
from django.test import Client
from django_scopes import scope

from grading.core.enums import ApiScope, Role
from grading.core.view_as import SECONDS, SESSION_KEY, is_viewing, shown_to
from grading.models import Activity, Enrollment, Membership, Opening, Submission
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    everywhere,
    staff_user,
    student,
)
from tests.tenancy.conftest import institutes, world
from tests.tenancy.matrix_rows import PERSONS, ROWS
from tests.tenancy.world import World
from tests.web_client.api_program import Program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
__all__ = ["institutes", "world"]
INSIDE = [route for route in ROWS if route.startswith("o/") and not route.endswith("view/end/")]


@pytest.fixture
def ada() -> Enrollment:
    made: Enrollment = student(CohortFactory.create(name="Autumn"), name="Ada")
    return made


@pytest.fixture
def teacher(ada: Enrollment) -> User:
    return staff_user(ada.organization)


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def organization_of(row: Enrollment) -> str:
    return f"/o/{row.organization.slug}/"


def cohort_of(row: Enrollment) -> str:
    return f"{organization_of(row)}c/{row.cohort.slug}/"


def begin(client: Client, row: Enrollment) -> Any:
    return client.post(f"{cohort_of(row)}people/{row.pk}/view/")


def end(client: Client, row: Enrollment) -> Any:
    return client.post(f"{organization_of(row)}view/end/")


def viewer(user: User, row: Enrollment) -> Client:
    client = signed_in(user)
    assert begin(client, row).headers["Location"] == cohort_of(row)
    return client


def log_of(row: Enrollment) -> list[tuple[str, int | None, str, str]]:
    with scope(organization=row.organization):
        rows = Activity.objects.filter(verb__startswith="viewing.").order_by("pk")
        return [
            (line.verb, line.actor_id, line.object_id, line.detail.get("reason", ""))
            for line in rows
        ]


def age(client: Client, seconds: float) -> None:
    session = client.session
    session[SESSION_KEY] = session[SESSION_KEY] | {"began": time.time() - seconds}
    session.save()


@pytest.mark.parametrize("route", INSIDE)
def test_every_page_answers_as_it_answers_the_student_and_writes_nothing(
    route: str, world: World
) -> None:
    owner = world.here.owner
    client = viewer(User.objects.get(pk=_user_of(world, "instructor")), owner)
    address = world.address(route)
    expected = world.client("student").get(address).status_code
    with everywhere():
        Opening.objects.all().delete()
        before = Activity.objects.count()
    answer = client.get(address)
    closed = route in {"o/<slug:org>/notices/", "o/<slug:org>/leave/"}
    assert answer.status_code == (403 if closed else expected)
    assert client.post(address).status_code == 403
    with everywhere():
        assert (Opening.objects.count(), Activity.objects.count()) == (0, before)
    if answer.status_code == 200 and "text/html" in answer.headers["Content-Type"]:
        page = answer.content.decode()
        assert "You see this page as" in page or "<html" not in page
        assert f">{owner.user.email}</a>" not in page


def _user_of(world: World, person: str) -> int:
    assert person in PERSONS
    return int(world.client(person).session["_auth_user_id"])


def test_view_shows_what_the_student_sees_until_it_is_ended(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    page = client.get(cohort_of(ada)).content.decode()
    assert "as <strong>Ada</strong> sees it" in page
    assert client.get(f"{cohort_of(ada)}people/").status_code == 404
    ended = end(client, ada)
    assert ended.headers["Location"] == f"{cohort_of(ada)}people/{ada.pk}/"
    assert client.get(f"{cohort_of(ada)}people/").status_code == 200
    assert "sees it" not in client.get(cohort_of(ada)).content.decode()
    assert log_of(ada) == [
        ("viewing.began", teacher.pk, str(ada.pk), ""),
        ("viewing.ended", teacher.pk, str(ada.pk), ""),
    ]


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["plain", "htmx"])
def test_every_unsafe_method_is_refused_with_a_clear_page(
    method: str, headers: dict[str, str], ada: Enrollment, teacher: User
) -> None:
    client = viewer(teacher, ada)
    answer = getattr(client, method)(f"{cohort_of(ada)}peers/", headers=headers)
    assert answer.status_code == 403
    assert "You can only read here" in answer.content.decode()
    with scope(organization=ada.organization):
        assert Submission.objects.count() == 0


def test_database_itself_refuses_a_write_while_viewing(ada: Enrollment, rf: Any) -> None:
    request = rf.get("/")
    request.user = staff_user(ada.organization)
    assert ada.user
    with scope(organization=ada.organization), shown_to(request, ada.user):
        assert is_viewing()
        with pytest.raises(InternalError, match="read-only"), transaction.atomic():
            Enrollment.objects.filter(pk=ada.pk).update(name="Mallory")
    assert not is_viewing()
    with scope(organization=ada.organization):
        assert Enrollment.objects.get(pk=ada.pk).name == "Ada"


def test_other_organizations_account_pages_admin_and_home_are_the_persons_own(
    ada: Enrollment, teacher: User
) -> None:
    other = MembershipFactory.create(user=teacher, role=Role.INSTRUCTOR).organization
    client = viewer(teacher, ada)
    own = client.get(f"/o/{other.slug}/").content.decode()
    assert "This page is your own" in own
    assert "Create cohort" in own
    for address in ("/", "/accounts/email/", "/accounts/tokens/"):
        page = client.get(address).content.decode()
        assert teacher.email in page
        assert ada.user
        assert ada.user.email not in page
    # The other institutions of the student stay closed.
    foreign = student(CohortFactory.create())
    EnrollmentFactory.create(cohort=foreign.cohort, user=ada.user)
    assert client.get(organization_of(foreign)).status_code == 404


def test_program_of_the_person_is_their_own(ada: Enrollment, teacher: User) -> None:
    viewer(teacher, ada)
    program = Program(teacher, ada.organization.slug, [ApiScope.READ])
    assert program.get(f"cohorts/{ada.cohort.slug}/").status_code == 200


def test_pages_of_the_students_account_are_closed(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    for page in ("notices", "leave"):
        answer = client.get(f"{organization_of(ada)}{page}/")
        assert answer.status_code == 403
        assert ada.user
        assert ada.user.email not in answer.content.decode()


def test_view_ends_after_an_hour_and_sends_no_form(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    age(client, SECONDS + 1)
    answer = client.post(f"{cohort_of(ada)}people/", {"group": "x"}, follow=True)
    assert "has ended: an hour is over" in answer.content.decode()
    assert answer.redirect_chain == [("/", 302)]
    assert log_of(ada)[-1] == ("viewing.ended", teacher.pk, str(ada.pk), "an hour is over")
    assert client.get(f"{cohort_of(ada)}people/").status_code == 200


def test_time_before_the_beginning_is_no_longer_view(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    age(client, -3600)
    assert client.get(cohort_of(ada)).headers["Location"] == "/"


def test_signing_out_ends_the_view(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    client.post("/accounts/logout/")
    assert SESSION_KEY not in client.session
    assert log_of(ada)[-1][3] == "signed out"


def test_person_who_lost_the_role_sees_nothing_more(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    with scope(organization=ada.organization):
        Membership.objects.filter(user=teacher).update(role=Role.STUDENT)
    assert client.get(cohort_of(ada)).headers["Location"] == "/"
    assert client.get(cohort_of(ada)).status_code == 404
    assert log_of(ada)[-1][3] == "the person is no longer staff"


def test_person_who_left_the_organization_sees_nothing_more(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    with scope(organization=ada.organization):
        Membership.objects.filter(user=teacher).delete()
    assert client.get(cohort_of(ada)).status_code == 404
    assert SESSION_KEY not in client.session


@pytest.mark.parametrize("change", ["removed", "promoted", "unlinked", "deactivated"])
def test_view_ends_when_the_student_is_none_any_more(
    change: str, ada: Enrollment, teacher: User
) -> None:
    client = viewer(teacher, ada)
    with scope(organization=ada.organization):
        match change:
            case "removed":
                Enrollment.objects.filter(pk=ada.pk).delete()
            case "promoted":
                Membership.objects.filter(user=ada.user).update(role=Role.ASSISTANT)
            case "unlinked":
                Enrollment.objects.filter(pk=ada.pk).update(user=None)
            case _:
                User.objects.filter(enrollments=ada).update(is_active=False)
    assert client.get(cohort_of(ada)).headers["Location"] == "/"
    assert log_of(ada)[-1][3] == "the student is gone"


def test_staff_and_people_without_an_account_have_no_pages_to_view(
    ada: Enrollment, teacher: User
) -> None:
    invited = EnrollmentFactory.create(cohort=ada.cohort)
    colleague = staff_user(ada.organization)
    enrolled = EnrollmentFactory.create(cohort=ada.cohort, user=colleague, email=colleague.email)
    client = signed_in(teacher)
    for row, words in ((invited, "has not accepted yet"), (enrolled, "is staff")):
        answer = begin(client, row)
        assert answer.status_code == 200
        assert words in answer.content.decode()
    assert SESSION_KEY not in client.session


def test_second_view_begins_only_after_the_end_of_the_first(ada: Enrollment, teacher: User) -> None:
    bob = student(ada.cohort)
    client = viewer(teacher, ada)
    assert begin(client, bob).status_code == 403
    other = CohortFactory.create()
    MembershipFactory.create(organization=other.organization, user=teacher, role=Role.OWNER)
    foreign = student(other)
    assert "End the view" in begin(client, foreign).content.decode()
    assert client.session[SESSION_KEY]["student"] == ada.pk


def test_view_whose_hour_is_over_elsewhere_stands_in_no_way(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    age(client, 3601)
    other = CohortFactory.create()
    MembershipFactory.create(organization=other.organization, user=teacher, role=Role.OWNER)
    foreign = student(other)
    assert begin(client, foreign).headers["Location"] == cohort_of(foreign)
    assert [line[0] for line in log_of(ada)] == ["viewing.began", "viewing.ended"]


def test_assistant_may_view_and_students_and_strangers_may_not(ada: Enrollment) -> None:
    viewer(staff_user(ada.organization, Role.ASSISTANT), ada)
    for user in (student(ada.cohort).user, staff_user(CohortFactory.create().organization)):
        assert begin(signed_in(user), ada).status_code == 404


def test_student_of_another_organization_is_missing(ada: Enrollment, teacher: User) -> None:
    foreign = student(CohortFactory.create(slug=ada.cohort.slug))
    answer = signed_in(teacher).post(f"{cohort_of(ada)}people/{foreign.pk}/view/")
    assert answer.status_code == 404


def test_view_in_the_session_of_somebody_else_is_ignored(ada: Enrollment, teacher: User) -> None:
    client = viewer(teacher, ada)
    other = signed_in(staff_user(ada.organization))
    session = other.session
    session[SESSION_KEY] = client.session[SESSION_KEY]
    session.save()
    assert other.get(f"{cohort_of(ada)}people/").status_code == 200


def test_reading_as_the_student_marks_nothing_as_read(world: World) -> None:
    owner = world.here.owner
    client = viewer(User.objects.get(pk=_user_of(world, "instructor")), owner)
    address = world.address("o/<slug:org>/audits/<uuid:audit_id>/")
    with everywhere():
        Opening.objects.all().delete()
    assert client.get(address).status_code == 200
    with everywhere():
        assert Opening.objects.count() == 0
        world.client("student").get(address)
        assert Opening.objects.count() == 1
