"""A cohort's whole record as a zip file.

    manifest.json, roster.csv, activity.jsonl
    assignments/SLUG/assignment.json, grades.csv, rubrics/..., one .jsonl for each kind of record
    assignments/SLUG/students/NUMBER/attempt-N/submission.json, report.pdf, audit-ID.json, audit-ID.md
    missing.json     what could not be put in, and why; the last member, so that a cut archive is noticed

It is written while it is sent. No name in it comes from a student, and NUMBER is the key of the roster's row.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from grading import engine
from grading.actions.activities import note
from grading.actions.results.exports import stream_of, table_of
from grading.exports import ExportChoice, lines_of
from grading.models import Assignment, Audit, Cohort, Submission
from grading.queries.audits.audits import report_of
from grading.queries.courses import archives
from grading.queries.courses.holdings import holdings_of
from grading.streaming import in_steps
from grading.zipping import Member, zipped

FORMAT = "automaton-auditor/cohort@1"
ROSTER = ("number", "name", "email", "student_number", "group", "created_at")


def archive_cohort(*, cohort: Cohort, by: User) -> Iterator[bytes]:
    """The zip file in pieces; it may be read after the scope is left. That it was taken is in the log, and in it."""
    with transaction.atomic():
        note(organization=cohort.organization_id, actor=by, verb="cohort.archived", about=cohort)
    return in_steps(cohort.organization_id, zipped(_members(cohort)))


def _members(cohort: Cohort) -> Generator[Member]:
    missing: list[dict[str, str]] = []
    yield _json("manifest.json", _manifest(cohort))
    yield Member("roster.csv", _roster(cohort))
    yield _lines("activity.jsonl", archives.activity_rows(cohort))
    for assignment in archives.assignments_of(cohort):
        yield from _assignment(assignment, missing)
    yield _json("missing.json", missing)


def _manifest(cohort: Cohort) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "organization": cohort.organization.name,
        "cohort": archives.columns_of(cohort),
        "taken_at": timezone.now(),
        "holds": dict(holdings_of(cohort).kinds),
    }


def _roster(cohort: Cohort) -> Iterator[bytes]:
    yield lines_of([ROSTER]).encode()
    for row in archives.roster_rows(cohort).iterator():
        cells = (row.pk, row.name, row.email, row.student_number, row.group, row.created_at.isoformat())
        yield lines_of([cells]).encode()


def _assignment(assignment: Assignment, missing: list[dict[str, str]]) -> Iterator[Member]:
    folder = f"assignments/{assignment.slug}"
    yield _json(f"{folder}/assignment.json", archives.columns_of(assignment))
    table = table_of(assignment, ExportChoice(everything=True))
    yield Member(f"{folder}/grades.csv", (text.encode() for text in stream_of(assignment, table)))
    for version in archives.rubric_versions(assignment):
        yield _json(f"{folder}/rubrics/version-{version.pk}.json", archives.columns_of(version))
    for name, rows in archives.tables_of(assignment):
        columns = (archives.columns_of(row) for row in rows.iterator(chunk_size=archives.PIECE))
        yield _lines(f"{folder}/{name}.jsonl", columns)
    for submission in archives.submissions_of(assignment).iterator(chunk_size=archives.PIECE):
        yield from _submission(folder, submission, missing)


def _submission(folder: str, submission: Submission, missing: list[dict[str, str]]) -> Iterator[Member]:
    folder = f"{folder}/students/{submission.student_id}/attempt-{submission.attempt}"
    yield _json(f"{folder}/submission.json", archives.columns_of(submission))
    if submission.pdf:
        yield from _pdf(f"{folder}/report.pdf", submission, missing)
    for audit in archives.audits_with_reports(submission):
        yield from _audit(f"{folder}/audit-{audit.pk}", audit, missing)


def _pdf(name: str, submission: Submission, missing: list[dict[str, str]]) -> Iterator[Member]:
    try:
        with submission.pdf.open() as file:
            yield Member(name, file.chunks(), at=submission.handed_in_at, packed=True)
    except FileNotFoundError:
        missing.append({"name": name, "why": "the file is not in storage any more"})


def _audit(name: str, audit: Audit, missing: list[dict[str, str]]) -> Iterator[Member]:
    report = report_of(audit) or {}
    yield _json(f"{name}.json", report)
    try:
        text = engine.render_markdown(report, date=f"{audit.finished_at:%Y-%m-%d %H:%M %Z}")
        yield Member(f"{name}.md", [text.encode()], at=audit.finished_at)
    except ValidationError:
        missing.append({"name": f"{name}.md", "why": "the report is of an older form; its JSON is here"})
    for before in archives.superseded_reports(audit):
        yield _json(f"{name}-before-{before.pk}.json", before.report)


def _json(name: str, value: Any) -> Member:
    return Member(name, [json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1).encode()])


def _lines(name: str, rows: Iterable[dict[str, Any]]) -> Member:
    """One record a line."""
    texts = (json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False) for row in rows)
    return Member(name, (f"{text}\n".encode() for text in texts))
