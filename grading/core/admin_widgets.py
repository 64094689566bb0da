"""Admin widgets with accessible names."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.widgets import AdminSplitDateTime


class NamedDateTime(AdminSplitDateTime):
    """Date and time inputs with an aria-label: Django ties no label to them."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        for part, label in zip(context["widget"]["subwidgets"], ("Date", "Time"), strict=True):
            part["attrs"]["aria-label"] = label
        return context
