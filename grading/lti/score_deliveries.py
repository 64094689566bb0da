"""Sending of grades to platforms' gradebooks: eight tries within a day, and an outcome for each.

A score is claimed (its try is counted, its timestamp moved on, the next try scheduled) before it is
sent, as webhook deliveries are. What is sent is what is released at that moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from grading.core.enums import ScoreState
from grading.core.errors import PlatformFailed
from grading.lti.line_items import SCORE, forget_column, prepare_column, scopes_of
from grading.lti.scores import ScoreMessage, message_of, subject_of
from grading.lti.service_requests import ask_service, below
from grading.models import LtiLineItem, LtiScore
from grading.notifications.gradebooks import SCORES, due_scores
from grading.notifications.webhook_deliveries import MAX_TRIES, PAUSES

# A turn begins no score later than this; a score takes at most five requests of ten seconds.
BEGIN_SECONDS = 5
TICK = timedelta(milliseconds=1)
TYPE = "application/vnd.ims.lis.v1.score+json"
INTERRUPTED = "The last try was interrupted on our side."
TURNED_AWAY = "The platform does not let this site write grades."
NOT_THERE = "Nobody in this course there is this student. Their next launch connects them."
NOTHING = "Nothing is released, or a criterion needs review."
# What Moodle answers where a teacher has set or locked the grade: status 400 and this alone.
OVERRIDDEN = "[]"
AWAY = frozenset({"platform_away", "platform_unreadable"})
LATER = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})
STRANGER = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
NO_USER = re.compile(
    r"\buser\b.{0,60}\b(not found|unknown|not in|not enrol|not a (student|learner|member))"
    r"|\b(invalid|unknown|no such) user\b",
    re.IGNORECASE,
)
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one try.

    `message` is what stands there by us now, None where we do not know; `is_new` if this try put it
    there.
    """

    state: ScoreState
    answer: str = ""
    status: int | None = None
    message: ScoreMessage | None = None
    is_new: bool = True

    @property
    def is_silent(self) -> bool:
        return self.state == ScoreState.WAITING and self.status is None


def send_due_scores(*, organization_id: int) -> int:
    """Send due grades for one turn, oldest first; return the number that stand there now."""
    outcomes = SCORES.send_for_a_turn(
        organization_id, claim=_claim, send=_send_and_store, begin_seconds=BEGIN_SECONDS
    )
    return sum(outcome.message is not None for outcome in outcomes)


def _send_and_store(score: LtiScore) -> Outcome:
    outcome = _send(score)
    _store_outcome(score, outcome)

    # A platform that is away must not use up the tries of all.
    if outcome.is_silent:
        registration = score.line_item.context.registration_id
        LtiScore.objects.filter(
            due_scores(timezone.now()), line_item__context__registration=registration
        ).update(next_at=timezone.now() + PAUSES[0])
    return outcome


def _claim() -> LtiScore | None:
    """Claim the oldest due score with a timestamp later than all before it."""
    now = timezone.now()
    with transaction.atomic():
        due = LtiScore.objects.filter(due_scores(now))
        # A worker died during their last try.
        due.filter(tries__gte=MAX_TRIES).update(
            state=ScoreState.FAILED, answer=INTERRUPTED, status=None
        )
        waiting = due.select_for_update(skip_locked=True, of=("self",)).select_related(
            "student", "line_item__context__registration", "line_item__assignment__organization"
        )
        score = waiting.order_by("next_at", "pk").first()
        if score is None:
            return None
        score.stamped_at = max(now, score.stamped_at + TICK) if score.stamped_at else now
        score.tries += 1
        LtiScore.objects.filter(pk=score.pk).update(
            tries=F("tries") + 1,
            next_at=now + PAUSES[min(score.tries - 1, len(PAUSES) - 1)],
            stamped_at=score.stamped_at,
        )
    return score


def _send(score: LtiScore) -> Outcome:
    try:
        return _deliver(score)
    except PlatformFailed as failure:
        state = ScoreState.WAITING if _is_passing(failure) else ScoreState.REFUSED
        return Outcome(state, failure.sentence, failure.status)


def _deliver(score: LtiScore) -> Outcome:
    """Send one score, if there is one. Raises PlatformFailed where the platform gives no outcome."""
    item = score.line_item
    if SCORE not in item.context.grade_scopes:
        return Outcome(ScoreState.REFUSED, TURNED_AWAY)
    subject = subject_of(score)
    if subject is None:
        return Outcome(ScoreState.UNKNOWN, NOT_THERE)
    # Nothing is looked up for what has no score, and never a column made.
    if message_of(score, subject).points is None and score.points is None:
        return Outcome(ScoreState.NO_SCORE, NOTHING)

    prepare_column(item)
    message = message_of(score, subject)
    if score.digest and message.digest_for(item.url) == score.digest:
        return Outcome(_standing(message), "", score.status, message, is_new=False)
    if message.points is not None:
        # Before it leaves: what may stand there is withdrawn even if this process dies now.
        LtiScore.objects.filter(pk=score.pk).update(points=message.points)
    try:
        reply = ask_service(
            item.context.registration,
            scopes_of(item.context, wanted=(SCORE,)),
            below(item.url, "scores"),
            method="POST",
            body=message.body(score.stamped_at or timezone.now()),
            types=("application/json", TYPE),
        )
    except PlatformFailed as failure:
        return _refusal(item, failure)
    return Outcome(_standing(message), status=reply.status, message=message)


def _standing(message: ScoreMessage) -> ScoreState:
    return ScoreState.WITHDRAWN if message.points is None else ScoreState.SENT


def _refusal(item: LtiLineItem, failure: PlatformFailed) -> Outcome:
    """Return what an answer to a score means. Raises PlatformFailed where it may pass."""
    words = failure.answer.strip()
    if failure.status == HTTPStatus.BAD_REQUEST and words == OVERRIDDEN:
        return Outcome(ScoreState.OVERRIDDEN, failure.sentence, failure.status)
    if failure.status == HTTPStatus.CONFLICT:
        return Outcome(ScoreState.OLDER, failure.sentence, failure.status)
    if failure.status in STRANGER and NO_USER.search(words):
        return Outcome(ScoreState.UNKNOWN, failure.sentence, failure.status)
    if failure.status == HTTPStatus.NOT_FOUND:
        forget_column(item)
        return Outcome(ScoreState.WAITING, failure.sentence, failure.status)
    raise failure


def _is_passing(failure: PlatformFailed) -> bool:
    if failure.code in AWAY or failure.status in LATER:
        return True
    return (failure.status or 0) >= HTTPStatus.INTERNAL_SERVER_ERROR


def _store_outcome(score: LtiScore, outcome: Outcome) -> None:
    rows = LtiScore.objects.filter(pk=score.pk)
    if outcome.message is not None and outcome.is_new:
        # True whatever else happens to the row.
        message = outcome.message
        rows.update(points=message.points, comment=message.comment, sent_at=score.stamped_at)
    values = {
        "state": outcome.state,
        "answer": outcome.answer[:500],
        "status": outcome.status,
        # What the platform did not take is no longer what stands there for sure.
        "digest": outcome.message.digest_for(score.line_item.url) if outcome.message else "",
    }
    if outcome.state == ScoreState.WAITING and score.tries >= MAX_TRIES:
        values["state"] = ScoreState.FAILED
    # A release in the meantime has queued the score again; that stays.
    claimed = rows.filter(state=ScoreState.WAITING, tries=score.tries, stamped_at=score.stamped_at)
    claimed.update(**values)
    log.info("score_sent", score=score.pk, state=outcome.state, status=outcome.status)
