"""Pages of repositories from a template: of teachers for an assignment, of a student for their own."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.enums import RepositoryPermission
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_assignment, access_enrollment
from grading.core.requests import MemberRequest
from grading.models import Assignment
from grading.repositories.generated.actions import (
    create_all,
    create_repository,
    look_again,
    remove_account,
    try_again,
)
from grading.repositories.generated.forms import TemplateForm
from grading.repositories.generated.queries import (
    known_account,
    members_of,
    repositories_of,
    repository_of,
    rows_of,
    state_of,
    template_of,
)
from grading.repositories.generated.settings import set_template
from grading.repositories.github_views import app_or_none, shown_account, start

# Digits of a number that a column of eight bytes takes.
LONGEST_KEY = 19
LINK_FIRST = "Show us your account at GitHub first."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def template(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Set the template, make repositories for all, and list them with their states."""
    target = access_assignment(request.user, cohort, assignment, level="teacher")
    sent = request.POST.get("do", "") if request.method == "POST" else ""
    if sent == "github":
        return start(request, target.cohort, back_to=request.path)
    if sent in ("all", "look", "again", "remove"):
        _act(request, target, sent)
        return redirect(request.path)
    form = TemplateForm(request.POST if sent == "save" else None, initial=_initial(target))
    if form.is_valid() and _saved(request, target, form):
        return redirect(request.path)
    current = template_of(target)
    context = {
        "assignment": target,
        "template": current,
        "rows": rows_of(target) if current else [],
        "form": form,
        "account": shown_account(request),
        "app": app_or_none(),
        "trail": trail_to_assignment(target),
    }
    return render(request, "repositories/template.html", context)


def _initial(assignment: Assignment) -> dict[str, str]:
    current = template_of(assignment)
    if current is None:
        return {"name_prefix": assignment.slug, "visibility": "private", "permission": "push"}
    return {
        "template": current.template,
        "login": current.login,
        "name_prefix": current.prefix,
        "visibility": "private" if current.is_private else "public",
        "permission": current.permission,
    }


def _saved(request: MemberRequest, assignment: Assignment, form: TemplateForm) -> bool:
    account = shown_account(request)
    if account is None:
        form.add_error(None, LINK_FIRST)
        return False
    given = form.cleaned_data
    try:
        set_template(
            assignment=assignment,
            by=request.user,
            account=account,
            template=given["template"],
            login=given["login"],
            prefix=given["name_prefix"],
            is_private=given["visibility"] == "private",
            permission=RepositoryPermission(given["permission"]),
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return False
    messages.success(request, "The template is set.")
    return True


def _act(request: MemberRequest, assignment: Assignment, verb: str) -> None:
    try:
        if verb == "all":
            number = create_all(assignment=assignment, by=request.user)
            are = "repository is" if number == 1 else "repositories are"
            messages.success(request, f"{number} {are} being made.")
        elif verb == "look":
            look_again(assignment=assignment)
            messages.success(request, "We are asking GitHub. Open this page again in a minute.")
        elif verb == "remove":
            member = get_object_or_404(members_of(assignment), pk=_key(request, "member"))
            remove_account(member=member, by=request.user)
            messages.success(
                request,
                f"We forgot {member.login}. If GitHub should keep it out of {member.repository}, too, "
                "remove it in the repository's settings there.",
            )
        else:
            row = get_object_or_404(repositories_of(assignment), pk=_key(request, "repository"))
            try_again(repository=row, by=request.user)
            messages.success(request, f"{row} is tried again.")
    except ActionRefused as refusal:
        messages.error(request, refusal.sentence)


def _key(request: MemberRequest, name: str) -> int:
    """Return the key that was sent, 0 for what is none."""
    key = request.POST.get(name, "")
    return int(key) if key.isascii() and key.isdecimal() and len(key) < LONGEST_KEY else 0


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show a student their repository of an assignment, and have it made."""
    target = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, target.cohort)
    sent = request.POST.get("do", "") if request.method == "POST" else ""
    if sent == "github":
        return start(request, target.cohort, back_to=request.path)
    account = shown_account(request) or known_account(student)
    repository = repository_of(target, student)
    refused = ""
    try:
        if sent == "create" and account is None:
            refused = LINK_FIRST
        elif sent == "create" and account is not None:
            create_repository(assignment=target, student=student, by=request.user, account=account)
            return redirect(request.path)
        elif sent == "again" and repository is not None:
            try_again(repository=repository, by=request.user)
            return redirect(request.path)
    except ActionRefused as refusal:
        refused = refusal.sentence
    members = list(repository.members.all()) if repository else []
    context = {
        "assignment": target,
        "template": template_of(target),
        "repository": repository,
        "state": state_of(repository) if repository else "",
        "members": members,
        "member": next((row for row in members if row.student_id == student.pk), None),
        "account": account,
        "refused": refused,
        "app": app_or_none(),
        "trail": trail_to_assignment(target),
    }
    return render(request, "repositories/own.html", context)
