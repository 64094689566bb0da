"""An audit: its progress while it runs, its report when it is done, and both downloads."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.appeals.queries import appeals_beside
from grading.audits.presenters.progress import criteria_judged, progress_of
from grading.audits.presenters.release_status import release_status_of
from grading.audits.queries import VisibleReport, grade_of, is_past, visible_report
from grading.audits.wait_times import pace_of
from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import Opened
from grading.core.fair_turns import position_shown
from grading.core.permissions import access_audit, may
from grading.core.read_receipts import mark_opened
from grading.core.requests import MemberRequest
from grading.findings.queries import Changes, changes_in, findings_of
from grading.grades.queries.final_scores import counting_in
from grading.models import Audit
from grading.report_pages.judge_marks import JUDGES
from grading.report_pages.override_markdown import override_markdown
from grading.report_pages.report_page import present_report
from grading.submissions.queries import WITHDRAWN, attempts_of, may_withdraw, visible_attempts


@never_cache
@require_safe
def audit(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """The report as this reader may see it; before there is one, the progress; while it is withheld, that it is."""
    found = access_audit(request.user, audit_id)
    submission = found.submission
    context: dict[str, Any] = {"audit": found, "trail": trail_to_assignment(submission.assignment)}
    if submission.student.user_id == request.user.pk:
        context["attempts"] = visible_attempts(
            attempts_of(submission.student, submission.assignment)
        )
    edition = visible_report(found, is_staff=may(request.user, found.organization, "staff"))
    if edition is not None:
        _opened(request, found)
        return render(request, "audits/report.html", context | _report(request, found, edition))
    if found.has_report:
        past = is_past(submission, grade_of(submission))
        return render(request, "audits/withheld.html", context | {"past": past})
    return render(
        request, "audits/progress.html", context | _progress(request, found, position_shown(found))
    )


def _opened(request: MemberRequest, audit: Audit) -> None:
    """To its student it is no longer new."""
    submission = audit.submission
    if submission.student.user_id == request.user.pk and request.method == "GET":
        mark_opened(student=submission.student, kind=Opened.REPORT, about=submission.pk)


def _report(request: MemberRequest, audit: Audit, edition: VisibleReport) -> dict[str, Any]:
    standing, version = release_status_of(audit, edition), audit.rubric_version
    judged_under = edition.report.rubric.digest == version.digest
    return {
        "edition": edition,
        "standing": standing,
        "appeals": appeals_beside(audit, user_id=request.user.pk),
        "report": present_report(
            edition.report, counting_in(audit, edition), version.document if judged_under else None
        ),
        "judges": JUDGES,
        "since": _since(request, audit),
        "is_staff": may(request.user, audit.organization, "staff"),
        "may_change": may(request.user, audit.organization, "teacher"),
    }


def _since(request: MemberRequest, audit: Audit) -> Changes | None:
    """What became of the findings since the attempts before; null for the first, and where there are none."""
    submission = audit.submission
    if submission.attempt == 1:
        return None
    is_staff = may(request.user, audit.organization, "staff")
    changes = changes_in(
        findings_of(submission.assignment, submission.student, is_staff=is_staff),
        submission.attempt,
    )
    return changes if changes.there or changes.fixed else None


@require_safe
def progress(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """The fragment that renews itself: 304 while nothing changed; when the audit has ended, the page is loaded anew."""
    found = access_audit(request.user, audit_id)
    position = position_shown(found)
    headers = {"ETag": _etag(found, position), "Cache-Control": "private, no-cache"}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return HttpResponse(status=304, headers=headers)
    if found.is_final:
        headers["HX-Refresh"] = "true"
    context = _progress(request, found, position)
    context["announce"] = (
        request.GET.get("said", context["progress"].step) != context["progress"].step
    )
    fragment = render_to_string("audits/_progress.html", context, request)
    return HttpResponse(fragment, headers=headers)


def _etag(audit: Audit, position: int | None) -> str:
    """What is applied to an audit once it has ended is nothing that a student without a release may notice."""
    return '"ended"' if audit.is_final else f'"{audit.version}-{position or 0}"'


def _progress(request: MemberRequest, audit: Audit, position: int | None) -> dict[str, Any]:
    return {
        "audit": audit,
        "progress": progress_of(audit, position, None if audit.is_final else pace_of(audit)),
        "etag": _etag(audit, position),
        "judged": criteria_judged(audit),
        "criteria": audit.opinions_expected // len(JUDGES),
        "again": _again(request, audit),
        "may_withdraw": may_withdraw(audit, request.user),
        "withdrawn": audit.failure_code == WITHDRAWN,
    }


def _again(request: MemberRequest, audit: Audit) -> str | None:
    """Where the student hands in again; nobody else can."""
    assignment = audit.submission.assignment
    if audit.submission.student.user_id != request.user.pk:
        return None
    return reverse(
        "submit", args=[audit.organization.slug, assignment.cohort.slug, assignment.slug]
    )


@require_safe
def report_json(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """The courtroom's own record: what people gave in its place is not in it, so that its digest holds."""
    found, edition = _reported(request, audit_id)
    text = json.dumps(edition.document, ensure_ascii=False, indent=2)
    return _attachment(found, text, "application/json", "json")


@require_safe
def report_markdown(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """The report to read elsewhere, with the scores by hand at its end."""
    from grading.engine import audits as engine_audits

    found, edition = _reported(request, audit_id)
    date = f"{found.finished_at:%Y-%m-%d %H:%M %Z}"
    text = engine_audits.render_markdown(edition.document, date=date)
    return _attachment(
        found, text + override_markdown(counting_in(found, edition)), "text/markdown", "md"
    )


def _reported(request: MemberRequest, audit_id: UUID) -> tuple[Audit, VisibleReport]:
    found = access_audit(request.user, audit_id)
    edition = visible_report(found, is_staff=may(request.user, found.organization, "staff"))
    if edition is None:
        raise Http404
    return found, edition


def _attachment(audit: Audit, text: str, content_type: str, extension: str) -> HttpResponse:
    """Never shown inside the site: what is in it was partly written by others."""
    submission = audit.submission
    name = f"{slugify(submission.assignment.title)}-attempt-{submission.attempt}.{extension}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text, content_type=f"{content_type}; charset=utf-8", headers=headers)
