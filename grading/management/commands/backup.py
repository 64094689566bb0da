"""`manage.py backup FILE`: save the database and the uploads while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from grading.management.archive import write_archive


class Command(BaseCommand):
    help = "Write the whole database, as of one moment, and the uploads to a new file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_: Any, file: Path, **__: Any) -> None:
        try:
            rows = write_archive(file)
        except OSError as error:
            raise CommandError(
                f"{file} cannot be written: {error.strerror or 'it already exists'}."
            ) from error
        self.stdout.write(f"{sum(rows.values())} rows of {len(rows)} tables are in {file}.")
