"""The running site as a fault finds it: workers, a reconciler, accepted hand-ins, and what must
come of them.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from grading.core.audit_queue import enqueue
from grading.core.enums import FINAL_STATES
from grading.models import Activity, Audit, CriterionVerdict
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory, rubric_document

RECOVERY_SECONDS = 90
PATIENCE_SECONDS = 60
LEASE_SECONDS = 8
POLL_SECONDS = 0.1
FAULT_HANDLER = {"PYTHONFAULTHANDLER": "1"}


def eventually(
    holds: Callable[[], object],
    seconds: float = PATIENCE_SECONDS,
    *,
    seen: Callable[[], object] = lambda: "nothing more is known",
) -> float:
    """Wait for other processes to get there; how many seconds that took. In vain, `seen` says what
    there was instead.
    """
    begin = time.monotonic()
    while not holds():
        assert time.monotonic() - begin < seconds, f"not within {seconds} s: {seen()}"
        time.sleep(POLL_SECONDS)
    return time.monotonic() - begin


def stacks_told_by(pid: int) -> list[int]:
    """Ends a process that was started with FAULT_HANDLER and all below it; each writes to stderr
    where it stood.
    """
    told = [pid, *descendants_of(pid)]
    for each in told:
        with suppress(ProcessLookupError):
            kill(each, signal.SIGABRT)
    return told


class Crew:
    """A supervisor's process and, below it, the workers and the processes of their jobs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def workers(self) -> list[int]:
        return [pid for pid in children_of(self.pid) if b"audit_worker" in command_of(pid)]

    def busy(self) -> list[tuple[int, int]]:
        """Each worker at work and the process of its job."""
        return [(worker, horse) for worker in self.workers() for horse in children_of(worker)]


@contextmanager
def crew(workers: int = 1, *, environment: Mapping[str, str] | None = None) -> Iterator[Crew]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.services", str(workers)],
        env=os.environ | surroundings() | dict(environment or {}),
        cwd=settings.BASE_DIR,
        start_new_session=True,
    )
    try:
        yield Crew(process.pid)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def surroundings() -> dict[str, str]:
    """This test's database and queue, for a process of its own."""
    at = connection.settings_dict
    return {
        "DATABASE_URL": f"postgresql://{at['USER']}:{at['PASSWORD']}@/{at['NAME']}?host={quote(at['HOST'], safe='')}&port={at['PORT']}",
        "REDIS_URL": settings.REDIS_URL,
        "AUDIT_LEASE_SECONDS": str(LEASE_SECONDS),
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.test",
    }


def accepted(repo_url: str | Path, *, queued: bool = True, **fields: object) -> Audit:
    """A hand-in that the site has accepted; not `queued`: its job never reached the queue."""
    audit = AuditFactory(
        submission__repo_url=str(repo_url),
        submission__assignment__rubric_version__document=rubric_document(),
        **fields,
    )
    if queued:
        enqueue(audit)
    return audit


def now_of(audit: Audit) -> Audit:
    with everywhere():
        return Audit.objects.get(pk=audit.pk)


def results_of(audit: Audit) -> tuple[int, int]:
    """How often the audit was ended, and how many criteria were judged."""
    with everywhere():
        ends = Activity.objects.filter(
            verb__in=("audit.finished", "audit.failed"), object_id=str(audit.pk)
        ).count()
        return ends, CriterionVerdict.objects.filter(audit=audit).count()


def is_over(audit: Audit) -> bool:
    return now_of(audit).state in FINAL_STATES


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    os.kill(pid, number)


def children_of(pid: int) -> list[int]:
    """Also those that one of its threads started."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            found += map(int, thread.read_text().split())
    return found


def descendants_of(pid: int) -> list[int]:
    below = children_of(pid)
    return below + [deeper for child in below for deeper in descendants_of(child)]


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
