"""Administration of cohorts and their rosters."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.forms import ModelForm
from django.http import HttpRequest
from django_scopes import scope

from grading.audits.queries import usage_of_cohort
from grading.core.admin_lists import NewestFilter
from grading.core.admin_tenancy import TenantAdmin
from grading.courses.organizations.invitations import invite
from grading.models import Cohort, Enrollment


@admin.register(Cohort)
class CohortAdmin(TenantAdmin):
    list_display = ("name", "slug", "organization", "starts_on", "ends_on")
    list_filter = (("organization", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("name", "slug")
    list_select_related = ("organization",)
    # The zone has a page of its own, which offers the zones there are.
    readonly_fields = ("time_zone", "model_usage")

    @admin.display(description="model usage")
    def model_usage(self, cohort: Cohort) -> str:
        return str(usage_of_cohort(cohort)) if cohort.pk else "none yet"


@admin.register(Enrollment)
class EnrollmentAdmin(TenantAdmin):
    list_display = ("email", "name", "student_number", "cohort", "has_accepted")
    list_filter = (("cohort", NewestFilter),)
    search_fields = ("email", "name", "student_number")
    list_select_related = ("cohort",)
    # Names of accounts are made of their first address, which staff need not know.
    exclude = ("user",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Return the read-only fields; the address is the one that was invited."""
        return (*super().get_readonly_fields(request, obj), *(("email",) if obj else ()))

    def save_model(
        self, request: HttpRequest, obj: Enrollment, form: ModelForm[Any], change: bool
    ) -> None:
        with transaction.atomic(), scope(organization=obj.organization):
            super().save_model(request, obj, form, change)
            by = request.user if isinstance(request.user, User) else None
            if not change:
                invite(organization=obj.organization, emails=[obj.email.lower()], by=by)

    @admin.display(boolean=True, description="accepted")
    def has_accepted(self, enrollment: Enrollment) -> bool:
        return enrollment.user_id is not None
