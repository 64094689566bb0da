"""Every page answers, says what it should to whom it should, and asks the database as often for 30
rows as for 3.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from grading.core.enums import Role
from grading.models import Assignment, Audit, Cohort, Enrollment
from grading.operations import healthz
from tests.factories.graded_work import page_of, signed_in
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    UserFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.work import AuditFactory, SubmissionFactory
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db


def test_visitor_sees_the_landing_page(client: Client) -> None:
    answer = client.get("/")
    assert (answer.status_code, next(t.name for t in answer.templates)) == (
        200,
        "dashboard/landing.html",
    )


def test_member_sees_assignments_and_latest_audits(audit: Audit, ada: Enrollment) -> None:
    answer = signed_in(ada.user).get("/")
    course = answer.context["student"].current[0]
    rows = [(line.assignment.title, line.closed, line.latest.audit) for line in course.lines]
    assert rows == [("The auditor", None, audit)]


def test_user_without_a_cohort_is_told_how_to_join() -> None:
    user = UserFactory.create()
    assert f"{user.email} is not enrolled anywhere yet" in signed_in(user).get("/").content.decode()


def test_impossible_organization_address_is_not_found(ada: Enrollment) -> None:
    assert [
        signed_in(ada.user).get(path).status_code for path in ("/o/%00/", "/o/a%0Ab/", "/o/é/")
    ] == [404] * 3


def test_staff_see_the_cohort_and_students_their_own_attempts(
    audit: Audit, ada: Enrollment
) -> None:
    assignment = audit.submission.assignment
    grace = student(assignment.cohort, name="Grace")
    teacher = staff_user(assignment.organization)
    standings = signed_in(teacher).get(page_of(assignment, "assignment")).context["standings"]
    assert [(s.student.name, s.audit.pk if s.audit else None) for s in standings] == [
        ("Ada", audit.pk),
        ("Grace", None),
    ]
    assert signed_in(grace.user).get(page_of(assignment, "assignment")).context["attempts"] == []


def test_instructor_creates_a_cohort_with_roster_and_assignment() -> None:
    membership = MembershipFactory.create(role=Role.OWNER)
    client, org = signed_in(membership.user), membership.organization.slug
    cohort = {"name": "Autumn 2026", "time_zone": "Europe/Berlin"}
    opened = client.post(reverse("cohort-new", args=[org]), cohort)
    assert opened.headers["Location"] == f"/o/{org}/c/autumn-2026/people/"
    roster = SimpleUploadedFile("roster.csv", b"email,name\nada@example.org,Ada\n")
    address = f"/o/{org}/c/autumn-2026/roster/"
    preview = client.post(address, {"roster": roster})
    confirmed = client.post(address, preview.context["confirm"].initial, follow=True)
    assert "Imported: 1 new, 0 changed, 0 unchanged." in confirmed.content.decode()
    response = client.post(
        f"/o/{org}/c/autumn-2026/a/new/",
        {
            "title": "Week 2",
            "rubric": "shipped:self_audit",
            "late_policy": "refuse",
            "team_formation": "none",
            "team_size_max": "3",
            "max_attempts": "3",
            "counting_policy": "latest",
            "bench": "heuristic",
            "release_policy": "after_release",
            "appeal_days": "10",
            "max_appeals": "1",
        },
    )
    assert response.headers["Location"] == f"/o/{org}/c/autumn-2026/a/week-2/"


def test_taken_name_is_reported_at_its_field_and_input_is_kept() -> None:
    cohort = CohortFactory.create(slug="autumn")
    client = signed_in(staff_user(cohort.organization))
    form = client.post(
        reverse("cohort-new", args=[cohort.organization.slug]),
        {"name": "Autumn", "time_zone": "UTC"},
    ).context["form"]
    assert form.errors == {"slug": ["This organization already has a cohort called “autumn”."]}
    assert form["name"].value() == "Autumn"


def test_instructions_are_markdown_without_html_or_images(
    ada: Enrollment, assignment: Assignment
) -> None:
    text = "**Hand in** <script>alert(1)</script> ![x](https://elsewhere.example/x.png) [go](javascript:alert(1))"
    with everywhere():
        Assignment.objects.filter(pk=assignment.pk).update(instructions=text)
    page = signed_in(ada.user).get(page_of(assignment, "assignment")).content.decode()
    assert "<strong>Hand in</strong>" in page
    assert [
        bad
        for bad in ("<script>alert", 'elsewhere.example/x.png"', 'href="javascript')
        if bad in page
    ] == []


def _fill(assignment: Assignment, number: int) -> None:
    for _ in range(number):
        enrolled = EnrollmentFactory.create(cohort=assignment.cohort)
        AuditFactory.create(
            submission=SubmissionFactory.create(assignment=assignment, student=enrolled)
        )


def _queries(client: Client, address: str, counter: Any) -> int:
    with counter() as captured:
        assert client.get(address).status_code == 200
    return len(captured)


@pytest.mark.parametrize("page", ["organization", "cohort", "people", "assignment"])
def test_lists_need_the_same_queries_for_thirty_students_as_for_three(
    page: str, assignment: Assignment, django_assert_max_num_queries: Any
) -> None:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse(
        page, args=slugs[: {"organization": 1, "cohort": 2, "people": 2, "assignment": 3}[page]]
    )
    client, counter = (
        signed_in(staff_user(assignment.organization)),
        partial(django_assert_max_num_queries, 40),
    )
    _fill(assignment, 3)
    with_three = _queries(client, address, counter)
    _fill(assignment, 27)
    assert _queries(client, address, counter) == with_three


def test_home_needs_the_same_queries_for_many_audits_as_for_one(
    ada: Enrollment, audit: Audit, django_assert_max_num_queries: Any
) -> None:
    client, counter = signed_in(ada.user), partial(django_assert_max_num_queries, 40)
    with_one = _queries(client, "/", counter)
    for attempt in (2, 3, 4):
        submission = SubmissionFactory.create(
            assignment=audit.submission.assignment, student=ada, attempt=attempt
        )
        AuditFactory.create(submission=submission)
    assert _queries(client, "/", counter) == with_one


def test_health_check_needs_no_sign_in(
    client: Client, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(healthz, "ANSWER_SECONDS", PATIENCE_SECONDS)
    assert client.get("/healthz").json() == {
        "database": True,
        "queue": True,
        "storage": True,
    }


@pytest.mark.parametrize("address", ["/nowhere/", "/o/nowhere/"])
def test_missing_page_uses_the_sites_layout(address: str) -> None:
    answer = signed_in(UserFactory.create()).get(address)
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


def test_every_cohort_page_lies_in_exactly_one_organization(
    assignment: Assignment, ada: Enrollment
) -> None:
    other: Cohort = CohortFactory.create(slug=assignment.cohort.slug)
    address = reverse("assignment", args=[other.organization.slug, other.slug, assignment.slug])
    assert signed_in(ada.user).get(address).status_code == 404
