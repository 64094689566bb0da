"""An assignment: what is asked, where everybody stands, and handing in."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.actions.audits.submissions import why_closed
from grading.actions.courses.assignment_settings import AssignmentSettings, change_settings, settings_of
from grading.actions.courses.assignments import create_assignment
from grading.actions.courses.rubrics import adopt_shipped_rubric
from grading.enums import RubricState
from grading.errors import ActionRefused, RubricRefused, SettingsRefused
from grading.forms.assignment import AssignmentForm, ChangeSettingsForm
from grading.forms.refusals import put_beside
from grading.models import Assignment, Cohort, RubricVersion
from grading.permissions import access_assignment, access_cohort, access_enrollment, may
from grading.queries.audits.attempts import (
    attempts_of,
    attempts_seen,
    standings_of,
)
from grading.seen import fingerprint_of
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_assignment, trail_to_cohort


@require_safe
def assignment(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Staff see where the cohort stands; a student their own attempts."""
    found = access_assignment(request.user, cohort, assignment)
    context: dict[str, Any] = {"assignment": found, "trail": trail_to_cohort(found.cohort)}
    if may(request.user, found.organization, "staff"):
        context["standings"] = standings_of(found)
        context["may_change"] = may(request.user, found.organization, "teacher")
        context["versions"] = _other_versions(found.rubric_version)
        return render(request, "assignments/standings.html", context)
    student = access_enrollment(request.user, found.cohort)
    handed_in = list(attempts_of(student, found))
    left = max(0, found.max_attempts - sum(submission.counts for submission in handed_in))
    context |= {
        "attempts": attempts_seen(handed_in),
        "attempts_left": left,
        "closed": why_closed(assignment=found, left=left),
    }
    return render(request, "assignments/assignment.html", context)


def _other_versions(version: RubricVersion) -> QuerySet[RubricVersion]:
    """The newest other texts of its rubric, without the texts."""
    others = RubricVersion.objects.filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return others.defer("document").order_by("-number")[:5]


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_new(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    found = access_cohort(request.user, cohort, level="teacher")
    versions = RubricVersion.objects.filter(state=RubricState.PUBLISHED).select_related("rubric")
    own_rubrics = [(f"version:{version.pk}", str(version)) for version in versions]
    form = AssignmentForm(request.POST or None, own_rubrics=own_rubrics)
    created = _created(request, found, form) if form.is_valid() else None
    if created is not None:
        return redirect("assignment", org, found.slug, created.slug)
    context = {
        "form": form,
        "title": f"New assignment for {found.name}",
        "verb": "Create it",
        "trail": trail_to_cohort(found),
    }
    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def assignment_settings(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """What can no longer be changed is refused beside its field; the rubric is adopted from a preview instead."""
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    now = asdict(settings_of(found))
    form = ChangeSettingsForm(
        request.POST if request.method == "POST" else None,
        initial=now,
        fingerprint=fingerprint_of({name: str(value) for name, value in now.items()}),
    )
    if form.is_valid() and _changed(request, found, form):
        return redirect("assignment", org, found.cohort.slug, found.slug)
    context = {
        "form": form,
        "title": f"Settings of {found.title}",
        "lead": f"It is judged under {found.rubric_version}: to change that, preview another version on its page.",
        "verb": "Keep the settings",
        "trail": trail_to_assignment(found),
    }
    return render(request, "forms/page.html", context)


def _changed(request: MemberRequest, assignment: Assignment, form: ChangeSettingsForm) -> bool:
    try:
        change_settings(
            assignment=assignment, settings=AssignmentSettings(**form.cleaned_data), by=request.user
        )
    except SettingsRefused as refused:
        for field, sentence in refused.faults.items():
            form.add_error(field, sentence)
        return False
    messages.success(request, "The settings are kept.")
    return True


def _created(request: MemberRequest, cohort: Cohort, form: AssignmentForm) -> Assignment | None:
    asked = dict(form.cleaned_data)
    kind, key = asked.pop("rubric")
    try:
        if kind == "shipped":
            version = adopt_shipped_rubric(organization=cohort.organization, name=key, by=request.user)
        else:
            version = RubricVersion.objects.get(pk=key)
        return create_assignment(cohort=cohort, rubric_version=version, by=request.user, **asked)
    except ActionRefused as refusal:
        put_beside(form, refusal, field="rubric" if isinstance(refusal, RubricRefused) else "bench")
        return None
