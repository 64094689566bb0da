#!/usr/bin/env python
"""Django's command line, with the local settings unless DJANGO_SETTINGS_MODULE says otherwise."""

import os
import shlex
import sys

from django.core.management import execute_from_command_line
from django.db import OperationalError
from redis.exceptions import ConnectionError as QueueUnreachable

UNREACHABLE = """{error}
The embedded servers answer only while `make run` (or another command under them) is running. Run this command so:
    python -m auditor_site.localservices exec -- python manage.py {command}
"""


def main() -> None:
    """Runs the command; when the embedded servers are meant but not up, says how to start them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "auditor_site.settings.local")
    try:
        execute_from_command_line(sys.argv)
    except (OperationalError, QueueUnreachable) as error:
        if os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"):
            raise
        sys.exit(UNREACHABLE.format(error=error, command=shlex.join(sys.argv[1:])))


if __name__ == "__main__":
    main()
