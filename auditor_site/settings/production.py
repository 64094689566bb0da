"""Settings behind a proxy that ends TLS and sets X-Forwarded-Proto.

Every secret and address is required.
"""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from auditor_site import addresses, env, folders, logs
from auditor_site.settings import derived
from auditor_site.settings.base import *  # noqa: F403 -- the base, with changes below
from auditor_site.settings.base import MEDIA_ROOT, QUEUES, SITE_URL, STORAGES

SECRET_KEY = env.required("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
EVIDENCE_SECRET = derived.evidence_secret(SECRET_KEY)
env.required("ALLOWED_HOSTS")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = [SITE_URL]
ALLOW_LOCAL_REPOSITORIES = env.flag("ALLOW_LOCAL_REPOSITORIES")
# Anybody may sign up: without it strangers send letters and audits in the site's name.
INSTITUTIONS_BY_APPROVAL = env.flag("INSTITUTIONS_BY_APPROVAL", default=True)

# An installation's own folder goes with its version; a path that depends on it would lose uploads.
is_lasting = Path(env.text("MEDIA_ROOT")).is_absolute() or env.secret("STORAGE_URL")
if folders.IS_INSTALLED and not is_lasting:
    raise ImproperlyConfigured(f"MEDIA_ROOT must be an absolute path here, not {MEDIA_ROOT}.")

DATABASES = derived.databases(env.required("DATABASE_URL"))
REDIS_URL = addresses.redis(env.required("REDIS_URL"))
RQ_QUEUES = derived.queues(REDIS_URL, QUEUES)
CACHES = derived.caches(REDIS_URL)

STORAGES = STORAGES | {
    # Anybody may read them, so the mode of uploads is not theirs: an image collects them as root.
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage",
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
# Probes and scrapes come from inside, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz(/live)?$", r"^metrics$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
# Failed logins are counted by client address. Without this, all clients share the proxy's address.
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("TRUSTED_PROXIES", least=0, most=9)
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https"

LOGGING = logs.configuration("json")
