"""Pages to submit, to check a submission first, and to withdraw it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import AuditState
from grading.core.errors import (
    ActionRefused,
    AlreadyRunning,
    SameWork,
    SubmissionRefused,
    UploadUnreadable,
)
from grading.core.form_bases import add_refusal, field_of_code
from grading.core.permissions import access_assignment, access_audit, access_enrollment
from grading.core.requests import MemberRequest
from grading.core.team_access import is_present_member
from grading.core.uploads import open_pdf
from grading.courses.extensions.queries import Terms, terms_of
from grading.courses.teams.queries import team_of
from grading.models import Assignment, Enrollment, Submission
from grading.repositories.generated.queries import made_address
from grading.submissions.actions import create_submission, withdraw_submission
from grading.submissions.forms import SubmissionForm
from grading.submissions.probe import Probe, probe_submission
from grading.submissions.queries import (
    WITHDRAWN,
    attempts_left,
    attempts_of,
    audit_to_show,
    closed_reason,
    last_attempt,
    may_withdraw,
    team_refusal,
)

LAST_REPORT_AWAY = "We can't read the report of your last attempt: choose the PDF again."


@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show the form, check a submission (`do=check`) or make it.

    The form opens with the last repository, and with its error if the last audit failed. Where the
    assignment is closed, the reason takes the place of the form.
    """
    target = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, target.cohort)
    terms = terms_of(target, student)
    late = not terms.refuses_late and terms.is_late(timezone.now())
    is_check = request.POST.get("do") == "check"
    probe: Probe | None = None

    if request.method != "POST":
        form = _form_for(attempts_of(student, target).first(), late=late)
        if not form.is_bound and "repo_url" not in form.initial:
            form.initial["repo_url"] = made_address(target, student)
    else:
        form = SubmissionForm(request.POST, request.FILES, late=late, confirmed=not is_check)
        if form.is_valid() and is_check:
            probe = _probe(target, student, form, request.user)
        elif form.is_valid() and (audit_id := _submit(request, target, student, form)):
            return redirect("audit", org, audit_id)

    context: dict[str, Any] = {"assignment": target, "form": form, "probe": probe, "late": late}
    if is_check and "HX-Request" in request.headers:
        return render(request, "submissions/_probe.html", context | {"fragment": True})
    return render(
        request, "submissions/submit.html", context | _page_context(request, target, student, terms)
    )


def _page_context(
    request: MemberRequest, assignment: Assignment, student: Enrollment, terms: Terms
) -> dict[str, Any]:
    left = attempts_left(assignment, student, terms)
    # After a POST the form stays, so that what was typed is not lost with the refusal beside it.
    is_sent = request.method == "POST"
    return {
        "earlier": not is_sent,
        "closed": None
        if is_sent
        else team_refusal(assignment, student) or closed_reason(terms=terms, left=left),
        "team": team_of(assignment, student),
        "attempts_left": left,
        "terms": terms,
        "trail": trail_to_assignment(assignment),
    }


def _probe(
    assignment: Assignment, student: Enrollment, form: SubmissionForm, by: User
) -> Probe | None:
    try:
        return probe_submission(
            assignment=assignment, student=student, by=by, **_work_of(assignment, student, form)
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None


def _submit(
    request: MemberRequest, assignment: Assignment, student: Enrollment, form: SubmissionForm
) -> UUID | None:
    """Return the id of the new audit, or of the open one on a second click; None if refused."""
    try:
        submission = create_submission(
            assignment=assignment,
            student=student,
            by=request.user,
            again=form.is_again,
            **_work_of(assignment, student, form),
        )
    except AlreadyRunning as refusal:
        messages.info(request, refusal.sentence)
        return refusal.audit_id
    except SameWork as refusal:
        last = last_attempt(assignment, student)
        form.ask_again(refusal.sentence, same_report=last.pdf_sha256 if last else "")
        return None
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None

    source = f" of {form.completed}" if form.completed else ""
    commit = submission.resolved_commit[:12]
    messages.success(
        request, f"Attempt {submission.attempt} was submitted: commit {commit}{source}."
    )
    return submission.audits.earliest("created_at").pk


def _work_of(assignment: Assignment, student: Enrollment, form: SubmissionForm) -> dict[str, Any]:
    """Return what was sent, with the last report where it was sent before and no other is chosen.

    Raises SubmissionRefused where that report cannot be read.
    """
    work, digest = form.work, form.cleaned_data.get("same_report")
    last = last_attempt(assignment, student) if digest and work["pdf"] is None else None
    if last is None or last.pdf_sha256 != digest:
        return work
    try:
        file = open_pdf(last)
    except UploadUnreadable as error:
        raise SubmissionRefused("pdf", error.code, LAST_REPORT_AWAY) from error
    return work | {"pdf": UploadedFile(file, name=last.pdf_name, size=last.pdf_bytes)}


def _form_for(last: Submission | None, *, late: bool) -> SubmissionForm:
    """Return the form with the last repository, and the reason if its audit failed."""
    if last is None:
        return SubmissionForm(late=late)

    # A push is submitted by its commit; the form goes on with its branch.
    push = last.pushes.select_related("link").first()
    values = {"repo_url": last.repo_url, "ref": push.link.branch if push else last.ref}
    audit = audit_to_show(last)
    if audit is None or audit.state != AuditState.FAILED or audit.failure_code == WITHDRAWN:
        return SubmissionForm(initial=values, late=late)

    # A bound form, so that the reason stands beside the field that it is about.
    form = SubmissionForm(values, late=late)
    form.add_error(field_of_code(audit.failure_code), audit.failure_message)
    return form


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Withdraw a submission while its audit waits; only its student may."""
    audit = access_audit(request.user, audit_id)
    # Staff may open this audit too, but not withdraw it.
    if not is_present_member(request.user.pk, audit.submission):
        raise Http404

    refused = ""
    if request.method == "POST":
        try:
            withdraw_submission(audit=audit, by=request.user)
        except SubmissionRefused as refusal:
            refused = refusal.sentence
            audit.refresh_from_db(fields=["state"])
        else:
            messages.success(request, "Submission withdrawn. It didn't use an attempt.")
            return redirect("audit", org, audit.pk)

    context = {
        "audit": audit,
        "may_withdraw": may_withdraw(audit, request.user),
        "refused": refused,
        "trail": trail_to_assignment(audit.submission.assignment),
    }
    return render(request, "submissions/withdraw.html", context)
