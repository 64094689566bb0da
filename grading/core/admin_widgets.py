"""Fields of the administration that Django's own leave without a name."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.widgets import AdminSplitDateTime


class NamedDateTime(AdminSplitDateTime):
    """A day and a time, each called so to whoever cannot see the words before it (no label of Django's is tied to them)."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        for part, words in zip(context["widget"]["subwidgets"], ("Date", "Time"), strict=True):
            part["attrs"]["aria-label"] = words
        return context
