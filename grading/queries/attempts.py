"""A student's attempts at an assignment, and a cohort's."""

from dataclasses import dataclass

from django.db.models import Count, Max, Prefetch, Q, QuerySet

from grading.models import Assignment, Audit, Enrollment, Submission


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one student stands with one assignment. `latest` and `audit` are null before a first hand-in."""

    student: Enrollment
    attempts: int
    latest: Submission | None
    audit: Audit | None


def attempts_used(assignment: Assignment, student: Enrollment) -> int:
    """How many attempts count; those whose audit failed do not."""
    return Submission.objects.filter(assignment=assignment, student=student, counts=True).count()


def attempts_left(assignment: Assignment, student: Enrollment) -> int:
    return max(0, assignment.max_attempts - attempts_used(assignment, student))


def next_attempt(assignment: Assignment, student: Enrollment) -> int:
    """The number of the next hand-in; numbers are never used twice."""
    taken = Submission.objects.filter(assignment=assignment, student=student)
    return (taken.aggregate(last=Max("attempt"))["last"] or 0) + 1


def attempts_of(student: Enrollment, assignment: Assignment) -> QuerySet[Submission]:
    """Newest first, each with its `audits` (newest first, reports left out) prefetched."""
    return _with_audits(Submission.objects.filter(student=student, assignment=assignment)).order_by(
        "-attempt"
    )


def standings_of(assignment: Assignment) -> list[Standing]:
    """Everybody in the cohort, in the roster's order, with their latest attempt. Three queries."""
    mine = Q(submissions__assignment=assignment)
    students = Enrollment.objects.filter(cohort=assignment.cohort_id).annotate(
        attempts=Count("submissions", filter=mine)
    )
    newest = (
        Submission.objects.filter(assignment=assignment)
        .order_by("student_id", "-attempt")
        .distinct("student_id")
    )
    latest = {submission.student_id: submission for submission in _with_audits(newest)}
    return [
        Standing(
            student=student,
            attempts=student.attempts,
            latest=latest.get(student.pk),
            audit=latest_audit(latest[student.pk]) if student.pk in latest else None,
        )
        for student in students
    ]


def latest_audit(submission: Submission) -> Audit | None:
    """The newest audit of a submission; no query for one from attempts_of or standings_of."""
    return next(iter(submission.audits.all()), None)


def _with_audits(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    audits = Audit.objects.defer("report").order_by("-created_at")
    return submissions.prefetch_related(Prefetch("audits", queryset=audits))
