"""Taking a rubric in, going on from one, publishing a version for good, and judging by it from then on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import Truncator, slugify
from django_scopes import scope

from grading.core.activity import record_activity
from grading.core.enums import RubricState
from grading.core.errors import RubricKnown, RubricRefused
from grading.models import Assignment, Organization, Rubric, RubricVersion

if TYPE_CHECKING:
    from grading.engine.audits import RubricDocument
from grading.engine import rubrics as engine_rubrics


def adopt_shipped_rubric(
    *, organization: Organization, name: str, by: User | None
) -> RubricVersion:
    """The organization's published version of a shipped rubric (engine.SHIPPED_RUBRICS); made once.

    When the shipped rubric has changed since, the change becomes the next version. Raises RubricRefused.
    """
    from grading.engine import audits as engine_audits

    shipped = engine_audits.shipped_rubric(name)
    with transaction.atomic(), scope(organization=organization):
        rubric, _created = Rubric.objects.get_or_create(
            organization=organization, slug=shipped.slug, defaults={"name": shipped.name}
        )
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
    """The next version of a rubric, to be edited until it is published; `why` is for people."""
    with transaction.atomic(), scope(organization=rubric.organization):
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
    """A new draft of the same rubric that begins as a copy of this version, whatever state that is in."""
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
    """A new draft of what a JSON text in any layout says; its Activity holds what was not used, line by line.

    It goes to `rubric`, else to the organization's rubric of its id, else to a new one. `source` is what people call
    the text. Raises RubricRefused, and RubricKnown when a version of that rubric is this very document: only
    `again` makes another.
    """
    from grading.engine import audits as engine_audits

    read = engine_audits.read_rubric(text)
    with transaction.atomic(), scope(organization=organization):
        rubric = Rubric.objects.select_for_update().get(
            pk=(rubric or _rubric_for(organization, read)).pk
        )
        if not again:
            _refuse_known(rubric, read, text)
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
            notes=_as_told(read, text),
        )
    return draft


def _rubric_for(organization: Organization, read: RubricDocument) -> Rubric:
    slug = slugify(read.slug)[:80] or "rubric"
    defaults = {"name": read.name[:200]}
    return Rubric.objects.get_or_create(organization=organization, slug=slug, defaults=defaults)[0]


def _refuse_known(rubric: Rubric, read: RubricDocument, text: str) -> None:
    from grading.engine import rubrics as engine_rubrics

    for version in rubric.versions.order_by("-number"):
        if engine_rubrics.document_digest(version.document) == read.digest:
            state = version.get_state_display().lower()
            sentence = f"This very rubric is here already: it is {version}, {state}."
            raise RubricKnown(version.pk, sentence, _as_told(read, text))


def _as_told(read: RubricDocument, text: str) -> list[dict[str, Any]]:
    """The notes, each with what stands in its line; a bracket alone says nothing, so the next line is there too."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").split("\n")]
    return [
        {
            "line": n.line,
            "where": n.where,
            "message": n.message,
            "text": _standing(lines[n.line - 1 : n.line + 1]),
        }
        for n in read.notes
    ]


def _standing(lines: list[str]) -> str:
    return Truncator(" ".join(lines) if lines[0] in ("{", "[") else lines[0]).chars(200)


def publish_rubric_version(*, version: RubricVersion, by: User | None) -> RubricVersion:
    """From now on this version never changes; the version published before is superseded.

    The document, as it was saved last, is read by the courtroom first, so that what is published can be judged.
    Raises RubricRefused: rubric_unfinished, rubric_published.
    """
    from grading.engine import audits as engine_audits
    from grading.engine import rubrics as engine_rubrics

    with transaction.atomic(), scope(organization=version.organization):
        Rubric.objects.select_for_update().get(pk=version.rubric_id)
        version.refresh_from_db(fields=["document"])
        if faults := len(engine_rubrics.rubric_faults(version.document)):
            things = "one thing" if faults == 1 else f"{faults} things"
            raise RubricRefused(
                "rubric_unfinished", f"This draft is not finished: {things} must be mended first."
            )
        read = engine_audits.read_rubric(json.dumps(version.document))
        siblings = RubricVersion.objects.filter(rubric=version.rubric_id)
        siblings.filter(state=RubricState.PUBLISHED).update(state=RubricState.SUPERSEDED)
        drafts = siblings.filter(pk=version.pk, state=RubricState.DRAFT)
        sealed = {"state": RubricState.PUBLISHED, "document": read.document, "digest": read.digest}
        if not drafts.update(**sealed, published_at=timezone.now()):
            raise RubricRefused(
                "rubric_published", "This version was published already and never changes."
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
    """What is handed in from now on is judged under this version; what was judged keeps its verdict.

    Audits that wait or run go on under the version they were asked under.
    Raises RubricRefused: rubric_not_published (a draft, or another organization's).
    """
    if version.organization_id != assignment.organization_id or version.state == RubricState.DRAFT:
        sentence = "Only a published rubric of this organization can be used."
        raise RubricRefused("rubric_not_published", sentence)
    with transaction.atomic(), scope(organization=assignment.organization):
        assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
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


UNUSABLE = {
    "character_unusable",
    "string_unicode",
    "finite_number",
}  # what no database of ours stores


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
    faults = engine_rubrics.rubric_faults(document)
    if faults and not unfinished:
        raise RubricRefused("rubric_invalid", faults[0].message)
    if unusable := [fault for fault in faults if fault.kind in UNUSABLE]:
        raise RubricRefused("rubric_unusable", unusable[0].message)
    settled = document if faults else engine_rubrics.settled_rubric(document)
    with transaction.atomic(), scope(organization=version.organization):
        draft = RubricVersion.objects.select_for_update().get(pk=version.pk)
        _refuse_what_moved_on(draft, seen)
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


def _refuse_what_moved_on(draft: RubricVersion, seen: str) -> None:
    if draft.state != RubricState.DRAFT:
        sentence = "This version was published meanwhile and never changes any more."
        raise RubricRefused("rubric_published", sentence)
    if engine_rubrics.document_digest(draft.document) != seen:
        sentence = (
            "Somebody else saved this draft after you opened it, or you did in another window."
        )
        raise RubricRefused("rubric_changed_meanwhile", sentence)


def publish_seen_draft(*, version: RubricVersion, seen: str, by: User | None) -> RubricVersion:
    """Publish exactly the document that was looked at; `seen` is its digest.

    Raises RubricRefused: rubric_published, rubric_changed_meanwhile, and what publish_rubric_version refuses.
    """
    with transaction.atomic(), scope(organization=version.organization):
        Rubric.objects.select_for_update().get(
            pk=version.rubric_id
        )  # first, as whoever publishes locks it
        draft = RubricVersion.objects.select_for_update().get(pk=version.pk)
        _refuse_what_moved_on(draft, seen)
        return publish_rubric_version(version=draft, by=by)
