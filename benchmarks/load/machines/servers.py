"""Servers that the machines share: PostgreSQL behind PgBouncer, Valkey, a store, and a mail server."""

from __future__ import annotations

import dataclasses
import secrets
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from auditor_site.localservices.places import SHORT_ROOT, Place, ephemeral_place
from auditor_site.localservices.postgres import PORT, SITE, SUPERUSER, Postgres
from auditor_site.localservices.server import Server, start
from auditor_site.localservices.valkey import Valkey
from benchmarks.load.machines.network import NETWORK
from tests.factories.mail_server import MailServer
from tests.factories.object_store import ENCODED_SECRET, KEY, serve_buckets
from tests.network.pgbouncer import PORT as POOLER_PORT
from tests.network.pgbouncer import run_pgbouncer

DATABASE, QUEUE, STORE, MAIL = (f"{NETWORK}.{number}" for number in range(1, 5))
QUEUE_PORT, STORE_PORT, MAIL_PORT = 6379, 9000, 2525
BUCKET = "uploads"
# Connections to PostgreSQL, for all threads of all machines together.
SERVER_CONNECTIONS = 20
NGINX = """
worker_processes 1;
daemon off;
user root;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_max_body_size 26m;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    upstream site {{ {upstreams} keepalive 64; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://site;
            proxy_read_timeout 120s;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
        }}
    }}
}}
"""


@dataclass(frozen=True, slots=True)
class Servers:
    """Addresses for the machines, and for commands that go to PostgreSQL itself."""

    environment: dict[str, str]
    database_url: str
    mail: MailServer
    processes: dict[str, list[int]]


class BridgePostgres(Postgres):
    """PostgreSQL that also listens on the bridge, where its login has a password."""

    def prepare(self) -> list[str]:
        return [*super().prepare(), "-c", f"listen_addresses={DATABASE}"]

    def _write_access_rules(self, programs: Path) -> None:
        super()._write_access_rules(programs)
        with (self.data / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all {SITE} {NETWORK}.0/24 scram-sha-256\n")


class BridgeValkey(Valkey):
    """Valkey that also listens on the bridge."""

    def prepare(self) -> list[str]:
        return [*super().prepare(), "--bind", QUEUE, "--port", str(QUEUE_PORT)]


@contextmanager
def run_servers(folder: Path) -> Iterator[Servers]:
    """Run all of them during the block; the bridge must be there."""
    # On a disk and with durability as in production.
    place = dataclasses.replace(ephemeral_place(SHORT_ROOT), ephemeral=False)
    password = secrets.token_hex(16)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, place.home, ignore_errors=True)
        roots = {
            server.name: [_started(server, stack)]
            for server in (BridgePostgres(place), BridgeValkey(place))
        }
        _set_password(place, password)
        pooler = run_pgbouncer(
            DATABASE,
            server=(DATABASE, PORT),
            login=(SITE, password),
            connections=SERVER_CONNECTIONS,
        )
        roots["pgbouncer"] = [stack.enter_context(pooler).pid]
        (folder / "buckets" / BUCKET).mkdir(parents=True)
        listen = ("--addr", f"{STORE}:{STORE_PORT}")
        stack.enter_context(serve_buckets(folder / "buckets", *listen))
        login = f"postgresql://{SITE}:{password}@{DATABASE}"
        yield Servers(
            {
                "DATABASE_URL": f"{login}:{POOLER_PORT}/{SITE}",
                "REDIS_URL": f"redis://:{place.password}@{QUEUE}:{QUEUE_PORT}/0",
                "STORAGE_URL": f"s3://{KEY}:{ENCODED_SECRET}@{STORE}:{STORE_PORT}/{BUCKET}?tls=false",
                "EMAIL_URL": f"smtp://{MAIL}:{MAIL_PORT}",
            },
            f"{login}:{PORT}/{SITE}",
            stack.enter_context(_mail_server()),
            roots,
        )


@contextmanager
def balanced(folder: Path, port: int, upstreams: Sequence[str]) -> Iterator[int]:
    """Run nginx before the web machines; yield its process."""
    # A machine that answered late stays in use: with both left out, every request would fail.
    lines = " ".join(f"server {upstream} max_fails=0;" for upstream in upstreams)
    path = folder / "nginx.conf"
    path.write_text(NGINX.format(folder=folder, port=port, upstreams=lines))
    process = subprocess.Popen(["nginx", "-c", str(path), "-p", str(folder)])
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _mail_server() -> Iterator[MailServer]:
    with MailServer((MAIL, MAIL_PORT)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def _started(server: Server, stack: ExitStack) -> int:
    running = start(server)
    if running is None:
        raise RuntimeError(f"{server.name} already runs in a new folder")
    stack.callback(running.stop)
    return running.process.pid


def _set_password(place: Place, password: str) -> None:
    with psycopg.connect(
        host=str(place.sockets), port=PORT, user=SUPERUSER, autocommit=True
    ) as administrator:
        administrator.execute(
            sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(SITE), sql.Literal(password))
        )
