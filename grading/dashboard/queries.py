"""Read what the home page shows: news and peer reviews for students, open work for teachers.

Every query runs in the scope of all the user's organizations; their number is fixed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from grading.appeals.queries import DECIDED, WAITING
from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import REPORTED_STATES, STAFF_ROLES, BulkState, FeedbackSource, Opened
from grading.core.key_arrays import IsAmong
from grading.core.pairing_access import granted_pairings
from grading.core.permissions import role_of
from grading.grades.queries.gradebook import flagged_among
from grading.models import (
    Appeal,
    Assignment,
    BulkRun,
    Enrollment,
    FeedbackReport,
    FindingSighting,
    Grade,
    Opening,
    Organization,
    Pairing,
    RoundMember,
    Submission,
)
from grading.peer_review.exchange.queries import members_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Report(TypedDict):
        report: UUID | None
        report_audit: UUID | None
        report_read_at: datetime | None

    PairingWithReport = WithAnnotations[Pairing, _Report]

# Bounds on the page's size; the full lists have pages of their own.
MAX_APPEALS = 50
MAX_ASSIGNMENTS = 20
OpenedTimes = Mapping[tuple[str, str], datetime]


@dataclass(frozen=True, slots=True)
class PeerLine:
    """One pairing of the student. `member` is the peer; feedback.queries.shown_name names them.

    `report` is the newest report, null while it is due. `answered_at` is the time of the latest
    answer to its findings, null without one and for the student who received the report.
    """

    pairing: Pairing
    is_auditor: bool
    member: RoundMember | None
    report: UUID | None
    is_read: bool
    answered_at: datetime | None


def opened_times_of(enrollments: Sequence[Enrollment]) -> OpenedTimes:
    """Return the time each object was last opened, by its kind and its key as text."""
    openings = Opening.objects.filter(student__in=enrollments)
    rows = openings.values_list("kind", "about", "opened_at")
    return {(kind, about): at for kind, about, at in rows}


def is_news(opened: OpenedTimes, kind: Opened, about: object, at: datetime | None) -> bool:
    """Return whether something of this time has not been opened since. No time: no news."""
    opened_at = opened.get((kind, str(about)))
    return at is not None and (opened_at is None or opened_at < at)


def appeals_answered(user: User) -> list[Appeal]:
    """Return the latest answered appeals on the user's work, with their assignments."""
    return ANSWERED.rows_in_scope(user=user.pk)


def _answered(user: int) -> QuerySet[Appeal, Appeal]:
    appeals = Appeal.objects.filter(submission__student__user=user, state__in=DECIDED)
    related = appeals.select_related("organization", "submission__assignment")
    return related.defer("verdict", "text").order_by("-decided_at", "pk")[:MAX_APPEALS]


ANSWERED = OrganizationQuery(_answered, user=int)


def peer_lines(user: User, enrollments: Sequence[Enrollment]) -> list[PeerLine]:
    """Return the user's pairings that grant access now, by the end of the round.

    `enrollments` are all of the user's. Three queries at most.
    """
    student_ids = {enrollment.pk for enrollment in enrollments}
    pairings = PAIRINGS.rows_in_scope(user=user.pk, now=timezone.now())
    if not pairings:
        return []

    members = members_of(pairings)
    # Only the author of a report is told of answers; its subject gave them.
    as_auditor = [pairing for pairing in pairings if pairing.auditor_id in student_ids]
    answered = _answer_times(as_auditor)

    return [
        _line(pairing, pairing.auditor_id in student_ids, members, answered) for pairing in pairings
    ]


def _pairings(user: int, now: datetime) -> QuerySet[PairingWithReport, PairingWithReport]:
    """Return the user's pairings, each with its newest report."""
    reports = finished_reports()
    # A report that was hidden from its subject counts as read: they cannot open it.
    newest = reports.annotate(done_at=Coalesce("read_at", "hidden_at")).order_by(
        "-created_at", "pk"
    )
    places = Enrollment.objects.filter(user=user).values("pk")
    is_theirs = Q(IsAmong("auditor", places)) | Q(IsAmong("auditee", places))

    return (
        granted_pairings(now)
        .filter(is_theirs)
        .annotate(
            report=Subquery(newest.values("pk")[:1]),
            report_audit=Subquery(newest.values("audit")[:1]),
            report_read_at=Subquery(newest.values("done_at")[:1]),
        )
        .select_related("round__assignment__cohort", "organization")
        .order_by("round__ends_at", "pk")
    )


PAIRINGS = OrganizationQuery(_pairings, user=int, now=datetime)


def finished_reports() -> QuerySet[FeedbackReport]:
    """Return the reports of the outer query's pairing that can be read."""
    is_finished = Q(source=FeedbackSource.IMPORTED) | Q(audit__state__in=REPORTED_STATES)
    return FeedbackReport.objects.filter(is_finished, pairing=OuterRef("pk"))


