"""Handing in: the form, a look at what it holds before it counts, and the refusals beside its fields."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import AuditState, LatePolicy
from grading.core.errors import ActionRefused, AlreadyRunning, SubmissionRefused
from grading.core.form_bases import field_at_fault, put_beside
from grading.core.permissions import access_assignment, access_audit, access_enrollment
from grading.core.requests import MemberRequest
from grading.models import Assignment, Enrollment, Submission
from grading.submissions.actions import create_submission, withdraw_submission
from grading.submissions.forms import SubmissionForm
from grading.submissions.probe import Probe, probe_submission
from grading.submissions.queries import (
    WITHDRAWN,
    attempts_left,
    attempts_of,
    audit_to_show,
    closed_reason,
    is_late,
    may_withdraw,
)


@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Hand in, or look first (`do=check`). The form opens with the last address handed in, and what was wrong with it
    if anything was; where nothing can be handed in now, the reason stands in its place."""
    found = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, found.cohort)
    late = found.late_policy == LatePolicy.ACCEPT and is_late(found, timezone.now())
    checks = request.POST.get("do") == "check"
    look: Probe | None = None
    if request.method != "POST":
        form = _form_for(attempts_of(student, found).first(), late=late)
    else:
        form = SubmissionForm(request.POST, request.FILES, late=late, confirmed=not checks)
        if form.is_valid() and checks:
            look = _look(found, student, form)
        elif form.is_valid() and (audit_id := _handed_in(request, found, student, form)):
            return redirect("audit", org, audit_id)
    context: dict[str, Any] = {"assignment": found, "form": form, "look": look, "late": late}
    if checks and "HX-Request" in request.headers:
        return render(request, "submissions/_probe.html", context | {"fragment": True})
    return render(request, "submissions/submit.html", context | _around(request, found, student))


def _around(request: MemberRequest, found: Assignment, student: Enrollment) -> dict[str, Any]:
    """What the page says around its form. Whatever was sent stays there, with its reason."""
    left, is_sent = attempts_left(found, student), request.method == "POST"
    return {
        "earlier": not is_sent,
        "closed": None if is_sent else closed_reason(assignment=found, left=left),
        "attempts_left": left,
        "trail": trail_to_assignment(found),
    }


def _look(found: Assignment, student: Enrollment, form: SubmissionForm) -> Probe | None:
    try:
        return probe_submission(assignment=found, student=student, **form.work)
    except ActionRefused as refusal:
        put_beside(form, refusal)
        return None


def _handed_in(
    request: MemberRequest, assignment: Assignment, student: Enrollment, form: SubmissionForm
) -> UUID | None:
    """The audit to watch: the new one, or the one that a second click on the button finds running."""
    try:
        submission = create_submission(
            assignment=assignment, student=student, by=request.user, **form.work
        )
    except AlreadyRunning as refusal:
        messages.info(request, refusal.sentence)
        return refusal.audit_id
    except ActionRefused as refusal:
        put_beside(form, refusal)
        return None
    messages.success(
        request,
        f"Attempt {submission.attempt} is received: commit {submission.resolved_commit[:12]}.",
    )
    return submission.audits.earliest("created_at").pk


def _form_for(last: Submission | None, *, late: bool) -> SubmissionForm:
    """An empty form, one with the last address, or one that says what was wrong with the last hand-in."""
    if last is None:
        return SubmissionForm(late=late)
    typed = {"repo_url": last.repo_url, "ref": last.ref}
    audit = audit_to_show(last)
    if audit is None or audit.state != AuditState.FAILED or audit.failure_code == WITHDRAWN:
        return SubmissionForm(initial=typed, late=late)
    form = SubmissionForm(typed, late=late)
    form.add_error(field_at_fault(audit.failure_code), audit.failure_message)
    return form


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Take the hand-in back while its audit waits: its student alone."""
    found = access_audit(request.user, audit_id)
    if found.submission.student.user_id != request.user.pk:
        raise Http404
    refused = ""
    if request.method == "POST":
        try:
            withdraw_submission(audit=found, by=request.user)
        except SubmissionRefused as refusal:
            refused = refusal.sentence
            found.refresh_from_db(fields=["state"])
        else:
            messages.success(request, "The hand-in is taken back; no attempt was used up.")
            return redirect("audit", org, found.pk)
    trail = trail_to_assignment(found.submission.assignment)
    context = {
        "audit": found,
        "waits": may_withdraw(found, request.user),
        "refused": refused,
        "trail": trail,
    }
    return render(request, "submissions/withdraw.html", context)
