"""How people sign in: with a password, a second factor if they like, or through what the operator
configured.
"""

from typing import Any

from auditor_site import addresses, env

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 10}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
# Signing up, signing in and asking for a new password answer the same for an address with and
# without an account.
ACCOUNT_PREVENT_ENUMERATION = True
# What allauth limits by default is limited; these two say aloud what holds back guessing.
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/5m/key"}

MFA_ADAPTER = "grading.core.second_factor.SealingAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Automaton Auditor"
MFA_TOTP_TOLERANCE = 1  # a clock may be half a minute off

# An account elsewhere with the same address is not the same person until they have said so, signed
# in, on this site.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_STORE_TOKENS = False

GITHUB = env.complete("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET")
OIDC = env.complete("OIDC_SERVER_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {}
SIGN_IN_ELSEWHERE: list[
    str
] = []  # the origins where signing in goes on, for the Content-Security-Policy
if GITHUB:
    SIGN_IN_ELSEWHERE.append("https://github.com")
    SOCIALACCOUNT_PROVIDERS["github"] = {
        "SCOPE": ["read:user", "user:email"],
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [{"client_id": GITHUB[0], "secret": GITHUB[1], "key": ""}],
    }
if OIDC:
    SIGN_IN_ELSEWHERE.append(addresses.origin_of("OIDC_SERVER_URL", OIDC[0]))
    SOCIALACCOUNT_PROVIDERS["openid_connect"] = {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "sso",
                "name": env.text("OIDC_NAME"),
                "client_id": OIDC[1],
                "secret": OIDC[2],
                "settings": {"server_url": OIDC[0].rstrip("/")},
            }
        ],
    }
PROVIDER_APPS = [f"allauth.socialaccount.providers.{name}" for name in SOCIALACCOUNT_PROVIDERS]
