"""Taking a rubric in, and publishing a version of it for good."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django_scopes import scope

from grading.actions.activities import note
from grading.enums import RubricState
from grading.errors import RubricRefused
from grading.models import Organization, Rubric, RubricVersion


def adopt_shipped_rubric(*, organization: Organization, name: str, by: User | None) -> RubricVersion:
    """The organization's published version of a shipped rubric (engine.SHIPPED_RUBRICS); made once.

    When the shipped rubric has changed since, the change becomes the next version. Raises RubricRefused.
    """
    from grading import engine

    shipped = engine.shipped_rubric(name)
    with transaction.atomic(), scope(organization=organization):
        rubric, _created = Rubric.objects.get_or_create(
            organization=organization, slug=shipped.slug, defaults={"name": shipped.name}
        )
        current = rubric.versions.filter(digest=shipped.digest, state=RubricState.PUBLISHED).first()
        if current:
            return current
        draft = draft_rubric_version(rubric=rubric, document=shipped.document, by=by)
        return publish_rubric_version(version=draft, by=by)


def draft_rubric_version(*, rubric: Rubric, document: dict[str, Any], by: User | None) -> RubricVersion:
    """The next version of a rubric, to be edited until it is published."""
    with transaction.atomic(), scope(organization=rubric.organization):
        Rubric.objects.select_for_update().get(pk=rubric.pk)
        last = rubric.versions.aggregate(last=Max("number"))["last"] or 0
        draft = rubric.versions.create(organization=rubric.organization, number=last + 1, document=document)
        note(
            organization=rubric.organization,
            actor=by,
            verb="rubric.drafted",
            about=draft,
            number=draft.number,
        )
    return draft


def publish_rubric_version(*, version: RubricVersion, by: User | None) -> RubricVersion:
    """From now on this version never changes; the version published before is superseded.

    The document is read by the courtroom first, so that what is published can be judged; what it could not
    use is noted, line by line, in the log.
    Raises RubricRefused.
    """
    from grading import engine

    read = engine.read_rubric(json.dumps(version.document))
    with transaction.atomic(), scope(organization=version.organization):
        Rubric.objects.select_for_update().get(pk=version.rubric_id)
        siblings = RubricVersion.objects.filter(rubric=version.rubric_id)
        siblings.filter(state=RubricState.PUBLISHED).update(state=RubricState.SUPERSEDED)
        drafts = siblings.filter(pk=version.pk, state=RubricState.DRAFT)
        sealed = {"state": RubricState.PUBLISHED, "document": read.document, "digest": read.digest}
        if not drafts.update(**sealed, published_at=timezone.now()):
            raise RubricRefused("rubric_published", "This version was published already and never changes.")
        version.refresh_from_db()
        note(
            organization=version.organization, actor=by, verb="rubric.published", about=version,
            number=version.number, digest=version.digest, notes=list(read.notes),
        )  # fmt: skip
    return version
