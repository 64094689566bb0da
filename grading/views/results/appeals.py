"""Appeals: filing one, and following one's own. Whoever teaches sees the inbox and the bench instead."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.actions.people.openings import mark_opened
from grading.actions.results.appeals import file_appeal, why_no_appeal, withdraw_appeal
from grading.enums import AppealState, Opened
from grading.errors import AppealRefused
from grading.forms.appeals import AppealForm
from grading.forms.refusals import put_beside
from grading.models import Appeal, Audit, Grade
from grading.permissions import access_appeal, access_audit, access_organization, may
from grading.queries.results import appeals as queries
from grading.seen import fingerprint_of
from grading.views.reading import appeal as reading
from grading.views.requests import MemberRequest
from grading.views.results.appeal_bench import bench, inbox
from grading.views.trails import trail_to_assignment, trail_to_organization


@require_http_methods(["GET", "HEAD", "POST"])
def appeal_new(request: MemberRequest, org: str, audit_id: UUID, position: int) -> HttpResponse:
    """For whose work it is, on what they were told of this attempt."""
    audit = access_audit(request.user, audit_id)
    grade, row = _released_criterion(request, audit, position)
    view = reading.criterion_of(queries.report_by_digest(audit.submission, _told(grade)["digest"]), row["id"])
    form = AppealForm(
        request.POST or None, evidence=reading.evidence_choices(view), fingerprint=fingerprint_of(row)
    )
    if form.is_valid():
        try:
            filed = file_appeal(grade=grade, criterion_id=row["id"], by=request.user, **form.cleaned_data)
        except AppealRefused as refusal:
            put_beside(form, refusal)
        else:
            messages.success(request, "Your appeal is filed. You get a letter when it is answered.")
            return redirect("appeal", audit.organization.slug, filed.pk)
    context = {
        "audit": audit,
        "verdict": reading.verdict_view(row, None),
        "name": row["name"],
        "form": form,
        # What was typed in vain is shown again, with the reason.
        "refused": None if form.is_bound else why_no_appeal(grade=grade, criterion_id=row["id"]),
        "allowance": queries.allowance_of(grade),
        "earlier": queries.latest_appeals_on(audit.submission).get(row["id"]),
        "trail": trail_to_assignment(audit.submission.assignment),
    }
    return render(request, "appeals/new.html", context)


def _released_criterion(request: MemberRequest, audit: Audit, position: int) -> tuple[Grade, dict[str, Any]]:
    theirs = audit.submission.student.user_id == request.user.pk
    grade = queries.grade_told_of(audit) if theirs else None
    if grade is None or position >= len(_told(grade)["criteria"]):
        raise Http404
    return grade, _told(grade)["criteria"][position]


def _told(grade: Grade) -> dict[str, Any]:
    told: dict[str, Any] = grade.released or {"criteria": []}
    return told


@require_safe
def appeals(request: MemberRequest, org: str) -> HttpResponse:
    """The inbox for staff, one's own for students."""
    organization = access_organization(request.user, org)
    if may(request.user, organization, "staff"):
        return render(request, "appeals/inbox.html", inbox(request, organization))
    context = {
        "organization": organization,
        "appeals": queries.appeals_of(request.user),
        "trail": trail_to_organization(organization),
    }
    return render(request, "appeals/mine.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def appeal(request: MemberRequest, org: str, appeal_id: int) -> HttpResponse:
    """Its student reads it, and may take it back; staff read more of it, and who teaches answers it."""
    found = access_appeal(request.user, appeal_id)
    if found.submission.student.user_id == request.user.pk:
        return _own(request, found)
    if request.method == "POST":
        found = access_appeal(request.user, appeal_id, level="teacher")
    return bench(request, found, _told_of(found))


def _own(request: MemberRequest, found: Appeal) -> HttpResponse:
    if request.POST.get("do") == "withdraw":
        try:
            withdraw_appeal(appeal=found, by=request.user)
        except AppealRefused as refusal:
            messages.error(request, refusal.sentence)
        else:
            messages.success(request, "Your appeal is withdrawn, and given back to you.")
        return redirect("appeal", found.organization.slug, found.pk)
    if request.method == "GET":
        mark_opened(student=found.submission.student, kind=Opened.APPEAL, about=found.pk)
    return render(request, "appeals/own.html", _told_of(found))


def _told_of(found: Appeal) -> dict[str, Any]:
    """What everybody who may see the appeal sees of it."""
    audit = queries.audit_appealed(found)
    report = queries.report_told(audit, found)
    then = reading.verdict_view(found.verdict, report)
    behind = queries.grade_behind(found)
    grade = behind if behind and _told(behind).get("submission") == str(found.submission_id) else None
    return {
        "appeal": found,
        "behind": behind,
        "report": report,
        "then": then,
        "cited": reading.cited_exhibits(then.view, found.cited),
        "places": reading.named_places(found.places, report),
        "audit": audit,
        "allowance": queries.allowance_of(grade) if grade else None,
        "released_overall": _told(grade).get("overall_score") if grade else None,
        "released_points": _told(grade).get("points") if grade else None,
        "may_withdraw": found.state in (AppealState.OPEN, AppealState.ESCALATED),
        "trail": trail_to_assignment(found.submission.assignment),
    }
