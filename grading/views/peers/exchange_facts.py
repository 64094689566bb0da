"""What each student exchanged with peers, as facts: a table for staff, and the same as CSV."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.exports import Cell, lines_of
from grading.permissions import access_assignment
from grading.queries.peers.exchange_table import ExchangeRow, Filed, exchange_table
from grading.queries.peers.finding_help import helped_by_criterion
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_assignment

COLUMNS: tuple[Cell, ...] = (
    "student", "email", "student_number", "exchanged", "reports_generated", "reports_received",
    "reports_generated_in_repository", "reports_received_in_repository", "findings_received", "answered", "fixed",
    "fixes_verified", "deferred", "deferrals_in_repository", "contested", "progress", "blockers", "design_notes",
    "entries_in_repository", "findings_stated", "with_place", "confirmed", "repetitions",
)  # fmt: skip


@never_cache
@require_safe
def facts(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    found = access_assignment(request.user, cohort, assignment, level="staff")
    rows = exchange_table(found)
    context = {
        "assignment": found,
        "rows": rows,
        "exchanged": sum(row.exchanged is True for row in rows),
        "received": sum(row.site.findings_received for row in rows),
        "answered": sum(row.site.answered for row in rows),
        "fixed": sum(row.site.fixed for row in rows),
        "helped": helped_by_criterion(found),
        "trail": trail_to_assignment(found),
    }
    return render(request, "communication/facts.html", context)


@never_cache
@require_safe
def facts_csv(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    found = access_assignment(request.user, cohort, assignment, level="staff")
    table = lines_of([COLUMNS, *(_cells(row) for row in exchange_table(found))])
    name = f"{found.cohort.slug}-{found.slug}-peers.csv"
    return HttpResponse(
        table,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _cells(row: ExchangeRow) -> Sequence[Cell]:
    """What is not known is an empty cell, and never a 0."""
    student, site, told = row.student, row.site, row.site.relevance
    filed = row.filed or Filed(None, None, None, None)
    return [
        student.name, student.email, student.student_number, _yes_or_no(row.exchanged), site.generated, site.received,
        filed.generated, filed.received, site.findings_received, site.answered, site.fixed,
        site.fixes_verified, site.deferred, filed.deferrals, site.contested, site.entries.progress,
        site.entries.blocker, site.entries.design, filed.entries,
        *((told.stated, told.with_place, told.confirmed, told.duplicates) if told else (None,) * 4),
    ]  # fmt: skip


def _yes_or_no(known: bool | None) -> str:
    return {True: "yes", False: "no", None: ""}[known]
