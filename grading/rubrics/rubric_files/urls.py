"""Addresses of the import, export, copy, comparison and decision pages, for the admin's get_urls.

RubricAdmin takes `rubric_urls(self)` and RubricVersionAdmin `version_urls(self)`, each before
Django's own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from grading.core.admin_tenancy import TenantAdmin
from grading.models import RubricVersion
from grading.rubrics.comparison.views import difference_view
from grading.rubrics.decisions.views import decisions_view
from grading.rubrics.rubric_files.download import duplicate_view, export_view
from grading.rubrics.rubric_files.upload import import_view, imported_view

VersionView = Callable[[TenantAdmin, HttpRequest, RubricVersion], HttpResponse]
VERSION_VIEWS: dict[str, VersionView] = {
    "decisions": decisions_view,
    "difference": difference_view,
    "duplicate": duplicate_view,
    "export": export_view,
    "imported": imported_view,
}


def rubric_urls(admin: TenantAdmin) -> list[URLPattern]:
    """Return `admin:grading_rubric_import`; its `?rubric=<pk>` preselects a rubric."""
    view = admin.admin_site.admin_view(partial(import_view, admin))
    return [path("import/", view, name="grading_rubric_import")]


def version_urls(admin: TenantAdmin) -> list[URLPattern]:
    """Return `admin:grading_rubricversion_<name>` for each of VERSION_VIEWS."""
    return [
        path(
            f"<path:object_id>/{name}/",
            admin.admin_site.admin_view(partial(_of_own_version, admin, view)),
            name=f"grading_rubricversion_{name}",
        )
        for name, view in VERSION_VIEWS.items()
    ]


def _of_own_version(
    admin: Any, view: VersionView, request: HttpRequest, object_id: str
) -> HttpResponse:
    """Call the view with the version; one that the user cannot see is answered as missing."""
    version = admin.get_object(request, unquote(object_id))
    if version is None:
        redirect = admin._get_obj_does_not_exist_redirect  # noqa: SLF001 -- as Django answers
        response: HttpResponse = redirect(request, admin.opts, object_id)
        return response
    if not admin.has_view_permission(request, version):
        raise PermissionDenied
    return view(admin, request, version)
