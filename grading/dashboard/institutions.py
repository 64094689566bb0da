"""Count what an operator watches, by institution: nothing of it names a student."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, Q
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import AuditState
from grading.models import Audit, Membership, Organization

PER_PAGE = 50
# Failures of the last week: older ones were seen, or are no longer to be mended.
RECENT = timedelta(days=7)
# Looking at a hundred thousand files takes about a second.
REMEASURED_SECONDS = 600


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
    """Bytes: of the disk that holds the uploads, and of the database."""

    free: int
    total: int
    database: int


@dataclass(frozen=True, slots=True)
class Overview:
    """One page of institutions by name, and the site's disk."""

    page: Page[Organization]
    institutions: tuple[Institution, ...]
    disk: Disk


def overview_of_institutions(page_number: str) -> Overview:
    """Return a page of the overview. Five queries."""
    page = Paginator(Organization.objects.order_by("name", "pk"), PER_PAGE).get_page(page_number)
    shown = list(page.object_list)
    with scope(organization=shown):
        members, audits = _members(), _audits()
    institutions = tuple(
        Institution(
            organization,
            members.get(organization.pk, 0),
            *audits.get(organization.pk, (0, 0, 0)),
            _uploads(organization),
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
    rows = Audit.objects.order_by().values_list("organization")
    counted = rows.annotate(
        waiting=Count("pk", filter=Q(state=AuditState.QUEUED)),
        running=Count("pk", filter=Q(state=AuditState.RUNNING)),
        failed=Count("pk", filter=failed),
    )
    return {key: (waiting, running, failed) for key, waiting, running, failed in counted}


def _uploads(organization: Organization) -> int:
    key = f"uploads-{organization.pk}"
    size: int | None = cache.get(key)
    if size is None:
        size = _size_of(Path(settings.MEDIA_ROOT) / "submissions" / str(organization.pk))
        cache.set(key, size, REMEASURED_SECONDS)
    return size


def _size_of(folder: Path) -> int:
    """Return the bytes of the files directly in a folder, 0 where it does not exist yet."""
    if not folder.is_dir():
        return 0
    with os.scandir(folder) as entries:
        return sum(entry.stat().st_size for entry in entries if entry.is_file())


def _disk() -> Disk:
    usage = shutil.disk_usage(_existing(Path(settings.MEDIA_ROOT)))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (database,) = cursor.fetchone()
    return Disk(free=usage.free, total=usage.total, database=database)


def _existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it: the first upload makes it."""
    return next(path for path in (folder, *folder.parents) if path.is_dir())
