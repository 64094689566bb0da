"""Handing grades out as a file: what is in it, and who took it, on the record."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from grading.actions.activities import note
from grading.actions.marking import reckon, told
from grading.errors import ActionRefused
from grading.exports import SCORE_POSSIBLE, ExportChoice, Result, Table, lines_of
from grading.models import Assignment, Enrollment, Grade
from grading.queries import exports
from grading.streaming import in_steps


def export_grades(*, assignment: Assignment, choice: ExportChoice, by: User) -> Iterator[str]:
    """The file as CSV, a piece at a time; it may be read after the scope is left. Raises ActionRefused."""
    table = table_of(assignment, choice)
    with transaction.atomic():
        note(
            organization=assignment.organization_id, actor=by, verb="grades.exported", about=assignment,
            layout=choice.layout, what="everything" if choice.everything else "what is released",
            scale=choice.scale,
        )  # fmt: skip
    return in_steps(assignment.organization_id, stream_of(assignment, table))


def stream_of(assignment: Assignment, table: Table) -> Generator[str]:
    """The header, then the students piece by piece; inside a scope."""
    yield lines_of(table.header())
    for students in exports.students_in_pieces(assignment):
        results = results_of(assignment, students, everything=table.choice.everything)
        yield lines_of(map(table.row, results))


def first_rows(assignment: Assignment, table: Table, number: int) -> list[Result]:
    """What the file begins with."""
    students = exports.first_students(assignment, number)
    return results_of(assignment, students, everything=table.choice.everything)


def table_of(assignment: Assignment, choice: ExportChoice) -> Table:
    """Raises ActionRefused points_differ where one column of points would mean different things."""
    found = exports.possible_points(assignment, everything=choice.everything)
    possible = sorted({SCORE_POSSIBLE if each is None else each for each in found})
    if len(found) > 1 and choice.layout != "generic" and choice.scale == "points":
        said = " and ".join(f"{each:g}" for each in possible)
        raise ActionRefused(
            "points_differ",
            f"Points are out of {said} here, for criteria left out or other rubrics: choose percent.",
        )
    named = exports.criteria_counting if choice.everything else exports.criteria_told
    return Table(
        title=assignment.title,
        choice=choice,
        criteria=tuple(named(assignment)) if choice.criteria else (),
        possible=100.0 if choice.scale == "percent" else (possible or [SCORE_POSSIBLE])[0],
    )


def results_of(assignment: Assignment, students: list[Enrollment], *, everything: bool) -> list[Result]:
    """Each student's, in their order."""
    grades = exports.grades_for(assignment, students)
    values = _counting(grades) if everything else {key: grade.released for key, grade in grades.items()}
    submissions = {value["submission"] for value in values.values() if value}
    commits = exports.commits_of(submissions)
    return [
        Result(
            name=student.name or student.email,
            email=student.email,
            number=student.student_number,
            status=_status(grades.get(student.pk)),
            told=(value := values.get(student.pk)),
            commit=commits.get(value["submission"], "") if value else "",
            released_at=_released_at(grades.get(student.pk)),
        )
        for student in students
    ]


def _counting(grades: dict[int, Grade]) -> dict[int, dict[str, Any]]:
    reckonings = reckon(list(grades.values()))
    return {key: told(reckonings[grade.pk]) for key, grade in grades.items()}


def _status(grade: Grade | None) -> str:
    if grade is None:
        return "no verdict"
    if grade.released_at is None:
        return "not released"
    return "changed since its release" if grade.changed else "released"


def _released_at(grade: Grade | None) -> str:
    return grade.released_at.isoformat(timespec="seconds") if grade and grade.released_at else ""
