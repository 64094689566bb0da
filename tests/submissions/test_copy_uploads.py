"""`copy_uploads`: from the folder to the bucket and back, each file compared, and again for the rest."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.management import CommandError, call_command

from grading.models import Submission
from tests.factories import object_store as faults
from tests.factories.object_store import StoreProxy
from tests.factories.work import SubmissionFactory

pytestmark = [pytest.mark.processes, pytest.mark.django_db]
CONTENTS = (b"%PDF-1.7 one", b"%PDF-1.7 two")


@pytest.fixture
def names() -> list[str]:
    """Uploads of two institutions, in the folder."""
    made: list[Submission] = [
        SubmissionFactory.create(pdf=ContentFile(content, name="x.pdf")) for content in CONTENTS
    ]
    return [str(submission.pdf) for submission in made]


def copied(target: str) -> str:
    out = StringIO()
    call_command("copy_uploads", target, stdout=out)
    return out.getvalue()


def contents(names: list[str], storage: Any = default_storage) -> tuple[bytes, ...]:
    return tuple(storage.open(name).read() for name in names)


def test_uploads_are_copied_once_and_what_was_damaged_is_copied_again(
    names: list[str], bucket: str, store: StoreProxy
) -> None:
    assert copied("bucket") == "2 uploads copied to the bucket, 0 were there already.\n"
    assert contents(names) == CONTENTS
    store.requests.clear()
    assert copied("bucket") == "0 uploads copied to the bucket, 2 were there already.\n"
    assert {request.partition(" ")[0] for request in store.requests} == {"GET"}
    default_storage.save(names[0], ContentFile(b"another"))
    assert copied("bucket") == "1 uploads copied to the bucket, 1 were there already.\n"
    assert contents(names) == CONTENTS


def test_uploads_are_copied_back(
    names: list[str], bucket: str, settings: Any, tmp_path: Path
) -> None:
    copied("bucket")
    settings.MEDIA_ROOT = tmp_path / "new"
    assert copied("folder") == "2 uploads copied to the folder, 0 were there already.\n"
    assert contents(names, FileSystemStorage()) == CONTENTS


def test_upload_that_is_not_as_submitted_is_named_and_the_rest_is_copied(
    names: list[str], bucket: str
) -> None:
    Path(FileSystemStorage().path(names[0])).write_bytes(CONTENTS[1])
    with pytest.raises(CommandError, match=f"not copied: {names[0]}"):
        copied("bucket")
    assert [default_storage.exists(name) for name in names] == [False, True]


def test_store_that_fails_ends_the_copy_which_is_repeated(
    names: list[str], bucket: str, store: StoreProxy
) -> None:
    with store.failing(faults.read_only), pytest.raises(CommandError, match="Copied until now: 0"):
        copied("bucket")
    assert copied("bucket").startswith("2 uploads copied")


def test_without_a_bucket_nothing_is_copied(names: list[str]) -> None:
    with pytest.raises(CommandError, match="STORAGE_URL names no bucket"):
        copied("bucket")
