"""A student takes a hand-in back while its first audit waits in the queue."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from grading.actions.activities import note
from grading.actions.audits.queueing import enqueue_on_commit
from grading.enums import AuditKind, AuditState
from grading.errors import HandInRefused
from grading.models import Audit, Submission

WITHDRAWN = "withdrawn"
SENTENCE = "You took this hand-in back before its audit began."


def may_withdraw(audit: Audit, user: User) -> bool:
    """Its student, as long as nobody has begun with it."""
    theirs = audit.submission.student.user_id == user.pk
    return theirs and audit.state == AuditState.QUEUED and audit.kind == AuditKind.SELF


def withdraw_hand_in(*, audit: Audit, by: User) -> None:
    """Audit it no more; the attempt is not used up. The repository and the report that were handed in stay on record.

    Raises HandInRefused not_waiting: a worker has it, it has ended, or the hand-in was audited before.
    """
    with transaction.atomic():
        others = Audit.objects.filter(submission=audit.submission_id).exclude(pk=audit.pk)
        waiting = Audit.objects.filter(pk=audit.pk, state=AuditState.QUEUED, kind=AuditKind.SELF)
        ended = {"state": AuditState.FAILED, "failure_code": WITHDRAWN, "failure_message": SENTENCE}
        if others.exists() or not waiting.update(
            **ended, finished_at=timezone.now(), version=F("version") + 1
        ):
            sentence = "This audit does not wait in the queue any more, so the hand-in stands."
            raise HandInRefused("", "not_waiting", sentence)
        Submission.objects.filter(pk=audit.submission_id).update(counts=False)
        note(
            organization=audit.organization_id, actor=by, verb="submission.withdrawn", about=audit.submission,
            attempt=audit.submission.attempt,
        )  # fmt: skip
        enqueue_on_commit(audit)  # whoever waits behind it: its own job will find nothing to take up
