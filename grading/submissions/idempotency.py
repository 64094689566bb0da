"""Handing in under a key: whoever asks again with the same key gets the same submission."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from grading.core.errors import KeyRefused
from grading.models import Assignment, IdempotencyKey, Submission

KEPT = timedelta(hours=24)
UNDER_WAY = timedelta(
    minutes=5
)  # longer than the longest hand-in: whoever held the key so long has died


def run_once(
    *, key: str, sent: bytes, assignment: Assignment, by: User, hand_in: Callable[[], Submission]
) -> tuple[Submission, bool]:
    """What `hand_in` returns, or what it returned under this key within a day; and whether it was done now.

    `sent` is all that was asked, byte by byte. Raises KeyRefused key_reused, key_in_use, and whatever `hand_in` raises;
    then the key is free again.
    """
    fingerprint = hashlib.sha256(sent).hexdigest()
    held = _take(key, fingerprint, assignment, by)
    if held.submission is not None:
        return held.submission, False
    try:
        submission = hand_in()
    except BaseException:
        held.delete()
        raise
    IdempotencyKey.objects.filter(pk=held.pk).update(submission=submission)
    return submission, True


def _take(key: str, fingerprint: str, assignment: Assignment, by: User) -> IdempotencyKey:
    """The key, new or with what came of it."""
    now, mine = timezone.now(), IdempotencyKey.objects.filter(user=by, key=key)
    mine.filter(created_at__lt=now - KEPT).delete()
    mine.filter(created_at__lt=now - UNDER_WAY, submission=None).delete()
    try:
        with transaction.atomic():
            return IdempotencyKey.objects.create(
                organization_id=assignment.organization_id,
                user=by,
                assignment=assignment,
                key=key,
                fingerprint=fingerprint,
            )
    except IntegrityError:
        held = mine.select_related("submission").first()
    if held is None or (held.submission is None and held.fingerprint == fingerprint):
        raise KeyRefused(
            "key_in_use", "A request with this key is being worked on: ask again in a moment."
        )
    if held.fingerprint != fingerprint:
        raise KeyRefused("key_reused", "This key was used for another request within the last day.")
    return held
