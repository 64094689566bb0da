"""Pages of grades: the overview, release, a sample to read, overrides and pinned attempts."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from grading.audits.queries import usage_of_assignment
from grading.comments.queries import comment_counts, drafts_with
from grading.core.breadcrumbs import Trail, trail_to_assignment
from grading.core.enums import ReleasePolicy
from grading.core.errors import GradeRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of_criterion
from grading.core.own_work import handled_by, own_students
from grading.core.permissions import access_assignment, access_audit, may
from grading.core.requests import MemberRequest
from grading.core.team_access import is_present_member
from grading.grades.actions import (
    choose_attempt,
    override_criterion,
    withdraw_override,
)
from grading.grades.forms import (
    TYPED_ABOVE,
    OverrideForm,
    OverviewForm,
    ReasonForm,
    ReleaseForm,
    SampleForm,
)
from grading.grades.member_grades import (
    grades_on,
    pin_grades,
    unpin_grades,
    withdraw_releases,
)
from grading.grades.presenters import columns_of, histogram_of, judge_line_of
from grading.grades.queries import statistics as grade_statistics
from grading.grades.queries.gradebook import (
    FLAGS,
    GradeFilters,
    GradeRow,
    counts_of,
    flags_of,
    grade_row_of,
    grades_of,
    rows_of,
)
from grading.grades.queries.statistics import Cell, Matrix
from grading.grades.releases import release_grades
from grading.models import Assignment, Audit, CriterionVerdict, Grade, Override, Submission

PER_PAGE = 50


@require_safe
def grades(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """List all grades, filtered by the address; statistics cover the whole cohort."""
    graded_assignment = access_assignment(request.user, cohort, assignment, level="staff")
    form = OverviewForm(request.GET)
    filters = form.wanted()
    matrix = grade_statistics.matrix_of(graded_assignment)
    rows = rows_of(graded_assignment, filters, grade_statistics.audits_matching(matrix, filters))
    rows = rows.exclude(pk__in=own_students(request.user, graded_assignment))
    page = Paginator(rows, PER_PAGE).get_page(form.page_wanted())
    listed = [grade_row_of(row) for row in page]
    statistics = grade_statistics.statistics_of(matrix)
    context = {
        "assignment": graded_assignment,
        "form": form,
        "misread": _unreadable_filters(form, matrix),
        "filters": filters,
        "criterion_name": _name_of(matrix, filters.criterion),
        "page": page,
        "rows": [(row, [FLAGS[flag] for flag in row.flags]) for row in listed],
        "counts": (counts := counts_of(graded_assignment)),
        "flags": [(flag, FLAGS[flag], number) for flag, number in counts.flags.items()],
        "histogram": histogram_of(grade_statistics.distribution_of(matrix)),
        "statistics": [(row, judge_line_of(row), columns_of(row)) for row in statistics],
        "heat": [(row, _cells(row, matrix)) for row in listed if row.audit],
        # Shown on the button before anybody presses it.
        "unflagged": rows_of(graded_assignment, GradeFilters(flag="clear", release="not")).count(),
        "comments": comment_counts(graded_assignment, request.user),
        "spent": usage_of_assignment(graded_assignment),
        "may_change": may(request.user, graded_assignment.organization, "teacher"),
        "trail": trail_to_assignment(graded_assignment),
    }

    return render(request, "grades/overview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def release(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show how many students a release reaches, then release.

    `grade` in the address or form selects single grades, `what=unflagged` all without a flag.
    """
    graded_assignment = access_assignment(request.user, cohort, assignment, level="teacher")
    data = request.POST if request.method == "POST" else request.GET
    chosen, news, drafts, form = _to_release(request, graded_assignment, data)
    if form.is_valid():
        try:
            released_count = release_grades(
                assignment=graded_assignment,
                grades=news,
                by=request.user,
                note=form.cleaned_data["note"],
                only_unchanged=True,
            )
        except GradeRefused:
            # The new form reports by its fingerprint that something has changed.
            chosen, news, drafts, form = _to_release(request, graded_assignment, data)
        else:
            messages.success(
                request, f"{released_count} grade{'' if released_count == 1 else 's'} released."
            )
            return redirect("grades", org, graded_assignment.cohort.slug, graded_assignment.slug)

    context = {
        "assignment": graded_assignment,
        "form": form,
        "grades": [(grade, [FLAGS[flag] for flag in flags_of(grade)]) for grade in news],
        "again": sum(grade.released_at is not None for grade in news),
        "flagged": sum(bool(flags_of(grade)) for grade in news),
        "unscored": sum(grade.overall_score is None for grade in news),
        "without_account": sum(grade.student.user_id is None for grade in news),
        "comments": drafts,
        "unchanged": len(chosen) - len(news),
        "unflagged": data.get("what") == "unflagged",
        "typed_above": TYPED_ABOVE,
        "trail": _trail_to_grades(graded_assignment),
    }

    return render(request, "grades/release.html", context)


