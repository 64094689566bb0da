"""Frames of the pages of rubrics: the same views serve the site and the administration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse

from grading.core.admin_tenancy import TenantAdmin, own_organizations
from grading.core.breadcrumbs import Trail, trail_to_organization
from grading.core.permissions import may
from grading.models import Organization, RubricVersion

# Pages of rubrics that are about no version.
WHOLE_PAGES = ("list", "new", "import")


@dataclass(frozen=True, slots=True)
class PageFrame:
    """Surroundings of a page of rubrics: the site or the administration.

    `base` is the template around the page; `address` takes the name of a page and a version, or
    None for those of WHOLE_PAGES. `may_edit` tells if the person may write; `teaches()`, asked only where it is
    shown, if the organization's other pages exist for the person: not so for operators.
    """

    base: str
    organizations: tuple[Organization, ...]
    trail: Trail
    address: Callable[[str, RubricVersion | None], str]
    may_edit: bool
    teaches: Callable[[], bool]
    is_admin: bool
    context: Mapping[str, Any]

    def response(
        self,
        request: HttpRequest,
        template: str,
        context: Mapping[str, Any],
        *,
        crumb: str = "",
        status: int | None = None,
    ) -> TemplateResponse:
        """Return a page of `context`; its `version`, where it has one, is part of the trail."""
        version = context.get("version")
        of_version = [(str(version), self.address("edit", version))] if version and crumb else []
        trail = [*self.trail, *of_version]
        words = crumb or context.get("title", "")
        whole = {**self.context, **context, "frame": self, "trail": trail, "crumb": words}
        return TemplateResponse(request, template, whole, status=status)


def site_frame(request: HttpRequest, organization: Organization) -> PageFrame:
    """Return the frame of an organization's own pages."""

    teaches = may(request.user, organization, "teacher")

    def address(page: str, version: RubricVersion | None = None) -> str:
        # Assistants read a version; they have no editor.
        shown = "version" if page == "edit" and not teaches else page
        return reverse(
            f"rubric-{shown}", args=[organization.slug, *([version.pk] if version else [])]
        )

    return PageFrame(
        base="rubrics/frame.html",
        organizations=(organization,),
        trail=[*trail_to_organization(organization), ("Rubrics", address("list"))],
        address=address,
        may_edit=teaches,
        teaches=lambda: teaches,
        is_admin=False,
        context={},
    )


def admin_frame(
    admin: TenantAdmin, request: HttpRequest, version: RubricVersion | None = None
) -> PageFrame:
    """Return the frame of the administration."""
    return PageFrame(
        base="admin/grading/rubric_frame.html",
        organizations=tuple(own_organizations()),
        trail=[("Home", reverse("admin:index")), ("Rubric versions", _admin_address("list"))],
        address=_admin_address,
        may_edit=admin.has_add_permission(request),
        teaches=lambda: version is not None and may(request.user, version.organization, "teacher"),
        is_admin=True,
        context={
            **admin.admin_site.each_context(request),
            "opts": admin.opts,
            "is_nav_sidebar_enabled": False,
        },
    )


_ADMIN_NAMES = {
    "list": "grading_rubricversion_changelist",
    "new": "grading_rubricversion_add",
    "import": "grading_rubric_import",
    "edit": "grading_rubricversion_change",
}


def _admin_address(page: str, version: RubricVersion | None = None) -> str:
    name = _ADMIN_NAMES.get(page, f"grading_rubricversion_{page}")
    return reverse(f"admin:{name}", args=[version.pk] if version else [])


def person_of(request: HttpRequest) -> User | None:
    """Return the signed-in person, for the actions."""
    return request.user if isinstance(request.user, User) else None
