"""Actions that put a reviewed version into force, in one or several assignments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from grading.bulk.actions import start_bulk
from grading.core.enums import BulkVerb, RubricState
from grading.core.errors import ActionRefused, BulkRefused, RubricRefused
from grading.engine import rubrics as engine_rubrics
from grading.models import Assignment, Audit, BulkRun, RubricVersion
from grading.rubrics.actions import adopt_rubric_version, publish_reviewed_draft


@dataclass(frozen=True, slots=True)
class Use:
    """Use of a version by an assignment.

    With `adopt`, future submissions are judged under it. `audits` are re-synthesised; `confirmed`
    is their number as the person saw it.
    """

    assignment: Assignment
    adopt: bool
    audits: tuple[Audit, ...] = ()
    confirmed: int | None = None


class UseRefused(ActionRefused):
    """Use by one assignment that was refused, and with it all the rest."""

    def __init__(self, use: Use, refusal: ActionRefused) -> None:
        super().__init__(refusal.code, refusal.sentence)
        self.use = use
        self.is_about_count = isinstance(refusal, BulkRefused) and refusal.field == "confirmed"


def publish_and_use(
    *, version: RubricVersion, expected_digest: str, uses: Sequence[Use], by: User | None
) -> list[BulkRun]:
    """Publish a draft and use it in assignments, all of it or nothing; return the bulk runs.

    `expected_digest` is that of the document that the person reviewed. A published version is only
    used. Raises RubricRefused, or UseRefused for the first assignment that refuses.
    """
    with transaction.atomic():
        published = _published(version, expected_digest, by)
        # One order of locks, so that two persons cannot block one another.
        ordered = sorted(uses, key=lambda use: use.assignment.pk)
        runs = [_used(published, use, by) for use in ordered]
    return [run for run in runs if run is not None]


def _published(version: RubricVersion, expected_digest: str, by: User | None) -> RubricVersion:
    # A published version cannot have changed, but the person may have reviewed another one.
    if version.state == RubricState.DRAFT:
        return publish_reviewed_draft(version=version, expected_digest=expected_digest, by=by)
    if engine_rubrics.document_digest(version.document) != expected_digest:
        raise RubricRefused(
            "rubric_changed_meanwhile",
            "This version is not the one that was shown. Open the page again.",
        )
    return version


def _used(version: RubricVersion, use: Use, by: User | None) -> BulkRun | None:
    try:
        if use.adopt:
            adopt_rubric_version(assignment=use.assignment, version=version, by=by)
        if not use.audits:
            return None
        return start_bulk(
            assignment=use.assignment,
            verb=BulkVerb.RESYNTHESISE,
            rubric_version=version,
            audits=use.audits,
            by=by,
            confirmed=use.confirmed,
        )
    except ActionRefused as refusal:
        raise UseRefused(use, refusal) from refusal
