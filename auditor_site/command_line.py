"""Django's command line, which names a server that cannot be used in one line."""

import sys
from collections.abc import Sequence

from django.core.management import execute_from_command_line
from django.db import OperationalError
from redis.exceptions import ConnectionError as QueueUnreachable
from redis.exceptions import TimeoutError as QueueSilent

from auditor_site.start import set_up


def run_command(arguments: Sequence[str], *, hint: str = "") -> None:
    """Run the command. Raise SystemExit with the reason, and the hint, when a server is away.

    A server whose certificate is refused is away too. Errors in the middle of the work keep their
    traceback.
    """
    try:
        set_up()
        execute_from_command_line(list(arguments))
    except (QueueUnreachable, QueueSilent) as error:
        sys.exit(_line("Valkey (REDIS_URL)", error) + hint)
    except OperationalError as error:
        # Whatever the server itself answers has a code.
        if getattr(error.__cause__, "sqlstate", None) is not None:
            raise
        sys.exit(_line("PostgreSQL (DATABASE_URL)", error) + hint)


def _line(server: str, error: Exception) -> str:
    return f"{server} cannot be used: {reason_of(error)}"


def reason_of(error: Exception) -> str:
    """Return the reason in one line."""
    words = " ".join(str(error).split())
    # Redis waits for the rest of what it takes for a command.
    return f"{words} (is it without TLS?)" if isinstance(error, QueueSilent) else words
