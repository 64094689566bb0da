"""Audits and what they found and heard: written by the site alone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from grading.audits.queries import start_of_month, usage_of_organization
from grading.core.admin_tenancy import MachineMadeAdmin, TenantAdmin
from grading.engine.model_bench import models_of, sealed_key
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
else:  # generic only to the type checker
    _BenchForm = forms.ModelForm
from collections.abc import Callable
from functools import wraps

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.urls import URLPattern
from django_rq.admin import QueueAdmin
from django_rq.models import Dashboard


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
        """The page where its report is read."""
        return reverse("audit", args=[audit.organization.slug, audit.pk])

    def get_queryset(self, request: HttpRequest) -> QuerySet[Audit]:
        return super().get_queryset(request).defer("report")


class OfAnAudit(MachineMadeAdmin):
    list_select_related = ("audit__submission",)

    @admin.display(ordering="audit__submission__repo_url")
    def repository(self, row: EvidenceRecord | OpinionRecord | CriterionVerdict) -> str:
        return row.audit.submission.repo_url

    def get_queryset(self, request: HttpRequest) -> QuerySet[EvidenceRecord]:
        return super().get_queryset(request).defer("audit__report")


@admin.register(EvidenceRecord)
class EvidenceRecordAdmin(OfAnAudit):
    list_display = ("key", "detective", "check_id", "found", "path", "line_start", "repository")
    list_filter = ("detective", "found")
    search_fields = ("key", "check_id", "path")


@admin.register(OpinionRecord)
class OpinionRecordAdmin(OfAnAudit):
    list_display = ("criterion_id", "judge", "score", "round", "repository", "created_at")
    list_filter = ("judge", "score", "round")
    search_fields = ("criterion_id", "key")


@admin.register(CriterionVerdict)
class CriterionVerdictAdmin(OfAnAudit):
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


class OrganizationBenchForm(_BenchForm):
    new_key = forms.CharField(
        label="API key",
        required=False,
        strip=True,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text="Stored encrypted and never shown again. Leave it blank to keep the stored one.",
    )
    forget_key = forms.BooleanField(label="Forget the stored API key", required=False)

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

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("monthly_budget_usd") is not None and given.get("audit_budget_usd") is None:
            raise ValidationError(
                {"audit_budget_usd": "A budget for a month needs one for each audit."}
            )
        if given.get("audit_budget_usd") is not None:
            self._refuse_unpriced(given)
        return given

    def _refuse_unpriced(self, given: dict[str, Any]) -> None:
        names = ("prosecutor_model", "defense_model", "tech_lead_model")
        chosen = OrganizationBench(**{name: given.get(name) or "" for name in names})
        unpriced = sorted(set(models_of(chosen).values()) - set(settings.MODEL_PRICES))
        if unpriced:
            message = f"The operator has set no price for {', '.join(unpriced) or 'these models'}: no budget can be kept."
            raise ValidationError({"audit_budget_usd": message})

    def save(self, commit: bool = True) -> OrganizationBench:
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

    @admin.display(description="bought this month (UTC)")
    def this_month(self, bench: OrganizationBench) -> str:
        return _spent(bench, since=start_of_month())

    @admin.display(description="bought in all")
    def in_all(self, bench: OrganizationBench) -> str:
        return _spent(bench)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The site itself calls this address: only the operator says where it may go."""
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
