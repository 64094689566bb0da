"""Settings of sign-in: password, optional second factor, and the operator's other providers."""

from typing import Any

from auditor_site import addresses, env

AUTHENTICATION_BACKENDS = [
    "grading.core.sign_in_backends.PasswordBackend",
    "grading.core.sign_in_backends.AccountBackend",
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
# Only in the browser that has just signed up with the password: it goes on to the page it came for,
# such as a join link, without typing the password again.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
# Signing up, signing in and resetting a password answer the same with and without an account.
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_ADAPTER = "grading.core.sign_in_limits.SignInAdapter"
# A new password or address asks for the password again, as API tokens and the second factor do.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# Who is refused because strangers guess gets in by a new password.
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
# allauth's other limits stay at their defaults. It counts wrong codes of the second factor as
# login_failed; the others are the adapter's, whose docstring says what each key is.
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "login_failed_by_visitor": "10/m/ip,5/5m/key,20/h/key",
    "login_failed_by_strangers": "100/h/key",
    "login_failed_by_device": "5/5m/key,30/d/key",
    "login_failed_unwarned": "20/h/key",
    # Of the calendar feed: addresses that nobody has, and fetches by person.
    "calendar_wrong": "60/m/ip",
    "calendar_fetched": "60/h/key",
    # Codes of join links that nobody gave out; a right one is not counted.
    "join_wrong": "30/m/ip,300/h/ip",
    # Launches that a platform's page begins; a whole course may sit behind one address.
    "launch_login": "600/m/ip",
    # Webhooks of code hosts; GitHub sends those of all students from few addresses.
    "push_hook": "6000/m/ip",
    "push_hook_link": "240/m/key",
}

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
