"""What teachers change at one audit: the score of a criterion, and which attempt counts."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from grading.actions.results.grades import (
    override_criterion,
    pin_grade,
    unpin_grade,
    withdraw_override,
)
from grading.actions.results.releases import take_back_release
from grading.enums import ReleasePolicy
from grading.errors import GradeRefused
from grading.forms.grades import OverrideForm, ReasonForm
from grading.forms.refusals import put_beside
from grading.models import Audit, CriterionVerdict, Override
from grading.permissions import access_audit
from grading.queries.audits.audits import grade_of
from grading.seen import fingerprint_of_criterion
from grading.views.requests import MemberRequest
from grading.views.trails import Trail, trail_to_assignment


@require_http_methods(["GET", "HEAD", "POST"])
def override(request: MemberRequest, org: str, audit_id: UUID, position: int) -> HttpResponse:
    """Give a criterion a score by hand; with `withdraw` in the form, let the verdict count again."""
    found = access_audit(request.user, audit_id, level="teacher")
    verdict = CriterionVerdict.objects.filter(audit=found, position=position).first()
    if verdict is None:
        raise Http404
    standing = Override.objects.filter(
        submission=found.submission, criterion_id=verdict.criterion_id, withdrawn_at=None
    ).first()
    typed = {"score": standing.score if standing else verdict.score, "reason": standing and standing.reason}
    shown = {"score": typed["score"], "override_reason": typed["reason"]}
    form = OverrideForm(
        request.POST if request.method == "POST" else None,
        initial=typed,
        fingerprint=fingerprint_of_criterion(found.report_digest, verdict.criterion_id, shown),
    )
    if "withdraw" in request.POST and (standing is None or form.is_current()):
        if standing is not None:
            withdraw_override(override=standing, by=request.user)
        messages.success(request, f"{verdict.name}: the verdict counts again.")
        return _back_to(found, verdict)
    if form.is_valid() and _overridden(request, found, verdict, form):
        return _back_to(found, verdict)
    context = {
        "form": form,
        "title": f"{verdict.name}: a score by hand",
        "lead": f"The verdict stays beside it: {_said(verdict)}.",
        "verb": "Let this score count",
        "trail": _trail_to(found),
    }
    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def count(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Let this attempt count, whatever is handed in later; with `unpin` in the form, the latest again."""
    found = access_audit(request.user, audit_id, level="teacher")
    grade = grade_of(found.submission)
    if request.method == "POST" and "unpin" in request.POST and grade is not None:
        unpin_grade(grade=grade, by=request.user)
        messages.success(request, "The latest attempt with a verdict counts again.")
        return HttpResponseRedirect(_address(found))
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _pinned(request, found, form):
        return HttpResponseRedirect(_address(found))
    attempt = found.submission.attempt
    context = {
        "form": form,
        "title": f"Let attempt {attempt} count",
        "lead": f"{found.submission.student}: attempt {attempt} then counts until you undo it, whatever is handed in later.",
        "verb": "Let it count",
        "trail": _trail_to(found),
    }
    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def take_back(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Release the grade no longer, for a reason that stays on the record."""
    found = access_audit(request.user, audit_id, level="teacher")
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _taken_back(request, found, form):
        return HttpResponseRedirect(_address(found))
    hidden = found.submission.assignment.release_policy == ReleasePolicy.AFTER_RELEASE
    sees = "only that it was judged" if hidden else "it marked as provisional"
    context = {
        "form": form,
        "title": "Take the release back",
        "lead": f"{found.submission.student} then sees {sees}, and gets a letter that says so without any score. "
        "What they have read they have read.",
        "verb": "Take it back",
        "trail": _trail_to(found),
    }
    return render(request, "forms/page.html", context)


def _taken_back(request: MemberRequest, audit: Audit, form: ReasonForm) -> bool:
    grade = grade_of(audit.submission)
    if grade is None:
        form.add_error(None, "Nothing is released here that could be taken back.")
        return False
    try:
        take_back_release(grade=grade, by=request.user, **form.cleaned_data)
    except GradeRefused as refusal:
        put_beside(form, refusal)
        return False
    messages.success(request, "The release is taken back.")
    return True


def _overridden(
    request: MemberRequest, audit: Audit, verdict: CriterionVerdict, form: OverrideForm
) -> Override | None:
    try:
        made = override_criterion(
            submission=audit.submission,
            criterion_id=verdict.criterion_id,
            by=request.user,
            **form.cleaned_data,
        )
    except GradeRefused as refusal:
        put_beside(form, refusal)
        return None
    messages.success(request, f"{verdict.name}: {made.score} of 5 counts; the verdict was {_said(verdict)}.")
    return made


def _pinned(request: MemberRequest, audit: Audit, form: ReasonForm) -> bool:
    grade = grade_of(audit.submission)
    if grade is None:
        form.add_error(None, "There is no verdict yet that could count.")
        return False
    try:
        pin_grade(grade=grade, audit=audit, by=request.user, **form.cleaned_data)
    except GradeRefused as refusal:
        put_beside(form, refusal)
        return False
    messages.success(request, f"Attempt {audit.submission.attempt} counts.")
    return True


def _said(verdict: CriterionVerdict) -> str:
    if verdict.excluded:
        return "left out"
    return "no score" if verdict.score is None else f"{verdict.score} of 5"


def _address(audit: Audit) -> str:
    return reverse("audit", args=[audit.organization.slug, audit.pk])


def _back_to(audit: Audit, verdict: CriterionVerdict) -> HttpResponse:
    return HttpResponseRedirect(f"{_address(audit)}#criterion-{verdict.position + 1}")


def _trail_to(audit: Audit) -> Trail:
    submission = audit.submission
    words = f"{submission.student}, attempt {submission.attempt}"
    return [*trail_to_assignment(submission.assignment), (words, _address(audit))]
