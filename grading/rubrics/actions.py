"""Actions on rubrics: import, draft, edit, publish, and adopt in an assignment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import Truncator, slugify
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import RubricState
from grading.core.errors import RubricKnown, RubricRefused
from grading.engine import rubrics as engine_rubrics
from grading.models import Assignment, Organization, Rubric, RubricVersion

if TYPE_CHECKING:
    from grading.engine.audits import RubricDocument


def adopt_shipped_rubric(
    *, organization: Organization, name: str, by: User | None
) -> RubricVersion:
    """Return the organization's published version of a shipped rubric, made on first use.

    `name` is one of engine.audits.SHIPPED_RUBRICS. When the shipped rubric has changed since, the
    change becomes the next version. Raises RubricRefused.
    """
    from grading.engine import audits as engine_audits

    shipped = engine_audits.shipped_rubric(name)
    with transaction.atomic(), scope(organization=organization):
        rubric, _created = Rubric.objects.get_or_create(
            organization=organization, slug=shipped.slug, defaults={"name": shipped.name}
        )
        # The digest tells if the shipped document is already a version of this organization.
        current = rubric.versions.filter(digest=shipped.digest, state=RubricState.PUBLISHED).first()
        if current:
            return current
        draft = draft_rubric_version(rubric=rubric, document=shipped.document, by=by)
        return publish_rubric_version(version=draft, by=by)


def draft_rubric_version(
    *,
    rubric: Rubric,
    document: dict[str, Any],
    by: User | None,
    why: str = "",
    based_on: RubricVersion | None = None,
) -> RubricVersion:
    """Create the next version of a rubric as a draft; `why` is its note for people."""
    with transaction.atomic(), scope(organization=rubric.organization):
        # The lock on the rubric keeps two drafts from taking the same number.
        Rubric.objects.select_for_update().get(pk=rubric.pk)
        last = rubric.versions.aggregate(last=Max("number"))["last"] or 0
        draft = rubric.versions.create(
            organization=rubric.organization,
            number=last + 1,
            document=document,
            note=why,
            based_on=based_on,
        )
        record_activity(
            organization=rubric.organization,
            actor=by,
            verb="rubric.drafted",
            about=draft,
            number=draft.number,
        )
    return draft


def duplicate_version(*, version: RubricVersion, by: User | None, why: str = "") -> RubricVersion:
    """Create a draft of the same rubric as a copy of this version, whatever its state."""
    with scope(organization=version.organization):
        return draft_rubric_version(
            rubric=version.rubric,
            document=version.document,
            by=by,
            why=why or f"Copy of version {version.number}",
            based_on=version,
        )


def import_rubric(
    *,
    organization: Organization,
    text: str,
    by: User | None,
    rubric: Rubric | None = None,
    source: str = "",
    again: bool = False,
) -> RubricVersion:
    """Create a draft from a JSON text in any layout; its Activity lists what was not used.

    The draft goes to `rubric`, else to the organization's rubric with its id, else to a new one.
    `source` is the name of the text for people. Raises RubricRefused, and RubricKnown when a
    version of that rubric has this very document, unless `again` is true.
    """
    from grading.engine import audits as engine_audits

    read = engine_audits.read_rubric(text)
    with transaction.atomic(), scope(organization=organization):
        # Locked first: two imports of one text at once cannot both pass the check for duplicates.
        rubric = Rubric.objects.select_for_update().get(
            pk=(rubric or _rubric_for(organization, read)).pk
        )
        if not again:
            _refuse_duplicate(rubric, read, text)
        draft = draft_rubric_version(
            rubric=rubric,
            document=read.document,
            by=by,
            why=f"Imported from {source or 'JSON'}"[:300],
        )
        record_activity(
            organization=organization,
            actor=by,
            verb="rubric.imported",
            about=draft,
            number=draft.number,
            source=source,
            digest=read.digest,
            notes=_note_rows(read, text),
        )
    return draft


def _rubric_for(organization: Organization, read: RubricDocument) -> Rubric:
    # An id in another script can leave an empty slug.
    slug = slugify(read.slug)[:80] or "rubric"
    defaults = {"name": read.name[:200]}
    return Rubric.objects.get_or_create(organization=organization, slug=slug, defaults=defaults)[0]


def _refuse_duplicate(rubric: Rubric, read: RubricDocument, text: str) -> None:
    for version in rubric.versions.order_by("-number"):
        if engine_rubrics.document_digest(version.document) == read.digest:
            state = version.get_state_display().lower()
            sentence = f"This rubric already exists as {version} ({state})."
            raise RubricKnown(version.pk, sentence, _note_rows(read, text))


def _note_rows(read: RubricDocument, text: str) -> list[dict[str, Any]]:
    """Return the notes of an import, each with an excerpt of its line."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").split("\n")]
    return [
        {
            "line": row.line,
            "where": row.where,
            "message": row.message,
            "text": _excerpt(lines[row.line - 1 : row.line + 1]),
        }
        for row in read.notes
    ]


def _excerpt(lines: list[str]) -> str:
    # A bracket alone says nothing, so the next line stands beside it.
    return Truncator(" ".join(lines) if lines[0] in ("{", "[") else lines[0]).chars(200)


