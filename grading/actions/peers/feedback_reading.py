"""When the one it is about first opened a peer's report."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.actions.activities import note
from grading.enums import FeedbackKind
from grading.models import FeedbackReport


def mark_read(*, report: FeedbackReport, by: User) -> bool:
    """Whether this was the first time. Of a report on one's own auditor's there is nothing to tell."""
    if report.kind != FeedbackKind.PEER or report.read_at is not None:
        return False
    with transaction.atomic():
        unread = FeedbackReport.objects.filter(pk=report.pk, read_at=None)
        if not unread.update(read_at=timezone.now()):
            return False
        note(organization=report.organization_id, actor=by, verb="feedback.read", about=report)
    return True
