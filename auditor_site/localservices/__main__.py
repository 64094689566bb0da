"""Run a command with a database and a queue.

`python -m auditor_site.localservices exec [--ephemeral] -- CMD...` exits with CMD's own code (128 +
n when signal n ended it), or 1 with one sentence when a server cannot run.
"""

import argparse
import os
import signal
import subprocess
import sys
from types import FrameType

from auditor_site.localservices.embedded import serving
from auditor_site.localservices.server import Server, die_with_parent
from auditor_site.localservices.service_error import LocalServiceError

# Between two looks at the servers.
WATCH_SECONDS = 1
FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def main(arguments: list[str]) -> int:
    """Run the command line and return the exit code."""
    options = _parser().parse_args(arguments)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    for number in FORWARDED:
        signal.signal(number, _leave)

    try:
        with serving(ephemeral=options.ephemeral) as servers:
            return _run(command, servers)
    except LocalServiceError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m auditor_site.localservices", description=__doc__
    )
    execute = parser.add_subparsers(required=True, metavar="exec").add_parser(
        "exec", help="run CMD with servers"
    )
    execute.add_argument("--ephemeral", action="store_true", help="temporary data, no durability")
    execute.add_argument("command", nargs=argparse.REMAINDER, metavar="-- CMD")
    return parser


def _run(command: list[str], servers: dict[str, Server]) -> int:
    """Run the command and return its exit code.

    Signals are blocked while the child is made, so that each is passed on and none is lost.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    environment = os.environ | {variable: server.url for variable, server in servers.items()}
    try:
        child = subprocess.Popen(
            command,
            env=environment,
            preexec_fn=_begin_child,  # noqa: PLW1509 -- see server.py
        )
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be run: {error.strerror}.\n")
        return 127

    for number in FORWARDED:
        signal.signal(number, lambda received, _frame: _forward(received, child))

    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    code = _wait_for(child, list(servers.values()))
    return code if code >= 0 else 128 - code


def _wait_for(child: subprocess.Popen[bytes], servers: list[Server]) -> int:
    """Return the command's own code, or 1 when a server ended.

    The command is stopped then: without its server it would only fail later.
    """
    while True:
        try:
            return child.wait(WATCH_SECONDS)
        except subprocess.TimeoutExpired:
            gone = [server.name for server in servers if server.is_gone()]
        if gone:
            sys.stderr.write(
                f"The embedded {' and '.join(gone)} ended, so this ends too: start it again.\n"
            )
            child.terminate()
            child.wait()
            return 1


def _begin_child() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    die_with_parent(signal.SIGTERM)


def _forward(number: int, child: subprocess.Popen[bytes]) -> None:
    """Pass a signal on, except the Ctrl-C of a terminal, which reaches the child by itself."""
    if number != signal.SIGINT or not _in_foreground():
        child.send_signal(number)


def _in_foreground() -> bool:
    return (
        sys.stdin is not None
        and sys.stdin.isatty()
        and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    )


def _leave(number: int, _frame: FrameType | None) -> None:
    """Exit before CMD runs, so that the servers are stopped."""
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
