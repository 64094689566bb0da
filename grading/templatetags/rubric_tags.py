"""Addresses of the pages of rubrics, in the frame that the page stands in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template

from grading.models import RubricVersion
from grading.rubrics.publishing.forms import Candidate

register = template.Library()


@register.simple_tag(takes_context=True)
def rubric_page(context: template.Context, page: str, version: RubricVersion | None = None) -> Any:
    """Return the address of a page of rubrics, of this version where one is given."""
    return context["frame"].address(page, version)


@register.filter
def not_own(rows: Sequence[tuple[Candidate, Any, Any]]) -> list[tuple[Candidate, Any, Any]]:
    """Return the rows of assignments that use another rubric."""
    return [row for row in rows if not row[0].is_own]
