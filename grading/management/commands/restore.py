"""`manage.py restore FILE`: what `backup` wrote, into a new database."""

import tarfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from grading.management.archive import read_archive


class Command(BaseCommand):
    help = "Restores a backup into an empty database that `migrate` has prepared."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_: Any, file: Path, **__: Any) -> None:
        try:
            rows = read_archive(file)
        except (OSError, EOFError, tarfile.TarError) as error:
            raise CommandError(f"{file} cannot be read to its end: {error}.") from error
        self.stdout.write(f"{sum(rows.values())} rows of {len(rows)} tables are restored.")
