"""Linked branches, and webhooks as code hosts send and sign them.

The GitHub payload has the shape of the push examples of @octokit/webhooks-examples.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any
from uuid import uuid4

from django.utils import timezone

from grading.core.crypto import seal
from grading.core.enums import Forge, PushAnswer
from grading.models import Assignment, Enrollment, Push, PushLink
from grading.submissions.pushes.links import SEAL
from tests.factories.people import TenantFactory

SECRET = "whsec_Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5LWNhbmE="
COMMIT, BEFORE = "6113728f27ae82c7b1a177c8d03f9e96e0adf246", "0" * 40


class PushLinkFactory(TenantFactory):
    """Link with a secret of its own."""

    class Meta:
        model = PushLink

    host = "git.example.org"
    path = "ada/project"
    address = "https://git.example.org/ada/project"
    branch = "main"
    answer = PushAnswer.FULL


class PushFactory(TenantFactory):
    class Meta:
        model = Push

    commit = COMMIT
    forge = Forge.GITHUB


def link_of(assignment: Assignment, student: Enrollment, **fields: Any) -> PushLink:
    made: PushLink = PushLinkFactory.create(
        organization=assignment.organization,
        assignment=assignment,
        student=student,
        owner=student.user,
        **{"sealed_secret": seal(SECRET, purpose=SEAL)} | fields,
    )
    return made


def push_of(link: PushLink, **fields: Any) -> Push:
    now = timezone.now()
    times = {"pushed_at": now, "first_at": now, "created_at": now, "next_at": now}
    values = times | {"delivery": uuid4().hex, "body_sha256": uuid4().hex} | fields
    made: Push = PushFactory.create(organization=link.organization, link=link, **values)
    return made


def github_payload(
    *,
    clone_url: str = "https://git.example.org/ada/project.git",
    commit: str = COMMIT,
    before: str = BEFORE,
    ref: str = "refs/heads/main",
    **more: Any,
) -> dict[str, Any]:
    """A push as GitHub sends it, as far as programs read it; `more` changes the top level."""
    repository = {
        "id": 186853002,
        "node_id": "MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=",
        "name": "project",
        "full_name": "ada/project",
        "private": False,
        "owner": {"name": "ada", "login": "ada", "id": 21031067, "type": "User"},
        "html_url": clone_url.removesuffix(".git"),
        "clone_url": clone_url,
        "created_at": 1557933565,
        "pushed_at": 1557933657,
        "default_branch": "main",
    }
    payload = {
        "ref": ref,
        "before": before,
        "after": commit,
        "repository": repository | more.pop("repository", {}),
        "pusher": {"name": "ada", "email": "ada@example.org"},
        "sender": {"login": "ada", "id": 21031067, "type": "User"},
        "created": before == BEFORE,
        "deleted": False,
        "forced": False,
        "base_ref": None,
        "compare": f"{clone_url.removesuffix('.git')}/compare/{commit[:12]}",
        "commits": [],
        "head_commit": {"id": commit, "timestamp": "1999-01-01T00:00:00Z"},
    }
    return payload | more


def gitlab_payload(**fields: Any) -> dict[str, Any]:
    payload = github_payload(**fields)
    address = payload["repository"]["clone_url"]
    return {
        "object_kind": "push",
        "event_name": "push",
        "ref": payload["ref"],
        "before": payload["before"],
        "after": payload["after"],
        "checkout_sha": payload["after"],
        "project_id": 15,
        "project": {"id": 15, "git_http_url": address, "path_with_namespace": "ada/project"},
        "repository": {"name": "project", "git_http_url": address},
        "commits": [],
        "total_commits_count": 0,
    }


def encoded(payload: Any) -> bytes:
    return json.dumps(payload).encode()


def hex_digest(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def github_headers(body: bytes, secret: str = SECRET, *, delivery: str = "") -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": delivery or str(uuid4()),
        "X-Hub-Signature-256": f"sha256={hex_digest(body, secret)}",
    }
