"""A version of a rubric tried on everything that counts at an assignment, before anybody is judged under it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from grading import rubric_engine
from grading.forms.previews import PreviewForm
from grading.models import Assignment, RubricVersion
from grading.permissions import access_assignment, access_rubric_version, may
from grading.previews import Change
from grading.previews import preview as foreseen
from grading.queries.courses.previews import versions_to_try
from grading.views.previewing.criteria import criteria_of
from grading.views.previewing.people import PassMarks, moves_of, tally_of
from grading.views.previewing.pictures import histogram_of
from grading.views.requests import MemberRequest
from grading.views.trails import trail_to_assignment


@require_safe
def preview(request: MemberRequest, org: str, cohort: str, assignment: str, version_id: int) -> HttpResponse:
    """Nothing is changed by looking, and no model is asked."""
    found = access_assignment(request.user, cohort, assignment, level="staff")
    version = access_rubric_version(request.user, version_id, level="staff")
    form = PreviewForm(request.GET.dict())
    context = {
        "assignment": found,
        "version": version,
        "form": form,
        "versions": versions_to_try(found),
        "faults": rubric_engine.rubric_faults(version.document),
        "may_publish": may(request.user, found.organization, "teacher"),
        "trail": trail_to_assignment(found),
    }
    if not context["faults"]:
        context |= _looked_at(found, version, form)
    return render(request, "previews/preview.html", context)


def _looked_at(assignment: Assignment, version: RubricVersion, form: PreviewForm) -> dict[str, Any]:
    changes = foreseen(assignment, version.document, rules=form.asked_rules)
    moves = moves_of(changes, PassMarks(*form.pass_marks))
    criteria = criteria_of(changes)
    return {
        "seen": rubric_engine.document_digest(version.document),
        "rules": form.asked_rules,
        "tally": tally_of(changes, moves),
        "moves": moves,
        "criteria": criteria,
        "heard_again": sum(criterion.is_heard_again for criterion in criteria),
        "unknown": [criterion for criterion in criteria if not criterion.is_known],
        "histogram": histogram_of(_results(changes)),
    }


def _results(changes: list[Change]) -> list[tuple[Any, Any]]:
    return [(change.before, change.after) for change in changes if change.after is not None]
