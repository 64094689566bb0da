"""API tokens: created and revoked by the person whom they act for."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta

import structlog
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from grading.core.enums import ApiScope
from grading.core.errors import ActionRefused
from grading.models import ApiToken

# Scanners for leaked secrets can recognise it.
MARKER = "aa_"
RANDOM_BYTES = 32
PREFIX_CHARACTERS = 10
MAX_TOKENS, MAX_DAYS = 20, 366
USE_RECORDED_EVERY = timedelta(minutes=1)
log = structlog.get_logger(__name__)


def create_token(
    *, user: User, name: str, scopes: Collection[ApiScope], days: int
) -> tuple[ApiToken, str]:
    """Create a token; return it with its text, which is readable only now.

    Raises ActionRefused too_many_tokens, scopes_missing, days_out_of_range.
    """
    if not scopes:
        raise ActionRefused("scopes_missing", "Choose at least one scope.")
    if not 1 <= days <= MAX_DAYS:
        raise ActionRefused("days_out_of_range", f"A token is valid for 1 to {MAX_DAYS} days.")
    if active_tokens(user).count() >= MAX_TOKENS:
        raise ActionRefused("too_many_tokens", f"You have {MAX_TOKENS} tokens. Revoke one first.")

    text = MARKER + secrets.token_urlsafe(RANDOM_BYTES)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=text[:PREFIX_CHARACTERS],
        sha256=digest_of(text),
        scopes=sorted(scopes),
        expires_at=timezone.now() + timedelta(days=days),
    )
    log.info("token_created", user=user.pk, token=token.pk, scopes=token.scopes)
    return token, text


def revoke_token(*, token: ApiToken) -> None:
    """Revoke a token; idempotent."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        log.info("token_revoked", user=token.user_id, token=token.pk)


def revoke_all_tokens(*, user: User) -> None:
    """Revoke the user's tokens; idempotent."""
    if revoked := ApiToken.objects.filter(user=user, revoked_at=None).update(
        revoked_at=timezone.now()
    ):
        log.info("tokens_revoked", user=user.pk, tokens=revoked)


def token_for(text: str) -> ApiToken | None:
    """Return the active token with this text, or None, and record that it was used.

    A token of an inactive user is not active.
    """
    now = timezone.now()
    active = ApiToken.objects.select_related("user").filter(
        sha256=digest_of(text), revoked_at=None, expires_at__gt=now, user__is_active=True
    )
    token = active.first()

    if token is not None and (
        token.last_used_at is None or now - token.last_used_at > USE_RECORDED_EVERY
    ):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def active_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the user's tokens that are neither revoked nor expired, newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=timezone.now())


def digest_of(text: str) -> str:
    # The text is long and random: an unsalted digest cannot be reversed by guessing.
    return hashlib.sha256(text.encode()).hexdigest()
