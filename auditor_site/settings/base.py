"""Settings of all environments. Each environment adds database, queue, secrets and hosts."""

import os

from csp.constants import NONE, SELF

from auditor_site import addresses, env, folders, webserver
from auditor_site.settings.accounts import *  # noqa: F403 -- part of the base
from auditor_site.settings.accounts import PROVIDER_APPS, PROVIDER_ORIGINS
from auditor_site.settings.github_app import *  # noqa: F403 -- part of the base
from auditor_site.settings.github_app import GITHUB_APP, GITHUB_APP_URL
from auditor_site.settings.judges import *  # noqa: F403 -- part of the base
from auditor_site.settings.repository_hosts import *  # noqa: F403 -- part of the base

# langsmith comes with langgraph. Its tracing would send students' work to a third party.
os.environ.setdefault("LANGSMITH_TRACING", "false")
os.environ.setdefault("LANGCHAIN_TRACING_V2", "false")

BASE_DIR = folders.HOME
DEBUG = False
ROOT_URLCONF = "auditor_site.urls"
WSGI_APPLICATION = "auditor_site.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "grading.apps.AdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    *PROVIDER_APPS,
    "django_rq",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "grading.apps.GradingConfig",
]

MIDDLEWARE = [
    "auditor_site.logs.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # Before whatever asks who the visitor is.
    "grading.core.launch_sessions.LaunchSessionMiddleware",
    "grading.core.time_zones.TimeZoneMiddleware",
    # After authentication: row-level security is scoped to the user.
    "grading.core.middleware.TenantMiddleware",
    "grading.core.middleware.IssuerDownMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [folders.TEMPLATES],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

globals().update(addresses.email(env.text("EMAIL_URL")))
SITE_URL = addresses.origin(env.text("SITE_URL"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = addresses.sender(SITE_URL)
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Automaton Auditor: "

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STATICFILES_DIRS = [folders.STATIC]

# Uploads are private: no URL serves the folder or the bucket. They arrive in temporary files, never
# in memory.
MEDIA_ROOT = BASE_DIR / env.text("MEDIA_ROOT")
STORAGES = {
    "default": addresses.storage(env.secret("STORAGE_URL")),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
FILE_UPLOAD_PERMISSIONS = 0o600
UPLOAD_MAX_BYTES = 25 * 1024 * 1024
# The editor of a rubric posts every field at once: ten criteria with sixty checks are a thousand.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

# Where the redirects of our forms lead: to sign in, and to let the GitHub App read a repository.
ORIGINS_OF_FORMS = list(
    dict.fromkeys([*PROVIDER_ORIGINS, *([GITHUB_APP_URL] if GITHUB_APP else [])])
)
SESSION_ENGINE = "grading.core.sessions"
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        # Browsers check this for the redirects of a form too.
        "form-action": [SELF, *ORIGINS_OF_FORMS],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "grading.api.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "grading.api.authentication.TokenHasScope",
    ],
    "DEFAULT_PAGINATION_CLASS": "grading.api.paging.SignedCursorPagination",
    "DEFAULT_THROTTLE_CLASSES": [
        "rest_framework.throttling.UserRateThrottle",
        "rest_framework.throttling.ScopedRateThrottle",
    ],
    # A submission costs an audit; reading costs little.
    "DEFAULT_THROTTLE_RATES": {"user": "240/min", "submit": "30/min"},
    "DEFAULT_SCHEMA_CLASS": "grading.api.schema.ApiSchema",
    "EXCEPTION_HANDLER": "grading.api.error_responses.exception_response",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Automaton Auditor",
    "DESCRIPTION": "What the pages do, for programs: the same actions, the same permissions.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1(?:/o/\{org\})?",
    "COMPONENT_SPLIT_REQUEST": True,
}

RQ = {
    "JOB_CLASS": "grading.core.allowed_job.AllowedJob",
    "QUEUE_CLASS": "grading.core.allowed_job.AllowedQueue",
}
# A worker serves its queues in this order. Emails and webhooks have a worker of their own: a server
# that answers slowly must not hold one that audits.
AUDIT_QUEUES = ("submissions", "bulk")
LETTER_QUEUES = ("letters", "webhooks")
QUEUES = (*AUDIT_QUEUES, *LETTER_QUEUES)
# A machine that died in a transaction would hold its locks for hours.
IDLE_TRANSACTION_SECONDS = 60
AUDIT_WORKERS = env.number("AUDIT_WORKERS", least=1, most=64)
AUDIT_LEASE_SECONDS = env.number("AUDIT_LEASE_SECONDS", least=5, most=3600)
PUSH_QUIET_SECONDS = env.number("PUSH_QUIET_SECONDS", least=0, most=3600)
SUBMISSION_GRACE_SECONDS = env.number("SUBMISSION_GRACE_SECONDS", least=0, most=3600)
# Probes of repositories hold web threads for so long at most: half of them stay free for pages.
PROBE_SECONDS = 10
PROBES_AT_ONCE = webserver.workers * webserver.threads // 2
OPEN_AUDITS_PER_STUDENT = env.number("OPEN_AUDITS_PER_STUDENT", least=1, most=100)
OPEN_AUDITS_PER_COHORT = env.number("OPEN_AUDITS_PER_COHORT", least=1, most=1_000_000)
OPEN_AUDITS_PER_ORGANIZATION = env.number("OPEN_AUDITS_PER_ORGANIZATION", least=1, most=1_000_000)
OPEN_AUDITS_UNAPPROVED = env.number("OPEN_AUDITS_UNAPPROVED", least=0, most=1_000_000)
INSTITUTIONS_BY_APPROVAL = env.flag("INSTITUTIONS_BY_APPROVAL")
INSTITUTIONS_PER_ACCOUNT = env.number("INSTITUTIONS_PER_ACCOUNT", least=0, most=10_000)
LETTERS_PER_DAY = env.number("LETTERS_PER_DAY", least=0, most=1_000_000)
LETTERS_PER_DAY_UNAPPROVED = env.number("LETTERS_PER_DAY_UNAPPROVED", least=0, most=1_000_000)
KEEP_EMAILS_DAYS = env.number("KEEP_EMAILS_DAYS", least=1, most=36_500)
KEEP_SOURCES_DAYS = env.number("KEEP_SOURCES_DAYS", least=0, most=36_500)
METRICS_TOKEN = env.secret("METRICS_TOKEN")
OTEL_EXPORTER_OTLP_ENDPOINT = addresses.collector(env.text("OTEL_EXPORTER_OTLP_ENDPOINT"))
OTEL_EXPORTER_OTLP_HEADERS = env.secret("OTEL_EXPORTER_OTLP_HEADERS")
OTEL_SERVICE_NAME = env.text("OTEL_SERVICE_NAME")
PORT = env.number("PORT", least=1, most=65535)

JUDGES = env.choice("JUDGES", {"heuristic", "llm"})
OPENAI_API_KEY = env.secret("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
PROSECUTOR_MODEL = env.text("PROSECUTOR_MODEL")
DEFENSE_MODEL = env.text("DEFENSE_MODEL")
TECH_LEAD_MODEL = env.text("TECH_LEAD_MODEL")
VISION_MODEL = env.text("VISION_MODEL")
SCREENING_MODEL = env.text("SCREENING_MODEL")
