"""Begin and end of a view of a student's pages (grading.core.view_as)."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.core.errors import PeopleRefused
from grading.core.permissions import access_cohort, access_organization, access_student
from grading.core.requests import MemberRequest
from grading.core.view_as import begin_viewing, end_viewing
from grading.courses.people.views import trail_to_people


@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: MemberRequest, org: str, cohort: str, student_id: int) -> HttpResponse:
    """Say what a view of the student's pages is; begin it on POST."""
    record = access_student(
        request.user, access_cohort(request.user, cohort, level="staff"), student_id
    )
    refusal = ""
    if request.method == "POST":
        try:
            with transaction.atomic():
                begin_viewing(request=request, student=record, by=request.user)
        except PeopleRefused as refused:
            refusal = refused.sentence
        else:
            return redirect("cohort", org, record.cohort.slug)

    context = {"student": record, "refusal": refusal, "trail": trail_to_people(record.cohort)}
    return render(request, "courses/people/view.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def end(request: MemberRequest, org: str) -> HttpResponse:
    """End the view and lead back to the student's page."""
    access_organization(request.user, org)
    if request.method != "POST":
        return redirect("organization", org)
    viewing = end_viewing(request=request)
    if viewing is None:
        return redirect("organization", org)
    messages.success(request, f"You no longer view the pages of {viewing.name}.")
    return redirect("student", viewing.organization, viewing.cohort, viewing.student)
