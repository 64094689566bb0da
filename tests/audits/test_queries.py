"""Queries of pages: their results, and a cost that does not grow with the cohort."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_scopes import scope

from grading.audits import queries as audit_queries
from grading.core.fair_turns import queue_position
from grading.core.own_organizations import organizations_of
from grading.courses import queries as course_queries
from grading.submissions import queries as submission_queries
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    OrganizationFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def assignment():
    return AssignmentFactory(max_attempts=3)


def audited(assignment, student_, attempt, **trait):
    return AuditFactory(
        submission__assignment=assignment,
        submission__student=student_,
        submission__attempt=attempt,
        **trait,
    )


def test_attempts_are_numbered_on_and_only_those_that_count_are_used_up(assignment):
    ada = student(assignment.cohort)
    SubmissionFactory(assignment=assignment, student=ada, attempt=1, counts=False)
    SubmissionFactory(assignment=assignment, student=ada, attempt=2)
    SubmissionFactory(assignment=assignment, attempt=1)
    with everywhere():
        assert submission_queries.next_attempt(assignment, ada) == 3
        assert submission_queries.attempts_left(assignment, ada) == 2


def test_the_history_of_a_student_is_newest_first_with_its_audits(assignment):
    ada = student(assignment.cohort)
    first, second = (audited(assignment, ada, n) for n in (1, 2))
    audited(assignment, student(assignment.cohort), 1)
    with everywhere():
        history = [
            (s.attempt, submission_queries.audit_to_show(s))
            for s in submission_queries.attempts_of(ada, assignment)
        ]
    assert history == [(2, second), (1, first)]


@pytest.mark.parametrize("students", [1, 3, 30])
def test_the_standings_of_a_cohort_cost_five_queries(
    assignment, students, django_assert_num_queries
):
    for n in range(students):
        ada = EnrollmentFactory(cohort=assignment.cohort, name=f"{n:02d}")
        for attempt in (1, 2):
            audited(assignment, ada, attempt, done=True)
    EnrollmentFactory(cohort=assignment.cohort, name="never")
    with everywhere(), django_assert_num_queries(5):
        standings = submission_queries.standings_of(assignment)
        rows = [
            (
                s.student.name,
                s.attempts,
                s.latest and s.latest.attempt,
                s.audit and s.audit.overall_score,
            )
            for s in standings
        ]
    assert rows == [(f"{n:02d}", 2, 2, 4.0) for n in range(students)] + [("never", 0, None, None)]


def test_the_queue_is_one_for_all_organizations_and_a_place_says_nothing_else():
    first = AuditFactory(queued_at=NOW - timedelta(minutes=2))
    second = AuditFactory(queued_at=NOW - timedelta(minutes=1))
    with scope(organization=second.organization):
        assert queue_position(second) == 2
    assert queue_position(first) == 1
    assert queue_position(AuditFactory(running=True)) is None


def test_there_is_no_report_before_there_is_one():
    done, failed = AuditFactory(done=True), AuditFactory(failed=True)
    with everywhere():
        assert audit_queries.document_of(done) == {"schema": "automaton-auditor/report@1"}
        assert audit_queries.report_of(failed) is None


def test_ones_latest_attempts_are_ones_own(assignment):
    ada = student(assignment.cohort)
    mine = [audited(assignment, ada, n) for n in (1, 2, 3)]
    audited(assignment, student(assignment.cohort), 1)
    with everywhere():
        latest = submission_queries.latest_attempts_of(ada.user)[:2]
    assert [(a.audit, a.visibility, a.score) for a in latest] == [
        (mine[2], "", None),
        (mine[1], "", None),
    ]


def test_staff_see_all_cohorts_and_a_student_their_own():
    organization = OrganizationFactory()
    cohort, other_cohort = (CohortFactory(organization=organization, name=name) for name in "ab")
    ada = student(cohort)
    EnrollmentFactory(cohort=cohort)
    with scope(organization=organization):
        all_of_them = course_queries.cohorts_of(staff_user(organization), organization)
        assert [(c.pk, vars(c)["student_count"]) for c in all_of_them] == [
            (cohort.pk, 2),
            (other_cohort.pk, 0),
        ]
        assert list(course_queries.cohorts_of(ada.user, organization)) == [cohort]


@pytest.mark.parametrize("size", [1, 3])
def test_a_cohorts_page_costs_two_queries(size, django_assert_num_queries):
    cohort = CohortFactory()
    for n in range(size):
        assignment = AssignmentFactory(cohort=cohort, title=str(n))
        ada = EnrollmentFactory(cohort=cohort)
        for attempt in (1, 2):
            SubmissionFactory(assignment=assignment, student=ada, attempt=attempt)
    with everywhere(), django_assert_num_queries(2):
        overview = course_queries.cohort_overview(cohort)
        rows = [
            (a.title, vars(a)["students_handed_in"], a.rubric_version.rubric.name)
            for a in overview.assignments
        ]
    assert rows == [(str(n), 1, "A small rubric") for n in range(size)]
    assert overview.students == size


def test_what_one_is_asked_is_nearest_first_with_ones_own_attempts_counted():
    cohort = CohortFactory()
    ada = student(cohort)
    later = AssignmentFactory(cohort=cohort, due_at=NOW + timedelta(days=1))
    past = AssignmentFactory(cohort=cohort, due_at=NOW - timedelta(days=1))
    AssignmentFactory()
    SubmissionFactory(assignment=past, student=ada)
    SubmissionFactory(assignment=past, student=ada, attempt=2, counts=False)
    SubmissionFactory(assignment=past, attempt=1)
    with scope(organization=[cohort.organization]):
        assert [
            (row, vars(row)["used"]) for row in course_queries.assignments_due_from(ada.user)
        ] == [
            (past, 1),
            (later, 0),
        ]


def test_what_is_counted_stays_in_its_order():
    cohort = CohortFactory(name="B", starts_on=None)
    earlier = CohortFactory(organization=cohort.organization, name="A", starts_on=None)
    last, first = (AssignmentFactory(cohort=cohort, due_at=NOW + timedelta(days=n)) for n in (9, 1))
    zoe, ada = (EnrollmentFactory(cohort=cohort, name=name) for name in ("Zoe", "Ada"))
    teacher = staff_user(cohort.organization)
    with scope(organization=cohort.organization):
        assert list(course_queries.cohorts_of(teacher, cohort.organization)) == [earlier, cohort]
        assert course_queries.cohort_overview(cohort).assignments == [first, last]
        assert [standing.student for standing in submission_queries.standings_of(first)] == [
            ada,
            zoe,
        ]


def test_organizations_and_members():
    membership = MembershipFactory()
    MembershipFactory()
    organization = membership.organization
    assert list(organizations_of(membership.user)) == [organization]
    with scope(organization=organization):
        assert list(course_queries.members_of(organization)) == [membership]


def test_a_roster_is_in_the_order_of_names():
    cohort = CohortFactory()
    zoe, ada = (EnrollmentFactory(cohort=cohort, name=name) for name in ("Zoe", "Ada"))
    with everywhere():
        assert list(course_queries.roster_of(cohort)) == [ada, zoe]
