"""Choose one's zone; make and revoke the address of one's calendar feed."""

from __future__ import annotations

import hashlib
import secrets

import structlog
from django.contrib.auth.models import User
from django.utils import timezone

from grading.models import PersonalCalendar

RANDOM_BYTES = 32
log = structlog.get_logger(__name__)


def choose_time_zone(*, user: User, time_zone: str) -> None:
    """Store the zone in which a person reads times; "" for that of each cohort."""
    PersonalCalendar.objects.update_or_create(user=user, defaults={"time_zone": time_zone})


def make_feed_address(*, user: User) -> str:
    """Return the secret of a new address, readable only now; an earlier one stops working."""
    secret = secrets.token_urlsafe(RANDOM_BYTES)
    PersonalCalendar.objects.update_or_create(
        user=user, defaults={"sha256": digest_of(secret), "made_at": timezone.now()}
    )
    log.info("calendar_address_made", user=user.pk)
    return secret


def revoke_feed_address(*, user: User) -> None:
    """Revoke the address; idempotent."""
    rows = PersonalCalendar.objects.filter(user=user).exclude(sha256=None)
    if rows.update(sha256=None, made_at=None):
        log.info("calendar_address_revoked", user=user.pk)


def owner_of(secret: str) -> User | None:
    """Return the active person whose feed has this secret, or None."""
    rows = PersonalCalendar.objects.select_related("user")
    calendar = rows.filter(sha256=digest_of(secret), user__is_active=True).first()
    return calendar.user if calendar else None


def digest_of(secret: str) -> str:
    # The secret is long and random: an unsalted digest cannot be reversed by guessing.
    return hashlib.sha256(secret.encode()).hexdigest()
