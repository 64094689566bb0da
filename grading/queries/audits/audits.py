"""What pages ask about audits: which of several stands, and what of it a reader may see."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, IntegerField, QuerySet, Value, When

from grading.enums import REPORTED_STATES, AuditKind, AuditState, ReleasePolicy
from grading.models import Audit, CriterionVerdict, Grade, Submission, SupersededReport

Place = tuple[int, int]  # the keys of an assignment and of a student

# A degraded report holds no verdict: it stands only where there is none.
_VERDICTS_FIRST = Case(
    When(state=AuditState.DEGRADED, then=Value(1)), default=Value(0), output_field=IntegerField()
)


@dataclass(frozen=True, slots=True)
class Edition:
    """A report as one reader may see it. `released` is what the student was told, where this is what they were told.

    Otherwise scores that people gave for the submission count beside the report's own (actions/results/marking.py), and
    `provisional` says that they may still change. `grade` is the student's, null before any verdict.
    """

    report: dict[str, Any]
    grade: Grade | None
    released: dict[str, Any] | None
    provisional: bool


def report_of(audit: Audit) -> dict[str, Any] | None:
    """The report JSON (automaton-auditor/report@1), read from the database only now; None without one."""
    return Audit.objects.values_list("report", flat=True).get(pk=audit.pk) if audit.has_report else None


def report_for(audit: Audit, *, is_staff: bool) -> Edition | None:
    """What this reader sees at this audit; None where there is nothing, or nothing yet that they may see.

    Staff see the audit's report as it is now. A student sees of a submission that they were told about the edition
    that was released, whichever of its audits they ask for; everything else by the assignment's policy.
    """
    submission, grade = audit.submission, grade_of(audit.submission)
    if is_staff:
        return _edition(audit, grade, provisional=grade is None or grade.released is None)
    told = told_of(submission, grade)
    if told is not None and audit.kind != AuditKind.PEER:
        return Edition(_released_report(told), grade, told, provisional=False)
    if is_withheld(submission, grade):
        return None
    return _edition(audit, grade, provisional=not is_past(submission, grade))


def grade_of(submission: Submission) -> Grade | None:
    """The grade of the student who handed it in, whether or not this attempt counts."""
    theirs = Grade.objects.filter(assignment=submission.assignment_id, student=submission.student_id)
    related = theirs.select_related("released_by", "audit__submission")
    return related.defer("audit__report").first()


def grades_behind(submissions: Iterable[Submission]) -> dict[Place, Grade]:
    """By assignment and student, those of whoever handed these in, with the audits that count. One query."""
    listed = list(submissions)
    grades = Grade.objects.filter(
        assignment__in={each.assignment_id for each in listed},
        student__in={each.student_id for each in listed},
    )
    found = grades.select_related("audit").defer("audit__report")
    return {(grade.assignment_id, grade.student_id): grade for grade in found}


def told_of(submission: Submission, grade: Grade | None) -> dict[str, Any] | None:
    """What the student was told about this very submission, in the shape of Grade.released: by the release that
    stands, or by one before it about another attempt. Null where it was never released."""
    released = (grade.released if grade else None) or {}
    every = [released, *released.get("earlier", ())]
    return next((told for told in every if told.get("submission") == str(submission.pk)), None)


def is_past(submission: Submission, grade: Grade | None) -> bool:
    """Whether a later attempt was released, so that this one only counts if somebody goes back to it."""
    if grade is None or grade.released is None or grade.audit.submission_id == submission.pk:
        return False
    return submission.attempt < int(grade.released["attempt"])


def is_withheld(submission: Submission, grade: Grade | None) -> bool:
    """Whether the student sees nothing of the verdict on this submission but that there is one."""
    if told_of(submission, grade) is not None:
        return False
    return submission.assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def standing_audit(submission: Submission) -> Audit | None:
    """The audit that stands for a submission: its newest with a verdict, so that no re-audit that waits or failed
    hides one. Peers' audits never stand; the report is left out."""
    own = _reported().filter(submission=submission).select_related("rubric_version")
    return own.order_by(_VERDICTS_FIRST, "-created_at", "pk").first()


def counting_audit(*, assignment_id: int, student_id: int) -> Audit | None:
    """The audit that stands for the student's latest attempt with a verdict; None before the first."""
    theirs = _reported().filter(submission__assignment=assignment_id, submission__student=student_id)
    return theirs.order_by(_VERDICTS_FIRST, "-submission__attempt", "-created_at", "pk").first()


def verdicts_of(audit: Audit) -> QuerySet[CriterionVerdict]:
    """The criteria's results, in the rubric's order."""
    return CriterionVerdict.objects.filter(audit=audit).order_by("position")


def _edition(audit: Audit, grade: Grade | None, *, provisional: bool) -> Edition | None:
    report = report_of(audit)
    return Edition(report, grade, None, provisional) if report is not None else None


def _released_report(told: dict[str, Any]) -> dict[str, Any]:
    """The report that a release rests on: still its audit's, or superseded since."""
    found = Audit.objects.filter(pk=told["audit"], report_digest=told["digest"])
    report: dict[str, Any] | None = found.values_list("report", flat=True).first()
    if report is None:
        superseded = SupersededReport.objects.filter(audit=told["audit"], digest=told["digest"])
        report = superseded.values_list("report", flat=True).get()
    return report


def _reported() -> QuerySet[Audit]:
    own = Audit.objects.filter(state__in=REPORTED_STATES).exclude(kind=AuditKind.PEER)
    return own.defer("report")
