"""Copies of cohorts: shifted dates, what is taken, what is not, and the preview before it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from grading.core.enums import CountingPolicy, LatePolicy
from grading.core.errors import SlugTaken
from grading.courses.actions import settings_of
from grading.courses.copies.actions import copy_cohort
from grading.courses.copies.queries import copy_plan, shifted
from grading.models import Assignment, Cohort, Enrollment, Extension, Submission
from tests.factories.extensions import ExtensionFactory
from tests.factories.graded_work import signed_in
from tests.factories.people import CohortFactory, everywhere, staff_user, student
from tests.factories.running_round import words_of
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
BERLIN = ZoneInfo("Europe/Berlin")
# 23:59 in Berlin, in summer.
DUE = datetime(2026, 10, 20, 21, 59, tzinfo=UTC)


@pytest.fixture
def cohort() -> Cohort:
    made: Cohort = CohortFactory.create(
        name="Autumn 2026",
        time_zone="Europe/Berlin",
        starts_on=date(2026, 10, 1),
        ends_on=date(2026, 12, 20),
    )
    return made


@pytest.fixture
def assignment(cohort: Cohort) -> Assignment:
    made: Assignment = AssignmentFactory.create(
        cohort=cohort,
        title="Week 2",
        due_at=DUE,
        late_policy=LatePolicy.ACCEPT,
        max_attempts=3,
        counting_policy=CountingPolicy.BEST,
    )
    return made


@pytest.fixture
def teacher(cohort: Cohort) -> User:
    return staff_user(cohort.organization)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (1, datetime(2026, 10, 21, 21, 59, tzinfo=UTC)),
        # After the clocks went back, 23:59 in Berlin is an hour later in UTC.
        (7, datetime(2026, 10, 27, 22, 59, tzinfo=UTC)),
        (-30, datetime(2026, 9, 20, 21, 59, tzinfo=UTC)),
    ],
)
def test_date_moves_by_days_and_keeps_its_local_time(days: int, expected: datetime) -> None:
    assert shifted(DUE, BERLIN, days) == expected


def test_time_that_the_clocks_skip_becomes_an_hour_later() -> None:
    # 02:30 on 28 March 2027 does not exist in Berlin.
    before = datetime(2027, 3, 27, 1, 30, tzinfo=UTC)
    moved = shifted(before, BERLIN, 1)
    assert moved is not None
    assert f"{moved.astimezone(BERLIN):%d %H:%M}" == "28 03:30"


def test_copy_has_assignments_settings_and_rubrics_but_no_people_and_work(
    cohort: Cohort, assignment: Assignment, teacher: User
) -> None:
    ada = student(cohort)
    SubmissionFactory.create(assignment=assignment, student=ada)
    ExtensionFactory.create(assignment=assignment, student=ada, max_attempts=9)
    copy = copy_cohort(
        cohort=cohort, name="Spring", slug="spring", starts_on=date(2027, 3, 1), by=teacher
    )
    with everywhere():
        made = Assignment.objects.get(cohort=copy)
        same = settings_of(assignment)
        assert settings_of(made) == type(same)(
            **{
                **{name: getattr(same, name) for name in same.__slots__},
                "due_at": datetime(2027, 3, 20, 22, 59, tzinfo=UTC),
            }
        )
        assert made.rubric_version_id == assignment.rubric_version_id
        assert (copy.starts_on, copy.ends_on) == (date(2027, 3, 1), date(2027, 5, 20))
        assert Enrollment.objects.filter(cohort=copy).count() == 0
        assert Submission.objects.filter(assignment=made).count() == 0
        assert Extension.objects.filter(assignment=made).count() == 0


def test_cohort_without_a_first_day_moves_from_its_first_date() -> None:
    cohort = CohortFactory.create(time_zone="Europe/Berlin")
    AssignmentFactory.create(cohort=cohort, due_at=DUE)
    AssignmentFactory.create(cohort=cohort)
    with everywhere():
        plan = copy_plan(cohort, date(2026, 10, 21))
    assert plan.first_day == date(2026, 10, 20)
    assert (plan.days, [row.due_at for row in plan.assignments]) == (
        1,
        [datetime(2026, 10, 21, 21, 59, tzinfo=UTC), None],
    )


def test_preview_says_from_which_day_it_counts_without_a_first_day(
    cohort: Cohort, assignment: Assignment, teacher: User
) -> None:
    client = signed_in(teacher)
    address = f"/o/{cohort.organization.slug}/c/{cohort.slug}/copy/"
    fields = {"name": "Spring 2027", "starts_on": "2027-03-01", "do": "preview"}
    note = "has no first day, so its first date counts as one"
    assert note not in words_of(client.post(address, fields).text)
    with everywhere():
        Cohort.objects.update(starts_on=None, ends_on=None)
    assert f"Autumn 2026 {note}: 20 October 2026." in words_of(client.post(address, fields).text)


def test_taken_name_copies_nothing(cohort: Cohort, assignment: Assignment, teacher: User) -> None:
    with pytest.raises(SlugTaken):
        copy_cohort(
            cohort=cohort, name="Same", slug=cohort.slug, starts_on=date(2027, 3, 1), by=teacher
        )
    with everywhere():
        assert (Cohort.objects.count(), Assignment.objects.count()) == (1, 1)


@pytest.mark.parametrize("first_day", ["9999-12-31", "0001-01-01"])
def test_first_day_that_moves_a_date_out_of_the_calendar_is_refused(
    first_day: str, cohort: Cohort, assignment: Assignment, teacher: User
) -> None:
    address = f"/o/{cohort.organization.slug}/c/{cohort.slug}/copy/"
    with everywhere():
        Assignment.objects.update(opens_at=datetime(2026, 9, 1, tzinfo=UTC))
    fields = {"name": "Spring", "starts_on": first_day, "do": "create"}
    form = signed_in(teacher).post(address, fields).context["form"]
    assert list(form.errors) == ["starts_on"]
    with everywhere():
        assert Cohort.objects.count() == 1
        # The page itself moves no date to an early day.
        Cohort.objects.update(starts_on=date(9999, 1, 1), ends_on=None)
    assert signed_in(teacher).get(address).status_code == 200


def test_preview_saves_nothing_and_create_makes_what_it_showed(
    cohort: Cohort, assignment: Assignment, teacher: User
) -> None:
    client = signed_in(teacher)
    address = f"/o/{cohort.organization.slug}/c/{cohort.slug}/copy/"
    fields = {"name": "Spring 2027", "starts_on": "2027-03-01", "do": "preview"}
    page = client.post(address, fields)
    assert [row.source.title for row in page.context["plan"].assignments] == ["Week 2"]
    fingerprint = page.context["form"].fingerprint
    with everywhere():
        assert Cohort.objects.count() == 1

    create = fields | {"do": "create", "seen": fingerprint}
    with everywhere():
        Assignment.objects.update(title="Week 3")
    assert len(client.post(address, create).context["form"].non_field_errors()) == 1
    del create["seen"]
    answer = client.post(address, create)
    assert answer.headers["Location"] == f"/o/{cohort.organization.slug}/c/spring-2027/"


def test_new_assignment_starts_from_a_kind_or_an_own_assignment(
    cohort: Cohort, assignment: Assignment, teacher: User
) -> None:
    foreign = AssignmentFactory.create(title="Of others")
    client = signed_in(teacher)
    address = f"/o/{cohort.organization.slug}/c/{cohort.slug}/a/new/"

    def initial(start: str) -> tuple[Any, ...]:
        form = client.get(address, {"start": start}).context["form"]
        return tuple(form[name].value() for name in ("title", "max_attempts", "rubric", "due_at"))

    assert initial("kind:points") == ("Project with peer feedback", 3, "shipped:points", None)
    version = f"version:{assignment.rubric_version_id}"
    assert initial(f"assignment:{assignment.pk}") == ("Week 2", 3, version, None)
    assert initial(f"assignment:{foreign.pk}") == (None, 5, None, None)
