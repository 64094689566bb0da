"""What was told to a student and not opened since, and what stands between them and their peers: for the first page.

Everything is asked in the scope of all their organizations at once, in as many queries whatever there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from grading.appeals.queries import DECIDED
from grading.core.enums import REPORTED_STATES, FeedbackSource, Opened
from grading.core.pairing_access import granted_pairings
from grading.models import (
    Appeal,
    Enrollment,
    FeedbackReport,
    FindingSighting,
    Opening,
    Pairing,
    RoundMember,
)
from grading.peer_review.exchange.queries import members_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Told(TypedDict):
        report: UUID | None
        report_audit: UUID | None
        report_read_at: datetime | None

    PairingTold = WithAnnotations[Pairing, _Told]
from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Count, F, IntegerField, Min, Value, When
from django.utils import timezone

from grading.appeals.queries import WAITING
from grading.core.enums import STAFF_ROLES, BulkState
from grading.grades.queries.gradebook import flagged_among
from grading.models import (
    Assignment,
    BulkRun,
    Grade,
    Membership,
    Organization,
    Submission,
)

MOST_APPEALS = 50
OpenedTimes = Mapping[tuple[str, str], datetime]


@dataclass(frozen=True, slots=True)
class PeerLine:
    """One pairing of the student's, from their side. `member` is who stands on the other (editions.shown_name).

    `report` is the newest that is there, null while it is owed; `answered_at` is when its findings were last answered,
    null where none were, and for the one who received it.
    """

    pairing: Pairing
    is_auditor: bool
    member: RoundMember | None
    report: UUID | None
    is_read: bool
    answered_at: datetime | None


def opened_times_of(places: Sequence[Enrollment]) -> OpenedTimes:
    """When each thing was last opened, by its kind and its key as text."""
    rows = Opening.objects.filter(student__in=places).values_list("kind", "about", "opened_at")
    return {(kind, about): at for kind, about, at in rows}


def is_news(openings: OpenedTimes, kind: Opened, about: object, at: datetime | None) -> bool:
    """Whether it was told at this time, and not opened since; what has no time was never told."""
    opened = openings.get((kind, str(about)))
    return at is not None and (opened is None or opened < at)


def appeals_answered(places: Sequence[Enrollment]) -> list[Appeal]:
    """The newest that were answered, with what they are about."""
    answered = Appeal.objects.filter(submission__student__in=places, state__in=DECIDED)
    related = answered.select_related("organization", "submission__assignment")
    return list(related.defer("verdict", "text").order_by("-decided_at", "pk")[:MOST_APPEALS])


def peer_lines(places: Sequence[Enrollment]) -> list[PeerLine]:
    """Every pairing that grants something now, what ends first first. Three queries at most."""
    mine = {place.pk for place in places}
    pairings = list(_pairings(mine))
    if not pairings:
        return []
    members = members_of(pairings)
    answered = _answered([each for each in pairings if each.auditor_id in mine])
    return [_line(each, each.auditor_id in mine, members, answered) for each in pairings]


def _pairings(mine: Iterable[int]) -> QuerySet[PairingTold]:
    is_there = Q(source=FeedbackSource.IMPORTED) | Q(audit__state__in=REPORTED_STATES)
    reports = FeedbackReport.objects.filter(is_there, pairing=OuterRef("pk"))
    # What was hidden from its subject waits for them no more.
    newest = reports.annotate(done_at=Coalesce("read_at", "hidden_at")).order_by(
        "-created_at", "pk"
    )
    theirs = granted_pairings().filter(Q(auditor__in=mine) | Q(auditee__in=mine))
    return (
        theirs.annotate(
            report=Subquery(newest.values("pk")[:1]),
            report_audit=Subquery(newest.values("audit")[:1]),
            report_read_at=Subquery(newest.values("done_at")[:1]),
        )
        .select_related("round__assignment__cohort", "organization")
        .order_by("round__ends_at", "pk")
    )


def _line(
    pairing: PairingTold,
    is_auditor: bool,
    members: Mapping[tuple[object, object], RoundMember],
    answered: Mapping[UUID, datetime],
) -> PeerLine:
    other = pairing.auditee_id if is_auditor else pairing.auditor_id
    return PeerLine(
        pairing=pairing,
        is_auditor=is_auditor,
        member=members.get((pairing.round_id, other)),
        report=pairing.report,
        is_read=pairing.report_read_at is not None,
        answered_at=answered.get(pairing.report_audit or pairing.report)
        if is_auditor and pairing.report
        else None,
    )


def _answered(pairings: Sequence[PairingTold]) -> dict[UUID, datetime]:
    """By the audit of a report, or by the imported report: when the last of its findings was answered."""
    audits = [each.report_audit for each in pairings if each.report_audit]
    reports = [each.report for each in pairings if each.report and not each.report_audit]
    seen = FindingSighting.objects.filter(Q(audit__in=audits) | Q(report__in=reports), present=True)
    told = seen.filter(
        finding__responses__replaced_at=None, finding__responses__isnull=False
    ).order_by()
    by_source = told.annotate(source=Coalesce("audit", "report")).values_list("source")
    return dict(by_source.annotate(last=Max("finding__responses__created_at")))


MOST_ASSIGNMENTS = 20


@dataclass(frozen=True, slots=True)
class AppealsWaiting:
    """Of one institution: how many wait for an answer, and since when the oldest."""

    organization: Organization
    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Teaching:
    """`assignments` carry `students`, `handed_in`, `unreleased`, `changed_since` and `flagged`, each the number of a list;
    those of cohorts that run, what is due soonest first, then what was due."""

    assignments: tuple[Any, ...]
    appeals: tuple[AppealsWaiting, ...]
    runs: tuple[BulkRun, ...]


def teaching_of(user: User, organizations: Collection[Organization]) -> Teaching | None:
    """Null for who teaches nowhere. Four queries, one for them."""
    staffed = Membership.objects.filter(
        user=user, role__in=STAFF_ROLES, organization__in=organizations
    )
    where = set(staffed.values_list("organization", flat=True))
    if not where:
        return None
    running = BulkRun.objects.filter(organization__in=where, state=BulkState.RUNNING)
    return Teaching(
        assignments=tuple(_assignments(where)[:MOST_ASSIGNMENTS]),
        appeals=_appeals({each.pk: each for each in organizations if each.pk in where}),
        runs=tuple(running.select_related("assignment", "organization").order_by("created_at")),
    )


def _assignments(where: Collection[int]) -> QuerySet[Any]:
    now = timezone.now()
    grades = Grade.objects.filter(assignment=OuterRef("pk"))
    runs = Q(cohort__ends_on=None) | Q(cohort__ends_on__gte=timezone.localdate())
    counted = Assignment.objects.filter(runs, organization__in=where).annotate(
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


def _count(rows: QuerySet[Any], by: str, what: str = "pk") -> Coalesce:
    counted = (
        rows.order_by()
        .values(by)
        .annotate(number=Count(what, distinct=what != "pk"))
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
