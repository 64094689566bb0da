"""The rows behind a student's page of peers, each kind fetched once."""

from __future__ import annotations

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from grading.models import (
    Assignment,
    Cohort,
    Enrollment,
    FeedbackReport,
    Pairing,
    PairingRound,
    RoundMember,
    Submission,
)


def is_over(cohort: Cohort) -> bool:
    """Whether pairings grant nothing any more."""
    return cohort.ends_on is not None and cohort.ends_on < timezone.localdate()


def rounds_of(student: Enrollment) -> list[PairingRound]:
    """The rounds that have begun with the student in them; none once the cohort is over."""
    if is_over(student.cohort):
        return []
    theirs = PairingRound.objects.filter(
        members__student=student, members__left_at=None, starts_at__lte=timezone.now()
    )
    return list(theirs.select_related("assignment").order_by("assignment_id", "-number"))


def pairings_of(student: Enrollment, rounds: list[PairingRound]) -> list[Pairing]:
    """By their random keys: in the order in which they were made, a change by hand would show the roster's order."""
    theirs = Pairing.objects.filter(Q(auditor=student) | Q(auditee=student), round__in=rounds, ended_at=None)
    return list(theirs.select_related("round__assignment").order_by("pk"))


def members_of(pairings: list[Pairing]) -> dict[tuple[object, object], RoundMember]:
    students = {key for pairing in pairings for key in (pairing.auditor_id, pairing.auditee_id)}
    rounds = {pairing.round_id for pairing in pairings}
    members = RoundMember.objects.filter(round__in=rounds, student__in=students)
    return {(each.round_id, each.student_id): each for each in members.select_related("round", "student")}


def reports_of(student: Enrollment, pairings: list[Pairing]) -> list[FeedbackReport]:
    """Newest first; of a pairing that grants nothing any more there are none."""
    theirs = Q(pairing__in=pairings) | Q(pairing=None) & (Q(author=student) | Q(subject=student))
    found = FeedbackReport.objects.filter(theirs).select_related("audit", "submission", "assignment")
    return list(found.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))


def assignments_of(
    student: Enrollment, rounds: list[PairingRound], reports: list[FeedbackReport]
) -> list[Assignment]:
    keys = {each.assignment_id for each in rounds} | {report.assignment_id for report in reports}
    found: QuerySet[Assignment] = Assignment.objects.filter(pk__in=keys, cohort=student.cohort_id)
    return list(found.select_related("organization", "cohort"))


def newest_attempts(pairings: list[Pairing]) -> dict[tuple[object, object], int]:
    """By assignment and student, the newest attempt that could be audited."""
    handed_in = Submission.objects.filter(
        assignment__in={pairing.round.assignment_id for pairing in pairings},
        student__in={pairing.auditee_id for pairing in pairings},
    ).exclude(resolved_commit="")
    rows = handed_in.order_by().values_list("assignment_id", "student_id").annotate(newest=Max("attempt"))
    return {(assignment, whose): newest for assignment, whose, newest in rows}


def reports_under(pairing: Pairing) -> list[FeedbackReport]:
    """Every report of a pairing, newest first, with its audit; what they say is left out."""
    theirs = FeedbackReport.objects.filter(pairing=pairing).select_related(
        "audit", "submission", "brought_by"
    )
    return list(theirs.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))
