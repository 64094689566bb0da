"""An assignment: what is asked, where everybody stands, and handing in."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from grading.actions.assignment_settings import AssignmentSettings, change_settings, settings_of
from grading.actions.assignments import create_assignment
from grading.actions.rubrics import adopt_shipped_rubric
from grading.actions.submissions import hand_in, why_closed
from grading.actions.withdrawals import WITHDRAWN
from grading.enums import AuditState, RubricState
from grading.errors import ActionRefused, AlreadyRunning, RubricRefused, SettingsRefused
from grading.forms.assignment import AssignmentForm, ChangeSettingsForm
from grading.forms.hand_in import HandInForm
from grading.forms.refusals import field_at_fault, put_beside
from grading.models import Assignment, Cohort, Enrollment, RubricVersion, Submission
from grading.permissions import access_assignment, access_cohort, access_enrollment, may
from grading.queries.attempts import (
    attempts_left,
    attempts_of,
    attempts_seen,
    audit_to_show,
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


@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Hand in. The form opens with the last address handed in, and what was wrong with it if anything was;
    where nothing can be handed in now, the reason stands in its place."""
    found = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, found.cohort)
    if request.method == "POST":
        form = HandInForm(request.POST, request.FILES)
        audit_id = _handed_in(request, found, student, form) if form.is_valid() else None
        if audit_id is not None:
            return redirect("audit", org, audit_id)
    else:
        form = _form_for(attempts_of(student, found).first())
    left = attempts_left(found, student)
    context = {
        "assignment": found,
        "form": form,
        "earlier": request.method != "POST",
        "closed": None if request.method == "POST" else why_closed(assignment=found, left=left),
        "attempts_left": left,
        "late": found.due_at is not None and found.due_at < timezone.now(),
        "trail": trail_to_assignment(found),
    }
    return render(request, "assignments/submit.html", context)


def _handed_in(
    request: MemberRequest, assignment: Assignment, student: Enrollment, form: HandInForm
) -> UUID | None:
    """The audit to watch: the new one, or the one that a second click on the button finds running."""
    try:
        submission = hand_in(assignment=assignment, student=student, by=request.user, **form.cleaned_data)
    except AlreadyRunning as refusal:
        messages.info(request, refusal.sentence)
        return refusal.audit_id
    except ActionRefused as refusal:
        put_beside(form, refusal)
        return None
    messages.success(
        request, f"Attempt {submission.attempt} is received: commit {submission.resolved_commit[:12]}."
    )
    return submission.audits.earliest("created_at").pk


def _form_for(last: Submission | None) -> HandInForm:
    """An empty form, one with the last address, or one that says what was wrong with the last hand-in."""
    if last is None:
        return HandInForm()
    typed = {"repo_url": last.repo_url, "ref": last.ref}
    audit = audit_to_show(last)
    if audit is None or audit.state != AuditState.FAILED or audit.failure_code == WITHDRAWN:
        return HandInForm(initial=typed)
    form = HandInForm(typed)
    form.add_error(field_at_fault(audit.failure_code), audit.failure_message)
    return form
