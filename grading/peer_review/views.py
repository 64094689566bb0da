"""Peers: what a student generated, received and did about it; for staff the rounds of all assignments."""

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
from grading.core.permissions import access_cohort, access_enrollment, access_pairing, may
from grading.core.requests import MemberRequest
from grading.models import Cohort, Enrollment, FeedbackReport, Pairing
from grading.peer_review.actions import run_peer_audit, why_no_audit
from grading.peer_review.complaints.queries import open_complaints
from grading.peer_review.exchange.queries import exchanges_of, is_over, reports_under
from grading.peer_review.feedback.forms import ReportForm
from grading.peer_review.feedback.queries import latest_searches, shown_name
from grading.peer_review.feedback.views import brought
from grading.peer_review.rounds.queries import rounds_by_assignment


@never_cache
@require_safe
def peers(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """The student's own page; staff see the rounds."""
    found = access_cohort(request.user, cohort)
    if may(request.user, found.organization, "staff"):
        context = {
            "cohort": found,
            "assignments": rounds_by_assignment(found),
            "complaints": open_complaints(found),
            "may_change": may(request.user, found.organization, "teacher"),
            "trail": trail_to_cohort(found),
        }
        return render(request, "peer_review/rounds.html", context)
    return _own(request, found, access_enrollment(request.user, found))


def _own(request: MemberRequest, found: Cohort, student: Enrollment) -> HttpResponse:
    exchanges = exchanges_of(student)
    handed_in = [audit.attempt.submission for exchange in exchanges for audit in exchange.audits]
    context = {
        "cohort": found,
        "exchanges": exchanges,
        "searches": latest_searches(handed_in),
        "over": is_over(found),
        "trail": trail_to_cohort(found),
    }
    return render(request, "peer_review/peers.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def pairing(request: MemberRequest, org: str, pairing_id: UUID) -> HttpResponse:
    """POST is for who audits: to begin the courtroom's audit, or to bring a report along."""
    found, side = access_pairing(request.user, pairing_id)
    if request.method == "POST" and side != "auditor":
        raise Http404
    if request.POST.get("do") == "run":
        return _begun(request, found)
    form = ReportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        report = _brought(request, found, form)
        if report is not None:
            return redirect("feedback", org, report.pk)
    return render(request, "peer_review/pairing.html", _context(found, side, form))


def _context(found: Pairing, side: PairingSide, form: ReportForm) -> dict[str, Any]:
    reports = reports_under(found)
    running = next((r for r in reports if r.audit is not None and not r.audit.is_final), None)
    return {
        "pairing": found,
        "round": found.round,
        "side": side,
        "other": shown_name(found, side=side),
        "reports": [r for r in reports if r.audit is None or r.audit.has_report],
        "running": running if side != "auditee" else None,
        "failed": _failed(reports) if side != "auditee" else None,
        "refused": why_no_audit(pairing=found) if side == "auditor" else None,
        "form": form,
        "trail": trail_to_peers(found.round.assignment.cohort),
    }


def _failed(reports: list[FeedbackReport]) -> FeedbackReport | None:
    """The newest, if it is an audit that ended without a report."""
    audit = reports[0].audit if reports else None
    return reports[0] if audit is not None and audit.is_final and not audit.has_report else None


def _begun(request: MemberRequest, found: Pairing) -> HttpResponse:
    try:
        report = run_peer_audit(pairing=found, by=request.user)
    except ActionRefused as refusal:
        messages.error(request, refusal.sentence)
    else:
        attempt = report.submission.attempt if report.submission else ""
        messages.success(
            request, f"Your audit of attempt {attempt} is queued: the report appears here."
        )
    return redirect("pairing", found.organization.slug, found.pk)


def _brought(request: MemberRequest, found: Pairing, form: ReportForm) -> FeedbackReport | None:
    return brought(
        request,
        form,
        assignment=found.round.assignment,
        brought_by=found.auditor,
        direction="generated",
        pairing=found,
    )
