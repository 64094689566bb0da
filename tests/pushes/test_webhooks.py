"""What of the webhooks of code hosts is stored as a push: signed over HTTP, as GitHub, GitLab and Gitea do."""

from __future__ import annotations

import json
import time
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from grading.core.crypto import seal
from grading.core.enums import PushState
from grading.models import Push
from grading.notifications.webhook_signatures import signed_headers
from grading.submissions.pushes import hook_views
from grading.submissions.pushes.links import SEAL
from tests.factories.people import everywhere
from tests.factories.pushes import (
    BEFORE,
    COMMIT,
    SECRET,
    encoded,
    github_headers,
    github_payload,
    gitlab_payload,
    hex_digest,
    link_of,
)
from tests.factories.repository_accesses import app_access_of

pytestmark = pytest.mark.django_db
OTHER = "a" * 40


def stored() -> list[str]:
    with everywhere():
        return list(Push.objects.order_by("pk").values_list("commit", flat=True))


def reasons(logs: Any) -> list[str]:
    return [row["reason"] for row in logs if row["event"] == "push_ignored"]


def gitea_headers(body: bytes, secret: str = SECRET) -> dict[str, str]:
    digest = hex_digest(body, secret)
    return {
        "X-Gitea-Event": "push",
        "X-GitHub-Event": "push",
        "X-Gitea-Delivery": str(uuid4()),
        "X-Gitea-Signature": digest,
        "X-Hub-Signature-256": f"sha256={digest}",
    }


def gitlab_token(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {
        "X-Gitlab-Event": "Push Hook",
        "X-Gitlab-Event-UUID": str(uuid4()),
        "X-Gitlab-Token": secret,
    }


def gitlab_signed(body: bytes, secret: str = SECRET, *, at: int | None = None) -> dict[str, str]:
    now = int(time.time()) if at is None else at
    return {"X-Gitlab-Event": "Push Hook", **signed_headers(body, str(uuid4()), now, [secret])}


FORMS = {
    "github": (github_payload, github_headers),
    "gitea": (github_payload, gitea_headers),
    "gitlab token": (gitlab_payload, gitlab_token),
    "gitlab signature": (gitlab_payload, gitlab_signed),
}


@pytest.mark.parametrize("form", FORMS)
def test_push_of_each_host_is_stored(deliver, link, address, form):
    payload, headers = FORMS[form]
    body = encoded(payload(clone_url=address))
    assert deliver(f"/hooks/{link.key}/", body, headers(body)) == 202
    assert stored() == [COMMIT]


@pytest.mark.parametrize("form", FORMS)
def test_push_with_another_secret_is_refused_as_for_an_unknown_link(deliver, link, address, form):
    payload, headers = FORMS[form]
    body = encoded(payload(clone_url=address))
    wrong = headers(body, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    with capture_logs() as logs:
        assert deliver(f"/hooks/{link.key}/", body, wrong) == 401
        assert deliver(f"/hooks/{uuid4()}/", body, wrong) == 401
        assert deliver(f"/hooks/{uuid4()}/", body, headers(body)) == 401
    assert (reasons(logs), stored()) == (["push_unsigned"] * 3, [])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Hub-Signature-256": ""},
        {"X-Hub-Signature": "sha1=0"},
        {"X-Hub-Signature-256": "sha256=é"},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,", "webhook-timestamp": "9" * 30},
        {"X-Gitlab-Token": ""},
    ],
)
def test_push_without_a_right_signature_is_refused(deliver, link, address, headers):
    body = encoded(github_payload(clone_url=address))
    coded = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    assert deliver(f"/hooks/{link.key}/", body, {"X-GitHub-Event": "push", **coded}) == 401
    assert stored() == []


def test_one_right_signature_does_not_save_a_wrong_one(deliver, link, address):
    body = encoded(github_payload(clone_url=address))
    mixed = github_headers(body) | {"X-Gitlab-Token": "wrong"}
    assert deliver(f"/hooks/{link.key}/", body, mixed) == 401
    assert stored() == []


def test_signature_of_another_body_is_refused(deliver, link, address):
    body = encoded(github_payload(clone_url=address))
    changed = encoded(github_payload(clone_url=address, commit=OTHER))
    assert deliver(f"/hooks/{link.key}/", changed, github_headers(body)) == 401


def test_old_signature_with_a_time_is_refused(deliver, link, address):
    body = encoded(gitlab_payload(clone_url=address))
    assert deliver(f"/hooks/{link.key}/", body, gitlab_signed(body, at=1_700_000_000)) == 401


def test_secret_of_one_link_opens_no_other(deliver, link, assignment, ben, address):
    other = link_of(assignment, ben, sealed_secret=seal("whsec_b3RoZXI=", purpose=SEAL))
    body = encoded(github_payload(clone_url=address))
    assert deliver(f"/hooks/{other.key}/", body, github_headers(body)) == 401


def test_body_over_the_limit_is_refused_before_its_signature(deliver, link, monkeypatch):
    monkeypatch.setattr(hook_views, "MOST_BYTES", 100)
    body = b"x" * 101
    assert deliver(f"/hooks/{link.key}/", body, github_headers(body)) == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"ref": 1}', b"[" * 5000])
def test_signed_body_that_is_no_push_is_refused(deliver, link, body):
    assert deliver(f"/hooks/{link.key}/", body, github_headers(body)) == 400


