"""Base classes of the admin pages for tenants' rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models, transaction
from django.db.models import OuterRef, Subquery
from django.forms import ModelForm
from django.http import HttpRequest
from django_scopes import get_scope

from grading.core.activity_writer import record_activity
from grading.core.admin_widgets import NamedDateTime
from grading.models import Membership, Organization

if TYPE_CHECKING:
    PlainAdmin = admin.ModelAdmin[Any]
else:
    # Generic only in the type stubs.
    PlainAdmin = admin.ModelAdmin


def own_organizations() -> list[Organization]:
    """Return the user's organizations: the scope that TenantMiddleware entered."""
    own: list[Organization] = get_scope()["organization"]  # type: ignore[no-untyped-call]  # -- django-scopes is untyped
    return own


def known_address(user: str) -> Subquery:
    """Return an annotation: the address by which the row's organization knows its `user`.

    Names of accounts are made of their first address, which staff need not know.
    """
    members = Membership.objects.filter(organization=OuterRef("organization"), user=OuterRef(user))
    return Subquery(members.values("email")[:1])


class TenantAdmin(PlainAdmin):
    """Rows of the organizations where a user teaches. No deletion; every change is logged."""

    save_on_top = True
    formfield_overrides = {models.DateTimeField: {"widget": NamedDateTime}}

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(own_organizations()) if obj is None else _is_own(obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Return the read-only fields; a row never moves to another organization."""
        return (*self.readonly_fields, "organization") if obj else tuple(self.readonly_fields)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        if db_field.related_model is Organization:
            own = [organization.pk for organization in own_organizations()]
            options["queryset"] = Organization.objects.filter(pk__in=own)
        return super().formfield_for_foreignkey(db_field, request, **options)

    def save_model(
        self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool
    ) -> None:
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            verb = "admin.changed" if change else "admin.added"
            organization = obj if isinstance(obj, Organization) else obj.organization

            record_activity(
                organization=organization,
                actor=request.user,
                verb=verb,
                about=obj,
                fields=form.changed_data,
            )


class MachineMadeAdmin(TenantAdmin):
    """Read-only rows, which only the site itself writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _is_own(row: models.Model) -> bool:
    organization = (
        row.pk if isinstance(row, Organization) else getattr(row, "organization_id", None)
    )
    return organization in {own.pk for own in own_organizations()}
