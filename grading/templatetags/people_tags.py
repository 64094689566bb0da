"""Template tag for staff who view a student's pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import template
from django.template import Context

from grading.core.view_as import Viewing, viewing_of

register = template.Library()


@dataclass(frozen=True, slots=True)
class ShownView:
    """The view, and whether this page is one of those that it shows as the student's."""

    viewing: Viewing
    is_inside: bool


@register.simple_tag(takes_context=True)
def viewing(context: Context) -> ShownView | None:
    """Return the view that the session holds, null for visitors and without one."""
    request: Any = context.get("request")
    if request is None or not getattr(request, "user", None) or not request.user.is_authenticated:
        return None
    view = viewing_of(request)
    return (
        ShownView(view, is_inside=hasattr(request, "viewer")) if view and not view.is_over else None
    )
