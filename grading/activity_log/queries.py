"""A cohort's log: who did what, newest first, with everything named in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from grading.models import (
    Activity,
    Appeal,
    Assignment,
    Audit,
    BulkRun,
    Cohort,
    Enrollment,
    Grade,
    PairingRound,
    Submission,
)


@dataclass(frozen=True, slots=True)
class LogFilter:
    """`family` is what stands before the dot of a verb; `actor` 0 asks for what the site did itself."""

    family: str = ""
    actor: int | None = None
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class LogCursor:
    """Where a page of the log ends: the next begins with what is older. It stands in the address."""

    at: datetime
    key: int

    def __str__(self) -> str:
        return f"{self.at.timestamp():.6f}-{self.key}"


@dataclass(frozen=True, slots=True)
class ObjectLabel:
    """What an activity is about, in words; `audit_id`, `appeal_id` or `assignment` say where its page is."""

    words: str
    audit_id: Any = None
    appeal_id: int | None = None
    assignment: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """`actor` is "" where the site itself acted; `about` null for what is no more, or was never named."""

    at: datetime
    actor: str
    verb: str
    detail: dict[str, Any]
    about: ObjectLabel | None


@dataclass(frozen=True, slots=True)
class LogPage:
    entries: tuple[Entry, ...]
    older: LogCursor | None


def log_of(
    cohort: Cohort, narrowed: LogFilter, *, before: LogCursor | None = None, limit: int = 100
) -> LogPage:
    """One page; as many queries for one entry as for a hundred."""
    rows = list(_narrowed(cohort, narrowed, before).order_by("-at", "-pk")[: limit + 1])
    shown = rows[:limit]
    people = _people(cohort, {row.actor_id for row in shown if row.actor_id})
    abouts = _abouts(shown)
    entries = tuple(
        Entry(
            at=row.at,
            actor=people.get(row.actor_id, "somebody who is gone") if row.actor_id else "",
            verb=row.verb,
            detail=row.detail,
            about=abouts.get((row.object_type, row.object_id)),
        )
        for row in shown
    )
    return LogPage(entries, LogCursor(shown[-1].at, shown[-1].pk) if len(rows) > limit else None)


def actors_of(cohort: Cohort) -> dict[int, str]:
    """Everybody who ever did something there, by name."""
    keys = (
        Activity.objects.filter(cohort=cohort)
        .exclude(actor_id=None)
        .order_by()
        .values_list("actor_id", flat=True)
    )
    people = _people(cohort, set(keys.distinct()))
    return dict(sorted(people.items(), key=lambda person: person[1].lower()))


def _narrowed(cohort: Cohort, narrowed: LogFilter, before: LogCursor | None) -> QuerySet[Activity]:
    rows = Activity.objects.filter(cohort=cohort)
    if narrowed.family:
        rows = rows.filter(verb__startswith=f"{narrowed.family}.")
    if narrowed.actor is not None:
        rows = rows.filter(actor_id=narrowed.actor or None)
    if narrowed.since:
        rows = rows.filter(at__date__gte=narrowed.since)
    if narrowed.until:
        rows = rows.filter(at__date__lte=narrowed.until)
    return rows.filter(Q(at__lt=before.at) | Q(at=before.at, pk__lt=before.key)) if before else rows


def _people(cohort: Cohort, keys: set[int]) -> dict[int, str]:
    """Students by the roster's name, others by their address."""
    named = {
        user.pk: user.get_full_name() or user.email for user in User.objects.filter(pk__in=keys)
    }
    enrolled = Enrollment.objects.filter(cohort=cohort, user__in=keys)
    return named | {place.user_id: str(place) for place in enrolled if place.user_id}


def _abouts(rows: Iterable[Activity]) -> dict[tuple[str, str], ObjectLabel]:
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        keys[row.object_type].add(row.object_id)
    return {
        (kind, str(key)): named
        for kind, read in _READERS.items()
        if keys[kind]
        for key, named in read(keys[kind]).items()
    }


def _submissions(keys: set[str]) -> dict[Any, ObjectLabel]:
    found = Submission.objects.filter(pk__in=keys).select_related("student", "assignment")
    return {each.pk: ObjectLabel(_work(each)) for each in found}


def _audits(keys: set[str]) -> dict[Any, ObjectLabel]:
    found = Audit.objects.filter(pk__in=keys).select_related(
        "submission__student", "submission__assignment"
    )
    return {
        each.pk: ObjectLabel(_work(each.submission), audit_id=each.pk)
        for each in found.defer("report")
    }


def _grades(keys: set[str]) -> dict[Any, ObjectLabel]:
    found = (
        Grade.objects.filter(pk__in=keys).select_related("student", "assignment").defer("released")
    )
    return {
        each.pk: ObjectLabel(f"{each.student}, {each.assignment.title}", audit_id=each.audit_id)
        for each in found
    }


def _appeals(keys: set[str]) -> dict[Any, ObjectLabel]:
    found = Appeal.objects.filter(pk__in=keys).select_related(
        "submission__student", "submission__assignment"
    )
    return {each.pk: ObjectLabel(_work(each.submission), appeal_id=each.pk) for each in found}


def _assignments(keys: set[str]) -> dict[Any, ObjectLabel]:
    return {
        each.pk: ObjectLabel(each.title, assignment=each.slug)
        for each in Assignment.objects.filter(pk__in=keys)
    }


def _bulk_runs(keys: set[str]) -> dict[Any, ObjectLabel]:
    found = BulkRun.objects.filter(pk__in=keys).select_related("assignment")
    return {
        each.pk: ObjectLabel(each.assignment.title, assignment=each.assignment.slug)
        for each in found
    }


def _rounds(keys: set[str]) -> dict[Any, ObjectLabel]:
    found = PairingRound.objects.filter(pk__in=keys).select_related("assignment")
    return {
        each.pk: ObjectLabel(each.assignment.title, assignment=each.assignment.slug)
        for each in found
    }


def _enrollments(keys: set[str]) -> dict[Any, ObjectLabel]:
    return {each.pk: ObjectLabel(str(each)) for each in Enrollment.objects.filter(pk__in=keys)}


def _work(submission: Submission) -> str:
    return f"{submission.student}, {submission.assignment.title}, attempt {submission.attempt}"


_READERS: dict[str, Callable[[set[str]], dict[Any, ObjectLabel]]] = {
    "submission": _submissions,
    "audit": _audits,
    "grade": _grades,
    "appeal": _appeals,
    "assignment": _assignments,
    "bulkrun": _bulk_runs,
    "pairinground": _rounds,
    "enrollment": _enrollments,
}
