"""Grades as CSV, in the layouts of the export page."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.serializers import BooleanField, ChoiceField, Serializer

from grading.api.schema import ERRORS
from grading.api.tenancy import TenantView, member
from grading.core.enums import ApiScope
from grading.core.permissions import access_assignment
from grading.grades.exports.actions import export_grades, table_of
from grading.grades.exports.csv_layouts import ExportChoice


class ExportSerializer(Serializer[ExportChoice]):
    """Options of the export page; `everything` adds unreleased grades, as they count now."""

    layout = ChoiceField(choices=("generic", "canvas", "moodle"), default="generic")
    scale = ChoiceField(choices=("points", "percent"), default="points")
    everything = BooleanField(default=False)
    criteria = BooleanField(default=True)
    versions = BooleanField(default=True)


class Export(TenantView):
    """Grades as a file."""

    scopes = {"POST": ApiScope.EXPORTS}

    @extend_schema(
        request=ExportSerializer, responses={(200, "text/csv"): OpenApiTypes.STR, **ERRORS}
    )
    def post(
        self, request: Request, org: str, cohort: str, assignment: str
    ) -> StreamingHttpResponse:
        """Export grades as CSV, for staff; the export is logged."""
        row = access_assignment(request.user, cohort, assignment, level="staff")
        serializer = ExportSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        choice = ExportChoice(**serializer.validated_data)
        # Refuse before the first line: a streamed response cannot change its status.
        table_of(row, choice)

        lines = export_grades(assignment=row, choice=choice, by=member(request))
        filename = f"{row.cohort.slug}-{row.slug}-{choice.layout}.csv"
        headers = {
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Content-Type": "text/csv; charset=utf-8",
            "Cache-Control": "private, no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return StreamingHttpResponse(lines, headers=headers)
