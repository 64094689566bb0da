"""Count what an operator watches, by institution: nothing of it names a student."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import timedelta

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, Q, Sum
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import OPEN_STATES, AuditState
from grading.core.uploads import folder_of_uploads
from grading.models import Audit, Membership, Organization, Submission

PER_PAGE = 50
# Failures of the last week: older ones were seen, or are no longer to be mended.
RECENT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Institution:
    """Figures of one organization. `failed` audits are of the last week; `uploads` are bytes."""

    organization: Organization
    members: int
    waiting: int
    running: int
    failed: int
    uploads: int


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes: of the disk that holds the uploads, None where a bucket does, and of the database."""

    free: int | None
    total: int | None
    database: int


@dataclass(frozen=True, slots=True)
class Overview:
    """One page of institutions by name, and the site's disk."""

    page: Page[Organization]
    institutions: tuple[Institution, ...]
    disk: Disk


def overview_of_institutions(page_number: str) -> Overview:
    """Return a page of the overview. Six queries."""
    page = Paginator(Organization.objects.order_by("name", "pk"), PER_PAGE).get_page(page_number)
    shown = list(page.object_list)
    with scope(organization=shown):
        members, audits, uploads = _members(), _audits(), _uploads()
    institutions = tuple(
        Institution(
            organization,
            members.get(organization.pk, 0),
            *audits.get(organization.pk, (0, 0, 0)),
            uploads.get(organization.pk, 0),
        )
        for organization in shown
    )
    return Overview(page, institutions, _disk())


def _members() -> dict[int, int]:
    rows = Membership.objects.order_by().values_list("organization")
    return dict(rows.annotate(number=Count("pk")))


def _audits() -> dict[int, tuple[int, int, int]]:
    """Return the numbers of audits that wait, run and failed, by organization."""
    failed = Q(state=AuditState.FAILED, finished_at__gte=timezone.now() - RECENT)
    # Of all other audits nothing is counted: they would be read for nothing.
    audits = Audit.objects.filter(Q(state__in=OPEN_STATES) | failed)
    rows = audits.order_by().values_list("organization")
    counted = rows.annotate(
        waiting=Count("pk", filter=Q(state=AuditState.QUEUED)),
        running=Count("pk", filter=Q(state=AuditState.RUNNING)),
        failed=Count("pk", filter=failed),
    )
    return {key: (waiting, running, failed) for key, waiting, running, failed in counted}


def _uploads() -> dict[int, int]:
    """Return the bytes of the uploads, by organization."""
    rows = Submission.objects.order_by().values_list("organization")
    return dict(rows.annotate(size=Sum("pdf_bytes")))


def _disk() -> Disk:
    folder = folder_of_uploads()
    usage = shutil.disk_usage(folder) if folder else None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (database,) = cursor.fetchone()
    return Disk(
        free=usage.free if usage else None,
        total=usage.total if usage else None,
        database=database,
    )
