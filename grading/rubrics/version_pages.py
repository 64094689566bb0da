"""Pages of one version, by name: each takes the frame, the request and the version."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from grading.models import RubricVersion
from grading.rubrics.comparison.views import difference_view
from grading.rubrics.decisions.views import decisions_view
from grading.rubrics.editor.trial_views import try_view
from grading.rubrics.page_frame import PageFrame
from grading.rubrics.publishing.views import publish_view
from grading.rubrics.rubric_files.download import duplicate_view, export_view
from grading.rubrics.rubric_files.upload import imported_view

VersionView = Callable[[PageFrame, HttpRequest, RubricVersion], HttpResponse]
# The editor is not among them: in the administration it is Django's own change page.
VERSION_VIEWS: dict[str, VersionView] = {
    "decisions": decisions_view,
    "difference": difference_view,
    "duplicate": duplicate_view,
    "export": export_view,
    "imported": imported_view,
    "publish": publish_view,
    "try": try_view,
}
