"""PostgreSQL and Redis of Debian, which speak TLS: the programs of the wheels do not."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis
from redis.exceptions import RedisError

from auditor_site.localservices.binaries import DEBIAN
from auditor_site.localservices.places import Owner, user_of_initdb
from tests.network.certificates import Authority
from tests.network.held_place import held_place
from tests.network.loopback import own_address
from tests.waiting import eventually

PLAIN_PORT, TLS_PORT = 6379, 6380
ACCESS = "local all all trust\nhostssl all all 127.0.0.0/8 scram-sha-256\n"
SETTINGS = """
listen_addresses = '{server.address},{server.other_address}'
unix_socket_directories = '{server.home}'
ssl = on
ssl_cert_file = '{certificate}'
ssl_key_file = '{key}'
fsync = off
autovacuum = off
"""


@dataclass(frozen=True, slots=True)
class SecureServer:
    """A server at two addresses; its certificate names the first of them alone."""

    address: str
    other_address: str
    password: str
    home: Path


@contextmanager
def secure_redis(authority: Authority) -> Iterator[SecureServer]:
    """Run Redis with a password, with TLS on one port and without on another."""
    program = shutil.which("redis-server")
    assert program, "Redis is missing: apt-get install redis-server"
    with _folder() as (server, owner):
        certificate, key = authority.issue(server.address).write(server.home, owner=owner.ids)
        (server.home / "conf").write_text(
            f"bind {server.address} {server.other_address}\n"
            f"port {PLAIN_PORT}\ntls-port {TLS_PORT}\nrequirepass {server.password}\n"
            f"tls-cert-file {certificate}\ntls-key-file {key}\ntls-auth-clients no\n"
            "save ''\nappendonly no\n"
        )
        plain = Redis(host=server.address, port=PLAIN_PORT, password=server.password)

        def answers() -> bool:
            try:
                return bool(plain.ping())
            except RedisError:
                return False

        with plain, _process([program, str(server.home / "conf")], server, owner, answers):
            yield server


@contextmanager
def secure_postgres(authority: Authority) -> Iterator[SecureServer]:
    """Run PostgreSQL with TLS; `postgres` logs in with the password."""
    programs = max(DEBIAN.glob("*/bin"), default=None)
    assert programs, "PostgreSQL is missing: apt-get install postgresql"
    with _folder() as (server, owner):
        data = server.home / "data"
        certificate, key = authority.issue(server.address).write(server.home, owner=owner.ids)
        initdb = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust"]
        subprocess.run(
            [*initdb, "--no-sync"], check=True, capture_output=True, cwd="/", **owner.identity
        )
        (data / "pg_hba.conf").write_text(ACCESS)
        (data / "postgresql.conf").write_text(
            SETTINGS.format(server=server, certificate=certificate, key=key)
        )

        def answers() -> bool:
            try:
                administer(server, f"ALTER ROLE postgres PASSWORD '{server.password}'")
            except psycopg.OperationalError:
                return False
            return True

        with _process([programs / "postgres", "-D", data], server, owner, answers):
            yield server


def administer(server: SecureServer, command: str) -> str:
    """Run a command over the server's socket; return the first value of its answer."""
    with psycopg.connect(
        host=str(server.home), user="postgres", dbname="postgres", autocommit=True
    ) as session:
        done = session.execute(command.encode())
        row = done.fetchone() if done.description else None
    return str(row[0]) if row else ""


@contextmanager
def without_tls(server: SecureServer) -> Iterator[None]:
    administer(server, "ALTER SYSTEM SET ssl = off")
    administer(server, "SELECT pg_reload_conf()")
    eventually(lambda: administer(server, "SHOW ssl") == "off")
    try:
        yield
    finally:
        administer(server, "ALTER SYSTEM RESET ssl")
        administer(server, "SELECT pg_reload_conf()")
        eventually(lambda: administer(server, "SHOW ssl") == "on")


@dataclass(frozen=True, slots=True)
class _User(Owner):
    @property
    def ids(self) -> tuple[int, int]:
        return self.uid, self.gid


@contextmanager
def _folder() -> Iterator[tuple[SecureServer, _User]]:
    with held_place() as place:
        maker = user_of_initdb(place.owner)
        os.chown(place.home, maker.uid, maker.gid)
        yield (
            SecureServer(own_address(), own_address(), secrets.token_hex(16), place.home),
            _User(maker.uid, maker.gid),
        )


@contextmanager
def _process(
    command: Sequence[Any], server: SecureServer, owner: Owner, answers: Callable[[], bool]
) -> Iterator[None]:
    with (server.home / "log").open("wb") as log:
        process = subprocess.Popen(
            list(map(str, command)), stdout=log, stderr=log, cwd=server.home, **owner.identity
        )
        try:
            eventually(answers, describe=(server.home / "log").read_text)
            yield
        finally:
            process.terminate()
            process.wait()
