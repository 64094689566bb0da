"""Check repository addresses before anything connects to them.

Allowed are https addresses on port 443, and with a deploy key ssh ones, whose host resolves to
public IP addresses only. git itself accepts far more (helper prefixes such as ext::, odd spellings
of 127.0.0.1, credentials). So the address is split, checked, resolved once and rebuilt, and the
clone is pinned to the resolved IPs.
"""

from __future__ import annotations

import ipaddress
import queue
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, quote, unquote, urlsplit

from courtroom.models.errors import UrlRefused

LONGEST_URL = 2000
RESOLVE_SECONDS = 5.0
HTTPS_PORT = 443
# Where public hosts have git over ssh: OpenSSH's own, GitHub's by https, Gitea's, Bitbucket's.
SSH_PORTS = (22, 443, 2222, 7999)

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str], tuple[str, ...]]

_HOST = re.compile(
    r"(?=.{1,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_REMOTE_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_SCP_LIKE = re.compile(r"[^/]+:")
_SCP_ADDRESS = re.compile(r"(?:(?P<user>[^@/:]+)@)?(?P<host>[^@/:]+):(?P<path>[^:].*)")
# Neither begins with a dash, which would read as an option.
_SSH_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_SSH_PATH = re.compile(r"/[A-Za-z0-9_.~+/@-]+")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029]")
_LOOPBACK_HOSTS = ("127.0.0.1", "localhost")
# The unicast space: the rest is reserved, local or wraps another address. 6to4 lies inside it.
_PUBLIC_IPV6 = ipaddress.ip_network("2000::/3")
_6TO4 = (ipaddress.ip_network("2002::/16"), ipaddress.ip_network("192.88.99.0/24"))


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """Address that passed the checks, rebuilt from its parts.

    `pin` is the value of git's http.curloptResolve setting, None for a path on this machine and for
    ssh, which connects to `address`, one of the IP addresses of `host`.
    """

    url: str
    protocol: Literal["https", "http", "file", "ssh"]
    pin: str | None
    host: str = ""
    address: str = ""


def check_url(
    url: str, *, allow_local: bool, resolve: Resolver | None = None, allow_ssh: bool = False
) -> CheckedUrl:
    """Raise UrlRefused unless we would connect to this address.

    `allow_local` also accepts a path on this machine, file://, and http://127.0.0.1 or
    http://localhost on any port. `allow_ssh` accepts ssh://git@host/path and git@host:path, for
    callers who have a key. `resolve` returns all IP addresses of a host name; the default is the
    system's resolver.
    """
    if len(url) > LONGEST_URL:
        raise UrlRefused("url_malformed", f"The address is longer than {LONGEST_URL} characters.")
    if allow_local and (local := _local_url(url)):
        return local
    if _UNPRINTABLE.search(url):
        raise UrlRefused(
            "url_malformed", "The address contains a space, a backslash or an invisible character."
        )
    if allow_ssh and (ssh := ssh_parts(url)):
        return _ssh(ssh, resolve or system_addresses, allow_local=allow_local)
    if not url.lower().startswith("https://"):
        raise UrlRefused(
            "url_not_https",
            "Enter the https address of the repository, such as https://github.com/you/project.",
        )

    return _https(_split(url), resolve or system_addresses)


def with_scheme(url: str, *, allow_local: bool) -> str:
    """Return https://github.com/you/project for github.com/you/project, any other text unchanged.

    With `allow_local` the path of a folder on this machine stays one.
    """
    host, _, path = url.partition("/")
    is_address = bool(path) and _HOST.fullmatch(host.lower()) is not None
    return f"https://{url}" if is_address and not (allow_local and is_folder(Path(url))) else url


def system_addresses(host: str) -> tuple[str, ...]:
    """Return all IP addresses the system resolves for `host`.

    Raises OSError when there is none, TimeoutError after RESOLVE_SECONDS.
    """
    answers: queue.Queue[tuple[str, ...] | OSError] = queue.Queue()

    def lookup() -> None:
        try:
            entries = socket.getaddrinfo(host, HTTPS_PORT, type=socket.SOCK_STREAM)
            answers.put(tuple(dict.fromkeys(str(entry[4][0]) for entry in entries)))
        except OSError as error:
            answers.put(error)

    # getaddrinfo takes no timeout, so it runs in a thread that we stop waiting for.
    threading.Thread(target=lookup, daemon=True, name="resolver").start()
    try:
        answer = answers.get(timeout=RESOLVE_SECONDS)
    except queue.Empty:
        raise TimeoutError from None

    if isinstance(answer, OSError):
        raise answer

    return answer


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet and does not wrap another address."""
    ip = ipaddress.ip_address(address)
    if any(ip in network for network in _6TO4 if network.version == ip.version):
        return False
    unicast = ip in _PUBLIC_IPV6 if ip.version == 6 else not ip.is_multicast
    return ip.is_global and unicast


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 -- reading it is what checks it
    except ValueError as error:
        raise UrlRefused(
            "url_malformed", "The address is not valid. Copy it again from the site."
        ) from error

    if "@" in parts.netloc:
        raise UrlRefused(
            "url_credentials",
            "The address contains a user name or password. Remove everything before the @.",
        )
    if parts.query or parts.fragment or url.endswith(("?", "#")):
        raise UrlRefused(
            "url_malformed",
            "Remove the '?' or '#' and everything after it: it is not part of the address.",
        )

    return parts


def _https(parts: SplitResult, resolve: Resolver) -> CheckedUrl:
    if parts.netloc.endswith(":") or parts.port not in (None, HTTPS_PORT):
        raise UrlRefused(
            "url_port", "Only the standard https port is allowed. Remove the port from the address."
        )
    if not parts.path.strip("/"):
        raise UrlRefused("url_malformed", "The address has a host name but no repository.")

    host = _host(parts)
    pin = f"{host}:{HTTPS_PORT}:{','.join(_public_addresses(host, resolve))}"
    return CheckedUrl(url=f"https://{host}{_path(parts)}", protocol="https", pin=pin)


def ssh_parts(url: str) -> SplitResult | None:
    """Return the parts of ssh://user@host:port/path, also of user@host:path, else None."""
    if url.lower().startswith("ssh://"):
        try:
            parts = urlsplit(url)
            parts.port  # noqa: B018 -- reading it is what checks it
        except ValueError:
            return None
        return parts
    scp = None if _SCHEME.match(url) or _REMOTE_HELPER.match(url) else _SCP_ADDRESS.fullmatch(url)
    if scp is None:
        return None
    return SplitResult("ssh", f"{scp['user'] or 'git'}@{scp['host']}", f"/{scp['path']}", "", "")


