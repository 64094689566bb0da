"""Uploads: no row without its file, no file that stays without a row, no other bytes than submitted."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.errors import StorageUnavailable, UploadNotStored, UploadUnreadable
from grading.core.uploads import (
    ACCEPTED_WITHIN,
    check_store,
    claim_pdf,
    copy_pdf,
    delete_orphans,
    delete_with_rows,
    open_pdf,
    store_pdf,
    try_store,
)
from grading.models import OrphanedUpload, Submission
from tests.factories.people import OrganizationFactory, everywhere
from tests.factories.work import SubmissionFactory

pytestmark = pytest.mark.django_db
CONTENT = b"%PDF-1.7 a report"


@pytest.fixture
def submission() -> Submission:
    made: Submission = SubmissionFactory.create(pdf=ContentFile(CONTENT, name="x.pdf"))
    return made


@pytest.fixture
def unsaved(tmp_path: Path) -> Any:
    """A submission whose upload is stored, in its organization's scope."""
    organization = OrganizationFactory.create()
    with scope(organization=organization):
        submission = Submission(organization=organization)
        submission.pdf_sha256 = hashlib.sha256(CONTENT).hexdigest()
        store_pdf(submission, written(tmp_path))
        yield submission


def written(folder: Path) -> Path:
    path = folder / "arrived.pdf"
    path.write_bytes(CONTENT)
    return path


def an_hour_passes() -> None:
    with everywhere():
        for orphan in OrphanedUpload.objects.all():
            orphan.delete_after -= ACCEPTED_WITHIN
            orphan.save()


def is_stored(submission: Submission) -> bool:
    return default_storage.exists(str(submission.pdf))


def test_upload_is_read_as_it_was_submitted(submission: Submission, tmp_path: Path) -> None:
    with open_pdf(submission) as file:
        assert file.read() == CONTENT
    assert copy_pdf(submission, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT + b" ", CONTENT[::-1], b""])
def test_other_bytes_than_submitted_are_not_read(
    submission: Submission, tmp_path: Path, content: bytes
) -> None:
    Path(submission.pdf.path).write_bytes(content)
    for read in (lambda: open_pdf(submission), lambda: copy_pdf(submission, tmp_path)):
        with pytest.raises(UploadUnreadable) as unreadable:
            read()
        assert unreadable.value.code == "upload_differs"
    assert list(tmp_path.iterdir()) == []


def test_upload_that_is_gone_is_a_failure_of_the_site(submission: Submission) -> None:
    default_storage.delete(str(submission.pdf))
    with pytest.raises(UploadUnreadable) as unreadable:
        open_pdf(submission)
    assert unreadable.value.code == "upload_missing"


def test_folder_that_is_no_folder_is_unavailable(
    submission: Submission, tmp_path: Path, settings: Any
) -> None:
    (tmp_path / "file").touch()
    settings.MEDIA_ROOT = tmp_path / "file"
    with pytest.raises(StorageUnavailable):
        open_pdf(submission)
    with everywhere(), pytest.raises(UploadNotStored):
        store_pdf(submission, written(tmp_path))
    with pytest.raises(StorageUnavailable):
        try_store()


def test_folder_that_is_there_or_can_be_made_is_ready(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "new"
    check_store()
    try_store()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_accepted_upload_stays(unsaved: Submission) -> None:
    with transaction.atomic():
        claim_pdf(unsaved)
    an_hour_passes()
    assert (delete_orphans(), is_stored(unsaved)) == (0, True)


def test_upload_of_a_transaction_that_was_rolled_back_is_deleted_after_an_hour(
    unsaved: Submission,
) -> None:
    with transaction.atomic():
        claim_pdf(unsaved)
        transaction.set_rollback(True)
    assert (delete_orphans(), is_stored(unsaved)) == (0, True)
    an_hour_passes()
    assert (delete_orphans(), is_stored(unsaved)) == (1, False)
    assert delete_orphans() == 0


def test_upload_that_was_deleted_meanwhile_is_not_accepted(unsaved: Submission) -> None:
    an_hour_passes()
    delete_orphans()
    with pytest.raises(UploadNotStored):
        claim_pdf(unsaved)


def test_upload_of_a_deleted_row_is_deleted_unless_the_deletion_is_rolled_back(
    submission: Submission,
) -> None:
    names = [str(submission.pdf)]
    with scope(organization=submission.organization):
        with transaction.atomic():
            delete_with_rows(submission.organization_id, names)
            transaction.set_rollback(True)
        assert (delete_orphans(), is_stored(submission)) == (0, True)
        with transaction.atomic():
            delete_with_rows(submission.organization_id, names)
    assert (delete_orphans(), is_stored(submission)) == (1, False)


def test_deletions_that_the_store_refuses_wait_ten_minutes(settings: Any, tmp_path: Path) -> None:
    ours, theirs = OrganizationFactory.create(), OrganizationFactory.create()
    for organization in (ours, theirs):
        with scope(organization=organization):
            delete_with_rows(organization.pk, [f"submissions/{organization.pk}/{n}" for n in "ab"])
    # A folder in the place of the file: it is deleted only where it is empty.
    settings.MEDIA_ROOT = tmp_path
    in_the_way = tmp_path / "submissions" / str(ours.pk) / "a" / "full"
    in_the_way.mkdir(parents=True)
    assert delete_orphans() == 0
    in_the_way.rmdir()
    assert delete_orphans() == 2
    with everywhere():
        waiting = OrphanedUpload.objects.values_list("name", "delete_after")
        assert sorted(name for name, _after in waiting) == [
            f"submissions/{ours.pk}/a",
            f"submissions/{ours.pk}/b",
        ]
        OrphanedUpload.objects.update(delete_after=timezone.now() - timedelta(seconds=1))
    assert delete_orphans() == 2
