"""SIGKILL in mid-audit: the audit ends done, exactly once, whoever of the worker's processes dies."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from rq import Worker

from grading.core.audit_queue import enqueue
from grading.core.enums import AuditState
from grading.models import Activity, Audit, CriterionVerdict, OpinionRecord
from grading.workflow import Recovery, reconcile
from tests.factories.git_server import MISBEHAVIOURS, serve_repositories
from tests.factories.people import everywhere
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, rubric_document
from tests.faults.site import FAULT_HANDLER, jobs_of, now_of
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]
PATIENCE_SECONDS = 60
Process = subprocess.Popen[bytes]


@dataclass
class Gate:
    """A repository that is not answered before the gate opens: an audit of it stands in mid-air."""

    url: str = ""
    reached: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def __call__(self, handler) -> None:
        self.reached.set()
        if not self.opened.is_set():
            self.opened.wait(PATIENCE_SECONDS)
            handler.close_connection = True
            return
        handler.path = handler.path.removeprefix("/gate")
        handler.serve()


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    make_repository(
        tmp_path / "work.git",
        [Commit(files={"README.md": "# Work", "main.py": f"print({n})"}) for n in range(4)],
    )
    gate = Gate()
    monkeypatch.setitem(MISBEHAVIOURS, "gate", gate)

    with serve_repositories(tmp_path) as server:
        gate.url = f"{server.url}/gate/work.git"
        yield gate
        gate.opened.set()


@contextmanager
def audit_worker(*options: str) -> Iterator[Process]:
    """A real worker process on this test's database and queue."""
    url = (
        urlsplit(os.environ["DATABASE_URL"])
        ._replace(path=f"/{connection.settings_dict['NAME']}")
        .geturl()
    )

    environment = (
        os.environ
        | FAULT_HANDLER
        | {
            "DATABASE_URL": url,
            "REDIS_URL": settings.REDIS_URL,
            "DJANGO_SETTINGS_MODULE": "auditor_site.settings.test",
        }
    )
    command = [sys.executable, "manage.py", "audit_worker", *options]
    worker = subprocess.Popen(command, env=environment, cwd=settings.BASE_DIR)

    try:
        yield worker
    finally:
        worker.kill()
        worker.wait()


def horse_of(worker: Process) -> int:
    """The process that the worker forked for its job."""
    return jobs_of(worker.pid)[0]


def is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def in_mid_audit(gate: Gate) -> Audit:
    audit = AuditFactory(
        submission__repo_url=gate.url,
        submission__assignment__rubric_version__document=rubric_document(),
    )
    enqueue(audit)

    assert gate.reached.wait(PATIENCE_SECONDS)
    assert now_of(audit).state == AuditState.RUNNING

    return audit


def assert_done_exactly_once(audit: Audit) -> None:
    current = now_of(audit)
    assert (current.state, current.failure_code, current.run_attempt) == (AuditState.DONE, "", 2)
    with everywhere():
        assert CriterionVerdict.objects.filter(audit=audit).count() == 2
        assert OpinionRecord.objects.filter(audit=audit).count() == 6
        verbs = list(Activity.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["audit.started", "audit.requeued", "audit.started", "audit.finished"]


def test_when_the_worker_is_killed_another_one_ends_the_audit(gate):
    with audit_worker() as worker:
        audit = in_mid_audit(gate)
        horse = horse_of(worker)
        worker.kill()
        eventually(lambda: is_dead(horse))

    assert reconcile() == Recovery(enqueued=0, taken_back=0)  # its lease has not run out

    with everywhere():
        # In the past also for a clock that steps back a little.
        Audit.objects.filter(pk=audit.pk).update(lease_until=timezone.now() - timedelta(minutes=1))

    assert reconcile() == Recovery(enqueued=0, taken_back=1)

    gate.opened.set()
    with audit_worker("--burst") as second:
        assert second.wait(PATIENCE_SECONDS) == 0

    assert_done_exactly_once(audit)


def test_when_only_the_jobs_process_is_killed_the_audit_does_not_wait_for_its_lease(gate, redis):
    with audit_worker() as worker:
        audit = in_mid_audit(gate)
        os.kill(horse_of(worker), signal.SIGKILL)
        eventually(lambda: reconcile().taken_back == 1)
        gate.opened.set()
        eventually(lambda: now_of(audit).is_final)
        eventually(lambda: [w.get_state() for w in Worker.all(connection=redis)] == ["idle"])
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0

    assert Worker.count(connection=redis) == 0

    assert_done_exactly_once(audit)
