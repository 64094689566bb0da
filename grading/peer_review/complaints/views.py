"""Reporting a peer's report as abusive; the inbox of that for staff, and the decision for who teaches."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_organization, trail_to_peers
from grading.core.enums import ComplaintState, FeedbackKind
from grading.core.errors import FeedbackRefused
from grading.core.form_bases import put_beside
from grading.core.permissions import (
    access_complaint,
    access_feedback,
    access_organization,
    access_reported,
    may,
)
from grading.core.requests import MemberRequest
from grading.models import FeedbackReport
from grading.peer_review.complaints.actions import complain as make_complaint
from grading.peer_review.complaints.actions import decide_complaint
from grading.peer_review.complaints.forms import ComplaintForm, DecisionForm
from grading.peer_review.complaints.queries import complaints_in, complaints_on

MOST_SHOWN = 200


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def complain(request: MemberRequest, org: str, received_id: UUID) -> HttpResponse:
    """For whom the report is about: what they said of it, what came of that, and a form while nothing waits."""
    report, is_readable = _report_on(request.user, received_id)
    if request.method == "POST" and not is_readable:
        raise Http404
    form = ComplaintForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            make_complaint(report=report, by=request.user, **form.cleaned_data)
        except FeedbackRefused as refusal:
            put_beside(form, refusal)
        else:
            messages.success(
                request, "Your teachers look at it, and you get a letter with what they decide."
            )
            return redirect(request.path)
    made = list(complaints_on(report))
    over = not is_readable or report.hidden_at or any(e.state == ComplaintState.OPEN for e in made)
    context = {
        "report": report,
        "complaints": made,
        "is_readable": is_readable,
        "form": form if form.is_bound or not over else None,
        "trail": trail_to_peers(report.assignment.cohort),
    }
    return render(request, "peer_review/complaints/new.html", context)


def _report_on(user: User, report_id: UUID) -> tuple[FeedbackReport, bool]:
    """A peer's report on their work, and whether they may still read it; what they reported stays, without it."""
    try:
        report, side = access_feedback(user, report_id)
    except Http404:
        return access_reported(user, report_id), False
    if side != "subject" or report.kind != FeedbackKind.PEER:
        raise Http404
    return report, True


@require_safe
def complaints(request: MemberRequest, org: str) -> HttpResponse:
    organization = access_organization(request.user, org, level="staff")
    context = {
        "organization": organization,
        "complaints": complaints_in(organization)[:MOST_SHOWN],
        "trail": trail_to_organization(organization),
    }
    return render(request, "peer_review/complaints/inbox.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def complaint(request: MemberRequest, org: str, complaint_id: int) -> HttpResponse:
    """Staff read it; who teaches decides."""
    posted = request.method == "POST"
    found = access_complaint(request.user, complaint_id, level="teacher" if posted else "staff")
    form = DecisionForm(request.POST if posted else None)
    if form.is_valid():
        hide, answer = form.cleaned_data["hide"] == "yes", form.cleaned_data["answer"]
        try:
            decide_complaint(complaint=found, hide=hide, answer=answer, by=request.user)
        except FeedbackRefused as refusal:
            put_beside(form, refusal)
        else:
            messages.success(request, "It is decided, and the student gets a letter.")
            return redirect(request.path)
    inbox = reverse("complaints", args=[found.organization.slug])
    may_decide = found.state != ComplaintState.DISMISSED and may(
        request.user, found.organization, "teacher"
    )
    context = {
        "complaint": found,
        "form": form if may_decide or form.is_bound else None,
        "trail": [*trail_to_organization(found.organization), ("Reported as abusive", inbox)],
    }
    return render(request, "peer_review/complaints/complaint.html", context)
