"""`manage.py prune`: delete what nobody needs any more, as the reconciler does by itself."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from grading.operations.retention import prune


class Command(BaseCommand):
    requires_system_checks = []
    help = "Delete sent emails, ended deliveries and other rows that are no longer needed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only count what is due")

    def handle(self, *_: Any, **options: Any) -> None:
        is_dry = options["dry_run"]
        for name, number in prune(dry_run=is_dry).items():
            self.stdout.write(f"{name}: {number} {'due' if is_dry else 'deleted'}")
