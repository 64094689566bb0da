"""A release freezes what a student is told; what changes afterwards is news, and told only by the
next release.
"""

import pytest
from django_scopes import scope

from grading.core.enums import AuditKind
from grading.core.errors import GradeRefused
from grading.grades import releases
from grading.grades.queries.final_scores import grade_results
from grading.models import Activity, Grade, Notice, WebhookDelivery
from tests.factories.grade_works import attempt, change, judged, release, the_grade
from tests.factories.grades import AppealFactory
from tests.factories.people import OrganizationFactory, staff_user, student
from tests.factories.webhooks import WebhookFactory
from tests.factories.work import AssignmentFactory

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


def test_release_freezes_grade_and_emails_student(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    audit = judged(submission, 2, 4)
    change(submission, teacher, 5)
    assert release(assignment, teacher, "Well done.") == 1
    grade = the_grade()
    released = grade.released
    assert (grade.released_by, grade.changed) == (teacher, False)
    assert [
        released[key]
        for key in ("audit", "attempt", "digest", "overall_score", "points", "note", "before")
    ] == [
        str(audit.pk),
        1,
        audit.report_digest,
        4.5,
        None,
        "Well done.",
        None,
    ]
    assert [
        (row["id"], row["score"], row["verdict_score"], row["override_reason"])
        for row in released["criteria"]
    ] == [
        ("tidy", 5, 2, "It is there."),
        ("tested", 4, 4, None),
    ]
    letter = Notice.objects.get()
    assert (letter.user, letter.path) == (
        ada.user,
        f"/o/{audit.organization.slug}/audits/{audit.pk}/",
    )
    assert [figure in letter.body + letter.subject for figure in ("4.5", "5 of", "2 of")] == [
        False
    ] * 3


def test_withdrawn_release_is_emailed_and_can_be_repeated(assignment, ada, teacher):
    judged(attempt(assignment, ada), 2, 4)
    release(assignment, teacher)
    Notice.objects.all().delete()
    grade = releases.withdraw_release(grade=the_grade(), reason="The wrong cohort.", by=teacher)
    assert (grade.released, grade.released_at, grade.released_by, grade.changed) == (
        None,
        None,
        None,
        False,
    )
    [letter], noted = Notice.objects.all(), Activity.objects.get(verb="grade.taken_back")
    assert letter.subject == f"Your grade for “{assignment.title}” was withdrawn"
    assert not any(character.isdigit() for character in letter.body.replace(assignment.title, ""))
    assert [noted.detail[key] for key in ("attempt", "score", "reason")] == [
        1,
        3.0,
        "The wrong cohort.",
    ]
    assert release(assignment, teacher) == 1


@pytest.mark.parametrize(
    ("reason", "is_released", "state", "code"),
    [
        (" ", True, None, "reason_missing"),
        ("So.", False, None, "not_released"),
        ("So.", True, "open", "appeal_pending"),
    ],
)
def test_withdrawal_of_release_is_refused(
    assignment, ada, teacher, reason, is_released, state, code
):
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    if is_released:
        release(assignment, teacher)
    if state:
        AppealFactory(submission=submission, state=state)
    with pytest.raises(GradeRefused) as refused:
        releases.withdraw_release(grade=the_grade(), reason=reason, by=teacher)
    assert (refused.value.code, the_grade().released is not None) == (code, is_released)


def test_grade_changed_since_read_is_not_released(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    read_grades = list(Grade.objects.all())
    change(submission, teacher, 5)
    with pytest.raises(GradeRefused) as refused:
        releases.release_grades(
            assignment=assignment, grades=read_grades, by=teacher, only_unchanged=True
        )
    assert (refused.value.code, the_grade().released) == ("grades_changed", None)
    now = list(Grade.objects.all())
    assert (
        releases.release_grades(assignment=assignment, grades=now, by=teacher, only_unchanged=True)
        == 1
    )


def test_unchanged_grade_is_not_released_again(assignment, ada, teacher):
    judged(attempt(assignment, ada))
    assert [release(assignment, teacher), release(assignment, teacher)] == [1, 0]
    assert Notice.objects.count() == 1


def test_released_grade_is_frozen_until_next_release(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    release(assignment, teacher)
    before = the_grade().released
    change(submission, teacher, 4)
    grade = the_grade()
    assert (grade.overall_score, grade.changed, grade.released) == (4.0, True, before)
    release(assignment, teacher, "An appeal was upheld.")
    grade = the_grade()
    assert (grade.released["overall_score"], grade.changed) == (4.0, False)
    assert grade.released["before"] | {"at": None} == {
        "attempt": 1,
        "overall_score": 3.0,
        "points": None,
        "scores": {"tidy": 2, "tested": 4},
        "at": None,
    }
    assert [notice.subject.rsplit(" ", 2)[1:] for notice in Notice.objects.order_by("pk")] == [
        ["was", "released"],
        ["was", "changed"],
    ]


def test_verdict_change_under_override_is_no_news(assignment, ada, teacher):
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    change(submission, teacher, 5)
    release(assignment, teacher)
    judged(submission, 1, 4, kind=AuditKind.INSTRUCTOR)
    assert the_grade().changed is False
    judged(submission, 1, 3, kind=AuditKind.INSTRUCTOR)
    assert the_grade().changed is True


def test_a_new_attempt_is_news_even_with_the_same_scores(assignment, ada, teacher):
    judged(attempt(assignment, ada))
    release(assignment, teacher)
    judged(attempt(assignment, ada, 2))
    assert the_grade().changed is True


def test_grades_of_another_assignment_are_not_released_with_these(assignment, ada, teacher):
    judged(attempt(assignment, ada))
    other = AssignmentFactory(cohort=assignment.cohort)
    assert releases.release_grades(assignment=other, grades=[the_grade()], by=teacher) == 0
    assert the_grade().released is None


def test_grade_results_queries_are_constant(assignment, teacher, django_assert_num_queries):
    for number in range(6):
        judged(attempt(assignment, student(assignment.cohort, name=f"{number}")))
    reckoned = list(Grade.objects.order_by("pk"))
    with django_assert_num_queries(6):
        assert len(grade_results(reckoned)) == 6


@pytest.mark.parametrize("students", [1, 4])
def test_release_queries_grow_by_two_per_student(
    assignment, teacher, students, django_assert_num_queries
):
    WebhookFactory.create_batch(2, organization=assignment.organization)
    for number in range(students):
        judged(attempt(assignment, student(assignment.cohort, name=f"{number}")))
    grades = list(Grade.objects.all())
    with django_assert_num_queries(16 + 2 * students):
        releases.release_grades(assignment=assignment, grades=grades, by=teacher)
    assert Notice.objects.filter(kind="released").count() == students
    assert WebhookDelivery.objects.filter(event="grade.released").count() == 2 * students
