"""Launches that open something: whose account, which course, and how far a platform's word goes."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from grading.core.enums import Role
from grading.core.errors import LaunchRefused
from grading.lti.people import create_account
from grading.models import (
    Enrollment,
    LtiAccount,
    LtiContext,
    LtiCourseLink,
    LtiLaunch,
    LtiRegistration,
    LtiResourceLink,
    Membership,
)
from tests.factories.lti import (
    LtiAccountFactory,
    LtiContextFactory,
    LtiCourseLinkFactory,
    LtiMemberFactory,
    LtiRegistrationFactory,
)
from tests.factories.lti_server import LtiServer
from tests.factories.people import (
    PASSWORD,
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    UserFactory,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory
from tests.lti.traveller import ASSISTANT, LEARNER, TEACHER, Traveller

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(registration: LtiRegistration, platform: LtiServer) -> Traveller:
    return Traveller(registration, platform)


@pytest.fixture
def assignment(registration: LtiRegistration) -> Any:
    """One in a cohort that belongs to the course of the launches."""
    cohort = CohortFactory.create(organization=registration.organization, slug="autumn")
    with scope(organization=registration.organization):
        deployment = registration.deployments.get()
    context = LtiContextFactory.create(deployment=deployment, context_id="course-1")
    LtiCourseLinkFactory.create(cohort=cohort, context=context)
    return AssignmentFactory.create(cohort=cohort, slug="auditor")


def page_of(assignment: Any) -> str:
    return reverse(
        "assignment", args=[assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    )


def linked_to(assignment: Any) -> dict[str, str]:
    return {"auditor_assignment": str(assignment.pk)}


def test_a_new_person_gets_an_account_a_place_and_the_assignment(ada, assignment, registration):
    ada.custom = linked_to(assignment)
    page = ada.enter()
    assert ("Ada Lovelace" in page.text, User.objects.count()) == (True, 0)
    assert "_auth_user_id" not in ada.client.session
    arrived = ada.arrive()
    assert (arrived.status_code, arrived["Location"]) == (302, page_of(assignment))
    assert ada.client.get(arrived["Location"]).status_code == 200
    user = User.objects.get()
    assert (user.email, user.has_usable_password()) == ("ada@example.org", False)
    with scope(organization=registration.organization):
        assert Membership.objects.get(user=user).role == Role.STUDENT
        place = Enrollment.objects.get(user=user)
        assert (place.cohort, place.email, place.name) == (
            assignment.cohort,
            "ada@example.org",
            "Ada Lovelace",
        )
        link = LtiResourceLink.objects.get()
        assert (link.assignment, link.lineitem_url) == (
            assignment,
            f"{ada.platform.issuer}/lineitems/1",
        )
        context = LtiContext.objects.get()
        assert (context.title, context.memberships_url, context.lineitems_url) == (
            "Software engineering",
            f"{ada.platform.issuer}/members",
            f"{ada.platform.issuer}/lineitems",
        )


def test_who_came_before_goes_on_at_once_and_without_the_custom_parameter(ada, assignment):
    ada.custom = linked_to(assignment)
    ada.arrive()
    again = Traveller(ada.registration, ada.platform)
    arrived = again.enter()
    assert (arrived.status_code, arrived["Location"]) == (302, page_of(assignment))
    assert (User.objects.count(), again.client.session["_auth_user_id"]) == (
        1,
        str(User.objects.get().pk),
    )


def test_an_existing_account_is_connected_by_who_signed_in_to_it_and_agreed(ada, assignment):
    existing = UserFactory.create(email="ada@example.org")
    first = ada.enter()
    assert "Sign in" in first.text
    # Signing in and then coming back to the page.
    ada.client.login(username=existing.username, password=PASSWORD)
    answer = ada.launch()
    page = ada.client.get(answer["Location"])
    assert "Connect this account" in page.text
    with scope(organization=ada.registration.organization):
        assert LtiAccount.objects.count() == 0
    arrived = ada.client.post(answer["Location"], {"do": "connect"})
    assert arrived.status_code == 302
    with scope(organization=ada.registration.organization):
        assert LtiAccount.objects.get().user == existing
        assert Enrollment.objects.get(cohort=assignment.cohort).user == existing
    # Whoever signed in by themselves stays so.
    assert ada.client.get("/accounts/email/").status_code in {200, 302}
    assert "launch_organization" not in ada.client.session


def test_a_new_account_takes_no_address_of_an_existing_one(ada, assignment):
    existing = UserFactory.create(email="Ada@example.org")
    ada.arrive()
    made = User.objects.exclude(pk=existing.pk).get()
    assert (made.email, ada.client.session["_auth_user_id"]) == ("", str(made.pk))


def test_nobody_connects_without_a_session_of_their_own(ada, assignment):
    answer = ada.launch()
    assert ada.client.post(answer["Location"], {"do": "connect"}).status_code == 200
    with scope(organization=ada.registration.organization):
        assert LtiAccount.objects.count() == 0


def test_an_account_has_one_person_of_a_platform(ada, assignment):
    ada.arrive()
    user = User.objects.get()
    bob = Traveller(ada.registration, ada.platform, subject="bob", email="bob@example.org")
    bob.client.force_login(user)
    answer = bob.launch()
    refused = bob.client.post(answer["Location"], {"do": "connect"})
    assert "connected with another person" in refused.text


def test_a_waiting_place_on_the_roster_becomes_theirs(ada, assignment):
    place = EnrollmentFactory.create(
        cohort=assignment.cohort, email="ada@example.org", name="A. L."
    )
    ada.custom = linked_to(assignment)
    ada.arrive()
    with scope(organization=assignment.organization):
        place.refresh_from_db()
        assert (place.user, Enrollment.objects.count()) == (User.objects.get(), 1)


def test_whoever_takes_the_address_of_another_there_gets_not_their_waiting_place(ada, assignment):
    place = EnrollmentFactory.create(cohort=assignment.cohort, email="ada@example.org")
    with scope(organization=assignment.organization):
        link = LtiCourseLink.objects.get()
    LtiMemberFactory.create(course_link=link, subject="ada", enrollment=place)
    bob = Traveller(ada.registration, ada.platform, subject="bob", custom=linked_to(assignment))
    assert "launch_taken" in bob.arrive().text
    ada.custom = linked_to(assignment)
    assert ada.arrive().status_code == 302
    with scope(organization=assignment.organization):
        place.refresh_from_db()
        assert place.user == LtiAccount.objects.get(subject="ada").user


def test_of_two_first_launches_at_once_the_second_takes_nobody_away(ada, assignment):
    with scope(organization=assignment.organization):
        ada.launch()
        second = LtiLaunch.objects.select_related("registration__organization").get()
        ada.arrive()
        with pytest.raises(LaunchRefused, match="was used already"):
            create_account(launch=second, name="", email="")
        assert LtiAccount.objects.get().user == User.objects.get()


@pytest.mark.parametrize("way", ["off", "parted", "deleted", "signed in"])
def test_a_session_ends_with_what_opened_it(ada, assignment, way):
    ada.custom = linked_to(assignment)
    ada.arrive()
    assert ada.client.get(page_of(assignment)).status_code == 200
    if way == "signed in":  # by themselves: then the platform has no part in it
        ada.client.force_login(User.objects.get())
    with scope(organization=assignment.organization):
        if way == "parted":
            LtiAccount.objects.update(ended_at="2026-11-01T00:00Z")
        elif way == "deleted":
            ada.registration.delete()
        else:
            LtiRegistration.objects.update(active=False)
    answer = ada.client.get(page_of(assignment))
    assert answer.status_code == (200 if way == "signed in" else 302)


def test_an_address_that_another_account_has_on_the_roster_is_refused(ada, assignment):
    taken = student(assignment.cohort)
    ada.email = taken.email
    ada.custom = linked_to(assignment)
    assert "launch_taken" in ada.arrive().text


def test_a_person_without_an_address_types_one_but_not_a_classmates(ada, assignment):
    waiting = EnrollmentFactory.create(cohort=assignment.cohort, email="bob@example.org")
    ada.email, ada.custom = "", linked_to(assignment)
    answer = ada.launch()
    typed = {"do": "create", "email": "bob@example.org"}
    assert "is known here already" in ada.client.post(answer["Location"], typed).text
    typed["email"] = "ada@home.example"
    assert ada.client.post(answer["Location"], typed).status_code == 302
    with scope(organization=assignment.organization):
        waiting.refresh_from_db()
        assert waiting.user is None
        assert Enrollment.objects.exclude(pk=waiting.pk).get().email == "ada@home.example"


@pytest.mark.parametrize(
    ("roles", "teacher_role", "role"),
    [
        ([TEACHER], "instructor", "instructor"),
        ([TEACHER], "assistant", "assistant"),
        ([TEACHER], "", None),
        ([TEACHER, ASSISTANT], "instructor", "assistant"),
        ([LEARNER], "instructor", "student"),
        (
            ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"],
            "instructor",
            None,
        ),
        (["http://purl.imsglobal.org/vocab/lis/v2/system/person#SysAdmin"], "instructor", None),
        ([], "instructor", None),
    ],
)
def test_a_newcomer_gets_the_role_that_platform_and_owner_say(
    ada, assignment, registration, roles, teacher_role, role
):
    with scope(organization=registration.organization):
        LtiRegistration.objects.update(teacher_role=teacher_role)
    ada.roles = roles
    answer = ada.arrive()
    with scope(organization=registration.organization):
        role_values = list(Membership.objects.values_list("role", flat=True))
    assert (role_values, "launch_role" in answer.text) == ([role] if role else [], role is None)
    assert User.objects.count() == len(role_values)


def test_no_launch_raises_a_member(ada, assignment, registration):
    user = MembershipFactory.create(organization=registration.organization).user
    LtiAccountFactory.create(registration=registration, subject="ada", user=user)
    ada.roles = [TEACHER]
    ada.enter()
    with scope(organization=registration.organization):
        assert Membership.objects.get(user=user).role == Role.STUDENT
        assert Enrollment.objects.count() == 0


def test_staff_who_are_students_there_get_no_place(ada, assignment, registration):
    user = staff_user(registration.organization)
    LtiAccountFactory.create(registration=registration, subject="ada", user=user)
    ada.custom = linked_to(assignment)
    assert ada.enter()["Location"] == page_of(assignment)
    with scope(organization=registration.organization):
        assert Enrollment.objects.count() == 0


def test_a_deactivated_account_opens_nothing(ada, assignment, registration):
    user = MembershipFactory.create(organization=registration.organization).user
    LtiAccountFactory.create(registration=registration, subject="ada", user=user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert "launch_deactivated" in ada.enter().text


def test_a_copied_course_does_not_lead_into_the_first_ones_cohort(ada, assignment):
    ada.custom, ada.course, ada.link = linked_to(assignment), "copy", "link-of-the-copy"
    assert "launch_course" in ada.arrive().text
    with scope(organization=assignment.organization):
        assert (Enrollment.objects.count(), LtiResourceLink.objects.count()) == (0, 0)


def test_several_courses_lead_to_one_cohort_and_one_to_several(ada, assignment, registration):
    with scope(organization=registration.organization):
        deployment = registration.deployments.get()
    second = LtiContextFactory.create(deployment=deployment, context_id="course-2")
    LtiCourseLinkFactory.create(cohort=assignment.cohort, context=second)
    other = AssignmentFactory.create(
        cohort=CohortFactory.create(organization=registration.organization), slug="other"
    )
    LtiCourseLinkFactory.create(cohort=other.cohort, context=second)
    ada.course, ada.custom = "course-2", linked_to(assignment)
    assert ada.arrive()["Location"] == page_of(assignment)
    bob = Traveller(
        registration, ada.platform, subject="bob", email="bob@example.org", course="course-2"
    )
    bob.custom, bob.link = linked_to(other), "link-2"
    assert bob.arrive()["Location"] == page_of(other)
    with scope(organization=registration.organization):
        places = Enrollment.objects.order_by("email").values_list("email", "cohort")
        assert list(places) == [
            ("ada@example.org", assignment.cohort.pk),
            ("bob@example.org", other.cohort.pk),
        ]


def test_a_message_without_the_browsers_cookie_asks_its_person(ada, assignment):
    """Otherwise anybody could sign others in as themselves, and read what they submit."""
    ada.arrive()
    preflight = Traveller(ada.registration, ada.platform).preflight()
    elsewhere = Traveller(ada.registration, ada.platform)
    message = ada.platform.signed(ada.claims(preflight))
    answer = elsewhere.send(preflight["state"], message)
    page = elsewhere.client.get(answer["Location"])
    assert ("Yes, continue" in page.text, "_auth_user_id" in elsewhere.client.session) == (
        True,
        False,
    )
    # Nor can the page be opened in the browser that began.
    assert "launch_browser" in Client().get(answer["Location"]).text
    assert elsewhere.client.post(answer["Location"]).status_code == 302
    assert "_auth_user_id" in elsewhere.client.session


def test_a_launch_lets_in_once(ada, assignment):
    ada.arrive()
    answer = ada.launch()
    assert ada.client.get(answer["Location"]).status_code == 302
    del ada.client.cookies["sessionid"]
    assert "launch_used" in ada.client.get(answer["Location"]).text


def test_a_login_in_a_frame_opens_a_new_window(ada):
    response = ada.login(**{"Sec-Fetch-Dest": "iframe"})
    policy = response["Content-Security-Policy"]
    assert (response.status_code, 'target="_blank"' in response.content.decode()) == (200, True)
    assert "frame-ancestors *" in policy
    assert ("X-Frame-Options" in response, "launch_browser" in response.cookies) == (False, False)
    with scope(organization=ada.registration.organization):
        assert LtiLaunch.objects.count() == 0


class TestBorder:
    """A platform's word counts in its own organization alone."""

    @pytest.fixture
    def inside(self, ada: Traveller, assignment: Any, registration: LtiRegistration) -> Traveller:
        """Somebody who teaches in two institutions, and comes from a platform of the first."""
        user = staff_user(registration.organization)
        self.theirs = CohortFactory.create()
        MembershipFactory.create(organization=self.theirs.organization, user=user, role=Role.OWNER)
        User.objects.filter(pk=user.pk).update(is_staff=True)
        LtiAccountFactory.create(registration=registration, subject="ada", user=user)
        ada.custom = linked_to(assignment)
        assert ada.enter()["Location"] == page_of(assignment)
        self.user, self.own = user, page_of(assignment)
        return ada

    def test_its_own_pages_open_and_all_others_ask_to_sign_in(self, inside):
        assert inside.client.get(self.own).status_code == 200
        foreign = reverse("organization", args=[self.theirs.organization.slug])
        for path in (foreign, "/admin/", "/accounts/email/", "/accounts/tokens/", "/invitations/"):
            answer = inside.client.get(path)
            assert (path, answer.status_code, "/login/" in answer["Location"]) == (path, 302, True)
        assert self.theirs.organization.name not in inside.client.get("/").text
        assert inside.client.get("/api/v1/organizations/").status_code == 401

    def test_signing_in_by_themselves_opens_everything(self, inside):
        inside.client.post("/accounts/login/", {"login": self.user.email, "password": PASSWORD})
        foreign = reverse("organization", args=[self.theirs.organization.slug])
        assert inside.client.get(foreign).status_code == 200
        assert inside.client.get(self.own).status_code == 200

    def test_a_second_platform_does_not_take_the_account_over(self, inside, platform):
        """A session of the first institution agrees to nothing for the second one."""
        theirs = LtiRegistrationFactory.create(
            **platform.names, client_id="client-2", organization=self.theirs.organization
        )
        bob = Traveller(theirs, platform, subject="bob", client=inside.client)
        LtiContextFactory.create(deployment__registration=theirs, deployment__deployment_id="1")
        answer = bob.launch()
        assert "Connect this account" not in bob.client.get(answer["Location"]).text
        bob.client.post(answer["Location"], {"do": "connect"})
        with scope(organization=self.theirs.organization):
            assert LtiAccount.objects.count() == 0


