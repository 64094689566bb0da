"""Second factors and accounts elsewhere, as far as the operator has to do with them: nobody reads a secret here."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.http import HttpRequest

from grading.admin.tenancy import PlainAdmin

# Applications and their secrets are settings, and tokens are not kept: the administration has neither.
for model in (Authenticator, SocialAccount, SocialApp, SocialToken):
    admin.site.unregister(model)


class OnlyTakenAway(PlainAdmin):
    """The operator removes what somebody has lost; people add what they have themselves."""

    list_select_related = ("user",)
    search_fields = ("user__email",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Authenticator)
class AuthenticatorAdmin(OnlyTakenAway):
    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    fields = list_display


@admin.register(SocialAccount)
class SocialAccountAdmin(OnlyTakenAway):
    list_display = ("user", "provider", "uid", "date_joined", "last_login")
    list_filter = ("provider",)
    fields = list_display
