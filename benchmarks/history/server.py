"""PostgreSQL and Valkey of one folder, with data that stays."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from psycopg.conninfo import make_conninfo

from auditor_site.localservices.places import Place, server_owner
from auditor_site.localservices.postgres import PORT, SITE, SUPERUSER, Postgres
from auditor_site.localservices.server import start
from auditor_site.localservices.valkey import Valkey

# A crash may lose it all. Without parallel workers, all of a query's work is in one process.
SETTINGS = """
fsync = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 2GB
max_parallel_workers_per_gather = 0
"""
MARK = "# of this benchmark"


@contextlib.contextmanager
def history_server(folder: Path) -> Iterator[str]:
    """Run both servers, and set Django up on them; yield the superuser's connection string."""
    place = Place(folder / "data", folder / "run", server_owner(), secrets.token_urlsafe(32))
    # Root's initdb runs as a user who has to reach it; the folders in it are private.
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    postgres, valkey = Postgres(place), Valkey(place)
    with contextlib.ExitStack() as stack:
        place.prepare()
        postgres.prepare()
        _configure(postgres.data / "postgresql.conf")
        for server in (postgres, valkey):
            running = start(server)
            if running is None:
                raise SystemExit(f"{folder} is in use")
            stack.callback(running.stop)
        _set_up_django(folder, postgres.url, valkey.url)
        yield make_conninfo(host=str(place.sockets), port=PORT, user=SUPERUSER, dbname=SITE)


def _configure(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if MARK not in text:
        path.write_text(f"{text}\n{MARK}\n{SETTINGS}", encoding="utf-8")


def _set_up_django(folder: Path, database: str, queue: str) -> None:
    os.environ |= {
        "DATABASE_URL": database,
        "REDIS_URL": queue,
        "DJANGO_SETTINGS_MODULE": "auditor_site.settings.test",
        "TMPDIR": str(folder),
    }
    # Django reads its settings when it is imported.
    import django
    from django.conf import settings
    from django.core.management import call_command

    django.setup()
    settings.MEDIA_ROOT = folder / "media"
    call_command("migrate", verbosity=0)
