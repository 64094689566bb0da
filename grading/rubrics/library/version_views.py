"""Site pages of one version: the pages of grading.rubrics.version_pages for its staff."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.permissions import StaffLevel, access_rubric_version
from grading.rubrics.editor.views import edit_view
from grading.rubrics.page_frame import site_frame
from grading.rubrics.version_pages import VERSION_VIEWS, VersionView

Page = Callable[..., HttpResponse]
READ_AND_POST = require_http_methods(["GET", "HEAD", "POST"])


def _site_page(view: VersionView, level: StaffLevel) -> Page:
    def page(request: HttpRequest, version_id: int, **_org: str) -> HttpResponse:
        version = access_rubric_version(request.user, version_id, level=level)
        return view(site_frame(request, version.organization), request, version)

    return page


edit = READ_AND_POST(_site_page(edit_view, "teacher"))
publish = READ_AND_POST(_site_page(VERSION_VIEWS["publish"], "teacher"))
try_typed_check = READ_AND_POST(_site_page(VERSION_VIEWS["try"], "teacher"))
duplicate = READ_AND_POST(_site_page(VERSION_VIEWS["duplicate"], "teacher"))
# A POST shows what typed rules decide and saves nothing.
decisions = READ_AND_POST(_site_page(VERSION_VIEWS["decisions"], "staff"))
difference = require_safe(_site_page(VERSION_VIEWS["difference"], "staff"))
imported = require_safe(_site_page(VERSION_VIEWS["imported"], "staff"))
export = require_safe(_site_page(VERSION_VIEWS["export"], "staff"))
