"""Machines as namespaces of network, mounts and host name, joined by a bridge."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.load.processor import running_processes

# Of the networks that RFC 2544 keeps for benchmarks.
NETWORK = "198.18.77"
BRIDGE = "load-bridge"
# Machines come after the addresses of the servers.
FIRST_MACHINE = 11
# An address on the bridge that nobody has.
NOWHERE = "02:00:00:00:00:fe"
CLOCK = "clock_ahead.so"
PROJECT = Path(__file__).resolve().parents[3]
NEW_SPACE = "ip netns exec {} unshare --mount --uts --ipc"
# Everything that two machines could write to is memory of its own; the project is read only.
# The programs are started again when they end, as a service manager does.
BOOT = """
set -eu
hostname "$1"; outside=$2; project=$3; shift 3
mount -t tmpfs tmpfs /mnt
mkdir /mnt/outside
mount --bind -o ro "$outside" /mnt/outside
mount --bind "$project" "$project"
mount -o remount,bind,ro "$project"
for folder in /tmp /var/tmp /dev/shm /run; do mount -t tmpfs tmpfs "$folder"; done
cd "$project"
if [ "$CLOCK_AHEAD" != 0 ]; then export LD_PRELOAD=/mnt/outside/clock_ahead.so; fi
"$1" -m tests.factories.git_server /mnt/outside "$GIT_PORT" &
until "$1" -c "import socket; socket.create_connection(('127.0.0.1', $GIT_PORT))" 2> /dev/null
do sleep 0.2; done
shift
while :; do "$@" || sleep 1; done
"""


@dataclass(slots=True)
class Machine:
    """A machine that runs one program; `ahead` is the error of its clock in seconds.

    It reads the folder `outside`, which holds the repositories and the library of its clock.
    """

    name: str
    number: int
    command: Sequence[str]
    environment: Mapping[str, str]
    outside: Path
    log: Path
    ahead: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def address(self) -> str:
        return f"{NETWORK}.{FIRST_MACHINE + self.number}"

    @property
    def _space(self) -> str:
        return f"load-{self.name}"

    def connect(self) -> None:
        """Make the namespace with one line to the bridge."""
        line = f"load-{self.number}"
        _ip("netns", "add", self._space)
        _ip("link", "add", line, "type", "veth", "peer", "name", "eth0", "netns", self._space)
        _ip("link", "set", line, "master", BRIDGE, "up")
        for words in (
            ("link", "set", "lo", "up"),
            ("addr", "add", f"{self.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
        ):
            _ip("-n", self._space, *words)

    def power_on(self) -> None:
        """Plug the line in and run the program, again and again."""
        _ip("link", "set", f"load-{self.number}", "up")
        words = [self.name, str(self.outside), str(PROJECT), sys.executable, *self.command]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*NEW_SPACE.format(self._space).split(), "sh", "-c", BOOT, "boot", *words],
                env={**self.environment, "CLOCK_AHEAD": str(self.ahead)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def power_off(self) -> None:
        """Pull the line out, then kill every process: nobody hears of it."""
        _ip("link", "set", f"load-{self.number}", "down")
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process:
            self.process.wait()

    def processes(self) -> list[int]:
        return list(map(int, _ip("netns", "pids", self._space).split()))

    def is_at_work(self) -> bool:
        """Return whether the program is a worker that has forked a process for a job."""
        running = running_processes()
        pythons = {pid for pid in self.processes() if _program_of(pid) == sys.executable}
        return any(running[pid].parent in pythons for pid in pythons & running.keys())

    @contextmanager
    def cut_off_from(self, server: str) -> Iterator[None]:
        """Send what is meant for this server nowhere, so that neither side hears an error."""
        entry = (server, "dev", "eth0")
        _ip("-n", self._space, "neigh", "replace", *entry, "lladdr", NOWHERE, "nud", "permanent")
        try:
            yield
        finally:
            _ip("-n", self._space, "neigh", "del", *entry)

    def remove(self) -> None:
        # Without it the line goes some time after the namespace.
        _ip("link", "del", f"load-{self.number}")
        _ip("netns", "del", self._space)


def _program_of(pid: int) -> str:
    with suppress(OSError):  # it has just ended
        return Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0].decode()
    return ""


def build_clock(folder: Path) -> None:
    """Compile the library that sets a machine's clock ahead."""
    source = Path(__file__).with_name("clock_ahead.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", folder / CLOCK, source], check=True)


@contextmanager
def bridge(servers: Sequence[str]) -> Iterator[None]:
    """Join machines and the addresses of the servers, which run on this machine."""
    _ip("link", "add", BRIDGE, "type", "bridge")
    try:
        for address in servers:
            _ip("addr", "add", f"{address}/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        yield
    finally:
        _ip("link", "del", BRIDGE)


def _ip(*words: str) -> str:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
