"""Pages of a rubric as students read it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.permissions import access_assignment, access_rubric_version, may
from grading.core.requests import MemberRequest
from grading.models import RubricVersion
from grading.rubrics.library.queries import newest_draft
from grading.rubrics.page_frame import site_frame
from grading.rubrics.presenters import criteria_texts


@require_safe
def rubric(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show the rubric that an assignment uses now."""
    current = access_assignment(request.user, cohort, assignment)
    context = {"assignment": current, "trail": trail_to_assignment(current)}
    return render(request, "rubrics/rubric.html", context | _page(request, current.rubric_version))


@require_safe
def rubric_version(request: MemberRequest, org: str, version_id: int) -> HttpResponse:
    """Show staff any version, also a draft, with the guidance that students do not see."""
    version = access_rubric_version(request.user, version_id, level="staff")
    trail = site_frame(request, version.organization).trail
    context = {"for_staff": True, "trail": trail}
    return render(request, "rubrics/rubric.html", context | _page(request, version))


def _page(request: MemberRequest, version: RubricVersion) -> dict[str, Any]:
    criteria = criteria_texts(version.document)
    has_points = any(criterion.points is not None for criterion in criteria)
    may_edit = may(request.user, version.organization, "teacher")
    return {
        "version": version,
        "criteria": criteria,
        "has_points": has_points,
        "may_edit": may_edit,
        "is_staff": may(request.user, version.organization, "staff"),
        "draft": newest_draft(version.rubric_id) if may_edit else None,
    }
