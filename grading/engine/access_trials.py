"""Questions of the pages of accesses to a git host: does an access open, its host key, one branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from grading.core.errors import AccessRefused
from grading.engine.repository_access import opened_access
from grading.models import RepositoryAccess as RepositoryAccessRow

if TYPE_CHECKING:
    from courtroom.analysis.git.repository_addresses import CheckedUrl
    from courtroom.models.repository_access import RepositoryAccess

# What a page says where the courtroom's sentence is about an access that was used before.
NOT_OPENED = (
    "The host does not open this repository with what you gave: check the address, and that the "
    "token or key may read this repository and has not expired."
)
EMPTY = "repository_empty"


def https_token(username: str, token: str) -> RepositoryAccess:
    """Return a token as the courtroom takes it. Raises AccessRefused for token."""
    from courtroom.models.repository_access import HttpsToken

    try:
        return HttpsToken(username=username, token=token)
    except ValueError:
        raise AccessRefused("token", "token_unfit", "A token is one line of text.") from None


def try_access(access: RepositoryAccess, address: str) -> None:
    """Ask the host for the repository's branches. Raises AccessRefused for address.

    A repository without commits opens, too.
    """
    from courtroom import CourtroomError, probe_repository

    try:
        probe_repository(
            address,
            ref=None,
            allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
            seconds=settings.PROBE_SECONDS,
            access=access,
        )
    except CourtroomError as refusal:
        if refusal.code == EMPTY:
            return
        is_right = refusal.code == "repository_access_refused"
        sentence = NOT_OPENED if is_right else refusal.message
        raise AccessRefused("address", refusal.code, sentence) from None


def try_stored(row: RepositoryAccessRow, address: str) -> None:
    """Ask the host with what is stored, or with a token that GitHub gives now.

    Raises AccessRefused for address.
    """
    from courtroom import CourtroomError

    try:
        access = opened_access(row)
    except CourtroomError as refusal:
        raise AccessRefused("address", refusal.code, refusal.message) from None
    try_access(access, address)


def has_branch(access: RepositoryAccess, address: str, branch: str) -> bool:
    """Return whether the repository has this branch; False also where nothing can be read."""
    from courtroom import CourtroomError
    from courtroom.analysis.git.clone import list_remote_refs

    name = f"refs/heads/{branch}"
    try:
        refs = list_remote_refs(
            _checked(address, allow_ssh=True), [name], seconds=settings.PROBE_SECONDS, access=access
        )
    except CourtroomError:
        # The page says the same, or it would tell which repositories there are.
        return False
    return name in refs


def host_key_of(address: str) -> tuple[str, bool]:
    """Return a host's ssh key as `type base64`, and whether the host published it.

    A published one is known to the program. Any other was shown by the server just now, and a
    person has to compare its fingerprint. Raises AccessRefused for address.
    """
    from courtroom import CourtroomError
    from courtroom.analysis.git.host_keys import PUBLISHED, scan_host_key

    try:
        url = _checked(address, allow_ssh=True)
        if url.protocol != "ssh":
            raise AccessRefused("address", "url_not_ssh", NOT_SSH)
        if url.host in PUBLISHED:
            return PUBLISHED[url.host], True
        return scan_host_key(url), False
    except CourtroomError as refusal:
        raise AccessRefused("address", refusal.code, refusal.message) from None


def fingerprint_of(host_key: str) -> str:
    from courtroom.analysis.git.host_keys import fingerprint_of

    return fingerprint_of(host_key)


def username_at(host: str) -> str:
    """Return the name that goes with a token at this host."""
    from courtroom.models.repository_access import username_at

    return username_at(host)


NOT_SSH = "Give the ssh address, such as git@github.com:you/project.git."


def _checked(address: str, *, allow_ssh: bool) -> CheckedUrl:
    from courtroom.analysis.git.repository_addresses import check_url

    return check_url(address, allow_local=settings.ALLOW_LOCAL_REPOSITORIES, allow_ssh=allow_ssh)
