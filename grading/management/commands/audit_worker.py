"""`manage.py audit_worker`: run audits from their queues, at a lower priority than the pages."""

import ctypes
import os
import signal
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from time import sleep
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import InterfaceError, OperationalError, connection, connections
from django_rq import get_connection, get_queue
from rq import Queue, Worker
from rq.job import Job
from rq.serializers import JSONSerializer

from grading.core.allowed_job import JOBS_MODULE, AllowedJob, AllowedQueue, is_readable
from grading.engine import tracing

# Measured: with RQ's own intervals a job whose worker was killed comes back only after 13 minutes.
WORKER_TTL_SECONDS = 30
JOB_MONITORING_SECONDS = 5
MAINTENANCE_SECONDS = 10
# Between two looks for a database that is away.
AWAY_SECONDS = 1
PR_SET_PDEATHSIG = 1
# Pages come before audits on a shared processor (measured by benchmarks/load).
NICENESS = 10
# Its process asks readers of submissions that stay between jobs.
READING_JOBS = frozenset({f"{JOBS_MODULE}.run_audit"})
log = structlog.get_logger(__name__)


class AuditWorker(Worker):
    """Worker that forks a process per job.

    No database connection crosses the fork, and no job outlives its worker.
    """

    def execute_job(self, job: Job, queue: Queue) -> None:
        # A pickled job of an older version: the reconciler enqueues the same attempt again.
        if not is_readable(job):
            log.warning("unreadable_job_dropped", job=job.id)
            job.delete()
            return

        if database_answers():
            if str(job.func_name) in READING_JOBS:
                _prepare_readers()
            super().execute_job(job, queue)
        else:
            self._leave_to_others(job, queue)

    def _leave_to_others(self, job: Job, queue: Queue) -> None:
        """Give the job back, and take no other while this machine reaches no database.

        Each would fail at once: in seconds one such machine would spend all attempts of all audits.
        """
        queue.push_job_id(job.id, at_front=True)
        while not database_answers():
            self.heartbeat()
            sleep(AWAY_SECONDS)

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # Otherwise the worker died before the line above took effect.
        if os.getppid() == self.pid:
            super().main_work_horse(job, queue)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        # RQ ends this process without Python's own clean-up.
        end_export = tracing.start_export()
        try:
            return super().perform_job(job, queue)
        finally:
            end_export()


def _prepare_readers() -> None:
    """Have the readers of submissions ready before the fork; without them jobs start their own."""
    from grading.engine import audits as engine_audits

    try:
        engine_audits.prepare_readers()
    except OSError as error:
        log.warning("readers_not_ready", reason=str(error))


def database_answers() -> bool:
    """Return whether a new connection is answered; none is left open."""
    connections.close_all()
    try:
        connection.ensure_connection()
    except (OperationalError, InterfaceError) as error:
        log.warning("database_away", reason=" ".join(str(error).split()))
        return False
    finally:
        connections.close_all()
    return True


class Command(BaseCommand):
    # Checks have run before; here they would import every page.
    requires_system_checks = []
    help = "Run one audit worker until SIGTERM; the running audit is finished first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--burst", action="store_true", help="stop when the queues are empty")

    def handle(self, *_: Any, **options: Any) -> None:
        from grading.engine import audits as engine_audits

        engine_audits.lower_priority(NICENESS)
        engine_audits.preload()
        tracing.preload()
        self.serve(settings.AUDIT_QUEUES, burst=options["burst"])

    def serve(self, names: Sequence[str], *, burst: bool) -> None:
        """Work on these queues, the first before the others, until SIGTERM."""
        # Imported once, before the fork of each job.
        import_module(JOBS_MODULE)
        queues = [get_queue(name) for name in names]
        worker = AuditWorker(
            queues,
            connection=get_connection(names[0]),
            job_class=AllowedJob,
            queue_class=AllowedQueue,
            serializer=JSONSerializer,
            worker_ttl=WORKER_TTL_SECONDS,
            job_monitoring_interval=JOB_MONITORING_SECONDS,
            maintenance_interval=MAINTENANCE_SECONDS,
        )
        worker.work(burst=burst)
