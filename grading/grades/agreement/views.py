"""How well people and the court agree, and the blind grading that it is measured by."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.audits.queries import report_of
from grading.core.breadcrumbs import Trail, trail_to_assignment
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_assignment, may
from grading.core.requests import MemberRequest
from grading.grades.agreement import queries as agreement_queries
from grading.grades.agreement.actions import draw_sample, grade_blind
from grading.grades.agreement.coefficients import RELIABLE_FROM
from grading.grades.agreement.forms import BlindForm, CellForm, DrawForm
from grading.grades.agreement.presenters import (
    BlindCriterion,
    CriterionView,
    blind_criteria,
    criteria_views,
)
from grading.grades.agreement.queries import Scored
from grading.models import Assignment, BlindSample, Submission

PER_PAGE = 50
SEEDS = 10**6


@require_safe
def agreement(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """The figures by criterion, the samples, and the disagreements on works whose verdict the reader may know."""
    found = access_assignment(request.user, cohort, assignment, level="staff")
    scored = agreement_queries.scored_of(found)
    counting = agreement_queries.audits_that_count(found)
    audits = list({*counting, *(each.audit for each in scored)})
    criteria = criteria_views(
        agreement_queries.criteria_of(audits), scored, agreement_queries.first_opinions(audits)
    )
    form = CellForm(request.GET, criteria=len(criteria))
    wanted = form.wanted()
    differing = _differing(scored, criteria, wanted)
    known = agreement_queries.finished_by(request.user, found)
    names = {view.asked.id: view.asked.name for view in criteria}
    shown = [each for each in differing if wanted["everybody"] or each.submission in known]
    page = Paginator(shown, PER_PAGE).get_page(wanted["page"] or 1)
    context = {
        "assignment": found,
        "samples": agreement_queries.samples_of(found, known),
        "criteria": criteria,
        "graded": len({each.submission for each in scored}),
        "graders": len({each.person for each in scored}),
        "counting": len(counting),
        "reliable_from": RELIABLE_FROM,
        "wanted": wanted,
        "misread": form.query_errors(),
        "page": page,
        "rows": [(names[each.criterion_id], each) for each in page],
        "hidden": len(differing) - len(shown),
        "may_change": may(request.user, found.organization, "teacher"),
        "trail": trail_to_assignment(found),
    }
    return render(request, "grades/agreement/agreement.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def blind_sample(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Draw a sample to grade blind."""
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    form = DrawForm(
        request.POST if request.method == "POST" else None, initial={"seed": _any_seed()}
    )
    if form.is_valid():
        try:
            sample = draw_sample(assignment=found, by=request.user, **form.cleaned_data)
        except ActionRefused as refusal:
            add_refusal(form, refusal, field="size")
        else:
            messages.success(
                request, f"{len(sample.submissions)} drawn. Whoever teaches here may grade them."
            )
            return redirect("blind", org, found.cohort.slug, found.slug, sample.pk, 1)
    context = {
        "form": form,
        "title": "Draw a sample to grade blind",
        "lead": "Of the attempts that count, one for each student. You score them by the rubric without seeing the "
        "verdict; several people may grade the same ones.",
        "verb": "Draw it",
        "trail": _trail_to_agreement(found),
    }
    return render(request, "forms/page.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def blind(
    request: MemberRequest, org: str, cohort: str, assignment: str, sample_id: int, place: int
) -> HttpResponse:
    """One work of a sample. Its verdict is withheld until this person has scored every criterion."""
    found = access_assignment(request.user, cohort, assignment, level="staff")
    sample, submission = _at(found, sample_id, place)
    verdicts = agreement_queries.verdicts_to_compare(submission)
    report = report_of(verdicts[0].audit) if verdicts else None
    criteria = blind_criteria(verdicts, report)
    form = _form_for(request, submission, criteria)
    sealed = submission.pk in agreement_queries.finished_by(request.user, found)
    if request.method == "POST" and form.is_valid() and _kept(request, submission, criteria, form):
        ahead = place if "finish" in request.POST else min(place + 1, len(sample.submissions))
        return HttpResponseRedirect(_address(found, sample, ahead))
    context = {
        "assignment": found,
        "sample": sample,
        "place": place,
        "total": len(sample.submissions),
        "submission": submission,
        "repository": submission.repo_url if submission.repo_url.startswith("https://") else "",
        "criteria": [
            (each, form[each.field], verdict if sealed else None)
            for each, verdict in zip(criteria, verdicts, strict=True)
        ],
        "form": form,
        "sealed": sealed,
        "mine": agreement_queries.scores_by(request.user, submission),
        "audit": verdicts[0].audit if verdicts and sealed else None,
        "trail": _trail_to_agreement(found),
    }
    return render(request, "grades/agreement/blind.html", context)


