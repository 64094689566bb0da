"""Answers on pushed commits that are due, and the changes after which they are due again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from grading.core.enums import PushAnswer, PushState
from grading.models import Push
from grading.notifications.outbox import Outbox


def _due(now: datetime) -> Q:
    return Q(answer_at__lte=now)


ANSWERS = Outbox(
    Push,
    job="grading.jobs.answer_pushes",
    queue="webhooks",
    name="answers",
    seconds=60,
    due=_due,
)


def answer_again(*, organization_id: int, **changed: Any) -> None:
    """Let the answers on the pushes that `changed` matches be sent again, with the transaction.

    What is sent is decided then; an answer that says the same as before is not sent.
    """
    pushes = Push.objects.filter(
        organization=organization_id, state=PushState.SUBMITTED, **changed
    ).exclude(link__answer=PushAnswer.NOTHING)
    if pushes.update(answer_at=timezone.now(), answer_tries=0):
        ANSWERS.enqueue_on_commit(organization_id)
