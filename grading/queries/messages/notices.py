"""Who wants which letters."""

from __future__ import annotations

from django.contrib.auth.models import User

from grading.enums import NoticeKind
from grading.models import NoticeOptOut, Organization


def letters_wanted(organization: Organization, user: User) -> list[NoticeKind]:
    """All kinds but those switched off."""
    off = NoticeOptOut.objects.filter(organization=organization, user=user).values_list("kind", flat=True)
    return [kind for kind in NoticeKind if kind not in set(off)]
