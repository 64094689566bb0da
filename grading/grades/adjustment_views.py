"""Page on which a teacher adjusts the result of one student, such as a member of a team."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.errors import GradeRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_audit
from grading.core.requests import MemberRequest
from grading.grades.forms import AdjustmentForm
from grading.grades.member_grades import adjust_grade, withdraw_adjustment
from grading.models import Audit, Grade


@require_http_methods(["GET", "HEAD", "POST"])
def adjust(request: MemberRequest, org: str, audit_id: UUID, grade_id: int) -> HttpResponse:
    """Change one student's own result with a reason; `withdraw` takes the change back."""
    audit = access_audit(request.user, audit_id, level="teacher")
    grade = _grade(audit, grade_id)
    address = reverse("audit", args=[org, audit.pk])
    if request.method == "POST" and "withdraw" in request.POST:
        withdraw_adjustment(grade=grade, by=request.user)
        messages.success(request, f"The verdict is the result of {grade.student} again.")
        return redirect(address)

    standing = grade.adjustments.filter(withdrawn_at=None).first()
    initial = {"delta": standing.delta, "reason": standing.reason} if standing else None
    form = AdjustmentForm(
        request.POST if request.method == "POST" else None,
        initial=initial,
        unit="points" if grade.points_possible else "scores from 1 to 5",
    )
    if form.is_valid():
        try:
            adjust_grade(grade=grade, by=request.user, **form.cleaned_data)
        except GradeRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, f"The result of {grade.student} was adjusted.")
            return redirect(address)

    context = {
        "form": form,
        "grade": grade,
        "standing": standing,
        "trail": [*trail_to_assignment(audit.submission.assignment), ("Report", address)],
    }
    return render(request, "grades/adjust.html", context)


def _grade(audit: Audit, grade_id: int) -> Grade:
    """Return a grade that rests on this work. Raises Http404."""
    grades = Grade.objects.filter(pk=grade_id, audit__submission=audit.submission_id)
    grade = grades.select_related("student", "assignment").first()
    if grade is None:
        raise Http404
    return grade
