"""Appeals after any recomputation: both sides can read them, and teachers can answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django_scopes import scope
from hypothesis import given, settings
from hypothesis import strategies as st

from grading import workflow
from grading.appeals.actions import file_appeal
from grading.appeals.decisions import change_score, escalate_appeal, keep_verdict, rejudge_criterion
from grading.audits.queries import current_audit
from grading.bulk.renewals import reaudit, rejudge
from grading.core.enums import AppealState, AuditState, Role, RubricState
from grading.core.errors import ActionRefused, InputRefused
from grading.engine import audits as engine_audits
from grading.engine.events import Verdict
from grading.grades.actions import override_criterion, withdraw_override
from grading.grades.releases import release_grades
from grading.models import Appeal, Audit, Grade, Override, RubricVersion
from grading.workflow import resynthesise_audit
from tests.factories.people import staff_user
from tests.factories.verdicts import judged, next_version, small_assignment
from tests.factories.work import (
    AuditFactory,
    RubricVersionFactory,
    SubmissionFactory,
    claimed,
    criterion_row,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


class Case:
    """One student's released work with an appeal on one of its two criteria, and what may happen to
    it.
    """

    def __init__(self) -> None:
        self.assignment = small_assignment()
        self.organization = self.assignment.organization
        self.owner = staff_user(self.organization, Role.OWNER)
        self.first: Audit = judged(self.assignment)
        self.submission = self.first.submission
        self.attempts = 1

        with scope(organization=self.organization):
            self.release()
            self.appeal: Appeal = file_appeal(
                grade=self.grade,
                criterion_id="tidy",
                text="It is there.",
                by=self.student_user,
                cited=(self.first.report or {})["criteria"][0]["evidence"][:1],
            )

    @property
    def student_user(self) -> Any:
        return self.submission.student.user

    @property
    def grade(self) -> Grade:
        return Grade.objects.get(assignment=self.assignment, student=self.submission.student)

    @property
    def standing(self) -> Audit:
        current = current_audit(self.submission)
        assert current is not None
        return Audit.objects.get(pk=current.pk)

    def now(self) -> Appeal:
        return Appeal.objects.select_related("submission__assignment", "organization").get(
            pk=self.appeal.pk
        )

    def release(self) -> None:
        release_grades(assignment=self.assignment, grades=[self.grade], by=self.owner)

    def override(self) -> None:
        override_criterion(
            submission=self.submission, criterion_id="tidy", score=2, reason="Read.", by=self.owner
        )

    def withdraw_override(self) -> None:
        for standing in Override.objects.filter(submission=self.submission, withdrawn_at=None):
            withdraw_override(override=standing, by=self.owner)

    def rejudge(self) -> None:
        self.end(rejudge(submission=self.submission, by=self.owner, criteria=("tidy",)), tidy=5)

    def reaudit(self) -> None:
        self.end(reaudit(submission=self.submission, by=self.owner), tested=1)

    def fail_reaudit(self) -> None:
        lease = claimed(reaudit(submission=self.submission, by=self.owner))
        workflow.fail_audit(lease=lease, code="repository_gone", message="The repository is gone.")

    def try_again(self) -> None:
        self.attempts += 1
        submission = SubmissionFactory.create(
            assignment=self.assignment, student=self.submission.student, attempt=self.attempts
        )
        self.end(AuditFactory.create(submission=submission), tidy=1)

    def other_rules(self) -> None:
        version = next_version(self.assignment, tidy=20.0)
        resynthesise_audit(audit=self.standing, rubric_version=version, by=self.owner)

    def drop_the_criterion(self) -> None:
        resynthesise_audit(audit=self.standing, rubric_version=self.without_tidy(), by=self.owner)

    def without_tidy(self) -> RubricVersion:
        document = self.assignment.rubric_version.document
        kept = [row for row in document["criteria"] if row["id"] != "tidy"]
        read = engine_audits.read_rubric(json.dumps(document | {"criteria": kept}))
        number = self.assignment.rubric_version.rubric.versions.count() + 1
        version: RubricVersion = RubricVersionFactory.create(
            rubric=self.assignment.rubric_version.rubric,
            number=number,
            document=read.document,
            digest=read.digest,
            state=RubricState.SUPERSEDED,
        )

        return version

    def judge_again_for_it(self) -> None:
        self.end(rejudge_criterion(appeal=self.now(), by=self.owner), tidy=4)

    def leave_judging(self) -> None:
        rejudge_criterion(appeal=self.now(), by=self.owner)

    def escalate(self) -> None:
        escalate_appeal(appeal=self.now(), by=self.owner)

    def end(self, audit: Audit, **scores: int) -> None:
        """The audit ends with a verdict of these scores; its report is the first one's."""
        report: dict[str, Any] = self.first.report or {}
        rows = tuple(
            replace(criterion_row(row["id"]), name=row["name"], score=scores.get(row["id"], 3))
            for row in report["criteria"]
        )
        verdict = Verdict(
            AuditState.DONE, report, self.first.report_digest, 3.0, "c" * 40, rows, ()
        )
        workflow.finish_audit(lease=claimed(audit), verdict=verdict)


WHAT_MAY_HAPPEN: tuple[Callable[[Case], None], ...] = (
    Case.release,
    Case.override,
    Case.withdraw_override,
    Case.rejudge,
    Case.reaudit,
    Case.fail_reaudit,
    Case.try_again,
    Case.other_rules,
    Case.drop_the_criterion,
    Case.judge_again_for_it,
    Case.leave_judging,
    Case.escalate,
)


def status(user: Any, address: str) -> int:
    client = Client()
    client.force_login(user)
    return client.get(address).status_code


def refusal_of_change(case: Case, score: int) -> str:
    try:
        change_score(appeal=case.now(), score=score, answer="Read again.", by=case.owner)
    except ActionRefused as refused:
        return refused.code
    return ""


@settings(max_examples=6, deadline=None)
@given(
    happened=st.lists(st.sampled_from(WHAT_MAY_HAPPEN), min_size=1, max_size=5),
    score=st.integers(1, 5),
)
def test_appeal_stays_readable_and_answerable_after_recomputation(
    happened: list[Callable[[Case], None]], score: int
) -> None:
    case = Case()
    with scope(organization=case.organization):
        for happens in happened:
            with suppress(ActionRefused, InputRefused):  # what cannot be done changes nothing
                happens(case)

    address = f"/o/{case.organization.slug}/appeals/{case.appeal.pk}/"
    assert [status(user, address) for user in (case.student_user, case.owner)] == [200, 200]
    with scope(organization=case.organization):
        assert case.now().is_pending
        refused = refusal_of_change(case, score)
        assert refused in {"", "score_the_same", "criterion_unknown"}
        if refused:
            keep_verdict(appeal=case.now(), answer="It was weighed.", by=case.owner)
        answered = case.now()

    assert (answered.state in (AppealState.KEPT, AppealState.CHANGED), answered.text) == (
        True,
        "It is there.",
    )
    assert [status(user, address) for user in (case.student_user, case.owner)] == [200, 200]
