"""Uploaded PDFs in the store, which is a folder or a bucket (STORAGE_URL).

What is read has the SHA-256 that was recorded when it was submitted, or nothing is read: a page
shows no other file, and no audit takes a file that is gone for a report that was not submitted.
Nothing else on the site touches the store.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import structlog
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, default_storage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_scopes import scope

from grading.core.errors import StorageUnavailable, UploadNotStored, UploadUnreadable
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import OrphanedUpload, Submission
from grading.models.submission import private_pdf_path

# Longer than any request: then nobody accepts the submission of this upload any more.
ACCEPTED_WITHIN = timedelta(hours=1)
# After a store that did not answer.
DELETED_AGAIN_AFTER = timedelta(minutes=10)
# Of one organization in one round of the reconciler.
DELETED_AT_ONCE = 100
TELL = "Tell your teacher: it is a failure of this site, not yours."
MISSING = ("upload_missing", f"The PDF that was submitted is gone from the store. {TELL}")
DIFFERS = ("upload_differs", f"The stored PDF is not the one that was submitted. {TELL}")
PROBE = b"automaton-auditor"
log = structlog.get_logger(__name__)


def open_pdf(submission: Submission) -> File[bytes]:
    """Return the submitted PDF, read and compared whole. Raises UploadUnreadable."""
    return open_upload(str(submission.pdf), submission.pdf_sha256)


def open_upload(name: str, sha256: str, *, storage: Storage = default_storage) -> File[bytes]:
    """Return the file of this name and digest. Raises UploadUnreadable."""
    with _readable(name), ExitStack() as closed_on_error:
        file = closed_on_error.enter_context(storage.open(name))
        _compare(file, name, sha256)
        closed_on_error.pop_all()
    return file


def _compare(file: File[bytes], name: str, sha256: str) -> None:
    if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
        log.error("upload_differs", upload=name)
        raise UploadUnreadable(*DIFFERS)
    file.seek(0)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Raise UploadUnreadable for faults of the store; the log says what they are."""
    try:
        yield
    except FileNotFoundError as error:
        log.error("upload_missing", upload=name)  # noqa: TRY400 -- its traceback says no more
        raise UploadUnreadable(*MISSING) from error
    except OSError as error:
        log.warning("storage_unavailable", upload=name, reason=str(error))
        raise StorageUnavailable from error


def connect_store() -> None:
    """Prepare a client of the store for the processes that are forked from this one."""
    storage: Any = default_storage
    if folder_of_uploads() is None:
        storage.connect()


def copy_pdf(submission: Submission, folder: Path) -> Path:
    """Copy the submitted PDF into a folder of this machine. Raises UploadUnreadable."""
    path = folder / "report.pdf"
    with open_pdf(submission) as file, path.open("wb") as copy:
        shutil.copyfileobj(file, copy)
    return path


def store_pdf(submission: Submission, pdf: Path) -> None:
    """Store the file as the PDF of a submission that is not saved yet; `claim_pdf` makes it the row's.

    Call it outside any transaction: whatever ends the request before the claim, the reconciler
    deletes the file after ACCEPTED_WITHIN. Raises UploadNotStored.
    """
    name = private_pdf_path(submission, "")
    OrphanedUpload.objects.create(
        organization_id=submission.organization_id,
        name=name,
        delete_after=timezone.now() + ACCEPTED_WITHIN,
    )
    try:
        with pdf.open("rb") as file:
            submission.pdf.name = default_storage.save(name, file)
    except OSError as error:
        log.warning("storage_unavailable", upload=name, reason=str(error))
        raise UploadNotStored from error


def is_stored(name: str, sha256: str, *, storage: Storage) -> bool:
    """Return whether the file of this name and digest is stored. Raises StorageUnavailable."""
    with _readable(name):
        try:
            with storage.open(name) as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == sha256
        except FileNotFoundError:
            return False


def put_upload(
    name: str, content: IO[bytes], sha256: str, *, storage: Storage = default_storage
) -> None:
    """Store a file under this name, in place of any other, and compare what is stored.

    Raises UploadUnreadable.
    """
    with _readable(name):
        storage.delete(name)
        storage.save(name, content)
    open_upload(name, sha256, storage=storage).close()


def claim_pdf(submission: Submission) -> None:
    """Keep the upload, in the transaction that saves its submission. Raises UploadNotStored."""
    if submission.pdf:
        claimed, _rows = OrphanedUpload.objects.filter(name=str(submission.pdf)).delete()
        if not claimed:
            raise UploadNotStored


def delete_with_rows(organization_id: int, names: Iterable[str]) -> None:
    """Let the reconciler delete uploads once the transaction that deletes their rows commits."""
    now = timezone.now()
    OrphanedUpload.objects.bulk_create(
        OrphanedUpload(organization_id=organization_id, name=name, delete_after=now)
        for name in names
    )


def delete_orphans() -> int:
    """Delete due uploads of all organizations; return their number. The reconciler calls it.

    It ends at the first fault of the store: what is left waits for DELETED_AGAIN_AFTER.
    """
    with as_dispatcher():
        due = _due().order_by().values_list("organization", flat=True)
        organizations = sorted(set(due))

    deleted = 0
    for organization_id in organizations:
        with scope(organization=organization_id):
            try:
                deleted += sum(_delete_next() for _ in range(DELETED_AT_ONCE))
            except OSError as error:
                log.warning("uploads_left", reason=str(error))
                _due().update(delete_after=timezone.now() + DELETED_AGAIN_AFTER)
                break
    return deleted


def _due() -> QuerySet[OrphanedUpload]:
    return OrphanedUpload.objects.filter(delete_after__lte=timezone.now())


def _delete_next() -> bool:
    """Delete one due upload and return True; False when none is left."""
    with transaction.atomic():
        # Locked: a claim of this moment waits, and then finds that it came too late.
        orphan = _due().select_for_update(skip_locked=True).first()
        if orphan is not None:
            default_storage.delete(orphan.name)
            orphan.delete()
    return orphan is not None


def folder_of_uploads() -> Path | None:
    """Return the folder of the uploads, or the nearest one above it; None where they are in a bucket.

    The first upload makes the folder.
    """
    location = getattr(default_storage, "location", None)
    if location is None:
        return None
    folder = Path(location)
    return next(path for path in (folder, *folder.parents) if path.is_dir())


def check_store() -> None:
    """Raise StorageUnavailable unless the store answers; nothing is written."""
    with _readable("/"):
        folder = folder_of_uploads()
        if folder is None:
            storage: Any = default_storage
            storage.check()
        elif not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, "The folder of uploads cannot be written", folder)


def try_store() -> None:
    """Raise UploadUnreadable unless a file can be written, read and deleted."""
    name = f"check-{uuid4().hex}"
    with _readable(name):
        default_storage.save(name, ContentFile(PROBE))
    open_upload(name, hashlib.sha256(PROBE).hexdigest()).close()
    with _readable(name):
        default_storage.delete(name)
