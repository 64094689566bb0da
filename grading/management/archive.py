"""A backup: one compressed tar of the whole database, as of one moment, and of the uploads.

    manifest.json        the format, the migrations applied, and each table's columns
    tables/NAME.copy     the rows, as PostgreSQL's COPY writes them
    media/...            the uploads; they are read after the rows, and a row's upload is older than the row
    rows.json            how many rows each table has: the last member, so that a cut archive is noticed

Both ways run as the role that logs in, which owns the tables, and stream: no table is ever held in
memory.
"""

import io
import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Literal

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django_scopes import scope
from psycopg import IsolationLevel, sql

from grading.core.rls.base import as_owner
from grading.models import Organization

FORMAT = "automaton-auditor/backup@1"
MANIFEST, ROWS = "manifest.json", "rows.json"
CHUNK = 1024 * 1024
COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s AND is_generated = 'NEVER' ORDER BY column_name
"""
WALLED = "SELECT relname FROM pg_class WHERE relforcerowsecurity AND relnamespace = 'public'::regnamespace"
Columns = dict[str, list[str]]


def write_archive(path: Path) -> dict[str, int]:
    """Back everything up to a new file that only its owner reads; how many rows of each table.

    Raises FileExistsError. A file is there only when it is whole.
    """
    draft = path.with_name(f"{path.name}.part")
    if path.exists():
        raise FileExistsError(path)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            rows = _write_database(archive)
            _write_uploads(archive)
            _add(archive, ROWS, rows)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    return rows


def read_archive(path: Path) -> dict[str, int]:
    """Restore into a migrated database without users and organizations; how many rows of each
    table.

    Raises CommandError, with nothing changed in the database, when it is not empty, was migrated to
    another state than the archive's, or the archive is not whole.
    """
    with tarfile.open(path, mode="r:gz") as archive, _owner(), transaction.atomic():
        _refuse_unless_empty()
        columns = _columns_of(archive)
        rows: dict[str, int] = {}
        with _without_walls(list(columns)):
            for member in archive:
                kind, _, name = member.name.partition("/")
                if kind == "tables":
                    table = name.removesuffix(".copy")
                    rows[table] = _load(table, columns[table], _content(archive, member))
                elif kind == "media":
                    _extract(archive, member)
                elif member.name == ROWS and json.load(_content(archive, member)) == rows:
                    break
            else:
                raise CommandError(
                    "The archive is not whole: it ends too early, or rows are missing."
                )
            _reset_sequences()
    return rows


@contextmanager
def _owner() -> Iterator[None]:
    connection.close()
    try:
        with as_owner():
            yield
    finally:
        connection.close()


@contextmanager
def _at_one_moment() -> Iterator[None]:
    connection.ensure_connection()
    connection.connection.isolation_level = IsolationLevel.REPEATABLE_READ
    connection.connection.read_only = True
    with transaction.atomic():
        yield


def _write_database(archive: tarfile.TarFile) -> dict[str, int]:
    """All tables as of one moment, of every organization there is at that moment."""
    with _owner(), _at_one_moment():
        columns = {table: _columns(table) for table in _tables()}
        _add(archive, MANIFEST, {"format": FORMAT, "migrations": _migrations(), "columns": columns})
        with scope(organization=list(Organization.objects.all())):
            return {table: _dump(archive, table, names) for table, names in columns.items()}


def _dump(archive: tarfile.TarFile, table: str, columns: list[str]) -> int:
    question = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(
        _listed(columns), sql.Identifier(table)
    )
    with TemporaryFile() as spool, connection.cursor() as cursor:
        cursor.execute("SELECT 1")  # the connection is told whose rows may be seen
        with cursor.copy(question) as copy:
            for data in copy:
                spool.write(data)
        _add_file(archive, f"tables/{table}.copy", spool)
        return int(cursor.rowcount)


def _load(table: str, columns: list[str], rows: IO[bytes]) -> int:
    order = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), _listed(columns))
    with connection.cursor() as cursor:
        with cursor.copy(order) as copy:
            while chunk := rows.read(CHUNK):
                copy.write(chunk)
        return int(cursor.rowcount)


def _write_uploads(archive: tarfile.TarFile) -> None:
    root = Path(settings.MEDIA_ROOT)
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            archive.add(path, f"media/{path.relative_to(root)}", recursive=False)


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    """The filter refuses links and whatever would leave the folder."""
    root = Path(settings.MEDIA_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    archive.extract(member.replace(name=member.name.removeprefix("media/")), root, filter="data")


def _refuse_unless_empty() -> None:
    if User.objects.exists() or Organization.objects.exists():
        raise CommandError(
            "The database is not empty: restore into a new one, after `manage.py migrate`."
        )


def _columns_of(archive: tarfile.TarFile) -> Columns:
    """What the manifest says, when this database is in the state that it was taken from."""
    first = archive.next()
    if first is None or first.name != MANIFEST:
        raise CommandError("This is not a backup of Automaton Auditor.")
    manifest = json.load(_content(archive, first))
    if manifest["format"] != FORMAT or manifest["migrations"] != _migrations():
        raise CommandError(
            "The backup is of another version: install that one, migrate, and restore there."
        )
    columns: Columns = manifest["columns"]
    return columns


@contextmanager
def _without_walls(tables: list[str]) -> Iterator[None]:
    """Emptied tables whose owner may COPY into them; row-level security binds the owner again at
    the end.
    """
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("TRUNCATE {}").format(_listed(tables)))
        cursor.execute(WALLED)
        walled = [name for (name,) in cursor.fetchall()]
        _alter(walled, "NO FORCE")
        yield
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        _alter(walled, "FORCE")


def _alter(tables: list[str], word: Literal["FORCE", "NO FORCE"]) -> None:
    with connection.cursor() as cursor:
        for table in tables:
            order = sql.SQL("ALTER TABLE {} {} ROW LEVEL SECURITY")
            cursor.execute(order.format(sql.Identifier(table), sql.SQL(word)))


def _reset_sequences() -> None:
    """The next row's number follows the last one's; it has to be seen for that."""
    models = connection.introspection.installed_models(_tables())
    with connection.cursor() as cursor:
        for order in connection.ops.sequence_reset_sql(no_style(), list(models)):
            cursor.execute(order)


def _tables() -> list[str]:
    return sorted(
        connection.introspection.django_table_names(only_existing=True, include_views=False)
    )


def _columns(table: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS, [table])
        return [name for (name,) in cursor.fetchall()]


def _migrations() -> list[list[str]]:
    return sorted([app, name] for app, name in MigrationRecorder(connection).applied_migrations())


def _listed(names: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(member)
    if content is None:
        raise CommandError(f"The archive is not whole: {member.name} is no file.")
    return content


def _add(archive: tarfile.TarFile, name: str, value: Any) -> None:
    _add_file(archive, name, io.BytesIO(json.dumps(value).encode()))


def _add_file(archive: tarfile.TarFile, name: str, content: IO[bytes]) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = content.seek(0, os.SEEK_END)
    content.seek(0)
    archive.addfile(entry, content)
