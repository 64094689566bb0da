"""Number of queries of each page: at most fifteen, session and user included, and as many of them for thirty students
as for one.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.db import connection
from django.test.utils import CaptureQueriesContext

from grading.core.enums import ReleasePolicy
from grading.models import Assignment
from tests.factories.example_report import report_json
from tests.factories.grades import (
    AppealFactory,
    BlindGradeFactory,
    GradeFactory,
    StaffNoteFactory,
)
from tests.factories.peers import (
    FeedbackReportFactory,
    FindingFactory,
    FindingResponseFactory,
    FindingSightingFactory,
    PairingFactory,
    RoundMemberFactory,
)
from tests.factories.people import everywhere, student
from tests.factories.work import AuditFactory, CriterionVerdictFactory, SubmissionFactory
from tests.tenancy.matrix_rows import PERSONS, ROWS
from tests.tenancy.world import Institute, World

MOST = 15
FEW, MANY = 1, 30
READERS = ("student", "instructor")
CRITERION = {"criterion_id": "git_forensics", "criterion_name": "Git forensics"}


def enrol(institute: Institute, number: int, grader: int) -> None:
    """So many more of the cohort, each with two attempts, a verdict that counts and was graded blind, an appeal, a
    pairing with the owner, a report on it and a finding that was answered."""
    for _ in range(number):
        whose = student(institute.cohort)
        work: dict[str, Any] = {"assignment": institute.assignment, "student": whose}
        audit = AuditFactory.create(
            submission__attempt=1,
            submission__assignment=institute.assignment,
            submission__student=whose,
            done=True,
            report=report_json(criteria=1),
        )
        AuditFactory.create(submission=SubmissionFactory.create(attempt=2, **work))
        CriterionVerdictFactory.create(audit=audit)
        GradeFactory.create(audit=audit)
        StaffNoteFactory.create(submission=institute.audit.submission)
        AppealFactory.create(submission=audit.submission, **CRITERION)
        finding = FindingFactory.create(first_submission=audit.submission)
        FindingSightingFactory.create(finding=finding, audit=audit)
        FindingResponseFactory.create(finding=finding)
        BlindGradeFactory.create(
            submission=audit.submission,
            graded_by_id=grader,
            criterion_id="git_forensics",
            sealed=True,
        )
        RoundMemberFactory.create(round=institute.pairing.round, student=whose)
        audited = {"round": institute.pairing.round, "auditor": institute.owner, "auditee": whose}
        FeedbackReportFactory.create(
            pairing=PairingFactory.create(**audited), reading=institute.feedback.reading
        )
        audits = {"round": institute.pairing.round, "auditor": whose, "auditee": institute.owner}
        FeedbackReportFactory.create(
            pairing=PairingFactory.create(**audits), reading=institute.feedback.reading
        )


def pages(world: World) -> dict[str, str]:
    """The addresses of all pages; of an appeal the one on a criterion that has a verdict."""
    appeal = AppealFactory.create(submission=world.here.audit.submission, **CRITERION)
    return {route: world.address(route, appeal_id=appeal.pk) for route in ROWS}


def queries_asked(world: World, addresses: dict[str, str]) -> dict[tuple[str, str], int]:
    """By reader and route, of the pages that answer 200."""
    counts = {}
    for person in READERS:
        client = world.client(person)
        for route, address in addresses.items():
            if ROWS[route][0][PERSONS.index(person)] == 200:
                with CaptureQueriesContext(connection) as queries:
                    assert client.get(address).status_code == 200
                counts[person, route] = len(queries)
    return counts


@pytest.mark.slow
def test_no_page_asks_more_than_fifteen_queries_nor_more_of_them_for_a_larger_cohort(
    institutes: World, db: None, kept_uploads: None
) -> None:
    for taking_part in (institutes.here.pairing.auditor, institutes.here.pairing.auditee):
        RoundMemberFactory.create(round=institutes.here.pairing.round, student=taking_part)
    grader = int(institutes.client("instructor").session[SESSION_KEY])
    enrol(institutes.here, FEW, grader)
    addresses = pages(institutes)
    for_few = queries_asked(institutes, addresses)
    enrol(institutes.here, MANY - FEW, grader)
    for_many = queries_asked(institutes, addresses)
    with everywhere():
        Assignment.objects.update(release_policy=ReleasePolicy.AFTER_RELEASE)
    # Verdicts are kept back from students now.
    kept_back = queries_asked(institutes, addresses)
    assert [
        (page, query_total)
        for page, query_total in [*for_few.items(), *kept_back.items()]
        if query_total > MOST
    ] == []
    assert for_many == for_few
