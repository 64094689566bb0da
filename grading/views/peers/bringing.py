"""Bringing a report along: from a file, or from the folders of one's own repository."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.actions.peers.feedback_imports import import_feedback
from grading.actions.peers.repository_reports import search_repository
from grading.errors import ActionRefused
from grading.forms.feedback import BringForm, ReportForm
from grading.forms.refusals import put_beside
from grading.models import Enrollment, FeedbackReport
from grading.permissions import access_assignment, access_enrollment
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_peers

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
            request, form, assignment=found, brought_by=student, direction=form.cleaned_data["direction"]
        )
        if report is not None:
            return redirect("feedback", org, report.pk)
    context = {"assignment": found, "form": form, "trail": trail_to_peers(found.cohort)}
    return render(request, "peers/bring.html", context)


def brought(request: MemberRequest, form: ReportForm, **where: Any) -> FeedbackReport | None:
    """The report that a valid form holds; None when it was refused, which stands beside the field then."""
    try:
        text = form.text()
    except UnicodeDecodeError:
        form.add_error("file", NO_TEXT)
        return None
    try:
        report = import_feedback(
            text=text, name=form.cleaned_data["file"].name, origin="upload", by=request.user, **where
        )
    except ActionRefused as refusal:
        put_beside(form, refusal)
        return None
    messages.success(request, "The report is taken: this is what could be read in it.")
    return report


def _search(request: MemberRequest, assignment: Any, student: Enrollment) -> None:
    try:
        search_repository(assignment=assignment, student=student)
    except ActionRefused as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, "A worker looks into your repository: what it finds appears here shortly.")
