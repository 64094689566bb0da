"""Attempt that counts: by the assignment's policy, before it a pin or a release."""

from __future__ import annotations

import pytest
from django_scopes import scope

from grading import workflow
from grading.core.enums import AuditState, CountingPolicy, ReleasePolicy
from grading.core.errors import GradeRefused
from grading.grades import actions as grade_actions
from grading.models import Activity, Grade
from tests.factories.grade_works import attempt, change, judged, release, the_grade
from tests.factories.graded_work import page_of, page_of_audit, signed_in
from tests.factories.people import OrganizationFactory, everywhere, staff_user, student
from tests.factories.verdicts import judged as judged_for_real
from tests.factories.verdicts import next_version, small_assignment
from tests.factories.work import AssignmentFactory, AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
CHIP = '<span class="chip good">counts</span>'


@pytest.fixture(autouse=True)
def organization():
    organization = OrganizationFactory()
    with scope(organization=organization):
        yield organization


@pytest.fixture
def best(organization):
    return AssignmentFactory(cohort__organization=organization, counting_policy=CountingPolicy.BEST)


@pytest.fixture
def chosen(organization):
    return AssignmentFactory(
        cohort__organization=organization, counting_policy=CountingPolicy.CHOSEN
    )


@pytest.fixture
def teacher(organization):
    return staff_user(organization)


def counting_attempt():
    return the_grade().audit.submission.attempt


def choose(audit, by):
    return grade_actions.choose_attempt(submission=audit.submission, by=by)


def code_of_refusal(audit, by):
    with pytest.raises(GradeRefused) as refusal:
        choose(audit, by)
    return refusal.value.code


def test_choice_is_refused_where_the_policy_does_not_offer_it(best):
    ada = student(best.cohort)
    assert code_of_refusal(judged(attempt(best, ada)), ada.user) == "choice_closed"


def test_choice_of_an_attempt_without_a_verdict_is_refused(chosen):
    ada = student(chosen.cohort)
    judged(attempt(chosen, ada))
    nothing = {"state": AuditState.DEGRADED, "criteria": (), "overall_score": None}
    for audit in (
        AuditFactory(submission=attempt(chosen, ada, 2)),
        judged(attempt(chosen, ada, 3), **nothing),
    ):
        assert code_of_refusal(audit, ada.user) == "verdict_missing"
    assert (the_grade().chosen, counting_attempt()) == (None, 1)


def test_choice_is_refused_after_a_pin_or_a_release(chosen, teacher):
    ada = student(chosen.cohort)
    first, second = judged(attempt(chosen, ada)), judged(attempt(chosen, ada, 2))
    grade_actions.pin_grade(grade=the_grade(), audit=second, reason="So.", by=teacher)
    assert code_of_refusal(first, ada.user) == "attempt_pinned"
    grade_actions.unpin_grade(grade=the_grade(), by=teacher)
    release(chosen, teacher)
    assert code_of_refusal(first, ada.user) == "grade_released"
    assert counting_attempt() == 2


def test_chosen_attempt_counts_whatever_is_handed_in_later(chosen):
    ada = student(chosen.cohort)
    first = judged(attempt(chosen, ada), 5, 5)
    judged(attempt(chosen, ada, 2), 1, 1)
    assert counting_attempt() == 2
    choose(first, ada.user)
    judged(attempt(chosen, ada, 3), 1, 1)
    assert (counting_attempt(), the_grade().overall_score) == (1, 5.0)
    assert Activity.objects.get(verb="grade.chosen").detail["attempt"] == 1


def test_pin_by_staff_wins_and_the_choice_counts_again_after_it(chosen, teacher):
    ada = student(chosen.cohort)
    first, second = judged(attempt(chosen, ada)), judged(attempt(chosen, ada, 2))
    choose(first, ada.user)
    grade_actions.pin_grade(grade=the_grade(), audit=second, reason="So.", by=teacher)
    assert counting_attempt() == 2
    grade_actions.unpin_grade(grade=the_grade(), by=teacher)
    assert counting_attempt() == 1


def test_best_attempt_counts_and_of_equal_ones_the_latest(best):
    ada = student(best.cohort)
    judged(attempt(best, ada), 4, 4)
    judged(attempt(best, ada, 2), 2, 2)
    assert counting_attempt() == 1
    judged(attempt(best, ada, 3), 4, 4)
    assert counting_attempt() == 3
    # Without a score nobody can say that it is the best.
    judged(attempt(best, ada, 4), 5, None)
    assert counting_attempt() == 3


