"""Whether a finding helped whoever has to mend it: said beside it, counted by criterion, and of no weight in a verdict."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils import timezone

from grading.errors import FindingRefused
from grading.models import Finding, FindingHelp


def say_whether_it_helped(*, finding: Finding, helpful: bool, by: User) -> None:
    """The latest word stands. No Activity: the log names who, and whoever answers is told that teachers do not learn it.

    Raises FindingRefused not_yours.
    """
    if finding.student.user_id != by.pk:
        raise FindingRefused("", "not_yours", "Only whose work it is about says whether a finding helped.")
    FindingHelp.objects.update_or_create(
        finding=finding,
        defaults={
            "organization_id": finding.organization_id,
            "helpful": helpful,
            "said_at": timezone.now(),
        },
    )
