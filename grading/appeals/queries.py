"""Queries about appeals: allowances, the inbox, and how often each criterion is upheld."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db.models import Count, F, Max, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import FINAL_STATES, TEACHING_ROLES, AppealState, Role
from grading.core.team_access import is_about_work_of, is_readable_by
from grading.engine.released_verdict import parse_released
from grading.engine.report import Report, parse_report
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    Cohort,
    Grade,
    Membership,
    Organization,
    Submission,
    SupersededReport,
)

# Upheld and withdrawn appeals don't use the student's allowance.
COUNTED = (AppealState.OPEN, AppealState.ESCALATED, AppealState.REJUDGING, AppealState.KEPT)
DECIDED = (AppealState.KEPT, AppealState.CHANGED)
# A rejudged appeal needs a person again when its audit has ended, with or without a verdict.
JUDGED_AGAIN = Q(state=AppealState.REJUDGING) & (
    Q(rejudged_in=None) | Q(rejudged_in__state__in=FINAL_STATES)
)
WAITING = Q(state__in=(AppealState.OPEN, AppealState.ESCALATED)) | JUDGED_AGAIN
# Who lost the role or left holds no appeal any more: derived, so no change of roles can miss it.
HELD = Q(assigned_to__role__in=TEACHING_ROLES, assigned_to__user__is_active=True)
Holder = Literal["", "mine", "nobody"]
# With fewer answers, one upheld appeal would already raise the alarm.
ALARM_SHARE, ALARM_FROM = 0.25, 4
# Of an inbox's filters; older appeals are on their report's page.
MOST_CHOICES = 100


@dataclass(frozen=True, slots=True)
class Allowance:
    """Time and number of appeals that a student has left at one assignment."""

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
    """Number of answered appeals on one criterion, and of those that changed its score."""

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
        """Return whether over 25 % of four or more were upheld, so the criterion needs a look."""
        return self.decided >= ALARM_FROM and self.share > ALARM_SHARE


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """Filters of an inbox. `state` is a key of STATES; the others are None or "" for all.

    `holder` is about `reader`, the key of the account that looks.
    """

    state: str = "waiting"
    cohort: Cohort | None = None
    assignment: Assignment | None = None
    criterion_id: str = ""
    holder: Holder = ""
    reader: int | None = None


@dataclass(frozen=True, slots=True)
class InboxChoices:
    """Cohorts, assignments and criteria by which an inbox can be filtered."""

    cohorts: dict[str, Cohort]
    assignments: dict[str, Assignment]
    criteria: dict[str, str]

    def as_pairs(self) -> dict[str, list[tuple[str, str]]]:
        """Return choices for a form's selects: (value in the address, label)."""
        return {
            "cohorts": [(slug, cohort.name) for slug, cohort in self.cohorts.items()],
            "assignments": [
                (key, f"{assignment.title} ({assignment.cohort.name})")
                for key, assignment in self.assignments.items()
            ],
            "criteria": list(self.criteria.items()),
        }

    def narrowed(self, data: dict[str, Any], reader: User) -> InboxFilter:
        """Return the filter for a form's cleaned data; missing values mean all."""
        return InboxFilter(
            state=data.get("state") or "waiting",
            cohort=self.cohorts.get(data.get("cohort", "")),
            assignment=self.assignments.get(data.get("assignment", "")),
            criterion_id=data.get("criterion", ""),
            holder=data.get("holder", ""),
            reader=reader.pk,
        )


STATES: dict[str, Q] = {
    "waiting": WAITING,
    **{state.value: Q(state=state) for state in AppealState},
    "decided": Q(state__in=DECIDED),
    "all": Q(),
}


def allowance_of(grade: Grade, *, used: int | None = None) -> Allowance | None:
    """Return the student's allowance; None before the release, when nothing can be appealed.

    `used` is the number of appeals that count, where the caller has it; else one query.
    """
    if grade.released_at is None:
        return None
    assignment = grade.assignment
    return Allowance(
        until=grade.released_at + timedelta(days=assignment.appeal_days),
        most=assignment.max_appeals,
        used=_counted_appeals(assignment.pk, grade.student_id).count() if used is None else used,
    )


def _counted_appeals(assignment: int, student: int) -> QuerySet[Appeal]:
    return appeals_at(assignment, student).filter(state__in=COUNTED)


@dataclass(frozen=True, slots=True)
class CriterionAppeal:
    """Latest appeal on one criterion of a report, and the place of a new one.

    `position` is the criterion's place in the released grade; null where the reader cannot appeal.
    """

    appeal: Appeal | None
    position: int | None
    allowance: Allowance | None


