"""Handing grades out as a file: what is in it, and who took it, on the record."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from django.contrib.auth.models import User
from django.db import transaction

from grading.core.activity import record_activity
from grading.core.csv_cells import lines_of
from grading.core.errors import ActionRefused
from grading.core.streaming import in_steps
from grading.engine.released_verdict import ReleasedVerdict, parse_released
from grading.grades.exports import queries as export_queries
from grading.grades.exports.csv_layouts import SCORE_POSSIBLE, ExportChoice, Result, Table
from grading.grades.queries.final_scores import reckon_audits, told
from grading.models import Assignment, Enrollment, Grade


def export_grades(*, assignment: Assignment, choice: ExportChoice, by: User) -> Iterator[str]:
    """The file as CSV, a piece at a time; it may be read after the scope is left. Raises ActionRefused."""
    table = table_of(assignment, choice)
    what = "everything" if choice.everything else "what is released"
    with transaction.atomic():
        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="grades.exported",
            about=assignment,
            layout=choice.layout,
            what="every attempt" if choice.every_attempt else what,
            scale=choice.scale,
        )
    return in_steps(assignment.organization_id, stream_of(assignment, table))


def stream_of(assignment: Assignment, table: Table) -> Generator[str]:
    """The header, then the students piece by piece; inside a scope."""
    yield lines_of(table.header())
    for students in export_queries.students_in_pieces(assignment):
        yield lines_of(map(table.row, results_of(assignment, students, table.choice)))


def first_rows(assignment: Assignment, table: Table, number: int) -> list[Result]:
    """What the file begins with."""
    students = export_queries.first_students(assignment, number)
    return results_of(assignment, students, table.choice)[:number]


def table_of(assignment: Assignment, choice: ExportChoice) -> Table:
    """Raises ActionRefused points_differ where one column of points would mean different things."""
    found = export_queries.possible_points(assignment, everything=choice.everything)
    possible = sorted({SCORE_POSSIBLE if each is None else each for each in found})
    if len(found) > 1 and choice.layout != "generic" and choice.scale == "points":
        said = " and ".join(f"{each:g}" for each in possible)
        raise ActionRefused(
            "points_differ",
            f"Points are out of {said} here, for criteria left out or other rubrics: choose percent.",
        )
    named = export_queries.criteria_counting if choice.everything else export_queries.criteria_told
    if choice.every_attempt:
        named = export_queries.criteria_judged
    return Table(
        title=assignment.title,
        choice=choice,
        criteria=tuple(named(assignment)) if choice.criteria else (),
        possible=100.0 if choice.scale == "percent" else (possible or [SCORE_POSSIBLE])[0],
    )


def results_of(
    assignment: Assignment, students: list[Enrollment], choice: ExportChoice
) -> list[Result]:
    """Each student's, in their order: one, or with every attempt one for each and one for who has none."""
    grades = export_queries.grades_for(assignment, students)
    values = _values(assignment, students, grades, choice)
    commits = export_queries.commits_of(
        {value.submission for theirs in values.values() for value in theirs}
    )
    return [
        _result(student, grades.get(student.pk), value, commits, every_attempt=choice.every_attempt)
        for student in students
        for value in tuple(values.get(student.pk, ())) or (None,)
    ]


def _result(
    student: Enrollment,
    grade: Grade | None,
    value: ReleasedVerdict | None,
    commits: dict[str, str],
    *,
    every_attempt: bool,
) -> Result:
    """Of an attempt beside the one that counts nothing was released, whatever was of that."""
    beside = (
        every_attempt
        and value is not None
        and grade is not None
        and value.audit != str(grade.audit_id)
    )
    return Result(
        name=student.name or student.email,
        email=student.email,
        number=student.student_number,
        status="does not count" if beside else _status(grade),
        released=value,
        commit=commits.get(value.submission, "") if value else "",
        released_at="" if beside else _released_at(grade),
    )


def _values(
    assignment: Assignment,
    students: list[Enrollment],
    grades: dict[int, Grade],
    choice: ExportChoice,
) -> dict[int, list[ReleasedVerdict]]:
    """Return the results to export, by student."""
    if not choice.everything:
        released = {key: parse_released(grade.released) for key, grade in grades.items()}
        return {key: [value] for key, value in released.items() if value is not None}
    audits = {key: [grade.audit_id] for key, grade in grades.items()}
    if choice.every_attempt:
        audits = export_queries.attempts_with_verdicts(assignment, students)
    reckonings = reckon_audits([audit for theirs in audits.values() for audit in theirs])
    return {
        key: [ReleasedVerdict.model_validate(told(reckonings[audit])) for audit in theirs]
        for key, theirs in audits.items()
    }


def _status(grade: Grade | None) -> str:
    if grade is None:
        return "no verdict"
    if grade.released_at is None:
        return "not released"
    return "changed since its release" if grade.changed else "released"


def _released_at(grade: Grade | None) -> str:
    return grade.released_at.isoformat(timespec="seconds") if grade and grade.released_at else ""
