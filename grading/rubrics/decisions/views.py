"""Decisions of a version's rules: a page, parts of the editor's page, and a CSV file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.http import content_disposition_header

from grading.core.csv_cells import lines_of
from grading.core.errors import InputRefused
from grading.models import RubricVersion
from grading.rubrics.decisions.draft_rules import (
    DraftRules,
    choices_of,
    draft_rules,
    rules_beside,
)
from grading.rubrics.decisions.forms import TableForm
from grading.rubrics.decisions.presenters import (
    changes_by_circumstance,
    decision_table,
    warnings_of,
)
from grading.rubrics.editor.editing_session import (
    JSON,
    EditingSession,
    open_session,
    posted_session,
)
from grading.rubrics.editor.editor_page import describe_field
from grading.rubrics.editor.field_errors import errors_by_field
from grading.rubrics.editor.labels import error_sentence
from grading.rubrics.page_frame import PageFrame

# HTTP status of a file that cannot be made from what was sent.
BAD_REQUEST = 400
TEMPLATES = {
    "table": "rubrics/versions/_decision_table.html",
    "review": "rubrics/versions/_rule_review.html",
}


def decisions_view(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Show the decisions of the stored rules; a POST is about the typed ones, and saves nothing.

    `part` is `table` or `review` for a part of the editor's page, or `csv`.
    """
    is_typed = request.method == "POST" and "seen" in request.POST
    session = posted_session(version, request.POST) if is_typed else open_session(version)
    sent = request.POST if is_typed else request.GET
    part = sent.get("part", "")
    if part == "csv":
        return _csv(session, sent.dict())
    if part in TEMPLATES:
        context = decisions_context(session, sent.dict(), parts=(part,))
        return TemplateResponse(request, TEMPLATES[part], context)

    context = {
        **decisions_context(session, sent.dict()),
        "title": f"Decisions of {version}",
        "version": version,
    }
    return frame.response(request, "rubrics/versions/decisions.html", context, crumb="Decisions")


def decisions_context(
    session: EditingSession, sent: Mapping[str, str], *, parts: tuple[str, ...] = tuple(TEMPLATES)
) -> dict[str, Any]:
    """Return the context of the controls, and of those parts."""
    beside = rules_beside(session.version)
    form = TableForm(sent, against=choices_of(beside))
    context: dict[str, Any] = {"form": form, "parts": parts, "version": session.version}
    if not parts:
        return context

    rules = draft_rules(session)
    context |= {"rules_shown": rules, "rule_problems": _problems(rules, session)}
    if rules.constitution is None or not form.is_valid():
        return context
    against, other = beside[form.cleaned_data["against"]]
    try:
        if "table" in parts:
            context["table"] = decision_table(rules.constitution, other, against, form)
        if "review" in parts:
            context |= _review(rules.constitution, other, against)
    except InputRefused as refused:
        context["guard_refusal"] = refused.sentence
    return context


def _review(constitution: Any, other: Any, against: str) -> dict[str, Any]:
    warnings, remarks, examined = warnings_of(constitution)
    return {
        "warnings": warnings,
        "remarks": remarks,
        "examined": examined,
        "against": against,
        "changes": changes_by_circumstance(constitution, other),
    }


def _problems(rules: DraftRules, session: EditingSession) -> list[tuple[str, str, str]]:
    """Return the faults of typed rules: the id of the field, its label and the sentence."""
    # Typed JSON has no field for each fault; its own view names the lines.
    if session.view == JSON:
        return [("text", "The JSON", error_sentence(f.kind, f.message)) for f in rules.faults]
    return [
        (name, describe_field(name), message)
        for name, messages in errors_by_field(rules.faults, session.texts).items()
        for message in messages
    ]


def _csv(session: EditingSession, sent: Mapping[str, str]) -> HttpResponse:
    """Return the table's rows as a file, or one sentence in the place of a file."""
    version = session.version
    context = decisions_context(session, sent, parts=("table",))
    if "table" not in context:
        return HttpResponse(_why_no_file(context), status=BAD_REQUEST, content_type="text/plain")

    name = f"{version.rubric.slug}-v{version.number}-decisions.csv"
    response = HttpResponse(
        lines_of(context["table"].csv_rows()), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response


def _why_no_file(context: Mapping[str, Any]) -> str:
    form = context["form"]
    for name, errors in form.errors.items():
        return f"{form[name].label}: {errors[0]}"
    problems = [f"{label}: {message}" for _name, label, message in context["rule_problems"]]
    return context.get("guard_refusal") or problems[0]
