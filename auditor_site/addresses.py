"""Parse service addresses into settings: DATABASE_URL, REDIS_URL, STORAGE_URL, EMAIL_URL, SITE_URL."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# Seconds, and milliseconds for tcp_user_timeout: a server that is cut off neither answers nor
# refuses, and the kernel by itself waits a quarter of an hour.
CUT_OFF = {
    "connect_timeout": "30",
    "tcp_user_timeout": "30000",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
# Options of the URL that go to psycopg; others are refused, so that a typo does not pass unnoticed.
DATABASE_OPTIONS = frozenset({"sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout"})
REDIS_SCHEMES = frozenset({"redis", "rediss", "unix"})
# Options of the URL that go to redis-py. Certificates are always verified, by the system's
# authorities unless a file is named.
REDIS_TLS_OPTIONS = frozenset({"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"})
# Modes in which libpq verifies the server. In its other modes it may ignore the authority.
VERIFYING_MODES = frozenset({"verify-ca", "verify-full"})
EMAIL_PORTS = {"smtp": 25, "smtps": 465, "smtp+tls": 587}
# As S3 names buckets: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
STORAGE_OPTIONS = {
    "region": "us-east-1",
    "tls": "true",
    "addressing": "path",
    "ca_file": "",
}
STORAGE_EXAMPLE = "s3://KEY:SECRET@host:port/bucket"


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for `postgresql://user:password@host:port/name?sslmode=...`.

    The folder of a unix socket is `?host=/run/postgresql`, or a host in percent signs (%2Frun).
    """
    parts = _split("DATABASE_URL", url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            "DATABASE_URL must start with postgresql://: no other database is supported."
        )

    options = dict(parse_qsl(parts.query))
    host = options.pop("host", "") or _host(parts)
    port = options.pop("port", "") or str(_port("DATABASE_URL", parts) or "")
    unknown = sorted(options.keys() - DATABASE_OPTIONS)
    name = unquote(parts.path.removeprefix("/"))
    if unknown:
        raise ImproperlyConfigured(f"DATABASE_URL has unknown options: {', '.join(unknown)}.")
    if not name:
        raise ImproperlyConfigured("DATABASE_URL names no database: postgresql://user@host/NAME.")
    if "sslrootcert" in options and options.get("sslmode") not in VERIFYING_MODES:
        raise ImproperlyConfigured("DATABASE_URL has sslrootcert: it needs sslmode=verify-full.")

    return {
        "ENGINE": "grading.core.rls",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": port,
        "OPTIONS": CUT_OFF | options,
    }


def redis(url: str) -> str:
    """Return the address for redis-py: `rediss://:password@host:port/0?ssl_ca_certs=...` for TLS.

    Others are redis:// and unix:///path.
    """
    parts = _split("REDIS_URL", url)
    target = parts.path if parts.scheme == "unix" else parts.hostname
    if parts.scheme not in REDIS_SCHEMES or not target:
        raise ImproperlyConfigured(
            "REDIS_URL must be redis://host:port/0, rediss://... or unix:///path?db=0."
        )

    _port("REDIS_URL", parts)
    known = {"db"} | (REDIS_TLS_OPTIONS if parts.scheme == "rediss" else frozenset())
    if unknown := sorted(dict(parse_qsl(parts.query)).keys() - known):
        raise ImproperlyConfigured(f"REDIS_URL has unknown options: {', '.join(unknown)}.")
    return url


