"""GitHub's API on loopback, as far as the site's GitHub App asks it, with the answers that its description documents."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

APP_ID, SLUG, CLIENT_ID, CLIENT_SECRET = "4711", "court-reader", "Iv1.court", "client-secret-canary"
Answer = tuple[int, Any]
MISSING: Answer = (404, {"message": "Not Found"})
BAD_GATEWAY: Answer = (502, {"message": "Server Error"})
MOST_ANNOTATIONS = 50
UNAUTHORIZED: Answer = (401, {"message": "Bad credentials"})


@cache
def app_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def app_key_pem() -> str:
    return (
        app_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")
    )


def _is_app(token: str) -> bool:
    try:
        jwt.decode(token, app_key().public_key(), algorithms=["RS256"])
    except jwt.PyJWTError:
        return False
    return True


@dataclass
class GithubOrganization:
    """Organization in which the App is installed; `roles` are of its members by login."""

    installation: int
    permissions: dict[str, str]
    roles: dict[str, str] = field(default_factory=dict)


@dataclass
class GithubServer:
    """`installations` map an id to the ids of its chosen repositories, `repositories` an id to its name today,
    `people` a token to an id and a login, `rights` a repository's name and a login to a right, and `codes` a code to
    the token that it is good for, once.

    `check_runs` are those made, as sent and changed; `may_write_checks` says whether the App was given that right.
    The next `failing` requests about check runs are answered by 502.

    `organizations` are by login; `templates` and `descriptions` are of repositories by name, `invited` the rights of
    invitations by name and login. `limits` are answers with headers, each given once in place of another to the first
    request whose method and path begin so.

    Where `moved_to` is set, every answer redirects there. `tokens` are those given to the App, with their repositories; `requests` are method and path.
    """

    url: str = ""
    installations: dict[int, set[int]] = field(default_factory=dict)
    moved_to: str = ""
    suspended: set[int] = field(default_factory=set)
    repositories: dict[int, str] = field(default_factory=dict)
    people: dict[str, tuple[int, str]] = field(default_factory=dict)
    rights: dict[tuple[str, str], str] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, frozenset[int]] = field(default_factory=dict)
    check_runs: list[dict[str, Any]] = field(default_factory=list)
    may_write_checks: bool = True
    writers: set[str] = field(default_factory=set)
    failing: int = 0
    requests: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    organizations: dict[str, GithubOrganization] = field(default_factory=dict)
    templates: set[str] = field(default_factory=set)
    descriptions: dict[str, str] = field(default_factory=dict)
    private: dict[str, bool] = field(default_factory=dict)
    invited: dict[tuple[str, str], str] = field(default_factory=dict)
    limits: list[tuple[str, Answer, dict[str, str]]] = field(default_factory=list)

    def may_read(self, token: str, full_name: str) -> bool:
        """Return whether a token of the App opens a repository, for a git server beside this one."""
        names = {self.repositories.get(key) for key in self.tokens.get(token, ())}
        return full_name in names

    def limit_for(self, request: str) -> tuple[Answer, dict[str, str]] | None:
        for number, (start, answer, headers) in enumerate(self.limits):
            if request.replace("/api/v3", "", 1).startswith(start):
                del self.limits[number]
                return answer, headers
        return None

    def answer(self, method: str, target: str, token: str, body: Any) -> Answer:
        parts = urlsplit(target)
        page = int(parse_qs(parts.query).get("page", ["1"])[0])
        path = parts.path.removeprefix("/api/v3")
        for pattern, name in ROUTES.items():
            method_of, _, path_of = pattern.partition(" ")
            if method == method_of and (match := re.fullmatch(path_of, path)):
                reply: Answer = getattr(self, name)(*match.groups(), token=token, body=body)
                return reply if page == 1 else (200, _beyond(reply[1]))
        return MISSING

    def respond(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request of an HTTP server, of this one or of one beside it."""
        text = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        token = handler.headers.get("Authorization", "").removeprefix("Bearer ")
        self.requests.append(f"{handler.command} {handler.path}")
        self.headers.append(dict(handler.headers))
        body = json.loads(text) if text else None
        limit = self.limit_for(f"{handler.command} {handler.path}")
        status, answer = (
            limit[0] if limit else self.answer(handler.command, handler.path, token, body)
        )

        sent = b"" if answer is None else json.dumps(answer).encode()
        handler.send_response(301 if self.moved_to else status)
        if self.moved_to:
            handler.send_header("Location", f"{self.moved_to}{handler.path}")
        for name, value in (limit[1] if limit else {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(sent)))
        handler.end_headers()
        handler.wfile.write(sent)

    def show_organization_installation(self, login: str, *, token: str, body: Any) -> Answer:
        if not _is_app(token):
            return UNAUTHORIZED
        place = self.organizations.get(login)
        if place is None:
            return MISSING
        is_suspended = place.installation in self.suspended
        return 200, {
            "id": place.installation,
            "account": {"login": login, "id": 9000 + place.installation, "type": "Organization"},
            "repository_selection": "all",
            "permissions": place.permissions,
            "suspended_at": "2026-01-01T00:00:00Z" if is_suspended else None,
        }

    def show_membership(self, login: str, person: str, *, token: str, body: Any) -> Answer:
        if token not in self.tokens:
            return UNAUTHORIZED
        role = self.organizations[login].roles.get(person)
        return (200, {"state": "active", "role": role}) if role else MISSING

    def show_account(self, number: str, *, token: str, body: Any) -> Answer:
        logins = dict(self.people.values())
        login = logins.get(int(number))
        return (200, {"id": int(number), "login": login}) if login else MISSING

    def show_repository(self, name: str, *, token: str, body: Any) -> Answer:
        key = next((key for key, value in self.repositories.items() if value == name), None)
        return (200, self._full(key)) if key is not None and token in self.tokens else MISSING

    def generate(self, template: str, *, token: str, body: Any) -> Answer:
        if token not in self.tokens or template not in self.templates:
            return MISSING
        name = f"{body['owner']}/{body['name']}"
        if name in self.repositories.values():
            words = "Could not clone: Name already exists on this account"
            return 422, {"message": words, "errors": [words]}
        key = max(self.repositories, default=0) + 1
        self.repositories[key] = name
        self.descriptions[name] = body["description"]
        self.private[name] = body["private"]
        place = self.organizations[body["owner"]]
        self.installations.setdefault(place.installation, set()).add(key)
        return 201, self._full(key)

    def invite(self, name: str, login: str, *, token: str, body: Any) -> Answer:
        if name not in self.repositories.values():
            return MISSING
        if (name, login) in self.rights:
            return 204, None
        self.invited[name, login] = body["permission"]
        return 201, {
            "id": len(self.invited),
            "invitee": {"login": login},
            "permissions": body["permission"],
            "html_url": f"{self.url}/{name}/invitations",
        }

    def show_collaborator(self, name: str, login: str, *, token: str, body: Any) -> Answer:
        return (204, None) if (name, login) in self.rights else MISSING

    def _full(self, key: int) -> dict[str, Any]:
        name = self.repositories[key]
        return {
            "id": key,
            "full_name": name,
            "html_url": f"{self.url}/{name}",
            "is_template": name in self.templates,
            "private": self.private.get(name, True),
            "description": self.descriptions.get(name),
        }

    def give_token(self, installation: str, *, token: str, body: Any) -> Answer:
        try:
            claims = jwt.decode(token, app_key().public_key(), algorithms=["RS256"])
        except jwt.PyJWTError:
            return UNAUTHORIZED
        chosen = self.installations.get(int(installation))
        if claims["iss"] != APP_ID or claims["exp"] - claims["iat"] > 660:
            return UNAUTHORIZED
        if chosen is None:
            return MISSING
        given = [
            o.permissions
            for o in self.organizations.values()
            if o.installation == int(installation)
        ]
        if given and not body["permissions"].items() <= given[0].items():
            return 422, {
                "message": "The permissions requested are not granted to this installation."
            }
        if int(installation) in self.suspended:
            return 403, {"message": "This installation has been suspended"}
        writes = body["permissions"].get("checks") == "write"
        if writes and not self.may_write_checks:
            return 422, {
                "message": "The permissions requested are not granted to this installation."
            }
        wanted = set(body.get("repository_ids", chosen))
        if not wanted <= chosen:
            return 422, {"message": "There is at least one repository that does not exist"}
        fresh = f"ghs_{APP_ID}_canary{len(self.tokens)}"
        self.tokens[fresh] = frozenset(wanted)
        if writes:
            self.writers.add(fresh)
        ends = datetime.now(UTC) + timedelta(hours=1)
        return 201, {
            "token": fresh,
            "expires_at": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "permissions": body["permissions"],
            "repository_selection": "selected",
            "repositories": [{"id": key, "full_name": self.repositories[key]} for key in wanted],
        }

    def give_person_token(self, *, token: str, body: Any) -> Answer:
        is_ours = (body["client_id"], body["client_secret"]) == (CLIENT_ID, CLIENT_SECRET)
        person = self.codes.pop(body["code"], None)
        if person is None or not is_ours or not body["code_verifier"]:
            return 200, {"error": "bad_verification_code", "error_description": "It is wrong."}
        return 200, {"access_token": person, "token_type": "bearer", "scope": ""}

    def show_person(self, *, token: str, body: Any) -> Answer:
        if token not in self.people:
            return UNAUTHORIZED
        number, login = self.people[token]
        return 200, {"id": number, "login": login}

    def list_installations(self, *, token: str, body: Any) -> Answer:
        rows = [{"id": key} for key in self.installations if self._readable(key, token)]
        return 200, {"total_count": len(rows), "installations": rows}

    def list_repositories(self, installation: str, *, token: str, body: Any) -> Answer:
        rows = self._readable(int(installation), token)
        return 200, {"total_count": len(rows), "repositories": rows}

    def show_permission(self, name: str, login: str, *, token: str, body: Any) -> Answer:
        if not self.may_read(token, name):
            return MISSING
        numbers = {of_login: number for number, of_login in self.people.values()}
        if login not in numbers:
            return MISSING
        right = self.rights.get((name, login), "none")
        user = {"id": numbers[login], "login": login}
        return 200, {"permission": right, "role_name": right, "user": user}

    def make_check_run(self, name: str, *, token: str, body: Any) -> Answer:
        if not self.may_read(token, name) or token not in self.writers:
            return 403, {"message": "Resource not accessible by integration"}
        run = {"id": 9000 + len(self.check_runs), "annotations": [], **body}
        return self._check_run(run, body) if self._takes() else BAD_GATEWAY

    def change_check_run(self, name: str, key: str, *, token: str, body: Any) -> Answer:
        run = next((run for run in self.check_runs if run["id"] == int(key)), None)
        if run is None or not self.may_read(token, name) or token not in self.writers:
            return MISSING
        return self._check_run(run, body) if self._takes() else BAD_GATEWAY

    def _takes(self) -> bool:
        self.failing -= 1
        return self.failing < 0

    def _check_run(self, run: dict[str, Any], body: Any) -> Answer:
        """Store a run as GitHub does: annotations are added, and an ended run has a conclusion."""
        rows = body.get("output", {}).get("annotations", [])
        is_whole = (
            body.get("status", run["status"]) == "completed" and "conclusion" not in run | body
        )
        if len(rows) > MOST_ANNOTATIONS or is_whole:
            return 422, {"message": "Invalid request."}
        run.update(body)
        run["annotations"] = [*run["annotations"], *rows]
        if run not in self.check_runs:
            self.check_runs.append(run)
        return 200, {"id": run["id"], "status": run["status"]}

    def _readable(self, installation: int, token: str) -> list[dict[str, Any]]:
        _, login = self.people.get(token, (0, ""))
        names = {key: self.repositories[key] for key in self.installations.get(installation, ())}
        return [
            {"id": key, "full_name": name}
            for key, name in sorted(names.items())
            if self.rights.get((name, login), "none") != "none"
        ]


