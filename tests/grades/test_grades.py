"""Counting grades: they follow the verdicts and keep overrides and pins."""

import pytest
from django_scopes import scope

from grading.core.enums import AuditKind, AuditState
from grading.core.errors import GradeRefused
from grading.grades import actions as grade_actions
from grading.models import Activity, CriterionVerdict, Grade, Override
from tests.factories.grade_works import attempt, change, judged, the_grade
from tests.factories.people import OrganizationFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, criterion_row, opinion_row

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def organization():
    organization = OrganizationFactory()
    with scope(organization=organization):
        yield organization


@pytest.fixture
def assignment(organization):
    return AssignmentFactory(cohort__organization=organization)


@pytest.fixture
def ada(assignment):
    return student(assignment.cohort, name="Ada")


@pytest.fixture
def teacher(organization):
    return staff_user(organization)


def test_peer_audit_and_failed_audit_do_not_count(assignment, ada):
    submission = attempt(assignment, ada)
    judged(submission, kind=AuditKind.PEER)
    failed = AuditFactory(submission=submission, failed=True)
    assert grade_actions.count_verdict(audit=failed) == []
    assert Grade.objects.count() == 0


def test_the_latest_attempt_with_a_verdict_counts(assignment, ada):
    judged(attempt(assignment, ada), 4, 2)
    second = judged(attempt(assignment, ada, 2), 5, 4)
    AuditFactory(submission=attempt(assignment, ada, 3), failed=True)
    grade = the_grade()
    assert (grade.audit, grade.overall_score, grade.student, grade.needs_review) == (
        second,
        4.5,
        ada,
        False,
    )


def test_a_degraded_attempt_counts_only_where_there_is_no_verdict(assignment, ada):
    nothing = {"state": AuditState.DEGRADED, "criteria": (), "overall_score": None}
    degraded = judged(attempt(assignment, ada), **nothing)
    first = the_grade()
    assert (first.audit, first.overall_score, first.needs_review) == (degraded, None, True)
    second = judged(attempt(assignment, ada, 2))
    judged(attempt(assignment, ada, 3), **nothing)
    assert (the_grade().audit, the_grade().overall_score) == (second, 3.0)


def test_criterion_that_needs_review_leaves_no_overall_score(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    judged(submission, 4, None)
    assert (the_grade().overall_score, the_grade().needs_review) == (None, True)
    change(submission, teacher, 2, "tested")
    assert (the_grade().overall_score, the_grade().needs_review) == (3.0, False)


def test_flags_come_from_the_record_and_not_from_the_report(assignment, ada):
    flags = [
        ("P", "Prosecutor", 1, 1),
        ("D", "Defense", 1, 5),
        ("T", "TechLead", 1, None),
        ("D2", "Defense", 2, 3),
    ]
    opinions = [
        opinion_row(key, judge=judge, round=round_, score=score)
        for key, judge, round_, score in flags
    ]
    judged(attempt(assignment, ada), opinions=opinions, report={"integrity": {"suspected": True}})
    grade = the_grade()
    assert (grade.suspected, grade.unverified) == (True, False)
    assert (grade.failed_judges, grade.widest_spread) == (1, 2)


@pytest.mark.parametrize("code", ["evidence_unverified", "citations_removed"])
def test_dropped_evidence_flags_the_grade(assignment, ada, code):
    judged(attempt(assignment, ada), report={"errors": [{"code": "another"}, {"code": code}]})
    assert the_grade().unverified


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        ({"score": 0}, "score", "score_out_of_range"),
        ({"score": 6}, "score", "score_out_of_range"),
        ({"reason": "  "}, "reason", "reason_missing"),
        ({"criterion": "other"}, "", "criterion_unknown"),
    ],
)
def test_override_without_reason_or_criterion_is_refused(
    assignment, ada, teacher, given, field, code
):
    submission = attempt(assignment, ada)
    judged(submission)
    with pytest.raises(GradeRefused) as refused:
        change(submission, teacher, **given)
    assert (refused.value.field, refused.value.code, Override.objects.count()) == (field, code, 0)


def test_override_before_a_verdict_is_refused(assignment, ada, teacher):
    with pytest.raises(GradeRefused, match="no verdict to override"):
        change(attempt(assignment, ada), teacher)


def test_override_counts_beside_the_verdict_and_is_logged(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    audit = judged(submission, 2, 4)
    override = change(submission, teacher, 5)
    assert (override.score, override.verdict_score, override.made_by) == (5, 2, teacher)
    assert (the_grade().overall_score, the_grade().overridden) == (4.5, 1)
    assert CriterionVerdict.objects.get(audit=audit, criterion_id="tidy").score == 2
    logged = Activity.objects.get(verb="criterion.overridden")
    assert logged.detail == {"criterion": "Tidy", "before": 2, "score": 5, "reason": "It is there."}


def test_next_override_replaces_the_last(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    first, second = change(submission, teacher, 5), change(submission, teacher, 3)
    first.refresh_from_db()
    assert (first.withdrawn_at is None, second.withdrawn_at, the_grade().overall_score) == (
        False,
        None,
        3.5,
    )
    grade_actions.withdraw_override(override=second, by=teacher)
    grade_actions.withdraw_override(override=second, by=teacher)
    assert (the_grade().overall_score, the_grade().overridden) == (3.0, 0)
    assert Activity.objects.filter(verb="override.withdrawn").count() == 1


@pytest.mark.parametrize("tidy", [1, 3, 5, None])
def test_override_survives_new_verdicts(assignment, ada, teacher, tidy):
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    change(submission, teacher, 5)
    again = judged(submission, tidy, 3, kind=AuditKind.INSTRUCTOR)
    grade = the_grade()
    assert (grade.audit, grade.overall_score, grade.overridden) == (again, 4.0, 1)


def test_override_survives_a_rubric_without_its_criterion(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    change(submission, teacher, 5)
    judged(submission, kind=AuditKind.INSTRUCTOR, criteria=(criterion_row("tested", score=3),))
    assert (the_grade().overall_score, the_grade().overridden) == (3.0, 0)
    judged(submission, 1, 3, kind=AuditKind.INSTRUCTOR)
    assert (the_grade().overall_score, the_grade().overridden) == (4.0, 1)


def test_a_pinned_attempt_counts_until_it_is_unpinned(assignment, ada, teacher):
    first = judged(attempt(assignment, ada), 5, 5)
    with pytest.raises(GradeRefused, match="Give a reason"):
        grade_actions.pin_grade(grade=the_grade(), audit=first, reason="", by=teacher)
    grade_actions.pin_grade(
        grade=the_grade(), audit=first, reason="Handed in by mistake.", by=teacher
    )
    second = judged(attempt(assignment, ada, 2), 1, 1)
    assert (the_grade().audit, the_grade().pinned) == (first, True)
    again = judged(first.submission, 4, 4, kind=AuditKind.INSTRUCTOR)
    assert the_grade().audit == again
    grade_actions.unpin_grade(grade=the_grade(), by=teacher)
    assert (the_grade().audit, the_grade().overall_score) == (second, 1.0)


def test_pin_of_another_student_or_without_verdict_is_refused(assignment, ada, teacher):
    judged(attempt(assignment, ada))
    grade = the_grade()
    for audit in (
        judged(attempt(assignment, student(assignment.cohort))),
        AuditFactory(submission=attempt(assignment, ada, 2)),
    ):
        with pytest.raises(GradeRefused, match="no verdict that can count"):
            grade_actions.pin_grade(grade=grade, audit=audit, reason="So.", by=teacher)
