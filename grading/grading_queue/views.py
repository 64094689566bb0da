"""Pages of the grading queue: the list of works, one work, the plan of shares, who has it open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.audits.queries import report_of
from grading.comments.queries import comments_on
from grading.core.breadcrumbs import trail_to_assignment
from grading.core.errors import ReviewRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_assignment, may
from grading.core.requests import MemberRequest
from grading.courses.extensions.queries import terms_of
from grading.grading_queue.actions import (
    flag_work,
    mark_reviewed,
    open_work,
    score_criterion,
    unflag_work,
    unmark_reviewed,
)
from grading.grading_queue.forms import DecisionForm, FilterForm, PlanForm, SettingsForm
from grading.grading_queue.presenters import (
    Route,
    criterion_rows,
    selected_works,
    way_from,
)
from grading.grading_queue.queries import (
    WHOLE_WORK,
    Criterion,
    Queue,
    Work,
    audits_by_attempt,
    flag_fingerprint,
    overrides_of,
    presences_of,
    progress_of,
    queue_of,
    readers_of,
    review_fingerprint,
)
from grading.grading_queue.share_plans import plan_shares
from grading.models import Assignment, Enrollment, ReviewPresence

BLIND, GO_ON = "queue_blind", "queue_go_on"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def overview(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """List the works by the filters of the address; a POST saves the reader's settings."""
    graded = access_assignment(request.user, cohort, assignment, level="staff")
    settings = SettingsForm(request.POST if request.method == "POST" else None)
    if settings.is_valid():
        return _save_settings(request, graded, settings.cleaned_data)
    form = FilterForm(request.GET)
    filters = form.wanted()
    queue = queue_of(graded, reader=request.user, is_blind=_is_blind(request))
    works = selected_works(queue, filters, request.user)
    route = Route(graded, filters)
    present = presences_of(graded, besides=request.user)
    context = {
        "assignment": graded,
        "form": form,
        "works": [
            (work, route.address_of(work), _openers(present, work.student.pk)) for work in works
        ],
        "criteria": [
            (criterion, route.with_criterion(criterion).address_of(first[0]), counts)
            for criterion in queue.criteria
            if (first := _first_of(queue, filters, request.user, criterion))
            and (counts := _counts(queue, criterion))
        ],
        "total": len(queue.works),
        "reviewed": sum(work.is_reviewed() for work in queue.works),
        "start": next((route.address_of(w) for w in works if not w.is_reviewed()), ""),
        "progress": progress_of(queue, readers_of(graded)),
        "has_shares": bool(queue.shares.readers),
        "settings": _settings(request),
        "may_plan": may(request.user, graded.organization, "teacher"),
        "trail": trail_to_assignment(graded),
    }
    return render(request, "grading_queue/overview.html", context)


@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def by_student(
    request: MemberRequest, org: str, cohort: str, assignment: str, enrollment_id: int
) -> HttpResponse:
    """Show one student's work with all criteria; a POST saves one decision."""
    graded = access_assignment(request.user, cohort, assignment, level="staff")
    return _item(request, graded, enrollment_id, None)


@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def by_criterion(
    request: MemberRequest,
    org: str,
    cohort: str,
    assignment: str,
    position: int,
    enrollment_id: int,
) -> HttpResponse:
    """Show one criterion of one student's work; a POST saves one decision."""
    graded = access_assignment(request.user, cohort, assignment, level="staff")
    return _item(request, graded, enrollment_id, position)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def presence(
    request: MemberRequest, org: str, cohort: str, assignment: str, enrollment_id: int
) -> HttpResponse:
    """Return who else has this work open; a POST first stores that this reader has."""
    graded = access_assignment(request.user, cohort, assignment, level="staff")
    student = Enrollment.objects.filter(cohort=graded.cohort_id, pk=enrollment_id).first()
    queue = queue_of(graded, reader=request.user)
    if student is None or queue.work_of(student.pk) is None:
        raise Http404
    if request.method == "POST":
        open_work(assignment=graded, student=student, by=request.user)
    openers = _openers(presences_of(graded, besides=request.user), student.pk)
    return render(request, "grading_queue/_presence.html", {"openers": openers})


