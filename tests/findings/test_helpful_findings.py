"""Saying whether a finding helps: its owner alone, the latest word, and to staff as counts by criterion."""

from __future__ import annotations

from typing import Any

import pytest

from grading.core.errors import FindingRefused
from grading.findings.answers import reply_whether_helpful
from grading.models import Activity, FindingHelp
from tests.factories.graded_work import page_of, signed_in
from tests.factories.peers import FindingFactory, FindingHelpFactory, FindingSightingFactory
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import AssignmentFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def finding() -> Any:
    assignment = AssignmentFactory.create()
    work = SubmissionFactory.create(assignment=assignment, student=student(assignment.cohort))
    own_finding = FindingFactory.create(first_submission=work, criterion_name="Tidy")
    FindingSightingFactory.create(finding=own_finding)
    return own_finding


def page_of_finding(finding: Any) -> str:
    return page_of(finding.assignment, "findings") + f"{finding.pk}/"


def replies() -> list[bool]:
    with everywhere():
        return list(FindingHelp.objects.values_list("helpful", flat=True))


def test_nobody_else_says_whether_it_helped(finding: Any) -> None:
    with everywhere(), pytest.raises(FindingRefused) as refused:
        reply_whether_helpful(finding=finding, helpful=True, by=staff_user(finding.organization))
    assert (refused.value.code, replies()) == ("not_yours", [])
    posted = {"do": "help", "helpful": "yes"}
    for other in (staff_user(finding.organization), student(finding.assignment.cohort).user):
        assert signed_in(other).post(page_of_finding(finding), posted).status_code == 404
    assert replies() == []


def test_what_is_neither_yes_nor_no_is_not_taken_for_a_no(finding: Any) -> None:
    client = signed_in(finding.student.user)
    posted = client.post(page_of_finding(finding), {"do": "help", "helpful": "perhaps"})
    assert (posted.status_code, replies()) == (400, [])


def test_the_latest_word_of_its_owner_stands_and_no_log_tells_whose_it_is(finding: Any) -> None:
    client = signed_in(finding.student.user)
    for answer in ("yes", "no"):
        response = client.post(
            page_of_finding(finding), {"do": "help", "helpful": answer}, follow=True
        )
        assert faults_of(response.content.decode()) == []
    assert ("You said this doesn't help." in response.content.decode(), replies()) == (
        True,
        [False],
    )
    with everywhere():
        assert not Activity.objects.exists()


def test_staff_read_counts_by_criterion_with_what_helped_least_first(finding: Any) -> None:
    FindingHelpFactory.create(finding=finding, helpful=False)
    for helpful in (True, True, False):
        other = FindingFactory.create(
            first_submission=finding.first_submission, criterion_id="safe", criterion_name="Safe"
        )
        FindingHelpFactory.create(finding=other, helpful=helpful)
    FindingHelpFactory.create()  # of another assignment
    answer = signed_in(staff_user(finding.organization)).get(
        page_of(finding.assignment, "peer-facts")
    )
    listed = [(row.criterion, row.helped, row.replies) for row in answer.context["helped"]]
    assert listed == [("Tidy", 0, 1), ("Safe", 2, 3)]
    assert faults_of(answer.content.decode()) == []