@require_safe
def sample(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """List the grades to check by reading: all flagged ones and a random share of the rest."""
    graded_assignment = access_assignment(request.user, cohort, assignment, level="staff")
    form = SampleForm(request.GET or None)
    read = form.cleaned_data if form.is_bound and form.is_valid() else {}
    share, seed = read.get("share"), read.get("seed")
    # Zero is a valid share, so test for None. The assignment's id gives everybody the same sample.
    share, seed = 10 if share is None else share, graded_assignment.pk if seed is None else seed
    handled = handled_by(request.user, graded_assignment.organization, "audit__submission")
    everybody = list(grades_of(graded_assignment).filter(handled))
    flagged = [grade for grade in everybody if flags_of(grade)]
    drawn = _draw([grade for grade in everybody if not flags_of(grade)], share, seed)
    form.initial = {"share": share, "seed": seed}
    context = {
        "assignment": graded_assignment,
        "form": form,
        "share": share,
        "seed": seed,
        "next_seed": seed + 1,
        "graded": len(everybody),
        "flagged": [(grade, [FLAGS[flag] for flag in flags_of(grade)]) for grade in flagged],
        "drawn": drawn,
        "trail": _trail_to_grades(graded_assignment),
    }

    return render(request, "grades/sample.html", context)


def _to_release(
    request: MemberRequest, assignment: Assignment, data: QueryDict
) -> tuple[list[Grade], list[Grade], int, ReleaseForm]:
    """Return the chosen grades, those with news, the number of drafts that go along, the form."""
    chosen = _chosen(assignment, data)
    # Grades without a change would only repeat an email.
    news = [grade for grade in chosen if grade.released_at is None or grade.changed]
    sent = request.POST if request.method == "POST" else None
    drafts = drafts_with(news).count() if news else 0
    form = ReleaseForm(sent, expected=len(news), fingerprint=_fingerprint(news, drafts))
    return chosen, news, drafts, form


def _chosen(assignment: Assignment, data: QueryDict) -> list[Grade]:
    if data.get("what") == "unflagged":
        return [grade for grade in grades_of(assignment) if not flags_of(grade)]
    # Longer numbers do not fit PostgreSQL's bigint.
    keys = [int(key) for key in data.getlist("grade") if key.isdecimal() and len(key) < 19]
    return list(grades_of(assignment).filter(pk__in=keys))


def _fingerprint(grades: Sequence[Grade], drafts: int) -> str:
    """Return a digest of what goes out; a new verdict, override, release or draft changes it."""
    versions = [f"{grade.pk} {grade.changed_at.isoformat()}" for grade in grades]
    lines = [*sorted(versions), f"drafts {drafts}"]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _draw(grades: list[Grade], share: int, seed: int) -> list[Grade]:
    """Return a random share, at least one; it depends on the seed, not on later grades."""
    # Round up: a share above zero draws at least one.
    number = min(len(grades), -(-len(grades) * share // 100))
    # One generator per grade, so that a grade's place does not depend on the other grades.
    draws = {
        grade.pk: random.Random(f"{seed} {grade.pk}").random()  # noqa: S311 -- not a secret
        for grade in grades
    }
    order = sorted(grades, key=lambda grade: draws[grade.pk])
    drawn = {grade.pk for grade in order[:number]}
    return [grade for grade in grades if grade.pk in drawn]


def _unreadable_filters(form: OverviewForm, matrix: Matrix) -> list[str]:
    place = form.cleaned_data.get("criterion")
    # The criterion is a position, and another verdict may have shortened the list.
    nowhere = place is not None and place >= len(matrix.criteria)
    return [*form.query_errors(), *([form.unknown_value("criterion")] if nowhere else [])]


def _name_of(matrix: Matrix, criterion: int | None) -> str:
    """Return the filtered criterion's name; "" for none or an unknown position."""
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
    """Override a criterion's score; with `withdraw` in the form, withdraw the override."""
    audit = access_audit(request.user, audit_id, level="teacher")
    verdict = CriterionVerdict.objects.filter(audit=audit, position=position).first()
    if verdict is None:
        raise Http404

    standing = Override.objects.filter(
        submission=audit.submission, criterion_id=verdict.criterion_id, withdrawn_at=None
    ).first()
    score = standing.score if standing else verdict.score
    reason = standing.reason if standing else None
    fingerprint = fingerprint_of_criterion(audit.report_digest, verdict.criterion_id, score, reason)
    form = OverrideForm(
        request.POST if request.method == "POST" else None,
        initial={"score": _proposed(request) or score, "reason": reason},
        fingerprint=fingerprint,
    )
    # Somebody may have changed the override since the form was opened: then show it again.
    if "withdraw" in request.POST and (standing is None or form.is_current()):
        if standing is not None:
            withdraw_override(override=standing, by=request.user)
        messages.success(request, f"{verdict.name}: the verdict counts again.")
        return _back_to(audit, verdict)
    if form.is_valid() and _apply_override(request, audit, verdict, form):
        return _back_to(audit, verdict)

    context = {
        "form": form,
        "title": f"Override: {verdict.name}",
        "lead": f"The verdict stays next to your score: {_score_text(verdict)}.",
        "verb": "Save override",
        "trail": _trail_to(audit),
    }

    return render(request, "forms/page.html", context)


def _proposed(request: MemberRequest) -> int | None:
    """Return the score in the address, which the points of a banked comment propose."""
    score = request.GET.get("score", "")
    return int(score) if score in {"1", "2", "3", "4", "5"} else None


@require_http_methods(["GET", "HEAD", "POST"])
def count(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Let this attempt count, whatever is submitted later; `unpin` leaves it to the policy again."""
    audit = access_audit(request.user, audit_id, level="teacher")
    grades = grades_on(audit.submission)
    if request.method == "POST" and "unpin" in request.POST and grades:
        unpinned = unpin_grades(grades=grades, by=request.user)
        counting = unpinned[0].audit.submission
        messages.success(request, f"Unpinned: attempt {counting.attempt} counts.")
        return HttpResponseRedirect(_address(audit))

    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _apply_pin(request, audit, form):
        return HttpResponseRedirect(_address(audit))
    attempt = audit.submission.attempt
    context = {
        "form": form,
        "title": f"Pin attempt {attempt}",
        "lead": f"{audit.submission.owner_name}: attempt {attempt} then counts until you unpin it, "
        "even if another attempt is submitted.",
        "verb": "Pin attempt",
        "trail": _trail_to(audit),
    }

    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Let the student choose this attempt as the one that counts."""
    audit = access_audit(request.user, audit_id)
    submission = audit.submission
    # Staff may open this audit too, but the choice is the student's.
    if not is_present_member(request.user.pk, submission):
        raise Http404

    form = forms.Form(request.POST if request.method == "POST" else None)
    if form.is_valid() and _apply_choice(request, submission, form):
        slugs = [org, submission.assignment.cohort.slug, submission.assignment.slug]
        return redirect("assignment", *slugs)

    context = {
        "form": form,
        "title": f"Let attempt {submission.attempt} count",
        "lead": "You can choose another attempt until your grade is released.",
        "verb": f"Choose attempt {submission.attempt}",
        "trail": trail_to_assignment(submission.assignment),
    }
    return render(request, "forms/page.html", context)


def _apply_choice(request: MemberRequest, submission: Submission, form: forms.Form) -> bool:
    try:
        choose_attempt(submission=submission, by=request.user)
    except GradeRefused as refusal:
        add_refusal(form, refusal)
        return False

    messages.success(request, f"Attempt {submission.attempt} counts.")
    return True


@require_http_methods(["GET", "HEAD", "POST"])
def take_back(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Withdraw a release, with a reason for the log."""
    audit = access_audit(request.user, audit_id, level="teacher")
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _apply_withdrawal(request, audit, form):
        return HttpResponseRedirect(_address(audit))

    hidden = audit.submission.assignment.release_policy == ReleasePolicy.AFTER_RELEASE
    sees = "only that the work was judged" if hidden else "a provisional verdict"
    context = {
        "form": form,
        "title": "Withdraw the release",
        "lead": f"{_readers(audit)} then sees {sees}, and gets an email without a score. "
        "They may have read the grade already.",
        "verb": "Withdraw release",
        "trail": _trail_to(audit),
    }

    return render(request, "forms/page.html", context)


def _apply_withdrawal(request: MemberRequest, audit: Audit, form: ReasonForm) -> bool:
    released = [grade for grade in grades_on(audit.submission) if grade.released is not None]
    if not released:
        form.add_error(None, "There is no release to withdraw.")
        return False

    try:
        withdraw_releases(grades=released, by=request.user, **form.cleaned_data)
    except GradeRefused as refusal:
        add_refusal(form, refusal)
        return False

    messages.success(request, "Release withdrawn.")
    return True


def _apply_override(
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
        request,
        f"{verdict.name}: {made.score} of 5 counts; the verdict was {_score_text(verdict)}.",
    )

    return made


def _apply_pin(request: MemberRequest, audit: Audit, form: ReasonForm) -> bool:
    grades = grades_on(audit.submission)
    if not grades:
        form.add_error(None, "There is no verdict that can count yet.")
        return False

    try:
        pin_grades(grades=grades, audit=audit, by=request.user, **form.cleaned_data)
    except GradeRefused as refusal:
        add_refusal(form, refusal)
        return False

    messages.success(request, f"Attempt {audit.submission.attempt} counts.")
    return True


def _score_text(verdict: CriterionVerdict) -> str:
    if verdict.excluded:
        return "left out"
    return "no score" if verdict.score is None else f"{verdict.score} of 5"


def _address(audit: Audit) -> str:
    return reverse("audit", args=[audit.organization.slug, audit.pk])


def _back_to(audit: Audit, verdict: CriterionVerdict) -> HttpResponse:
    return HttpResponseRedirect(f"{_address(audit)}#criterion-{verdict.position + 1}")


def _readers(audit: Audit) -> str:
    submission = audit.submission
    return f"Every member of {submission.team}" if submission.team else str(submission.student)


def _trail_to(audit: Audit) -> Trail:
    submission = audit.submission
    words = f"{submission.owner_name}, attempt {submission.attempt}"
    return [*trail_to_assignment(submission.assignment), (words, _address(audit))]
