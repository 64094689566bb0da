"""Pages of appeals: file and follow one as a student; the inbox and the decision page for staff."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from grading.appeals import decisions, presenters, queries
from grading.appeals.actions import appeal_refusal, file_appeal, withdraw_appeal
from grading.appeals.assignments import hand_over
from grading.appeals.forms import (
    AnswerForm,
    AppealForm,
    HandOverForm,
    InboxForm,
    InboxHandOverForm,
    address_of,
)
from grading.appeals.presenters import VerdictView, verdict_view
from grading.audits.queries import report_of
from grading.core.breadcrumbs import trail_to_assignment, trail_to_organization
from grading.core.enums import AppealState, Opened, Role
from grading.core.errors import ActionRefused, AppealRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.own_work import handled_by
from grading.core.permissions import (
    Level,
    access_appeal,
    access_audit,
    access_organization,
    may,
    role_of,
)
from grading.core.read_receipts import mark_opened
from grading.core.requests import MemberRequest
from grading.engine.report import Report
from grading.models import Appeal, Audit, Grade, Organization


@require_http_methods(["GET", "HEAD", "POST"])
def appeal_new(request: MemberRequest, org: str, audit_id: UUID, position: int) -> HttpResponse:
    """File an appeal on a criterion of one's own released attempt."""
    audit = access_audit(request.user, audit_id)
    grade, row = _released_criterion(request, audit, position)
    view = presenters.criterion_of(
        queries.report_by_digest(audit.submission, _released_value(grade)["digest"]), row["id"]
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
            messages.success(request, "Appeal filed. You will get an email when it is answered.")
            return redirect("appeal", audit.organization.slug, filed.pk)

    context = {
        "audit": audit,
        "verdict": presenters.verdict_view(row, None),
        "name": row["name"],
        "form": form,
        # A rejected form shows its own errors beside what was typed.
        "refused": None if form.is_bound else appeal_refusal(grade=grade, criterion_id=row["id"]),
        "allowance": queries.allowance_of(grade),
        "earlier": queries.latest_appeals_on(audit.submission).get(row["id"]),
        "trail": trail_to_assignment(audit.submission.assignment),
    }

    return render(request, "appeals/new.html", context)


def _released_criterion(
    request: MemberRequest, audit: Audit, position: int
) -> tuple[Grade, dict[str, Any]]:
    # 404, not 403: the address must not tell others whether the grade is released.
    theirs = audit.submission.reader.user_id == request.user.pk
    grade = queries.released_grade_of(audit) if theirs else None
    if grade is None or position >= len(_released_value(grade)["criteria"]):
        raise Http404
    return grade, _released_value(grade)["criteria"][position]


def _released_value(grade: Grade) -> dict[str, Any]:
    value: dict[str, Any] = grade.released or {"criteria": []}
    return value


@require_http_methods(["GET", "HEAD", "POST"])
def appeals(request: MemberRequest, org: str) -> HttpResponse:
    """Show the inbox to staff, where teachers hand appeals over, and students their own appeals."""
    level: Level = "teacher" if request.method == "POST" else "student"
    organization = access_organization(request.user, org, level=level)
    if may(request.user, organization, "staff"):
        return _inbox_page(request, organization)
    context = {
        "organization": organization,
        "appeals": queries.appeals_of(request.user),
        "trail": trail_to_organization(organization),
    }

    return render(request, "appeals/mine.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def appeal(request: MemberRequest, org: str, appeal_id: int) -> HttpResponse:
    """Show an appeal: its student may withdraw it, teachers answer it, staff read it."""
    appeal = access_appeal(request.user, appeal_id)
    if appeal.submission.reader.user_id == request.user.pk:
        return _student_page(request, appeal)
    # Assistants read appeals; only teachers act on them.
    if request.method == "POST":
        appeal = access_appeal(request.user, appeal_id, level="teacher")
    return _staff_page(request, appeal, _appeal_context(appeal))


@require_http_methods(["GET", "HEAD", "POST"])
def appeal_hand(request: MemberRequest, org: str, appeal_id: int) -> HttpResponse:
    """Hand an appeal that waits to a teacher, or to nobody."""
    appeal = access_appeal(request.user, appeal_id, level="teacher")
    people = queries.answerers(appeal.organization, owners_only=appeal.escalated_at is not None)
    form = HandOverForm(
        request.POST if request.method == "POST" else None,
        people=list(people),
        fingerprint=fingerprint_of(appeal.assigned_to_id),
    )
    if form.is_valid() and _hand_over(request, [appeal], form):
        return redirect("appeal", appeal.organization.slug, appeal.pk)

    address = reverse("appeal", args=[appeal.organization.slug, appeal.pk])
    context = {
        "appeal": appeal,
        "holder": _holder_address(appeal),
        "form": form,
        "trail": [*trail_to_assignment(appeal.submission.assignment), ("Appeal", address)],
    }
    return render(request, "appeals/hand.html", context)


def _student_page(request: MemberRequest, appeal: Appeal) -> HttpResponse:
    if request.POST.get("do") == "withdraw":
        try:
            withdraw_appeal(appeal=appeal, by=request.user)
        except AppealRefused as refusal:
            messages.error(request, refusal.sentence)
        else:
            messages.success(request, "Appeal withdrawn. It doesn't use your allowance.")
        return redirect("appeal", appeal.organization.slug, appeal.pk)

    # Opening the page marks the answer as read; a HEAD request does not.
    if request.method == "GET":
        mark_opened(student=appeal.submission.reader, kind=Opened.APPEAL, about=appeal.pk)
    return render(request, "appeals/own.html", _appeal_context(appeal))


def _appeal_context(appeal: Appeal) -> dict[str, Any]:
    """Return the context that the student's page and the staff's page share."""
    audit = queries.appealed_audit(appeal)
    report = queries.released_report(audit, appeal)
    then = presenters.verdict_view(appeal.verdict, report)
    current_grade = queries.grade_for_appeal(appeal)
    grade = (
        current_grade
        if current_grade
        and _released_value(current_grade).get("submission") == str(appeal.submission_id)
        else None
    )

    return {
        "appeal": appeal,
        "behind": current_grade,
        "report": report,
        "then": then,
        "cited": presenters.cited_evidence(then.view, appeal.cited),
        "places": presenters.named_places(appeal.places, report),
        "audit": audit,
        "allowance": queries.allowance_of(grade, used=vars(grade)["appeals_used"])
        if grade
        else None,
        "released_overall": _released_value(grade).get("overall_score") if grade else None,
        "released_points": _released_value(grade).get("points") if grade else None,
        "may_withdraw": appeal.state in (AppealState.OPEN, AppealState.ESCALATED),
        "trail": trail_to_assignment(appeal.submission.assignment),
    }


PER_PAGE = 50


def _holder_address(appeal: Appeal) -> str:
    holder = queries.holder_of(appeal)
    return address_of(holder) if holder else ""


def _inbox_page(request: MemberRequest, organization: Organization) -> HttpResponse:
    context = _inbox_context(request, organization)
    if may(request.user, organization, "teacher"):
        pending = {appeal.pk: appeal for appeal in context["page"].object_list if appeal.is_pending}
        form = InboxHandOverForm(
            request.POST if request.method == "POST" else None,
            people=list(queries.answerers(organization)),
            appeals=list(pending),
        )
        chosen = form.is_valid() and [pending[key] for key in form.cleaned_data["appeals"]]
        if chosen and _hand_over(request, chosen, form):
            return redirect(request.get_full_path())
        context["hand_form"] = form
    return render(request, "appeals/inbox.html", context)


def _hand_over(
    request: MemberRequest, chosen: list[Appeal], form: HandOverForm | InboxHandOverForm
) -> bool:
    person = form.cleaned_data["to"]
    try:
        number = hand_over(appeals=chosen, to=person, by=request.user)
    except AppealRefused as refusal:
        add_refusal(form, refusal)
        return False
    to = f"handed to {address_of(person)}" if person else "handed to nobody"
    messages.success(request, f"{number} appeal{'' if number == 1 else 's'} {to}.")
    return True


def _inbox_context(request: MemberRequest, organization: Organization) -> dict[str, Any]:
    """Return the context of the inbox; its filters are in the address."""
    choices = queries.inbox_choices(organization)
    form = InboxForm(request.GET, **choices.as_pairs())
    form.is_valid()
    narrowed = choices.narrowed(form.cleaned_data, request.user)
    handled = handled_by(request.user, organization, "submission")
    page = Paginator(queries.inbox(narrowed).filter(handled), PER_PAGE).get_page(
        request.GET.get("page")
    )

    return {
        "organization": organization,
        "form": form,
        "narrowed": narrowed,
        "page": page,
        "rows": [(appeal, _holder_address(appeal)) for appeal in page.object_list],
        "upheld": queries.upheld_by_criterion(narrowed),
        "trail": trail_to_organization(organization),
    }


def _staff_page(request: MemberRequest, appeal: Appeal, shared: dict[str, Any]) -> HttpResponse:
    """Show both sides, the effect of each score, and the answer form."""
    standing, grade = decisions.current_verdict_of(appeal), shared["behind"]
    # An override needs the criterion in the current verdict, too.
    effects = decisions.effects_of(appeal, grade) if standing else ()
    unreleased = decisions.other_changes(appeal, grade)
    answering = request.POST.get("do") == "answer"
    form = AnswerForm(
        request.POST if answering else None,
        scores=[effect.score for effect in effects],
        fingerprint=fingerprint_of(
            standing and standing.row,
            queries.release_of(appeal, grade),
            unreleased
            and (unreleased.now["overall_score"], [row.now for row in unreleased.criteria]),
        ),
    )
    if request.method == "POST" and (not answering or form.is_valid()):
        try:
            messages.success(request, _apply(request, appeal, form))
        except ActionRefused as refusal:
            add_refusal(form, refusal) if answering else messages.error(request, refusal.sentence)
        else:
            return redirect("appeals", appeal.organization.slug)

    context = shared | {
        "now": _current_view(standing, appeal, shared["report"]),
        "current": standing,
        "effects": effects,
        "price": decisions.rejudging_estimate(appeal, standing)
        if standing and appeal.is_pending
        else None,
        "form": form,
        "holder": _holder_address(appeal),
        "may_change": may(request.user, appeal.organization, "teacher"),
        "may_answer": decisions.may_answer(appeal, request.user),
        "is_owner": role_of(request.user, appeal.organization) == Role.OWNER,
        "is_released": queries.is_about_the_release(appeal, grade),
        "unreleased": unreleased,
    }

    return render(request, "appeals/decision.html", context)


def _apply(request: MemberRequest, appeal: Appeal, form: AnswerForm) -> str:
    """Perform the posted action and return a message. Raises ActionRefused."""
    match request.POST.get("do"):
        case "rejudge":
            decisions.rejudge_criterion(appeal=appeal, by=request.user)
            return (
                "The judges are judging this criterion again. The appeal returns when they finish."
            )
        case "escalate":
            decisions.escalate_appeal(appeal=appeal, by=request.user)
            return "Appeal escalated to an owner."
        case "answer":
            return _apply_answer(request, appeal, form)
    raise ActionRefused("not_asked", "Choose an action.")


def _apply_answer(request: MemberRequest, appeal: Appeal, form: AnswerForm) -> str:
    decision, answer = form.cleaned_data["decision"], form.cleaned_data["answer"]
    if decision == "keep":
        decisions.keep_verdict(appeal=appeal, answer=answer, by=request.user)
        return "Answered: the verdict is kept."
    decisions.change_score(appeal=appeal, score=int(decision), answer=answer, by=request.user)
    return f"Answered: {decision} of 5, and no other change. The student was notified."


def _current_view(
    standing: decisions.CurrentVerdict | None, appeal: Appeal, appealed: Report | None
) -> VerdictView | None:
    """Present the current verdict; from the appealed report where that is still current."""
    if standing is None:
        return None
    same = standing.audit.report_digest == appeal.report_digest
    return verdict_view(standing.row, appealed if same else report_of(standing.audit))
