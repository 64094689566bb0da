"""SIGKILL while a model's judges answer: what was stored is not bought again, only what was in
flight.
"""

import os
import signal
import threading
from functools import partial
from pathlib import Path

import pytest
from django_scopes import scope

from grading.core.audit_queue import enqueue
from grading.core.enums import AuditState, Bench
from grading.models import ModelUsage, OpinionRecord
from grading.workflow import reconcile
from tests.factories.model_server import Handler, model_endpoint
from tests.factories.people import OrganizationFactory
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AuditFactory, rubric_document
from tests.faults.site import children_of, now_of, print_stacks
from tests.faults.test_killed_worker import PATIENCE_SECONDS, audit_worker, horse_of
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]
OPINIONS, ANSWERED = 12, 6


class HalfAnsweringHandler(Handler):
    """Answers the first six calls; the others wait until the gate opens."""

    opened = threading.Event()

    def answer(self, body, before):
        if before >= ANSWERED and not self.opened.is_set():
            self.opened.wait(PATIENCE_SECONDS)
            self.close_connection = True
            return None
        return super().answer(body, before)


@pytest.fixture
def desk(monkeypatch):
    HalfAnsweringHandler.opened.clear()
    with model_endpoint() as desk:
        desk.RequestHandlerClass = HalfAnsweringHandler
        monkeypatch.setenv("OPENAI_BASE_URL", desk.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        monkeypatch.setenv("JUDGES_SCREEN", "false")
        for judge in ("PROSECUTOR", "DEFENSE", "TECH_LEAD"):
            monkeypatch.setenv(f"{judge}_MODEL", "good")
        yield desk
        HalfAnsweringHandler.opened.set()


@pytest.fixture
def audit(tmp_path: Path):
    make_repository(
        tmp_path / "work.git", [Commit(files={"README.md": "# Work", "main.py": "print()"})]
    )
    return AuditFactory(
        submission__repo_url=str(tmp_path / "work.git"),
        submission__assignment__cohort__organization=OrganizationFactory(),
        submission__assignment__bench=Bench.LLM,
        submission__assignment__rubric_version__document=rubric_document("a", "b", "c", "d"),
    )


def stored(audit) -> int:
    with scope(organization=audit.organization):
        return OpinionRecord.objects.filter(audit=audit).count()


def description_of(desk, audit, worker) -> str:
    """Describe the state after a timeout: the audit, the calls, and stacks on stderr."""
    current = now_of(audit)
    calls = f"{len(desk.requests)} calls, {desk.now} of them open, {stored(audit)} opinions stored"
    state = (
        f"{current.state} at {current.stage!r}, attempt {current.run_attempt}, "
        f"{current.failure_code!r}, lease until {current.lease_until}"
    )
    report = current.report or {}
    failures = report.get("errors"), [c["opinions"] for c in report.get("criteria", ())]
    below = children_of(worker.pid)
    stacks = print_stacks(worker.pid)
    return (
        f"{calls}; the audit is {state}; its errors and opinions {failures}; "
        f"below the worker {below}; stacks of {stacks}"
    )


def test_at_most_the_calls_in_flight_are_bought_twice(desk, audit):
    with audit_worker() as worker:
        describe = partial(description_of, desk, audit, worker)
        enqueue(audit)
        eventually(
            lambda: stored(audit) == ANSWERED and len(desk.requests) == OPINIONS,
            describe=describe,
        )
        os.kill(horse_of(worker), signal.SIGKILL)
        eventually(lambda: reconcile().taken_back == 1, describe=describe)
        HalfAnsweringHandler.opened.set()
        eventually(lambda: now_of(audit).is_final, describe=describe)

    current = now_of(audit)

    assert current.report

    in_flight = OPINIONS - ANSWERED

    assert (current.state, stored(audit), len(desk.requests)) == (
        AuditState.DONE,
        OPINIONS,
        OPINIONS + in_flight,
    )

    assert (current.report["usage"]["calls"], current.report["usage"]["reused"]) == (
        in_flight,
        ANSWERED,
    )

    with scope(organization=audit.organization):
        assert ModelUsage.objects.filter(audit=audit).count() == OPINIONS
