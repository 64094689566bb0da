"""A student's home page: courses, news until opened, and peer reviews."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from grading.core.enums import AppealState, Opened
from grading.models import Activity, Enrollment, FeedbackReport, Finding, Opening
from tests.factories.example_report import report_json
from tests.factories.graded_work import page_of_audit, signed_in
from tests.factories.grades import AppealFactory
from tests.factories.peer_round_work import Circle
from tests.factories.peers import FindingResponseFactory, OpeningFactory
from tests.factories.people import CohortFactory, everywhere, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


def dashboard(client: Client) -> Any:
    answer = client.get("/")
    assert faults_of(answer.content.decode()) == []
    return answer.context["student"]


def news(client: Client) -> list[tuple[str, str]]:
    return [(item.text, item.about) for item in dashboard(client).news]


@pytest.fixture
def ada() -> Enrollment:
    cohort = CohortFactory.create(name="Autumn")
    return student(cohort, name="Ada")


def judged(ada: Enrollment, attempt: int = 1, **fields: Any) -> Any:
    assignment = fields.pop("assignment", None) or AssignmentFactory.create(
        cohort=ada.cohort, title="Week 1"
    )
    submission = SubmissionFactory.create(assignment=assignment, student=ada, attempt=attempt)
    given = {
        "done": True,
        "finished_at": timezone.now(),
        "report": report_json(criteria=1),
    } | fields
    return AuditFactory.create(submission=submission, **given)


def test_past_course_is_listed_separately(ada: Enrollment) -> None:
    for name, ends_on in (("Spring", date(2020, 6, 30)), ("Later", timezone.localdate())):
        cohort = CohortFactory.create(organization=ada.organization, name=name, ends_on=ends_on)
        with everywhere():
            Enrollment.objects.create(
                organization=ada.organization, cohort=cohort, user=ada.user, email=ada.email
            )
    AssignmentFactory.create(cohort=ada.cohort, due_at=timezone.now() + timedelta(days=1))
    page = dashboard(signed_in(ada.user))
    names = [[course.cohort.name for course in courses] for courses in (page.current, page.past)]
    assert names == [["Autumn", "Later"], ["Spring"]]


def test_line_has_attempts_left_latest_attempt_and_latest_verdict(ada: Enrollment) -> None:
    audit = judged(ada)
    assignment = audit.submission.assignment
    SubmissionFactory.create(assignment=assignment, student=ada, attempt=2)
    SubmissionFactory.create(assignment=assignment, attempt=1)  # somebody else's
    line = dashboard(signed_in(ada.user)).current[0].lines[0]
    assert (line.left, line.closed) == (assignment.max_attempts - 2, None)
    assert (line.latest.submission.attempt, line.verdict.audit) == (2, audit)


def test_report_is_new_until_the_student_opens_it(ada: Enrollment) -> None:
    audit = judged(ada)
    client = signed_in(ada.user)
    assert news(client) == [("A report", "Week 1, attempt 1")]
    client.head(page_of_audit(audit))
    assert len(news(client)) == 1
    client.get(page_of_audit(audit))
    assert news(client) == []
    with everywhere():
        assert Opening.objects.values_list("kind", "about").get() == (
            Opened.REPORT,
            str(audit.submission_id),
        )
        assert not Activity.objects.exists()  # when somebody reads is nobody's business


def test_opening_again_updates_the_read_receipt(ada: Enrollment) -> None:
    audit = judged(ada)
    OpeningFactory.create(
        student=ada, about=str(audit.submission_id), opened_at=timezone.now() - timedelta(days=9)
    )
    client = signed_in(ada.user)
    assert len(news(client)) == 1  # it was told since
    client.get(page_of_audit(audit))
    with everywhere():
        assert (news(client), Opening.objects.count()) == ([], 1)


def test_appeal_answer_is_new_until_opened(ada: Enrollment) -> None:
    submission = judged(ada, finished_at=timezone.now()).submission
    OpeningFactory.create(student=ada, about=str(submission.pk))
    decided = {
        "submission": submission,
        "state": AppealState.KEPT,
        "decided_at": timezone.now(),
        "answer": "No.",
    }
    appeal = AppealFactory.create(**decided)
    AppealFactory.create(submission=submission, criterion_id="open")
    client = signed_in(ada.user)
    client.head(f"/o/{ada.organization.slug}/appeals/{appeal.pk}/")
    assert news(client) == [("The answer to your appeal", "Tidy, Week 1")]
    client.get(f"/o/{ada.organization.slug}/appeals/{appeal.pk}/")
    assert news(client) == []


def test_peer_reviews_are_anonymous_and_without_times() -> None:
    circle = Circle()
    circle.audited(circle.cy)
    page = dashboard(signed_in(circle.ada.user))
    assert [review.name for review in page.due] == ["Peer 482"]
    assert [(review.name, review.is_new) for review in page.received] == [("Peer 483", True)]
    assert [(item.text, item.at) for item in page.news] == [
        ("A report on your work from Peer 483", None)
    ]


def answered(report: FeedbackReport) -> None:
    with everywhere():
        finding = Finding.objects.get(sightings__audit=report.audit_id)
    FindingResponseFactory.create(finding=finding)


def test_answers_to_own_report_are_new_until_opened() -> None:
    circle = Circle()
    report = circle.audited(circle.ada)
    client = signed_in(circle.ada.user)
    assert (dashboard(client).due, news(client)) == ((), [])
    answered(report)
    client.head(f"/o/{circle.organization.slug}/feedback/{report.pk}/")
    assert news(client) == [("Answers to your report on Peer 482", circle.assignment.title)]
    client.get(f"/o/{circle.organization.slug}/feedback/{report.pk}/")
    assert news(client) == []


def test_home_page_needs_at_most_fifteen_queries(
    django_assert_max_num_queries: Any,
) -> None:
    circle = Circle()
    for author in circle.students:
        answered(circle.audited(author))
    judged(circle.ada, attempt=2, assignment=circle.assignment)
    client = signed_in(circle.ada.user)
    with django_assert_max_num_queries(15):
        client.get("/")


def test_what_is_due_is_listed_soonest_first_and_counted_in_the_bar(ada: Enrollment) -> None:
    soon, later = (timezone.now() + timedelta(days=days) for days in (1, 9))
    for title, due_at in (("Later", later), ("Someday", None), ("Soon", soon)):
        AssignmentFactory.create(cohort=ada.cohort, title=title, due_at=due_at)
    SubmissionFactory.create(
        assignment=AssignmentFactory.create(cohort=ada.cohort, title="Done"), student=ada
    )
    client = signed_in(ada.user)
    tasks = dashboard(client).tasks
    assert [(task.text, task.at) for task in tasks] == [
        ("Hand in: Soon", soon),
        ("Hand in: Later", later),
        ("Hand in: Someday", None),
    ]
    bar = client.get(f"/o/{ada.organization.slug}/").context["bar"]
    assert [place.label for place in bar.attention] == ["3 due"]
