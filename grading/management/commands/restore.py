"""`manage.py restore FILE`: load a backup into a new database."""

import tarfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from grading.management.archive import read_archive


class Command(BaseCommand):
    help = "Restore a backup into an empty database that `migrate` has prepared."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_: Any, file: Path, **__: Any) -> None:
        try:
            rows = read_archive(file)
        except (OSError, EOFError, tarfile.TarError) as error:
            raise CommandError(f"{file} cannot be read completely: {error}.") from error
        self.stdout.write(f"{sum(rows.values())} rows of {len(rows)} tables are restored.")