def _beyond(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: [] if isinstance(value, list) else value for name, value in answer.items()}


ROUTES = {
    r"GET /orgs/([^/]+)/installation": "show_organization_installation",
    r"GET /orgs/([^/]+)/memberships/([^/]+)": "show_membership",
    r"GET /user/(\d+)": "show_account",
    r"GET /repos/([^/]+/[^/]+)": "show_repository",
    r"POST /repos/([^/]+/[^/]+)/generate": "generate",
    r"PUT /repos/(.+)/collaborators/([^/]+)": "invite",
    r"GET /repos/(.+)/collaborators/([^/]+)": "show_collaborator",
    r"POST /app/installations/(\d+)/access_tokens": "give_token",
    r"POST /login/oauth/access_token": "give_person_token",
    r"GET /user": "show_person",
    r"GET /user/installations": "list_installations",
    r"GET /user/installations/(\d+)/repositories": "list_repositories",
    r"POST /repos/(.+)/check-runs": "make_check_run",
    r"PATCH /repos/(.+)/check-runs/(\d+)": "change_check_run",
    r"GET /repos/(.+)/collaborators/([^/]+)/permission": "show_permission",
}


@contextmanager
def serve_github() -> Iterator[GithubServer]:
    """Serve an empty GitHub while the block runs."""
    github = GithubServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            github.respond(self)

        do_PATCH = do_GET  # noqa: N815 -- the library's own name
        do_PUT = do_GET  # noqa: N815 -- the library's own name
        do_POST = do_GET  # noqa: N815 -- the library's own name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's own name
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        github.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        try:
            yield github
        finally:
            server.shutdown()


def app_settings(url: str) -> dict[str, Any]:
    """Return the settings of a site whose App belongs to the GitHub at this address."""
    return {
        "GITHUB_APP": (APP_ID, SLUG, app_key_pem(), CLIENT_ID, CLIENT_SECRET),
        "GITHUB_APP_URL": url,
        "GITHUB_APP_API": f"{url}/api/v3",
    }
