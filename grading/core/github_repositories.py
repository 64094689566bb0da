"""Repositories that the site's GitHub App makes in an organization, and the people it invites.

The App needs there: administration, to make repositories and invite people; contents, to read the
template; members, to see that whoever sets this up owns the organization.
Shapes: https://docs.github.com/rest/repos and https://docs.github.com/rest/collaborators.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from grading.core.errors import GithubFailed
from grading.core.github_app import NOT_OURS, app_token, call, github_app

NEEDED = {"administration": "write", "contents": "read", "members": "read", "metadata": "read"}
REMOVED = "The GitHub App was removed from this organization, or suspended there."
# Renamed (301), deleted or out of reach (404): what answers is not the repository that was meant.
_NO_REPOSITORY = ("github_repository_gone", "GitHub shows no such repository to the App.")
GONE = {301: _NO_REPOSITORY, 404: _NO_REPOSITORY}


@dataclass(frozen=True, slots=True)
class Installation:
    """The App in an organization; `lacks` are the permissions that it has not been given there."""

    id: int
    login: str
    is_suspended: bool
    lacks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FullRepository:
    """Repository as GitHub shows it to the App."""

    id: int
    full_name: str
    url: str
    is_template: bool
    description: str


def installation_in(login: str) -> Installation:
    """Return the App's installation in an organization. Raises GithubFailed github_not_installed."""
    answer = call(
        "GET",
        f"/orgs/{quote(login, safe='')}/installation",
        token=app_token(github_app()),
        refusals={
            401: ("github_app_refused", NOT_OURS),
            404: ("github_not_installed", "The GitHub App is not installed there."),
        },
    )
    given: Mapping[str, str] = answer["permissions"]
    levels = ("read", "write", "admin")
    lacks = [
        f"{name}: {level}"
        for name, level in NEEDED.items()
        if given.get(name) not in levels[levels.index(level) :]
    ]
    return Installation(
        id=answer["id"],
        login=answer["account"]["login"],
        is_suspended=answer.get("suspended_at") is not None,
        lacks=tuple(lacks),
    )


def organization_token(installation_id: int) -> str:
    """Return a token for all that the App may do in an organization to make repositories.

    A repository that does not exist yet cannot be named, so that this token is not limited to any.
    Only an installation that one of its owners set up here is asked. Raises GithubFailed.
    """
    gone = ("github_installation_gone", REMOVED)
    answer = call(
        "POST",
        f"/app/installations/{installation_id}/access_tokens",
        token=app_token(github_app()),
        json={"permissions": NEEDED},
        refusals={401: ("github_app_refused", NOT_OURS), 403: gone, 404: gone, 422: gone},
    )
    token: str = answer["token"]
    return token


def is_owner(token: str, login: str, person: str) -> bool:
    """Return whether a person owns the organization, as GitHub says today."""
    try:
        answer = call(
            "GET",
            f"/orgs/{quote(login, safe='')}/memberships/{quote(person, safe='')}",
            token=token,
            refusals={404: ("github_no_member", ""), 403: ("github_no_member", "")},
        )
    except GithubFailed as failure:
        if failure.code == "github_no_member":
            return False
        raise
    return (answer["role"], answer["state"]) == ("admin", "active")


def login_of(token: str, account_id: int) -> str:
    """Return the login that an account has today: it may change, and then belong to another."""
    gone = {404: ("github_person_gone", "GitHub knows this account no more.")}
    login: str = call("GET", f"/user/{account_id}", token=token, refusals=gone)["login"]
    return login


def repository_at(token: str, full_name: str) -> FullRepository:
    """Return a repository. Raises GithubFailed github_repository_gone."""
    return _repository(call("GET", f"/repos/{quote(full_name)}", token=token, refusals=GONE))


def generate(
    token: str, *, template: str, owner: str, name: str, description: str, is_private: bool
) -> FullRepository:
    """Make a repository of a template.

    Raises GithubFailed: github_name_refused for a name that exists, github_refused.
    """
    answer = call(
        "POST",
        f"/repos/{quote(template)}/generate",
        token=token,
        json={"owner": owner, "name": name, "description": description, "private": is_private},
        refusals={
            403: ("github_refused", "GitHub does not let the App make a repository there."),
            404: ("github_refused", "GitHub shows the App no such template."),
            422: ("github_name_refused", "GitHub does not take this name."),
        },
    )
    return _repository(answer)


def invite(token: str, full_name: str, person: str, permission: str) -> str:
    """Invite a person to a repository; return the invitation's address, "" for who is in already.

    Raises GithubFailed github_invitation_refused.
    """
    refusal = ("github_invitation_refused", "GitHub did not invite this account.")
    answer = call(
        "PUT",
        f"/repos/{quote(full_name)}/collaborators/{quote(person, safe='')}",
        token=token,
        json={"permission": permission},
        refusals=dict.fromkeys((403, 404, 422), refusal),
    )
    return "" if answer is None else str(answer["html_url"])


def is_collaborator(token: str, full_name: str, person: str) -> bool:
    """Return whether a person has accepted, or has the right otherwise."""
    path = f"/repos/{quote(full_name)}/collaborators/{quote(person, safe='')}"
    try:
        call("GET", path, token=token, refusals={404: ("github_no_collaborator", "")})
    except GithubFailed as failure:
        if failure.code == "github_no_collaborator":
            return False
        raise
    return True


def _repository(answer: Mapping[str, Any]) -> FullRepository:
    return FullRepository(
        id=answer["id"],
        full_name=answer["full_name"],
        url=answer["html_url"],
        is_template=bool(answer.get("is_template")),
        description=answer.get("description") or "",
    )
