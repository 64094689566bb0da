"""The people of a platform's course as a cohort's roster: who gets a place, and who is only marked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_rq import get_queue
from django_scopes import scope

from grading import jobs
from grading.core.enums import Role
from grading.core.errors import PlatformFailed, PlatformRefused
from grading.courses.queries import roster_lines
from grading.lti.memberships import read_members
from grading.lti.nightly_rosters import change_course_link, import_due_rosters, next_night
from grading.lti.rosters import RosterPlan, import_roster, plan_roster
from grading.models import (
    Activity,
    Cohort,
    Enrollment,
    Invitation,
    LtiAccount,
    LtiCourseLink,
    LtiMember,
    LtiRegistration,
)
from tests.factories.lti import LtiAccountFactory, LtiContextFactory, LtiCourseLinkFactory
from tests.factories.lti_services import TEACHER, CourseThere, somebody
from tests.factories.people import EnrollmentFactory, MembershipFactory, staff_user, student
from tests.lti.traveller import Traveller
from tests.waiting import just_past

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def inside(registration: LtiRegistration) -> Iterator[None]:
    with scope(organization=registration.organization):
        yield


def states(plan: RosterPlan) -> dict[str, str]:
    return {row.person.subject: row.state for row in plan.people}


def planned(link: LtiCourseLink) -> RosterPlan:
    return plan_roster(link=link, people=read_members(link.context, seconds=20))


def imported(link: LtiCourseLink, **options: Any) -> RosterPlan:
    people = read_members(link.context, seconds=20)
    return import_roster(link=link, people=people, by=None, **options)


def test_all_pages_are_read_and_only_who_is_active(link, course):
    course.page_size = 2
    course.people = [somebody(f"person-{number}") for number in range(5)]
    course.people[4]["roles"] = ["\ud800", "a\x00b", 7, TEACHER]
    course.people[3]["status"] = "Inactive"
    people = read_members(link.context, seconds=20)
    assert [person.subject for person in people] == ["person-0", "person-1", "person-2", "person-4"]
    assert (people[3].roles, people[3].role) == (("", "ab", TEACHER), "teacher")
    first, *_others = requests = course.server.asked("/course/members")
    assert (len(requests), "limit=200" in first.path) == (3, True)
    assert first.headers["Accept"] == "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
    (token,) = course.server.asked("/token")
    assert token.form["scope"].endswith("/contextmembership.readonly")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((200, []), "platform_unreadable"),
        ((200, {"members": [{"roles": []}]}), "platform_unreadable"),
        (
            (200, {"members": []}, {"Link": '<http://127.0.0.1:1/steal>; rel="next"'}),
            "platform_unreadable",
        ),
        ((200, {"members": []}, {"Link": "<{}>; rel=next"}), "roster_too_long"),
        ((200, {"members": [{"user_id": str(n)} for n in range(5001)]}), "roster_too_long"),
        ((500, b"down"), "platform_refuses"),
    ],
)
def test_a_list_that_cannot_be_trusted_is_refused(link, course, answer, code):
    status, content, *headers = answer
    if headers:
        # A page that leads to itself.
        headers = [{"Link": headers[0]["Link"].replace("{}", course.members_url)}]
    course.server.answers["/course/members"] = (status, content, *headers)
    with pytest.raises(PlatformFailed) as failure:
        read_members(link.context, seconds=20)
    assert failure.value.code == code


def test_a_platform_without_the_service_or_a_slow_one_is_refused(link, course):
    with pytest.raises(PlatformFailed, match="took too long"):
        read_members(link.context, seconds=-1)
    link.context.memberships_url = "http://["
    with pytest.raises(PlatformFailed, match="no web address"):
        read_members(link.context, seconds=20)
    link.context.memberships_url = ""
    with pytest.raises(PlatformFailed, match="Names and Roles"):
        read_members(link.context, seconds=20)
    assert course.server.asked("/course/members") == []


def test_new_people_get_places_that_wait_and_staff_get_none(link, course):
    course.people = [somebody("ada"), somebody("eve", roles=[TEACHER]), somebody("joe", email=None)]
    assert states(planned(link)) == {"ada": "new", "eve": "staff", "joe": "waiting"}
    assert Enrollment.objects.count() == 0
    imported(link)
    place = Enrollment.objects.get()
    assert (place.email, place.name, place.user) == ("ada@school.example", "Ada", None)
    members = LtiMember.objects.order_by("subject").values_list("subject", "enrollment", "left_at")
    assert list(members) == [("ada", place.pk, None), ("eve", None, None), ("joe", None, None)]
    assert Invitation.objects.count() == 0
    assert (states(planned(link))["ada"], LtiCourseLink.objects.get().roster_at is None) == (
        "here",
        False,
    )


def test_letters_invite_the_new(link, course):
    course.people = [somebody("ada")]
    imported(link, letters=True)
    assert Invitation.objects.get().email == "ada@school.example"


def test_an_address_makes_nobody_the_holder_of_an_account(link, course):
    taken = student(link.cohort, name="Ada")
    Enrollment.objects.update(email="ada@school.example")
    course.people = [somebody("ada")]
    assert states(imported(link)) == {"ada": "consent"}
    assert LtiMember.objects.get().enrollment is None
    assert Enrollment.objects.get().user == taken.user


def test_a_place_that_waits_for_the_address_is_theirs_and_gets_the_name(link, course):
    waiting = EnrollmentFactory.create(cohort=link.cohort, email="Ada@School.example", user=None)
    course.people = [somebody("ada")]
    (row,) = imported(link).people
    assert (row.state, row.changes) == ("changed", (("name", waiting.name, "Ada"),))
    assert LtiMember.objects.get().enrollment == waiting
    # A name that staff change here stays until it changes there.
    Enrollment.objects.update(name="Augusta Ada")
    assert states(imported(link)) == {"ada": "here"}
    course.people = [somebody("ada", name="Ada King")]
    imported(link)
    assert Enrollment.objects.get().name == "Ada King"


def test_a_connected_account_gets_its_place_whatever_the_address(link, course, registration):
    user = MembershipFactory.create(
        organization=registration.organization, role=Role.STUDENT, email="own@example.org"
    ).user
    LtiAccountFactory.create(registration=registration, subject="ada", user=user)
    course.people = [somebody("ada")]
    assert states(imported(link)) == {"ada": "new"}
    assert Enrollment.objects.get().user == user
    assert states(imported(link)) == {"ada": "here"}


def test_who_left_the_organization_or_is_staff_here_gets_no_place(link, course, registration):
    gone = LtiAccountFactory.create(registration=registration, subject="ada")
    staff = staff_user(registration.organization)
    LtiAccountFactory.create(registration=registration, subject="eve", user=staff)
    course.people = [somebody("ada"), somebody("eve")]
    assert states(imported(link)) == {"ada": "waiting", "eve": "staff"}
    assert (Enrollment.objects.count(), gone.user.enrollments.count()) == (0, 0)


def test_an_ended_connection_is_none(link, course, registration):
    user = MembershipFactory.create(organization=registration.organization, role=Role.STUDENT).user
    LtiAccountFactory.create(registration=registration, subject="ada", user=user)
    LtiAccount.objects.update(ended_at=timezone.now())
    course.people = [somebody("ada")]
    imported(link)
    assert Enrollment.objects.get().user is None


def test_two_people_with_one_address_get_one_place(link, course):
    course.people = [somebody("ada"), somebody("bob", email="ada@school.example")]
    assert states(imported(link)) == {"ada": "new", "bob": "consent"}


def test_whoever_takes_the_address_of_another_gets_their_place_neither_new_nor_later(link, course):
    EnrollmentFactory.create(cohort=link.cohort, email="ada@school.example", user=None)
    course.people = [somebody("ada"), somebody("bob", email="ada@school.example")]
    assert states(imported(link)) == {"ada": "changed", "bob": "consent"}
    # Listed first, too.
    course.people.reverse()
    assert states(imported(link)) == {"bob": "consent", "ada": "here"}
    places = dict(LtiMember.objects.values_list("subject", "enrollment"))
    assert places == {"ada": Enrollment.objects.get().pk, "bob": None}


def test_leavers_are_marked_and_keep_everything(link, course):
    course.people = [somebody("ada"), somebody("bob")]
    imported(link)
    course.people = [somebody("bob")]
    plan = imported(link)
    assert [member.subject for member in plan.left] == ["ada"]
    assert Enrollment.objects.count() == 2
    left = LtiMember.objects.get(subject="ada")
    marks = {line.student.name: line.has_left for line in roster_lines(link.cohort)}
    assert marks == {"Ada": True, "Bob": False}
    assert (left.left_at is None, left.enrollment is None) == (False, False)
    course.people = [somebody("ada"), somebody("bob")]
    (back, _bob) = imported(link).people
    assert back.changes == (("in the course", "left", "back"),)
    assert LtiMember.objects.get(subject="ada").left_at is None


def test_a_student_who_becomes_a_teacher_there_keeps_the_place(link, course):
    course.people = [somebody("ada")]
    imported(link)
    course.people = [somebody("ada", roles=[TEACHER])]
    (row,) = imported(link).people
    assert (row.state, row.changes) == ("staff", (("role there", "student", "teacher"),))
    assert LtiMember.objects.get().enrollment == Enrollment.objects.get()


def test_nothing_is_written_if_the_preview_is_out_of_date_or_the_list_is_empty(link, course):
    course.people = [somebody("ada")]
    preview = planned(link)
    course.people = [somebody("ada"), somebody("bob")]
    with pytest.raises(PlatformRefused) as refusal:
        imported(link, fingerprint=preview.fingerprint)
    assert (refusal.value.code, Enrollment.objects.count()) == ("roster_changed", 0)
    imported(link, fingerprint=planned(link).fingerprint)
    course.people = []
    with pytest.raises(PlatformRefused) as refusal:
        imported(link)
    assert refusal.value.code == "roster_empty"
    assert LtiMember.objects.filter(left_at=None).count() == 2


def test_a_roster_costs_the_same_queries_for_one_and_for_many(
    link, course, django_assert_num_queries
):
    course.people = [somebody("person-0")]
    first_read = read_members(link.context, seconds=20)
    all_members = [*first_read, *read_many(course, link)]
    with django_assert_num_queries(3):
        plan_roster(link=link, people=first_read)
    with django_assert_num_queries(3):
        plan_roster(link=link, people=all_members)


def read_many(course: CourseThere, link: LtiCourseLink) -> list[Any]:
    course.people = [somebody(f"person-{number}") for number in range(1, 4)]
    return read_members(link.context, seconds=20)


def test_the_first_launch_fills_the_place_that_the_list_made(link, course, registration, platform):
    course.people = [somebody("ada")]
    imported(link)
    traveller = Traveller(registration, platform, email="", name="", course=link.context.context_id)
    entry = traveller.launch()
    traveller.client.post(
        entry["Location"], {"do": "create", "name": "Ada", "email": "other@example.org"}
    )
    place = Enrollment.objects.get()
    assert (place.email, place.user) == ("ada@school.example", LtiAccount.objects.get().user)
    assert LtiMember.objects.get().enrollment == place


def test_a_launch_notes_whose_place_it_is_there(link, registration, platform):
    Traveller(registration, platform, course=link.context.context_id).arrive()
    member = LtiMember.objects.get()
    assert (member.subject, member.enrollment) == ("ada", Enrollment.objects.get())


def test_a_due_roster_is_imported_by_a_job_and_due_again_next_night(link, course, registration):
    course.people = [somebody("ada")]
    teacher = staff_user(registration.organization)
    change_course_link(link=link, nightly=True, sends_grades=True, by=teacher)
    assert import_due_rosters() == 0
    LtiCourseLink.objects.update(roster_next_at=timezone.now() - timedelta(minutes=1))
    queue = get_queue("bulk")
    queue.empty()
    assert (import_due_rosters(), import_due_rosters()) == (1, 0)
    (job,) = queue.jobs
    queue.empty()
    assert job.func_name == "grading.jobs.import_platform_roster"
    jobs.import_platform_roster(*job.args)
    assert Enrollment.objects.get().email == "ada@school.example"
    assert LtiCourseLink.objects.get().roster_next_at == next_night(link)
    assert Activity.objects.get(verb="platform.roster_imported").actor is None


def test_a_course_that_is_over_is_not_imported_any_more(link):
    Cohort.objects.update(ends_on=date(2020, 1, 1), starts_on=None)
    LtiCourseLink.objects.update(roster_next_at=just_past())
    assert (import_due_rosters(), LtiCourseLink.objects.get().roster_next_at) == (0, None)


def test_a_nightly_failure_is_kept_for_staff_until_it_works_again(link, course, registration):
    course.server.answers["/course/members"] = (503, b"down")
    jobs.import_platform_roster(registration.organization_id, link.pk)
    assert "answered 503: down" in LtiCourseLink.objects.get().roster_error
    course.server.answers.clear()
    jobs.import_platform_roster(registration.organization_id, link.pk)
    assert LtiCourseLink.objects.get().roster_error == ""


def test_two_courses_of_one_cohort_share_the_place_of_an_account(link, course, registration):
    user = MembershipFactory.create(organization=registration.organization, role=Role.STUDENT).user
    LtiAccountFactory.create(registration=registration, subject="ada", user=user)
    context = LtiContextFactory.create(
        deployment=link.context.deployment, memberships_url=course.members_url
    )
    course.people = [somebody("ada")]
    assert states(imported(link)) == {"ada": "new"}
    other = LtiCourseLinkFactory.create(cohort=link.cohort, context=context)
    assert states(imported(other)) == {"ada": "here"}
    assert Enrollment.objects.get().lti_members.count() == 2
