"""A git server on loopback that wants a login: one token, which a test may revoke or move elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.factories.git_server import GitHandler, serve_repositories
from tests.factories.github_server import GithubServer


@dataclass
class PrivateServer:
    """`is_allowed` says whether a name and a token open a path; `seen` are the logins that were sent.

    Where `moved_to` is set, every answer is a redirect to that origin.
    """

    url: str = ""
    is_allowed: Callable[[str, str, str], bool] = lambda *_: False
    moved_to: str = ""
    asked: Callable[[], None] = lambda: None
    seen: list[tuple[str, str]] = field(default_factory=list)
    github: GithubServer = field(default_factory=GithubServer)

    def answer(self, handler: GitHandler) -> None:
        path = handler.path.removeprefix("/private")
        login = _login_of(handler.headers.get("Authorization", ""))
        if login:
            self.seen.append(login)
            self.asked()
        if self.moved_to:
            return handler.say(302, Location=f"{self.moved_to}{handler.path}")
        if not login:
            return handler.say(401, WWW_Authenticate='Basic realm="git"')
        if not self.is_allowed(*login, path):
            return handler.say(401, WWW_Authenticate='Basic realm="git"')
        handler.path = path
        return handler.serve()


def _login_of(header: str) -> tuple[str, str] | None:
    if not header.startswith("Basic "):
        return None
    name, _, token = base64.b64decode(header.removeprefix("Basic ")).decode().partition(":")
    return name, token


@contextmanager
def serve_private(root: Path) -> Iterator[PrivateServer]:
    """Serve the repositories under `root` below /private, to who has a token; GitHub's API is beside them."""
    private = PrivateServer()
    more = {
        "private": private.answer,
        "api": private.github.respond,
        "login": private.github.respond,
    }
    with serve_repositories(root, more) as server:
        private.url, private.github.url = f"{server.url}/private", server.url
        yield private
