"""Admin pages of assignments and submissions."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from grading.core.admin_lists import LongListAdmin, NewestFilter, assignment_at, student_at
from grading.core.admin_tenancy import MachineMadeAdmin
from grading.models import Assignment, Submission


@admin.register(Assignment)
class AssignmentAdmin(MachineMadeAdmin):
    """Read-only: only the settings page checks a change against promises made to students."""

    list_display = (
        "title",
        "cohort",
        "rubric_version",
        "opens_at",
        "due_at",
        "late_policy",
        "max_attempts",
        "bench",
    )
    list_filter = (("cohort", admin.RelatedOnlyFieldListFilter), "late_policy", "bench")
    search_fields = ("title", "slug")
    list_select_related = ("cohort", "rubric_version__rubric")
    date_hierarchy = "due_at"
    readonly_fields = ("settings",)

    @admin.display(description="Changed at")
    def settings(self, assignment: Assignment) -> str:
        path = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
        return format_html(
            '<a href="{}">its settings</a>', reverse("assignment-settings", args=path)
        )


@admin.register(Submission)
class SubmissionAdmin(LongListAdmin):
    list_display = (
        "student",
        "assignment",
        "attempt",
        "repo_url",
        "handed_in_at",
        "late",
        "counts",
    )
    list_filter = ("handed_in_at", ("assignment", NewestFilter), "late", "counts")
    searched = (student_at("student"), assignment_at("assignment"))
    list_select_related = ("student", "assignment")
    exclude = ("pdf",)  # uploads are private: no URL leads to them
