"""A linked branch, and webhooks sent to the site over a socket."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.utils import timezone

from grading.models import Push, PushLink
from grading.submissions.pushes.hand_in import submit_due_pushes
from tests.courtroom.in_process import read_in_process
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere
from tests.factories.pushes import encoded, github_headers, github_payload, link_of
from tests.factories.repositories import Commit, git, make_repository
from tests.repositories.conftest import ada, assignment, ben, github, host, private

__all__ = ["ada", "assignment", "ben", "github", "host", "private"]
Deliver = Callable[..., int]


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's own name
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[WSGIServer]:
    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=_Quiet)
    yield server
    server.server_close()


@pytest.fixture
def deliver(site: WSGIServer, redis: None) -> Deliver:
    """Send a webhook to the site over HTTP, answered by this thread and its transaction."""
    cache.clear()

    def send(path: str, body: bytes, headers: Mapping[str, str], method: str = "POST") -> int:
        answers: list[int] = []

        def ask() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", site.server_port, timeout=30)
            connection.request(method, path, body=body, headers=dict(headers))
            answer = connection.getresponse()
            assert answer.read() == b""
            answers.append(answer.status)
            connection.close()

        client = threading.Thread(target=ask)
        client.start()
        # Django's own test client does the same: the connection stays that of the test.
        signals = (request_started, request_finished)
        for signal in signals:
            signal.disconnect(close_old_connections)
        site.handle_request()
        for signal in signals:
            signal.connect(close_old_connections)
        client.join()
        return answers[0]

    return send


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two works; Ada's has three commits, a report, and a link where a report could be."""
    root: Path = tmp_path_factory.mktemp("pushed")
    pdf = make_pdf(root / "report.pdf", [Page(["The report of Ada"])]).read_bytes()
    work: dict[str, str | bytes | None] = {"main.py": "print()\n", "report.pdf": pdf}
    commits = [Commit(f"Commit {n}", {"README.md": f"# {n}\n", **work}) for n in range(3)]
    linked: dict[str, str | bytes | None] = {
        "link.pdf": "report.pdf",
        "huge.pdf": "%PDF-" + "x" * 3000,
    }
    commits.append(Commit("Links", linked, modes={"link.pdf": "120000"}))
    make_repository(root / "course" / "ada.git", commits)
    make_repository(root / "course" / "ben.git", [Commit("First", {"README.md": "# Ben\n"})])
    return root


@pytest.fixture(scope="module")
def commits(served: Path) -> list[str]:
    """Ada's commits, oldest first."""
    return git("rev-list", "--reverse", "main", at=served / "course" / "ada.git").split()


@pytest.fixture
def address(private: Any) -> str:
    """Ada's repository, which anybody can read."""
    public = private.url.removesuffix("/private")
    return f"{public}/course/ada.git"


@pytest.fixture
def link(assignment: Any, ada: Any, address: str) -> PushLink:
    where = address.removeprefix("http://").removesuffix(".git")
    place, _, path = where.partition("/")
    return link_of(assignment, ada, address=address, host=place, path=path)


@pytest.fixture
def push(deliver: Deliver, link: PushLink, address: str) -> Callable[..., int]:
    """Deliver a push of a commit to the link."""

    def send(commit: str, **fields: Any) -> int:
        body = encoded(github_payload(clone_url=address, commit=commit, **fields))
        return deliver(f"/hooks/{link.key}/", body, github_headers(body))

    return send


@pytest.fixture
def submit(link: PushLink, redis: None) -> Callable[[], list[Push]]:
    """End every quiet period, submit, and return the link's pushes, oldest first."""

    def run() -> list[Push]:
        with everywhere():
            Push.objects.filter(link=link).update(next_at=timezone.now() - timedelta(seconds=1))
        submit_due_pushes(organization_id=link.organization_id)
        with everywhere():
            rows = Push.objects.filter(link=link).select_related("submission")
            return list(rows.order_by("created_at", "pk"))

    return run


@pytest.fixture(autouse=True)
def _git_in_process() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        read_in_process(patch)
        yield
