"""Verdicts, scores by hand and releases of one grade at the same moment: nothing is lost, nothing
is told twice.
"""

import pytest

from grading.core.enums import CountingPolicy
from grading.grades import actions as grade_actions
from grading.grades import releases
from grading.models import Grade, Notice
from tests.factories.people import everywhere, staff_user, student
from tests.factories.races import at_once
from tests.factories.work import AssignmentFactory, AuditFactory, CriterionVerdictFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def judged(ada, assignment, attempt=1):
    audit = AuditFactory(
        submission__assignment=assignment,
        submission__student=ada,
        submission__attempt=attempt,
        done=True,
    )
    CriterionVerdictFactory(audit=audit, criterion_id="tidy", score=2)

    return audit


@pytest.fixture
def assignment():
    return AssignmentFactory()


@pytest.fixture
def ada(assignment):
    return student(assignment.cohort)


def test_concurrent_first_verdicts_make_one_grade_of_the_later_attempt(assignment, ada):
    audits = [judged(ada, assignment, attempt) for attempt in (1, 2)]
    one_each = iter(audits)
    at_once(lambda: grade_actions.count_verdict(audit=next(one_each)))
    with everywhere():
        assert Grade.objects.get().audit == audits[1]


def test_concurrent_releases_notify_once(assignment, ada):
    with everywhere():
        grade_actions.count_verdict(audit=judged(ada, assignment))
        counted = list(Grade.objects.all())

    teacher = staff_user(assignment.organization)
    counts = at_once(
        lambda: releases.release_grades(assignment=assignment, grades=counted, by=teacher)
    )
    with everywhere():
        assert (sorted(counts), Notice.objects.count()) == ([0, 1], 1)


def test_concurrent_override_and_verdict_both_count(assignment, ada):
    audit = judged(ada, assignment)
    with everywhere():
        grade_actions.count_verdict(audit=audit)
    submission, teacher = audit.submission, staff_user(assignment.organization)
    again = AuditFactory(submission=submission, done=True)
    CriterionVerdictFactory(audit=again, criterion_id="tidy", score=3)

    def override():
        grade_actions.override_criterion(
            submission=submission, criterion_id="tidy", score=5, reason="So.", by=teacher
        )

    acts = iter([override, lambda: grade_actions.count_verdict(audit=again)])

    def one_of_them():
        next(acts)()

    at_once(one_of_them)

    with everywhere():
        grade = Grade.objects.get()
        assert (grade.audit, grade.overall_score, grade.overridden) == (again, 5.0, 1)


def test_best_of_two_attempts_counts_whichever_is_written_last(ada):
    assignment = AssignmentFactory(cohort=ada.cohort, counting_policy=CountingPolicy.BEST)
    first, second = judged(ada, assignment), judged(ada, assignment, attempt=2)
    with everywhere():
        grade_actions.count_verdict(audit=first)
    teacher = staff_user(assignment.organization)

    def override():
        grade_actions.override_criterion(
            submission=first.submission, criterion_id="tidy", score=5, reason="So.", by=teacher
        )

    acts = iter([override, lambda: grade_actions.count_verdict(audit=second)])

    def one_of_them():
        next(acts)()

    at_once(one_of_them)
    with everywhere():
        grade = Grade.objects.get()
        assert (grade.audit, grade.overall_score) == (first, 5.0)
