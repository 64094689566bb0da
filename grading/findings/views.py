"""What is to be mended in a student's work: the list, and one finding with its history and the answers to it."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import Trail, trail_to_assignment
from grading.core.errors import FindingRefused
from grading.core.form_bases import put_beside
from grading.core.permissions import (
    access_assignment,
    access_finding,
    may,
    student_asked_for,
)
from grading.core.requests import MemberRequest
from grading.findings.answers import answer_finding, say_whether_it_helped
from grading.findings.forms import GROUP_WORDS, AnswerForm, FindingsForm
from grading.findings.queries import GROUPS, SeenFinding, findings_of, said_of, tallies_of
from grading.models import Assignment, Enrollment, Finding, FindingResponse

PER_PAGE = 60


@require_safe
def findings(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """One's own; staff choose whose first (`student` in the address)."""
    found = access_assignment(request.user, cohort, assignment)
    is_staff = may(request.user, found.organization, "staff")
    student = student_asked_for(request, found)
    context: dict[str, Any] = {
        "assignment": found,
        "is_staff": is_staff,
        "trail": trail_to_assignment(found),
    }
    if student is None:
        return render(request, "findings/students.html", context | {"tallies": tallies_of(found)})
    seen = findings_of(found, student, is_staff=is_staff)
    form = FindingsForm(request.GET, criteria=_criteria(seen))
    picked = [each for each in seen if form.picks(each)]
    page = Paginator(picked, PER_PAGE).get_page(request.GET.get("page"))
    counts = Counter(each.group for each in seen)
    context |= {
        "student": student,
        "form": form,
        "seen": seen,
        "page": page,
        "groups": [
            (GROUP_WORDS[name], [each for each in page if each.group == name]) for name in GROUPS
        ],
        "counts": [(name, GROUP_WORDS[name], counts[name]) for name in GROUPS],
        "owed": sum(each.is_answerable for each in seen),
    }
    return render(request, "findings/findings.html", context)


def _criteria(seen: tuple[SeenFinding, ...]) -> list[tuple[str, str]]:
    names = {each.finding.criterion_id: each.finding.criterion_name for each in seen}
    return sorted(((key, name) for key, name in names.items() if key), key=lambda pair: pair[1])


@require_http_methods(["GET", "HEAD", "POST"])
def finding(
    request: MemberRequest, org: str, cohort: str, assignment: str, finding_id: UUID
) -> HttpResponse:
    """Where it was seen, by whom, what became of it; its owner answers, staff read."""
    row = access_finding(request.user, finding_id)
    found = row.assignment
    if (found.cohort.slug, found.slug) != (cohort, assignment):
        raise Http404
    is_staff = may(request.user, row.organization, "staff")
    listed = findings_of(found, row.student, is_staff=is_staff)
    seen = next((each for each in listed if each.finding.pk == row.pk), None)
    if seen is None:
        raise Http404
    is_owner = row.student.user_id == request.user.pk
    if request.method == "POST" and not is_owner:
        raise Http404
    if request.POST.get("do") == "help":
        return _helped(request, row)
    form = AnswerForm(request.POST or None, initial=_said(seen.answer))
    if form.is_valid():
        try:
            answer_finding(finding=row, by=request.user, **form.cleaned_data)
        except FindingRefused as refusal:
            put_beside(form, refusal)
        else:
            messages.success(request, "Your answer is kept.")
            return redirect(request.path)
    context = {
        "assignment": found,
        "finding": row,
        "seen": seen,
        "state": GROUP_WORDS[seen.group],
        "form": form if is_owner else None,
        "is_staff": is_staff,
        "helped": said_of(row),
        "trail": _trail(found, row.student if is_staff else None),
    }
    return render(request, "findings/finding.html", context)


def _helped(request: MemberRequest, row: Finding) -> HttpResponse:
    said = request.POST.get("helpful")
    if said not in {"yes", "no"}:
        return HttpResponseBadRequest("Say yes or no.")
    say_whether_it_helped(finding=row, helpful=said == "yes", by=request.user)
    messages.success(
        request, "Thank you. Your teachers see how many findings helped, never who said so."
    )
    return redirect(request.path)


def _said(answer: FindingResponse | None) -> dict[str, str]:
    """The answer that stands, to be changed."""
    return {"kind": answer.kind, "commit": answer.commit, "reason": answer.reason} if answer else {}


def _trail(assignment: Assignment, student: Enrollment | None) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse("findings", args=slugs)
    words = f"Findings of {student}" if student else "Findings"
    return [
        *trail_to_assignment(assignment),
        (words, f"{address}?student={student.pk}" if student else address),
    ]
