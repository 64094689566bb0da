"""Starting points of assignments, and the plan of a cohort's copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from grading.core.enums import LatePolicy, ReleasePolicy
from grading.core.errors import ActionRefused
from grading.models import Assignment, Cohort, Organization


@dataclass(frozen=True, slots=True)
class AssignmentKind:
    """Starting point of a new assignment; `key` is also the name of its shipped rubric."""

    key: str
    label: str
    title: str
    instructions: str
    late_policy: LatePolicy
    max_attempts: int
    release_policy: ReleasePolicy

    def settings(self) -> dict[str, Any]:
        """Return what create_assignment and its form take."""
        return {name: value for name, value in asdict(self).items() if name not in {"key", "label"}}


KINDS = (
    AssignmentKind(
        key="general",
        label="Any software project",
        title="Software project",
        instructions=(
            "Submit the https address of your public git repository. A report as PDF is welcome.\n\n"
            "Each audit shows what was found and what to change. Fix it, and submit again."
        ),
        late_policy=LatePolicy.ACCEPT,
        max_attempts=5,
        release_policy=ReleasePolicy.PROVISIONAL,
    ),
    AssignmentKind(
        key="self_audit",
        label="Self-audit of a LangGraph project, ten criteria from 1 to 5",
        title="LangGraph auditor",
        instructions=(
            "Submit the https address of your public git repository, and your report as PDF.\n\n"
            "Ten criteria are judged on code, history and report. Fix what is found, and submit "
            "again."
        ),
        late_policy=LatePolicy.ACCEPT,
        max_attempts=5,
        release_policy=ReleasePolicy.PROVISIONAL,
    ),
    AssignmentKind(
        key="points",
        label="Points, four criteria with 100 points, with peer feedback",
        title="Project with peer feedback",
        instructions=(
            "Submit the https address of your public git repository, and your report as PDF.\n\n"
            "Four criteria give up to 100 points. Two of them rest on the feedback that you "
            "exchange with your peers."
        ),
        late_policy=LatePolicy.REFUSE,
        max_attempts=3,
        release_policy=ReleasePolicy.AFTER_RELEASE,
    ),
)


def kind_of(key: str) -> AssignmentKind | None:
    return next((kind for kind in KINDS if kind.key == key), None)


def starting_points(organization: Organization) -> list[tuple[str, str]]:
    """Return keys and labels: the shipped kinds, then the organization's newest assignments."""
    kinds = [(f"kind:{kind.key}", kind.label) for kind in KINDS]
    rows = Assignment.objects.filter(organization=organization).select_related("cohort")
    newest = rows.defer("instructions").order_by("-created_at", "-pk")[:30]
    return [*kinds, *((f"assignment:{row.pk}", f"{row.title}, {row.cohort}") for row in newest)]


def starting_values(organization: Organization, key: str) -> Mapping[str, Any]:
    """Return initial values for the form of a new assignment; none for an unknown key.

    Of another assignment everything but its dates is taken.
    """
    source, _, name = key.partition(":")
    if source == "kind" and (kind := kind_of(name)):
        return kind.settings() | {"rubric": f"shipped:{kind.key}"}
    rows = Assignment.objects.filter(organization=organization)
    # No row has the key 0: a word in the address gives nothing.
    row = rows.filter(pk=name if name.isdecimal() else 0).first()
    if source != "assignment" or row is None:
        return {}
    taken = (
        "title",
        "instructions",
        "late_policy",
        "max_attempts",
        "counting_policy",
        "bench",
        "release_policy",
        "appeal_days",
        "max_appeals",
    )
    values = {field: getattr(row, field) for field in taken}
    return values | {"rubric": f"version:{row.rubric_version_id}"}


@dataclass(frozen=True, slots=True)
class CopiedAssignment:
    """Assignment with the dates that its copy will have."""

    source: Assignment
    opens_at: datetime | None
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """Copy of a cohort that begins on `starts_on`; `days` is the shift of every date.

    It is counted from `first_day`: None when the cohort has no date at all.
    """

    first_day: date | None
    starts_on: date
    ends_on: date | None
    days: int
    assignments: tuple[CopiedAssignment, ...]


def first_day_of(cohort: Cohort, assignments: list[Assignment]) -> date | None:
    """Return the cohort's first day, else the local day of its first opening or due date."""
    if cohort.starts_on:
        return cohort.starts_on
    zone = ZoneInfo(cohort.time_zone)
    times = [at for row in assignments for at in (row.opens_at, row.due_at) if at]
    return min(times).astimezone(zone).date() if times else None


def copied_assignments(cohort: Cohort) -> list[Assignment]:
    """Return the assignments that a copy takes. One query."""
    return list(Assignment.objects.filter(cohort=cohort).select_related("rubric_version__rubric"))


def copy_plan(cohort: Cohort, starts_on: date) -> CopyPlan:
    """Return the plan of a copy. One query. Raises ActionRefused dates_out_of_range."""
    try:
        return _copy_plan(cohort, starts_on)
    except OverflowError as error:
        sentence = "With this first day other dates are before the year 1 or after 9999."
        raise ActionRefused("dates_out_of_range", sentence) from error


def _copy_plan(cohort: Cohort, starts_on: date) -> CopyPlan:
    rows = copied_assignments(cohort)
    first = first_day_of(cohort, rows)
    days = (starts_on - first).days if first else 0
    zone = ZoneInfo(cohort.time_zone)
    return CopyPlan(
        first_day=first,
        starts_on=starts_on,
        ends_on=cohort.ends_on + timedelta(days=days) if cohort.ends_on else None,
        days=days,
        assignments=tuple(
            CopiedAssignment(
                source=row,
                opens_at=shifted(row.opens_at, zone, days),
                due_at=shifted(row.due_at, zone, days),
            )
            for row in rows
        ),
    )


def shifted(at: datetime | None, zone: ZoneInfo, days: int) -> datetime | None:
    """Return the time this many days later at the same local time.

    A local time that clocks skip that night becomes the one an hour later.
    """
    if at is None:
        return None
    # Arithmetic within one zone keeps the time of day; the offset follows the new date.
    local = at.astimezone(zone) + timedelta(days=days)
    return local.astimezone(UTC)
