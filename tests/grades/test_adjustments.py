"""Adjustments of single results: bounded, with a reason, told by a release and never by a mail."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from grading import workflow
from grading.core.errors import GradeRefused
from grading.grades.actions import recalculate_grade
from grading.grades.exports.actions import stream_of, table_of
from grading.grades.exports.csv_layouts import ExportChoice
from grading.grades.member_grades import adjust_grade, withdraw_adjustment
from grading.grades.releases import release_criterion, release_grades
from grading.models import CriterionVerdict, Grade, GradeAdjustment, Notice
from grading.submissions.queries import attempts_of, visible_attempts
from tests.factories.example_report import report_json
from tests.factories.people import staff_user, student
from tests.factories.released import FIRST, SECOND, THIRD, assignment_of, verdict_of
from tests.factories.teams import GradeAdjustmentFactory, team_with
from tests.factories.work import AuditFactory, SubmissionFactory, claimed

pytestmark = pytest.mark.django_db
REASON = "Wrote the parser alone."


class Pair:
    """Ada and Ben, whose team has a verdict; `valued` are fields of the rubric's criteria."""

    def __init__(self, **valued: Any) -> None:
        self.assignment = assignment_of(team_formation="staff", valued=valued)
        self.ada, self.ben = (student(self.assignment.cohort, name=n) for n in ("Ada", "Ben"))
        self.teacher = staff_user(self.assignment.organization)
        self.team = team_with(self.assignment, self.ada, self.ben)
        submission = SubmissionFactory.create(
            assignment=self.assignment, student=self.ada, team=self.team
        )
        self.audit = AuditFactory.create(submission=submission)
        with scope(organization=self.assignment.organization):
            workflow.finish_audit(
                lease=claimed(self.audit), verdict=verdict_of(report_json(criteria=3))
            )

    def grade(self, enrollment: Any) -> Grade:
        return Grade.objects.get(student=enrollment)

    def release(self) -> None:
        grades = list(Grade.objects.filter(assignment=self.assignment))
        release_grades(assignment=self.assignment, grades=grades, by=self.teacher)

    def adjust(self, delta: float) -> GradeAdjustment:
        return adjust_grade(grade=self.grade(self.ben), delta=delta, reason=REASON, by=self.teacher)

    def page(self, enrollment: Any) -> str:
        client = Client()
        client.force_login(enrollment)
        address = reverse("audit", args=[self.assignment.organization.slug, self.audit.pk])
        return client.get(address).content.decode()


@pytest.fixture(scope="module")
def kept_pair(kept: Path) -> Pair:
    return Pair()


@pytest.fixture
def pair(kept_pair: Pair, db: None, kept_uploads: None) -> Iterator[Pair]:
    made = deepcopy(kept_pair)
    with scope(organization=made.assignment.organization):
        yield made


def test_second_adjustment_in_force_is_refused_by_the_database(pair: Pair) -> None:
    pair.adjust(0.5)
    with pytest.raises(IntegrityError, match="one_adjustment_per_grade"), transaction.atomic():
        GradeAdjustmentFactory.create(grade=pair.grade(pair.ben))


@pytest.mark.parametrize(
    ("delta", "reason", "field", "code"),
    [
        (0, REASON, "delta", "delta_zero"),
        (4.5, REASON, "delta", "delta_too_large"),
        (-0.5, " ", "reason", "reason_missing"),
    ],
)
def test_adjustment_that_cannot_be_is_refused(
    pair: Pair, delta: float, reason: str, field: str, code: str
) -> None:
    with pytest.raises(GradeRefused) as refused:
        adjust_grade(grade=pair.grade(pair.ben), delta=delta, reason=reason, by=pair.teacher)
    assert (refused.value.field, refused.value.code) == (field, code)
    assert not GradeAdjustment.objects.exists()


@pytest.mark.parametrize(("delta", "limit"), [(4, 5.0), (-4, 1.0)])
def test_result_stays_within_the_scale_and_nobody_elses_changes(
    pair: Pair, delta: float, limit: float
) -> None:
    before = pair.grade(pair.ada).overall_score
    pair.adjust(delta)
    ben = pair.grade(pair.ben)
    assert (ben.overall_score, ben.adjusted_from) == (limit, before)
    assert (pair.grade(pair.ada).overall_score, pair.grade(pair.ada).adjusted_from) == (
        before,
        None,
    )


def test_next_adjustment_takes_the_place_of_the_last_and_withdrawal_ends_it(pair: Pair) -> None:
    before = pair.grade(pair.ben).overall_score
    assert before is not None
    pair.adjust(0.5)
    pair.adjust(-0.5)
    assert pair.grade(pair.ben).overall_score == before - 0.5
    withdraw_adjustment(grade=pair.grade(pair.ben), by=pair.teacher)
    assert (pair.grade(pair.ben).overall_score, GradeAdjustment.objects.count()) == (before, 2)


