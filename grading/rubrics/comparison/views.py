"""The page of what lies between two versions of a rubric."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from grading.core.admin_tenancy import TenantAdmin
from grading.engine import rubrics as engine_rubrics
from grading.models import RubricVersion
from grading.rubrics.comparison.rubric_difference import difference
from grading.rubrics.queries import other_versions


def difference_view(
    admin: TenantAdmin, request: HttpRequest, version: RubricVersion
) -> HttpResponse:
    """From the version of `?from=`, else from the one this was made of, else from the one before it."""
    others = other_versions(version)
    before = _chosen(request.GET.get("from", ""), version, others)
    between = difference(_settled(before.document), _settled(version.document)) if before else None
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "title": f"What {version} changes",
        "version": version,
        "others": others,
        "before": before,
        "between": between,
        "is_nav_sidebar_enabled": False,
    }
    return TemplateResponse(request, "admin/grading/rubric/difference.html", context)


def _chosen(
    asked: str, version: RubricVersion, others: list[RubricVersion]
) -> RubricVersion | None:
    """What was asked for when it is one of them; those before this one come before those after it."""
    by_pk = {str(other.pk): other for other in others}
    earlier = [other for other in others if other.number < version.number]
    return (
        by_pk.get(asked)
        or by_pk.get(str(version.based_on_id))
        or next(iter(earlier or others), None)
    )


def _settled(document: Any) -> Any:
    """With every default spelled out, so that a field that a later edition brought is no difference."""
    return (
        document
        if engine_rubrics.rubric_faults(document)
        else engine_rubrics.settled_rubric(document)
    )
