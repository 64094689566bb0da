"""Pages about a platform's services: the roster with its preview, and grades with their outcome."""

from __future__ import annotations

from typing import Any

import pytest
from django_scopes import scope

from grading.core.enums import Role, ScoreState
from grading.lti.score_deliveries import send_due_scores
from grading.models import Activity, Enrollment, LtiCourseLink, LtiScore
from tests.factories.grade_works import attempt, judged, release
from tests.factories.graded_work import signed_in
from tests.factories.lti import LtiAccountFactory, LtiMemberFactory
from tests.factories.lti_services import CourseThere, somebody
from tests.factories.people import staff_user, student
from tests.factories.work import AssignmentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def teacher(link: LtiCourseLink) -> Any:
    return staff_user(link.cohort.organization)


def roster_page(link: LtiCourseLink) -> str:
    return f"/o/{link.cohort.organization.slug}/c/{link.cohort.slug}/platforms/{link.pk}/"


def test_a_preview_saves_nothing_and_its_confirmation_imports_it(
    link: LtiCourseLink, course: CourseThere, teacher: Any
) -> None:
    course.people = [somebody("ada"), somebody("bob", email=None)]
    client, page = signed_in(teacher), roster_page(link)
    preview = client.post(page, {"do": "preview"})
    text = preview.content.decode()
    assert [
        words in text for words in ("ada@school.example", "first launch", "Import</button>")
    ] == [
        True,
        True,
        True,
    ]
    with scope(organization=link.organization):
        assert Enrollment.objects.count() == 0
    sent = {"do": "import", "fingerprint": preview.context["plan"].fingerprint}
    course.people.append(somebody("eve"))
    changed = client.post(page, sent)
    assert "changed since this preview" in changed.content.decode()
    sent["fingerprint"] = changed.context["plan"].fingerprint
    assert client.post(page, sent).status_code == 302
    with scope(organization=link.organization):
        assert set(Enrollment.objects.values_list("email", flat=True)) == {
            "ada@school.example",
            "eve@school.example",
        }
        assert Activity.objects.get(verb="platform.roster_imported").actor == teacher
    page_now = client.get(page).content.decode()
    assert ("not opened yet" in page_now, "Not imported yet" in page_now) == (True, False)


def test_a_platform_that_refuses_the_list_is_quoted(
    link: LtiCourseLink, course: CourseThere, teacher: Any
) -> None:
    course.server.answers["/course/members"] = (403, {"error": "no"})
    response = signed_in(teacher).post(roster_page(link), {"do": "preview"})
    assert "answered 403" in response.content.decode()


def test_settings_are_kept_and_logged(link: LtiCourseLink, teacher: Any) -> None:
    client, page = signed_in(teacher), roster_page(link)
    assert client.post(page, {"do": "settings", "nightly": "on"}).status_code == 302
    with scope(organization=link.organization):
        row = LtiCourseLink.objects.get()
        assert (row.sends_grades, row.roster_next_at is None) == (False, False)
        detail = Activity.objects.get(verb="platform.course_changed").detail
    assert (detail["roster"], detail["grades"]) == ("every night", "by click")


def test_each_grade_has_its_outcome_and_is_sent_again(
    link: LtiCourseLink, course: CourseThere, teacher: Any, django_assert_max_num_queries: Any
) -> None:
    organization = link.cohort.organization
    with scope(organization=organization):
        assignment = AssignmentFactory.create(cohort=link.cohort)
        LtiCourseLink.objects.update(sends_grades=False)
        for name in ("ada", "bob"):
            person = student(link.cohort, name=name.title())
            judged(attempt(assignment, person), 5, 4)
            if name == "ada":
                course.people = [somebody(name)]
                LtiAccountFactory.create(
                    registration=link.context.registration, subject=name, user=person.user
                )
                LtiMemberFactory.create(course_link=link, subject=name, enrollment=person)
        release(assignment, teacher)
    client = signed_in(teacher)
    page = f"/o/{organization.slug}/c/{link.cohort.slug}/a/{assignment.slug}/gradebooks/"
    before = client.get(page).content.decode()
    assert ("In no connected course" in before, "not looked for yet" in before) == (True, True)
    assert client.post(page, {"do": "send"}).status_code == 302
    send_due_scores(organization_id=organization.pk)
    with scope(organization=organization):
        score = LtiScore.objects.get()
        assert (score.state, course.score_of("made-0", "ada")) == (ScoreState.SENT, 90)
        assert Activity.objects.get(verb="platform.grades_queued").detail == {"number": 1}
    course.overridden.add("ada")
    assert client.post(page, {"do": "send", "student": str(score.student_id)}).status_code == 302
    send_due_scores(organization_id=organization.pk)
    after = client.get(page).content.decode()
    assert ("A teacher&#x27;s score stands there" in after, "answered 400: []" in after) == (
        True,
        True,
    )
    assistant = signed_in(staff_user(organization, Role.ASSISTANT))
    assert "Send again" not in assistant.get(page).content.decode()
    assert client.post(page, {"do": "send", "student": "x"}).status_code == 404