def storage(url: str) -> dict[str, Any]:
    """Return Django's storage for `s3://KEY:SECRET@host:port/bucket?region=...`; unset: a folder.

    Options: `region` (us-east-1), `tls` (true), `addressing` of the bucket (path, or virtual: in the
    host's name), `ca_file` (a file of certificates that replaces the usual ones). KEY and SECRET are
    percent-encoded.
    """
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    parts = _split("STORAGE_URL", url)
    if parts.scheme != "s3" or not parts.hostname or parts.fragment:
        raise ImproperlyConfigured(f"STORAGE_URL must be like {STORAGE_EXAMPLE}.")
    # Before the port: where a slash in the secret is not encoded, its beginning looks like one.
    if not parts.username or not parts.password:
        raise ImproperlyConfigured(
            f"STORAGE_URL names no key and secret: {STORAGE_EXAMPLE}, percent-encoded (/ is %2F)."
        )
    bucket = parts.path.strip("/")
    if not BUCKET.fullmatch(bucket):
        raise ImproperlyConfigured(f"STORAGE_URL names no valid bucket: {STORAGE_EXAMPLE}.")

    options = _storage_options(parts.query)
    port = _port("STORAGE_URL", parts)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    scheme = "https" if options.pop("tls") == "true" else "http"
    if find_spec("boto3") is None:
        raise ImproperlyConfigured(
            "STORAGE_URL needs the packages of requirements/storage.txt: install them, or build the "
            "image with EXTRAS=storage."
        )
    access = {
        "endpoint": f"{scheme}://{host}" + (f":{port}" if port else ""),
        "bucket": bucket,
        "key": unquote(parts.username),
        "secret": unquote(parts.password),
    }
    return {"BACKEND": "grading.core.object_store.ObjectStore", "OPTIONS": access | options}


def _storage_options(query: str) -> dict[str, str]:
    """Return the options of STORAGE_URL with their defaults. An option that is wrong is refused."""
    given = parse_qsl(query, keep_blank_values=True)
    options = STORAGE_OPTIONS | dict(given)
    unknown = sorted(options.keys() - STORAGE_OPTIONS)
    if unknown:
        raise ImproperlyConfigured(f"STORAGE_URL has unknown options: {', '.join(unknown)}.")
    if len(dict(given)) < len(given):
        raise ImproperlyConfigured("STORAGE_URL has an option twice.")
    for name, allowed in (("tls", {"true", "false"}), ("addressing", {"path", "virtual"})):
        if options[name] not in allowed:
            words = " or ".join(sorted(allowed))
            raise ImproperlyConfigured(f"STORAGE_URL: {name} must be {words}.")
    if not options["region"]:
        raise ImproperlyConfigured("STORAGE_URL: region must not be empty.")
    if options["ca_file"] and not Path(options["ca_file"]).is_file():
        raise ImproperlyConfigured(f"STORAGE_URL: there is no ca_file {options['ca_file']}.")
    return options


def email(url: str) -> dict[str, Any]:
    """Return Django's EMAIL_* settings for `console:`, `smtp://`, `smtps://` or `smtp+tls://`."""
    if url == "console:":
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}

    parts = _split("EMAIL_URL", url)
    if parts.scheme not in EMAIL_PORTS or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL must be console: or smtp://user:password@host:port.")

    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": _port("EMAIL_URL", parts) or EMAIL_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        # Seconds: a dead mail server must not hold up a worker.
        "EMAIL_TIMEOUT": 10,
    }


def origin(url: str) -> str:
    """Return the site's address without path or closing slash, such as https://audits.example."""
    parts = _split("SITE_URL", url)
    if parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(f"SITE_URL must be like https://audits.example, not {url!r}.")
    return origin_of("SITE_URL", url)


def collector(url: str) -> str:
    """Return the address of a collector without a closing slash; empty without one."""
    if not url:
        return ""
    parts = _split("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise ImproperlyConfigured(
            "OTEL_EXPORTER_OTLP_ENDPOINT must be like http://collector:4318;"
            " credentials belong into OTEL_EXPORTER_OTLP_HEADERS."
        )
    return url.rstrip("/")


def origin_of(name: str, url: str) -> str:
    """Return the scheme and host of an address, without its path."""
    parts = _split(name, url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ImproperlyConfigured(f"{name} must be like https://audits.example, not {url!r}.")
    return f"{parts.scheme}://{parts.netloc}"


def sender(site_url: str) -> str:
    """Return the sender of the site's emails: no-reply at the host of SITE_URL."""
    return f"Automaton Auditor <no-reply@{urlsplit(site_url).hostname}>"


def _split(name: str, url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not an address: {error}.") from error


def _host(parts: SplitResult) -> str:
    """Return the host as written: `hostname` would lose the capitals of a socket's folder."""
    host = parts.netloc.rpartition("@")[2]
    return unquote(host.partition(":")[0]) if "%" in host else parts.hostname or ""


def _port(name: str, parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} has no valid port: {error}.") from error
