"""Pages of one feedback report, its downloads, and the upload of reports.

feedback/queries.py decides what a reader may see.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import trail_to_peers
from grading.core.enums import Opened
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.pairing_access import ReportSide
from grading.core.peer_permissions import access_feedback
from grading.core.permissions import access_assignment, access_enrollment
from grading.core.read_receipts import mark_opened
from grading.core.requests import MemberRequest
from grading.models import Enrollment, FeedbackReport
from grading.peer_review.feedback.actions import import_feedback, mark_read
from grading.peer_review.feedback.edition_keys import export_key
from grading.peer_review.feedback.editions import has_failed_edition
from grading.peer_review.feedback.forms import ReportForm, UploadForm
from grading.peer_review.feedback.presenters import (
    dismissed_findings,
    markdown_of,
    other_name_for,
    present_feedback,
)
from grading.peer_review.feedback.queries import NOT_READY, RedactedCopy, redacted_copy_of
from grading.peer_review.feedback.repository_imports import is_retired, search_repository
from grading.report_pages.judge_marks import JUDGES


@never_cache
@require_safe
def feedback(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    """Show a report, or that its audit runs; record the first reading by its subject."""
    report, side = access_feedback(request.user, report_id)
    context: dict[str, Any] = {
        "report": report,
        "side": side,
        "other": other_name_for(report, side),
        "trail": trail_to_peers(report.assignment.cohort),
    }
    if report.audit is not None and not report.audit.has_report:
        # The audit may still fail: until it has a report its subject learns nothing of it.
        if side == "subject":
            raise Http404
        return render(request, "peer_review/running.html", context)

    copy = redacted_copy_of(report, side=side)
    is_shown = request.method == "GET" and copy.status == "ready"
    if side == "subject" and is_shown:
        # HEAD shows nothing, so it is no reading.
        mark_read(report=report, by=request.user)

    if side == "author" and report.author is not None and is_shown:
        mark_opened(student=report.author, kind=Opened.ANSWERS, about=report.pk)

    context |= {"view": present_feedback(copy), "copy": copy, "judges": JUDGES}
    context["dismissed"] = dismissed_findings(report, side)
    context["is_retired"] = is_retired(report)
    context["edition_failed"] = side == "staff" and has_failed_edition(report)
    return render(request, "peer_review/feedback.html", context)


@require_safe
def feedback_json(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    report, side, copy = _readable_copy(request, report_id)
    document = copy.document if copy.document is not None else copy.reading
    if document is None:
        return _not_ready(copy)
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return _attachment(export_key(report, side), text, "application/json", "json")


@require_safe
def feedback_markdown(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    report, side, copy = _readable_copy(request, report_id)
    if copy.document is None and copy.reading is None:
        return _not_ready(copy)
    return _attachment(export_key(report, side), markdown_of(copy), "text/markdown", "md")


@require_safe
def feedback_original(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    """Download the imported file, or its redacted copy, always as plain text."""
    report, side, copy = _readable_copy(request, report_id)
    if copy.original is None:
        return _not_ready(copy)
    return _attachment(export_key(report, side), copy.original, "text/plain", "original.txt")


def _readable_copy(
    request: MemberRequest, report_id: UUID
) -> tuple[FeedbackReport, ReportSide, RedactedCopy]:
    report, side = access_feedback(request.user, report_id)
    if report.audit is not None and not report.audit.has_report:
        raise Http404
    return report, side, redacted_copy_of(report, side=side)


def _not_ready(copy: RedactedCopy) -> HttpResponse:
    """Return 409 with a sentence where an edition is missing. Raises Http404 for any other copy."""
    if copy.status == "ready":
        raise Http404
    return HttpResponse(
        NOT_READY[copy.status], status=HTTPStatus.CONFLICT, content_type="text/plain; charset=utf-8"
    )


def _attachment(key: UUID, text: str, content_type: str, extension: str) -> HttpResponse:
    """Return a download under a fixed name, never shown inside the site."""
    headers = {
        "Content-Disposition": f'attachment; filename="feedback-{key}.{extension}"',
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text, content_type=f"{content_type}; charset=utf-8", headers=headers)


NOT_UTF8 = "This is not a text file in UTF-8. Upload Markdown or JSON."


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Upload a report outside pairings, or search the student's repository for reports."""
    assignment_row = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, assignment_row.cohort)
    if request.POST.get("do") == "search":
        _search(request, assignment_row, student)
        return redirect("peers", org, assignment_row.cohort.slug)

    form = UploadForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        report = import_upload(
            request,
            form,
            assignment=assignment_row,
            brought_by=student,
            direction=form.cleaned_data["direction"],
        )
        if report is not None:
            return redirect("feedback", org, report.pk)

    context = {
        "assignment": assignment_row,
        "form": form,
        "trail": trail_to_peers(assignment_row.cohort),
    }
    return render(request, "peer_review/upload.html", context)


def import_upload(
    request: MemberRequest, form: ReportForm, **options: Any
) -> FeedbackReport | None:
    """Import the file of a valid form; return None with an error in the form if refused."""
    try:
        text = form.text()
    except UnicodeDecodeError:
        form.add_error("file", NOT_UTF8)
        return None
    try:
        report = import_feedback(
            text=text,
            name=form.cleaned_data["file"].name,
            origin="upload",
            by=request.user,
            **options,
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None
    messages.success(request, "Report uploaded. Please check what could be read from it.")
    return report


def _search(request: MemberRequest, assignment: Any, student: Enrollment) -> None:
    try:
        search_repository(assignment=assignment, student=student)
    except ActionRefused as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(
            request, "Your repository is being searched. New reports appear here shortly."
        )
