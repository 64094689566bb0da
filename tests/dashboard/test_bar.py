"""The bar of an organization's pages: courses, assignments, what waits, and the present place."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from grading.core.enums import Role
from grading.models import Assignment, Enrollment
from tests.factories.graded_work import page_of, signed_in
from tests.factories.grades import AppealFactory
from tests.factories.peers import ComplaintFactory
from tests.factories.people import CohortFactory, MembershipFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(title="The auditor")
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort)


def bar_on(client: Client, address: str) -> Any:
    answer = client.get(address)
    assert (answer.status_code, faults_of(answer.content.decode())) == (200, [])
    return answer.context["bar"]


def labels(places: Any) -> list[tuple[str, str]]:
    return [(place.label, place.current) for place in places]


def test_page_itself_and_the_course_above_it_are_marked(
    assignment: Assignment, ada: Enrollment
) -> None:
    other = AssignmentFactory.create(cohort=assignment.cohort, title="Warm-up")
    CohortFactory.create(organization=assignment.organization, name="Not hers")
    bar = bar_on(signed_in(ada.user), page_of(assignment, "assignment"))
    assert (labels(bar.courses), bar.course) == (
        [(assignment.cohort.name, "true")],
        assignment.cohort.name,
    )
    assert sorted(labels(bar.assignments)) == [("The auditor", "page"), (other.title, "")]


def test_report_is_in_the_course_of_its_assignment(assignment: Assignment, ada: Enrollment) -> None:
    audit = AuditFactory.create(submission__assignment=assignment, submission__student=ada)
    bar = bar_on(signed_in(ada.user), f"/o/{assignment.organization.slug}/audits/{audit.pk}/")
    assert labels(bar.assignments) == [("The auditor", "true")]


def test_staff_see_every_course_and_what_waits_for_them(assignment: Assignment) -> None:
    CohortFactory.create(organization=assignment.organization, name="Another")
    AppealFactory.create(submission__assignment=assignment)
    ComplaintFactory.create(organization=assignment.organization)
    AppealFactory.create()
    bar = bar_on(
        signed_in(staff_user(assignment.organization, Role.ASSISTANT)),
        f"/o/{assignment.organization.slug}/",
    )
    assert sorted(labels(bar.courses)) == sorted([(assignment.cohort.name, ""), ("Another", "")])
    assert (labels(bar.assignments), labels(bar.attention)) == (
        [],
        [("1 appeal", ""), ("1 report of abuse", "")],
    )


def test_student_is_told_what_is_due_until_it_is_handed_in(
    assignment: Assignment, ada: Enrollment
) -> None:
    past = timezone.now() - timedelta(days=1)
    AssignmentFactory.create(cohort=assignment.cohort, due_at=past, opens_at=None)
    client, page = signed_in(ada.user), f"/o/{assignment.organization.slug}/"
    bar = bar_on(client, page)
    assert (labels(bar.attention), bar.search) == ([("1 due", "")], None)
    SubmissionFactory.create(assignment=assignment, student=ada)
    assert labels(bar_on(client, page).attention) == []


def test_error_pages_have_no_bar(assignment: Assignment, ada: Enrollment) -> None:
    answer = signed_in(ada.user).get(f"/o/{assignment.organization.slug}/c/missing/")
    page = answer.content.decode()
    assert (answer.status_code, 'aria-label="Main"' in page) == (404, False)


def test_visitors_have_no_bar_and_no_query(client: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        answer = client.get("/")
    assert (len(queries), 'aria-label="Main"' in answer.content.decode()) == (0, False)


def test_bar_costs_one_query_however_many_courses(assignment: Assignment) -> None:
    client = signed_in(staff_user(assignment.organization, Role.OWNER))
    address = page_of(assignment, "assignment")

    def queries_of_the_bar() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        return sum("here__slug" in query["sql"] for query in queries)

    few = queries_of_the_bar()
    for cohort in CohortFactory.create_batch(5, organization=assignment.organization):
        AssignmentFactory.create(cohort=cohort)
    assert (few, queries_of_the_bar()) == (1, 1)


def test_member_of_two_organizations_sees_only_the_courses_of_this_one(ada: Enrollment) -> None:
    elsewhere = AssignmentFactory.create().cohort
    MembershipFactory.create(user=ada.user, organization=elsewhere.organization)
    bar = bar_on(signed_in(ada.user), f"/o/{ada.organization.slug}/")
    assert [place.label for place in bar.courses] == [ada.cohort.name]


def test_brand_is_the_present_place_on_home(ada: Enrollment) -> None:
    page = signed_in(ada.user).get("/").content.decode()
    assert re.search(r'class="brand" href="/" aria-current="page"', page)