IGNORED: dict[str, tuple[dict[str, Any], str]] = {
    "branch": ({"ref": "refs/heads/other"}, "push_elsewhere"),
    "repository": ({"clone_url": "http://127.0.0.1/course/ben.git"}, "push_elsewhere"),
    "no repository": ({"clone_url": ""}, "push_elsewhere"),
    "tag": ({"ref": "refs/tags/main"}, "push_tag"),
    "deletion": ({"deleted": True}, "push_deleted"),
    "deletion by its commit": ({"commit": BEFORE}, "push_deleted"),
}


@pytest.mark.parametrize("case", IGNORED)
def test_push_that_is_about_something_else_is_ignored(deliver, link, address, case):
    fields, reason = IGNORED[case]
    body = encoded(github_payload(**{"clone_url": address} | fields))
    with capture_logs() as logs:
        assert deliver(f"/hooks/{link.key}/", body, github_headers(body)) == 202
    assert (reasons(logs), stored()) == ([reason], [])


def test_other_event_is_ignored(deliver, link):
    body = encoded({"zen": "Design for failure."})
    headers = github_headers(body) | {"X-GitHub-Event": "ping"}
    assert (deliver(f"/hooks/{link.key}/", body, headers), stored()) == (202, [])


def test_replayed_delivery_is_one_push(deliver, link, address):
    body = encoded(github_payload(clone_url=address))
    headers = github_headers(body)
    with capture_logs() as logs:
        answers = [deliver(f"/hooks/{link.key}/", body, headers) for _ in range(2)]
        # The id is not signed: a forger may choose another.
        answers.append(deliver(f"/hooks/{link.key}/", body, github_headers(body)))
    assert (answers, reasons(logs), stored()) == ([202] * 3, ["push_replayed"] * 2, [COMMIT])


def test_branch_that_was_moved_back_is_pushed_again(deliver, link, address):
    for before, commit in ((BEFORE, COMMIT), (COMMIT, OTHER), (OTHER, COMMIT), (COMMIT, OTHER)):
        body = encoded(github_payload(clone_url=address, commit=commit, before=before))
        deliver(f"/hooks/{link.key}/", body, github_headers(body))
    assert stored() == [COMMIT, OTHER, COMMIT, OTHER]


def test_get_is_no_webhook(deliver, link):
    assert deliver(f"/hooks/{link.key}/", b"", {}, method="GET") == 405


def test_too_many_webhooks_of_a_link_are_refused(deliver, link, address, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"push_hook_link": "1/m/key"}
    bodies = [encoded(github_payload(clone_url=address, commit=c * 40)) for c in "ab"]
    answers = [deliver(f"/hooks/{link.key}/", body, github_headers(body)) for body in bodies]
    assert answers == [202, 429]


# -- the GitHub App --------------------------------------------------------------------------------


@pytest.fixture
def app_link(assignment, ada, host, settings):
    settings.GITHUB_APP_WEBHOOK_SECRET = SECRET
    access = app_access_of(ada, host=host, path="private/course/ada")
    place = {"host": host, "path": access.path, "sealed_secret": ""}
    return link_of(assignment, ada, access=access, repository_id=1, **place)


def app_push(installation: int = 7, repository: int = 1, **fields: Any) -> bytes:
    return encoded(
        github_payload(
            repository={"id": repository, "pushed_at": 1557933657},
            installation={"id": installation},
            **fields,
        )
    )


def test_push_by_the_app_reaches_its_link(deliver, app_link):
    body = app_push()
    assert deliver("/hooks/github/", body, github_headers(body)) == 202
    with everywhere():
        push = Push.objects.get()
    assert (push.link_id, push.state, int(push.pushed_at.timestamp())) == (
        app_link.pk,
        PushState.WAITING,
        # GitHub's own time, not that of its commit.
        1557933657,
    )


@pytest.mark.parametrize("names", [{"installation": 8}, {"repository": 2}])
def test_push_by_the_app_elsewhere_reaches_nobody(deliver, app_link, names):
    body = app_push(**names)
    assert (deliver("/hooks/github/", body, github_headers(body)), stored()) == (202, [])


def test_app_without_a_webhook_secret_takes_nothing(deliver, app_link, settings):
    settings.GITHUB_APP_WEBHOOK_SECRET = ""
    body = app_push()
    for secret in ("", hook_views.NO_SECRET):
        assert deliver("/hooks/github/", body, github_headers(body, secret)) == 401


def test_secret_of_a_link_signs_nothing_for_the_app(deliver, link, app_link_of_ben, settings):
    settings.GITHUB_APP_WEBHOOK_SECRET = "another"
    body = app_push()
    assert (deliver("/hooks/github/", body, github_headers(body)), stored()) == (401, [])


@pytest.fixture
def app_link_of_ben(assignment, ben, host):
    access = app_access_of(ben, host=host, path="private/course/ben", repository_id=1)
    return link_of(assignment, ben, access=access, repository_id=1, sealed_secret="")


def test_log_and_answers_hold_no_secret(deliver, link, address):
    with capture_logs() as logs:
        body = encoded(github_payload(clone_url=address))
        deliver(f"/hooks/{link.key}/", body, gitlab_token(body) | {"X-GitHub-Event": "push"})
        deliver(f"/hooks/{link.key}/", body, gitlab_token(body, SECRET + "x"))
    assert SECRET not in json.dumps(logs, default=str)
