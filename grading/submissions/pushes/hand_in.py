"""Submit pushes once their quiet period is over, by the rules of the form.

A push is claimed (its try is counted, the next one scheduled) before it is submitted. What may pass,
such as a host that is down or an audit that still runs, is tried again; every other refusal is final,
and its sentence stands beside the push.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import PushAnswer, PushState
from grading.core.errors import AlreadyRunning, SameWork, SubmissionRefused
from grading.core.probe_limit import limited_probe
from grading.core.team_access import work_of
from grading.courses.extensions.queries import terms_of
from grading.courses.teams.queries import team_of
from grading.engine.pushed_pdf import pushed_pdf
from grading.models import Push, Submission
from grading.notifications.commit_answers import ANSWERS
from grading.notifications.outbox import Outbox
from grading.submissions.actions import create_submission, refuse_by_policy

# A turn begins no push later than this.
BEGIN_SECONDS = 20
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 1, 2, 5, 10, 30, 60, 120, 240, 240))
PASSING = {
    "looks_running",
    "looks_full",
    "storage_unavailable",
    "repository_unreachable",
    "repository_timeout",
    "too_many_open_student",
    "too_many_open_cohort",
    "too_many_open_organization",
    "too_many_open_unapproved",
}
INTERRUPTED = "Submitting this push was interrupted on our side each time. Push again."
ACCOUNT_CLOSED = "The account that linked this repository is closed."
NOT_APPROVED = "The operator of this site has not approved this organization."
log = structlog.get_logger(__name__)


def _due(now: datetime) -> Q:
    return Q(state=PushState.WAITING, next_at__lte=now)


PUSHES = Outbox(
    Push,
    job="grading.jobs.submit_pushes",
    queue="submissions",
    name="pushes",
    seconds=300,
    due=_due,
)


def submit_due_pushes(*, organization_id: int) -> int:
    """Submit due pushes for one turn, the longest waiting first; return the number of attempts."""
    results = PUSHES.send_for_a_turn(
        organization_id, claim=_claim, send=_submit, begin_seconds=BEGIN_SECONDS
    )
    return sum(results)


def _claim() -> Push | None:
    now = timezone.now()
    with transaction.atomic():
        due = Push.objects.filter(_due(now)).select_for_update(skip_locked=True, of=("self",))
        related = due.select_related(
            "link__owner", "link__student__user", "link__assignment__cohort", "organization"
        )
        push = related.order_by("next_at", "pk").first()
        if push is not None:
            pause = PAUSES[min(push.tries, len(PAUSES) - 1)]
            Push.objects.filter(pk=push.pk).update(tries=F("tries") + 1, next_at=now + pause)
            push.tries += 1
    return push


def _submit(push: Push) -> bool:
    """Submit one push, store what became of it, and return whether it is an attempt."""
    try:
        submission = _submitted_before(push) or _create(push)
    except (AlreadyRunning, SameWork) as known:
        return _store(push, PushState.SUBMITTED, known, submission=_same_work(push))
    except SubmissionRefused as refusal:
        if refusal.code in PASSING and push.tries < len(PAUSES):
            Push.objects.filter(pk=push.pk).update(code=refusal.code, sentence=refusal.sentence)
            log.info("push_waits", push=push.pk, reason=refusal.code)
            return False
        is_late = refusal.code == "after_due_date"
        return _store(push, PushState.LATE if is_late else PushState.REFUSED, refusal)
    return _store(push, PushState.SUBMITTED, submission=submission)


def _create(push: Push) -> Submission:
    """Submit the pushed commit through the form's own action. Raises SubmissionRefused."""
    link = push.link
    if push.tries > len(PAUSES):
        raise SubmissionRefused("", "interrupted", INTERRUPTED)
    if not link.owner.is_active:
        raise SubmissionRefused("", "account_closed", ACCOUNT_CLOSED)
    if not push.organization.is_usable:
        raise SubmissionRefused("", "organization_not_approved", NOT_APPROVED)
    terms = terms_of(link.assignment, link.student)
    # Before the clone for a report, which is not cheap; the action checks all of it again.
    refuse_by_policy(link.assignment, link.student, terms, push.pushed_at)
    return create_submission(
        assignment=link.assignment,
        student=link.student,
        repo_url=link.address,
        ref=push.commit,
        pdf=_report(push) if link.pdf_path else None,
        by=link.owner,
        pushed_at=push.pushed_at,
    )


def _report(push: Push) -> SimpleUploadedFile:
    link = push.link
    team = team_of(link.assignment, link.student)
    draft = Submission(
        organization=push.organization,
        assignment=link.assignment,
        student=team.representative if team else link.student,
        team=team,
        repo_url=link.address,
        ref=push.commit,
        handed_in_by=link.owner,
    )
    with limited_probe(link.student, by=link.owner):
        return pushed_pdf(draft, link.pdf_path)


def _attempts(push: Push) -> Any:
    link = push.link
    theirs = Submission.objects.filter(
        work_of(link.assignment, link.student), assignment=link.assignment
    )
    return theirs.filter(resolved_commit=push.commit).order_by("-attempt")


def _submitted_before(push: Push) -> Submission | None:
    """Return the attempt that a worker made of this push before it died."""
    made: Submission | None = (
        _attempts(push).filter(handed_in_at=push.pushed_at, handed_in_by=push.link.owner).first()
    )
    return made


def _same_work(push: Push) -> Submission | None:
    same: Submission | None = _attempts(push).first()
    return same


def _store(
    push: Push,
    state: PushState,
    refusal: SubmissionRefused | None = None,
    *,
    submission: Submission | None = None,
) -> bool:
    """Store what became of a push, and let its answer be sent."""
    is_attempt = submission is not None
    # A push that was superseded while it was being submitted is an attempt all the same.
    states = [PushState.WAITING, PushState.SUPERSEDED] if is_attempt else [PushState.WAITING]
    is_answered = push.link.answer != PushAnswer.NOTHING
    with transaction.atomic():
        stored = Push.objects.filter(pk=push.pk, state__in=states).update(
            state=state,
            submission=submission,
            code=refusal.code if refusal else "",
            sentence=refusal.sentence if refusal else "",
            answer_at=timezone.now() if is_answered else None,
        )
        if stored and is_answered:
            ANSWERS.enqueue_on_commit(push.organization_id)
        if stored and not is_attempt:
            record_activity(
                organization=push.organization_id,
                actor=None,
                verb="push.refused",
                about=push.link.student,
                place=str(push.link),
                commit=push.commit[:8],
                reason=refusal.sentence if refusal else "",
            )
    log.info("push_ended", push=push.pk, state=state, reason=refusal.code if refusal else "")
    return is_attempt
