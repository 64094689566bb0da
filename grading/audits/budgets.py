"""What an audit may spend on models: decided before it starts, so that the court can stop before the next call."""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from grading.audits.actions import Lease
from grading.audits.queries import start_of_month, usage_of_audit, usage_of_organization
from grading.core.enums import AuditState
from grading.models import Audit, ModelUsage, OrganizationBench

NOTHING = Decimal(0)


def grant_budget(*, lease: Lease) -> Decimal | None:
    """Promise the audit its budget: what is left of its own, at most what is left of the organization's month.

    Audits that run now hold their promises, so that all of them together cannot overdraw a month. None: no limit.
    """
    with transaction.atomic():
        own = (
            OrganizationBench.objects.select_for_update()
            .filter(organization=lease.organization_id)
            .first()
        )
        grant = _of_the_audit(own, lease)
        if own is not None and own.monthly_budget_usd is not None and grant is not None:
            grant = min(grant, _left_of_the_month(own, lease))
        grant = None if grant is None else max(grant, NOTHING)
        Audit.objects.filter(pk=lease.audit_id, lease_token=lease.token).update(budget_usd=grant)
    return grant


def _of_the_audit(own: OrganizationBench | None, lease: Lease) -> Decimal | None:
    limit = own.audit_budget_usd if own else None
    if limit is None:
        limit = settings.AUDIT_BUDGET_USD
    return None if limit is None else limit - usage_of_audit(Audit(pk=lease.audit_id)).cost_usd


def _left_of_the_month(own: OrganizationBench, lease: Lease) -> Decimal:
    spent = usage_of_organization(own.organization_id, since=start_of_month()).cost_usd
    others = Audit.objects.filter(organization=own.organization_id, state=AuditState.RUNNING)
    promised = sum((_still_promised(audit) for audit in others.exclude(pk=lease.audit_id)), NOTHING)
    return (own.monthly_budget_usd or NOTHING) - spent - promised


def _still_promised(audit: Audit) -> Decimal:
    """A running audit's promise without what it has bought under it, which the month's sum holds already."""
    bought = ModelUsage.objects.filter(audit=audit, created_at__gte=audit.started_at)
    spent: Decimal = bought.aggregate(sum=Sum("cost_usd", default=NOTHING))["sum"]
    return max((audit.budget_usd or NOTHING) - spent, NOTHING)
