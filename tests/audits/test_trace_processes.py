"""Spans of a gunicorn and a worker, through a collector that was not written here: Rotel.

Its wheel is in requirements/dev.txt. Where it has none for this machine the test is skipped; with
REQUIRE_PEERS=1 (CI) it fails.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.urls import reverse

from grading.api.tokens.actions import create_token
from grading.core.enums import ApiScope, AuditState
from grading.models import Audit
from tests.factories.people import everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.trace_collector import attributes_of, trace_collector, tree_of
from tests.factories.work import AssignmentFactory, rubric_document
from tests.faults.site import surroundings
from tests.waiting import AUDIT_PATIENCE_SECONDS, eventually

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis", "empty_cache"),
]
Program = list[str | Path]


@pytest.fixture
def rotel() -> Path:
    spec = find_spec("rotel")
    if spec and spec.origin:
        return Path(spec.origin).with_name("rotel-agent")
    if os.environ.get("REQUIRE_PEERS") == "1":
        pytest.fail("The collector of requirements/dev.in is not installed.")
    pytest.skip("The collector of requirements/dev.in is not installed.")


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def accepts(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with socket.socket() as client:
        return client.connect_ex((host, int(port))) == 0


@contextmanager
def running(command: Program, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run a program of ours until the end of the block, and stop it as an operator does."""
    process = subprocess.Popen(
        command,
        cwd=settings.BASE_DIR,
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=AUDIT_PATIENCE_SECONDS)


@contextmanager
def collector_before(rotel: Path, target: str, folder: Path) -> Iterator[str]:
    """A Rotel that forwards what it gets to the target; its address."""
    address = free_address()
    files = {"ROTEL_PID_FILE": str(folder / "pid"), "ROTEL_LOG_FILE": str(folder / "log")}
    options = {
        "otlp-http-endpoint": address,
        "otlp-grpc-endpoint": free_address(),
        "exporter": "otlp",
        "otlp-exporter-protocol": "http",
        "otlp-exporter-endpoint": target,
    }
    command: Program = [rotel, "start", *(f"--{name}={value}" for name, value in options.items())]
    with running(command, files):
        eventually(lambda: accepts(address))
        yield f"http://{address}"


def web(environment: dict[str, str], stack: ExitStack) -> str:
    """Start a gunicorn as containers do, but with one process; return its address."""
    options = ["-c", "python:auditor_site.webserver", "--workers", "1", "--bind", "127.0.0.1:0"]
    command = [sys.executable, "-m", "gunicorn", "auditor_site.wsgi", *options]
    server = stack.enter_context(running([*command], environment))
    assert server.stderr
    listening = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stderr)
    return next(match[0] for match in listening if match)


def test_web_and_worker_send_one_trace_before_they_end(rotel: Path, tmp_path: Path) -> None:
    make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()"})])
    assignment = AssignmentFactory.create(rubric_version__document=rubric_document())
    ada = student(assignment.cohort)
    token = create_token(user=ada.user, name="t", scopes=tuple(ApiScope), days=1)[1]
    place = (assignment.organization.slug, assignment.cohort.slug, assignment.slug)

    with (
        trace_collector() as collector,
        collector_before(rotel, collector.url, tmp_path) as endpoint,
        ExitStack() as site,
    ):
        environment = surroundings() | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "DJANGO_SETTINGS_MODULE": "auditor_site.settings.local",
        }
        worker = [sys.executable, "manage.py", "audit_worker"]
        site.enter_context(running([*worker], environment))
        answer = httpx.post(
            f"{web(environment, site)}{reverse('api-submissions', args=place)}",
            json={"repo_url": str(tmp_path / "work.git")},
            headers={"authorization": f"Bearer {token}"},
            timeout=AUDIT_PATIENCE_SECONDS,
        )
        assert answer.status_code == 201, answer.text
        with everywhere():
            eventually(lambda: Audit.objects.filter(state=AuditState.DONE).exists())
        # The next export on the clock of either would come later.
        site.close()
        eventually(lambda: {"hand_in", "audit"} <= {span.name for span in collector.spans})

    tree = tree_of(collector.spans)
    assert list(tree) == ["hand_in"]
    assert "chief_justice" in tree["hand_in"]["queue"]["audit"]
    makers = {
        attributes_of(resource.resource)["service.instance.id"]
        for request in collector.requests
        for resource in request.resource_spans
    }
    assert len(makers) == 2
