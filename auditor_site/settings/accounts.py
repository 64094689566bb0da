"""Settings of sign-in: password, optional second factor, and the operator's other providers."""

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
] + [{"NAME": "grading.api.tokens.password_validator.TokenRevokingValidator"}]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
# Signing up, signing in and resetting a password answer the same with and without an account.
ACCOUNT_PREVENT_ENUMERATION = True
# allauth's other limits stay at their defaults; these two slow down the guessing of passwords.
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/5m/key"}

ACCOUNT_ADAPTER = "grading.core.account_names.PlainNamesAdapter"
MFA_ADAPTER = "grading.core.second_factor.SealingAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Automaton Auditor"
# A clock may be half a minute off.
MFA_TOTP_TOLERANCE = 1

# The same email elsewhere does not prove the same person: they connect the account while signed in.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_STORE_TOKENS = False

GITHUB = env.complete("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET")
OIDC = env.complete("OIDC_SERVER_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {}
# Origins of the providers, for the Content-Security-Policy.
PROVIDER_ORIGINS: list[str] = []
if GITHUB:
    PROVIDER_ORIGINS.append("https://github.com")
    SOCIALACCOUNT_PROVIDERS["github"] = {
        "SCOPE": ["read:user", "user:email"],
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [{"client_id": GITHUB[0], "secret": GITHUB[1], "key": ""}],
    }
if OIDC:
    PROVIDER_ORIGINS.append(addresses.origin_of("OIDC_SERVER_URL", OIDC[0]))
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
