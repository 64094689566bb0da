"""`manage.py restore FILE`: load a backup into a new database."""

import tarfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from grading.core.errors import UploadUnreadable
from grading.management.archive import read_archive


class Command(BaseCommand):
    help = "Restore a backup into an empty database that `migrate` has prepared."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_: Any, file: Path, **__: Any) -> None:
        try:
            archive = read_archive(file)
        except UploadUnreadable as error:
            raise CommandError(f"An upload cannot be stored. {error.sentence}") from error
        except (OSError, EOFError, tarfile.TarError) as error:
            raise CommandError(f"{file} cannot be read completely: {error}.") from error
        self.stdout.write(f"{archive} are restored.")
        if archive.missing:
            names = ", ".join(archive.missing)
            self.stdout.write(f"Uploads that the backup does not have: {names}.")