@require_safe
def blind_pdf(
    request: MemberRequest, org: str, cohort: str, assignment: str, sample_id: int, place: int
) -> HttpResponseBase:
    """The report that was handed in, as a file: never shown inside the site."""
    found = access_assignment(request.user, cohort, assignment, level="staff")
    _sample, submission = _at(found, sample_id, place)
    if not submission.pdf:
        raise Http404
    answer = FileResponse(
        submission.pdf.open(),
        as_attachment=True,
        filename=f"{found.slug}-sample-{sample_id}-{place}.pdf",
    )
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def _at(assignment: Assignment, sample_id: int, place: int) -> tuple[BlindSample, Submission]:
    sample = agreement_queries.sample_of(assignment, sample_id)
    submission = agreement_queries.submission_at(sample, place) if sample else None
    if sample is None or submission is None:
        raise Http404
    return sample, submission


def _form_for(
    request: MemberRequest, submission: Submission, criteria: list[BlindCriterion]
) -> BlindForm:
    mine = agreement_queries.scores_by(request.user, submission)
    return BlindForm(
        request.POST if request.method == "POST" else None,
        criteria=[(each.field, each.id, each.name, each.choices) for each in criteria],
        initial={each.field: mine.get(each.id) for each in criteria},
    )


def _kept(
    request: MemberRequest, submission: Submission, criteria: list[BlindCriterion], form: BlindForm
) -> bool:
    """What was scored is kept also where something is missing that finishing needs."""
    finish = "finish" in request.POST
    if not form.scores():
        form.add_error(None, "Nothing was scored.")
        return False
    if finish:
        form.ask_for_the_rest()
    try:
        grade_blind(
            submission=submission,
            criteria=[each.id for each in criteria],
            scores=form.scores(),
            finish=finish and not form.errors,
            by=request.user,
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
    return not form.errors


def _differing(
    scored: list[Scored], criteria: list[CriterionView], wanted: dict[str, Any]
) -> list[Scored]:
    """Widest first. A cell of the grid is listed whole, agreement or not."""
    place = wanted["criterion"]
    asked_id = criteria[place].asked.id if place is not None and place < len(criteria) else None
    a_cell = wanted["person"] is not None or wanted["court"] is not None
    chosen = [
        each
        for each in scored
        if each.court is not None
        and (asked_id is None or each.criterion_id == asked_id)
        and (wanted["person"] is None or each.score == wanted["person"])
        and (wanted["court"] is None or each.court == wanted["court"])
        and (a_cell or each.distance)
    ]
    return sorted(chosen, key=lambda each: (-each.distance, each.position, str(each.submission)))


def _address(assignment: Assignment, sample: BlindSample, place: int) -> str:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return reverse("blind", args=[*slugs, sample.pk, place])


def _any_seed() -> int:
    return secrets.randbelow(SEEDS)


def _trail_to_agreement(assignment: Assignment) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return [*trail_to_assignment(assignment), ("Agreement", reverse("agreement", args=slugs))]
