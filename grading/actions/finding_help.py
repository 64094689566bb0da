"""Whether a finding helped whoever has to mend it: said beside it, counted by criterion, and of no weight in a verdict."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.actions.activities import note
from grading.errors import FindingRefused
from grading.models import Finding, FindingHelp


def say_whether_it_helped(*, finding: Finding, helpful: bool, by: User) -> None:
    """The latest word stands. Raises FindingRefused not_yours."""
    if finding.student.user_id != by.pk:
        raise FindingRefused("", "not_yours", "Only whose work it is about says whether a finding helped.")
    with transaction.atomic():
        FindingHelp.objects.update_or_create(
            finding=finding,
            defaults={
                "organization_id": finding.organization_id,
                "helpful": helpful,
                "said_at": timezone.now(),
            },
        )
        note(
            organization=finding.organization_id, actor=by, verb="finding.judged", about=finding,
            title=finding.title[:200], helpful="helpful" if helpful else "not helpful",
        )  # fmt: skip
