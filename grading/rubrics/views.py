"""Pages of a rubric as students read it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from grading.core.breadcrumbs import trail_to_assignment, trail_to_organization
from grading.core.permissions import access_assignment, access_rubric_version
from grading.core.requests import MemberRequest
from grading.models import RubricVersion
from grading.rubrics.presenters import criteria_texts


@require_safe
def rubric(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show the rubric that an assignment uses now."""
    current = access_assignment(request.user, cohort, assignment)
    context = {"assignment": current, "trail": trail_to_assignment(current)}
    return render(request, "rubrics/rubric.html", context | _page(current.rubric_version))


@require_safe
def rubric_version(request: MemberRequest, org: str, version_id: int) -> HttpResponse:
    """Show staff any version, also a draft, with the guidance that students do not see."""
    version = access_rubric_version(request.user, version_id, level="staff")
    context = {"for_staff": True, "trail": trail_to_organization(version.organization)}
    return render(request, "rubrics/rubric.html", context | _page(version))


def _page(version: RubricVersion) -> dict[str, Any]:
    criteria = criteria_texts(version.document)
    has_points = any(criterion.points is not None for criterion in criteria)
    return {"version": version, "criteria": criteria, "has_points": has_points}
