"""Budget of an audit for model calls, set before it starts."""

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
    """Reserve and return the audit's budget in USD; None means no limit.

    It is the rest of the audit's own limit, and at most the rest of the organization's month.
    Running audits keep their reservations, so that together they cannot overdraw a month.
    """
    with transaction.atomic():
        # The lock serializes grants of one organization: two must not get the same money.
        bench = (
            OrganizationBench.objects.select_for_update()
            .filter(organization=lease.organization_id)
            .first()
        )
        grant = _left_for_audit(bench, lease)
        if bench is not None and bench.monthly_budget_usd is not None and grant is not None:
            grant = min(grant, _left_this_month(bench, lease))

        # A limit that is overdrawn already grants nothing, never a negative sum.
        grant = None if grant is None else max(grant, NOTHING)
        Audit.objects.filter(pk=lease.audit_id, lease_token=lease.token).update(budget_usd=grant)
    return grant


def _left_for_audit(bench: OrganizationBench | None, lease: Lease) -> Decimal | None:
    limit = bench.audit_budget_usd if bench else None
    # An organization without a limit of its own has the operator's.
    if limit is None:
        limit = settings.AUDIT_BUDGET_USD
    return None if limit is None else limit - usage_of_audit(Audit(pk=lease.audit_id)).cost_usd


def _left_this_month(bench: OrganizationBench, lease: Lease) -> Decimal:
    spent = usage_of_organization(bench.organization_id, since=start_of_month()).cost_usd
    running = Audit.objects.filter(organization=bench.organization_id, state=AuditState.RUNNING)
    # Money that other running audits may still spend is not available.
    reserved = sum((_unspent(audit) for audit in running.exclude(pk=lease.audit_id)), NOTHING)
    return (bench.monthly_budget_usd or NOTHING) - spent - reserved


def _unspent(audit: Audit) -> Decimal:
    """Return the unspent part of a running audit's reservation; the month's sum has the rest."""
    purchases = ModelUsage.objects.filter(audit=audit, created_at__gte=audit.started_at)
    spent: Decimal = purchases.aggregate(sum=Sum("cost_usd", default=NOTHING))["sum"]
    return max((audit.budget_usd or NOTHING) - spent, NOTHING)
