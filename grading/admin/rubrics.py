"""Rubrics and their versions: drafts are edited, what was published is only looked at."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from grading.actions.rubrics import publish_rubric_version
from grading.admin.tenancy import TenantAdmin
from grading.enums import RubricState
from grading.errors import RubricRefused
from grading.models import Rubric, RubricVersion


@admin.register(Rubric)
class RubricAdmin(TenantAdmin):
    list_display = ("name", "slug", "organization")
    list_filter = (("organization", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("name", "slug")
    list_select_related = ("organization",)


@admin.register(RubricVersion)
class RubricVersionAdmin(TenantAdmin):
    list_display = ("rubric", "number", "state", "published_at", "digest")
    list_filter = ("state", ("rubric", admin.RelatedOnlyFieldListFilter))
    search_fields = ("rubric__name", "digest")
    list_select_related = ("rubric",)
    readonly_fields = ("state", "based_on", "digest", "published_at")
    actions = ("publish",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        sealed = obj is not None and obj.state != RubricState.DRAFT
        return not sealed and super().has_change_permission(request, obj)

    @admin.action(description="Publish the chosen drafts", permissions=["change"])
    def publish(self, request: HttpRequest, versions: QuerySet[RubricVersion]) -> None:
        user = request.user if isinstance(request.user, User) else None
        for version in versions.select_related("rubric", "organization"):
            try:
                publish_rubric_version(version=version, by=user)
            except RubricRefused as refused:
                self.message_user(request, f"{version}: {refused.sentence}", messages.ERROR)
            else:
                self.message_user(request, f"{version} is published.", messages.SUCCESS)
