"""PostgreSQL and Valkey as docker-compose.yml has them: on TCP, with passwords and two logins."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import psycopg

from auditor_site.localservices.binaries import postgres_programs
from auditor_site.localservices.places import ephemeral_place
from auditor_site.localservices.postgres import SUPERUSER, Postgres
from auditor_site.localservices.server import start
from auditor_site.localservices.valkey import Valkey

# The file reads its passwords where a container has its secrets.
RUN_AS_IN_THE_CONTAINER = """
mount -t tmpfs none /run && mkdir /run/secrets && mount --bind "$1" /run/secrets
shift && exec "$@"
"""


class TcpPostgres(Postgres):
    """A cluster with nothing but its superuser, which other logins reach by password."""

    def prepare(self) -> list[str]:
        command = super().prepare()
        with (self.data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 127.0.0.1/32 scram-sha-256\n")
        return [*command, "-c", "listen_addresses=127.0.0.1"]

    def bring_up(self) -> bool:
        try:
            psycopg.connect(self.superuser, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def superuser(self) -> str:
        return f"host={self.place.sockets} user={SUPERUSER} dbname={SUPERUSER}"


class TcpValkey(Valkey):
    """A queue with the password of its place."""

    def prepare(self) -> list[str]:
        return [*super().prepare(), "--port", "6379", "--bind", "127.0.0.1"]


@contextmanager
def run_servers(roles: Path, secrets: Path) -> Iterator[str]:
    """Run both, with the roles of this file; yield how the superuser reaches the site's database."""
    password = (secrets / "valkey_password").read_text().strip()
    place = replace(ephemeral_place(), password=password)
    database, queue = TcpPostgres(place), TcpValkey(place)
    with ExitStack() as stack:
        stack.callback(rmtree, place.home, ignore_errors=True)
        for server in (database, queue):
            running = start(server)
            assert running is not None
            stack.callback(running.stop)

        psql = [
            str(postgres_programs(place) / "psql"),
            "--no-psqlrc",
            "--set=ON_ERROR_STOP=1",
            f"--file={roles}",
            database.superuser,
        ]
        in_container = ["unshare", "--mount", "sh", "-ec", RUN_AS_IN_THE_CONTAINER, "sh"]
        subprocess.run([*in_container, str(secrets), *psql], check=True, stdout=subprocess.DEVNULL)
        yield database.superuser.replace(f"dbname={SUPERUSER}", "dbname=auditor")