def _line(
    pairing: PairingWithReport,
    is_auditor: bool,
    members: Mapping[tuple[object, object], RoundMember],
    answered: Mapping[UUID, datetime],
) -> PeerLine:
    peer_id = pairing.auditee_id if is_auditor else pairing.auditor_id

    return PeerLine(
        pairing=pairing,
        is_auditor=is_auditor,
        member=members.get((pairing.round_id, peer_id)),
        report=pairing.report,
        is_read=pairing.report_read_at is not None,
        answered_at=answered.get(pairing.report_audit or pairing.report)
        if is_auditor and pairing.report
        else None,
    )


def _answer_times(pairings: Sequence[PairingWithReport]) -> dict[UUID, datetime]:
    """Return the time of the last answer, by the report's audit or by the imported report."""
    audits = [pairing.report_audit for pairing in pairings if pairing.report_audit]
    imported = [
        pairing.report for pairing in pairings if pairing.report and not pairing.report_audit
    ]

    sightings = FindingSighting.objects.filter(
        Q(audit__in=audits) | Q(report__in=imported), present=True
    )
    # isnull too: replaced_at=None alone also matches findings without any answer.
    answered = sightings.filter(
        finding__responses__replaced_at=None, finding__responses__isnull=False
    ).order_by()

    by_source = answered.annotate(source=Coalesce("audit", "report")).values_list("source")
    return dict(by_source.annotate(last=Max("finding__responses__created_at")))


@dataclass(frozen=True, slots=True)
class AppealsWaiting:
    """Number of an organization's open appeals, and the time of the oldest."""

    organization: Organization
    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Teaching:
    """Open work of a user with a staff role.

    `assignments` are those of current cohorts: first by the next due date, then those past due.
    Each carries `students`, `handed_in`, `unreleased`, `changed_since` and `flagged`, which are the
    numbers of the lists that the page links to.
    """

    assignments: tuple[Any, ...]
    appeals: tuple[AppealsWaiting, ...]
    runs: tuple[BulkRun, ...]


def teaching_of(user: User, organizations: Collection[Organization]) -> Teaching | None:
    """Return the user's open work, null for a user without a staff role. Three queries.

    `organizations` come from core.own_organizations, which keeps the roles in them.
    """
    taught = {
        organization.pk: organization
        for organization in organizations
        if role_of(user, organization) in STAFF_ROLES
    }
    organization_ids = set(taught)
    if not organization_ids:
        return None

    running = BulkRun.objects.filter(organization__in=organization_ids, state=BulkState.RUNNING)

    return Teaching(
        assignments=tuple(_assignments(organization_ids)[:MAX_ASSIGNMENTS]),
        appeals=_appeals(taught),
        runs=tuple(running.select_related("assignment", "organization").order_by("created_at")),
    )


def _assignments(organization_ids: Collection[int]) -> QuerySet[Any]:
    now = timezone.now()
    grades = Grade.objects.filter(assignment=OuterRef("pk"))
    # A cohort is current through its last day, and for ever without one.
    is_current = Q(cohort__ends_on=None) | Q(cohort__ends_on__gte=now.date())

    counted = Assignment.objects.filter(is_current, organization__in=organization_ids).annotate(
        students=_count(Enrollment.objects.filter(cohort=OuterRef("cohort")), "cohort"),
        handed_in=_count(
            Submission.objects.filter(assignment=OuterRef("pk")), "assignment", "student"
        ),
        unreleased=_count(grades.filter(released_at=None), "assignment"),
        changed_since=_count(grades.filter(changed=True), "assignment"),
        flagged=_count(flagged_among(grades), "assignment"),
        is_past=Case(When(due_at__lt=now, then=Value(1)), default=Value(0)),
    )

    soonest = F("due_at").asc(nulls_last=True)
    related = counted.select_related("cohort", "organization").defer("instructions")
    return related.order_by("is_past", soonest, "title", "pk")


def _count(rows: QuerySet[Any], by: str, column: str = "pk") -> Coalesce:
    """Return a subquery that counts by a foreign key: joins would multiply rows."""
    counted = (
        rows.order_by()
        .values(by)
        # Distinct by another column: a student with three attempts counts once.
        .annotate(number=Count(column, distinct=column != "pk"))
        .values("number")
    )
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


def _appeals(organizations: dict[int, Organization]) -> tuple[AppealsWaiting, ...]:
    waiting = Appeal.objects.filter(WAITING, organization__in=organizations).order_by()
    rows = waiting.values_list("organization").annotate(number=Count("pk"), since=Min("filed_at"))
    return tuple(
        AppealsWaiting(organizations[key], number, since)
        for key, number, since in rows.order_by("since")
    )
