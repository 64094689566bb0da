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

from auditor_site.localservices.places import Place, ephemeral_place
from tests.faults.site import eventually
from tests.network.certificates import Authority
from tests.network.forwarder import forwarded
from tests.network.loopback import own_address

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
auth_type = trust
auth_file = {users}
admin_users = {user}
pool_mode = transaction
default_pool_size = {connections}
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

    def console(self, command: str) -> list[Any]:
        with self.connect("pgbouncer") as console:
            return console.execute(command.encode()).fetchall()

    def connect(self, database: str) -> psycopg.Connection[Any]:
        """Connect as a program other than the site does."""
        return psycopg.connect(
            host=self.address,
            port=PORT,
            user=self.user,
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
    place, at = ephemeral_place(), connection.settings_dict
    address, own = own_address(), own_address()
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, place.home, ignore_errors=True)
        server, server_port = at["HOST"], at["PORT"]
        if server.startswith("/"):
            # The socket asks who its client is, and PgBouncer does not run as root.
            target = Path(server) / f".s.PGSQL.{server_port}"
            stack.enter_context(forwarded(target, own, int(server_port)))
            server = own
        configuration = CONFIGURATION.format(
            server=server,
            server_port=server_port,
            address=address,
            port=PORT,
            users=place.home / "users",
            user=at["USER"],
            connections=SERVER_CONNECTIONS,
        )
        if authority:
            owner = (place.owner.uid, place.owner.gid)
            certificate, key = authority.issue(address).write(place.home, owner=owner)
            configuration += TLS.format(certificate=certificate, key=key)
        (place.home / "users").write_text(f'"{at["USER"]}" "{at["PASSWORD"]}"\n')
        (place.home / "pgbouncer.ini").write_text(configuration)
        running = Pooler(address, at["USER"])
        stack.enter_context(_process(place))
        eventually(running.answers)
        yield running


@contextmanager
def _process(place: Place) -> Iterator[None]:
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
            yield
        finally:
            process.terminate()
            process.wait()
