"""Failures outside the site: git that hangs, memory and disk that run out, models that are silent."""

import os
import resource
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django_scopes import scope

from grading.core.enums import AuditState, Bench
from grading.models import ModelUsage
from tests.factories.git_server import MISBEHAVIOURS, GitHandler, serve_repositories
from tests.factories.model_server import Desk, Handler, model_endpoint
from tests.factories.repositories import Commit, make_repository
from tests.faults.site import accepted, command_of, descendants_of
from tests.waiting import PATIENCE_SECONDS

NO_ANSWER_SECONDS = 30
OPINIONS = 6
NO_ROOT = "Only root can mount the small disk that this test fills."
LITTLE_MEMORY, SMALL_DISK = 4096, "size=256k"


@pytest.fixture(scope="module")
def desk_of_module() -> Iterator[Desk]:
    with model_endpoint() as desk:
        yield desk


@pytest.fixture
def desk(desk_of_module: Desk) -> Desk:
    """The module's endpoint, which no call has reached."""
    desk_of_module.requests.clear()
    desk_of_module.seen.clear()
    return desk_of_module


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crew's folder for temporary files."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def crew_environment(desk_of_module: Desk, temporary: Path) -> Mapping[str, str]:
    judges = {f"{judge}_MODEL": "good" for judge in ("PROSECUTOR", "DEFENSE", "TECH_LEAD")}
    return judges | {
        "OPENAI_BASE_URL": desk_of_module.base_url,
        "OPENAI_API_KEY": "a-key",
        "JUDGES_DEADLINE_SECONDS": "15",
        "JUDGES_SCREEN": "false",
        "TMPDIR": str(temporary),
    }


@pytest.mark.usefixtures("site_crew")
def test_git_hangs(tmp_path, ends):
    with serve_repositories(tmp_path) as server:
        ends(
            accepted(f"{server.url}/hang/work.git"),
            state=AuditState.FAILED,
            failure="repository_too_slow",
        )


def test_a_child_runs_out_of_memory(tmp_path, site_crew, ends, monkeypatch):
    """git waits for an answer; when the answer comes, it is given no byte more than it has."""
    requested, starved = threading.Event(), threading.Event()

    def answer_late(handler: GitHandler) -> None:
        requested.set()
        if starved.wait(PATIENCE_SECONDS):
            handler.flood()

    monkeypatch.setitem(MISBEHAVIOURS, "late", answer_late)
    with serve_repositories(tmp_path) as server:
        audit = accepted(f"{server.url}/late/work.git")
        # A git that is still starting would end as one that reaches nothing.
        assert requested.wait(PATIENCE_SECONDS)
        for pid in gits_below(site_crew.pid):
            resource.prlimit(pid, resource.RLIMIT_AS, (LITTLE_MEMORY, LITTLE_MEMORY))
        starved.set()
        ends(audit, state=AuditState.FAILED, failure="repository_too_large")


def gits_below(pid: int) -> list[int]:
    return [process for process in descendants_of(pid) if b"git-remote-http" in command_of(process)]


@contextmanager
def small_disk(place: Path) -> Iterator[None]:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", SMALL_DISK, "tmpfs", place], capture_output=True, check=False
    )
    if os.geteuid() or mounted.returncode:
        pytest.skip(NO_ROOT)

    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.usefixtures("site_crew")
def test_the_disk_is_full(tmp_path, temporary, ends):
    make_repository(tmp_path / "large.git", [Commit(files={"large.bin": os.urandom(1024 * 1024)})])
    with small_disk(temporary):
        audit = accepted(tmp_path / "large.git")
        ends(audit, state=AuditState.FAILED, failure="engine_failed")


def answering_as(model: str) -> type[Handler]:
    class Answering(Handler):
        def answer(self, body: dict[str, Any], before: int) -> None:
            super().answer({**body, "model": model}, before)

    return Answering


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
    pytest.param(answering_as("busy"), AuditState.DONE, OPINIONS + 1, id="429 once"),
    pytest.param(answering_as("broken"), AuditState.DEGRADED, None, id="500 always"),
    pytest.param(answering_as("truncated"), AuditState.DEGRADED, None, id="half a JSON always"),
    pytest.param(HalfAnswering, AuditState.DONE, OPINIONS + 1, id="half an answer once"),
    pytest.param(Hanging, AuditState.DEGRADED, None, id="no answer"),
]


@pytest.mark.usefixtures("site_crew")
@pytest.mark.parametrize(("handler", "state", "calls"), FAULTS)
def test_the_models_endpoint_fails(handler, state, calls, desk, repository, ends):
    """One more call than opinions where one failed; no opinion, and no score, where all did."""
    desk.RequestHandlerClass = handler
    audit = accepted(repository, submission__assignment__bench=Bench.LLM)
    ends(audit, state=state)
    assert calls in {None, len(desk.requests)}
    with scope(organization=audit.organization):
        assert ModelUsage.objects.filter(audit=audit, completion_tokens__gt=0).count() <= OPINIONS
