"""Creation of a rubric with its first draft."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify
from django_scopes import scope

from grading.core.errors import RubricRefused
from grading.models import Organization, Rubric, RubricVersion
from grading.rubrics.actions import draft_rubric_version


def create_rubric(
    *,
    organization: Organization,
    name: str,
    document: dict[str, Any],
    by: User | None,
    why: str = "",
) -> RubricVersion:
    """Create a rubric of this name, and return its first draft with a copy of the document.

    Raises RubricRefused: rubric_name_taken.
    """
    # A name in another script can leave an empty slug.
    slug = slugify(name)[:80] or "rubric"
    with transaction.atomic(), scope(organization=organization):
        rubric, is_new = Rubric.objects.get_or_create(
            organization=organization, slug=slug, defaults={"name": name}
        )
        if not is_new:
            sentence = (
                f"There is already a rubric “{rubric}”. Choose another name, or edit that one."
            )
            raise RubricRefused("rubric_name_taken", sentence)
        own = {**document, "id": slug.replace("-", "_"), "name": name}
        return draft_rubric_version(rubric=rubric, document=own, by=by, why=why)
