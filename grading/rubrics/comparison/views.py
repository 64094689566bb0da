"""Page with the difference of two versions of a rubric."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from grading.engine import rubrics as engine_rubrics
from grading.models import RubricVersion
from grading.rubrics.comparison.rubric_difference import difference
from grading.rubrics.page_frame import PageFrame
from grading.rubrics.queries import other_versions


def difference_view(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Compare with the version of `?from=`, else the one it is based on, else the one before."""
    versions = other_versions(version)
    before = _chosen(request.GET.get("from", ""), version, versions)
    between = difference(_settled(before.document), _settled(version.document)) if before else None
    context = {
        "title": f"Changes in {version}",
        "version": version,
        "versions": versions,
        "before": before,
        "between": between,
    }
    return frame.response(request, "rubrics/versions/difference.html", context, crumb="Difference")


def _chosen(pk: str, version: RubricVersion, versions: list[RubricVersion]) -> RubricVersion | None:
    """Return the version with this key, else the default; earlier versions before later ones."""
    by_pk = {str(row.pk): row for row in versions}
    earlier = [row for row in versions if row.number < version.number]
    return (
        by_pk.get(pk)
        or by_pk.get(str(version.based_on_id))
        or next(iter(earlier or versions), None)
    )


def _settled(document: Any) -> Any:
    """Return the document with all defaults, so that a field added to the schema is no change."""
    return (
        document
        if engine_rubrics.rubric_faults(document)
        else engine_rubrics.settled_rubric(document)
    )
