"""Hand an access to git by descriptors of files in memory, and by nothing that is written or shown.

Arguments and environment, which other processes can read, name a descriptor only. Such a file has
no path and is gone with its last reader. git asks its helper only when a server of the checked
address wants a login, so a public repository never gets the token; git follows no redirect, fetches
no submodule and no file of LFS, so no other host does (git_process.SETTINGS).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from courtroom.analysis.git.repository_addresses import CheckedUrl
from courtroom.models.errors import ExaminationFailed
from courtroom.models.repository_access import DeployKey, HttpsToken, RepositoryAccess

# As in OpenSSH's manual (ssh_config). No file of a user or of the machine is read; the address was
# resolved and checked before, and the host key is looked up by the host's name.
SSH_OPTIONS = (
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "GlobalKnownHostsFile=/dev/null",
    "UpdateHostKeys=no",
    "VerifyHostKeyDNS=no",
    "CheckHostIP=no",
    "CanonicalizeHostname=no",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "PreferredAuthentications=publickey",
    "ProxyCommand=none",
    "ProxyJump=none",
    "ControlMaster=no",
    "ControlPath=none",
    "PermitLocalCommand=no",
    "ForwardAgent=no",
    "ClearAllForwardings=yes",
    "ConnectTimeout=10",
    "ServerAliveInterval=15",
    "LogLevel=ERROR",
)


@dataclass(frozen=True, slots=True)
class Handover:
    """Settings, variables and open descriptors for one run of git; none of them is secret."""

    settings: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()


@contextmanager
def handed_over(access: RepositoryAccess | None, url: CheckedUrl) -> Iterator[Handover]:
    """Hold the access open for git while the block runs.

    An access of the other kind than the address is not handed over: git then asks without it.
    """
    with ExitStack() as opened:
        if isinstance(access, HttpsToken) and url.protocol in ("https", "http"):
            yield _token_for(access, url, opened)
        elif isinstance(access, DeployKey) and url.protocol == "ssh":
            yield _key_for(access, url, opened)
        else:
            yield Handover()


def _token_for(access: HttpsToken, url: CheckedUrl, opened: ExitStack) -> Handover:
    file = _file_in_memory(f"username={access.username}\npassword={access.token}\n", opened)
    # git also calls its helper to store and to erase, which this one does not.
    helper = f'!f() {{ test "$1" = get && cat /proc/self/fd/{file}; }}; f'
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(url.url))
    return Handover(settings=(f"credential.{origin}.helper={helper}",), descriptors=(file,))


def _key_for(access: DeployKey, url: CheckedUrl, opened: ExitStack) -> Handover:
    key = _file_in_memory(access.private_key, opened)
    known = _file_in_memory(f"{url.host} {access.host_key}\n", opened)
    options = (
        *SSH_OPTIONS,
        f"HostName={url.address}",
        f"HostKeyAlias={url.host}",
    )
    words = " ".join(f"-o {option}" for option in options)
    # ssh closes all descriptors that it inherits, so the shell that starts it keeps them open.
    files = f"-o UserKnownHostsFile=/proc/$$/fd/{known} -i /proc/$$/fd/{key}"
    command = f'f() {{ ssh -F none {words} {files} "$@"; return $?; }}; f'
    env = {"GIT_SSH_COMMAND": command, "GIT_SSH_VARIANT": "ssh"}
    return Handover(env=env, descriptors=(key, known))


def _file_in_memory(content: str, opened: ExitStack) -> int:
    if not hasattr(os, "memfd_create"):
        raise ExaminationFailed(
            "access_needs_linux", "Private repositories can be read on Linux only."
        )
    file = os.memfd_create("access")
    opened.callback(os.close, file)
    # ssh refuses a private key that others may read.
    os.fchmod(file, 0o600)
    with os.fdopen(os.dup(file), "wb") as written:
        written.write(content.encode())
    return file