def publish_rubric_version(*, version: RubricVersion, by: User | None) -> RubricVersion:
    """Publish a draft for good; the version published before becomes superseded.

    The courtroom reads the stored document first, so that every published version can be judged
    under. Raises RubricRefused: rubric_unfinished, rubric_published.
    """
    from grading.engine import audits as engine_audits

    with transaction.atomic(), scope(organization=version.organization):
        Rubric.objects.select_for_update().get(pk=version.rubric_id)
        # Read again under the lock: the draft may have been edited since it was loaded.
        version.refresh_from_db(fields=["document"])
        if faults := len(engine_rubrics.rubric_faults(version.document)):
            problems = "1 problem" if faults == 1 else f"{faults} problems"
            raise RubricRefused(
                "rubric_unfinished", f"This draft is unfinished: fix {problems} first."
            )

        read = engine_audits.read_rubric(json.dumps(version.document))
        siblings = RubricVersion.objects.filter(rubric=version.rubric_id)
        # Before the draft is published: the database allows one published version per rubric.
        siblings.filter(state=RubricState.PUBLISHED).update(state=RubricState.SUPERSEDED)

        # One conditional UPDATE: of two who publish at once, the second changes no row.
        drafts = siblings.filter(pk=version.pk, state=RubricState.DRAFT)
        sealed = {"state": RubricState.PUBLISHED, "document": read.document, "digest": read.digest}
        if not drafts.update(**sealed, published_at=timezone.now()):
            raise RubricRefused(
                "rubric_published", "This version is already published and never changes."
            )

        version.refresh_from_db()
        record_activity(
            organization=version.organization,
            actor=by,
            verb="rubric.published",
            about=version,
            number=version.number,
            digest=version.digest,
        )
    return version


def adopt_rubric_version(
    *, assignment: Assignment, version: RubricVersion, by: User | None
) -> Assignment:
    """Judge future submissions of an assignment under this version.

    Existing verdicts stay, and audits that wait or run keep their version.
    Raises RubricRefused: rubric_not_published (a draft, or another organization's version).
    """
    # Superseded versions are allowed: they never change either.
    if version.organization_id != assignment.organization_id or version.state == RubricState.DRAFT:
        sentence = "Only a published rubric of this organization can be used."
        raise RubricRefused("rubric_not_published", sentence)

    with transaction.atomic(), scope(organization=assignment.organization):
        assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
        # Adopting the same version again changes nothing and is not logged.
        before = assignment.rubric_version
        if before != version:
            assignment.rubric_version = version
            assignment.save(update_fields=["rubric_version"])
            record_activity(
                organization=assignment.organization_id,
                actor=by,
                verb="assignment.rubric_adopted",
                about=assignment,
                before=str(before),
                after=str(version),
                digest=version.digest,
            )
    return assignment


# Kinds of faults with which PostgreSQL cannot store the document.
UNUSABLE = {"character_unusable", "string_unicode", "finite_number", "nested_too_deeply"}


def save_draft(
    *,
    version: RubricVersion,
    document: dict[str, Any],
    why: str,
    expected_digest: str,
    by: User | None,
    unfinished: bool = False,
) -> RubricVersion:
    """Replace a draft's document and note.

    `expected_digest` is that of the stored document from which the change began. `unfinished`
    saves a document with faults; it cannot be published before they are fixed. Raises
    RubricRefused: rubric_invalid, rubric_unusable, rubric_published, rubric_changed_meanwhile.
    """
    faults = engine_rubrics.rubric_faults(document)
    if faults and not unfinished:
        raise RubricRefused("rubric_invalid", faults[0].message)
    if unusable := [fault for fault in faults if fault.kind in UNUSABLE]:
        raise RubricRefused("rubric_unusable", unusable[0].message)

    settled = document if faults else engine_rubrics.settled_rubric(document)
    with transaction.atomic(), scope(organization=version.organization):
        # Compared under the lock, so that no other save comes between the check and the write.
        draft = RubricVersion.objects.select_for_update().get(pk=version.pk)
        _refuse_stale(draft, expected_digest)
        # An unchanged draft gets no Activity row.
        if (draft.document, draft.note) != (settled, why):
            draft.document, draft.note = settled, why
            draft.save(update_fields=["document", "note"])
            record_activity(
                organization=version.organization_id,
                actor=by,
                verb="rubric.edited",
                about=draft,
                number=draft.number,
                digest=engine_rubrics.document_digest(settled),
                faults=len(faults),
            )
    return draft


def _refuse_stale(draft: RubricVersion, expected_digest: str) -> None:
    if draft.state != RubricState.DRAFT:
        sentence = "This version has been published since you opened it and never changes."
        raise RubricRefused("rubric_published", sentence)
    if engine_rubrics.document_digest(draft.document) != expected_digest:
        sentence = (
            "This draft was saved by someone else, or in another window, after you opened it."
        )
        raise RubricRefused("rubric_changed_meanwhile", sentence)


def publish_reviewed_draft(
    *, version: RubricVersion, expected_digest: str, by: User | None
) -> RubricVersion:
    """Publish exactly the document that a person reviewed, known by its digest.

    Raises RubricRefused: rubric_published, rubric_changed_meanwhile, and all that
    publish_rubric_version raises.
    """
    with transaction.atomic(), scope(organization=version.organization):
        # Lock the rubric before the version, in the order of publish_rubric_version.
        Rubric.objects.select_for_update().get(pk=version.rubric_id)
        draft = RubricVersion.objects.select_for_update().get(pk=version.pk)
        _refuse_stale(draft, expected_digest)
        return publish_rubric_version(version=draft, by=by)
