"""Commit statuses of GitHub, GitLab, Gitea and Forgejo, by the student's token for the repository.

A status knows no neutral end: "success" says that the audit has ended, and its words say the rest.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import quote

from grading.core.crypto import unseal
from grading.core.enums import AccessKind, Forge
from grading.core.errors import AnswerRefused, SealBrokenError, WebhookRefused
from grading.engine import repository_addresses
from grading.engine.pinned_requests import exchange
from grading.engine.repository_access import SEAL
from grading.models import Push, PushLink, RepositoryAccess
from grading.submissions.pushes.answer_texts import CommitAnswer

MOST_BYTES, LONGEST = 10_000, 140
STATES = {"queued": "pending", "in_progress": "pending", "completed": "success"}
GITLAB_STATES = {"queued": "pending", "in_progress": "running", "completed": "success"}
NO_ACCESS = "To answer on the commit we need your token for this repository, on “Repositories”."
NO_RIGHT = "Your token may not set commit statuses at {host}: it answered {status}."


class _Request(NamedTuple):
    url: str
    headers: dict[str, str]
    state: str
    name: str


def send_status(push: Push, answer: CommitAnswer) -> None:
    """Set the status of the pushed commit. Raises AnswerRefused."""
    access = _token_of(push.link)
    if access is None:
        raise AnswerRefused("answer_without_token", NO_ACCESS, is_final=True)
    try:
        token = unseal(access.sealed_secret, purpose=SEAL)
        request = _request(push, answer, token)
        pinned = repository_addresses.pinned(request.url)
    except (SealBrokenError, WebhookRefused) as refusal:
        raise AnswerRefused(refusal.code, refusal.sentence, is_final=True) from None
    name = f"Automaton Auditor: {push.link.assignment.slug}"
    body = {
        "state": request.state,
        "target_url": answer.url,
        "description": f"{answer.title}. {answer.summary}"[:LONGEST],
        request.name: name,
    }
    headers = {"Content-Type": "application/json", "User-Agent": "Automaton-Auditor"}
    reply = exchange(
        pinned,
        "POST",
        body=json.dumps(body).encode(),
        headers=headers | request.headers,
        most_bytes=MOST_BYTES,
    )
    _check(reply.status, reply.error, push.link)


def _token_of(link: PushLink) -> RepositoryAccess | None:
    """Return the own token of the student who linked the repository, never one of others."""
    rows = RepositoryAccess.objects.filter(
        kind=AccessKind.TOKEN, student=link.student, owner=link.owner_id, host=link.host
    )
    return rows.filter(path__iexact=link.path).order_by("-pk").first()


def _request(push: Push, answer: CommitAnswer, token: str) -> _Request:
    link = push.link
    site = f"{link.address.partition('://')[0]}://{link.host}"
    match push.forge:
        case Forge.GITLAB:
            state = GITLAB_STATES[answer.status]
            if answer.conclusion == "cancelled":
                state = "canceled"
            path = f"/api/v4/projects/{quote(link.path, safe='')}/statuses/{push.commit}"
            return _Request(f"{site}{path}", {"PRIVATE-TOKEN": token}, state, "name")
        case Forge.GITEA:
            site, scheme = f"{site}/api/v1", "token"
        case _:
            # Of github.com, the only host with another one; an Enterprise Server has it below itself.
            is_public = link.host == "github.com"
            site, scheme = ("https://api.github.com" if is_public else f"{site}/api/v3"), "Bearer"
    state = "error" if answer.conclusion == "cancelled" else STATES[answer.status]
    path = f"/repos/{quote(link.path)}/statuses/{push.commit}"
    return _Request(f"{site}{path}", {"Authorization": f"{scheme} {token}"}, state, "context")


def _check(status: int | None, error: str, link: PushLink) -> None:
    if status is not None and HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return
    if status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in (408, 429):
        sentence = error or f"{link.host} answered {status}."
        raise AnswerRefused("answer_not_taken", sentence, is_final=False)
    sentence = NO_RIGHT.format(host=link.host, status=status)
    raise AnswerRefused("answer_refused", sentence, is_final=True)
