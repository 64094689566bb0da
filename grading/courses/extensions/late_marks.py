"""Remove late marks that no longer hold."""

from __future__ import annotations

from collections.abc import Collection

from grading.courses.extensions.queries import terms_of_students
from grading.models import Assignment, Cohort, Extension, Submission


def clear_late_marks(assignment: Assignment) -> int:
    """Remove the mark from submissions that are on time under their student's terms.

    Return how many. No mark is ever set: work that was on time when it was handed in stays so, also
    when its extension is withdrawn. Call it inside a transaction.
    """
    marked = Submission.objects.filter(assignment=assignment, late=True).select_related("student")
    submissions = list(marked)
    terms = terms_of_students(assignment, {row.student for row in submissions})
    on_time = [row.pk for row in submissions if not terms[row.student_id].is_late(row.handed_in_at)]
    return Submission.objects.filter(pk__in=on_time).update(late=False)


def clear_late_marks_of(cohort: Cohort, groups: Collection[str]) -> None:
    """Remove late marks where extensions of these groups hold, after students joined a group."""
    held = Extension.objects.filter(group__in=[name for name in groups if name], ending="")
    for assignment in Assignment.objects.filter(
        cohort=cohort, pk__in=held.values("assignment")
    ).order_by("pk"):
        clear_late_marks(assignment)
