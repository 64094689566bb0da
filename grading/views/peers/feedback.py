"""A report on somebody's work beside the verdict, as one of its sides may see it, and to download.

What that is, queries/peers/editions.py decides.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.actions.peers.feedback_reading import mark_read
from grading.actions.people.openings import mark_opened
from grading.enums import Opened
from grading.models import FeedbackReport
from grading.permissions import access_feedback
from grading.queries.peers.editions import PeerEdition, edition_of
from grading.views.reading.feedback import feedback_view, name_of_other
from grading.views.reading.feedback_markdown import markdown_of
from grading.views.reading.judges import JUDGES
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_peers


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
        return render(request, "peers/running.html", context)
    edition = edition_of(report, side=side)
    if side == "subject" and request.method == "GET":
        mark_read(report=report, by=request.user)
    if side == "author" and report.author is not None and request.method == "GET":
        mark_opened(student=report.author, kind=Opened.ANSWERS, about=report.pk)
    context |= {"view": feedback_view(edition), "edition": edition, "judges": JUDGES}
    return render(request, "peers/feedback.html", context)


@require_safe
def feedback_json(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    report, edition = _shown(request, report_id)
    document = edition.report if edition.report is not None else edition.reading
    if document is None:
        raise Http404
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return _attachment(report, text, "application/json", "json")


@require_safe
def feedback_markdown(request: MemberRequest, org: str, report_id: UUID) -> HttpResponse:
    report, edition = _shown(request, report_id)
    if edition.report is None and edition.reading is None:
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


def _attachment(report: FeedbackReport, text: str, content_type: str, extension: str) -> HttpResponse:
    """Never shown inside the site, and under a name that nobody chose."""
    headers = {
        "Content-Disposition": f'attachment; filename="feedback-{report.pk}.{extension}"',
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text, content_type=f"{content_type}; charset=utf-8", headers=headers)
