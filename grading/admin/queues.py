"""The queues hold every institution's audits: only the operator looks into them, and no staff of an institution."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django_rq.admin import QueueAdmin
from django_rq.models import Dashboard

admin.site.unregister(Dashboard)


def operators_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Beside what the view itself asks for: django-rq's are content with anybody who may enter the administration."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and not request.user.is_superuser:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


@admin.register(Dashboard)
class OperatorsQueueAdmin(QueueAdmin):
    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def get_urls(self) -> list[URLPattern]:
        patterns: list[URLPattern] = super().get_urls()  # type: ignore[no-untyped-call]  # -- django-rq leaves it untyped
        for pattern in patterns:
            pattern.callback = operators_only(pattern.callback)
        return patterns
