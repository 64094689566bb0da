"""A pairing: who audits begins it here, or brings their own report; who is audited sees what came of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.actions.peers.peer_audits import run_peer_audit, why_no_audit
from grading.errors import ActionRefused
from grading.forms.feedback import ReportForm
from grading.models import FeedbackReport, Pairing
from grading.permissions import access_pairing
from grading.queries.peers.editions import shown_name
from grading.queries.peers.exchange_rows import reports_under
from grading.queries.peers.grants import PairingSide
from grading.views.peers.bringing import brought
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_peers


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
    return render(request, "peers/pairing.html", _context(found, side, form))


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
        messages.success(request, f"Your audit of attempt {attempt} is queued: the report appears here.")
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
