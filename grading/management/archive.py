"""Backup and restore: one compressed tar of the whole database and of the uploads.

    manifest.json        the format, the applied migrations, and each table's columns
    tables/NAME.copy     the rows, as PostgreSQL's COPY writes them, all as of one moment
    media/...            the uploads of these rows, from folder or bucket, each with its SHA-256
                         compared; an upload is older than its row
    rows.json            number of rows of each table: the last member, so that a cut is noticed

Both run as the role that logs in, which owns the tables. Both stream: no table is held in memory.
"""

import io
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Literal

from django.contrib.auth.models import User
from django.core.management import CommandError
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django_scopes import scope
from psycopg import IsolationLevel, sql

from grading.core.errors import StorageUnavailable, UploadUnreadable
from grading.core.rls.base import as_owner
from grading.core.uploads import open_upload, put_upload
from grading.models import Organization

FORMAT = "automaton-auditor/backup@1"
MANIFEST, MEDIA, ROWS = "manifest.json", "media/", "rows.json"
CUT = "The archive is not whole: it ends too early, or rows are missing."
# Bytes.
CHUNK = 1024 * 1024
# Generated columns cannot be written by COPY.
COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s AND is_generated = 'NEVER' ORDER BY column_name
"""
FORCED_RLS = """
SELECT relname FROM pg_class
WHERE relforcerowsecurity AND relnamespace = 'public'::regnamespace
"""
UPLOADS = "SELECT pdf, pdf_sha256 FROM grading_submission WHERE pdf <> '' ORDER BY pdf"
Columns = dict[str, list[str]]
Digests = dict[str, str]


@dataclass(frozen=True, slots=True)
class Archive:
    """Number of rows of each table, number of uploads, and names of those that are not in it."""

    rows: dict[str, int]
    uploads: int
    missing: list[str]

    def __str__(self) -> str:
        return (
            f"{sum(self.rows.values())} rows of {len(self.rows)} tables and {self.uploads} uploads"
        )


def write_archive(path: Path) -> Archive:
    """Back everything up to a new file that only its owner may read.

    Raises FileExistsError, StorageUnavailable. The file appears only when it is complete; an upload
    that is gone, or is not what was submitted, is left out and named.
    """
    draft = path.with_name(f"{path.name}.part")
    if path.exists():
        raise FileExistsError(path)

    # Readable by its owner only: the archive holds every student's work.
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            rows, digests = _write_database(archive)
            missing = _write_uploads(archive, digests)
            _add(archive, ROWS, rows)
        file.flush()
        os.fsync(file.fileno())

    draft.rename(path)
    return Archive(rows, len(digests) - len(missing), missing)


def read_archive(path: Path) -> Archive:
    """Restore into a migrated database without users and organizations.

    Raises CommandError or UploadUnreadable, and changes nothing in the database, when the database
    is not empty, its migrations differ from the archive's, the archive is not complete, or an
    upload cannot be stored.
    """
    with tarfile.open(path, mode="r:gz") as archive, _owner(), transaction.atomic():
        _refuse_unless_empty()
        columns = _columns_of(archive)
        with _without_forced_rls(list(columns)):
            rows = _restore_tables(archive, columns)
            digests = _digests()
            missing = _restore_uploads(archive, digests, rows)
            _reset_sequences()

    return Archive(rows, len(digests) - len(missing), missing)


def _restore_tables(archive: tarfile.TarFile, columns: Columns) -> dict[str, int]:
    """Load the tables, which are the next members."""
    rows = {}
    for table in columns:
        member = archive.next()
        if member is None or member.name != f"tables/{table}.copy":
            raise CommandError(CUT)
        rows[table] = _load(table, columns[table], _content(archive, member))
    return rows


def _restore_uploads(archive: tarfile.TarFile, digests: Digests, rows: dict[str, int]) -> list[str]:
    """Store the uploads of the rows; return the names of those that the archive lacks."""
    missing = dict(digests)
    while (member := archive.next()) and member.name.startswith(MEDIA):
        name = member.name.removeprefix(MEDIA)
        # Only names of rows: nothing else is written, wherever a name would lead.
        if sha256 := missing.pop(name, None):
            with TemporaryFile() as spool:
                shutil.copyfileobj(_content(archive, member), spool)
                put_upload(name, spool, sha256)

    # The last member: reaching it proves that the archive is whole.
    if member is None or member.name != ROWS or json.load(_content(archive, member)) != rows:
        raise CommandError(CUT)
    return sorted(missing)


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


def _write_database(archive: tarfile.TarFile) -> tuple[dict[str, int], Digests]:
    """Write all tables of every organization, as of one moment; return their rows and uploads."""
    with _owner(), _at_one_moment():
        columns = {table: _columns(table) for table in _tables()}
        _add(archive, MANIFEST, {"format": FORMAT, "migrations": _migrations(), "columns": columns})
        with scope(organization=list(Organization.objects.all())):
            rows = {table: _dump(archive, table, names) for table, names in columns.items()}
            return rows, _digests()


def _dump(archive: tarfile.TarFile, table: str, columns: list[str]) -> int:
    query = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(
        _identifiers(columns), sql.Identifier(table)
    )
    with TemporaryFile() as spool, connection.cursor() as cursor:
        with cursor.copy(query) as copy:
            for data in copy:
                spool.write(data)
        _add_file(archive, f"tables/{table}.copy", spool)
        return int(cursor.rowcount)


def _load(table: str, columns: list[str], rows: IO[bytes]) -> int:
    command = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), _identifiers(columns)
    )
    with connection.cursor() as cursor:
        with cursor.copy(command) as copy:
            while chunk := rows.read(CHUNK):
                copy.write(chunk)
        return int(cursor.rowcount)


def _digests() -> Digests:
    """Return the SHA-256 of each upload that a row names, by its name."""
    with connection.cursor() as cursor:
        cursor.execute(UPLOADS)
        return dict(cursor.fetchall())


def _write_uploads(archive: tarfile.TarFile, digests: Digests) -> list[str]:
    """Write the uploads; return the names of those that are not as they were submitted."""
    missing = []
    for name, sha256 in digests.items():
        try:
            with open_upload(name, sha256) as file:
                _add_file(archive, f"{MEDIA}{name}", file)
        except StorageUnavailable:
            raise
        except UploadUnreadable:
            missing.append(name)
    return missing


def _refuse_unless_empty() -> None:
    if User.objects.exists() or Organization.objects.exists():
        raise CommandError(
            "The database is not empty: restore into a new one, after `manage.py migrate`."
        )


def _columns_of(archive: tarfile.TarFile) -> Columns:
    """Return the manifest's columns. Raises CommandError when the migrations differ."""
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
def _without_forced_rls(tables: list[str]) -> Iterator[None]:
    """Empty the tables and let their owner COPY into them; force row-level security again at the
    end.
    """
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("TRUNCATE {}").format(_identifiers(tables)))
        cursor.execute(FORCED_RLS)
        forced = [name for (name,) in cursor.fetchall()]
        _alter(forced, "NO FORCE")
        yield
        # Tables come in alphabetical order, so foreign keys hold only at the end.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        _alter(forced, "FORCE")


def _alter(tables: list[str], word: Literal["FORCE", "NO FORCE"]) -> None:
    with connection.cursor() as cursor:
        for table in tables:
            command = sql.SQL("ALTER TABLE {} {} ROW LEVEL SECURITY")
            cursor.execute(command.format(sql.Identifier(table), sql.SQL(word)))


def _reset_sequences() -> None:
    """Continue each sequence after the last row. The rows must be readable for that."""
    models = connection.introspection.installed_models(_tables())
    with connection.cursor() as cursor:
        for command in connection.ops.sequence_reset_sql(no_style(), list(models)):
            cursor.execute(command)


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


def _identifiers(names: list[str]) -> sql.Composed:
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
