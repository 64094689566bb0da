"""Blind grading: the draw, the saved scores, and those that count."""

from uuid import UUID

import pytest
from django_scopes import scope

from grading.core.enums import AuditKind, AuditState
from grading.core.errors import ActionRefused
from grading.grades.agreement import queries as agreement_queries
from grading.grades.agreement.actions import draw_sample, grade_blind
from grading.grades.agreement.queries import BlindScore, Work, draw_submissions
from grading.models import Activity, BlindGrade
from tests.factories.grades import BlindGradeFactory, GradeFactory
from tests.factories.people import EnrollmentFactory, OrganizationFactory, staff_user
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    CriterionVerdictFactory,
    OpinionRecordFactory,
)

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
def teacher(organization):
    return staff_user(organization)


def judged(assignment, tidy=4, tested=2, **fields):
    """Another student's work with a verdict that counts: its grade."""
    audit = AuditFactory(
        submission__assignment=assignment,
        submission__student=EnrollmentFactory(cohort=assignment.cohort),
        done=True,
    )

    for position, (name, score) in enumerate((("tidy", tidy), ("tested", tested))):
        CriterionVerdictFactory(
            audit=audit, position=position, criterion_id=name, name=name, score=score
        )

    return GradeFactory(audit=audit, **fields)


def score(submission, teacher, finish=True, **scores):
    grade_blind(
        submission=submission, criteria=["tidy", "tested"], scores=scores, finish=finish, by=teacher
    )


def test_draw_without_verdicts_is_refused(assignment, teacher):
    with pytest.raises(ActionRefused, match="no verdict to compare"):
        draw_sample(assignment=assignment, size=3, seed=1, with_flagged=True, by=teacher)


def test_same_seed_draws_the_same_order_despite_later_submissions():
    works = [Work(UUID(int=n), flagged=n % 5 == 0) for n in range(20)]
    first = draw_submissions(works, size=6, seed=7, with_flagged=False)
    assert draw_submissions(reversed(works), size=6, seed=7, with_flagged=False) == first
    assert draw_submissions(works, size=6, seed=8, with_flagged=False) != first
    more = draw_submissions(
        [*works, Work(UUID(int=20), flagged=False)], size=20, seed=7, with_flagged=False
    )
    assert [item for item in more if item in first] == first


def test_flagged_submissions_are_added_and_mixed_with_random_ones():
    apart = {UUID(int=3), UUID(int=4)}
    works = [Work(UUID(int=n), flagged=UUID(int=n) in apart) for n in range(10)]
    selected = draw_submissions(works, size=2, seed=1, with_flagged=True)
    assert (len(selected), apart <= set(selected)) == (4, True)
    assert selected == [
        item
        for item in draw_submissions(works, size=10, seed=1, with_flagged=False)
        if item in selected
    ]


def test_sample_has_counting_attempts_and_is_logged(assignment, teacher):
    flagged, clear = judged(assignment, suspected=True), judged(assignment)
    nothing_said = judged(assignment)
    type(nothing_said.audit).objects.filter(pk=nothing_said.audit_id).update(
        state=AuditState.DEGRADED, overall_score=None
    )
    sample = draw_sample(assignment=assignment, size=0, seed=1, with_flagged=True, by=teacher)
    assert sample.submissions == [str(flagged.audit.submission_id)]
    works = {work.submission for work in agreement_queries.works_of(assignment)}
    assert works == {flagged.audit.submission_id, clear.audit.submission_id}
    assert Activity.objects.get().detail == {"size": 1, "seed": 1, "with_flagged": True}


def test_scores_can_change_until_they_are_sealed(assignment, teacher):
    work = judged(assignment).audit.submission
    score(work, teacher, finish=False, tidy=3)
    score(work, teacher, finish=False, tidy=5)
    assert agreement_queries.scores_given_by(teacher, work) == {"tidy": 5}
    with pytest.raises(ActionRefused, match="every criterion"):
        score(work, teacher)
    assert agreement_queries.finished_by(teacher, assignment) == set()
    score(work, teacher, tested=2)
    assert agreement_queries.finished_by(teacher, assignment) == {work.pk}
    with pytest.raises(ActionRefused, match="seen this verdict"):
        score(work, teacher, finish=False, tidy=4)
    assert agreement_queries.scores_given_by(teacher, work) == {"tidy": 5, "tested": 2}


def test_unknown_criterion_is_refused_and_log_has_no_score(assignment, teacher):
    work = judged(assignment).audit.submission
    with pytest.raises(ActionRefused, match="no such criterion"):
        score(work, teacher, finish=False, beauty=3)
    score(work, teacher, tidy=4, tested=1)
    assert Activity.objects.get().detail == {"criteria": 2, "finished": True}


def test_only_sealed_scores_are_compared_with_the_current_verdict(
    assignment, teacher, organization
):
    grade = judged(assignment, tidy=4)
    work, another = grade.audit.submission, staff_user(organization)
    score(work, teacher, tidy=2, tested=2)
    score(work, another, finish=False, tidy=1)
    AuditFactory(submission=work, kind=AuditKind.PEER, done=True)
    AuditFactory(submission=work)
    scored = sorted(agreement_queries.blind_scores_of(assignment), key=lambda item: item.position)
    expected = {"student": str(work.student), "by": teacher.email}
    assert scored == [
        BlindScore(work.pk, "tidy", teacher.pk, 2, 4, grade.audit_id, 0, **expected),
        BlindScore(work.pk, "tested", teacher.pk, 2, 2, grade.audit_id, 1, **expected),
    ]
    assert [item.distance for item in scored] == [2, 0]


def test_criterion_without_a_court_score_is_counted_separately(assignment, teacher):
    work = judged(assignment, tidy=None).audit.submission
    score(work, teacher, tidy=2, tested=2)
    assert [item.court for item in agreement_queries.blind_scores_of(assignment)].count(None) == 1


def test_judges_are_measured_by_their_first_round(assignment):
    audit = judged(assignment).audit
    for judge, round_, given in (
        ("Prosecutor", 1, 2),
        ("Defense", 1, 5),
        ("Defense", 2, 4),
        ("TechLead", 1, None),
    ):
        OpinionRecordFactory(audit=audit, judge=judge, round=round_, score=given)

    assert agreement_queries.first_opinions([audit.pk]) == {
        "tidy": {audit.pk: {"Prosecutor": 2, "Defense": 5}}
    }


@pytest.mark.parametrize("works", [1, 3, 30])
def test_blind_scores_cost_four_queries(assignment, teacher, works, django_assert_num_queries):
    for _ in range(works):
        BlindGradeFactory(
            submission=judged(assignment).audit.submission, graded_by=teacher, sealed=True
        )
    assert BlindGrade.objects.count() == works
    with django_assert_num_queries(4):
        assert len(agreement_queries.blind_scores_of(assignment)) == works
