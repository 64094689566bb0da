"""Import a cohort's roster from a CSV file, line by line: what is wrong is said beside its line number."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django_scopes import scope

from grading.core.activity import record_activity
from grading.core.errors import RosterRefused
from grading.courses.organizations.actions import link_enrollments
from grading.models import Cohort, Enrollment

MAX_ROWS = 5000
COLUMNS = ("email", "name", "student_number", "group")
NO_GROUP = "-"  # for an empty cell changes nothing
ALIASES = {
    "e_mail": "email",
    "mail": "email",
    "email_address": "email",
    "full_name": "name",
    "student_id": "student_number",
    "team": "group",
}


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """`line` is the 1-based line of the file where the row ends."""

    line: int
    sentence: str


@dataclass(frozen=True, slots=True)
class RosterImport:
    """How many enrollments were created and changed, and which lines were not taken."""

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


def import_roster(*, cohort: Cohort, text: str, by: User | None) -> RosterImport:
    """Enroll everybody on the list; who is enrolled already gets the list's name, number and group.

    `text` is CSV with a header naming email and, in any order, name, student_number and group (a lone hyphen takes
    somebody out of theirs); commas, semicolons or tabs; a byte order mark is dropped. Cells are text: a formula stays
    the characters it is. Nobody is removed. Raises RosterRefused when the file as a whole cannot be read.
    """
    rows, refused = _sorted_out(list(_rows(text)))
    with transaction.atomic(), scope(organization=cohort.organization):
        created, updated = _enroll(cohort, rows)
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


def _rows(text: str) -> Iterator[_Row]:
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise RosterRefused(
            "roster_not_text", "This is not a CSV file: it holds characters that no text has."
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        columns = _columns(next(reader, []))
        for count, cells in enumerate(
            (row for row in reader if any(cell.strip() for cell in row)), start=1
        ):
            if count > MAX_ROWS:
                raise RosterRefused(
                    "roster_too_long", f"A roster may have at most {MAX_ROWS} rows."
                )
            yield _row(reader.line_num, columns, cells)
    except csv.Error as error:
        raise RosterRefused(
            "roster_unreadable",
            f"The file cannot be read as CSV at line {reader.line_num}: {error}.",
        ) from error


def _delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)


def _columns(header: list[str]) -> list[str]:
    names = [cell.strip().lower().replace(" ", "_").replace("-", "_") for cell in header]
    names = [ALIASES.get(name, name) for name in names]
    if "email" not in names:
        raise RosterRefused(
            "roster_no_email", "The first line must name the columns, one of them “email”."
        )
    for name in COLUMNS:
        if names.count(name) > 1:
            raise RosterRefused("roster_column_twice", f"The column “{name}” is there twice.")
    return names


def _row(line: int, columns: list[str], cells: list[str]) -> _Row:
    values = dict(zip(columns, (cell.strip() for cell in cells), strict=False))
    return _Row(
        line=line,
        email=values.get("email", "").lower(),
        name=values.get("name", ""),
        student_number=values.get("student_number", ""),
        group=values.get("group", ""),
    )


def _sorted_out(rows: list[_Row]) -> tuple[list[_Row], list[RefusedLine]]:
    good: dict[str, _Row] = {}
    refused: list[RefusedLine] = []
    for row in rows:
        sentence = _fault(row)
        if not sentence and row.email in good:
            sentence = f"{row.email} is on line {good[row.email].line} already."
        if sentence:
            refused.append(RefusedLine(row.line, sentence))
        else:
            good[row.email] = row
    return list(good.values()), refused


def _fault(row: _Row) -> str | None:
    if not row.email:
        return "There is no e-mail on this line."
    try:
        validate_email(row.email)
    except ValidationError:
        return f"“{row.email[:80]}” is not an e-mail address."
    if len(row.email) > 254:
        return "The e-mail address is longer than 254 characters."
    if len(row.name) > 200:
        return "The name is longer than 200 characters."
    if len(row.student_number) > 64:
        return "The student number is longer than 64 characters."
    if len(row.group) > 60:
        return "The group is longer than 60 characters."
    return None


def _enroll(cohort: Cohort, rows: list[_Row]) -> tuple[int, int]:
    known = {
        e.email.lower(): e for e in Enrollment.objects.filter(cohort=cohort).select_for_update()
    }
    new = [
        Enrollment(
            organization_id=cohort.organization_id,
            cohort=cohort,
            email=row.email,
            name=row.name,
            student_number=row.student_number,
            group="" if row.group == NO_GROUP else row.group,
        )
        for row in rows
        if row.email not in known
    ]
    changed = [
        known[row.email] for row in rows if row.email in known and _take_over(known[row.email], row)
    ]
    Enrollment.objects.bulk_create(new)
    Enrollment.objects.bulk_update(changed, ["name", "student_number", "group"])
    _link_known_users(new)
    return len(new), len(changed)


def _take_over(enrollment: Enrollment, row: _Row) -> bool:
    """Give the enrollment what the list says of it; an empty cell changes nothing."""
    before = (enrollment.name, enrollment.student_number, enrollment.group)
    enrollment.name = row.name or enrollment.name
    enrollment.student_number = row.student_number or enrollment.student_number
    enrollment.group = "" if row.group == NO_GROUP else row.group or enrollment.group
    return (enrollment.name, enrollment.student_number, enrollment.group) != before


def _link_known_users(new: list[Enrollment]) -> None:
    """Who has an account already need not log in again to find the cohort."""
    emails = [enrollment.email for enrollment in new]
    for user in User.objects.filter(emailaddress__email__in=emails).distinct():
        link_enrollments(user=user)
