"""Changing what an assignment asks, without breaking what students were promised when they handed in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.timezone import localtime

from grading.actions.activities import note
from grading.enums import Bench, LatePolicy, ReleasePolicy
from grading.errors import SettingsRefused
from grading.model_bench import can_judge_with_models
from grading.models import Assignment, Submission
from grading.queries.courses.assignments import Footprint, footprint_of

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


def change_settings(*, assignment: Assignment, settings: AssignmentSettings, by: User | None) -> Assignment:
    """Nothing is changed of what stands: who handed in under the old rules is not worse off under the new ones.

    Work that is in time by a later due date is no longer late. Raises SettingsRefused, with every field at fault.
    """
    with transaction.atomic():
        held = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        before, after = asdict(settings_of(held)), asdict(settings)
        changed = [name for name in NAMES if before[name] != after[name]]
        if faults := dict(_faults(held, settings, footprint_of(held))):
            raise SettingsRefused(faults)
        if not changed:
            return held
        for name in changed:
            setattr(held, name, after[name])
        held.save(update_fields=changed)
        if "due_at" in changed:
            _forgive_late(held)
        note(
            organization=held.organization_id, actor=by, verb="assignment.changed", about=held,
            what=", ".join(NAMES[name] for name in changed), **_plain(changed, before, after),
        )  # fmt: skip
    return held


def _faults(now: Assignment, asked: AssignmentSettings, footprint: Footprint) -> Iterator[tuple[str, str]]:
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
    now: Assignment, asked: AssignmentSettings, footprint: Footprint
) -> Iterator[tuple[str, str]]:
    first, last = footprint.first, footprint.last_in_time
    if asked.release_policy != now.release_policy == ReleasePolicy.PROVISIONAL:
        yield "release_policy", "Students have handed in to see their verdicts at once: that stays so."
    if asked.opens_at != now.opens_at and asked.opens_at and first and asked.opens_at > first:
        yield "opens_at", f"Work was handed in on {_moment(first)}: it cannot have opened later."
    if asked.due_at != now.due_at and asked.due_at and last and asked.due_at < last:
        yield "due_at", f"Work was handed in in time until {_moment(last)}: it would be late by this."
    if asked.max_attempts < min(now.max_attempts, footprint.most_used):
        yield "max_attempts", f"Somebody has used {footprint.most_used} attempts: it cannot be fewer."


def _promised_with_a_release(now: Assignment, asked: AssignmentSettings) -> Iterator[tuple[str, str]]:
    if asked.appeal_days < now.appeal_days:
        yield "appeal_days", f"Who was told a grade was told of {now.appeal_days} days: it cannot be fewer."
    if asked.max_appeals < now.max_appeals:
        yield (
            "max_appeals",
            f"Who was told a grade was told of {now.max_appeals} appeals: it cannot be fewer.",
        )


def _forgive_late(assignment: Assignment) -> None:
    late = Submission.objects.filter(assignment=assignment, late=True)
    in_time = late if assignment.due_at is None else late.filter(handed_in_at__lte=assignment.due_at)
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
