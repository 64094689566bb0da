"""Answering an appeal: who may, what it changes, what is on record, and what the student gets to
know.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scope

from grading import workflow
from grading.appeals.decisions import (
    change_score,
    current_verdict_of,
    effects_of,
    escalate_appeal,
    keep_verdict,
    may_answer,
    rejudge_criterion,
)
from grading.appeals.queries import InboxFilter, grade_for_appeal, inbox
from grading.audits.actions import claim_audit
from grading.core.enums import AppealState, AuditKind, NoticeKind, Renewal, Role
from grading.core.errors import AppealRefused, RenewalRefused
from grading.models import Activity, Appeal, Audit, Membership, Notice, Override
from tests.factories.grades import NoticeOptOutFactory
from tests.factories.people import staff_user
from tests.factories.released import FIRST, SECOND, Released, ended, filed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture(scope="module")
def kept_released(kept: Path) -> Released:
    return Released()


@pytest.fixture
def released(kept_released: Released, db: None, kept_uploads: None) -> Released:
    return deepcopy(kept_released)


@pytest.fixture
def appeal(released: Released) -> Appeal:
    return released.now(filed(released))


def within(released: Released, action: Any, appeal: Appeal, **fields: Any) -> Any:
    with scope(organization=released.organization):
        return action(appeal=appeal, **{"by": released.teacher} | fields)


def letters(released: Released) -> list[str]:
    with scope(organization=released.organization):
        return list(
            Notice.objects.filter(kind=NoticeKind.APPEAL_ANSWERED).values_list("subject", flat=True)
        )


def released_row(released: Released, criterion_id: str = FIRST) -> dict[str, Any]:
    rows = {row["id"]: row for row in (released.grade.released or {})["criteria"]}
    return rows[criterion_id]


@pytest.mark.parametrize(
    ("answer", "code"), [(" ", "answer_missing"), ("x" * 2001, "answer_too_long")]
)
def test_answer_without_reason_is_refused(released, appeal, answer, code):
    for action, given in ((keep_verdict, {}), (change_score, {"score": 3})):
        with pytest.raises(AppealRefused) as refused:
            within(released, action, appeal, answer=answer, **given)
        assert (refused.value.field, refused.value.code) == ("answer", code)
    assert released.now(appeal).state == AppealState.OPEN


def test_kept_verdict_changes_nothing(released, appeal):
    before = released.grade.released
    within(released, keep_verdict, appeal, answer="It was weighed.")
    now = released.now(appeal)
    assert (now.state, now.answer, now.decided_by_id) == (
        AppealState.KEPT,
        "It was weighed.",
        released.teacher.pk,
    )
    assert released.grade.released == before
    assert letters(released) == [
        f"Your appeal on “Git forensics” ({released.assignment.title}) was answered"
    ]


def test_changed_score_is_logged_and_released_at_once(released, appeal):
    score = released_row(released)["score"]
    within(released, change_score, appeal, score=2, answer="It was read too kindly.")
    now = released.now(appeal)
    assert (now.state, now.new_score, score) == (AppealState.CHANGED, 2, 5)
    row = released_row(released)
    assert (row["score"], row["verdict_score"], row["override_reason"]) == (
        2,
        5,
        "It was read too kindly.",
    )

    with scope(organization=released.organization):
        override = Override.objects.get()
        verbs = list(
            Activity.objects.filter(actor=released.teacher)
            .order_by("pk")
            .values_list("verb", flat=True)
        )

    assert (override.score, override.reason, override.made_by_id) == (
        2,
        "It was read too kindly.",
        released.teacher.pk,
    )
    assert verbs == ["grade.released", "criterion.overridden", "appeal.changed", "grade.released"]
    assert released.grade.changed is False


@pytest.mark.parametrize(
    ("unwanted", "kinds"),
    [
        ((), ["appeal_answered"]),
        (("appeal_answered",), ["released"]),
        (("appeal_answered", "released"), []),
    ],
)
def test_changed_score_sends_one_email(released, appeal, unwanted, kinds):
    with scope(organization=released.organization):
        Notice.objects.all().delete()
    for kind in unwanted:
        NoticeOptOutFactory(
            organization=released.organization, user=released.student.user, kind=kind
        )

    within(released, change_score, appeal, score=2, answer="It was read too kindly.")
    with scope(organization=released.organization):
        assert list(Notice.objects.values_list("kind", flat=True)) == kinds


def test_emails_have_no_score(released, appeal):
    within(released, change_score, appeal, score=2, answer="It was read too kindly.")
    with scope(organization=released.organization):
        written = [f"{notice.subject} {notice.body}" for notice in Notice.objects.all()]
    plain = (
        " ".join(written)
        .replace(released.assignment.title, "")
        .replace(str(released.submission.pk), "")
    )
    assert not any(character.isdigit() for character in plain)


def test_current_score_cannot_be_set_again(released, appeal):
    with pytest.raises(AppealRefused) as refused:
        within(
            released,
            change_score,
            appeal,
            score=released_row(released)["score"],
            answer="The same.",
        )
    assert (refused.value.field, refused.value.code) == ("decision", "score_the_same")


def test_recomputed_score_is_released_by_changing_to_it(released, appeal):
    with scope(organization=released.organization):
        again = within(released, rejudge_criterion, appeal)
    ended(again, **{FIRST: 3})
    assert (released_row(released)["score"], released.now(appeal).state) == (5, AppealState.OPEN)
    within(released, change_score, released.now(appeal), score=3, answer="Judged again.")
    assert released_row(released)["score"] == 3


def test_answered_appeal_cannot_be_answered_again(released, appeal):
    within(released, keep_verdict, appeal, answer="It was weighed.")
    for action, given in ((keep_verdict, {}), (change_score, {"score": 3})):
        with pytest.raises(AppealRefused) as refused:
            within(released, action, appeal, answer="Once more.", **given)
        assert refused.value.code == "appeal_over"
    with scope(organization=released.organization):
        assert Override.objects.count() == 0
    assert len(letters(released)) == 1


def test_predicted_effect_equals_result(released, appeal):
    with scope(organization=released.organization):
        standing = current_verdict_of(appeal)
        effects = {
            effect.score: effect.overall_score
            for effect in effects_of(appeal, grade_for_appeal(appeal))
        }

    assert standing is not None
    assert (sorted(effects), standing.row["score"], standing.overall_score) == (
        [1, 2, 3, 4, 5],
        5,
        effects[5],
    )
    within(released, change_score, appeal, score=1, answer="Read again.")
    assert (released.grade.released or {})["overall_score"] == effects[1] != effects[5]


def test_rejudged_appeal_returns_to_inbox(released, appeal):
    audit = within(released, rejudge_criterion, appeal)
    now = released.now(appeal)
    assert (now.state, now.rejudged_in_id) == (AppealState.REJUDGING, audit.pk)
    assert (audit.kind, audit.renewal, audit.criteria) == (
        AuditKind.INSTRUCTOR,
        Renewal.OPINIONS,
        [FIRST],
    )
    ended(audit, **{FIRST: 4})
    assert released.now(appeal).state == AppealState.OPEN
    assert released_row(released)["score"] == 5


def test_appeal_returns_when_rejudging_fails(released, appeal):
    audit = within(released, rejudge_criterion, appeal)
    with scope(organization=released.organization):
        lease = claim_audit(audit_id=audit.pk, run_attempt=1)
        assert lease is not None
        workflow.fail_audit(
            lease=lease, code="repository_unreachable", message="The repository is gone."
        )

    assert released.now(appeal).state == AppealState.OPEN


def test_second_rejudging_of_submission_is_refused(released, appeal):
    second = released.now(filed(released, SECOND))
    within(released, rejudge_criterion, appeal)
    with pytest.raises(RenewalRefused):
        within(released, rejudge_criterion, second)
    assert released.now(second).state == AppealState.OPEN


def test_escalated_appeal_is_answered_by_owner(released, appeal):
    owner = staff_user(released.organization, Role.OWNER)
    within(released, escalate_appeal, appeal)
    escalated = released.now(appeal)
    with scope(organization=released.organization):
        assert (may_answer(escalated, released.teacher), may_answer(escalated, owner)) == (
            False,
            True,
        )

    for action, given in ((keep_verdict, {"answer": "No."}), (rejudge_criterion, {})):
        with pytest.raises(AppealRefused, match="An owner must answer it"):
            within(released, action, escalated, **given)

    audit = within(released, rejudge_criterion, escalated, by=owner)
    ended(audit)
    assert released.now(appeal).state == AppealState.ESCALATED
    within(released, keep_verdict, released.now(appeal), answer="It was weighed.", by=owner)
    assert released.now(appeal).state == AppealState.KEPT


def test_only_teacher_answers_escalated_appeal_and_it_is_logged(released, appeal):
    within(released, escalate_appeal, appeal)
    within(released, keep_verdict, released.now(appeal), answer="It was weighed.")
    with scope(organization=released.organization):
        assert Activity.objects.get(verb="appeal.kept").detail["alone"] is True


def test_assistant_cannot_answer(released, appeal):
    assistant = staff_user(released.organization, Role.ASSISTANT)
    with scope(organization=released.organization):
        assert may_answer(appeal, assistant) is False
        Membership.objects.filter(user=released.teacher).delete()
        assert may_answer(appeal, released.teacher) is False


def test_appeal_on_removed_criterion_can_be_answered(released, appeal):
    with scope(organization=released.organization):
        Audit.objects.get(pk=released.audit.pk).verdicts.filter(criterion_id=FIRST).delete()
        assert current_verdict_of(appeal) is None
    with pytest.raises(Exception, match="no such criterion"):
        within(released, change_score, appeal, score=3, answer="Read again.")
    assert released.now(appeal).state == AppealState.OPEN
    within(released, keep_verdict, appeal, answer="The criterion was taken out.")
    assert released.now(appeal).state == AppealState.KEPT


def test_rejudging_appeal_is_not_in_inbox_until_audit_ends(released, appeal):
    audit = within(released, rejudge_criterion, appeal)
    with scope(organization=released.organization):
        assert list(inbox(InboxFilter())) == []
        Appeal.objects.update(rejudged_in=None)  # as when the audit is deleted
        assert list(inbox(InboxFilter())) == [appeal]
        Appeal.objects.update(rejudged_in=audit)
        Audit.objects.filter(pk=audit.pk).update(
            state="failed", failure_code="cancelled", finished_at=timezone.now()
        )
        assert list(inbox(InboxFilter())) == [appeal]
