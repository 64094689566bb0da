"""Small program that starts children for a test process, which stays their parent.

The kernel charges a child with the memory of the process that it was forked from, until its own
program starts: a test process holds up to a gigabyte, this one ten megabytes. It runs as
`python -I -S starter.py SOCKET`, so it imports the standard library only.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import sys
import time
from typing import Any, NoReturn

# More than any message, and as many descriptors as one may bring.
MESSAGE_BYTES, MOST_DESCRIPTORS = 1024 * 1024, 64
# Above all numbers that a child asks for.
FIRST_FREE_DESCRIPTOR = 200
OUTPUTS = 3


def main(number: int) -> None:
    """Answer each message, {command, environment, descriptors}, with the number of a process.

    `descriptors` are the numbers under which the child has the files that came with the message.
    """
    parent = os.getppid()
    with socket.socket(fileno=number) as requests:
        while True:
            message, files, _, _ = socket.recv_fds(requests, MESSAGE_BYTES, MOST_DESCRIPTORS)
            if not message:
                return
            requests.send(str(_started(parent, json.loads(message), files)).encode())
            for file in files:
                os.close(file)


def _started(parent: int, request: dict[str, Any], files: list[int]) -> int:
    """Start it through a process that ends at once: the kernel gives its child to `parent`."""
    reader, writer = os.pipe()
    between = os.fork()
    if not between:
        child = os.fork()
        if not child:
            _become(parent, request, files)
        os.write(writer, str(child).encode())
        os._exit(0)

    os.waitpid(between, 0)
    child = int(os.read(reader, 20))
    os.close(reader)
    os.close(writer)
    return child


def _become(parent: int, request: dict[str, Any], files: list[int]) -> NoReturn:
    """Become the program. It may ask who its parent is, so it waits for the right one."""
    while os.getppid() != parent:
        time.sleep(0.0001)

    os.setsid()
    wanted = dict(zip(request["descriptors"], files, strict=True))
    # First out of the way of each other.
    moved = {
        number: fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR)
        for number, file in wanted.items()
    }
    os.closerange(OUTPUTS, FIRST_FREE_DESCRIPTOR)
    for number, file in moved.items():
        os.dup2(file, number)

    # As subprocess does: Python ignores two signals that a program dies of.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvpe(request["command"][0], request["command"], request["environment"])  # noqa: S606 -- an argument list, no shell
    except OSError:
        os._exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]))
