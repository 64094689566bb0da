"""Daily limits of the letters that an organization can cause.

They are counted where letters are sent, in any 24 hours, and by tries: a letter that the mail server
took may have arrived. What is beyond a limit is held back for good and shown to staff.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from grading.core.enums import NoticeKind
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import Notice, Organization

DAY = timedelta(hours=24)
# To one person: a student hands in and is answered a few times a day, in a few assignments.
PER_RECIPIENT = 30
# Invitations to one address, by all organizations together: anybody may found several.
INVITATIONS_PER_ADDRESS = 5


def daily_limit(organization: Organization) -> int:
    """Return the number of letters that the organization may cause in 24 hours."""
    if organization.is_approved:
        return settings.LETTERS_PER_DAY
    return settings.LETTERS_PER_DAY_UNAPPROVED


def is_within_limits(notice: Notice) -> bool:
    """Return whether a letter that was just claimed may be sent. Needs the organization's scope."""
    # `tries` is from before the claim: the first try of this letter was counted and allowed. An
    # answer about approval is the operator's.
    if notice.tries or notice.kind == NoticeKind.APPROVAL:
        return True
    limits = [
        (_tried(), daily_limit(notice.organization)),
        (_tried().filter(user=notice.user_id, address=notice.address), PER_RECIPIENT),
    ]
    if any(letters.count() > limit for letters, limit in limits):
        return False
    return notice.kind != NoticeKind.INVITATION or _invitations_to(notice.address)


def _tried() -> QuerySet[Notice]:
    return Notice.objects.filter(
        tried_at__gt=timezone.now() - DAY, tries__gt=0, held_at=None
    ).order_by()


def _invitations_to(address: str) -> bool:
    with as_dispatcher():
        invitations = _tried().filter(kind=NoticeKind.INVITATION, address=address)
        return invitations.count() <= INVITATIONS_PER_ADDRESS


def held_back() -> int:
    """Count the letters that a limit held back in the last 24 hours, in the entered scope."""
    return Notice.objects.filter(held_at__gt=timezone.now() - DAY).count()
