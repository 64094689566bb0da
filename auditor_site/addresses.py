"""Service addresses read into Django's settings: DATABASE_URL, REDIS_URL, EMAIL_URL, SITE_URL."""

from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

DATABASE_OPTIONS = frozenset({"sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout"})
REDIS_SCHEMES = frozenset({"redis", "rediss", "unix"})
EMAIL_PORTS = {"smtp": 25, "smtps": 465, "smtp+tls": 587}


def database(url: str) -> dict[str, Any]:
    """Django's settings for `postgresql://user:password@host:port/name?sslmode=...`.

    A unix socket's folder is given as `?host=/run/postgresql` or as a host in percent signs
    (%2Frun).
    """
    parts = _split("DATABASE_URL", url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            "DATABASE_URL must start with postgresql://: no other database will do."
        )
    options = dict(parse_qsl(parts.query))
    host = options.pop("host", "") or _host(parts)
    port = options.pop("port", "") or str(_port("DATABASE_URL", parts) or "")
    unknown = sorted(options.keys() - DATABASE_OPTIONS)
    name = unquote(parts.path.removeprefix("/"))
    if unknown:
        raise ImproperlyConfigured(f"DATABASE_URL has options nobody reads: {', '.join(unknown)}.")
    if not name:
        raise ImproperlyConfigured("DATABASE_URL names no database: postgresql://user@host/NAME.")
    return {
        "ENGINE": "grading.core.rls",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": port,
        "OPTIONS": options,
    }


def redis(url: str) -> str:
    """The address as redis-py takes it, refused when it is none: redis://, rediss:// or
    unix:///path.
    """
    parts = _split("REDIS_URL", url)
    place = parts.path if parts.scheme == "unix" else parts.hostname
    if parts.scheme not in REDIS_SCHEMES or not place:
        raise ImproperlyConfigured(
            "REDIS_URL must be redis://host:port/0, rediss://... or unix:///path?db=0."
        )
    _port("REDIS_URL", parts)
    return url


def email(url: str) -> dict[str, Any]:
    """Django's EMAIL_* settings for `console:`, `smtp://`, `smtps://` or `smtp+tls://`."""
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
        "EMAIL_TIMEOUT": 10,
    }


def origin(url: str) -> str:
    """The site's address without path or closing slash, such as https://audits.example."""
    parts = _split("SITE_URL", url)
    if parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(f"SITE_URL must be like https://audits.example, not {url!r}.")
    return origin_of("SITE_URL", url)


def origin_of(name: str, url: str) -> str:
    """Where an address leads, without its path."""
    parts = _split(name, url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ImproperlyConfigured(f"{name} must be like https://audits.example, not {url!r}.")
    return f"{parts.scheme}://{parts.netloc}"


def sender(site_url: str) -> str:
    """Whom the site's mail comes from: no-reply at the host of SITE_URL."""
    return f"Automaton Auditor <no-reply@{urlsplit(site_url).hostname}>"


def _split(name: str, url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not an address: {error}.") from error


def _host(parts: SplitResult) -> str:
    """The host as written: a socket's folder keeps its capitals, which `hostname` would lose."""
    host = parts.netloc.rpartition("@")[2]
    return unquote(host.partition(":")[0]) if "%" in host else parts.hostname or ""


def _port(name: str, parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} has no valid port: {error}.") from error
