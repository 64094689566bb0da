"""Debian's PgBouncer in transaction mode, before this run's PostgreSQL."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

from auditor_site.localservices.places import Place
from tests.network.certificates import Authority
from tests.network.forwarder import forwarded
from tests.network.held_place import held_place
from tests.network.loopback import own_address
from tests.waiting import eventually

PORT = 6432
# Fewer than the clients of the tests, so that they share.
SERVER_CONNECTIONS = 2
CONFIGURATION = """
[databases]
* = host={server} port={server_port}

[pgbouncer]
listen_addr = {address}
listen_port = {port}
unix_socket_dir =
auth_type = {auth_type}
auth_file = {users}
admin_users = {user}
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 1000
"""
TLS = """
client_tls_sslmode = require
client_tls_cert_file = {certificate}
client_tls_key_file = {key}
"""


@dataclass(frozen=True, slots=True)
class Pooler:
    """A running PgBouncer; `user` may also use its console."""

    address: str
    user: str
    password: str
    pid: int

    def console(self, command: str) -> list[Any]:
        with self.connect("pgbouncer") as console:
            return console.execute(command.encode()).fetchall()

    def connect(self, database: str) -> psycopg.Connection[Any]:
        """Connect as a program other than the site does."""
        return psycopg.connect(
            host=self.address,
            port=PORT,
            user=self.user,
            password=self.password,
            dbname=database,
            autocommit=True,
            cursor_factory=psycopg.ClientCursor,
        )

    def answers(self) -> bool:
        try:
            return bool(self.console("SHOW VERSION"))
        except psycopg.OperationalError:
            return False


@contextmanager
def pooler(authority: Authority | None = None) -> Iterator[Pooler]:
    """Run PgBouncer before the server of the test's database, with TLS under an authority."""
    at, own = connection.settings_dict, own_address()
    server, port = at["HOST"], int(at["PORT"])
    with ExitStack() as stack:
        if server.startswith("/"):
            # The socket asks who its client is, and PgBouncer does not run as root.
            stack.enter_context(forwarded(Path(server) / f".s.PGSQL.{port}", own, port))
            server = own
        yield stack.enter_context(
            run_pgbouncer(
                own_address(),
                server=(server, port),
                login=(at["USER"], at["PASSWORD"]),
                connections=SERVER_CONNECTIONS,
                authority=authority,
            )
        )


@contextmanager
def run_pgbouncer(
    address: str,
    *,
    server: tuple[str, int],
    login: tuple[str, str],
    connections: int,
    authority: Authority | None = None,
) -> Iterator[Pooler]:
    """Run PgBouncer at this address; a login without a password is trusted."""
    user, password = login
    with held_place() as place:
        configuration = CONFIGURATION.format(
            server=server[0],
            server_port=server[1],
            address=address,
            port=PORT,
            auth_type="scram-sha-256" if password else "trust",
            users=place.home / "users",
            user=user,
            connections=connections,
        )
        if authority:
            owner = (place.owner.uid, place.owner.gid)
            certificate, key = authority.issue(address).write(place.home, owner=owner)
            configuration += TLS.format(certificate=certificate, key=key)
        (place.home / "users").write_text(f'"{user}" "{password}"\n')
        (place.home / "pgbouncer.ini").write_text(configuration)
        with _process(place) as pid:
            running = Pooler(address, user, password, pid)
            eventually(running.answers, describe=(place.home / "log").read_text)
            yield running


@contextmanager
def _process(place: Place) -> Iterator[int]:
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
    assert program, "PgBouncer is missing: apt-get install pgbouncer"
    with (place.home / "log").open("wb") as log:
        process = subprocess.Popen(
            [program, str(place.home / "pgbouncer.ini")],
            stdout=log,
            stderr=log,
            **place.owner.identity,
        )
        try:
            yield process.pid
        finally:
            process.terminate()
            process.wait()
