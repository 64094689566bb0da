"""The rows behind a student's page of peers, each kind fetched once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Exists, OuterRef, Q, Subquery
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

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Newest(TypedDict):
        newest_attempt: int | None

    PairingWithNewest = WithAnnotations[Pairing, _Newest]

PLACE = ("assignment__organization", "assignment__cohort")


def is_over(cohort: Cohort) -> bool:
    """Whether pairings grant nothing any more."""
    return cohort.ends_on is not None and cohort.ends_on < timezone.localdate()


def rounds_of(student: Enrollment) -> list[PairingRound]:
    """The rounds that have begun with the student in them, or that they left with a report behind them; none once the
    cohort is over."""
    if is_over(student.cohort):
        return []
    place = RoundMember.objects.filter(round=OuterRef("pk"), student=student, left_at=None)
    standing = Pairing.objects.filter(
        Q(auditor=student) | Q(auditee=student), round=OuterRef("pk"), ended_at=None
    )
    theirs = PairingRound.objects.filter(Exists(place) | Exists(standing), starts_at__lte=timezone.now())
    return list(theirs.select_related(*PLACE).order_by("assignment_id", "-number"))


def pairings_of(student: Enrollment, rounds: list[PairingRound]) -> list[PairingWithNewest]:
    """By their random keys: in the order in which they were made, a change by hand would show the roster's order.

    `newest_attempt` is the audited's newest that could be audited, null before one.
    """
    theirs = Pairing.objects.filter(Q(auditor=student) | Q(auditee=student), round__in=rounds, ended_at=None)
    handed_in = Submission.objects.filter(
        assignment=OuterRef("round__assignment"), student=OuterRef("auditee")
    ).exclude(resolved_commit="")
    newest = Subquery(handed_in.order_by("-attempt").values("attempt")[:1])
    return list(theirs.annotate(newest_attempt=newest).select_related("round__assignment").order_by("pk"))


def members_of(pairings: Sequence[Pairing]) -> dict[tuple[object, object], RoundMember]:
    students = {key for pairing in pairings for key in (pairing.auditor_id, pairing.auditee_id)}
    rounds = {pairing.round_id for pairing in pairings}
    members = RoundMember.objects.filter(round__in=rounds, student__in=students)
    return {(each.round_id, each.student_id): each for each in members.select_related("round", "student")}


def reports_of(student: Enrollment, pairings: Sequence[Pairing]) -> list[FeedbackReport]:
    """Newest first; of a pairing that grants nothing any more there are none."""
    theirs = Q(pairing__in=pairings) | Q(pairing=None) & (Q(author=student) | Q(subject=student))
    found = FeedbackReport.objects.filter(theirs).select_related("audit", "submission", *PLACE)
    return list(found.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))


def assignments_of(
    student: Enrollment, rounds: list[PairingRound], reports: list[FeedbackReport]
) -> list[Assignment]:
    """Each once, in their own order; the rounds and reports have them loaded."""
    every = [paired.assignment for paired in rounds] + [report.assignment for report in reports]
    own = {each.pk: each for each in every if each.cohort_id == student.cohort_id}.values()
    return sorted(own, key=lambda each: (each.due_at is None, each.due_at, each.title, each.pk))


def reports_under(pairing: Pairing) -> list[FeedbackReport]:
    """Every report of a pairing, newest first, with its audit; what they say is left out."""
    theirs = FeedbackReport.objects.filter(pairing=pairing).select_related(
        "audit", "submission", "brought_by"
    )
    return list(theirs.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))
