"""How long something took, as a person says it."""

from __future__ import annotations

from datetime import timedelta

from django import template

register = template.Library()


@register.filter
def lasting(time: timedelta | None) -> str:
    """In hours up to two days, then in days; a dash where nothing was measured."""
    if time is None:
        return "—"
    hours = time.total_seconds() / 3600
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.1f} days"
