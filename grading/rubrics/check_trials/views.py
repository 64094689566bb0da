"""Answer of a worker to the trial of a check, and the address of the former page for trials."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.permissions import access_audit, access_organization
from grading.core.requests import MemberRequest
from grading.rubrics.check_trials.actions import answer_to
from grading.rubrics.check_trials.presenters import present_trial


@require_safe
def try_check(request: MemberRequest, org: str) -> HttpResponse:
    """Lead to the rubrics: each check is tried on the page of its version."""
    organization = access_organization(request.user, org, level="teacher")
    return redirect("rubric-list", organization.slug)


@never_cache
@require_safe
def trial(request: MemberRequest, org: str, audit_id: UUID, key: str) -> HttpResponse:
    """Show a worker's answer; until it is there the page, or a part of it by htmx, reloads."""
    audit = access_audit(request.user, audit_id, level="teacher")
    answer = answer_to(audit_id=audit.pk, key=key)
    if answer is None:
        raise Http404
    if answer.is_final and "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Refresh": "true"})

    context = {
        "audit": audit,
        "key": key,
        "answer": answer,
        "trial": answer.trial,
        "view": present_trial(audit, answer.trial) if answer.trial else None,
        "trail": trail_to_assignment(audit.submission.assignment),
    }
    return render(request, "rubrics/check_trials/trial.html", context)
