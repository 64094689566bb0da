"""Settings of one machine: `make run`. Servers that the environment does not name are embedded."""

from auditor_site import addresses, env, localservices, logs
from auditor_site.settings import derived
from auditor_site.settings.base import *  # noqa: F403 -- the base, with changes below
from auditor_site.settings.base import BASE_DIR, PORT, QUEUES

SECRET_KEY = env.secret("SECRET_KEY") or derived.kept_secret(BASE_DIR / "var" / "secret-key")
EVIDENCE_SECRET = derived.evidence_secret(SECRET_KEY)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS") or ["127.0.0.1", "localhost", "[::1]"]
ALLOW_LOCAL_REPOSITORIES = env.flag("ALLOW_LOCAL_REPOSITORIES", default=True)
# The demo shows an audit at once.
SUBMISSION_GRACE_SECONDS = env.number("SUBMISSION_GRACE_SECONDS", least=0, most=3600, default="0")
# Links in emails use the port that is served.
SITE_URL = addresses.origin(env.text("SITE_URL", f"http://127.0.0.1:{PORT}"))

DATABASES = derived.databases(env.secret("DATABASE_URL", localservices.database_url()))
REDIS_URL = addresses.redis(env.secret("REDIS_URL") or localservices.redis_url())
RQ_QUEUES = derived.queues(REDIS_URL, QUEUES)
CACHES = derived.caches(REDIS_URL)

# Static files come from their folders: an edit shows at once, without collectstatic.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

LOGGING = logs.configuration("lines")
