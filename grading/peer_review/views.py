"""Peer pages: a student's reports given and received, and the rounds for staff."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_cohort, trail_to_peers
from grading.core.errors import ActionRefused
from grading.core.pairing_access import PairingSide
from grading.core.peer_permissions import access_pairing
from grading.core.permissions import access_cohort, access_enrollment, may
from grading.core.requests import MemberRequest
from grading.models import Cohort, Enrollment, FeedbackReport, Pairing
from grading.peer_review.actions import run_peer_audit, why_no_audit
from grading.peer_review.complaints.queries import open_complaints
from grading.peer_review.exchange.queries import exchanges_of, is_over, reports_under
from grading.peer_review.feedback.forms import ReportForm
from grading.peer_review.feedback.queries import latest_repository_searches, shown_name
from grading.peer_review.feedback.views import import_upload
from grading.peer_review.rounds.queries import rounds_by_assignment


@never_cache
@require_safe
def peers(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Show students their own exchange, staff the rounds of all assignments."""
    cohort_row = access_cohort(request.user, cohort)
    if may(request.user, cohort_row.organization, "staff"):
        context = {
            "cohort": cohort_row,
            "assignments": rounds_by_assignment(cohort_row),
            "complaints": open_complaints(cohort_row),
            "may_change": may(request.user, cohort_row.organization, "teacher"),
            "trail": trail_to_cohort(cohort_row),
        }
        return render(request, "peer_review/rounds.html", context)
    return _student_page(request, cohort_row, access_enrollment(request.user, cohort_row))


def _student_page(request: MemberRequest, cohort_row: Cohort, student: Enrollment) -> HttpResponse:
    exchanges = exchanges_of(student)
    submissions = [audit.attempt.submission for exchange in exchanges for audit in exchange.audits]
    context = {
        "cohort": cohort_row,
        "exchanges": exchanges,
        "searches": latest_repository_searches(submissions),
        "over": is_over(cohort_row),
        "trail": trail_to_cohort(cohort_row),
    }
    return render(request, "peer_review/peers.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def pairing(request: MemberRequest, org: str, pairing_id: UUID) -> HttpResponse:
    """Show a pairing. The auditor POSTs to start an audit or to upload a report."""
    pairing_row, side = access_pairing(request.user, pairing_id)
    # Like a missing page: nobody else may learn that the form exists.
    if request.method == "POST" and side != "auditor":
        raise Http404

    if request.POST.get("do") == "run":
        return _run_audit(request, pairing_row)

    form = ReportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        report = _import_report(request, pairing_row, form)
        if report is not None:
            return redirect("feedback", org, report.pk)

    return render(request, "peer_review/pairing.html", _context(pairing_row, side, form))


def _context(pairing_row: Pairing, side: PairingSide, form: ReportForm) -> dict[str, Any]:
    reports = reports_under(pairing_row)
    running = next((r for r in reports if r.audit is not None and not r.audit.is_final), None)
    return {
        "pairing": pairing_row,
        "round": pairing_row.round,
        "side": side,
        "other": shown_name(pairing_row, side=side),
        "reports": [r for r in reports if r.audit is None or r.audit.has_report],
        # The subject learns of an audit only by its finished report.
        "running": running if side != "auditee" else None,
        "failed": _failed_report(reports) if side != "auditee" else None,
        "refused": why_no_audit(pairing=pairing_row) if side == "auditor" else None,
        "form": form,
        "trail": trail_to_peers(pairing_row.round.assignment.cohort),
    }


def _failed_report(reports: list[FeedbackReport]) -> FeedbackReport | None:
    """Return the newest report if its audit ended without one."""
    audit = reports[0].audit if reports else None
    return reports[0] if audit is not None and audit.is_final and not audit.has_report else None


def _run_audit(request: MemberRequest, pairing_row: Pairing) -> HttpResponse:
    try:
        report = run_peer_audit(pairing=pairing_row, by=request.user)
    except ActionRefused as refusal:
        messages.error(request, refusal.sentence)
    else:
        attempt = report.submission.attempt if report.submission else ""
        messages.success(
            request, f"Your audit of attempt {attempt} is queued. The report will appear here."
        )
    return redirect("pairing", pairing_row.organization.slug, pairing_row.pk)


def _import_report(
    request: MemberRequest, pairing_row: Pairing, form: ReportForm
) -> FeedbackReport | None:
    return import_upload(
        request,
        form,
        assignment=pairing_row.round.assignment,
        brought_by=pairing_row.auditor,
        direction="generated",
        pairing=pairing_row,
    )
