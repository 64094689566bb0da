"""States on an audit's page, announced only when the step changes, and its attempts."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from grading.core.enums import ReleasePolicy
from grading.models import Assignment, Enrollment
from tests.factories.example_report import report_json
from tests.factories.graded_work import page_of, page_of_audit, signed_in
from tests.factories.grades import GradeFactory
from tests.factories.people import staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
SAID = '<div id="said" hx-swap-oob="innerHTML">'


def work(policy: ReleasePolicy = ReleasePolicy.PROVISIONAL) -> tuple[Assignment, Enrollment]:
    assignment = AssignmentFactory.create(release_policy=policy)
    return assignment, student(assignment.cohort)


def handed_in(assignment: Assignment, ada: Enrollment, attempt: int = 1, **audit: Any) -> Any:
    submission = SubmissionFactory.create(assignment=assignment, student=ada, attempt=attempt)
    return AuditFactory.create(submission=submission, **audit)


def judged(assignment: Assignment, ada: Enrollment, attempt: int) -> Any:
    return handed_in(assignment, ada, attempt, done=True, report=report_json(criteria=1))


@pytest.mark.parametrize(
    ("heard", "is_said"), [("step-0", False), ("step-1", True), ("ended-6", True)]
)
def test_a_step_is_said_once_and_not_again_at_every_place_in_the_queue(
    heard: str, is_said: bool
) -> None:
    assignment, ada = work()
    audit = handed_in(assignment, ada)
    address = page_of_audit(audit, "audit-progress")
    fragment = signed_in(ada.user).get(f"{address}?said={heard}").content.decode()
    assert (SAID in fragment, f"{address}?said=step-0" in fragment) == (is_said, True)


def test_the_page_itself_has_one_silent_place_for_what_is_said() -> None:
    assignment, ada = work()
    page = signed_in(ada.user).get(page_of_audit(handed_in(assignment, ada))).content.decode()
    assert '<p class="unseen" id="said" role="status"></p>' in page
    assert (SAID in page, faults_of(page)) == (False, [])


def attempts_on(client: Client, audit: Any) -> list[tuple[int, str, bool]]:
    attempts = client.get(page_of_audit(audit)).context["attempts"]
    return [(row.submission.attempt, row.visibility, row.counts) for row in attempts]


def test_what_would_be_the_grade_is_said_beside_each_attempt() -> None:
    assignment, ada = work()
    judged(assignment, ada, 1)
    second = judged(assignment, ada, 2)
    GradeFactory.create(audit=second)
    running = handed_in(assignment, ada, 3)
    client = signed_in(ada.user)
    expected = [(3, "", False), (2, "provisional", True), (1, "provisional", False)]
    assert attempts_on(client, second) == attempts_on(client, running) == expected
    page = client.get(page_of(assignment, "assignment")).content.decode()
    assert page.count('<span class="chip good">counts</span>') == 1


def test_of_what_is_withheld_nothing_says_which_attempt_counts() -> None:
    assignment, ada = work(ReleasePolicy.AFTER_RELEASE)
    audit = judged(assignment, ada, 1)
    GradeFactory.create(audit=audit)
    assert attempts_on(signed_in(ada.user), audit) == [(1, "withheld", False)]


def test_staff_are_told_what_counts_where_they_grade_and_not_in_the_students_words() -> None:
    assignment, ada = work()
    audit = judged(assignment, ada, 1)
    answer = signed_in(staff_user(assignment.organization)).get(page_of_audit(audit))
    assert "attempts" not in answer.context
