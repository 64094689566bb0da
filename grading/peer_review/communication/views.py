"""A student's communication log at an assignment: what was posted, and posting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import EntryKind
from grading.core.errors import EntryRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_assignment, may, student_asked_for
from grading.core.requests import MemberRequest
from grading.courses.teams.queries import team_of
from grading.models import Assignment, Enrollment
from grading.peer_review.communication.actions import post_entry
from grading.peer_review.communication.forms import EntryForm
from grading.peer_review.communication.queries import (
    Channel,
    channels_of,
    counts_of,
    entries_between,
    filed_log,
    logs_of,
    messages_of,
)

PER_PAGE = 30
SUBJECTS = {
    EntryKind.PROGRESS: "progress",
    EntryKind.BLOCKER: "blockers",
    EntryKind.DESIGN: "design",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def communication(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show one's own log and post to it; staff choose a student (`student`) and only read.

    `pairing` in the query limits the log to one pairing.
    """
    assignment_row = access_assignment(request.user, cohort, assignment)
    is_staff = may(request.user, assignment_row.organization, "staff")
    # Staff read; only the owner writes.
    if is_staff and request.method == "POST":
        raise Http404
    student = student_asked_for(request, assignment_row)
    if student is None:
        context = {
            "assignment": assignment_row,
            "logs": logs_of(assignment_row),
            "trail": trail_to_assignment(assignment_row),
        }
        return render(request, "peer_review/communication/students.html", context)

    channels = channels_of(assignment_row, student, is_staff=is_staff)
    chosen = _chosen(channels, request.GET.get("pairing", ""))
    form = EntryForm(
        request.POST or None,
        readers=[(str(channel.pairing.pk), _label_of(channel)) for channel in channels],
        initial={"pairing": chosen and str(chosen.pairing.pk)},
    )

    if form.is_valid() and _post_entry(request, assignment_row, student, channels, form):
        messages.success(request, "Entry posted.")
        return redirect(request.get_full_path())

    context = _context(request, assignment_row, student, channels, chosen, is_staff=is_staff)
    return render(
        request,
        "peer_review/communication/log.html",
        context | {"form": None if is_staff else form},
    )


def _post_entry(
    request: MemberRequest,
    assignment: Assignment,
    student: Enrollment,
    channels: Sequence[Channel],
    form: EntryForm,
) -> bool:
    data = form.cleaned_data
    channel = _chosen(channels, data.get("pairing", ""))
    try:
        post_entry(
            assignment=assignment,
            student=student,
            kind=data["kind"],
            text=data["text"],
            by=request.user,
            pairing=channel.pairing if channel else None,
        )
    except EntryRefused as refusal:
        add_refusal(form, refusal)
        return False
    return True


def _chosen(channels: Sequence[Channel], key: str) -> Channel | None:
    """Return the channel of this pairing, None for "". Raises Http404 for any other."""
    if not key:
        return None
    channel = next((c for c in channels if str(c.pairing.pk) == key), None)
    if channel is None:
        raise Http404
    return channel


def _context(
    request: MemberRequest,
    assignment: Assignment,
    student: Enrollment,
    channels: Sequence[Channel],
    chosen: Channel | None,
    *,
    is_staff: bool,
) -> dict[str, Any]:
    pairing: UUID | None = chosen.pairing.pk if chosen else None
    rows = entries_between(assignment, student, channels, pairing)

    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    counts = counts_of(assignment, student)
    return {
        "assignment": assignment,
        "student": student,
        "team": team_of(assignment, student),
        "is_staff": is_staff,
        "channels": [(channel, _label_of(channel, is_staff=is_staff)) for channel in channels],
        "chosen": chosen,
        "page": page,
        "entries": messages_of(list(page), student, channels),
        "counts": [(SUBJECTS[EntryKind(kind)], number) for kind, number in counts.items()],
        "filed": filed_log(assignment, student, is_staff=is_staff),
        "trail": trail_to_assignment(assignment),
    }


def _label_of(channel: Channel, *, is_staff: bool = False) -> str:
    if channel.audits:
        return f"{channel.name}, whom {'they audit' if is_staff else 'I audit'}"
    return f"{channel.name}, who audits {'them' if is_staff else 'me'}"
