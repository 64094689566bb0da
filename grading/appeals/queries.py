"""Appeals: what a student may still file, what waits for an answer, and how often which criterion was upheld."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from grading.core.enums import FINAL_STATES, AppealState
from grading.engine.released_verdict import parse_released
from grading.engine.report import Report, parse_report
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    Cohort,
    Grade,
    Organization,
    Submission,
    SupersededReport,
)

# An appeal that was upheld or withdrawn is given back.
COUNTED = (AppealState.OPEN, AppealState.ESCALATED, AppealState.REJUDGING, AppealState.KEPT)
DECIDED = (AppealState.KEPT, AppealState.CHANGED)
# What is judged again waits for a person again as soon as that has ended, however it ended.
JUDGED_AGAIN = Q(state=AppealState.REJUDGING) & (
    Q(rejudged_in=None) | Q(rejudged_in__state__in=FINAL_STATES)
)
WAITING = Q(state__in=(AppealState.OPEN, AppealState.ESCALATED)) | JUDGED_AGAIN
ALARM_SHARE, ALARM_FROM = 0.25, 4


@dataclass(frozen=True, slots=True)
class Allowance:
    """How long, and how often, a student may still appeal at one assignment."""

    until: datetime
    most: int
    used: int

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)

    @property
    def is_over(self) -> bool:
        return timezone.now() > self.until


@dataclass(frozen=True, slots=True)
class Upheld:
    """Of the appeals on one criterion that were answered, how many changed its score."""

    criterion_id: str
    name: str
    decided: int
    upheld: int

    @property
    def share(self) -> float:
        return self.upheld / self.decided

    @property
    def percent(self) -> int:
        return round(100 * self.share)

    @property
    def is_alarming(self) -> bool:
        """A criterion that is wrong this often is a bad criterion (more than 25 %, of four or more)."""
        return self.decided >= ALARM_FROM and self.share > ALARM_SHARE


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """What an inbox is narrowed to. `state` is a key of STATES; the rest None or "" for all."""

    state: str = "waiting"
    cohort: Cohort | None = None
    assignment: Assignment | None = None
    criterion_id: str = ""


@dataclass(frozen=True, slots=True)
class InboxChoices:
    """What an inbox can be narrowed to."""

    cohorts: dict[str, Cohort]
    assignments: dict[str, Assignment]
    criteria: dict[str, str]

    def as_pairs(self) -> dict[str, list[tuple[str, str]]]:
        """For a form's selects: (what stands in the address, words)."""
        return {
            "cohorts": [(slug, cohort.name) for slug, cohort in self.cohorts.items()],
            "assignments": [
                (key, f"{each.title} ({each.cohort.name})")
                for key, each in self.assignments.items()
            ],
            "criteria": list(self.criteria.items()),
        }

    def narrowed(self, asked: dict[str, str]) -> InboxFilter:
        """`asked` as the form cleaned it; what is missing asks for nothing."""
        return InboxFilter(
            state=asked.get("state") or "waiting",
            cohort=self.cohorts.get(asked.get("cohort", "")),
            assignment=self.assignments.get(asked.get("assignment", "")),
            criterion_id=asked.get("criterion", ""),
        )


STATES: dict[str, Q] = {
    "waiting": WAITING,
    **{state.value: Q(state=state) for state in AppealState},
    "decided": Q(state__in=DECIDED),
    "all": Q(),
}


def allowance_of(grade: Grade) -> Allowance | None:
    """Null until the grade is released: nothing can be appealed before."""
    if grade.released_at is None:
        return None
    assignment = grade.assignment
    return Allowance(
        until=grade.released_at + timedelta(days=assignment.appeal_days),
        most=assignment.max_appeals,
        used=appeals_at(assignment.pk, grade.student_id).filter(state__in=COUNTED).count(),
    )


@dataclass(frozen=True, slots=True)
class Beside:
    """What a report's page shows beside one criterion: its latest appeal, and where a new one would be filed.

    `position` is the criterion's place in what was released; null where the reader cannot appeal.
    """

    appeal: Appeal | None
    position: int | None
    allowance: Allowance | None


def appeals_beside(audit: Audit, *, user_id: int) -> dict[str, Beside]:
    """By the criterion's id, for the student whose work it is and for staff. Three queries."""
    latest = latest_appeals_on(audit.submission)
    grade = grade_told_of(audit) if audit.submission.student.user_id == user_id else None
    released = parse_released(grade.released) if grade else None
    criteria = released.criteria if released else ()
    positions = {row.id: position for position, row in enumerate(criteria)}
    allowance = allowance_of(grade) if grade else None
    return {
        key: Beside(latest.get(key), positions.get(key), allowance)
        for key in latest.keys() | positions.keys()
    }


def appeals_at(assignment_id: int, student_id: int) -> QuerySet[Appeal]:
    return Appeal.objects.filter(
        submission__assignment=assignment_id, submission__student=student_id
    )


