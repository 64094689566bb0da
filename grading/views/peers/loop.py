"""The loop of one student: attempt by attempt what was found, fixed and scored, and whose finding led to it."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from grading.actions.audits.submissions import why_closed
from grading.permissions import access_assignment, may
from grading.queries.audits.criteria_over import criteria_over
from grading.queries.peers.loop import loop_of
from grading.views.peers.findings import student_asked_for
from grading.views.reading.loop import picture_of
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_assignment


@require_safe
def loop(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """One's own; staff who name no student choose one among the findings of all."""
    found = access_assignment(request.user, cohort, assignment)
    student = student_asked_for(request, found)
    if student is None:
        return redirect("findings", org, cohort, assignment)
    is_staff = may(request.user, found.organization, "staff")
    told = loop_of(found, student, is_staff=is_staff)
    left = found.max_attempts - sum(turn.submission.counts for turn in told.turns)
    context = {
        "assignment": found,
        "student": student,
        "is_staff": is_staff,
        "loop": told,
        "fixed": any(turn.fixes for turn in told.turns),
        "picture": picture_of(told.turns),
        "criteria": criteria_over([turn.attempt for turn in told.turns]),
        "may_hand_in": not is_staff and why_closed(assignment=found, left=left) is None,
        "trail": trail_to_assignment(found),
    }
    return render(request, "loop/loop.html", context)
