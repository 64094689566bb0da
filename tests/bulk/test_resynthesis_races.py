"""Rules applied anew while the cohort goes: neither waits for what the other holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from grading.core.errors import ActionRefused
from grading.courses.archive.actions import delete_cohort
from grading.courses.archive.cohort_inventory import inventory_of
from grading.models import Audit, Grade
from grading.workflow import resynthesise_audit
from tests.factories.people import staff_user
from tests.factories.races import in_turn
from tests.factories.verdicts import judged, next_version, small_assignment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


class Deletion:
    """Of the cohort of one student with a verdict, by a teacher who has seen what there is."""

    def __init__(self) -> None:
        self.assignment = small_assignment()
        self.audit, self.heavier = judged(self.assignment), next_version(self.assignment, tidy=20.0)
        self.teacher = staff_user(self.assignment.organization)

    def judge_again(self) -> str:
        return code_of(
            lambda: resynthesise_audit(
                audit=self.audit, rubric_version=self.heavier, by=self.teacher
            )
        )

    def delete(self) -> str:
        cohort = self.assignment.cohort
        fingerprint = inventory_of(cohort).fingerprint
        return code_of(
            lambda: delete_cohort(
                cohort=cohort, typed=cohort.slug, fingerprint=fingerprint, by=self.teacher
            )
        )


def code_of(act: Callable[[], Any]) -> str:
    """Of its refusal, empty where it is done."""
    try:
        act()
    except ActionRefused as refused:
        return refused.code
    return ""


def test_cohort_deletion_waits_for_resynthesis_and_reports_change() -> None:
    race = Deletion()
    # A verdict asks for the grade before it writes down its findings.
    assert in_turn(Grade, race.judge_again, race.delete) == ["", "holdings_changed"]


def test_resynthesis_of_deleted_audit_is_refused() -> None:
    race = Deletion()
    # The attempts are the last that whoever deletes asks for.
    assert in_turn(Audit, race.delete, race.judge_again) == ["", "verdict_missing"]
