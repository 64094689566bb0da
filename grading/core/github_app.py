"""GitHub's API, asked as the site's GitHub App, as one of its installations, or as a person.

A token is asked for where it is used, for chosen repositories and permissions, and stored nowhere:
that of an installation ends within an hour, that of a person is forgotten with the request.
Shapes: https://docs.github.com/rest (version API_VERSION).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.utils import timezone

from grading.core.errors import GithubFailed

if TYPE_CHECKING:
    import ssl

    import httpx

API_VERSION = "2022-11-28"
SECONDS = 10.0
# GitHub takes at most ten minutes, and a clock may be behind.
JWT_LASTS, CLOCK_SKEW = timedelta(minutes=9), timedelta(minutes=1)
PER_PAGE, MOST_PAGES = 100, 10
READ_CONTENTS = {"contents": "read", "metadata": "read"}
OFF = "This site has no GitHub App. Its operator can set one up."
AWAY = "GitHub did not answer as expected. Try again in a few minutes."
NOT_OURS = "GitHub does not accept this site's GitHub App. Its operator has to look at it."
BUSY = "GitHub limits how much we may ask at present. We go on when it lets us."
# In seconds: GitHub asks for a minute where it names no time, and counts by the hour.
PAUSE, LONGEST_PAUSE = 60, 3600
MOST_WORDS = 300
CODE_REFUSED = "GitHub did not confirm who you are. Start again."


@dataclass(frozen=True, slots=True)
class GithubApp:
    """The App as GitHub knows it. `url` and `api` are GitHub's, without a closing slash."""

    app_id: str
    slug: str
    client_id: str
    url: str
    api: str
    private_key: str = field(repr=False)
    client_secret: str = field(repr=False)

    @property
    def host(self) -> str:
        return self.url.partition("://")[2]

    @property
    def install_url(self) -> str:
        """Return the page on which an account chooses the repositories that the App may read."""
        return f"{self.url}/apps/{self.slug}/installations/new"


@dataclass(frozen=True, slots=True)
class Account:
    """Person or organization on GitHub. The login may change, the id never does."""

    id: int
    login: str


@dataclass(frozen=True, slots=True)
class Repository:
    """Repository of an installation. `full_name` is owner/name today, the id stays."""

    id: int
    full_name: str
    installation_id: int


@dataclass(frozen=True, slots=True)
class InstallationToken:
    """Token of one installation; `repositories` are those it was limited to, by id."""

    token: str = field(repr=False)
    expires_at: datetime
    repositories: Mapping[int, str] = field(default_factory=dict)


def github_app() -> GithubApp:
    """Return the site's App. Raises GithubFailed github_app_off."""
    if not settings.GITHUB_APP:
        raise GithubFailed("github_app_off", OFF)
    app_id, slug, private_key, client_id, client_secret = settings.GITHUB_APP
    return GithubApp(
        app_id=app_id,
        slug=slug,
        client_id=client_id,
        url=settings.GITHUB_APP_URL,
        api=settings.GITHUB_APP_API,
        # A variable of one line has its line ends as two characters.
        private_key=private_key.replace("\\n", "\n"),
        client_secret=client_secret,
    )


@contextmanager
def expected_shape() -> Iterator[None]:
    """Take an answer of another shape for one that is none. Raises GithubFailed."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError):
        raise GithubFailed("github_unavailable", AWAY) from None


# -- the App and its installations -----------------------------------------------------------------


def app_token(app: GithubApp) -> str:
    """Return a JWT that says: this is the App. It lasts for minutes.

    Raises GithubFailed github_app_refused where the private key is none.
    """
    import jwt

    now = timezone.now()
    claims = {"iat": now - CLOCK_SKEW, "exp": now + JWT_LASTS, "iss": app.app_id}
    try:
        return jwt.encode(claims, _private_key(app.private_key), algorithm="RS256")
    except (jwt.PyJWTError, ValueError, TypeError):
        # Without the cause, which may quote the key.
        raise GithubFailed("github_app_refused", NOT_OURS) from None


@lru_cache(maxsize=1)
def _private_key(pem: str) -> Any:
    """Return the key of this text, which takes a hundred times as long to check as to sign with."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    return load_pem_private_key(pem.encode(), None)


def installation_token(
    installation_id: int,
    *,
    repositories: Sequence[int],
    permissions: Mapping[str, str] = READ_CONTENTS,
) -> InstallationToken:
    """Return a token for these repositories alone. Raises GithubFailed.

    github_installation_gone: the App was removed or suspended there; github_repository_gone: a
    repository is not among those that were chosen.
    """
    app = github_app()
    if not repositories:
        # Without ids GitHub gives a token for every repository of the installation.
        raise ValueError("a token for all repositories is never asked for")
    answer = call(
        "POST",
        f"/app/installations/{installation_id}/access_tokens",
        token=app_token(app),
        json={"repository_ids": list(repositories), "permissions": dict(permissions)},
        refusals={
            401: ("github_app_refused", NOT_OURS),
            403: ("github_installation_gone", "The GitHub App is suspended for this account."),
            404: ("github_installation_gone", "The GitHub App was removed from this account."),
            422: ("github_repository_gone", "The GitHub App may no longer read this repository."),
        },
    )
    with expected_shape():
        return InstallationToken(
            token=answer["token"],
            expires_at=datetime.fromisoformat(answer["expires_at"]),
            repositories={row["id"]: row["full_name"] for row in answer.get("repositories", [])},
        )


