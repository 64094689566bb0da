"""A changed score on appeal: it releases one criterion, and nothing that changed besides."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django_scopes import scope

from grading.activity_log.presenters import sentence_of
from grading.appeals.actions import file_appeal
from grading.appeals.decisions import change_score, effects_of, keep_verdict, other_changes
from grading.appeals.queries import grade_for_appeal
from grading.audits.presenters.release_status import changes_of
from grading.core.enums import AppealState
from grading.core.errors import AppealRefused, GradeRefused
from grading.engine.released_verdict import parse_released
from grading.grades.actions import override_criterion, pin_grade
from grading.grades.agreement.actions import grade_blind
from grading.grades.agreement.queries import blind_scores_of
from grading.grades.releases import release_criterion, release_grades
from grading.models import Activity, Appeal, Grade, Notice, Override, WebhookDelivery
from grading.workflow import resynthesise_audit
from tests.factories.graded_work import signed_in
from tests.factories.people import staff_user
from tests.factories.released import FIRST, SECOND, THIRD, Released, filed, judged
from tests.factories.verdicts import judged as really_judged
from tests.factories.verdicts import next_version, small_assignment
from tests.factories.webhooks import WebhookFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
VALUED = {
    FIRST: {"weight": 3, "max_points": 30},
    SECOND: {"weight": 1, "max_points": 20},
    THIRD: {"weight": 1, "max_points": 10},
}


@pytest.fixture(scope="module")
def kept_released(kept: Path) -> Released:
    return Released(valued=VALUED)


@pytest.fixture
def released(kept_released: Released, db: None, kept_uploads: None) -> Released:
    return deepcopy(kept_released)


@pytest.fixture
def appeal(released: Released) -> Appeal:
    return released.now(filed(released))


def override(released: Released, **scores: int) -> None:
    with scope(organization=released.organization):
        for key, score in scores.items():
            override_criterion(
                submission=released.submission,
                criterion_id=key,
                score=score,
                reason="Read by hand.",
                by=released.teacher,
            )


def change(released: Released, appeal: Appeal, score: int = 2) -> None:
    with scope(organization=released.organization):
        change_score(appeal=appeal, score=score, answer="Read again.", by=released.teacher)


def scores(released: Released) -> dict[str, int]:
    return {row["id"]: row["score"] for row in (released.grade.released or {})["criteria"]}


def test_three_later_overrides_stay_unreleased(released, appeal):
    before = scores(released)
    override(released, **{SECOND: 1, THIRD: 1})
    override(released, **{SECOND: 2})
    change(released, appeal)
    value = released.grade.released or {}
    assert scores(released) == before | {FIRST: 2}
    # Weights 3, 1 and 1: only the first score changed.
    assert value["overall_score"] == round((3 * 2 + before[SECOND] + before[THIRD]) / 5, 1)
    assert (value["before"]["scores"], value["note"]) == (
        before,
        "Your appeal on “Git forensics”: Read again.",
    )
    assert released.grade.changed is True
    assert released.grade.overall_score == round((3 * 2 + 2 + 1) / 5, 1)


def test_student_reads_that_one_criterion_changed(released, appeal):
    override(released, **{SECOND: 1, THIRD: 1})
    change(released, appeal)
    release = parse_released(released.grade.released)
    assert release is not None
    assert [change.name for change in changes_of(release)] == ["Overall", "Git forensics"]


def test_prediction_ignores_what_changed_besides(released, appeal):
    with scope(organization=released.organization):
        at_first = effects_of(appeal, grade_for_appeal(appeal))
    override(released, **{SECOND: 1, THIRD: 1})
    with scope(organization=released.organization):
        assert effects_of(appeal, grade_for_appeal(appeal)) == at_first


def test_points_and_levels_follow_the_released_grade(released):
    override(released, **{FIRST: 5, SECOND: 3, THIRD: 3})
    released.release()
    appeal = released.now(filed(released))
    override(released, **{SECOND: 1, THIRD: 1})
    with scope(organization=released.organization):
        effect = effects_of(appeal, grade_for_appeal(appeal))[2]
    change(released, appeal, 3)
    value = released.grade.released or {}
    # Half of the steps from 1 to 5: 15 of 30, 10 of 20 and 5 of 10.
    assert value["points"] == {"earned": 30.0, "possible": 60.0}
    assert (effect.points, effect.points_earned, effect.points_possible) == (15.0, 30.0, 60.0)
    assert value["overall_score"] == effect.overall_score == 3.0


def test_release_without_other_changes_leaves_nothing_to_release(released, appeal):
    change(released, appeal)
    assert released.grade.changed is False
    with scope(organization=released.organization):
        assert other_changes(appeal, grade_for_appeal(appeal)) is None


def test_later_release_brings_the_other_changes(released, appeal):
    override(released, **{SECOND: 1})
    change(released, appeal)
    released.release()
    assert (scores(released)[FIRST], scores(released)[SECOND]) == (2, 1)
    assert released.grade.changed is False


def test_log_webhook_and_email_name_the_criterion(released, appeal):
    webhook = WebhookFactory(organization=released.organization)
    override(released, **{SECOND: 1})
    change(released, appeal)
    with scope(organization=released.organization):
        logged = Activity.objects.filter(verb="grade.released").latest("pk")
        delivery = WebhookDelivery.objects.get(webhook=webhook, event="grade.released")
        letter = Notice.objects.filter(kind="appeal_answered").get()
    assert "the grade with “Git forensics” alone changed" in sentence_of(logged.verb, logged.detail)
    assert delivery.payload["criterion"] == FIRST
    assert "no other score changes with it" in letter.body


def test_newer_counting_attempt_stays_unreleased(released, appeal):
    judged(released.assignment, student=released.student, attempt=2, **{SECOND: 1})
    with scope(organization=released.organization):
        unreleased = other_changes(appeal, grade_for_appeal(appeal))
    assert unreleased is not None
    assert unreleased.is_of_another_attempt
    change(released, appeal)
    value = released.grade.released or {}
    assert (value["attempt"], scores(released)[FIRST], scores(released)[SECOND]) == (1, 2, 4)
    assert released.grade.changed is True
    released.release()
    assert (released.grade.released or {})["attempt"] == 2


def test_attempt_released_since_keeps_its_release(released, appeal):
    judged(released.assignment, student=released.student, attempt=2, **{SECOND: 1})
    released.release()
    before = released.grade.released
    change(released, appeal)
    assert released.grade.released == before
    with scope(organization=released.organization):
        assert Override.objects.get().submission == released.submission


def test_resynthesis_stays_unreleased():
    assignment = small_assignment()
    audit = really_judged(assignment)
    by, ada = staff_user(assignment.organization), audit.submission.student.user
    assert ada is not None
    with scope(organization=assignment.organization):
        grade = Grade.objects.get()
        release_grades(assignment=assignment, grades=[grade], by=by)
        grade.refresh_from_db()
        before = grade.released or {}
        appeal = file_appeal(grade=grade, criterion_id="tidy", text="It is there.", by=ada)
        version = next_version(assignment, tested=20.0)
        assert resynthesise_audit(audit=audit, rubric_version=version, by=by)

        change_score(appeal=appeal, score=1, answer="Read again.", by=by)
        grade.refresh_from_db()
        unreleased = other_changes(appeal, grade)

    now = grade.released or {}
    assert [now[key] for key in ("rubric_version", "digest", "audit")] == [
        before[key] for key in ("rubric_version", "digest", "audit")
    ]
    assert [row["score"] for row in now["criteria"]] == [1, before["criteria"][1]["score"]]
    assert unreleased is not None
    assert (grade.changed, [row.name for row in unreleased.criteria]) == (True, ["Tested"])


def test_blind_scores_stay_beside_the_verdict(released, appeal):
    """An answer on appeal is no verdict: agreement compares people with the court."""
    with scope(organization=released.organization):
        grade_blind(
            submission=released.submission,
            criteria=[FIRST, SECOND, THIRD],
            scores={FIRST: 3, SECOND: 3, THIRD: 3},
            finish=True,
            by=released.teacher,
        )
        before = blind_scores_of(released.assignment)
        change_score(appeal=appeal, score=2, answer="Read again.", by=released.teacher)
        assert blind_scores_of(released.assignment) == before


def test_released_score_cannot_be_given_again_after_rejudging(released, appeal):
    override(released, **{FIRST: 3})
    with pytest.raises(AppealRefused) as refused:
        change(released, appeal, 5)
    assert (refused.value.field, refused.value.code) == ("decision", "score_the_same")


def test_score_that_was_released_since_is_kept_as_it_is(released, appeal):
    override(released, **{FIRST: 3})
    released.release()
    before = released.grade.released
    change(released, appeal, 3)
    assert released.now(appeal).state == AppealState.CHANGED
    assert released.grade.released == before


def test_unreleased_grade_or_unknown_criterion_is_refused(released):
    given: dict[str, Any] = {"score": 3, "reason": "Read.", "note": "", "by": released.teacher}
    with scope(organization=released.organization), pytest.raises(GradeRefused) as refused:
        release_criterion(grade=released.grade, criterion_id="unknown", **given)
    assert refused.value.code == "criterion_unknown"


def test_page_shows_other_changes_apart(released, appeal):
    override(released, **{SECOND: 1})
    address = f"/o/{released.organization.slug}/appeals/{appeal.pk}/"
    html = signed_in(released.teacher).get(address).content.decode()
    assert faults_of(html) == []
    section = html.partition("Other changes since the release")[2]
    assert "State management rigour" in section.partition("</section>")[0]
    assert "Override: Read by hand." in section
    assert f"grades/release/?grade={released.grade.pk}" in section
    assert "Git forensics" not in section.partition("</section>")[0]


def test_page_without_other_changes_has_no_such_section(released, appeal):
    address = f"/o/{released.organization.slug}/appeals/{appeal.pk}/"
    html = signed_in(released.teacher).get(address).content.decode()
    assert "Other changes since the release" not in html


def test_page_is_refused_once_if_something_else_changed_since(released, appeal):
    teacher = signed_in(released.teacher)
    address = f"/o/{released.organization.slug}/appeals/{appeal.pk}/"
    html = teacher.get(address).content.decode()
    fingerprint = html.partition('name="seen" value="')[2].partition('"')[0]
    override(released, **{SECOND: 1})
    sent = {"do": "answer", "decision": "2", "answer": "Read again.", "seen": fingerprint}
    assert "This changed since you opened the page" in teacher.post(address, sent).content.decode()
    assert released.now(appeal).state == AppealState.OPEN


def test_kept_verdict_releases_nothing_else(released, appeal):
    override(released, **{SECOND: 1})
    before = released.grade.released
    with scope(organization=released.organization):
        keep_verdict(appeal=appeal, answer="It was weighed.", by=released.teacher)
    assert released.grade.released == before
    assert released.grade.changed is True


def test_pinned_other_attempt_stays_unreleased(released, appeal):
    later = judged(released.assignment, student=released.student, attempt=2, **{FIRST: 1})
    with scope(organization=released.organization):
        pin_grade(grade=released.grade, audit=later, reason="Better.", by=released.teacher)
    change(released, appeal)
    assert (released.grade.released or {})["attempt"] == 1
    assert released.grade.pinned
