"""Idempotency keys: a repeated request with the same key returns the same submission."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from grading.core.errors import KeyRefused
from grading.models import Assignment, IdempotencyKey, Submission

KEY_LIFETIME = timedelta(hours=24)
# Longer than any submission takes: a process that held the key for so long has died.
MAX_IN_PROGRESS = timedelta(minutes=5)


def run_once(
    *, key: str, body: bytes, assignment: Assignment, by: User, create: Callable[[], Submission]
) -> tuple[Submission, bool]:
    """Return the submission of this key, and True if `create` was called now.

    `body` is the whole request, so that a key cannot be used for another one. Raises KeyRefused
    key_reused or key_in_use, and all that `create` raises; then the key is free again.
    """
    fingerprint = hashlib.sha256(body).hexdigest()
    held = _claim_key(key, fingerprint, assignment, by)
    if held.submission is not None:
        return held.submission, False

    try:
        submission = create()
    except BaseException:
        # Whatever went wrong, the client may repeat its request under the same key.
        held.delete()
        raise

    IdempotencyKey.objects.filter(pk=held.pk).update(submission=submission)
    return submission, True


def _claim_key(key: str, fingerprint: str, assignment: Assignment, by: User) -> IdempotencyKey:
    """Return the key: new, or with the submission that was created under it."""
    now = timezone.now()
    mine = IdempotencyKey.objects.filter(user=by, key=key)
    # Old keys, and those of a process that died, are free again.
    mine.filter(created_at__lt=now - KEY_LIFETIME).delete()
    mine.filter(created_at__lt=now - MAX_IN_PROGRESS, submission=None).delete()

    try:
        with transaction.atomic():
            # The unique constraint decides which of two simultaneous requests gets the key.
            return IdempotencyKey.objects.create(
                organization_id=assignment.organization_id,
                user=by,
                assignment=assignment,
                key=key,
                fingerprint=fingerprint,
            )
    except IntegrityError:
        held = mine.select_related("submission").first()

    # It is None when the other request has just failed and freed the key.
    if held is None or (held.submission is None and held.fingerprint == fingerprint):
        raise KeyRefused(
            "key_in_use", "A request with this key is in progress. Try again in a moment."
        )
    if held.fingerprint != fingerprint:
        raise KeyRefused("key_reused", "This key was used for another request within the last day.")
    return held
