"""Settings of the tests: the servers of tests/services.py, fast passwords, emails in memory."""

import logging
import tempfile
from pathlib import Path

from auditor_site import addresses, env, localservices, logs
from auditor_site.settings import derived
from auditor_site.settings.base import *  # noqa: F403 -- the base, with changes below
from auditor_site.settings.base import QUEUES, REST_FRAMEWORK

SECRET_KEY = "only-for-tests-" + "0123456789" * 4
EVIDENCE_SECRET = derived.evidence_secret(SECRET_KEY)
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
ALLOW_LOCAL_REPOSITORIES = True
SUBMISSION_GRACE_SECONDS = 0
# On a busy machine git takes its time, and a submission would be refused for its repository.
PROBE_SECONDS = 50
# Most tests are one transaction.
IDLE_TRANSACTION_SECONDS = 3600
OTEL_EXPORTER_OTLP_ENDPOINT = ""

DATABASES = derived.databases(env.secret("DATABASE_URL", localservices.database_url()))
REDIS_URL = addresses.redis(env.secret("REDIS_URL") or localservices.redis_url())
RQ_QUEUES = derived.queues(REDIS_URL, QUEUES)
CACHES = derived.caches(REDIS_URL)

MEDIA_ROOT = Path(tempfile.gettempdir()) / "automaton-auditor-tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Throttling has tests of its own (tests/api/test_api_tokens.py); it must not stop the others.
REST_FRAMEWORK = REST_FRAMEWORK | {
    "DEFAULT_THROTTLE_RATES": dict.fromkeys(("user", "submit"), "100000/min")
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

LOGGING = logs.configuration("lines", level=logging.WARNING)
