#!/usr/bin/env python
"""Django's command line, with the local settings unless DJANGO_SETTINGS_MODULE is set."""

import os
import shlex
import sys

from django.core.management import execute_from_command_line
from django.db import OperationalError
from redis.exceptions import ConnectionError as QueueUnreachable

UNREACHABLE = """{error}
The embedded servers run only during `make run`, or for one command:
    python -m auditor_site.localservices exec -- python manage.py {command}
"""


def main() -> None:
    """Run the command, or print how to start the embedded servers that it needs."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "auditor_site.settings.local")
    try:
        execute_from_command_line(sys.argv)
    except (OperationalError, QueueUnreachable) as error:
        if os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"):
            raise
        sys.exit(UNREACHABLE.format(error=error, command=shlex.join(sys.argv[1:])))


if __name__ == "__main__":
    main()