def grade_told_of(audit: Audit) -> Grade | None:
    """The student's grade, if what they were told of it is about the attempt that this is an audit of."""
    submission = audit.submission
    grades = Grade.objects.filter(
        assignment=submission.assignment_id, student=submission.student_id
    )
    return (
        grades.select_related("assignment").filter(released__submission=str(submission.pk)).first()
    )


def grade_behind(appeal: Appeal) -> Grade | None:
    """The student's grade, whichever attempt it is about."""
    submission = appeal.submission
    found = Grade.objects.filter(assignment=submission.assignment_id, student=submission.student_id)
    return found.select_related("assignment", "audit").defer("audit__report").first()


def counts_for_the_grade(appeal: Appeal, grade: Grade | None) -> bool:
    """Whether the attempt that was appealed is the one that counts now; `grade` as grade_behind has it."""
    return grade is not None and grade.audit.submission_id == appeal.submission_id


def appeals_of(user: User) -> QuerySet[Appeal]:
    """A student's own appeals in the organization, newest first."""
    return _with_places(Appeal.objects.filter(submission__student__user=user)).order_by(
        "-filed_at", "-pk"
    )


def latest_appeals_on(submission: Submission) -> dict[str, Appeal]:
    """The newest appeal on each criterion that was not withdrawn, by the criterion's id."""
    filed = Appeal.objects.filter(submission=submission).exclude(state=AppealState.WITHDRAWN)
    return {appeal.criterion_id: appeal for appeal in filed.order_by("filed_at", "pk")}


def inbox(narrowed: InboxFilter) -> QuerySet[Appeal]:
    """Oldest first, each with its student, its assignment, and the state of what judges it again."""
    return _with_places(_narrowed(narrowed).filter(STATES[narrowed.state])).order_by(
        "filed_at", "pk"
    )


def inbox_choices(organization: Organization) -> InboxChoices:
    """The cohorts, assignments and criteria that there are appeals about. Two queries."""
    appealed = Appeal.objects.filter(organization=organization).order_by()
    assignments = Assignment.objects.filter(pk__in=appealed.values("submission__assignment"))
    found = list(assignments.select_related("cohort").order_by("cohort__name", "title", "pk"))
    named = (
        appealed.values("criterion_id")
        .annotate(name=Max("criterion_name"))
        .order_by("name", "criterion_id")
    )
    return InboxChoices(
        cohorts={each.cohort.slug: each.cohort for each in found},
        assignments={str(each.pk): each for each in found},
        criteria={row["criterion_id"]: row["name"] for row in named},
    )


def upheld_by_criterion(narrowed: InboxFilter) -> list[Upheld]:
    """What came of the appeals that were answered, most often upheld first; the state asked for plays no part."""
    decided = _narrowed(narrowed).filter(state__in=DECIDED).order_by()
    rows = decided.values("criterion_id").annotate(
        name=Max("criterion_name"),
        decided=Count("pk"),
        upheld=Count("pk", filter=Q(state=AppealState.CHANGED)),
    )
    return sorted(
        (Upheld(**row) for row in rows), key=lambda each: (-each.share, -each.decided, each.name)
    )


def report_by_digest(submission: Submission, digest: str) -> Report | None:
    """Return the report that a verdict was told from: an audit's, or one superseded since."""
    standing = Audit.objects.filter(submission=submission, report_digest=digest)
    superseded = SupersededReport.objects.filter(audit__submission=submission, digest=digest)
    for rows in (standing, superseded):
        document: dict[str, Any] | None = rows.values_list("report", flat=True).first()
        if document is not None:
            return parse_report(document)
    return None


def report_told(audit: Audit | None, appeal: Appeal) -> Report | None:
    """Return the same, where the audit appealed (audit_appealed) is at hand."""
    is_current = audit is not None and audit.report_digest == appeal.report_digest
    if audit is not None and audit.report is not None and is_current:
        return parse_report(audit.report)
    return report_by_digest(appeal.submission, appeal.report_digest)


def audit_appealed(appeal: Appeal) -> Audit | None:
    """The audit whose report the verdict was told from, with its report as it is now."""
    audits = Audit.objects.filter(submission=appeal.submission).select_related(
        "submission__student", "submission__assignment", "organization"
    )
    rests_on = Q(report_digest=appeal.report_digest) | Q(
        superseded_reports__digest=appeal.report_digest
    )
    return audits.filter(rests_on).order_by("created_at").first()


def _narrowed(narrowed: InboxFilter) -> QuerySet[Appeal]:
    appeals = Appeal.objects.all()
    if narrowed.cohort:
        appeals = appeals.filter(submission__assignment__cohort=narrowed.cohort)
    if narrowed.assignment:
        appeals = appeals.filter(submission__assignment=narrowed.assignment)
    return appeals.filter(criterion_id=narrowed.criterion_id) if narrowed.criterion_id else appeals


def _with_places(appeals: QuerySet[Appeal]) -> QuerySet[Appeal]:
    related = appeals.select_related(
        "organization", "submission__student", "submission__assignment__cohort"
    )
    return related.annotate(rejudged_state=F("rejudged_in__state"))
