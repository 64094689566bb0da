"""Archive a cohort as a zip file, and delete a cohort.

The archive:

    manifest.json, roster.csv, activity.jsonl, platform_courses.jsonl, platform_people.jsonl
    assignments/SLUG/assignment.json, grades.csv, rubrics/..., one .jsonl for each kind of record
    assignments/SLUG/students/NUMBER/attempt-N/submission.json, report.pdf, audit-ID.json and .md
    missing.json     files that could not be added, and why

It is written while it is sent. missing.json is the last member, so an archive that was cut short is
noticed. No file name in it comes from a student; NUMBER is the key of the student's row in the
roster.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from pydantic import ValidationError

from grading.audits.queries import document_of
from grading.core.activity_writer import record_activity
from grading.core.csv_cells import lines_of
from grading.core.errors import ActionRefused, StorageUnavailable, UploadUnreadable
from grading.core.streaming import in_steps
from grading.core.uploads import check_store, delete_with_rows, open_pdf
from grading.core.zipping import Member, zipped
from grading.courses.archive import queries as archive_queries
from grading.courses.archive.cohort_inventory import (
    count_running,
    inventory_of,
    kinds_of,
    uploads_of,
)
from grading.engine import audits as engine_audits
from grading.grades.exports.actions import stream_of, table_of
from grading.grades.exports.csv_layouts import ExportChoice
from grading.models import Assignment, Audit, Cohort, Enrollment, Submission

FORMAT = "automaton-auditor/cohort@1"
ROSTER = ("number", "name", "email", "student_number", "group", "github_name", "created_at")


def archive_cohort(*, cohort: Cohort, by: User) -> Iterator[bytes]:
    """Return the zip file in pieces, which may be read after the scope is left.

    The log records it first, so the archive's own log contains that entry. Raises
    StorageUnavailable, so that a store which is down is said on a page: a file that breaks off later
    cannot be opened.
    """
    check_store()
    with transaction.atomic():
        record_activity(
            organization=cohort.organization_id, actor=by, verb="cohort.archived", about=cohort
        )
    return in_steps(cohort.organization_id, zipped(_members(cohort)))


def _members(cohort: Cohort) -> Generator[Member]:
    missing: list[dict[str, str]] = []

    yield _json("manifest.json", _manifest(cohort))
    yield Member("roster.csv", _roster(cohort))
    yield _lines("activity.jsonl", archive_queries.activity_rows(cohort))
    yield from _tables("", archive_queries.platform_rows(cohort))
    for assignment in archive_queries.assignments_of(cohort):
        yield from _assignment_members(assignment, missing)
    # Last: the members before it fill the list while they are written.
    yield _json("missing.json", missing)


def _manifest(cohort: Cohort) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "organization": cohort.organization.name,
        "cohort": archive_queries.columns_of(cohort),
        "taken_at": timezone.now(),
        "holds": dict(inventory_of(cohort).kinds),
    }


def _roster(cohort: Cohort) -> Iterator[bytes]:
    yield lines_of([ROSTER]).encode()
    for row in archive_queries.in_chunks(archive_queries.roster_rows(cohort)):
        cells = (
            row.pk,
            row.name,
            row.email,
            row.student_number,
            row.group,
            row.github_name,
            row.created_at.isoformat(),
        )
        yield lines_of([cells]).encode()


def _tables(folder: str, tables: Iterable[tuple[str, QuerySet[Any]]]) -> Iterator[Member]:
    for name, rows in tables:
        columns = (archive_queries.columns_of(row) for row in archive_queries.in_chunks(rows))
        yield _lines(f"{folder}{name}.jsonl", columns)


def _assignment_members(assignment: Assignment, missing: list[dict[str, str]]) -> Iterator[Member]:
    folder = f"assignments/{assignment.slug}"
    yield _json(f"{folder}/assignment.json", archive_queries.columns_of(assignment))

    table = table_of(assignment, ExportChoice(everything=True))
    yield Member(f"{folder}/grades.csv", (text.encode() for text in stream_of(assignment, table)))

    for version in archive_queries.rubric_versions(assignment):
        yield _json(
            f"{folder}/rubrics/version-{version.pk}.json", archive_queries.columns_of(version)
        )

    yield from _tables(f"{folder}/", archive_queries.tables_of(assignment))

    for submission in archive_queries.in_chunks(archive_queries.submissions_of(assignment)):
        yield from _submission_members(folder, submission, missing)


def _submission_members(
    folder: str, submission: Submission, missing: list[dict[str, str]]
) -> Iterator[Member]:
    folder = f"{folder}/students/{submission.student_id}/attempt-{submission.attempt}"
    yield _json(f"{folder}/submission.json", archive_queries.columns_of(submission))
    if submission.pdf:
        yield from _pdf(f"{folder}/report.pdf", submission, missing)
    for audit in archive_queries.audits_with_reports(submission):
        yield from _audit_members(f"{folder}/audit-{audit.pk}", audit, missing)


def _pdf(name: str, submission: Submission, missing: list[dict[str, str]]) -> Iterator[Member]:
    try:
        file = open_pdf(submission)
    except StorageUnavailable:
        # The zip file breaks off and cannot be opened: nobody takes it for the whole.
        raise
    except UploadUnreadable as error:
        missing.append({"name": name, "why": error.sentence})
        return
    with file:
        yield Member(name, file.chunks(), at=submission.handed_in_at, packed=True)


def _audit_members(name: str, audit: Audit, missing: list[dict[str, str]]) -> Iterator[Member]:
    """Yield the report as JSON and Markdown, and the reports it replaced."""
    document = document_of(audit) or {}
    date = f"{audit.finished_at:%Y-%m-%d %H:%M %Z}"
    yield _json(f"{name}.json", document)

    try:
        text = engine_audits.render_markdown(document, date=date)
        yield Member(f"{name}.md", [text.encode()], at=audit.finished_at)
    except ValidationError:
        missing.append(
            {"name": f"{name}.md", "why": "the report has an older format; its JSON is included"}
        )
    for superseded in archive_queries.superseded_reports(audit):
        yield _json(f"{name}-before-{superseded.pk}.json", superseded.report)


def _json(name: str, value: Any) -> Member:
    return Member(
        name, [json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1).encode()]
    )


def _lines(name: str, rows: Iterable[dict[str, Any]]) -> Member:
    """Return a file with one JSON record per line."""
    texts = (json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False) for row in rows)
    return Member(name, (f"{text}\n".encode() for text in texts))


def delete_cohort(*, cohort: Cohort, typed: str, fingerprint: str, by: User) -> None:
    """Delete a cohort with all its rows; the reconciler deletes its uploads.

    `typed` is the cohort's slug as the user typed it, `fingerprint` that of the inventory they saw.
    Raises ActionRefused: slug_differs, audits_running, holdings_changed.
    """
    if typed.strip() != cohort.slug:
        raise ActionRefused("slug_differs", f"Type {cohort.slug} to delete this cohort.")
    # Before the locks, which may be taken only while no audit runs: see _lock.
    _check_deletable(cohort, fingerprint)

    with transaction.atomic():
        if not _lock(cohort):
            return
        # Something may have arrived between the first check and the locks.
        _check_deletable(cohort, fingerprint)

        # Read before the deletion, for the log and for the files to delete.
        inventory, uploads = inventory_of(cohort), list(uploads_of(cohort))
        record_activity(
            organization=cohort.organization_id,
            actor=by,
            verb="cohort.deleted",
            about=cohort,
            slug=cohort.slug,
            name=cohort.name,
            held=dict(inventory.kinds),
            uploads=inventory.uploads,
            upload_bytes=inventory.upload_bytes,
        )

        for _name, rows in kinds_of(cohort):
            # Only keys: Django may load the rows that it deletes, and reports are large.
            rows.only("pk").delete()
        Cohort.objects.filter(pk=cohort.pk).delete()
        delete_with_rows(cohort.organization_id, uploads)


def _lock(cohort: Cohort) -> bool:
    """Lock the cohort's rows. Return False if somebody else has deleted it meanwhile.

    Submissions, new judgments and enrollments wait for the locks, and then find no cohort. Call it
    only when no audit runs: an audit that ends holds its own row and waits for the student's.
    """
    locked = [
        # The same order in every deletion, so that two at once cannot deadlock.
        list(rows.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
        for rows in (
            Cohort.objects.filter(pk=cohort.pk),
            Enrollment.objects.filter(cohort=cohort),
            Assignment.objects.filter(cohort=cohort),
            Submission.objects.filter(assignment__cohort=cohort),
            Audit.objects.filter(submission__assignment__cohort=cohort),
        )
    ]
    return bool(locked[0])


def _check_deletable(cohort: Cohort, fingerprint: str) -> None:
    """Raise ActionRefused while something runs, or if the inventory has changed."""
    if running := count_running(cohort):
        are = "One audit or bulk run is" if running == 1 else f"{running} audits or bulk runs are"
        raise ActionRefused(
            "audits_running",
            f"{are} waiting or running: delete the cohort when all have finished.",
        )
    if inventory_of(cohort).fingerprint != fingerprint:
        raise ActionRefused(
            "holdings_changed",
            "Something changed since you opened this page. It now shows the current state.",
        )
