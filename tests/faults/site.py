"""The running site of a fault test: workers, a reconciler, submissions and their results."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
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
from tests.waiting import PATIENCE_SECONDS

RECOVERY_SECONDS = 90
LEASE_SECONDS = 8
FAULT_HANDLER = {"PYTHONFAULTHANDLER": "1"}


def print_stacks(pid: int) -> list[int]:
    """Abort a process started with FAULT_HANDLER and its descendants; each writes its stack to
    stderr.
    """
    pids = [pid, *descendants_of(pid)]
    for process in pids:
        with suppress(ProcessLookupError):
            kill(process, signal.SIGABRT)
    return pids


class Crew:
    """A supervisor's process with its worker and the processes of the worker's jobs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def workers(self) -> list[int]:
        return [pid for pid in children_of(self.pid) if name_of(pid) == "audit_worker"]

    def busy(self) -> list[tuple[int, int]]:
        """Return each busy worker with the process of its job."""
        return [(worker, job) for worker in self.workers() for job in jobs_of(worker)]

    def is_at_rest(self) -> bool:
        """Return whether one idle worker and the reconciler run, and every audit is over."""
        names = set(map(name_of, children_of(self.pid)))
        with everywhere():
            is_over = not Audit.objects.exclude(state__in=FINAL_STATES).exists()
        is_whole = len(self.workers()) == 1 and "reconcile" in names
        return is_over and is_whole and not self.busy()


@contextmanager
def crew(
    *, letter_workers: int = 0, environment: Mapping[str, str] | None = None
) -> Iterator[Crew]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.services", str(letter_workers)],
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
    """Return this test's database and queue, as environment of a process."""
    at = connection.settings_dict
    return {
        "DATABASE_URL": (
            f"postgresql://{at['USER']}:{at['PASSWORD']}@/{at['NAME']}"
            f"?host={quote(at['HOST'], safe='')}&port={at['PORT']}"
        ),
        "REDIS_URL": settings.REDIS_URL,
        "AUDIT_LEASE_SECONDS": str(LEASE_SECONDS),
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.test",
    }


def accepted(repo_url: str | Path, *, queued: bool = True, **fields: object) -> Audit:
    """Make an accepted submission's audit; without `queued`, its job never reached the queue."""
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
    """Return how often the audit was ended, and how many criteria were judged."""
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
    """Return the children of a process, including those that its threads started."""
    pids: list[int] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            pids += map(int, thread.read_text().split())
    return pids


def jobs_of(worker: int) -> list[int]:
    """Return a worker's forks for jobs: its children without the readers that stay between them."""
    commands = {pid: command_of(pid) for pid in children_of(worker)}
    # A process that has ended has no command.
    return [pid for pid, command in commands.items() if command and b"\0stay\0" not in command]


def descendants_of(pid: int) -> list[int]:
    below = children_of(pid)
    return below + [deeper for child in below for deeper in descendants_of(child)]


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def name_of(pid: int) -> str:
    """Return the system's short name of a process, which a fork may choose (services.py)."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