def permission_of(token: str, full_name: str, login: str) -> tuple[str, int]:
    """Return the right of a person to a repository, and the person's id.

    The right is admin, write, read or none. Raises GithubFailed github_person_gone.
    """
    answer = call(
        "GET",
        f"/repos/{quote(full_name)}/collaborators/{quote(login)}/permission",
        token=token,
        refusals={404: ("github_person_gone", f"GitHub knows no {login} any more.")},
    )
    # GitHub may name no user beside the right.
    with expected_shape():
        return answer["permission"], answer["user"]["id"]


# -- a person --------------------------------------------------------------------------------------


def authorize_url(*, state: str, verifier: str, redirect_uri: str) -> str:
    """Return GitHub's page on which a person confirms who they are. `verifier` is PKCE's."""
    app = github_app()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    query = {
        "client_id": app.client_id,
        "redirect_uri": redirect_uri,
        "state": state,
        "code_challenge": challenge.decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    return f"{app.url}/login/oauth/authorize?{urlencode(query)}"


def person_token(*, code: str, verifier: str, redirect_uri: str) -> str:
    """Return the token of the person who brought the code.

    Raises GithubFailed github_code_refused for a code that is old, used or of another site.
    """
    app = github_app()
    answer = call(
        "POST",
        f"{app.url}/login/oauth/access_token",
        json={
            "client_id": app.client_id,
            "client_secret": app.client_secret,
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect_uri,
        },
    )
    token = answer.get("access_token") if isinstance(answer, dict) else None
    # GitHub answers 200 with an error to a wrong code.
    if not isinstance(token, str) or not token:
        raise GithubFailed("github_code_refused", CODE_REFUSED)
    return token


def account_of(token: str) -> Account:
    answer = call("GET", "/user", token=token)
    with expected_shape():
        return Account(id=answer["id"], login=answer["login"])


def repositories_of(token: str) -> Iterator[Repository]:
    """Yield the repositories that the person *and* the App may read, of all installations."""
    for installation in _pages("/user/installations", "installations", token):
        path = f"/user/installations/{installation['id']}/repositories"
        for row in _pages(path, "repositories", token):
            yield Repository(row["id"], row["full_name"], installation["id"])


def _pages(path: str, name: str, token: str) -> Iterator[dict[str, Any]]:
    for page in range(1, MOST_PAGES + 1):
        answer = call("GET", f"{path}?per_page={PER_PAGE}&page={page}", token=token)
        with expected_shape():
            rows, number = list(answer[name]), int(answer["total_count"])
        yield from rows
        if page * PER_PAGE >= number:
            return


# -- one request -----------------------------------------------------------------------------------


def call(
    method: str,
    path: str,
    *,
    token: str = "",
    json: Any = None,
    refusals: Mapping[int, tuple[str, str]] | None = None,
) -> Any:
    """Return the JSON that GitHub answers. `path` is below the API, or a whole address.

    A rate limit raises github_rate_limited. `refusals` map a status to the code and the sentence of the
    GithubFailed that is raised. Any other answer that is no success raises github_unavailable. No redirect is followed: it could
    take the token to another host.
    """
    import httpx

    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": API_VERSION}
    if not path.startswith(("https://", "http://")):
        path = f"{github_app().api}{path}"
    else:
        headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        answer = httpx.request(
            method,
            path,
            headers=headers,
            json=json,
            verify=_authorities(),
            timeout=SECONDS,
            follow_redirects=False,
        )
        if answer.is_success:
            return answer.json() if answer.content else None
    # ValueError: an answer that is no JSON. Without the cause, whose request holds the token.
    except (httpx.HTTPError, ValueError):
        raise GithubFailed("github_unavailable", AWAY) from None
    if (pause := _pause_of(answer)) is not None:
        raise GithubFailed("github_rate_limited", BUSY, status=answer.status_code, pause=pause)
    code, sentence = (refusals or {}).get(answer.status_code, ("github_unavailable", AWAY))
    words = _words_of(answer)
    raise GithubFailed(code, sentence, status=answer.status_code, words=words)


@cache
def _authorities() -> ssl.SSLContext:
    """Return the certificate authorities, which httpx would read anew in 30 ms for each request."""
    import httpx

    return httpx.create_ssl_context()


def _pause_of(answer: httpx.Response) -> int | None:
    """Return the seconds for which GitHub wants no request, None where this is no rate limit.

    https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    """
    if answer.status_code not in (403, 429):
        return None
    after = answer.headers.get("retry-after", "")
    if after.isascii() and after.isdecimal():
        return min(int(after), LONGEST_PAUSE)
    if answer.headers.get("x-ratelimit-remaining") == "0":
        reset = answer.headers.get("x-ratelimit-reset", "")
        until = int(reset) if reset.isascii() and reset.isdecimal() else 0
        return min(max(until - int(timezone.now().timestamp()), PAUSE), LONGEST_PAUSE)
    is_limit = answer.status_code == 429 or "secondary rate limit" in _words_of(answer).lower()
    return PAUSE if is_limit else None


def _words_of(answer: httpx.Response) -> str:
    """Return what GitHub says to people, in one line, "" without a word."""
    try:
        body = answer.json()
    except ValueError:
        return ""
    if not isinstance(body, dict):
        return ""
    errors = body.get("errors")
    rows = [body.get("message"), *(errors if isinstance(errors, list) else [])]
    texts = [row.get("message") if isinstance(row, dict) else row for row in rows]
    words = dict.fromkeys(" ".join(text.split()) for text in texts if isinstance(text, str))
    return ". ".join(words)[:MOST_WORDS]