def test_who_has_no_password_sets_one_by_a_letter_and_not_in_a_launch_session(ada, assignment):
    """What a platform's session added to an account would open other organizations later."""
    ada.arrive()
    for page in ("email/", "tokens/", "password/set/", "2fa/", "times/"):
        answer = ada.client.get(f"/accounts/{page}")
        assert (page, answer.status_code, "/login/" in answer["Location"]) == (page, 302, True)
    ada.client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    (letter,) = mail.outbox
    assert (letter.to, "/accounts/password/reset/key/" in str(letter.body)) == (
        ["ada@example.org"],
        True,
    )


def test_a_message_without_the_browsers_cookie_connects_no_account(ada, assignment):
    """Another person's page sent it here: connected, it would open the visitor's account to them."""
    preflight = ada.preflight()
    message = ada.platform.signed(ada.claims(preflight))
    victim = Traveller(ada.registration, ada.platform)
    victim.client.force_login(UserFactory.create())
    entry = victim.send(preflight["state"], message)["Location"]
    page = victim.client.get(entry)
    assert ("Connect this account" in page.text, "kept no cookie" in page.text) == (False, True)
    victim.client.post(entry, {"do": "connect"})
    with scope(organization=ada.registration.organization):
        assert LtiAccount.objects.count() == 0


