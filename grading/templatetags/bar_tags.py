"""Template tag for the bar of the pages of an organization."""

from __future__ import annotations

from typing import Any

from django import template
from django.contrib.auth.models import User
from django.template import Context
from django_scopes import get_scope

from grading.dashboard.bar import Bar, bar_of
from grading.models import Organization

register = template.Library()


@register.simple_tag(takes_context=True)
def bar(context: Context) -> Bar | None:
    """Return the bar, null for visitors and outside the scope of one organization."""
    request: Any = context.get("request")
    organization = get_scope().get("organization")  # type: ignore[no-untyped-call]  # -- django-scopes is untyped
    if not isinstance(organization, Organization) or request is None:
        return None
    if not isinstance(request.user, User):
        return None
    above = [address for _label, address in context.get("trail") or ()]
    return bar_of(request.user, organization, request.path, above)
