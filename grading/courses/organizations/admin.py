"""Administration of organizations, their members, their log and sign-in data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from grading.core.admin_tenancy import MachineMadeAdmin, TenantAdmin, own_organizations
from grading.core.enums import Role
from grading.core.errors import RoleRefused
from grading.courses.organizations.actions import add_member, check_role_change
from grading.courses.organizations.approval import approve_organization, refuse_organization
from grading.models import Activity, Membership, Organization

if TYPE_CHECKING:
    _MembershipForm = ModelForm[Membership]
else:  # generic only to the type checker
    _MembershipForm = ModelForm
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken

from grading.core.admin_tenancy import PlainAdmin


@admin.register(Organization)
class OrganizationAdmin(TenantAdmin):
    list_display = ("name", "slug", "founder", "created_at", "approved_at", "refused_at")
    list_filter = (("approved_at", admin.EmptyFieldListFilter),)
    list_select_related = ("founder",)
    search_fields = ("name", "slug")
    fields = ("name", "slug", "founder", "approved_at", "refused_at")
    actions = ("approve", "refuse")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Forbid it: organizations are created on the site, where they get an owner."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug", "founder", "approved_at", "refused_at")

    def has_approve_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    @admin.action(description="Approve selected organizations", permissions=["approve"])
    def approve(self, request: HttpRequest, chosen: QuerySet[Organization]) -> None:
        self._answer(request, chosen, approve_organization, "approved")

    @admin.action(
        description="Refuse or withdraw approval of selected organizations",
        permissions=["approve"],
    )
    def refuse(self, request: HttpRequest, chosen: QuerySet[Organization]) -> None:
        self._answer(request, chosen, refuse_organization, "not approved now")

    def _answer(
        self,
        request: HttpRequest,
        chosen: QuerySet[Organization],
        answer: Callable[..., bool],
        outcome: str,
    ) -> None:
        changed = [
            organization.name
            for organization in chosen
            if answer(organization=organization, by=request.user)
        ]
        if changed:
            self.message_user(request, f"{', '.join(changed)}: {outcome}.")
        else:
            self.message_user(request, "Nothing changed.", messages.WARNING)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        return Organization.objects.filter(pk__in=[own.pk for own in own_organizations()])


class MembershipForm(_MembershipForm):
    """A role, with the error beside it if it may not be given. `by` is the current user."""

    by: ClassVar[User]

    class Meta:
        model = Membership
        fields = ("user", "role", "organization")

    def clean_role(self) -> str:
        role: str = self.cleaned_data["role"]
        membership = self.instance if self.instance.pk else None
        if membership is not None and role != membership.role:
            try:
                check_role_change(
                    organization=membership.organization,
                    user=membership.user,
                    role=Role(role),
                    by=self.by,
                )
            except RoleRefused as error:
                raise ValidationError(error.sentence, code=error.code) from error
        return role


@admin.register(Membership)
class MembershipAdmin(TenantAdmin):
    form = MembershipForm
    list_display = ("user", "role", "organization", "created_at")
    list_filter = ("role", ("organization", admin.RelatedOnlyFieldListFilter))
    search_fields = ("user__email",)
    list_select_related = ("user", "organization")
    autocomplete_fields = ("user",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Forbid it to staff: a choice of all users would show them to every organization."""
        return bool(request.user.is_superuser)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user", "organization") if obj else ()

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any
    ) -> Any:
        form = super().get_form(request, obj, change, **options)
        # Django itself makes the form's object, so the user has to come with the class.
        return type(form.__name__, (form,), {"by": request.user})

    def save_model(
        self, request: HttpRequest, obj: Membership, form: ModelForm[Any], change: bool
    ) -> None:
        """Save through the action, which checks again and logs the change."""
        # Nothing to log: the action would write a row for the same role.
        if change and not form.changed_data:
            return
        by = request.user if isinstance(request.user, User) else None
        membership = add_member(
            organization=obj.organization, user=obj.user, role=Role(obj.role), by=by
        )
        # The admin logs and links the object by its key, which the action's own row has.
        obj.pk = membership.pk


@admin.register(Activity)
class ActivityAdmin(MachineMadeAdmin):
    list_display = ("at", "verb", "object_type", "object_id", "actor", "organization")
    list_filter = ("verb", "object_type", ("organization", admin.RelatedOnlyFieldListFilter))
    search_fields = ("object_id",)
    list_select_related = ("actor", "organization")
    date_hierarchy = "at"


# Social applications are configured in settings and tokens are not stored: nothing to manage here.
for model in (Authenticator, SocialAccount, SocialApp, SocialToken):
    admin.site.unregister(model)


class DeleteOnlyAdmin(PlainAdmin):
    """Sign-in data, which operators can only delete, for users who lost access."""

    list_select_related = ("user",)
    search_fields = ("user__email",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Authenticator)
class AuthenticatorAdmin(DeleteOnlyAdmin):
    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    fields = list_display


@admin.register(SocialAccount)
class SocialAccountAdmin(DeleteOnlyAdmin):
    list_display = ("user", "provider", "uid", "date_joined", "last_login")
    list_filter = ("provider",)
    fields = list_display
