"""Folders and user of the embedded servers.

Sockets lie in a short folder under /tmp, because a socket's path is limited to about 100 bytes and
a checkout may lie deep. PostgreSQL refuses to run as root, so root's servers run as a user id that
has no name and nothing else runs as: not `nobody`, whose other processes could then read their
data. Where that id cannot reach the checkout, their data lies under /var/tmp, in a folder named by
`var/services-are-in`. Servers that keep nothing lie in memory, where there is room.
"""

import hashlib
import os
import pwd
import secrets
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from auditor_site import folders
from auditor_site.localservices.service_error import LocalServiceError
from auditor_site.settings.derived import kept_secret

CHECKOUT = folders.HOME
SHORT_ROOT = Path("/tmp")  # noqa: S108 -- our folder in it is private; TMPDIR may be too long
# In memory, emptying all tables after a test takes a third of the time that it takes on a disk.
MEMORY_ROOT = Path("/dev/shm")  # noqa: S108 -- as above
# More than a run of all tests needs. A container often has 64 MB.
MEMORY_BYTES = 2 * 1024**3
LONG_ROOT = Path("/var/tmp")  # noqa: S108 -- as above; it survives a reboot
# Ids that neither Debian nor systemd gives to anybody (systemd.io/UIDS-GIDS), and that exist in
# containers, whose ids mostly end at 65535.
UNUSED_IDS = range(65520, 65534)
NOBODY = 65534


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
    """Folders of one pair of servers: `home` for data and logs, `sockets` for sockets and locks.

    `password` is Valkey's. PostgreSQL needs none: it asks the kernel who its client is.
    """

    home: Path
    sockets: Path
    owner: Owner
    password: str = field(repr=False)
    ephemeral: bool = False

    def prepare(self) -> None:
        """Make both folders, private to the owner."""
        own_folder(self.sockets, self.owner)
        # An earlier version ran root's servers as `nobody`.
        former = user_of_initdb(self.owner)
        if self.home.exists() and self.home.lstat().st_uid in {former.uid, os.geteuid()}:
            hand_over(self.home, former=former, owner=self.owner)
        own_folder(self.home, self.owner)


def server_owner() -> Owner:
    """Return the present user; for root, an id without a name."""
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid())
    named = {user.pw_uid for user in pwd.getpwall()}
    unused = next(number for number in UNUSED_IDS if number not in named)
    return Owner(unused, unused)


def user_of_initdb(owner: Owner) -> Owner:
    """Return the owner; for root, `nobody`, because initdb wants a user with a name."""
    return Owner(NOBODY, pwd.getpwuid(NOBODY).pw_gid) if owner.identity else owner


def checkout_name(checkout: Path) -> str:
    """Return a short name, unique for each user and checkout."""
    return f"auditor-{os.geteuid()}-{hashlib.sha256(bytes(checkout)).hexdigest()[:12]}"


def checkout_sockets(checkout: Path = CHECKOUT) -> Path:
    """Return the socket folder of this checkout's lasting servers: the same at every call."""
    return SHORT_ROOT / checkout_name(checkout)


def programs_folder(checkout: Path = CHECKOUT) -> Path:
    """Return the folder with copies of the programs that servers cannot read in the checkout."""
    return LONG_ROOT / f"{checkout_name(checkout)}-programs"


def checkout_password(checkout: Path = CHECKOUT) -> str:
    """Return the password of this checkout's lasting servers, made once, for its user's eyes."""
    return kept_secret(checkout / "var" / "services-password")


def checkout_place(checkout: Path = CHECKOUT) -> Place:
    """Return the place of this checkout's lasting servers.

    A file in `var/` names the folder of the data when it must lie elsewhere.
    """
    owner, var = server_owner(), checkout / "var"
    var.mkdir(exist_ok=True)
    home = var / "services"
    if not owner.reaches(var):
        home, note = LONG_ROOT / checkout_name(checkout), var / "services-are-in"
        # Everybody may make folders there: only data that we know of is taken over from `nobody`.
        if home.exists() and home.lstat().st_uid == NOBODY and not note.exists():
            raise LocalServiceError(f"{home} was not made by this checkout: remove it.")
        note.write_text(f"{home}\n{programs_folder(checkout)}\n", encoding="utf-8")
    return Place(home, checkout_sockets(checkout), owner, checkout_password(checkout))


def ephemeral_root() -> Path:
    """Return where servers lie that keep nothing: in memory, or where that has no room, on disk."""
    is_there = os.access(MEMORY_ROOT, os.W_OK)
    has_room = is_there and shutil.disk_usage(MEMORY_ROOT).free >= MEMORY_BYTES
    return MEMORY_ROOT if has_room else SHORT_ROOT


def ephemeral_place(root: Path | None = None) -> Place:
    """Return a new temporary folder for servers that keep nothing."""
    owner = server_owner()
    prefix = f"auditor-test-{os.geteuid()}-"
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root or ephemeral_root()))
    os.chown(folder, owner.uid, owner.gid)
    return Place(folder, folder, owner, secrets.token_urlsafe(32), ephemeral=True)


def hand_over(folder: Path, *, former: Owner, owner: Owner) -> None:
    """Give the owner what `former` owns in a folder, then the folder. Only root may do that."""
    if not owner.identity:
        return
    # First of all shut `former` out.
    os.chown(folder, os.geteuid(), os.getegid(), follow_symlinks=False)
    for path in folder.rglob("*"):
        if path.lstat().st_uid == former.uid:
            os.chown(path, owner.uid, owner.gid, follow_symlinks=False)
    os.chown(folder, owner.uid, owner.gid, follow_symlinks=False)


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
