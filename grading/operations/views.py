"""How the organization's audits go: for its staff, over the hours of a day or the days of a month."""

from __future__ import annotations

from collections.abc import Sequence

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
    SHOWN,
    Operations,
    Period,
    PeriodUnit,
    audits_listed,
    operations_of,
)

PER_PAGE = 50


@require_safe
def operations(request: MemberRequest, org: str) -> HttpResponse:
    found = access_organization(request.user, org, level="staff")
    form, now = OperationsForm(request.GET), timezone.now()
    slot, behind = form.slot(), form.behind(now)
    told = operations_of(slot, now)
    listed = audits_listed(behind) if behind else Audit.objects.none()
    context = {
        "organization": found,
        "slot": slot,
        "misread": form.misread(),
        "told": told,
        "rows": [
            (period_label(each.begins, slot), each)
            for each in reversed(told.stretches)
            if not each.is_quiet
        ],
        "pictures": _pictures(told, slot),
        "behind": behind,
        "shown": SHOWN[behind.show] if behind else "",
        "page": Paginator(listed, PER_PAGE).get_page(form.cleaned_data.get("page") or 1),
        "trail": trail_to_organization(found),
    }
    return render(request, "operations/operations.html", context)


def _pictures(
    told: Operations, slot: PeriodUnit
) -> list[tuple[str, tuple[tuple[str, str], ...], BarChart | None]]:
    """Each with its heading and its key: (part, what it is)."""
    named = [(period_label(each.begins, slot), each) for each in told.stretches]
    ended = [_stack_of_ended(label, each) for label, each in named]
    waited = [_stack_of_waited(label, each) for label, each in named]
    spent = [
        Bar(label, f"{label}: {each.cost_usd:.2f}", (float(each.cost_usd),))
        for label, each in named
    ]
    queued = [Bar(label, f"{label}: {each.longest}", (each.longest,)) for label, each in named]
    return [
        _picture(
            f"Audits waiting at once, the most by {slot}",
            (("main", "in the queue"),),
            queued,
            whole=True,
        ),
        _picture(
            f"Audits that ended, by {slot}",
            (("good", "with a report"), ("bad", "failed")),
            ended,
            whole=True,
        ),
        _picture(
            f"Seconds in the queue, by {slot}",
            (("main", "the median"), ("rest", "95 of 100")),
            waited,
        ),
        _picture(f"US dollars for models, by {slot}", (("main", "spent"),), spent),
    ]


def _picture(
    title: str, key: tuple[tuple[str, str], ...], stacks: Sequence[Bar], *, whole: bool = False
) -> tuple[str, tuple[tuple[str, str], ...], BarChart | None]:
    return title, key, bar_chart_of(title, stacks, [kind for kind, _ in key], whole=whole)


def _stack_of_ended(label: str, each: Period) -> Bar:
    failed = f", {each.failed} of them failed" if each.failed else ""
    return Bar(label, f"{label}: {each.ended}{failed}", (each.ended - each.failed, each.failed))


def _stack_of_waited(label: str, each: Period) -> Bar:
    if each.waited_p50 is None or each.waited_p95 is None:
        return Bar(label, f"{label}: none was taken up", (None, None))
    words = f"{label}: median {each.waited_p50:.0f}, 95 of 100 up to {each.waited_p95:.0f}"
    return Bar(label, words, (each.waited_p50, each.waited_p95 - each.waited_p50))
