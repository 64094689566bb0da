"""Who may be meant in a cohort: everything by which its students could be known, for grading/redaction."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import unquote, urlsplit

from grading.models import Audit, Cohort, Enrollment, Submission
from grading.redaction import Identity, Person


def identity_of(cohort: Cohort | int, *, signing: Collection[int] = ()) -> Identity:
    """Everybody on the roster, in two queries. Of each: what the roster and their account call them, and the owners and
    names of the repositories and the names of the reports that they ever handed in.

    Of the students `signing`, by key, also what they call themselves in git, in one query more.
    """
    key = cohort if isinstance(cohort, int) else cohort.pk
    works: dict[int, set[tuple[str, str]]] = {}
    handed_in = Submission.objects.filter(student__cohort=key).order_by()
    for student, *work in handed_in.values_list("student", "repo_url", "pdf_name").distinct():
        works.setdefault(student, set()).add((work[0], work[1]))
    roster = Enrollment.objects.filter(cohort=key).select_related("user").order_by("pk")
    people = (_person(each, sorted(works.get(each.pk, ()))) for each in roster)
    return Identity((*people, *_committers(signing)))


def committer_of(report: dict[str, Any]) -> Person:
    """Everybody who signed a commit of the work that this report is about, as one."""
    history = (report.get("facts") or {}).get("history") or {}
    return _committer(history.get("authors") or ())


def _committers(students: Collection[int]) -> list[Person]:
    """By the newest report on the work of each."""
    if not students:
        return []
    told = Audit.objects.filter(submission__student__in=students, report__isnull=False)
    newest = told.order_by("submission__student_id", "-finished_at").distinct("submission__student_id")
    signed = newest.values_list("report__facts__history__authors", flat=True)
    return [_committer(authors) for authors in signed if authors]


def _committer(authors: Collection[dict[str, str]]) -> Person:
    return Person(
        names=_said(*(each["name"] for each in authors)),
        addresses=_said(*(each["email"] for each in authors)),
    )


def _person(student: Enrollment, works: list[tuple[str, str]]) -> Person:
    user = student.user
    owners, repositories = _repositories([address for address, _name in works])
    group = f"group {student.group}" if student.group else ""
    return Person(
        names=_said(student.name, user.get_full_name() if user else ""),
        addresses=_said(student.email, user.email if user else ""),
        handles=_said(student.student_number, user.username if user else "", *owners),
        things=_said(*repositories, *(name for _address, name in works), student.group),
        band=group or (works[0][0].casefold() if works else ""),
    )


def _repositories(addresses: list[str]) -> tuple[list[str], list[str]]:
    """The accounts that own them, and their names: https://host/owner/name.git, also git@host:owner/name."""
    owners, names = [], []
    for address in addresses:
        path = urlsplit(address).path if "://" in address else address.rpartition(":")[2]
        steps = [unquote(step) for step in path.split("/") if step]
        if steps:
            owners += steps[:-1]
            names.append(steps[-1].removesuffix(".git"))
    return owners, names


def _said(*words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word))
