"""`manage.py copy_uploads bucket|folder`: copy the uploads from one store to the other."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.files.storage import FileSystemStorage, Storage, default_storage
from django.core.management import BaseCommand, CommandError
from django_scopes import scope

from grading.core.errors import StorageUnavailable, UploadUnreadable
from grading.core.uploads import folder_of_uploads, is_stored, open_upload, put_upload
from grading.models import Organization, Submission


class Command(BaseCommand):
    help = (
        "Copy each upload that is not there yet from MEDIA_ROOT to the bucket of STORAGE_URL, or back, "
        "and compare it with the SHA-256 of its submission. It may be repeated; nothing is deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", choices=["bucket", "folder"])

    def handle(self, *_: Any, target: str, **__: Any) -> None:
        if folder_of_uploads() is not None:
            raise CommandError("STORAGE_URL names no bucket: set it for this command.")
        stores: tuple[Storage, Storage] = (FileSystemStorage(), default_storage)
        source, destination = stores if target == "bucket" else reversed(stores)

        copied, kept, unreadable = 0, 0, []
        for name, sha256 in _uploads():
            try:
                if is_stored(name, sha256, storage=destination):
                    kept += 1
                    continue
                with open_upload(name, sha256, storage=source) as file:
                    put_upload(name, file, sha256, storage=destination)
                copied += 1
            except StorageUnavailable as error:
                raise CommandError(f"{error.sentence} Copied until now: {copied}.") from error
            except UploadUnreadable:
                unreadable.append(name)

        self.stdout.write(f"{copied} uploads copied to the {target}, {kept} were there already.")
        if unreadable:
            raise CommandError(
                f"Not as they were submitted, and not copied: {', '.join(unreadable)}."
            )


def _uploads() -> Iterator[tuple[str, str]]:
    """Yield the name and the SHA-256 of each upload that a submission names."""
    for organization in Organization.objects.all():
        with scope(organization=organization):
            rows = Submission.objects.exclude(pdf="").order_by("pk")
            yield from list(rows.values_list("pdf", "pdf_sha256"))
