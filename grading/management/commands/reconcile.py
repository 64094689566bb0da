"""`manage.py reconcile`: brings back audits that the queue lost or that died with their worker."""

import signal
from argparse import ArgumentParser
from threading import Event
from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import InterfaceError, OperationalError, close_old_connections
from redis import RedisError

from grading.findings.earlier_findings import record_earlier_findings
from grading.grades.earlier_verdicts import count_earlier_verdicts
from grading.workflow import reconcile

EVERY_SECONDS = 5
log = structlog.get_logger(__name__)


class Command(BaseCommand):
    requires_system_checks = []
    help = "Enqueue again what has no living job; with --forever every few seconds until SIGTERM."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--forever", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        if not options["forever"]:
            count_earlier_verdicts()
            record_earlier_findings()
            recovery = reconcile()
            self.stdout.write(f"enqueued {recovery.enqueued}, taken back {recovery.taken_back}")
            return
        stopped = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopped.set())
        started = False
        while not stopped.is_set():
            started = self._round(first=not started) or started
            stopped.wait(EVERY_SECONDS)

    def _round(self, *, first: bool) -> bool:
        """One round; a server that is down is waited for, and the answer is False."""
        close_old_connections()
        try:
            if first and (counted := count_earlier_verdicts()):
                log.info("earlier_verdicts_counted", grades=counted)
            if first and (recorded := record_earlier_findings()):
                log.info("earlier_findings_recorded", audits=recorded)
            recovery = reconcile()
        except (RedisError, OperationalError, InterfaceError) as error:
            log.warning("reconcile_waits", reason=str(error).strip())
            return False
        if recovery.enqueued or recovery.taken_back:
            log.info("reconciled", enqueued=recovery.enqueued, taken_back=recovery.taken_back)
        return True
