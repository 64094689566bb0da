"""Budget of an audit for model calls, set before it starts."""

from __future__ import annotations

from decimal import Decimal

from django.db import transaction
from django.db.models import Sum

from grading.audits.actions import Lease
from grading.audits.queries import start_of_month, usage_of_audit, usage_of_organization
from grading.core.enums import AuditState
from grading.engine.bench_settings import audit_limit_of, bench_of, month_limit_of
from grading.models import Audit, ModelUsage, Organization, OrganizationBench

NOTHING = Decimal(0)


def grant_budget(*, lease: Lease) -> Decimal | None:
    """Reserve and return the audit's budget in USD; None means no limit.

    It is the rest of the audit's own limit, and at most the rest of the organization's month. Of
    the organization's figures and the operator's the smaller counts; under its own key, its own.
    Running audits keep their reservations, so that together they cannot overdraw a month.
    """
    with transaction.atomic():
        # The lock serializes grants of one organization: two must not get the same money.
        # It is the organization's, because one without a bench of its own has a month too.
        Organization.objects.select_for_update(no_key=True).get(pk=lease.organization_id)
        bench = bench_of(lease.organization_id)

        grant, month = _left_for_audit(bench, lease), month_limit_of(bench)
        if month is not None and grant is not None:
            grant = min(grant, _left_this_month(month, lease))

        # A limit that is overdrawn already grants nothing, never a negative sum.
        grant = None if grant is None else max(grant, NOTHING)
        Audit.objects.filter(pk=lease.audit_id, lease_token=lease.token).update(budget_usd=grant)
    return grant


def _left_for_audit(bench: OrganizationBench | None, lease: Lease) -> Decimal | None:
    limit = audit_limit_of(bench)
    return None if limit is None else limit - usage_of_audit(Audit(pk=lease.audit_id)).cost_usd


def _left_this_month(limit: Decimal, lease: Lease) -> Decimal:
    spent = usage_of_organization(lease.organization_id, since=start_of_month()).cost_usd
    running = Audit.objects.filter(organization=lease.organization_id, state=AuditState.RUNNING)
    # Money that other running audits may still spend is not available.
    reserved = sum((_unspent(audit) for audit in running.exclude(pk=lease.audit_id)), NOTHING)
    return limit - spent - reserved


def _unspent(audit: Audit) -> Decimal:
    """Return the unspent part of a running audit's reservation; the month's sum has the rest."""
    purchases = ModelUsage.objects.filter(audit=audit, created_at__gte=audit.started_at)
    spent: Decimal = purchases.aggregate(sum=Sum("cost_usd", default=NOTHING))["sum"]
    return max((audit.budget_usd or NOTHING) - spent, NOTHING)
