"""Files of an audit, and those of another attempt to compare them with."""

from __future__ import annotations

from dataclasses import dataclass

from grading.engine.stored_sources import StoredFile, StoredSources, unpack_sources
from grading.models import Audit, AuditContents


@dataclass(frozen=True, slots=True)
class EarlierWork:
    """Attempt that a work is compared with."""

    attempt: int
    files: StoredSources


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path of the work, or of the earlier one: `kind` is added, removed, changed or same."""

    path: str
    file: StoredFile
    kind: str


def sources_of(audit: Audit) -> StoredSources | None:
    """Return the audited files; None where they were not kept."""
    contents = AuditContents.objects.filter(audit=audit).first()
    return unpack_sources(contents.sources) if contents else None


def earlier_work(audit: Audit) -> EarlierWork | None:
    """Return the newest earlier attempt of the same student whose files were kept."""
    submission = audit.submission
    if submission.attempt == 1:
        return None
    contents = (
        AuditContents.objects.filter(
            audit__submission__student=submission.student_id,
            audit__submission__assignment=submission.assignment_id,
            audit__submission__attempt__lt=submission.attempt,
            sources__isnull=False,
        )
        .select_related("audit__submission")
        .defer("audit__report")
        .order_by("-audit__submission__attempt", "-audit__created_at")
        .first()
    )
    files = unpack_sources(contents.sources) if contents else None
    if contents is None or files is None:
        return None
    return EarlierWork(contents.audit.submission.attempt, files)


def changes_between(files: StoredSources, earlier: StoredSources) -> list[FileChange]:
    """Return every path of both, in order."""
    return [
        FileChange(
            path, files.get(path) or earlier[path], _kind(files.get(path), earlier.get(path))
        )
        for path in sorted({*files, *earlier})
    ]


def _kind(file: StoredFile | None, before: StoredFile | None) -> str:
    if before is None:
        return "added"
    if file is None:
        return "removed"
    return "same" if file.oid == before.oid else "changed"
