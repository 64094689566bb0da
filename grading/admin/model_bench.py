"""An organization's judges by a model, and what they took. A key goes in here and never comes out again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from grading.admin.tenancy import MachineMadeAdmin, TenantAdmin
from grading.model_bench import models_of, sealed_key
from grading.models import ModelUsage, OrganizationBench
from grading.queries.audits.usage import start_of_month, usage_of_organization

if TYPE_CHECKING:
    _BenchForm = forms.ModelForm[OrganizationBench]
else:  # generic only to the type checker
    _BenchForm = forms.ModelForm


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
            "organization", "prosecutor_model", "defense_model", "tech_lead_model", "base_url", "batch", "debate",
            "audit_budget_usd", "monthly_budget_usd",
        )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("monthly_budget_usd") is not None and given.get("audit_budget_usd") is None:
            raise ValidationError({"audit_budget_usd": "A budget for a month needs one for each audit."})
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
    return str(usage_of_organization(bench.organization_id, since=since)) if bench.pk else "nothing yet"


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
