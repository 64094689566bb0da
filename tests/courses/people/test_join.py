"""Joining a cohort by its link: who may, what they see before, and what follows."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client, override_settings
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import InvitationState, Role
from grading.core.errors import PeopleRefused
from grading.core.join_codes import ALPHABET, new_code, read_code, spoken_form
from grading.core.rls.rls_scope import as_join_code
from grading.courses.people.join_links import (
    close_join_link,
    join_cohort,
    move_join_link_end,
    open_join_link,
)
from grading.courses.people.queries import default_end_of, join_link_of
from grading.models import Activity, Cohort, Enrollment, Invitation, JoinLink, Membership
from tests.factories.people import (
    PASSWORD,
    CohortFactory,
    EnrollmentFactory,
    InvitationFactory,
    JoinLinkFactory,
    UserFactory,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
# The tests are no https site, which production's settings would ask for.
MANDATORY = override_settings(ACCOUNT_EMAIL_VERIFICATION="mandatory")


@pytest.fixture
def cohort() -> Cohort:
    made: Cohort = CohortFactory.create(name="Autumn", organization__name="Example College")
    return made


@pytest.fixture
def link(cohort: Cohort) -> JoinLink:
    made: JoinLink = JoinLinkFactory.create(cohort=cohort)
    return made


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def rows(cohort: Cohort) -> list[tuple[str, str, int | None]]:
    with scope(organization=cohort.organization):
        students = Enrollment.objects.filter(cohort=cohort).order_by("pk")
        return list(students.values_list("email", "name", "user"))


def refusal(**joining: Any) -> str:
    with pytest.raises(PeopleRefused) as refused:
        join_cohort(**joining)
    return refused.value.code


def path(link: JoinLink) -> str:
    return f"/join/{link}/"


def test_code_has_no_letter_that_looks_like_another() -> None:
    assert not set("01258BGILOQSUVZAE") & set(ALPHABET) - set("258")
    code = new_code()
    assert re.fullmatch(r"\w{3}-\w{3}-\w{3}", spoken_form(code))
    assert read_code(f" {spoken_form(code).lower()} ") == code


@pytest.mark.parametrize("typed", ["", "ABC", "AAA-AAA-AAA", "C4F-7KM-2XWW", "x" * 5000, "%27"])
def test_text_that_is_no_code_is_none(typed: str) -> None:
    assert read_code(typed) is None


def test_unknown_code_is_404_for_everybody(cohort: Cohort) -> None:
    for client in (
        Client(),
        signed_in(UserFactory.create()),
        signed_in(staff_user(cohort.organization)),
    ):
        assert client.get(f"/join/{spoken_form(new_code())}/").status_code == 404
        assert client.get("/join/nonsense/").status_code == 404


@pytest.mark.parametrize(
    "change",
    [{"ends_at": timezone.now() - timedelta(minutes=1)}, {"closed_at": timezone.now()}],
    ids=["end passed", "closed"],
)
def test_ended_link_says_so_in_one_sentence_and_enrolls_nobody(
    change: dict[str, Any], cohort: Cohort
) -> None:
    link = JoinLinkFactory.create(cohort=cohort, **change)
    client = signed_in(UserFactory.create())
    for answer in (client.get(path(link)), client.post(path(link), {"name": "Ada"})):
        assert answer.status_code == 410
        page = answer.content.decode()
        assert "This join link has ended" in page
        assert "Autumn" not in page
        assert "Example College" not in page
    assert rows(cohort) == []


def test_link_of_an_organization_that_waits_for_approval_is_missing(link: JoinLink) -> None:
    link.organization.approved_at = None
    link.organization.save()
    with override_settings(INSTITUTIONS_BY_APPROVAL=True):
        assert signed_in(UserFactory.create()).get(path(link)).status_code == 404


def test_visitor_sees_both_names_and_nothing_else_and_is_led_to_sign_up(link: JoinLink) -> None:
    EnrollmentFactory.create(cohort=link.cohort, email="ada@example.org", name="Ada Lovelace")
    AssignmentFactory.create(cohort=link.cohort, title="The secret task")
    client = Client()
    page = client.get(path(link)).content.decode()
    assert "Autumn" in page
    assert "Example College" in page
    for hidden in ("Ada", "secret task", link.organization.slug, f"/c/{link.cohort.slug}"):
        assert hidden not in page
    led = client.post(path(link))
    assert led.headers["Location"] == f"/accounts/signup/?next=%2Fjoin%2F{link}%2F"


def test_new_account_comes_back_to_the_link_and_reaches_the_only_assignment(link: JoinLink) -> None:
    assignment = AssignmentFactory.create(cohort=link.cohort)
    client = Client()
    data = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    signed_up = client.post("/accounts/signup/", data | {"next": path(link)})
    assert signed_up.headers["Location"] == path(link)
    joined = client.post(path(link), {"name": "Nia New"}, follow=True)
    assert joined.redirect_chain == [
        (f"/o/{link.organization.slug}/c/{link.cohort.slug}/a/{assignment.slug}/", 302)
    ]
    assert joined.status_code == 200
    user = User.objects.get(email="new@example.org")
    assert rows(link.cohort) == [("new@example.org", "Nia New", user.pk)]


@MANDATORY
def test_address_that_must_be_confirmed_comes_back_to_the_link_afterwards(link: JoinLink) -> None:
    client = Client()
    data = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client.post("/accounts/signup/", data | {"next": path(link)})
    confirm = re.search(r"/accounts/confirm-email/[^/]+/", str(mail.outbox[-1].body))
    assert confirm
    assert client.post(confirm[0]).headers["Location"] == path(link)
    assert client.post(path(link), {"name": "Nia"}).status_code == 302
    assert [email for email, _name, _user in rows(link.cohort)] == ["new@example.org"]


@MANDATORY
def test_account_without_a_confirmed_address_does_not_join(link: JoinLink) -> None:
    user = UserFactory.create()
    EmailAddress.objects.filter(user=user).update(verified=False)
    EnrollmentFactory.create(cohort=link.cohort, email=user.email)
    assert refusal(link=link, user=user, name="Mallory") == "join_address"
    assert [row[2] for row in rows(link.cohort)] == [None]


def test_name_is_asked_of_who_is_not_on_the_roster(link: JoinLink) -> None:
    client = signed_in(UserFactory.create())
    answer = client.post(path(link), {"name": " "})
    assert answer.status_code == 200
    assert "Enter your name." in answer.content.decode()
    assert rows(link.cohort) == []


def test_place_on_the_roster_becomes_the_persons_and_so_do_their_other_cohorts(
    link: JoinLink,
) -> None:
    user = UserFactory.create(email="Ada@example.org")
    other = CohortFactory.create(organization=link.organization)
    for cohort in (link.cohort, other):
        EnrollmentFactory.create(cohort=cohort, email="ADA@example.org", name="Ada L.")
    InvitationFactory.create(organization=link.organization, email="ada@example.org")
    client = signed_in(user)
    assert "Your name" not in client.get(path(link)).content.decode()
    client.post(path(link))
    for cohort in (link.cohort, other):
        assert rows(cohort) == [("ADA@example.org", "Ada L.", user.pk)]
    with scope(organization=link.organization):
        assert Invitation.objects.get().state == InvitationState.ACCEPTED
        assert Membership.objects.get(user=user).role == Role.STUDENT


def test_who_left_comes_back_by_the_link(link: JoinLink) -> None:
    user = UserFactory.create()
    InvitationFactory.create(
        organization=link.organization,
        email=user.email,
        state=InvitationState.LEFT,
        answered_at=timezone.now(),
    )
    join_cohort(link=link, user=user, name="Ada")
    with scope(organization=link.organization):
        assert Membership.objects.get(user=user).role == Role.STUDENT


def test_offer_of_a_staff_role_stays_an_offer(link: JoinLink) -> None:
    user = UserFactory.create()
    InvitationFactory.create(organization=link.organization, email=user.email, role=Role.INSTRUCTOR)
    join_cohort(link=link, user=user, name="Ada")
    with scope(organization=link.organization):
        assert Membership.objects.get(user=user).role == Role.STUDENT
        offer = Invitation.objects.get()
    assert (offer.state, offer.role) == (InvitationState.INVITED, Role.INSTRUCTOR)


def test_address_that_another_account_is_enrolled_with_is_refused(link: JoinLink) -> None:
    EnrollmentFactory.create(
        cohort=link.cohort, email="ada@example.org", user=UserFactory.create(email="x@example.org")
    )
    late = UserFactory.create(email="ada@example.org")
    assert refusal(link=link, user=late, name="Ada") == "join_taken"


def test_who_is_enrolled_is_led_to_the_cohort(link: JoinLink) -> None:
    ada = student(link.cohort)
    for answer in (signed_in(ada.user).get(path(link)), signed_in(ada.user).post(path(link))):
        assert answer.headers["Location"] == f"/o/{link.organization.slug}/c/{link.cohort.slug}/"
    join_cohort(link=link, user=ada.user)
    assert len(rows(link.cohort)) == 1


@pytest.mark.parametrize("role", [Role.OWNER, Role.INSTRUCTOR, Role.ASSISTANT])
def test_staff_learn_that_they_are_staff_and_are_not_enrolled(role: Role, link: JoinLink) -> None:
    user = staff_user(link.organization, role)
    for answer in (signed_in(user).get(path(link)), signed_in(user).post(path(link))):
        assert f"You are {role.label.lower()} of Example College" in answer.content.decode()
    assert refusal(link=link, user=user, name="Staff") == "join_staff"
    assert rows(link.cohort) == []


def test_link_that_was_closed_after_the_page_was_opened_enrolls_nobody(link: JoinLink) -> None:
    with scope(organization=link.organization):
        close_join_link(cohort=link.cohort, by=staff_user(link.organization))
    assert refusal(link=link, user=UserFactory.create(), name="Ada") == "join_ended"


def test_wrong_codes_are_limited_and_right_ones_are_not(link: JoinLink) -> None:
    client = Client()
    for _ in range(35):
        assert client.get(path(link)).status_code == 200
    answers = [client.get(f"/join/{spoken_form(new_code())}/").status_code for _ in range(31)]
    assert answers == [404] * 30 + [429]
    assert client.get(path(link)).status_code == 429


def test_database_shows_only_the_link_whose_code_is_known(link: JoinLink) -> None:
    JoinLinkFactory.create()
    with as_join_code(link.code):
        assert [row.pk for row in JoinLink.objects.all()] == [link.pk]
    with as_join_code("%"):
        assert list(JoinLink.objects.all()) == []


def test_new_link_replaces_the_earlier_one_and_all_is_logged(cohort: Cohort) -> None:
    teacher = staff_user(cohort.organization)
    end = timezone.now() + timedelta(days=3)
    with scope(organization=cohort.organization):
        first = open_join_link(cohort=cohort, ends_at=end, by=teacher)
        second = open_join_link(cohort=cohort, ends_at=end, by=teacher)
        assert join_link_of(cohort) == second
        first.refresh_from_db()
        assert (first.is_open, second.is_open, first.code == second.code) == (False, True, False)
        move_join_link_end(cohort=cohort, ends_at=end + timedelta(days=1), by=teacher)
        close_join_link(cohort=cohort, by=teacher)
        assert join_link_of(cohort) is None
        with pytest.raises(PeopleRefused, match="closed meanwhile"):
            close_join_link(cohort=cohort, by=teacher)
        assert list(
            Activity.objects.filter(cohort=cohort).order_by("pk").values_list("verb", flat=True)
        ) == ["join_link.opened", "join_link.opened", "join_link.changed", "join_link.closed"]


@pytest.mark.parametrize(("days", "code"), [(-1, "end_past"), (367, "end_too_late")])
def test_end_in_the_past_or_after_a_year_is_refused(days: int, code: str, cohort: Cohort) -> None:
    with scope(organization=cohort.organization), pytest.raises(PeopleRefused) as refused:
        open_join_link(
            cohort=cohort,
            ends_at=timezone.now() + timedelta(days=days),
            by=staff_user(cohort.organization),
        )
    assert (refused.value.field, refused.value.code) == ("ends_at", code)


def test_default_end_is_two_weeks_or_the_cohorts_last_day() -> None:
    now = timezone.now()
    assert default_end_of(CohortFactory.build()) - now < timedelta(days=14)
    soon = CohortFactory.build(ends_on=(now + timedelta(days=3)).date())
    assert default_end_of(soon).date() == soon.ends_on
    past = CohortFactory.build(ends_on=(now - timedelta(days=3)).date())
    assert default_end_of(past) - now > timedelta(days=13)


def test_teacher_creates_moves_and_closes_the_link_on_the_people_page(cohort: Cohort) -> None:
    client = signed_in(staff_user(cohort.organization))
    people = f"/o/{cohort.organization.slug}/c/{cohort.slug}/people/"
    end = f"{timezone.now() + timedelta(days=5):%Y-%m-%dT%H:%M}"
    for act in ("open", "move"):
        answer = client.post(f"{people}join-link/", {"act": act, "ends_at": end}, follow=True)
        with scope(organization=cohort.organization):
            link = join_link_of(cohort)
        assert link
        assert f"/join/{link}/" in answer.content.decode()
    refused = client.post(f"{people}join-link/", {"act": "move", "ends_at": "2020-01-01T00:00"})
    assert "The end must be in the future." in refused.content.decode()
    closed = client.post(f"{people}join-link/", {"act": "close", "ends_at": ""}, follow=True)
    assert "The join link was closed." in closed.content.decode()


def test_code_is_read_from_the_page_for_codes(link: JoinLink) -> None:
    led = Client().get("/join/", {"code": str(link).lower().replace("-", " ")})
    assert led.headers["Location"] == path(link)
    wrong = Client().get("/join/", {"code": "OIL"})
    assert "no code of a join link" in wrong.content.decode()
