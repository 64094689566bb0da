"""Pages that try one check on a submission, before a rubric uses it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from redis.exceptions import RedisError

from grading.audits.queries import document_of
from grading.core.breadcrumbs import trail_to_assignment, trail_to_organization
from grading.core.permissions import access_audit, access_organization
from grading.core.requests import MemberRequest
from grading.engine import check_trials
from grading.models import Audit, RubricVersion
from grading.rubrics.check_trials.actions import answer_to, request_trial
from grading.rubrics.check_trials.forms import TrialForm, TrialPlaceForm
from grading.rubrics.check_trials.presenters import present_trial
from grading.rubrics.previews.queries import (
    all_versions,
    assignments_with_rubrics,
    audits_to_try_on,
)


@require_http_methods(["GET", "HEAD", "POST"])
def try_check(request: MemberRequest, org: str) -> HttpResponse:
    """Try a check on a stored report, or have a worker try it on the repository."""
    organization = access_organization(request.user, org, level="teacher")
    place = TrialPlaceForm(
        request.GET.dict(), assignments=assignments_with_rubrics(), versions=all_versions()
    )
    context: dict[str, Any] = {"place": place, "trail": trail_to_organization(organization)}
    if place.chosen is None:
        return render(request, "rubrics/check_trials/try.html", context)

    assignment, version = place.chosen
    form = _form(request, audits_to_try_on(assignment), version)
    context |= {"form": form, "assignment": assignment, "version": version}
    if form.is_valid():
        audit, check = form.cleaned_data["work"], form.cleaned_data["check"]
        if request.POST.get("do") == "examine":
            try:
                return redirect("trial", org, audit.pk, request_trial(audit=audit, check=check))
            except RedisError:
                form.add_error(None, "The queue cannot be reached. Try again in a minute.")
        # The stored report answers at once; only what needs the sources goes to a worker.
        tried = check_trials.try_check(check, document_of(audit) or {})
        context |= {"audit": audit, "trial": tried, "view": present_trial(audit, tried)}
    return render(request, "rubrics/check_trials/try.html", context)


def _form(request: MemberRequest, audits: list[Audit], version: RubricVersion) -> TrialForm:
    """Return the posted form; after “Use this check” an unbound one to fill in further."""
    form = TrialForm(request.POST.dict() or None, audits=audits, document=version.document)
    if request.POST.get("do") != "take":
        return form
    initial = form.with_known_check()
    return TrialForm(None, audits=audits, document=version.document, initial=initial)


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