def criterion_appeals(
    audit: Audit, *, user_id: int, grade: Grade | None
) -> dict[str, CriterionAppeal]:
    """Return appeals by criterion id, for the submitting student and for staff. One query.

    `grade` is the student's.
    """
    submission = audit.submission
    filed = APPEALS.rows_in_scope(
        assignment=submission.assignment_id, student=submission.student_id
    )
    latest = {
        appeal.criterion_id: appeal
        for appeal in filed
        if appeal.submission_id == submission.pk and appeal.state != AppealState.WITHDRAWN
    }
    is_own = submission.student.user_id == user_id
    released = parse_released(grade.released) if grade and is_own else None
    if released is not None and released.submission != str(submission.pk):
        released = None
    criteria = released.criteria if released else ()
    positions = {row.id: position for position, row in enumerate(criteria)}
    allowance = None
    if grade is not None and released is not None:
        grade.assignment = submission.assignment
        allowance = allowance_of(grade, used=sum(appeal.state in COUNTED for appeal in filed))

    return {
        key: CriterionAppeal(latest.get(key), positions.get(key), allowance)
        for key in latest.keys() | positions.keys()
    }


def appeals_at(assignment: int, student: int) -> QuerySet[Appeal, Appeal]:
    """Return the appeals on a student's work; those on a team's work are its members' together."""
    theirs = Submission.objects.filter(is_readable_by(student), assignment=assignment)
    return Appeal.objects.filter(submission__in=theirs)


APPEALS = OrganizationQuery(appeals_at, assignment=int, student=int)


def released_grade_of(audit: Audit) -> Grade | None:
    """Return the student's grade if it was released for the attempt of this audit."""
    submission = audit.submission
    grades = Grade.objects.filter(assignment=submission.assignment_id, student=submission.reader_id)

    return (
        grades.select_related("assignment").filter(released__submission=str(submission.pk)).first()
    )


def grade_for_appeal(appeal: Appeal) -> Grade | None:
    """Return the student's grade, whichever attempt it is about, with its `appeals_used`."""
    submission = appeal.submission
    counted = _counted_appeals(submission.assignment_id, submission.student_id).order_by()
    used = counted.values("organization").annotate(number=Count("pk")).values("number")
    grades = Grade.objects.filter(
        assignment=submission.assignment_id, student=submission.student_id
    )
    related = grades.select_related("assignment__cohort", "audit").defer("audit__report")
    return related.annotate(appeals_used=Coalesce(Subquery(used), 0)).first()


def release_of(appeal: Appeal, grade: Grade | None) -> dict[str, Any] | None:
    """Return the last release of the appealed attempt; `grade` is from grade_for_appeal."""
    released = grade.released if grade else None
    if released is None:
        return None
    of_attempts: list[dict[str, Any]] = [released, *released.get("earlier", ())]
    appealed = str(appeal.submission_id)
    return next((value for value in of_attempts if value["submission"] == appealed), None)


def is_about_the_release(appeal: Appeal, grade: Grade | None) -> bool:
    """Return whether the appealed attempt is the one that is released, whichever counts now."""
    released = grade.released if grade else None
    return released is not None and released["submission"] == str(appeal.submission_id)


def appeals_of(user: User) -> QuerySet[Appeal]:
    """Return a student's own appeals in the organization and their teams', newest first."""
    theirs = Appeal.objects.filter(is_about_work_of(user.pk, "submission"))
    return _with_related(theirs).order_by("-filed_at", "-pk")


def latest_appeals_on(submission: Submission) -> dict[str, Appeal]:
    """Return the newest appeal on each criterion, withdrawn ones excluded, by criterion id."""
    filed = Appeal.objects.filter(submission=submission).exclude(state=AppealState.WITHDRAWN)
    return {appeal.criterion_id: appeal for appeal in filed.order_by("filed_at", "pk")}


def inbox(narrowed: InboxFilter) -> QuerySet[Appeal]:
    """Return appeals oldest first, with student, assignment and state of the rejudging audit."""
    appeals = _filtered(narrowed).filter(STATES[narrowed.state])
    if narrowed.holder == "mine":
        appeals = appeals.filter(HELD, assigned_to__user=narrowed.reader)
    elif narrowed.holder == "nobody":
        appeals = appeals.exclude(pk__in=Appeal.objects.filter(HELD).values("pk"))
    return _with_related(appeals).order_by("filed_at", "pk")


