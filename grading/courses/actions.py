"""Create cohorts and assignments, and change an assignment's settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import (
    Bench,
    CountingPolicy,
    LatePolicy,
    ReleasePolicy,
    RubricState,
    TeamFormation,
)
from grading.core.errors import ActionRefused, RubricRefused, SettingsRefused, SlugTaken
from grading.core.time_zones import in_words
from grading.courses.extensions.late_marks import clear_late_marks
from grading.courses.queries import AssignmentUsage, usage_of
from grading.engine.bench_settings import reason_without_models
from grading.models import Assignment, Cohort, Organization, RubricVersion
from grading.notifications.commit_answers import answer_again


def create_cohort(
    *,
    organization: Organization,
    name: str,
    slug: str,
    by: User | None,
    time_zone: str = "UTC",
    starts_on: date | None = None,
    ends_on: date | None = None,
) -> Cohort:
    """Create a cohort. Raises SlugTaken."""
    try:
        with transaction.atomic(), scope(organization=organization):
            cohort = Cohort.objects.create(
                organization=organization,
                name=name,
                slug=slug,
                time_zone=time_zone,
                starts_on=starts_on,
                ends_on=ends_on,
            )
            record_activity(organization=organization, actor=by, verb="cohort.opened", about=cohort)
    # Caught outside of atomic: after the error its transaction takes no more queries.
    except IntegrityError as error:
        raise SlugTaken(
            "slug_taken", f"This organization already has a cohort called “{slug}”."
        ) from error
    return cohort


@dataclass(frozen=True, slots=True)
class CohortSettings:
    """Settings of a cohort; its days are counted in UTC, null without one."""

    name: str
    time_zone: str
    starts_on: date | None
    ends_on: date | None


# Each setting with its name in the log.
COHORT_SETTING_NAMES = {
    "name": "name",
    "time_zone": "time zone",
    "starts_on": "first day",
    "ends_on": "last day",
}


def settings_of_cohort(cohort: Cohort) -> CohortSettings:
    return CohortSettings(**{name: getattr(cohort, name) for name in COHORT_SETTING_NAMES})


def change_cohort(*, cohort: Cohort, settings: CohortSettings, by: User) -> None:
    """Change a cohort's settings. In another time zone deadlines stay at their moment."""
    with transaction.atomic():
        locked = Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
        before, after = asdict(settings_of_cohort(locked)), asdict(settings)
        changed = [name for name in COHORT_SETTING_NAMES if before[name] != after[name]]
        if not changed:
            return

        for name in changed:
            setattr(locked, name, after[name])
        locked.save(update_fields=changed)
        record_activity(
            organization=locked.organization_id,
            actor=by,
            verb="cohort.changed",
            about=locked,
            what=", ".join(COHORT_SETTING_NAMES[name] for name in changed),
            before={name: _json_value(before[name]) for name in changed},
            after={name: _json_value(after[name]) for name in changed},
        )


def create_assignment(
    *,
    cohort: Cohort,
    title: str,
    slug: str,
    rubric_version: RubricVersion,
    by: User | None,
    instructions: str = "",
    opens_at: datetime | None = None,
    due_at: datetime | None = None,
    late_policy: LatePolicy = LatePolicy.REFUSE,
    max_attempts: int = 5,
    counting_policy: CountingPolicy = CountingPolicy.LATEST,
    bench: Bench = Bench.HEURISTIC,
    release_policy: ReleasePolicy = ReleasePolicy.PROVISIONAL,
    appeal_days: int = 7,
    max_appeals: int = 3,
    team_formation: TeamFormation = TeamFormation.NONE,
    team_size_max: int = 3,
) -> Assignment:
    """Create an assignment with a published rubric version.

    For a shipped rubric call adopt_shipped_rubric first. Raises RubricRefused for a draft or
    another organization's version, ActionRefused bench_unavailable, SlugTaken.
    """
    with scope(organization=cohort.organization):
        _check_rubric_and_bench(cohort, rubric_version, bench)

    try:
        with transaction.atomic(), scope(organization=cohort.organization):
            assignment = Assignment.objects.create(
                organization=cohort.organization,
                cohort=cohort,
                title=title,
                slug=slug,
                instructions=instructions,
                rubric_version=rubric_version,
                opens_at=opens_at,
                due_at=due_at,
                late_policy=late_policy,
                max_attempts=max_attempts,
                counting_policy=counting_policy,
                bench=bench,
                release_policy=release_policy,
                appeal_days=appeal_days,
                max_appeals=max_appeals,
                team_formation=team_formation,
                team_size_max=team_size_max,
            )
            record_activity(
                organization=cohort.organization,
                actor=by,
                verb="assignment.created",
                about=assignment,
            )
    except IntegrityError as error:
        # Another constraint that fails is a fault of ours, and no matter of the name.
        if "assignment_slug_once" not in str(error):
            raise
        raise SlugTaken(
            "slug_taken", f"This cohort already has an assignment called “{slug}”."
        ) from error
    return assignment


def _check_rubric_and_bench(cohort: Cohort, version: RubricVersion, bench: Bench) -> None:
    if version.organization_id != cohort.organization_id or version.state == RubricState.DRAFT:
        raise RubricRefused(
            "rubric_not_published", "Only a published rubric of this organization can be used."
        )
    if bench == Bench.LLM and (refusal := reason_without_models(cohort.organization_id)):
        raise ActionRefused("bench_unavailable", refusal.sentence)


