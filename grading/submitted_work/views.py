"""Pages of the audited files and of the submitted report."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from csp.constants import NONE, SELF
from csp.decorators import csp_replace, csp_update
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from grading.comments.queries import CommentsOf, ShownComment, comments_on
from grading.core.breadcrumbs import Trail, trail_to_assignment
from grading.core.enums import AuditKind
from grading.core.errors import UploadUnreadable
from grading.core.middleware import status_of
from grading.core.permissions import access_audit
from grading.core.request_cache import cached
from grading.core.requests import MemberRequest
from grading.core.uploads import open_pdf
from grading.engine.report import Location
from grading.engine.stored_sources import StoredSources
from grading.models import Audit
from grading.report_pages.location_links import Work, link_location
from grading.submitted_work.aligned_lines import AlignedFile, align
from grading.submitted_work.queries import (
    EarlierWork,
    changes_between,
    earlier_work,
    sources_of,
)

MAX_DIGITS = 8
MAX_PATHS = 2_000


@require_safe
def code(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """List the audited files, or show the file of `path`, around its lines `first` to `last`.

    An earlier attempt's lines stand beside it.
    """
    audit = access_audit(request.user, audit_id)
    files, path = sources_of(audit), request.GET.get("path")
    earlier = earlier_work(audit) if files is not None else None
    context: dict[str, Any] = {
        "audit": audit,
        "trail": _trail(audit),
        "files": files,
        "earlier": earlier,
        "path": path,
        "comments": _comments(request, audit),
    }
    if path and files is not None:
        context |= _file(request, audit, files, earlier, path)
    elif files is not None:
        context |= _listing(files, earlier)
    return render(request, "submitted_work/code.html", context)


def _trail(audit: Audit) -> Trail:
    submission = audit.submission
    address = reverse("audit", args=[audit.organization.slug, audit.pk])
    return [*trail_to_assignment(submission.assignment), (f"Attempt {submission.attempt}", address)]


def _listing(files: StoredSources, earlier: EarlierWork | None) -> dict[str, Any]:
    """Return the changed paths and the others, each up to MAX_PATHS."""
    rows = changes_between(files, earlier.files if earlier else files)
    changed = [row for row in rows if row.kind != "same"]
    same = [row for row in rows if row.kind == "same"]
    return {
        "changed": changed[:MAX_PATHS],
        "same": same[:MAX_PATHS],
        "hidden": len(changed[MAX_PATHS:]) + len(same[MAX_PATHS:]),
    }


def _file(
    request: MemberRequest,
    audit: Audit,
    files: StoredSources,
    earlier: EarlierWork | None,
    path: str,
) -> dict[str, Any]:
    file, before = files.get(path), earlier.files.get(path) if earlier else None
    if file is None and before is None:
        raise Http404
    lines = file.lines if file else []
    cited = _cited_lines(request, len(lines))
    is_compared = before is not None and (file is None or file.oid != before.oid)
    is_kept = all(side is None or side.text is not None for side in (file, before))
    earlier_lines = before.lines if before and is_compared else None
    submission = audit.submission
    work = Work(submission.repo_url, submission.resolved_commit)
    first, last = cited or (None, None)
    location = Location(path=path, line_start=first, line_end=last, commit=work.commit)
    aligned = align(path, lines, earlier_lines, cited=cited) if is_kept else None
    return {
        "file": file,
        "commented": _commented(path, _comments(request, audit)),
        "unshown": _unshown(path, aligned, _comments(request, audit)),
        "at_host": link_location(location, work) if file else None,
        "before": before,
        "is_compared": is_compared,
        "cited": cited,
        "aligned": aligned,
    }


def _comments(request: MemberRequest, audit: Audit) -> CommentsOf | None:
    """Return the comments on the work, read once in a request; a peer's audit shows none."""
    if audit.kind == AuditKind.PEER:
        return None
    return cached(
        "comments", audit.submission_id, ask=lambda: comments_on(audit.submission, request.user)
    )


def _commented(path: str, comments: CommentsOf | None) -> set[int | None]:
    """Return the lines of this attempt after which comments stand."""
    own = comments.on_file(path) if comments else []
    return {shown.comment.last_line for shown in own if not shown.is_earlier}


def _unshown(
    path: str, aligned: AlignedFile | None, comments: CommentsOf | None
) -> list[ShownComment]:
    """Return the comments on this file that no shown line carries, and those of earlier attempts."""
    rows = aligned.rows if aligned else ()
    numbers = {row.after.number for row in rows if row.after}
    return [
        shown
        for shown in (comments.on_file(path) if comments else [])
        if shown.is_earlier or shown.comment.last_line not in numbers
    ]


def _cited_lines(request: MemberRequest, lines: int) -> tuple[int, int] | None:
    """Return the first and last line of the address; None without lines that the file has."""
    first = _number(request, "first")
    if first is None or not 1 <= first <= lines:
        return None
    last = _number(request, "last") or first
    return first, min(max(last, first), lines)


def _number(request: MemberRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None


@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
@require_safe
def pdf_page(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Show the submitted report in the page, open at `page`."""
    audit = access_audit(request.user, audit_id)
    page, comments = _number(request, "page") or 1, _comments(request, audit)
    pages = Counter(shown.comment.page or 1 for shown in comments.on_pages()) if comments else {}
    context = {
        "audit": audit,
        "trail": _trail(audit),
        "page": page,
        "comments": comments,
        "others": [(number, pages[number]) for number in sorted(pages) if number != page],
    }
    return render(request, "submitted_work/pdf.html", context)


@xframe_options_sameorigin
@csp_replace({"default-src": [NONE], "frame-ancestors": [SELF]})  # type: ignore[arg-type]
@require_safe
def pdf_file(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponseBase:
    """Send the submitted report, to be shown by the browser's own viewer."""
    submission = access_audit(request.user, audit_id).submission
    if not submission.pdf:
        raise Http404
    name = f"{submission.assignment.slug}-attempt-{submission.attempt}.pdf"
    try:
        pdf = open_pdf(submission)
    except UploadUnreadable as error:
        # In words alone: the page's frame shows no other document.
        return HttpResponse(error.sentence, content_type="text/plain", status=status_of(error))
    answer = FileResponse(pdf, filename=name, content_type="application/pdf")
    # The file is from a student: the browser must not guess another type.
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer
