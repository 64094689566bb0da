"""A report on somebody's work beside the verdict, as one of its sides may see it, and to download.

What that is, peer_review/feedback/queries.py decides.
"""

from __future__ import annotations

import json
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
from grading.core.permissions import access_assignment, access_enrollment, access_feedback
from grading.core.read_receipts import mark_opened
from grading.core.requests import MemberRequest
from grading.models import Enrollment, FeedbackReport
from grading.peer_review.feedback.actions import import_feedback, mark_read
from grading.peer_review.feedback.forms import BringForm, ReportForm
from grading.peer_review.feedback.presenters import feedback_view, markdown_of, name_of_other
from grading.peer_review.feedback.queries import PeerEdition, edition_of
from grading.peer_review.feedback.repository_reports import search_repository
from grading.report_pages.judge_marks import JUDGES


@never_cache
@require_safe
def feedback(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    """While its audit runs there is only that; the first time its subject opens it is written down."""
    report, side = access_feedback(request.user, report_id)
    context: dict[str, Any] = {
        "report": report,
        "side": side,
        "other": name_of_other(report, side),
        "trail": trail_to_peers(report.assignment.cohort),
    }
    if report.audit is not None and not report.audit.has_report:
        if side == "subject":
            raise Http404
        return render(request, "peer_review/running.html", context)
    edition = edition_of(report, side=side)
    if side == "subject" and request.method == "GET":
        mark_read(report=report, by=request.user)
    if side == "author" and report.author is not None and request.method == "GET":
        mark_opened(student=report.author, kind=Opened.ANSWERS, about=report.pk)
    context |= {"view": feedback_view(edition), "edition": edition, "judges": JUDGES}
    return render(request, "peer_review/feedback.html", context)


@require_safe
def feedback_json(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    report, edition = _shown(request, report_id)
    document = edition.document if edition.document is not None else edition.reading
    if document is None:
        raise Http404
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return _attachment(report, text, "application/json", "json")


@require_safe
def feedback_markdown(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    report, edition = _shown(request, report_id)
    if edition.document is None and edition.reading is None:
        raise Http404
    return _attachment(report, markdown_of(edition), "text/markdown", "md")


@require_safe
def feedback_original(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    """The file as it was brought, or what this reader may see of it; as plain text, whatever it is."""
    report, edition = _shown(request, report_id)
    if edition.original is None:
        raise Http404
    return _attachment(report, edition.original, "text/plain", "original.txt")


def _shown(request: MemberRequest, report_id: UUID) -> tuple[FeedbackReport, PeerEdition]:
    report, side = access_feedback(request.user, report_id)
    if report.audit is not None and not report.audit.has_report:
        raise Http404
    return report, edition_of(report, side=side)


def _attachment(
    report: FeedbackReport, text: str, content_type: str, extension: str
) -> HttpResponse:
    """Never shown inside the site, and under a name that nobody chose."""
    headers = {
        "Content-Disposition": f'attachment; filename="feedback-{report.pk}.{extension}"',
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text, content_type=f"{content_type}; charset=utf-8", headers=headers)


NO_TEXT = "This file is no text in UTF-8: Markdown or JSON can be read."


@require_http_methods(["GET", "HEAD", "POST"])
def bring(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """For a student of the cohort: a report outside any pairing, or a look into their repository."""
    found = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, found.cohort)
    if request.POST.get("do") == "search":
        _search(request, found, student)
        return redirect("peers", org, found.cohort.slug)
    form = BringForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        report = brought(
            request,
            form,
            assignment=found,
            brought_by=student,
            direction=form.cleaned_data["direction"],
        )
        if report is not None:
            return redirect("feedback", org, report.pk)
    context = {"assignment": found, "form": form, "trail": trail_to_peers(found.cohort)}
    return render(request, "peer_review/bring.html", context)


def brought(request: MemberRequest, form: ReportForm, **where: Any) -> FeedbackReport | None:
    """The report that a valid form holds; None when it was refused, which stands beside the field then."""
    try:
        text = form.text()
    except UnicodeDecodeError:
        form.add_error("file", NO_TEXT)
        return None
    try:
        report = import_feedback(
            text=text,
            name=form.cleaned_data["file"].name,
            origin="upload",
            by=request.user,
            **where,
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None
    messages.success(request, "The report is taken: this is what could be read in it.")
    return report


def _search(request: MemberRequest, assignment: Any, student: Enrollment) -> None:
    try:
        search_repository(assignment=assignment, student=student)
    except ActionRefused as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(
            request, "A worker looks into your repository: what it finds appears here shortly."
        )
