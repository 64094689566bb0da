"""Environment variables, typed and checked: every variable of the project is declared here once.

A reader raises `ImproperlyConfigured` with one sentence that names the variable and what was
expected. Reading an undeclared variable is a programming error and raises `KeyError`.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True, slots=True)
class Variable:
    """One setting of the operator. A `secret` may come as NAME_FILE, a path to read it from."""

    name: str
    default: str
    meaning: str
    secret: bool = False


VARIABLES = (
    Variable(
        "DATABASE_URL",
        "",
        "PostgreSQL; unset: an embedded server (local settings only)",
        secret=True,
    ),
    Variable(
        "REDIS_URL",
        "",
        "Redis or Valkey; unset: an embedded server (local settings only)",
        secret=True,
    ),
    Variable("SECRET_KEY", "", "signs sessions; required in production", secret=True),
    Variable(
        "SECRET_KEY_FALLBACKS",
        "",
        "earlier keys, separated by commas, for what they signed or encrypted",
        secret=True,
    ),
    Variable(
        "EVIDENCE_SECRET",
        "",
        "marks quoted text in prompts; unset: derived from SECRET_KEY",
        secret=True,
    ),
    Variable("ALLOWED_HOSTS", "", "host names, separated by commas; required in production"),
    Variable(
        "SITE_URL",
        "http://127.0.0.1:8000",
        "public address of the site, also for emails (local: default from PORT)",
    ),
    Variable(
        "EMAIL_URL", "console:", "console: or smtp://user:password@host:port (smtps: or smtp+tls:)"
    ),
    Variable("MEDIA_ROOT", "var/media", "folder of uploaded reports, never served by URL"),
    Variable(
        "STORAGE_URL",
        "",
        "S3-compatible bucket for uploaded reports, s3://KEY:SECRET@host:port/bucket, as "
        "docs/operations.md says; unset: the folder",
        secret=True,
    ),
    Variable(
        "TRUSTED_PROXIES",
        "1",
        "number of proxies in front that write X-Forwarded-For (local: not used)",
    ),
    Variable("GITHUB_CLIENT_ID", "", "sign-in with GitHub: the OAuth app's id; unset: off"),
    Variable("GITHUB_CLIENT_SECRET", "", "and its secret", secret=True),
    Variable("GITHUB_APP_ID", "", "GitHub App that reads private repositories; unset: off"),
    Variable("GITHUB_APP_SLUG", "", "its name in github.com/apps/NAME"),
    Variable("GITHUB_APP_PRIVATE_KEY", "", "its private key, PEM", secret=True),
    Variable("GITHUB_APP_CLIENT_ID", "", "its client id"),
    Variable("GITHUB_APP_CLIENT_SECRET", "", "and its client secret", secret=True),
    Variable("GITHUB_APP_WEBHOOK_SECRET", "", "secret that signs its events", secret=True),
    Variable(
        "GITHUB_APP_URL",
        "https://github.com",
        "GitHub, or the address of a GitHub Enterprise Server",
    ),
    Variable(
        "OIDC_SERVER_URL", "", "sign-in with OpenID Connect: the issuer's address; unset: off"
    ),
    Variable("OIDC_CLIENT_ID", "", "the client's id at that issuer"),
    Variable("OIDC_CLIENT_SECRET", "", "and its secret", secret=True),
    Variable("OIDC_NAME", "Single sign-on", "text of its button"),
    Variable("OPENAI_API_KEY", "", "key of an OpenAI-compatible endpoint", secret=True),
    Variable("OPENAI_BASE_URL", "", "address of that endpoint; unset: OpenAI's own"),
    Variable("PROSECUTOR_MODEL", "", "model of the Prosecutor"),
    Variable("DEFENSE_MODEL", "", "model of the Defense"),
    Variable("TECH_LEAD_MODEL", "", "model of the Tech Lead"),
    Variable("VISION_MODEL", "", "model that reads diagrams"),
    Variable(
        "SCREENING_MODEL",
        "",
        "model that screens what judges read for words to the graders; unset: the Tech Lead's",
    ),
    Variable(
        "MODEL_PRICES",
        "",
        "JSON, US dollars per million tokens, as docs/operations.md says; unset: no costs",
    ),
    Variable(
        "MODEL_CACHES_PREFIXES", "", "true sends one call first, where the provider caches prefixes"
    ),
    Variable("MODEL_REQUESTS_PER_MINUTE", "0", "limit for one key, over all workers; 0: none"),
    Variable("MODEL_TOKENS_PER_MINUTE", "0", "limit for one key, over all workers; 0: none"),
    Variable("JUDGES_CONCURRENCY", "30", "parallel calls of one audit"),
    Variable(
        "JUDGES_DEADLINE_SECONDS",
        "60",
        "deadline of an answer with all its calls, without its time in the queue",
    ),
    Variable(
        "JUDGES_BATCH", "per_criterion", "per_criterion, or per_judge: one call of a judge for all"
    ),
    Variable("JUDGES_DEBATE", "", "true adds a round in which each judge sees the other arguments"),
    Variable(
        "JUDGES_EXHIBIT_CHARACTERS", "24000", "characters of the work that judges read a criterion"
    ),
    Variable(
        "JUDGES_MAY_ASK", "true", "six judges of an audit may ask for places to read, once each"
    ),
    Variable(
        "JUDGES_SCREEN", "true", "one call of an audit screens its prose before judges read it"
    ),
    Variable(
        "PROSECUTOR_TEMPERATURE", "", "temperature of the Prosecutor, 0 to 2; unset: the provider's"
    ),
    Variable("DEFENSE_TEMPERATURE", "", "and of the Defense"),
    Variable("TECH_LEAD_TEMPERATURE", "", "and of the Tech Lead"),
    Variable("AUDIT_BUDGET_USD", "", "limit of one audit's costs of models; needs MODEL_PRICES"),
    Variable(
        "MONTHLY_BUDGET_USD",
        "",
        "limit of one institution's month with the operator's key; needs AUDIT_BUDGET_USD",
    ),
    Variable("JUDGES", "heuristic", "the default bench: heuristic or llm"),
    Variable("AUDIT_WORKERS", "2", "worker processes that `make run` starts"),
    Variable(
        "OPEN_AUDITS_PER_STUDENT",
        "3",
        "audits of one student that may wait or run at the same time",
    ),
    Variable("OPEN_AUDITS_PER_COHORT", "500", "and of one cohort"),
    Variable("OPEN_AUDITS_PER_ORGANIZATION", "2000", "and of one organization"),
    Variable("OPEN_AUDITS_UNAPPROVED", "200", "and of all organizations together without approval"),
    Variable(
        "INSTITUTIONS_BY_APPROVAL",
        "",
        "true asks the operator before a new institution can be used (production: true)",
    ),
    Variable("INSTITUTIONS_PER_ACCOUNT", "5", "institutions that one account may create"),
    Variable("LETTERS_PER_DAY", "10000", "letters that one organization may cause in 24 hours"),
    Variable("LETTERS_PER_DAY_UNAPPROVED", "100", "and one that the operator has not approved"),
    Variable(
        "KEEP_EMAILS_DAYS", "365", "days after which the site deletes its copy of a sent email"
    ),
    Variable(
        "KEEP_SOURCES_DAYS",
        "0",
        "days after which the texts of an audit's files are deleted, not its evidence; 0: never",
    ),
    Variable(
        "PUSH_QUIET_SECONDS",
        "60",
        "seconds without a further push after which the last one is submitted; 0: at once",
    ),
    Variable(
        "SUBMISSION_GRACE_SECONDS",
        "30",
        "seconds in which a submission can be withdrawn before its audit may start; 0: none "
        "(local: 0)",
    ),
    Variable(
        "AUDIT_LEASE_SECONDS", "60", "seconds until the audit of a silent worker is started again"
    ),
    Variable(
        "ALLOW_LOCAL_REPOSITORIES",
        "",
        "true allows audits of repositories on this machine (local: true)",
    ),
    Variable(
        "REPOSITORY_HOSTS",
        "",
        "JSON, hosts of repositories whose lines pages link to, as docs/operations.md says;"
        " GitHub, GitLab, Bitbucket, Codeberg and gitea.com are known",
    ),
    Variable(
        "METRICS_TOKEN",
        "",
        "token for reading /metrics; unset: no such page",
        secret=True,
    ),
    Variable(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "",
        "OpenTelemetry collector (OTLP over HTTP) that gets spans of audits; unset: none are sent",
    ),
    Variable(
        "OTEL_EXPORTER_OTLP_HEADERS",
        "",
        "headers for it, such as Authorization=Basic%20...",
        secret=True,
    ),
    Variable("OTEL_SERVICE_NAME", "automaton-auditor", "name of this site in its spans"),
    Variable(
        "OTEL_RESOURCE_ATTRIBUTES", "", "what else each span says of this site, as name=value,..."
    ),
    Variable(
        "OTEL_TRACES_SAMPLER",
        "parentbased_always_on",
        "which traces are sent, such as parentbased_traceidratio",
    ),
    Variable("OTEL_TRACES_SAMPLER_ARG", "", "and its share, 0 to 1"),
    Variable("PORT", "8000", "port of the web server"),
)
_BY_NAME = {variable.name: variable for variable in VARIABLES}


def text(name: str, default: str = "") -> str:
    """Return the variable's value; when unset or blank, `default`, else the table's default."""
    return os.environ.get(_BY_NAME[name].name, "").strip() or default or _BY_NAME[name].default


def required(name: str) -> str:
    """Return the variable's value. Raise ImproperlyConfigured when it is missing."""
    value = secret(name) if _BY_NAME[name].secret else text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is required here: {_BY_NAME[name].meaning}.")
    return value


