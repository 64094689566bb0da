"""Read the log of a cohort, or of an organization without its cohorts, newest first.

The number of queries is fixed, labels of the objects included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast

from grading.core.permissions import may
from grading.core.team_access import is_readable_for_user
from grading.models import (
    Activity,
    Appeal,
    Assignment,
    Audit,
    BulkRun,
    Cohort,
    Comment,
    Enrollment,
    Grade,
    Membership,
    Organization,
    PairingRound,
    StaffNote,
    Submission,
)

Place = Cohort | Organization


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Filters of a log. `family` is the part of a verb before the dot; `actor` 0 is the site
    itself.
    """

    family: str = ""
    actor: int | None = None
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class LogCursor:
    """Last entry of a page, as it is written in an address: the next page starts with older
    entries.
    """

    at: datetime
    key: int

    def __str__(self) -> str:
        return f"{self.at.timestamp():.6f}-{self.key}"


@dataclass(frozen=True, slots=True)
class ObjectLabel:
    """Label of an activity's object. `audit_id`, `appeal_id` or `assignment` (a slug) name its
    page.
    """

    text: str
    audit_id: Any = None
    appeal_id: int | None = None
    assignment: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry of a log. `actor` is "" for the site; `about` null for deleted objects and unlabelled
    kinds.
    """

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
    place: Place,
    log_filter: LogFilter,
    *,
    reader: User,
    before: LogCursor | None = None,
    limit: int = 100,
) -> LogPage:
    """Return one page of the log. The number of queries does not depend on the entries.

    What was done about an assistant's own work is left out for them.
    """
    # One row more than the page shows says whether there are older ones.
    readable = _filtered(place, log_filter, before).exclude(_about_own_work(place, reader))
    rows = list(readable.order_by("-at", "-pk")[: limit + 1])
    page_rows = rows[:limit]
    people = _people(place, {row.actor_id for row in page_rows if row.actor_id})
    labels = _labels(page_rows)

    entries = tuple(
        Entry(
            at=row.at,
            actor=people.get(row.actor_id, "a deleted account") if row.actor_id else "",
            verb=row.verb,
            detail=row.detail,
            about=labels.get((row.object_type, row.object_id)),
        )
        for row in page_rows
    )

    last = page_rows[-1] if len(rows) > limit else None
    return LogPage(entries, LogCursor(last.at, last.pk) if last else None)


def actors_of(place: Place) -> dict[int, str]:
    """Return everybody with an entry in the log: name by user key, sorted by name."""
    keys = _rows_of(place).exclude(actor_id=None).order_by().values_list("actor_id", flat=True)
    people = _people(place, set(keys.distinct()))
    return dict(sorted(people.items(), key=lambda person: person[1].lower()))


def _rows_of(place: Place) -> QuerySet[Activity]:
    if isinstance(place, Cohort):
        return Activity.objects.filter(cohort=place)
    return Activity.objects.filter(organization=place, cohort=None)


def _filtered(place: Place, log_filter: LogFilter, before: LogCursor | None) -> QuerySet[Activity]:
    rows = _rows_of(place)
    if log_filter.family:
        rows = rows.filter(verb__startswith=f"{log_filter.family}.")
    if log_filter.actor is not None:
        # 0 becomes null, which stands for the site.
        rows = rows.filter(actor_id=log_filter.actor or None)
    if log_filter.since:
        rows = rows.filter(at__date__gte=log_filter.since)
    if log_filter.until:
        rows = rows.filter(at__date__lte=log_filter.until)
    # Entries of one moment are told apart by key, so that none is skipped or repeated.
    return rows.filter(Q(at__lt=before.at) | Q(at=before.at, pk__lt=before.key)) if before else rows


def _about_own_work(place: Place, reader: User) -> Q:
    organization = place.organization if isinstance(place, Cohort) else place
    if may(reader, organization, "teacher"):
        return Q(pk__in=())
    own = Submission.objects.filter(is_readable_for_user(reader.pk)).values("pk")
    about: dict[str, QuerySet[Any]] = {
        "submission": own,
        "audit": Audit.objects.filter(submission__in=own).values("pk"),
        "comment": Comment.objects.filter(submission__in=own).values("pk"),
        "grade": Grade.objects.filter(audit__submission__in=own).values("pk"),
        "appeal": Appeal.objects.filter(submission__in=own).values("pk"),
        "staffnote": StaffNote.objects.filter(submission__in=own).values("pk"),
    }
    rules = Q()
    for kind, keys in about.items():
        text = keys.annotate(key=Cast("pk", CharField())).values("key")
        rules |= Q(object_type=kind, object_id__in=text)
    return rules


def _people(place: Place, keys: set[int]) -> dict[int, str]:
    """Return names by user key: the roster's for students, else the account's name or address.

    The address is the one that the organization knows; an account may have others.
    """
    addresses = dict(Membership.objects.filter(user__in=keys).values_list("user", "email"))
    names = {
        user.pk: user.get_full_name() or addresses.get(user.pk) or "a former member"
        for user in User.objects.filter(pk__in=keys)
    }
    if not isinstance(place, Cohort):
        return names
    enrolled = Enrollment.objects.filter(cohort=place, user__in=keys)
    # The roster wins: staff know students by the name on it.
    return names | {
        enrollment.user_id: str(enrollment) for enrollment in enrolled if enrollment.user_id
    }


def _labels(rows: Iterable[Activity]) -> dict[tuple[str, str], ObjectLabel]:
    """Return labels by object type and key, in one query for each type that occurs."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        keys[row.object_type].add(row.object_id)

    return {
        (kind, str(key)): label
        for kind, labels_of in _LABELS.items()
        if keys[kind]
        for key, label in labels_of(keys[kind]).items()
    }


