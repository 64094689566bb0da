"""Import a cohort's roster from a CSV file and report errors by line number."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.csv_cells import plain_cell
from grading.core.errors import RosterRefused
from grading.core.form_fingerprint import fingerprint_of
from grading.courses.extensions.late_marks import clear_late_marks_of
from grading.courses.organizations.invitations import invite, letters_to_write
from grading.models import Cohort, Enrollment

# The whole file is read into memory and written in one transaction.
MAX_ROWS = 5000
COLUMNS = ("email", "name", "student_number", "group", "github_name")
LABELS = {
    "name": "name",
    "student_number": "student number",
    "group": "group",
    "github_name": "name at GitHub",
}
# What a roster of GitHub Classroom has in place of an email: an address, a name or a number.
IDENTIFIER = "identifier"
GITHUB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}")
NOBODY = (
    "“{}” is no email address, and no student of this course has this name or number. Put the "
    "address in its place."
)
SEVERAL = (
    "Several students of this course have the name or number “{}”. Put the address in its place."
)
NO_GROUP = "-"  # an empty cell changes nothing, so leaving a group needs a mark of its own
ALIASES = {
    "e_mail": "email",
    "mail": "email",
    "email_address": "email",
    "full_name": "name",
    "student_id": "student_number",
    "team": "group",
    # Of GitHub Classroom.
    "github_username": "github_name",
    "group_name": "group",
}


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """Row that was not imported. `line` is 1-based: the line of the file where the row ends."""

    line: int
    sentence: str
    email: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class RosterImport:
    """Numbers of enrollments created, changed and unchanged, and the rows with errors."""

    created: int
    updated: int
    unchanged: int
    refused: tuple[RefusedLine, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    email: str
    name: str
    student_number: str
    group: str
    github_name: str = ""
    identifier: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PreviewedRow:
    """Row of a list and what its import would do.

    `state` is new, changed, unchanged or refused; `changes` are (field, old value, new value), and
    `reason` says why a row is refused.
    """

    line: int
    email: str
    name: str
    student_number: str
    group: str
    state: str
    changes: tuple[tuple[str, str, str], ...] = ()
    reason: str = ""
    github_name: str = ""


@dataclass(frozen=True, slots=True)
class RosterPreview:
    """All rows of a list in its order, and how many letters of invitation its import writes.

    `unread` are the headings of the columns that the import ignores.
    """

    rows: tuple[PreviewedRow, ...]
    letters: int
    unread: tuple[str, ...] = ()

    def of(self, state: str) -> list[PreviewedRow]:
        return [row for row in self.rows if row.state == state]

    @property
    def is_importable(self) -> bool:
        return not self.of("refused")

    @property
    def fingerprint(self) -> str:
        """Text that changes when the import would do something else."""
        rows = [
            (
                row.line,
                row.email,
                row.name,
                row.student_number,
                row.group,
                row.state,
                row.changes,
                row.github_name,
            )
            for row in self.rows
        ]
        return fingerprint_of(rows, self.letters)


def preview_roster(*, cohort: Cohort, text: str) -> RosterPreview:
    """Return what an import of the list would do; nothing is written. Needs the cohort's scope.

    Raises RosterRefused when the file as a whole cannot be read.
    """
    valid, refused = _validate(_matched(cohort, list(_parse_rows(text))))
    enrolled = {student.email.lower(): student for student in _enrolled(cohort)}
    rows = [_previewed(row, enrolled.get(row.email)) for row in valid]
    rows += [
        PreviewedRow(line.line, line.email, "", "", "", "refused", reason=line.sentence)
        for line in refused
    ]
    emails = [row.email for row in valid]
    return RosterPreview(
        rows=tuple(sorted(rows, key=lambda row: row.line)),
        letters=letters_to_write(cohort.organization, emails),
        unread=_unread(text),
    )


def confirm_roster(*, cohort: Cohort, text: str, fingerprint: str, by: User) -> RosterPreview:
    """Import a list that was previewed, all of it or nothing.

    Raises RosterRefused: roster_rows_refused, roster_changed (the import would do something else
    than `fingerprint` says), and those of preview_roster.
    """
    with transaction.atomic():
        # Nobody is enrolled meanwhile: new rows refer to the cohort, and wait for this lock.
        Cohort.objects.select_for_update().get(pk=cohort.pk)
        preview = preview_roster(cohort=cohort, text=text)
        if not preview.is_importable:
            raise RosterRefused("roster_rows_refused", "Nothing was saved: mend these rows first.")
        if preview.fingerprint != fingerprint:
            raise RosterRefused(
                "roster_changed",
                "The roster changed since this preview, so nothing was saved. Check it again.",
            )
        import_roster(cohort=cohort, text=text, by=by)
    return preview


def _previewed(row: _Row, student: Enrollment | None) -> PreviewedRow:
    values = (row.line, row.email, row.name, row.student_number)
    if student is None:
        group = "" if row.group == NO_GROUP else row.group
        return PreviewedRow(*values, group, "new", github_name=row.github_name)
    before = _fields(student)
    _update(student, row)
    after = _fields(student)
    changes = tuple(
        (LABELS[name], before[name], after[name]) for name in LABELS if before[name] != after[name]
    )
    return PreviewedRow(
        row.line,
        row.email,
        student.name,
        student.student_number,
        student.group,
        "changed" if changes else "unchanged",
        changes,
    )


def _fields(student: Enrollment) -> dict[str, str]:
    return {name: getattr(student, name) for name in LABELS}


def import_roster(*, cohort: Cohort, text: str, by: User | None) -> RosterImport:
    """Enroll and invite everybody on the list, and update the students who are enrolled already.

    `text` is CSV separated by commas, semicolons or tabs. Its header names email and, in any order,
    name, student_number and group; a hyphen as group removes the student from their group. A byte
    order mark is dropped. Cells are text: formulas are not computed. Nobody is removed. A roster of
    GitHub Classroom is read as it is; its names at GitHub are kept as hints.

    Raises RosterRefused when the file as a whole cannot be read.
    """
    parsed = list(_parse_rows(text))
    with scope(organization=cohort.organization):
        rows, refused = _validate(_matched(cohort, parsed))

    with transaction.atomic(), scope(organization=cohort.organization):
        created, updated = _enroll(cohort, rows)
        emails = [row.email for row in rows]
        invite(organization=cohort.organization, emails=emails, by=by)
        record_activity(
            organization=cohort.organization,
            actor=by,
            verb="roster.imported",
            about=cohort,
            created=created,
            updated=updated,
            refused=len(refused),
        )

    return RosterImport(created, updated, len(rows) - created - updated, tuple(refused))


def _unread(text: str) -> tuple[str, ...]:
    """Return the headings that name no column of a roster."""
    text = _with_plain_line_ends(text)
    header = next(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)), [])
    names = zip(header, _names(header), strict=True)
    known = {*COLUMNS, IDENTIFIER} if _is_of_classroom(_names(header)) else {*COLUMNS}
    return tuple(cell.strip() for cell, name in names if name and name not in known)


def _is_of_classroom(names: list[str]) -> bool:
    return "email" not in names and {IDENTIFIER, "github_name"} <= set(names)


def _with_plain_line_ends(text: str) -> str:
    # Browsers send the line ends of a previewed text as CRLF.
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _parse_rows(text: str) -> Iterator[_Row]:
    text = _with_plain_line_ends(text)
    if "\0" in text:
        raise RosterRefused(
            "roster_not_text", "This is not a CSV file: it contains characters that are not text."
        )

    # newline="": csv itself tells the end of a row from a line break inside quotes.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        columns = _columns(next(reader, []))
        lines = ([plain_cell(cell) for cell in row] for row in reader)
        filled = (row for row in lines if any(cell.strip() for cell in row))
        for count, cells in enumerate(filled, start=1):
            if count > MAX_ROWS:
                raise RosterRefused(
                    "roster_too_long", f"A roster may have at most {MAX_ROWS} rows."
                )
            yield _parse_row(reader.line_num, columns, cells)
    except csv.Error as error:
        raise RosterRefused(
            "roster_unreadable",
            f"We couldn't read the file as CSV at line {reader.line_num}: {error}.",
        ) from error


def _delimiter(text: str) -> str:
    # Only the header counts: a name may contain commas. Without any of them it is a comma.
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)


def _names(header: list[str]) -> list[str]:
    names = [cell.strip().lower().replace(" ", "_").replace("-", "_") for cell in header]
    return [ALIASES.get(name, name) for name in names]


def _columns(header: list[str]) -> list[str]:
    names = _names(header)
    if "email" not in names and not _is_of_classroom(names):
        raise RosterRefused(
            "roster_no_email", "The first line must name the columns, including “email”."
        )
    for name in (*COLUMNS, IDENTIFIER):
        if names.count(name) > 1:
            raise RosterRefused("roster_column_twice", f"The column “{name}” appears twice.")
    return names


def _parse_row(line: int, columns: list[str], cells: list[str]) -> _Row:
    # Not strict: spreadsheets leave out empty cells at the end of a row.
    values = dict(zip(columns, (cell.strip() for cell in cells), strict=False))
    identifier = values.get(IDENTIFIER, "") if "email" not in columns else ""
    return _Row(
        line=line,
        email=values.get("email", identifier).lower(),
        name=values.get("name", ""),
        student_number=values.get("student_number", ""),
        group=values.get("group", ""),
        github_name=values.get("github_name", ""),
        identifier=identifier,
    )


def _matched(cohort: Cohort, rows: list[_Row]) -> list[_Row]:
    """Return the rows with the address of the student whom an identifier of Classroom names.

    A student keeps the name that they have: the one in the file may be that of a profile at GitHub.
    """
    if not any(row.identifier for row in rows):
        return rows
    enrolled = list(_enrolled(cohort))
    by_email = {student.email.lower(): student for student in enrolled}
    matched = []
    for row in rows:
        named = _students_named(row.identifier, enrolled)
        student = by_email.get(row.email) or (named[0] if len(named) == 1 else None)
        if student is not None:
            row = replace(row, email=student.email.lower(), name=student.name or row.name)
        elif row.identifier and "@" not in row.email:
            sentence = SEVERAL if named else NOBODY
            row = replace(row, reason=sentence.format(row.identifier[:80]))
        matched.append(row)
    return matched


def _students_named(identifier: str, students: list[Enrollment]) -> list[Enrollment]:
    """Return the students whose name or number an identifier is."""
    word = " ".join(identifier.split()).casefold()
    return [
        student
        for student in students
        if word and word in (student.name.casefold(), student.student_number.casefold())
    ]


def _validate(rows: list[_Row]) -> tuple[list[_Row], list[RefusedLine]]:
    """Separate the valid rows from those with an error; a repeated email is an error."""
    valid: dict[str, _Row] = {}
    refused: list[RefusedLine] = []

    for row in rows:
        error = _error_of(row)
        if not error and row.email in valid:
            error = f"{row.email} is already on line {valid[row.email].line}."
        if error:
            refused.append(RefusedLine(row.line, error, row.email[:80]))
        else:
            valid[row.email] = row

    return list(valid.values()), refused


def _error_of(row: _Row) -> str | None:
    if row.reason:
        return row.reason
    if not row.email:
        return "This line has no email address."
    try:
        validate_email(row.email)
    except ValidationError:
        return f"“{row.email[:80]}” is not an email address."

    # The limits are those of the database columns.
    if len(row.email) > 254:
        return "The email address is longer than 254 characters."
    if len(row.name) > 200:
        return "The name is longer than 200 characters."
    if len(row.student_number) > 64:
        return "The student number is longer than 64 characters."
    if len(row.group) > 60:
        return "The group is longer than 60 characters."
    if row.github_name and not GITHUB_NAME.fullmatch(row.github_name):
        return f"“{row.github_name[:80]}” is no name at GitHub."
    return None


def _enrolled(cohort: Cohort) -> QuerySet[Enrollment]:
    return Enrollment.objects.filter(cohort=cohort)


def _enroll(cohort: Cohort, rows: list[_Row]) -> tuple[int, int]:
    """Create and update the enrollments; return how many of each."""
    # Locked, so that two imports at once do not overwrite each other's changes.
    enrolled = {
        enrollment.email.lower(): enrollment for enrollment in _enrolled(cohort).select_for_update()
    }

    new = [
        Enrollment(
            organization_id=cohort.organization_id,
            cohort=cohort,
            email=row.email,
            name=row.name,
            student_number=row.student_number,
            group="" if row.group == NO_GROUP else row.group,
            github_name=row.github_name,
        )
        for row in rows
        if row.email not in enrolled
    ]
    changed = [
        enrolled[row.email]
        for row in rows
        if row.email in enrolled and _update(enrolled[row.email], row)
    ]

    Enrollment.objects.bulk_create(new)
    Enrollment.objects.bulk_update(changed, list(LABELS))
    clear_late_marks_of(cohort, {student.group for student in changed})
    return len(new), len(changed)


def _update(enrollment: Enrollment, row: _Row) -> bool:
    """Copy the row to the enrollment and say whether it changed. An empty cell changes nothing."""
    before = _fields(enrollment)
    enrollment.name = row.name or enrollment.name
    enrollment.student_number = row.student_number or enrollment.student_number
    enrollment.group = "" if row.group == NO_GROUP else row.group or enrollment.group
    enrollment.github_name = row.github_name or enrollment.github_name

    return _fields(enrollment) != before
