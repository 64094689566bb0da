"""The style page: every token, part, state and picture, in the templates that the pages use. In development alone."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from grading.audits.presenters.judge_marks import JUDGES
from grading.audits.presenters.progress import progress_of
from grading.audits.queries import Edition
from grading.audits.wait_times import Pace
from grading.bulk.queries import Progress
from grading.core.enums import AuditState
from grading.styles_page.sample_forms import Filters, opened, refused
from grading.styles_page.sample_people import (
    ASSIGNMENT,
    INSTITUTE,
    attempts,
    audit_in,
    bulk_run,
    findings,
)
from grading.styles_page.sample_pictures import drawn
from grading.styles_page.sample_reports import report_in
from grading.styles_page.token_contrast import colours, contrasts, measures

ENDINGS = ("verdict", "needs_review", "degraded")


@require_safe
def styles(request: HttpRequest) -> HttpResponse:
    if not settings.SHOWS_STYLES:
        raise Http404
    context = {
        "colours": colours(),
        "contrasts": contrasts(),
        "measures": measures(),
        "trail": [("Start", "/"), (INSTITUTE.name, "/styles/")],
        "assignment": ASSIGNMENT,
        "attempts": attempts(),
        "findings": findings(),
        "opened": opened(),
        "refused": refused(),
        "filters": Filters(),
        "misread": ["“yesterday” is no day: everything is shown."],
        "states": list(AuditState),
        "pages": [Paginator(range(90), 30).page(number) for number in (1, 2, 3)],
        **_audits(),
    }
    return render(request, "styles_page/styles.html", context | drawn())


def _audits() -> dict[str, Any]:
    """On their way, and in every ending."""
    waiting, running, failed = (
        audit_in(AuditState.QUEUED),
        audit_in(AuditState.RUNNING, "prosecutor"),
        audit_in(AuditState.FAILED, "context_builder"),
    )
    pace = Pace(seconds=40, of=12, workers=1)
    return {
        "audit": running,
        "progresses": [
            (waiting, progress_of(waiting, 3, pace)),
            (running, progress_of(running, None, None)),
            (failed, progress_of(failed, None, None)),
        ],
        "judges": JUDGES,
        "edition": Edition(report={}, grade=None, released=None, provisional=True),
        "reports": [report_in(each) for each in ENDINGS],
        "run": bulk_run(),
        "far": Progress(total=120, done=46, failed=1, changed=7, waiting=70, cancelled=4),
    }
