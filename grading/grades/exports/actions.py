"""Export grades as a file, and record who exported them."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from grading.core.activity_writer import record_activity
from grading.core.csv_cells import lines_of
from grading.core.errors import ActionRefused
from grading.core.own_work import own_students
from grading.core.streaming import in_steps
from grading.courses.extensions.queries import extension_cell, terms_of_students
from grading.engine.released_verdict import ReleasedVerdict, parse_released
from grading.grades.exports import queries as export_queries
from grading.grades.exports.csv_layouts import SCORE_POSSIBLE, ExportChoice, Result, Table
from grading.grades.exports.queries import NO_SUBMISSION, AuditedSubmission
from grading.grades.queries.final_scores import audit_results, grade_results, released_value
from grading.grading_queue.queries import Review, last_review
from grading.models import Assignment, Enrollment, Grade


def export_grades(*, assignment: Assignment, choice: ExportChoice, by: User) -> Iterator[str]:
    """Stream the CSV; it can be read after the scope is left. Raises ActionRefused."""
    table = table_of(assignment, choice)
    grade_scope = "everything" if choice.everything else "what is released"
    # Log before the stream starts: a download that breaks off is still recorded.
    with transaction.atomic():
        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="grades.exported",
            about=assignment,
            layout=choice.layout,
            what="every attempt" if choice.every_attempt else grade_scope,
            scale=choice.scale,
        )

    return in_steps(
        assignment.organization_id,
        stream_of(assignment, table, own=own_students(by, assignment)),
    )


def stream_of(assignment: Assignment, table: Table, *, own: Collection[int] = ()) -> Generator[str]:
    """Yield the header, then the students in batches; inside a scope. `own` as in results_of."""
    yield lines_of(table.header())
    for students in export_queries.student_batches(assignment):
        yield lines_of(map(table.row, results_of(assignment, students, table.choice, own=own)))


def first_rows(
    assignment: Assignment, table: Table, number: int, *, own: Collection[int] = ()
) -> list[Result]:
    """Return the first results of the file; `own` as in results_of."""
    students = export_queries.first_students(assignment, number)
    return results_of(assignment, students, table.choice, own=own)[:number]


def table_of(assignment: Assignment, choice: ExportChoice) -> Table:
    """Return the table to export.

    Raises ActionRefused points_differ if one points column would mix different maximum points.
    """
    point_totals = export_queries.possible_points(assignment, everything=choice.everything)
    possible = sorted({SCORE_POSSIBLE if total is None else total for total in point_totals})
    # One points column is only comparable if all grades have the same maximum.
    if len(point_totals) > 1 and choice.layout != "generic" and choice.scale == "points":
        totals = " and ".join(f"{total:g}" for total in possible)
        raise ActionRefused(
            "points_differ",
            f"Points have different maximums here ({totals}). Choose percent.",
        )

    named = (
        export_queries.criteria_counting if choice.everything else export_queries.released_criteria
    )
    if choice.every_attempt:
        named = export_queries.criteria_judged

    return Table(
        title=assignment.title,
        choice=choice,
        criteria=tuple(named(assignment)) if choice.criteria else (),
        possible=100.0 if choice.scale == "percent" else (possible or [SCORE_POSSIBLE])[0],
    )


def results_of(
    assignment: Assignment,
    students: list[Enrollment],
    choice: ExportChoice,
    *,
    own: Collection[int] = (),
) -> list[Result]:
    """Return the students' results in their order: one each.

    With every attempt there is one for each attempt, and one for a student without any.
    `own` are students of the reader's own work: of them there is what was released, no review.
    """
    grades = export_queries.grades_for(assignment, students)
    values = _values(assignment, students, grades, choice)
    values |= {key: [] for key in own}
    values |= _released({key: row for key, row in grades.items() if key in own})
    submissions = export_queries.audited_submissions(
        {value.submission for theirs in values.values() for value in theirs}
    )

    terms = terms_of_students(assignment, students)

    return [
        replace(
            _result(
                student,
                grades.get(student.pk),
                value,
                submissions,
                every_attempt=choice.every_attempt,
            ),
            team=export_queries.team_of_row(student),
            extension=extension_cell(terms[student.pk]),
            reviewed_by=review.by if review else "",
            reviewed_at=_moment(review.at if review else None),
            comments=submissions[value.submission].readers.count(student.pk)
            if value and value.submission in submissions
            else None,
        )
        for student in students
        # A student without a result still gets a row.
        for value in tuple(values.get(student.pk, ())) or (None,)
        for review in (None if student.pk in own else _review_of(value, submissions),)
    ]


def _result(
    student: Enrollment,
    grade: Grade | None,
    value: ReleasedVerdict | None,
    submissions: Mapping[str, AuditedSubmission],
    *,
    every_attempt: bool,
) -> Result:
    """Return one row. Attempts other than the one that counts are not released."""
    is_other_attempt = (
        every_attempt
        and value is not None
        and grade is not None
        and value.audit != str(grade.audit_id)
    )
    return Result(
        name=student.name or student.email,
        email=student.email,
        number=student.student_number,
        status="does not count" if is_other_attempt else _status(grade),
        released=value,
        commit=submissions.get(value.submission, NO_SUBMISSION).commit if value else "",
        released_at="" if is_other_attempt else _released_at(grade),
    )


def _review_of(
    value: ReleasedVerdict | None, submissions: Mapping[str, AuditedSubmission]
) -> Review | None:
    """Return the review that ended that of this verdict; None before."""
    if value is None:
        return None
    criteria = [row.id for row in value.criteria]
    reviews = submissions.get(value.submission, NO_SUBMISSION).reviews
    return last_review(reviews, value.digest, criteria)


def _values(
    assignment: Assignment,
    students: list[Enrollment],
    grades: dict[int, Grade],
    choice: ExportChoice,
) -> dict[int, list[ReleasedVerdict]]:
    """Return the results to export, by student."""
    if not choice.everything:
        return _released(grades)

    audits = {key: [grade.audit_id] for key, grade in grades.items()}
    if choice.every_attempt:
        audits = export_queries.attempts_with_verdicts(assignment, students)
    results = audit_results([audit for theirs in audits.values() for audit in theirs])
    # The grade's own attempt has the student's adjustment; the others are as they were judged.
    adjusted = [row for row in grades.values() if row.adjusted_from is not None]
    own = {}
    if adjusted:
        by_grade = grade_results(adjusted, results)
        own = {(row.student_id, row.audit_id): by_grade[row.pk] for row in adjusted}

    return {
        key: [
            ReleasedVerdict.model_validate(released_value(own.get((key, audit), results[audit])))
            for audit in theirs
        ]
        for key, theirs in audits.items()
    }


def _released(grades: Mapping[int, Grade]) -> dict[int, list[ReleasedVerdict]]:
    """Return what was released of each grade, by student."""
    values = {key: parse_released(grade.released) for key, grade in grades.items()}
    return {key: [value] if value is not None else [] for key, value in values.items()}


def _status(grade: Grade | None) -> str:
    if grade is None:
        return "no verdict"
    if grade.released_at is None:
        return "not released"
    return "changed since its release" if grade.changed else "released"


def _released_at(grade: Grade | None) -> str:
    return _moment(grade.released_at if grade else None)


def _moment(time: datetime | None) -> str:
    return time.isoformat(timespec="seconds") if time else ""
