"""Admin pages of audits, benches, model usage and job queues."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django_rq.admin import QueueAdmin
from django_rq.models import Dashboard

from grading.audits.benches.bench_checks import BenchChoices, faults_of
from grading.audits.queries import start_of_month, usage_of_organization
from grading.core.admin_lists import (
    LongListAdmin,
    NewestFilter,
    OwnFilter,
    assignment_at,
    student_at,
)
from grading.core.admin_tenancy import TenantAdmin
from grading.engine.bench_settings import sealed_key
from grading.models import (
    Assignment,
    Audit,
    Enrollment,
    ModelUsage,
    OrganizationBench,
)

if TYPE_CHECKING:
    _BenchForm = forms.ModelForm[OrganizationBench]
else:
    # ModelForm is generic only to the type checker.
    _BenchForm = forms.ModelForm


@admin.register(Audit)
class AuditAdmin(LongListAdmin):
    list_display = (
        "student",
        "assignment",
        "attempt",
        "kind",
        "state",
        "stage",
        "overall_score",
        "run_attempt",
        "queued_at",
        "finished_at",
    )
    list_filter = ("created_at", "state", "kind", ("submission__assignment", NewestFilter))
    searched = (student_at("submission__student"), assignment_at("submission__assignment"))
    list_select_related = ("submission__student", "submission__assignment")
    # The token is the right to write, and the report is too large for a page of fields.
    exclude = ("lease_token", "report")

    @admin.display(ordering="submission__student__name")
    def student(self, audit: Audit) -> Enrollment:
        return audit.submission.student

    @admin.display(ordering="submission__assignment__title")
    def assignment(self, audit: Audit) -> Assignment:
        return audit.submission.assignment

    @admin.display(ordering="submission__attempt")
    def attempt(self, audit: Audit) -> int:
        return audit.submission.attempt

    def view_on_site(self, audit: Audit) -> str:
        """Return the page of its report."""
        return reverse("audit", args=[audit.organization.slug, audit.pk])

    def get_queryset(self, request: HttpRequest) -> QuerySet[Audit]:
        return super().get_queryset(request).defer("report")


class OrganizationBenchForm(_BenchForm):
    new_key = forms.CharField(
        label="API key",
        required=False,
        strip=True,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text="Stored encrypted and never shown again. Leave it blank to keep the stored one.",
    )
    forget_key = forms.BooleanField(label="Delete the stored API key", required=False)

    class Meta:
        model = OrganizationBench
        fields = (
            "organization",
            "provider",
            "provider_url",
            "prosecutor_model",
            "defense_model",
            "tech_lead_model",
            "base_url",
            "batch",
            "debate",
            "audit_budget_usd",
            "monthly_budget_usd",
        )
        help_texts: ClassVar = dict.fromkeys(
            ("audit_budget_usd", "monthly_budget_usd"),
            "With the operator's API key the smaller counts: this or the operator's limit.",
        )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        names = BenchChoices.__dataclass_fields__
        choices = BenchChoices(**{name: cleaned[name] for name in names if name in cleaned})
        is_kept = bool(self.instance.sealed_key) and not cleaned.get("forget_key")
        has_own_key = bool(cleaned.get("new_key")) or is_kept
        stored = self.instance if is_kept and not cleaned.get("new_key") else None
        faults = faults_of(choices, has_own_key=has_own_key, stored=stored)
        for field, sentence in faults.items():
            self.add_error(field, sentence)
        return cleaned

    def save(self, commit: bool = True) -> OrganizationBench:
        # In this order, so that a new key wins over the tick to delete.
        if self.cleaned_data.get("forget_key"):
            self.instance.sealed_key = ""
        if self.cleaned_data.get("new_key"):
            self.instance.sealed_key = sealed_key(self.cleaned_data["new_key"])
        return super().save(commit)


@admin.register(OrganizationBench)
class OrganizationBenchAdmin(TenantAdmin):
    form = OrganizationBenchForm
    list_display = (
        "organization",
        "prosecutor_model",
        "defense_model",
        "tech_lead_model",
        "has_key",
        "audit_budget_usd",
        "monthly_budget_usd",
    )
    list_select_related = ("organization",)
    readonly_fields = ("has_key", "changed_at", "this_month", "in_all")

    @admin.display(boolean=True, description="API key stored")
    def has_key(self, bench: OrganizationBench) -> bool:
        return bool(bench.sealed_key)

    @admin.display(description="spent this month (UTC)")
    def this_month(self, bench: OrganizationBench) -> str:
        return _spent(bench, since=start_of_month())

    @admin.display(description="spent in total")
    def in_all(self, bench: OrganizationBench) -> str:
        return _spent(bench)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Let only the operator set the base URL, because the site itself calls it."""
        operators = () if request.user.is_superuser else ("base_url",)
        return (*super().get_readonly_fields(request, obj), *operators)


def _spent(bench: OrganizationBench, *, since: datetime | None = None) -> str:
    return (
        str(usage_of_organization(bench.organization_id, since=since)) if bench.pk else "none yet"
    )


@admin.register(ModelUsage)
class ModelUsageAdmin(LongListAdmin):
    list_display = (
        "created_at",
        "organization",
        "model",
        "judge",
        "criterion_id",
        "calls",
        "prompt_tokens",
        "cached_tokens",
        "completion_tokens",
        "cost_usd",
    )
    list_filter = ("created_at", ("organization", OwnFilter))
    list_select_related = ("organization",)
    ordering = ("-pk",)


# django-rq shows its dashboard to every staff user: it is registered again below.
admin.site.unregister(Dashboard)


def operators_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Admit superusers only; django-rq's own views admit every staff user."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and not request.user.is_superuser:
            raise PermissionDenied
        return without_inline_code(view(request, *args, **kwargs))

    return wrapper


# The content security policy refuses them. The script could not run anyway: Django's jQuery has had
# no `actions` since Django 3.2.
INLINE_CODE = re.compile(
    rb"<style>[^<]*</style>"
    rb'|<script type="text/javascript">[^<]*</script>'
    rb'| (?:style|onclick)="[^"]*"'
)


def without_inline_code(response: HttpResponse) -> HttpResponse:
    """Return one of django-rq's pages without the styles and scripts that stand in its HTML."""
    if response.headers.get("Content-Type", "").startswith("text/html"):
        response.content = INLINE_CODE.sub(b"", response.content)
    return response


@admin.register(Dashboard)
class OperatorsQueueAdmin(QueueAdmin):
    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def get_urls(self) -> list[URLPattern]:
        patterns: list[URLPattern] = super().get_urls()  # type: ignore[no-untyped-call]  # -- untyped in rq
        for pattern in patterns:
            pattern.callback = operators_only(pattern.callback)
        return patterns
