"""Pages to report abuse, the inbox of complaints for staff, and decisions by teachers."""

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
from grading.core.form_bases import add_refusal
from grading.core.peer_permissions import access_complaint, access_feedback, access_reported
from grading.core.permissions import access_organization, may
from grading.core.requests import MemberRequest
from grading.models import FeedbackReport
from grading.peer_review.complaints.actions import complain as make_complaint
from grading.peer_review.complaints.actions import decide_complaint
from grading.peer_review.complaints.forms import ComplaintForm, DecisionForm
from grading.peer_review.complaints.queries import complaints_in, complaints_on

MAX_LISTED = 200


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def complain(request: MemberRequest, org: str, received_id: UUID) -> HttpResponse:
    """Show the student's complaints and their outcome, with a form while none is open."""
    report, is_readable = _report_on(request.user, received_id)
    if request.method == "POST" and not is_readable:
        raise Http404

    form = ComplaintForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            make_complaint(report=report, by=request.user, **form.cleaned_data)
        except FeedbackRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(
                request, "Sent to your teachers. You will get an email with their decision."
            )
            return redirect(request.path)

    filed = list(complaints_on(report))
    has_open = any(complaint.state == ComplaintState.OPEN for complaint in filed)
    is_closed = not is_readable or report.hidden_at or has_open
    context = {
        "report": report,
        "complaints": filed,
        "is_readable": is_readable,
        "form": form if form.is_bound or not is_closed else None,
        "trail": trail_to_peers(report.assignment.cohort),
    }
    return render(request, "peer_review/complaints/new.html", context)


def _report_on(user: User, report_id: UUID) -> tuple[FeedbackReport, bool]:
    """Return a peer's report on the user's work, and whether they may still read it.

    Once it is hidden they keep access to their complaint, without the report.
    """
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
        "complaints": complaints_in(organization)[:MAX_LISTED],
        "trail": trail_to_organization(organization),
    }
    return render(request, "peer_review/complaints/inbox.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def complaint(request: MemberRequest, org: str, complaint_id: int) -> HttpResponse:
    """Staff read a complaint; teachers decide on it."""
    posted = request.method == "POST"
    complaint_row = access_complaint(
        request.user, complaint_id, level="teacher" if posted else "staff"
    )

    form = DecisionForm(request.POST if posted else None)
    if form.is_valid():
        hide, answer = form.cleaned_data["hide"] == "yes", form.cleaned_data["answer"]
        try:
            decide_complaint(complaint=complaint_row, hide=hide, answer=answer, by=request.user)
        except FeedbackRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, "Decision saved. The student gets an email.")
            return redirect(request.path)

    inbox = reverse("complaints", args=[complaint_row.organization.slug])
    # A dismissal is final; a hidden report may be shown again (COMPLAINT_MOVES).
    may_decide = complaint_row.state != ComplaintState.DISMISSED and may(
        request.user, complaint_row.organization, "teacher"
    )
    context = {
        "complaint": complaint_row,
        "form": form if may_decide or form.is_bound else None,
        "trail": [
            *trail_to_organization(complaint_row.organization),
            ("Reported as abusive", inbox),
        ],
    }
    return render(request, "peer_review/complaints/complaint.html", context)
