"""Push events as GitHub, GitLab, Gitea and Forgejo send them, read as one type."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from grading.core.enums import Forge
from grading.core.errors import PushIgnored

# Gitea and Forgejo send GitHub's, too.
EVENT_HEADERS = {
    "X-Gitlab-Event": Forge.GITLAB,
    "X-Forgejo-Event": Forge.GITEA,
    "X-Gitea-Event": Forge.GITEA,
    "X-GitHub-Event": Forge.GITHUB,
}
PUSH_EVENTS = {"push", "Push Hook"}
DELIVERY_HEADERS = (
    "X-GitHub-Delivery",
    "X-Forgejo-Delivery",
    "X-Gitea-Delivery",
    "webhook-id",
    "Idempotency-Key",
    "X-Gitlab-Event-UUID",
)
LONGEST_ID = 200
BRANCHES, TAGS = "refs/heads/", "refs/tags/"
_COMMIT = re.compile(r"[0-9a-f]{40}")
NO_COMMIT = "0" * 40

Text = Annotated[str, Field(max_length=1000)]


class _Repository(BaseModel):
    id: int | None = None
    clone_url: Text = ""
    # GitHub writes a number in pushes, and text elsewhere.
    pushed_at: int | str | None = None


class _Project(BaseModel):
    git_http_url: Text = ""


class _Installation(BaseModel):
    id: int


class _Payload(BaseModel):
    ref: Text
    before: Text = ""
    after: Text
    deleted: bool = False
    repository: _Repository = _Repository()
    project: _Project | None = None
    installation: _Installation | None = None


@dataclass(frozen=True, slots=True)
class PushEvent:
    """Push to a branch. `told_at` is the host's time, None where it names none.

    `repository_id` and `installation_id` are GitHub's.
    """

    forge: Forge
    delivery: str
    body_sha256: str
    branch: str
    before: str
    commit: str
    address: str
    told_at: datetime | None
    repository_id: int | None
    installation_id: int | None


def read_push(headers: Mapping[str, str], body: bytes) -> PushEvent:
    """Return the push that a signed request is about.

    Raises PushIgnored: push_other_event, push_unreadable, push_tag, push_deleted.
    """
    named = next((name for name in EVENT_HEADERS if name in headers), "")
    if headers.get(named) not in PUSH_EVENTS:
        raise PushIgnored("push_other_event", "The event is no push to a branch.")
    try:
        payload = _Payload.model_validate_json(body)
    except ValidationError:
        raise PushIgnored("push_unreadable", "The body is no push as hosts send it.") from None
    if payload.ref.startswith(TAGS):
        raise PushIgnored("push_tag", "A tag was pushed.")
    if payload.deleted or payload.after == NO_COMMIT:
        raise PushIgnored("push_deleted", "The branch was deleted.")
    if not (payload.ref.startswith(BRANCHES) and _COMMIT.fullmatch(payload.after)):
        raise PushIgnored("push_unreadable", "The body names no branch and commit.")
    digest = hashlib.sha256(body).hexdigest()
    project = payload.project
    return PushEvent(
        forge=EVENT_HEADERS[named],
        delivery=next((headers[name] for name in DELIVERY_HEADERS if headers.get(name)), digest)[
            :LONGEST_ID
        ],
        body_sha256=digest,
        branch=payload.ref.removeprefix(BRANCHES),
        before=payload.before if _COMMIT.fullmatch(payload.before) else "",
        commit=payload.after,
        address=project.git_http_url if project else payload.repository.clone_url,
        told_at=_time(payload.repository.pushed_at),
        repository_id=payload.repository.id,
        installation_id=payload.installation.id if payload.installation else None,
    )


def _time(value: int | str | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(value, UTC) if isinstance(value, int) else None
    except (ValueError, OverflowError, OSError):
        return None