# Every setting that can change, with its name in the log.
SETTING_NAMES = {
    "title": "title",
    "instructions": "instructions",
    "opens_at": "opening",
    "due_at": "due date",
    "late_policy": "late policy",
    "max_attempts": "attempts",
    "counting_policy": "attempt that counts",
    "bench": "judges",
    "release_policy": "release policy",
    "appeal_days": "days to appeal",
    "max_appeals": "appeals",
    "team_formation": "teams",
    "team_size_max": "team size",
}


@dataclass(frozen=True, slots=True)
class AssignmentSettings:
    """Settings that an assignment's page can change. Its rubric is changed from a preview."""

    title: str
    instructions: str
    opens_at: datetime | None
    due_at: datetime | None
    late_policy: LatePolicy
    max_attempts: int
    counting_policy: CountingPolicy
    bench: Bench
    release_policy: ReleasePolicy
    appeal_days: int
    max_appeals: int
    team_formation: TeamFormation = TeamFormation.NONE
    team_size_max: int = 3


def settings_of(assignment: Assignment) -> AssignmentSettings:
    return AssignmentSettings(**{name: getattr(assignment, name) for name in SETTING_NAMES})


def change_settings(
    *, assignment: Assignment, settings: AssignmentSettings, by: User | None
) -> Assignment:
    """Change an assignment's settings, but never to the harm of students with submissions.

    Submissions that are on time by a later due date are no longer late, and no others become late:
    _errors refuses a due date before the last on-time submission. Raises SettingsRefused with an
    error for every field that may not change so.
    """
    with transaction.atomic():
        # no_key: submissions that arrive meanwhile refer to this row and need not wait for it.
        locked = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        before, after = asdict(settings_of(locked)), asdict(settings)
        changed = [name for name in SETTING_NAMES if before[name] != after[name]]

        if errors := dict(_errors(locked, settings, usage_of(locked))):
            raise SettingsRefused(errors)
        # No row in the log for a form that was saved unchanged.
        if not changed:
            return locked

        for name in changed:
            setattr(locked, name, after[name])
        locked.save(update_fields=changed)
        if "release_policy" in changed:
            answer_again(organization_id=locked.organization_id, link__assignment=locked)
        if "due_at" in changed:
            clear_late_marks(locked)

        record_activity(
            organization=locked.organization_id,
            actor=by,
            verb="assignment.changed",
            about=locked,
            what=", ".join(SETTING_NAMES[name] for name in changed),
            **_logged_values(changed, before, after),
        )
    return locked


def _errors(
    current: Assignment, settings: AssignmentSettings, usage: AssignmentUsage
) -> Iterator[tuple[str, str]]:
    """Yield (field, sentence) for each change that is not allowed."""
    if settings.bench != current.bench:
        if usage.submissions:
            yield "bench", "There are submissions already: the same judges must judge all of them."
        elif settings.bench == Bench.LLM and (
            refusal := reason_without_models(current.organization_id)
        ):
            yield "bench", refusal.sentence

    if usage.submissions:
        yield from _errors_after_submission(current, settings, usage)
    if usage.released:
        yield from _errors_after_release(current, settings)


def _errors_after_submission(
    current: Assignment, settings: AssignmentSettings, usage: AssignmentUsage
) -> Iterator[tuple[str, str]]:
    """Yield errors for changes of what students relied on when they submitted."""
    # The other direction is allowed: it shows students more than they expected.
    if settings.release_policy != current.release_policy == ReleasePolicy.PROVISIONAL:
        yield (
            "release_policy",
            "Students submitted expecting to see verdicts at once: this can't change now.",
        )

    if settings.counting_policy != current.counting_policy:
        yield (
            "counting_policy",
            "Students submitted knowing which attempt counts: this can't change now.",
        )

    is_alone = settings.team_formation == TeamFormation.NONE
    if is_alone != (current.team_formation == TeamFormation.NONE):
        yield (
            "team_formation",
            "There are submissions already: students and teams can't hand in side by side.",
        )

    # Null is always allowed: without an opening or a due date nobody is refused.
    first, last = usage.first, usage.last_on_time
    zone = ZoneInfo(current.cohort.time_zone)
    opens_at, due_at = settings.opens_at, settings.due_at
    if opens_at != current.opens_at and opens_at and first and opens_at > first:
        yield "opens_at", f"It can't open after the first submission, on {in_words(first, zone)}."
    if due_at != current.due_at and due_at and last and due_at < last:
        time = in_words(last, zone)
        yield "due_at", f"It can't be due before the last on-time submission, on {time}."

    # A limit that is already below what was used may stay, but not fall further.
    if settings.max_attempts < min(current.max_attempts, usage.most_used):
        yield "max_attempts", f"A student has used {usage.most_used} attempts: enter at least that."


def _errors_after_release(
    current: Assignment, settings: AssignmentSettings
) -> Iterator[tuple[str, str]]:
    """Yield errors for changes of what students were promised with their grades."""
    if settings.appeal_days < current.appeal_days:
        yield (
            "appeal_days",
            f"Released grades promised {current.appeal_days} days: enter at least that.",
        )
    if settings.max_appeals < current.max_appeals:
        yield (
            "max_appeals",
            f"Released grades promised {current.max_appeals} appeals: enter at least that.",
        )


def _logged_values(
    changed: list[str], before: dict[str, Any], after: dict[str, Any]
) -> dict[str, Any]:
    """Return old and new values for the log, as plain JSON."""
    # Instructions may be long, and the log keeps every row for ever.
    short = [name for name in changed if name != "instructions"]
    return {
        "before": {name: _json_value(before[name]) for name in short},
        "after": {name: _json_value(after[name]) for name in short},
    }


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value
