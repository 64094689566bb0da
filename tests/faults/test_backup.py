"""The drill: everything is backed up, lost and restored elsewhere, and is what it was."""

import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings
from psycopg import sql
from psycopg.conninfo import make_conninfo

from auditor_site import addresses
from courtroom import AuditReport
from grading.core.rls.base import as_owner
from grading.jobs import run_audit
from grading.management.archive import write_archive
from grading.models import Audit, Submission
from tests.factories import object_store as store_faults
from tests.factories.graded_work import page_of_audit, signed_in
from tests.factories.object_store import StoreProxy, empty_bucket, make_bucket
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere, staff_user, student
from tests.faults import moments
from tests.faults.site import accepted, now_of
from tests.store_fixtures import storages_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis", "bucket")]


@pytest.fixture
def report(tmp_path: Path) -> bytes:
    return make_pdf(tmp_path / "report.pdf", [Page(lines=["A report"])]).read_bytes()


@pytest.fixture
def lived_in(repository: Path, report: bytes) -> Audit:
    """Two organizations; one has an audit with its report, its PDF and a student with an account."""
    accepted(repository)
    audit = with_pdf(repository, report)
    run_audit(str(audit.pk), 1)
    student(audit.submission.assignment.cohort)
    return audit


def with_pdf(repository: Path, report: bytes) -> Audit:
    return accepted(repository, submission__pdf=ContentFile(report, name="report.pdf"))


@pytest.fixture
def archive(lived_in: Audit, tmp_path: Path) -> Path:
    path = tmp_path / "backup.tar.gz"
    call_command("backup", str(path))
    return path


def lose_everything() -> None:
    connection.close()
    with as_owner():
        call_command("flush", interactive=False, verbosity=0)
        connection.close()
    empty_bucket()


def all_there_is() -> dict[str, Any]:
    with everywhere(), connection.cursor() as cursor:
        counts = {}
        for table in connection.introspection.django_table_names(
            only_existing=True, include_views=False
        ):
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))
            counts[table] = cursor.fetchone()[0]
        reports = [
            AuditReport.model_validate(audit.report) for audit in Audit.objects.exclude(report=None)
        ]
        uploads = [submission.pdf.read() for submission in Submission.objects.exclude(pdf="")]
        assert uploads or not reports
        return {
            "rows": counts,
            "digests": [report.sealed().digest for report in reports],
            "uploads": uploads,
        }


def test_a_database_that_is_not_empty_is_refused(archive):
    before = all_there_is()
    with pytest.raises(CommandError, match="The database is not empty"):
        call_command("restore", str(archive))
    assert all_there_is() == before


def test_an_archive_that_was_cut_changes_nothing(archive):
    lose_everything()
    nothing = all_there_is()
    archive.write_bytes(archive.read_bytes()[:-400])
    with pytest.raises(CommandError, match=r"cannot be read completely|not whole"):
        call_command("restore", str(archive))
    assert all_there_is() == nothing


def test_an_archive_of_another_version_is_refused(archive, tmp_path):
    connection.close()
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('grading', '9999_later', now())"
        )
        later = tmp_path / "later.tar.gz"
        write_archive(later)

    connection.close()
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '9999_later'")

    lose_everything()
    with pytest.raises(CommandError, match="The backup is of another version"):
        call_command("restore", str(later))


def test_a_backup_is_its_owners_alone_and_never_overwritten(archive):
    with pytest.raises(CommandError, match="it already exists"):
        call_command("backup", str(archive))
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600


def test_uploads_that_are_not_as_submitted_are_named_and_the_rest_is_backed_up(
    lived_in, tmp_path, store: StoreProxy
):
    path = tmp_path / "backup.tar.gz"
    name = str(lived_in.submission.pdf)
    with store.failing(store_faults.silent), pytest.raises(CommandError, match="does not answer"):
        call_command("backup", str(path))
    assert not path.exists()
    default_storage.save(name, ContentFile(b"%PDF-1.7 of another"))
    with pytest.raises(CommandError, match=f"not in it: {re.escape(name)}"):
        call_command("backup", str(path))

    before = now_of(lived_in).report_digest
    lose_everything()
    call_command("restore", str(path))
    assert (now_of(lived_in).report_digest, default_storage.exists(name)) == (before, False)


def test_restore_into_a_store_that_fails_changes_nothing(archive, store: StoreProxy):
    lose_everything()
    nothing = all_there_is()
    with store.failing(store_faults.read_only), pytest.raises(CommandError, match="stored"):
        call_command("restore", str(archive))
    assert all_there_is() == nothing


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Name of another database with the same tables, all empty. Ask for it before any row is made."""
    ours = str(connection.settings_dict["NAME"])
    theirs = f"{ours}_elsewhere"
    connection.close()
    outside = psycopg.connect(make_conninfo(moments.as_owner(), dbname="postgres"), autocommit=True)
    with outside:
        outside.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*map(sql.Identifier, (theirs, ours)))
        )
        yield theirs
        connection.close()
        outside.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(theirs)))


@contextmanager
def site_in(database: str, storages: dict[str, object]) -> Iterator[None]:
    ours = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = database
    try:
        with override_settings(STORAGES=storages):
            yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = ours


def test_a_site_is_restored_in_another_database_and_bucket_and_goes_on_from_there(
    elsewhere, lived_in, archive, repository, report, store: StoreProxy
):
    before = all_there_is()
    assert before["digests"] == [now_of(lived_in).report_digest]

    with site_in(elsewhere, storages_in(store, "elsewhere")):
        make_bucket("elsewhere")
        call_command("restore", str(archive))
        assert all_there_is() == before

        teacher = signed_in(staff_user(now_of(lived_in).organization))
        download = teacher.get(page_of_audit(lived_in, "audit-pdf-file"))
        assert b"".join(download) == report

        # The same work again has the same bytes of a report.
        audit = with_pdf(repository, report)
        run_audit(str(audit.pk), 1)
        assert now_of(audit).report_digest == before["digests"][0]

    assert all_there_is() == before


def test_a_site_of_a_bucket_is_restored_in_a_folder(lived_in, archive):
    before = all_there_is()
    lose_everything()
    folder = settings.STORAGES | {"default": addresses.storage("")}
    with override_settings(STORAGES=folder):
        call_command("restore", str(archive))
        assert all_there_is() == before
