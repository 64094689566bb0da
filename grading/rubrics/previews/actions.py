"""From a preview to what it showed: a version published, adopted by an assignment, and applied to what counts there."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction

from grading.bulk.actions import start_bulk
from grading.core.enums import BulkVerb, RubricState
from grading.core.errors import RubricRefused
from grading.engine import rubrics as engine_rubrics
from grading.models import Assignment, Audit, BulkRun, RubricVersion
from grading.rubrics.actions import adopt_rubric_version, publish_reviewed_draft


def enact_preview(
    *,
    assignment: Assignment,
    version: RubricVersion,
    seen: str,
    adopt: bool,
    audits: Sequence[Audit],
    confirmed: int | None,
    by: User,
) -> BulkRun | None:
    """Publish the version if it is a draft, and with it all that was chosen, or nothing.

    `seen` is the digest of the document that was previewed. `adopt`: what is handed in from now on is judged under it.
    `audits` are re-synthesised under it, none if there are none; `confirmed` is their number as the person was shown it.
    Raises RubricRefused, BulkRefused or RenewalRefused.
    """
    with transaction.atomic():
        version = _in_force(version, seen, by)
        if adopt:
            adopt_rubric_version(assignment=assignment, version=version, by=by)
        if not audits:
            return None
        return start_bulk(
            assignment=assignment,
            verb=BulkVerb.RESYNTHESISE,
            rubric_version=version,
            audits=audits,
            by=by,
            confirmed=confirmed,
        )


def _in_force(version: RubricVersion, seen: str, by: User) -> RubricVersion:
    """Only a draft can have changed since it was previewed."""
    if version.state == RubricState.DRAFT:
        return publish_reviewed_draft(version=version, expected_digest=seen, by=by)
    if engine_rubrics.document_digest(version.document) != seen:
        raise RubricRefused(
            "rubric_changed_meanwhile", "This is not the text that was previewed: look again."
        )
    return version
