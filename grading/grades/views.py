"""A cohort's grades at an assignment: the overview, the release, and a sample to read by hand."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from grading.audits.queries import grade_of, usage_of_assignment
from grading.core.breadcrumbs import Trail, trail_to_assignment
from grading.core.enums import ReleasePolicy
from grading.core.errors import GradeRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of_criterion
from grading.core.permissions import access_assignment, access_audit, may
from grading.core.requests import MemberRequest
from grading.grades.actions import override_criterion, pin_grade, unpin_grade, withdraw_override
from grading.grades.forms import (
    TYPED_ABOVE,
    OverrideForm,
    OverviewForm,
    ReasonForm,
    ReleaseForm,
    SampleForm,
)
from grading.grades.presenters import columns_of, histogram_of, judge_line_of
from grading.grades.queries import statistics as grade_statistics
from grading.grades.queries.gradebook import (
    FLAGS,
    GradeRow,
    Wanted,
    counts_of,
    flags_of,
    grades_of,
    read_row,
    rows_of,
)
from grading.grades.queries.statistics import Cell, Matrix
from grading.grades.releases import release_grades, take_back_release
from grading.models import Assignment, Audit, CriterionVerdict, Grade, Override

PER_PAGE = 50


@require_safe
def grades(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Everybody's grade, filtered by what stands in the address; statistics are over the whole cohort."""
    found = access_assignment(request.user, cohort, assignment, level="staff")
    form = OverviewForm(request.GET)
    wanted = form.wanted()
    matrix = grade_statistics.matrix_of(found)
    rows = rows_of(found, wanted, grade_statistics.audits_wanted(matrix, wanted))
    page = Paginator(rows, PER_PAGE).get_page(form.page_wanted())
    listed = [read_row(row) for row in page]
    statistics = grade_statistics.statistics_of(matrix)
    context = {
        "assignment": found,
        "form": form,
        "misread": _misread(form, matrix),
        "wanted": wanted,
        "asked_of": _name_of(matrix, wanted.criterion),
        "page": page,
        "rows": [(row, [FLAGS[flag] for flag in row.flags]) for row in listed],
        "counts": (counts := counts_of(found)),
        "flags": [(flag, FLAGS[flag], number) for flag, number in counts.flags.items()],
        "histogram": histogram_of(grade_statistics.distribution_of(matrix)),
        "statistics": [(each, judge_line_of(each), columns_of(each)) for each in statistics],
        "heat": [(row, _cells(row, matrix)) for row in listed if row.audit],
        "unflagged": rows_of(found, Wanted(flag="clear", release="not")).count(),
        "spent": usage_of_assignment(found),
        "may_change": may(request.user, found.organization, "teacher"),
        "trail": trail_to_assignment(found),
    }
    return render(request, "grades/overview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def release(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """How many students are told, and what happens; then it happens.

    `grade` in the address or form names single ones, `what=unflagged` all that no flag holds back.
    """
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    asked = request.POST if request.method == "POST" else request.GET
    chosen, news, form = _to_release(request, found, asked)
    if form.is_valid():
        try:
            told = release_grades(
                assignment=found,
                grades=news,
                by=request.user,
                note=form.cleaned_data["note"],
                as_seen=True,
            )
        except GradeRefused:
            chosen, news, form = _to_release(
                request, found, asked
            )  # says itself that it has changed
        else:
            messages.success(request, f"{told} student{'' if told == 1 else 's'} told.")
            return redirect("grades", org, found.cohort.slug, found.slug)
    context = {
        "assignment": found,
        "form": form,
        "grades": [(grade, [FLAGS[flag] for flag in flags_of(grade)]) for grade in news],
        "again": sum(grade.released_at is not None for grade in news),
        "flagged": sum(bool(flags_of(grade)) for grade in news),
        "unscored": sum(grade.overall_score is None for grade in news),
        "without_account": sum(grade.student.user_id is None for grade in news),
        "known_already": len(chosen) - len(news),
        "unflagged": asked.get("what") == "unflagged",
        "typed_above": TYPED_ABOVE,
        "trail": _trail_to_grades(found),
    }
    return render(request, "grades/release.html", context)


@require_safe
def sample(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Whom to read by hand: all that is flagged, and a random share of the rest."""
    found = access_assignment(request.user, cohort, assignment, level="staff")
    form = SampleForm(request.GET or None)
    read = form.cleaned_data if form.is_bound and form.is_valid() else {}
    share, seed = read.get("share"), read.get("seed")
    share, seed = 10 if share is None else share, found.pk if seed is None else seed
    everybody = list(grades_of(found))
    flagged = [grade for grade in everybody if flags_of(grade)]
    drawn = _draw([grade for grade in everybody if not flags_of(grade)], share, seed)
    form.initial = {"share": share, "seed": seed}
    context = {
        "assignment": found,
        "form": form,
        "share": share,
        "seed": seed,
        "next_seed": seed + 1,
        "graded": len(everybody),
        "flagged": [(grade, [FLAGS[flag] for flag in flags_of(grade)]) for grade in flagged],
        "drawn": drawn,
        "trail": _trail_to_grades(found),
    }
    return render(request, "grades/sample.html", context)


def _to_release(
    request: MemberRequest, assignment: Assignment, asked: QueryDict
) -> tuple[list[Grade], list[Grade], ReleaseForm]:
    """What was chosen, what of it is news, and the form about that as it stands now."""
    chosen = _chosen(assignment, asked)
    news = [grade for grade in chosen if grade.released_at is None or grade.changed]
    sent = request.POST if request.method == "POST" else None
    return chosen, news, ReleaseForm(sent, expected=len(news), fingerprint=_fingerprint(news))


def _chosen(assignment: Assignment, asked: QueryDict) -> list[Grade]:
    if asked.get("what") == "unflagged":
        return [grade for grade in grades_of(assignment) if not flags_of(grade)]
    keys = [int(key) for key in asked.getlist("grade") if key.isdecimal() and len(key) < 19]
    return list(grades_of(assignment).filter(pk__in=keys))


def _fingerprint(grades: Sequence[Grade]) -> str:
    """Of what is shown: another verdict, override or release changes it."""
    shown = [f"{grade.pk} {grade.changed_at.isoformat()}" for grade in grades]
    return hashlib.sha256("\n".join(sorted(shown)).encode()).hexdigest()


def _draw(grades: list[Grade], share: int, seed: int) -> list[Grade]:
    """At least one where anything is asked for; the same for the same seed, whoever else was graded in between."""
    number = min(len(grades), -(-len(grades) * share // 100))
    order = sorted(grades, key=lambda grade: random.Random(f"{seed} {grade.pk}").random())  # noqa: S311 -- not a secret
    drawn = {grade.pk for grade in order[:number]}
    return [grade for grade in grades if grade.pk in drawn]


def _misread(form: OverviewForm, matrix: Matrix) -> list[str]:
    place = form.cleaned_data.get("criterion")
    nowhere = place is not None and place >= len(matrix.criteria)
    return [*form.query_errors(), *([form.unknown_value("criterion")] if nowhere else [])]


def _name_of(matrix: Matrix, criterion: int | None) -> str:
    """The criterion that is asked about; "" for none, and for a place where there is none."""
    if criterion is None or criterion >= len(matrix.criteria):
        return ""
    return matrix.names[matrix.criteria[criterion]]


def _cells(row: GradeRow, matrix: Matrix) -> list[tuple[str, Cell | None]]:
    cells = matrix.cells.get(row.audit, {}) if row.audit else {}
    return [(matrix.names[key], cells.get(key)) for key in matrix.criteria]


def _trail_to_grades(assignment: Assignment) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return [*trail_to_assignment(assignment), ("Grades", reverse("grades", args=slugs))]


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
    score = standing.score if standing else verdict.score
    reason = standing.reason if standing else None
    fingerprint = fingerprint_of_criterion(found.report_digest, verdict.criterion_id, score, reason)
    form = OverrideForm(
        request.POST if request.method == "POST" else None,
        initial={"score": score, "reason": reason},
        fingerprint=fingerprint,
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
        add_refusal(form, refusal)
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
        add_refusal(form, refusal)
        return None
    messages.success(
        request, f"{verdict.name}: {made.score} of 5 counts; the verdict was {_said(verdict)}."
    )
    return made


def _pinned(request: MemberRequest, audit: Audit, form: ReasonForm) -> bool:
    grade = grade_of(audit.submission)
    if grade is None:
        form.add_error(None, "There is no verdict yet that could count.")
        return False
    try:
        pin_grade(grade=grade, audit=audit, by=request.user, **form.cleaned_data)
    except GradeRefused as refusal:
        add_refusal(form, refusal)
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
