"""The site's GitHub App over real HTTP: limited tokens, who a person is, and each refusal by its code."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import override_settings

from grading.core import github_app
from grading.core.errors import GithubFailed
from tests.factories.github_server import (
    CLIENT_ID,
    CLIENT_SECRET,
    GithubServer,
    app_key_pem,
    app_settings,
    serve_github,
)

BACK = "https://audits.example/github/callback/"


@pytest.fixture(scope="module")
def running() -> Iterator[GithubServer]:
    with serve_github() as server:
        yield server


@pytest.fixture
def github(running: GithubServer) -> Iterator[GithubServer]:
    """Ada's repository 1 and Ben's repository 2, both chosen in the installation 7 of a course."""
    running.installations = {7: {1, 2}}
    running.repositories = {1: "course/ada", 2: "course/ben", 3: "course/exam"}
    running.people = {"ada-token": (100, "ada"), "ben-token": (200, "ben")}
    running.rights = {("course/ada", "ada"): "write", ("course/ben", "ben"): "write"}
    running.codes = {"a code": "ada-token"}
    running.suspended, running.tokens = set(), {}
    running.requests.clear()
    running.headers.clear()
    with override_settings(**app_settings(running.url)):
        yield running


def refusal(ask: Any, *arguments: Any, **more: Any) -> tuple[str, int | None]:
    with pytest.raises(GithubFailed) as failure:
        ask(*arguments, **more)
    assert failure.value.__cause__ is None
    return failure.value.code, failure.value.status


def test_site_without_an_app_says_so():
    assert refusal(github_app.github_app) == ("github_app_off", None)


def test_token_of_an_installation_opens_the_chosen_repository_alone(github):
    token = github_app.installation_token(7, repositories=[1])
    assert (token.repositories, token.expires_at.tzinfo is not None) == ({1: "course/ada"}, True)
    assert [github.may_read(token.token, name) for name in ("course/ada", "course/ben")] == [
        True,
        False,
    ]
    assert token.token not in repr(token)


def test_certificate_authorities_are_read_once_in_a_process(github, monkeypatch):
    github_app._authorities.cache_clear()
    read = mock.Mock(wraps=ssl.create_default_context)
    monkeypatch.setattr(ssl, "create_default_context", read)
    for _ in range(2):
        github_app.installation_token(7, repositories=[1])
    assert read.call_count == 1


def test_token_for_all_repositories_is_never_requested(github):
    with pytest.raises(ValueError, match="never"):
        github_app.installation_token(7, repositories=[])
    assert github.requests == []


def test_repository_that_was_not_chosen_is_gone(github):
    assert refusal(github_app.installation_token, 7, repositories=[3]) == (
        "github_repository_gone",
        422,
    )


def test_removed_and_suspended_installations_are_gone(github):
    assert refusal(github_app.installation_token, 8, repositories=[1]) == (
        "github_installation_gone",
        404,
    )
    github.suspended = {7}
    assert refusal(github_app.installation_token, 7, repositories=[1]) == (
        "github_installation_gone",
        403,
    )


def test_wrong_key_is_a_fault_of_the_site_and_not_of_the_installation(github, settings):
    wrong = app_key_pem().replace("A", "B")
    settings.GITHUB_APP = (*settings.GITHUB_APP[:2], wrong, *settings.GITHUB_APP[3:])
    assert refusal(github_app.installation_token, 7, repositories=[1])[0] == "github_app_refused"
    assert github.requests == []
    settings.GITHUB_APP = ("4712", settings.GITHUB_APP[1], app_key_pem(), CLIENT_ID, CLIENT_SECRET)
    assert refusal(github_app.installation_token, 7, repositories=[1]) == (
        "github_app_refused",
        401,
    )


def test_key_on_one_line_is_read(github, settings):
    line = app_key_pem().replace("\n", "\\n")
    settings.GITHUB_APP = (*settings.GITHUB_APP[:2], line, *settings.GITHUB_APP[3:])
    assert github_app.installation_token(7, repositories=[2]).repositories == {2: "course/ben"}


def test_person_is_shown_only_what_both_they_and_the_app_may_read(github):
    token = github_app.person_token(code="a code", verifier="v", redirect_uri=BACK)
    account = github_app.account_of(token)
    assert (account.id, account.login) == (100, "ada")
    assert [row.full_name for row in github_app.repositories_of(token)] == ["course/ada"]


def test_code_is_good_once(github):
    github_app.person_token(code="a code", verifier="v", redirect_uri=BACK)
    assert refusal(github_app.person_token, code="a code", verifier="v", redirect_uri=BACK) == (
        "github_code_refused",
        None,
    )


def test_page_of_consent_has_a_state_a_challenge_and_no_secret(github):
    address = github_app.authorize_url(state="s", verifier="v" * 43, redirect_uri=BACK)
    parameters = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert address.startswith(f"{github.url}/login/oauth/authorize?")
    assert (parameters["client_id"], parameters["state"], parameters["code_challenge_method"]) == (
        CLIENT_ID,
        "s",
        "S256",
    )
    assert ("v" * 43 in address, CLIENT_SECRET in address) == (False, False)


def test_right_of_a_person_names_their_id(github):
    token = github_app.installation_token(7, repositories=[1]).token
    assert github_app.permission_of(token, "course/ada", "ada") == ("write", 100)
    assert github_app.permission_of(token, "course/ada", "ben") == ("none", 200)
    assert refusal(github_app.permission_of, token, "course/ada", "nobody")[0] == (
        "github_person_gone"
    )


def test_redirect_does_not_take_the_token_to_another_host(github):
    with serve_github() as other:
        github.moved_to = other.url
        assert refusal(github_app.account_of, "ada-token") == ("github_unavailable", 301)
        github.moved_to = ""
    assert other.requests == []


def test_address_without_an_answer_is_unavailable(github, settings):
    settings.GITHUB_APP_API = f"{github.url}/nowhere"
    assert refusal(github_app.account_of, "ada-token") == ("github_unavailable", 404)


def test_silent_github_is_unavailable(github, settings):
    settings.GITHUB_APP_API = "http://127.0.0.1:1"
    assert refusal(github_app.account_of, "ada-token") == ("github_unavailable", None)


def test_no_secret_stands_in_an_address_or_in_the_log(github, caplog):
    with caplog.at_level(logging.DEBUG):
        token = github_app.person_token(code="a code", verifier="v", redirect_uri=BACK)
        list(github_app.repositories_of(token))
        given = github_app.installation_token(7, repositories=[1]).token
    written = caplog.text + " ".join(github.requests) + repr(github_app.github_app())
    secrets = (token, given, CLIENT_SECRET, "PRIVATE KEY")
    assert [secret for secret in secrets if secret in written] == []
    assert all(
        headers.get("X-GitHub-Api-Version", headers.get("x-github-api-version"))
        == github_app.API_VERSION
        for headers, path in zip(github.headers, github.requests, strict=True)
        if "/api/v3/" in path
    )


@pytest.mark.parametrize(
    "body", [b"[]", b"{}", b"null", b'{"permission": "read", "user": null}', b'{"token": 1}']
)
def test_answer_of_another_shape_is_unavailable(github, settings, body):
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 -- the library's name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,)).start()
        settings.GITHUB_APP_API = f"http://127.0.0.1:{server.server_port}"
        for ask in (
            lambda: github_app.installation_token(7, repositories=[1]),
            lambda: github_app.permission_of("token", "course/ada", "ada"),
            lambda: github_app.account_of("token"),
            lambda: list(github_app.repositories_of("token")),
        ):
            assert refusal(ask) == ("github_unavailable", None)
        server.shutdown()
