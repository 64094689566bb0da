"""Pages of a student's findings: the list, and one finding with its history and answers."""

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
from grading.core.form_bases import add_refusal
from grading.core.own_work import may_handle
from grading.core.permissions import access_assignment, access_finding, may, student_asked_for
from grading.core.requests import MemberRequest
from grading.core.team_access import work_key, work_name
from grading.findings.answers import answer_finding, reply_whether_helpful
from grading.findings.forms import GROUP_LABELS, AnswerForm, FindingsForm
from grading.findings.queries.replies import helpfulness_of
from grading.findings.queries.tallies import tallies_of
from grading.findings.queries.visible_findings import (
    GROUPS,
    VisibleAnswer,
    VisibleFinding,
    findings_of,
)
from grading.models import Assignment, Enrollment, Finding

PER_PAGE = 60


@require_safe
def findings(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show a student their findings; staff first choose a student (`student` in the address)."""
    row = access_assignment(request.user, cohort, assignment)
    is_staff = may(request.user, row.organization, "staff")
    student = student_asked_for(request, row)
    context: dict[str, Any] = {
        "assignment": row,
        "is_staff": is_staff,
        "trail": trail_to_assignment(row),
    }
    if student is None:
        return render(request, "findings/students.html", context | {"tallies": tallies_of(row)})

    author = work_key(row, student)
    all_findings = (
        findings_of(row, author, is_staff=is_staff, reader=student) if author is not None else ()
    )
    form = FindingsForm(request.GET, criteria=_criteria(all_findings))
    filtered = [finding for finding in all_findings if form.matches(finding)]
    page = Paginator(filtered, PER_PAGE).get_page(request.GET.get("page"))
    counts = Counter(finding.group for finding in all_findings)
    context |= {
        "student": student,
        "owner": work_name(row, student),
        "form": form,
        "findings": all_findings,
        "page": page,
        "groups": [
            (GROUP_LABELS[name], [finding for finding in page if finding.group == name])
            for name in GROUPS
        ],
        "counts": [(name, GROUP_LABELS[name], counts[name]) for name in GROUPS],
        "due": sum(finding.is_answerable for finding in all_findings),
    }
    return render(request, "findings/findings.html", context)


def _criteria(findings: tuple[VisibleFinding, ...]) -> list[tuple[str, str]]:
    names = {row.finding.criterion_id: row.finding.criterion_name for row in findings}
    return sorted(((key, name) for key, name in names.items() if key), key=lambda pair: pair[1])


@require_http_methods(["GET", "HEAD", "POST"])
def finding(
    request: MemberRequest, org: str, cohort: str, assignment: str, finding_id: UUID
) -> HttpResponse:
    """Show one finding with its history; its owner answers it, staff read."""
    row = access_finding(request.user, finding_id)
    if (row.assignment.cohort.slug, row.assignment.slug) != (cohort, assignment):
        raise Http404
    is_staff = may_handle(request.user, row.first_submission)
    reader = row.first_submission.reader
    rows = findings_of(row.assignment, row.student, is_staff=is_staff, reader=reader)
    visible = next((item for item in rows if item.finding.pk == row.pk), None)
    # It may exist and still be hidden: only a withheld audit has seen it.
    if visible is None:
        raise Http404
    is_owner = reader.user_id == request.user.pk
    if request.method == "POST" and not is_owner:
        raise Http404

    if request.POST.get("do") == "help":
        return _reply_helpful(request, row)
    form = _answer_form(request, visible)
    if request.method == "POST" and form.is_valid():
        try:
            answer_finding(finding=row, by=request.user, **form.cleaned_data)
        except FindingRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, "Answer saved.")
            return redirect(request.path)

    context = {
        "assignment": row.assignment,
        "finding": row,
        "visible": visible,
        "earlier_answers": [
            answer for answer in visible.answers if answer.row.replaced_at is not None
        ],
        "state": GROUP_LABELS[visible.group],
        "form": form if is_owner else None,
        "is_staff": is_staff,
        "helped": helpfulness_of(row),
        "trail": _trail(row.assignment, row.student if is_staff else None),
    }
    return render(request, "findings/finding.html", context)


def _reply_helpful(request: MemberRequest, row: Finding) -> HttpResponse:
    reply = request.POST.get("helpful")
    if reply not in {"yes", "no"}:
        return HttpResponseBadRequest("Answer yes or no.")
    reply_whether_helpful(finding=row, helpful=reply == "yes", by=request.user)
    messages.success(
        request, "Thank you. Your teachers see how many findings helped, not who said so."
    )
    return redirect(request.path)


def _answer_form(request: MemberRequest, visible: VisibleFinding) -> AnswerForm:
    """Return the form as sent, else with a refused fix and why, else with the current answer."""
    may_dismiss = visible.is_imported
    if request.method == "POST":
        return AnswerForm(request.POST, may_dismiss=may_dismiss)

    refused = visible.refused_answer
    if refused is None:
        return AnswerForm(initial=_values(visible.answer), may_dismiss=may_dismiss)
    form = AnswerForm(_values(refused), may_dismiss=may_dismiss)
    form.add_error("commit", refused.row.verification)
    return form


def _values(answer: VisibleAnswer | None) -> dict[str, str]:
    if answer is None:
        return {}
    return {name: getattr(answer.row, name) for name in ("kind", "commit", "reason")}


def _trail(assignment: Assignment, student: Enrollment | None) -> Trail:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse("findings", args=slugs)
    label = f"Findings of {student}" if student else "Findings"
    return [
        *trail_to_assignment(assignment),
        (label, f"{address}?student={student.pk}" if student else address),
    ]
