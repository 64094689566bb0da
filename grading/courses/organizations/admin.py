"""Administration of organizations, their members, their log and sign-in data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from django.apps import apps
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.forms import ChoiceField, ModelForm
from django.http import HttpRequest
from django_scopes import scope

from grading.core.admin_lists import LongListAdmin, OwnFilter, member_at
from grading.core.admin_tenancy import (
    TenantAdmin,
    known_address,
    own_organizations,
)
from grading.core.enums import STAFF_ROLES, Role
from grading.core.errors import RoleRefused
from grading.core.form_bases import refuse_site_name
from grading.courses.organizations.actions import add_member
from grading.courses.organizations.approval import approve_organization, refuse_organization
from grading.courses.organizations.invitations import (
    check_offer,
    offer_role,
    withdraw_role,
)
from grading.courses.organizations.roles import check_role_change, lock_roles
from grading.models import Activity, Invitation, Membership, Organization

if TYPE_CHECKING:
    _MembershipForm = ModelForm[Membership]
    _InvitationForm = ModelForm[Invitation]
    _OrganizationForm = ModelForm[Organization]
else:  # generic only to the type checker
    _MembershipForm = _InvitationForm = _OrganizationForm = ModelForm
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken

from grading.core.admin_tenancy import PlainAdmin


class OrganizationNameForm(_OrganizationForm):
    """Change of an organization; its name may not be the site's."""

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        refuse_site_name(name)
        return name


@admin.register(Organization)
class OrganizationAdmin(TenantAdmin):
    form = OrganizationNameForm
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
        fixed = ("slug", "founder", "approved_at", "refused_at")
        # The operator approved it under this name, in which its letters are sent.
        is_fixed = settings.INSTITUTIONS_BY_APPROVAL and not request.user.is_superuser
        return ("name", *fixed) if is_fixed else fixed

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
        fields = ("role",)

    def clean_role(self) -> str:
        role: str = self.cleaned_data["role"]
        membership = self.instance
        if role != membership.role:
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


class _ByRequest(TenantAdmin):
    """Pages whose form knows the user who sends it."""

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any
    ) -> Any:
        form = super().get_form(request, obj, change, **options)
        # Django itself makes the form's object, so the user has to come with the class.
        return type(form.__name__, (form,), {"by": request.user})


@admin.register(Membership)
class MembershipAdmin(_ByRequest):
    """Members by the address that their organization knows; accounts may have others."""

    form = MembershipForm
    list_display = ("__str__", "email", "role", "organization", "created_at")
    list_filter = ("role", ("organization", OwnFilter))
    search_fields = ("email",)
    list_select_related = ("organization",)
    fields = ("email", "role", "organization")
    readonly_fields = ("email", "organization")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Forbid it: nobody becomes a member without accepting an invitation."""
        return False

    def save_model(
        self, request: HttpRequest, obj: Membership, form: ModelForm[Any], change: bool
    ) -> None:
        """Save through the action, which checks again and logs the change."""
        # Nothing to log: the action would write a row for the same role.
        if not form.changed_data:
            return
        by = request.user if isinstance(request.user, User) else None
        granted = add_member(
            organization=obj.organization, user=obj.user, role=Role(obj.role), by=by
        )
        if granted is None:
            messages.info(request, f"{obj.email} has the role after accepting it on the home page.")


class InvitationForm(_InvitationForm):
    """An address and a role of staff; `by` is the current user."""

    by: ClassVar[User]
    role = ChoiceField(choices=[(role.value, role.label) for role in STAFF_ROLES])

    class Meta:
        model = Invitation
        fields = ("email", "role", "organization")

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        organization, email = data.get("organization"), data.get("email")
        if organization and email and data.get("role"):
            invited = Invitation.objects.filter(organization=organization, email=email)
            # An address that was invited before is offered the new role, by the action.
            self.instance = invited.first() or self.instance
            try:
                check_offer(
                    organization=organization, email=email, role=Role(data["role"]), by=self.by
                )
            except RoleRefused as error:
                self.add_error("role", ValidationError(error.sentence, code=error.code))
        return data


@admin.register(Invitation)
class InvitationAdmin(_ByRequest):
    """Invitations of an organization; adding one offers a role of staff to an address."""

    form = InvitationForm
    list_display = ("email", "role", "state", "organization", "created_at")
    list_filter = ("state", "role", ("organization", admin.RelatedOnlyFieldListFilter))
    search_fields = ("email",)
    list_select_related = ("organization",)
    fields = ("email", "role", "organization")
    actions = ("withdraw",)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    @admin.action(description="Withdraw the offered role", permissions=["withdraw"])
    def withdraw(self, request: HttpRequest, chosen: QuerySet[Invitation]) -> None:
        by = request.user if isinstance(request.user, User) else None
        withdrawn = [row.email for row in chosen if withdraw_role(invitation=row, by=by)]
        self.message_user(request, f"Withdrawn: {', '.join(withdrawn) or 'none'}.")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Forbid it: the answer is the person's."""
        return False

    def save_model(
        self, request: HttpRequest, obj: Invitation, form: ModelForm[Any], change: bool
    ) -> None:
        by = request.user if isinstance(request.user, User) else None
        with transaction.atomic(), scope(organization=obj.organization):
            lock_roles(obj.organization_id)
            offered = offer_role(
                organization=obj.organization, email=obj.email, role=Role(obj.role), by=by
            )
        # The admin logs and links the object by its key, which the action's own row has.
        obj.pk = offered.pk


# What Activity.object_type may be.
LOGGED_TYPES = tuple(model.__name__.lower() for model in apps.get_models())


@admin.register(Activity)
class ActivityAdmin(LongListAdmin):
    list_display = ("at", "verb", "object_type", "object_id", "known_actor", "organization")
    list_filter = ("at", ("organization", OwnFilter))
    searched = (member_at("actor"),)
    list_select_related = ("organization",)
    exclude = ("actor",)
    ordering = ("-pk",)

    def conditions(self, word: str) -> Iterator[Q]:
        yield from super().conditions(word)
        # With every type, so that the index of both is used.
        yield Q(object_type__in=LOGGED_TYPES, object_id=word)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(known=known_address("actor"))

    @admin.display(description="actor", ordering="known")
    def known_actor(self, row: Any) -> str:
        return row.known or ("—" if row.actor_id is None else "not a member")


# Social applications are configured in settings, tokens are not stored, and roles are those of
# memberships, not of groups: nothing to manage here.
for model in (Authenticator, Group, SocialAccount, SocialApp, SocialToken):
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
