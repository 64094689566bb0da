"""What a student does about a criterion of a released grade: appeal, and take it back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.timezone import localtime, now

from grading.appeals.queries import allowance_of, report_by_digest
from grading.core.activity import record_activity
from grading.core.code_locations import read_places
from grading.core.enums import APPEAL_MOVES, PENDING_APPEALS, AppealState, WebhookEvent
from grading.core.errors import AppealRefused
from grading.core.user_text import required_text
from grading.grades.actions import hold_attempts
from grading.models import Appeal, Audit, Grade
from grading.notifications.webhooks import announce_appeal

MOST_CHARACTERS = 2000  # as Artemis has it


def file_appeal(
    *,
    grade: Grade,
    criterion_id: str,
    text: str,
    by: User,
    cited: Collection[str] = (),
    places: str = "",
) -> Appeal:
    """Object to one criterion of what was released, also to one that was left out.

    `cited` are ids of the criterion's evidence, `places` one place a line (grading.core.code_locations). Raises AppealRefused:
    not_released, window_over, appeals_used_up, appeal_pending, appeal_answered, criterion_unknown, text_missing,
    text_too_long, evidence_unknown, place_unreadable, places_too_many.
    """
    missing = "Say what is wrong with the verdict, and why."
    text = required_text(
        text, MOST_CHARACTERS, field="text", missing=missing, refused=AppealRefused
    )
    found = read_places(places)
    with transaction.atomic():
        grade = _held(grade)
        _refuse_unless_allowed(grade)
        row = _released_row(grade, criterion_id)
        audit = (
            Audit.objects.select_related("submission")
            .defer("report")
            .get(pk=(grade.released or {})["audit"])
        )
        _refuse_if_appealed(audit.submission_id, row)
        digest = (grade.released or {})["digest"]
        appeal = Appeal.objects.create(
            organization_id=grade.organization_id,
            submission=audit.submission,
            criterion_id=criterion_id,
            criterion_name=row["name"],
            text=text,
            cited=_cited(audit, digest, criterion_id, cited),
            places="\n".join(map(str, found)),
            verdict=row,
            report_digest=digest,
        )
        record_activity(
            organization=grade.organization_id,
            actor=by,
            verb="appeal.filed",
            about=appeal,
            criterion=row["name"],
            score=row["score"],
        )
        announce_appeal(appeal=appeal, event=WebhookEvent.APPEAL_FILED)
    return appeal


def why_no_appeal(*, grade: Grade, criterion_id: str) -> AppealRefused | None:
    """What would refuse any appeal on this criterion now; None while one can be filed."""
    try:
        _refuse_unless_allowed(grade)
        row = _released_row(grade, criterion_id)
        _refuse_if_appealed((grade.released or {})["submission"], row)
    except AppealRefused as refused:
        return refused
    return None


def withdraw_appeal(*, appeal: Appeal, by: User) -> None:
    """Take it back while nobody has answered; it is given back. Raises AppealRefused appeal_over."""
    with transaction.atomic():
        move(appeal, AppealState.WITHDRAWN, decided_at=now())
        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.withdrawn",
            about=appeal,
            criterion=appeal.criterion_name,
        )


def return_rejudged(*, audit: Audit) -> None:
    """The audit that judged a criterion again has ended, with a verdict or without: a person reads on.

    Call it in the transaction that ended the audit.
    """
    for appeal in Appeal.objects.filter(rejudged_in=audit, state=AppealState.REJUDGING):
        move(appeal, AppealState.ESCALATED if appeal.escalated_at else AppealState.OPEN)
        record_activity(
            organization=appeal.organization_id,
            actor=None,
            verb="appeal.returned",
            about=appeal,
            criterion=appeal.criterion_name,
        )


def move(appeal: Appeal, after: AppealState, **changes: Any) -> None:
    """One legal move (enums.APPEAL_MOVES), by one conditional UPDATE. Raises AppealRefused appeal_over.

    Nobody moves what was escalated since they looked: who may answer it is another question then.
    """
    before = [state for state, moves in APPEAL_MOVES.items() if after in moves]
    as_seen = Appeal.objects.filter(
        pk=appeal.pk, state__in=before, escalated_at=appeal.escalated_at
    )
    if not as_seen.update(state=after, **changes):
        raise AppealRefused(
            "", "appeal_over", "Meanwhile this appeal went another way: read what it came to."
        )
    appeal.refresh_from_db(fields=["state", *changes])


def _held(grade: Grade) -> Grade:
    """As it stands now, and until this has committed."""
    hold_attempts(grade)
    locked = Grade.objects.select_for_update(no_key=True, of=("self",)).select_related("assignment")
    found = locked.filter(pk=grade.pk).first()
    if found is None:  # with its cohort
        raise AppealRefused(
            "", "not_released", "This grade is gone: nothing can be appealed any more."
        )
    return found


def _refuse_unless_allowed(grade: Grade) -> None:
    allowance = allowance_of(grade)
    if allowance is None:
        raise AppealRefused(
            "", "not_released", "This grade is not released: nothing can be appealed yet."
        )
    if allowance.is_over:
        ended = f"{localtime(allowance.until):%d %B %Y, %H:%M %Z}"
        raise AppealRefused("", "window_over", f"Appeals could be filed until {ended}.")
    if not allowance.left:
        sentence = f"All {allowance.most} appeals at this assignment are open or were not upheld."
        raise AppealRefused("", "appeals_used_up", sentence)


def _released_row(grade: Grade, criterion_id: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = (grade.released or {})["criteria"]
    for row in rows:
        if row["id"] == criterion_id:
            return row
    raise AppealRefused("", "criterion_unknown", "What was released knows no such criterion.")


def _refuse_if_appealed(submission_id: UUID | str, row: dict[str, Any]) -> None:
    earlier = Appeal.objects.filter(submission__pk=submission_id, criterion_id=row["id"])
    if earlier.filter(state__in=PENDING_APPEALS).exists():
        raise AppealRefused(
            "",
            "appeal_pending",
            "You have appealed this criterion already: it waits for an answer.",
        )
    if earlier.filter(state=AppealState.KEPT, verdict=row).exists():
        sentence = "This very verdict was appealed and kept: the answer stands with that appeal."
        raise AppealRefused("", "appeal_answered", sentence)


def _cited(audit: Audit, digest: str, criterion_id: str, cited: Collection[str]) -> list[str]:
    """Return the ids in the report's order. Raises AppealRefused evidence_unknown for any other."""
    if not cited:
        return []
    report = report_by_digest(audit.submission, digest)
    criterion = report.criterion(criterion_id) if report else None
    evidence = criterion.evidence if criterion else ()
    if set(cited) - set(evidence):
        raise AppealRefused(
            "cited", "evidence_unknown", "Choose from the evidence of this criterion."
        )
    return [key for key in evidence if key in cited]
