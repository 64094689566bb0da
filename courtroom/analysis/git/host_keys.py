"""Host keys of git servers: those that hosts publish, and those that a server shows."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from urllib.parse import urlsplit

from courtroom.analysis.git.git_process import READING
from courtroom.analysis.git.repository_addresses import CheckedUrl
from courtroom.analysis.sandbox.bubblewrap import Reach
from courtroom.analysis.sandbox.sandbox import run_confined
from courtroom.models.errors import ChildFailed, RepositoryRefused

# As each host publishes them, with their fingerprints:
# https://docs.github.com/authentication/keeping-your-account-and-data-secure/githubs-ssh-key-fingerprints
# https://docs.gitlab.com/user/gitlab_com/#ssh-known_hosts-entries
# https://bitbucket.org/site/ssh
# https://docs.codeberg.org/security/ssh-fingerprint/
PUBLISHED = {
    "github.com": "ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    "gitlab.com": "ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf",
    "bitbucket.org": "ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO",
    "codeberg.org": "ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIIVIC02vnjFyL+I4RHfvIGNtOgJMe769VTF1VR4EB3ZB",
}
# The first that a server has is taken.
TYPES = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa")
SCAN_SECONDS = 10
NO_KEY = "The server at this address showed no ssh host key. Check the host and the port."


def fingerprint_of(host_key: str) -> str:
    """Return the SHA-256 fingerprint of `type base64`, as OpenSSH and hosts print it."""
    key = base64.b64decode(host_key.split()[1])
    digest = base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")
    return f"SHA256:{digest}"


def scan_host_key(url: CheckedUrl) -> str:
    """Return the host key that the server of an ssh address shows, as `type base64`.

    Nobody has confirmed it: whoever stands between would show one, too. Raises RepositoryRefused.
    """
    port = str(urlsplit(url.url).port)
    command = ["ssh-keyscan", "-T", "5", "-p", port, "-t", ",".join(TYPES), "--", url.address]
    limits = replace(READING, wall_seconds=SCAN_SECONDS, output_bytes=64 * 1024)
    try:
        done = run_confined(command, limits=limits, reach=Reach(network=True))
    except ChildFailed as failure:
        raise RepositoryRefused("repository_unreachable", NO_KEY) from failure

    if b"cannot be started" in done.stderr:
        raise ChildFailed("child_died", "The machine has no ssh-keyscan: install OpenSSH's client.")
    lines = (line.split() for line in done.stdout.decode(errors="replace").splitlines())
    keys = {words[1]: words[2] for words in lines if len(words) == 3 and words[1] in TYPES}
    shown = next((kind for kind in TYPES if kind in keys), None)
    if shown is None:
        raise RepositoryRefused("repository_unreachable", NO_KEY)
    return f"{shown} {keys[shown]}"
