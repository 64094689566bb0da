"""Page of an assignment's teams: one's own for students, all of them for staff."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import TeamFormation
from grading.core.errors import TeamRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_assignment, access_enrollment, may
from grading.core.requests import MemberRequest
from grading.courses.teams.actions import (
    assign_students,
    form_teams_from_groups,
    found_team,
    join_team,
    leave_team,
    rename_team,
)
from grading.courses.teams.forms import AssignForm, FoundTeamForm, JoinTeamForm, RenameForm
from grading.courses.teams.queries import (
    has_work,
    latest_works,
    members_of,
    plan_from_groups,
    team_of,
    team_page,
)
from grading.models import Assignment, Enrollment


@require_http_methods(["GET", "HEAD", "POST"])
def teams(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show teams, and change them: `do` names the form that was sent."""
    record = access_assignment(request.user, cohort, assignment)
    if may(request.user, record.organization, "staff"):
        return _staff_page(request, record)
    return _student_page(request, record, access_enrollment(request.user, record.cohort))


def _student_page(
    request: MemberRequest, assignment: Assignment, student: Enrollment
) -> HttpResponse:
    act = request.POST.get("do", "")
    posted = request.POST if request.method == "POST" else None
    bound: dict[str, forms.Form] = {
        "create": FoundTeamForm(posted if act == "create" else None),
        "join": JoinTeamForm(posted if act == "join" else None),
        "leave": forms.Form(posted if act == "leave" else None),
    }
    form = bound.get(act)
    if form is not None and form.is_valid():
        try:
            messages.success(request, _act_of_student(request, assignment, student, form, act))
        except TeamRefused as refusal:
            add_refusal(form, refusal)
        else:
            return redirect(
                "teams", assignment.organization.slug, assignment.cohort.slug, assignment.slug
            )

    team = team_of(assignment, student)
    context = {
        "assignment": assignment,
        "team": team,
        "members": members_of(team) if team else [],
        "student": student,
        "by_students": assignment.team_formation == TeamFormation.STUDENTS,
        "has_work": bool(team and has_work(team)),
        "forms": bound,
        "trail": trail_to_assignment(assignment),
    }
    return render(request, "courses/teams/own.html", context)


def _act_of_student(
    request: MemberRequest,
    assignment: Assignment,
    student: Enrollment,
    form: forms.Form,
    act: str,
) -> str:
    """Do what the student chose; return the sentence that says so. Raises TeamRefused."""
    own: dict[str, Any] = {"assignment": assignment, "student": student, "by": request.user}
    if act == "create":
        return f"You formed the team {found_team(name=form.cleaned_data['name'], **own)}."
    if act == "join":
        return f"You joined the team {join_team(code=form.cleaned_data['code'], **own)}."
    leave_team(**own)
    return "You left the team."


def _staff_page(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    may_change = may(request.user, assignment.organization, "teacher")
    if request.method == "POST" and not may_change:
        raise Http404
    act = request.POST.get("do", "")
    posted = request.POST if request.method == "POST" else None
    page = team_page(assignment)
    bound: dict[str, forms.Form] = {
        "assign": AssignForm(posted if act == "assign" else None, page=page),
        "rename": RenameForm(posted if act == "rename" else None, page=page),
        "groups": forms.Form(posted if act == "groups" else None),
    }
    form = bound.get(act)
    if form is not None and form.is_valid():
        try:
            messages.success(request, _act_of_staff(request, assignment, form))
        except TeamRefused as refusal:
            add_refusal(form, refusal)
        else:
            return redirect(
                "teams", assignment.organization.slug, assignment.cohort.slug, assignment.slug
            )

    context = {
        "assignment": assignment,
        "page": page,
        "works": latest_works(page),
        "plans": plan_from_groups(assignment)
        if assignment.team_formation == TeamFormation.GROUPS
        else [],
        "forms": bound,
        "may_change": may_change and assignment.team_formation != TeamFormation.NONE,
        "trail": trail_to_assignment(assignment),
    }
    return render(request, "courses/teams/teams.html", context)


def _act_of_staff(request: MemberRequest, assignment: Assignment, form: forms.Form) -> str:
    """Do what staff chose; return the sentence that says so. Raises TeamRefused."""
    if isinstance(form, AssignForm):
        cleaned = form.cleaned_data
        choices = ("students", "new_team", "reason", "keeps_grade", "earlier_counts")
        team = assign_students(
            assignment=assignment,
            team=form.target,
            by=request.user,
            **{name: cleaned[name] for name in choices},
        )
        names = ", ".join(str(student) for student in cleaned["students"])
        return f"{names}: now in {team.name}." if team else f"{names}: now in no team."
    if isinstance(form, RenameForm):
        chosen = {str(team.pk): team for team in team_page(assignment).teams}
        rename_team(
            team=chosen[form.cleaned_data["renamed"]],
            name=form.cleaned_data["name"],
            by=request.user,
        )
        return "The team was renamed."
    placed = form_teams_from_groups(assignment=assignment, by=request.user)
    return f"Students placed in teams of their groups: {placed}."