def test_deleting_a_registration_leaves_people_and_work(ada, assignment, registration):
    ada.custom = linked_to(assignment)
    ada.arrive()
    with scope(organization=registration.organization):
        registration.delete()
        assert (LtiAccount.objects.count(), LtiCourseLink.objects.count()) == (0, 0)
        assert Enrollment.objects.get().user == User.objects.get()


def test_an_ended_role_is_not_given_back_by_a_launch(ada, assignment, registration):
    ada.roles = [TEACHER]
    ada.arrive()
    user = User.objects.get()
    with scope(organization=registration.organization):
        Membership.objects.filter(user=user).delete()
    assert "launch_role" in ada.enter().text
    # Nor by parting the account and connecting it anew.
    with scope(organization=registration.organization):
        LtiAccount.objects.update(ended_at="2026-11-01T00:00Z")
    assert "launch_role" in ada.arrive().text
    # But who takes the course as a student may come back.
    ada.roles = [LEARNER]
    assert ada.arrive().status_code == 302
    with scope(organization=registration.organization):
        assert Membership.objects.get().role == Role.STUDENT


def test_a_person_parts_their_account_and_comes_back_by_agreeing_again(
    ada, assignment, registration
):
    ada.arrive()
    page = f"/o/{registration.organization.slug}/connections/"
    with scope(organization=registration.organization):
        account = LtiAccount.objects.get()
    assert "Moodle" in ada.client.get(page).text
    classmate = Traveller(registration, ada.platform, subject="bob", email="bob@example.org")
    classmate.arrive()
    assert classmate.client.post(page, {"account": account.pk}).status_code == 404
    assert classmate.client.post(page, {"account": "9" * 5000}).status_code == 200
    assert ada.client.post(page, {"account": account.pk}).status_code == 302
    again = Traveller(registration, ada.platform)
    assert "You have an account here" in again.enter().text
    again.client.force_login(account.user)
    answer = again.launch()
    assert again.client.post(answer["Location"], {"do": "connect"}).status_code == 302
    with scope(organization=registration.organization):
        account.refresh_from_db()
        assert (account.ended_at, LtiAccount.objects.count()) == (None, 2)