def test_student_learns_of_it_with_the_release_and_no_mail_has_it(pair: Pair) -> None:
    before = pair.grade(pair.ben).overall_score
    pair.adjust(0.5)
    attempt = visible_attempts(attempts_of(pair.ben, pair.assignment))[0]
    assert (attempt.visibility, attempt.score) == ("provisional", before)
    assert REASON not in pair.page(pair.ben.user)

    pair.release()
    attempt = visible_attempts(attempts_of(pair.ben, pair.assignment))[0]
    assert attempt.score == pair.grade(pair.ben).overall_score
    assert REASON in pair.page(pair.ben.user)
    assert REASON not in pair.page(pair.ada.user)
    assert not Notice.objects.filter(body__contains=REASON).exists()


def test_adjustment_after_a_release_waits_for_the_next(pair: Pair) -> None:
    pair.release()
    pair.adjust(0.5)
    assert pair.grade(pair.ben).changed is True
    assert pair.grade(pair.ada).changed is False
    assert REASON not in pair.page(pair.ben.user)
    pair.release()
    assert pair.grade(pair.ben).changed is False
    assert REASON in pair.page(pair.ben.user)


def test_criterion_released_alone_keeps_the_adjustment(pair: Pair) -> None:
    pair.adjust(-0.5)
    pair.release()
    release_criterion(
        grade=pair.grade(pair.ben),
        criterion_id=FIRST,
        score=5,
        reason="Seen again.",
        note="",
        by=pair.teacher,
    )
    released = pair.grade(pair.ben).released or {}
    assert released["overall_score"] == released["adjustment"]["before"] - 0.5


def test_points_and_score_move_by_the_same_share() -> None:
    pair = Pair(**{key: {"max_points": 10, "weight": 10} for key in (FIRST, SECOND, THIRD)})
    with scope(organization=pair.assignment.organization):
        CriterionVerdict.objects.update(points=6, max_points=10)
        before = recalculate_grade(grade=pair.grade(pair.ben))
        assert (before.points_possible, before.overall_score is None) == (30, False)
        assert before.points_earned is not None
        pair.adjust(-2)
        after = pair.grade(pair.ben)
        assert after.points_earned == before.points_earned - 2


def test_teacher_adjusts_on_the_page_and_sees_it_at_the_team(pair: Pair) -> None:
    client = Client()
    client.force_login(pair.teacher)
    slug, grade = pair.assignment.organization.slug, pair.grade(pair.ben)
    address = reverse("adjust", args=[slug, pair.audit.pk, grade.pk])
    refused = client.post(address, {"delta": "0", "reason": REASON})
    assert "Enter a number other than 0." in refused.content.decode()
    assert client.post(address, {"delta": "-0.5", "reason": REASON}).status_code == 302
    assert f"-0.50: {REASON}" in pair.page(pair.teacher) or f"-0.5: {REASON}" in pair.page(
        pair.teacher
    )
    assert client.post(address, {"withdraw": "1"}).status_code == 302
    assert pair.grade(pair.ben).adjusted_from is None


def test_grade_on_other_work_is_missing_on_the_page(pair: Pair) -> None:
    other = Pair()
    client = Client()
    client.force_login(pair.teacher)
    slug = pair.assignment.organization.slug
    with scope(organization=other.assignment.organization):
        foreign = other.grade(other.ben).pk
    assert client.get(reverse("adjust", args=[slug, pair.audit.pk, foreign])).status_code == 404


def exported(pair: Pair, **choice: Any) -> list[tuple[str, ...]]:
    """Return name, score, team, change and its reason of each row of the file."""
    options = ExportChoice(criteria=False, **choice)
    lines = stream_of(pair.assignment, table_of(pair.assignment, options))
    columns = ("student", "score", "team", "adjustment", "adjustment_reason")
    rows = csv.DictReader(io.StringIO("".join(lines)))
    return [tuple(row[name] for name in columns) for row in rows]


def test_export_has_the_adjusted_result_with_its_reason(pair: Pair) -> None:
    name = pair.team.name
    before = pair.grade(pair.ben).overall_score
    assert before is not None
    pair.adjust(-0.5)
    ada, ben = (("Ada", f"{before:g}", name, "", ""), ("Ben", f"{before - 0.5:g}", name))
    adjusted = (*ben, "-0.5", REASON)

    everything = exported(pair, everything=True)
    attempts = exported(pair, everything=True, every_attempt=True)
    unreleased = exported(pair)
    pair.release()

    assert [(*row[:1], f"{float(row[1]):g}", *row[2:]) for row in everything] == [ada, adjusted]
    assert attempts == everything
    assert unreleased == [("Ada", "", name, "", ""), ("Ben", "", name, "", "")]
    assert exported(pair) == everything
