"""`manage.py migrate`: Django's own, as the role that logged in.

The site's own role owns no table.
"""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from grading.core.rls.base import as_owner


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with as_owner():
            connections[options["database"]].close()
            try:
                super().handle(*args, **options)
            finally:
                connections[options["database"]].close()
