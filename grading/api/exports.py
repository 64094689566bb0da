"""Grades for other systems, in the page's own layouts."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.serializers import BooleanField, ChoiceField, Serializer

from grading.api.schema import REFUSALS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope
from grading.core.permissions import access_assignment
from grading.grades.exports.actions import export_grades, table_of
from grading.grades.exports.csv_layouts import ExportChoice


class ExportSerializer(Serializer[ExportChoice]):
    """As the page asks; `everything` is also what was not released, as it counts now."""

    layout = ChoiceField(choices=("generic", "canvas", "moodle"), default="generic")
    scale = ChoiceField(choices=("points", "percent"), default="points")
    everything = BooleanField(default=False)
    criteria = BooleanField(default=True)
    versions = BooleanField(default=True)


class Export(TenantView):
    """Grades as a file."""

    scopes = {"POST": ApiScope.EXPORTS}

    @extend_schema(
        request=ExportSerializer, responses={(200, "text/csv"): OpenApiTypes.STR, **REFUSALS}
    )
    def post(
        self, request: Request, org: str, cohort: str, assignment: str
    ) -> StreamingHttpResponse:
        """The grades as CSV, for staff; who took them is logged."""
        found = access_assignment(request.user, cohort, assignment, level="staff")
        asked = ExportSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        choice = ExportChoice(**asked.validated_data)
        table_of(found, choice)  # what cannot be written is refused before the first line
        lines = export_grades(assignment=found, choice=choice, by=member(request))
        headers = {
            "Content-Disposition": f'attachment; filename="{found.cohort.slug}-{found.slug}-{choice.layout}.csv"',
            "Content-Type": "text/csv; charset=utf-8",
            "Cache-Control": "private, no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return StreamingHttpResponse(lines, headers=headers)
