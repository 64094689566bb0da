"""Admin pages of rubrics and their versions: drafts are edited, other versions are read-only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from grading.core.admin_tenancy import TenantAdmin
from grading.core.enums import RubricState
from grading.core.errors import RubricRefused
from grading.core.permissions import may
from grading.engine import rubrics as engine_rubrics
from grading.models import Rubric, RubricVersion
from grading.rubrics.actions import (
    draft_rubric_version,
    publish_reviewed_draft,
    publish_rubric_version,
)
from grading.rubrics.comparison.publishing_losses import Loss, publishing_losses
from grading.rubrics.decisions.views import decisions_context
from grading.rubrics.editor.editing_session import (
    DECISIONS,
    EditingSession,
    open_session,
    posted_session,
    press_button,
)
from grading.rubrics.editor.editor_page import blank_items
from grading.rubrics.editor.new_draft import NewDraftForm, first_document
from grading.rubrics.editor.rubric_form import document_of
from grading.rubrics.queries import (
    assignments_of_rubric,
    import_of,
    last_edit,
    published_sibling,
    use_of,
    with_use,
)
from grading.rubrics.rubric_files.urls import rubric_urls, version_urls

# HTTP status of a page that shows a refused save.
CONFLICT = 409


@admin.register(Rubric)
class RubricAdmin(TenantAdmin):
    list_display = ("name", "slug", "organization")
    list_filter = (("organization", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("name", "slug")
    list_select_related = ("organization",)

    def get_urls(self) -> list[URLPattern]:
        return [*rubric_urls(self), *super().get_urls()]

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
        view, name = self.admin_site.admin_view, "grading_rubricversion_publish"
        publish = path("<path:object_id>/publish/", view(self.publish_view), name=name)
        # Before Django's own: its last pattern matches every address.
        return [publish, *version_urls(self), *super().get_urls()]

    def save_model(
        self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool
    ) -> None:
        """Create a new draft. Changes do not come here: the editor saves them."""
        rubric, start = form.cleaned_data["rubric"], form.cleaned_data["start"]
        document = first_document(rubric, start)
        draft = draft_rubric_version(
            rubric=rubric, document=document, why=obj.note, by=_user(request)
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
        version = self.get_object(request, unquote(object_id))
        if version is None:
            return self._missing(request, object_id)
        if not self.has_view_permission(request, version):
            raise PermissionDenied
        if request.method != "POST":
            return self._editor(request, open_session(version))
        # Only the editor posts the digest; any other form would overwrite the draft blindly.
        if "seen" not in request.POST:
            raise PermissionDenied

        session = posted_session(version, request.POST)
        session = press_button(session, request.POST.get("do", ""), _user(request))
        if session.saved:
            how = "unfinished" if session.faults or session.lines else "as a draft"
            messages.success(request, f"{session.saved} is saved {how}.")
            return HttpResponseRedirect(_address(session.saved))
        return self._editor(request, session)

    def _missing(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Redirect as Django's own admin pages do for an object that this user cannot see."""
        redirect = self._get_obj_does_not_exist_redirect  # type: ignore[attr-defined]  # -- no stub
        response: HttpResponse = redirect(request, self.opts, object_id)
        return response

    def _editor(self, request: HttpRequest, session: EditingSession) -> HttpResponse:
        version = session.version
        context = {
            **self.admin_site.each_context(request),
            **session.context(),
            "decisions": _decisions_of(request, session),
            "opts": self.opts,
            "title": str(version),
            "version": version,
            "sealed": version.state != RubricState.DRAFT and not session.unsaved,
            "blank": blank_items(),
            "use": use_of(version),
            "assignments": assignments_of_rubric(version),
            # Operators may edit a rubric, but the pages of an organization are not theirs.
            "teaches": may(request.user, version.organization, "teacher"),
            "edited": last_edit(version),
            "losses": _losses_of(session),
            "imported": import_of(version),
            "is_nav_sidebar_enabled": False,
        }
        name = "admin/grading/rubricversion/editor.html"
        return TemplateResponse(
            request, name, context, status=CONFLICT if session.refusal else None
        )

    def publish_view(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Show the effects of publishing; a POST publishes exactly the document that was shown."""
        version = self.get_object(request, unquote(object_id))
        if version is None:
            return self._missing(request, object_id)
        if not self.has_change_permission(request, version):
            raise PermissionDenied
        if request.method == "POST":
            return self._publish_response(request, version, request.POST.get("seen", ""))

        before = published_sibling(version)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"Publish {version}",
            "version": version,
            "digest": engine_rubrics.document_digest(version.document),
            "faults": engine_rubrics.rubric_faults(version.document),
            "before": before,
            "losses": publishing_losses(before, version.document),
            "assignments": assignments_of_rubric(version),
            "is_nav_sidebar_enabled": False,
        }
        return TemplateResponse(request, "admin/grading/rubricversion/publish.html", context)

    def _publish_response(
        self, request: HttpRequest, version: RubricVersion, digest: str
    ) -> HttpResponse:
        try:
            publish_reviewed_draft(version=version, expected_digest=digest, by=_user(request))
        except RubricRefused as refused:
            self.message_user(request, f"{version}: {refused.sentence}", messages.ERROR)
        else:
            self.message_user(request, f"{version} is published.", messages.SUCCESS)
        return HttpResponseRedirect(_address(version))

    @admin.action(description="Publish the selected drafts", permissions=["change"])
    def publish(self, request: HttpRequest, versions: QuerySet[RubricVersion]) -> None:
        for version in versions.select_related("rubric", "organization"):
            try:
                publish_rubric_version(version=version, by=_user(request))
            except RubricRefused as refused:
                self.message_user(request, f"{version}: {refused.sentence}", messages.ERROR)
            else:
                self.message_user(request, f"{version} is published.", messages.SUCCESS)


def _losses_of(session: EditingSession) -> list[Loss]:
    """Return the losses of the typed draft; none for a version that is read-only."""
    version = session.version
    if version.state != RubricState.DRAFT:
        return []

    typed = document_of(session.texts) if session.view == "form" else version.document
    return publishing_losses(published_sibling(version), typed)


def _decisions_of(request: HttpRequest, session: EditingSession) -> dict[str, Any]:
    """Return the section of decisions; without its button, JavaScript loads what it shows."""
    posted = request.POST if request.method == "POST" else request.GET
    parts = ("table", "review") if request.POST.get("do") == DECISIONS else ()
    return decisions_context(session, posted.dict(), parts=parts)


def _user(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _address(version: RubricVersion) -> str:
    return reverse("admin:grading_rubricversion_change", args=[version.pk])
