"""Admin pages of audits, their records, benches, model usage and job queues."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django_rq.admin import QueueAdmin
from django_rq.models import Dashboard

from grading.audits.queries import start_of_month, usage_of_organization
from grading.core.admin_tenancy import MachineMadeAdmin, TenantAdmin
from grading.engine.bench_settings import models_of, needs_server_credentials, sealed_key
from grading.models import (
    Assignment,
    Audit,
    CriterionVerdict,
    Enrollment,
    EvidenceRecord,
    ModelUsage,
    OpinionRecord,
    OrganizationBench,
)

if TYPE_CHECKING:
    _BenchForm = forms.ModelForm[OrganizationBench]
else:
    # ModelForm is generic only to the type checker.
    _BenchForm = forms.ModelForm


@admin.register(Audit)
class AuditAdmin(MachineMadeAdmin):
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
    list_filter = ("state", "kind", ("submission__assignment", admin.RelatedOnlyFieldListFilter))
    search_fields = (
        "id",
        "submission__repo_url",
        "submission__student__email",
        "failure_code",
        "report_digest",
    )
    list_select_related = ("submission__student", "submission__assignment")
    date_hierarchy = "created_at"
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


class AuditRecordAdmin(MachineMadeAdmin):
    list_select_related = ("audit__submission",)

    @admin.display(ordering="audit__submission__repo_url")
    def repository(self, row: EvidenceRecord | OpinionRecord | CriterionVerdict) -> str:
        return row.audit.submission.repo_url

    def get_queryset(self, request: HttpRequest) -> QuerySet[EvidenceRecord]:
        return super().get_queryset(request).defer("audit__report")


@admin.register(EvidenceRecord)
class EvidenceRecordAdmin(AuditRecordAdmin):
    list_display = ("key", "detective", "check_id", "found", "path", "line_start", "repository")
    list_filter = ("detective", "found")
    search_fields = ("key", "check_id", "path")


@admin.register(OpinionRecord)
class OpinionRecordAdmin(AuditRecordAdmin):
    list_display = ("criterion_id", "judge", "score", "round", "repository", "created_at")
    list_filter = ("judge", "score", "round")
    search_fields = ("criterion_id", "key")


@admin.register(CriterionVerdict)
class CriterionVerdictAdmin(AuditRecordAdmin):
    list_display = (
        "criterion_id",
        "name",
        "score",
        "points",
        "max_points",
        "needs_review",
        "excluded",
        "repository",
    )
    list_filter = ("score", "needs_review", "excluded")
    search_fields = ("criterion_id", "name")


MODEL_FIELDS = ("prosecutor_model", "defense_model", "tech_lead_model")
OPERATORS_MODELS = (
    "The operator's API key serves the operator's models. Leave this blank, or enter an API key of "
    "your own."
)


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
        self._refuse_unpaid_models(cleaned)
        if (
            cleaned.get("monthly_budget_usd") is not None
            and cleaned.get("audit_budget_usd") is None
        ):
            raise ValidationError(
                {"audit_budget_usd": "A monthly budget needs a budget for each audit."}
            )

        if cleaned.get("audit_budget_usd") is not None:
            self._refuse_unpriced(cleaned)
        return cleaned

    def _has_own_key(self, cleaned: dict[str, Any]) -> bool:
        is_kept = bool(self.instance.sealed_key) and not cleaned.get("forget_key")
        return bool(cleaned.get("new_key")) or is_kept

    def _refuse_unpaid_models(self, cleaned: dict[str, Any]) -> None:
        """Refuse names of models without an own key, and an own key without such names."""
        has_own_key = self._has_own_key(cleaned)
        for field in MODEL_FIELDS:
            model = cleaned.get(field) or ""
            if model and not has_own_key:
                self.add_error(field, OPERATORS_MODELS)
            elif has_own_key and not model:
                self.add_error(field, "Your own API key pays for your own models: enter one.")
            elif model and needs_server_credentials(model):
                self.add_error(field, "Your API key cannot be used with this provider.")

    def _refuse_unpriced(self, cleaned: dict[str, Any]) -> None:
        # An answer without a price would never use up a budget.
        chosen = OrganizationBench(**{name: cleaned.get(name) or "" for name in MODEL_FIELDS})
        # Only whether there is a key decides whose models count.
        chosen.sealed_key = "own" if self._has_own_key(cleaned) else ""
        unpriced = sorted(set(models_of(chosen).values()) - set(settings.MODEL_PRICES))
        if unpriced:
            models = ", ".join(unpriced) or "these models"
            message = f"The operator has set no price for {models}: a budget is not possible."
            raise ValidationError({"audit_budget_usd": message})

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
class ModelUsageAdmin(MachineMadeAdmin):
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
    list_filter = ("model", "judge", ("organization", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("organization",)
    date_hierarchy = "created_at"


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
