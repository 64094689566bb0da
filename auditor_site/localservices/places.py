"""Folders and user of the embedded servers.

Sockets lie in a short folder under /tmp, because a socket's path is limited to about 100 bytes and
a checkout may lie deep. PostgreSQL refuses to run as root, so root's servers run as `nobody`. Where
`nobody` cannot reach the checkout, their data lies under /var/tmp, in a folder named by
`var/services-are-in`.
"""

import hashlib
import os
import pwd
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from auditor_site.localservices.service_error import LocalServiceError

CHECKOUT = Path(__file__).resolve().parents[2]
SHORT_ROOT = Path("/tmp")  # noqa: S108 -- our folder in it is private; TMPDIR may be too long
LONG_ROOT = Path("/var/tmp")  # noqa: S108 -- as above; it survives a reboot


class Identity(TypedDict, total=False):
    """`subprocess` arguments that run a child as another user; empty for the same user."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Owner:
    """The user that the servers run as."""

    uid: int
    gid: int

    @property
    def identity(self) -> Identity:
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def reaches(self, path: Path) -> bool:
        """Return whether the servers can read `path`; a missing part is judged by its parents."""
        if not self.identity:
            return True
        # 0o005: readable and searchable for users who are neither owner nor group.
        existing = [folder for folder in (path, *path.parents) if folder.exists()]
        return all(folder.stat().st_mode & 0o005 == 0o005 for folder in existing)


@dataclass(frozen=True, slots=True)
class Place:
    """Folders of one pair of servers: `home` for data and logs, `sockets` for sockets and locks."""

    home: Path
    sockets: Path
    owner: Owner
    ephemeral: bool = False

    def prepare(self) -> None:
        """Make both folders, private to the owner."""
        own_folder(self.sockets, self.owner)
        own_folder(self.home, self.owner)


def server_owner() -> Owner:
    """Return the present user; for root, `nobody`."""
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid())
    nobody = pwd.getpwnam("nobody")
    return Owner(nobody.pw_uid, nobody.pw_gid)


def checkout_name(checkout: Path) -> str:
    """Return a short name, unique for each user and checkout."""
    return f"auditor-{os.geteuid()}-{hashlib.sha256(bytes(checkout)).hexdigest()[:12]}"


def checkout_sockets(checkout: Path = CHECKOUT) -> Path:
    """Return the socket folder of this checkout's lasting servers: the same at every call."""
    return SHORT_ROOT / checkout_name(checkout)


def checkout_place(checkout: Path = CHECKOUT) -> Place:
    """Return the place of this checkout's lasting servers.

    A file in `var/` names the folder of the data when it must lie elsewhere.
    """
    owner, var = server_owner(), checkout / "var"
    var.mkdir(exist_ok=True)
    home = var / "services"
    if not owner.reaches(var):
        home = LONG_ROOT / checkout_name(checkout)
        (var / "services-are-in").write_text(f"{home}\n", encoding="utf-8")
    return Place(home=home, sockets=checkout_sockets(checkout), owner=owner)


def ephemeral_place() -> Place:
    """Return a new temporary folder for servers that keep nothing."""
    owner = server_owner()
    folder = Path(tempfile.mkdtemp(prefix=f"auditor-test-{os.geteuid()}-", dir=SHORT_ROOT))
    os.chown(folder, owner.uid, owner.gid)
    return Place(home=folder, sockets=folder, owner=owner, ephemeral=True)


def own_folder(path: Path, owner: Owner) -> None:
    """Make `path` a folder that only `owner` and root may enter.

    Raises LocalServiceError when it belongs to another user or others may enter it.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.lstat()
    if (
        path.is_symlink()
        or status.st_uid not in {owner.uid, os.geteuid()}
        or status.st_mode & 0o077
    ):
        raise LocalServiceError(
            f"{path} is not a private folder of user {owner.uid}: "
            "remove it, or set DATABASE_URL and REDIS_URL.",
        )

    os.chown(path, owner.uid, owner.gid)
