"""Model settings, budgets and usage of organizations."""

from django.core.validators import MinValueValidator, URLValidator
from django.db import models
from django.db.models import Q

from grading.core.enums import Batch
from grading.models.audit import Audit
from grading.models.tenant import TenantModel, TenantPart

NOT_NEGATIVE = [MinValueValidator(0)]


class OrganizationBench(TenantModel):
    """Settings of an organization's judges.

    Models, provider and addresses belong to its own key; without one the operator's count
    (engine/bench_settings.py). `provider_url` is an address that teachers chose, and public;
    `base_url`, which counts before it, is the operator's choice and may be any.
    A blank budget takes the operator's.
    `sealed_key` can be read only by the site (grading.core.crypto) and is displayed to nobody.
    Budgets are US dollars: for one audit, and for all audits of the organization in a calendar
    month (UTC).
    """

    prosecutor_model = models.CharField(max_length=200, blank=True)
    defense_model = models.CharField(max_length=200, blank=True)
    tech_lead_model = models.CharField(max_length=200, blank=True)
    base_url = models.CharField(
        "base URL", max_length=200, blank=True, validators=[URLValidator(schemes=["https", "http"])]
    )
    provider = models.CharField(max_length=30, default="openai")
    provider_url = models.CharField("address of the provider", max_length=200, blank=True)
    sealed_key = models.TextField(blank=True, editable=False)
    batch = models.CharField(max_length=13, choices=Batch.choices, default=Batch.PER_CRITERION)
    debate = models.BooleanField(default=False)
    audit_budget_usd = models.DecimalField(
        max_digits=10, decimal_places=4, null=True, blank=True, validators=NOT_NEGATIVE
    )
    monthly_budget_usd = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, validators=NOT_NEGATIVE
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "organization benches"
        constraints = [
            models.UniqueConstraint(fields=["organization"], name="one_bench_per_organization"),
            models.CheckConstraint(condition=Q(batch__in=Batch.values), name="bench_batch_known"),
            # Audits run beside each other: without a bound for each, the first would be promised
            # all of a month.
            models.CheckConstraint(
                condition=Q(monthly_budget_usd__isnull=True) | Q(audit_budget_usd__isnull=False),
                name="bench_month_needs_audit_budget",
            ),
        ]

    def __str__(self) -> str:
        return f"Bench of organization {self.organization_id}"


class ModelUsage(TenantPart):
    """Usage of one answer, by the provider's figures; `cost_usd` is null without a price.

    The answer is a judge's, VISION's look at the report's pages, the SCREENING of the prose, or of
    a TRIAL of the connection: these three have no criterion and are in round 0. `audit` is null in
    a trial, and once its cohort was deleted: the cost still counts in the month's budget.
    """

    VISION, SCREENING, TRIAL = "Vision", "Screening", "Trial"

    audit = models.ForeignKey(
        Audit, on_delete=models.SET_NULL, null=True, blank=True, related_name="model_usage"
    )
    judge = models.CharField(max_length=12)
    criterion_id = models.CharField(max_length=200)
    round = models.PositiveSmallIntegerField()
    model = models.CharField(max_length=200)
    calls = models.PositiveIntegerField()
    prompt_tokens = models.PositiveIntegerField()
    cached_tokens = models.PositiveIntegerField()
    completion_tokens = models.PositiveIntegerField()
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "model usage"
        # The month's budget is the sum of its rows, read before each audit.
        indexes = [models.Index(fields=["organization", "created_at"], name="usage_of_a_month")]

    def __str__(self) -> str:
        return f"{self.model}: {self.calls} calls"
