"""Where appeals are answered: the inbox, and the bench for one of them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render

from grading.actions.results import appeal_answers as answers
from grading.enums import Role
from grading.errors import ActionRefused
from grading.forms.appeals import AnswerForm, InboxForm
from grading.forms.refusals import put_beside
from grading.models import Appeal, Organization
from grading.permissions import may, role_of
from grading.queries.audits.audits import report_of
from grading.queries.results import appeals as queries
from grading.seen import fingerprint_of
from grading.views.reading.appeal import VerdictView, verdict_view
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_organization

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
    standing = answers.standing_of(found)
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
            put_beside(form, refusal) if answering else messages.error(request, refusal.sentence)
        else:
            return redirect("appeals", found.organization.slug)
    # What a changed score would release as well, if something else counts by now than the student was told.
    behind = told["behind"]
    context = told | {
        "now": _now(standing, found, told["report"]),
        "standing": standing,
        "effects": effects,
        "price": answers.price_of_rejudging(found, standing) if standing and found.is_pending else None,
        "form": form,
        "may_change": may(request.user, found.organization, "teacher"),
        "may_answer": answers.may_answer(found, request.user),
        "is_owner": role_of(request.user, found.organization) == Role.OWNER,
        "counts": queries.counts_for_the_grade(found, behind),
        "changed_besides": bool(effects) and found.is_pending and behind is not None and behind.changed,
    }
    return render(request, "appeals/bench.html", context)


def _done(request: MemberRequest, found: Appeal, form: AnswerForm) -> str:
    """Do what was asked and say so. Raises ActionRefused."""
    match request.POST.get("do"):
        case "rejudge":
            answers.rejudge_criterion(appeal=found, by=request.user)
            return "The judges hear this criterion again; the appeal comes back when they have."
        case "escalate":
            answers.escalate_appeal(appeal=found, by=request.user)
            return "The appeal is left to an owner."
        case "answer":
            return _answered(request, found, form)
    raise ActionRefused("not_asked", "Choose what is to be done.")


def _answered(request: MemberRequest, found: Appeal, form: AnswerForm) -> str:
    decision, answer = form.cleaned_data["decision"], form.cleaned_data["answer"]
    if decision == "keep":
        answers.keep_verdict(appeal=found, answer=answer, by=request.user)
        return "Answered: the verdict stays."
    answers.change_score(appeal=found, score=int(decision), answer=answer, by=request.user)
    return f"Answered: {decision} of 5, and the student was told."


def _now(standing: answers.Standing | None, found: Appeal, appealed: Any) -> VerdictView | None:
    """From the report that was appealed where it still stands."""
    if standing is None:
        return None
    same = standing.audit.report_digest == found.report_digest
    return verdict_view(standing.row, appealed if same else report_of(standing.audit))
