"""Where the embedded servers live, and as whom.

Sockets lie in a short folder under /tmp, because a socket's path is limited to about 100 bytes and
a checkout may lie deep. PostgreSQL refuses to run as root: root's servers run as `nobody`, and
where `nobody` cannot reach the checkout, their data lies under /var/tmp instead, in a folder named
by `var/services-are-in`.
"""

import hashlib
import os
import pwd
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from auditor_site.localservices.errors import LocalServiceError

CHECKOUT = Path(__file__).resolve().parents[2]
SHORT_ROOT = Path("/tmp")  # noqa: S108 -- the folder below it is private, and TMPDIR may be long
LONG_ROOT = Path("/var/tmp")  # noqa: S108 -- as above; it survives a reboot


class Identity(TypedDict, total=False):
    """`subprocess` arguments that make a child another user; empty for oneself."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Owner:
    """The user the servers run as."""

    uid: int
    gid: int

    @property
    def identity(self) -> Identity:
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def reaches(self, path: Path) -> bool:
        """Whether the servers can read what lies under `path` (a missing end is judged by its
        parents).
        """
        if not self.identity:
            return True
        existing = [folder for folder in (path, *path.parents) if folder.exists()]
        return all(folder.stat().st_mode & 0o005 == 0o005 for folder in existing)


@dataclass(frozen=True, slots=True)
class Place:
    """One pair of servers: `home` holds data and logs, `sockets` holds sockets and locks."""

    home: Path
    sockets: Path
    owner: Owner
    ephemeral: bool = False

    def prepare(self) -> None:
        """Makes both folders, private to the owner."""
        own_folder(self.sockets, self.owner)
        own_folder(self.home, self.owner)


def server_owner() -> Owner:
    """Oneself; for root, `nobody`."""
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid())
    nobody = pwd.getpwnam("nobody")
    return Owner(nobody.pw_uid, nobody.pw_gid)


def checkout_name(checkout: Path) -> str:
    """One short name per user and checkout."""
    return f"auditor-{os.geteuid()}-{hashlib.sha256(bytes(checkout)).hexdigest()[:12]}"


def checkout_sockets(checkout: Path = CHECKOUT) -> Path:
    """Where this checkout's lasting servers listen: the same folder at every call."""
    return SHORT_ROOT / checkout_name(checkout)


def checkout_place(checkout: Path = CHECKOUT) -> Place:
    """The place of this checkout's lasting servers; when its data must lie elsewhere, `var/` says
    where.
    """
    owner, var = server_owner(), checkout / "var"
    var.mkdir(exist_ok=True)
    home = var / "services"
    if not owner.reaches(var):
        home = LONG_ROOT / checkout_name(checkout)
        (var / "services-are-in").write_text(f"{home}\n", encoding="utf-8")
    return Place(home=home, sockets=checkout_sockets(checkout), owner=owner)


def ephemeral_place() -> Place:
    """A new temporary folder for servers that keep nothing."""
    owner = server_owner()
    folder = Path(tempfile.mkdtemp(prefix=f"auditor-test-{os.geteuid()}-", dir=SHORT_ROOT))
    os.chown(folder, owner.uid, owner.gid)
    return Place(home=folder, sockets=folder, owner=owner, ephemeral=True)


def own_folder(path: Path, owner: Owner) -> None:
    """Makes `path` a folder that only `owner` (and root) enters; one that is somebody else's is
    refused.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.lstat()
    if path.is_symlink() or found.st_uid not in {owner.uid, os.geteuid()} or found.st_mode & 0o077:
        raise LocalServiceError(
            f"{path} is not a private folder of user {owner.uid}: remove it, or set DATABASE_URL and REDIS_URL.",
        )
    os.chown(path, owner.uid, owner.gid)