@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Share the works among readers."""
    graded = access_assignment(request.user, cohort, assignment, level="teacher")
    staff = readers_of(graded)
    form = PlanForm(request.POST if request.method == "POST" else None, staff=staff)
    if form.is_valid() and _apply_plan(request, graded, staff, form):
        return HttpResponseRedirect(Route(graded, {}).overview)
    context = {
        "form": form,
        "title": "Share the grading queue",
        "lead": "Each reader's queue then shows their share first. Assistants score in their own "
        "share, teachers everywhere. A new plan keeps what was reviewed, and a student whose work "
        "somebody began to review stays with that reader.",
        "verb": "Share the work",
        "trail": [*trail_to_assignment(graded), _crumb(graded)],
    }
    return render(request, "forms/page.html", context)


def _apply_plan(
    request: MemberRequest, assignment: Assignment, staff: list[User], form: PlanForm
) -> bool:
    chosen = form.cleaned_data
    try:
        count = plan_shares(
            assignment=assignment,
            method=chosen["method"],
            readers=[user for user in staff if str(user.pk) in chosen["readers"]],
            seed=chosen["seed"] or 0,
            by=request.user,
        )
    except ReviewRefused as refusal:
        add_refusal(form, refusal)
        return False
    words = "The work is shared." if count else "Nothing is shared: everybody reads everything."
    messages.success(request, words)
    return True


def _item(
    request: MemberRequest, assignment: Assignment, enrollment_id: int, place: int | None
) -> HttpResponse:
    """Show one work, or save a decision on it and go on."""
    is_blind = _is_blind(request)
    queue = queue_of(assignment, reader=request.user, is_blind=is_blind)
    work = queue.work_of(enrollment_id)
    criterion = None if place is None else queue.criterion_at(place)
    if work is None or (place is not None and (criterion is None or not work.has(criterion.id))):
        raise Http404
    form = FilterForm(request.GET)
    route = Route(assignment, form.wanted(), criterion)
    errors: dict[str, str] = {}
    if request.method == "POST":
        answer = _decide(request, queue, work, route)
        if isinstance(answer, HttpResponse):
            return answer
        errors = answer
        # Show what the other reader saved meanwhile.
        queue = queue_of(assignment, reader=request.user, is_blind=is_blind)
        work = queue.work_of(enrollment_id) or work
    context = _context(request, queue, work, route, errors)
    return render(request, "grading_queue/item.html", context)


def _decide(
    request: MemberRequest, queue: Queue, work: Work, route: Route
) -> HttpResponse | dict[str, str]:
    """Save a decision and lead on; or return its error by criterion id."""
    form = DecisionForm(request.POST)
    is_valid = form.is_valid()
    chosen = form.cleaned_data
    place = chosen.get("position")
    key = next((row.criterion_id for row in work.verdicts if row.position == place), WHOLE_WORK)
    if not is_valid:
        sentences = [str(sentence) for errors in form.errors.values() for sentence in errors]
        return {key: " ".join(sentences)}
    try:
        _save(request.user, work, key, chosen)
    except ReviewRefused as refusal:
        return {key: refusal.sentence}
    return HttpResponseRedirect(_next_address(request, queue, work, route, key, chosen))


def _save(reader: User, work: Work, key: str, chosen: Mapping[str, Any]) -> None:
    common: dict[str, Any] = {"submission": work.submission, "criterion_id": key, "by": reader}
    review = common | {"shown": chosen["shown"]}
    flag = common | {"shown": chosen["flag_shown"]}
    if chosen["score"] is not None:
        score_criterion(**review, score=chosen["score"], reason=chosen["reason"])
    elif chosen["do"] == "reviewed":
        mark_reviewed(**review)
    elif chosen["do"] == "unreviewed":
        unmark_reviewed(**review)
    elif chosen["do"] == "flag":
        flag_work(**flag, word=chosen["word"])
    else:
        unflag_work(**flag)


def _next_address(
    request: MemberRequest,
    queue: Queue,
    work: Work,
    route: Route,
    key: str,
    chosen: Mapping[str, Any],
) -> str:
    """Return the next criterion or work after a review, the same place after all else."""
    here = route.address_of(work)
    same = f"{here}#c-{chosen['position']}" if chosen["position"] is not None else here
    is_review = chosen["score"] is not None or chosen["do"] == "reviewed"
    if not is_review or not _goes_on(request):
        return same
    if route.criterion is None and key != WHOLE_WORK:
        waiting = [
            row
            for row in work.verdicts
            if row.criterion_id != key and not work.review_of(row.criterion_id)
        ]
        if waiting:
            place = chosen["position"]
            onward = next((row for row in waiting if row.position > place), waiting[0])
            return f"{here}#c-{onward.position}"
    way = way_from(work, queue, route, request.user)
    return way.next or _after_the_last(request, queue, route)


def _after_the_last(request: MemberRequest, queue: Queue, route: Route) -> str:
    """Return the first work that waits at another criterion of this list, else the overview."""
    for criterion in _criteria_after(queue, route.criterion):
        onward = route.with_criterion(criterion)
        works = selected_works(queue, route.filters, request.user, criterion)
        for other in works:
            if not other.is_reviewed(criterion.id):
                messages.success(request, f"That was the last student. Next: {criterion.name}.")
                return onward.address_of(other)
    messages.success(request, "That was the last one of this list.")
    return route.overview


def _criteria_after(queue: Queue, current: Criterion | None) -> list[Criterion]:
    """Return the other criteria, those after the current one first; none where all are shown."""
    if current is None:
        return []
    later = [row for row in queue.criteria if row.place > current.place]
    return later + [row for row in queue.criteria if row.place < current.place]


def _context(
    request: MemberRequest, queue: Queue, work: Work, route: Route, errors: Mapping[str, str]
) -> dict[str, Any]:
    assignment, settings = route.assignment, _settings(request)
    report = report_of(work.audit)
    if report is not None and settings["blind"]:
        # Links to the host of a repository name its owner.
        report = report.model_copy(update={"repo_url": ""})
    overrides = overrides_of(work.submission)
    rows = criterion_rows(
        work,
        report,
        overrides,
        is_mine=lambda key: _may_score(request.user, assignment, queue, work, key),
        only=route.criterion,
        audit_address=reverse("audit", args=[assignment.organization.slug, work.audit.pk]),
        errors=errors,
    )
    mark = work.marks.get(WHOLE_WORK)
    terms = terms_of(assignment, work.student)
    return {
        "assignment": assignment,
        "work": work,
        "rows": rows,
        "route": route,
        "way": way_from(work, queue, route, request.user),
        "here": route.address_of(work),
        "modes": _modes(route, queue, work),
        "whole": {
            "flag": mark if mark and mark.flagged_at else None,
            "review": work.review_of(WHOLE_WORK),
            "is_mine": all(row.is_mine for row in rows),
            "shown": review_fingerprint(work.audit.report_digest, WHOLE_WORK, None, mark),
            "flag_shown": flag_fingerprint(mark),
            "error": errors.get(WHOLE_WORK, ""),
        },
        "attempts": audits_by_attempt(work),
        "comments": comments_on(work.submission, request.user),
        "extension": terms.extension,
        "may_extend": may(request.user, assignment.organization, "teacher"),
        "openers": _openers(presences_of(assignment, besides=request.user), work.student.pk),
        "settings": settings,
        # Nothing typed is lost where a decision was refused.
        "typed": request.POST if errors else {},
        "trail": [*trail_to_assignment(assignment), _crumb(assignment)],
    }


def _may_score(
    reader: User, assignment: Assignment, queue: Queue, work: Work, criterion_id: str
) -> bool:
    if may(reader, assignment.organization, "teacher"):
        return True
    if not queue.shares.readers:
        return True
    return queue.shares.reader_of(work.student.pk, criterion_id) == reader.pk


def _modes(route: Route, queue: Queue, work: Work) -> list[tuple[str, str, bool]]:
    """Return (label, address, is current): all criteria, or one across students."""
    modes = [("All criteria", route.with_criterion(None).address_of(work), route.criterion is None)]
    return modes + [
        (
            criterion.name,
            route.with_criterion(criterion).address_of(work),
            criterion == route.criterion,
        )
        for criterion in queue.criteria
        if work.has(criterion.id)
    ]


def _openers(present: list[ReviewPresence], student: int) -> list[str]:
    """Return the emails of those who have this student's work open."""
    return [row.reader.email for row in present if row.student_id == student]