def test_a_parted_course_leads_nowhere_and_takes_nothing_away(ada, assignment, registration):
    ada.custom = linked_to(assignment)
    ada.arrive()
    teacher = Client()
    teacher.force_login(staff_user(registration.organization))
    page = f"/o/{registration.organization.slug}/c/autumn/platforms/"
    with scope(organization=registration.organization):
        link = LtiCourseLink.objects.get()
    assert "Software engineering" in teacher.get(page).text
    assert teacher.post(page, {"link": link.pk}).status_code == 302
    assert "launch_course" in ada.enter().text
    with scope(organization=registration.organization):
        assert (Enrollment.objects.count(), LtiResourceLink.objects.count()) == (1, 0)


def test_half_a_character_in_a_name_is_left_out(ada, assignment):
    """JSON can hold one, and no text of PostgreSQL can."""
    ada.custom = linked_to(assignment)
    answer = ada.arrive(change=lambda claims: claims.update(name="Ada \ud800L."))
    assert answer.status_code == 302
    with scope(organization=assignment.organization):
        assert Enrollment.objects.get().name == "Ada L."


def test_a_student_without_any_address_is_asked_for_one(ada, assignment, registration):
    user = MembershipFactory.create(organization=registration.organization, email="").user
    LtiAccountFactory.create(registration=registration, subject="ada", user=user)
    EmailAddress.objects.filter(user=user).delete()
    User.objects.filter(pk=user.pk).update(email="")
    ada.email, ada.custom = "", linked_to(assignment)
    assert "launch_address" in ada.enter().text
