"""Peers: what a student generated, received and did about it; for staff the rounds of all assignments."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.models import Cohort, Enrollment
from grading.permissions import access_cohort, access_enrollment, may
from grading.queries.peers.complaints import open_complaints
from grading.queries.peers.exchange import exchanges_of
from grading.queries.peers.exchange_rows import is_over
from grading.queries.peers.round_lists import rounds_by_assignment
from grading.queries.peers.searches import latest_searches
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_cohort


@never_cache
@require_safe
def peers(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """The student's own page; staff see the rounds."""
    found = access_cohort(request.user, cohort)
    if may(request.user, found.organization, "staff"):
        context = {
            "cohort": found,
            "assignments": rounds_by_assignment(found),
            "complaints": open_complaints(found),
            "may_change": may(request.user, found.organization, "teacher"),
            "trail": trail_to_cohort(found),
        }
        return render(request, "peers/rounds.html", context)
    return _own(request, found, access_enrollment(request.user, found))


def _own(request: MemberRequest, found: Cohort, student: Enrollment) -> HttpResponse:
    exchanges = exchanges_of(student)
    handed_in = [audit.attempt.submission for exchange in exchanges for audit in exchange.audits]
    context = {
        "cohort": found,
        "exchanges": exchanges,
        "searches": latest_searches(handed_in),
        "over": is_over(found),
        "trail": trail_to_cohort(found),
    }
    return render(request, "peers/peers.html", context)
