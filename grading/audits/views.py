"""Pages of an audit: its progress while it runs, its report, and the downloads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.appeals.queries import criterion_appeals
from grading.audits.presenters.changed_criteria import changed_criteria
from grading.audits.presenters.progress import criteria_judged, progress_of
from grading.audits.presenters.release_status import release_status_of
from grading.audits.queries import VisibleReport, grade_of, is_past, visible_report
from grading.audits.wait_times import pace_of
from grading.comments.queries import CommentsOf, comments_on
from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import AuditKind, Opened
from grading.core.fair_turns import position_shown
from grading.core.own_work import may_handle
from grading.core.permissions import access_audit, may
from grading.core.read_receipts import mark_opened
from grading.core.requests import MemberRequest
from grading.courses.teams.queries import authorship_of, team_grades, team_mates
from grading.findings.queries.visible_findings import Changes, changes_in, findings_of
from grading.grades.queries.final_scores import counting_verdict
from grading.models import Audit, Submission
from grading.report_pages.judge_marks import JUDGES
from grading.report_pages.override_markdown import override_markdown
from grading.report_pages.page_view import page_view
from grading.report_pages.report_page import present_report
from grading.submissions.queries import (
    WITHDRAWN,
    Attempt,
    attempts_beside,
    may_withdraw,
    staff_attempt,
    visible_attempts,
)


@never_cache
@require_safe
def audit(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Show the report that this reader may see, or the progress, or that the report is withheld."""
    audit = access_audit(request.user, audit_id)
    submission = audit.submission
    context: dict[str, Any] = {"audit": audit, "trail": trail_to_assignment(submission.assignment)}
    is_staff = may_handle(request.user, submission)
    if submission.reader.user_id == request.user.pk:
        context["attempts"] = _attempts(submission, is_staff=False)

    visible = visible_report(audit, is_staff=is_staff)
    if visible is not None:
        _mark_as_read(request, audit)
        attempts = context.get("attempts")
        if attempts is None:
            # Of a first attempt there is nothing to compare, and no query to make.
            attempts = [] if submission.attempt == 1 else _attempts(submission, is_staff=is_staff)
        context |= _report(request, audit, visible, attempts, is_staff=is_staff)
        return render(request, "audits/report.html", context)

    if audit.has_report:
        past = is_past(submission, grade_of(submission))
        context |= {"past": past, "comments": _comments(request, audit)}
        return render(request, "audits/withheld.html", context)

    return render(
        request, "audits/progress.html", context | _progress(request, audit, position_shown(audit))
    )


def _attempts(submission: Submission, *, is_staff: bool) -> list[Attempt]:
    """Return the student's attempts, newest first, as this reader may see them."""
    rows = attempts_beside(submission)
    return [staff_attempt(row) for row in rows] if is_staff else visible_attempts(rows)


def _mark_as_read(request: MemberRequest, audit: Audit) -> None:
    # A HEAD request shows nothing, and staff must not mark a report as read for its student.
    submission = audit.submission
    if submission.reader.user_id == request.user.pk and request.method == "GET":
        mark_opened(student=submission.reader, kind=Opened.REPORT, about=submission.pk)


def _report(
    request: MemberRequest,
    audit: Audit,
    visible: VisibleReport,
    attempts: Sequence[Attempt],
    *,
    is_staff: bool,
) -> dict[str, Any]:
    version = audit.rubric_version
    # The audit's rubric may have changed since: its levels and graph then do not fit this report.
    is_same_rubric = visible.report.rubric.digest == version.digest
    page = present_report(
        visible.report,
        counting_verdict(audit, visible),
        version.document if is_same_rubric else None,
        audit_address=reverse("audit", args=[audit.organization.slug, audit.pk]),
    )
    since = _since(audit, is_staff=is_staff)
    changed = changed_criteria(audit.submission, page.criteria, since, attempts)
    return {
        "visible": visible,
        "release_status": release_status_of(audit, visible),
        "appeals": criterion_appeals(audit, user_id=request.user.pk, grade=visible.grade),
        "comments": _comments(request, audit),
        "report": page,
        "view": page_view(request.GET, page.criteria, changed),
        "judges": JUDGES,
        "team": _team(audit, visible, is_staff=is_staff),
        "since": since,
        "is_staff": is_staff,
        "may_change": may(request.user, audit.organization, "teacher"),
    }


def _comments(request: MemberRequest, audit: Audit) -> CommentsOf | None:
    """Return the comments on the work; the report of a peer's audit shows none."""
    return None if audit.kind == AuditKind.PEER else comments_on(audit.submission, request.user)


