"""Deleting a cohort with everything handed in to it. Only the log stays, and what belongs to the organization."""

from __future__ import annotations

import structlog
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import transaction

from grading.actions.activities import note
from grading.errors import ActionRefused
from grading.models import Assignment, Audit, Cohort, Enrollment, Submission
from grading.queries.courses.holdings import holdings_of, kinds_of, running_in, uploads_of

log = structlog.get_logger(__name__)


def delete_cohort(*, cohort: Cohort, typed: str, seen: str, by: User) -> None:
    """All of it or nothing; the uploads go when the transaction holds. What is gone already stays gone.

    `typed` is the cohort's slug, as whoever asks has typed it; `seen` the fingerprint of what they were shown. Raises
    ActionRefused: slug_differs, audits_running, holdings_changed.
    """
    if typed.strip() != cohort.slug:
        raise ActionRefused("slug_differs", f"Type {cohort.slug} to delete this cohort.")
    _refuse_unfit(cohort, seen)
    with transaction.atomic():
        if not _held_still(cohort):
            return
        _refuse_unfit(cohort, seen)
        holdings, uploads = holdings_of(cohort), list(uploads_of(cohort))
        note(
            organization=cohort.organization_id, actor=by, verb="cohort.deleted", about=cohort,
            slug=cohort.slug, name=cohort.name, held=dict(holdings.kinds), uploads=holdings.uploads,
            upload_bytes=holdings.upload_bytes,
        )  # fmt: skip
        for _words, rows in kinds_of(cohort):
            rows.only("pk").delete()
        Cohort.objects.filter(pk=cohort.pk).delete()
        _drop_on_commit(uploads)


def _held_still(cohort: Cohort) -> bool:
    """Whoever hands in, judges again or enrolls meanwhile waits, and then finds nothing; False where that is us.

    Only where nothing runs: what ends an audit holds its row and asks for the student's.
    """
    locked = [
        list(rows.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
        for rows in (
            Cohort.objects.filter(pk=cohort.pk),
            Enrollment.objects.filter(cohort=cohort),
            Assignment.objects.filter(cohort=cohort),
            Submission.objects.filter(assignment__cohort=cohort),
            Audit.objects.filter(submission__assignment__cohort=cohort),
        )
    ]
    return bool(locked[0])


def _refuse_unfit(cohort: Cohort, seen: str) -> None:
    if running := running_in(cohort):
        are = "One audit or bulk run is" if running == 1 else f"{running} audits or bulk runs are"
        raise ActionRefused("audits_running", f"{are} waiting or running: delete when all have ended.")
    if holdings_of(cohort).fingerprint != seen:
        raise ActionRefused(
            "holdings_changed", "Something changed since you looked: it is shown as it is now."
        )


def _drop_on_commit(uploads: list[str]) -> None:
    def drop() -> None:  # Django names a robust callback in its log, which it cannot with a partial
        for name in uploads:
            try:
                default_storage.delete(name)
            except OSError as error:
                log.warning("upload_left", upload=name, error=type(error).__name__)

    transaction.on_commit(drop, robust=True)
