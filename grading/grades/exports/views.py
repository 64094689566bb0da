"""Export page: the first rows, students who cannot be matched, and the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.csv_cells import safe_cell
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.own_work import own_students
from grading.core.permissions import access_assignment
from grading.core.requests import MemberRequest
from grading.grades.exports.actions import export_grades, first_rows, table_of
from grading.grades.exports.csv_layouts import Table
from grading.grades.exports.forms import ExportForm
from grading.grades.exports.queries import match_of, students_unmatched, students_without
from grading.models import Assignment

PREVIEWED = 5
NAMED = 20


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponseBase:
    """Preview the export on GET; send the file on POST and log it."""
    exported_assignment = access_assignment(request.user, cohort, assignment, level="staff")
    form = ExportForm(_form_data(request))
    table = _table(exported_assignment, form)
    if request.method == "POST" and table is not None:
        return _download(request, exported_assignment, table)

    everything = form.cleaned_data.get("what") == "everything"
    context = {
        "assignment": exported_assignment,
        "form": form,
        "table": table,
        "preview": _preview(request, exported_assignment, table) if table else [],
        "match": match_of(exported_assignment, everything=everything),
        "unmatched": students_unmatched(exported_assignment, most=NAMED),
        "without": students_without(exported_assignment, everything=everything, most=NAMED),
        "trail": trail_to_assignment(exported_assignment),
    }

    return render(request, "grades/exports/export.html", context)


def _form_data(request: MemberRequest) -> Mapping[str, Any]:
    if request.method == "POST":
        return request.POST
    # Without a choice in the address, preview the default one.
    return request.GET if "layout" in request.GET else ExportForm.initial_choice


def _table(assignment: Assignment, form: ExportForm) -> Table | None:
    if not form.is_valid():
        return None
    try:
        return table_of(assignment, form.choice())
    except ActionRefused as refusal:
        add_refusal(form, refusal, field="scale")
        return None


def _preview(request: MemberRequest, assignment: Assignment, table: Table) -> list[list[str]]:
    own = own_students(request.user, assignment)
    results = first_rows(assignment, table, PREVIEWED, own=own)
    rows = [*table.header(), *map(table.row, results)]
    return [[safe_cell(cell) for cell in row] for row in rows]


def _download(request: MemberRequest, assignment: Assignment, table: Table) -> HttpResponseBase:
    lines = export_grades(assignment=assignment, choice=table.choice, by=request.user)
    name = f"{assignment.cohort.slug}-{assignment.slug}-{table.choice.layout}.csv"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Type": "text/csv; charset=utf-8",
        # Grades must not stay in a shared cache.
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }

    return StreamingHttpResponse(lines, headers=headers)
