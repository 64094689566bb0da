#!/usr/bin/env python
"""Django's command line, with the local settings unless DJANGO_SETTINGS_MODULE is set."""

import os
import shlex
import sys

from auditor_site.command_line import run_command

EMBEDDED = """
The embedded servers run only during `make run`, or for one command:
    python -m auditor_site.localservices exec -- python manage.py {command}
"""


def main() -> None:
    """Run the command, or print how to start the embedded servers that it needs."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "auditor_site.settings.local")
    are_named = os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")
    run_command(
        sys.argv, hint="" if are_named else EMBEDDED.format(command=shlex.join(sys.argv[1:]))
    )


if __name__ == "__main__":
    main()
