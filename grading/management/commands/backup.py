"""`manage.py backup FILE`: save the database and the uploads while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from grading.core.errors import StorageUnavailable
from grading.management.archive import write_archive


class Command(BaseCommand):
    help = "Write the whole database, as of one moment, and the uploads to a new file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_: Any, file: Path, **__: Any) -> None:
        try:
            archive = write_archive(file)
        except StorageUnavailable as error:
            raise CommandError(error.sentence) from error
        except OSError as error:
            raise CommandError(
                f"{file} cannot be written: {error.strerror or 'it already exists'}."
            ) from error
        self.stdout.write(f"{archive} are in {file}.")
        # After the file is there: the rest is worth keeping.
        if archive.missing:
            names = ", ".join(archive.missing)
            raise CommandError(f"Uploads that could not be read are not in it: {names}.")
