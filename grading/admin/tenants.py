"""Organizations, their members and their log."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from grading.admin.tenancy import MachineMadeAdmin, TenantAdmin, own_organizations
from grading.models import Activity, Membership, Organization


@admin.register(Organization)
class OrganizationAdmin(TenantAdmin):
    list_display = ("name", "slug", "created_at")
    search_fields = ("name", "slug")
    readonly_fields = ("slug",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """An organization is founded on the site, where it gets its owner."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        return Organization.objects.filter(pk__in=[own.pk for own in own_organizations()])


@admin.register(Membership)
class MembershipAdmin(TenantAdmin):
    list_display = ("user", "role", "organization", "created_at")
    list_filter = ("role", ("organization", admin.RelatedOnlyFieldListFilter))
    search_fields = ("user__email",)
    list_select_related = ("user", "organization")
    autocomplete_fields = ("user",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Choosing among all users would show them to every organization: people join by roster."""
        return bool(request.user.is_superuser)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user", "organization") if obj else ()


@admin.register(Activity)
class ActivityAdmin(MachineMadeAdmin):
    list_display = ("at", "verb", "object_type", "object_id", "actor", "organization")
    list_filter = ("verb", "object_type", ("organization", admin.RelatedOnlyFieldListFilter))
    search_fields = ("object_id",)
    list_select_related = ("actor", "organization")
    date_hierarchy = "at"
