"""Sending of answers to the hosts of pushed commits: check runs, or commit statuses by a token.

An answer is claimed (its try is counted, the next one scheduled) before it is sent, and is worded
only then, so that it says no more than the student may see at that moment.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from grading.core.errors import AnswerRefused
from grading.models import Push
from grading.notifications.commit_answers import ANSWERS
from grading.submissions.pushes.answer_texts import CommitAnswer, answer_to
from grading.submissions.pushes.check_runs import send_check_run
from grading.submissions.pushes.commit_statuses import send_status

# A turn begins no answer later than this; one takes a few requests of ten seconds at most.
BEGIN_SECONDS = 5
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360))
GIVEN_UP = "The host did not take the answer, tried several times."
log = structlog.get_logger(__name__)


def _due(now: datetime) -> Q:
    return Q(answer_at__lte=now)


def send_due_answers(*, organization_id: int) -> int:
    """Send due answers for one turn; return the number that was sent."""
    results = ANSWERS.send_for_a_turn(
        organization_id, claim=_claim, send=_send, begin_seconds=BEGIN_SECONDS
    )
    return sum(results)


def _claim() -> Push | None:
    now = timezone.now()
    with transaction.atomic():
        due = Push.objects.filter(_due(now)).select_for_update(skip_locked=True, of=("self",))
        related = due.select_related(
            "link__student__user", "link__access", "link__assignment__cohort", "organization"
        )
        push = related.order_by("answer_at", "pk").first()
        if push is not None:
            push.answer_at = now + PAUSES[min(push.answer_tries, len(PAUSES) - 1)]
            push.answer_tries += 1
            Push.objects.filter(pk=push.pk).update(
                answer_at=push.answer_at, answer_tries=F("answer_tries") + 1
            )
    return push


def _send(push: Push) -> bool:
    """Send one answer unless it was sent already; return whether it was sent."""
    if push.answer_tries > len(PAUSES):
        _store(push, answer_error=push.answer_error or GIVEN_UP)
        return False
    answer = answer_to(push)
    if answer.sha256 == push.answer_sha256:
        _store(push, answer_error="")
        return False
    try:
        answer_id = _deliver(push, answer)
    except AnswerRefused as refusal:
        log.info("answer_not_sent", push=push.pk, reason=refusal.code)
        if refusal.is_final:
            _store(push, answer_error=refusal.sentence)
        else:
            Push.objects.filter(pk=push.pk).update(answer_error=refusal.sentence)
        return False
    _store(push, answer_error="", answer_id=answer_id, answer_sha256=answer.sha256)
    log.info("answer_sent", push=push.pk, status=answer.status)
    return True


def _deliver(push: Push, answer: CommitAnswer) -> int | None:
    if push.link.access is not None:
        return send_check_run(push, push.link.access, answer)
    send_status(push, answer)
    return None


def _store(push: Push, **result: Any) -> None:
    """Store the result; an answer that became due again meanwhile stays due."""
    Push.objects.filter(pk=push.pk).update(**result)
    Push.objects.filter(pk=push.pk, answer_at=push.answer_at).update(answer_at=None, answer_tries=0)
