"""Students who join while the roster of their cohort is imported."""

from __future__ import annotations

import pytest

from grading.courses.people.join_links import join_cohort
from grading.courses.roster import confirm_roster, preview_roster
from grading.models import Enrollment
from tests.factories.people import (
    JoinLinkFactory,
    UserFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.races import at_once, in_turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_join_during_an_import_waits_for_it_and_neither_is_lost() -> None:
    link = JoinLinkFactory.create()
    cohort, teacher, newcomer = link.cohort, staff_user(link.organization), UserFactory.create()
    student(cohort)
    text = "email\nada@example.org\n"
    with everywhere():
        fingerprint = preview_roster(cohort=cohort, text=text).fingerprint
    in_turn(
        Enrollment,
        lambda: confirm_roster(cohort=cohort, text=text, fingerprint=fingerprint, by=teacher),
        lambda: join_cohort(link=link, user=newcomer, name="Bob"),
    )
    with everywhere():
        assert Enrollment.objects.filter(cohort=cohort).count() == 3


def test_two_clicks_on_join_make_one_place() -> None:
    link, newcomer = JoinLinkFactory.create(), UserFactory.create()
    at_once(lambda: join_cohort(link=link, user=newcomer, name="Bob"))
    with everywhere():
        assert Enrollment.objects.filter(cohort=link.cohort, user=newcomer).count() == 1
