"""The addresses of these pages, for the get_urls of the rubrics' administration.

RubricAdmin takes `rubric_urls(self)`, RubricVersionAdmin `version_urls(self)`, each before Django's own.
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
from grading.rubrics.rubric_files.download import duplicate_view, export_view
from grading.rubrics.rubric_files.upload import import_view, imported_view

VersionView = Callable[[TenantAdmin, HttpRequest, RubricVersion], HttpResponse]
OF_A_VERSION: dict[str, VersionView] = {
    "difference": difference_view,
    "duplicate": duplicate_view,
    "export": export_view,
    "imported": imported_view,
}


def rubric_urls(admin: TenantAdmin) -> list[URLPattern]:
    """`admin:grading_rubric_import`; `?rubric=<pk>` chooses where to."""
    view = admin.admin_site.admin_view(partial(import_view, admin))
    return [path("import/", view, name="grading_rubric_import")]


def version_urls(admin: TenantAdmin) -> list[URLPattern]:
    """`admin:grading_rubricversion_difference`, `_duplicate` (POST), `_export` and `_imported`, by the version's pk."""
    return [
        path(
            f"<path:object_id>/{name}/",
            admin.admin_site.admin_view(partial(_of_own_version, admin, view)),
            name=f"grading_rubricversion_{name}",
        )
        for name, view in OF_A_VERSION.items()
    ]


def _of_own_version(
    admin: Any, view: VersionView, request: HttpRequest, object_id: str
) -> HttpResponse:
    """Somebody else's version is answered like a missing one, as on every page of the administration."""
    version = admin.get_object(request, unquote(object_id))
    if version is None:
        gone: HttpResponse = admin._get_obj_does_not_exist_redirect(request, admin.opts, object_id)  # noqa: SLF001 -- how its own pages answer
        return gone
    if not admin.has_view_permission(request, version):
        raise PermissionDenied
    return view(admin, request, version)
