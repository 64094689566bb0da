"""`automaton-auditor`, the command of an installation; in a checkout `python -m auditor_site`.

audit REPO ...       one audit without the site, as `python -m courtroom` does
manage COMMAND ...   Django's commands and the site's own; production settings by default
collect-static       the static files, hashed and compressed, into `var/static` of the installation
"""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import metadata

from django.core.exceptions import ImproperlyConfigured

from auditor_site.command_line import run_command

PROGRAM = "automaton-auditor"
# Production wants them named; collecting static files reads none of them.
UNUSED = {
    "SECRET_KEY": "unused",
    "ALLOWED_HOSTS": "unused",
    "DATABASE_URL": "postgresql://unused/unused",
    "REDIS_URL": "redis://unused",
    "MEDIA_ROOT": "/unused",
}
BAD_INPUT = 2


def main() -> int:
    """Run the command line and return the exit code."""
    name, arguments = (sys.argv[1:2] or ["--help"])[0], sys.argv[2:]
    if name == "--version":
        sys.stdout.write(f"{PROGRAM} {metadata.version(PROGRAM)}\n")
        return 0
    if name in {"-h", "--help"}:
        sys.stdout.write(f"{__doc__}\n")
        return 0
    if name in COMMANDS:
        return COMMANDS[name](arguments)

    sys.stderr.write(f"{PROGRAM}: no command {name!r} (see --help)\n")
    return BAD_INPUT


def audit(arguments: Sequence[str]) -> int:
    # langgraph takes a second to import.
    from courtroom.cli import main as run_audit

    return run_audit(list(arguments), program=f"{PROGRAM} audit")


def manage(arguments: Sequence[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "auditor_site.settings.production")
    try:
        run_command([f"{PROGRAM} manage", *arguments])
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{PROGRAM}: {error}\n")
        return BAD_INPUT
    return 0


def collect_static(arguments: Sequence[str]) -> int:
    os.environ |= UNUSED
    return manage(["collectstatic", "--noinput", *arguments])


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "audit": audit,
    "manage": manage,
    "collect-static": collect_static,
}

if __name__ == "__main__":
    sys.exit(main())