def _first_of(
    queue: Queue, filters: Mapping[str, str], reader: User, criterion: Criterion
) -> list[Work]:
    """Return the works of this criterion, those that wait first."""
    works = selected_works(queue, filters, reader, criterion)
    return sorted(works, key=lambda work: work.is_reviewed(criterion.id))


def _counts(queue: Queue, criterion: Criterion) -> tuple[int, int]:
    """Return the number of reviewed works of a criterion, and of all."""
    works = [work for work in queue.works if work.has(criterion.id)]
    return sum(work.is_reviewed(criterion.id) for work in works), len(works)


def _is_blind(request: MemberRequest) -> bool:
    return bool(request.session.get(BLIND, False))


def _goes_on(request: MemberRequest) -> bool:
    return bool(request.session.get(GO_ON, True))


def _settings(request: MemberRequest) -> dict[str, bool]:
    return {"blind": _is_blind(request), "go_on": _goes_on(request)}


def _save_settings(
    request: MemberRequest, assignment: Assignment, chosen: Mapping[str, str]
) -> HttpResponse:
    for name, key in (("blind", BLIND), ("go_on", GO_ON)):
        if chosen[name]:
            request.session[key] = chosen[name] == "on"
    back, own = chosen["back"], {request.get_host()}
    if not url_has_allowed_host_and_scheme(back, own, require_https=request.is_secure()):
        back = Route(assignment, {}).overview
    return HttpResponseRedirect(back)


def _crumb(assignment: Assignment) -> tuple[str, str]:
    return ("Grading queue", Route(assignment, {}).overview)
