"""Appeals: filing one, and following one's own. Whoever teaches sees the inbox and the bench instead."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from grading.appeals import decisions, presenters, queries
from grading.appeals.actions import file_appeal, why_no_appeal, withdraw_appeal
from grading.appeals.forms import AnswerForm, AppealForm, InboxForm
from grading.appeals.presenters import VerdictView, verdict_view
from grading.audits.queries import report_of
from grading.core.breadcrumbs import trail_to_assignment, trail_to_organization
from grading.core.enums import AppealState, Opened, Role
from grading.core.errors import ActionRefused, AppealRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import access_appeal, access_audit, access_organization, may, role_of
from grading.core.read_receipts import mark_opened
from grading.core.requests import MemberRequest
from grading.engine.report import Report
from grading.models import Appeal, Audit, Grade, Organization


@require_http_methods(["GET", "HEAD", "POST"])
def appeal_new(request: MemberRequest, org: str, audit_id: UUID, position: int) -> HttpResponse:
    """For whose work it is, on what they were told of this attempt."""
    audit = access_audit(request.user, audit_id)
    grade, row = _released_criterion(request, audit, position)
    view = presenters.criterion_of(
        queries.report_by_digest(audit.submission, _told(grade)["digest"]), row["id"]
    )
    form = AppealForm(
        request.POST or None,
        evidence=presenters.evidence_choices(view),
        fingerprint=fingerprint_of(row),
    )
    if form.is_valid():
        try:
            filed = file_appeal(
                grade=grade, criterion_id=row["id"], by=request.user, **form.cleaned_data
            )
        except AppealRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, "Your appeal is filed. You get a letter when it is answered.")
            return redirect("appeal", audit.organization.slug, filed.pk)
    context = {
        "audit": audit,
        "verdict": presenters.verdict_view(row, None),
        "name": row["name"],
        "form": form,
        # What was typed in vain is shown again, with the reason.
        "refused": None if form.is_bound else why_no_appeal(grade=grade, criterion_id=row["id"]),
        "allowance": queries.allowance_of(grade),
        "earlier": queries.latest_appeals_on(audit.submission).get(row["id"]),
        "trail": trail_to_assignment(audit.submission.assignment),
    }
    return render(request, "appeals/new.html", context)


def _released_criterion(
    request: MemberRequest, audit: Audit, position: int
) -> tuple[Grade, dict[str, Any]]:
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
    then = presenters.verdict_view(found.verdict, report)
    behind = queries.grade_behind(found)
    grade = (
        behind if behind and _told(behind).get("submission") == str(found.submission_id) else None
    )
    return {
        "appeal": found,
        "behind": behind,
        "report": report,
        "then": then,
        "cited": presenters.cited_evidence(then.view, found.cited),
        "places": presenters.named_places(found.places, report),
        "audit": audit,
        "allowance": queries.allowance_of(grade) if grade else None,
        "released_overall": _told(grade).get("overall_score") if grade else None,
        "released_points": _told(grade).get("points") if grade else None,
        "may_withdraw": found.state in (AppealState.OPEN, AppealState.ESCALATED),
        "trail": trail_to_assignment(found.submission.assignment),
    }


PER_PAGE = 50


def inbox(request: MemberRequest, organization: Organization) -> dict[str, Any]:
    """What the inbox's page shows; its filters stand in the address."""
    choices = queries.inbox_choices(organization)
    form = InboxForm(request.GET, **choices.as_pairs())
    form.is_valid()
    narrowed = choices.narrowed(form.cleaned_data)
    return {
        "organization": organization,
        "form": form,
        "narrowed": narrowed,
        "page": Paginator(queries.inbox(narrowed), PER_PAGE).get_page(request.GET.get("page")),
        "upheld": queries.upheld_by_criterion(narrowed),
        "trail": trail_to_organization(organization),
    }


def bench(request: MemberRequest, found: Appeal, told: dict[str, Any]) -> HttpResponse:
    """Both sides beside each other, what each score would change, and the answer."""
    standing = decisions.standing_of(found)
    effects = standing.effects if standing else ()
    answering = request.POST.get("do") == "answer"
    form = AnswerForm(
        request.POST if answering else None,
        scores=[effect.score for effect in effects],
        fingerprint=fingerprint_of(standing.row, standing.overall_score) if standing else "",
    )
    if request.method == "POST" and (not answering or form.is_valid()):
        try:
            messages.success(request, _done(request, found, form))
        except ActionRefused as refusal:
            add_refusal(form, refusal) if answering else messages.error(request, refusal.sentence)
        else:
            return redirect("appeals", found.organization.slug)
    # What a changed score would release as well, if something else counts by now than the student was told.
    behind = told["behind"]
    context = told | {
        "now": _now(standing, found, told["report"]),
        "standing": standing,
        "effects": effects,
        "price": decisions.price_of_rejudging(found, standing)
        if standing and found.is_pending
        else None,
        "form": form,
        "may_change": may(request.user, found.organization, "teacher"),
        "may_answer": decisions.may_answer(found, request.user),
        "is_owner": role_of(request.user, found.organization) == Role.OWNER,
        "counts": queries.counts_for_the_grade(found, behind),
        "changed_besides": bool(effects)
        and found.is_pending
        and behind is not None
        and behind.changed,
    }
    return render(request, "appeals/bench.html", context)


def _done(request: MemberRequest, found: Appeal, form: AnswerForm) -> str:
    """Do what was asked and say so. Raises ActionRefused."""
    match request.POST.get("do"):
        case "rejudge":
            decisions.rejudge_criterion(appeal=found, by=request.user)
            return "The judges hear this criterion again; the appeal comes back when they have."
        case "escalate":
            decisions.escalate_appeal(appeal=found, by=request.user)
            return "The appeal is left to an owner."
        case "answer":
            return _answered(request, found, form)
    raise ActionRefused("not_asked", "Choose what is to be done.")


def _answered(request: MemberRequest, found: Appeal, form: AnswerForm) -> str:
    decision, answer = form.cleaned_data["decision"], form.cleaned_data["answer"]
    if decision == "keep":
        decisions.keep_verdict(appeal=found, answer=answer, by=request.user)
        return "Answered: the verdict stays."
    decisions.change_score(appeal=found, score=int(decision), answer=answer, by=request.user)
    return f"Answered: {decision} of 5, and the student was told."


def _now(
    standing: decisions.Standing | None, found: Appeal, appealed: Report | None
) -> VerdictView | None:
    """From the report that was appealed where it still stands."""
    if standing is None:
        return None
    same = standing.audit.report_digest == found.report_digest
    return verdict_view(standing.row, appealed if same else report_of(standing.audit))
