"""Pages of an assignment's extensions: all of them with a form for new ones, and one to change."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import Level, access_assignment, access_extension, may
from grading.core.requests import MemberRequest
from grading.courses.extensions.actions import give_extension, withdraw_extension
from grading.courses.extensions.forms import ExtensionForm, ReliefForm, initial_of
from grading.courses.extensions.queries import extensions_of
from grading.models import Assignment, Enrollment, Extension

MEANWHILE = "This extension was withdrawn or replaced meanwhile. The list of extensions shows what holds now."


@require_http_methods(["GET", "HEAD", "POST"])
def extensions(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show the extensions to staff; let teachers give new ones."""
    level: Level = "staff" if request.method in {"GET", "HEAD"} else "teacher"
    record = access_assignment(request.user, cohort, assignment, level=level)
    form = ExtensionForm(
        request.POST if request.method == "POST" else None,
        assignment=record,
        # A value that is no student of the roster selects nobody.
        initial={"students": [request.GET.get("student", "")]},
    )
    if form.is_valid() and _give(request, record, form):
        return redirect("extensions", org, cohort, assignment)

    rows = list(extensions_of(record))
    context = {
        "assignment": record,
        "form": form,
        "current": [row for row in rows if not row.ending],
        "ended": [row for row in rows if row.ending],
        "may_change": may(request.user, record.organization, "teacher"),
        "trail": trail_to_assignment(record),
    }
    return render(request, "courses/extensions/extensions.html", context)


def _give(request: MemberRequest, assignment: Assignment, form: ExtensionForm) -> bool:
    """Give the extensions; on a refusal put the error into the form and return False."""
    return _save(
        request,
        assignment,
        form,
        students=list(form.cleaned_data["students"]),
        group=form.cleaned_data.get("group", ""),
    )


def _save(
    request: MemberRequest,
    assignment: Assignment,
    form: ReliefForm,
    *,
    students: list[Enrollment],
    group: str,
) -> bool:
    try:
        given = give_extension(
            assignment=assignment,
            students=students,
            group=group,
            relief=form.relief,
            reason=form.cleaned_data["reason"],
            by=request.user,
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return False
    _confirm(request, given)
    return True


def _confirm(request: MemberRequest, given: list[Extension]) -> None:
    if not given:
        messages.info(request, "Nothing changed: this extension holds already.")
    elif len(given) == 1:
        messages.success(request, f"The extension of {given[0]} was saved.")
    else:
        messages.success(request, f"{len(given)} extensions were saved.")


@require_http_methods(["GET", "HEAD", "POST"])
def extension(
    request: MemberRequest, org: str, cohort: str, assignment: str, extension_id: int
) -> HttpResponse:
    """Change an extension, which replaces it, or withdraw it (`act=withdraw`)."""
    record = access_extension(request.user, cohort, assignment, extension_id, level="teacher")
    is_withdrawal = request.POST.get("act") == "withdraw"
    form = ReliefForm(
        request.POST if request.method == "POST" and not is_withdrawal else None,
        assignment=record.assignment,
        initial=initial_of(record),
    )
    if is_withdrawal:
        _withdraw(request, record)
        return redirect("extensions", org, cohort, assignment)
    if form.is_valid() and _change(request, record, form):
        return redirect("extensions", org, cohort, assignment)

    context = {
        "assignment": record.assignment,
        "extension": record,
        "form": form,
        "trail": trail_to_assignment(record.assignment),
    }
    return render(request, "courses/extensions/extension.html", context)


def _withdraw(request: MemberRequest, extension: Extension) -> None:
    try:
        withdraw_extension(extension=extension, by=request.user)
    except ActionRefused as refusal:
        messages.info(request, refusal.sentence)
    else:
        messages.success(request, f"The extension of {extension} was withdrawn.")


def _change(request: MemberRequest, extension: Extension, form: ReliefForm) -> bool:
    """Replace the extension; on a refusal put the error into the form and return False."""
    if extension.ending:
        form.add_error(None, MEANWHILE)
        return False
    return _save(
        request,
        extension.assignment,
        form,
        students=[extension.student] if extension.student else [],
        group=extension.group,
    )
