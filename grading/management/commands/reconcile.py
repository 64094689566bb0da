"""`manage.py reconcile`: bring back audits that the queue lost or that died with their worker."""

import signal
from argparse import ArgumentParser
from threading import Event
from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import InterfaceError, OperationalError, close_old_connections
from redis import RedisError

from grading.workflow import reconcile

EVERY_SECONDS = 5
log = structlog.get_logger(__name__)


class Command(BaseCommand):
    requires_system_checks = []
    help = (
        "Enqueue again audits without a living job; with --forever every few seconds until SIGTERM."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--forever", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        if not options["forever"]:
            recovery = reconcile()
            self.stdout.write(f"enqueued {recovery.enqueued}, taken back {recovery.taken_back}")
            return

        stopped = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopped.set())

        while not stopped.is_set():
            self._reconcile()
            stopped.wait(EVERY_SECONDS)

    def _reconcile(self) -> None:
        """Reconcile once. When a server is down, the next round tries again."""
        close_old_connections()
        try:
            recovery = reconcile()
        except (RedisError, OperationalError, InterfaceError) as error:
            log.warning("reconcile_waits", reason=str(error).strip())
            return

        if recovery.enqueued or recovery.taken_back:
            log.info("reconciled", enqueued=recovery.enqueued, taken_back=recovery.taken_back)
