"""Two at once about one appeal, each with a connection of its own: one wins, and the other is told
so.
"""

from __future__ import annotations

from typing import Any

import pytest

from grading.appeals.actions import file_appeal
from grading.appeals.decisions import change_score, keep_verdict
from grading.core.enums import AppealState
from grading.core.errors import AppealRefused
from grading.grades.actions import override_criterion, pin_grade, unpin_grade
from grading.models import Appeal, Grade, Notice, Override
from grading.notifications.email_outbox import send_due_emails
from tests.factories.grades import NoticeFactory
from tests.factories.people import everywhere
from tests.factories.races import at_once, while_deleted
from tests.factories.released import FIRST, SECOND, THIRD, Released, filed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_last_allowed_appeal_is_filed_once_of_three():
    released = Released(max_appeals=1)
    criteria = iter((FIRST, SECOND, THIRD))

    def file() -> str:
        try:
            file_appeal(
                grade=released.grade,
                criterion_id=next(criteria),
                text="It is there.",
                by=released.teacher,
            )
        except AppealRefused as refused:
            return refused.code
        return ""

    assert sorted(at_once(file, times=3)) == ["", "appeals_used_up", "appeals_used_up"]


@pytest.mark.parametrize("way", ["appeal", "pin", "unpin"])
def test_writer_waits_for_cohort_deletion_and_finds_attempt_gone(way):
    released = Released()
    cohort, by = released.assignment.cohort, released.teacher
    acts = {
        "appeal": lambda grade: file_appeal(
            grade=grade, criterion_id=FIRST, text="It is there.", by=by
        ),
        "pin": lambda grade: pin_grade(grade=grade, audit=released.audit, reason="Better.", by=by),
        "unpin": lambda grade: unpin_grade(grade=grade, by=by),
    }
    grade = released.grade
    with pytest.raises(AppealRefused if way == "appeal" else Grade.DoesNotExist):
        while_deleted(cohort, lambda: acts[way](grade), by=by)
    with everywhere():
        assert (Grade.objects.count(), Appeal.objects.count()) == (0, 0)


def test_one_of_two_concurrent_answers_is_saved():
    released = Released()
    appeal = filed(released)
    ways = iter((lambda a: change_score(**a, score=2), lambda a: keep_verdict(**a)))

    def answer() -> str:
        given: dict[str, Any] = {
            "appeal": released.now(appeal),
            "answer": "Read again.",
            "by": released.teacher,
        }

        try:
            next(ways)(given)
        except AppealRefused as refused:
            return refused.code

        return ""

    assert sorted(at_once(answer)) == ["", "appeal_over"]
    with everywhere():
        changed = Appeal.objects.get().state == AppealState.CHANGED
        assert (
            Override.objects.count(),
            Notice.objects.filter(kind="appeal_answered").count(),
        ) == (
            int(changed),
            1,
        )


def test_two_scores_at_once_release_that_of_the_saved_answer():
    released = Released()
    appeal = filed(released)
    scores = iter((1, 2))

    def answer() -> str:
        score = next(scores)
        try:
            change_score(
                appeal=released.now(appeal), score=score, answer="Read.", by=released.teacher
            )
        except AppealRefused as refused:
            return refused.code
        return ""

    assert sorted(at_once(answer)) == ["", "appeal_over"]
    rows = {row["id"]: row["score"] for row in (released.grade.released or {})["criteria"]}
    with everywhere():
        assert rows[FIRST] == Appeal.objects.get().new_score == Override.objects.get().score


def test_override_during_an_answer_stays_unreleased():
    released = Released()
    appeal = filed(released)
    acts = iter(
        (
            lambda: change_score(
                appeal=released.now(appeal), score=1, answer="Read.", by=released.teacher
            ),
            lambda: override_criterion(
                submission=released.submission,
                criterion_id=SECOND,
                score=1,
                reason="Read.",
                by=released.teacher,
            ),
        )
    )

    def act() -> Any:
        return next(acts)()

    at_once(act)
    rows = {row["id"]: row["score"] for row in (released.grade.released or {})["criteria"]}
    assert (rows[FIRST], rows[SECOND], released.grade.changed) == (1, 4, True)


def test_concurrent_jobs_send_each_email_once():
    organization = NoticeFactory.create().organization
    NoticeFactory.create_batch(9, organization=organization)
    assert sum(at_once(lambda: send_due_emails(organization_id=organization.pk), times=3)) == 10
    with everywhere():
        assert set(Notice.objects.values_list("tries", flat=True)) == {1}
