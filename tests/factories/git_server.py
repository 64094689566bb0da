"""A git server on loopback that speaks the real smart HTTP protocol, and the ways a server can
misbehave. `python -m tests.factories.git_server FOLDER PORT` serves until it is killed.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from tests.factories.repositories import ENVIRONMENT


@dataclass(frozen=True)
class GitServer:
    """`url` ends without a slash; `requests` are the paths that were requested for."""

    url: str
    requests: list[str] = field(default_factory=list)


@contextmanager
def serve_repositories(
    root: Path, more: Mapping[str, Callable[[GitHandler], None]] = {}, *, port: int = 0
) -> Iterator[GitServer]:
    """Serve the repositories under `root`, and one misbehaviour under each name of MISBEHAVIOURS
    and of `more`.
    """
    served = root

    class Handler(GitHandler):
        root = served
        misbehaviours = {**MISBEHAVIOURS, **more}
        finished = threading.Event()
        requested: list[str] = []

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        try:
            yield GitServer(f"http://127.0.0.1:{server.server_port}", Handler.requested)
        finally:
            Handler.finished.set()
            server.shutdown()


class GitHandler(BaseHTTPRequestHandler):
    """Handler of requests; a misbehaviour gets it.

    `say` answers; `finished` is set when the test is over.
    """

    root: Path
    misbehaviours: Mapping[str, Callable[[GitHandler], None]]
    finished: threading.Event
    requested: list[str]

    def do_GET(self) -> None:
        self.requested.append(self.path)
        name = self.path.split("/")[1]
        self.misbehaviours.get(name, GitHandler.serve)(self)

    do_PATCH = do_GET  # noqa: N815 -- the library's own name
    do_POST = do_GET  # noqa: N815 -- the library's own name

    def serve(self) -> None:
        """Hand the request to git's own CGI program."""
        headers, answer = self.answer_of_git()
        self.say(int(headers.pop("Status", "200").split()[0]), answer, **headers)

    def serve_after(self, event: threading.Event) -> None:
        """Answer a fetch of the protocol's version 2 when the event is set.

        Until then words on the progress are sent: a client gives up a server that stays silent.
        """
        begin, progress = b"000dpackfile\n", b"\x02" + b" " * 1000
        headers, answer = self.answer_of_git()
        assert answer.startswith(begin)
        self.send_response(200)
        self.send_header("Content-Type", headers["Content-Type"])
        self.end_headers()
        self.wfile.write(begin)
        while not event.wait(0.2):
            self.wfile.write(b"%04x%s" % (len(progress) + 4, progress))
        self.wfile.write(answer.removeprefix(begin))
        self.close_connection = True

    def answer_of_git(self) -> tuple[dict[str, str], bytes]:
        """Return the headers and the body that git's own CGI program answers with."""
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        variables = {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }

        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            capture_output=True,
            check=True,
            env=ENVIRONMENT | variables,
        )
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        return dict(line.split(": ", 1) for line in head.decode().split("\r\n")), answer

    def say(self, status: int, answer: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # a client may have heard enough
            self.wfile.write(answer)

    def cut(self) -> None:
        """Answer as git would, but end in the middle of what a POST requested for."""
        self.path = self.path.removeprefix("/cut")
        whole, self.wfile = self.wfile, io.BytesIO()
        self.serve()
        answer, self.wfile = self.wfile.getvalue(), whole
        self.wfile.write(answer[: len(answer) // 2] if self.command == "POST" else answer)
        self.close_connection = True

    def flood(self) -> None:
        """Advertise refs for as long as anyone listens."""
        self.send_response(200)
        self.send_header("Content-Type", ADVERTISEMENT["Content_Type"])
        self.end_headers()
        refs = b"".join(
            b"0041%040x refs/heads/%08x\n" % (number, number) for number in range(10_000)
        )

        with contextlib.suppress(ConnectionError):
            while not self.finished.is_set():
                self.wfile.write(refs)

        self.close_connection = True

    def hang(self) -> None:
        self.finished.wait(30)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's own name
        """Say nothing."""


ADVERTISEMENT = {"Content_Type": "application/x-git-upload-pack-advertisement"}
MISBEHAVIOURS: dict[str, Callable[[GitHandler], None]] = {
    "redirect": lambda handler: handler.say(302, Location=handler.path.replace("redirect/", "")),
    "login": lambda handler: handler.say(401, WWW_Authenticate='Basic realm="git"'),
    "forbidden": lambda handler: handler.say(403),
    "missing": lambda handler: handler.say(404),
    "broken": lambda handler: handler.say(500),
    "page": lambda handler: handler.say(
        200, b"<!doctype html><p>Welcome</p>", Content_Type="text/html"
    ),
    "nonsense": lambda handler: handler.say(200, b"nonsense", **ADVERTISEMENT),
    "silent": lambda handler: handler.say(200, b""),
    "cut": GitHandler.cut,
    "flood": GitHandler.flood,
    "hang": GitHandler.hang,
}


if __name__ == "__main__":
    with serve_repositories(Path(sys.argv[1]), port=int(sys.argv[2])):
        threading.Event().wait()