def _team(audit: Audit, visible: VisibleReport, *, is_staff: bool) -> dict[str, Any] | None:
    """Return what the report says of the team: members, git's shares, and for staff the grades."""
    submission = audit.submission
    if submission.team is None:
        return None
    members = team_mates(submission)
    grades = team_grades(submission) if is_staff else []
    return {
        "team": submission.team,
        "members": members,
        "authors": authorship_of(visible.report.commit_authors, members),
        "grades": grades,
        "to_release": [row for row in grades if row.released_at is None or row.changed],
    }


def _since(audit: Audit, *, is_staff: bool) -> Changes | None:
    """Return the changes of the findings since earlier attempts; None if there are none."""
    submission = audit.submission
    if submission.attempt == 1:
        return None

    changes = changes_in(
        findings_of(
            submission.assignment,
            submission.student,
            is_staff=is_staff,
            reader=submission.reader,
        ),
        submission.attempt,
    )
    return changes if changes.there or changes.fixed else None


@require_safe
def progress(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Return the polled part of the page: 304 without a change, a page reload at the end."""
    audit = access_audit(request.user, audit_id)
    position = position_shown(audit)
    headers = {"ETag": _etag(audit, position), "Cache-Control": "private, no-cache"}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return HttpResponse(status=304, headers=headers)
    if audit.is_final:
        # htmx loads the whole page again: it is now the report, or the reason for none.
        headers["HX-Refresh"] = "true"

    context = _progress(request, audit, position)
    # Screen readers hear a new step, but not every new place in the queue.
    step = context["progress"].step
    context["announce"] = request.GET.get("said", step) != step
    fragment = render_to_string("audits/_progress.html", context, request)
    return HttpResponse(fragment, headers=headers)


def _etag(audit: Audit, position: int | None) -> str:
    # A final audit has one tag: later changes must not show to a student before a release.
    return '"ended"' if audit.is_final else f'"{audit.version}-{position or 0}"'


def _progress(request: MemberRequest, audit: Audit, position: int | None) -> dict[str, Any]:
    return {
        "audit": audit,
        "progress": progress_of(audit, position, None if audit.is_final else pace_of(audit)),
        "etag": _etag(audit, position),
        "judged": criteria_judged(audit),
        "criteria": audit.opinions_expected // len(JUDGES),
        "submit_url": _submit_url(request, audit),
        "may_withdraw": may_withdraw(audit, request.user),
        "withdrawn": audit.failure_code == WITHDRAWN,
    }


def _submit_url(request: MemberRequest, audit: Audit) -> str | None:
    """Return the address where the student submits again; None for anybody else."""
    assignment = audit.submission.assignment
    if audit.submission.reader.user_id != request.user.pk:
        return None
    return reverse(
        "submit", args=[audit.organization.slug, assignment.cohort.slug, assignment.slug]
    )


@require_safe
def report_json(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Download the stored report, without overrides, so that its digest stays valid."""
    audit, visible = _reported(request, audit_id)
    text = json.dumps(visible.document, ensure_ascii=False, indent=2)
    return _attachment(audit, text, "application/json", "json")


@require_safe
def report_markdown(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Download the report as Markdown, with the overrides at its end."""
    # Imported here: web processes never pay for the courtroom's heavy imports.
    from grading.engine import audits as engine_audits

    audit, visible = _reported(request, audit_id)
    date = f"{audit.finished_at:%Y-%m-%d %H:%M %Z}"
    text = engine_audits.render_markdown(visible.document, date=date)
    text += override_markdown(counting_verdict(audit, visible))
    return _attachment(audit, text, "text/markdown", "md")


@require_safe
def report_sarif(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Download the findings of the stored report as SARIF."""
    from grading.engine import audits as engine_audits

    audit, visible = _reported(request, audit_id)
    text = engine_audits.render_sarif(visible.document)
    return _attachment(audit, text, "application/sarif+json", "sarif")


@require_safe
def report_junit(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Download the checks of the stored report as JUnit XML."""
    from grading.engine import audits as engine_audits

    audit, visible = _reported(request, audit_id)
    text = engine_audits.render_junit(visible.document)
    return _attachment(audit, text, "application/xml", "junit.xml")


def _reported(request: MemberRequest, audit_id: UUID) -> tuple[Audit, VisibleReport]:
    audit = access_audit(request.user, audit_id)
    visible = visible_report(audit, is_staff=may_handle(request.user, audit.submission))
    if visible is None:
        raise Http404
    return audit, visible


def _attachment(audit: Audit, text: str, content_type: str, extension: str) -> HttpResponse:
    """Return a download. No browser may render it: others wrote part of its content."""
    submission = audit.submission
    name = f"{slugify(submission.assignment.title)}-attempt-{submission.attempt}.{extension}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text, content_type=f"{content_type}; charset=utf-8", headers=headers)
