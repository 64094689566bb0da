"""Admin pages of rubrics and their versions: drafts are edited, other versions are read-only."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse

from grading.core.admin_tenancy import TenantAdmin
from grading.core.enums import RubricState
from grading.core.errors import RubricRefused
from grading.models import Rubric, RubricVersion
from grading.rubrics.actions import draft_rubric_version, publish_rubric_version
from grading.rubrics.editor.new_draft import NewDraftForm, first_document
from grading.rubrics.editor.views import edit_view
from grading.rubrics.page_frame import admin_frame, person_of
from grading.rubrics.queries import with_use
from grading.rubrics.rubric_files.upload import import_view
from grading.rubrics.version_pages import VERSION_VIEWS, VersionView


@admin.register(Rubric)
class RubricAdmin(TenantAdmin):
    list_display = ("name", "slug", "organization")
    list_filter = (("organization", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("name", "slug")
    list_select_related = ("organization",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="grading_rubric_import"), *super().get_urls()]

    def import_view(self, request: HttpRequest) -> HttpResponse:
        return import_view(admin_frame(self, request), request)

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Open the form of the first draft, because a rubric needs a version to be used."""
        if IS_POPUP_VAR in request.POST:
            return super().response_add(request, obj, post_url_continue)

        first_draft = reverse("admin:grading_rubricversion_add", query={"rubric": obj.pk})
        return HttpResponseRedirect(first_draft)


@admin.register(RubricVersion)
class RubricVersionAdmin(TenantAdmin):
    """Admin of versions. The change page is the editor; publishing has its own page."""

    list_display = ("__str__", "state", "note", "assignments", "audits", "published_at")
    list_filter = ("state", ("rubric", admin.RelatedOnlyFieldListFilter))
    search_fields = ("rubric__name", "digest", "note")
    list_select_related = ("rubric",)
    fields = ("rubric", "note", "start")
    form = NewDraftForm
    actions = ("publish",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        # Documents take up to 1 MB each, and the list shows none.
        return with_use(super().get_queryset(request)).defer("document")

    @admin.display(ordering="assignment_count")
    def assignments(self, version: Any) -> int:
        return int(version.assignment_count)

    @admin.display(ordering="audit_count")
    def audits(self, version: Any) -> int:
        return int(version.audit_count)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_sealed = obj is not None and obj.state != RubricState.DRAFT
        return not is_sealed and super().has_change_permission(request, obj)

    def get_urls(self) -> list[URLPattern]:
        pages = [
            path(
                f"<path:object_id>/{name}/",
                self.admin_site.admin_view(partial(self._of_version, view)),
                name=f"grading_rubricversion_{name}",
            )
            for name, view in VERSION_VIEWS.items()
        ]
        # Before Django's own: its last pattern matches every address.
        return [*pages, *super().get_urls()]

    def save_model(
        self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool
    ) -> None:
        """Create a new draft. Changes do not come here: the editor saves them."""
        rubric, start = form.cleaned_data["rubric"], form.cleaned_data["start"]
        document = first_document(rubric, start)
        draft = draft_rubric_version(
            rubric=rubric, document=document, why=obj.note, by=person_of(request)
        )
        # Django's admin logs and redirects with the object it passed in.
        vars(obj).update(vars(draft))

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Open the editor, unless a popup asked for the new version."""
        if IS_POPUP_VAR in request.POST:
            return super().response_add(request, obj, post_url_continue)
        return HttpResponseRedirect(_address(obj))

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        one_button = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **one_button})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return self._of_version(edit_view, request, object_id)

    def _of_version(self, view: VersionView, request: HttpRequest, object_id: str) -> HttpResponse:
        """Return a page of the version; one that the user cannot see is answered as missing."""
        version = self.get_object(request, unquote(object_id))
        if version is None:
            redirect = self._get_obj_does_not_exist_redirect  # type: ignore[attr-defined]  # -- no stub
            response: HttpResponse = redirect(request, self.opts, object_id)
            return response
        if not self.has_view_permission(request, version):
            raise PermissionDenied
        return view(admin_frame(self, request, version), request, version)

    @admin.action(description="Publish the selected drafts", permissions=["change"])
    def publish(self, request: HttpRequest, versions: QuerySet[RubricVersion]) -> None:
        for version in versions.select_related("rubric", "organization"):
            try:
                publish_rubric_version(version=version, by=person_of(request))
            except RubricRefused as refused:
                self.message_user(request, f"{version}: {refused.sentence}", messages.ERROR)
            else:
                self.message_user(request, f"{version} is published.", messages.SUCCESS)


def _address(version: RubricVersion) -> str:
    return reverse("admin:grading_rubricversion_change", args=[version.pk])