def answerers(organization: Organization, *, owners_only: bool = False) -> QuerySet[Membership]:
    """Return the members who may answer appeals, with their accounts, by address."""
    roles = (Role.OWNER,) if owners_only else TEACHING_ROLES
    teaching = Membership.objects.filter(
        organization=organization, role__in=roles, user__is_active=True
    )
    return teaching.select_related("user").order_by("email", "pk")


def holder_of(appeal: Appeal) -> Membership | None:
    """Return the teacher who holds the appeal; needs `assigned_to__user`."""
    member = appeal.assigned_to
    is_held = member and member.role in TEACHING_ROLES and member.user.is_active
    return member if is_held else None


def inbox_choices(organization: Organization) -> InboxChoices:
    """Return the newest assignments that have appeals, their cohorts, and the criteria. Two queries."""
    appealed = Appeal.objects.filter(organization=organization).order_by()
    assignments = Assignment.objects.filter(pk__in=appealed.values("submission__assignment"))
    newest = assignments.select_related("cohort").defer("instructions").order_by("-pk")
    assignments_appealed = sorted(
        newest[:MOST_CHOICES], key=lambda row: (row.cohort.name, row.title, row.pk)
    )
    named = (
        appealed.values("criterion_id")
        .annotate(name=Max("criterion_name"))
        .order_by("name", "criterion_id")
    )

    return InboxChoices(
        cohorts={assignment.cohort.slug: assignment.cohort for assignment in assignments_appealed},
        assignments={str(assignment.pk): assignment for assignment in assignments_appealed},
        criteria={row["criterion_id"]: row["name"] for row in named},
    )


def upheld_by_criterion(narrowed: InboxFilter) -> list[Upheld]:
    """Count answered appeals by criterion, most often upheld first; ignores the state filter."""
    decided = _filtered(narrowed).filter(state__in=DECIDED).order_by()
    rows = decided.values("criterion_id").annotate(
        name=Max("criterion_name"),
        decided=Count("pk"),
        upheld=Count("pk", filter=Q(state=AppealState.CHANGED)),
    )

    return sorted(
        (Upheld(**row) for row in rows), key=lambda row: (-row.share, -row.decided, row.name)
    )


def report_by_digest(submission: Submission, digest: str) -> Report | None:
    """Return the report behind a released verdict: an audit's current or superseded one."""
    standing = Audit.objects.filter(submission=submission, report_digest=digest)
    superseded = SupersededReport.objects.filter(audit__submission=submission, digest=digest)
    for rows in (standing, superseded):
        document: dict[str, Any] | None = rows.values_list("report", flat=True).first()
        if document is not None:
            return parse_report(document)

    return None


def released_report(audit: Audit | None, appeal: Appeal) -> Report | None:
    """Return the same, where the audit (appealed_audit) is already loaded."""
    # A re-synthesis may have replaced the report since the appeal was filed.
    is_current = audit is not None and audit.report_digest == appeal.report_digest
    if audit is not None and audit.report is not None and is_current:
        return parse_report(audit.report)
    return report_by_digest(appeal.submission, appeal.report_digest)


def appealed_audit(appeal: Appeal) -> Audit | None:
    """Return the audit behind the appealed verdict, with its current report."""
    audits = Audit.objects.filter(submission=appeal.submission).select_related(
        "submission__student",
        "submission__team",
        "submission__assignment",
        "organization",
    )
    # The appealed report is an audit's current one or a superseded one.
    rests_on = Q(report_digest=appeal.report_digest) | Q(
        superseded_reports__digest=appeal.report_digest
    )

    return audits.filter(rests_on).order_by("created_at").first()


def _filtered(narrowed: InboxFilter) -> QuerySet[Appeal]:
    appeals = Appeal.objects.all()
    if narrowed.cohort:
        appeals = appeals.filter(submission__assignment__cohort=narrowed.cohort)
    if narrowed.assignment:
        appeals = appeals.filter(submission__assignment=narrowed.assignment)
    return appeals.filter(criterion_id=narrowed.criterion_id) if narrowed.criterion_id else appeals


def _with_related(appeals: QuerySet[Appeal]) -> QuerySet[Appeal]:
    related = appeals.select_related(
        "organization",
        "submission__student",
        "submission__team",
        "submission__assignment__cohort",
        "assigned_to__user",
    )
    return related.annotate(rejudged_state=F("rejudged_in__state"))
