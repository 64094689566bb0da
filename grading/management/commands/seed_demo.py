"""`manage.py seed_demo`: make a cohort of invented students whose work is really audited.

Repeating it is safe.
"""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from grading.core.errors import ActionRefused
from grading.demo.people import INSTITUTE, INSTRUCTOR, PASSWORD, STUDENTS


class Command(BaseCommand):
    help = "Make the demo cohort, or its missing parts, and print its logins."

    def handle(self, *_: Any, **__: Any) -> None:
        from grading.demo.demo_cohort import seed

        if not settings.ALLOW_LOCAL_REPOSITORIES:
            raise CommandError(
                "The demo cohort has a public password and repositories on this machine: "
                "it is made only where ALLOW_LOCAL_REPOSITORIES is true."
            )

        try:
            submitted = seed(Path(settings.MEDIA_ROOT) / "demo")
        except ActionRefused as refused:
            raise CommandError(f"The demo cohort is not complete: {refused.sentence}") from refused

        self.stdout.write(
            f"Demo cohort of the {INSTITUTE}: {submitted} new submissions wait for their audit."
        )
        self.stdout.write(f"Log in with the password {PASSWORD} as")
        self.stdout.write(f"  {INSTRUCTOR.email:<22} {INSTRUCTOR.name}, instructor")
        for student in STUDENTS:
            self.stdout.write(f"  {student.email:<22} {student.name}: {student.shows}")