def _ssh(parts: SplitResult, resolve: Resolver, *, allow_local: bool) -> CheckedUrl:
    user, path = parts.username or "git", f"/{parts.path.lstrip('/')}"
    is_plain = _SSH_USER.fullmatch(user) and _SSH_PATH.fullmatch(path) and "[" not in parts.netloc
    if not is_plain or parts.query or parts.fragment:
        raise UrlRefused(
            "url_malformed", "The ssh address is not valid: use git@host:owner/name, without more."
        )
    if parts.password is not None:
        raise UrlRefused("url_credentials", "The address contains a password. Remove it.")

    port = parts.port or SSH_PORTS[0]
    if allow_local and parts.hostname in _LOOPBACK_HOSTS:
        host, address = parts.hostname, _LOOPBACK_HOSTS[0]
    else:
        if port not in SSH_PORTS:
            ports = ", ".join(map(str, SSH_PORTS))
            raise UrlRefused("url_port", f"The ports allowed for ssh are {ports}.")
        host = _host(parts)
        address = _public_addresses(host, resolve)[0].strip("[]")
    return CheckedUrl(f"ssh://{user}@{host}:{port}{path}", "ssh", None, host, address)


def _path(parts: SplitResult) -> str:
    return quote(parts.path, safe="/%-._~!$&'()*+,;=:@")


def _host(parts: SplitResult) -> str:
    """Return the host as the network will see it. A literal IP must have its usual spelling."""
    name = parts.hostname or ""
    if "[" in parts.netloc:
        return f"[{_literal(name)}]"

    try:
        name = name.encode("idna").decode().lower().removesuffix(".")
    except UnicodeError as error:
        raise UrlRefused("url_malformed", "The host name in the address is not valid.") from error

    if _HOST.fullmatch(name):
        return name
    if re.fullmatch(r"[0-9.]+", name):
        return str(_literal(name))
    if re.fullmatch(r"[a-z][a-z0-9-]*", name):
        # A name without a dot, such as localhost, belongs to a private network.
        raise _private_address()

    raise UrlRefused("url_malformed", "The host name in the address is not valid.")


def _literal(text: str) -> IPAddress:
    try:
        return ipaddress.ip_address(text)
    except ValueError as error:
        raise UrlRefused("url_malformed", "The host in the address is not valid.") from error


def _public_addresses(host: str, resolve: Resolver) -> tuple[str, ...]:
    addresses = _resolve(host, resolve) if _HOST.fullmatch(host) else (host.strip("[]"),)
    # One private address among public ones is enough to reach the private network.
    if not all(is_public(address) for address in addresses):
        raise _private_address()
    return tuple(f"[{address}]" if ":" in address else address for address in addresses)


def _private_address() -> UrlRefused:
    return UrlRefused(
        "url_private_address",
        "The address is on a private network. Use one that anyone can reach.",
    )


def _resolve(host: str, resolve: Resolver) -> tuple[str, ...]:
    refusal = UrlRefused("url_unresolvable", f"We couldn't reach {host}. Check its spelling.")
    try:
        addresses = resolve(host)
    except OSError as error:  # includes the deadline: TimeoutError
        raise refusal from error

    if not addresses:
        raise refusal

    return addresses


def _local_url(url: str) -> CheckedUrl | None:
    """Return the checked address when it is one that only `allow_local` accepts, else None."""
    if "\x00" in url or _REMOTE_HELPER.match(url) or url.lower().startswith("ssh://"):
        return None
    if not _SCHEME.match(url):
        scp_like = _SCP_LIKE.match(url) and not is_folder(Path(url))
        return None if scp_like or not url else _path_url(Path(url))

    parts = _split(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return _path_url(Path(unquote(parts.path)))
    if parts.scheme == "http" and parts.hostname in _LOOPBACK_HOSTS:
        port = parts.port or 80
        pin = f"{parts.hostname}:{port}:127.0.0.1"
        return CheckedUrl(f"http://{parts.hostname}:{port}{_path(parts)}", "http", pin)

    return None


def is_folder(path: Path) -> bool:
    """Return whether the folder exists. A path no file system could hold is not a folder."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _path_url(path: Path) -> CheckedUrl:
    return CheckedUrl(url=str(path.absolute()), protocol="file", pin=None)
