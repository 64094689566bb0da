"""Changing a draft of a rubric, so that nobody's work is overwritten unseen."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django_scopes import scope

from grading import rubric_engine
from grading.actions.activities import note
from grading.actions.courses.rubrics import publish_rubric_version
from grading.enums import RubricState
from grading.errors import RubricRefused
from grading.models import Rubric, RubricVersion

UNUSABLE = {"character_unusable", "string_unicode", "finite_number"}  # what no database of ours stores


def save_draft(
    *,
    version: RubricVersion,
    document: dict[str, Any],
    why: str,
    seen: str,
    by: User | None,
    unfinished: bool = False,
) -> RubricVersion:
    """Put a document in a draft's place. `seen` is the digest of the stored document that the change began from.

    `unfinished` keeps one with faults as it is, to be mended later: until then it cannot be published.
    Raises RubricRefused: rubric_invalid, rubric_unusable, rubric_published, rubric_changed_meanwhile.
    """
    faults = rubric_engine.rubric_faults(document)
    if faults and not unfinished:
        raise RubricRefused("rubric_invalid", faults[0].message)
    if unusable := [fault for fault in faults if fault.kind in UNUSABLE]:
        raise RubricRefused("rubric_unusable", unusable[0].message)
    settled = document if faults else rubric_engine.settled_rubric(document)
    with transaction.atomic(), scope(organization=version.organization):
        draft = RubricVersion.objects.select_for_update().get(pk=version.pk)
        _refuse_what_moved_on(draft, seen)
        if (draft.document, draft.note) != (settled, why):
            draft.document, draft.note = settled, why
            draft.save(update_fields=["document", "note"])
            note(
                organization=version.organization_id, actor=by, verb="rubric.edited", about=draft,
                number=draft.number, digest=rubric_engine.document_digest(settled), faults=len(faults),
            )  # fmt: skip
    return draft


def _refuse_what_moved_on(draft: RubricVersion, seen: str) -> None:
    if draft.state != RubricState.DRAFT:
        sentence = "This version was published meanwhile and never changes any more."
        raise RubricRefused("rubric_published", sentence)
    if rubric_engine.document_digest(draft.document) != seen:
        sentence = "Somebody else saved this draft after you opened it, or you did in another window."
        raise RubricRefused("rubric_changed_meanwhile", sentence)


def publish_seen_draft(*, version: RubricVersion, seen: str, by: User | None) -> RubricVersion:
    """Publish exactly the document that was looked at; `seen` is its digest.

    Raises RubricRefused: rubric_published, rubric_changed_meanwhile, and what publish_rubric_version refuses.
    """
    with transaction.atomic(), scope(organization=version.organization):
        Rubric.objects.select_for_update().get(pk=version.rubric_id)  # first, as whoever publishes locks it
        draft = RubricVersion.objects.select_for_update().get(pk=version.pk)
        _refuse_what_moved_on(draft, seen)
        return publish_rubric_version(version=draft, by=by)
