"""Tokens that let a program in as a person: made and revoked by that person alone."""

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

MARK = "aa_"  # by which scanners for leaked secrets can know one
RANDOM_BYTES = 32
PREFIX_CHARACTERS = 10
MOST_TOKENS, MOST_DAYS = 20, 366
USED_AGAIN_AFTER = timedelta(minutes=1)
log = structlog.get_logger(__name__)


def create_token(
    *, user: User, name: str, scopes: Collection[ApiScope], days: int
) -> tuple[ApiToken, str]:
    """A new token and, this once, its text. Raises ActionRefused too_many_tokens, scopes_missing, days_out_of_range."""
    if not scopes:
        raise ActionRefused(
            "scopes_missing", "Choose at least one thing that the token lets a program do."
        )
    if not 1 <= days <= MOST_DAYS:
        raise ActionRefused("days_out_of_range", f"A token lives from 1 to {MOST_DAYS} days.")
    if living_tokens(user).count() >= MOST_TOKENS:
        raise ActionRefused("too_many_tokens", f"You have {MOST_TOKENS} tokens: revoke one first.")
    text = MARK + secrets.token_urlsafe(RANDOM_BYTES)
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
    """From now on it opens nothing; revoking twice changes nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        log.info("token_revoked", user=token.user_id, token=token.pk)


def token_for(text: str) -> ApiToken | None:
    """The living token with this text, whose user may sign in; None for every other text. Notes that it was used."""
    now = timezone.now()
    living = ApiToken.objects.select_related("user").filter(
        sha256=digest_of(text), revoked_at=None, expires_at__gt=now, user__is_active=True
    )
    token = living.first()
    if token is not None and (
        token.last_used_at is None or now - token.last_used_at > USED_AGAIN_AFTER
    ):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def living_tokens(user: User) -> QuerySet[ApiToken]:
    """Neither revoked nor expired, the newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=timezone.now())


def digest_of(text: str) -> str:
    """The text is random and long: a plain digest cannot be guessed back."""
    return hashlib.sha256(text.encode()).hexdigest()
