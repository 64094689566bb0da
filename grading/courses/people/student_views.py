"""Pages of single students: add, change, invite, move, remove."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import Trail
from grading.core.errors import PeopleRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import Level, access_cohort, access_student, may
from grading.core.requests import MemberRequest
from grading.courses.people.forms import (
    ChangeStudentForm,
    MoveForm,
    RemovalForm,
    StudentForm,
)
from grading.courses.people.queries import other_cohorts
from grading.courses.people.removal import holdings_of, remove_student
from grading.courses.people.students import (
    add_student,
    change_student,
    invite_again,
    move_student,
    withdraw_invitation,
)
from grading.courses.people.views import trail_to_people
from grading.courses.queries import roster_lines
from grading.models import Assignment, Enrollment

FIELDS = ("email", "name", "student_number", "group")


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: MemberRequest, org: str, cohort: str) -> HttpResponse:
    """Add one student, who is invited."""
    record = access_cohort(request.user, cohort, level="teacher")
    form = StudentForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            student = add_student(cohort=record, by=request.user, **form.cleaned_data)
        except PeopleRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, f"{student} was added.")
            return redirect("people", org, record.slug)

    context = {
        "form": form,
        "title": f"Add a student to {record.name}",
        "lead": "A new address is invited by one letter. A member of your institution is enrolled "
        "at once.",
        "verb": "Add student",
        "trail": trail_to_people(record),
    }
    return render(request, "forms/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def student(request: MemberRequest, org: str, cohort: str, student_id: int) -> HttpResponse:
    """Show one student; teachers change, invite or move them. `act` names which."""
    level: Level = "staff" if request.method in {"GET", "HEAD"} else "teacher"
    record = access_student(
        request.user,
        access_cohort(request.user, cohort, level=level),
        student_id,
    )
    act = request.POST.get("act", "change") if request.method == "POST" else ""
    sent = request.POST if request.method == "POST" else None
    form = _change_form(record, sent if act not in {"move", "invite", "withdraw"} else None)
    cohorts = other_cohorts(record.cohort)
    move = MoveForm(sent if act == "move" else None, cohorts=cohorts)

    if request.method == "POST" and (done := _act(request, record, act, form, move)):
        return done
    (line,) = roster_lines(record.cohort, students=Q(pk=record.pk))
    context = {
        "student": record,
        "line": line,
        "form": form,
        "move": move,
        "assignments": Assignment.objects.filter(cohort=record.cohort),
        "may_move": bool(cohorts) or act == "move",
        "may_change": may(request.user, record.organization, "teacher"),
        "trail": trail_to_people(record.cohort),
    }
    return render(request, "courses/people/student.html", context)


def _change_form(student: Enrollment, data: Any) -> ChangeStudentForm:
    values = {field: getattr(student, field) for field in FIELDS}
    return ChangeStudentForm(
        data,
        initial=values,
        has_accepted=student.user_id is not None,
        fingerprint=fingerprint_of(values),
    )


def _act(
    request: MemberRequest,
    student: Enrollment,
    act: str,
    form: ChangeStudentForm,
    move: MoveForm,
) -> HttpResponse | None:
    """Do what was asked and lead on; None where a form has to be shown again."""
    own = ("student", student.organization.slug, student.cohort.slug, student.pk)
    try:
        if act == "move":
            return _move(request, student, move)
        if act == "invite":
            messages.success(request, _invited(request, student))
            return redirect(*own)
        if act == "withdraw":
            withdraw_invitation(student=student, by=request.user)
            messages.success(request, f"The invitation of {student.email} was withdrawn.")
            return redirect(*own)
        if form.is_valid():
            values = {"email": student.email} | form.cleaned_data
            change_student(student=student, by=request.user, **values)
            messages.success(request, "Saved.")
            return redirect("people", student.organization.slug, student.cohort.slug)
    except PeopleRefused as refusal:
        if act in {"invite", "withdraw"}:
            messages.error(request, refusal.sentence)
            return redirect(*own)
        add_refusal(move if act == "move" else form, refusal)
    return None


def _invited(request: MemberRequest, student: Enrollment) -> str:
    if invite_again(student=student, by=request.user):
        return f"A letter to {student.email} will be sent."
    return (
        f"The invitation of {student.email} is open. No second letter is sent before they accept: "
        "they find it on their first page, or join by the cohort's link."
    )


def _move(request: MemberRequest, student: Enrollment, form: MoveForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    chosen = form.cleaned_data["cohort"]
    to = next(cohort for cohort in other_cohorts(student.cohort) if cohort.pk == chosen)
    former = student.cohort
    move_student(student=student, to=to, by=request.user)
    messages.success(request, f"{student} was moved to {to.name}.")
    return redirect("people", student.organization.slug, former.slug)


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: MemberRequest, org: str, cohort: str, student_id: int) -> HttpResponse:
    """Show what goes with the student; remove them on POST."""
    record = access_student(
        request.user, access_cohort(request.user, cohort, level="teacher"), student_id
    )
    form = RemovalForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            remove_student(student=record, by=request.user, **form.cleaned_data)
        except PeopleRefused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, f"{record} was removed.")
            return redirect("people", org, record.cohort.slug)

    context = {
        "student": record,
        "form": form,
        "holdings": holdings_of(record),
        "trail": _trail(record),
    }
    return render(request, "courses/people/remove.html", context)


def _trail(student: Enrollment) -> Trail:
    slugs = [student.organization.slug, student.cohort.slug, student.pk]
    return [*trail_to_people(student.cohort), (str(student), reverse("student", args=slugs))]
