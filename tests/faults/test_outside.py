"""Failures outside the site: git that hangs, memory and disk that run out, models that are silent."""

import os
import resource
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django_scopes import scope

from grading.core.enums import AuditState, Bench
from grading.models import ModelUsage
from tests.factories.git_server import MISBEHAVIOURS, serve_repositories
from tests.factories.model_server import Desk, Handler, model_endpoint
from tests.factories.repositories import Commit, make_repository
from tests.faults.site import (
    PATIENCE_SECONDS,
    accepted,
    command_of,
    crew,
    descendants_of,
    eventually,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]
NO_ANSWER_SECONDS = 30
OPINIONS = 6
NO_ROOT = "Only root can mount the small disk that this test fills."
LITTLE_MEMORY, SMALL_DISK = 4096, "size=256k"


def test_git_hangs(tmp_path, ends):
    with serve_repositories(tmp_path) as server, crew():
        ends(
            accepted(f"{server.url}/hang/work.git"),
            state=AuditState.FAILED,
            failure="repository_too_slow",
        )


def test_a_child_runs_out_of_memory(tmp_path, ends, monkeypatch):
    """git waits for an answer; when the answer comes, it is given no byte more than it has."""
    starved = threading.Event()
    monkeypatch.setitem(
        MISBEHAVIOURS, "late", lambda handler: starved.wait(PATIENCE_SECONDS) and handler.flood()
    )
    with serve_repositories(tmp_path) as server, crew() as there:
        audit = accepted(f"{server.url}/late/work.git")
        eventually(lambda: gits_below(there.pid))
        for pid in gits_below(there.pid):
            resource.prlimit(pid, resource.RLIMIT_AS, (LITTLE_MEMORY, LITTLE_MEMORY))
        starved.set()
        ends(audit, state=AuditState.FAILED, failure="repository_too_large")


def gits_below(pid: int) -> list[int]:
    return [process for process in descendants_of(pid) if b"git-remote-http" in command_of(process)]


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", SMALL_DISK, "tmpfs", place], capture_output=True, check=False
    )
    if os.geteuid() or mounted.returncode:
        pytest.skip(NO_ROOT)

    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def test_the_disk_is_full(tmp_path, ends):
    make_repository(tmp_path / "large.git", [Commit(files={"large.bin": os.urandom(1024 * 1024)})])
    audit = accepted(tmp_path / "large.git")
    with small_disk(tmp_path / "disk") as disk, crew(environment={"TMPDIR": str(disk)}):
        ends(audit, state=AuditState.FAILED, failure="engine_failed")


class HalfAnswering(Handler):
    """Its first answer ends in the middle, with the connection."""

    def answer(self, body: dict[str, Any], before: int) -> None:
        if before:
            return super().answer(body, before)

        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"id": "c-1", "choi')
        self.close_connection = True
        return None


class Hanging(Handler):
    """Takes every call and never answers."""

    def answer(self, body: dict[str, Any], before: int) -> None:
        self.server.stopped.wait(NO_ANSWER_SECONDS)
        self.close_connection = True


FAULTS = [
    pytest.param("busy", Handler, AuditState.DONE, OPINIONS + 1, id="429 once"),
    pytest.param("broken", Handler, AuditState.DEGRADED, None, id="500 always"),
    pytest.param("truncated", Handler, AuditState.DEGRADED, None, id="half a JSON always"),
    pytest.param("good", HalfAnswering, AuditState.DONE, OPINIONS + 1, id="half an answer once"),
    pytest.param("good", Hanging, AuditState.DEGRADED, None, id="no answer"),
]


@pytest.mark.parametrize(("model", "handler", "state", "calls"), FAULTS)
def test_the_models_endpoint_fails(model, handler, state, calls, repository, ends):
    """One more call than opinions where one failed; no opinion, and no score, where all did."""
    with model_endpoint() as desk, crew(environment=bench(desk, model)):
        desk.RequestHandlerClass = handler
        audit = accepted(repository, submission__assignment__bench=Bench.LLM)
        ends(audit, state=state)
        assert calls in {None, len(desk.requests)}
    with scope(organization=audit.organization):
        assert ModelUsage.objects.filter(audit=audit, completion_tokens__gt=0).count() <= OPINIONS


def bench(desk: Desk, model: str) -> dict[str, str]:
    limits = {"JUDGES_DEADLINE_SECONDS": "15"}
    judges = {f"{judge}_MODEL": model for judge in ("PROSECUTOR", "DEFENSE", "TECH_LEAD")}
    return {"OPENAI_BASE_URL": desk.base_url, "OPENAI_API_KEY": "a-key", **judges, **limits}
