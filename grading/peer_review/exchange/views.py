"""Pages of the exchange: the loop of a student, the table for staff and the folder export."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.csv_cells import Cell, lines_of
from grading.core.permissions import access_assignment, access_enrollment, may, student_asked_for
from grading.core.requests import MemberRequest
from grading.core.streaming import in_steps
from grading.core.team_access import work_name
from grading.core.zipping import zipped
from grading.courses.extensions.queries import terms_of
from grading.findings.queries.replies import helped_by_criterion
from grading.peer_review.exchange.attempt_history import loop_of
from grading.peer_review.exchange.audit_folder import folder_of
from grading.peer_review.exchange.exchange_table import (
    ExchangeRow,
    RepositoryCounts,
    exchange_table,
)
from grading.peer_review.exchange.presenters import chart_of
from grading.submissions.queries import closed_reason, criteria_by_attempt


@require_safe
def loop(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show the student's own loop; staff without `student` are sent to the findings of all."""
    assignment_row = access_assignment(request.user, cohort, assignment)
    student = student_asked_for(request, assignment_row)
    if student is None:
        return redirect("findings", org, cohort, assignment)
    is_staff = may(request.user, assignment_row.organization, "staff")
    history = loop_of(assignment_row, student, is_staff=is_staff)
    terms = terms_of(assignment_row, student)
    remaining = terms.max_attempts - sum(turn.submission.counts for turn in history.turns)

    context = {
        "assignment": assignment_row,
        "student": student,
        "owner": work_name(assignment_row, student),
        "is_staff": is_staff,
        "loop": history,
        "fixed": any(turn.fixes for turn in history.turns),
        "chart": chart_of(history.turns),
        "criteria": criteria_by_attempt([turn.attempt for turn in history.turns]),
        "may_hand_in": not is_staff and closed_reason(terms=terms, left=remaining) is None,
        "trail": trail_to_assignment(assignment_row),
    }
    return render(request, "peer_review/loop/loop.html", context)


# Header of the CSV file. Programs read these names, so they stay.
COLUMNS: tuple[Cell, ...] = (
    "student",
    "email",
    "student_number",
    "exchanged",
    "reports_generated",
    "reports_received",
    "reports_generated_in_repository",
    "reports_received_in_repository",
    "findings_received",
    "answered",
    "fixed",
    "fixes_verified",
    "deferred",
    "deferrals_in_repository",
    "contested",
    "progress",
    "blockers",
    "design_notes",
    "entries_in_repository",
    "findings_stated",
    "with_place",
    "confirmed",
    "repetitions",
)


@never_cache
@require_safe
def facts(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    assignment_row = access_assignment(request.user, cohort, assignment, level="staff")
    rows = exchange_table(assignment_row)

    context = {
        "assignment": assignment_row,
        "rows": rows,
        "exchanged": sum(row.exchanged is True for row in rows),
        "received": sum(row.site.findings_received for row in rows),
        "answered": sum(row.site.answered for row in rows),
        "fixed": sum(row.site.fixed for row in rows),
        "helped": helped_by_criterion(assignment_row),
        "trail": trail_to_assignment(assignment_row),
    }
    return render(request, "peer_review/communication/facts.html", context)


@never_cache
@require_safe
def facts_csv(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    assignment_row = access_assignment(request.user, cohort, assignment, level="staff")
    table = lines_of([COLUMNS, *(_cells(row) for row in exchange_table(assignment_row))])
    name = f"{assignment_row.cohort.slug}-{assignment_row.slug}-peers.csv"
    return HttpResponse(
        table,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _cells(row: ExchangeRow) -> Sequence[Cell]:
    """Return the cells of a row; unknown values are empty cells, never 0."""
    student, site, relevance = row.student, row.site, row.site.relevance
    filed = row.filed or RepositoryCounts(None, None, None, None)
    return [
        student.name,
        student.email,
        student.student_number,
        _yes_or_no(row.exchanged),
        site.generated,
        site.received,
        filed.generated,
        filed.received,
        site.findings_received,
        site.answered,
        site.fixed,
        site.fixes_verified,
        site.deferred,
        filed.deferrals,
        site.contested,
        site.entries.progress,
        site.entries.blocker,
        site.entries.design,
        filed.entries,
        *(
            (relevance.stated, relevance.with_place, relevance.confirmed, relevance.duplicates)
            if relevance
            else (None,) * 4
        ),
    ]


def _yes_or_no(value: bool | None) -> str:
    return {True: "yes", False: "no", None: ""}[value]


@require_safe
def audit_zip(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponseBase:
    """Download the student's own folder, streamed while it is written."""
    assignment_row = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, assignment_row.cohort)
    pieces = in_steps(assignment_row.organization_id, zipped(folder_of(student, assignment_row)))
    headers = {
        "Content-Disposition": f'attachment; filename="{assignment_row.slug}-audit.zip"',
        "Content-Type": "application/zip",
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingHttpResponse(pieces, headers=headers)
