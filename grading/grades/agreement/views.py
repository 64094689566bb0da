"""Pages of agreement between people and the court, and of the blind grading that measures it."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Any
from uuid import UUID

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
from grading.core.own_work import own_works
from grading.core.permissions import access_assignment, may
from grading.core.requests import MemberRequest
from grading.core.uploads import open_pdf
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
from grading.grades.agreement.queries import BlindScore
from grading.models import Assignment, BlindSample, Submission

PER_PAGE = 50
# Six digits can be copied by hand.
SEEDS = 10**6


@require_safe
def agreement(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show figures by criterion, the samples, and disagreements the reader may know."""
    graded_assignment = access_assignment(request.user, cohort, assignment, level="staff")
    own = own_works(request.user, graded_assignment)
    scored = [
        score
        for score in agreement_queries.blind_scores_of(graded_assignment)
        if score.submission not in own
    ]
    counting = agreement_queries.audits_that_count(graded_assignment, besides=own)
    audits = list({*counting, *(score.audit for score in scored)})
    criteria = criteria_views(
        agreement_queries.criteria_of(audits), scored, agreement_queries.first_opinions(audits)
    )
    form = CellForm(request.GET, criteria=len(criteria))
    wanted = form.wanted()
    differing = _disagreements(scored, criteria, wanted)
    finished = agreement_queries.finished_by(request.user, graded_assignment)
    names = {view.criterion.id: view.criterion.name for view in criteria}
    # Readers see verdicts only of submissions that they graded, unless they ask for all.
    visible = [score for score in differing if wanted["everybody"] or score.submission in finished]
    page = Paginator(visible, PER_PAGE).get_page(wanted["page"] or 1)
    context = {
        "assignment": graded_assignment,
        "samples": agreement_queries.samples_of(graded_assignment, finished | own),
        "criteria": criteria,
        "graded": len({score.submission for score in scored}),
        "graders": len({score.person for score in scored}),
        "counting": len(counting),
        "reliable_from": RELIABLE_FROM,
        "wanted": wanted,
        "misread": form.query_errors(),
        "page": page,
        "rows": [(names[score.criterion_id], score) for score in page],
        "hidden": len(differing) - len(visible),
        "may_change": may(request.user, graded_assignment.organization, "teacher"),
        "trail": trail_to_assignment(graded_assignment),
    }

    return render(request, "grades/agreement/agreement.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def blind_sample(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Draw a sample to grade blind."""
    graded_assignment = access_assignment(request.user, cohort, assignment, level="teacher")
    form = DrawForm(
        request.POST if request.method == "POST" else None, initial={"seed": _any_seed()}
    )
    if form.is_valid():
        try:
            sample = draw_sample(assignment=graded_assignment, by=request.user, **form.cleaned_data)
        except ActionRefused as refusal:
            add_refusal(form, refusal, field="size")
        else:
            messages.success(
                request, f"{len(sample.submissions)} submissions drawn. All staff can grade them."
            )
            return redirect(
                "blind", org, graded_assignment.cohort.slug, graded_assignment.slug, sample.pk, 1
            )

    context = {
        "form": form,
        "title": "Draw a sample to grade blind",
        "lead": "The sample is drawn from the attempts that count, one per student. You score it "
        "by the rubric without seeing the verdict. Several people can grade the same sample.",
        "verb": "Draw sample",
        "trail": _trail_to_agreement(graded_assignment),
    }

    return render(request, "forms/page.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def blind(
    request: MemberRequest, org: str, cohort: str, assignment: str, sample_id: int, place: int
) -> HttpResponse:
    """Grade one submission of a sample. The verdict is hidden until every criterion is scored."""
    graded_assignment = access_assignment(request.user, cohort, assignment, level="staff")
    sample, submission = _sample_and_submission(request, graded_assignment, sample_id, place)
    before, after = _neighbours(sample, place, own_works(request.user, graded_assignment))
    verdicts = agreement_queries.verdicts_to_compare(submission)
    report = report_of(verdicts[0].audit) if verdicts else None
    criteria = blind_criteria(verdicts, report)
    form = _form_for(request, submission, criteria)
    sealed = submission.pk in agreement_queries.finished_by(request.user, graded_assignment)
    if (
        request.method == "POST"
        and form.is_valid()
        and _save_scores(request, submission, criteria, form)
    ):
        ahead = place if "finish" in request.POST else after or place
        return HttpResponseRedirect(_address(graded_assignment, sample, ahead))

    context = {
        "assignment": graded_assignment,
        "sample": sample,
        "place": place,
        "total": len(sample.submissions),
        "before": before,
        "after": after,
        "submission": submission,
        "criteria": [
            # The template gets no verdict before the scores are sealed.
            (criterion, form[criterion.field], verdict if sealed else None)
            for criterion, verdict in zip(criteria, verdicts, strict=True)
        ],
        "form": form,
        "sealed": sealed,
        "mine": agreement_queries.scores_given_by(request.user, submission),
        "audit": verdicts[0].audit if verdicts and sealed else None,
        "trail": _trail_to_agreement(graded_assignment),
    }

    return render(request, "grades/agreement/blind.html", context)


@require_safe
def blind_pdf(
    request: MemberRequest, org: str, cohort: str, assignment: str, sample_id: int, place: int
) -> HttpResponseBase:
    """Download the submitted report; it is never displayed inside the site."""
    graded_assignment = access_assignment(request.user, cohort, assignment, level="staff")
    _sample, submission = _sample_and_submission(request, graded_assignment, sample_id, place)
    if not submission.pdf:
        raise Http404

    answer = FileResponse(
        open_pdf(submission),
        as_attachment=True,
        filename=f"{graded_assignment.slug}-sample-{sample_id}-{place}.pdf",
    )
    # The file is from a student: the browser must not guess another type.
    answer.headers["X-Content-Type-Options"] = "nosniff"

    return answer


def _sample_and_submission(
    request: MemberRequest, assignment: Assignment, sample_id: int, place: int
) -> tuple[BlindSample, Submission]:
    sample = agreement_queries.sample_of(assignment, sample_id)
    submission = agreement_queries.submission_at(sample, place) if sample else None
    if sample is None or submission is None:
        raise Http404
    if submission.pk in own_works(request.user, assignment):
        raise Http404
    return sample, submission


def _neighbours(
    sample: BlindSample, place: int, own: Collection[UUID]
) -> tuple[int | None, int | None]:
    """Return the places before and after this one that the reader may grade."""
    places = [at for at, key in enumerate(sample.submissions, 1) if UUID(key) not in own]
    before = max((at for at in places if at < place), default=None)
    return before, min((at for at in places if at > place), default=None)


def _form_for(
    request: MemberRequest, submission: Submission, criteria: list[BlindCriterion]
) -> BlindForm:
    mine = agreement_queries.scores_given_by(request.user, submission)
    return BlindForm(
        request.POST if request.method == "POST" else None,
        criteria=[
            (criterion.field, criterion.id, criterion.name, criterion.choices)
            for criterion in criteria
        ],
        initial={criterion.field: mine.get(criterion.id) for criterion in criteria},
    )


def _save_scores(
    request: MemberRequest, submission: Submission, criteria: list[BlindCriterion], form: BlindForm
) -> bool:
    """Save the scores, even if finishing is refused because some are missing."""
    finish = "finish" in request.POST
    if not form.scores():
        form.add_error(None, "Give at least one score.")
        return False

    if finish:
        form.ask_for_the_rest()
    try:
        grade_blind(
            submission=submission,
            criteria=[criterion.id for criterion in criteria],
            scores=form.scores(),
            finish=finish and not form.errors,
            by=request.user,
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)

    return not form.errors


def _disagreements(
    scored: list[BlindScore], criteria: list[CriterionView], wanted: dict[str, Any]
) -> list[BlindScore]:
    """Return the widest first. A cell of the grid is listed whole, agreement included."""
    place = wanted["criterion"]
    criterion_id = (
        criteria[place].criterion.id if place is not None and place < len(criteria) else None
    )
    # A grid cell also lists agreement, or its number would not match its list.
    a_cell = wanted["person"] is not None or wanted["court"] is not None
    chosen = [
        score
        for score in scored
        if score.court is not None
        and (criterion_id is None or score.criterion_id == criterion_id)
        and (wanted["person"] is None or score.score == wanted["person"])
        and (wanted["court"] is None or score.court == wanted["court"])
        and (a_cell or score.distance)
    ]

    return sorted(
        chosen, key=lambda score: (-score.distance, score.position, str(score.submission))
    )


def _address(assignment: Assignment, sample: BlindSample, place: int) -> str:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return reverse("blind", args=[*slugs, sample.pk, place])


def _any_seed() -> int:
    return secrets.randbelow(SEEDS)


def _trail_to_agreement(assignment: Assignment) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return [*trail_to_assignment(assignment), ("Agreement", reverse("agreement", args=slugs))]
