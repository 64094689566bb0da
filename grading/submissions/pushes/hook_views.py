"""Addresses to which code hosts send webhooks. A signature takes the place of a session.

An answer tells nothing but whether the signature was right: an unknown link answers like a wrong
secret. Why a request submits nothing stands in the log.
"""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

import structlog
from allauth.core.internal import ratelimit
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from grading.core.bearer_access import push_link_of_hook, push_links_of_repository
from grading.core.crypto import unseal
from grading.core.errors import PushIgnored
from grading.models import PushLink
from grading.submissions.pushes.links import SEAL
from grading.submissions.pushes.payloads import PushEvent, read_push
from grading.submissions.pushes.receiving import receive_push
from grading.submissions.pushes.signatures import is_signed

# GitHub's largest is 25 MB; pushes of this size have a thousand commits.
MOST_BYTES = 5 * 2**20
# Compared where no secret is known, so that the answer takes as long.
NO_SECRET = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="  # noqa: S105 -- opens nothing
STATUSES = {
    "push_unsigned": HTTPStatus.UNAUTHORIZED,
    "push_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "push_too_many": HTTPStatus.TOO_MANY_REQUESTS,
    "push_unreadable": HTTPStatus.BAD_REQUEST,
}
log = structlog.get_logger(__name__)


@csrf_exempt
@never_cache
@require_POST
def of_link(request: HttpRequest, link_key: UUID) -> HttpResponse:
    """Receive a webhook that is signed with the secret of one link."""
    try:
        body = _body(request)
        link = push_link_of_hook(link_key)
        secret = unseal(link.sealed_secret, purpose=SEAL) if link and link.sealed_secret else ""
        _check_signature(request, body, secret)
        # After the signature: nobody else uses up what a link may send.
        _limit(request, "push_hook_link", str(link_key))
        assert link is not None  # noqa: S101 -- without a link there is no secret
        _receive([link], read_push(request.headers, body))
    except PushIgnored as ignored:
        return _ignored(ignored, link=str(link_key))
    return HttpResponse(status=HTTPStatus.ACCEPTED)


@csrf_exempt
@never_cache
@require_POST
def of_github_app(request: HttpRequest) -> HttpResponse:
    """Receive a webhook of the site's GitHub App."""
    try:
        body = _body(request)
        _check_signature(request, body, settings.GITHUB_APP_WEBHOOK_SECRET)
        event = read_push(request.headers, body)
        _receive(push_links_of_repository(event.repository_id), event)
    except PushIgnored as ignored:
        return _ignored(ignored, link="github")
    return HttpResponse(status=HTTPStatus.ACCEPTED)


def _body(request: HttpRequest) -> bytes:
    """Return the bytes as they were signed. Raises PushIgnored push_too_many, push_too_large."""
    _limit(request, "push_hook", None)
    length = request.headers.get("Content-Length", "")
    if length.isdecimal() and int(length[:20]) > MOST_BYTES:
        raise PushIgnored("push_too_large", "The body is too large.")
    try:
        body: bytes = request.read(MOST_BYTES + 1)
    except OSError:
        raise PushIgnored("push_unreadable", "The body did not arrive.") from None
    if len(body) > MOST_BYTES:
        raise PushIgnored("push_too_large", "The body is too large.")
    return body


def _limit(request: HttpRequest, action: str, key: str | None) -> None:
    if not ratelimit.consume(request, app="allauth.account", action=action, key=key):
        raise PushIgnored("push_too_many", "Too many webhooks came at once.")


def _check_signature(request: HttpRequest, body: bytes, secret: str) -> None:
    is_right = is_signed(request.headers, body, secret or NO_SECRET, now=timezone.now().timestamp())
    if not (secret and is_right):
        raise PushIgnored("push_unsigned", "The signature is missing or wrong.")


def _receive(links: list[PushLink], event: PushEvent) -> None:
    """Store the push for each link. Raises PushIgnored where none takes it."""
    for link in links:
        try:
            push = receive_push(link=link, event=event)
        except PushIgnored as ignored:
            log.info("push_ignored", link=link.pk, reason=ignored.code)
        else:
            log.info("push_received", link=link.pk, push=push.pk, commit=push.commit)
    if not links:
        raise PushIgnored("push_unlinked", "No link is about this repository.")


def _ignored(ignored: PushIgnored, *, link: str) -> HttpResponse:
    log.info("push_ignored", link=link, reason=ignored.code)
    return HttpResponse(status=STATUSES.get(ignored.code, HTTPStatus.ACCEPTED))
