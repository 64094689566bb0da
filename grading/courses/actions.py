"""Opening a cohort and filling its roster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.timezone import localtime
from django_scopes import scope

from grading.core.activity import record_activity
from grading.core.enums import Bench, LatePolicy, ReleasePolicy, RubricState
from grading.core.errors import ActionRefused, RubricRefused, SettingsRefused, SlugTaken
from grading.courses.queries import AssignmentUsage, usage_of
from grading.engine.model_bench import can_judge_with_models
from grading.models import Assignment, Cohort, Organization, RubricVersion, Submission


def create_cohort(
    *,
    organization: Organization,
    name: str,
    slug: str,
    by: User | None,
    starts_on: date | None = None,
    ends_on: date | None = None,
) -> Cohort:
    """A new cohort. Raises SlugTaken."""
    try:
        with transaction.atomic(), scope(organization=organization):
            cohort = Cohort.objects.create(
                organization=organization,
                name=name,
                slug=slug,
                starts_on=starts_on,
                ends_on=ends_on,
            )
            record_activity(organization=organization, actor=by, verb="cohort.opened", about=cohort)
    except IntegrityError as error:
        raise SlugTaken(
            "slug_taken", f"This organization has a cohort called “{slug}” already."
        ) from error
    return cohort


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
    bench: Bench = Bench.HEURISTIC,
    release_policy: ReleasePolicy = ReleasePolicy.PROVISIONAL,
    appeal_days: int = 7,
    max_appeals: int = 3,
) -> Assignment:
    """A new assignment, judged by a published rubric version (for a shipped one: adopt_shipped_rubric).

    Raises RubricRefused for a draft or a foreign version, ActionRefused bench_unavailable, SlugTaken.
    """
    with scope(organization=cohort.organization):
        _refuse_unfit(cohort, rubric_version, bench)
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
                bench=bench,
                release_policy=release_policy,
                appeal_days=appeal_days,
                max_appeals=max_appeals,
            )
            record_activity(
                organization=cohort.organization,
                actor=by,
                verb="assignment.created",
                about=assignment,
            )
    except IntegrityError as error:
        if "assignment_slug_once" not in str(error):
            raise
        raise SlugTaken(
            "slug_taken", f"This cohort has an assignment called “{slug}” already."
        ) from error
    return assignment


def _refuse_unfit(cohort: Cohort, version: RubricVersion, bench: Bench) -> None:
    if version.organization_id != cohort.organization_id or version.state == RubricState.DRAFT:
        raise RubricRefused(
            "rubric_not_published", "Only a published rubric of this organization can be used."
        )
    if bench == Bench.LLM and not can_judge_with_models(cohort.organization_id):
        raise ActionRefused("bench_unavailable", "No language models are configured on this site.")


# As the log names what was changed.
NAMES = {
    "title": "title",
    "instructions": "instructions",
    "opens_at": "opening",
    "due_at": "due date",
    "late_policy": "late policy",
    "max_attempts": "attempts",
    "bench": "judges",
    "release_policy": "release policy",
    "appeal_days": "days to appeal",
    "max_appeals": "appeals",
}


@dataclass(frozen=True, slots=True)
class AssignmentSettings:
    """All that can be changed of an assignment on its page; its rubric is adopted from a preview."""

    title: str
    instructions: str
    opens_at: datetime | None
    due_at: datetime | None
    late_policy: LatePolicy
    max_attempts: int
    bench: Bench
    release_policy: ReleasePolicy
    appeal_days: int
    max_appeals: int


def settings_of(assignment: Assignment) -> AssignmentSettings:
    return AssignmentSettings(**{name: getattr(assignment, name) for name in NAMES})


def change_settings(
    *, assignment: Assignment, settings: AssignmentSettings, by: User | None
) -> Assignment:
    """Nothing is changed of what stands: who handed in under the old rules is not worse off under the new ones.

    Work that is in time by a later due date is no longer late. Raises SettingsRefused, with every field at fault.
    """
    with transaction.atomic():
        held = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        before, after = asdict(settings_of(held)), asdict(settings)
        changed = [name for name in NAMES if before[name] != after[name]]
        if faults := dict(_faults(held, settings, usage_of(held))):
            raise SettingsRefused(faults)
        if not changed:
            return held
        for name in changed:
            setattr(held, name, after[name])
        held.save(update_fields=changed)
        if "due_at" in changed:
            _forgive_late(held)
        record_activity(
            organization=held.organization_id,
            actor=by,
            verb="assignment.changed",
            about=held,
            what=", ".join(NAMES[name] for name in changed),
            **_plain(changed, before, after),
        )
    return held


def _faults(
    now: Assignment, asked: AssignmentSettings, footprint: AssignmentUsage
) -> Iterator[tuple[str, str]]:
    """Field by field, why what changed of it cannot be as it is asked."""
    if asked.bench != now.bench:
        if footprint.handed_in:
            yield "bench", "Work was handed in already: all of it is judged by the same judges."
        elif asked.bench == Bench.LLM and not can_judge_with_models(now.organization_id):
            yield "bench", "No language models are configured on this site."
    if footprint.handed_in:
        yield from _relied_on_at_a_hand_in(now, asked, footprint)
    if footprint.released:
        yield from _promised_with_a_release(now, asked)


def _relied_on_at_a_hand_in(
    now: Assignment, asked: AssignmentSettings, footprint: AssignmentUsage
) -> Iterator[tuple[str, str]]:
    first, last = footprint.first, footprint.last_in_time
    if asked.release_policy != now.release_policy == ReleasePolicy.PROVISIONAL:
        yield (
            "release_policy",
            "Students have handed in to see their verdicts at once: that stays so.",
        )
    if asked.opens_at != now.opens_at and asked.opens_at and first and asked.opens_at > first:
        yield "opens_at", f"Work was handed in on {_moment(first)}: it cannot have opened later."
    if asked.due_at != now.due_at and asked.due_at and last and asked.due_at < last:
        yield (
            "due_at",
            f"Work was handed in in time until {_moment(last)}: it would be late by this.",
        )
    if asked.max_attempts < min(now.max_attempts, footprint.most_used):
        yield (
            "max_attempts",
            f"Somebody has used {footprint.most_used} attempts: it cannot be fewer.",
        )


def _promised_with_a_release(
    now: Assignment, asked: AssignmentSettings
) -> Iterator[tuple[str, str]]:
    if asked.appeal_days < now.appeal_days:
        yield (
            "appeal_days",
            f"Who was told a grade was told of {now.appeal_days} days: it cannot be fewer.",
        )
    if asked.max_appeals < now.max_appeals:
        yield (
            "max_appeals",
            f"Who was told a grade was told of {now.max_appeals} appeals: it cannot be fewer.",
        )


def _forgive_late(assignment: Assignment) -> None:
    late = Submission.objects.filter(assignment=assignment, late=True)
    in_time = (
        late if assignment.due_at is None else late.filter(handed_in_at__lte=assignment.due_at)
    )
    in_time.update(late=False)


def _plain(changed: list[str], before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Old and new values for the log, but for long texts."""
    short = [name for name in changed if name != "instructions"]
    return {
        "before": {name: _word(before[name]) for name in short},
        "after": {name: _word(after[name]) for name in short},
    }


def _word(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _moment(at: datetime) -> str:
    return f"{localtime(at):%d %B %Y, %H:%M %Z}"
