"""Operations page: an organization's audits over hours or days, for its staff."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from grading.core.breadcrumbs import trail_to_organization
from grading.core.permissions import access_organization
from grading.core.requests import MemberRequest
from grading.models import Audit
from grading.operations.forms import OperationsForm
from grading.operations.presenters import Bar, BarChart, bar_chart_of, period_label
from grading.operations.queries import (
    LISTING_LABELS,
    Operations,
    Period,
    PeriodUnit,
    audits_listed,
    operations_of,
)

PER_PAGE = 50
# A chart with its title and its legend: pairs of (kind of part, label).
Figure = tuple[str, tuple[tuple[str, str], ...], BarChart | None]


@require_safe
def operations(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org, level="staff")
    # Hours and days are counted in UTC, as the budgets of models are.
    timezone.activate(UTC)
    form, now = OperationsForm(request.GET), timezone.now()
    unit, listing = form.unit(), form.listing(now)

    figures = operations_of(unit, now)
    audits = audits_listed(listing) if listing else Audit.objects.none()
    rows = [
        (period_label(period.begins, unit), period)
        for period in reversed(figures.periods)
        if not period.is_quiet
    ]

    context = {
        "organization": organization,
        "unit": unit,
        "misread": form.query_errors(),
        "figures": figures,
        "rows": rows,
        "charts": _charts(figures, unit),
        "listing": listing,
        "listing_label": LISTING_LABELS[listing.show] if listing else "",
        "page": Paginator(audits, PER_PAGE).get_page(form.cleaned_data.get("page") or 1),
        "trail": trail_to_organization(organization),
    }
    return render(request, "operations/operations.html", context)


def _charts(figures: Operations, unit: PeriodUnit) -> list[Figure]:
    periods = [(period_label(period.begins, unit), period) for period in figures.periods]
    costs = [
        Bar(label, f"{label}: {period.cost_usd:.2f}", (float(period.cost_usd),))
        for label, period in periods
    ]
    queued = [
        Bar(label, f"{label}: {period.longest}", (period.longest,)) for label, period in periods
    ]

    return [
        _figure(
            f"Most audits waiting at once, by {unit}",
            (("main", "in the queue"),),
            queued,
            whole=True,
        ),
        _figure(
            f"Finished audits, by {unit}",
            (("good", "with a report"), ("bad", "failed")),
            [_finished_bar(label, period) for label, period in periods],
            whole=True,
        ),
        _figure(
            f"Seconds in the queue, by {unit}",
            (("main", "median"), ("rest", "95th percentile")),
            [_wait_bar(label, period) for label, period in periods],
        ),
        _figure(f"Cost of models in US dollars, by {unit}", (("main", "cost"),), costs),
    ]


def _figure(
    title: str, legend: tuple[tuple[str, str], ...], bars: Sequence[Bar], *, whole: bool = False
) -> Figure:
    return title, legend, bar_chart_of(title, bars, [kind for kind, _ in legend], whole=whole)


def _finished_bar(label: str, period: Period) -> Bar:
    failed = f", {period.failed} failed" if period.failed else ""
    return Bar(
        label,
        f"{label}: {period.ended}{failed}",
        (period.ended - period.failed, period.failed),
    )


def _wait_bar(label: str, period: Period) -> Bar:
    if period.waited_p50 is None or period.waited_p95 is None:
        return Bar(label, f"{label}: none started", (None, None))

    words = f"{label}: median {period.waited_p50:.0f}, 95th percentile {period.waited_p95:.0f}"
    # The upper part is drawn on the median, up to the 95th percentile.
    return Bar(label, words, (period.waited_p50, period.waited_p95 - period.waited_p50))
