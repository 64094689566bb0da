"""Appeals from the student's side: file one on a criterion of a released grade, and withdraw it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.appeals.queries import allowance_of, report_by_digest
from grading.core.activity_writer import record_activity
from grading.core.code_locations import NamedPlace, read_places, refuse_missing
from grading.core.enums import APPEAL_MOVES, PENDING_APPEALS, AppealState, WebhookEvent
from grading.core.errors import AppealRefused
from grading.core.time_zones import in_words
from grading.core.user_text import required_text
from grading.grades.actions import lock_attempts
from grading.models import Appeal, Audit, AuditContents, Grade
from grading.notifications.webhooks import announce_appeal

MAX_CHARACTERS = 2000  # as Artemis has it


def file_appeal(
    *,
    grade: Grade,
    criterion_id: str,
    text: str,
    by: User,
    cited: Collection[str] = (),
    places: str = "",
) -> Appeal:
    """Appeal one criterion of a released grade, also one that was left out.

    `cited` are ids of the criterion's evidence, `places` one location per line
    (grading.core.code_locations). Raises AppealRefused: not_released, window_over, appeals_used_up,
    appeal_pending, appeal_answered, criterion_unknown, text_missing, text_too_long,
    evidence_unknown, place_unreadable, places_too_many, place_missing.
    """
    missing = "Say what is wrong with the verdict, and why."
    text = required_text(text, MAX_CHARACTERS, field="text", missing=missing, refused=AppealRefused)
    locations = read_places(places)
    # With the grade locked, two appeals sent at once can't exceed the allowance.
    with transaction.atomic():
        grade = _lock_grade(grade)
        _refuse_unless_allowed(grade)
        row = _released_row(grade, criterion_id)
        audit = (
            Audit.objects.select_related("submission")
            .defer("report")
            .get(pk=(grade.released or {})["audit"])
        )
        _refuse_if_appealed(audit.submission_id, row)
        _refuse_missing(locations, audit)
        digest = (grade.released or {})["digest"]
        appeal = Appeal.objects.create(
            organization_id=grade.organization_id,
            submission=audit.submission,
            criterion_id=criterion_id,
            criterion_name=row["name"],
            text=text,
            cited=_cited_evidence(audit, digest, criterion_id, cited),
            places="\n".join(map(str, locations)),
            # The appeal keeps the verdict it is about, whatever is recalculated later.
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


def appeal_refusal(*, grade: Grade, criterion_id: str) -> AppealRefused | None:
    """Return the reason why this criterion cannot be appealed now; None if it can."""
    try:
        _refuse_unless_allowed(grade)
        row = _released_row(grade, criterion_id)
        _refuse_if_appealed((grade.released or {})["submission"], row)
    except AppealRefused as refused:
        return refused
    return None


def withdraw_appeal(*, appeal: Appeal, by: User) -> None:
    """Withdraw an appeal that has no answer yet; it does not use the student's allowance.

    Raises AppealRefused appeal_over.
    """
    with transaction.atomic():
        change_state(appeal, AppealState.WITHDRAWN, decided_at=timezone.now())
        record_activity(
            organization=appeal.organization_id,
            actor=by,
            verb="appeal.withdrawn",
            about=appeal,
            criterion=appeal.criterion_name,
        )


def return_rejudged_appeals(*, audit: Audit) -> None:
    """Put appeals back in the inbox when the audit that judged their criterion again has ended.

    Call it in the transaction that ended the audit, whether or not it gave a verdict.
    """
    for appeal in Appeal.objects.filter(rejudged_in=audit, state=AppealState.REJUDGING):
        change_state(appeal, AppealState.ESCALATED if appeal.escalated_at else AppealState.OPEN)
        record_activity(
            organization=appeal.organization_id,
            actor=None,
            verb="appeal.returned",
            about=appeal,
            criterion=appeal.criterion_name,
        )


def change_state(appeal: Appeal, after: AppealState, **changes: Any) -> None:
    """Make one legal move (enums.APPEAL_MOVES) with one conditional UPDATE.

    Raises AppealRefused appeal_over, also if the appeal was escalated since the caller read it:
    other people may answer it then.
    """
    # The UPDATE repeats the check, so of two concurrent moves one fails.
    before = [state for state, moves in APPEAL_MOVES.items() if after in moves]
    unchanged = Appeal.objects.filter(
        pk=appeal.pk, state__in=before, escalated_at=appeal.escalated_at
    )
    if not unchanged.update(state=after, **changes):
        raise AppealRefused(
            "", "appeal_over", "This appeal has changed since you opened it. Read it again."
        )

    appeal.refresh_from_db(fields=["state", *changes])


def _lock_grade(grade: Grade) -> Grade:
    """Return the grade as it is now, locked until the transaction ends."""
    lock_attempts(grade)
    locked = Grade.objects.select_for_update(no_key=True, of=("self",)).select_related("assignment")
    current = locked.filter(pk=grade.pk).first()
    if current is None:  # with its cohort
        raise AppealRefused(
            "", "not_released", "This grade was deleted. It can't be appealed any more."
        )

    return current


def _refuse_unless_allowed(grade: Grade) -> None:
    allowance = allowance_of(grade)
    if allowance is None:
        raise AppealRefused(
            "", "not_released", "This grade is not released yet, so it can't be appealed."
        )
    if allowance.is_over:
        ended = in_words(allowance.until)
        raise AppealRefused("", "window_over", f"The deadline for appeals was {ended}.")
    if not allowance.left:
        sentence = f"You have used all {allowance.most} appeals at this assignment."
        raise AppealRefused("", "appeals_used_up", sentence)


def _released_row(grade: Grade, criterion_id: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = (grade.released or {})["criteria"]
    for row in rows:
        if row["id"] == criterion_id:
            return row
    raise AppealRefused("", "criterion_unknown", "The released grade has no such criterion.")


def _refuse_if_appealed(submission_id: UUID | str, row: dict[str, Any]) -> None:
    earlier = Appeal.objects.filter(submission__pk=submission_id, criterion_id=row["id"])
    # A pending or identical appeal would only repeat the question.
    if earlier.filter(state__in=PENDING_APPEALS).exists():
        raise AppealRefused(
            "",
            "appeal_pending",
            "You have already appealed this criterion. Wait for the answer.",
        )
    if earlier.filter(state=AppealState.KEPT, verdict=row).exists():
        sentence = "This verdict was already appealed and kept. Read the answer there."
        raise AppealRefused("", "appeal_answered", sentence)


def _refuse_missing(locations: Iterable[NamedPlace], audit: Audit) -> None:
    """Raise AppealRefused place_missing; audits of an older make have no list to look in."""
    contents = AuditContents.objects.defer("sources").filter(audit=audit).first()
    if contents is not None:
        refuse_missing(locations, contents.files, contents.pages)


def _cited_evidence(
    audit: Audit, digest: str, criterion_id: str, cited: Collection[str]
) -> list[str]:
    """Return the ids in the report's order. Raises AppealRefused evidence_unknown."""
    if not cited:
        return []
    report = report_by_digest(audit.submission, digest)
    criterion = report.criterion(criterion_id) if report else None
    evidence = criterion.evidence if criterion else ()
    # Ids come from the browser and may belong to another criterion.
    if set(cited) - set(evidence):
        raise AppealRefused(
            "cited", "evidence_unknown", "Choose from the evidence of this criterion."
        )

    return [key for key in evidence if key in cited]
