"""Every page answers, says what it should to whom it should, and asks the database as often for 30 rows as for 3."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from grading.enums import AuditState, Role
from grading.models import Assignment, Audit, Cohort, Enrollment
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    UserFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.site.report_example import report_json

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    cohort = CohortFactory.create(name="Autumn")
    made: Assignment = AssignmentFactory.create(cohort=cohort, title="The auditor", slug="auditor")
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    return student(assignment.cohort, name="Ada")


@pytest.fixture
def audit(assignment: Assignment, ada: Enrollment) -> Audit:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, resolved_commit="a" * 40)
    made: Audit = AuditFactory.create(
        submission=submission, done=True, report=report_json(), overall_score=3.2
    )
    return made


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page_of(assignment: Assignment, name: str = "assignment") -> str:
    return reverse(name, args=[assignment.organization.slug, assignment.cohort.slug, assignment.slug])


def page_of_audit(audit: Audit, name: str = "audit") -> str:
    return reverse(name, args=[audit.organization.slug, audit.pk])


def test_a_stranger_is_told_what_this_is_and_asked_nothing(client: Client) -> None:
    answer = client.get("/")
    assert (answer.status_code, next(t.name for t in answer.templates)) == (200, "landing.html")


def test_a_member_finds_what_to_hand_in_and_the_latest_audits(audit: Audit, ada: Enrollment) -> None:
    answer = signed_in(ada.user).get("/")
    course = answer.context["student"].current[0]
    told = [(line.assignment.title, line.closed, line.latest.audit) for line in course.lines]
    assert told == [("The auditor", None, audit)]


def test_somebody_without_a_cohort_is_told_how_to_get_into_one() -> None:
    user = UserFactory.create()
    assert f"Nobody has enrolled {user.email} yet" in signed_in(user).get("/").content.decode()


def test_the_report_says_score_reason_and_next_step(audit: Audit, ada: Enrollment) -> None:
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    for words in ("3.2 <small>of 5</small>", "Held down by", "What to do next", "No model was used"):
        assert words in page


def test_what_is_weak_throughout_is_not_said_to_be_held_up(assignment: Assignment, ada: Enrollment) -> None:
    report = report_json()
    for row in report["criteria"]:
        row["final_score"] = min(row["final_score"], 2)
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(submission=submission, done=True, report=report, overall_score=1.9)
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert ["Held up by" in page, "Held down by" in page] == [False, True]


def test_a_quoted_line_is_escaped_text_beside_its_number(audit: Audit, ada: Enrollment) -> None:
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert "<script>alert" not in page
    assert '<span class="no" aria-hidden="true">13</span>' in page


@pytest.mark.parametrize(
    ("status", "state", "words"),
    [
        ("needs_review", AuditState.NEEDS_REVIEW, "Needs review"),
        ("degraded", AuditState.DEGRADED, "Not judged"),
    ],
)
def test_without_a_verdict_the_headline_is_words_and_no_number(
    assignment: Assignment, ada: Enrollment, status: Any, state: AuditState, words: str
) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    report = report_json(status=status)
    audit = AuditFactory.create(
        submission=submission, done=True, state=state, report=report, overall_score=None
    )
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert f">{words}</p>" in page
    assert "<small>of 5</small>" not in page


@pytest.mark.parametrize(
    ("name", "content_type", "file"),
    [
        ("audit-json", "application/json; charset=utf-8", "the-auditor-attempt-1.json"),
        ("audit-markdown", "text/markdown; charset=utf-8", "the-auditor-attempt-1.md"),
    ],
)
def test_downloads_are_attachments_that_no_browser_shows(
    audit: Audit, ada: Enrollment, name: str, content_type: str, file: str
) -> None:
    answer = signed_in(ada.user).get(page_of_audit(audit, name))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == content_type
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{file}"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_downloaded_json_is_the_report_as_it_is_stored(audit: Audit, ada: Enrollment) -> None:
    assert signed_in(ada.user).get(page_of_audit(audit, "audit-json")).json() == audit.report


def test_a_report_from_before_a_fact_was_thought_of_is_still_read(
    assignment: Assignment, ada: Enrollment
) -> None:
    report = report_json()
    del report["facts"]["graph_shape"], report["facts"]["unknown"]["graph_shape"]
    submission = SubmissionFactory.create(assignment=assignment, student=ada)
    audit = AuditFactory.create(submission=submission, done=True, report=report)
    pages = ("audit", "audit-markdown", "audit-json")
    assert [signed_in(ada.user).get(page_of_audit(audit, page)).status_code for page in pages] == [200] * 3


def test_an_address_that_no_organization_can_have_is_no_page(ada: Enrollment) -> None:
    assert [signed_in(ada.user).get(path).status_code for path in ("/o/%00/", "/o/a%0Ab/", "/o/é/")] == [
        404
    ] * 3


def test_an_audit_without_a_report_has_no_downloads(assignment: Assignment, ada: Enrollment) -> None:
    audit = AuditFactory.create(submission=SubmissionFactory.create(assignment=assignment, student=ada))
    client = signed_in(ada.user)
    assert [
        client.get(page_of_audit(audit, name)).status_code for name in ("audit-json", "audit-markdown")
    ] == [404, 404]


def test_progress_tells_the_place_in_the_queue_and_is_silent_until_it_changes(
    assignment: Assignment, ada: Enrollment
) -> None:
    AuditFactory.create()
    audit = AuditFactory.create(submission=SubmissionFactory.create(assignment=assignment, student=ada))
    client = signed_in(ada.user)
    first = client.get(page_of_audit(audit, "audit-progress"))
    assert "Place 2 in the queue: 1 before you." in first.content.decode()
    again = client.get(
        page_of_audit(audit, "audit-progress"), headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_progress_of_an_ended_audit_loads_the_page_anew(audit: Audit, ada: Enrollment) -> None:
    answer = signed_in(ada.user).get(page_of_audit(audit, "audit-progress"))
    assert answer.headers["HX-Refresh"] == "true"
    assert "hx-trigger" not in answer.content.decode()


def test_progress_after_signing_out_loads_the_page_anew_which_leads_to_the_login(audit: Audit) -> None:
    address = page_of_audit(audit, "audit-progress")
    renewed = Client().get(address, headers={"HX-Request": "true"})
    assert (renewed.status_code, renewed.headers["HX-Refresh"], renewed.content) == (200, "true", b"")
    assert Client().get(address).status_code == 302


def test_without_javascript_the_progress_page_renews_itself(assignment: Assignment, ada: Enrollment) -> None:
    audit = AuditFactory.create(
        submission=SubmissionFactory.create(assignment=assignment, student=ada), running=True
    )
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page.partition("</head>")[0]


def test_a_failed_audit_says_why_and_opens_the_form_with_the_reason_beside_its_field(
    assignment: Assignment, ada: Enrollment
) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, counts=False)
    audit = AuditFactory.create(submission=submission, failed=True)
    client = signed_in(ada.user)
    page = client.get(page_of_audit(audit)).content.decode()
    assert "The repository has no commits." in page
    assert f'href="{page_of(assignment, "submit")}"' in page
    form = client.get(page_of(assignment, "submit")).context["form"]
    assert form["repo_url"].value() == submission.repo_url
    assert form.errors == {"repo_url": ["The repository has no commits."]}


def test_a_failed_audit_shows_the_step_at_which_it_stopped(assignment: Assignment, ada: Enrollment) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, counts=False)
    audit = AuditFactory.create(
        submission=submission,
        failed=True,
        stage="repo_investigator",
        started_at=datetime(2026, 11, 20, tzinfo=UTC),
    )
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert "The audit stopped at “Detectives look”: there is no verdict." in page
    assert re.findall(r'<li class="(past|now|stopped|ahead)"', page) == [
        *["past"] * 3, "stopped", *["ahead"] * 3,
    ]  # fmt: skip


def test_an_audit_that_no_worker_took_up_stopped_in_the_queue(
    assignment: Assignment, ada: Enrollment
) -> None:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, counts=False)
    audit = AuditFactory.create(submission=submission, failed=True)
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert "The audit stopped at “In the queue”" in page


def test_staff_see_the_whole_cohort_and_a_student_only_their_own_attempts(
    audit: Audit, ada: Enrollment
) -> None:
    assignment = audit.submission.assignment
    grace = student(assignment.cohort, name="Grace")
    teacher = staff_user(assignment.organization)
    standings = signed_in(teacher).get(page_of(assignment)).context["standings"]
    assert [(s.student.name, s.audit.pk if s.audit else None) for s in standings] == [
        ("Ada", audit.pk),
        ("Grace", None),
    ]
    assert signed_in(grace.user).get(page_of(assignment)).context["attempts"] == []


def test_an_instructor_opens_a_cohort_fills_it_and_asks_for_work() -> None:
    membership = MembershipFactory.create(role=Role.OWNER)
    client, org = signed_in(membership.user), membership.organization.slug
    opened = client.post(reverse("cohort-new", args=[org]), {"name": "Autumn 2026"})
    assert opened.headers["Location"] == f"/o/{org}/c/autumn-2026/roster/"
    from django.core.files.uploadedfile import SimpleUploadedFile

    roster = SimpleUploadedFile("roster.csv", b"email,name\nada@example.org,Ada\nnot an address,Bob\n")
    page = client.post(opened.headers["Location"], {"roster": roster}).content.decode()
    assert "1 new, 0 changed, 0 as before, 1 not taken" in page
    asked = client.post(
        f"/o/{org}/c/autumn-2026/a/new/",
        {
            "title": "Week 2",
            "rubric": "shipped:self_audit",
            "late_policy": "refuse",
            "max_attempts": "3",
            "bench": "heuristic",
            "release_policy": "after_release",
            "appeal_days": "10",
            "max_appeals": "1",
        },
    )
    assert asked.headers["Location"] == f"/o/{org}/c/autumn-2026/a/week-2/"


def test_a_taken_name_is_said_beside_its_field_and_nothing_typed_is_lost() -> None:
    cohort = CohortFactory.create(slug="autumn")
    client = signed_in(staff_user(cohort.organization))
    form = client.post(reverse("cohort-new", args=[cohort.organization.slug]), {"name": "Autumn"}).context[
        "form"
    ]
    assert form.errors == {"slug": ["This organization has a cohort called “autumn” already."]}
    assert form["name"].value() == "Autumn"


def test_instructions_are_markdown_without_html_or_images(ada: Enrollment, assignment: Assignment) -> None:
    text = "**Hand in** <script>alert(1)</script> ![x](https://elsewhere.example/x.png) [go](javascript:alert(1))"
    with everywhere():
        Assignment.objects.filter(pk=assignment.pk).update(instructions=text)
    page = signed_in(ada.user).get(page_of(assignment)).content.decode()
    assert "<strong>Hand in</strong>" in page
    assert [
        bad for bad in ("<script>alert", 'elsewhere.example/x.png"', 'href="javascript') if bad in page
    ] == []


def _fill(assignment: Assignment, many: int) -> None:
    for _ in range(many):
        enrolled = EnrollmentFactory.create(cohort=assignment.cohort)
        AuditFactory.create(submission=SubmissionFactory.create(assignment=assignment, student=enrolled))


def _queries(client: Client, address: str, counter: Any) -> int:
    with counter() as captured:
        assert client.get(address).status_code == 200
    return len(captured)


@pytest.mark.parametrize("page", ["organization", "cohort", "roster", "assignment"])
def test_a_list_asks_as_often_for_thirty_students_as_for_three(
    page: str, assignment: Assignment, django_assert_max_num_queries: Any
) -> None:
    from functools import partial

    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse(
        page, args=slugs[: {"organization": 1, "cohort": 2, "roster": 2, "assignment": 3}[page]]
    )
    client, counter = (
        signed_in(staff_user(assignment.organization)),
        partial(django_assert_max_num_queries, 40),
    )
    _fill(assignment, 3)
    with_three = _queries(client, address, counter)
    _fill(assignment, 27)
    assert _queries(client, address, counter) == with_three


def test_home_asks_as_often_for_many_audits_as_for_one(
    ada: Enrollment, audit: Audit, django_assert_max_num_queries: Any
) -> None:
    from functools import partial

    client, counter = signed_in(ada.user), partial(django_assert_max_num_queries, 40)
    with_one = _queries(client, "/", counter)
    for attempt in (2, 3, 4):
        submission = SubmissionFactory.create(
            assignment=audit.submission.assignment, student=ada, attempt=attempt
        )
        AuditFactory.create(submission=submission)
    assert _queries(client, "/", counter) == with_one


def test_health_is_live_and_ready_for_anybody(client: Client, redis: Any) -> None:
    assert client.get("/healthz").json() == {"database": True, "queue": True}


@pytest.mark.parametrize("address", ["/nowhere/", "/o/nowhere/"])
def test_a_missing_page_is_a_page_of_the_house(address: str) -> None:
    answer = signed_in(UserFactory.create()).get(address)
    assert answer.status_code == 404
    assert "There is no such page here." in answer.content.decode()


def test_every_cohort_page_lies_in_exactly_one_organization(assignment: Assignment, ada: Enrollment) -> None:
    other: Cohort = CohortFactory.create(slug=assignment.cohort.slug)
    address = reverse("assignment", args=[other.organization.slug, other.slug, assignment.slug])
    assert signed_in(ada.user).get(address).status_code == 404
