"""Embedded PostgreSQL: one cluster, and the site's own role without superuser rights.

Peer authentication for the user who starts it alone, as every role: the kernel names the client's
user, so that there is no password to keep or to steal.
"""

import functools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, LiteralString
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from auditor_site.localservices.binaries import postgres_programs
from auditor_site.localservices.places import hand_over, user_of_initdb
from auditor_site.localservices.server import Server
from auditor_site.localservices.service_error import LocalServiceError

SUPERUSER = "postgres"
# Only a part of the socket's name, but given explicitly, because PGPORT may differ.
PORT = 5432
# The role that logs in, and the database it owns.
SITE = "auditor"
# The role it becomes to serve. It owns nothing, so row-level security applies to it.
SITE_ROLE = "auditor_site"
# Major version.
BUILTIN_LOCALE_SINCE = 17
# Before, pg_ident.conf could only name each role.
MAP_TO_ALL_ROLES_SINCE = 16

# As in deploy/roles.sql: the site's tables lie on disks that read any block equally fast, and its
# queries end before compiling them would.
PLANNING: tuple[LiteralString, ...] = ("random_page_cost = 1.1", "jit = off")
# Only for servers that keep nothing: a crash may lose all, and commits need not wait for the disk.
UNSAFE = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    # The files may lie in memory (places.py).
    "max_wal_size=256MB",
    # Few rows and many short statements: planning joins in the order they are written, and no
    # bookkeeping, saves a seventh of the processor time of the tests of pages.
    "join_collapse_limit=1",
    "from_collapse_limit=1",
    "max_parallel_workers_per_gather=0",
    "track_activities=off",
    "autovacuum=off",
)


def address(sockets: Path) -> str:
    """Return the DATABASE_URL of a server that listens in this folder."""
    return f"postgresql://{SITE}@/{SITE}?host={quote(str(sockets), safe='')}&port={PORT}"


@dataclass(frozen=True, slots=True)
class Postgres(Server):
    """PostgreSQL; SIGINT is its fast shutdown."""

    name: ClassVar[str] = "postgres"
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT

    @property
    def url(self) -> str:
        return address(self.place.sockets)

    @property
    def data(self) -> Path:
        return self.place.home / "postgres"

    @property
    def socket(self) -> Path:
        return self.place.sockets / f".s.PGSQL.{PORT}"

    def leftovers(self) -> list[Path]:
        return [self.data / "postmaster.pid", *self.place.sockets.glob(".s.PGSQL.*")]

    def prepare(self) -> list[str]:
        programs = postgres_programs(self.place)
        if not self.data.exists():
            self._make_cluster(programs)

        self._check_version(programs)
        self._write_access_rules(programs)
        settings = [
            f"port={PORT}",
            "listen_addresses=",
            f"unix_socket_directories={self.place.sockets}",
            "unix_socket_permissions=0700",
            "max_connections=200",
        ]
        if self.place.ephemeral:
            settings += UNSAFE

        options = [word for setting in settings for word in ("-c", setting)]
        return [str(programs / "postgres"), "-D", str(self.data), *options]

    def bring_up(self) -> bool:
        try:
            self._make_site_role()
        except psycopg.OperationalError:
            return False
        return True

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _make_cluster(self, programs: Path) -> None:
        """Run initdb beside the home, so that a kill leaves no half-made cluster.

        Root's initdb runs as `nobody`, for the second that it takes.
        """
        home, maker = self.place.home, user_of_initdb(self.place.owner)
        for unfinished in home.parent.glob(f"{home.name}.draft-*"):
            shutil.rmtree(unfinished, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix=f"{home.name}.draft-", dir=home.parent))
        os.chown(draft, maker.uid, maker.gid)
        command = [
            str(programs / "initdb"),
            "-D",
            str(draft / "postgres"),
            "-U",
            SUPERUSER,
            "--auth=peer",
            "--encoding=UTF8",
        ]
        command += ["--no-sync"] if self.place.ephemeral else []
        done = subprocess.run(
            [*command, *_locale(programs)],
            capture_output=True,
            check=False,
            cwd=draft,
            **maker.identity,
        )

        if done.returncode:
            raise LocalServiceError(
                f"initdb failed: {done.stderr.decode(errors='replace').strip()}"
            )

        hand_over(draft, former=maker, owner=self.place.owner)
        (draft / "postgres").rename(self.data)
        draft.rmdir()

    def _write_access_rules(self, programs: Path) -> None:
        """Let in the present user alone, also where an earlier version trusted everybody."""
        user = pwd.getpwuid(os.geteuid()).pw_name
        roles = ["all"] if _major(programs) >= MAP_TO_ALL_ROLES_SINCE else [SUPERUSER, SITE]
        rules = {
            "pg_hba.conf": "local all all peer map=present_user\n",
            "pg_ident.conf": "".join(f'present_user "{user}" {role}\n' for role in roles),
        }
        for name, text in rules.items():
            draft = self.data / f"{name}.draft"
            draft.unlink(missing_ok=True)
            with draft.open("x", encoding="utf-8") as file:
                file.write(text)
            os.chown(draft, self.place.owner.uid, self.place.owner.gid, follow_symlinks=False)
            draft.replace(self.data / name)

    def _check_version(self, programs: Path) -> None:
        made_by = int((self.data / "PG_VERSION").read_text(encoding="ascii"))
        if made_by != _major(programs):
            raise LocalServiceError(
                f"{self.data} was made by PostgreSQL {made_by}, "
                f"but {_major(programs)} is installed: "
                "dump it with the old version, or move the folder away to start again.",
            )

    def _make_site_role(self) -> None:
        """Make the login, the role it becomes, and its database last.

        Each is made only if missing, so that the next start finishes the work of a killed one.
        """
        superuser = make_conninfo(
            host=str(self.place.sockets), port=PORT, user=SUPERUSER, dbname=SUPERUSER
        )
        site, role = sql.Identifier(SITE), sql.Identifier(SITE_ROLE)
        # Tests make databases of their own.
        may = sql.SQL("CREATEDB" if self.place.ephemeral else "NOCREATEDB")

        with psycopg.connect(superuser, autocommit=True, connect_timeout=5) as connection:
            if not _exists(connection, "SELECT FROM pg_roles WHERE rolname = %s", SITE):
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER {}").format(site, may))
            for setting in PLANNING:
                connection.execute(sql.SQL("ALTER ROLE {} SET {}").format(site, sql.SQL(setting)))
            if not _exists(connection, "SELECT FROM pg_roles WHERE rolname = %s", SITE_ROLE):
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN ROLE {}").format(role, site))
            if not _exists(connection, "SELECT FROM pg_database WHERE datname = %s", SITE):
                connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(site, site))


def _exists(connection: psycopg.Connection[Any], question: LiteralString, name: str) -> bool:
    return connection.execute(question, [name]).fetchone() is not None


@functools.cache
def _major(programs: Path) -> int:
    """Return the major version, such as 18 in `postgres (PostgreSQL) 18.4`."""
    command = [str(programs / "postgres"), "--version"]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return int(output.split(")")[1].split(".")[0])


def _locale(programs: Path) -> list[str]:
    """Return initdb's options for Unicode case and code-point order.

    PostgreSQL's own tables are used where it has them.
    """
    if _major(programs) >= BUILTIN_LOCALE_SINCE:
        return ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return ["--locale=C.UTF-8"]
