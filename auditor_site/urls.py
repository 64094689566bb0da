"""URLs of the whole project."""

from allauth.account.decorators import secure_admin_login
from allauth.urls import build_provider_urlpatterns
from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from grading.api.tokens import views as tokens_views
from grading.calendars import views as calendar_views

# The login form of the administration has neither rate limits nor a second factor.
# Replacing the method is what allauth's manual says.
secure_login = secure_admin_login(admin.site.login)  # type: ignore[no-untyped-call]
admin.site.login = secure_login  # type: ignore[method-assign]

accounts: list[URLPattern | URLResolver] = [
    path("", include("allauth.account.urls")),
    path("2fa/", include("allauth.mfa.urls")),
]
if settings.SOCIALACCOUNT_PROVIDERS:
    accounts += [
        path("3rdparty/", include("allauth.socialaccount.urls")),
        *build_provider_urlpatterns(),
    ]

urlpatterns = [
    # Likewise its form for a new password, which counts no wrong ones.
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    path("accounts/", include(accounts)),
    path("admin/", admin.site.urls),
    path("accounts/tokens/", tokens_views.api_tokens, name="api-tokens"),
    path("accounts/tokens/<int:token_id>/revoke/", tokens_views.revoke, name="api-token-revoke"),
    path("accounts/times/", calendar_views.times, name="times"),
    path("accounts/times/calendar/", calendar_views.renew, name="calendar-renew"),
    path("accounts/times/calendar/revoke/", calendar_views.revoke, name="calendar-revoke"),
    path("api/v1/", include("grading.api.urls")),
    path("", include("grading.urls")),
]