def _submissions(keys: set[str]) -> dict[Any, ObjectLabel]:
    submissions = Submission.objects.filter(pk__in=keys).select_related(
        "student", "team", "assignment"
    )
    return {submission.pk: ObjectLabel(_attempt(submission)) for submission in submissions}


def _audits(keys: set[str]) -> dict[Any, ObjectLabel]:
    audits = Audit.objects.filter(pk__in=keys).select_related(
        "submission__student", "submission__team", "submission__assignment"
    )
    return {
        audit.pk: ObjectLabel(_attempt(audit.submission), audit_id=audit.pk)
        for audit in audits.defer("report")
    }


def _grades(keys: set[str]) -> dict[Any, ObjectLabel]:
    grades = (
        Grade.objects.filter(pk__in=keys).select_related("student", "assignment").defer("released")
    )
    return {
        grade.pk: ObjectLabel(f"{grade.student}, {grade.assignment.title}", audit_id=grade.audit_id)
        for grade in grades
    }


def _appeals(keys: set[str]) -> dict[Any, ObjectLabel]:
    appeals = Appeal.objects.filter(pk__in=keys).select_related(
        "submission__student", "submission__team", "submission__assignment"
    )
    return {
        appeal.pk: ObjectLabel(_attempt(appeal.submission), appeal_id=appeal.pk)
        for appeal in appeals
    }


def _comments(keys: set[str]) -> dict[Any, ObjectLabel]:
    comments = Comment.objects.filter(pk__in=keys).select_related(
        "submission__student", "submission__team", "submission__assignment"
    )
    return {comment.pk: ObjectLabel(_attempt(comment.submission)) for comment in comments}


def _assignments(keys: set[str]) -> dict[Any, ObjectLabel]:
    return {
        assignment.pk: _assignment_label(assignment)
        for assignment in Assignment.objects.filter(pk__in=keys)
    }


def _bulk_runs(keys: set[str]) -> dict[Any, ObjectLabel]:
    runs = BulkRun.objects.filter(pk__in=keys).select_related("assignment")
    return {run.pk: _assignment_label(run.assignment) for run in runs}


def _rounds(keys: set[str]) -> dict[Any, ObjectLabel]:
    rounds = PairingRound.objects.filter(pk__in=keys).select_related("assignment")
    return {
        pairing_round.pk: _assignment_label(pairing_round.assignment) for pairing_round in rounds
    }


def _enrollments(keys: set[str]) -> dict[Any, ObjectLabel]:
    return {
        enrollment.pk: ObjectLabel(str(enrollment))
        for enrollment in Enrollment.objects.filter(pk__in=keys)
    }


def _assignment_label(assignment: Assignment) -> ObjectLabel:
    return ObjectLabel(assignment.title, assignment=assignment.slug)


def _attempt(submission: Submission) -> str:
    return f"{submission.owner_name}, {submission.assignment.title}, attempt {submission.attempt}"


# By Activity.object_type; other types get no label.
_LABELS: dict[str, Callable[[set[str]], dict[Any, ObjectLabel]]] = {
    "submission": _submissions,
    "audit": _audits,
    "grade": _grades,
    "appeal": _appeals,
    "comment": _comments,
    "assignment": _assignments,
    "bulkrun": _bulk_runs,
    "pairinground": _rounds,
    "enrollment": _enrollments,
}
