"""Changes of an assignment's settings: refusals after submissions and releases, and the log."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from grading.core.enums import Bench, CountingPolicy, LatePolicy, ReleasePolicy
from grading.core.errors import SettingsRefused
from grading.courses.actions import change_settings, settings_of
from grading.models import Activity, Assignment, Submission
from tests.core.test_stale_forms import CHANGED, fields_of
from tests.factories.graded_work import page_of, signed_in
from tests.factories.grades import GradeFactory
from tests.factories.people import everywhere, staff_user
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 10, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(
        title="Week 2", due_at=NOON + HOUR, max_attempts=3, release_policy=ReleasePolicy.PROVISIONAL
    )
    return made


@pytest.fixture
def teacher(assignment: Assignment) -> User:
    return staff_user(assignment.organization)


def changed(assignment: Assignment, by: User | None, **changes: Any) -> Assignment:
    with everywhere():
        settings = replace(settings_of(assignment), **changes)
        return change_settings(assignment=assignment, settings=settings, by=by)


def refused(assignment: Assignment, **changes: Any) -> dict[str, str]:
    with pytest.raises(SettingsRefused) as refusal:
        changed(assignment, None, **changes)
    with everywhere():
        assert settings_of(Assignment.objects.get()) == settings_of(assignment)
    return refusal.value.faults


def handed_in(assignment: Assignment, times: int = 2, **fields: Any) -> None:
    """By one student, at noon and an hour later each."""
    first = SubmissionFactory.create(assignment=assignment, handed_in_at=NOON, **fields)
    for number in range(1, times):
        SubmissionFactory.create(
            assignment=assignment,
            student=first.student,
            attempt=number + 1,
            handed_in_at=NOON + number * HOUR,
            **fields,
        )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"bench": Bench.LLM},
            "There are submissions already: the same judges must judge all of them.",
        ),
        (
            {"opens_at": NOON + HOUR / 2},
            "It can't open after the first submission, on 01 October 2026, 12:00 UTC.",
        ),
        (
            {"due_at": NOON + HOUR / 2},
            "It can't be due before the last on-time submission, on 01 October 2026, 13:00 UTC.",
        ),
        ({"max_attempts": 1}, "A student has used 2 attempts: enter at least that."),
        (
            {"release_policy": ReleasePolicy.AFTER_RELEASE},
            "Students submitted expecting to see verdicts at once: this can't change now.",
        ),
        (
            {"counting_policy": CountingPolicy.BEST},
            "Students submitted knowing which attempt counts: this can't change now.",
        ),
    ],
)
def test_settings_students_relied_on_cannot_change_after_submission(
    assignment: Assignment, changes: dict[str, Any], sentence: str
) -> None:
    handed_in(assignment)
    assert refused(assignment, **changes) == {next(iter(changes)): sentence}


def test_model_bench_needs_configured_models(assignment: Assignment, settings: Any) -> None:
    assert refused(assignment, bench=Bench.LLM) == {
        "bench": "No language models are configured here."
    }
    settings.PROSECUTOR_MODEL = settings.DEFENSE_MODEL = settings.TECH_LEAD_MODEL = "a-model"
    assert changed(assignment, None, bench=Bench.LLM).bench == Bench.LLM


def test_appeal_limits_cannot_shrink_after_release(assignment: Assignment) -> None:
    GradeFactory.create(
        audit=AuditFactory.create(done=True, submission__assignment=assignment),
        released={},
        released_at=NOON,
    )
    faults = refused(assignment, appeal_days=6, max_appeals=2)
    assert faults == {
        "appeal_days": "Released grades promised 7 days: enter at least that.",
        "max_appeals": "Released grades promised 3 appeals: enter at least that.",
    }
    assert changed(assignment, None, appeal_days=14, max_appeals=5).appeal_days == 14


def test_all_settings_can_change_before_submissions_and_are_logged(
    assignment: Assignment, teacher: User
) -> None:
    now = changed(
        assignment,
        teacher,
        title="Week 3",
        instructions="Do it.",
        due_at=None,
        max_attempts=1,
        counting_policy=CountingPolicy.BEST,
        late_policy=LatePolicy.ACCEPT,
        release_policy=ReleasePolicy.AFTER_RELEASE,
        appeal_days=0,
        max_appeals=0,
    )
    assert (now.title, now.due_at, now.max_appeals) == ("Week 3", None, 0)
    with everywhere():
        noted = Activity.objects.get(verb="assignment.changed")
    assert noted.actor_id == teacher.pk
    assert noted.detail["what"] == (
        "title, instructions, due date, late policy, attempts, attempt that counts, "
        "release policy, days to appeal, appeals"
    )
    assert (noted.detail["before"]["due_at"], noted.detail["after"]["due_at"]) == (
        "2026-10-01T13:00:00+00:00",
        None,
    )


def test_unchanged_settings_are_not_logged(assignment: Assignment) -> None:
    changed(assignment, None)
    with everywhere():
        assert not Activity.objects.exists()


def test_later_due_date_clears_late_marks(assignment: Assignment) -> None:
    handed_in(assignment, times=4, late=True)
    changed(assignment, None, due_at=NOON + 2 * HOUR)
    with everywhere():
        assert list(Submission.objects.order_by("attempt").values_list("late", flat=True)) == [
            False,
            False,
            False,
            True,
        ]
    with everywhere():
        assignment.refresh_from_db()
    changed(assignment, None, due_at=None)
    with everywhere():
        assert not Submission.objects.filter(late=True).exists()


# The page


@pytest.fixture
def client(teacher: User) -> Client:
    return signed_in(teacher)


def typed(assignment: Assignment, **fields: Any) -> dict[str, Any]:
    """Return the fields a browser posts, some of them changed."""
    given = {
        "title": assignment.title,
        "instructions": "",
        "opens_at": "",
        "due_at": "2026-10-01T13:00",
        "late_policy": "refuse",
        "team_formation": "none",
        "team_size_max": "3",
        "max_attempts": "3",
        "counting_policy": "latest",
        "bench": "heuristic",
        "release_policy": "provisional",
        "appeal_days": "7",
        "max_appeals": "3",
    }
    return given | fields


def test_refused_settings_keep_the_input(client: Client, assignment: Assignment) -> None:
    handed_in(assignment)
    address = page_of(assignment, "assignment-settings")
    assert address in client.get(page_of(assignment, "assignment")).content.decode()
    answer = client.post(
        address, typed(assignment, title="Longer", max_attempts="1", due_at="2026-10-01T12:30")
    )
    assert set(answer.context["form"].errors) == {"max_attempts", "due_at"}
    page = answer.content.decode()
    assert ('value="Longer"' in page, 'value="2026-10-01T12:30"' in page, faults_of(page)) == (
        True,
        True,
        [],
    )
    assert client.post(address, typed(assignment, title="Longer")).status_code == 302
    with everywhere():
        assert Assignment.objects.get().title == "Longer"


def test_unchanged_time_keeps_its_seconds(client: Client, assignment: Assignment) -> None:
    to_the_second = NOON + HOUR + timedelta(seconds=59)
    with everywhere():
        Assignment.objects.update(due_at=to_the_second)
    handed_in(assignment, times=1)
    client.post(page_of(assignment, "assignment-settings"), typed(assignment, title="Longer"))
    with everywhere():
        assert Assignment.objects.values_list("title", "due_at").get() == ("Longer", to_the_second)


def test_concurrent_settings_change_is_not_overwritten(
    client: Client, assignment: Assignment, teacher: User
) -> None:
    address = page_of(assignment, "assignment-settings")
    hidden = fields_of(client.get(address).content.decode(), address)
    changed(assignment, teacher, max_attempts=9)
    page = client.post(address, typed(assignment, title="Mine") | hidden).content.decode()
    assert (CHANGED in page, 'value="Mine"' in page) == (True, True)
    with everywhere():
        assert Assignment.objects.get().max_attempts == 9
