"""Actions that put a previewed version into force."""

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


def apply_preview(
    *,
    assignment: Assignment,
    version: RubricVersion,
    expected_digest: str,
    adopt: bool,
    audits: Sequence[Audit],
    confirmed: int | None,
    by: User,
) -> BulkRun | None:
    """Publish a draft, adopt the version and re-synthesise audits, all of it or nothing.

    `expected_digest` is that of the previewed document. With `adopt`, future submissions are
    judged under the version. `audits` are re-synthesised; `confirmed` is their number as the
    person saw it. Raises RubricRefused, BulkRefused or RenewalRefused.
    """
    with transaction.atomic():
        version = _published(version, expected_digest, by)
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


def _published(version: RubricVersion, expected_digest: str, by: User) -> RubricVersion:
    # A published version cannot have changed, but the person may have previewed another one.
    if version.state == RubricState.DRAFT:
        return publish_reviewed_draft(version=version, expected_digest=expected_digest, by=by)
    if engine_rubrics.document_digest(version.document) != expected_digest:
        raise RubricRefused(
            "rubric_changed_meanwhile",
            "This version is not the one that was previewed. Open the preview again.",
        )
    return version