def secret(name: str, default: str = "") -> str:
    """Return a secret from NAME, or from the file named by NAME_FILE, without the line end.

    Setting both is an error.
    """
    path = os.environ.get(f"{name}_FILE", "").strip()
    value = text(name, default)
    if not path:
        return value
    if os.environ.get(name, "").strip():
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: set one of them.")

    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE cannot be read: {error}.") from error


def complete(*names: str) -> tuple[str, ...]:
    """Return the values of variables that must be set together; empty when none of them is set."""
    values = tuple(secret(name) if _BY_NAME[name].secret else text(name) for name in names)
    missing = [name for name, value in zip(names, values, strict=True) if not value]
    if missing and any(values):
        raise ImproperlyConfigured(
            f"{' and '.join(missing)} must be set too, or none of {', '.join(names)}."
        )
    return () if missing else values


def flag(name: str, *, default: bool = False) -> bool:
    """Return a yes or no: true/false, yes/no, on/off, 1/0."""
    value = text(name).lower()
    if not value:
        return default
    if value in {"true", "yes", "on", "1"}:
        return True
    if value in {"false", "no", "off", "0"}:
        return False

    raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")


def number(name: str, *, least: int, most: int, default: str = "") -> int:
    """Return a whole number within its bounds, both included; `default` as in `text`."""
    value = text(name, default)
    if not value.isdecimal() or not least <= int(value) <= most:
        raise ImproperlyConfigured(
            f"{name} must be a whole number from {least} to {most}, not {value!r}."
        )
    return int(value)


def choice(name: str, allowed: Collection[str]) -> str:
    """Return one of the allowed words."""
    value = text(name)
    if value not in allowed:
        raise ImproperlyConfigured(
            f"{name} must be one of {', '.join(sorted(allowed))}, not {value!r}."
        )
    return value


def words(name: str) -> list[str]:
    """Return a list separated by commas, without blanks."""
    value = secret(name) if _BY_NAME[name].secret else text(name)
    return [word.strip() for word in value.split(",") if word.strip()]
