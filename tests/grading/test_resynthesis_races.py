"""Rules applied anew while the cohort goes: neither waits for what the other holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from grading.actions.bulk.resynthesis import resynthesise_audit
from grading.actions.courses.cohort_deletion import delete_cohort
from grading.errors import ActionRefused
from grading.models import Audit, Grade
from grading.queries.courses.holdings import holdings_of
from tests.factories.people import everywhere, staff_user
from tests.factories.verdicts import judged, next_version, small_assignment
from tests.faults.site import eventually
from tests.grading.test_appeal_races import waiting_for_a_row

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


class Deletion:
    """Of the cohort of one student with a verdict, by a teacher who has seen what there is."""

    def __init__(self) -> None:
        self.assignment = small_assignment()
        self.audit, self.heavier = judged(self.assignment), next_version(self.assignment, tidy=20.0)
        self.teacher = staff_user(self.assignment.organization)

    def judge_again(self) -> str:
        return self._alone(
            lambda: resynthesise_audit(audit=self.audit, rubric_version=self.heavier, by=self.teacher)
        )

    def delete(self) -> str:
        cohort = self.assignment.cohort

        def act() -> None:
            seen = holdings_of(cohort).fingerprint
            delete_cohort(cohort=cohort, typed=cohort.slug, seen=seen, by=self.teacher)

        return self._alone(act)

    @staticmethod
    def _alone(act: Any) -> str:
        try:
            with everywhere():
                act()
        except ActionRefused as refused:
            return refused.code
        finally:
            connection.close()
        return ""


def held(model: Any) -> list[Any]:
    """Its rows, for nobody else until the transaction ends."""
    return list(model.objects.select_for_update().values_list("pk"))


def test_whoever_deletes_a_cohort_waits_for_new_rules_and_is_told_what_they_changed() -> None:
    race = Deletion()
    with ThreadPoolExecutor(2) as pool:
        with everywhere(), transaction.atomic():
            held(Grade)  # which a verdict asks for before it writes down its findings
            judges = pool.submit(race.judge_again)
            eventually(lambda: waiting_for_a_row() == 1)
            deletes = pool.submit(race.delete)
            eventually(lambda: waiting_for_a_row() == 2)
        assert (judges.result(), deletes.result()) == ("", "holdings_changed")


def test_what_was_deleted_meanwhile_is_refused_new_rules() -> None:
    race = Deletion()
    with ThreadPoolExecutor(2) as pool:
        with everywhere(), transaction.atomic():
            held(Audit)  # which is the last that whoever deletes asks for
            deletes = pool.submit(race.delete)
            eventually(lambda: waiting_for_a_row() == 1)
            judges = pool.submit(race.judge_again)
            eventually(lambda: waiting_for_a_row() == 2)
        assert (deletes.result(), judges.result()) == ("", "verdict_missing")