def test_override_of_any_attempt_can_make_it_the_best(best, teacher):
    ada = student(best.cohort)
    first = judged(attempt(best, ada), 2, 2)
    judged(attempt(best, ada, 2), 3, 3)
    made = change(first.submission, teacher, 5)
    assert (counting_attempt(), the_grade().overall_score) == (1, 3.5)
    grade_actions.withdraw_override(override=made, by=teacher)
    assert (counting_attempt(), the_grade().overall_score) == (2, 3.0)


def test_pinned_attempt_counts_before_a_better_one(best, teacher):
    ada = student(best.cohort)
    first = judged(attempt(best, ada), 2, 2)
    grade_actions.pin_grade(grade=the_grade(), audit=first, reason="So.", by=teacher)
    judged(attempt(best, ada, 2), 5, 5)
    assert counting_attempt() == 1


def test_resynthesis_of_an_earlier_attempt_chooses_the_best_again():
    assignment = small_assignment()
    audit = judged_for_real(assignment)
    with everywhere():
        type(assignment).objects.update(counting_policy=CountingPolicy.BEST)
        assignment.refresh_from_db()
        before = Grade.objects.get()
        later = attempt(assignment, audit.submission.student, audit.submission.attempt + 1)
    with scope(organization=assignment.organization):
        second = judged(later, 3, 3)
        # Equal scores: the latest counts.
        assert (before.overall_score, the_grade().audit) == (3.0, second)
        version = next_version(assignment, tidy=20.0)
        workflow.resynthesise_audit(audit=audit, rubric_version=version, by=None)
        assert (the_grade().audit, the_grade().overall_score) == (audit, 3.5)


def test_released_grade_stays_in_front_of_a_later_verdict(best, teacher):
    ada = student(best.cohort)
    first = judged(attempt(best, ada), 2, 2)
    release(best, teacher)
    second = judged(attempt(best, ada, 2), 5, 5)
    assert (the_grade().released["attempt"], the_grade().changed, counting_attempt()) == (
        1,
        True,
        2,
    )

    client = signed_in(ada.user)
    attempts = client.get(page_of(best, "assignment")).context["attempts"]
    assert [(row.submission.attempt, row.counts) for row in attempts] == [(2, False), (1, True)]
    home = client.get("/").context["student"]
    line = home.current[0].lines[0]
    assert (line.verdict.audit, line.latest.audit) == (first, second)
    # Both are news: the release and the report on the later attempt.
    assert [item.text for item in home.news] == ["A report", "Your grade"]
    assert client.get("/").content.decode().count(CHIP) == 1


def test_staff_read_the_same_badge_as_the_student(best, teacher):
    ada = student(best.cohort)
    first = judged(attempt(best, ada), 2, 2)
    release(best, teacher)
    second = judged(attempt(best, ada, 2), 5, 5)
    client = signed_in(teacher)
    words = f'Attempt 1 {CHIP} <span class="fine soft">attempt 2 from the next release</span>'
    for name in ("assignment", "grades"):
        page = client.get(page_of(best, name)).content.decode()
        assert (words in page, page.count(CHIP), faults_of(page)) == (True, 1, [])
    pages = [client.get(page_of_audit(audit)).content.decode() for audit in (first, second)]
    assert [page.count(CHIP) for page in pages] == [1, 0]
    assert "Counts from the next release:" in pages[1]


def test_policy_is_said_before_handing_in_and_choice_is_offered_where_it_is_open(chosen):
    ada = student(chosen.cohort)
    first = judged(attempt(chosen, ada))
    judged(attempt(chosen, ada, 2))
    client = signed_in(ada.user)
    sentence = "The attempt that the student chooses; until then the latest with a verdict"
    assert sentence in client.get(page_of(chosen, "submit")).content.decode()
    page = client.get(page_of(chosen, "assignment")).content.decode()
    address = page_of_audit(first, "choose")
    assert (sentence in page, page.count(">Let it count</a>"), address in page) == (True, 1, True)

    response = client.get(address)
    assert faults_of(response.content.decode()) == []
    client.post(address)
    assert counting_attempt() == 1
    AuditFactory(submission=attempt(chosen, ada, 3))
    running = attempt(chosen, ada, 4)
    refused = client.post(page_of_audit(AuditFactory(submission=running), "choose"))
    assert "This attempt has no verdict that can count." in refused.content.decode()


def test_of_withheld_verdicts_only_the_students_own_choice_is_told(best, chosen):
    for assignment, expected in ((best, [False, False]), (chosen, [True, False])):
        type(assignment).objects.filter(pk=assignment.pk).update(
            release_policy=ReleasePolicy.AFTER_RELEASE
        )
        ada = student(assignment.cohort)
        judged(attempt(assignment, ada), 2, 2)
        judged(attempt(assignment, ada, 2), 5, 5)
        attempts = signed_in(ada.user).get(page_of(assignment, "assignment")).context["attempts"]
        assert [row.counts for row in attempts] == expected
