"""Administration of cohorts and their rosters."""

from django.contrib import admin

from grading.audits.queries import usage_of_cohort
from grading.core.admin_tenancy import TenantAdmin
from grading.models import Cohort, Enrollment


@admin.register(Cohort)
class CohortAdmin(TenantAdmin):
    list_display = ("name", "slug", "organization", "starts_on", "ends_on")
    list_filter = (("organization", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("name", "slug")
    list_select_related = ("organization",)
    readonly_fields = ("model_usage",)

    @admin.display(description="model usage")
    def model_usage(self, cohort: Cohort) -> str:
        return str(usage_of_cohort(cohort)) if cohort.pk else "none yet"


@admin.register(Enrollment)
class EnrollmentAdmin(TenantAdmin):
    list_display = ("email", "name", "student_number", "cohort", "has_account")
    list_filter = (("cohort", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("email", "name", "student_number")
    list_select_related = ("cohort", "user")
    readonly_fields = ("user",)

    @admin.display(boolean=True, description="account")
    def has_account(self, enrollment: Enrollment) -> bool:
        return enrollment.user_id is not None
